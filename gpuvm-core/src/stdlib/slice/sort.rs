//! Sorts. All are stable, the unstable ones too: natively they are redirected to the stable ones.

use std::cmp::Ordering;

use gpuvm_macros::routine;

use super::super::iter::Ordered;
use super::change::rotate_part;
use super::{generic_list_methods, intrinsics, list_methods};
use crate::types::Static;

/// Elements that are sorted by insertion before runs are merged.
const RUN: usize = 12;

/// Sorts by `less`, keeping equal elements in order: runs sorted by insertion, merged in place by rotations. Kim and Kutzner, "Stable minimum
/// storage merging by symmetric comparisons", ESA 2004, with a stack in place of the recursion.
#[routine(library)]
fn merge_sort<T: Static>(slice: &mut [T], mut less: impl FnMut(&T, &T) -> bool) {
    let length = slice.len();
    let mut start = 0usize;
    while start < length {
        let left = length.wrapping_sub(start);
        let end = start.wrapping_add(if left < RUN { left } else { RUN });
        let mut next = start.wrapping_add(1);
        while next < end {
            let x = intrinsics::copy(intrinsics::element_mut(&slice, next));
            let mut at = next;
            while at > start && less(&x, intrinsics::element_mut(&slice, at.wrapping_sub(1))) {
                *intrinsics::element_mut(&slice, at) =
                    intrinsics::copy(intrinsics::element_mut(&slice, at.wrapping_sub(1)));
                at = at.wrapping_sub(1);
            }
            *intrinsics::element_mut(&slice, at) = x;
            next = next.wrapping_add(1);
        }
        start = end;
    }
    // What is still to merge: from, middle and end. Each entry is at most half as long as the one below.
    let mut stack = [(0usize, 0usize, 0usize); 33];
    let mut width = RUN;
    while width < length {
        let mut from = 0usize;
        while length.wrapping_sub(from) > width {
            let rest = length.wrapping_sub(from).wrapping_sub(width);
            let middle = from.wrapping_add(width);
            let end = middle.wrapping_add(if rest < width { rest } else { width });
            stack[0] = (from, middle, end);
            let mut depth = 1usize;
            while depth > 0 {
                depth = depth.wrapping_sub(1);
                let (a, m, b) = stack[depth];
                if a == m || m == b {
                    continue;
                }
                let half = a.wrapping_add(b.wrapping_sub(a) / 2);
                let n = half.wrapping_add(m);
                let (mut low, mut high) = if m > half { (n.wrapping_sub(b), half) } else { (a, m) };
                let last = n.wrapping_sub(1);
                while low < high {
                    let c = low.wrapping_add(high.wrapping_sub(low) / 2);
                    if less(
                        intrinsics::element_mut(&slice, last.wrapping_sub(c)),
                        intrinsics::element_mut(&slice, c),
                    ) {
                        high = c;
                    } else {
                        low = c.wrapping_add(1);
                    }
                }
                let ends = n.wrapping_sub(low);
                if low < m && m < ends {
                    rotate_part(slice, low, m, ends);
                }
                stack[depth] = (half, ends, b);
                stack[depth.wrapping_add(1)] = (a, low, half);
                depth = depth.wrapping_add(2);
            }
            from = end;
        }
        width = width.wrapping_add(width);
    }
}

#[routine(library)]
fn sort<T: Ordered + Copy>(slice: &mut [T]) {
    merge_sort(slice, |x, y| *x < *y);
}

#[routine(library)]
fn sort_by_key<T: Static, K: Ordered>(slice: &mut [T], f: fn(&T) -> K) {
    merge_sort(slice, |x, y| f(x) < f(y));
}

#[routine(library)]
fn sort_by<T: Static>(slice: &mut [T], f: fn(&T, &T) -> Ordering) {
    merge_sort(slice, |x, y| f(x, y) == Ordering::Less);
}

/// What `select_nth_unstable` leaves: all elements sorted.
#[routine(library, inline)]
fn select_nth<T: Ordered + Copy>(slice: &mut [T], index: usize) -> (&mut [T], &mut T, &mut [T]) {
    check_place(slice, index);
    sort(slice);
    around(slice, index)
}

#[routine(library)]
fn select_nth_by<T: Static>(slice: &mut [T], index: usize, f: fn(&T, &T) -> Ordering) -> (&mut [T], &mut T, &mut [T]) {
    check_place(slice, index);
    sort_by(slice, f);
    around(slice, index)
}

#[routine(library)]
fn select_nth_by_key<T: Static, K: Ordered>(
    slice: &mut [T],
    index: usize,
    f: fn(&T) -> K,
) -> (&mut [T], &mut T, &mut [T]) {
    check_place(slice, index);
    sort_by_key(slice, f);
    around(slice, index)
}

#[routine(library, inline)]
fn check_place<T: Static>(slice: &mut [T], index: usize) {
    let length = slice.len();
    if index >= length {
        panic!(
            "partition_at_index index {} greater than length of slice {}",
            index, length
        );
    }
}

/// What is before an element, the element, and what is behind it.
#[routine(library, inline)]
fn around<T: Static>(slice: &mut [T], index: usize) -> (&mut [T], &mut T, &mut [T]) {
    let length = slice.len();
    (
        intrinsics::part_mut(&slice, 0, index),
        intrinsics::element_mut(&slice, index),
        intrinsics::part_mut(&slice, index.wrapping_add(1), length),
    )
}

/// What `select_nth_unstable` is natively, so that the elements around the selected one lie as they do in a VM.
#[allow(missing_docs, reason = "named as std's")]
pub trait SelectNth {
    type Item;
    fn select_nth_sorted(&mut self, index: usize) -> (&mut [Self::Item], &mut Self::Item, &mut [Self::Item])
    where
        Self::Item: Ord;
    fn select_nth_sorted_by(
        &mut self,
        index: usize,
        f: impl FnMut(&Self::Item, &Self::Item) -> Ordering,
    ) -> (&mut [Self::Item], &mut Self::Item, &mut [Self::Item]);
    fn select_nth_sorted_by_key<K: Ord>(
        &mut self,
        index: usize,
        f: impl FnMut(&Self::Item) -> K,
    ) -> (&mut [Self::Item], &mut Self::Item, &mut [Self::Item]);
}

impl<T> SelectNth for [T] {
    type Item = T;

    #[track_caller]
    fn select_nth_sorted(&mut self, index: usize) -> (&mut [T], &mut T, &mut [T])
    where
        T: Ord,
    {
        self.select_nth_sorted_by(index, T::cmp)
    }

    #[track_caller]
    fn select_nth_sorted_by(
        &mut self,
        index: usize,
        f: impl FnMut(&T, &T) -> Ordering,
    ) -> (&mut [T], &mut T, &mut [T]) {
        let length = self.len();
        if index >= length {
            panic!("partition_at_index index {index} greater than length of slice {length}");
        }
        self.sort_by(f);
        let (before, rest) = self.split_at_mut(index);
        let (found, behind) = rest.split_at_mut(1);
        (before, &mut found[0], behind)
    }

    #[track_caller]
    fn select_nth_sorted_by_key<K: Ord>(
        &mut self,
        index: usize,
        mut f: impl FnMut(&T) -> K,
    ) -> (&mut [T], &mut T, &mut [T]) {
        self.select_nth_sorted_by(index, |a, b| f(a).cmp(&f(b)))
    }
}

list_methods! {
    [T: Ordered + Copy] T: sort = sort<T>, sort_unstable = sort<T>, select_nth_unstable = select_nth<T>;
}

generic_list_methods! {
    [T: Static] sort_by(()) -> () = sort_by<T>;
    [T: Static] sort_unstable_by(()) -> () = sort_by<T>;
    [T: Static, K: Ordered] sort_by_key(K) -> () = sort_by_key<T, K>;
    [T: Static, K: Ordered] sort_unstable_by_key(K) -> () = sort_by_key<T, K>;
    [T: Static] select_nth_unstable_by(()) -> (&'static mut [T], &'static mut T, &'static mut [T]) = select_nth_by<T>;
    [T: Static, K: Ordered] select_nth_unstable_by_key(K) -> (&'static mut [T], &'static mut T, &'static mut [T])
        = select_nth_by_key<T, K>;
}
