// Float operations by way of f64, where the device has it.

// 53 bits are more than twice 24 and two, so rounding twice is rounding once.
fn fsqrt_double(a: u32) -> u32 {
    return bitcast<u32>(f32(sqrt(f64(bitcast<f32>(a)))));
}

// The product is exact. The sum is rounded, and what it lost decides where it came to lie half way between two f32: those have no
// more than 25 bits, and a step of 2^-40 away from them crosses no other.
fn fma_exact_double(a: u32, b: u32, c: u32) -> u32 {
    let product = f64(bitcast<f32>(a)) * f64(bitcast<f32>(b));
    let z = f64(bitcast<f32>(c));
    let sum = product + z;
    let part = sum - product;
    let lost = (product - (sum - part)) + (z - part);
    let split = sum * 268435457.0lf;
    let short = split - (split - sum) == sum;
    let step = abs(sum) * 9.094947017729282e-13lf;
    var shifted = sum;
    if short && lost > 0.0lf {
        shifted = sum + step;
    }
    if short && lost < 0.0lf {
        shifted = sum - step;
    }
    return bitcast<u32>(f32(shifted));
}

// The device's own, unless something may be a denormal, which it may flush.
fn fma_exact_guarded(a: u32, b: u32, c: u32) -> u32 {
    let sum = fma_exact_native(a, b, c);
    let least = min(min(a << 1u, b << 1u), min(c << 1u, sum << 1u));
    if least < 0x02000000u {
        return fma_exact_double(a, b, c);
    }
    return sum;
}
