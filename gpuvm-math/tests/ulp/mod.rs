//! What the tests and the examples share: the error measure, the functions with their `f64` references, and a
//! generator of random numbers.
#![allow(dead_code)]

/// The error of `got` in ulp of the binade of the correctly rounded `exact`; infinite where NaN, infinity or the sign
/// of zero differ.
pub fn ulp_error(got: f32, exact: f64) -> f64 {
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() && got.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let rounded = exact as f32;
    if got.to_bits() == rounded.to_bits() && (got == 0.0 || got.is_infinite()) {
        return if exact.is_infinite() || got.is_infinite() {
            0.0
        } else {
            exact.abs() / 2f64.powi(-149)
        };
    }
    if exact.is_infinite() || got.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    // Where one of the two is infinite, infinity counts as the number that would follow the largest.
    let value = if got.is_infinite() {
        2f64.powi(128).copysign(exact)
    } else {
        got as f64
    };
    let exponent = ((rounded.to_bits() >> 23 & 255) as i32).clamp(1, 254) - 150;
    (value - exact).abs() / 2f64.powi(exponent)
}

/// A function of one argument.
pub struct Unary {
    pub name: &'static str,
    pub function: fn(f32) -> f32,
    pub reference: fn(f64) -> f64,
    /// The largest error in ulp over all arguments, rounded up; promised in the function's documentation.
    pub bound: f64,
}

fn acosh(x: f64) -> f64 {
    // std's loses digits near 1.
    if x < 1.0 {
        f64::NAN
    } else {
        ((x - 1.0) + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p()
    }
}

fn atanh(x: f64) -> f64 {
    ((2.0 * x.abs() / (1.0 - x.abs())).ln_1p() * 0.5).copysign(x)
}

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    if a > 1e30 {
        x.asinh()
    } else {
        (a + a * a / (1.0 + a.hypot(1.0))).ln_1p().copysign(x)
    }
}

macro_rules! unary {
    ($($name:ident $reference:expr, $bound:literal;)*) => {
        &[$(Unary { name: stringify!($name), function: gpuvm_math::$name, reference: $reference, bound: $bound }),*]
    };
}

pub const UNARY: &[Unary] = unary! {
    sin f64::sin, 0.92;
    cos f64::cos, 0.92;
    tan f64::tan, 1.32;
    asin f64::asin, 0.88;
    acos f64::acos, 1.16;
    atan f64::atan, 1.57;
    sinh f64::sinh, 0.79;
    cosh f64::cosh, 0.87;
    tanh f64::tanh, 1.49;
    asinh asinh, 1.34;
    acosh acosh, 0.68;
    atanh atanh, 0.91;
    exp f64::exp, 0.79;
    exp2 f64::exp2, 0.80;
    exp_m1 f64::exp_m1, 1.20;
    ln f64::ln, 0.65;
    ln_1p f64::ln_1p, 0.67;
    log2 f64::log2, 0.76;
    log10 f64::log10, 0.72;
    cbrt f64::cbrt, 0.83;
};

/// A function of two arguments.
pub struct Binary {
    pub name: &'static str,
    pub function: fn(f32, f32) -> f32,
    pub reference: fn(f64, f64) -> f64,
    pub bound: f64,
}

/// `powi` with a real exponent, so that it fits the list; the exponents tried are integers.
fn powi(x: f32, n: f32) -> f32 {
    gpuvm_math::powi(x, n as i32)
}

fn powi_reference(x: f64, n: f64) -> f64 {
    x.powf((n as f32 as i32) as f64)
}

fn log(x: f64, base: f64) -> f64 {
    x.ln() / base.ln()
}

pub const BINARY: &[Binary] = &[
    Binary {
        name: "atan2",
        function: gpuvm_math::atan2,
        reference: f64::atan2,
        bound: 2.0,
    },
    Binary {
        name: "hypot",
        function: gpuvm_math::hypot,
        reference: f64::hypot,
        bound: 2.0,
    },
    Binary {
        name: "powf",
        function: gpuvm_math::powf,
        reference: f64::powf,
        bound: 1.0,
    },
    Binary {
        name: "powi",
        function: powi,
        reference: powi_reference,
        bound: 1.0,
    },
    Binary {
        name: "log",
        function: gpuvm_math::log,
        reference: log,
        bound: 1.0,
    },
];

/// Arguments at which special cases begin or end.
pub const SPECIAL: &[f32] = &[
    0.0,
    f32::from_bits(1),
    f32::from_bits(2),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    f32::EPSILON,
    1e-20,
    0.25,
    0.33333334,
    0.5,
    0.99999994,
    1.0,
    1.0000001,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    5.0,
    10.0,
    127.0,
    128.0,
    149.0,
    150.0,
    151.0,
    8388607.5,
    8388608.0,
    16777215.0,
    16777216.0,
    2147483648.0,
    1e20,
    1e38,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// SplitMix64. Everything drawn from it is the same on every platform.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [-1, 1).
    pub fn unit(&mut self) -> f64 {
        self.bits() as i64 as f64 / 2f64.powi(63)
    }

    /// Positive, within so many octaves of 1.
    fn spread(&mut self, octaves: u32) -> f32 {
        let bits = self.bits();
        let exponent = (bits >> 32) as u32 % (2 * octaves) + 127 - octaves;
        f32::from_bits(exponent << 23 | bits as u32 & 0x007f_ffff)
    }

    /// Arguments for a function of two: any bits, moderate numbers, equal exponents, near 1, results near the limits.
    pub fn pair(&mut self) -> (f32, f32) {
        let bits = self.bits();
        let any = (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
        match self.bits() % 6 {
            0 => any,
            1 => (self.spread(4), (self.unit() * 40.0) as f32),
            2 => (self.spread(100), self.spread(6)),
            3 => (any.0, any.0 * self.spread(2)),
            4 => (1.0 + self.unit() as f32 / 8.0, (self.unit() * 1000.0).trunc() as f32),
            _ => {
                let x = self.spread(126);
                (x, ((self.unit() * 152.0) / gpuvm_math::log2(x) as f64) as f32)
            }
        }
    }
}
