// What every engine's kernels get: the numbers of a dispatch, and the buffers of a session. The host reads the bindings and the
// struct's fields back from this module, so they are stated here alone.

struct Launch {
    // VMs of this batch; states and frames are interleaved by this many lanes.
    vms: u32,
    // The number, in the launch, of the batch's first VM.
    first_vm: u32,
    // VMs of the whole launch.
    vm_count: u32,
    // Instructions that a VM may run in this dispatch.
    cycles: u32,
    // Iterations of loops inside of instructions that a VM may run in this dispatch.
    inner_cycles: u32,
    // Not 0: VMs that yielded go on.
    resume: u32,
    // Not 0: no VM has started, and states and frames hold anything.
    fresh: u32,
    // The deepest that `enter` may go.
    depth_limit: u32,
    // Words of frame memory that each VM has, call stack included.
    frame_words: u32,
    // How many of them an address may lead to.
    addressed_words: u32,
    // By how many words frames stand nearer to its beginning than addresses say: those of the call stack that are not there.
    frame_gap: u32,
    // Where the frames that it has room for end, as addresses say; the largest number if there is room for all.
    frames_end: u32,
    // Calls in each other that it has room for, and the most that there may be.
    call_room: u32,
    call_frames: u32,
    // The first word of the arena that this launch may touch, and how many words from there on.
    arena_start: u32,
    arena_words: u32,
    // Words of the atomics.
    atomic_words: u32,
    // Where the job's slots begin among the parameters'.
    first_slot: u32,
    // The job's number in a sequence, counted from 1; 0 if it is alone.
    turn: u32,
}

@group(0) @binding(0) var<uniform> launch: Launch;
// One slot a launch parameter of a job: base, stride, length, 0.
@group(0) @binding(1) var<storage, read> params: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> arena: array<u32>;
@group(0) @binding(3) var<storage, read_write> atomics: array<atomic<u32>>;
// Word `row` of a VM's state is at `row * vms + vm`, so that neighbours' accesses coalesce; frames likewise.
@group(0) @binding(4) var<storage, read_write> states: array<u32>;
@group(0) @binding(5) var<storage, read_write> frames: array<u32>;
// What the host looks at between dispatches, see the `SIGNAL_` constants.
@group(0) @binding(6) var<storage, read_write> signal: array<atomic<u32>>;

// Whether VMs that have not started may: neither an earlier step nor an earlier job of the sequence has ended the row. Others of the
// same job may have done so since the dispatch began.
fn may_start() -> bool {
    let ended = atomicLoad(&signal[SIGNAL_ENDED]);
    return ended == 0u || (launch.turn != 0u && ended == launch.turn);
}

// Tells the host how many words of frames a VM needs to go on, and how many calls in each other.
fn want_room(words: u32, calls: u32) {
    atomicMax(&signal[SIGNAL_FRAME_WORDS], words);
    atomicMax(&signal[SIGNAL_CALLS], calls);
}

// Keeps the jobs after this one from starting, because one of its VMs has not halted.
fn end_sequence() {
    if launch.turn != 0u {
        atomicStore(&signal[SIGNAL_ENDED], launch.turn);
    }
}
