//! Slices made of slices: what comes before and after, prefixes, chunks, and arrays in them.

use std::ops::{RangeTo, RangeToInclusive};

use gpuvm_macros::routine;

use super::super::generic_methods;
use super::super::iter::From;
use super::{Comparable, generic_list_methods, intrinsics, list_methods, methods};
use crate::types::Static;

#[routine(library, inline)]
fn split_first<T: Static>(slice: &[T]) -> Option<(&T, &[T])> {
    if slice.is_empty() {
        None
    } else {
        Some((intrinsics::element(&slice, 0), intrinsics::part(&slice, 1, slice.len())))
    }
}

#[routine(library, inline)]
fn split_last<T: Static>(slice: &[T]) -> Option<(&T, &[T])> {
    if slice.is_empty() {
        return None;
    }
    let last = slice.len().wrapping_sub(1);
    Some((intrinsics::element(&slice, last), intrinsics::part(&slice, 0, last)))
}

#[routine(library, inline)]
fn split_at<T: Static>(slice: &[T], middle: usize) -> (&[T], &[T]) {
    let length = slice.len();
    if middle > length {
        panic!("mid > len");
    }
    (
        intrinsics::part(&slice, 0, middle),
        intrinsics::part(&slice, middle, length),
    )
}

#[routine(library, inline)]
fn split_at_mut<T: Static>(slice: &mut [T], middle: usize) -> (&mut [T], &mut [T]) {
    let length = slice.len();
    if middle > length {
        panic!("mid > len");
    }
    (
        intrinsics::part_mut(&slice, 0, middle),
        intrinsics::part_mut(&slice, middle, length),
    )
}

/// What `split_first_mut` and its kin are of the part that may be changed.
#[routine(library, inline)]
fn split_first_mut<T: Static>(slice: &mut [T]) -> Option<(&mut T, &mut [T])> {
    let length = slice.len();
    if length == 0 {
        return None;
    }
    Some((
        intrinsics::element_mut(&slice, 0),
        intrinsics::part_mut(&slice, 1, length),
    ))
}

#[routine(library, inline)]
fn split_last_mut<T: Static>(slice: &mut [T]) -> Option<(&mut T, &mut [T])> {
    let length = slice.len();
    if length == 0 {
        return None;
    }
    let last = length.wrapping_sub(1);
    Some((
        intrinsics::element_mut(&slice, last),
        intrinsics::part_mut(&slice, 0, last),
    ))
}

#[routine(library, inline)]
fn split_at_checked<T: Static>(slice: &[T], middle: usize) -> Option<(&[T], &[T])> {
    let length = slice.len();
    if middle > length {
        return None;
    }
    Some((
        intrinsics::part(&slice, 0, middle),
        intrinsics::part(&slice, middle, length),
    ))
}

#[routine(library, inline)]
fn split_at_mut_checked<T: Static>(slice: &mut [T], middle: usize) -> Option<(&mut [T], &mut [T])> {
    let length = slice.len();
    if middle > length {
        return None;
    }
    Some((
        intrinsics::part_mut(&slice, 0, middle),
        intrinsics::part_mut(&slice, middle, length),
    ))
}

/// The `split_off` family takes from the slice that a variable holds.
macro_rules! split_off {
    ($($first:ident $last:ident $slice:ty, $element:ty, $one:ident $part:ident;)*) => {$(
        #[routine(library, inline)]
        fn $first<T: Static>(slice: &mut $slice) -> Option<$element> {
            let length = slice.len();
            if length == 0 {
                return None;
            }
            let first = intrinsics::$one(&*slice, 0);
            *slice = intrinsics::$part(&*slice, 1, length);
            Some(first)
        }

        #[routine(library, inline)]
        fn $last<T: Static>(slice: &mut $slice) -> Option<$element> {
            let length = slice.len();
            if length == 0 {
                return None;
            }
            let last = intrinsics::$one(&*slice, length.wrapping_sub(1));
            *slice = intrinsics::$part(&*slice, 0, length.wrapping_sub(1));
            Some(last)
        }
    )*};
}
split_off! {
    split_off_first split_off_last &'static [T], &'static T, element part;
    split_off_first_mut split_off_last_mut &'static mut [T], &'static mut T, element_mut part_mut;
}

/// The same of all elements before or behind a place: what is taken is the range itself, what is left the rest.
macro_rules! split_off_ranges {
    ($($shared:ident $mutable:ident ($range:ident: $ty:ty, $length:ident) $inside:expr => $taken:expr, $left:expr;)*) => {
        $(
            #[routine(library, inline)]
            fn $shared<T: Static>(slice: &mut &'static [T], $range: $ty) -> Option<&'static [T]> {
                let $length = slice.len();
                if !$inside {
                    return None;
                }
                let taken = intrinsics::part(&*slice, $taken.0, $taken.1);
                *slice = intrinsics::part(&*slice, $left.0, $left.1);
                Some(taken)
            }

            #[routine(library, inline)]
            fn $mutable<T: Static>(slice: &mut &'static mut [T], $range: $ty) -> Option<&'static mut [T]> {
                let $length = slice.len();
                if !$inside {
                    return None;
                }
                let taken = intrinsics::part_mut(&*slice, $taken.0, $taken.1);
                *slice = intrinsics::part_mut(&*slice, $left.0, $left.1);
                Some(taken)
            }
        )*
        generic_methods! {
            $(
                [T: Static] [T], split_off($ty) -> Option<&'static [T]> = $shared<T>;
                [T: Static] [T], split_off_mut($ty) -> Option<&'static mut [T]> = $mutable<T>;
            )*
        }
    };
}
split_off_ranges! {
    split_off_to split_off_to_mut(range: RangeTo<usize>, length)
        range.end <= length => (0, range.end), (range.end, length);
    split_off_to_inclusive split_off_to_inclusive_mut(range: RangeToInclusive<usize>, length)
        range.end < length => (0, range.end.wrapping_add(1)), (range.end.wrapping_add(1), length);
    split_off_from split_off_from_mut(range: From<usize>, length)
        range.start <= length => (range.start, length), (0, range.start);
}

#[routine(library, inline)]
fn strip_prefix<'a, T: Comparable>(slice: &'a [T], prefix: &[T]) -> Option<&'a [T]> {
    let (length, cut) = (slice.len(), prefix.len());
    if length < cut || !equal_from(slice, prefix, 0) {
        return None;
    }
    Some(intrinsics::part(&slice, cut, length))
}

#[routine(library, inline)]
fn strip_suffix<'a, T: Comparable>(slice: &'a [T], suffix: &[T]) -> Option<&'a [T]> {
    let (length, cut) = (slice.len(), suffix.len());
    if length < cut || !equal_from(slice, suffix, length.wrapping_sub(cut)) {
        return None;
    }
    Some(intrinsics::part(&slice, 0, length.wrapping_sub(cut)))
}

#[routine(library, inline)]
fn starts_with<T: Comparable>(slice: &[T], needle: &[T]) -> bool {
    slice.len() >= needle.len() && equal_from(slice, needle, 0)
}

#[routine(library, inline)]
fn ends_with<T: Comparable>(slice: &[T], needle: &[T]) -> bool {
    let (length, count) = (slice.len(), needle.len());
    length >= count && equal_from(slice, needle, length.wrapping_sub(count))
}

/// Whether the elements from `start` on, which has that many, are those of `other`.
#[routine(library)]
fn equal_from<T: Comparable>(slice: &[T], other: &[T], start: usize) -> bool {
    let mut at = start;
    for y in other {
        if !(*intrinsics::element(&slice, at) == *y) {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

/// What there is of parts twice, to be read and to be changed.
macro_rules! arrays_in_slices {
    ($first:ident $last:ident $split_first:ident $split_last:ident $whole:ident $chunks:ident $last_chunks:ident $flat:ident
        [$($reference:tt)*] [$($kept:tt)*] $part:ident $view:ident) => {
        #[routine(library, inline)]
        fn $first<T: Static, const N: usize>(slice: $($reference)* [T]) -> Option<$($reference)* [T; N]> {
            if slice.len() < N {
                return None;
            }
            Some(intrinsics::$view(&slice, N))
        }

        #[routine(library, inline)]
        fn $last<T: Static, const N: usize>(slice: $($reference)* [T]) -> Option<$($reference)* [T; N]> {
            let length = slice.len();
            if length < N {
                return None;
            }
            Some(intrinsics::$view(&intrinsics::$part(&slice, length.wrapping_sub(N), length), N))
        }

        #[routine(library, inline)]
        fn $split_first<T: Static, const N: usize>(
            slice: $($reference)* [T],
        ) -> Option<($($reference)* [T; N], $($reference)* [T])> {
            let length = slice.len();
            if length < N {
                return None;
            }
            Some((intrinsics::$view(&slice, N), intrinsics::$part(&slice, N, length)))
        }

        #[routine(library, inline)]
        fn $split_last<T: Static, const N: usize>(
            slice: $($reference)* [T],
        ) -> Option<($($reference)* [T], $($reference)* [T; N])> {
            let length = slice.len();
            if length < N {
                return None;
            }
            let start = length.wrapping_sub(N);
            Some((
                intrinsics::$part(&slice, 0, start),
                intrinsics::$view(&intrinsics::$part(&slice, start, length), N),
            ))
        }

        #[routine(library, inline)]
        fn $whole<T: Static, const N: usize>(slice: $($reference)* [T]) -> Option<$($reference)* [T; N]> {
            if slice.len() != N {
                return None;
            }
            Some(intrinsics::$view(&slice, N))
        }

        #[routine(library, inline)]
        fn $chunks<T: Static, const N: usize>(slice: $($reference)* [T]) -> ($($reference)* [[T; N]], $($reference)* [T]) {
            let length = slice.len();
            let count = length / N;
            (
                intrinsics::$view(&slice, count),
                intrinsics::$part(&slice, count.wrapping_mul(N), length),
            )
        }

        #[routine(library, inline)]
        fn $last_chunks<T: Static, const N: usize>(
            slice: $($reference)* [T],
        ) -> ($($reference)* [T], $($reference)* [[T; N]]) {
            let length = slice.len();
            let start = length % N;
            (
                intrinsics::$part(&slice, 0, start),
                intrinsics::$view(&intrinsics::$part(&slice, start, length), length / N),
            )
        }

        #[routine(library, inline)]
        fn $flat<T: Static, const N: usize>(slice: $($reference)* [[T; N]]) -> $($reference)* [T] {
            let count = slice.len();
            intrinsics::$view(&slice, count.wrapping_mul(N))
        }

        generic_list_methods! {
            [T: Static, const M: usize] $first(()) -> Option<$($kept)* [T; M]> = $first<T, M>;
            [T: Static, const M: usize] $last(()) -> Option<$($kept)* [T; M]> = $last<T, M>;
            [T: Static, const M: usize] $split_first(()) -> Option<($($kept)* [T; M], $($kept)* [T])> = $split_first<T, M>;
            [T: Static, const M: usize] $split_last(()) -> Option<($($kept)* [T], $($kept)* [T; M])> = $split_last<T, M>;
            [T: Static, const M: usize] $whole(()) -> Option<$($kept)* [T; M]> = $whole<T, M>;
            [T: Static, const M: usize] $chunks(()) -> ($($kept)* [[T; M]], $($kept)* [T]) = $chunks<T, M>;
            [T: Static, const M: usize] $last_chunks(()) -> ($($kept)* [T], $($kept)* [[T; M]]) = $last_chunks<T, M>;
        }

        methods! {
            [T: Static, const N: usize] [[T; N]], $flat = $flat<T, N>;
            [T: Static, const N: usize, const M: usize] [[T; N]; M], $flat = $flat<T, N>;
        }
    };
}
arrays_in_slices! {
    first_chunk last_chunk split_first_chunk split_last_chunk as_array as_chunks as_rchunks as_flattened
        [&] [&'static] part view
}
arrays_in_slices! {
    first_chunk_mut last_chunk_mut split_first_chunk_mut split_last_chunk_mut as_mut_array as_chunks_mut as_rchunks_mut as_flattened_mut
        [&mut] [&'static mut] part_mut view_mut
}

list_methods! {
    [T: Static] T: split_first = split_first<T>, split_first_mut = split_first_mut<T>, split_last = split_last<T>,
        split_last_mut = split_last_mut<T>, split_at = split_at<T>, split_at_mut = split_at_mut<T>,
        split_at_checked = split_at_checked<T>, split_at_mut_checked = split_at_mut_checked<T>;
    [T: Comparable] T: starts_with = starts_with<T>, ends_with = ends_with<T>, strip_prefix = strip_prefix<T>,
        strip_suffix = strip_suffix<T>;
}

methods! {
    [T: Static] [T], split_off_first = split_off_first<T>;
    [T: Static] [T], split_off_last = split_off_last<T>;
    [T: Static] [T], split_off_first_mut = split_off_first_mut<T>;
    [T: Static] [T], split_off_last_mut = split_off_last_mut<T>;
}
