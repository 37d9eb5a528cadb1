//! Sine, cosine and tangent over the whole range, with Cody-Waite reduction for small arguments and Payne-Hanek
//! reduction for large ones.

use gpuvm_macros::routine;

use crate::double_float::{ROUND, fast_two_sum, head12, two_product};

const FRAC_2_PI: f32 = core::f32::consts::FRAC_2_PI;
const FRAC_PI_4: f32 = core::f32::consts::FRAC_PI_4;

/// Up to here [`reduce_small()`] is accurate.
const SMALL_MAX: f32 = 400.0;
/// Below this, 2^-12, `x` itself is within 0.7 ulp of `sin x` and `tan x`; it also keeps the sign of zero.
const TINY: f32 = 0.00024414063;

/// pi/2 in three parts. The first two have 13 bits, so that their products with a quadrant number are exact.
const PIO2_1: f32 = 1.5708008;
const PIO2_2: f32 = -4.454516e-6;
const PIO2_3: f32 = 6.0771006e-11;

/// Sine of `x` radians.
///
/// Within 0.92 ulp. NaN for infinities; `sin(±0)` is `±0`.
///
/// Reduction to [-pi/4, pi/4] with the rest as head and tail, then FDLIBM's kernels with coefficients for `f32`.
#[routine(library)]
pub fn sin(x: f32) -> f32 {
    if x.abs() < TINY {
        return x;
    }
    let (quadrant, r, tail) = reduce(x);
    let value = if quadrant & 1 == 0 {
        sin_kernel(r, tail)
    } else {
        cos_kernel(r, tail)
    };
    if quadrant & 2 == 0 { value } else { -value }
}

/// Cosine of `x` radians.
///
/// Within 0.92 ulp. NaN for infinities.
///
/// As [`sin()`].
#[routine(library)]
pub fn cos(x: f32) -> f32 {
    let (quadrant, r, tail) = reduce(x);
    let value = if quadrant & 1 == 0 {
        cos_kernel(r, tail)
    } else {
        sin_kernel(r, tail)
    };
    if quadrant.wrapping_add(1) & 2 == 0 {
        value
    } else {
        -value
    }
}

/// Sine and cosine of `x` radians: the same bits as [`sin()`] and [`cos()`], with one reduction.
///
/// Within 0.92 and 0.92 ulp.
#[routine(library)]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let (quadrant, r, tail) = reduce(x);
    let s = if x.abs() < TINY { x } else { sin_kernel(r, tail) };
    let c = cos_kernel(r, tail);
    let (sin, cos) = if quadrant & 1 == 0 { (s, c) } else { (c, s) };
    (
        if quadrant & 2 == 0 { sin } else { -sin },
        if quadrant.wrapping_add(1) & 2 == 0 { cos } else { -cos },
    )
}

/// (tan r - r) / r^3 in r^2 on [0, 0.7874]; 2^-29.4 is left.
const TAN_1: f32 = 0.3333335;
const TAN_2: f32 = 0.13332675;
const TAN_3: f32 = 0.054059032;
const TAN_4: f32 = 0.021284789;
const TAN_5: f32 = 0.010833331;
const TAN_6: f32 = 8.7998385e-5;
const TAN_7: f32 = 0.0043790825;

/// Tangent of `x` radians.
///
/// Within 1.32 ulp. NaN for infinities; `tan(±0)` is `±0`. No `f32` is close enough to a pole to overflow.
///
/// Reduction as in [`sin()`], one odd polynomial, and in odd quadrants FDLIBM's corrected reciprocal.
#[routine(library)]
pub fn tan(x: f32) -> f32 {
    if x.abs() < TINY {
        return x;
    }
    let (quadrant, r, tail) = reduce(x);
    let z = r * r;
    let series = TAN_1 + z * (TAN_2 + z * (TAN_3 + z * (TAN_4 + z * (TAN_5 + z * (TAN_6 + z * TAN_7)))));
    let rest = r * z * series + (tail + tail * z);
    let head = r + rest;
    if quadrant & 1 == 0 {
        return head;
    }
    // -1 / (r + rest): one Newton step from a reciprocal of 12 bits, whose product with the head is exact.
    let head = head12(head);
    let low = rest - (head - r);
    let reciprocal = -1.0 / (r + rest);
    let rough = head12(reciprocal);
    rough + reciprocal * ((1.0 + rough * head) + rough * low)
}

/// The quadrant of `x` (only its two low bits count) and the rest in [-pi/4, pi/4] as head and tail,
/// for `|x| <= SMALL_MAX`.
///
/// Cody and Waite, "Software Manual for the Elementary Functions", 1980.
#[routine(library)]
fn reduce_small(x: f32) -> (i32, f32, f32) {
    let n = (x * FRAC_2_PI + ROUND) - ROUND;
    // Both products and the first difference are exact. So is the error of the second difference: where the
    // operands are too close for a fast two-sum, the difference itself is exact.
    let first = x - n * PIO2_1;
    let (second, error) = fast_two_sum(first, -(n * PIO2_2));
    let rest = error - n * PIO2_3;
    let (head, tail) = fast_two_sum(second, rest);
    (n as i32, head, tail)
}

/// 2^-62 * pi/2 as head and tail.
const UNIT_HEAD: f32 = 3.4061217e-19;
const UNIT_TAIL: f32 = -9.4783964e-27;

/// Like [`reduce_small()`], for every finite `|x| >= 2^8`.
///
/// Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM 18, 1983: `x = m * 2^e` with integers `m`
/// and `e`, and of the bits of 2/pi those that only contribute multiples of four quadrants are skipped; 96 of the
/// rest are enough, as no `f32` comes closer than about 2^-30 to a multiple of pi/2.
#[routine(library)]
fn reduce_large(x: f32) -> (i32, f32, f32) {
    let bits = x.abs().to_bits();
    let m = (bits & 0x007f_ffff) | 0x0080_0000;
    // The first bit that counts, where bit 0 is the first of the 32 zeros put before 2/pi.
    let offset = (bits >> 23).wrapping_sub(120);
    let (w0, w1, w2, w3): (u32, u32, u32, u32) = match offset >> 5 {
        0 => (0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1),
        1 => (0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0),
        2 => (0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599),
        3 => (0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041),
        _ => (0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab),
    };
    let shift = offset & 31;
    let back = 31 - shift;
    let a = (w0 << shift) | ((w1 >> 1) >> back);
    let b = (w1 << shift) | ((w2 >> 1) >> back);
    let c = (w2 << shift) | ((w3 >> 1) >> back);
    // x * 2/pi modulo 4, in units of 2^-62.
    let turns = ((m.wrapping_mul(a) as u64) << 32)
        .wrapping_add((m as u64).wrapping_mul(b as u64))
        .wrapping_add((m as u64).wrapping_mul(c as u64) >> 32);
    let quadrant = (turns.wrapping_add(1 << 61) >> 62) as i32;
    let fraction = turns.wrapping_sub((quadrant as u64) << 62) as i64;
    let fraction_head = fraction as f32;
    let fraction_tail = fraction.wrapping_sub(fraction_head as i64) as f32;
    let (product, error) = two_product(fraction_head, UNIT_HEAD);
    let rest = error + (fraction_head * UNIT_TAIL + fraction_tail * UNIT_HEAD);
    let (head, tail) = fast_two_sum(product, rest);
    if x < 0.0 {
        (-quadrant, -head, -tail)
    } else {
        (quadrant, head, tail)
    }
}

/// The quadrant and the rest as head and tail, for any `x`; infinities leave NaN.
#[routine(library)]
fn reduce(x: f32) -> (i32, f32, f32) {
    if x.abs() <= FRAC_PI_4 {
        (0, x, 0.0)
    } else if x.abs() <= SMALL_MAX {
        reduce_small(x)
    } else if x.abs() < f32::INFINITY {
        reduce_large(x)
    } else {
        (0, f32::NAN, 0.0)
    }
}

/// (sin r - r) / r^3 in r^2 on [0, 0.7874]; 2^-27.8 is left.
const SIN_1: f32 = -0.16666654;
const SIN_2: f32 = 0.008332118;
const SIN_3: f32 = -0.00019510399;

/// `sin(r + tail)` for `|r| <= pi/4`.
#[routine(library)]
fn sin_kernel(r: f32, tail: f32) -> f32 {
    let z = r * r;
    r + (r * z * (SIN_1 + z * (SIN_2 + z * SIN_3)) + tail)
}

/// (cos r - 1 + r^2 / 2) / r^4 in r^2 on [0, 0.7874]; 2^-33 is left.
const COS_1: f32 = 0.041666646;
const COS_2: f32 = -0.0013887308;
const COS_3: f32 = 2.4432093e-5;

/// `cos(r + tail)` for `|r| <= pi/4`.
#[routine(library)]
fn cos_kernel(r: f32, tail: f32) -> f32 {
    let z = r * r;
    let half_z = 0.5 * z;
    // 1 - z/2 loses bits that the last addition gives back, as FDLIBM's does.
    let head = 1.0 - half_z;
    head + (((1.0 - head) - half_z) + (z * z * (COS_1 + z * (COS_2 + z * COS_3)) - r * tail))
}
