// The branch class. Each operation leaves the next instruction's number in `ip`.

fn branch(op: u32, first: u32, instruction: vec4<u32>) {
    var next = ip + 1u;
    switch op {
        case OP_JUMP: { next = first; }
        case OP_JUMP_IF: { next = select(next, first, w[instruction.y & 31u] != 0u); }
        case OP_JUMP_UNLESS: { next = select(first, next, w[instruction.y & 31u] != 0u); }
        case OP_CALL: {
            if calls < launch.call_frames {
                frames[row(calls * CALL_FRAME_WORDS)] = next;
                frames[row(calls * CALL_FRAME_WORDS + 1u)] = frame_base;
                calls += 1u;
                frame_base += instruction.y;
                next = first;
            } else {
                trap(SITE_STACK, vec4(ip, 0u, 0u, 0u));
                next = ip;
            }
        }
        case OP_RETURN: {
            if calls == 0u {
                status = STATUS_HALTED;
                next = ip;
            } else {
                calls -= 1u;
                next = frames[row(calls * CALL_FRAME_WORDS)];
                frame_base = frames[row(calls * CALL_FRAME_WORDS + 1u)];
            }
        }
        default: {}
    }
    ip = next;
}
