// The branch class. Each operation leaves the next instruction's number in `ip`.

fn branch(op: u32, label: u32, a: u32, caller_words: u32) {
    var next = ip + 1u;
    switch op {
        case OP_JUMP: { next = label; }
        case OP_JUMP_IF: { next = select(next, label, a != 0u); }
        case OP_JUMP_UNLESS: { next = select(label, next, a != 0u); }
        case OP_CALL: {
            if USES_CALLS {
                next = call(label, caller_words);
            }
        }
        case OP_RETURN: {
            next = ip;
            if USES_CALLS && calls != 0u {
                calls -= 1u;
                next = frames[row(calls * CALL_FRAME_WORDS)];
                frame_base = frames[row(calls * CALL_FRAME_WORDS + 1u)];
            } else {
                status = STATUS_HALTED;
            }
        }
        default: {}
    }
    ip = next;
}

// Pushes a call frame, and gives the number of the callee's first instruction.
fn call(label: u32, caller_words: u32) -> u32 {
    if calls >= launch.call_frames {
        fault(FAULT_STACK, 0u);
        return ip;
    }
    frames[row(calls * CALL_FRAME_WORDS)] = ip + 1u;
    frames[row(calls * CALL_FRAME_WORDS + 1u)] = frame_base;
    calls += 1u;
    frame_base += caller_words;
    return label;
}
