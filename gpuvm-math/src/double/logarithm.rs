//! Logarithms in fixed point: `x = 2^k (1 + f)` with `1 + f` in [sqrt(1/2), sqrt(2)], and a series in `f / (2 + f)` for `ln(1 + f)`.

use gpuvm_macros::routine;

use super::fixed_point::{aligned, fixed, leading, scaled, times, widening};
use super::power::log2_parts;
use super::{HIGH_INFINITY, HIGH_ONE, high_word};
use crate::wide::{div_rem_narrow, shl_u128, shr_u128};

/// The high word of sqrt(1/2), where the significands of a period begin.
const SQRT_HALF: u64 = 0x3fe6_a09e << 32;
/// The bits of 1.
pub(super) const ONE: u64 = (HIGH_ONE as u64) << 32;

/// Natural logarithm.
///
/// Within 1 ulp (0.51 found). `ln(±0)` is `-inf`, NaN below 0, `ln(1)` is `+0`.
///
/// `k ln(2) + ln(1 + f)` in fixed point.
#[routine(library)]
pub fn ln_f64(x: f64) -> f64 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, size, zeros, negative) = ln_of_fraction(x);
    joined(k, size, zeros, negative, HALF_LN2, HALF_LN2_TAIL)
}

/// Logarithm to base 2.
///
/// Within 1 ulp (0.51 found), and exact for powers of two. Special values as [`ln_f64()`].
///
/// As [`ln_f64()`], the logarithm of the fraction multiplied by log2(e).
#[routine(library)]
pub fn log2_f64(x: f64) -> f64 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, size, zeros, negative) = ln_of_fraction(x);
    joined(k, times(size, HALF_LOG2_E), zeros.wrapping_sub(1), negative, 1 << 63, 0)
}

/// Logarithm to base 10.
///
/// Within 2 ulp (0.51 found), and exact for powers of ten. Special values as [`ln_f64()`].
///
/// As [`log2_f64()`].
#[routine(library)]
pub fn log10_f64(x: f64) -> f64 {
    if !is_positive_finite(x) {
        return ln_special(x);
    }
    let (k, size, zeros, negative) = ln_of_fraction(x);
    joined(
        k,
        times(size, LOG10_E),
        zeros,
        negative,
        HALF_LOG10_2,
        HALF_LOG10_2_TAIL,
    )
}

/// `ln(1 + x)`, also accurate where `x` is small.
///
/// Within 2 ulp (0.51 found). `ln_1p(-1)` is `-inf`, NaN below -1, `ln_1p(±0)` is `±0`.
///
/// As [`ln_f64()`]: near 0 the series at `x`, elsewhere with the exact sum.
#[routine(library)]
pub fn ln_1p_f64(x: f64) -> f64 {
    // 2^-54: the rest of the series is below a quarter of an ulp, and the sign of zero stays.
    if high_word(x) < 0x3c90_0000 {
        return x;
    }
    if x.is_sign_negative() && high_word(x) >= HIGH_ONE {
        return if x == -1.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    // 2^62
    if high_word(x) >= 0x43d0_0000 {
        return ln_f64(x);
    }
    ln_1p_of_sum(x, 0.0)
}

/// Logarithm of `x` to any base: `x.log(base)`.
///
/// Within 2 ulp (0.51 found) of `ln(x) / ln(base)`. Special values are those of that quotient, as in std.
///
/// The quotient of the two logarithms in fixed point.
#[routine(library)]
pub fn log_f64(x: f64, base: f64) -> f64 {
    if !is_positive_finite(x) || !is_positive_finite(base) || x == 1.0 || base == 1.0 {
        return ln_sketch(x) / ln_sketch(base);
    }
    let (a, a_places, a_is_negative) = log2_parts(x);
    let (b, b_places, b_is_negative) = log2_parts(base);
    let (quotient, _) = div_rem_narrow((a >> 65) as u64, 0, (b >> 64) as u64);
    let negative = a_is_negative != b_is_negative;
    scaled(quotient, a_places.wrapping_sub(b_places).wrapping_add(63), negative)
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

/// `x = 2^k m` for finite `x > 0`, and the bits of `m`, which is in [sqrt(1/2), sqrt(2)].
#[routine(library)]
pub(super) fn significand(x: f64) -> (i32, u64) {
    let mut bits = x.to_bits();
    let mut bias = 0;
    // Subnormal numbers have no leading bit in its place until they are shifted; there it is an exponent of 1.
    if bits < 1 << 52 {
        let by = bits.leading_zeros().wrapping_sub(11);
        bits = bits.wrapping_shl(by);
        bias = by as i32;
    }
    let from_start = bits.wrapping_sub(SQRT_HALF);
    let k = (from_start >> 32) as i32 >> 20;
    (
        k.wrapping_sub(bias),
        (from_start & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF),
    )
}

/// sqrt(2) in units of 2^-63.
const SQRT_2: u64 = 0xb504_f333_f9de_6484;

/// `ln(1 + a + tail)` for finite `a + tail > -1` that is not 0 and below 2^62, and `|tail|` within an ulp of `a`.
#[routine(library)]
pub(super) fn ln_1p_of_sum(a: f64, tail: f64) -> f64 {
    let size = high_word(a);
    let below = a.is_sign_negative();
    // In [-0.2928, 0.4142] the sum of 1 and the argument need not be formed.
    let limit = if below { 0x3fd2_bec4 } else { 0x3fda_827a };
    let (k, f, zeros, negative) = if size < limit {
        let zeros = 1022u32.wrapping_sub(size >> 20);
        let more = aligned(tail, zeros);
        let f = leading(a.to_bits());
        let f = if below == tail.is_sign_negative() {
            f.wrapping_add(more)
        } else {
            f.wrapping_sub(more)
        };
        (0, f, zeros, below)
    } else {
        let sum = fixed(a).wrapping_add(fixed(tail)).wrapping_add(1 << 64);
        let before = sum.leading_zeros();
        let m = (shl_u128(sum, before) >> 64) as u64;
        let k = 63i32.wrapping_sub(before as i32);
        let negative = m >= SQRT_2;
        let f = if negative { m.wrapping_neg() } else { m << 1 };
        let zeros = f.leading_zeros();
        (k.wrapping_add(negative as i32), f.wrapping_shl(zeros), zeros, negative)
    };
    let size = twice_atanh(f, zeros, negative);
    joined(k, size, zeros, negative, HALF_LN2, HALF_LN2_TAIL)
}

/// `ln(2 x)` for finite `x` above 1.
#[routine(library)]
pub(super) fn ln_twice(x: f64) -> f64 {
    let (k, size, zeros, negative) = ln_of_fraction(x);
    joined(k.wrapping_add(1), size, zeros, negative, HALF_LN2, HALF_LN2_TAIL)
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

/// ln(2) / 2 and log10(2) / 2 in units of 2^-64, and 48 bits of what follows; log2(e) / 2 and log10(e) in units of 2^-64.
const HALF_LN2: u64 = 0x58b9_0bfb_e8e7_bcd5;
const HALF_LN2_TAIL: u64 = 0xe4f1_d9cc_01f9;
const HALF_LOG10_2: u64 = 0x2688_26a1_3ef3_fde6;
const HALF_LOG10_2_TAIL: u64 = 0x23e2_566b_02df;
const HALF_LOG2_E: u64 = 0xb8aa_3b29_5c17_f0bb;
const LOG10_E: u64 = 0x6f2d_ec54_9b94_38ca;

/// (atanh(s) / s - 1) / s^2 in s^2 on [0, 0.02945], in units of 2^-64; 2^-66.7 is left.
const ATANH_1: u64 = 0x5555_5555_5555_5347;
const ATANH_2: u64 = 0x3333_3333_333c_03d4;
const ATANH_3: u64 = 0x2492_4924_8560_d34b;
const ATANH_4: u64 = 0x1c71_c725_9420_fb4b;
const ATANH_5: u64 = 0x1745_cde2_0576_4325;
const ATANH_6: u64 = 0x13b2_0af3_0212_7de6;
const ATANH_7: u64 = 0x10f5_c774_4193_4cd9;
const ATANH_8: u64 = 0x10f6_5f9c_5ce4_b6d4;

/// The parts of a finite `x = 2^k (1 + f)` above 0: `k`, `|ln(1 + f)|` as `size * 2^-(63 + zeros)`, and whether that is negative. `size` has
/// its first bit in front or one behind, unless it is 0.
#[routine(library)]
fn ln_of_fraction(x: f64) -> (i32, u64, u32, bool) {
    let (k, bits) = significand(x);
    let negative = bits < ONE;
    let f = if negative {
        leading(bits).wrapping_neg()
    } else {
        bits << 12
    };
    let zeros = f.leading_zeros();
    (k, twice_atanh(f.wrapping_shl(zeros), zeros, negative), zeros, negative)
}

/// `|ln(1 + f)|` as a number of units of 2^-(63 + zeros), for `|f|` in units of 2^-(64 + zeros) with its first bit in front, or 0.
///
/// `ln(1 + f) = 2 atanh(s)` with `s = f / (2 + f)`.
#[routine(library)]
fn twice_atanh(f: u64, zeros: u32, negative: bool) -> u64 {
    // 2 + f in units of 2^-62.
    let quarter = if zeros > 63 { 0 } else { f.wrapping_shr(zeros) >> 2 };
    let sum = if negative {
        (1u64 << 63).wrapping_sub(quarter)
    } else {
        (1u64 << 63).wrapping_add(quarter)
    };
    let (s, _) = div_rem_narrow(f >> 2, 0, sum);
    let whole = if zeros > 63 { 0 } else { s.wrapping_shr(zeros) };
    let z = times(whole, whole);
    let upper = ATANH_5.wrapping_add(times(
        z,
        ATANH_6.wrapping_add(times(z, ATANH_7.wrapping_add(times(z, ATANH_8)))),
    ));
    let lower = ATANH_2.wrapping_add(times(
        z,
        ATANH_3.wrapping_add(times(z, ATANH_4.wrapping_add(times(z, upper)))),
    ));
    let series = ATANH_1.wrapping_add(times(z, lower));
    s.wrapping_add(times(s, times(z, series)))
}

/// `2 k (unit + tail)` and the fraction `size * 2^-(63 + zeros)`, which may be `negative`, rounded once. `unit` is in units of 2^-64, `tail` in those
/// of 2^-112.
#[routine(library)]
fn joined(k: i32, size: u64, zeros: u32, negative: bool, unit: u64, tail: u64) -> f64 {
    if k == 0 {
        return scaled(size, zeros.wrapping_add(63), negative);
    }
    let times_k = k.unsigned_abs() as u64;
    // Both in units of 2^-112.
    let whole = (widening(times_k, unit) << 49).wrapping_add((times_k.wrapping_mul(tail) << 1) as u128);
    let fraction = shr_u128((size as u128) << 49, zeros);
    let below = k < 0;
    // The whole part is the larger one.
    let sum = if below == negative {
        whole.wrapping_add(fraction)
    } else {
        whole.wrapping_sub(fraction)
    };
    let bits = (sum as f64).to_bits().wrapping_sub(112 << 52);
    f64::from_bits(bits | (below as u64) << 63)
}
