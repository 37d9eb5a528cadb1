// Rounding of f32 bit patterns to integers, in integer code: drivers lose signs of zeros.

// Bits of the fraction that lie below the binary point, for exponents of 127 to 149.
fn below_point(a: u32) -> u32 {
    return 0x7fffffu >> (exponent(a) - 127u);
}

fn ftrunc_words(a: u32) -> u32 {
    if exponent(a) < 127u {
        return a & SIGN;
    }
    if exponent(a) >= 150u {
        return a;
    }
    return a & ~below_point(a);
}

// Rounds numbers of the given sign away from zero, others towards it.
fn round_away(a: u32, sign: u32) -> u32 {
    if (a & SIGN) != sign || (a & ~SIGN) == 0u {
        return ftrunc(a);
    }
    if exponent(a) < 127u {
        return sign | 0x3f800000u;
    }
    if exponent(a) >= 150u {
        return a;
    }
    return (a + below_point(a)) & ~below_point(a);
}

fn ffloor_words(a: u32) -> u32 {
    return round_away(a, SIGN);
}

fn fceil_words(a: u32) -> u32 {
    return round_away(a, 0u);
}

fn fround_words(a: u32) -> u32 {
    if exponent(a) < 127u {
        return (a & SIGN) | select(0u, 0x3f800000u, exponent(a) == 126u);
    }
    if exponent(a) >= 150u {
        return a;
    }
    return (a + (below_point(a) >> 1u) + 1u) & ~below_point(a);
}

fn fround_even_words(a: u32) -> u32 {
    if exponent(a) < 127u {
        return (a & SIGN) | select(0u, 0x3f800000u, (a & ~SIGN) > 0x3f000000u);
    }
    if exponent(a) >= 150u {
        return a;
    }
    // For 1.x the bit above the point is the exponent's lowest, which is 1 as well.
    let odd = (a >> (150u - exponent(a))) & 1u;
    return (a + (below_point(a) >> 1u) + odd) & ~below_point(a);
}
