//! Iterators over slices and arrays, and those that functions make.

use gpuvm_macros::routine;

use super::super::{generic_methods, intrinsics, methods};
use super::{Advance, AdvanceBack, Each, advance_by_next, by_taking, iterator_type};
use crate::facts::{CallFact, Iterable, Next};
use crate::types::{Static, Value};

iterator_type! {
    /// `[T]::iter`
    Iter [T: Static] [T] { slice: &'static [T], at: usize, end: usize } {}
}
iterator_type! {
    /// `[T]::iter_mut`
    IterMut [T: Static] [T] { slice: &'static mut [T], at: usize, end: usize } {}
}
iterator_type! {
    /// `[T; N]::into_iter`
    IntoIter [T: Static, const N: usize] [T, N] { array: [T; N], at: usize, end: usize } {}
}

iterator_type! {
    /// What is in an `Option`.
    OptionIter [T: Static] [T] { option: Option<T> } {}
}
iterator_type! {
    /// `once`
    Once [T: Static] [T] { value: T, ended: bool } {}
}
iterator_type! {
    /// `empty`
    Empty [T: Static] [T] { none: Option<T> } {}
}
iterator_type! {
    /// `repeat`
    Repeats [T: Static] [T] { value: T } {}
}
iterator_type! {
    /// `repeat_n`
    RepeatN [T: Static] [T] { value: T, left: usize } {}
}
iterator_type! {
    /// `successors`
    Successors [T: Static] [T] { next: Option<T> } { f: fn(&T) -> Option<T> }
}
iterator_type! {
    /// `from_fn`
    FromFn [T: Static] [T] {} { f: fn() -> Option<T> }
}

impl<T: Value> Value for std::slice::Iter<'_, T>
where
    T::Erased: Static,
{
    type Erased = Iter<T::Erased>;
    type Inner = super::AnIterator<Iter<T::Erased>>;
    type Depth = crate::types::Zero;
    const TYPE: &'static crate::types::Type = <Iter<T::Erased> as Value>::TYPE;
}

impl<T: Value> Value for std::slice::IterMut<'_, T>
where
    T::Erased: Static,
{
    type Erased = IterMut<T::Erased>;
    type Inner = super::AnIterator<IterMut<T::Erased>>;
    type Depth = crate::types::Zero;
    const TYPE: &'static crate::types::Type = <IterMut<T::Erased> as Value>::TYPE;
}

impl<T: Value, const N: usize> Value for std::array::IntoIter<T, N>
where
    T::Erased: Static,
{
    type Erased = IntoIter<T::Erased, N>;
    type Inner = super::AnIterator<IntoIter<T::Erased, N>>;
    type Depth = crate::types::Zero;
    const TYPE: &'static crate::types::Type = <IntoIter<T::Erased, N> as Value>::TYPE;
}

#[routine(library, inline, each)]
impl<T: Static> Iterator for Iter<T> {
    type Item = &'static T;

    fn next(&mut self) -> Option<&'static T> {
        if self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            Some(intrinsics::element(&self.slice, at))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl<T: Static> Each for Iter<T> {
    fn each(&mut self, f: fn(&'static T) -> bool) {
        while self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            if !f(intrinsics::element(&self.slice, at)) {
                break;
            }
        }
    }
}

#[routine(library, inline)]
impl<T: Static> DoubleEndedIterator for Iter<T> {
    fn next_back(&mut self) -> Option<&'static T> {
        if self.at < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(intrinsics::element(&self.slice, self.end))
        } else {
            None
        }
    }
}

#[routine(library, inline, each)]
impl<T: Static> Iterator for IterMut<T> {
    type Item = &'static mut T;

    fn next(&mut self) -> Option<&'static mut T> {
        if self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            Some(intrinsics::element_mut(&self.slice, at))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl<T: Static> Each for IterMut<T> {
    fn each(&mut self, f: fn(&'static mut T) -> bool) {
        while self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            if !f(intrinsics::element_mut(&self.slice, at)) {
                break;
            }
        }
    }
}

#[routine(library, inline)]
impl<T: Static> DoubleEndedIterator for IterMut<T> {
    fn next_back(&mut self) -> Option<&'static mut T> {
        if self.at < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(intrinsics::element_mut(&self.slice, self.end))
        } else {
            None
        }
    }
}

#[routine(library, inline, each)]
impl<T: Static, const N: usize> Iterator for IntoIter<T, N> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            Some(intrinsics::copy(intrinsics::element(&&self.array[..], at)))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl<T: Static, const N: usize> Each for IntoIter<T, N> {
    fn each(&mut self, f: fn(T) -> bool) {
        while self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            if !f(intrinsics::copy(intrinsics::element(&&self.array[..], at))) {
                break;
            }
        }
    }
}

#[routine(library, inline)]
impl<T: Static, const N: usize> DoubleEndedIterator for IntoIter<T, N> {
    fn next_back(&mut self) -> Option<T> {
        if self.at < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(intrinsics::copy(intrinsics::element(&&self.array[..], self.end)))
        } else {
            None
        }
    }
}

/// How many elements are left, and leaving some of them out, where `at` and `end` count elements.
macro_rules! counted {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[routine(library, inline)]
        impl<$($generics)*> ExactSizeIterator for $ty {
            fn len(&self) -> usize {
                self.end.wrapping_sub(self.at)
            }
        }

        #[routine(library, inline)]
        impl<$($generics)*> Advance for $ty {
            fn advance(&mut self, count: usize) -> bool {
                self.at = self.at.wrapping_add(count.min(self.end.wrapping_sub(self.at)));
                true
            }
        }

        #[routine(library, inline)]
        impl<$($generics)*> AdvanceBack for $ty {
            fn advance_back(&mut self, count: usize) -> bool {
                self.end = self.end.wrapping_sub(count.min(self.end.wrapping_sub(self.at)));
                true
            }
        }
    )*};
}
counted! {
    [T: Static] Iter<T>;
    [T: Static] IterMut<T>;
    [T: Static, const N: usize] IntoIter<T, N>;
}

/// What is left of a list's iterator as a slice.
#[routine(library, inline)]
fn rest<T: Static>(iter: &Iter<T>) -> &'static [T] {
    intrinsics::part(&iter.slice, iter.at, iter.end)
}

#[routine(library, inline)]
fn rest_as_slice<T: Static>(iter: &'static IterMut<T>) -> &'static [T] {
    intrinsics::part(&&*iter.slice, iter.at, iter.end)
}

#[routine(library, inline)]
fn rest_mut<T: Static>(iter: IterMut<T>) -> &'static mut [T] {
    intrinsics::part_mut(&iter.slice, iter.at, iter.end)
}

#[routine(library, inline)]
fn rest_of_array<T: Static, const N: usize>(iter: &IntoIter<T, N>) -> &[T] {
    intrinsics::part(&&iter.array[..], iter.at, iter.end)
}

#[routine(library, inline)]
fn rest_of_array_mut<T: Static, const N: usize>(iter: &mut IntoIter<T, N>) -> &mut [T] {
    intrinsics::part_mut(&&mut iter.array[..], iter.at, iter.end)
}

methods! {
    [T: Static] super::AnIterator<Iter<T>>, as_slice = rest<T>;
    [T: Static] super::AnIterator<IterMut<T>>, as_slice = rest_as_slice<T>;
    [T: Static] super::AnIterator<IterMut<T>>, into_slice = rest_mut<T>;
    [T: Static, const N: usize] super::AnIterator<IntoIter<T, N>>, as_slice = rest_of_array<T, N>;
    [T: Static, const N: usize] super::AnIterator<IntoIter<T, N>>, as_mut_slice = rest_of_array_mut<T, N>;
}

#[routine(library, inline)]
fn iter<T: Static>(slice: &'static [T]) -> Iter<T> {
    Iter {
        slice,
        at: 0,
        end: slice.len(),
    }
}

#[routine(library, inline)]
fn iter_mut<T: Static>(slice: &'static mut [T]) -> IterMut<T> {
    IterMut {
        end: slice.len(),
        slice,
        at: 0,
    }
}

#[routine(library, inline)]
fn into_iter<T: Static, const N: usize>(array: [T; N]) -> IntoIter<T, N> {
    IntoIter {
        end: array.len(),
        array,
        at: 0,
    }
}

methods! {
    [T: Static] [T], iter = iter<T>;
    [T: Static, const N: usize] [T; N], iter = iter<T>;
    [T: Static] [T], iter_mut = iter_mut<T>;
    [T: Static, const N: usize] [T; N], iter_mut = iter_mut<T>;
}

generic_methods! {
    [T: Static] [T], into_iter(()) -> Iter<T> = iter<T>;
    [T: Static] [T], into_iter(()) -> IterMut<T> = iter_mut<T>;
    [T: Static, const N: usize] [T; N], into_iter(()) -> Iter<T> = iter<T>;
    [T: Static, const N: usize] [T; N], into_iter(()) -> IterMut<T> = iter_mut<T>;
    [T: Static, const N: usize] [T; N], into_iter(()) -> IntoIter<T, N> = into_iter<T, N>;
}

#[routine(library, inline)]
impl<T: Static> Iterator for OptionIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let option = intrinsics::copy(&self.option);
        self.option = None;
        option
    }
}

#[routine(library, inline)]
fn option_iter<T: Static>(option: Option<T>) -> OptionIter<T> {
    OptionIter { option }
}

#[routine(library, inline)]
fn option_iter_ref<T: Static>(option: &'static Option<T>) -> OptionIter<&'static T> {
    OptionIter {
        option: match option {
            Some(x) => Some(x),
            None => None,
        },
    }
}

#[routine(library, inline)]
fn option_iter_mut<T: Static>(option: &'static mut Option<T>) -> OptionIter<&'static mut T> {
    OptionIter {
        option: match option {
            Some(x) => Some(x),
            None => None,
        },
    }
}

#[routine(library, inline)]
fn result_iter<T: Static, E: Static>(result: Result<T, E>) -> OptionIter<T> {
    OptionIter {
        option: match result {
            Ok(x) => Some(x),
            Err(_) => None,
        },
    }
}

#[routine(library, inline)]
fn result_iter_ref<T: Static, E: Static>(result: &'static Result<T, E>) -> OptionIter<&'static T> {
    OptionIter {
        option: match result {
            Ok(x) => Some(x),
            Err(_) => None,
        },
    }
}

#[routine(library, inline)]
fn result_iter_mut<T: Static, E: Static>(result: &'static mut Result<T, E>) -> OptionIter<&'static mut T> {
    OptionIter {
        option: match result {
            Ok(x) => Some(x),
            Err(_) => None,
        },
    }
}

methods! {
    [T: Static, E: Static] Result<T, E>, iter = result_iter_ref<T, E>;
    [T: Static, E: Static] Result<T, E>, iter_mut = result_iter_mut<T, E>;
}

generic_methods! {
    [T: Static, E: Static] Result<T, E>, into_iter(()) -> OptionIter<T> = result_iter<T, E>;
    [T: Static, E: Static] Result<T, E>, into_iter(()) -> OptionIter<&'static T> = result_iter_ref<T, E>;
    [T: Static, E: Static] Result<T, E>, into_iter(()) -> OptionIter<&'static mut T> = result_iter_mut<T, E>;
}

macro_rules! iterables {
    ($([$($generics:tt)*] $ty:ty = $into:ty, $iterator:ty $(, $fixed:ident)?;)*) => {$(
        impl<$($generics)*> Iterable for $ty {
            $(const FIXED: u32 = $fixed as u32;)?
            type Iterator = $iterator;
            type IntoSlot = crate::facts::IntoSlot<Self>;
            type NextSlot = crate::facts::NextSlot<Self>;
            const INTO: Option<CallFact> = Some(CallFact::of::<$into>());
            const NEXT: CallFact = <$iterator as Next>::NEXT;
        }
    )*};
}
iterables! {
    [T: Static] Option<T> = option_iter<T>, OptionIter<T>;
    [T: Static] &'static Option<T> = option_iter_ref<T>, OptionIter<&'static T>;
    [T: Static] &'static mut Option<T> = option_iter_mut<T>, OptionIter<&'static mut T>;
    [T: Static, E: Static] Result<T, E> = result_iter<T, E>, OptionIter<T>;
    [T: Static, E: Static] &'static Result<T, E> = result_iter_ref<T, E>, OptionIter<&'static T>;
    [T: Static, E: Static] &'static mut Result<T, E> = result_iter_mut<T, E>, OptionIter<&'static mut T>;
    [T: Static] &'static [T] = iter<T>, Iter<T>;
    [T: Static] &'static mut [T] = iter_mut<T>, IterMut<T>;
    [T: Static, const N: usize] &'static [T; N] = iter<T>, Iter<T>, N;
    [T: Static, const N: usize] &'static mut [T; N] = iter_mut<T>, IterMut<T>, N;
    [T: Static, const N: usize] [T; N] = into_iter<T, N>, IntoIter<T, N>, N;
}

macro_rules! made {
    ($([$($generics:tt)*] $std:ty => $own:ty;)*) => {$(
        impl<$($generics)*> Value for $std
        where
            T::Erased: Static,
        {
            type Erased = $own;
            type Inner = super::AnIterator<$own>;
            type Depth = crate::types::Zero;
            const TYPE: &'static crate::types::Type = <$own as Value>::TYPE;
        }
    )*};
}
made! {
    [T: Value] std::iter::Once<T> => Once<T::Erased>;
    [T: Value] std::iter::Empty<T> => Empty<T::Erased>;
    [T: Value] std::iter::Repeat<T> => Repeats<T::Erased>;
    [T: Value] std::iter::RepeatN<T> => RepeatN<T::Erased>;
    [T: Value, F] std::iter::Successors<T, F> => Successors<T::Erased>;
    [T: Value, F: FnMut() -> Option<T>] std::iter::FromFn<F> => FromFn<T::Erased>;
}

#[routine(library, inline)]
impl<T: Static> Iterator for Once<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.ended {
            return None;
        }
        self.ended = true;
        Some(intrinsics::copy(&self.value))
    }
}

#[routine(library, inline)]
impl<T: Static> Iterator for Empty<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        None
    }
}

#[routine(library, inline)]
impl<T: Static + Clone> Iterator for Repeats<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        Some(intrinsics::clone(&self.value))
    }
}

#[routine(library, inline)]
impl<T: Static + Copy> Iterator for RepeatN<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        self.left = self.left.wrapping_sub(1);
        Some(self.value)
    }
}

#[routine(library, inline)]
impl<T: Static> Iterator for Successors<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match intrinsics::copy(&self.next) {
            Some(x) => {
                self.next = (self.f)(&x);
                Some(x)
            }
            None => None,
        }
    }
}

#[routine(library, inline)]
impl<T: Static> Iterator for FromFn<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        (self.f)()
    }
}

by_taking! {
    [T: Static] OptionIter<T>;
    [T: Static] Once<T>;
    [T: Static] Successors<T>;
    [T: Static] FromFn<T>;
}

#[routine(library, inline)]
impl<T: Static> Advance for Empty<T> {
    fn advance(&mut self, _count: usize) -> bool {
        true
    }
}

#[routine(library, inline)]
impl<T: Static + Clone> Advance for Repeats<T> {
    fn advance(&mut self, _count: usize) -> bool {
        true
    }
}

#[routine(library, inline)]
impl<T: Static + Copy> Advance for RepeatN<T> {
    fn advance(&mut self, count: usize) -> bool {
        self.left = self.left.saturating_sub(count);
        true
    }
}
