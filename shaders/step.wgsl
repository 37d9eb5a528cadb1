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
    let number = group.y * groups.x + group.x;
    if atomicLoad(&signal[SIGNAL_TRAPPED]) != 0u {
        if number == 0u && local == 0u {
            atomicStore(&signal[SIGNAL_ENDED], 1u);
        }
        return;
    }
    let each = STEP_WORDS * WORKGROUP;
    if number > step.words / each {
        return;
    }
    let begin = number * each;
    let left = min(step.words - begin, each);
    let from_here = step.origin + begin + local;
    let to_here = step.destination + begin + local;
    if left < each {
        for (var word = 0u; word + local < left; word += WORKGROUP) {
            arena[to_here + word] = arena[from_here + word];
        }
        return;
    }
    // No device's compiler takes a load to before a store that may go to the same word, so four are asked for first.
    for (var word = 0u; word < each; word += 4u * WORKGROUP) {
        let a = arena[from_here + word];
        let b = arena[from_here + word + WORKGROUP];
        let c = arena[from_here + word + 2u * WORKGROUP];
        let d = arena[from_here + word + 3u * WORKGROUP];
        arena[to_here + word] = a;
        arena[to_here + word + WORKGROUP] = b;
        arena[to_here + word + 2u * WORKGROUP] = c;
        arena[to_here + word + 3u * WORKGROUP] = d;
    }
}
