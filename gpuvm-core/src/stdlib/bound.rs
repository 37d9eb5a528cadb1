//! The bounds of ranges: what a routine that is given `impl RangeBounds` asks of one. To routines a range is the iterator that it becomes.

use std::ops::{Bound, RangeBounds, RangeFull, RangeTo, RangeToInclusive};

use gpuvm_macros::routine;

use super::iter::{AnIterator, From, HalfOpen, Inclusive, Ordered};
use super::{generic_methods, intrinsics, methods};
use crate::types::Static;

#[routine(library, inline)]
fn half_open_start<T: Static>(range: &HalfOpen<T>) -> Bound<&T> {
    Bound::Included(&range.start)
}

#[routine(library, inline)]
fn half_open_end<T: Static>(range: &HalfOpen<T>) -> Bound<&T> {
    Bound::Excluded(&range.end)
}

#[routine(library, inline)]
fn inclusive_start<T: Static>(range: &Inclusive<T>) -> Bound<&T> {
    Bound::Included(&range.start)
}

/// One that has given all its elements has none any more.
#[routine(library, inline)]
fn inclusive_end<T: Static>(range: &Inclusive<T>) -> Bound<&T> {
    if range.exhausted {
        Bound::Excluded(&range.end)
    } else {
        Bound::Included(&range.end)
    }
}

#[routine(library, inline)]
fn from_start<T: Static>(range: &From<T>) -> Bound<&T> {
    Bound::Included(&range.start)
}

#[routine(library, inline)]
fn to_end<T: Static>(range: &RangeTo<T>) -> Bound<&T> {
    Bound::Excluded(&range.end)
}

#[routine(library, inline)]
fn to_inclusive_end<T: Static>(range: &RangeToInclusive<T>) -> Bound<&T> {
    Bound::Included(&range.end)
}

#[routine(library, inline)]
fn from_end<T: Static>(_range: &From<T>) -> Bound<&T> {
    Bound::Unbounded
}

#[routine(library, inline)]
fn to_start<T: Static>(_range: &RangeTo<T>) -> Bound<&T> {
    Bound::Unbounded
}

#[routine(library, inline)]
fn to_inclusive_start<T: Static>(_range: &RangeToInclusive<T>) -> Bound<&T> {
    Bound::Unbounded
}

#[routine(library, inline)]
fn full<'r, T: Static>(_range: &'r RangeFull) -> Bound<&'r T> {
    Bound::Unbounded
}

#[routine(library, inline)]
fn full_contains<T: Static>(_range: &RangeFull, _x: &T) -> bool {
    true
}

#[routine(library, inline)]
fn pair_start<T: Static>(range: &(Bound<T>, Bound<T>)) -> Bound<&T> {
    as_ref(&range.0)
}

#[routine(library, inline)]
fn pair_end<T: Static>(range: &(Bound<T>, Bound<T>)) -> Bound<&T> {
    as_ref(&range.1)
}

#[routine(library, inline)]
fn pair_contains<T: Ordered>(range: &(Bound<T>, Bound<T>), x: &T) -> bool {
    let is_behind = match &range.0 {
        Bound::Included(start) => *start <= *x,
        Bound::Excluded(start) => *start < *x,
        Bound::Unbounded => true,
    };
    is_behind
        && match &range.1 {
            Bound::Included(end) => *x <= *end,
            Bound::Excluded(end) => *x < *end,
            Bound::Unbounded => true,
        }
}

#[routine(library, inline)]
fn as_ref<T: Static>(bound: &Bound<T>) -> Bound<&T> {
    match bound {
        Bound::Included(x) => Bound::Included(x),
        Bound::Excluded(x) => Bound::Excluded(x),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[routine(library, inline)]
fn cloned<T: Static>(bound: Bound<&'static T>) -> Bound<T> {
    match bound {
        Bound::Included(x) => Bound::Included(intrinsics::clone(x)),
        Bound::Excluded(x) => Bound::Excluded(intrinsics::clone(x)),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[routine(library, inline)]
fn map<T: Static, U: Static>(bound: Bound<T>, f: fn(T) -> U) -> Bound<U> {
    match bound {
        Bound::Included(x) => Bound::Included(f(x)),
        Bound::Excluded(x) => Bound::Excluded(f(x)),
        Bound::Unbounded => Bound::Unbounded,
    }
}

methods! {
    [T: Static] AnIterator<HalfOpen<T>>, start_bound = half_open_start<T>;
    [T: Static] AnIterator<HalfOpen<T>>, end_bound = half_open_end<T>;
    [T: Static] AnIterator<Inclusive<T>>, start_bound = inclusive_start<T>;
    [T: Static] AnIterator<Inclusive<T>>, end_bound = inclusive_end<T>;
    [T: Static] AnIterator<From<T>>, start_bound = from_start<T>;
    [T: Static] AnIterator<From<T>>, end_bound = from_end<T>;
    [T: Static] RangeTo<T>, start_bound = to_start<T>;
    [T: Static] RangeTo<T>, end_bound = to_end<T>;
    [T: Static] RangeToInclusive<T>, start_bound = to_inclusive_start<T>;
    [T: Static] RangeToInclusive<T>, end_bound = to_inclusive_end<T>;
    [T: Static] (Bound<T>, Bound<T>), start_bound = pair_start<T>;
    [T: Static] (Bound<T>, Bound<T>), end_bound = pair_end<T>;
    [T: Ordered] (Bound<T>, Bound<T>), contains = pair_contains<T>;
    [T: Static] Bound<T>, as_ref = as_ref<T>;
    [T: Static] Bound<&'static T>, cloned = cloned<T>;
}

generic_methods! {
    [T: Static] RangeFull, start_bound(()) -> Bound<&'static T> = full<T>;
    [T: Static] RangeFull, end_bound(()) -> Bound<&'static T> = full<T>;
    [T: Static] RangeFull, contains(&'static T) -> bool = full_contains<T>;
    [T: Static, U: Static] Bound<T>, map(()) -> Bound<U> = map<T, U>;
}

/// A type parameter that is a range is the iterator, too.
macro_rules! range_bounds {
    ($($range:ident)*) => {$(
        impl<T: Static> RangeBounds<T> for AnIterator<$range<T>> {
            fn start_bound(&self) -> Bound<&T> {
                unreachable!("it stands for a range, and is none")
            }

            fn end_bound(&self) -> Bound<&T> {
                unreachable!("it stands for a range, and is none")
            }
        }
    )*};
}
range_bounds!(HalfOpen Inclusive From);
