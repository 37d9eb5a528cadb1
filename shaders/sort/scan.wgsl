// Sums counts up: each becomes the sum of those before it in its tile, and `totals` gets the sum of each tile.

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

const EACH: u32 = SORT_TILE / SORT_WORKGROUP;

@compute @workgroup_size(SORT_WORKGROUP)
fn scan_counts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    let is_one = tile < sort.tiles;
    let first = tile * SORT_TILE + local * EACH;
    var sum = 0u;
    for (var i = first; i < first + EACH; i++) {
        if is_one && i < sort.count {
            sum += counts[i];
        }
    }
    var before = sum_before(local, sum);
    for (var i = first; i < first + EACH; i++) {
        if is_one && i < sort.count {
            let count = counts[i];
            counts[i] = before;
            before += count;
        }
    }
    if is_one && local == 0u {
        totals[tile] = sums[SORT_WORKGROUP - 1u];
    }
}
