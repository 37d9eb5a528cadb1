//! Methods and operators of `NonZero`: those of the number that it is, by way of its words.

use std::num::NonZero;

use gpuvm_macros::routine;

use super::scalar::{Integer, Signed, Unsigned};
use super::{intrinsics, methods, operators};
use crate::facts::{CallFact, Convert};
use crate::types::VmType;

/// The same words without 0, or `None`.
#[routine(library, inline)]
fn new<T: Integer, N: VmType>(x: T) -> Option<N> {
    if x == T::ZERO { None } else { Some(intrinsics::words(x)) }
}

#[routine(library, inline)]
fn get<N: VmType, T: Integer>(x: N) -> T {
    intrinsics::words(x)
}

#[routine(library, inline)]
fn leading_zeros<N: VmType, T: Integer>(x: N) -> u32 {
    let number: T = intrinsics::words(x);
    number.leading_zeros()
}

#[routine(library, inline)]
fn trailing_zeros<N: VmType, T: Integer>(x: N) -> u32 {
    let number: T = intrinsics::words(x);
    number.trailing_zeros()
}

#[routine(library, inline)]
fn checked_add<N: VmType, T: Integer>(x: N, y: T) -> Option<N> {
    let number: T = intrinsics::words(x);
    match number.checked_add(y) {
        Some(sum) => Some(intrinsics::words(sum)),
        None => None,
    }
}

#[routine(library, inline)]
fn saturating_add<N: VmType, T: Integer>(x: N, y: T) -> N {
    let number: T = intrinsics::words(x);
    intrinsics::words(number.saturating_add(y))
}

#[routine(library, inline)]
fn checked_mul<N: VmType, T: Integer>(x: N, y: N) -> Option<N> {
    let (number, other): (T, T) = (intrinsics::words(x), intrinsics::words(y));
    match number.checked_mul(other) {
        Some(product) => Some(intrinsics::words(product)),
        None => None,
    }
}

#[routine(library, inline)]
fn saturating_mul<N: VmType, T: Integer>(x: N, y: N) -> N {
    let (number, other): (T, T) = (intrinsics::words(x), intrinsics::words(y));
    intrinsics::words(number.saturating_mul(other))
}

#[routine(library, inline)]
fn checked_pow<N: VmType, T: Integer>(x: N, exponent: u32) -> Option<N> {
    let number: T = intrinsics::words(x);
    match number.checked_pow(exponent) {
        Some(power) => Some(intrinsics::words(power)),
        None => None,
    }
}

#[routine(library, inline)]
fn saturating_pow<N: VmType, T: Integer>(x: N, exponent: u32) -> N {
    let number: T = intrinsics::words(x);
    intrinsics::words(number.saturating_pow(exponent))
}

#[routine(library, inline)]
fn count_ones<N: VmType, T: Integer>(x: N) -> NonZero<u32> {
    let number: T = intrinsics::words(x);
    intrinsics::words(number.count_ones())
}

#[routine(library, inline)]
fn isqrt<N: VmType, T: Integer>(x: N) -> N {
    let number: T = intrinsics::words(x);
    intrinsics::words(number.isqrt())
}

#[routine(library, inline)]
fn ilog2<N: VmType, T: Integer>(x: N) -> u32 {
    let number: T = intrinsics::words(x);
    number.ilog2()
}

#[routine(library, inline)]
fn ilog10<N: VmType, T: Integer>(x: N) -> u32 {
    let number: T = intrinsics::words(x);
    number.ilog10()
}

#[routine(library, inline)]
fn is_power_of_two<N: VmType, T: Unsigned>(x: N) -> bool {
    let number: T = intrinsics::words(x);
    number.is_power_of_two()
}

#[routine(library, inline)]
fn checked_next_power_of_two<N: VmType, T: Unsigned>(x: N) -> Option<N> {
    let number: T = intrinsics::words(x);
    match number.checked_next_power_of_two() {
        Some(power) => Some(intrinsics::words(power)),
        None => None,
    }
}

#[routine(library, inline)]
fn midpoint<N: VmType, T: Unsigned>(x: N, y: N) -> N {
    let (number, other): (T, T) = (intrinsics::words(x), intrinsics::words(y));
    intrinsics::words(number.midpoint(other))
}

#[routine(library, inline)]
fn is_positive<N: VmType, T: Integer>(x: N) -> bool {
    let number: T = intrinsics::words(x);
    number > T::ZERO
}

#[routine(library, inline)]
fn is_negative<N: VmType, T: Integer>(x: N) -> bool {
    let number: T = intrinsics::words(x);
    number < T::ZERO
}

/// What changes the sign of a number that is not 0: as the number's own method does it, and it is not 0 then either.
macro_rules! signs {
    ($($plain:ident)*; $($checked:ident)*; $($overflowing:ident)*) => {
        $(
            #[routine(library, inline)]
            fn $plain<N: VmType, T: Signed>(x: N) -> N {
                let number: T = intrinsics::words(x);
                intrinsics::words(number.$plain())
            }
        )*
        $(
            #[routine(library, inline)]
            fn $checked<N: VmType, T: Signed>(x: N) -> Option<N> {
                let number: T = intrinsics::words(x);
                match number.$checked() {
                    Some(number) => Some(intrinsics::words(number)),
                    None => None,
                }
            }
        )*
        $(
            #[routine(library, inline)]
            fn $overflowing<N: VmType, T: Signed>(x: N) -> (N, bool) {
                let number: T = intrinsics::words(x);
                let (number, overflows) = number.$overflowing();
                (intrinsics::words(number), overflows)
            }
        )*
    };
}
signs! {
    abs wrapping_abs saturating_abs wrapping_neg saturating_neg;
    checked_abs checked_neg;
    overflowing_abs overflowing_neg
}

#[routine(library, inline)]
fn unsigned_abs<N: VmType, T: Signed, U: VmType>(x: N) -> U {
    let number: T = intrinsics::words(x);
    intrinsics::words(number.wrapping_abs())
}

#[routine(library, inline)]
fn cast<N: VmType, M: VmType>(x: N) -> M {
    intrinsics::words(x)
}

#[routine(library, inline)]
fn neg<N: VmType, T: Integer>(x: N) -> N {
    let number: T = intrinsics::words(x);
    intrinsics::words(T::ZERO - number)
}

#[routine(library, inline)]
fn bit_or<A: VmType, B: VmType, N: VmType, T: Integer>(x: A, y: B) -> N {
    let (number, other): (T, T) = (intrinsics::words(x), intrinsics::words(y));
    intrinsics::words(number | other)
}

#[routine(library, inline)]
fn bit_or_assign<N: VmType, B: VmType, T: Integer>(x: &mut N, y: B) {
    *x = bit_or::<N, B, N, T>(*x, y);
}

#[routine(library, inline)]
fn div<N: VmType, T: Integer>(x: T, y: N) -> T {
    let divisor: T = intrinsics::words(y);
    x / divisor
}

#[routine(library, inline)]
fn rem<N: VmType, T: Integer>(x: T, y: N) -> T {
    let divisor: T = intrinsics::words(y);
    x % divisor
}

#[routine(library, inline)]
fn div_assign<N: VmType, T: Integer>(x: &mut T, y: N) {
    *x = div(*x, y);
}

#[routine(library, inline)]
fn rem_assign<N: VmType, T: Integer>(x: &mut T, y: N) {
    *x = rem(*x, y);
}

macro_rules! non_zero {
    ($($ty:ident)*) => {$(
        methods! {
            [] NonZero<$ty>, new = new<$ty, NonZero<$ty>>;
            [] NonZero<$ty>, get = get<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, leading_zeros = leading_zeros<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, trailing_zeros = trailing_zeros<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, count_ones = count_ones<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, checked_mul = checked_mul<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, saturating_mul = saturating_mul<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, checked_pow = checked_pow<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, saturating_pow = saturating_pow<NonZero<$ty>, $ty>;
        }

        operators! {
            [] NonZero<$ty>, BitOr NonZero<$ty> = bit_or<NonZero<$ty>, NonZero<$ty>, NonZero<$ty>, $ty>;
            [] NonZero<$ty>, BitOr $ty = bit_or<NonZero<$ty>, $ty, NonZero<$ty>, $ty>;
            [] $ty, BitOr NonZero<$ty> = bit_or<$ty, NonZero<$ty>, NonZero<$ty>, $ty>;
            [] NonZero<$ty>, BitOrAssign NonZero<$ty> = bit_or_assign<NonZero<$ty>, NonZero<$ty>, $ty>;
            [] NonZero<$ty>, BitOrAssign $ty = bit_or_assign<NonZero<$ty>, $ty, $ty>;
        }

        impl Convert<NonZero<$ty>> for $ty {
            type Slot = crate::facts::ConvertSlot<NonZero<$ty>, Self>;
            const CALL: Option<CallFact> = Some(CallFact::of::<get<NonZero<$ty>, $ty>>());
        }
    )*};
}
non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! non_zero_unsigned {
    ($($ty:ident $other:ident;)*) => {
        methods! {$(
            [] NonZero<$ty>, checked_add = checked_add<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, saturating_add = saturating_add<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, isqrt = isqrt<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, ilog2 = ilog2<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, ilog10 = ilog10<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, is_power_of_two = is_power_of_two<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, checked_next_power_of_two = checked_next_power_of_two<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, midpoint = midpoint<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, cast_signed = cast<NonZero<$ty>, NonZero<$other>>;
            [] NonZero<$other>, cast_unsigned = cast<NonZero<$other>, NonZero<$ty>>;
            [] NonZero<$other>, unsigned_abs = unsigned_abs<NonZero<$other>, $other, NonZero<$ty>>;
            [] NonZero<$other>, abs = abs<NonZero<$other>, $other>;
            [] NonZero<$other>, wrapping_abs = wrapping_abs<NonZero<$other>, $other>;
            [] NonZero<$other>, saturating_abs = saturating_abs<NonZero<$other>, $other>;
            [] NonZero<$other>, checked_abs = checked_abs<NonZero<$other>, $other>;
            [] NonZero<$other>, overflowing_abs = overflowing_abs<NonZero<$other>, $other>;
            [] NonZero<$other>, wrapping_neg = wrapping_neg<NonZero<$other>, $other>;
            [] NonZero<$other>, saturating_neg = saturating_neg<NonZero<$other>, $other>;
            [] NonZero<$other>, checked_neg = checked_neg<NonZero<$other>, $other>;
            [] NonZero<$other>, overflowing_neg = overflowing_neg<NonZero<$other>, $other>;
            [] NonZero<$other>, is_positive = is_positive<NonZero<$other>, $other>;
            [] NonZero<$other>, is_negative = is_negative<NonZero<$other>, $other>;
        )*}

        operators! {$(
            [] $ty, Div NonZero<$ty> = div<NonZero<$ty>, $ty>;
            [] $ty, Rem NonZero<$ty> = rem<NonZero<$ty>, $ty>;
            [] $ty, DivAssign NonZero<$ty> = div_assign<NonZero<$ty>, $ty>;
            [] $ty, RemAssign NonZero<$ty> = rem_assign<NonZero<$ty>, $ty>;
            [] NonZero<$other>, Neg () = neg<NonZero<$other>, $other>;
        )*}
    };
}
non_zero_unsigned!(u8 i8; u16 i16; u32 i32; u64 i64; u128 i128; usize isize;);
