//! Powers and roots: a logarithm and an exponential with enough guard bits between them, Halley's iteration for the
//! cube root, and a scaled sum of squares.

use gpuvm_macros::routine;

use crate::double_float::{fast_two_sum, head12};
use crate::exponential::exp2_of_sum;

const TWO_24: f32 = 16777216.0;

/// 2^40: from there on the result is 0, 1 or infinity, and nothing on the way overflows.
const Y_MAX: f32 = 1099511627776.0;

/// `x` to the power of `y`.
///
/// Within 1 ulp (0.84 found); powers that an `f32` can hold are exact. As C99 has it: `powf(x, ±0)` and `powf(1,
/// y)` are 1 also for NaN; a negative `x` to a power that is no integer is NaN; to an odd power it keeps its sign,
/// zero and infinity too; `powf(-1, ±inf)` is 1.
///
/// `2^(y log2 |x|)`, the logarithm and the product as head and tail (FDLIBM).
#[routine(library)]
pub fn powf(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let magnitude = x.abs();
    let y_size = y.abs();
    let negative = x.to_bits() >> 31 != 0;
    // From 2^24 on every f32 is an even integer.
    let whole = y_size >= TWO_24 || y.trunc() == y;
    let odd = y_size < TWO_24 && whole && (y as i32) & 1 != 0;
    let result = if magnitude == 0.0 || magnitude == f32::INFINITY {
        pow_extreme(magnitude, y < 0.0)
    } else if y_size == f32::INFINITY {
        if magnitude == 1.0 {
            1.0
        } else {
            pow_extreme(if magnitude < 1.0 { 0.0 } else { f32::INFINITY }, y < 0.0)
        }
    } else if negative && !whole {
        f32::NAN
    } else {
        let bounded = if y_size > Y_MAX { Y_MAX.copysign(y) } else { y };
        let y_head = head12(bounded);
        pow_positive(magnitude, y_head, bounded - y_head)
    };
    if negative && odd { -result } else { result }
}

/// `x` to the power of an integer.
///
/// Within 1 ulp (0.82 found), for every `n`: unlike a chain of multiplications, the error does not grow with `n`.
/// `powi(x, 0)` is 1 also for NaN.
///
/// As [`powf()`], with all bits of `n`.
#[routine(library)]
pub fn powi(x: f32, n: i32) -> f32 {
    if n == 0 {
        return 1.0;
    }
    if x.is_nan() {
        return f32::NAN;
    }
    let magnitude = x.abs();
    let result = if magnitude == 0.0 || magnitude == f32::INFINITY {
        pow_extreme(magnitude, n < 0)
    } else {
        let n_head = head12(n as f32);
        pow_positive(magnitude, n_head, (n as i64).wrapping_sub(n_head as i64) as f32)
    };
    if x.to_bits() >> 31 != 0 && n & 1 != 0 {
        -result
    } else {
        result
    }
}

/// (127 - 127 / 3 - 0.03306) * 2^23, which makes a third of the bits the nearest cube root on average; for
/// subnormal numbers, scaled by 2^24, 8 * 2^23 less.
const THIRD_OF_BIAS: u32 = 709958130;
const SCALED_THIRD_OF_BIAS: u32 = 642849266;

/// Cube root.
///
/// Within 0.83 ulp. `cbrt(±0)` is `±0`, `cbrt(±inf)` is `±inf`.
///
/// Kahan's start from a third of the bits, a quadratic step, and Halley's iteration from a value of 12 bits, whose
/// square is exact (FDLIBM).
#[routine(library)]
pub fn cbrt(x: f32) -> f32 {
    let a = x.abs();
    if a == 0.0 || a.is_nan() || a == f32::INFINITY {
        return x;
    }
    let start = if a < f32::MIN_POSITIVE {
        ((a * TWO_24).to_bits() / 3).wrapping_add(SCALED_THIRD_OF_BIAS)
    } else {
        (a.to_bits() / 3).wrapping_add(THIRD_OF_BIAS)
    };
    // Right to 5 bits.
    let t = f32::from_bits(start);
    // t * s^(-1/3) with s = t^3 / a near 1, to second order: right to 12 bits. No step overflows.
    let d = (t * t) / a * t - 1.0;
    let t = head12(t - t * d * (0.33333334 - d * 0.22222222));
    let quotient = a / (t * t);
    (t + t * ((quotient - t) / (t + t + quotient))).copysign(x)
}

/// From 2^63 on, and below 2^-40, [`hypot()`] scales by 2^-64 or 2^100, and back.
const LARGE: f32 = 9.223372e18;
const LARGE_SCALE: f32 = 5.421011e-20;
const LARGE_UNSCALE: f32 = 1.8446744e19;
const SMALL: f32 = 9.094947e-13;
const SMALL_SCALE: f32 = 1.2676506e30;
const SMALL_UNSCALE: f32 = 7.888609e-31;

/// `sqrt(x^2 + y^2)` without overflow or underflow on the way.
///
/// Within 2 ulp (1.20 found). `+inf` if either is infinite, even if the other is NaN.
///
/// The sum of squares, scaled by a power of two where a square would leave the range.
#[routine(library)]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    if ax == f32::INFINITY || ay == f32::INFINITY {
        return f32::INFINITY;
    }
    let larger = if ax > ay { ax } else { ay };
    let (scale, unscale) = if larger >= LARGE {
        (LARGE_SCALE, LARGE_UNSCALE)
    } else if larger < SMALL {
        (SMALL_SCALE, SMALL_UNSCALE)
    } else {
        (1.0, 1.0)
    };
    let (sx, sy) = (ax * scale, ay * scale);
    (sx * sx + sy * sy).sqrt() * unscale
}

/// 2 / (3 ln 2), and in two parts of which the first has 12 bits.
const SCALE: f32 = 0.9617967;
const SCALE_12: f32 = 0.96191406;
const SCALE_12_TAIL: f32 = -0.000117368574;
/// The bits of sqrt(1/2), where the significands of a period begin.
const SQRT_HALF: u32 = 0x3f35_04f3;
/// 3 (atanh(s) / s - 1 - s^2 / 3) / s^4 in s^2 on [0, 0.1717]; 2^-36.8 is left.
const LOG2_4: f32 = 0.6000023;
const LOG2_6: f32 = 0.42820626;
const LOG2_8: f32 = 0.35129845;

/// `log2(x)` for finite `x > 0` as a head of 12 bits and a tail, relative error about 2^-34.
///
/// FDLIBM's `e_pow`, in the precision of `f32`: with `s = f / (2 + f)`,
/// `log2(1 + f) = 2 / (3 ln 2) * s * (3 + s^2 + ...)`, every factor as head and tail.
#[routine(library)]
fn log2_parts(x: f32) -> (f32, f32) {
    let (normal, bias) = if x < f32::MIN_POSITIVE {
        (x * TWO_24, -24.0)
    } else {
        (x, 0.0)
    };
    let from_start = normal.to_bits().wrapping_sub(SQRT_HALF);
    let k = ((from_start as i32) >> 23) as f32 + bias;
    let m = f32::from_bits((from_start & 0x007f_ffff).wrapping_add(SQRT_HALF));

    // s = (m - 1) / (m + 1).
    let f = m - 1.0;
    let inverse = 1.0 / (m + 1.0);
    let s = f * inverse;
    let s_head = head12(s);
    let sum_head = head12(m + 1.0);
    let sum_tail = m - (sum_head - 1.0);
    let s_tail = inverse * ((f - s_head * sum_head) - s_head * sum_tail);

    // t = 3 + s^2 + rest.
    let z = s * s;
    let square = s_head * s_head;
    let rest = z * z * (LOG2_4 + z * (LOG2_6 + z * LOG2_8)) + s_tail * (s_head + s);
    let t_head = head12(3.0 + square + rest);
    let t_tail = rest - ((t_head - 3.0) - square);

    // p = s * t.
    let exact = s_head * t_head;
    let small = s_tail * t_head + t_tail * s;
    let p_head = head12(exact + small);
    let p_tail = small - (p_head - exact);

    // k + p * SCALE.
    let (sum, error) = fast_two_sum(k, p_head * SCALE_12);
    let low = error + (p_head * SCALE_12_TAIL + p_tail * SCALE);
    let head = head12(sum + low);
    (head, low - (head - sum))
}

/// `x^(y_head + y_tail)` for finite `x > 0`; `y_head` has 12 bits and is at most 2^41.
#[routine(library)]
fn pow_positive(x: f32, y_head: f32, y_tail: f32) -> f32 {
    let (log_head, log_tail) = log2_parts(x);
    let small = y_tail * log_head + (y_head + y_tail) * log_tail;
    exp2_of_sum(y_head * log_head, small)
}

/// `x^y` for `|x|` zero or infinite and `y` not 0.
#[routine(library)]
fn pow_extreme(magnitude: f32, y_is_negative: bool) -> f32 {
    if (magnitude == 0.0) == y_is_negative {
        f32::INFINITY
    } else {
        0.0
    }
}
