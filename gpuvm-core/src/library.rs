//! The standard library of routines by number: functions the encoder may call without knowing where they live. The crate
//! `gpuvm-math` writes them in gpuvm's own language; whoever links hands them over as a [`Library`].

use crate::routine::Routine;

macro_rules! functions {
    ($($name:ident = $index:literal;)*) => {
        /// Names of the library's functions, at the place that [`Callee::Library`](crate::routine::Callee::Library) gives.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];
        /// The numbers of the library's functions.
        #[allow(missing_docs, non_upper_case_globals, reason = "each is the number of the std method of that name")]
        pub mod number {
            $(pub const $name: u32 = $index;)*
        }
    };
}
functions! {
    sin = 0; cos = 1; tan = 2; sin_cos = 3; asin = 4; acos = 5; atan = 6; atan2 = 7; sinh = 8; cosh = 9; tanh = 10;
    asinh = 11; acosh = 12; atanh = 13; exp = 14; exp2 = 15; exp_m1 = 16; ln = 17; ln_1p = 18; log2 = 19; log10 = 20;
    log = 21; powf = 22; powi = 23; hypot = 24; cbrt = 25;
    pow_u32 = 26; pow_i32 = 27; pow_u64 = 28; pow_i64 = 29; isqrt_u32 = 30; isqrt_u64 = 31;
    div_euclid_f32 = 32; rem_euclid_f32 = 33;
}

/// What a function is where floats may be inexact, of `b` only if it takes two arguments: std's, where a GPU has one of its own to put in
/// its place. `None` for the others, whose routines a relaxed program calls like any other.
pub fn relaxed(function: u32, a: f32, b: f32) -> Option<f32> {
    Some(match function {
        number::sin => a.sin(),
        number::cos => a.cos(),
        number::tan => a.tan(),
        number::asin => a.asin(),
        number::acos => a.acos(),
        number::atan => a.atan(),
        number::atan2 => a.atan2(b),
        number::sinh => a.sinh(),
        number::cosh => a.cosh(),
        number::tanh => a.tanh(),
        number::exp => a.exp(),
        number::exp2 => a.exp2(),
        number::ln => a.ln(),
        number::log2 => a.log2(),
        number::log10 => a.log10(),
        number::powf => a.powf(b),
        _ => return None,
    })
}

/// The routines behind [`FUNCTIONS`], in the same order.
pub type Library = &'static [fn() -> &'static Routine];
