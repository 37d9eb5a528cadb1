// A VM's state while a dispatch runs, but for its words.

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

// Which word of frame memory is at an offset behind the call stack.
fn frame_word(offset: u32) -> u32 {
    var word = offset;
    if USES_CALLS {
        word -= launch.frame_gap;
    }
    return word;
}

// The frame base is kept relative to the end of the call stack, where a VM starts.
fn frames_start() -> u32 {
    return launch.call_frames * CALL_FRAME_WORDS;
}

// Traps the VM for another reason than that its instruction says so. Otherwise the host finds site and words by the VM's `ip`.
fn fault(reason: u32, offset: u32) {
    status = STATUS_TRAPPED;
    states[row(ROW_FAULT)] = reason;
    states[row(ROW_FAULT_OFFSET)] = offset;
}
