//! Exponential functions: `2^k * 2^f` in fixed point, and where that is not precise enough `2^k * e^r` with an integer `k` and
//! `|r| <= ln(2) / 2`, and FDLIBM's rational function for `e^r`.

use gpuvm_macros::routine;

use super::fixed_point::{fixed, leading, times};
use super::{ROUND, fast_two_sum, high_word};
use crate::soft_double::pack;
use crate::wide::{shr_u128, widening_mul};

const LOG2_E: f64 = core::f64::consts::LOG2_E;
/// ln(2) in two parts; the first has 32 bits, so that its products with exponents are exact.
const LN2_32: f64 = 0.6931471803691238;
const LN2_32_TAIL: f64 = 1.9082149292705877e-10;

/// `e^x`.
///
/// Within 1 ulp (0.51 found). `exp(0)` is 1; `+inf` above 709.782712893384, 0 below -745.1332191019412.
///
/// `2^(x log2(e))`, the product and the power in fixed point.
#[routine(library)]
pub fn exp_f64(x: f64) -> f64 {
    // 2^11
    if high_word(x) >= 0x40a0_0000 {
        return exp_extreme(x);
    }
    let bits = x.to_bits();
    let significand = leading(bits);
    let product =
        widening_mul(significand, HALF_LOG2_E).wrapping_add(widening_mul(significand, HALF_LOG2_E_TAIL) >> 64);
    let by = 1085u32.wrapping_sub((bits >> 52) as u32 & 0x7ff);
    let size = if by > 127 { 0 } else { shr_u128(product, by) };
    exp2_of_fixed(if bits >> 63 != 0 { size.wrapping_neg() } else { size })
}

/// `2^x`.
///
/// Within 1 ulp (0.51 found), and exact for integers. `+inf` from 1024 on, 0 up to -1075.
///
/// The whole part is the exponent; the rest is a polynomial in fixed point.
#[routine(library)]
pub fn exp2_f64(x: f64) -> f64 {
    if high_word(x) >= 0x40a0_0000 {
        return exp_extreme(x);
    }
    exp2_of_fixed(fixed(x))
}

/// `e^x - 1`, also accurate where `x` is small.
///
/// Within 2 ulp (1.05 found). `exp_m1(±0)` is `±0`, `exp_m1(-inf)` is -1.
///
/// As [`exp_f64()`], without adding up the 1: `(2^k - 1) + 2^k (e^r - 1)`.
#[routine(library)]
pub fn exp_m1_f64(x: f64) -> f64 {
    let size = high_word(x);
    // 2^-54: the rest of the series is below a quarter of an ulp, and the sign of zero stays.
    if size < 0x3c90_0000 {
        return x;
    }
    // From 56 ln(2) on the 1 is below a quarter of an ulp.
    if size >= 0x4043_687a {
        return if x < 0.0 { -1.0 } else { exp_f64(x) };
    }
    let (k, high, low) = reduce(x);
    let rest = exp_rest(high, low);
    if k == 0 {
        return high + rest;
    }
    let power = power_of_two(k);
    // The first part is the larger one whatever k is.
    let (head, error) = fast_two_sum(power - 1.0, power * high);
    head + (error + power * rest)
}

/// `2^k` for `-1022 <= k <= 1023`.
#[routine(library)]
pub(super) fn power_of_two(k: i32) -> f64 {
    f64::from_bits((k.wrapping_add(1023) as u32 as u64) << 52)
}

/// `y * 2^k` for `y` in [1/2, 2] and `-1080 <= k <= 1024`, rounded once.
#[routine(library)]
pub(super) fn scale(y: f64, k: i32) -> f64 {
    if k.wrapping_add(1021) as u32 <= 2043 {
        return shifted_exponent(y, k);
    }
    let (nearer, factor) = if k > 0 {
        (k.wrapping_sub(1), 2.0)
    } else {
        // 2^-64
        (k.wrapping_add(64), 5.421010862427522e-20)
    };
    shifted_exponent(y, nearer) * factor
}

/// `y * 2^k` where both are normal.
#[routine(library)]
fn shifted_exponent(y: f64, k: i32) -> f64 {
    f64::from_bits(y.to_bits().wrapping_add((k as u32 as u64) << 52))
}

/// (r (e^r + 1) / (e^r - 1) - 2) / r^2 in r^2 on [0, 0.1201], FDLIBM's; 2^-59 is left.
const EXP_1: f64 = 0.16666666666666602;
const EXP_2: f64 = -0.0027777777777015593;
const EXP_3: f64 = 6.613756321437934e-5;
const EXP_4: f64 = -1.6533902205465252e-6;
const EXP_5: f64 = 4.1381367970572385e-8;

/// `e^(high - low) - 1 - high` for `|high| <= 0.348` and a small `low`.
#[routine(library)]
pub(super) fn exp_rest(high: f64, low: f64) -> f64 {
    let r = high - low;
    let z = r * r;
    let c = r - z * (EXP_1 + z * (EXP_2 + z * (EXP_3 + z * (EXP_4 + z * EXP_5))));
    r * c / (2.0 - c) - low
}

/// `x = k ln(2) + high - low`, with `|high| <= 0.348`, for `|x| < 1100`.
#[routine(library)]
fn reduce(x: f64) -> (i32, f64, f64) {
    let shifted = x * LOG2_E + ROUND;
    let k = shifted - ROUND;
    (shifted.to_bits() as i32, x - k * LN2_32, k * LN2_32_TAIL)
}

/// `e^x = 2^k * (head + tail)` for `|x| < 1100`, the error of the sum about 2^-56.
#[routine(library)]
pub(super) fn exp_parts(x: f64) -> (i32, f64, f64) {
    let (k, high, low) = reduce(x);
    let (head, error) = fast_two_sum(1.0, high);
    (k, head, error + exp_rest(high, low))
}

/// What an exponential of a large number is, or of none.
#[routine(library)]
fn exp_extreme(x: f64) -> f64 {
    if x.is_nan() {
        f64::NAN
    } else if x.is_sign_negative() {
        0.0
    } else {
        f64::INFINITY
    }
}

/// log2(e) / 2 in units of 2^-64, and what follows.
pub(super) const HALF_LOG2_E: u64 = 0xb8aa_3b29_5c17_f0bb;
pub(super) const HALF_LOG2_E_TAIL: u64 = 0xbe87_fed0_691d_3e89;

/// (2^f - 1) / (2 f) in f on [0, 1], in units of 2^-64; 2^-64.8 is left.
const EXP2_1: u64 = 0x58b9_0bfb_e8e7_bc5e;
const EXP2_2: u64 = 0x1ebf_bdff_82c5_ae55;
const EXP2_3: u64 = 0x071a_c235_c125_42d0;
const EXP2_4: u64 = 0x013b_2ab6_fbc7_9803;
const EXP2_5: u64 = 0x002b_b0ff_ce23_f6c0;
const EXP2_6: u64 = 0x0005_0c24_5009_2d0b;
const EXP2_7: u64 = 0x0000_7ff2_f2df_70d6;
const EXP2_8: u64 = 0x0000_0b16_1983_db21;
const EXP2_9: u64 = 0x0000_00da_7138_56a4;
const EXP2_10: u64 = 0x0000_000f_450e_2e60;
const EXP2_11: u64 = 0x0000_0000_e291_b76a;
const EXP2_12: u64 = 0x0000_0000_13fd_0e4b;

/// `2^y` for `y` in two's complement, the fraction in the lower half.
#[routine(library)]
pub(super) fn exp2_of_fixed(y: u128) -> f64 {
    let f = y as u64;
    let last = EXP2_9.wrapping_add(times(
        f,
        EXP2_10.wrapping_add(times(f, EXP2_11.wrapping_add(times(f, EXP2_12)))),
    ));
    let upper = EXP2_5.wrapping_add(times(
        f,
        EXP2_6.wrapping_add(times(
            f,
            EXP2_7.wrapping_add(times(f, EXP2_8.wrapping_add(times(f, last)))),
        )),
    ));
    let half = EXP2_1.wrapping_add(times(
        f,
        EXP2_2.wrapping_add(times(
            f,
            EXP2_3.wrapping_add(times(f, EXP2_4.wrapping_add(times(f, upper)))),
        )),
    ));
    // Where f is almost 1 this is almost 2: the first bit stays where it is.
    let significand = (1u64 << 62).wrapping_add(times(f, half) >> 1);
    f64::from_bits(pack(0, ((y >> 64) as i32).wrapping_add(1023), significand))
}
