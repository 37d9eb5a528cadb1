// Sums counts up: each becomes the sum of those before it in its tile, and `totals` gets the sum of each tile.

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

// Four counts from a place on; there are none behind the last.
fn load_four(first: u32) -> vec4<u32> {
    let place = vec4(first) + vec4(0u, 1u, 2u, 3u);
    let is_one = place < vec4(sort.count);
    let source = select(vec4(0u), place, is_one);
    return select(vec4(0u), vec4(counts[source.x], counts[source.y], counts[source.z], counts[source.w]), is_one);
}

fn store(place: u32, sum: u32) {
    if place < sort.count {
        counts[place] = sum;
    }
}

// Puts the sum of those before in the place of each of four counts, and gives that of all.
fn store_four(first: u32, four: vec4<u32>, before: u32) -> u32 {
    let second = before + four.x;
    let third = second + four.y;
    let fourth = third + four.z;
    store(first, before);
    store(first + 1u, second);
    store(first + 2u, third);
    store(first + 3u, fourth);
    return fourth + four.w;
}

@compute @workgroup_size(SORT_WORKGROUP)
fn scan_counts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    let is_one = tile < sort.tiles;
    let first = tile * SORT_TILE + local * 8u;
    var low = vec4(0u);
    var high = vec4(0u);
    if is_one {
        low = load_four(first);
        high = load_four(first + 4u);
    }
    let both = low + high;
    let before = sum_before(local, both.x + both.y + both.z + both.w);
    if is_one {
        store_four(first + 4u, high, store_four(first, low, before));
    }
    if is_one && local == 0u {
        totals[tile] = sums[SORT_WORKGROUP - 1u];
    }
}
