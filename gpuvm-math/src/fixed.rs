//! Methods of floats whose handling of NaN or of the sign of zero std leaves open, with one fixed meaning each, as functions: of `f32`, and
//! in [`double`] of `f64`.

macro_rules! fixed {
    ($ty:ident, $bits:ident, $nan:expr) => {
        /// The smaller one; a number rather than NaN; -0.0 rather than 0.0.
        pub const fn min(a: $ty, b: $ty) -> $ty {
            if a < b || b.is_nan() || (a == b && a.is_sign_negative()) {
                a
            } else {
                b
            }
        }

        /// The larger one; a number rather than NaN; 0.0 rather than -0.0.
        pub const fn max(a: $ty, b: $ty) -> $ty {
            if a > b || b.is_nan() || (a == b && a.is_sign_positive()) {
                a
            } else {
                b
            }
        }

        /// `x` between `min` and `max`; NaN stays NaN.
        ///
        /// # Panics
        ///
        /// If `min > max`, or one of them is NaN.
        #[track_caller]
        pub fn clamp(x: $ty, min: $ty, max: $ty) -> $ty {
            assert!(
                min <= max,
                "min > max, or either was NaN. min = {min:?}, max = {max:?}"
            );
            let raised = if x < min { min } else { x };
            if raised > max { max } else { raised }
        }

        #[doc = concat!("The bits, with the one NaN `", stringify!($nan), "` for all of them.")]
        pub const fn to_bits(x: $ty) -> $bits {
            if x.is_nan() { $nan } else { x.to_bits() }
        }

        /// The number with these bits.
        pub const fn from_bits(bits: $bits) -> $ty {
            $ty::from_bits(bits)
        }

        /// Whether the sign is set; no NaN has one.
        pub const fn is_sign_negative(x: $ty) -> bool {
            to_bits(x) >> ($bits::BITS - 1) == 1
        }

        /// Whether the sign is clear, as every NaN's is.
        pub const fn is_sign_positive(x: $ty) -> bool {
            !is_sign_negative(x)
        }

        /// The magnitude of `x` with the sign of `sign`; a NaN's sign counts as clear.
        pub const fn copysign(x: $ty, sign: $ty) -> $ty {
            let mask = $bits::MAX >> 1;
            $ty::from_bits((x.to_bits() & mask) | (to_bits(sign) & !mask))
        }

        /// The order of all values: -0.0 below 0.0, and NaN, of which there is one, above all numbers.
        pub fn total_cmp(a: &$ty, b: &$ty) -> std::cmp::Ordering {
            from_bits(to_bits(*a)).total_cmp(&from_bits(to_bits(*b)))
        }

        /// 1.0 with the sign of `x`, or NaN.
        pub const fn signum(x: $ty) -> $ty {
            if x.is_nan() { x } else { copysign(1.0, x) }
        }
    };
}
fixed!(f32, u32, 0x7fc0_0000);

/// Of `f64`, and its functions under the names that they have in std.
pub mod double {
    pub use crate::double::{
        acos_f64 as acos, acosh_f64 as acosh, asin_f64 as asin, asinh_f64 as asinh, atan_f64 as atan,
        atan2_f64 as atan2, atanh_f64 as atanh, cbrt_f64 as cbrt, cos_f64 as cos, cosh_f64 as cosh, exp_f64 as exp,
        exp_m1_f64 as exp_m1, exp2_f64 as exp2, hypot_f64 as hypot, ln_1p_f64 as ln_1p, ln_f64 as ln, log_f64 as log,
        log2_f64 as log2, log10_f64 as log10, powf_f64 as powf, powi_f64 as powi, sin_cos_f64 as sin_cos,
        sin_f64 as sin, sinh_f64 as sinh, tan_f64 as tan, tanh_f64 as tanh,
    };

    fixed!(f64, u64, 0x7ff8_0000_0000_0000);
}
