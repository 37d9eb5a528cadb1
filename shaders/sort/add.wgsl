// Adds to the counts of each tile what all tiles before it come to.

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(SORT_WORKGROUP)
fn add_totals(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * SORT_WORKGROUP + local;
    if at < sort.count {
        counts[at] += totals[at / SORT_TILE];
    }
}
