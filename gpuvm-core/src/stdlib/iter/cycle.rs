//! Iterators that need a copy of another, or that a closure makes.

use std::iter;

use gpuvm_macros::routine;

use super::super::{generic_methods, intrinsics, methods};
use super::adaptors::{Peekable, adaptors};
use super::{Advance, AnIterator, Receiver, Sequence, advance_by_next, by_taking, iterator_type};
use crate::types::{Static, Type, Value};

iterator_type! {
    /// `cycle`: what is left, and what it all began with.
    Cycle [I: Sequence] [I] { iter: I, whole: I } {}
}
iterator_type! {
    /// `repeat_with`
    RepeatWith [T: Static] [T] {} { f: fn() -> T }
}
iterator_type! {
    /// `once_with`
    OnceWith [T: Static] [T] { ended: bool } { f: fn() -> T }
}
adaptors! {
    [I: Value] iter::Cycle<I> => Cycle<I::Erased> where [I::Erased: Sequence];
    [T: Value, F: FnMut() -> T] iter::RepeatWith<F> => RepeatWith<T::Erased> where [T::Erased: Static];
    [T: Value, F: FnOnce() -> T] iter::OnceWith<F> => OnceWith<T::Erased> where [T::Erased: Static];
}

#[routine(library, inline)]
impl<I: Sequence> Iterator for Cycle<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if let Some(x) = self.iter.next() {
            return Some(x);
        }
        self.iter = intrinsics::copy(&self.whole);
        self.iter.next()
    }
}

#[routine(library, inline)]
impl<T: Static> Iterator for RepeatWith<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        Some((self.f)())
    }
}

#[routine(library, inline)]
impl<T: Static> Iterator for OnceWith<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.ended {
            return None;
        }
        self.ended = true;
        Some((self.f)())
    }
}

by_taking! {
    [I: Sequence] Cycle<I>;
    [T: Static] RepeatWith<T>;
    [T: Static] OnceWith<T>;
}

#[routine(library, inline)]
fn cycle<I: Sequence>(iter: I) -> Cycle<I> {
    Cycle {
        whole: intrinsics::copy(&iter),
        iter,
    }
}

#[routine(library, inline)]
fn peek_mut<I: Sequence>(this: &mut Peekable<I>) -> Option<&mut I::Item> {
    if this.peeked.is_none() {
        this.peeked = Some(this.iter.next());
    }
    match &mut this.peeked {
        Some(Some(x)) => Some(x),
        _ => None,
    }
}

#[routine(library, inline)]
fn next_if_eq<I: Sequence<Item: super::super::slice::Comparable>>(
    this: &mut Peekable<I>,
    expected: &I::Item,
) -> Option<I::Item> {
    if this.peeked.is_none() {
        this.peeked = Some(this.iter.next());
    }
    if let Some(Some(x)) = intrinsics::copy(&this.peeked)
        && x == *expected
    {
        this.peeked = None;
        return Some(x);
    }
    None
}

methods! {
    [I: Sequence] AnIterator<Peekable<I>>, peek_mut = peek_mut<I>;
    [I: Sequence<Item: super::super::slice::Comparable>] AnIterator<Peekable<I>>, next_if_eq = next_if_eq<I>;
}

generic_methods! {
    [I: Sequence, X: Receiver<I>] AnIterator<I>, cycle(()) -> Cycle<X> = cycle<X>;
}
