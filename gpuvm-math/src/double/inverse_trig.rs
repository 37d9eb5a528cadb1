//! Arc functions in fixed point: the arc tangent of a quotient, to which identities lead the others.

use gpuvm_macros::routine;

use super::fixed_point::{fixed, scaled, times, widening};
use super::{HIGH_INFINITY, HIGH_ONE, high_word};
use crate::soft_double::{pack, unpack};
use crate::wide::div_rem_narrow;

/// Arc sine, in [-pi/2, pi/2].
///
/// Within 2 ulp (1.18 found). NaN outside [-1, 1]; `asin(±0)` is `±0`.
///
/// The arc tangent of `x / sqrt(1 - x^2)`.
#[routine(library)]
pub fn asin_f64(x: f64) -> f64 {
    if outside(x) {
        return f64::NAN;
    }
    atan2_f64(x, other_leg(x))
}

/// Arc cosine, in [0, pi].
///
/// Within 2 ulp (1.21 found). NaN outside [-1, 1]; `acos(1)` is `+0`.
///
/// The arc tangent of `sqrt(1 - x^2) / x`.
#[routine(library)]
pub fn acos_f64(x: f64) -> f64 {
    if outside(x) {
        return f64::NAN;
    }
    atan2_f64(other_leg(x), x)
}

/// Whether `|x|` is above 1, or NaN.
#[routine(library)]
fn outside(x: f64) -> bool {
    x.is_nan() || x.to_bits() & !SIGN > (HIGH_ONE as u64) << 32
}

/// `sqrt(1 - x^2)` for `|x| <= 1`, the square exact where it counts.
#[routine(library)]
fn other_leg(x: f64) -> f64 {
    // 2^-32
    if high_word(x) < 0x3df0_0000 {
        return 1.0;
    }
    let fraction = fixed(x.abs()) as u64;
    // 1 itself has no fraction, and no other leg.
    if fraction == 0 {
        return 0.0;
    }
    let root = (widening(fraction, fraction).wrapping_neg() as f64).sqrt();
    f64::from_bits(root.to_bits().wrapping_sub(64 << 52))
}

/// Arc tangent, in [-pi/2, pi/2].
///
/// Within 2 ulp (0.51 found). `atan(±inf)` is `±pi/2`, `atan(±0)` is `±0`.
///
/// [`atan2_f64()`] of `x` and 1.
#[routine(library)]
pub fn atan_f64(x: f64) -> f64 {
    atan2_f64(x, 1.0)
}

/// The angle of the point (`x`, `y`), in [-pi, pi]: `y.atan2(x)`.
///
/// Within 2 ulp (0.51 found). Signed zeros and infinities as IEEE 754 has them: `atan2(±0, +0)` is `±0`,
/// `atan2(±0, -0)` is `±pi`, `atan2(±inf, +inf)` is `±pi/4`, `atan2(±inf, -inf)` is `±3pi/4`.
///
/// In fixed point: with `q` the smaller by the larger, `atan q = atan c + atan((q - c) / (1 + c q))` for the multiple `c` of 1/4 that is
/// nearest, both in one division, and a polynomial.
#[routine(library)]
pub fn atan2_f64(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (x_bits, y_bits) = (x.to_bits(), y.to_bits());
    let sign = y_bits & SIGN;
    let left = x_bits & SIGN != 0;
    let (a, b) = (y_bits & !SIGN, x_bits & !SIGN);
    let steep = a > b;
    let (small, large) = if steep { (b, a) } else { (a, b) };
    // Infinities have the angle of any two equal numbers.
    let (angle, zeros) = if small == 0 || (large == INFINITY && small != large) {
        (0, 0)
    } else {
        arc(small, large)
    };
    if steep || left {
        let angle = if zeros > 61 {
            0
        } else {
            angle.wrapping_shr(zeros.wrapping_add(2))
        };
        let turned = if !steep {
            PI.wrapping_sub(angle)
        } else if left {
            HALF_PI.wrapping_add(angle)
        } else {
            HALF_PI.wrapping_sub(angle)
        };
        return scaled(turned, 62, sign != 0);
    }
    if angle == 0 {
        return f64::from_bits(sign);
    }
    let more = angle.leading_zeros();
    let exponent = 1022u32.wrapping_sub(zeros).wrapping_sub(more) as i32;
    f64::from_bits(pack(sign, exponent, angle.wrapping_shl(more) >> 1))
}

/// The sign bit, and the bits of infinity.
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = (HIGH_INFINITY as u64) << 32;
/// pi and pi/2 in units of 2^-62.
const PI: u64 = 0xc90f_daa2_2168_c235;
const HALF_PI: u64 = 0x6487_ed51_10b4_611a;
/// atan(1/4), atan(1/2), atan(3/4) and atan(1) in units of 2^-64.
const ATAN_1_4: u64 = 0x3eb6_ebf2_5901_bac5;
const ATAN_2_4: u64 = 0x76b1_9c15_86ed_3da3;
const ATAN_3_4: u64 = 0xa4bc_7d19_34f7_0924;
const ATAN_4_4: u64 = 0xc90f_daa2_2168_c235;

/// (1 - atan(t) / t) / t^2 in t^2 on [0, 1/64], in units of 2^-64, alternating; 2^-67 is left.
const ATAN_1: u64 = 0x5555_5555_5555_52e7;
const ATAN_2: u64 = 0x3333_3333_3323_a7c8;
const ATAN_3: u64 = 0x2492_4924_70ad_703c;
const ATAN_4: u64 = 0x1c71_c6f9_f9c2_9c27;
const ATAN_5: u64 = 0x1745_be87_50a0_35f4;
const ATAN_6: u64 = 0x13ab_81f1_93f2_ece2;
const ATAN_7: u64 = 0x102a_31d4_239a_bba2;

/// `atan(small / large)` in units of 2^-(64 + zeros), and the zeros, for the bits of two finite positive numbers or two infinities.
#[routine(library)]
fn arc(small: u64, large: u64) -> (u64, u32) {
    let ((small_exponent, s), (large_exponent, l)) = (unpack(small), unpack(large));
    let apart = large_exponent.wrapping_sub(small_exponent) as u32;
    let (s, l) = (s << 11, l << 11);
    // Where c is not 0 no bit is lost, here and below: the low ones are 0.
    let aligned = if apart > 63 { 0 } else { s.wrapping_shr(apart) };
    let eighth = l >> 3;
    let (quarters, start) = if aligned < eighth {
        (0, 0)
    } else if aligned < eighth.wrapping_mul(3) {
        (1, ATAN_1_4)
    } else if aligned < eighth.wrapping_mul(5) {
        (2, ATAN_2_4)
    } else if aligned < eighth.wrapping_mul(7) {
        (3, ATAN_3_4)
    } else {
        (4, ATAN_4_4)
    };
    let c_l = (l >> 2).wrapping_mul(quarters);
    let back = aligned < c_l;
    let (above, below) = if quarters == 0 {
        (s >> 1, l)
    } else {
        let distance = if back {
            c_l.wrapping_sub(aligned)
        } else {
            aligned.wrapping_sub(c_l)
        };
        (
            distance >> 1,
            (l >> 1).wrapping_add((aligned >> 3).wrapping_mul(quarters)),
        )
    };
    let (t, _) = div_rem_narrow(above, 0, below);
    // The zeros before what is no fraction yet.
    let zeros = if quarters == 0 { apart.wrapping_sub(1) } else { 0 };
    let whole = if zeros > 63 { 0 } else { t.wrapping_shr(zeros) };
    let z = times(whole, whole);
    let upper = ATAN_4.wrapping_sub(times(
        z,
        ATAN_5.wrapping_sub(times(z, ATAN_6.wrapping_sub(times(z, ATAN_7)))),
    ));
    let series = ATAN_1.wrapping_sub(times(
        z,
        ATAN_2.wrapping_sub(times(z, ATAN_3.wrapping_sub(times(z, upper)))),
    ));
    // 1 is as good as the largest fraction.
    let rest = times(t, !times(z, series));
    let angle = if back {
        start.wrapping_sub(rest)
    } else {
        start.wrapping_add(rest)
    };
    (angle, zeros)
}
