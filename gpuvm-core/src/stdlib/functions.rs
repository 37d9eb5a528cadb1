//! Functions of std's that are called by path: of `mem`, `cmp`, `array`, `iter` and others.

use std::cmp::Ordering;
use std::mem::Discriminant;

use gpuvm_macros::routine;

use super::intrinsics;
use super::iter::{Empty, FromFn, Once, OnceWith, Ordered, RepeatN, RepeatWith, Repeats, Successors};
use crate::types::{Static, VmType};

#[routine(library, inline, std(()))]
pub fn swap<T: Static>(a: &mut T, b: &mut T) {
    let kept = *a;
    *a = *b;
    *b = kept;
}

#[routine(library, inline, std(T))]
pub fn replace<T: Static>(place: &mut T, value: T) -> T {
    let replaced = *place;
    *place = value;
    replaced
}

#[routine(library, inline, std(T))]
pub fn take<T: VmType + Default>(place: &mut T) -> T {
    let taken = *place;
    *place = T::default();
    taken
}

/// Of what is no enum there is nothing to tell.
#[routine(library, inline, std(Discriminant<T>))]
pub fn discriminant<T: Static>(value: &'static T) -> Discriminant<T> {
    let tag: &'static Discriminant<T> = intrinsics::view(&value, 1);
    *tag
}

#[routine(library, inline, std(T))]
pub fn min<T: Ordered + Copy>(a: T, b: T) -> T {
    if a > b { b } else { a }
}

#[routine(library, inline, std(T))]
pub fn max<T: Ordered + Copy>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[routine(library, inline, std(T))]
pub fn min_by<T: Static, F: FnOnce(&T, &T) -> Ordering>(a: T, b: T, f: F) -> T {
    if f(&a, &b) == Ordering::Greater { b } else { a }
}

#[routine(library, inline, std(T))]
pub fn max_by<T: Static, F: FnOnce(&T, &T) -> Ordering>(a: T, b: T, f: F) -> T {
    if f(&a, &b) == Ordering::Greater { a } else { b }
}

#[routine(library, inline, std(T))]
pub fn min_by_key<T: Static, K: Ordered + Copy, F: FnMut(&T) -> K>(a: T, b: T, f: F) -> T {
    let (of_b, of_a) = (f(&b), f(&a));
    if of_b < of_a { b } else { a }
}

#[routine(library, inline, std(T))]
pub fn max_by_key<T: Static, K: Ordered + Copy, F: FnMut(&T) -> K>(a: T, b: T, f: F) -> T {
    let (of_b, of_a) = (f(&b), f(&a));
    if of_b < of_a { a } else { b }
}

/// `identity` and `black_box`.
#[routine(library, inline, std(T))]
pub fn identity<T: Static>(value: T) -> T {
    value
}

#[routine(library, inline, std(()))]
pub fn drop<T: Static>(_value: T) {}

#[routine(library, inline, std(&'static [T]))]
pub fn slice_from_ref<T: Static>(value: &'static T) -> &'static [T] {
    array_from_ref(value)
}

#[routine(library, inline, std(&'static [T; 1]))]
pub fn array_from_ref<T: Static>(value: &'static T) -> &'static [T; 1] {
    intrinsics::view(&value, 1)
}

#[routine(library, inline, std([T; N]))]
pub fn array_from_fn<T: Static, F: FnMut(usize) -> T, const N: usize>(f: F) -> [T; N] {
    let mut array: [T; N];
    let mut at = 0usize;
    while at < N {
        *intrinsics::element_mut(&&mut array[..], at) = f(at);
        at = at.wrapping_add(1);
    }
    array
}

#[routine(library, inline, std([T; N]))]
pub fn array_repeat<T: Static, const N: usize>(value: T) -> [T; N] {
    let mut array: [T; N] = array_from_fn(|_| intrinsics::clone(&value));
    // The last one is the value itself.
    if N > 0 {
        *intrinsics::element_mut(&&mut array[..], N - 1) = value;
    }
    array
}

#[routine(library, inline, std(std::iter::Once<T>))]
pub fn once<T: Static>(value: T) -> Once<T> {
    Once { value, ended: false }
}

#[routine(library, inline, std(std::iter::Empty<T>))]
pub fn empty<T: Static>() -> Empty<T> {
    Empty { none: None }
}

#[routine(library, inline, std(std::iter::Repeat<T>))]
pub fn repeat<T: Static>(value: T) -> Repeats<T> {
    Repeats { value }
}

#[routine(library, inline, std(std::iter::RepeatN<T>))]
pub fn repeat_n<T: Static>(value: T, count: usize) -> RepeatN<T> {
    RepeatN { value, left: count }
}

#[routine(library, inline, std(std::iter::Successors<T, F>))]
pub fn successors<T: Static, F: FnMut(&T) -> Option<T>>(first: Option<T>, f: F) -> Successors<T> {
    Successors { next: first, f }
}

#[routine(library, inline, std(std::iter::FromFn<F>))]
pub fn from_fn<T: Static, F: FnMut() -> Option<T>>(f: F) -> FromFn<T> {
    FromFn { f }
}

#[routine(library, inline, std(std::iter::RepeatWith<F>))]
pub fn repeat_with<T: Static, F: FnMut() -> T>(f: F) -> RepeatWith<T> {
    RepeatWith { f }
}

#[routine(library, inline, std(std::iter::OnceWith<F>))]
pub fn once_with<T: Static, F: FnOnce() -> T>(f: F) -> OnceWith<T> {
    OnceWith { f, ended: false }
}
