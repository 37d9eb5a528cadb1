// What a dispatch gets: the numbers of the launch and the eight storage buffers. The host reads the bindings back from this
// module, so they are stated here alone.

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
    // The deepest that `enter` may go.
    depth_limit: u32,
    // Words of frame memory of each VM, call stack included.
    frame_words: u32,
    // Call frames that the call stack holds.
    call_frames: u32,
    // Words of the arena.
    arena_words: u32,
    // Words of the atomics.
    atomic_words: u32,
}

@group(0) @binding(0) var<uniform> launch: Launch;
// Instructions, see `instruction.wgsl`.
@group(0) @binding(1) var<storage, read> code: array<vec4<u32>>;
// Matrices, see `matrix.wgsl`.
@group(0) @binding(2) var<storage, read> matrices: array<u32>;
// One slot a launch parameter: base, stride, length, 0.
@group(0) @binding(3) var<storage, read> params: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> arena: array<u32>;
@group(0) @binding(5) var<storage, read_write> atomics: array<atomic<u32>>;
// Word `row` of a VM's state is at `row * vms + vm`, so that neighbours' accesses coalesce; frames likewise.
@group(0) @binding(6) var<storage, read_write> states: array<u32>;
@group(0) @binding(7) var<storage, read_write> frames: array<u32>;
// What the host looks at between dispatches, see the `SIGNAL_` constants.
@group(0) @binding(8) var<storage, read_write> signal: array<atomic<u32>>;
