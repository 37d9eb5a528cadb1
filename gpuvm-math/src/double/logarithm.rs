//! Logarithms: `x = 2^k (1 + f)` with `1 + f` in [sqrt(1/2), sqrt(2)], and FDLIBM's polynomial in `f / (2 + f)` for `ln(1 + f)`. The functions
//! differ only in how they put the parts together.

use gpuvm_macros::routine;

use super::{HIGH_INFINITY, HIGH_ONE, fast_two_sum, head21, head26, high_word};

/// ln(2) and log10(2) in two parts; the first has 32 and 42 bits, so that its product with an exponent is exact.
const LN2_32: f64 = 0.6931471803691238;
const LN2_32_TAIL: f64 = 1.9082149292705877e-10;
const LOG10_2_42: f64 = 0.30102999566361177;
const LOG10_2_42_TAIL: f64 = 3.694239077158931e-13;
/// log2(e) and log10(e) in two parts of which the first has 32 bits.
const LOG2_E_32: f64 = 1.4426950407214463;
const LOG2_E_32_TAIL: f64 = 1.6751713164886512e-10;
const LOG10_E_32: f64 = 0.4342944818781689;
const LOG10_E_32_TAIL: f64 = 2.5082946711645275e-11;

/// The high word of sqrt(1/2), where the significands of a period begin.
const SQRT_HALF: u64 = 0x3fe6_a09e << 32;
const TWO_54: f64 = 18014398509481984.0;

/// Natural logarithm.
///
/// Within 1 ulp (0.76 found). `ln(±0)` is `-inf`, NaN below 0, `ln(1)` is `+0`.
///
/// `k ln(2) + ln(1 + f)`, as FDLIBM's `e_log.c`.
#[routine(library)]
pub fn ln_f64(x: f64) -> f64 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, f) = split(x);
    ln_join(k, f, 0.0)
}

/// Logarithm to base 2.
///
/// Within 1 ulp (0.71 found), and exact for powers of two. Special values as [`ln_f64()`].
///
/// As [`ln_f64()`], the logarithm of the fraction as head and tail multiplied by log2(e) (FreeBSD's `e_log2.c`).
#[routine(library)]
pub fn log2_f64(x: f64) -> f64 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, f) = split(x);
    let (head, tail) = ln_fraction(f);
    let (sum, error) = fast_two_sum(k as f64, head * LOG2_E_32);
    sum + (error + ((tail + head) * LOG2_E_32_TAIL + tail * LOG2_E_32))
}

/// Logarithm to base 10.
///
/// Within 2 ulp (0.62 found). Special values as [`ln_f64()`].
///
/// As [`log2_f64()`] (FreeBSD's `e_log10.c`).
#[routine(library)]
pub fn log10_f64(x: f64) -> f64 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, f) = split(x);
    let k = k as f64;
    let (head, tail) = ln_fraction(f);
    let (sum, error) = fast_two_sum(k * LOG10_2_42, head * LOG10_E_32);
    sum + (error + (k * LOG10_2_42_TAIL + ((tail + head) * LOG10_E_32_TAIL + tail * LOG10_E_32)))
}

/// `ln(1 + x)`, also accurate where `x` is small.
///
/// Within 2 ulp (0.77 found). `ln_1p(-1)` is `-inf`, NaN below -1, `ln_1p(±0)` is `±0`.
///
/// Near 0 the polynomial of [`ln_f64()`] at `x`; elsewhere `ln` of the sum, and the rounding error of the sum divided by it (FDLIBM's
/// `s_log1p.c`).
#[routine(library)]
pub fn ln_1p_f64(x: f64) -> f64 {
    // 2^-54: the rest of the series is below a quarter of an ulp, and the sign of zero stays.
    if high_word(x) < 0x3c90_0000 {
        return x;
    }
    let sum = x + 1.0;
    if !is_positive_finite(sum) {
        return ln_special(sum);
    }
    ln_1p_of_sum(x, 0.0)
}

/// Logarithm of `x` to any base: `x.log(base)`.
///
/// Within 2 ulp (0.62 found) of `ln(x) / ln(base)`. Special values are those of that quotient, as in std.
///
/// The quotient of the two logarithms, both as head and tail.
#[routine(library)]
pub fn log_f64(x: f64, base: f64) -> f64 {
    if !is_positive_finite(x) || !is_positive_finite(base) || x == 1.0 || base == 1.0 {
        return ln_sketch(x) / ln_sketch(base);
    }
    let (a, a_tail) = ln_parts(x);
    let (b, b_tail) = ln_parts(base);
    // One step from a quotient of 26 bits, whose product with the 26-bit head of `b` is exact.
    let rough = head26(a / b);
    let b_head = head26(b);
    let remainder = (a - rough * b_head) + (a_tail - rough * ((b - b_head) + b_tail));
    rough + remainder / b
}

/// What stands for a logarithm in a quotient with a special value in it: that value, or a number of the logarithm's sign.
#[routine(library)]
fn ln_sketch(x: f64) -> f64 {
    if !is_positive_finite(x) {
        ln_special(x)
    } else if x == 1.0 {
        0.0
    } else if high_word(x) < HIGH_ONE {
        -1.0
    } else {
        1.0
    }
}

/// `x = 2^k (1 + f)` for finite `x > 0`; `f` is exact.
#[routine(library)]
fn split(x: f64) -> (i32, f64) {
    // Subnormal numbers have no exponent to read until they are scaled.
    let (bits, bias) = if high_word(x) < 0x0010_0000 {
        ((x * TWO_54).to_bits(), -54)
    } else {
        (x.to_bits(), 0)
    };
    let from_start = bits.wrapping_sub(SQRT_HALF);
    let k = ((from_start >> 32) as i32 >> 20).wrapping_add(bias);
    let m = f64::from_bits((from_start & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    (k, m - 1.0)
}

/// (ln((1 + s) / (1 - s)) / s - 2) / s^2 in s^2 on [0, 0.02944], FDLIBM's; 2^-58.45 is left.
const LN_1: f64 = 0.6666666666666735;
const LN_2: f64 = 0.3999999999940942;
const LN_3: f64 = 0.2857142874366239;
const LN_4: f64 = 0.22222198432149784;
const LN_5: f64 = 0.1818357216161805;
const LN_6: f64 = 0.15313837699209373;
const LN_7: f64 = 0.14798198605116586;

/// `ln(1 + f) - f + f^2 / 2` for `1 + f` in [sqrt(1/2), sqrt(2)], given `f^2 / 2`.
#[routine(library)]
fn ln_rest(f: f64, half_square: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let upper = LN_4 + z * (LN_5 + z * (LN_6 + z * LN_7));
    s * (half_square + z * (LN_1 + z * (LN_2 + z * (LN_3 + z * upper))))
}

/// `k ln(2) + ln(1 + f) + tail`.
#[routine(library)]
fn ln_join(k: i32, f: f64, tail: f64) -> f64 {
    let half_square = 0.5 * f * f;
    let rest = ln_rest(f, half_square);
    let k = k as f64;
    k * LN2_32 - ((half_square - (rest + (k * LN2_32_TAIL + tail))) - f)
}

/// `ln(1 + f)` as a head of 21 bits and a tail, for `1 + f` in [sqrt(1/2), sqrt(2)].
#[routine(library)]
fn ln_fraction(f: f64) -> (f64, f64) {
    let half_square = 0.5 * f * f;
    let head = head21(f - half_square);
    (head, ((f - head) - half_square) + ln_rest(f, half_square))
}

/// `ln(x)` as head and tail for finite `x > 0`.
#[routine(library)]
fn ln_parts(x: f64) -> (f64, f64) {
    let (k, f) = split(x);
    let k = k as f64;
    let (head, tail) = ln_fraction(f);
    let (sum, error) = fast_two_sum(k * LN2_32, head);
    fast_two_sum(sum, error + (tail + k * LN2_32_TAIL))
}

/// `ln(1 + a + tail)` for finite `a + tail > -1` and `|tail|` within an ulp of `a`.
#[routine(library)]
pub(super) fn ln_1p_of_sum(a: f64, tail: f64) -> f64 {
    let size = high_word(a);
    // In [-0.2928, 0.4142] the sum of 1 and the argument need not be formed.
    let limit = if a.is_sign_negative() { 0x3fd2_bec4 } else { 0x3fda_827a };
    let sum = 1.0 + a;
    let (k, f, error) = if size < limit {
        (0, a, tail)
    } else {
        let (k, f) = split(sum);
        let error = if size < HIGH_ONE {
            a - (sum - 1.0)
        } else {
            1.0 - (sum - a)
        };
        (k, f, error + tail)
    };
    ln_join(k, f, error / sum)
}

/// `ln(2 x)` for finite `x` above 1.
#[routine(library)]
pub(super) fn ln_twice(x: f64) -> f64 {
    let (k, f) = split(x);
    ln_join(k.wrapping_add(1), f, 0.0)
}

/// What a logarithm of 0, of a negative number, of infinity or of NaN is.
#[routine(library)]
fn ln_special(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x > 0.0 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

#[routine(library)]
fn is_positive_finite(x: f64) -> bool {
    // 0 becomes the largest.
    x.to_bits().wrapping_sub(1) < ((HIGH_INFINITY as u64) << 32).wrapping_sub(1)
}
