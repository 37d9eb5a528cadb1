//! Comparisons, and the smaller and the larger one.

use gpuvm_macros::routine;

use super::{INFINITY, MAGNITUDE, SIGN};

/// Whether either is NaN.
#[routine(library)]
fn disordered(a: u64, b: u64) -> bool {
    a & MAGNITUDE > INFINITY || b & MAGNITUDE > INFINITY
}

/// Whether both are 0, of whatever sign.
#[routine(library)]
fn zeros(a: u64, b: u64) -> bool {
    (a | b) & MAGNITUDE == 0
}

/// Bits in an order that is the numbers', but for zeros and NaN.
#[routine(library)]
fn ordinal(a: u64) -> i64 {
    if a & SIGN != 0 {
        !(a & MAGNITUDE) as i64
    } else {
        a as i64
    }
}

/// `a == b`.
#[routine(library)]
pub fn eq_f64(a: u64, b: u64) -> bool {
    (a == b || zeros(a, b)) && !disordered(a, b)
}

/// `a < b`.
#[routine(library)]
pub fn lt_f64(a: u64, b: u64) -> bool {
    ordinal(a) < ordinal(b) && !zeros(a, b) && !disordered(a, b)
}

/// `a <= b`.
#[routine(library)]
pub fn le_f64(a: u64, b: u64) -> bool {
    (ordinal(a) <= ordinal(b) || zeros(a, b)) && !disordered(a, b)
}

/// The smaller one; a number rather than NaN; -0.0 rather than 0.0.
#[routine(library)]
pub fn min_f64(a: u64, b: u64) -> u64 {
    let first = ordinal(a) < ordinal(b) && a & MAGNITUDE <= INFINITY;
    if first || b & MAGNITUDE > INFINITY { a } else { b }
}

/// The larger one; a number rather than NaN; 0.0 rather than -0.0.
#[routine(library)]
pub fn max_f64(a: u64, b: u64) -> u64 {
    let first = ordinal(a) > ordinal(b) && a & MAGNITUDE <= INFINITY;
    if first || b & MAGNITUDE > INFINITY { a } else { b }
}
