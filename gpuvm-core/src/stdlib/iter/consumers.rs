//! What iterators are used up by.

use std::num::Wrapping;

use gpuvm_macros::routine;

use super::super::{generic_methods, intrinsics, methods};
use super::{AnIterator, DoubleEnded, Gathers, Sequence, Skips};
use crate::encode::node::Operator;
use crate::facts::{Compares, Operation, PARTIAL_CMP};
use crate::types::{Static, Value, VmType};

const ADD: u8 = Operator::Add as u8;
const MUL: u8 = Operator::Mul as u8;
const LESS: u8 = Operator::Lt as u8;
const AT_MOST: u8 = Operator::Le as u8;
const GREATER: u8 = Operator::Gt as u8;

/// What has an order that routines know.
pub trait Ordered: Static + PartialOrd + Value<Inner: HasOrder> {}

impl<T: Static + PartialOrd + Value<Inner: HasOrder>> Ordered for T {}

/// The operators of an order, and what holds such values compares them by.
pub trait HasOrder:
    Operation<LESS, Self> + Operation<AT_MOST, Self> + Operation<GREATER, Self> + Compares<'static, PARTIAL_CMP>
{
}

impl<T> HasOrder for T where
    T: Operation<LESS, T> + Operation<AT_MOST, T> + Operation<GREATER, T> + Compares<'static, PARTIAL_CMP> + ?Sized
{
}

#[routine(library, inline, consumes)]
fn for_each<I: Sequence>(iter: &mut I, f: fn(I::Item)) {
    intrinsics::each(iter, |x| {
        f(x);
        true
    });
}

#[routine(library, inline, consumes)]
fn fold<I: Sequence, B: Static>(iter: &mut I, start: B, f: fn(B, I::Item) -> B) -> B {
    let mut folded = start;
    intrinsics::each(iter, |x| {
        folded = f(intrinsics::copy(&folded), x);
        true
    });
    folded
}

#[routine(library, inline, consumes)]
fn reduce<I: Sequence>(iter: &mut I, f: fn(I::Item, I::Item) -> I::Item) -> Option<I::Item> {
    let Some(mut folded) = iter.next() else {
        return None;
    };
    intrinsics::each(iter, |x| {
        folded = f(intrinsics::copy(&folded), x);
        true
    });
    Some(folded)
}

#[routine(library, inline)]
fn try_fold_option<I: Sequence, B: Static>(iter: &mut I, start: B, f: fn(B, I::Item) -> Option<B>) -> Option<B> {
    let mut folded = start;
    while let Some(x) = iter.next() {
        folded = f(folded, x)?;
    }
    Some(folded)
}

#[routine(library, inline)]
fn try_fold_result<I: Sequence, B: Static, E: Static>(
    iter: &mut I,
    start: B,
    f: fn(B, I::Item) -> Result<B, E>,
) -> Result<B, E> {
    let mut folded = start;
    while let Some(x) = iter.next() {
        folded = f(folded, x)?;
    }
    Ok(folded)
}

#[routine(library, inline, consumes)]
fn count<I: Sequence>(iter: &mut I) -> usize {
    let mut count = 0;
    intrinsics::each(iter, |_| {
        count += 1;
        true
    });
    count
}

#[routine(library, inline, consumes)]
fn last<I: Sequence>(iter: &mut I) -> Option<I::Item> {
    let mut last = None;
    intrinsics::each(iter, |x| {
        last = Some(x);
        true
    });
    last
}

#[routine(library, inline)]
fn nth<I: Skips>(iter: &mut I, n: usize) -> Option<I::Item> {
    if iter.advance(n) { iter.next() } else { None }
}

#[routine(library, inline)]
fn any<I: Sequence>(iter: &mut I, f: fn(I::Item) -> bool) -> bool {
    let mut any = false;
    intrinsics::each(iter, |x| {
        any = f(x);
        !any
    });
    any
}

#[routine(library, inline)]
fn all<I: Sequence>(iter: &mut I, f: fn(I::Item) -> bool) -> bool {
    let mut all = true;
    intrinsics::each(iter, |x| {
        all = f(x);
        all
    });
    all
}

#[routine(library, inline)]
fn find<I: Sequence>(iter: &mut I, f: fn(&I::Item) -> bool) -> Option<I::Item> {
    let mut found = None;
    intrinsics::each(iter, |x| {
        if f(&x) {
            found = Some(x);
            false
        } else {
            true
        }
    });
    found
}

#[routine(library, inline)]
fn find_map<I: Sequence, B: Static>(iter: &mut I, f: fn(I::Item) -> Option<B>) -> Option<B> {
    let mut found = None;
    intrinsics::each(iter, |x| {
        found = f(x);
        found.is_none()
    });
    found
}

#[routine(library, inline)]
fn position<I: Sequence>(iter: &mut I, f: fn(I::Item) -> bool) -> Option<usize> {
    let mut at = 0;
    let mut found = None;
    intrinsics::each(iter, |x| {
        if f(x) {
            found = Some(at);
            false
        } else {
            at += 1;
            true
        }
    });
    found
}

#[routine(library, inline)]
fn rposition<I: DoubleEnded + super::Counted>(iter: &mut I, f: fn(I::Item) -> bool) -> Option<usize> {
    while let Some(x) = iter.next_back() {
        if f(x) {
            return Some(iter.len());
        }
    }
    None
}

/// The last of the greatest.
#[routine(library, inline, consumes)]
fn max<I: Sequence<Item: Ordered + Copy>>(iter: &mut I) -> Option<I::Item> {
    let Some(mut best) = iter.next() else {
        return None;
    };
    intrinsics::each(iter, |x| {
        if !(best > x) {
            best = x;
        }
        true
    });
    Some(best)
}

/// The first of the least.
#[routine(library, inline, consumes)]
fn min<I: Sequence<Item: Ordered + Copy>>(iter: &mut I) -> Option<I::Item> {
    let Some(mut best) = iter.next() else {
        return None;
    };
    intrinsics::each(iter, |x| {
        if best > x {
            best = x;
        }
        true
    });
    Some(best)
}

#[routine(library, inline, consumes)]
fn max_by_key<I: Sequence, K: Ordered + Copy>(iter: &mut I, f: fn(&I::Item) -> K) -> Option<I::Item> {
    let Some(mut best) = iter.next() else {
        return None;
    };
    let mut best_key = f(&best);
    intrinsics::each(iter, |x| {
        let key = f(&x);
        if !(best_key > key) {
            best = x;
            best_key = key;
        }
        true
    });
    Some(best)
}

#[routine(library, inline, consumes)]
fn min_by_key<I: Sequence, K: Ordered + Copy>(iter: &mut I, f: fn(&I::Item) -> K) -> Option<I::Item> {
    let Some(mut best) = iter.next() else {
        return None;
    };
    let mut best_key = f(&best);
    intrinsics::each(iter, |x| {
        let key = f(&x);
        if best_key > key {
            best = x;
            best_key = key;
        }
        true
    });
    Some(best)
}

/// A number that sums and products begin with, as std has it.
pub trait Neutral: Static {
    /// Of sums.
    const ZERO: Self;
    /// Of products.
    const ONE: Self;
}

macro_rules! neutral {
    ($($ty:ty: $zero:literal $one:literal;)*) => {$(
        impl Neutral for $ty {
            const ZERO: $ty = $zero;
            const ONE: $ty = $one;
        }
    )*};
}
neutral! {
    i8: 0 1;
    i16: 0 1;
    i32: 0 1;
    i64: 0 1;
    isize: 0 1;
    u8: 0 1;
    u16: 0 1;
    u32: 0 1;
    u64: 0 1;
    usize: 0 1;
    i128: 0 1;
    u128: 0 1;
    f32: -0.0 1.0;
    f64: -0.0 1.0;
}

impl<T: Neutral + VmType> Neutral for Wrapping<T> {
    const ZERO: Self = Wrapping(T::ZERO);
    const ONE: Self = Wrapping(T::ONE);
}

/// A number that others, or references to them, are added to.
pub trait Sums<T: Value>:
    Neutral + VmType + std::ops::Add<T, Output = Self> + Operation<ADD, T::Inner, Self, T::Erased>
{
}

impl<T: Value, S> Sums<T> for S where
    S: Neutral + VmType + std::ops::Add<T, Output = S> + Operation<ADD, T::Inner, S, T::Erased>
{
}

/// A number that is multiplied by others, or references to them.
pub trait Multiplies<T: Value>:
    Neutral + VmType + std::ops::Mul<T, Output = Self> + Operation<MUL, T::Inner, Self, T::Erased>
{
}

impl<T: Value, S> Multiplies<T> for S where
    S: Neutral + VmType + std::ops::Mul<T, Output = S> + Operation<MUL, T::Inner, S, T::Erased>
{
}

#[routine(library, inline, consumes)]
pub fn sum<I: Sequence, S: Sums<I::Item>>(iter: &mut I) -> S {
    let mut total = S::ZERO;
    intrinsics::each(iter, |x| {
        total = total + x;
        true
    });
    total
}

#[routine(library, inline, consumes)]
pub fn product<I: Sequence, S: Multiplies<I::Item>>(iter: &mut I) -> S {
    let mut total = S::ONE;
    intrinsics::each(iter, |x| {
        total = total * x;
        true
    });
    total
}

methods! {
    [I: Sequence] AnIterator<I>, count = count<I>;
    [I: Sequence] AnIterator<I>, last = last<I>;
    [I: Skips] AnIterator<I>, nth = nth<I>;
}

generic_methods! {
    [I: Sequence<Item: Ordered + Copy>] AnIterator<I>, iterator_max(()) -> Option<I::Item> = max<I>;
    [I: Sequence<Item: Ordered + Copy>] AnIterator<I>, iterator_min(()) -> Option<I::Item> = min<I>;
    [I: Sequence] AnIterator<I>, for_each(()) -> () = for_each<I>;
    [I: Sequence, B: Static] AnIterator<I>, fold(()) -> B = fold<I, B>;
    [I: Sequence] AnIterator<I>, reduce(()) -> Option<I::Item> = reduce<I>;
    [I: Sequence, B: Static] AnIterator<I>, try_fold(()) -> Option<B> = try_fold_option<I, B>;
    [I: Sequence, B: Static, E: Static] AnIterator<I>, try_fold(()) -> Result<B, E> = try_fold_result<I, B, E>;
    [I: Sequence] AnIterator<I>, any(()) -> bool = any<I>;
    [I: Sequence] AnIterator<I>, all(()) -> bool = all<I>;
    [I: Sequence] AnIterator<I>, find(()) -> Option<I::Item> = find<I>;
    [I: Sequence, B: Static] AnIterator<I>, find_map(()) -> Option<B> = find_map<I, B>;
    [I: Sequence] AnIterator<I>, position(()) -> Option<usize> = position<I>;
    [I: DoubleEnded + super::Counted] AnIterator<I>, rposition(()) -> Option<usize> = rposition<I>;
    [I: Sequence, K: Ordered + Copy] AnIterator<I>, max_by_key(K) -> Option<I::Item> = max_by_key<I, K>;
    [I: Sequence, K: Ordered + Copy] AnIterator<I>, min_by_key(K) -> Option<I::Item> = min_by_key<I, K>;
}

impl<T: Static, S: Sums<T>> Gathers<{ gpuvm_macros::name_hash!("sum") }, T> for S {
    type Routine<I: Sequence<Item = T>> = sum<I, S>;
}

impl<T: Static, S: Multiplies<T>> Gathers<{ gpuvm_macros::name_hash!("product") }, T> for S {
    type Routine<I: Sequence<Item = T>> = product<I, S>;
}
