//! Conversions that may fail, `TryFrom` between numbers, characters, slices and arrays, and those between tuples and arrays.

use std::array::TryFromSliceError;
use std::char::{CharTryFromError, TryFromCharError};
use std::convert::Infallible;
use std::num::{NonZero, TryFromIntError};

use gpuvm_macros::routine;

use super::intrinsics;
use super::iter::Ordered;
use crate::encode::node::Operator;
use crate::facts::{CallFact, Compares, Convert, EQ, Operation, TryConvert};
use crate::types::{Field, Kind, Type, Value, VmType, name_hash};

macro_rules! errors {
    ($($ty:ident = $of:expr,)*) => {$(
        impl Value for $ty {
            type Erased = Self;
            type Inner = Self;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = &$of;
        }

        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized> Operation<{ Operator::Eq as u8 }, $ty, L, R> for $ty {
            type Slot = crate::facts::OperatorSlot<{ Operator::Eq as u8 }, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
        }

        impl Compares<'_, EQ> for $ty {
            const SEEN: Option<&'static Type> = None;
        }
    )*};
}
/// The one field of these errors, which is private and `()`.
const NOTHING: &[Field] = &[Field {
    hash: name_hash("0"),
    name: "",
    ty: <() as Value>::TYPE,
    refs: 0,
    offset: 0,
}];

const fn error(name: &'static str) -> Type {
    Type::record(Kind::Struct, name, NOTHING)
}

errors! {
    TryFromIntError = error("TryFromIntError"),
    TryFromSliceError = error("TryFromSliceError"),
    CharTryFromError = error("CharTryFromError"),
    TryFromCharError = error("TryFromCharError"),
    Infallible = Type::tagged("Infallible", &[]),
}

impl VmType for Infallible {
    fn write_words(&self, _: &mut [u32]) {
        match *self {}
    }

    fn read_words(_: &[u32]) -> Self {
        unreachable!("no VM has a value of `Infallible`")
    }
}

/// An integer.
pub trait Integer: Ordered + VmType {}

macro_rules! integers {
    ($($ty:ty)*) => {
        $(impl Integer for $ty {})*
    };
}
integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

/// What fits comes back, and has the sign that it had.
#[routine(library, inline)]
fn integer<A: Integer, B: Integer>(x: A) -> Result<B, TryFromIntError> {
    let converted: B = intrinsics::cast(x);
    let back: A = intrinsics::cast(converted);
    let (zero, no_value): (A, B) = (intrinsics::cast(0u8), intrinsics::cast(0u8));
    if !(back < x) && !(back > x) && (x < zero) == (converted < no_value) {
        Ok(converted)
    } else {
        Err(intrinsics::nothing())
    }
}

#[routine(library, inline)]
fn array<T: VmType, const N: usize>(slice: &'static [T]) -> Result<[T; N], TryFromSliceError> {
    if slice.len() == N {
        Ok(std::array::from_fn(|i| *intrinsics::element(&slice, i)))
    } else {
        Err(intrinsics::nothing())
    }
}

impl<A: Integer, B: Integer> TryConvert<A> for B {
    type Slot = crate::facts::TryConvertSlot<A, Self>;
    const CALL: CallFact = CallFact::of::<integer<A, B>>();
}

#[routine(library, inline)]
fn array_ref<T: VmType, const N: usize>(slice: &'static [T]) -> Result<&'static [T; N], TryFromSliceError> {
    if slice.len() == N {
        Ok(intrinsics::view(&slice, N))
    } else {
        Err(intrinsics::nothing())
    }
}

#[routine(library, inline)]
fn array_mut<T: VmType, const N: usize>(slice: &'static mut [T]) -> Result<&'static mut [T; N], TryFromSliceError> {
    if slice.len() == N {
        Ok(intrinsics::view_mut(&slice, N))
    } else {
        Err(intrinsics::nothing())
    }
}

impl<T: VmType, const N: usize> TryConvert<&'static [T]> for &'static [T; N] {
    type Slot = crate::facts::TryConvertSlot<&'static [T], Self>;
    const CALL: CallFact = CallFact::of::<array_ref<T, N>>();
}

impl<T: VmType, const N: usize> TryConvert<&'static mut [T]> for &'static mut [T; N] {
    type Slot = crate::facts::TryConvertSlot<&'static mut [T], Self>;
    const CALL: CallFact = CallFact::of::<array_mut<T, N>>();
}

impl<T: VmType, const N: usize> TryConvert<&'static [T]> for [T; N] {
    type Slot = crate::facts::TryConvertSlot<&'static [T], Self>;
    const CALL: CallFact = CallFact::of::<array<T, N>>();
}

impl<T: VmType, const N: usize> TryConvert<&'static mut [T]> for [T; N] {
    type Slot = crate::facts::TryConvertSlot<&'static mut [T], Self>;
    const CALL: CallFact = CallFact::of::<array<T, N>>();
}

#[routine(library, inline)]
fn character(code: u32) -> Result<char, CharTryFromError> {
    match char::from_u32(code) {
        Some(c) => Ok(c),
        None => Err(intrinsics::nothing()),
    }
}

#[routine(library, inline)]
fn code<T: Integer>(c: char) -> Result<T, TryFromCharError> {
    let code = c as u32;
    let converted: T = intrinsics::cast(code);
    let back: u32 = intrinsics::cast(converted);
    if back == code {
        Ok(converted)
    } else {
        Err(intrinsics::nothing())
    }
}

#[routine(library, inline)]
fn non_zero<T: VmType, N: VmType>(number: T) -> Result<N, TryFromIntError>
where
    T: super::scalar::Integer,
{
    if number == T::ZERO {
        Err(intrinsics::nothing())
    } else {
        Ok(intrinsics::words(number))
    }
}

macro_rules! fallible {
    ($($from:ty => $to:ty = $routine:ty;)*) => {$(
        impl TryConvert<$from> for $to {
            type Slot = crate::facts::TryConvertSlot<$from, Self>;
            const CALL: CallFact = CallFact::of::<$routine>();
        }
    )*};
    ($($number:ident)*) => {
        fallible! { $($number => NonZero<$number> = non_zero<$number, NonZero<$number>>;)* }
    };
}
fallible! {
    u32 => char = character;
    char => u8 = code<u8>;
    char => u16 = code<u16>;
}
fallible!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Arrays and tuples of as many values have the same words.
#[routine(library, inline)]
fn same_words<A: VmType, B: VmType>(value: A) -> B {
    intrinsics::words(value)
}

macro_rules! tuples {
    ($($length:literal: $($t:ident)*;)*) => {$(
        impl<T: VmType> Convert<[T; $length]> for ($($t,)*) {
            type Slot = crate::facts::ConvertSlot<[T; $length], Self>;
            const CALL: Option<CallFact> = Some(CallFact::of::<same_words<[T; $length], ($($t,)*)>>());
        }

        impl<T: VmType> Convert<($($t,)*)> for [T; $length] {
            type Slot = crate::facts::ConvertSlot<($($t,)*), Self>;
            const CALL: Option<CallFact> = Some(CallFact::of::<same_words<($($t,)*), [T; $length]>>());
        }
    )*};
}
tuples! {
    2: T T;
    3: T T T;
    4: T T T T;
    5: T T T T T;
    6: T T T T T T;
}
