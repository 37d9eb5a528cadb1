//! Methods of integers that the machine does not have itself, for all widths at once.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shr, Sub};

use gpuvm_macros::routine;

use super::super::iter::{Neutral, Ordered};
use super::super::methods;
use super::super::slice::Comparable;
use crate::encode::node::Operator;
use crate::facts::{Method, Operation};
use crate::types::VmType;

const ADD: u8 = Operator::Add as u8;
const SUB: u8 = Operator::Sub as u8;
const MUL: u8 = Operator::Mul as u8;
const DIV: u8 = Operator::Div as u8;
const REM: u8 = Operator::Rem as u8;
const AND: u8 = Operator::BitAnd as u8;
const OR: u8 = Operator::BitOr as u8;
const XOR: u8 = Operator::BitXor as u8;
const SHR: u8 = Operator::Shr as u8;

/// The operators of integers.
pub trait Operators:
    Add<Output = Self>
    + Operation<ADD, Self>
    + Sub<Output = Self>
    + Operation<SUB, Self>
    + Mul<Output = Self>
    + Operation<MUL, Self>
    + Div<Output = Self>
    + Operation<DIV, Self>
    + Rem<Output = Self>
    + Operation<REM, Self>
    + BitAnd<Output = Self>
    + Operation<AND, Self>
    + BitOr<Output = Self>
    + Operation<OR, Self>
    + BitXor<Output = Self>
    + Operation<XOR, Self>
    + Shr<u32, Output = Self>
    + Operation<SHR, u32>
    + Sized
{
}

/// Declares a trait of integers: the methods that the machine has, for generic routines to call.
macro_rules! integers {
    ($(#[$doc:meta])* $trait:ident: $($bound:path),*; $($of:ident)*;
        { $($(#[$method:meta])* $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)* }) => {
        $(#[$doc])*
        pub trait $trait: $($bound +)* VmType $(+ Method<{ gpuvm_macros::name_hash!($name) }>)* {
            $(fn $name(self $(, $argument: $ty)*) -> $result;)*
        }
        integers! { @impl $trait; $($of)*; { $($name($($argument: $ty),*) -> $result;)* } }
    };
    (@impl $trait:ident; $($of:ident)*; $methods:tt) => {
        $(integers! { @one $trait; $of; $methods })*
    };
    (@one $trait:ident; $of:ident; { $($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)* }) => {
        impl $trait for $of {
            $(fn $name(self $(, $argument: $ty)*) -> $result {
                $of::$name(self $(, $argument)*)
            })*
        }
    };
}
pub(super) use integers;

/// The limits of integers.
pub trait Limits {
    const MIN: Self;
    const MAX: Self;
    const TEN: Self;
    const BITS: u32;
}

macro_rules! limits {
    ($($of:ident)*) => {$(
        impl Operators for $of {}

        impl Limits for $of {
            const MIN: $of = $of::MIN;
            const MAX: $of = $of::MAX;
            const TEN: $of = 10;
            const BITS: u32 = $of::BITS;
        }
    )*};
}
limits!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

integers! {
    /// An integer of any width.
    Integer: Neutral, Ordered, Comparable, Operators, Limits; i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize; {
        swap_bytes() -> Self;
        ilog2() -> u32;
        leading_zeros() -> u32;
        trailing_zeros() -> u32;
        div_euclid(other: Self) -> Self;
        rem_euclid(other: Self) -> Self;
        wrapping_add(other: Self) -> Self;
        wrapping_sub(other: Self) -> Self;
        wrapping_mul(other: Self) -> Self;
        wrapping_div(other: Self) -> Self;
        wrapping_rem(other: Self) -> Self;
        wrapping_neg() -> Self;
        wrapping_shl(by: u32) -> Self;
        wrapping_shr(by: u32) -> Self;
        wrapping_pow(exponent: u32) -> Self;
        checked_add(other: Self) -> Option<Self>;
        checked_mul(other: Self) -> Option<Self>;
        checked_sub(other: Self) -> Option<Self>;
        checked_neg() -> Option<Self>;
        checked_shl(by: u32) -> Option<Self>;
        checked_shr(by: u32) -> Option<Self>;
        saturating_add(other: Self) -> Self;
        saturating_sub(other: Self) -> Self;
        saturating_mul(other: Self) -> Self;
        checked_div(other: Self) -> Option<Self>;
        checked_rem(other: Self) -> Option<Self>;
        checked_pow(exponent: u32) -> Option<Self>;
        overflowing_add(other: Self) -> (Self, bool);
        overflowing_sub(other: Self) -> (Self, bool);
        isqrt() -> Self;
        count_ones() -> u32;
        ilog10() -> u32;
        saturating_div(other: Self) -> Self;
        saturating_pow(exponent: u32) -> Self;
    }
}

#[routine(library, inline)]
fn checked_div_euclid<T: Integer>(a: T, b: T) -> Option<T> {
    match a.checked_div(b) {
        Some(_) => Some(a.div_euclid(b)),
        None => None,
    }
}

#[routine(library, inline)]
fn checked_rem_euclid<T: Integer>(a: T, b: T) -> Option<T> {
    match a.checked_rem(b) {
        Some(_) => Some(a.rem_euclid(b)),
        None => None,
    }
}

/// Whether a division overflows: of the least number by -1.
#[routine(library, inline)]
fn quotient_overflows<T: Integer>(a: T, b: T) -> bool {
    T::MIN < T::ZERO && a == T::MIN && b == T::ZERO.wrapping_sub(T::ONE)
}

#[routine(library, inline)]
fn wrapping_div_euclid<T: Integer>(a: T, b: T) -> T {
    if quotient_overflows(a, b) { a } else { a.div_euclid(b) }
}

#[routine(library, inline)]
fn wrapping_rem_euclid<T: Integer>(a: T, b: T) -> T {
    if quotient_overflows(a, b) {
        T::ZERO
    } else {
        a.rem_euclid(b)
    }
}

#[routine(library, inline)]
fn overflowing_div<T: Integer>(a: T, b: T) -> (T, bool) {
    (a.wrapping_div(b), quotient_overflows(a, b))
}

#[routine(library, inline)]
fn overflowing_rem<T: Integer>(a: T, b: T) -> (T, bool) {
    (a.wrapping_rem(b), quotient_overflows(a, b))
}

#[routine(library, inline)]
fn overflowing_div_euclid<T: Integer>(a: T, b: T) -> (T, bool) {
    (wrapping_div_euclid(a, b), quotient_overflows(a, b))
}

#[routine(library, inline)]
fn overflowing_rem_euclid<T: Integer>(a: T, b: T) -> (T, bool) {
    (wrapping_rem_euclid(a, b), quotient_overflows(a, b))
}

#[routine(library, inline)]
fn saturating_div<T: Integer>(a: T, b: T) -> T {
    if quotient_overflows(a, b) { T::MAX } else { a / b }
}

#[routine(library, inline)]
fn overflowing_pow<T: Integer>(a: T, exponent: u32) -> (T, bool) {
    (a.wrapping_pow(exponent), a.checked_pow(exponent).is_none())
}

#[routine(library, inline)]
fn saturating_pow<T: Integer>(a: T, exponent: u32) -> T {
    match a.checked_pow(exponent) {
        Some(power) => power,
        None if a < T::ZERO && exponent % 2 == 1 => T::MIN,
        None => T::MAX,
    }
}

#[routine(library, inline)]
fn overflowing_shl<T: Integer>(a: T, by: u32) -> (T, bool) {
    (a.wrapping_shl(by), by >= T::BITS)
}

#[routine(library, inline)]
fn overflowing_shr<T: Integer>(a: T, by: u32) -> (T, bool) {
    (a.wrapping_shr(by), by >= T::BITS)
}

#[routine(library, inline)]
fn unbounded_shl<T: Integer>(a: T, by: u32) -> T {
    if by < T::BITS { a.wrapping_shl(by) } else { T::ZERO }
}

#[routine(library, inline)]
fn unbounded_shr<T: Integer>(a: T, by: u32) -> T {
    a.wrapping_shr(if by < T::BITS { by } else { T::BITS.wrapping_sub(1) })
        .wrapping_shr(if by < T::BITS { 0 } else { 1 })
}

/// How often `base` goes into `a` as a factor, both being great enough.
#[routine(library)]
fn count_factors<T: Integer>(a: T, base: T) -> u32 {
    let most = a / base;
    let mut power = T::ONE;
    let mut count = 0u32;
    while power <= most {
        power = power.wrapping_mul(base);
        count = count.wrapping_add(1);
    }
    count
}

#[routine(library, inline)]
fn ilog<T: Integer>(a: T, base: T) -> u32 {
    assert!(base > T::ONE, "base of integer logarithm must be at least 2");
    if a <= T::ZERO {
        panic!("argument of integer logarithm must be positive");
    }
    count_factors(a, base)
}

#[routine(library, inline)]
fn checked_ilog<T: Integer>(a: T, base: T) -> Option<u32> {
    if a <= T::ZERO || base <= T::ONE {
        None
    } else {
        Some(count_factors(a, base))
    }
}

#[routine(library, inline)]
fn ilog10<T: Integer>(a: T) -> u32 {
    if a <= T::ZERO {
        panic!("argument of integer logarithm must be positive");
    }
    count_factors(a, T::TEN)
}

#[routine(library, inline)]
fn checked_ilog10<T: Integer>(a: T) -> Option<u32> {
    if a <= T::ZERO {
        None
    } else {
        Some(count_factors(a, T::TEN))
    }
}

#[routine(library, inline)]
fn checked_ilog2<T: Integer>(a: T) -> Option<u32> {
    if a <= T::ZERO {
        None
    } else {
        Some(T::BITS.wrapping_sub(1).wrapping_sub(a.leading_zeros()))
    }
}

macro_rules! of_integers {
    ($($ty:ident)*) => {
        methods! {$(
            [] $ty, checked_div_euclid = checked_div_euclid<$ty>;
            [] $ty, checked_rem_euclid = checked_rem_euclid<$ty>;
            [] $ty, wrapping_div_euclid = wrapping_div_euclid<$ty>;
            [] $ty, wrapping_rem_euclid = wrapping_rem_euclid<$ty>;
            [] $ty, overflowing_div = overflowing_div<$ty>;
            [] $ty, overflowing_rem = overflowing_rem<$ty>;
            [] $ty, overflowing_div_euclid = overflowing_div_euclid<$ty>;
            [] $ty, overflowing_rem_euclid = overflowing_rem_euclid<$ty>;
            [] $ty, saturating_div = saturating_div<$ty>;
            [] $ty, overflowing_pow = overflowing_pow<$ty>;
            [] $ty, saturating_pow = saturating_pow<$ty>;
            [] $ty, overflowing_shl = overflowing_shl<$ty>;
            [] $ty, overflowing_shr = overflowing_shr<$ty>;
            [] $ty, unbounded_shl = unbounded_shl<$ty>;
            [] $ty, unbounded_shr = unbounded_shr<$ty>;
            [] $ty, ilog = ilog<$ty>;
            [] $ty, checked_ilog = checked_ilog<$ty>;
            [] $ty, ilog10 = ilog10<$ty>;
            [] $ty, checked_ilog10 = checked_ilog10<$ty>;
            [] $ty, checked_ilog2 = checked_ilog2<$ty>;
        )*}
    };
}
of_integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
