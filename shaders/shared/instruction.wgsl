// One packed instruction is a vec4: in x the opcode, the first operand and its class, from the low bits on, in y, z and w the other
// operands. The host packs, and checks that every word, label, matrix and site exists.

@group(0) @binding(7) var<storage, read> code: array<vec4<u32>>;
// How many words the program's data has, these, and behind them its matrices.
@group(0) @binding(8) var<storage, read> constants: array<u32>;

fn opcode(instruction: vec4<u32>) -> u32 {
    return instruction.x & PACKED_OPCODE_MASK;
}

fn first_operand(instruction: vec4<u32>) -> u32 {
    return (instruction.x >> PACKED_FIRST_SHIFT) & PACKED_FIRST_MASK;
}

// Its class; `CLASS_NONE` is a breakpoint's.
fn class_of(instruction: vec4<u32>) -> u32 {
    return instruction.x >> PACKED_CLASS_SHIFT;
}

// In place of a word that is written: the spare, which nobody reads.
const NOWHERE: u32 = 31u;

// The word that the low half of an operand names.
fn word_of(operand: u32) -> u32 {
    return word(operand & 31u);
}

// The word that the high half of a pair operand names.
fn high_word_of(operand: u32) -> u32 {
    return word((operand >> 16u) & 31u);
}
