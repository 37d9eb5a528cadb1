//! Hyperbolic functions and their inverses: in fixed point a series near 0, and elsewhere the exponential and its reciprocal; the inverses
//! by the logarithm of a sum of two `f64`.

use gpuvm_macros::routine;

use super::exponential::{HIGH_LARGE, exp2_parts, packed, sinh_series, times_log2_e};
use super::fixed_point::scaled;
use super::logarithm::{ln_1p_of_sum, ln_twice};
use super::{HIGH_HALF, HIGH_INFINITY, HIGH_ONE, fast_two_sum, high_word};
use crate::wide::div_rem_narrow;

/// The high word of 2^-28: below, what follows `x` in a series is below a quarter of an ulp; returning `x` keeps the sign of zero, too.
const HIGH_TINY: u32 = 0x3e30_0000;
/// The high word of 2^28: from there on 1 is below a quarter of an ulp of the square.
const HIGH_SQUARE: u32 = 0x41b0_0000;

/// Hyperbolic sine.
///
/// Within 2 ulp (0.51 found). `sinh(±0)` is `±0`, `sinh(±inf)` is `±inf`.
///
/// A polynomial below 1; from there on `e^x / 2 - e^-x / 2`.
#[routine(library)]
pub fn sinh_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size < HIGH_TINY {
        return x;
    }
    let negative = x.is_sign_negative();
    if size < HIGH_ONE {
        let (value, zeros) = sinh_series(x);
        return scaled(value, zeros.wrapping_add(63), negative);
    }
    if size >= HIGH_LARGE {
        return if x.is_nan() {
            f64::NAN
        } else {
            f64::INFINITY.copysign(x)
        };
    }
    let (k, power, inverse) = both_powers(x);
    packed(power.wrapping_sub(inverse), k, negative)
}

/// Hyperbolic cosine.
///
/// Within 2 ulp (0.51 found). `cosh(±inf)` is `+inf`.
///
/// `e^|x| / 2 + e^-|x| / 2`.
#[routine(library)]
pub fn cosh_f64(x: f64) -> f64 {
    if high_word(x) >= HIGH_LARGE {
        return if x.is_nan() { f64::NAN } else { f64::INFINITY };
    }
    let (k, power, inverse) = both_powers(x);
    packed(power.wrapping_add(inverse), k, false)
}

/// Hyperbolic tangent.
///
/// Within 2 ulp (0.51 found). `tanh(±0)` is `±0`, `tanh(±inf)` is `±1`.
///
/// The quotient of the hyperbolic sine and cosine.
#[routine(library)]
pub fn tanh_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size < HIGH_TINY {
        return x;
    }
    // From 20 on 1 is the nearest.
    if size >= 0x4034_0000 {
        return if x.is_nan() { f64::NAN } else { 1.0f64.copysign(x) };
    }
    let (k, power, inverse) = both_powers(x);
    // What is divided has to be less than what it is divided by.
    let (above, by) = if size < HIGH_ONE {
        let (value, zeros) = sinh_series(x);
        (value >> 2, zeros.wrapping_add(62).wrapping_add(k as u32))
    } else {
        (power.wrapping_sub(inverse) >> 1, 63)
    };
    let (quotient, _) = div_rem_narrow(above, 0, power.wrapping_add(inverse));
    scaled(quotient, by, x.is_sign_negative())
}

/// `k`, and `e^|x|` and `e^-|x|` in units of 2^(k - 62), the first bit of the former at bit 62, for `|x| < 2^11`.
#[routine(library)]
fn both_powers(x: f64) -> (i32, u64, u64) {
    let (k, power) = exp2_parts(times_log2_e(x.abs()));
    let by = (k as u32).wrapping_mul(2).wrapping_add(1);
    let inverse = if by > 63 {
        0
    } else {
        let (quotient, _) = div_rem_narrow(1 << 61, 0, power);
        quotient.wrapping_shr(by)
    };
    (k, power, inverse)
}

/// Inverse hyperbolic sine.
///
/// Within 2 ulp (0.89 found). `asinh(±0)` is `±0`, `asinh(±inf)` is `±inf`.
///
/// `ln(1 + x + x^2 / (1 + sqrt(x^2 + 1)))`, as FDLIBM's `s_asinh.c`, the sum as head and tail.
#[routine(library)]
pub fn asinh_f64(x: f64) -> f64 {
    let size = high_word(x);
    if !(HIGH_TINY..HIGH_INFINITY).contains(&size) {
        return x;
    }
    let a = x.abs();
    if size >= HIGH_SQUARE {
        return ln_twice(a).copysign(x);
    }
    let z = a * a;
    let (head, tail) = fast_two_sum(a, z / (1.0 + (z + 1.0).sqrt()));
    ln_1p_of_sum(head, tail).copysign(x)
}

/// Inverse hyperbolic cosine.
///
/// Within 2 ulp (1.23 found). NaN below 1, `acosh(1)` is `+0`.
///
/// `ln(1 + t + sqrt(2 t + t^2))` with `t = x - 1`, as FDLIBM's `e_acosh.c`, the sum as head and tail.
#[routine(library)]
pub fn acosh_f64(x: f64) -> f64 {
    if x.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    let size = high_word(x);
    if size >= HIGH_INFINITY {
        return x;
    }
    if size >= HIGH_SQUARE {
        return ln_twice(x);
    }
    // Exact near 1, where it matters.
    let t = x - 1.0;
    let (head, tail) = fast_two_sum((t + t + t * t).sqrt(), t);
    ln_1p_of_sum(head, tail)
}

/// Inverse hyperbolic tangent.
///
/// Within 2 ulp (1.08 found). NaN outside [-1, 1], `atanh(±1)` is `±inf`, `atanh(±0)` is `±0`.
///
/// `ln(1 + 2 x / (1 - x)) / 2`, below 1/2 with `2 x + 2 x^2 / (1 - x)` as head and tail, as FDLIBM's `e_atanh.c`.
#[routine(library)]
pub fn atanh_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size < HIGH_TINY {
        return x;
    }
    let a = x.abs();
    if size >= HIGH_ONE {
        return if a == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let twice = a + a;
    // The difference is exact where it is small.
    let rest = 1.0 - a;
    let (head, tail) = if size < HIGH_HALF {
        fast_two_sum(twice, twice * a / rest)
    } else {
        (twice / rest, 0.0)
    };
    (0.5 * ln_1p_of_sum(head, tail)).copysign(x)
}
