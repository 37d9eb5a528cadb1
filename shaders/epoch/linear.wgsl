// The linear class: matrices in both formats, and what is one row of a matrix.

const CLASS: u32 = CLASS_LINEAR;

fn begin() {}

fn end() {}

fn step(instruction: vec4<u32>) {
    if shape(instruction) == SHAPE_MATRIX {
        if USES_SPARSE || USES_DENSE {
            apply(instruction.w, instruction.y, instruction.z);
        }
    } else {
        let op = opcode(instruction);
        var y = 0u;
        if op == OP_ADD || op == OP_SUB || op == OP_XOR || op == OP_F_ADD || op == OP_F_SUB {
            y = word_of(instruction.z);
        }
        set_word(first_operand(instruction) & 31u, linear(op, word_of(instruction.y), y, instruction.z));
    }
    ip += 1u;
}
