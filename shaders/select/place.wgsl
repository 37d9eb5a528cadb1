// Brings the entries of a tile that are kept to their places. Which these are is gathered in the workgroup's memory, so that neighbouring
// words come from neighbours and go to neighbours.

@group(0) @binding(2) var<storage, read_write> entries: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> kept_entries: array<u32>;

// The entries of a tile of which many are kept, if they have one word.
var<workgroup> values: array<u32, SORT_TILE>;
// Whether each entry of the tile is kept; and then the places in the tile of those that are.
var<workgroup> cells: array<u32, SORT_TILE + SORT_TILE / 32u>;

fn put_four(at: u32, words: vec4<u32>) {
    cells[cell(at)] = words.x;
    cells[cell(at + SORT_WORKGROUP)] = words.y;
    cells[cell(at + 2u * SORT_WORKGROUP)] = words.z;
    cells[cell(at + 3u * SORT_WORKGROUP)] = words.w;
}

// Loads all entries of a tile before it is known which are kept.
fn bring(first: u32, local: u32) {
    let last = vec4(selection.count - 1u);
    let start = vec4(first + local) + SORT_WORKGROUP * vec4(0u, 1u, 2u, 3u);
    let low = min(start, last);
    let high = min(start + vec4(4u * SORT_WORKGROUP), last);
    let a = vec4(entries[low.x], entries[low.y], entries[low.z], entries[low.w]);
    let b = vec4(entries[high.x], entries[high.y], entries[high.z], entries[high.w]);
    values[local] = a.x;
    values[local + SORT_WORKGROUP] = a.y;
    values[local + 2u * SORT_WORKGROUP] = a.z;
    values[local + 3u * SORT_WORKGROUP] = a.w;
    values[local + 4u * SORT_WORKGROUP] = b.x;
    values[local + 5u * SORT_WORKGROUP] = b.y;
    values[local + 6u * SORT_WORKGROUP] = b.z;
    values[local + 7u * SORT_WORKGROUP] = b.w;
}

@compute @workgroup_size(SORT_WORKGROUP)
fn place_kept(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    let first = tile * SORT_TILE;
    var low = vec4(0u);
    var high = vec4(0u);
    var brings = false;
    if tile < selection.tiles && selection.marked != 0u {
        brings = selection.width == 1u && keys[marked_words() + tile] > SORT_TILE / 8u;
        if brings {
            bring(first, local);
        }
        let marks = vec4(marks_of(tile, local));
        low = (marks >> vec4(0u, 1u, 2u, 3u)) & vec4(1u);
        high = (marks >> vec4(4u, 5u, 6u, 7u)) & vec4(1u);
    } else if tile < selection.tiles {
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
    let kept = sums[SORT_WORKGROUP - 1u];
    let to = places[tile];
    if brings {
        for (var i = local; i < kept; i += SORT_WORKGROUP) {
            kept_entries[to + i] = values[cells[cell(i)]];
        }
        return;
    }
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
