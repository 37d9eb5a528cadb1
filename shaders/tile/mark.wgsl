// Notes which elements are kept: those whose value is not 0. Invocation i of a tile notes its own, i, i + TILE_WORKGROUP and so on, as the
// bits of one word, from the lowest on.

@compute @workgroup_size(TILE_WORKGROUP)
fn mark_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = number_of(group, groups);
    if tile >= tiles_of(launch.vms) || !may_start() {
        return;
    }
    let first = tile * TILE + local;
    var marks = 0u;
    for (var i = 0u; i < TILE_CHUNK; i += 4u) {
        let a = mark(first + i * TILE_WORKGROUP);
        let b = mark(first + (i + 1u) * TILE_WORKGROUP);
        let c = mark(first + (i + 2u) * TILE_WORKGROUP);
        let d = mark(first + (i + 3u) * TILE_WORKGROUP);
        marks |= (a | (b << 1u) | (c << 2u) | (d << 3u)) << i;
    }
    arena[params[launch.first_slot + tile_param()].x + tile * TILE_WORKGROUP + local] = marks;
    if tile == 0u && local == 0u {
        atomicAdd(&signal[SIGNAL_STOPPED], launch.vms);
    }
}

// 1 if an element is kept, else 0. In place of one that is not there stands the last.
fn mark(index: u32) -> u32 {
    let value = element(min(index, launch.vms - 1u));
    return u32(index < launch.vms && value.x != 0u);
}
