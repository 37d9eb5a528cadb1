// Conversion between f32 bit patterns and integers, saturating as Rust's `as` does, in integer code.

// The magnitude of a as an integer, rounded towards zero; a must be below 2^64 and not NaN.
fn integer_part(a: u32) -> vec2<u32> {
    let m = vec2((a & 0x7fffffu) | 0x800000u, 0u);
    let e = exponent(a);
    if e < 127u {
        return vec2(0u, 0u);
    }
    if e >= 150u {
        return shl64(m, e - 150u);
    }
    return vec2(m.x >> (150u - e), 0u);
}

fn float_to_signed_words(a: u32) -> u32 {
    if is_nan(a) {
        return 0u;
    }
    let negative = (a & SIGN) != 0u;
    if exponent(a) >= 158u {
        return select(0x7fffffffu, SIGN, negative);
    }
    let size = integer_part(a).x;
    return select(size, 0u - size, negative);
}

fn float_to_unsigned_words(a: u32) -> u32 {
    if is_nan(a) || (a & SIGN) != 0u {
        return 0u;
    }
    if exponent(a) >= 159u {
        return 0xffffffffu;
    }
    return integer_part(a).x;
}

fn float_to_signed64(a: u32) -> vec2<u32> {
    if is_nan(a) {
        return vec2(0u, 0u);
    }
    let negative = (a & SIGN) != 0u;
    if exponent(a) >= 190u {
        return select(vec2(0xffffffffu, 0x7fffffffu), vec2(0u, SIGN), negative);
    }
    let size = integer_part(a);
    if negative {
        return neg64(size);
    }
    return size;
}

fn float_to_unsigned64(a: u32) -> vec2<u32> {
    if is_nan(a) || (a & SIGN) != 0u {
        return vec2(0u, 0u);
    }
    if exponent(a) >= 191u {
        return vec2(0xffffffffu, 0xffffffffu);
    }
    return integer_part(a);
}

fn unsigned64_to_float_words(a: vec2<u32>) -> u32 {
    if is_zero64(a) {
        return 0u;
    }
    return round_pack(0u, 0, a);
}

fn signed64_to_float_words(a: vec2<u32>) -> u32 {
    return unsigned64_to_float_words(abs64(a)) | (a.y & SIGN);
}

fn unsigned_to_float_words(a: u32) -> u32 {
    return unsigned64_to_float_words(vec2(a, 0u));
}

fn signed_to_float_words(a: u32) -> u32 {
    return signed64_to_float_words(vec2(a, sar(a, 31u)));
}
