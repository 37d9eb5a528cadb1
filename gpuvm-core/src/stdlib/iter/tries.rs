//! What ends early: folds and loops that `?` leaves, with `ControlFlow` as well, and sums and products of what may be missing.

use std::ops::ControlFlow;

use gpuvm_macros::routine;

use super::super::generic_methods;
use super::consumers::{Multiplies, Sums};
use super::{AnIterator, DoubleEnded, Gathers, Sequence};
use crate::types::Static;

const SUM: u32 = gpuvm_macros::name_hash!("sum");
const PRODUCT: u32 = gpuvm_macros::name_hash!("product");

#[routine(library, inline)]
fn try_fold_flow<I: Sequence, B: Static, C: Static>(
    iter: &mut I,
    start: C,
    f: fn(C, I::Item) -> ControlFlow<B, C>,
) -> ControlFlow<B, C> {
    let mut folded = start;
    while let Some(x) = iter.next() {
        folded = f(folded, x)?;
    }
    ControlFlow::Continue(folded)
}

#[routine(library, inline)]
fn try_for_each_option<I: Sequence>(iter: &mut I, f: fn(I::Item) -> Option<()>) -> Option<()> {
    while let Some(x) = iter.next() {
        f(x)?;
    }
    Some(())
}

#[routine(library, inline)]
fn try_for_each_result<I: Sequence, E: Static>(iter: &mut I, f: fn(I::Item) -> Result<(), E>) -> Result<(), E> {
    while let Some(x) = iter.next() {
        f(x)?;
    }
    Ok(())
}

#[routine(library, inline)]
fn try_for_each_flow<I: Sequence, B: Static>(iter: &mut I, f: fn(I::Item) -> ControlFlow<B, ()>) -> ControlFlow<B, ()> {
    while let Some(x) = iter.next() {
        f(x)?;
    }
    ControlFlow::Continue(())
}

#[routine(library, inline)]
fn try_rfold_option<I: DoubleEnded, B: Static>(iter: &mut I, start: B, f: fn(B, I::Item) -> Option<B>) -> Option<B> {
    let mut folded = start;
    while let Some(x) = iter.next_back() {
        folded = f(folded, x)?;
    }
    Some(folded)
}

#[routine(library, inline)]
fn try_rfold_result<I: DoubleEnded, B: Static, E: Static>(
    iter: &mut I,
    start: B,
    f: fn(B, I::Item) -> Result<B, E>,
) -> Result<B, E> {
    let mut folded = start;
    while let Some(x) = iter.next_back() {
        folded = f(folded, x)?;
    }
    Ok(folded)
}

#[routine(library, inline, consumes)]
pub fn sum_options<I: Sequence<Item = Option<T>>, T: Static, S: Sums<T>>(iter: &mut I) -> Option<S> {
    let mut total = S::ZERO;
    while let Some(x) = iter.next() {
        total = total + x?;
    }
    Some(total)
}

#[routine(library, inline, consumes)]
pub fn sum_results<I: Sequence<Item = Result<T, E>>, T: Static, E: Static, S: Sums<T>>(iter: &mut I) -> Result<S, E> {
    let mut total = S::ZERO;
    while let Some(x) = iter.next() {
        total = total + x?;
    }
    Ok(total)
}

#[routine(library, inline, consumes)]
pub fn multiply_options<I: Sequence<Item = Option<T>>, T: Static, S: Multiplies<T>>(iter: &mut I) -> Option<S> {
    let mut total = S::ONE;
    while let Some(x) = iter.next() {
        total = total * x?;
    }
    Some(total)
}

#[routine(library, inline, consumes)]
pub fn multiply_results<I: Sequence<Item = Result<T, E>>, T: Static, E: Static, S: Multiplies<T>>(
    iter: &mut I,
) -> Result<S, E> {
    let mut total = S::ONE;
    while let Some(x) = iter.next() {
        total = total * x?;
    }
    Ok(total)
}

generic_methods! {
    [I: Sequence, B: Static, C: Static] AnIterator<I>, try_fold(()) -> ControlFlow<B, C> = try_fold_flow<I, B, C>;
    [I: Sequence] AnIterator<I>, try_for_each(()) -> Option<()> = try_for_each_option<I>;
    [I: Sequence, E: Static] AnIterator<I>, try_for_each(()) -> Result<(), E> = try_for_each_result<I, E>;
    [I: Sequence, B: Static] AnIterator<I>, try_for_each(()) -> ControlFlow<B, ()> = try_for_each_flow<I, B>;
    [I: DoubleEnded, B: Static] AnIterator<I>, try_rfold(()) -> Option<B> = try_rfold_option<I, B>;
    [I: DoubleEnded, B: Static, E: Static] AnIterator<I>, try_rfold(()) -> Result<B, E> = try_rfold_result<I, B, E>;
}

impl<T: Static, S: Sums<T>> Gathers<SUM, Option<T>> for Option<S> {
    type Routine<I: Sequence<Item = Option<T>>> = sum_options<I, T, S>;
}

impl<T: Static, E: Static, S: Sums<T>> Gathers<SUM, Result<T, E>> for Result<S, E> {
    type Routine<I: Sequence<Item = Result<T, E>>> = sum_results<I, T, E, S>;
}

impl<T: Static, S: Multiplies<T>> Gathers<PRODUCT, Option<T>> for Option<S> {
    type Routine<I: Sequence<Item = Option<T>>> = multiply_options<I, T, S>;
}

impl<T: Static, E: Static, S: Multiplies<T>> Gathers<PRODUCT, Result<T, E>> for Result<S, E> {
    type Routine<I: Sequence<Item = Result<T, E>>> = multiply_results<I, T, E, S>;
}
