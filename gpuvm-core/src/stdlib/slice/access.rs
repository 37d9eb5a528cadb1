//! Single elements, and parts by ranges.

use std::ops::{RangeFull, RangeTo, RangeToInclusive};
use std::slice::GetDisjointMutError;

use gpuvm_macros::routine;

use super::super::functions::array_from_fn;
use super::super::iter::{AnIterator, From, HalfOpen, Inclusive, begin};
use super::{generic_list_methods, intrinsics, list_methods};
use crate::facts::{CallFact, Operation};
use crate::types::Static;

#[routine(library, inline)]
fn get<T: Static>(slice: &[T], index: usize) -> Option<&T> {
    if index < slice.len() {
        Some(intrinsics::element(&slice, index))
    } else {
        None
    }
}

#[routine(library, inline)]
fn get_mut<T: Static>(slice: &mut [T], index: usize) -> Option<&mut T> {
    if index < slice.len() {
        Some(intrinsics::element_mut(&slice, index))
    } else {
        None
    }
}

#[routine(library, inline)]
fn first<T: Static>(slice: &[T]) -> Option<&T> {
    get(slice, 0)
}

#[routine(library, inline)]
fn first_mut<T: Static>(slice: &mut [T]) -> Option<&mut T> {
    get_mut(slice, 0)
}

#[routine(library, inline)]
fn last<T: Static>(slice: &[T]) -> Option<&T> {
    get(slice, slice.len().wrapping_sub(1))
}

#[routine(library, inline)]
fn last_mut<T: Static>(slice: &mut [T]) -> Option<&mut T> {
    let length = slice.len();
    get_mut(slice, length.wrapping_sub(1))
}

/// `get` and `get_mut` of a kind of range: where the part begins and ends, and whether it is inside.
macro_rules! get_ranges {
    ($($get:ident $get_mut:ident ($range:ident: $ty:ty, $length:ident) $inside:expr => $start:expr, $end:expr;)*) => {
        $(
            #[routine(library, inline)]
            fn $get<T: Static>(slice: &[T], $range: $ty) -> Option<&[T]> {
                let $length = slice.len();
                if $inside { Some(intrinsics::part(&slice, $start, $end)) } else { None }
            }

            #[routine(library, inline)]
            fn $get_mut<T: Static>(slice: &mut [T], $range: $ty) -> Option<&mut [T]> {
                let $length = slice.len();
                if $inside { Some(intrinsics::part_mut(&slice, $start, $end)) } else { None }
            }
        )*
        generic_list_methods! {
            $(
                [T: Static] get($ty) -> Option<&'static [T]> = $get<T>;
                [T: Static] get_mut($ty) -> Option<&'static mut [T]> = $get_mut<T>;
            )*
        }
    };
}
get_ranges! {
    get_range get_range_mut(range: HalfOpen<usize>, length)
        range.start <= range.end && range.end <= length => range.start, range.end;
    get_from get_from_mut(range: From<usize>, length) range.start <= length => range.start, length;
    get_to get_to_mut(range: RangeTo<usize>, length) range.end <= length => 0, range.end;
    get_inclusive get_inclusive_mut(range: Inclusive<usize>, length)
        range.end < length && begin(&range) <= range.end.wrapping_add(1) => begin(&range), range.end.wrapping_add(1);
    get_to_inclusive get_to_inclusive_mut(range: RangeToInclusive<usize>, length)
        range.end < length => 0, range.end.wrapping_add(1);
}

#[routine(library, inline)]
fn get_all<T: Static>(slice: &[T], _all: RangeFull) -> Option<&[T]> {
    Some(slice)
}

#[routine(library, inline)]
fn get_all_mut<T: Static>(slice: &mut [T], _all: RangeFull) -> Option<&mut [T]> {
    Some(slice)
}

/// The first place at fault is told, as std does.
#[routine(library)]
fn get_disjoint_mut<T: Static, const N: usize>(
    slice: &'static mut [T],
    indices: [usize; N],
) -> Result<[&'static mut T; N], GetDisjointMutError> {
    let length = slice.len();
    for (i, index) in indices.iter().enumerate() {
        if *index >= length {
            return Err(GetDisjointMutError::IndexOutOfBounds);
        }
        for other in &indices[..i] {
            if index == other {
                return Err(GetDisjointMutError::OverlappingIndices);
            }
        }
    }
    Ok(array_from_fn(|at| intrinsics::element_mut(&slice, indices[at])))
}

generic_list_methods! {
    [T: Static, const M: usize] get_disjoint_mut([usize; M]) -> Result<[&'static mut T; M], GetDisjointMutError> = get_disjoint_mut<T, M>;
}

list_methods! {
    [T: Static] T: first = first<T>, first_mut = first_mut<T>, last = last<T>, last_mut = last_mut<T>;
}

generic_list_methods! {
    [T: Static] get(usize) -> Option<&'static T> = get<T>;
    [T: Static] get_mut(usize) -> Option<&'static mut T> = get_mut<T>;
    [T: Static] get(RangeFull) -> Option<&'static [T]> = get_all<T>;
    [T: Static] get_mut(RangeFull) -> Option<&'static mut [T]> = get_all_mut<T>;
}

/// The machine indexes lists by every kind of range.
macro_rules! indexed_by {
    ($($range:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, const N: usize, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $range, L, R> for [T; N] {
            type Slot = crate::facts::OperatorSlot<OP, Self, $range, L, R>;
            const CALL: Option<CallFact> = None;
        }

        #[diagnostic::do_not_recommend]
        impl<T, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $range, L, R> for [T] {
            type Slot = crate::facts::OperatorSlot<OP, Self, $range, L, R>;
            const CALL: Option<CallFact> = None;
        }

        #[diagnostic::do_not_recommend]
        impl<const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $range, L, R> for str {
            type Slot = crate::facts::OperatorSlot<OP, Self, $range, L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
indexed_by! {
    AnIterator<HalfOpen<usize>>;
    AnIterator<Inclusive<usize>>;
    AnIterator<From<usize>>;
    RangeTo<usize>;
    RangeToInclusive<usize>;
    RangeFull;
}
