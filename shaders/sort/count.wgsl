// How many keys of a tile have each digit: those of a digit are together, in the order of tiles.

@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> bins: array<atomic<u32>, SORT_WORKGROUP>;

@compute @workgroup_size(SORT_WORKGROUP)
fn count_digits(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    atomicStore(&bins[local], 0u);
    workgroupBarrier();
    for (var i = 0u; i < SORT_TILE; i += SORT_WORKGROUP) {
        let at = tile * SORT_TILE + i + local;
        if tile < sort.tiles && at < sort.count {
            atomicAdd(&bins[(keys[at] >> sort.shift) & 0xffu], 1u);
        }
    }
    workgroupBarrier();
    if tile < sort.tiles {
        counts[local * sort.tiles + tile] = atomicLoad(&bins[local]);
    }
}
