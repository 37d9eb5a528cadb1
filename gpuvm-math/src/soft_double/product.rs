//! Products and quotients.

use gpuvm_macros::routine;

use super::{INFINITY, MAGNITUDE, NAN, SIGN, pack, unpack};
use crate::wide::{div_rem_narrow, widening_mul};

/// `a * b`.
#[routine(library)]
pub fn mul_f64(a: u64, b: u64) -> u64 {
    let sign = (a ^ b) & SIGN;
    let (x, y) = (a & MAGNITUDE, b & MAGNITUDE);
    let zero = x == 0 || y == 0;
    if x >= INFINITY || y >= INFINITY {
        return if zero || x > INFINITY || y > INFINITY {
            NAN
        } else {
            sign | INFINITY
        };
    }
    if zero {
        return sign;
    }
    let ((x_exponent, x), (y_exponent, y)) = (unpack(x), unpack(y));
    let product = widening_mul(x << 11, y << 10);
    let mut significand = (product >> 64) as u64 | (product as u64 != 0) as u64;
    let mut exponent = x_exponent.wrapping_add(y_exponent).wrapping_sub(1022);
    if significand >> 62 == 0 {
        significand <<= 1;
        exponent = exponent.wrapping_sub(1);
    }
    pack(sign, exponent, significand)
}

/// `a / b`.
#[routine(library)]
pub fn div_f64(a: u64, b: u64) -> u64 {
    let sign = (a ^ b) & SIGN;
    let (x, y) = (a & MAGNITUDE, b & MAGNITUDE);
    if x >= INFINITY || y >= INFINITY {
        return if x > INFINITY || y > INFINITY || x == y {
            NAN
        } else if x == INFINITY {
            sign | INFINITY
        } else {
            sign
        };
    }
    if y == 0 {
        return if x == 0 { NAN } else { sign | INFINITY };
    }
    if x == 0 {
        return sign;
    }
    let ((x_exponent, x), (y_exponent, y)) = (unpack(x), unpack(y));
    let (quotient, rest) = div_rem_narrow(x << 10, 0, y << 11);
    let mut significand = quotient | (rest != 0) as u64;
    let mut exponent = x_exponent.wrapping_sub(y_exponent).wrapping_add(1022);
    if significand >> 63 != 0 {
        significand = significand >> 1 | significand & 1;
        exponent = exponent.wrapping_add(1);
    }
    pack(sign, exponent, significand)
}
