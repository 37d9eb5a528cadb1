// The oracle class: non-linear arithmetic, on words and on pairs of words. The `USES_` constants leave out what the program at hand
// does not use.

// Operations whose operands are single words; few have a third. `imm` is that third as a constant.
fn oracle(op: u32, x: u32, y: u32, z: u32, imm: u32) -> u32 {
    var r = 0u;
    switch op {
        case OP_MUL: { r = x * y; }
        case OP_MUL_HIGH_U: { r = mul_wide(x, y).y; }
        case OP_MUL_HIGH_S: { r = mul_high_signed(x, y); }
        case OP_DIV_U: { if USES_DIVISION { r = div(x, y); } }
        case OP_DIV_S: { if USES_DIVISION { r = div_signed(x, y); } }
        case OP_REM_U: { if USES_DIVISION { r = rem(x, y); } }
        case OP_REM_S: { if USES_DIVISION { r = rem_signed(x, y); } }
        case OP_AND: { r = x & y; }
        case OP_OR: { r = x | y; }
        case OP_SHL: { r = x << (y & 31u); }
        case OP_SHR: { r = x >> (y & 31u); }
        case OP_SAR: { r = sar(x, y); }
        case OP_ROTL: { r = rotl(x, y); }
        case OP_MIN_U: { r = min(x, y); }
        case OP_MAX_U: { r = max(x, y); }
        case OP_MIN_S: { r = select(y, x, less_signed(x, y)); }
        case OP_MAX_S: { r = select(x, y, less_signed(x, y)); }
        case OP_CLZ: { r = countLeadingZeros(x); }
        case OP_CTZ: { r = countTrailingZeros(x); }
        case OP_POPCOUNT: { r = countOneBits(x); }
        case OP_EQ: { r = u32(x == y); }
        case OP_NE: { r = u32(x != y); }
        case OP_LT_U: { r = u32(x < y); }
        case OP_LT_S: { r = u32(less_signed(x, y)); }
        case OP_LE_U: { r = u32(x <= y); }
        case OP_LE_S: { r = u32(!less_signed(y, x)); }
        case OP_SELECT: { r = select(z, y, x != 0u); }
        case OP_ADD_OVER_S: { r = ((x ^ (x + y)) & (y ^ (x + y))) >> 31u; }
        case OP_SUB_OVER_S: { r = ((x ^ y) & (x ^ (x - y))) >> 31u; }
        case OP_MUL_OVER_U: { r = u32(mul_wide(x, y).y != 0u); }
        case OP_MUL_OVER_S: { r = u32(mul_overflows_signed(x, y)); }
        case OP_F_MUL: { r = fmul(x, y); }
        case OP_F_DIV: { r = fdiv(x, y); }
        case OP_F_REM: { if USES_RARE_FLOAT { r = frem(x, y); } }
        case OP_F_MUL_ADD: { if USES_RARE_FLOAT { r = fma_exact(x, y, z); } }
        case OP_F_SQRT: { if USES_RARE_FLOAT { r = fsqrt(x); } }
        case OP_F_FLOOR: { if USES_CONVERSION { r = ffloor(x); } }
        case OP_F_CEIL: { if USES_CONVERSION { r = fceil(x); } }
        case OP_F_TRUNC: { if USES_CONVERSION { r = ftrunc(x); } }
        case OP_F_ROUND: { if USES_CONVERSION { r = fround(x); } }
        case OP_F_ROUND_EVEN: { if USES_CONVERSION { r = fround_even(x); } }
        case OP_F_MIN: { r = fmin(x, y); }
        case OP_F_MAX: { r = fmax(x, y); }
        case OP_F_EQ: { r = u32(feq(x, y)); }
        case OP_F_LT: { r = u32(flt(x, y)); }
        case OP_F_LE: { r = u32(fle(x, y)); }
        case OP_F_CANON: { r = fcanon(x); }
        case OP_F_TO_I: { if USES_CONVERSION { r = float_to_signed(x); } }
        case OP_F_TO_U: { if USES_CONVERSION { r = float_to_unsigned(x); } }
        case OP_I_TO_F: { if USES_CONVERSION { r = signed_to_float(x); } }
        case OP_U_TO_F: { if USES_CONVERSION { r = unsigned_to_float(x); } }
        case OP_F_MATH: { if USES_MATH { r = fmath(imm, x, y); } }
        default: {}
    }
    return r;
}

// Operations that read or write a pair; what is a single word is the low half.
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
