// What comes before a step of a launch: words are copied from one place of the arena to another, and a row of steps in which a VM has
// trapped is ended.

struct Step {
    // Where the words are, and where they go.
    origin: u32,
    destination: u32,
    // How many; none where there is nothing to copy.
    words: u32,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> signal: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn begin_step(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = (group.y * groups.x + group.x) * WORKGROUP + local;
    if atomicLoad(&signal[SIGNAL_TRAPPED]) != 0u {
        if word == 0u {
            atomicStore(&signal[SIGNAL_ENDED], 1u);
        }
    } else if word < step.words {
        arena[step.destination + word] = arena[step.origin + word];
    }
}
