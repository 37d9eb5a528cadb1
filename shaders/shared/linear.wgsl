// The linear class: one word from one or two others. `x` and `y` are the words that the operands name, `imm` is the second as a
// constant.

fn linear(op: u32, x: u32, y: u32, imm: u32) -> u32 {
    var r = 0u;
    switch op {
        case OP_MOV: { r = x; }
        case OP_IMM: { r = imm; }
        case OP_ADD: { r = x + y; }
        case OP_SUB: { r = x - y; }
        case OP_NEG: { r = 0u - x; }
        case OP_ADD_IMM: { r = x + imm; }
        case OP_MUL_IMM: { r = x * imm; }
        case OP_XOR: { r = x ^ y; }
        case OP_XOR_IMM: { r = x ^ imm; }
        case OP_AND_IMM: { r = x & imm; }
        case OP_OR_IMM: { r = x | imm; }
        case OP_SHL_IMM: { r = x << (imm & 31u); }
        case OP_SHR_IMM: { r = x >> (imm & 31u); }
        case OP_SAR_IMM: { r = sar(x, imm); }
        case OP_ROTL_IMM: { r = rotl(x, imm); }
        case OP_BYTE_SWAP: { r = byte_swap(x); }
        case OP_BIT_REVERSE: { r = reverseBits(x); }
        case OP_F_ADD: { r = fadd(x, y); }
        case OP_F_SUB: { r = fsub(x, y); }
        case OP_F_ADD_IMM: { r = fadd(x, imm); }
        case OP_F_MUL_IMM: { r = fmul(x, imm); }
        default: {}
    }
    return r;
}
