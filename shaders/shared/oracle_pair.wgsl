// The rest of the oracle class: non-linear arithmetic on pairs of words. What is a single word is the low half.

fn oracle_pair(op: u32, x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    var r = vec2(0u, 0u);
    switch op {
        case OP_ADD64: { if USES_LONG { r = add64(x, y); } }
        case OP_SUB64: { if USES_LONG { r = sub64(x, y); } }
        case OP_MUL64: { if USES_LONG { r = mul64(x, y); } }
        case OP_DIV_U64: { if USES_LONG_DIVISION { r = div64(x, y); } }
        case OP_DIV_S64: { if USES_LONG_DIVISION { r = div_signed64(x, y); } }
        case OP_REM_U64: { if USES_LONG_DIVISION { r = rem64(x, y); } }
        case OP_REM_S64: { if USES_LONG_DIVISION { r = rem_signed64(x, y); } }
        case OP_SHL64: { if USES_LONG { r = shl64(x, y.x & 63u); } }
        case OP_SHR64: { if USES_LONG { r = shr64(x, y.x & 63u); } }
        case OP_SAR64: { if USES_LONG { r = sar64(x, y.x & 63u); } }
        case OP_EQ64: { if USES_LONG { r.x = u32(all(x == y)); } }
        case OP_LT_U64: { if USES_LONG { r.x = u32(less64(x, y)); } }
        case OP_LT_S64: { if USES_LONG { r.x = u32(less_signed64(x, y)); } }
        case OP_MUL_OVER_U64: { if USES_LONG { r.x = u32(mul_overflows64(x, y)); } }
        case OP_MUL_OVER_S64: { if USES_LONG { r.x = u32(mul_overflows_signed64(x, y)); } }
        case OP_F_TO_I64: { if USES_CONVERSION { r = float_to_signed64(x.x); } }
        case OP_F_TO_U64: { if USES_CONVERSION { r = float_to_unsigned64(x.x); } }
        case OP_I64_TO_F: { if USES_CONVERSION { r.x = signed64_to_float(x); } }
        case OP_U64_TO_F: { if USES_CONVERSION { r.x = unsigned64_to_float(x); } }
        default: {}
    }
    return r;
}
