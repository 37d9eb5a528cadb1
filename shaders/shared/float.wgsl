// f32 arithmetic on bit patterns, with Rust's results. Only + - * / are the device's own; a probe at start tells whether they are
// exact there. The rest is integer code, because drivers flush denormals, approximate, or leave NaN open elsewhere.

const NAN: u32 = 0x7fc00000u;
const INFINITY: u32 = 0x7f800000u;
const SIGN: u32 = 0x80000000u;

fn fadd(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}

fn fsub(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) - bitcast<f32>(b));
}

fn fmul(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}

fn fdiv(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) / bitcast<f32>(b));
}

fn is_nan(a: u32) -> bool {
    return (a & ~SIGN) > INFINITY;
}

fn fcanon(a: u32) -> u32 {
    return select(a, NAN, is_nan(a));
}

// Orders bit patterns of numbers as signed integers, both zeros alike.
fn order(a: u32) -> i32 {
    let size = bitcast<i32>(a & ~SIGN);
    return select(size, -size, (a & SIGN) != 0u);
}

fn feq(a: u32, b: u32) -> bool {
    return !is_nan(a) && !is_nan(b) && order(a) == order(b);
}

fn flt(a: u32, b: u32) -> bool {
    return !is_nan(a) && !is_nan(b) && order(a) < order(b);
}

fn fle(a: u32, b: u32) -> bool {
    return !is_nan(a) && !is_nan(b) && order(a) <= order(b);
}

fn fmin(a: u32, b: u32) -> u32 {
    return select(b, a, flt(a, b) || is_nan(b) || (a == SIGN && b == 0u));
}

fn fmax(a: u32, b: u32) -> u32 {
    return select(b, a, flt(b, a) || is_nan(b) || (a == 0u && b == SIGN));
}

fn exponent(a: u32) -> u32 {
    return (a >> 23u) & 0xffu;
}

// Bits of the fraction that lie below the binary point, for exponents of 127 to 149.
fn below_point(a: u32) -> u32 {
    return 0x7fffffu >> (exponent(a) - 127u);
}

fn ftrunc(a: u32) -> u32 {
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

fn ffloor(a: u32) -> u32 {
    return round_away(a, SIGN);
}

fn fceil(a: u32) -> u32 {
    return round_away(a, 0u);
}

fn fround(a: u32) -> u32 {
    if exponent(a) < 127u {
        return (a & SIGN) | select(0u, 0x3f800000u, exponent(a) == 126u);
    }
    if exponent(a) >= 150u {
        return a;
    }
    return (a + (below_point(a) >> 1u) + 1u) & ~below_point(a);
}

fn fround_even(a: u32) -> u32 {
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
fn fma_exact(a: u32, b: u32, c: u32) -> u32 {
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

// The device's estimate, corrected in integers: good for estimates that are wrong by some 30 units in the last place.
fn fsqrt(a: u32) -> u32 {
    if is_nan(a) || (a & ~SIGN) == 0u || a == INFINITY {
        return a;
    }
    if (a & SIGN) != 0u {
        return NAN;
    }
    // The root of m * 2^23 (m * 2^24 to make the power even) has 24 bits.
    let x = unpack(a);
    let odd = bitcast<u32>(x.y - 23) & 1u;
    let square = shl64(vec2(bitcast<u32>(x.x), 0u), 23u + odd);
    let power = (x.y - 23 - bitcast<i32>(odd)) / 2;
    let estimate = sqrt(bitcast<f32>((bitcast<u32>(x.x) & 0x7fffffu) + ((173u + odd) << 23u)));
    var root = clamp(u32(estimate), 0x800000u, 0xffffffu);
    // One Newton step, then the last unit; differences are small, so their low words say all.
    let error = bitcast<i32>(square.x - root * root);
    root = bitcast<u32>(bitcast<i32>(root) + error / bitcast<i32>(root << 1u));
    var rest = bitcast<i32>(square.x - root * root);
    if rest < 0 {
        root -= 1u;
        rest = bitcast<i32>(square.x - root * root);
    }
    if rest > bitcast<i32>(root << 1u) {
        root += 1u;
        rest = bitcast<i32>(square.x - root * root);
    }
    root += u32(rest > bitcast<i32>(root));
    return (bitcast<u32>(power + 149) << 23u) + root;
}

// a % b with the sign of a, by long division of the fractions, eight bits a step.
fn frem(a: u32, b: u32) -> u32 {
    let sign = a & SIGN;
    let x = a & ~SIGN;
    let y = b & ~SIGN;
    if x >= INFINITY || y > INFINITY || y == 0u {
        return NAN;
    }
    if x < y {
        return a;
    }
    let xe = max(exponent(x), 1u);
    let ye = max(exponent(y), 1u);
    let divisor = (y & 0x7fffffu) | select(0u, 0x800000u, y >= 0x800000u);
    var rest = ((x & 0x7fffffu) | select(0u, 0x800000u, x >= 0x800000u)) % divisor;
    var left = xe - ye;
    while left != 0u {
        let step = min(left, 8u);
        rest = (rest << step) % divisor;
        left -= step;
        inner += 1u;
    }
    if rest == 0u {
        return sign;
    }
    let shift = min(countLeadingZeros(rest) - 8u, ye - 1u);
    rest = rest << shift;
    // Without the implicit bit the exponent field is that of denormals.
    return sign | (rest + ((ye - shift - 1u) << 23u));
}

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

fn float_to_signed(a: u32) -> u32 {
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

fn float_to_unsigned(a: u32) -> u32 {
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

fn unsigned64_to_float(a: vec2<u32>) -> u32 {
    if is_zero64(a) {
        return 0u;
    }
    return round_pack(0u, 0, a);
}

fn signed64_to_float(a: vec2<u32>) -> u32 {
    return unsigned64_to_float(abs64(a)) | (a.y & SIGN);
}
