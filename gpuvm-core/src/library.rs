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
    mul_u128 = 34; overflowing_mul_u128 = 35; overflowing_mul_i128 = 36; div_u128 = 37; div_i128 = 38; rem_u128 = 39; rem_i128 = 40;
    shl_u128 = 41; shr_u128 = 42; shr_i128 = 43; pow_u128 = 44; pow_i128 = 45; isqrt_u128 = 46;
    u128_to_f32 = 47; i128_to_f32 = 48; f32_to_u128 = 49; f32_to_i128 = 50;
    add_f64 = 51; sub_f64 = 52; mul_f64 = 53; div_f64 = 54; rem_f64 = 55; sqrt_f64 = 56; mul_add_f64 = 57; eq_f64 = 58; lt_f64 = 59;
    le_f64 = 60; min_f64 = 61; max_f64 = 62; floor_f64 = 63; ceil_f64 = 64; trunc_f64 = 65; round_f64 = 66; round_even_f64 = 67;
    i64_to_f64 = 68; u64_to_f64 = 69; i128_to_f64 = 70; u128_to_f64 = 71; f64_to_i64 = 72; f64_to_u64 = 73; f64_to_i128 = 74;
    f64_to_u128 = 75; f32_to_f64 = 76; f64_to_f32 = 77; div_euclid_f64 = 78; rem_euclid_f64 = 79;
    sin_f64 = 80; cos_f64 = 81; tan_f64 = 82; sin_cos_f64 = 83; asin_f64 = 84; acos_f64 = 85; atan_f64 = 86; atan2_f64 = 87;
    sinh_f64 = 88; cosh_f64 = 89; tanh_f64 = 90; asinh_f64 = 91; acosh_f64 = 92; atanh_f64 = 93; exp_f64 = 94; exp2_f64 = 95;
    exp_m1_f64 = 96; ln_f64 = 97; ln_1p_f64 = 98; log2_f64 = 99; log10_f64 = 100; log_f64 = 101; powf_f64 = 102; powi_f64 = 103;
    hypot_f64 = 104; cbrt_f64 = 105;
    print = 106; ask = 107;
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
