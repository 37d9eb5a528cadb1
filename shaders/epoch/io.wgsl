// The io class: memory, identity, atomics, and what stops a VM.

const CLASS: u32 = CLASS_IO;

fn begin() {
    frame_base = frames_start() + states[row(ROW_FRAME_BASE)];
    depth = states[row(ROW_DEPTH)];
}

fn end() {
    states[row(ROW_DEPTH)] = depth;
}

fn step(instruction: vec4<u32>) {
    let op = opcode(instruction);
    let first = first_operand(instruction);
    let done = io(op, first, instruction, word_of(instruction.y), word_of(instruction.z), word_of(instruction.w));
    set_word(done.to, done.result);
    lost += u32(!done.through);
    // A VM that halts or traps keeps its place, and what did not get through is tried again.
    ip += u32(done.through && status != STATUS_TRAPPED && status != STATUS_HALTED);
}
