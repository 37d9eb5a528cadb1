//! Rounding to whole numbers.

use gpuvm_macros::routine;

use super::{MAGNITUDE, SIGN};

/// 1.0
const ONE: u64 = 0x3ff << 52;
/// 0.5
const HALF: u64 = 0x3fe << 52;
/// From here on all numbers are whole, or none at all: 2^52.
const WHOLE: u64 = 0x433 << 52;

/// The bits that the fraction of a magnitude from 1 to 2^52 has.
#[routine(library)]
fn fraction_bits(magnitude: u64) -> u64 {
    1u64.wrapping_shl(0x433u32.wrapping_sub((magnitude >> 52) as u32))
        .wrapping_sub(1)
}

/// Towards zero.
#[routine(library)]
pub fn trunc_f64(a: u64) -> u64 {
    let x = a & MAGNITUDE;
    if x >= WHOLE {
        return a;
    }
    if x < ONE {
        return a & SIGN;
    }
    a & !fraction_bits(x)
}

/// Away from zero.
#[routine(library)]
fn away(a: u64) -> u64 {
    let x = a & MAGNITUDE;
    if x >= WHOLE || x == 0 {
        return a;
    }
    if x < ONE {
        return a & SIGN | ONE;
    }
    let fraction = fraction_bits(x);
    a.wrapping_add(fraction) & !fraction
}

/// Towards minus infinity.
#[routine(library)]
pub fn floor_f64(a: u64) -> u64 {
    if a & SIGN != 0 { away(a) } else { trunc_f64(a) }
}

/// Towards plus infinity.
#[routine(library)]
pub fn ceil_f64(a: u64) -> u64 {
    if a & SIGN != 0 { trunc_f64(a) } else { away(a) }
}

/// To nearest, halves away from zero.
#[routine(library)]
pub fn round_f64(a: u64) -> u64 {
    let x = a & MAGNITUDE;
    if x >= WHOLE {
        return a;
    }
    if x < ONE {
        return a & SIGN | if x < HALF { 0 } else { ONE };
    }
    let fraction = fraction_bits(x);
    // What carries out of the fraction belongs to the exponent.
    a.wrapping_add((fraction >> 1).wrapping_add(1)) & !fraction
}

/// To nearest, halves to even.
#[routine(library)]
pub fn round_even_f64(a: u64) -> u64 {
    let x = a & MAGNITUDE;
    if x >= WHOLE {
        return a;
    }
    if x < ONE {
        return a & SIGN | if x > HALF { ONE } else { 0 };
    }
    let fraction = fraction_bits(x);
    let odd = (a & fraction.wrapping_add(1) != 0) as u64;
    a.wrapping_add(fraction >> 1).wrapping_add(odd) & !fraction
}
