// A VM's state while a dispatch runs: loaded from the states buffer once, stored once.

// The general words, and a spare so that every five-bit number names one.
var<private> w: array<u32, 32>;
// The VM's number within the batch.
var<private> vm: u32;
var<private> ip: u32;
var<private> status: u32;
var<private> depth: u32;
// The first frame word of the routine that runs.
var<private> frame_base: u32;
// Call frames on the VM's call stack.
var<private> calls: u32;
// Iterations of loops inside of instructions so far.
var<private> inner: u32;
// Instructions retired, by class.
var<private> retired: vec4<u32>;

fn row(index: u32) -> u32 {
    return index * launch.vms + vm;
}

// The frame base is kept relative to the end of the call stack, where a VM starts.
fn frames_start() -> u32 {
    return launch.call_frames * CALL_FRAME_WORDS;
}

// Puts the VM to the entry.
fn start_registers() {
    status = STATUS_RUNNING;
    frame_base = frames_start();
    states[row(ROW_VM_ID)] = launch.first_vm + vm;
    states[row(ROW_FAULT)] = 0u;
    states[row(ROW_FAULT_OFFSET)] = 0u;
}

fn load_registers() {
    ip = states[row(ROW_IP)];
    depth = states[row(ROW_DEPTH)];
    frame_base = frames_start() + states[row(ROW_FRAME_BASE)];
    calls = states[row(ROW_CALLS)];
    for (var i = 0u; i < WORDS; i++) {
        w[i] = states[row(ROW_WORDS + i)];
    }
}

fn store_registers() {
    states[row(ROW_IP)] = ip;
    states[row(ROW_STATUS)] = status;
    states[row(ROW_DEPTH)] = depth;
    states[row(ROW_FRAME_BASE)] = frame_base - frames_start();
    states[row(ROW_CALLS)] = calls;
    for (var i = 0u; i < WORDS; i++) {
        states[row(ROW_WORDS + i)] = w[i];
    }
}

// Traps the VM for another reason than that its instruction says so. Otherwise the host finds site and words by the VM's `ip`.
fn fault(reason: u32, offset: u32) {
    status = STATUS_TRAPPED;
    states[row(ROW_FAULT)] = reason;
    states[row(ROW_FAULT_OFFSET)] = offset;
}
