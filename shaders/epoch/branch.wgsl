// The branch class: jumps, calls and returns.

const CLASS: u32 = CLASS_BRANCH;

fn begin() {
    if USES_CALLS {
        calls = states[row(ROW_CALLS)];
        frame_base = frames_start() + states[row(ROW_FRAME_BASE)];
    }
}

fn end() {
    if USES_CALLS {
        states[row(ROW_CALLS)] = calls;
        states[row(ROW_FRAME_BASE)] = frame_base - frames_start();
    }
}

fn step(instruction: vec4<u32>) {
    let op = opcode(instruction);
    switch op {
        case OP_CALL: {
            if USES_CALLS {
                ip = call(first_operand(instruction), instruction.y, instruction.z);
            }
        }
        case OP_SWITCH: {
            if USES_SWITCH {
                ip = first_operand(instruction) + min(word_of(instruction.y), instruction.z);
            }
        }
        case OP_RETURN: { ip = go_back(); }
        default: { ip = jump_if(instruction, word_of(instruction.y)); }
    }
}
