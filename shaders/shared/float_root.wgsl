// Square root and remainder of f32 bit patterns in integer code.

// The device's estimate, corrected in integers: good for estimates that are wrong by some 30 units in the last place.
fn fsqrt_words(a: u32) -> u32 {
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
fn frem_words(a: u32, b: u32) -> u32 {
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
