//! Exponential functions: `2^k * e^r` with an integer `k` and `|r| <= ln(2) / 2`, and FDLIBM's rational function for `e^r`.

use gpuvm_macros::routine;

use super::{ROUND, fast_two_sum, head21, high_word};

const LOG2_E: f64 = core::f64::consts::LOG2_E;
const LN2: f64 = core::f64::consts::LN_2;
/// ln(2) in two parts; the first has 32 bits, so that its products with exponents and with heads of 21 bits are exact.
const LN2_32: f64 = 0.6931471803691238;
const LN2_32_TAIL: f64 = 1.9082149292705877e-10;

/// `e^x`.
///
/// Within 1 ulp (0.84 found). `exp(0)` is 1; `+inf` above 709.782712893384, 0 below -745.1332191019412.
///
/// `x = k ln(2) + r` and `e^r = 1 + r + r c / (2 - c)` with a polynomial `c`, as FDLIBM's `e_exp.c`.
#[routine(library)]
pub fn exp_f64(x: f64) -> f64 {
    // From |x| = 708.39 on the result may not be normal.
    if high_word(x) >= 0x4086_232b {
        if x.is_nan() {
            return f64::NAN;
        }
        if x > 709.782712893384 {
            return f64::INFINITY;
        }
        if x < -745.1332191019412 {
            return 0.0;
        }
    }
    let (k, high, low) = reduce(x);
    scale(1.0 + (high + exp_rest(high, low)), k)
}

/// `2^x`.
///
/// Within 1 ulp (0.89 found), and exact for integers. `+inf` from 1024 on, 0 up to -1075.
///
/// `x = k + r`, and as [`exp_f64()`] at `r ln(2)`, a product of which the tail is kept.
#[routine(library)]
pub fn exp2_f64(x: f64) -> f64 {
    if high_word(x) >= 0x4090_0000 {
        if x.is_nan() {
            return f64::NAN;
        }
        if !x.is_sign_negative() {
            return f64::INFINITY;
        }
        if x <= -1075.0 {
            return 0.0;
        }
    }
    let shifted = x + ROUND;
    let r = x - (shifted - ROUND);
    exp2_fraction(r, 0.0, shifted.to_bits() as i32)
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

/// `2^(k + r + tail)` for `|r + tail| <= 0.501` and a small `tail`.
#[routine(library)]
fn exp2_fraction(r: f64, tail: f64, k: i32) -> f64 {
    let head = head21(r + tail);
    let high = head * LN2_32;
    let low = head * LN2_32_TAIL + (tail - (head - r)) * LN2;
    scale(1.0 + (high + exp_rest(high, -low)), k)
}

/// `2^(x + tail)`, where `|tail|` is at most 1/8 and `|x|` below 2^80.
#[routine(library)]
pub(super) fn exp2_of_sum(x: f64, tail: f64) -> f64 {
    let sum = x + tail;
    if sum >= 1024.5 {
        return f64::INFINITY;
    }
    if sum < -1076.0 {
        return 0.0;
    }
    let shifted = sum + ROUND;
    exp2_fraction(x - (shifted - ROUND), tail, shifted.to_bits() as i32)
}
