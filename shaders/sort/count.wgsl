// How many keys of a tile have each digit: those of a digit are together, in the order of tiles.

@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> bins: array<atomic<u32>, SORT_WORKGROUP>;

// Where four of the tile's keys are. What is loaded in vain lies in the buffer, too.
fn load_four(place: vec4<u32>) -> vec4<u32> {
    let source = select(vec4(0u), place, place < vec4(sort.count));
    return vec4(keys[source.x], keys[source.y], keys[source.z], keys[source.w]);
}

fn count(place: u32, key: u32) {
    if place < sort.count {
        atomicAdd(&bins[(key >> sort.shift) & 0xffu], 1u);
    }
}

fn count_four(place: vec4<u32>, four: vec4<u32>) {
    count(place.x, four.x);
    count(place.y, four.y);
    count(place.z, four.z);
    count(place.w, four.w);
}

@compute @workgroup_size(SORT_WORKGROUP)
fn count_digits(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    atomicStore(&bins[local], 0u);
    workgroupBarrier();
    if tile < sort.tiles {
        // All are loaded before the first is counted.
        let low = vec4(tile * SORT_TILE + local) + SORT_WORKGROUP * vec4(0u, 1u, 2u, 3u);
        let high = low + vec4(4u * SORT_WORKGROUP);
        let keys_low = load_four(low);
        let keys_high = load_four(high);
        count_four(low, keys_low);
        count_four(high, keys_high);
    }
    workgroupBarrier();
    if tile < sort.tiles {
        counts[local * sort.tiles + tile] = atomicLoad(&bins[local]);
    }
}
