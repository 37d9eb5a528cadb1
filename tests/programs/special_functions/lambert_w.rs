//! Lambert's W.

use gpuvm::prelude::*;

/// The upper branch of Lambert's W: what `w * exp(w)` is `x` of. NaN below -1/e.
#[routine]
pub fn lambert_w(x: f64) -> f64 {
    if x < -(-1.0f64).exp() {
        return f64::NAN;
    };
    let mut w = if x > 1.0 {
        f64::ln(x) - f64::ln(f64::ln(x) + 1.0)
    } else {
        x * 0.5
    };
    for _ in 0..30 {
        let e = f64::exp(w);
        let f = w * e - x;
        let step = f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
        w -= step;
        if f64::abs(step) <= 1e-15 * f64::abs(w + 1.0) {
            break;
        }
    }
    w
}
