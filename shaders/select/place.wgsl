// Brings the entries of a tile that are kept to their places. Which these are is gathered in the workgroup's memory, so that neighbouring
// words come from neighbours and go to neighbours.

@group(0) @binding(2) var<storage, read_write> entries: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> kept_entries: array<u32>;

// Whether each entry of the tile is kept; and then the places in the tile of those that are.
var<workgroup> cells: array<u32, SORT_TILE + SORT_TILE / 32u>;

fn put_four(at: u32, words: vec4<u32>) {
    cells[cell(at)] = words.x;
    cells[cell(at + SORT_WORKGROUP)] = words.y;
    cells[cell(at + 2u * SORT_WORKGROUP)] = words.z;
    cells[cell(at + 3u * SORT_WORKGROUP)] = words.w;
}

@compute @workgroup_size(SORT_WORKGROUP)
fn place_kept(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    var low = vec4(0u);
    var high = vec4(0u);
    if tile < selection.tiles {
        low = kept_four(across(tile, local));
        high = kept_four(across(tile, local) + vec4(4u * SORT_WORKGROUP));
    }
    put_four(local, low);
    put_four(local + 4u * SORT_WORKGROUP, high);
    workgroupBarrier();
    var own = 0u;
    for (var i = 0u; i < 8u; i++) {
        own |= cells[cell(local * 8u + i)] << i;
    }
    var at = sum_before(local, countOneBits(own));
    for (var i = 0u; i < 8u; i++) {
        if ((own >> i) & 1u) != 0u {
            cells[cell(at)] = local * 8u + i;
            at += 1u;
        }
    }
    workgroupBarrier();
    if tile >= selection.tiles {
        return;
    }
    let first = tile * SORT_TILE;
    let kept = sums[SORT_WORKGROUP - 1u];
    let to = places[tile];
    if selection.width == 1u {
        for (var i = local; i < kept; i += SORT_WORKGROUP) {
            kept_entries[to + i] = entries[first + cells[cell(i)]];
        }
        return;
    }
    for (var i = local; i < kept * selection.width; i += SORT_WORKGROUP) {
        let source = first + cells[cell(i / selection.width)];
        kept_entries[to * selection.width + i] = entries[source * selection.width + i % selection.width];
    }
}
