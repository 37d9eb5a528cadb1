//! Fractions of 64 bits, in units of 2^-64: a product and a sum of those take a sixth of the instructions that an `f64`'s take on a device,
//! and have more bits, so series are summed in them.

use gpuvm_macros::routine;

use crate::wide::shr_u128;

/// `a * b`, all of it. Natively that is one instruction, and of the machine's four what the halves that are 0 would add is folded.
#[routine(library)]
pub(super) fn widening(a: u64, b: u64) -> u128 {
    (a as u128).wrapping_mul(b as u128)
}

/// `a * b`, rounded down.
#[routine(library)]
pub(super) fn times(a: u64, b: u64) -> u64 {
    (widening(a, b) >> 64) as u64
}

/// `x` for `|x| < 2^63`, rounded towards 0, with a whole part in the upper half; two's complement below 0.
#[routine(library)]
pub(super) fn fixed(x: f64) -> u128 {
    let bits = x.to_bits();
    let by = 1086u32.wrapping_sub((bits >> 52) as u32 & 0x7ff);
    let size = if by > 127 {
        0
    } else {
        shr_u128((leading(bits) as u128) << 64, by)
    };
    if bits >> 63 != 0 { size.wrapping_neg() } else { size }
}

/// `|x|` in units of 2^-(64 + zeros), rounded down; it is below 2^-zeros.
#[routine(library)]
pub(super) fn aligned(x: f64, zeros: u32) -> u64 {
    let bits = x.to_bits();
    let by = 1022u32.wrapping_sub((bits >> 52) as u32 & 0x7ff).wrapping_sub(zeros);
    if by > 63 { 0 } else { leading(bits).wrapping_shr(by) }
}

/// The significand of a normal number with its first bit in front.
#[routine(library)]
pub(super) fn leading(bits: u64) -> u64 {
    bits << 11 | 1 << 63
}

/// `value * 2^-by`, negated on demand, rounded to nearest; the result is normal or 0.
#[routine(library)]
pub(super) fn scaled(value: u64, by: u32, negative: bool) -> f64 {
    let bits = (value as f64).to_bits();
    let magnitude = if value == 0 {
        0
    } else {
        bits.wrapping_sub((by as u64) << 52)
    };
    f64::from_bits(magnitude ^ (negative as u64) << 63)
}
