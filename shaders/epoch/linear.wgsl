// The linear class: matrices in both formats, and what is one row of a matrix.

const CLASS: u32 = CLASS_LINEAR;

fn begin() {}

fn end() {}

fn step(instruction: vec4<u32>) {
    let op = opcode(instruction);
    if op == OP_AFFINE {
        if USES_SPARSE || USES_DENSE {
            apply(instruction.w, instruction.y, instruction.z);
        }
    } else {
        let x = word_of(instruction.y);
        var y = 0u;
        if op == OP_ADD || op == OP_XOR || op == OP_F_ADD || op == OP_F_SUB {
            y = word_of(instruction.z);
        }
        var r = 0u;
        switch op {
            // The cases of linear.wgsl.
            default: {}
        }
        set_word(first_operand(instruction) & 31u, r);
    }
    ip += 1u;
}
