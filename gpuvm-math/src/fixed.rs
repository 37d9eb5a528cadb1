//! Methods of `f32` whose handling of NaN or of the sign of zero std leaves open, with one fixed meaning each, as functions.

/// The smaller one; a number rather than NaN; -0.0 rather than 0.0.
pub fn min(a: f32, b: f32) -> f32 {
    if a < b || b.is_nan() || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

/// The larger one; a number rather than NaN; 0.0 rather than -0.0.
pub fn max(a: f32, b: f32) -> f32 {
    if a > b || b.is_nan() || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    }
}

/// `x` between `min` and `max`; NaN stays NaN.
///
/// # Panics
///
/// If `min > max`, or one of them is NaN.
#[track_caller]
pub fn clamp(x: f32, min: f32, max: f32) -> f32 {
    assert!(min <= max, "min > max, or either was NaN. min = {min:?}, max = {max:?}");
    let raised = if x < min { min } else { x };
    if raised > max { max } else { raised }
}

/// The bits, with the one NaN `0x7fc00000` for all of them.
pub fn to_bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// The number with these bits.
pub fn from_bits(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// Whether the sign is set; no NaN has one.
pub fn is_sign_negative(x: f32) -> bool {
    to_bits(x) >> 31 == 1
}

/// Whether the sign is clear, as every NaN's is.
pub fn is_sign_positive(x: f32) -> bool {
    !is_sign_negative(x)
}

/// The magnitude of `x` with the sign of `sign`; a NaN's sign counts as clear.
pub fn copysign(x: f32, sign: f32) -> f32 {
    f32::from_bits((x.to_bits() & 0x7fff_ffff) | (to_bits(sign) & 0x8000_0000))
}

/// 1.0 with the sign of `x`, or NaN.
pub fn signum(x: f32) -> f32 {
    if x.is_nan() { x } else { copysign(1.0, x) }
}
