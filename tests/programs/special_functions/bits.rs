//! Doubles as they are stored.

use gpuvm::prelude::*;

const MANTISSA: u64 = (1 << 52) - 1;
const BIAS: i32 = 1023;

#[inline]
#[routine]
pub const fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - BIAS
}

/// `x` with its exponent replaced.
#[inline]
#[routine]
pub const fn with_exponent(x: f64, exponent: i32) -> f64 {
    let sign = x.is_sign_negative();
    let bits = f64::to_bits(x) & MANTISSA | ((exponent + BIAS) as u64) << 52;
    let magnitude = f64::from_bits(bits);
    if sign { magnitude.copysign(-1.0) } else { magnitude }
}

/// The sign of an exponent, for who rounds towards zero.
#[inline]
#[routine]
pub const fn direction(exponent: i32) -> i32 {
    exponent.signum()
}
