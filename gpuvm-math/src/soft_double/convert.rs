//! Conversions from and to integers and `f32`, as `as` has them.

use gpuvm_macros::routine;

use super::{FRACTION, INFINITY, LEADING, MAGNITUDE, NAN, SIGN, pack, shifted, unpack};
use crate::wide::{shl_u128, shr_u128};

/// The nearest number.
#[routine(library)]
pub fn u64_to_f64(value: u64) -> u64 {
    if value == 0 {
        return 0;
    }
    let zeros = value.leading_zeros();
    let leading = value.wrapping_shl(zeros);
    pack(0, 1086u32.wrapping_sub(zeros) as i32, leading >> 1 | leading & 1)
}

/// The nearest number.
#[routine(library)]
pub fn i64_to_f64(value: i64) -> u64 {
    if value < 0 {
        return u64_to_f64(value.wrapping_neg() as u64) | SIGN;
    }
    u64_to_f64(value as u64)
}

/// The nearest number.
#[routine(library)]
pub fn u128_to_f64(value: u128) -> u64 {
    if value == 0 {
        return 0;
    }
    let zeros = value.leading_zeros();
    let leading = shl_u128(value, zeros);
    let significand = (leading >> 65) as u64 | (leading << 63 != 0) as u64;
    pack(0, 1150u32.wrapping_sub(zeros) as i32, significand)
}

/// The nearest number.
#[routine(library)]
pub fn i128_to_f64(value: i128) -> u64 {
    if value < 0 {
        return u128_to_f64(value.wrapping_neg() as u128) | SIGN;
    }
    u128_to_f64(value as u128)
}

/// The whole part, or the nearest number that there is; 0 for NaN.
#[routine(library)]
pub fn f64_to_u64(a: u64) -> u64 {
    let exponent = (a >> 52) as u32;
    // Below 1, or below 0, or NaN with a sign.
    if !(1023..=0x7ff).contains(&exponent) || a > INFINITY {
        return 0;
    }
    if exponent > 1086 {
        return u64::MAX;
    }
    ((a & FRACTION | LEADING) << 11).wrapping_shr(1086u32.wrapping_sub(exponent))
}

/// The whole part, or the nearest number that there is; 0 for NaN.
#[routine(library)]
pub fn f64_to_i64(a: u64) -> i64 {
    let size = f64_to_u64(a & MAGNITUDE);
    let limit = if a & SIGN != 0 { SIGN } else { MAGNITUDE };
    let cut = size.min(limit) as i64;
    if a & SIGN != 0 { cut.wrapping_neg() } else { cut }
}

/// The whole part, or the nearest number that there is; 0 for NaN.
#[routine(library)]
pub fn f64_to_u128(a: u64) -> u128 {
    let exponent = (a >> 52) as u32;
    if !(1023..=0x7ff).contains(&exponent) || a > INFINITY {
        return 0;
    }
    if exponent > 1150 {
        return u128::MAX;
    }
    let significand = (a & FRACTION | LEADING) << 11;
    shr_u128((significand as u128) << 64, 1150u32.wrapping_sub(exponent))
}

/// The whole part, or the nearest number that there is; 0 for NaN.
#[routine(library)]
pub fn f64_to_i128(a: u64) -> i128 {
    let size = f64_to_u128(a & MAGNITUDE);
    let limit = if a & SIGN != 0 { 1u128 << 127 } else { u128::MAX >> 1 };
    let cut = size.min(limit) as i128;
    if a & SIGN != 0 { cut.wrapping_neg() } else { cut }
}

/// The same number.
#[routine(library)]
pub fn f32_to_f64(a: u32) -> u64 {
    let sign = ((a >> 31) as u64) << 63;
    let magnitude = a & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return NAN;
    }
    if magnitude == 0x7f80_0000 {
        return sign | INFINITY;
    }
    if magnitude == 0 {
        return sign;
    }
    let wide = (magnitude as u64) << 29;
    if magnitude >= 0x80_0000 {
        return sign | wide.wrapping_add(896 << 52);
    }
    // What is subnormal as an f32 is not as an f64.
    let by = wide.leading_zeros().wrapping_sub(11);
    sign | (wide.wrapping_shl(by) & FRACTION) | (897u32.wrapping_sub(by) as u64) << 52
}

/// The nearest `f32`.
#[routine(library)]
pub fn f64_to_f32(a: u64) -> u32 {
    let sign = ((a >> 63) as u32) << 31;
    let magnitude = a & MAGNITUDE;
    if magnitude > INFINITY {
        return 0x7fc0_0000;
    }
    // Far below the smallest f32 there is nothing to round.
    if magnitude < 800 << 52 {
        return sign;
    }
    let (exponent, significand) = unpack(magnitude);
    let mut kept = shifted(significand, 22) as u32;
    let mut above = exponent.wrapping_sub(897);
    if above > 253 {
        return sign | 0x7f80_0000;
    }
    if above < 0 {
        kept = shifted(kept as u64, 0i32.wrapping_sub(above) as u32) as u32;
        above = 0;
    }
    let rounded = kept.wrapping_add(0x3f).wrapping_add(kept >> 7 & 1) >> 7;
    sign | ((above as u32) << 23).wrapping_add(rounded)
}
