// The branch class. Each operation gives the number of the next instruction.

// Both jumps with a condition are one, so that invocations that take different ones need not take turns.
fn jump_if(op: u32, label: u32, condition: u32) -> u32 {
    return select(ip + 1u, label, (condition != 0u) == (op == OP_JUMP_IF));
}

// Leaves a call frame right before the callee's frame, and goes to the callee. Where the VM has no room for that frame it stops in front
// of the call until it has.
fn call(label: u32, caller_words: u32, callee_words: u32) -> u32 {
    let base = frame_base + caller_words;
    let end = base + callee_words;
    if calls >= launch.call_frames || end > launch.most_frame_words {
        fault(FAULT_STACK, 0u);
        return ip;
    }
    if end > launch.frame_words {
        want_frame(end, calls);
        status = STATUS_NO_ROOM;
        return ip;
    }
    frames[row(base - CALL_FRAME_WORDS)] = ip + 1u;
    frames[row(base - CALL_FRAME_WORDS + 1u)] = frame_base;
    calls += 1u;
    frame_base = base;
    return label;
}

// Pops a call frame, and goes back to the caller; the VM halts where there is none.
fn go_back() -> u32 {
    var next = ip;
    if USES_CALLS && calls != 0u {
        calls -= 1u;
        let at = frame_base - CALL_FRAME_WORDS;
        next = frames[row(at)];
        frame_base = frames[row(at + 1u)];
    } else {
        status = STATUS_HALTED;
    }
    return next;
}
