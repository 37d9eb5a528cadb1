//! Powers and roots: a logarithm and an exponential in fixed point with enough guard bits between them, Halley's iteration for the
//! cube root, and a scaled sum of squares.

use gpuvm_macros::routine;

use super::exponential::{HALF_LOG2_E, HALF_LOG2_E_TAIL, exp2_of_fixed};
use super::fixed_point::{leading, times, widening};
use super::logarithm::{ONE, significand};
use super::{HIGH_INFINITY, high_word};
use crate::wide::{div_rem_narrow, shl_u128, shr_u128};

/// All bits but the sign, and those of infinity.
const MAGNITUDE: u64 = u64::MAX >> 1;
const INFINITY: u64 = (HIGH_INFINITY as u64) << 32;
const TWO_54: f64 = 18014398509481984.0;

/// `x` to the power of `y`.
///
/// Within 2 ulp (0.52 found). As C99 has it: `powf(x, ±0)` and `powf(1, y)` are 1 also for NaN; a negative `x` to a power
/// that is no integer is NaN; to an odd power it keeps its sign, zero and infinity too; `powf(-1, ±inf)` is 1.
///
/// `2^(y log2 |x|)`, the logarithm and the product in fixed point, of 128 bits.
#[routine(library)]
pub fn powf_f64(x: f64, y: f64) -> f64 {
    let (x_bits, y_bits) = (x.to_bits(), y.to_bits());
    let (a, b) = (x_bits & MAGNITUDE, y_bits & MAGNITUDE);
    if b == 0 || x_bits == ONE {
        return 1.0;
    }
    if a > INFINITY || b > INFINITY {
        return f64::NAN;
    }
    let y_is_negative = y_bits > MAGNITUDE;
    let whole = if x_bits > MAGNITUDE { wholeness(y) } else { EVEN };
    let result = if a == 0 || a == INFINITY {
        pow_extreme(a == 0, y_is_negative)
    } else if b == INFINITY {
        if a == ONE {
            1.0
        } else {
            pow_extreme(a < ONE, y_is_negative)
        }
    } else if whole == BROKEN {
        f64::NAN
    } else {
        pow_positive(x.abs(), y)
    };
    if whole == ODD { -result } else { result }
}

/// `x` to the power of an integer.
///
/// Within 2 ulp (0.52 found), for every `n`: unlike a chain of multiplications, the error does not grow with `n`.
/// `powi(x, 0)` is 1 also for NaN.
///
/// [`powf_f64()`], as an `f64` holds every `i32`, but for the square, which is asked for most.
#[routine(library)]
pub fn powi_f64(x: f64, n: i32) -> f64 {
    if n == 2 { x * x } else { powf_f64(x, n as f64) }
}

/// What kind of a number an exponent is.
const EVEN: u32 = 0;
const ODD: u32 = 1;
const BROKEN: u32 = 2;

/// [`EVEN`], [`ODD`], or [`BROKEN`] for what is no integer; infinities are even.
#[routine(library)]
fn wholeness(y: f64) -> u32 {
    let bits = y.to_bits();
    let exponent = (bits >> 52) as u32 & 0x7ff;
    // From 2^53 on.
    if exponent > 1075 {
        return EVEN;
    }
    if exponent < 1023 {
        return BROKEN;
    }
    // How many bits of the significand are behind the point.
    let place = 1075u32.wrapping_sub(exponent);
    let significand = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    let whole = significand.wrapping_shr(place);
    if whole.wrapping_shl(place) != significand {
        return BROKEN;
    }
    whole as u32 & 1
}

/// High words of (2^10 / 3 - 0.03306235651) * 2^20, which makes a third of the bits the nearest cube root on average; for
/// subnormal numbers, scaled by 2^54, 18 * 2^20 less.
const THIRD_OF_BIAS: u32 = 715094163;
const SCALED_THIRD_OF_BIAS: u32 = 696219795;

/// r^(-1/3) for r = t^3 / x near 1, so that t times this is right to 23 bits (FreeBSD's).
const CBRT_0: f64 = 1.87595182427177;
const CBRT_1: f64 = -1.8849797954337717;
const CBRT_2: f64 = 1.6214297201053545;
const CBRT_3: f64 = -0.758397934778766;
const CBRT_4: f64 = 0.14599619288661245;

/// Cube root.
///
/// Within 2 ulp (0.67 found). `cbrt(±0)` is `±0`, `cbrt(±inf)` is `±inf`.
///
/// Kahan's start from a third of the bits, a polynomial, and Halley's iteration from a value of 23 bits, whose
/// square is exact (FreeBSD's `s_cbrt.c`).
#[routine(library)]
pub fn cbrt_f64(x: f64) -> f64 {
    let size = high_word(x);
    let a = x.abs();
    let start = if size >= HIGH_INFINITY {
        return x;
    } else if size < 0x0010_0000 {
        if a == 0.0 {
            return x;
        }
        (high_word(a * TWO_54) / 3).wrapping_add(SCALED_THIRD_OF_BIAS)
    } else {
        (size / 3).wrapping_add(THIRD_OF_BIAS)
    };
    // Right to 5 bits.
    let t = f64::from_bits((start as u64) << 32);
    let r = (t * t) * (t / a);
    let t = t * (CBRT_0 + r * (CBRT_1 + r * (CBRT_2 + r * (CBRT_3 + r * CBRT_4))));
    let t = f64::from_bits(t.to_bits().wrapping_add(0x8000_0000) & 0xffff_ffff_c000_0000);
    let quotient = a / (t * t);
    (t + t * ((quotient - t) / (t + t + quotient))).copysign(x)
}

/// 2^-600 and 2^600.
const SCALE_DOWN: f64 = 2.409919865102884e-181;
const SCALE_UP: f64 = 4.149515568880993e180;

/// `sqrt(x^2 + y^2)` without overflow or underflow on the way.
///
/// Within 2 ulp (1.12 found). `+inf` if either is infinite, even if the other is NaN.
///
/// The sum of squares, scaled by a power of two where a square would leave the range.
#[routine(library)]
pub fn hypot_f64(x: f64, y: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let (x_size, y_size) = (high_word(x), high_word(y));
    let larger = x_size.max(y_size);
    if larger >= HIGH_INFINITY {
        return if ax == f64::INFINITY || ay == f64::INFINITY {
            f64::INFINITY
        } else {
            f64::NAN
        };
    }
    // From 2^511 on, and below 2^-450.
    let large = larger >= 0x5fe0_0000;
    let scaled = large || larger < 0x23d0_0000;
    let (scale, unscale) = if large {
        (SCALE_DOWN, SCALE_UP)
    } else {
        (SCALE_UP, SCALE_DOWN)
    };
    let (mut sx, mut sy) = (ax, ay);
    if scaled {
        (sx, sy) = (ax * scale, ay * scale);
    }
    let length = (sx * sx + sy * sy).sqrt();
    if scaled { length * unscale } else { length }
}

/// (atanh(s) / s - 1) / s^2 in 32 s^2 on [0, 0.9424], in units of 2^-64; 2^-74 is left.
const ATANH_1: u64 = 0x5555_5555_5555_555a;
const ATANH_2: u64 = 0x0199_9999_9999_98e0;
const ATANH_3: u64 = 0x0009_2492_4924_9cde;
const ATANH_4: u64 = 0x0000_38e3_8e38_97cb;
const ATANH_5: u64 = 0x0000_0174_5d18_7868;
const ATANH_6: u64 = 0x0000_0009_d89a_9da5;
const ATANH_7: u64 = 0x0000_0000_4448_a62a;
const ATANH_8: u64 = 0x0000_0000_01dd_f187;
const ATANH_9: u64 = 0x0000_0000_000f_679a;

/// `|log2(x)|` as `size * 2^-places`, with the first bit of `size` in front, and whether the logarithm is negative; the relative error is about
/// 2^-66. For finite `x > 0` other than 1.
///
/// As the logarithms, with twice the bits where they count.
#[routine(library)]
pub(super) fn log2_parts(x: f64) -> (u128, u32, bool) {
    let (k, bits) = significand(x);
    let negative = bits < ONE;
    let f = if negative {
        leading(bits).wrapping_neg()
    } else {
        bits << 12
    };
    // s = f / (2 + f), the divisor in units of 2^-62: the bits that are lost are none.
    let divisor = if negative {
        (1u64 << 63).wrapping_sub(f >> 2)
    } else {
        (1u64 << 63).wrapping_add(f >> 2)
    };
    let zeros = f.leading_zeros();
    let (upper, rest) = div_rem_narrow(f.wrapping_shl(zeros) >> 2, 0, divisor);
    let (lower, _) = div_rem_narrow(rest, 0, divisor);
    let s = (upper as u128) << 64 | lower as u128;
    // 2 s, and 32 s^2.
    let twice = (shr_u128(s, zeros.wrapping_sub(1)) >> 64) as u64;
    let z = (widening(twice, twice) >> 61) as u64;
    let last = ATANH_7.wrapping_add(times(z, ATANH_8.wrapping_add(times(z, ATANH_9))));
    let high = ATANH_4.wrapping_add(times(
        z,
        ATANH_5.wrapping_add(times(z, ATANH_6.wrapping_add(times(z, last)))),
    ));
    let series = ATANH_1.wrapping_add(times(
        z,
        ATANH_2.wrapping_add(times(z, ATANH_3.wrapping_add(times(z, high)))),
    ));
    let half = s.wrapping_add(widening(upper, times(z, series)) >> 5);
    // ln(1 + f) / 2 times log2(e) / 2.
    let (upper, lower) = ((half >> 64) as u64, half as u64);
    let fraction = widening(upper, HALF_LOG2_E)
        .wrapping_add(widening(upper, HALF_LOG2_E_TAIL) >> 64)
        .wrapping_add(widening(lower, HALF_LOG2_E) >> 64);
    if k == 0 {
        let more = fraction.leading_zeros();
        return (
            shl_u128(fraction, more),
            zeros.wrapping_add(126).wrapping_add(more),
            negative,
        );
    }
    // Both in units of 2^-116.
    let below = k < 0;
    let whole = (k.unsigned_abs() as u128) << 116;
    let fraction = shr_u128(fraction >> 10, zeros);
    // The whole part is the larger one.
    let sum = if below == negative {
        whole.wrapping_add(fraction)
    } else {
        whole.wrapping_sub(fraction)
    };
    let more = sum.leading_zeros();
    (shl_u128(sum, more), more.wrapping_add(116), below)
}

/// `x^y` for finite `x > 0` and finite `y` that is not 0.
#[routine(library)]
fn pow_positive(x: f64, y: f64) -> f64 {
    if x.to_bits() == ONE {
        return 1.0;
    }
    let (log, places, log_is_negative) = log2_parts(x);
    let bits = y.to_bits();
    let negative = log_is_negative != (bits >> 63 != 0);
    let exponent = (bits >> 52) as u32 & 0x7ff;
    // A power of a subnormal number is 1 all the same.
    let significand = leading(bits);
    let product = widening(significand, (log >> 64) as u64).wrapping_add(widening(significand, log as u64) >> 64);
    let by = (places as i32).wrapping_add(958).wrapping_sub(exponent as i32);
    // From 2^11 on.
    if by < 52 {
        return if negative { 0.0 } else { f64::INFINITY };
    }
    let size = if by > 127 { 0 } else { shr_u128(product, by as u32) };
    exp2_of_fixed(if negative { size.wrapping_neg() } else { size })
}

/// `x^y` for `|x|` zero, or as good as that or as infinity, and `y` not 0.
#[routine(library)]
fn pow_extreme(vanishes: bool, y_is_negative: bool) -> f64 {
    if vanishes == y_is_negative { f64::INFINITY } else { 0.0 }
}
