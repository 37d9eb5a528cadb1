// The branch class. Each operation gives the number of the next instruction.

// All jumps: with a condition, with its opposite, and without (`gpuvm-wgpu/src/canonical.rs`).
fn jump_if(instruction: vec4<u32>, condition: u32) -> u32 {
    let taken = ((condition & instruction.z) != 0u) == (instruction.w != 0u);
    return select(ip + 1u, first_operand(instruction), taken);
}

// Pushes a call frame, and goes to the callee. Where the VM has no room for it and for what the callee touches it stops in front of the
// call until it has.
fn call(label: u32, caller_words: u32, callee_words: u32) -> u32 {
    if calls >= launch.call_frames {
        fault(FAULT_STACK, 0u);
        return ip;
    }
    let end = frame_base + caller_words + callee_words;
    if calls >= launch.call_room || end > launch.frames_end {
        want_room(end - frames_start(), calls + 1u);
        status = STATUS_NO_ROOM;
        return ip;
    }
    frames[row(calls * CALL_FRAME_WORDS)] = ip + 1u;
    frames[row(calls * CALL_FRAME_WORDS + 1u)] = frame_base;
    calls += 1u;
    frame_base += caller_words;
    return label;
}

// Pops a call frame, and goes back to the caller; the VM halts where there is none.
fn go_back() -> u32 {
    var next = ip;
    if USES_CALLS && calls != 0u {
        calls -= 1u;
        next = frames[row(calls * CALL_FRAME_WORDS)];
        frame_base = frames[row(calls * CALL_FRAME_WORDS + 1u)];
    } else {
        status = STATUS_HALTED;
    }
    return next;
}
