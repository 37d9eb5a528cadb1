// The oracle class: non-linear arithmetic.

const CLASS: u32 = CLASS_ORACLE;

fn begin() {}

fn end() {}

fn step(instruction: vec4<u32>) {
    let op = opcode(instruction);
    let first = first_operand(instruction);
    let x = word_of(instruction.y);
    let y = word_of(instruction.z);
    var r = 0u;
    switch op {
        // The cases of oracle.wgsl.
        default: {
            if USES_LONG || USES_LONG_DIVISION || USES_CONVERSION {
                let pair = oracle_pair(op, vec2(x, high_word_of(instruction.y)), vec2(y, high_word_of(instruction.z)));
                // Where only one word is a result, both halves name it, and the low one is written last.
                set_word((first >> 16u) & 31u, pair.y);
                r = pair.x;
            }
        }
    }
    set_word(first & 31u, r);
    ip += 1u;
}
