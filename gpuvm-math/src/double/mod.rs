//! The functions of `f64`. A device without doubles runs each operation of an `f64` as a routine of a hundred instructions or so (see the soft
//! doubles), so nearly all is worked out in integers, as fractions of 64 bits, and rounded once: an exponential takes 170 instructions so,
//! and a thousand otherwise, and is off by a half ulp and little more. Only [`cbrt_f64()`], [`hypot_f64()`] and what the inverse hyperbolic
//! functions take the logarithm of are made of `f64`'s own exactly rounded operations. Nothing in here traps.

mod exponential;
mod fixed_point;
mod hyperbolic;
mod inverse_trig;
mod logarithm;
mod power;
mod trig;

use gpuvm_macros::routine;

pub use exponential::{exp_f64, exp_m1_f64, exp2_f64};
pub use hyperbolic::{acosh_f64, asinh_f64, atanh_f64, cosh_f64, sinh_f64, tanh_f64};
pub use inverse_trig::{acos_f64, asin_f64, atan_f64, atan2_f64};
pub use logarithm::{ln_1p_f64, ln_f64, log_f64, log2_f64, log10_f64};
pub use power::{cbrt_f64, hypot_f64, powf_f64, powi_f64};
pub use trig::{cos_f64, sin_cos_f64, sin_f64, tan_f64};

/// The high words of the bits of infinity, of 1 and of 1/2.
const HIGH_INFINITY: u32 = 0x7ff0_0000;
const HIGH_ONE: u32 = 0x3ff0_0000;
const HIGH_HALF: u32 = 0x3fe0_0000;

/// The high word of the bits of `|x|`, which is in the order of the numbers.
#[routine(library)]
fn high_word(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32 & 0x7fff_ffff
}

/// `a + b` rounded, and the exact rounding error. Needs `|a| >= |b|` or `a == 0`.
#[routine(library)]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}
