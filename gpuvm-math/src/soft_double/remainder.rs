//! The remainder, which is exact.

use gpuvm_macros::routine;

use super::{INFINITY, MAGNITUDE, NAN, SIGN, pack_normalised, unpack};

/// `a % b`, with the sign of `a`.
#[routine(library)]
pub fn rem_f64(a: u64, b: u64) -> u64 {
    let sign = a & SIGN;
    let (x, y) = (a & MAGNITUDE, b & MAGNITUDE);
    if x >= INFINITY || y > INFINITY || y == 0 {
        return NAN;
    }
    if x < y {
        return a;
    }
    let ((x_exponent, x), (y_exponent, y)) = (unpack(x), unpack(y));
    let mut rest = x % y;
    let mut left = x_exponent.wrapping_sub(y_exponent) as u32;
    // As many bits of the quotient at a time as 64 bits have room for.
    while left != 0 && rest != 0 {
        let by = left.min(11);
        rest = rest.wrapping_shl(by) % y;
        left = left.wrapping_sub(by);
    }
    if rest == 0 {
        return sign;
    }
    pack_normalised(sign, y_exponent, rest << 10)
}
