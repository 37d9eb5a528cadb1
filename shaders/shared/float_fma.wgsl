// Fused multiply-add of f32 bit patterns in integer code, and the rounding that it shares with conversions.

// A finite number but zero as `x * 2^y`, x with its top bit at 23.
fn unpack(a: u32) -> vec2<i32> {
    let fraction = a & 0x7fffffu;
    let e = exponent(a);
    if e != 0u {
        return vec2(bitcast<i32>(fraction | 0x800000u), bitcast<i32>(e) - 150);
    }
    let shift = countLeadingZeros(fraction) - 8u;
    return vec2(bitcast<i32>(fraction << shift), -149 - bitcast<i32>(shift));
}

// The f32 nearest to `value * 2^power`, halves to even. `value` is not 0, and its lowest bit may stand for any smaller ones.
fn round_pack(sign: u32, power: i32, value: vec2<u32>) -> u32 {
    let shift = leading_zeros64(value);
    var m = shl64(value, shift);
    let biased = power - bitcast<i32>(shift) + 190;
    if biased >= 255 {
        return sign | INFINITY;
    }
    var base = 0u;
    if biased > 0 {
        base = bitcast<u32>(biased - 1) << 23u;
    } else {
        m = shr64_sticky(m, min(bitcast<u32>(1 - biased), 64u));
    }
    let kept = m.y >> 8u;
    let rest = m.y & 0xffu;
    let up = rest > 0x80u || (rest == 0x80u && (m.x != 0u || (kept & 1u) != 0u));
    // A carry out of the fraction moves the exponent on, up to infinity.
    return sign | (base + kept + u32(up));
}

// a * b + c, rounded once.
fn fma_exact_words(a: u32, b: u32, c: u32) -> u32 {
    let sign = (a ^ b) & SIGN;
    if is_nan(a) || is_nan(b) || is_nan(c) {
        return NAN;
    }
    let zero = (a & ~SIGN) == 0u || (b & ~SIGN) == 0u;
    if exponent(a) == 255u || exponent(b) == 255u {
        let opposite = exponent(c) == 255u && (c & SIGN) != sign;
        return select(sign | INFINITY, NAN, zero || opposite);
    }
    if exponent(c) == 255u {
        return c;
    }
    if zero {
        return select(c, sign & c, (c & ~SIGN) == 0u);
    }
    let x = unpack(a);
    let y = unpack(b);
    // Both top bits go to 61: the sum fits, and the bits that alignment shifts out are far below the result's.
    let product = shl64(mul_wide(bitcast<u32>(x.x), bitcast<u32>(y.x)), 14u);
    let product_power = x.y + y.y - 14;
    if (c & ~SIGN) == 0u {
        return round_pack(sign, product_power, product);
    }
    let z = unpack(c);
    let shift = 1u - ((product.y >> 29u) & 1u);
    var large = shl64(product, shift);
    var large_power = product_power - bitcast<i32>(shift);
    var large_sign = sign;
    var small = shl64(vec2(bitcast<u32>(z.x), 0u), 38u);
    var small_power = z.y - 38;
    if small_power > large_power || (small_power == large_power && less64(large, small)) {
        let value = large;
        large = small;
        small = value;
        let power = large_power;
        large_power = small_power;
        small_power = power;
        large_sign = c & SIGN;
    }
    small = shr64_sticky(small, min(bitcast<u32>(large_power - small_power), 64u));
    if sign == (c & SIGN) {
        return round_pack(large_sign, large_power, add64(large, small));
    }
    let difference = sub64(large, small);
    if is_zero64(difference) {
        return 0u;
    }
    return round_pack(large_sign, large_power, difference);
}
