// Sums up how many entries are kept of the tiles before each, by one workgroup.

@group(0) @binding(2) var<storage, read_write> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> total: array<u32>;

// How many words marks have, behind which is counted how many each tile has.
fn marked_words() -> u32 {
    return selection.tiles * TILE_WORKGROUP;
}

// The counts of four tiles from one on.
fn counts_of(tile: u32) -> vec4<u32> {
    let tiles = vec4(tile) + vec4(0u, 1u, 2u, 3u);
    let is_one = tiles < vec4(selection.tiles);
    let at = select(vec4(0u), tiles, is_one) + vec4(marked_words());
    return select(vec4(0u), vec4(keys[at.x], keys[at.y], keys[at.z], keys[at.w]), is_one);
}

fn put_place(tile: u32, place: u32) {
    if tile < selection.tiles {
        places[tile] = place;
    }
}

fn put_four(tile: u32, place: u32, counts: vec4<u32>) {
    put_place(tile, place);
    put_place(tile + 1u, place + counts.x);
    put_place(tile + 2u, place + counts.x + counts.y);
    put_place(tile + 3u, place + counts.x + counts.y + counts.z);
}

@compute @workgroup_size(SORT_WORKGROUP)
fn sum_marked(@builtin(local_invocation_index) local: u32) {
    var before = 0u;
    for (var first = 0u; first < selection.tiles; first += SORT_TILE) {
        let tile = first + local * 8u;
        let low = counts_of(tile);
        let high = counts_of(tile + 4u);
        let of_low = low.x + low.y + low.z + low.w;
        let place = before + sum_before(local, of_low + high.x + high.y + high.z + high.w);
        put_four(tile, place, low);
        put_four(tile + 4u, place + of_low, high);
        before += sums[SORT_WORKGROUP - 1u];
        workgroupBarrier();
    }
    if local == 0u {
        total[0] = before;
    }
}
