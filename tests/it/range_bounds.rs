//! Routines that are given any range, `impl RangeBounds`.

use std::ops::{Bound, RangeBounds};

use gpuvm::prelude::*;

cases! { limits_of_ranges, elements_in_ranges, bounds_of_ranges, range_of_pairs }

#[routine]
fn limits(range: impl RangeBounds<usize>, length: usize) -> (usize, usize) {
    let from = match range.start_bound() {
        Bound::Included(&n) => n,
        Bound::Excluded(&n) => n + 1,
        Bound::Unbounded => 0,
    };
    let to = match range.end_bound() {
        Bound::Included(n) => *n + 1,
        Bound::Excluded(n) => *n,
        Bound::Unbounded => length,
    };
    (from, to)
}

#[routine]
fn limits_of_ranges(a: u32, b: u32) -> [(usize, usize); 6] {
    let (a, b) = (a as usize % 5, b as usize % 9);
    [
        limits(a..b, 9),
        limits(a..=b, 9),
        limits(..b, 9),
        limits(..=b, 9),
        limits(a.., 9),
        limits(.., 9),
    ]
}

#[routine]
fn sum_in<R: RangeBounds<usize>>(values: &[u32], range: R) -> u32 {
    let mut sum = 0_u32;
    for (i, value) in values.iter().enumerate() {
        if range.contains(&i) {
            sum = sum.wrapping_add(*value);
        }
    }
    sum
}

#[routine]
fn elements_in_ranges(a: u32, b: u32) -> [u32; 6] {
    let values = [a, b, 4, 8, a ^ b, 32, 64, 128, 256];
    let (a, b) = (a as usize % 5, b as usize % 9);
    [
        sum_in(&values, a..b),
        sum_in(&values, a..=b),
        sum_in(&values, ..b),
        sum_in(&values, ..=b),
        sum_in(&values, a..),
        sum_in(&values, ..),
    ]
}

#[routine]
fn bounds_of_ranges(a: u32, b: u32) -> (Bound<u32>, Bound<u32>, Bound<u32>, bool) {
    let mut used = a % 3..=a % 3 + b % 3;
    used.next();
    (
        (a..).start_bound().cloned(),
        (a..=b).end_bound().map(|x| x ^ 1),
        used.end_bound().cloned(),
        (a..b).start_bound() == Bound::Included(&b),
    )
}

#[routine]
fn range_of_pairs(a: u32, b: u32) -> ((usize, usize), u32) {
    let values = [a, b, 4, 8];
    let (from, to) = (a as usize % 3, b as usize % 4);
    (
        limits((Bound::Excluded(from), Bound::Included(to)), 4),
        sum_in(&values, (Bound::Excluded(from), Bound::Unbounded)),
    )
}
