//! Exponential functions: `2^k * e^r` with an integer `k` and `|r| <= ln(2) / 2`, and a polynomial for `e^r` whose
//! result stays a head and a tail until the last addition.

use gpuvm_macros::routine;

use crate::double_float::{ROUND, fast_two_sum, head12, two_sum};

const LOG2_E: f32 = core::f32::consts::LOG2_E;
/// ln(2) in two parts; the first has 16 bits, so that its product with an exponent is exact.
const LN2_16: f32 = 0.69314575;
const LN2_16_TAIL: f32 = 1.4286068e-6;
/// ln(2), and in two parts of which the first has 12 bits.
const LN2: f32 = core::f32::consts::LN_2;
const LN2_12: f32 = 0.69311523;
const LN2_12_TAIL: f32 = 3.1946183e-5;

/// `e^x`.
///
/// Within 0.79 ulp. `exp(0)` is 1; `+inf` above 88.72283, 0 below -103.97208.
///
/// `x = k ln(2) + r` (Cody-Waite), a polynomial for `e^r`.
#[routine(library)]
pub fn exp(x: f32) -> f32 {
    if x > 88.72284 {
        return f32::INFINITY;
    }
    if x < -104.0 {
        return 0.0;
    }
    let (k, head, tail) = exp_parts(x);
    scale(head + tail, k)
}

/// `2^x`.
///
/// Within 0.80 ulp, and exact for integers. `+inf` from 128 on, 0 up to -150.
///
/// `x = k + r`, and the polynomial of [`exp()`] at `r ln(2)`, a product of which the tail is kept.
#[routine(library)]
pub fn exp2(x: f32) -> f32 {
    if x >= 128.0 {
        return f32::INFINITY;
    }
    if x <= -150.0 {
        return 0.0;
    }
    let k = (x + ROUND) - ROUND;
    let (head, tail) = exp2_fraction(x - k, 0.0);
    scale(head + tail, k as i32)
}

/// `e^x - 1`, also accurate where `x` is small.
///
/// Within 1.20 ulp. `exp_m1(±0)` is `±0`, `exp_m1(-inf)` is -1.
///
/// As [`exp()`], without adding up the 1: `(2^k - 1) + 2^k (e^r - 1)`.
#[routine(library)]
pub fn exp_m1(x: f32) -> f32 {
    // 2^-26: the rest of the series is below a quarter of an ulp, and the sign of zero stays.
    if x.abs() < 1.4901161e-8 {
        return x;
    }
    // From here on the 1 is below a quarter of an ulp.
    if x > 18.0 {
        return exp(x);
    }
    if x < -18.0 {
        return -1.0;
    }
    let (k, r, r_tail) = reduce(x);
    let series = exp_series(r, r_tail);
    if k == 0 {
        return r + series;
    }
    let power = power_of_two(k);
    let (head, error) = two_sum(power - 1.0, power * r);
    head + (error + power * series)
}

/// `2^k` for `-126 <= k <= 127`.
#[routine(library)]
pub(crate) fn power_of_two(k: i32) -> f32 {
    f32::from_bits((k.wrapping_add(127) as u32) << 23)
}

/// `y * 2^k` for `y` in [1/2, 2] and `-252 <= k <= 254`, rounded once.
#[routine(library)]
pub(crate) fn scale(y: f32, k: i32) -> f32 {
    // -125 to 127, where the result is normal and the power too.
    if k.wrapping_add(125) as u32 <= 252 {
        return y * power_of_two(k);
    }
    // The first product stays normal and thus exact.
    let half = k >> 1;
    y * power_of_two(half) * power_of_two(k - half)
}

/// (e^r - 1 - r) / r^2 on [-0.348, 0.348]; 2^-28.2 is left.
const EXP_2: f32 = 0.49999994;
const EXP_3: f32 = 0.16666517;
const EXP_4: f32 = 0.041668255;
const EXP_5: f32 = 0.00836915;
const EXP_6: f32 = 0.0013822308;

/// `e^(r + tail) - 1 - r` for `|r| <= 0.348` and `|tail| <= 2^-25`.
#[routine(library)]
fn exp_series(r: f32, tail: f32) -> f32 {
    let series = r * (EXP_2 + r * (EXP_3 + r * (EXP_4 + r * (EXP_5 + r * EXP_6))));
    r * (series + tail) + tail
}

/// `x = k ln(2) + r + tail`, with `|r| <= 0.348`, for `|x| < 200`.
#[routine(library)]
fn reduce(x: f32) -> (i32, f32, f32) {
    let k = (x * LOG2_E + ROUND) - ROUND;
    // Exact, as the product is and the operands are close.
    let high = x - k * LN2_16;
    let low = k * LN2_16_TAIL;
    let r = high - low;
    (k as i32, r, (high - r) - low)
}

/// `e^x = 2^k * (head + tail)` for `|x| < 200`, the error of the sum below 2^-27.
#[routine(library)]
pub(crate) fn exp_parts(x: f32) -> (i32, f32, f32) {
    let (k, r, r_tail) = reduce(x);
    let (head, error) = fast_two_sum(1.0, r);
    (k, head, error + exp_series(r, r_tail))
}

/// `2^(r + r_tail)` as head and tail, for `|r| <= 0.501` and a small `r_tail`, the error of the sum below 2^-27.
#[routine(library)]
fn exp2_fraction(r: f32, r_tail: f32) -> (f32, f32) {
    let r_head = head12(r);
    let product = r_head * LN2_12;
    let rest = ((r - r_head) + r_tail) * LN2 + r_head * LN2_12_TAIL;
    let e = product + rest;
    let (head, error) = fast_two_sum(1.0, e);
    (head, error + exp_series(e, rest - (e - product)))
}

/// `2^(x + tail)`, where the tail may be as large as 1/8 and the sum anything but NaN.
#[routine(library)]
pub(crate) fn exp2_of_sum(x: f32, tail: f32) -> f32 {
    let sum = x + tail;
    if sum >= 129.0 {
        return f32::INFINITY;
    }
    if sum < -151.0 {
        return 0.0;
    }
    let k = (sum + ROUND) - ROUND;
    let near = x - k;
    let r = near + tail;
    let (head, rest) = exp2_fraction(r, tail - (r - near));
    scale(head + rest, k as i32)
}
