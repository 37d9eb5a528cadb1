//! The gamma function.

use gpuvm::prelude::*;

use super::sine_of_turns;

/// Lanczos' coefficients for g = 7 and nine terms.
const COEFFICIENTS: [f64; 9] = [
    0.999_999_999_999_809_93,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_13,
    -176.615_029_162_140_59,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_571_6e-6,
    1.505_632_735_149_311_6e-7,
];

#[routine]
pub fn gamma(x: f64) -> f64 {
    if x < 0.5 {
        // Euler's reflection.
        return core::f64::consts::PI / (sine_of_turns(x / 2.0) * gamma(1.0 - x));
    }
    let x = x - 1.0;
    let t = x + 7.5;
    let series = COEFFICIENTS
        .iter()
        .enumerate()
        .skip(1)
        .fold(COEFFICIENTS[0], |sum, (i, c)| sum + c / (x + i as f64));
    f64::sqrt(2.0 * core::f64::consts::PI) * f64::powf(t, x + 0.5) * f64::exp(-t) * series
}
