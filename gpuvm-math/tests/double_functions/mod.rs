//! What the tests and the example of `f64` share: the functions by name, and arguments for them.
#![allow(dead_code)]

use super::ulp::Random;
use gpuvm_math as math;

/// A function of one argument and its name.
pub type Unary = (&'static str, fn(f64) -> f64);
/// A function of two arguments and its name.
pub type Binary = (&'static str, fn(f64, f64) -> f64);

/// The functions of one argument.
pub const UNARY: &[Unary] = &[
    ("sin", math::sin_f64),
    ("cos", math::cos_f64),
    ("tan", math::tan_f64),
    ("asin", math::asin_f64),
    ("acos", math::acos_f64),
    ("atan", math::atan_f64),
    ("sinh", math::sinh_f64),
    ("cosh", math::cosh_f64),
    ("tanh", math::tanh_f64),
    ("asinh", math::asinh_f64),
    ("acosh", math::acosh_f64),
    ("atanh", math::atanh_f64),
    ("exp", math::exp_f64),
    ("exp2", math::exp2_f64),
    ("exp_m1", math::exp_m1_f64),
    ("ln", math::ln_f64),
    ("ln_1p", math::ln_1p_f64),
    ("log2", math::log2_f64),
    ("log10", math::log10_f64),
    ("cbrt", math::cbrt_f64),
];

/// `powi` with a real exponent, so that it fits the list; the exponents tried are integers.
fn powi(x: f64, n: f64) -> f64 {
    math::powi_f64(x, n as i32)
}

/// The functions of two arguments.
pub const BINARY: &[Binary] = &[
    ("atan2", math::atan2_f64),
    ("hypot", math::hypot_f64),
    ("powf", math::powf_f64),
    ("powi", powi),
    ("log", math::log_f64),
];

/// Within so many octaves of 1.
fn spread(random: &mut Random, octaves: u64) -> f64 {
    let (bits, sign) = (random.bits(), random.bits());
    let exponent = sign % (2 * octaves) + 1023 - octaves;
    f64::from_bits((sign >> 63) << 63 | exponent << 52 | bits >> 12)
}

/// An argument for a function of one: any bits, of every size, near 0, near 1, where exponentials are finite, near multiples of pi/4.
pub fn single(random: &mut Random) -> f64 {
    match random.bits() % 10 {
        0 => f64::from_bits(random.bits()),
        1 => spread(random, 1022),
        2 => spread(random, 30),
        3 => spread(random, 3),
        4 => random.unit() * 40.0,
        5 => random.unit(),
        6 => random.unit() * 750.0,
        7 => 1.0 + random.unit() / 4.0,
        8 => random.unit() * 1e7,
        _ => {
            let multiple = (random.unit() * 5000.0).trunc() * std::f64::consts::FRAC_PI_4;
            f64::from_bits(multiple.to_bits().wrapping_add(random.bits() % 16).wrapping_sub(8))
        }
    }
}

/// Arguments for a function of two: any bits, moderate numbers, of like size, near 1, results near the limits.
pub fn pair(random: &mut Random) -> (f64, f64) {
    match random.bits() % 8 {
        0 => (f64::from_bits(random.bits()), f64::from_bits(random.bits())),
        1 => (spread(random, 4), random.unit() * 40.0),
        2 => (spread(random, 800), spread(random, 6)),
        3 => {
            let x = spread(random, 1020);
            (x, x * spread(random, 2))
        }
        4 => (1.0 + random.unit() / 8.0, (random.unit() * 5000.0).trunc()),
        5 => (1.0 + random.unit() / 1e6, random.unit() * 1e9),
        6 => (spread(random, 3), spread(random, 3)),
        _ => {
            let x = spread(random, 1020).abs();
            (x, random.unit() * 1080.0 / math::log2_f64(x))
        }
    }
}
