//! Logarithms: `x = 2^k (1 + f)` with `f` in [-1/3, 1/3], and `ln(1 + f)` as head and tail by one polynomial without
//! a division. The functions differ only in how they put the parts together.

use gpuvm_macros::routine;

use crate::double_float::{fast_two_sum, head12, two_sum};

/// ln(2) and log10(2) in two parts; the first has 16 bits, so that its product with an exponent is exact.
const LN2_16: f32 = 0.69314575;
const LN2_16_TAIL: f32 = 1.4286068e-6;
const LOG10_2_16: f32 = 0.30103302;
const LOG10_2_16_TAIL: f32 = -3.0243555e-6;
/// log2(e) and log10(e), and in two parts of which the first has 12 bits.
const LOG2_E: f32 = core::f32::consts::LOG2_E;
const LOG2_E_12: f32 = 1.4428711;
const LOG2_E_12_TAIL: f32 = -0.00017605285;
const LOG10_E: f32 = core::f32::consts::LOG10_E;
const LOG10_E_12: f32 = 0.43432617;
const LOG10_E_12_TAIL: f32 = -3.168997e-5;

/// The bits of 2/3, where the significands of a period begin.
const TWO_THIRDS: u32 = 0x3f2a_aaab;
const TWO_24: f32 = 16777216.0;

/// Natural logarithm.
///
/// Within 0.65 ulp. `ln(±0)` is `-inf`, NaN below 0, `ln(1)` is `+0`.
///
/// `k ln(2) + ln(1 + f)` with the square of `f` split exactly, the rest a polynomial.
#[routine(library)]
pub fn ln(x: f32) -> f32 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (head, tail) = ln_parts(x);
    head + tail
}

/// Logarithm to base 2.
///
/// Within 0.76 ulp, and exact for powers of two. Special values as [`ln()`].
///
/// As [`ln()`], the logarithm of the fraction multiplied by log2(e) with its tail.
#[routine(library)]
pub fn log2(x: f32) -> f32 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, f) = split(x);
    let (head, tail) = ln_fraction(f);
    let first = head12(head);
    let rest = (head - first) + tail;
    let (sum, error) = fast_two_sum(k, first * LOG2_E_12);
    sum + (error + (rest * LOG2_E + first * LOG2_E_12_TAIL))
}

/// Logarithm to base 10.
///
/// Within 0.72 ulp, and exact for powers of ten. Special values as [`ln()`].
///
/// As [`log2()`].
#[routine(library)]
pub fn log10(x: f32) -> f32 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, f) = split(x);
    let (head, tail) = ln_fraction(f);
    let first = head12(head);
    let rest = (head - first) + tail;
    let (sum, error) = fast_two_sum(k * LOG10_2_16, first * LOG10_E_12);
    sum + (error + (rest * LOG10_E + (first * LOG10_E_12_TAIL + k * LOG10_2_16_TAIL)))
}

/// `ln(1 + x)`, also accurate where `x` is small.
///
/// Within 0.67 ulp. `ln_1p(-1)` is `-inf`, NaN below -1, `ln_1p(±0)` is `±0`.
///
/// Near 0 the polynomial of [`ln()`] at `x`; elsewhere `ln` of the sum, and the rounding error of the sum divided by it.
#[routine(library)]
pub fn ln_1p(x: f32) -> f32 {
    // 2^-26: the rest of the series is below a quarter of an ulp, and the sign of zero stays.
    if x.abs() < 1.4901161e-8 {
        return x;
    }
    if !(x > -1.0 && x < f32::INFINITY) {
        return ln_special(x + 1.0);
    }
    let (head, tail) = ln_1p_parts(x, 0.0);
    head + tail
}

/// Logarithm of `x` to any base: `x.log(base)`.
///
/// Within 1 ulp (0.75 found) of `ln(x) / ln(base)`. Special values are those of that quotient, as in std.
///
/// The quotient of the two logarithms, both as head and tail.
#[routine(library)]
pub fn log(x: f32, base: f32) -> f32 {
    if !is_positive_finite(x) || !is_positive_finite(base) || x == 1.0 || base == 1.0 {
        return ln(x) / ln(base);
    }
    let (x_head, x_tail) = ln_parts(x);
    let (base_head, base_tail) = ln_parts(base);
    let (a, a_tail) = fast_two_sum(x_head, x_tail);
    let (b, b_tail) = fast_two_sum(base_head, base_tail);
    // One step from a quotient of 12 bits, whose product with the 12-bit head of `b` is exact.
    let rough = head12(a / b);
    let b_first = head12(b);
    let remainder = (a - rough * b_first) + (a_tail - rough * ((b - b_first) + b_tail));
    rough + remainder / b
}

/// `x = 2^k (1 + f)` for finite `x > 0`; `f` is exact.
#[routine(library)]
fn split(x: f32) -> (f32, f32) {
    // Subnormal numbers have no exponent to read until they are scaled.
    let (normal, bias) = if x < f32::MIN_POSITIVE {
        (x * TWO_24, -24.0)
    } else {
        (x, 0.0)
    };
    let from_start = normal.to_bits().wrapping_sub(TWO_THIRDS);
    let k = (from_start as i32) >> 23;
    let m = f32::from_bits((from_start & 0x007f_ffff).wrapping_add(TWO_THIRDS));
    (k as f32 + bias, m - 1.0)
}

/// (ln(1 + f) - f + f^2 / 2) / f^3 on [-1/3, 1/3]; 2^-27.5 is left.
const LN_3: f32 = 0.33333215;
const LN_4: f32 = -0.24999897;
const LN_5: f32 = 0.20010419;
const LN_6: f32 = -0.16675973;
const LN_7: f32 = 0.14005944;
const LN_8: f32 = -0.122466795;
const LN_9: f32 = 0.13983269;
const LN_10: f32 = -0.12621608;

/// `ln(1 + f)` as head and tail for `f` in [-1/3, 1/3].
#[routine(library)]
fn ln_fraction(f: f32) -> (f32, f32) {
    let upper = LN_6 + f * (LN_7 + f * (LN_8 + f * (LN_9 + f * LN_10)));
    let series = LN_3 + f * (LN_4 + f * (LN_5 + f * upper));
    // f^2 / 2 = exact + small.
    let f_head = head12(f);
    let exact = 0.5 * f_head * f_head;
    let small = 0.5 * (f - f_head) * (f + f_head);
    let (head, error) = fast_two_sum(f, -exact);
    (head, error + (f * f * f * series - small))
}

/// `ln(x)` as head and tail for finite `x > 0`.
#[routine(library)]
pub(crate) fn ln_parts(x: f32) -> (f32, f32) {
    let (k, f) = split(x);
    let (f_head, f_tail) = ln_fraction(f);
    ln_join(k, f_head, f_tail)
}

/// `k ln(2) + head + tail` as head and tail.
#[routine(library)]
fn ln_join(k: f32, head: f32, tail: f32) -> (f32, f32) {
    let (sum, error) = fast_two_sum(k * LN2_16, head);
    (sum, error + (tail + k * LN2_16_TAIL))
}

/// Below this the sum of 1 and an argument need not be formed.
const THIRD: f32 = 0.33333334;

/// `ln(1 + a + a_tail)` as head and tail for finite `a > -1` and `|a_tail|` within an ulp of `a`.
#[routine(library)]
pub(crate) fn ln_1p_parts(a: f32, a_tail: f32) -> (f32, f32) {
    let (sum, error) = two_sum(1.0, a);
    if a.abs() < THIRD {
        let (head, tail) = ln_fraction(a);
        return (head, tail + a_tail / sum);
    }
    let (head, tail) = ln_parts(sum);
    (head, tail + (error + a_tail) / sum)
}

/// What a logarithm of 0, of a negative number, of infinity or of NaN is.
#[routine(library)]
fn ln_special(x: f32) -> f32 {
    if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}

#[routine(library)]
fn is_positive_finite(x: f32) -> bool {
    x > 0.0 && x < f32::INFINITY
}
