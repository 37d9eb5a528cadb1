//! Sine, cosine and tangent over the whole range, in integers throughout: Payne-Hanek reduction, which is for large arguments elsewhere,
//! series in fractions of 64 bits, and one rounding at the end.

use gpuvm_macros::routine;

use super::fixed_point::{leading, scaled, times, widening};
use super::{HIGH_INFINITY, high_word};
use crate::wide::{div_rem_narrow, magnitude, shl_u128};

/// Below this, 2^-26, `x` itself is within 0.6 ulp of `sin x` and `tan x`; it also keeps the sign of zero.
const HIGH_TINY: u32 = 0x3e50_0000;

/// Sine of `x` radians.
///
/// Within 1 ulp (0.51 found). NaN for infinities; `sin(±0)` is `±0`.
///
/// Reduction to [0, pi/4] and a sign, then a polynomial.
#[routine(library)]
pub fn sin_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size < HIGH_TINY {
        return x;
    }
    if size >= HIGH_INFINITY {
        return f64::NAN;
    }
    let (quadrant, r, zeros, negative) = reduce(x);
    let z = square(r, zeros);
    let flipped = quadrant & 2 != 0;
    if quadrant & 1 == 0 {
        scaled(sin_kernel(r, z), zeros.wrapping_add(64), negative != flipped)
    } else {
        scaled(cos_kernel(z), 64, flipped)
    }
}

/// Cosine of `x` radians.
///
/// Within 1 ulp (0.51 found). NaN for infinities.
///
/// As [`sin_f64()`].
#[routine(library)]
pub fn cos_f64(x: f64) -> f64 {
    if high_word(x) >= HIGH_INFINITY {
        return f64::NAN;
    }
    let (quadrant, r, zeros, negative) = reduce(x);
    let z = square(r, zeros);
    let flipped = quadrant.wrapping_add(1) & 2 != 0;
    if quadrant & 1 == 0 {
        scaled(cos_kernel(z), 64, flipped)
    } else {
        scaled(sin_kernel(r, z), zeros.wrapping_add(64), negative != flipped)
    }
}

/// Sine and cosine of `x` radians: the same bits as [`sin_f64()`] and [`cos_f64()`], with one reduction.
///
/// Within 1 ulp each (0.51 found).
#[routine(library)]
pub fn sin_cos_f64(x: f64) -> (f64, f64) {
    let size = high_word(x);
    if size >= HIGH_INFINITY {
        return (f64::NAN, f64::NAN);
    }
    let (quadrant, r, zeros, negative) = reduce(x);
    let z = square(r, zeros);
    let s = if size < HIGH_TINY {
        x
    } else {
        scaled(sin_kernel(r, z), zeros.wrapping_add(64), negative)
    };
    let c = scaled(cos_kernel(z), 64, false);
    let (sin, cos) = if quadrant & 1 == 0 { (s, c) } else { (c, s) };
    (
        if quadrant & 2 == 0 { sin } else { -sin },
        if quadrant.wrapping_add(1) & 2 == 0 { cos } else { -cos },
    )
}

/// Tangent of `x` radians.
///
/// Within 2 ulp (0.67 found). NaN for infinities; `tan(±0)` is `±0`. No `f64` is close enough to a pole to overflow.
///
/// The quotient of the kernels of [`sin_f64()`].
#[routine(library)]
pub fn tan_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size < HIGH_TINY {
        return x;
    }
    if size >= HIGH_INFINITY {
        return f64::NAN;
    }
    let (quadrant, r, zeros, negative) = reduce(x);
    let z = square(r, zeros);
    let (s, c) = (sin_kernel(r, z), cos_kernel(z));
    // What is divided has to be less than what it is divided by.
    if quadrant & 1 == 0 {
        let (quotient, _) = div_rem_narrow(s >> 1, 0, c);
        scaled(quotient, zeros.wrapping_add(63), negative)
    } else {
        let (quotient, _) = div_rem_narrow(c >> 2, 0, s);
        scaled(quotient, 62u32.wrapping_sub(zeros), !negative)
    }
}

/// The quadrant of `x` (only its two low bits count), and how far `x` is from its middle: a fraction with its first bit in front, so many zeros
/// that belong before it, and whether it is negative. For finite `x` that are not 0; at most pi/4.
#[routine(library)]
fn reduce(x: f64) -> (i32, u64, u32, bool) {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as u32 & 0x7ff;
    let negative = bits >> 63 != 0;
    if bits & 0x7fff_ffff_ffff_ffff <= PIO4_BITS {
        return (0, leading(bits), 1022u32.wrapping_sub(exponent), negative);
    }
    let (quadrant, fraction) = quarters(bits, exponent);
    // The fraction with its leading bit in front, times pi/4: in units of 2^-(125 + zeros).
    let size = magnitude(fraction);
    let zeros = size.leading_zeros();
    let size = shl_u128(size, zeros);
    let (upper, lower) = ((size >> 64) as u64, size as u64);
    let product = widening(upper, PIO4_UPPER)
        .wrapping_add(widening(lower, PIO4_UPPER) >> 64)
        .wrapping_add(widening(upper, PIO4_LOWER) >> 64);
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    let away = negative != (fraction < 0);
    let quadrant = if negative { quadrant.wrapping_neg() } else { quadrant };
    if upper >> 63 != 0 {
        (quadrant, upper, zeros.wrapping_sub(3), away)
    } else {
        (quadrant, upper << 1 | lower >> 63, zeros.wrapping_sub(2), away)
    }
}

/// The bits of pi/4, rounded.
const PIO4_BITS: u64 = 0x3fe9_21fb_5444_2d18;

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

/// `|x| 2 / pi` for a finite number of so many bits and such an exponent, from 2^-10 on: the nearest integer, modulo 4, and the rest in units
/// of 2^-126.
///
/// Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM 18, 1983: `|x| = m * 2^e` with integers `m`
/// and `e`, and of the bits of 2/pi those that only contribute multiples of four quadrants are skipped; 192 of the
/// rest are enough, as no `f64` comes closer than about 2^-61 to a multiple of pi/2.
#[routine(library)]
fn quarters(bits: u64, exponent: u32) -> (i32, i128) {
    let m = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    // The first bit that counts, where bit 0 is the first of the 64 zeros.
    let offset = exponent.wrapping_sub(1013);
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
        product = (product >> 64).wrapping_add(widening(m, digits));
        left = left.wrapping_sub(1);
    }
    // x * 2/pi modulo 4, in units of 2^-126.
    let turns = (product << 64) | before as u128;
    let quadrant = (turns.wrapping_add(1 << 125) >> 126) as i32;
    (quadrant, turns.wrapping_sub((quadrant as u128) << 126) as i128)
}

/// The square of a fraction with so many zeros before it.
#[routine(library)]
fn square(r: u64, zeros: u32) -> u64 {
    let whole = if zeros > 63 { 0 } else { r.wrapping_shr(zeros) };
    times(whole, whole)
}

/// (1 - sin(r) / r) / r^2 in r^2 on [0, 0.6169], in units of 2^-64, alternating; 2^-68 is left.
const SIN_1: u64 = 0x2aaa_aaaa_aaaa_aaa6;
const SIN_2: u64 = 0x0222_2222_2222_215f;
const SIN_3: u64 = 0x000d_00d0_0d00_c566;
const SIN_4: u64 = 0x0000_2e3b_c74a_66f2;
const SIN_5: u64 = 0x0000_006b_9914_a571;
const SIN_6: u64 = 0x0000_0000_b090_488b;
const SIN_7: u64 = 0x0000_0000_00d5_523b;

/// `sin(r)` as far from its first bit as `r`, given `r^2`.
#[routine(library)]
fn sin_kernel(r: u64, z: u64) -> u64 {
    let upper = SIN_4.wrapping_sub(times(
        z,
        SIN_5.wrapping_sub(times(z, SIN_6.wrapping_sub(times(z, SIN_7)))),
    ));
    let series = SIN_1.wrapping_sub(times(
        z,
        SIN_2.wrapping_sub(times(z, SIN_3.wrapping_sub(times(z, upper)))),
    ));
    // 1 is as good as the largest fraction.
    times(r, !times(z, series))
}

/// (1 - cos(r)) / r^2 in r^2 on [0, 0.6169], in units of 2^-64, alternating; 2^-64.7 is left.
const COS_1: u64 = 0x7fff_ffff_ffff_ffb0;
const COS_2: u64 = 0x0aaa_aaaa_aaaa_9dba;
const COS_3: u64 = 0x005b_05b0_5b04_fb70;
const COS_4: u64 = 0x0001_a01a_019b_6a94;
const COS_5: u64 = 0x0000_049f_93dd_40cc;
const COS_6: u64 = 0x0000_0008_f74c_146d;
const COS_7: u64 = 0x0000_0000_0c7b_faea;

/// `cos(r)`, given `r^2`.
#[routine(library)]
fn cos_kernel(z: u64) -> u64 {
    let upper = COS_4.wrapping_sub(times(
        z,
        COS_5.wrapping_sub(times(z, COS_6.wrapping_sub(times(z, COS_7)))),
    ));
    let series = COS_1.wrapping_sub(times(
        z,
        COS_2.wrapping_sub(times(z, COS_3.wrapping_sub(times(z, upper)))),
    ));
    !times(z, series)
}
