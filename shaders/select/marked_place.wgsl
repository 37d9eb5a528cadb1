// Brings the entries of a tile that are marked to their places. If many are, and have one word, all entries are loaded before it is known
// where they go, and those that are kept are put together in the workgroup's memory; else it is the places in the tile of those.

@group(0) @binding(2) var<storage, read_write> entries: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> kept_entries: array<u32>;

// The entries of the tile, as if chunks had one more, so that memory serves their invocations at once. Then those that are kept, or their
// places, without gaps.
var<workgroup> cells: array<u32, TILE_CELLS>;
// The marks as they were made: an invocation's are of entries that lie apart.
var<workgroup> marks: array<u32, TILE_WORKGROUP + TILE_WORKGROUP / TILE_CHUNK>;

fn padded(index: u32) -> u32 {
    return index + index / TILE_CHUNK;
}

// From one of the entries that an invocation loads to the next, in the memory.
const CELLS_APART: u32 = TILE_WORKGROUP + TILE_WORKGROUP / TILE_CHUNK;

fn load_row(first: vec4<u32>) -> vec4<u32> {
    let at = min(first, vec4(selection.count - 1u));
    return vec4(entries[at.x], entries[at.y], entries[at.z], entries[at.w]);
}

fn put_row(at: u32, row: vec4<u32>) {
    cells[at] = row.x;
    cells[at + CELLS_APART] = row.y;
    cells[at + 2u * CELLS_APART] = row.z;
    cells[at + 3u * CELLS_APART] = row.w;
}

// Loads all entries of a tile; in place of those that are not there stands the last.
fn bring(tile: u32, local: u32) {
    let first = vec4(tile * TILE + local) + TILE_WORKGROUP * vec4(0u, 1u, 2u, 3u);
    let a = load_row(first);
    let b = load_row(first + vec4(4u * TILE_WORKGROUP));
    let c = load_row(first + vec4(8u * TILE_WORKGROUP));
    let d = load_row(first + vec4(12u * TILE_WORKGROUP));
    let at = padded(local);
    put_row(at, a);
    put_row(at + 4u * CELLS_APART, b);
    put_row(at + 8u * CELLS_APART, c);
    put_row(at + 12u * CELLS_APART, d);
}

fn get_four(at: u32) -> vec4<u32> {
    return vec4(cells[at], cells[at + 1u], cells[at + 2u], cells[at + 3u]);
}

// Puts those of four values whose bits are set from a place on, and gives the place behind them.
fn put_kept(place: u32, bits: u32, four: vec4<u32>) -> u32 {
    var at = place;
    if (bits & 1u) != 0u {
        cells[at] = four.x;
        at += 1u;
    }
    if (bits & 2u) != 0u {
        cells[at] = four.y;
        at += 1u;
    }
    if (bits & 4u) != 0u {
        cells[at] = four.z;
        at += 1u;
    }
    if (bits & 8u) != 0u {
        cells[at] = four.w;
        at += 1u;
    }
    return at;
}

@compute @workgroup_size(TILE_WORKGROUP)
fn place_marked(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = group.y * groups.x + group.x;
    let tile = min(number, selection.tiles - 1u);
    marks[padded(local)] = keys[tile * TILE_WORKGROUP + local];
    let kept = keys[selection.tiles * TILE_WORKGROUP + tile];
    let brings = selection.width == 1u && kept > TILE / 16u;
    if brings {
        bring(tile, local);
    }
    workgroupBarrier();
    // The marks of a chunk are bits of one rank.
    let row = local / TILE_CHUNK;
    let first = padded(local % TILE_CHUNK * TILE_CHUNK);
    var own = 0u;
    for (var i = 0u; i < TILE_CHUNK; i += 4u) {
        let low = ((marks[first + i] >> row) & 1u) | (((marks[first + i + 1u] >> row) & 1u) << 1u);
        let high = ((marks[first + i + 2u] >> row) & 1u) | (((marks[first + i + 3u] >> row) & 1u) << 1u);
        own |= (low | (high << 2u)) << i;
    }
    let chunk = local * TILE_CHUNK;
    var at = sum_before(local, countOneBits(own));
    var a = vec4(chunk) + vec4(0u, 1u, 2u, 3u);
    var b = a + vec4(4u);
    var c = a + vec4(8u);
    var d = a + vec4(12u);
    if brings {
        a = get_four(padded(chunk));
        b = get_four(padded(chunk) + 4u);
        c = get_four(padded(chunk) + 8u);
        d = get_four(padded(chunk) + 12u);
    }
    workgroupBarrier();
    at = put_kept(at, own, a);
    at = put_kept(at, own >> 4u, b);
    at = put_kept(at, own >> 8u, c);
    at = put_kept(at, own >> 12u, d);
    workgroupBarrier();
    if number >= selection.tiles {
        return;
    }
    let to = places[tile];
    if brings {
        for (var i = local; i < kept; i += TILE_WORKGROUP) {
            kept_entries[to + i] = cells[i];
        }
        return;
    }
    for (var i = local; i < kept * selection.width; i += TILE_WORKGROUP) {
        let source = tile * TILE + cells[i / selection.width];
        kept_entries[to * selection.width + i] = entries[source * selection.width + i % selection.width];
    }
}
