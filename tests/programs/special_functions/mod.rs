//! A small library of special functions, a file a function, as numeric crates are laid out.

use gpuvm::prelude::*;

mod bits;
mod cube_root;
mod gamma;
mod horner;
mod lambert_w;
mod reduction;

pub use self::cube_root::{cube_root, inverse_cube_root};
pub use self::gamma::gamma;
use horner::horner;
pub use lambert_w::*;

use bits::{exponent, with_exponent};
use reduction::Reduction;

/// A row of a table: by the function's number.
#[routine]
pub fn tabulated(function: u32, x: f64) -> f64 {
    match function {
        0 => gamma(x),
        1 => cube_root(x),
        2 => inverse_cube_root(x),
        3 => lambert_w(x),
        4 => sine_of_turns(x),
        _ => with_exponent(x, exponent(x) / 2),
    }
}

/// The sine of an angle in whole turns.
#[routine]
pub fn sine_of_turns(turns: f64) -> f64 {
    let mut reduction = Reduction::default();
    reduction.take(turns);
    if reduction.is_nan() {
        return f64::NAN;
    }
    let angle = reduction.rest * (2.0 * core::f64::consts::PI);
    let odd = |x: f64| x * horner(x * x, &SINE);
    let even = |x: f64| horner(x * x, &COSINE);
    match reduction.quarter {
        0 => odd(angle),
        1 => even(angle),
        2 => -odd(angle),
        _ => -even(angle),
    }
}

const SINE: [f64; 6] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
];
const COSINE: [f64; 6] = [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0];
