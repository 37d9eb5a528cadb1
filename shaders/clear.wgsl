// What comes before a job of a sequence that has frames: they are set to 0, unless a job before has stopped. Then its own are still there.

@group(0) @binding(0) var<storage, read_write> frames: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> signal: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn clear_frames(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * WORKGROUP + local;
    if at < arrayLength(&frames) && atomicLoad(&signal[SIGNAL_ENDED]) == 0u {
        frames[at] = vec4(0u);
    }
}
