// One packed instruction is a vec4: in x the opcode (8 bits), the first operand (21 bits) and its shape (3 bits), in y, z and w the
// other operands. The host packs, and checks that every word, label, matrix and site exists.

fn opcode(instruction: vec4<u32>) -> u32 {
    return instruction.x & 0xffu;
}

fn first_operand(instruction: vec4<u32>) -> u32 {
    return (instruction.x >> 8u) & 0x1fffffu;
}

// How operands are read and results written, one of the `SHAPE_` constants.
fn shape(instruction: vec4<u32>) -> u32 {
    return instruction.x >> 29u;
}

// The two words of a pair operand.
fn read_pair(operand: u32) -> vec2<u32> {
    return vec2(w[operand & 31u], w[(operand >> 16u) & 31u]);
}

// Writes a pair, the low half last: where only one word is a result, both halves name it.
fn write_pair(operand: u32, value: vec2<u32>) {
    w[(operand >> 16u) & 31u] = value.y;
    w[operand & 31u] = value.x;
}
