//! What changes a slice's elements: swaps, fills, copies, rotations.

use std::ops::{RangeFull, RangeTo, RangeToInclusive};

use gpuvm_macros::routine;

use super::super::iter::{From, HalfOpen, Inclusive, begin};
use super::{generic_list_methods, intrinsics, list_methods};
use crate::types::Static;

#[routine(library, inline)]
fn swap<T: Static>(slice: &mut [T], a: usize, b: usize) {
    let (x, y) = (intrinsics::copy(&slice[a]), intrinsics::copy(&slice[b]));
    *intrinsics::element_mut(&slice, a) = y;
    *intrinsics::element_mut(&slice, b) = x;
}

#[routine(library)]
fn fill<T: Static>(slice: &mut [T], value: T) {
    let mut at = 0;
    while at < slice.len() {
        *intrinsics::element_mut(&slice, at) = intrinsics::clone(&value);
        at = at.wrapping_add(1);
    }
    // The last one is the value itself.
    if at > 0 {
        *intrinsics::element_mut(&slice, at.wrapping_sub(1)) = value;
    }
}

#[routine(library)]
fn reverse<T: Static>(slice: &mut [T]) {
    reverse_part(slice, 0, slice.len());
}

/// Reverses the elements from `start` to `end`.
#[routine(library)]
fn reverse_part<T: Static>(slice: &mut [T], start: usize, end: usize) {
    let (mut low, mut high) = (start, end);
    while low.wrapping_add(1) < high {
        high = high.wrapping_sub(1);
        let (x, y) = (
            intrinsics::element_mut(&slice, low),
            intrinsics::element_mut(&slice, high),
        );
        let kept = intrinsics::copy(x);
        *x = intrinsics::copy(y);
        *y = kept;
        low = low.wrapping_add(1);
    }
}

/// Moves the elements from `middle` to `end` before those from `start` on, by three reversals.
#[routine(library)]
pub fn rotate_part<T: Static>(slice: &mut [T], start: usize, middle: usize, end: usize) {
    reverse_part(slice, start, middle);
    reverse_part(slice, middle, end);
    reverse_part(slice, start, end);
}

#[routine(library, inline)]
fn rotate_left<T: Static>(slice: &mut [T], mid: usize) {
    let length = slice.len();
    if mid > length {
        panic!("assertion failed: mid <= self.len()");
    }
    rotate_part(slice, 0, mid, length);
}

#[routine(library, inline)]
fn rotate_right<T: Static>(slice: &mut [T], k: usize) {
    let length = slice.len();
    if k > length {
        panic!("assertion failed: k <= self.len()");
    }
    rotate_part(slice, 0, length.wrapping_sub(k), length);
}

#[routine(library, inline)]
fn copy_from_slice<T: Static>(slice: &mut [T], source: &[T]) {
    let (length, given) = (slice.len(), source.len());
    if length != given {
        panic!(
            "copy_from_slice: source slice length ({}) does not match destination slice length ({})",
            given, length
        );
    }
    copy_part(slice, source);
}

#[routine(library, inline)]
fn clone_from_slice<T: Static>(slice: &mut [T], source: &[T]) {
    let (length, given) = (slice.len(), source.len());
    if length != given {
        panic!(
            "copy_from_slice: source slice length ({}) does not match destination slice length ({})",
            given, length
        );
    }
    clone_part(slice, source);
}

#[routine(library)]
fn clone_part<T: Static>(slice: &mut [T], source: &[T]) {
    let mut at = 0;
    for x in source {
        *intrinsics::element_mut(&slice, at) = intrinsics::clone(x);
        at = at.wrapping_add(1);
    }
}

#[routine(library)]
fn copy_part<T: Static>(slice: &mut [T], source: &[T]) {
    let mut at = 0;
    for x in source {
        *intrinsics::element_mut(&slice, at) = intrinsics::copy(x);
        at = at.wrapping_add(1);
    }
}

#[routine(library)]
fn fill_with<T: Static>(slice: &mut [T], mut f: impl FnMut() -> T) {
    for x in slice {
        *x = f();
    }
}

#[routine(library, inline)]
fn swap_with_slice<T: Static>(slice: &mut [T], other: &mut [T]) {
    if slice.len() != other.len() {
        panic!("destination and source slices have different lengths");
    }
    swap_parts(slice, other);
}

#[routine(library)]
fn swap_parts<T: Static>(slice: &mut [T], other: &mut [T]) {
    let mut at = 0;
    for x in other {
        let y = intrinsics::element_mut(&slice, at);
        let kept = intrinsics::copy(x);
        *x = intrinsics::copy(y);
        *y = kept;
        at = at.wrapping_add(1);
    }
}

/// Copies `count` elements from `from` on to `to` on, as if by way of a third place.
#[routine(library)]
fn move_elements<T: Static>(slice: &mut [T], from: usize, to: usize, count: usize) {
    let mut left = count;
    if to <= from {
        let mut at = 0usize;
        while at < count {
            *intrinsics::element_mut(&slice, to.wrapping_add(at)) =
                intrinsics::copy(intrinsics::element_mut(&slice, from.wrapping_add(at)));
            at = at.wrapping_add(1);
        }
    } else {
        while left > 0 {
            left = left.wrapping_sub(1);
            *intrinsics::element_mut(&slice, to.wrapping_add(left)) =
                intrinsics::copy(intrinsics::element_mut(&slice, from.wrapping_add(left)));
        }
    }
}

/// `copy_within` of a kind of range; the range is checked as an index is.
macro_rules! copy_within {
    ($($name:ident ($range:ident: $ty:ty, $slice:ident) $start:expr, $part:expr;)*) => {
        $(
            #[routine(library, inline)]
            fn $name<T: Static>($slice: &mut [T], $range: $ty, to: usize) {
                let count = $part.len();
                let length = $slice.len();
                assert!(to <= length.wrapping_sub(count), "dest is out of bounds");
                move_elements($slice, $start, to, count);
            }
        )*
        generic_list_methods! { $([T: Static] copy_within($ty) -> () = $name<T>;)* }
    };
}
copy_within! {
    copy_range_within(range: HalfOpen<usize>, slice) range.start, slice[range.start..range.end];
    copy_from_within(range: From<usize>, slice) range.start, slice[range.start..];
    copy_to_within(range: RangeTo<usize>, slice) 0, slice[..range.end];
    copy_inclusive_within(range: Inclusive<usize>, slice) begin(&range), slice[begin(&range)..=range.end];
    copy_to_inclusive_within(range: RangeToInclusive<usize>, slice) 0, slice[..=range.end];
    copy_all_within(_all: RangeFull, slice) 0, slice[..];
}

list_methods! {
    [T: Static] T: swap = swap<T>, fill = fill<T>, reverse = reverse<T>, rotate_left = rotate_left<T>, rotate_right = rotate_right<T>,
        copy_from_slice = copy_from_slice<T>, clone_from_slice = clone_from_slice<T>, swap_with_slice = swap_with_slice<T>;
}

generic_list_methods! {
    [T: Static] fill_with(()) -> () = fill_with<T>;
}
