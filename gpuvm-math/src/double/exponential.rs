//! Exponential functions in fixed point: `2^k * 2^f` with an integer `k` and a polynomial for `2^f`.

use gpuvm_macros::routine;

use super::fixed_point::{fixed, leading, scaled, times, widening};
use super::{HIGH_ONE, high_word};
use crate::soft_double::pack;
use crate::wide::shr_u128;

/// `e^x`.
///
/// Within 1 ulp (0.51 found). `exp(0)` is 1; `+inf` above 709.782712893384, 0 below -745.1332191019412.
///
/// `2^(x log2(e))`, the product and the power in fixed point.
#[routine(library)]
pub fn exp_f64(x: f64) -> f64 {
    if high_word(x) >= HIGH_LARGE {
        return exp_extreme(x);
    }
    exp2_of_fixed(times_log2_e(x))
}

/// `2^x`.
///
/// Within 1 ulp (0.51 found), and exact for integers. `+inf` from 1024 on, 0 up to -1075.
///
/// The whole part is the exponent; the rest is a polynomial in fixed point.
#[routine(library)]
pub fn exp2_f64(x: f64) -> f64 {
    if high_word(x) >= HIGH_LARGE {
        return exp_extreme(x);
    }
    exp2_of_fixed(fixed(x))
}

/// `e^x - 1`, also accurate where `x` is small.
///
/// Within 2 ulp (0.51 found). `exp_m1(±0)` is `±0`, `exp_m1(-inf)` is -1.
///
/// As [`exp_f64()`]; below 1 it is `2 sinh(x / 2) e^(x / 2)`.
#[routine(library)]
pub fn exp_m1_f64(x: f64) -> f64 {
    let size = high_word(x);
    // 2^-54: the rest of the series is below a quarter of an ulp, and the sign of zero stays.
    if size < 0x3c90_0000 {
        return x;
    }
    let negative = x.is_sign_negative();
    if size >= HIGH_LARGE {
        return if x.is_nan() {
            f64::NAN
        } else if negative {
            -1.0
        } else {
            f64::INFINITY
        };
    }
    if size < HIGH_ONE {
        let half = f64::from_bits(x.to_bits().wrapping_sub(1 << 52));
        let (s, zeros) = sinh_series(half);
        let (k, power) = exp2_parts(times_log2_e(half));
        let by = zeros.wrapping_add(61).wrapping_sub(k as u32);
        return scaled(times(s, power << 1), by, negative);
    }
    let (k, power) = exp2_parts(times_log2_e(x));
    if negative {
        let by = k.unsigned_abs();
        let power = if by > 63 { 0 } else { power.wrapping_shr(by) };
        return scaled((1u64 << 62).wrapping_sub(power), 62, true);
    }
    let one = if k > 62 { 0 } else { (1u64 << 62).wrapping_shr(k as u32) };
    packed(power.wrapping_sub(one), k.wrapping_add(1), false)
}

/// (sinh r / r - 1) / r^2 in r^2 on [0, 1], in units of 2^-64; 2^-63.3 is left.
const SINH_1: u64 = 0x2aaa_aaaa_aaaa_ab37;
const SINH_2: u64 = 0x0222_2222_2222_141d;
const SINH_3: u64 = 0x000d_00d0_0d01_4904;
const SINH_4: u64 = 0x0000_2e3b_c748_bed5;
const SINH_5: u64 = 0x0000_006b_9919_d9b9;
const SINH_6: u64 = 0x0000_0000_b08d_1d01;
const SINH_7: u64 = 0x0000_0000_00da_67c1;

/// `sinh |x|` in units of 2^-(63 + zeros), and the zeros, for `2^-60 < |x| < 1`.
#[routine(library)]
pub(super) fn sinh_series(x: f64) -> (u64, u32) {
    let bits = x.to_bits();
    let r = leading(bits);
    let zeros = 1022u32.wrapping_sub((bits >> 52) as u32 & 0x7ff);
    let whole = r.wrapping_shr(zeros);
    let z = times(whole, whole);
    let upper = SINH_4.wrapping_add(times(
        z,
        SINH_5.wrapping_add(times(z, SINH_6.wrapping_add(times(z, SINH_7)))),
    ));
    let series = SINH_1.wrapping_add(times(
        z,
        SINH_2.wrapping_add(times(z, SINH_3.wrapping_add(times(z, upper)))),
    ));
    let half = r >> 1;
    (half.wrapping_add(times(half, times(z, series))), zeros)
}

/// `value * 2^(k - 63)` for a value that is not 0, rounded once whatever it is.
#[routine(library)]
pub(super) fn packed(value: u64, k: i32, negative: bool) -> f64 {
    let zeros = value.leading_zeros();
    let exponent = k.wrapping_add(1023).wrapping_sub(zeros as i32);
    let sign = (negative as u64) << 63;
    f64::from_bits(pack(sign, exponent, value.wrapping_shl(zeros) >> 1))
}

/// The high word of 2^11: from there on all exponentials are 0 or infinite.
pub(super) const HIGH_LARGE: u32 = 0x40a0_0000;

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

/// `x log2(e)` for `|x| < 2^11`, in two's complement, the fraction in the lower half.
#[routine(library)]
pub(super) fn times_log2_e(x: f64) -> u128 {
    let bits = x.to_bits();
    let significand = leading(bits);
    let product = widening(significand, HALF_LOG2_E).wrapping_add(widening(significand, HALF_LOG2_E_TAIL) >> 64);
    let by = 1085u32.wrapping_sub((bits >> 52) as u32 & 0x7ff);
    let size = if by > 127 { 0 } else { shr_u128(product, by) };
    if bits >> 63 != 0 { size.wrapping_neg() } else { size }
}

/// `2^y` for `y` in two's complement, the fraction in the lower half.
#[routine(library)]
pub(super) fn exp2_of_fixed(y: u128) -> f64 {
    let (k, power) = exp2_parts(y);
    f64::from_bits(pack(0, k.wrapping_add(1023), power))
}

/// `2^y` as `power * 2^(k - 62)`, the first bit of `power` at bit 62, for `y` in two's complement, the fraction in the lower half.
#[routine(library)]
pub(super) fn exp2_parts(y: u128) -> (i32, u64) {
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
    ((y >> 64) as i32, (1u64 << 62).wrapping_add(times(f, half) >> 1))
}
