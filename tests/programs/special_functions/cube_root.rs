//! Cube roots and their inverses.

use gpuvm::prelude::*;

use super::bits::{direction, exponent, with_exponent};

/// Halley's iteration from a third of the exponent.
#[routine]
pub fn cube_root(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let start = exponent(x);
    let mut y = with_exponent(x, start / 3 - direction(start).min(0));
    for _ in 0..40 {
        let cube = y * y * y;
        let next = y * (cube + 2.0 * x) / (2.0 * cube + x);
        if next == y {
            break;
        }
        y = next;
    }
    y
}

#[routine]
pub fn inverse_cube_root(x: f64) -> f64 {
    let root = cube_root(x);
    f64::max(1.0 / root, f64::MIN) + f64::min(-0.0 * root, 0.0)
}
