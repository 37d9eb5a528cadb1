//! Hyperbolic functions and their inverses: short series near 0, elsewhere the exponential or the logarithm with its tail.

use gpuvm_macros::routine;

use super::exponential::{exp_parts, power_of_two, scale};
use super::logarithm::{ln_1p_of_sum, ln_twice};
use super::{HIGH_HALF, HIGH_INFINITY, HIGH_ONE, fast_two_sum, high_word};

/// The high word of 22: from there on `e^-x` is below a quarter of an ulp of `e^x`.
const HIGH_LARGE: u32 = 0x4036_0000;
/// The high word of 2^-28: below, what follows `x` in a series is below a quarter of an ulp; returning `x` keeps the sign of zero, too.
const HIGH_TINY: u32 = 0x3e30_0000;
/// The high word of 2^28: from there on 1 is below a quarter of an ulp of the square.
const HIGH_SQUARE: u32 = 0x41b0_0000;
/// From here on `e^x / 2` is infinite.
const OVERFLOW: f64 = 710.4758600739439;

/// (sinh x - x) / x^3 in x^2 on [0, 1]; 2^-63 is left.
const SINH_1: f64 = 0.16666666666666669;
const SINH_2: f64 = 0.008333333333333148;
const SINH_3: f64 = 0.0001984126984143199;
const SINH_4: f64 = 2.7557319157041397e-6;
const SINH_5: f64 = 2.5052123140899836e-8;
const SINH_6: f64 = 1.6057259481805154e-10;
const SINH_7: f64 = 7.758756611643694e-13;

/// Hyperbolic sine.
///
/// Within 2 ulp (0.78 found). `sinh(±0)` is `±0`, `sinh(±inf)` is `±inf`.
///
/// A polynomial below 1; from there on `e^x / 2 - e^-x / 2`.
#[routine(library)]
pub fn sinh_f64(x: f64) -> f64 {
    if high_word(x) < HIGH_ONE {
        let z = x * x;
        let upper = SINH_4 + z * (SINH_5 + z * (SINH_6 + z * SINH_7));
        return x + x * z * (SINH_1 + z * (SINH_2 + z * (SINH_3 + z * upper)));
    }
    grown(x.abs(), -0.25).copysign(x)
}

/// Hyperbolic cosine.
///
/// Within 2 ulp (0.78 found). `cosh(±inf)` is `+inf`.
///
/// `e^|x| / 2 + e^-|x| / 2`.
#[routine(library)]
pub fn cosh_f64(x: f64) -> f64 {
    grown(x.abs(), 0.25)
}

/// `e^a / 2 + 2 quarter / e^a`, where `quarter` is 1/4 or -1/4.
#[routine(library)]
fn grown(a: f64, quarter: f64) -> f64 {
    let size = high_word(a);
    // From 708.39 on, as in the exponential.
    if size >= 0x4086_232b {
        if a.is_nan() {
            return f64::NAN;
        }
        if a > OVERFLOW {
            return f64::INFINITY;
        }
    }
    let (k, head, tail) = exp_parts(a);
    if size >= HIGH_LARGE {
        return scale(head + tail, k.wrapping_sub(1));
    }
    let half_power = power_of_two(k.wrapping_sub(1));
    let grown = head * half_power;
    let grown_tail = tail * half_power;
    let (sum, error) = fast_two_sum(grown, quarter / (grown + grown_tail));
    sum + (error + grown_tail)
}

/// (tanh x - x) / x^3 as a quotient of polynomials in x^2 on [0, 0.4], Cephes's.
const TANH_1: f64 = -0.9643991794250523;
const TANH_2: f64 = -99.28772310019185;
const TANH_3: f64 = -1614.6876844170845;
const TANH_BELOW_2: f64 = 112.81167849163293;
const TANH_BELOW_3: f64 = 2235.4883906010045;
const TANH_BELOW_4: f64 = 4844.063053251255;

/// Hyperbolic tangent.
///
/// Within 2 ulp (1.30 found). `tanh(±0)` is `±0`, `tanh(±inf)` is `±1`.
///
/// A quotient of polynomials below 5/8 (Moshier's Cephes); from there on `1 - 2 / (e^2x + 1)`.
#[routine(library)]
pub fn tanh_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size < HIGH_TINY {
        return x;
    }
    if size < 0x3fe4_0000 {
        let z = x * x;
        let above = TANH_3 + z * (TANH_2 + z * TANH_1);
        let below = TANH_BELOW_4 + z * (TANH_BELOW_3 + z * (TANH_BELOW_2 + z));
        return x + x * (z * above / below);
    }
    // From 20 on 1 is the nearest.
    if size >= 0x4034_0000 {
        return if x.is_nan() { f64::NAN } else { 1.0f64.copysign(x) };
    }
    let a = x.abs();
    let (k, head, tail) = exp_parts(a + a);
    let square = (head + tail) * power_of_two(k);
    (1.0 - 2.0 / (square + 1.0)).copysign(x)
}

/// Inverse hyperbolic sine.
///
/// Within 2 ulp (1.11 found). `asinh(±0)` is `±0`, `asinh(±inf)` is `±inf`.
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
/// Within 2 ulp (1.55 found). NaN below 1, `acosh(1)` is `+0`.
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
/// Within 2 ulp (1.16 found). NaN outside [-1, 1], `atanh(±1)` is `±inf`, `atanh(±0)` is `±0`.
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
