//! `{:?}` of std's own types that have parts.

use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Bound, ControlFlow};

use gpuvm_macros::routine;

use super::super::intrinsics;
use super::{DEBUG, Debugged, Debugs, Formatter, Sink, pad};
use crate::types::VmType;

#[routine(library)]
pub fn debug_nothing<W: Sink>(_value: &(), f: &mut Formatter<'static, W>) -> fmt::Result {
    pad(f, "()")
}

#[routine(library)]
pub fn debug_error<W: Sink>(_value: &fmt::Error, f: &mut Formatter<'static, W>) -> fmt::Result {
    f.sink.write_str("Error")
}

#[routine(library)]
pub fn debug_ordering<W: Sink>(value: &Ordering, f: &mut Formatter<'static, W>) -> fmt::Result {
    f.sink.write_str(match *value {
        Ordering::Less => "Less",
        Ordering::Equal => "Equal",
        Ordering::Greater => "Greater",
    })
}

#[routine(library)]
pub fn debug_option<T: Debugged, W: Sink>(value: &Option<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    match value {
        None => f.sink.write_str("None"),
        Some(value) => f.debug_tuple("Some").field(value).finish(),
    }
}

#[routine(library)]
pub fn debug_result<T: Debugged, E: Debugged, W: Sink>(
    value: &Result<T, E>,
    f: &mut Formatter<'static, W>,
) -> fmt::Result {
    match value {
        Ok(value) => f.debug_tuple("Ok").field(value).finish(),
        Err(error) => f.debug_tuple("Err").field(error).finish(),
    }
}

#[routine(library)]
pub fn debug_flow<B: Debugged, C: Debugged, W: Sink>(
    value: &ControlFlow<B, C>,
    f: &mut Formatter<'static, W>,
) -> fmt::Result {
    match value {
        ControlFlow::Continue(value) => f.debug_tuple("Continue").field(value).finish(),
        ControlFlow::Break(value) => f.debug_tuple("Break").field(value).finish(),
    }
}

#[routine(library)]
pub fn debug_bound<T: Debugged, W: Sink>(value: &Bound<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    match value {
        Bound::Included(value) => f.debug_tuple("Included").field(value).finish(),
        Bound::Excluded(value) => f.debug_tuple("Excluded").field(value).finish(),
        Bound::Unbounded => f.sink.write_str("Unbounded"),
    }
}

#[routine(library)]
pub fn debug_reverse<T: Debugged + VmType, W: Sink>(value: &Reverse<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    f.debug_tuple("Reverse").field(&value.0).finish()
}

#[routine(library)]
pub fn debug_wrapping<T: Debugged + VmType, W: Sink>(
    value: &Wrapping<T>,
    f: &mut Formatter<'static, W>,
) -> fmt::Result {
    intrinsics::formatted::<DEBUG>(&value.0, f)
}

#[routine(library)]
pub fn debug_saturating<T: Debugged + VmType, W: Sink>(
    value: &Saturating<T>,
    f: &mut Formatter<'static, W>,
) -> fmt::Result {
    intrinsics::formatted::<DEBUG>(&value.0, f)
}

#[routine(library)]
pub fn debug_slice<T: Debugged, W: Sink>(values: &[T], f: &mut Formatter<'static, W>) -> fmt::Result {
    let mut list = f.debug_list();
    for value in values {
        list.entry(value);
    }
    list.finish()
}

#[routine(library)]
pub fn debug_array<T: Debugged, const N: usize, W: Sink>(
    values: &[T; N],
    f: &mut Formatter<'static, W>,
) -> fmt::Result {
    debug_slice(&values[..], f)
}

macro_rules! debugged {
    ($([$($generics:tt)*] $ty:ty = $routine:ident $([$($argument:ident)*])?;)*) => {$(
        impl<$($generics)*> Debugs for $ty {
            type Routine<W: Sink> = $routine<$($($argument,)*)? W>;
        }
    )*};
}
debugged! {
    [] () = debug_nothing;
    [] fmt::Error = debug_error;
    [] Ordering = debug_ordering;
    [T: Debugged] Option<T> = debug_option[T];
    [T: Debugged, E: Debugged] Result<T, E> = debug_result[T E];
    [B: Debugged, C: Debugged] ControlFlow<B, C> = debug_flow[B C];
    [T: Debugged] Bound<T> = debug_bound[T];
    [T: Debugged + VmType] Reverse<T> = debug_reverse[T];
    [T: Debugged + VmType] Wrapping<T> = debug_wrapping[T];
    [T: Debugged + VmType] Saturating<T> = debug_saturating[T];
    [T: Debugged] [T] = debug_slice[T];
    [T: Debugged, const N: usize] [T; N] = debug_array[T N];
}

macro_rules! tuples {
    ($($routine:ident: $($name:ident $place:tt)*;)*) => {$(
        #[routine(library)]
        pub fn $routine<$($name: Debugged,)* W: Sink>(value: &($($name,)*), f: &mut Formatter<'static, W>) -> fmt::Result {
            let mut tuple = f.debug_tuple("");
            $(tuple.field(&value.$place);)*
            tuple.finish()
        }

        impl<$($name: Debugged),*> Debugs for ($($name,)*) {
            type Routine<W: Sink> = $routine<$($name,)* W>;
        }
    )*};
}
tuples! {
    debug_1: A 0;
    debug_2: A 0 B 1;
    debug_3: A 0 B 1 C 2;
    debug_4: A 0 B 1 C 2 D 3;
    debug_5: A 0 B 1 C 2 D 3 E 4;
    debug_6: A 0 B 1 C 2 D 3 E 4 F 5;
    debug_7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    debug_8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

macro_rules! non_zero {
    ($($ty:ident $routine:ident;)*) => {$(
        #[routine(library)]
        pub fn $routine<W: Sink>(value: &NonZero<$ty>, f: &mut Formatter<'static, W>) -> fmt::Result {
            let number: $ty = value.get();
            intrinsics::formatted::<DEBUG>(&number, f)
        }

        impl Debugs for NonZero<$ty> {
            type Routine<W: Sink> = $routine<W>;
        }
    )*};
}
non_zero! {
    u8 debug_u8;
    u16 debug_u16;
    u32 debug_u32;
    u64 debug_u64;
    u128 debug_u128;
    usize debug_usize;
    i8 debug_i8;
    i16 debug_i16;
    i32 debug_i32;
    i64 debug_i64;
    i128 debug_i128;
    isize debug_isize;
}
