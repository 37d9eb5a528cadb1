//! `f64` out of 64-bit integers, exactly rounded as IEEE 754 has it (to nearest, halves to even), so that a device needs no doubles for the
//! same bits. Numbers are their bits, a `u64`; every NaN that comes out is the one of [`NAN`]. Nothing in here traps.
//!
//! Results are made in one form: a *significand*, 53 bits and ten more behind them, the last of which says whether anything but 0 follows,
//! with its leading bit at bit 62, and the biased exponent that this bit has.

mod convert;
mod fused;
mod order;
mod product;
mod remainder;
mod root;
mod round;
mod sum;

use gpuvm_macros::routine;

pub use convert::{
    f32_to_f64, f64_to_f32, f64_to_i64, f64_to_i128, f64_to_u64, f64_to_u128, i64_to_f64, i128_to_f64, u64_to_f64,
    u128_to_f64,
};
pub use fused::mul_add_f64;
pub use order::{eq_f64, le_f64, lt_f64, max_f64, min_f64};
pub use product::{div_f64, mul_f64};
pub use remainder::rem_f64;
pub use root::sqrt_f64;
pub use round::{ceil_f64, floor_f64, round_even_f64, round_f64, trunc_f64};
pub use sum::{add_f64, sub_f64};

/// The sign bit.
const SIGN: u64 = 1 << 63;
/// All bits but the sign.
const MAGNITUDE: u64 = SIGN - 1;
/// The bits of infinity; the magnitudes of NaNs are above.
const INFINITY: u64 = 0x7ff << 52;
/// The one NaN.
pub const NAN: u64 = 0x7ff8 << 48;
/// The leading bit that numbers above the subnormal ones do not store.
const LEADING: u64 = 1 << 52;
/// The bits of a number that it stores of its significand.
const FRACTION: u64 = LEADING - 1;

/// `value >> by`, with the last bit set if any bit was lost.
#[routine(library)]
fn shifted(value: u64, by: u32) -> u64 {
    if by > 62 {
        return (value != 0) as u64;
    }
    value.wrapping_shr(by) | (value & 1u64.wrapping_shl(by).wrapping_sub(1) != 0) as u64
}

/// Exponent and significand (leading bit at bit 52) of a finite magnitude that is not 0, as if it were normal.
#[routine(library)]
pub(crate) fn unpack(magnitude: u64) -> (i32, u64) {
    let exponent = (magnitude >> 52) as i32;
    if exponent != 0 {
        return (exponent, magnitude & FRACTION | LEADING);
    }
    let by = magnitude.leading_zeros().wrapping_sub(11);
    (1i32.wrapping_sub(by as i32), magnitude.wrapping_shl(by))
}

/// Rounds a significand, and puts the number together. Its leading bit may be below bit 62 only if the exponent is 1.
#[routine(library)]
pub(crate) fn pack(sign: u64, exponent: i32, significand: u64) -> u64 {
    if exponent > 0x7fe {
        return sign | INFINITY;
    }
    let mut kept = significand;
    let mut above = exponent.wrapping_sub(1);
    if exponent < 1 {
        kept = shifted(significand, 1i32.wrapping_sub(exponent) as u32);
        above = 0;
    }
    // A half and the last bit that stays are rounded up only together; what carries out of the fraction belongs to the exponent.
    let rounded = kept.wrapping_add(0x1ff).wrapping_add(kept >> 10 & 1) >> 10;
    sign | ((above as u64) << 52).wrapping_add(rounded)
}

/// The same for a significand that is not 0 and has its leading bit anywhere below bit 63.
#[routine(library)]
fn pack_normalised(sign: u64, exponent: i32, significand: u64) -> u64 {
    let by = significand.leading_zeros().wrapping_sub(1);
    pack(sign, exponent.wrapping_sub(by as i32), significand.wrapping_shl(by))
}
