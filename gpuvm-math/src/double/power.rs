//! Powers and roots: a logarithm and an exponential with enough guard bits between them, Halley's iteration for the
//! cube root, and a scaled sum of squares.

use gpuvm_macros::routine;

use super::exponential::exp2_of_sum;
use super::{HIGH_INFINITY, head21, high_word};

const TWO_54: f64 = 18014398509481984.0;
/// 2^64: from there on the result is 0, 1 or infinity, and nothing on the way overflows.
const Y_MAX: f64 = 18446744073709551616.0;

/// `x` to the power of `y`.
///
/// Within 2 ulp (0.88 found). As C99 has it: `powf(x, ±0)` and `powf(1, y)` are 1 also for NaN; a negative `x` to a power
/// that is no integer is NaN; to an odd power it keeps its sign, zero and infinity too; `powf(-1, ±inf)` is 1.
///
/// `2^(y log2 |x|)`, the logarithm and the product as head and tail (FDLIBM's `e_pow.c`).
#[routine(library)]
pub fn powf_f64(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let magnitude = x.abs();
    let y_size = high_word(y);
    let y_is_negative = y.to_bits() >> 63 != 0;
    let negative = x.to_bits() >> 63 != 0;
    let whole = if negative { wholeness(y) } else { EVEN };
    let result = if magnitude == 0.0 || magnitude == f64::INFINITY {
        pow_extreme(magnitude == 0.0, y_is_negative)
    } else if y_size == HIGH_INFINITY {
        if magnitude == 1.0 {
            1.0
        } else {
            pow_extreme(magnitude < 1.0, y_is_negative)
        }
    } else if whole == BROKEN {
        f64::NAN
    } else {
        let bounded = if y_size >= 0x43f0_0000 { Y_MAX.copysign(y) } else { y };
        let y_head = head21(bounded);
        let (log_head, log_tail) = log2_parts(magnitude);
        let small = (bounded - y_head) * log_head + bounded * log_tail;
        exp2_of_sum(y_head * log_head, small)
    };
    if whole == ODD { -result } else { result }
}

/// `x` to the power of an integer.
///
/// Within 2 ulp (0.87 found), for every `n`: unlike a chain of multiplications, the error does not grow with `n`.
/// `powi(x, 0)` is 1 also for NaN.
///
/// [`powf_f64()`]: an `f64` holds every `i32`.
#[routine(library)]
pub fn powi_f64(x: f64, n: i32) -> f64 {
    powf_f64(x, n as f64)
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
    // The lowest bit of the whole part at the lowest bit but one, and whether anything follows below it.
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

/// x^(-1/3) for t^3 / x = r near 1: t times this is right to 23 bits (FreeBSD's).
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

/// The bits of 1/2 and of 1.
const HALF: u64 = 0x3fe0 << 48;
const ONE: u64 = 0x3ff0 << 48;
/// 2 / (3 ln 2), and in two parts of which the first has 24 bits.
const SCALE: f64 = 0.9617966939259756;
const SCALE_24: f64 = 0.9617967009544373;
const SCALE_24_TAIL: f64 = -7.028461650952758e-9;
/// log2(3/2) in two parts of which the first has 21 bits.
const LOG2_3_2: f64 = 0.5849624872207642;
const LOG2_3_2_TAIL: f64 = 1.350039202129749e-8;
/// 3/2 (ln((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2 on [0, 0.0102], FDLIBM's.
const LOG2_4: f64 = 0.5999999999999946;
const LOG2_6: f64 = 0.4285714285785502;
const LOG2_8: f64 = 0.33333332981837743;
const LOG2_10: f64 = 0.272728123808534;
const LOG2_12: f64 = 0.23066074577556175;
const LOG2_14: f64 = 0.20697501780033842;

/// `log2(x)` for finite `x > 0` as a head of 21 bits and a tail, relative error about 2^-67.
///
/// With `c` 1 or 3/2, whichever is closer to the significand `m`, and `s = (m - c) / (m + c)`,
/// `log2(m / c) = 2 / (3 ln 2) * s * (3 + s^2 + ...)`, every factor as head and tail.
#[routine(library)]
fn log2_parts(x: f64) -> (f64, f64) {
    let (bits, bias) = if high_word(x) < 0x0010_0000 {
        ((x * TWO_54).to_bits(), 1077u32)
    } else {
        (x.to_bits(), 1023)
    };
    let fraction = bits & 0x000f_ffff_ffff_ffff;
    let high = (fraction >> 32) as u32;
    // From sqrt(3) on the significand is halved; between sqrt(3/2) and there it is near 3/2.
    let halved = high >= 0xb_b67a;
    let middle = high > 0x3_988e && !halved;
    let k = ((bits >> 52) as u32).wrapping_sub(bias).wrapping_add(halved as u32) as i32 as f64;
    let m = f64::from_bits(fraction | if halved { HALF } else { ONE });
    let (c, offset, offset_tail) = if middle {
        (1.5, LOG2_3_2, LOG2_3_2_TAIL)
    } else {
        (1.0, 0.0, 0.0)
    };

    // s = (m - c) / (m + c).
    let f = m - c;
    let sum = m + c;
    let inverse = 1.0 / sum;
    let s = f * inverse;
    let s_head = head21(s);
    let sum_head = head21(sum);
    let sum_tail = m - (sum_head - c);
    let s_tail = inverse * ((f - s_head * sum_head) - s_head * sum_tail);

    // t = 3 + s^2 + rest.
    let z = s * s;
    let square = s_head * s_head;
    let upper = LOG2_8 + z * (LOG2_10 + z * (LOG2_12 + z * LOG2_14));
    let rest = z * z * (LOG2_4 + z * (LOG2_6 + z * upper)) + s_tail * (s_head + s);
    let t_head = head21(3.0 + square + rest);
    let t_tail = rest - ((t_head - 3.0) - square);

    // p = s * t.
    let exact = s_head * t_head;
    let small = s_tail * t_head + t_tail * s;
    let p_head = head21(exact + small);
    let p_tail = small - (p_head - exact);

    // k + offset + p * SCALE.
    let product = p_head * SCALE_24;
    let low = p_head * SCALE_24_TAIL + p_tail * SCALE + offset_tail;
    let head = head21(((product + low) + offset) + k);
    (head, low - (((head - k) - offset) - product))
}

/// `x^y` for `|x|` zero, or as good as that or as infinity, and `y` not 0.
#[routine(library)]
fn pow_extreme(vanishes: bool, y_is_negative: bool) -> f64 {
    if vanishes == y_is_negative { f64::INFINITY } else { 0.0 }
}
