// Notes which elements are kept: those whose value is not 0. Invocation i of a tile notes its own, i, i + TILE_WORKGROUP and so on, as the
// bits of one word, from the lowest on. Behind the words of all tiles stands how many each keeps.

// How many of the tile are kept, in parts, so that few count in one at a time.
var<workgroup> kept: array<atomic<u32>, TILE_CHUNK>;

@compute @workgroup_size(TILE_WORKGROUP)
fn mark_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = number_of(group, groups);
    let all = tiles_of(launch.vms);
    let tile = min(number, all - 1u);
    let starts = may_start() && number < all;
    if local < TILE_CHUNK {
        atomicStore(&kept[local], 0u);
    }
    workgroupBarrier();
    let first = tile * TILE + local;
    var marks = 0u;
    if starts && (tile + 1u) * TILE <= launch.vms {
        for (var i = 0u; i < TILE_CHUNK; i += 8u) {
            let next = first + i * TILE_WORKGROUP;
            let a = mark(next);
            let b = mark(next + TILE_WORKGROUP);
            let c = mark(next + 2u * TILE_WORKGROUP);
            let d = mark(next + 3u * TILE_WORKGROUP);
            let e = mark(next + 4u * TILE_WORKGROUP);
            let f = mark(next + 5u * TILE_WORKGROUP);
            let g = mark(next + 6u * TILE_WORKGROUP);
            let h = mark(next + 7u * TILE_WORKGROUP);
            let low = a | (b << 1u) | (c << 2u) | (d << 3u);
            let high = e | (f << 1u) | (g << 2u) | (h << 3u);
            marks |= (low | (high << 4u)) << i;
        }
    } else if starts {
        for (var i = 0u; first + i * TILE_WORKGROUP < launch.vms && i < TILE_CHUNK; i++) {
            marks |= mark(first + i * TILE_WORKGROUP) << i;
        }
    }
    atomicAdd(&kept[local % TILE_CHUNK], countOneBits(marks));
    workgroupBarrier();
    if !starts {
        return;
    }
    let to = params[launch.first_slot + tile_param()].x;
    arena[to + tile * TILE_WORKGROUP + local] = marks;
    if local == 0u {
        var sum = 0u;
        for (var i = 0u; i < TILE_CHUNK; i += 4u) {
            let low = atomicLoad(&kept[i]) + atomicLoad(&kept[i + 1u]);
            sum += low + atomicLoad(&kept[i + 2u]) + atomicLoad(&kept[i + 3u]);
        }
        arena[to + all * TILE_WORKGROUP + tile] = sum;
    }
    if tile == 0u && local == 0u {
        atomicAdd(&signal[SIGNAL_STOPPED], launch.vms);
    }
}

// 1 if an element is kept, else 0.
fn mark(index: u32) -> u32 {
    return u32(element(index).x != 0u);
}
