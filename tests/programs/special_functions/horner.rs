//! Polynomials by Horner's rule.

use gpuvm::prelude::*;

/// A polynomial's value, the coefficients from the constant one on.
#[routine]
pub fn horner(x: f64, coefficients: &[f64]) -> f64 {
    let mut value = 0.0;
    for &c in coefficients.iter().rev() {
        value = value * x + c;
    }
    value
}
