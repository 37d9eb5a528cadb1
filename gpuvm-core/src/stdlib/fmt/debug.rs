//! `{:?}` of std's own types that have parts.

use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Bound, ControlFlow, RangeFull, RangeTo, RangeToInclusive};
use std::time::Duration;

use gpuvm_macros::routine;

use super::super::intrinsics;
use super::super::iter::{AnIterator, From, HalfOpen, Inclusive};
use super::integer::decimal_128;
use super::{DEBUG, Debugged, Debugs, Formatter, LEFT, PLUS, Sink, before, fill, pad};
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
pub fn debug_range<T: Debugged, W: Sink>(value: &HalfOpen<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    intrinsics::formatted::<DEBUG>(&value.start, f)?;
    f.sink.write_str("..")?;
    intrinsics::formatted::<DEBUG>(&value.end, f)
}

/// Of one that has given all its numbers the ends have passed each other.
#[routine(library)]
pub fn debug_inclusive<T: Debugged, W: Sink>(value: &Inclusive<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    if value.exhausted {
        intrinsics::formatted::<DEBUG>(&value.end, f)?;
    } else {
        intrinsics::formatted::<DEBUG>(&value.start, f)?;
    }
    f.sink.write_str("..=")?;
    intrinsics::formatted::<DEBUG>(&value.end, f)?;
    if value.exhausted {
        f.sink.write_str(" (exhausted)")?;
    }
    Ok(())
}

#[routine(library)]
pub fn debug_from<T: Debugged, W: Sink>(value: &From<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    intrinsics::formatted::<DEBUG>(&value.start, f)?;
    f.sink.write_str("..")
}

#[routine(library)]
pub fn debug_to<T: Debugged, W: Sink>(value: &RangeTo<T>, f: &mut Formatter<'static, W>) -> fmt::Result {
    f.sink.write_str("..")?;
    intrinsics::formatted::<DEBUG>(&value.end, f)
}

#[routine(library)]
pub fn debug_to_inclusive<T: Debugged, W: Sink>(
    value: &RangeToInclusive<T>,
    f: &mut Formatter<'static, W>,
) -> fmt::Result {
    f.sink.write_str("..=")?;
    intrinsics::formatted::<DEBUG>(&value.end, f)
}

#[routine(library)]
pub fn debug_full<W: Sink>(_value: &RangeFull, f: &mut Formatter<'static, W>) -> fmt::Result {
    f.sink.write_str("..")
}

/// A number of units and a fraction of one, in units of a tenth: as many digits as are asked for, or as there are; a tie goes to the even digit.
#[routine(library)]
fn decimal<W: Sink>(f: &mut Formatter<'static, W>, whole: u64, fraction: u32, tenth: u32, unit: &str) -> fmt::Result {
    let mut digits = [48u8; 9];
    let mut left = fraction;
    let mut place = tenth;
    let mut count = 0u32;
    let most = if f.precision == 0 {
        9
    } else {
        f.precision.wrapping_sub(1)
    };
    while left > 0 && count < most {
        digits[count as usize] = (left / place) as u8 | 48;
        left %= place;
        place /= 10;
        count = count.wrapping_add(1);
    }
    let half = place.wrapping_mul(5);
    let mut rounded = whole as u128;
    if left > 0 && left >= half {
        let last = if count == 0 {
            whole as u8
        } else {
            digits[count.wrapping_sub(1) as usize]
        };
        let mut carries = left > half || last & 1 == 1;
        let mut at = count;
        while carries && at > 0 {
            at = at.wrapping_sub(1);
            if digits[at as usize] == 57 {
                digits[at as usize] = 48;
            } else {
                digits[at as usize] = digits[at as usize].wrapping_add(1);
                carries = false;
            }
        }
        if carries {
            rounded = rounded.wrapping_add(1);
        }
    }
    let shown = if f.precision == 0 { count } else { most };
    let mut text = [48u8; 128];
    let from = decimal_128(rounded, &mut text);
    let sign = if f.flags & PLUS != 0 { "+" } else { "" };
    // `µs` has three bytes.
    let mut width = (128usize.wrapping_sub(from) as u32)
        .wrapping_add(sign.len() as u32)
        .wrapping_add(if unit.len() == 1 { 1 } else { 2 });
    if shown > 0 {
        width = width.wrapping_add(shown).wrapping_add(1);
    }
    let padding = if f.width > width {
        f.width.wrapping_sub(width)
    } else {
        0
    };
    let first = before(f.flags, padding, LEFT);
    fill(f.sink, f.fill, first)?;
    f.sink.write_str(sign)?;
    f.sink
        .write_str(intrinsics::words(intrinsics::part(&&text[..], from, 128)))?;
    if shown > 0 {
        let there = if shown < 9 { shown } else { 9 };
        f.sink.write_str(".")?;
        f.sink
            .write_str(intrinsics::words(intrinsics::part(&&digits[..], 0, there as usize)))?;
        fill(f.sink, '0', shown.wrapping_sub(there))?;
    }
    f.sink.write_str(unit)?;
    fill(f.sink, f.fill, padding.wrapping_sub(first))
}

#[routine(library)]
pub fn debug_duration<W: Sink>(value: &Duration, f: &mut Formatter<'static, W>) -> fmt::Result {
    let (secs, nanos): (u64, u32) = intrinsics::words(*value);
    if secs > 0 {
        decimal(f, secs, nanos, 100_000_000, "s")
    } else if nanos >= 1_000_000 {
        decimal(f, (nanos / 1_000_000) as u64, nanos % 1_000_000, 100_000, "ms")
    } else if nanos >= 1000 {
        decimal(f, (nanos / 1000) as u64, nanos % 1000, 100, "µs")
    } else {
        decimal(f, nanos as u64, 0, 1, "ns")
    }
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
    [T: Debugged] AnIterator<HalfOpen<T>> = debug_range[T];
    [T: Debugged] AnIterator<Inclusive<T>> = debug_inclusive[T];
    [T: Debugged] AnIterator<From<T>> = debug_from[T];
    [T: Debugged] RangeTo<T> = debug_to[T];
    [T: Debugged] RangeToInclusive<T> = debug_to_inclusive[T];
    [] RangeFull = debug_full;
    [] Duration = debug_duration;
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
    debug_9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    debug_10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    debug_11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    debug_12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
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
