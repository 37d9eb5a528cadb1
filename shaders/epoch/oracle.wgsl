// The oracle class: non-linear arithmetic.

const CLASS: u32 = CLASS_ORACLE;

fn begin() {}

fn end() {}

fn step(instruction: vec4<u32>) {
    let op = opcode(instruction);
    let first = first_operand(instruction);
    let a = word_of(instruction.y);
    let b = word_of(instruction.z);
    if shape(instruction) == SHAPE_ORACLE_PAIR {
        if USES_LONG || USES_LONG_DIVISION || USES_CONVERSION {
            let pair = oracle_pair(op, vec2(a, high_word_of(instruction.y)), vec2(b, high_word_of(instruction.z)));
            // Where only one word is a result, both halves name it, and the low one is written last.
            set_word((first >> 16u) & 31u, pair.y);
            set_word(first & 31u, pair.x);
        }
    } else {
        var c = 0u;
        if op == OP_SELECT || op == OP_F_MUL_ADD {
            c = word_of(instruction.w);
        }
        set_word(first & 31u, oracle(op, a, b, c, instruction.w));
    }
    ip += 1u;
}
