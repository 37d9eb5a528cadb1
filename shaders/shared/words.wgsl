// A VM's words where a dispatch runs it for long: loaded from the states buffer once, stored once.

// The general words, and a spare so that every five-bit number names one.
var<private> w: array<u32, 32>;

fn word(index: u32) -> u32 {
    return w[index];
}

fn set_word(index: u32, value: u32) {
    w[index] = value;
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
