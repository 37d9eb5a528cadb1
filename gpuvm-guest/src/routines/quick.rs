//! Arithmetic by the floats that the machine of gpuvm has, where nobody can tell.

use gpuvm::prelude::*;

/// A double that is clearly a normal number, which rounding has not just made one; else 0.
#[routine(callee)]
fn clear_double(bits: u64) -> u64 {
    let field = (bits >> 52) as u32 & 0x7ff;
    if field.wrapping_sub(2) < 0x7fd { bits } else { 0 }
}

/// The same of a single.
#[routine(callee)]
fn clear_single(bits: u32) -> u64 {
    let field = bits >> 23 & 0xff;
    if field.wrapping_sub(2) < 0xfd {
        u64::from(bits)
    } else {
        0
    }
}

/// The sum, difference, product or quotient (0 to 3), or the square root, where nothing of it but the result can be seen: an inexact result would raise
/// a flag that is up already. 0 is for a result that may be of another kind, and then the slow way has to tell.
#[routine(callee)]
pub(crate) fn quick(operation: u32, a: u64, b: u64, double: bool) -> u64 {
    if double {
        let (a, b) = (f64::from_bits(a), f64::from_bits(b));
        let result = match operation {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 => a / b,
            _ => a.sqrt(),
        };
        return clear_double(result.to_bits());
    }
    let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    let result = match operation {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3 => a / b,
        _ => a.sqrt(),
    };
    clear_single(result.to_bits())
}

/// The same of a fused multiplication and addition.
#[routine(callee)]
pub(crate) fn quick_fused(a: u64, b: u64, c: u64, double: bool) -> u64 {
    if double {
        let result = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
        return clear_double(result.to_bits());
    }
    let (a, b, c) = (
        f32::from_bits(a as u32),
        f32::from_bits(b as u32),
        f32::from_bits(c as u32),
    );
    clear_single(a.mul_add(b, c).to_bits())
}

/// A normal number as a double or, from one, as a single where that is no other kind; 0 where the slow way has to tell.
#[routine(callee)]
pub(crate) fn quickly_converted(a: u64, to_double: bool) -> u64 {
    if to_double {
        let single = a as u32;
        return if (single >> 23 & 0xff).wrapping_sub(1) < 0xfe {
            f64::from(f32::from_bits(single)).to_bits()
        } else {
            0
        };
    }
    clear_single((f64::from_bits(a) as f32).to_bits())
}
