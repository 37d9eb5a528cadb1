//! Sine, cosine and tangent over the whole range. Payne-Hanek reduction, which is for large arguments elsewhere, serves all of them:
//! in integers it takes fewer instructions than the dozen operations of Cody and Waite's.

use gpuvm_macros::routine;

use super::{HIGH_INFINITY, head21, high_word};
use crate::wide::{magnitude, shl_u128, widening_mul};

/// Below this, 2^-26, `x` itself is within 0.6 ulp of `sin x` and `tan x`; it also keeps the sign of zero.
const HIGH_TINY: u32 = 0x3e50_0000;

/// Sine of `x` radians.
///
/// Within 1 ulp (0.83 found). NaN for infinities; `sin(±0)` is `±0`.
///
/// Reduction to [-pi/4, pi/4] with the rest as head and tail, then FDLIBM's kernels.
#[routine(library)]
pub fn sin_f64(x: f64) -> f64 {
    if high_word(x) < HIGH_TINY {
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
/// Within 1 ulp (0.87 found). NaN for infinities.
///
/// As [`sin_f64()`].
#[routine(library)]
pub fn cos_f64(x: f64) -> f64 {
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

/// Sine and cosine of `x` radians: the same bits as [`sin_f64()`] and [`cos_f64()`], with one reduction.
///
/// Within 1 ulp each (0.83 and 0.87 found).
#[routine(library)]
pub fn sin_cos_f64(x: f64) -> (f64, f64) {
    let (quadrant, r, tail) = reduce(x);
    let s = if high_word(x) < HIGH_TINY {
        x
    } else {
        sin_kernel(r, tail)
    };
    let c = cos_kernel(r, tail);
    let (sin, cos) = if quadrant & 1 == 0 { (s, c) } else { (c, s) };
    (
        if quadrant & 2 == 0 { sin } else { -sin },
        if quadrant.wrapping_add(1) & 2 == 0 { cos } else { -cos },
    )
}

/// Tangent of `x` radians.
///
/// Within 2 ulp (1.49 found). NaN for infinities; `tan(±0)` is `±0`. No `f64` is close enough to a pole to overflow.
///
/// `r + (sin r - r cos r) / cos r` with the series of [`sin_f64()`], where the leading terms cancel on paper; in odd quadrants FDLIBM's
/// corrected reciprocal.
#[routine(library)]
pub fn tan_f64(x: f64) -> f64 {
    if high_word(x) < HIGH_TINY {
        return x;
    }
    let (quadrant, r, tail) = reduce(x);
    let z = r * r;
    // cos r = 1 - z lost.
    let lost = 0.5 - z * cos_series(z);
    let rest = r * z * (sin_series(z) + lost) / (1.0 - z * lost) + (tail + tail * z);
    let head = r + rest;
    if quadrant & 1 == 0 {
        return head;
    }
    // -1 / (r + rest): one Newton step from a reciprocal of 21 bits, whose product with the head is exact.
    let reciprocal = -1.0 / head;
    let head = head21(head);
    let low = rest - (head - r);
    let rough = head21(reciprocal);
    rough + reciprocal * ((1.0 + rough * head) + rough * low)
}

/// The quadrant of `x` (only its two low bits count) and the rest in [-pi/4, pi/4] as head and tail; infinities leave NaN.
#[routine(library)]
fn reduce(x: f64) -> (i32, f64, f64) {
    let size = high_word(x);
    // Up to pi/4.
    if size <= 0x3fe9_21fb {
        (0, x, 0.0)
    } else if size < HIGH_INFINITY {
        reduce_in_integers(x)
    } else {
        (0, f64::NAN, 0.0)
    }
}

/// 64 bits of 2/pi, from the bit `64 place` on; before the point are 64 zeros.
#[routine(library)]
fn two_over_pi(place: u32) -> u64 {
    match place {
        0 => 0,
        1 => 0xa2f9_836e_4e44_1529,
        2 => 0xfc27_57d1_f534_ddc0,
        3 => 0xdb62_9599_3c43_9041,
        4 => 0xfe51_63ab_debb_c561,
        5 => 0xb724_6e3a_424d_d2e0,
        6 => 0x0649_2eea_09d1_921c,
        7 => 0xfe1d_eb1c_b129_a73e,
        8 => 0xe882_35f5_2ebb_4484,
        9 => 0xe99c_7026_b45f_7e41,
        10 => 0x3991_d639_8353_39f4,
        11 => 0x9c84_5f8b_bdf9_283b,
        12 => 0x1ff8_97ff_de05_980f,
        13 => 0xef2f_118b_5a0a_6d1f,
        14 => 0x6d36_7ecf_27cb_09b7,
        15 => 0x4f46_3f66_9e5f_ea2d,
        16 => 0x7527_bac7_ebe5_f17b,
        17 => 0x3d07_39f7_8a52_92ea,
        18 => 0x6bfb_5fb1_1f8d_5d08,
        _ => 0x5603_3046_fc7b_6bab,
    }
}

/// pi/4 in units of 2^-128, the upper and the lower half.
const PIO4_UPPER: u64 = 0xc90f_daa2_2168_c234;
const PIO4_LOWER: u64 = 0xc4c6_628b_80dc_1cd1;

/// As [`reduce()`], for every finite `|x|` from 2^-10 on.
///
/// Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM 18, 1983: `x = m * 2^e` with integers `m`
/// and `e`, and of the bits of 2/pi those that only contribute multiples of four quadrants are skipped; 192 of the
/// rest are enough, as no `f64` comes closer than about 2^-61 to a multiple of pi/2.
#[routine(library)]
fn reduce_in_integers(x: f64) -> (i32, f64, f64) {
    let bits = x.to_bits();
    let m = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    // The first bit that counts, where bit 0 is the first of the 64 zeros.
    let offset = ((bits >> 52) as u32 & 0x7ff).wrapping_sub(1013);
    let shift = offset & 63;
    let mut place = (offset >> 6).wrapping_add(3);
    let mut lower = two_over_pi(place);
    // The product from its low end, 64 bits at a time; the lowest ones are dropped, and so is what is above four quadrants.
    let mut product = 0u128;
    let mut before = 0u64;
    let mut left = 3u32;
    while left != 0 {
        place = place.wrapping_sub(1);
        let upper = two_over_pi(place);
        let digits = upper.wrapping_shl(shift) | (lower >> 1).wrapping_shr(63 ^ shift);
        lower = upper;
        before = product as u64;
        product = (product >> 64).wrapping_add(widening_mul(m, digits));
        left = left.wrapping_sub(1);
    }
    // x * 2/pi modulo 4, in units of 2^-126.
    let turns = (product << 64) | before as u128;
    let quadrant = (turns.wrapping_add(1 << 125) >> 126) as i32;
    let fraction = turns.wrapping_sub((quadrant as u128) << 126) as i128;
    // The fraction with its leading bit in front, times pi/4: in units of 2^-(125 + zeros).
    let size = magnitude(fraction);
    let zeros = size.leading_zeros();
    let size = shl_u128(size, zeros);
    let (upper, lower) = ((size >> 64) as u64, size as u64);
    let product = widening_mul(upper, PIO4_UPPER)
        .wrapping_add(widening_mul(lower, PIO4_UPPER) >> 64)
        .wrapping_add(widening_mul(upper, PIO4_LOWER) >> 64);
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    let head = upper as f64;
    // At most 2^10 in size, so 52 bits of what follows have room.
    let rest = upper.wrapping_sub(head as u64);
    let tail = ((rest << 52) | (lower >> 12)) as i64 as f64;
    let negative = (bits >> 63 != 0) != (fraction < 0);
    let head = with_exponent_less(head, zeros.wrapping_add(61), negative);
    let tail = with_exponent_less(tail, zeros.wrapping_add(113), negative);
    (
        if bits >> 63 != 0 {
            quadrant.wrapping_neg()
        } else {
            quadrant
        },
        head,
        tail,
    )
}

/// `value * 2^-by`, negated on demand; the result is normal or 0.
#[routine(library)]
fn with_exponent_less(value: f64, by: u32, negative: bool) -> f64 {
    let bits = value.to_bits();
    let scaled = if bits << 1 == 0 {
        0
    } else {
        bits.wrapping_sub((by as u64) << 52)
    };
    f64::from_bits(scaled ^ (negative as u64) << 63)
}

/// (sin r - r) / r^3 in r^2 on [0, 0.7854], FDLIBM's; 2^-58 is left.
const SIN_1: f64 = -0.16666666666666632;
const SIN_2: f64 = 0.00833333333332249;
const SIN_3: f64 = -0.0001984126982985795;
const SIN_4: f64 = 2.7557313707070068e-6;
const SIN_5: f64 = -2.5050760253406863e-8;
const SIN_6: f64 = 1.58969099521155e-10;

/// `(sin r - r) / r^3` for `r^2 = z`.
#[routine(library)]
fn sin_series(z: f64) -> f64 {
    SIN_1 + z * (SIN_2 + z * (SIN_3 + z * (SIN_4 + z * (SIN_5 + z * SIN_6))))
}

/// `sin(r + tail)` for `|r| <= pi/4`.
#[routine(library)]
fn sin_kernel(r: f64, tail: f64) -> f64 {
    let z = r * r;
    r + (r * z * sin_series(z) + tail)
}

/// (cos r - 1 + r^2 / 2) / r^4 in r^2 on [0, 0.7854], FDLIBM's; 2^-58 is left.
const COS_1: f64 = 0.0416666666666666;
const COS_2: f64 = -0.001388888888887411;
const COS_3: f64 = 2.480158728947673e-5;
const COS_4: f64 = -2.7557314351390663e-7;
const COS_5: f64 = 2.087572321298175e-9;
const COS_6: f64 = -1.1359647557788195e-11;

/// `(cos r - 1 + r^2 / 2) / r^4` for `r^2 = z`.
#[routine(library)]
fn cos_series(z: f64) -> f64 {
    COS_1 + z * (COS_2 + z * (COS_3 + z * (COS_4 + z * (COS_5 + z * COS_6))))
}

/// `cos(r + tail)` for `|r| <= pi/4`.
#[routine(library)]
fn cos_kernel(r: f64, tail: f64) -> f64 {
    let z = r * r;
    let half_z = 0.5 * z;
    // 1 - z/2 loses bits that the last addition gives back.
    let head = 1.0 - half_z;
    head + (((1.0 - head) - half_z) + (z * z * cos_series(z) - r * tail))
}
