// The oracle class but for its pairs: non-linear arithmetic on single words. Cases of a switch over `op` that leave the word in `r`; `x`
// and `y` are the words that the second and third operand of `instruction` name. Few have a fourth. The `USES_` constants leave out what
// the program at hand does not use. The host has operations that are not here done by others (`gpuvm-wgpu/src/canonical.rs`).

        case OP_MUL: { r = x * y; }
        case OP_MUL_HIGH_U: { r = mul_wide(x, y).y; }
        case OP_MUL_HIGH_S: { r = mul_high_signed(x, y); }
        case OP_DIV_U: { if USES_DIVISION { r = div(x, y); } }
        case OP_DIV_S: { if USES_DIVISION { r = div_signed(x, y); } }
        case OP_REM_U: { if USES_DIVISION { r = rem(x, y); } }
        case OP_REM_S: { if USES_DIVISION { r = rem_signed(x, y); } }
        // And with no bits in the third, or with all of them.
        case OP_AND: { r = (x & y) | (instruction.w & (x | y)); }
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
        // These or their opposites.
        case OP_EQ: { r = u32(x == y) ^ instruction.w; }
        case OP_LT_U: { r = u32(x < y) ^ instruction.w; }
        case OP_LT_S: { r = u32(less_signed(x, y)) ^ instruction.w; }
        case OP_SELECT: { r = select(word_of(instruction.w), y, x != 0u); }
        case OP_ADD_OVER_S: { r = ((x ^ (x + y)) & (y ^ (x + y))) >> 31u; }
        case OP_SUB_OVER_S: { r = ((x ^ y) & (x ^ (x - y))) >> 31u; }
        case OP_MUL_OVER_U: { r = u32(mul_wide(x, y).y != 0u); }
        case OP_MUL_OVER_S: { r = u32(mul_overflows_signed(x, y)); }
        case OP_F_MUL: { r = fmul(x, y); }
        case OP_F_DIV: { r = fdiv(x, y); }
        case OP_F_REM: { if USES_RARE_FLOAT { r = frem(x, y); } }
        case OP_F_MUL_ADD: { if USES_RARE_FLOAT { r = fma_exact(x, y, word_of(instruction.w)); } }
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
        case OP_F_MATH: { if USES_MATH { r = fmath(instruction.w, x, y); } }
