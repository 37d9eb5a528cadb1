//! Methods of signed or unsigned integers alone, and those that mix the two.

use gpuvm_macros::routine;

use super::super::methods;
use super::integer::{Integer, integers};
use crate::facts::Method;
use crate::types::VmType;

/// The conversions of bits between the signed and the unsigned integer of a width.
macro_rules! casts {
    ($($module:ident $signed:ident $unsigned:ident;)*) => {
        $(
            mod $module {
                use super::*;

                #[routine(library, inline)]
                fn cast_unsigned(x: $signed) -> $unsigned {
                    x as $unsigned
                }

                #[routine(library, inline)]
                fn cast_signed(x: $unsigned) -> $signed {
                    x as $signed
                }

                methods! {
                    [] $signed, cast_unsigned = cast_unsigned;
                    [] $unsigned, cast_signed = cast_signed;
                    [] $signed, cast_other = cast_unsigned;
                    [] $unsigned, cast_other = cast_signed;
                }
            }

            impl Casts<$unsigned> for $signed {
                fn cast_other(self) -> $unsigned {
                    self.cast_unsigned()
                }
            }

            impl Casts<$signed> for $unsigned {
                fn cast_other(self) -> $signed {
                    self.cast_signed()
                }
            }
        )*
    };
}
casts! {
    of_8 i8 u8;
    of_16 i16 u16;
    of_32 i32 u32;
    of_64 i64 u64;
    of_128 i128 u128;
    of_size isize usize;
}

/// An integer of which there is another of the same width, with a sign or without.
pub trait Casts<T>: Integer + Method<{ gpuvm_macros::name_hash!("cast_other") }> {
    fn cast_other(self) -> T;
}

integers! {
    /// A signed integer.
    Signed: Integer; i8 i16 i32 i64 i128 isize; {
        abs() -> Self;
        wrapping_abs() -> Self;
        saturating_abs() -> Self;
        saturating_neg() -> Self;
        checked_abs() -> Option<Self>;
        overflowing_abs() -> (Self, bool);
        overflowing_neg() -> (Self, bool);
    }
}

integers! {
    /// An unsigned integer.
    Unsigned: Integer; u8 u16 u32 u64 u128 usize; {
        is_power_of_two() -> bool;
        checked_next_power_of_two() -> Option<Self>;
        midpoint(other: Self) -> Self;
    }
}

#[routine(library, inline)]
fn is_multiple_of<T: Integer>(a: T, b: T) -> bool {
    if b == T::ZERO {
        a == T::ZERO
    } else {
        a.wrapping_rem(b) == T::ZERO
    }
}

#[routine(library, inline)]
fn next_multiple_of<T: Integer>(a: T, b: T) -> T {
    let rest = a % b;
    if rest == T::ZERO { a } else { a + b.wrapping_sub(rest) }
}

#[routine(library, inline)]
fn checked_next_multiple_of<T: Integer>(a: T, b: T) -> Option<T> {
    match a.checked_rem(b) {
        Some(rest) if rest == T::ZERO => Some(a),
        Some(rest) => a.checked_add(b.wrapping_sub(rest)),
        None => None,
    }
}

#[routine(library, inline)]
fn checked_next_power_of_two<T: Integer>(a: T) -> Option<T> {
    if a <= T::ONE {
        return Some(T::ONE);
    }
    let by = T::BITS.wrapping_sub(a.wrapping_sub(T::ONE).leading_zeros());
    if by == T::BITS {
        None
    } else {
        Some(T::ONE.wrapping_shl(by))
    }
}

/// The mean, rounded down.
#[routine(library, inline)]
fn mean<T: Integer>(a: T, b: T) -> T {
    ((a ^ b) >> 1).wrapping_add(a & b)
}

/// The mean, rounded towards zero.
#[routine(library, inline)]
fn mean_to_zero<T: Signed>(a: T, b: T) -> T {
    let down = mean(a, b);
    if down < T::ZERO {
        down.wrapping_add((a ^ b) & T::ONE)
    } else {
        down
    }
}

/// The families of sums and differences of both kinds: with its overflow, what the result wraps to, and what it is where it does not fit.
macro_rules! mixed {
    ($machine:ident; $overflowing:ident $wrapping:ident $checked:ident $saturating:ident; $limit:ident) => {
        #[routine(library, inline)]
        fn $overflowing<T: Integer, U: Casts<T>>(a: T, b: U) -> (T, bool) {
            let (result, carried) = a.$machine(b.cast_other());
            let (own_negative, negative) = (b.cast_other() < T::ZERO, b < U::ZERO);
            (result, carried ^ (own_negative | negative))
        }

        #[routine(library, inline)]
        fn $wrapping<T: Integer, U: Casts<T>>(a: T, b: U) -> T {
            let (result, _) = a.$machine(b.cast_other());
            result
        }

        #[routine(library, inline)]
        fn $checked<T: Integer, U: Casts<T>>(a: T, b: U) -> Option<T> {
            let (result, overflowed) = $overflowing(a, b);
            if overflowed { None } else { Some(result) }
        }

        #[routine(library, inline)]
        fn $saturating<T: Integer, U: Casts<T>>(a: T, b: U) -> T {
            let (result, overflowed) = $overflowing(a, b);
            if overflowed {
                $limit::<T>(b < U::ZERO)
            } else {
                result
            }
        }
    };
}
mixed! { overflowing_add; overflowing_add_signed wrapping_add_signed checked_add_signed saturating_add_signed; added }
mixed! { overflowing_sub; overflowing_sub_signed wrapping_sub_signed checked_sub_signed saturating_sub_signed; taken }
mixed! { overflowing_add; overflowing_add_unsigned wrapping_add_unsigned checked_add_unsigned saturating_add_unsigned; added }
mixed! { overflowing_sub; overflowing_sub_unsigned wrapping_sub_unsigned checked_sub_unsigned saturating_sub_unsigned; taken }

/// Where a sum ends up that does not fit.
#[routine(library, inline)]
fn added<T: Integer>(negative: bool) -> T {
    if negative { T::MIN } else { T::MAX }
}

/// Where a difference ends up that does not fit.
#[routine(library, inline)]
fn taken<T: Integer>(negative: bool) -> T {
    if negative { T::MAX } else { T::MIN }
}

#[routine(library, inline)]
fn checked_signed_diff<T: Casts<S>, S: Integer>(a: T, b: T) -> Option<S> {
    let difference = a.wrapping_sub(b).cast_other();
    if (a < b) != (difference < S::ZERO) {
        None
    } else {
        Some(difference)
    }
}

#[routine(library, inline)]
fn saturating_neg<T: Signed>(a: T) -> T {
    if a == T::MIN { T::MAX } else { a.wrapping_neg() }
}

#[routine(library, inline)]
fn saturating_abs<T: Signed>(a: T) -> T {
    if a == T::MIN { T::MAX } else { a.wrapping_abs() }
}

#[routine(library, inline)]
fn overflowing_abs<T: Signed>(a: T) -> (T, bool) {
    (a.wrapping_abs(), a == T::MIN)
}

#[routine(library, inline)]
fn checked_isqrt<T: Signed>(a: T) -> Option<T> {
    if a < T::ZERO { None } else { Some(a.isqrt()) }
}

/// A sum or difference with what is carried in and out.
#[routine(library, inline)]
fn carrying_add<T: Integer>(a: T, b: T, carry: bool) -> (T, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(if carry { T::ONE } else { T::ZERO });
    (sum, first | second)
}

#[routine(library, inline)]
fn borrowing_sub<T: Integer>(a: T, b: T, borrow: bool) -> (T, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(if borrow { T::ONE } else { T::ZERO });
    (difference, first | second)
}

macro_rules! of_unsigned {
    ($($ty:ident $other:ident;)*) => {
        methods! {$(
            [] $ty, is_multiple_of = is_multiple_of<$ty>;
            [] $ty, next_multiple_of = next_multiple_of<$ty>;
            [] $ty, checked_next_multiple_of = checked_next_multiple_of<$ty>;
            [] $ty, checked_next_power_of_two = checked_next_power_of_two<$ty>;
            [] $ty, midpoint = mean<$ty>;
            [] $ty, overflowing_add_signed = overflowing_add_signed<$ty, $other>;
            [] $ty, wrapping_add_signed = wrapping_add_signed<$ty, $other>;
            [] $ty, checked_add_signed = checked_add_signed<$ty, $other>;
            [] $ty, saturating_add_signed = saturating_add_signed<$ty, $other>;
            [] $ty, overflowing_sub_signed = overflowing_sub_signed<$ty, $other>;
            [] $ty, wrapping_sub_signed = wrapping_sub_signed<$ty, $other>;
            [] $ty, checked_sub_signed = checked_sub_signed<$ty, $other>;
            [] $ty, saturating_sub_signed = saturating_sub_signed<$ty, $other>;
            [] $ty, checked_signed_diff = checked_signed_diff<$ty, $other>;
            [] $ty, carrying_add = carrying_add<$ty>;
            [] $ty, borrowing_sub = borrowing_sub<$ty>;
        )*}
    };
}
of_unsigned!(u8 i8; u16 i16; u32 i32; u64 i64; u128 i128; usize isize;);

macro_rules! of_signed {
    ($($ty:ident $other:ident;)*) => {
        methods! {$(
            [] $ty, midpoint = mean_to_zero<$ty>;
            [] $ty, overflowing_add_unsigned = overflowing_add_unsigned<$ty, $other>;
            [] $ty, wrapping_add_unsigned = wrapping_add_unsigned<$ty, $other>;
            [] $ty, checked_add_unsigned = checked_add_unsigned<$ty, $other>;
            [] $ty, saturating_add_unsigned = saturating_add_unsigned<$ty, $other>;
            [] $ty, overflowing_sub_unsigned = overflowing_sub_unsigned<$ty, $other>;
            [] $ty, wrapping_sub_unsigned = wrapping_sub_unsigned<$ty, $other>;
            [] $ty, checked_sub_unsigned = checked_sub_unsigned<$ty, $other>;
            [] $ty, saturating_sub_unsigned = saturating_sub_unsigned<$ty, $other>;
            [] $ty, saturating_neg = saturating_neg<$ty>;
            [] $ty, saturating_abs = saturating_abs<$ty>;
            [] $ty, overflowing_abs = overflowing_abs<$ty>;
            [] $ty, checked_isqrt = checked_isqrt<$ty>;
        )*}
    };
}
of_signed!(i8 u8; i16 u16; i32 u32; i64 u64; i128 u128; isize usize;);
