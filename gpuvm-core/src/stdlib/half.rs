//! `f16` and `bf16` of the crate `half`. Their arithmetic is that of the crate: in `f32`, and rounded once to the nearest, ties to
//! even. A conversion from `f64` is that of the crate's own code, which leaves 32 bits of the fraction out before it rounds; where a CPU has an
//! instruction for it that rounds otherwise, native functions do without (`gpuvm-math/src/native.rs`). There is one NaN, as of `f32`.

use gpuvm_macros::routine;

/// The `f32` with the bits of a half, of which a half is exponent and fraction, 2¹¹² times as large as it is.
#[routine(library, inline)]
fn single_of_f16(half: u16) -> f32 {
    const SMALLEST_NORMAL: u32 = 113 << 23;
    let shifted = ((half & 0x7fff) as u32) << 13;
    let exponent = shifted >> 23;
    let magnitude = if exponent == 0x1f {
        if shifted == 0x1f << 23 { 0xff << 23 } else { 0x7fc0_0000 }
    } else if exponent == 0 {
        // The fraction behind a leading one is exact, and so is what is left without that.
        (f32::from_bits(shifted.wrapping_add(SMALLEST_NORMAL)) - f32::from_bits(SMALLEST_NORMAL)).to_bits()
    } else {
        shifted.wrapping_add(112 << 23)
    };
    f32::from_bits(magnitude | ((half & 0x8000) as u32) << 16)
}

#[routine(library, inline)]
fn f16_of_single(x: f32) -> u16 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let rounded = if magnitude > 0xff << 23 {
        0x7e00
    } else if magnitude >= 143 << 23 {
        0x7c00
    } else if magnitude < 113 << 23 {
        // Of a number at 0.5 the last bit is worth the smallest half.
        (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(126 << 23)
    } else {
        let is_odd = magnitude >> 13 & 1;
        magnitude
            .wrapping_sub(112 << 23)
            .wrapping_add(0xfff)
            .wrapping_add(is_odd)
            >> 13
    };
    (rounded | (bits >> 16 & 0x8000)) as u16
}

/// Without its last 32 bits a double between the smallest and the largest half fits in an `f32`.
#[routine(library, inline)]
fn f16_of_double(x: f64) -> u16 {
    f16_of_single(f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000) as f32)
}

#[routine(library, inline)]
fn single_of_bf16(half: u16) -> f32 {
    f32::from_bits((half as u32) << 16)
}

#[routine(library, inline)]
fn bf16_of_single(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        0x7fc0
    } else {
        (bits.wrapping_add(0x7fff).wrapping_add(bits >> 16 & 1) >> 16) as u16
    }
}

/// An `f32` cannot come between: the smallest doubles would be rounded twice.
#[routine(library, inline)]
fn bf16_of_double(x: f64) -> u16 {
    let high = (x.to_bits() >> 32) as u32;
    let magnitude = high & 0x7fff_ffff;
    let exponent = magnitude >> 20;
    let rounded = if x.is_nan() {
        0x7fc0
    } else if exponent >= 1023 + 128 {
        0x7f80
    } else if exponent > 1023 - 127 {
        let number = magnitude.wrapping_sub((1023 - 127) << 20);
        number.wrapping_add(0xfff).wrapping_add(number >> 13 & 1) >> 13
    } else if exponent < 1023 - 127 - 14 {
        0
    } else {
        let number = magnitude & 0xf_ffff | 0x10_0000;
        let by = (1023u32 - 127 + 14).wrapping_sub(exponent);
        let below_half = 1u32.wrapping_shl(by.wrapping_sub(1)).wrapping_sub(1);
        let is_odd = number.wrapping_shr(by) & 1;
        number.wrapping_add(below_half).wrapping_add(is_odd).wrapping_shr(by)
    };
    (rounded | (high >> 16 & 0x8000)) as u16
}

/// The operators between numbers, and those that assign.
macro_rules! operators {
    ($ty:ident; $($operator:ident $assign:ident $name:ident $assign_name:ident $symbol:tt;)*) => {$(
        #[routine(library, inline)]
        fn $name(a: $ty, b: $ty) -> $ty {
            from_f32(to_f32(a) $symbol to_f32(b))
        }

        #[routine(library, inline)]
        fn $assign_name(a: &mut $ty, b: $ty) {
            *a = from_f32(to_f32(*a) $symbol to_f32(b));
        }

        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized> Operation<{ Operator::$operator as u8 }, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, $ty, L, R>;
            const CALL: Option<CallFact> = Some(CallFact::of::<$name>());
        }

        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized> Operation<{ Operator::$assign as u8 }, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<{ Operator::$assign as u8 }, Self, $ty, L, R>;
            const CALL: Option<CallFact> = Some(CallFact::of::<$assign_name>());
        }
    )*};
}

/// What the encoder makes of the type's comparisons.
macro_rules! compared {
    ($ty:ident; $($operator:ident)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<L: ?Sized, R: ?Sized> Operation<{ Operator::$operator as u8 }, $ty, L, R> for $ty {
                type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, $ty, L, R>;
                const CALL: Option<CallFact> = None;
            }
        )*
        compared! { @methods $ty; clone eq ne lt le gt ge partial_cmp }
    };
    (@methods $ty:ident; $($name:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl crate::facts::Method<{ gpuvm_macros::name_hash!($name) }> for $ty {
            type Slot = crate::facts::MethodSlot<{ gpuvm_macros::name_hash!($name) }, Self>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}

macro_rules! halves {
    ($($ty:ident: $infinity:literal $nan:literal $one:literal, $to:ident $from:ident $from_double:ident;)*) => {$(
        pub mod $ty {
            use std::cmp::Ordering;

            use gpuvm_macros::routine;
            use half::$ty;

            use super::super::{intrinsics, methods};
            use super::{$from, $from_double, $to};
            use crate::encode::node::Operator;
            use crate::facts::{CallFact, Convert, Operation, RoutineType};
            use crate::types::Comparisons;

            /// The bits that are there, whatever NaN it is.
            #[routine(library, inline)]
            fn raw(x: $ty) -> u16 {
                intrinsics::words(x)
            }

            #[routine(library, inline)]
            fn from_bits(bits: u16) -> $ty {
                intrinsics::words(bits)
            }

            #[routine(library, inline)]
            fn to_f32(x: $ty) -> f32 {
                $to(raw(x))
            }

            #[routine(library, inline)]
            fn to_f64(x: $ty) -> f64 {
                f64::from($to(raw(x)))
            }

            #[routine(library, inline)]
            fn from_f32(x: f32) -> $ty {
                from_bits($from(x))
            }

            #[routine(library, inline)]
            fn from_f64(x: f64) -> $ty {
                from_bits($from_double(x))
            }

            #[routine(library, inline)]
            fn from_i8(x: i8) -> $ty {
                from_f32(f32::from(x))
            }

            #[routine(library, inline)]
            fn from_u8(x: u8) -> $ty {
                from_f32(f32::from(x))
            }

            #[routine(library, inline)]
            fn is_nan(x: $ty) -> bool {
                raw(x) & 0x7fff > $infinity
            }

            #[routine(library, inline)]
            fn is_infinite(x: $ty) -> bool {
                raw(x) & 0x7fff == $infinity
            }

            #[routine(library, inline)]
            fn is_finite(x: $ty) -> bool {
                raw(x) & 0x7fff < $infinity
            }

            #[routine(library, inline)]
            fn is_normal(x: $ty) -> bool {
                let exponent = raw(x) & $infinity;
                exponent != $infinity && exponent != 0
            }

            #[routine(library, inline)]
            fn to_bits(x: $ty) -> u16 {
                if is_nan(x) { $nan } else { raw(x) }
            }

            #[routine(library, inline)]
            fn is_sign_negative(x: $ty) -> bool {
                to_bits(x) >> 15 == 1
            }

            #[routine(library, inline)]
            fn is_sign_positive(x: $ty) -> bool {
                to_bits(x) >> 15 == 0
            }

            #[routine(library, inline)]
            fn copysign(x: $ty, sign: $ty) -> $ty {
                from_bits(raw(x) & 0x7fff | to_bits(sign) & 0x8000)
            }

            #[routine(library, inline)]
            fn signum(x: $ty) -> $ty {
                if is_nan(x) { x } else { from_bits(raw(x) & 0x8000 | $one) }
            }

            /// The place in the order of all numbers, from the lowest; that of both zeros is 0.
            #[routine(library, inline)]
            fn rank(x: $ty) -> i32 {
                let magnitude = (raw(x) & 0x7fff) as i32;
                if raw(x) >> 15 == 1 { 0i32.wrapping_sub(magnitude) } else { magnitude }
            }

            #[routine(library, inline)]
            fn eq(a: &$ty, b: &$ty) -> bool {
                !is_nan(*a) && !is_nan(*b) && rank(*a) == rank(*b)
            }

            #[routine(library, inline)]
            fn partial_cmp(a: &$ty, b: &$ty) -> Option<Ordering> {
                if is_nan(*a) || is_nan(*b) { None } else { Some(rank(*a).cmp(&rank(*b))) }
            }

            #[routine(library, inline)]
            fn total_cmp(a: &$ty, b: &$ty) -> Ordering {
                let (a, b) = (to_bits(*a) as i16, to_bits(*b) as i16);
                (a ^ (a >> 15) & 0x7fff).cmp(&(b ^ (b >> 15) & 0x7fff))
            }

            /// Equal numbers and NaN beside a number are told apart as the crate does, not as `f32` does.
            #[routine(library, inline)]
            fn max(x: $ty, other: $ty) -> $ty {
                if is_nan(x) || !is_nan(other) && rank(other) > rank(x) { other } else { x }
            }

            #[routine(library, inline)]
            fn min(x: $ty, other: $ty) -> $ty {
                if is_nan(x) || !is_nan(other) && rank(other) < rank(x) { other } else { x }
            }

            #[routine(library, inline)]
            fn clamp(x: $ty, min: $ty, max: $ty) -> $ty {
                assert!(!is_nan(min) && !is_nan(max) && rank(min) <= rank(max), "assertion failed: min <= max");
                if is_nan(x) {
                    x
                } else if rank(x) < rank(min) {
                    min
                } else if rank(x) > rank(max) {
                    max
                } else {
                    x
                }
            }

            #[routine(library, inline)]
            fn neg(x: $ty) -> $ty {
                from_bits(raw(x) ^ 0x8000)
            }

            /// The derived comparisons of what holds such numbers, and their own operators.
            pub const COMPARISONS: Comparisons = Comparisons {
                eq: Some(<eq as RoutineType>::routine),
                partial_cmp: Some(<partial_cmp as RoutineType>::routine),
                ..Comparisons::DERIVED
            };

            methods! {
                [] $ty, from_bits = from_bits;
                [] $ty, to_bits = to_bits;
                [] $ty, to_f32 = to_f32;
                [] $ty, to_f32_const = to_f32;
                [] $ty, to_f64 = to_f64;
                [] $ty, to_f64_const = to_f64;
                [] $ty, from_f32 = from_f32;
                [] $ty, from_f32_const = from_f32;
                [] $ty, from_f64 = from_f64;
                [] $ty, from_f64_const = from_f64;
                [] $ty, is_nan = is_nan;
                [] $ty, is_infinite = is_infinite;
                [] $ty, is_finite = is_finite;
                [] $ty, is_normal = is_normal;
                [] $ty, is_sign_negative = is_sign_negative;
                [] $ty, is_sign_positive = is_sign_positive;
                [] $ty, copysign = copysign;
                [] $ty, signum = signum;
                [] $ty, total_cmp = total_cmp;
                [] $ty, max = max;
                [] $ty, min = min;
                [] $ty, clamp = clamp;
            }

            impl Convert<$ty> for f32 {
                type Slot = crate::facts::ConvertSlot<$ty, Self>;
                const CALL: Option<CallFact> = Some(CallFact::of::<to_f32>());
            }

            impl Convert<$ty> for f64 {
                type Slot = crate::facts::ConvertSlot<$ty, Self>;
                const CALL: Option<CallFact> = Some(CallFact::of::<to_f64>());
            }

            impl Convert<i8> for $ty {
                type Slot = crate::facts::ConvertSlot<i8, Self>;
                const CALL: Option<CallFact> = Some(CallFact::of::<from_i8>());
            }

            impl Convert<u8> for $ty {
                type Slot = crate::facts::ConvertSlot<u8, Self>;
                const CALL: Option<CallFact> = Some(CallFact::of::<from_u8>());
            }

            #[diagnostic::do_not_recommend]
            impl<L: ?Sized, R: ?Sized> Operation<{ Operator::Neg as u8 }, (), L, R> for $ty {
                type Slot = crate::facts::OperatorSlot<{ Operator::Neg as u8 }, Self, (), L, R>;
                const CALL: Option<CallFact> = Some(CallFact::of::<neg>());
            }

            operators! {
                $ty;
                Add AddAssign add add_assign +;
                Sub SubAssign sub sub_assign -;
                Mul MulAssign mul mul_assign *;
                Div DivAssign div div_assign /;
                Rem RemAssign rem rem_assign %;
            }
            compared! { $ty; Eq Ne Lt Le Gt Ge }
        }
    )*};
}
halves! {
    f16: 0x7c00 0x7e00 0x3c00, single_of_f16 f16_of_single f16_of_double;
    bf16: 0x7f80 0x7fc0 0x3f80, single_of_bf16 bf16_of_single bf16_of_double;
}
