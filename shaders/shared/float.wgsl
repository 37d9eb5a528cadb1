// f32 arithmetic on bit patterns, with Rust's results. + - * / are the device's own: a probe at start tells whether they are exact there.
// The other operations have several forms, and the host says which of them the bare name means. Those with `_words` are integer code,
// right everywhere; drivers flush denormals, approximate, or leave NaN open.

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

fn feq_words(a: u32, b: u32) -> bool {
    return !is_nan(a) && !is_nan(b) && order(a) == order(b);
}

fn flt_words(a: u32, b: u32) -> bool {
    return !is_nan(a) && !is_nan(b) && order(a) < order(b);
}

fn fle_words(a: u32, b: u32) -> bool {
    return !is_nan(a) && !is_nan(b) && order(a) <= order(b);
}

fn fmin_words(a: u32, b: u32) -> u32 {
    return select(b, a, flt(a, b) || is_nan(b) || (a == SIGN && b == 0u));
}

fn fmax_words(a: u32, b: u32) -> u32 {
    return select(b, a, flt(b, a) || is_nan(b) || (a == 0u && b == SIGN));
}

fn exponent(a: u32) -> u32 {
    return (a >> 23u) & 0xffu;
}
