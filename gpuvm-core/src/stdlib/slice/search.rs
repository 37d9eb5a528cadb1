//! Looking for elements: by equality, by order, and whether there is one.

use std::cmp::Ordering;

use gpuvm_macros::routine;

use super::super::iter::Ordered;
use super::{Comparable, generic_list_methods, intrinsics, list_methods};
use crate::types::Static;

#[routine(library)]
fn contains<T: Comparable>(slice: &[T], x: &T) -> bool {
    for y in slice {
        if *y == *x {
            return true;
        }
    }
    false
}

#[routine(library)]
fn is_sorted<T: Ordered>(slice: &[T]) -> bool {
    let mut at = 1;
    while at < slice.len() {
        if *intrinsics::element(&slice, at.wrapping_sub(1)) > *intrinsics::element(&slice, at) {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

/// std's own search, step by step: which of several equal elements is found is a part of it. `greater` decides but for the last one.
#[routine(library)]
fn search<T: Static>(
    slice: &[T],
    mut greater: impl FnMut(&T) -> bool,
    mut compare: impl FnMut(&T) -> Ordering,
) -> Result<usize, usize> {
    let mut size = slice.len();
    if size == 0 {
        return Err(0);
    }
    let mut base = 0usize;
    while size > 1 {
        let half = size / 2;
        let middle = base.wrapping_add(half);
        if !greater(intrinsics::element(&slice, middle)) {
            base = middle;
        }
        size = size.wrapping_sub(half);
    }
    match compare(intrinsics::element(&slice, base)) {
        Ordering::Equal => Ok(base),
        Ordering::Less => Err(base.wrapping_add(1)),
        Ordering::Greater => Err(base),
    }
}

#[routine(library)]
fn binary_search<T: Ordered>(slice: &[T], x: &T) -> Result<usize, usize> {
    search(slice, |y| *y > *x, |y| order(y, x))
}

#[routine(library)]
fn binary_search_by<T: Static>(slice: &[T], f: fn(&T) -> Ordering) -> Result<usize, usize> {
    search(slice, |y| f(y) == Ordering::Greater, |y| f(y))
}

#[routine(library)]
fn binary_search_by_key<T: Static, K: Ordered>(slice: &[T], x: &K, f: fn(&T) -> K) -> Result<usize, usize> {
    search(slice, |y| f(y) > *x, |y| order(&f(y), x))
}

#[routine(library)]
fn partition_point<T: Static>(slice: &[T], f: fn(&T) -> bool) -> usize {
    let mut size = slice.len();
    if size == 0 {
        return 0;
    }
    let mut base = 0usize;
    while size > 1 {
        let half = size / 2;
        let middle = base.wrapping_add(half);
        if f(intrinsics::element(&slice, middle)) {
            base = middle;
        }
        size = size.wrapping_sub(half);
    }
    if f(intrinsics::element(&slice, base)) {
        base.wrapping_add(1)
    } else {
        base
    }
}

/// How two values compare by the operators of a total order.
#[routine(library, inline)]
fn order<T: Ordered>(a: &T, b: &T) -> Ordering {
    if *a < *b {
        Ordering::Less
    } else if *a > *b {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

#[routine(library)]
fn is_sorted_by<T: Static>(slice: &[T], f: fn(&T, &T) -> bool) -> bool {
    let mut at = 1;
    while at < slice.len() {
        if !f(
            intrinsics::element(&slice, at.wrapping_sub(1)),
            intrinsics::element(&slice, at),
        ) {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

#[routine(library)]
fn is_sorted_by_key<T: Static, K: Ordered + Copy>(slice: &[T], f: fn(&T) -> K) -> bool {
    if slice.is_empty() {
        return true;
    }
    let mut last = f(intrinsics::element(&slice, 0));
    let mut at = 1;
    while at < slice.len() {
        let key = f(intrinsics::element(&slice, at));
        if !(last <= key) {
            return false;
        }
        last = key;
        at = at.wrapping_add(1);
    }
    true
}

list_methods! {
    [T: Comparable] T: contains = contains<T>;
    [T: Ordered] T: is_sorted = is_sorted<T>, binary_search = binary_search<T>;
}

generic_list_methods! {
    [T: Static] binary_search_by(()) -> Result<usize, usize> = binary_search_by<T>;
    [T: Static, K: Ordered] binary_search_by_key(K) -> Result<usize, usize> = binary_search_by_key<T, K>;
    [T: Static] partition_point(()) -> usize = partition_point<T>;
    [T: Static] is_sorted_by(()) -> bool = is_sorted_by<T>;
    [T: Static, K: Ordered + Copy] is_sorted_by_key(K) -> bool = is_sorted_by_key<T, K>;
}
