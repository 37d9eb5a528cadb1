// The device's own forms of float operations. A probe at start tells which of them give Rust's bits on the device at hand; where one
// does not, the form in integer words stands for it.

fn feq_native(a: u32, b: u32) -> bool {
    return bitcast<f32>(a) == bitcast<f32>(b);
}

fn flt_native(a: u32, b: u32) -> bool {
    return bitcast<f32>(a) < bitcast<f32>(b);
}

fn fle_native(a: u32, b: u32) -> bool {
    return bitcast<f32>(a) <= bitcast<f32>(b);
}

fn fmin_native(a: u32, b: u32) -> u32 {
    return bitcast<u32>(min(bitcast<f32>(a), bitcast<f32>(b)));
}

fn fmax_native(a: u32, b: u32) -> u32 {
    return bitcast<u32>(max(bitcast<f32>(a), bitcast<f32>(b)));
}

// Compared as numbers, selected as words.
fn fmin_compared(a: u32, b: u32) -> u32 {
    return select(b, a, bitcast<f32>(a) < bitcast<f32>(b) || is_nan(b) || (a == SIGN && b == 0u));
}

fn fmax_compared(a: u32, b: u32) -> u32 {
    return select(b, a, bitcast<f32>(b) < bitcast<f32>(a) || is_nan(b) || (a == 0u && b == SIGN));
}

fn ffloor_native(a: u32) -> u32 {
    return bitcast<u32>(floor(bitcast<f32>(a)));
}

fn fceil_native(a: u32) -> u32 {
    return bitcast<u32>(ceil(bitcast<f32>(a)));
}

fn ftrunc_native(a: u32) -> u32 {
    return bitcast<u32>(trunc(bitcast<f32>(a)));
}

fn fround_even_native(a: u32) -> u32 {
    return bitcast<u32>(round(bitcast<f32>(a)));
}

// What truncation takes away is exact, and so is one more.
fn fround_native(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    let whole = trunc(x);
    let more = select(0u, 0x3f800000u, abs(x - whole) >= 0.5) | (a & SIGN);
    return bitcast<u32>(whole + bitcast<f32>(more));
}

// The quotient is wrong by one at most while it has no more than 24 bits, and what is left of a product with it is a number of the
// divisor's grid: exact.
fn frem_divided(a: u32, b: u32) -> u32 {
    let x = a & ~SIGN;
    let y = b & ~SIGN;
    if x >= INFINITY || y > INFINITY || y == 0u {
        return NAN;
    }
    if x < y {
        return a;
    }
    let divisor = bitcast<f32>(y);
    let quotient = trunc(bitcast<f32>(x) / divisor);
    if !(quotient < 8388608.0) {
        return frem_words(a, b);
    }
    let rest = fused(-quotient, divisor, bitcast<f32>(x));
    return bitcast<u32>(select(rest, rest + divisor, rest < 0.0)) | (a & SIGN);
}

fn fma_exact_native(a: u32, b: u32, c: u32) -> u32 {
    return bitcast<u32>(fma(bitcast<f32>(a), bitcast<f32>(b), bitcast<f32>(c)));
}

fn fsqrt_native(a: u32) -> u32 {
    return bitcast<u32>(sqrt(bitcast<f32>(a)));
}

fn fused(x: f32, y: f32, z: f32) -> f32 {
    return bitcast<f32>(fma_exact(bitcast<u32>(x), bitcast<u32>(y), bitcast<u32>(z)));
}

// What the last bit of a number stands for, unless it is tiny.
fn unit(a: u32) -> f32 {
    return bitcast<f32>((a & INFINITY) - (23u << 23u));
}

// The device's estimate, corrected by what a fused multiply-add says of its square. Far from the ends of the range, so that
// every product of the correction is a normal number.
fn fsqrt_fused(a: u32) -> u32 {
    if is_nan(a) || (a & ~SIGN) == 0u || a == INFINITY {
        return a;
    }
    if (a & SIGN) != 0u {
        return NAN;
    }
    let small = a < 0x20000000u;
    let x = bitcast<f32>(a) * select(1.0, 0x1p64, small);
    let estimate = sqrt(x);
    let root = fused(fused(-estimate, estimate, x), 0.5 / estimate, estimate);
    // Now it is the nearest number or one beside it. The square of half way to the next differs from the root's by the root times what the
    // next differs by.
    let above = unit(bitcast<u32>(root));
    let below = unit(bitcast<u32>(root) - 1u);
    let rest = fused(-root, root, x);
    let nearest = root + select(select(0.0, -below, rest <= -root * below), above, rest > root * above);
    return bitcast<u32>(nearest * select(1.0, 0x1p-32, small));
}

// The device's estimate of 1 / sqrt(x), corrected once; `fma` may flush denormals, so x is kept away from them. What the estimate has to be
// like for this cannot be said in advance: all numbers of two binades are tried.
fn root_from_inverse(x: f32, inverse: f32, scale: f32) -> f32 {
    let estimate = x * inverse;
    return fma(fma(-estimate, estimate, x), 0.5 * inverse * scale, estimate * scale);
}

fn fsqrt_estimated(a: u32) -> u32 {
    let small = a < 0x0d000000u;
    let x = bitcast<f32>(a) * select(1.0, 0x1p64, small);
    let root = root_from_inverse(x, inverseSqrt(x), select(1.0, 0x1p-32, small));
    return select(bitcast<u32>(root), select(a, NAN, a > SIGN), a - 1u >= INFINITY - 1u);
}

// The same of a number that is not below 2^-101, or NaN.
fn fsqrt_estimated_normal(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    return select(bitcast<u32>(root_from_inverse(x, inverseSqrt(x), 1.0)), a, a >= INFINITY);
}

// 1.0 / sqrt(x), both rounded, from one estimate.
fn inverse_of_root(x: f32, inverse: f32, scale: f32) -> u32 {
    let root = root_from_inverse(x, inverse, 1.0);
    let error = fma(-root, inverse, 1.0);
    let scaled = inverse * scale;
    let nearest = fma(scaled, fma(error, error, error), scaled);
    // A root that is all ones has its inverse just above half way between a power of two and the next number.
    return bitcast<u32>(nearest) + u32((bitcast<u32>(x) & 0xfffffeu) == 0x7ffffeu);
}

fn finverse_sqrt_estimated(a: u32) -> u32 {
    let small = a < 0x0d000000u;
    let x = bitcast<f32>(a) * select(1.0, 0x1p64, small);
    let inverse = inverseSqrt(x);
    let nearest = inverse_of_root(x, inverse, select(1.0, 0x1p32, small));
    return select(nearest, select(bitcast<u32>(inverse), NAN, a > SIGN), a - 1u >= INFINITY - 1u);
}

// The same of a number that is not below 2^-101, or NaN.
fn finverse_sqrt_estimated_normal(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    let inverse = inverseSqrt(x);
    return select(inverse_of_root(x, inverse, 1.0), bitcast<u32>(inverse), a >= INFINITY);
}

// The conversion as it comes, which many devices do as Rust does.
fn float_to_signed_hardware(a: u32) -> u32 {
    return bitcast<u32>(i32(bitcast<f32>(a)));
}

fn float_to_unsigned_hardware(a: u32) -> u32 {
    return u32(bitcast<f32>(a));
}

// The device clamps to a range that f32 can say, so the ends of the integers' are set apart.
fn float_to_signed_native(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    let inside = bitcast<u32>(i32(clamp(x, -2147483648.0, 2147483520.0)));
    return select(select(inside, 0x7fffffffu, x >= 2147483648.0), 0u, is_nan(a));
}

fn float_to_unsigned_native(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    let inside = u32(clamp(x, 0.0, 4294967040.0));
    return select(select(inside, 0xffffffffu, x >= 4294967296.0), 0u, is_nan(a));
}

fn signed_to_float_native(a: u32) -> u32 {
    return bitcast<u32>(f32(bitcast<i32>(a)));
}

fn unsigned_to_float_native(a: u32) -> u32 {
    return bitcast<u32>(f32(a));
}
