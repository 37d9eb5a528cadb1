//! Iterators compared: with each other, and their elements among themselves.

use std::cmp::Ordering;

use gpuvm_macros::routine;

use super::super::slice::Comparable;
use super::super::{generic_methods, intrinsics, methods};
use super::adaptors::Elements;
use super::{AnIterator, Ordered, Sequence};

#[routine(library, inline, consumes)]
fn max_by<I: Sequence>(iter: &mut I, f: fn(&I::Item, &I::Item) -> Ordering) -> Option<I::Item> {
    let Some(mut best) = iter.next() else {
        return None;
    };
    for x in iter {
        if f(&best, &x) != Ordering::Greater {
            best = x;
        }
    }
    Some(best)
}

#[routine(library, inline, consumes)]
fn min_by<I: Sequence>(iter: &mut I, f: fn(&I::Item, &I::Item) -> Ordering) -> Option<I::Item> {
    let Some(mut best) = iter.next() else {
        return None;
    };
    for x in iter {
        if f(&best, &x) == Ordering::Greater {
            best = x;
        }
    }
    Some(best)
}

/// What becomes an iterator over the same elements as another.
trait Alike<I: Sequence>: Elements<Iterator: Sequence<Item = I::Item>> {}

impl<I: Sequence, J: Elements<Iterator: Sequence<Item = I::Item>>> Alike<I> for J {}

#[routine(library, inline, consumes)]
fn eq<I: Sequence<Item: Comparable>, J: Alike<I>>(iter: &mut I, other: J) -> bool {
    let mut other = intrinsics::iterator(other);
    while let Some(x) = iter.next() {
        let Some(y) = other.next() else {
            return false;
        };
        if !(x == y) {
            return false;
        }
    }
    other.next().is_none()
}

#[routine(library, inline, consumes)]
fn ne<I: Sequence<Item: Comparable>, J: Alike<I>>(iter: &mut I, other: J) -> bool {
    !eq(iter, other)
}

#[routine(library, inline, consumes)]
fn cmp<I: Sequence<Item: Ordered + Copy>, J: Alike<I>>(iter: &mut I, other: J) -> Ordering {
    let mut other = intrinsics::iterator(other);
    while let Some(x) = iter.next() {
        let Some(y) = other.next() else {
            return Ordering::Greater;
        };
        if x < y {
            return Ordering::Less;
        }
        if x > y {
            return Ordering::Greater;
        }
    }
    if other.next().is_none() {
        Ordering::Equal
    } else {
        Ordering::Less
    }
}

#[routine(library, inline, consumes)]
fn partial_cmp<I: Sequence<Item: Ordered + Copy>, J: Alike<I>>(iter: &mut I, other: J) -> Option<Ordering> {
    let mut other = intrinsics::iterator(other);
    while let Some(x) = iter.next() {
        let Some(y) = other.next() else {
            return Some(Ordering::Greater);
        };
        if x < y {
            return Some(Ordering::Less);
        }
        if x > y {
            return Some(Ordering::Greater);
        }
        if !(x <= y) {
            return None;
        }
    }
    Some(if other.next().is_none() {
        Ordering::Equal
    } else {
        Ordering::Less
    })
}

#[routine(library, inline, consumes)]
fn lt<I: Sequence<Item: Ordered + Copy>, J: Alike<I>>(iter: &mut I, other: J) -> bool {
    partial_cmp(iter, other) == Some(Ordering::Less)
}

#[routine(library, inline, consumes)]
fn le<I: Sequence<Item: Ordered + Copy>, J: Alike<I>>(iter: &mut I, other: J) -> bool {
    match partial_cmp(iter, other) {
        Some(ordering) => ordering != Ordering::Greater,
        None => false,
    }
}

#[routine(library, inline, consumes)]
fn gt<I: Sequence<Item: Ordered + Copy>, J: Alike<I>>(iter: &mut I, other: J) -> bool {
    partial_cmp(iter, other) == Some(Ordering::Greater)
}

#[routine(library, inline, consumes)]
fn ge<I: Sequence<Item: Ordered + Copy>, J: Alike<I>>(iter: &mut I, other: J) -> bool {
    match partial_cmp(iter, other) {
        Some(ordering) => ordering != Ordering::Less,
        None => false,
    }
}

#[routine(library, inline, consumes)]
fn is_sorted<I: Sequence<Item: Ordered + Copy>>(iter: &mut I) -> bool {
    let Some(mut last) = iter.next() else {
        return true;
    };
    while let Some(x) = iter.next() {
        if !(last <= x) {
            return false;
        }
        last = x;
    }
    true
}

#[routine(library, inline, consumes)]
fn is_sorted_by<I: Sequence>(iter: &mut I, f: fn(&I::Item, &I::Item) -> bool) -> bool {
    let Some(mut last) = iter.next() else {
        return true;
    };
    while let Some(x) = iter.next() {
        if !f(&last, &x) {
            return false;
        }
        last = x;
    }
    true
}

#[routine(library, inline, consumes)]
fn is_sorted_by_key<I: Sequence, K: Ordered + Copy>(iter: &mut I, f: fn(I::Item) -> K) -> bool {
    let Some(first) = iter.next() else {
        return true;
    };
    let mut last = f(first);
    while let Some(x) = iter.next() {
        let key = f(x);
        if !(last <= key) {
            return false;
        }
        last = key;
    }
    true
}

methods! {
    [I: Sequence<Item: Ordered + Copy>] AnIterator<I>, is_sorted = is_sorted<I>;
}

generic_methods! {
    [I: Sequence] AnIterator<I>, max_by(()) -> Option<I::Item> = max_by<I>;
    [I: Sequence] AnIterator<I>, min_by(()) -> Option<I::Item> = min_by<I>;
    [I: Sequence] AnIterator<I>, is_sorted_by(()) -> bool = is_sorted_by<I>;
    [I: Sequence, K: Ordered + Copy] AnIterator<I>, is_sorted_by_key(K) -> bool = is_sorted_by_key<I, K>;
    [I: Sequence<Item: Comparable>, J: Alike<I>] AnIterator<I>, eq(J) -> bool = eq<I, J>;
    [I: Sequence<Item: Comparable>, J: Alike<I>] AnIterator<I>, ne(J) -> bool = ne<I, J>;
    [I: Sequence<Item: Ordered + Copy>, J: Alike<I>] AnIterator<I>, cmp(J) -> Ordering = cmp<I, J>;
    [I: Sequence<Item: Ordered + Copy>, J: Alike<I>] AnIterator<I>, partial_cmp(J) -> Option<Ordering> = partial_cmp<I, J>;
    [I: Sequence<Item: Ordered + Copy>, J: Alike<I>] AnIterator<I>, lt(J) -> bool = lt<I, J>;
    [I: Sequence<Item: Ordered + Copy>, J: Alike<I>] AnIterator<I>, le(J) -> bool = le<I, J>;
    [I: Sequence<Item: Ordered + Copy>, J: Alike<I>] AnIterator<I>, gt(J) -> bool = gt<I, J>;
    [I: Sequence<Item: Ordered + Copy>, J: Alike<I>] AnIterator<I>, ge(J) -> bool = ge<I, J>;
}
