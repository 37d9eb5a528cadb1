//! Deterministic functions of `f32` and `f64`: the same bits on every CPU and every GPU.
//!
//! std leaves the precision of `sin`, `exp`, `powf` and their like open, and platforms differ. Here each function is
//! a fixed sequence of IEEE 754 operations that are exactly rounded everywhere (`+ - * / sqrt`, comparisons,
//! conversions) and of integer arithmetic. There are no tables and no fused multiply-add, which many GPUs lack, and the
//! functions of `f32` take no `f64`. Names, arguments and special values are std's; the functions of `f64` end in `_f64`.
//!
//! # Accuracy
//!
//! Errors are given in ulp: the distance to the exact value divided by the spacing of `f32` in the binade of the
//! correctly rounded result (2^-149 for subnormal results). 0.5 is perfect rounding. The bounds of functions of one
//! argument are measured over all 2^32 inputs; for functions of two arguments the largest error found in 200 million
//! random pairs is given beside the bound (`examples/exhaustive.rs` does both). Of the functions of `f64`, in the same
//! measure, the largest error found in some hundred thousand arguments of every kind is given beside the bound
//! (`examples/double.rs`, against mpmath).
//!
//! ```
//! assert_eq!(gpuvm_math::exp2(10.0), 1024.0);
//! assert_eq!(gpuvm_math::powf(10.0, 7.0), 1e7);
//! assert_eq!(gpuvm_math::sin(-0.0).to_bits(), (-0.0f32).to_bits());
//! ```
//!
//! # Coefficients
//!
//! Every polynomial of `f32` was fitted the same way, in 60-digit arithmetic: weighted least squares for the function's
//! relative error at 120 Chebyshev nodes, reweighted 25 times by the remaining error (Lawson's algorithm, which
//! tends to the minimax polynomial). Then the coefficients were rounded to `f32` from the lowest degree on, the
//! remaining ones fitted anew after each rounding. The comment at each set names the function, the interval and the
//! relative error that is left. Those of `f64` were fitted likewise, at 70 nodes, and rounded to 64 bits after the
//! point.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

// Generated code names `::gpuvm`, which below the facade is the core.
extern crate gpuvm_core as gpuvm;

mod asking;
mod double;
mod double_float;
mod exponential;
pub mod fixed;
mod hyperbolic;
mod integer;
mod inverse_trig;
mod logarithm;
pub mod native;
mod power;
mod printing;
mod soft_double;
mod trig;
mod wide;

pub use asking::ask;
pub use double::{
    acos_f64, acosh_f64, asin_f64, asinh_f64, atan_f64, atan2_f64, atanh_f64, cbrt_f64, cos_f64, cosh_f64, exp_f64,
    exp_m1_f64, exp2_f64, hypot_f64, ln_1p_f64, ln_f64, log_f64, log2_f64, log10_f64, powf_f64, powi_f64, sin_cos_f64,
    sin_f64, sinh_f64, tan_f64, tanh_f64,
};
pub use exponential::{exp, exp_m1, exp2};
pub use fixed::{clamp, copysign, from_bits, is_sign_negative, is_sign_positive, max, min, signum, to_bits, total_cmp};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use integer::{
    div_euclid_f32, div_euclid_f64, isqrt_u32, isqrt_u64, pow_i32, pow_i64, pow_i128, pow_u32, pow_u64, pow_u128,
    rem_euclid_f32, rem_euclid_f64,
};
pub use inverse_trig::{acos, asin, atan, atan2};
pub use logarithm::{ln, ln_1p, log, log2, log10};
pub use power::{cbrt, hypot, powf, powi};
pub use printing::print;
pub use soft_double::{
    NAN as NAN_F64, add_f64, ceil_f64, div_f64, eq_f64, f32_to_f64, f64_to_f32, f64_to_i64, f64_to_i128, f64_to_u64,
    f64_to_u128, floor_f64, i64_to_f64, i128_to_f64, le_f64, lt_f64, max_f64, min_f64, mul_add_f64, mul_f64, rem_f64,
    round_even_f64, round_f64, sqrt_f64, sub_f64, trunc_f64, u64_to_f64, u128_to_f64,
};
pub use trig::{cos, sin, sin_cos, tan};
pub use wide::{
    div_i128, div_u128, f32_to_i128, f32_to_u128, i128_to_f32, isqrt_u128, mul_u128, overflowing_mul_i128,
    overflowing_mul_u128, rem_i128, rem_u128, shl_u128, shr_i128, shr_u128, u128_to_f32,
};

macro_rules! library {
    ($($name:ident)*) => {
        /// The routines, at the places that [`gpuvm_core::library::FUNCTIONS`] gives them.
        pub const LIBRARY: gpuvm_core::library::Library = &[$(<$name as gpuvm_core::facts::RoutineType>::routine),*];

        #[test]
        fn the_library_is_in_the_order_of_its_numbers() {
            assert_eq!([$(stringify!($name)),*], gpuvm_core::library::FUNCTIONS);
        }
    };
}
library! {
    sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh
    exp exp2 exp_m1 ln ln_1p log2 log10 log powf powi hypot cbrt
    pow_u32 pow_i32 pow_u64 pow_i64 isqrt_u32 isqrt_u64 div_euclid_f32 rem_euclid_f32
    mul_u128 overflowing_mul_u128 overflowing_mul_i128 div_u128 div_i128 rem_u128 rem_i128
    shl_u128 shr_u128 shr_i128 pow_u128 pow_i128 isqrt_u128
    u128_to_f32 i128_to_f32 f32_to_u128 f32_to_i128
    add_f64 sub_f64 mul_f64 div_f64 rem_f64 sqrt_f64 mul_add_f64 eq_f64 lt_f64 le_f64 min_f64 max_f64
    floor_f64 ceil_f64 trunc_f64 round_f64 round_even_f64
    i64_to_f64 u64_to_f64 i128_to_f64 u128_to_f64 f64_to_i64 f64_to_u64 f64_to_i128 f64_to_u128 f32_to_f64 f64_to_f32 div_euclid_f64 rem_euclid_f64
    sin_f64 cos_f64 tan_f64 sin_cos_f64 asin_f64 acos_f64 atan_f64 atan2_f64 sinh_f64 cosh_f64 tanh_f64 asinh_f64 acosh_f64 atanh_f64
    exp_f64 exp2_f64 exp_m1_f64 ln_f64 ln_1p_f64 log2_f64 log10_f64 log_f64 powf_f64 powi_f64 hypot_f64 cbrt_f64
    print ask
}
