//! The square root.

use gpuvm_macros::routine;

use super::{INFINITY, MAGNITUDE, NAN, SIGN, pack, unpack};

/// The square root of `a`; NaN below zero.
#[routine(library)]
pub fn sqrt_f64(a: u64) -> u64 {
    let x = a & MAGNITUDE;
    if x == 0 || a == INFINITY {
        return a;
    }
    if x > INFINITY || a & SIGN != 0 {
        return NAN;
    }
    let (exponent, significand) = unpack(x);
    // The number is a square of 2 times one of one or two bits before the point, whose root is found digit by digit.
    let unbiased = exponent.wrapping_sub(1023);
    let mut rest = significand.wrapping_shl((unbiased & 1) as u32) << 1;
    let mut root = 0u64;
    let mut taken = 0u64;
    let mut digit = 1u64 << 53;
    while digit != 0 {
        let trial = taken.wrapping_add(digit);
        if trial <= rest {
            taken = trial.wrapping_add(digit);
            rest = rest.wrapping_sub(trial);
            root = root.wrapping_add(digit);
        }
        rest <<= 1;
        digit >>= 1;
    }
    pack(0, (unbiased >> 1).wrapping_add(1023), root << 9 | (rest != 0) as u64)
}
