// How many entries of each tile are kept.

@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(SORT_WORKGROUP)
fn count_kept(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    var kept = vec4(0u);
    if tile < selection.tiles {
        let low = across(tile, local);
        kept = kept_four(low) + kept_four(low + vec4(4u * SORT_WORKGROUP));
    }
    sum_before(local, kept.x + kept.y + kept.z + kept.w);
    if tile < selection.tiles && local == 0u {
        counts[tile] = sums[SORT_WORKGROUP - 1u];
    }
}
