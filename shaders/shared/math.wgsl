// The device's own functions for relaxed programs: their last bits are the device's affair, their domains are Rust's.

fn fmath(function: u32, a: u32, b: u32) -> u32 {
    let x = bitcast<f32>(a);
    let y = bitcast<f32>(b);
    var r = 0.0;
    switch function {
        case MATH_SIN: { r = sin(x); }
        case MATH_COS: { r = cos(x); }
        case MATH_TAN: { r = tan(x); }
        case MATH_ASIN: { r = asin(x); }
        case MATH_ACOS: { r = acos(x); }
        case MATH_ATAN: { r = atan(x); }
        case MATH_ATAN2: { r = angle(x, y); }
        case MATH_SINH: { r = sinh(x); }
        case MATH_COSH: { r = cosh(x); }
        // Its exponentials overflow where the function has long been 1.
        case MATH_TANH: { r = tanh(clamp(x, -16.0, 16.0)); }
        case MATH_EXP: { r = exp(x); }
        case MATH_EXP2: { r = exp2(x); }
        case MATH_LN: { r = log(x); }
        case MATH_LOG2: { r = log2(x); }
        case MATH_LOG10: { r = log2(x) * 0.30103; }
        case MATH_POWF: { r = power(x, y); }
        default: {}
    }
    return bitcast<u32>(r);
}

// The device's has no answer for the origin.
fn angle(y: f32, x: f32) -> f32 {
    if y == 0.0 {
        let size = select(0u, 0x40490fdbu, bitcast<u32>(x) >= SIGN);
        return bitcast<f32>(size | (bitcast<u32>(y) & SIGN));
    }
    return atan2(y, x);
}

// The device's power is for positive bases only.
fn power(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    let size = exp2(y * log2(abs(x)));
    let whole = floor(y) == y;
    let odd = whole && floor(y * 0.5) * 2.0 != y;
    if bitcast<u32>(x) >= SIGN && x != 0.0 && !whole {
        // Not a constant, which WGSL would refuse for a NaN.
        return bitcast<f32>(NAN | bitcast<u32>(x));
    }
    return select(size, -size, odd && bitcast<u32>(x) >= SIGN);
}
