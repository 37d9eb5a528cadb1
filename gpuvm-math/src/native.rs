//! The native half of the promise: in the function that `#[routine]` leaves for rustc, `x.sin()` becomes `MethodsOf(&x, …).sin()`, and that is this
//! crate's function for an `f32` or an `f64` and the value's own method for everything else.

use std::ops::Deref;

use crate as math;
use crate::fixed::double;

/// A receiver of a method whose meaning gpuvm fixes where std leaves it open, borrowed, and whether integer overflow panics where the
/// call stands: the user's crate may be built otherwise than this one.
///
/// Method lookup finds the inherent methods of `MethodsOf<f32>` first; every other type's own methods are reached through
/// [`Deref`].
#[derive(Clone, Copy)]
pub struct MethodsOf<'a, T>(pub &'a T, pub bool);

impl<T> Deref for MethodsOf<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// A receiver that the arguments of its method may change. Like rustc, which copies a number before it evaluates them, [`before`](Self::before) does, and
/// where the method is one of [`Ord`]'s, it copies whatever can be; what else there is stays borrowed.
#[derive(Clone, Copy)]
pub struct Changeable<'a, T, const BY_ORDER: bool>(pub &'a T);

impl<T: Number> Changeable<'_, T, false> {
    /// The number.
    pub fn before(self) -> Copied<T> {
        Copied(*self.0)
    }
}

impl<T: Copy + PartialOrd> Changeable<'_, T, true> {
    /// The value.
    pub fn before(self) -> Copied<T> {
        Copied(*self.0)
    }
}

/// What method lookup finds for a reference through which a number is changed.
pub trait ChangeableByMut<T> {
    /// The number.
    fn before(self) -> Copied<T>;
}

impl<T: Number, const BY_ORDER: bool> ChangeableByMut<T> for Changeable<'_, &mut T, BY_ORDER> {
    fn before(self) -> Copied<T> {
        Copied(**self.0)
    }
}

/// What it finds for anything else.
pub trait ChangeableOther<'a, T> {
    /// The receiver.
    fn before(&self) -> &'a T;
}

impl<'a, T, const BY_ORDER: bool> ChangeableOther<'a, T> for Changeable<'a, T, BY_ORDER> {
    fn before(&self) -> &'a T {
        self.0
    }
}

/// A value that was copied.
#[derive(Clone, Copy)]
pub struct Copied<T>(T);

impl<T> Deref for Copied<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A number.
pub trait Number: Copy {}

macro_rules! numbers {
    ($($ty:ty)*) => { $(impl Number for $ty {})* };
}

numbers! { f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

#[cfg(feature = "half")]
numbers! { half::f16 half::bf16 }

/// A function that makes a value of a double. Where that is a number of the crate `half`, it is made by the crate's own code and not by an
/// instruction that rounds twice, as x86's does; what makes anything else is called as it is, by [`OfAny`].
#[derive(Clone, Copy)]
pub struct OfDouble<F>(pub F);

/// What [`OfDouble`] does with other functions.
pub trait OfAny<A, R> {
    /// Calls the function.
    fn made_of(self, value: A) -> R;
}

impl<A, R, F: FnOnce(A) -> R> OfAny<A, R> for OfDouble<F> {
    fn made_of(self, value: A) -> R {
        self.0(value)
    }
}

/// Methods of a type and of references to it. After the arguments, a method may ask whether overflow panics.
macro_rules! methods {
    ($ty:ident; $($(#[$attribute:meta])* fn $name:ident($this:ident $(, $arg:ident: $arg_ty:ty)* $(; $checks:ident)?) -> $result:ty $body:block)*) => {
        methods!(@for $ty, MethodsOf<'_, $ty>, |m| *m.0; $($(#[$attribute])* fn $name($this $(, $arg: $arg_ty)* $(; $checks)?) -> $result $body)*);
        methods!(@for $ty, MethodsOf<'_, &$ty>, |m| **m.0; $($(#[$attribute])* fn $name($this $(, $arg: $arg_ty)* $(; $checks)?) -> $result $body)*);
        methods!(@for $ty, MethodsOf<'_, &mut $ty>, |m| **m.0; $($(#[$attribute])* fn $name($this $(, $arg: $arg_ty)* $(; $checks)?) -> $result $body)*);
    };
    (@for $ty:ident, $receiver:ty, |$m:ident| $value:expr;
        $($(#[$attribute:meta])* fn $name:ident($this:ident $(, $arg:ident: $arg_ty:ty)* $(; $checks:ident)?) -> $result:ty $body:block)*) => {
        #[allow(missing_docs, reason = "the function or std method of the same name is documented")]
        impl $receiver {
            $(
                $(#[$attribute])*
                #[inline]
                pub fn $name(self $(, $arg: $arg_ty)*) -> $result {
                    let $m = self;
                    let $this: $ty = $value;
                    $(let $checks = $m.1;)?
                    $body
                }
            )*
        }
    };
}

methods! { f32;
    fn sin(x) -> f32 { math::sin(x) }
    fn cos(x) -> f32 { math::cos(x) }
    fn tan(x) -> f32 { math::tan(x) }
    fn asin(x) -> f32 { math::asin(x) }
    fn acos(x) -> f32 { math::acos(x) }
    fn atan(x) -> f32 { math::atan(x) }
    fn sinh(x) -> f32 { math::sinh(x) }
    fn cosh(x) -> f32 { math::cosh(x) }
    fn tanh(x) -> f32 { math::tanh(x) }
    fn asinh(x) -> f32 { math::asinh(x) }
    fn acosh(x) -> f32 { math::acosh(x) }
    fn atanh(x) -> f32 { math::atanh(x) }
    fn exp(x) -> f32 { math::exp(x) }
    fn exp2(x) -> f32 { math::exp2(x) }
    fn exp_m1(x) -> f32 { math::exp_m1(x) }
    fn ln(x) -> f32 { math::ln(x) }
    fn ln_1p(x) -> f32 { math::ln_1p(x) }
    fn log2(x) -> f32 { math::log2(x) }
    fn log10(x) -> f32 { math::log10(x) }
    fn cbrt(x) -> f32 { math::cbrt(x) }
    fn sin_cos(x) -> (f32, f32) { math::sin_cos(x) }
    fn atan2(y, x: f32) -> f32 { math::atan2(y, x) }
    fn log(x, base: f32) -> f32 { math::log(x, base) }
    fn powf(x, exponent: f32) -> f32 { math::powf(x, exponent) }
    fn powi(x, exponent: i32) -> f32 { math::powi(x, exponent) }
    fn hypot(x, other: f32) -> f32 { math::hypot(x, other) }
    /// std's `clamp`, with the panic's place in the caller.
    #[track_caller]
    fn clamp(x, min: f32, max: f32) -> f32 { math::clamp(x, min, max) }
    /// The order of all values, with the one NaN above all numbers.
    fn total_cmp(a, b: &f32) -> std::cmp::Ordering { math::total_cmp(&a, b) }
}

/// Those of floats that a `const fn` may call.
macro_rules! const_methods {
    ($ty:ident; $($(#[$attribute:meta])* fn $name:ident($this:ident $(, $arg:ident: $arg_ty:ty)*) -> $result:ty $body:block)*) => {
        const_methods!(@for $ty, MethodsOf<'_, $ty>, |m| *m.0; $($(#[$attribute])* fn $name($this $(, $arg: $arg_ty)*) -> $result $body)*);
        const_methods!(@for $ty, MethodsOf<'_, &$ty>, |m| **m.0; $($(#[$attribute])* fn $name($this $(, $arg: $arg_ty)*) -> $result $body)*);
        const_methods!(@for $ty, MethodsOf<'_, &mut $ty>, |m| **m.0; $($(#[$attribute])* fn $name($this $(, $arg: $arg_ty)*) -> $result $body)*);
    };
    (@for $ty:ident, $receiver:ty, |$m:ident| $value:expr;
        $($(#[$attribute:meta])* fn $name:ident($this:ident $(, $arg:ident: $arg_ty:ty)*) -> $result:ty $body:block)*) => {
        impl $receiver {
            $(
                $(#[$attribute])*
                #[inline]
                pub const fn $name(self $(, $arg: $arg_ty)*) -> $result {
                    let $m = self;
                    let $this: $ty = $value;
                    $body
                }
            )*
        }
    };
}

/// The methods of a type of numbers that a `const fn` may call, by the functions of a module.
macro_rules! fixed_methods {
    ($ty:ident, $functions:ident, $bits:ident, $nan:literal) => {
        const_methods! { $ty;
            /// The smaller one; a number rather than NaN; -0.0 rather than 0.0.
            fn min(a, b: $ty) -> $ty { $functions::min(a, b) }
            /// The larger one; a number rather than NaN; 0.0 rather than -0.0.
            fn max(a, b: $ty) -> $ty { $functions::max(a, b) }
            #[doc = concat!("The bits, with the one NaN `", $nan, "` for all of them.")]
            fn to_bits(x) -> $bits { $functions::to_bits(x) }
            /// Whether the sign is set; no NaN has one.
            fn is_sign_negative(x) -> bool { $functions::is_sign_negative(x) }
            /// Whether the sign is clear, as every NaN's is.
            fn is_sign_positive(x) -> bool { $functions::is_sign_positive(x) }
            /// The magnitude with the sign of `sign`; a NaN's sign counts as clear.
            fn copysign(x, sign: $ty) -> $ty { $functions::copysign(x, sign) }
            /// 1.0 with the sign of the number, or NaN.
            fn signum(x) -> $ty { $functions::signum(x) }
            /// The bytes of the bits, with the one NaN.
            fn to_le_bytes(x) -> [u8; size_of::<$ty>()] { $functions::to_bits(x).to_le_bytes() }
            /// The bytes of the bits, with the one NaN.
            fn to_be_bytes(x) -> [u8; size_of::<$ty>()] { $functions::to_bits(x).to_be_bytes() }
            /// The bytes of the bits, with the one NaN.
            fn to_ne_bytes(x) -> [u8; size_of::<$ty>()] { $functions::to_bits(x).to_ne_bytes() }
        }
    };
}
fixed_methods!(f32, math, u32, "0x7fc00000");
fixed_methods!(f64, double, u64, "0x7ff8000000000000");

/// What signed integers have that a `const fn` may call by a name of floats' methods.
macro_rules! signed {
    ($($ty:ident)*) => {$(const_methods! { $ty;
        /// 1 with the sign of the number, or 0.
        fn signum(x) -> $ty { x.signum() }
    })*};
}
signed! { i8 i16 i32 i64 i128 isize }

methods! { f64;
    fn sin(x) -> f64 { math::sin_f64(x) }
    fn cos(x) -> f64 { math::cos_f64(x) }
    fn tan(x) -> f64 { math::tan_f64(x) }
    fn sin_cos(x) -> (f64, f64) { math::sin_cos_f64(x) }
    fn asin(x) -> f64 { math::asin_f64(x) }
    fn acos(x) -> f64 { math::acos_f64(x) }
    fn atan(x) -> f64 { math::atan_f64(x) }
    fn atan2(y, x: f64) -> f64 { math::atan2_f64(y, x) }
    fn sinh(x) -> f64 { math::sinh_f64(x) }
    fn cosh(x) -> f64 { math::cosh_f64(x) }
    fn tanh(x) -> f64 { math::tanh_f64(x) }
    fn asinh(x) -> f64 { math::asinh_f64(x) }
    fn acosh(x) -> f64 { math::acosh_f64(x) }
    fn atanh(x) -> f64 { math::atanh_f64(x) }
    fn exp(x) -> f64 { math::exp_f64(x) }
    fn exp2(x) -> f64 { math::exp2_f64(x) }
    fn exp_m1(x) -> f64 { math::exp_m1_f64(x) }
    fn ln(x) -> f64 { math::ln_f64(x) }
    fn ln_1p(x) -> f64 { math::ln_1p_f64(x) }
    fn log2(x) -> f64 { math::log2_f64(x) }
    fn log10(x) -> f64 { math::log10_f64(x) }
    fn log(x, base: f64) -> f64 { math::log_f64(x, base) }
    fn powf(x, exponent: f64) -> f64 { math::powf_f64(x, exponent) }
    fn powi(x, exponent: i32) -> f64 { math::powi_f64(x, exponent) }
    fn hypot(x, other: f64) -> f64 { math::hypot_f64(x, other) }
    fn cbrt(x) -> f64 { math::cbrt_f64(x) }
    /// std's `clamp`, with the panic's place in the caller.
    #[track_caller]
    fn clamp(x, min: f64, max: f64) -> f64 { double::clamp(x, min, max) }
    /// The order of all values, with the one NaN above all numbers.
    fn total_cmp(a, b: &f64) -> std::cmp::Ordering { double::total_cmp(&a, b) }
}

/// Integer methods that panic inside std: here the panic's place is the caller's, as it is in a VM.
macro_rules! integers {
    ($($ty:ident)*) => {$(methods! { $ty;
        #[track_caller]
        fn pow(x, exponent: u32; checks) -> $ty {
            match x.checked_pow(exponent) {
                Some(power) => power,
                None if checks => panic!("attempt to multiply with overflow"),
                None => x.wrapping_pow(exponent),
            }
        }
        #[track_caller]
        fn clamp(x, min: $ty, max: $ty) -> $ty {
            assert!(min <= max, "assertion failed: min <= max");
            x.clamp(min, max)
        }
        #[track_caller]
        fn ilog2(x) -> u32 {
            match x.checked_ilog2() {
                Some(log) => log,
                None => panic!("argument of integer logarithm must be positive"),
            }
        }
        #[track_caller]
        fn rem_euclid(x, rhs: $ty) -> $ty {
            if rhs == 0 {
                panic!("attempt to calculate the remainder with a divisor of zero");
            }
            match x.checked_rem_euclid(rhs) {
                Some(rest) => rest,
                None => panic!("attempt to calculate the remainder with overflow"),
            }
        }
        #[track_caller]
        fn div_euclid(x, rhs: $ty) -> $ty {
            if rhs == 0 {
                panic!("attempt to divide by zero");
            }
            match x.checked_div_euclid(rhs) {
                Some(quotient) => quotient,
                None => panic!("attempt to divide with overflow"),
            }
        }
        #[track_caller]
        fn wrapping_div(x, rhs: $ty) -> $ty {
            if rhs == 0 {
                panic!("attempt to divide by zero");
            }
            x.wrapping_div(rhs)
        }
        #[track_caller]
        fn wrapping_rem(x, rhs: $ty) -> $ty {
            if rhs == 0 {
                panic!("attempt to calculate the remainder with a divisor of zero");
            }
            x.wrapping_rem(rhs)
        }
    })*};
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! signed {
    ($($ty:ident)*) => {$(methods! { $ty;
        #[track_caller]
        fn abs(x; checks) -> $ty {
            match x.checked_abs() {
                Some(magnitude) => magnitude,
                None if checks => panic!("attempt to negate with overflow"),
                None => x,
            }
        }
        #[track_caller]
        fn isqrt(x) -> $ty {
            match x.checked_isqrt() {
                Some(root) => root,
                None => panic!("argument of integer square root cannot be negative"),
            }
        }
    })*};
}
signed!(i8 i16 i32 i64 i128 isize);

macro_rules! unsigned {
    ($($ty:ident)*) => {$(methods! { $ty;
        #[track_caller]
        fn div_ceil(x, rhs: $ty) -> $ty {
            if rhs == 0 {
                panic!("attempt to divide by zero");
            }
            x.div_ceil(rhs)
        }
        #[track_caller]
        fn next_power_of_two(x; checks) -> $ty {
            match x.checked_next_power_of_two() {
                Some(power) => power,
                None if checks => panic!("attempt to add with overflow"),
                None => 0,
            }
        }
    })*};
}
unsigned!(u8 u16 u32 u64 u128 usize);

/// The numbers of the crate `half`: what NaN's sign and payload could be seen by, and a panic inside the crate.
#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    use super::{MethodsOf, OfDouble};

    /// A number that is made of a double.
    pub trait Half {
        /// By the crate's own code.
        fn of_double(x: f64) -> Self;
    }

    impl<H: Half, F: FnOnce(f64) -> H> OfDouble<F> {
        /// The number by the crate's own code.
        pub fn made_of(self, x: f64) -> H {
            H::of_double(x)
        }
    }

    macro_rules! halves {
        ($($ty:ident)*) => {$(
            impl Half for $ty {
                fn of_double(x: f64) -> $ty {
                    $ty::from_f64_const(x)
                }
            }

            const_methods! { $ty;
                /// The bits, with the one NaN for all of them.
                fn to_bits(x) -> u16 { if x.is_nan() { $ty::NAN.to_bits() } else { x.to_bits() } }
                /// Whether the sign is set; no NaN has one.
                fn is_sign_negative(x) -> bool { !x.is_nan() && x.is_sign_negative() }
                /// Whether the sign is clear, as every NaN's is.
                fn is_sign_positive(x) -> bool { x.is_nan() || x.is_sign_positive() }
                /// The magnitude with the sign of `sign`; a NaN's sign counts as clear.
                fn copysign(x, sign: $ty) -> $ty { x.copysign(if sign.is_nan() { $ty::NAN } else { sign }) }
                /// 1.0 with the sign of the number, or NaN.
                fn signum(x) -> $ty { x.signum() }
                /// The bytes of the bits, with the one NaN.
                fn to_le_bytes(x) -> [u8; 2] { MethodsOf(&x, false).to_bits().to_le_bytes() }
                /// The bytes of the bits, with the one NaN.
                fn to_be_bytes(x) -> [u8; 2] { MethodsOf(&x, false).to_bits().to_be_bytes() }
                /// The bytes of the bits, with the one NaN.
                fn to_ne_bytes(x) -> [u8; 2] { MethodsOf(&x, false).to_bits().to_ne_bytes() }
            }

            methods! { $ty;
                /// The order of all values, with the one NaN above all numbers.
                fn total_cmp(a, b: &$ty) -> std::cmp::Ordering {
                    let one = |x: $ty| if x.is_nan() { $ty::NAN } else { x };
                    one(a).total_cmp(&one(*b))
                }
                /// The crate's `clamp`, with the panic's place in the caller.
                #[track_caller]
                fn clamp(x, min: $ty, max: $ty) -> $ty {
                    assert!(min <= max, "assertion failed: min <= max");
                    x.clamp(min, max)
                }
            }
        )*};
    }
    halves! { f16 bf16 }
}
