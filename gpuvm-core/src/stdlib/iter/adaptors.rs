//! Iterators made of iterators.

use std::iter;

use gpuvm_macros::routine;

use super::super::{generic_methods, intrinsics, methods};
use super::{
    Advance, AdvanceBack, AnIterator, Counted, DoubleEnded, Receiver, Sequence, Skips, SkipsBack, advance_back_by_next,
    advance_by_next, by_taking, by_taking_back, iterator_type,
};
use crate::facts::Iterable;
use crate::types::{Static, Type, Value};

iterator_type! {
    /// `map`
    Map [I: Sequence, B: Static] [I, B] { iter: I } { f: fn(I::Item) -> B }
}
iterator_type! {
    /// `filter`
    Filter [I: Sequence] [I] { iter: I } { f: fn(&I::Item) -> bool }
}
iterator_type! {
    /// `filter_map`
    FilterMap [I: Sequence, B: Static] [I, B] { iter: I } { f: fn(I::Item) -> Option<B> }
}
iterator_type! {
    /// `inspect`
    Inspect [I: Sequence] [I] { iter: I } { f: fn(&I::Item) }
}
iterator_type! {
    /// `enumerate`
    Enumerate [I: Sequence] [I] { iter: I, count: usize } {}
}
iterator_type! {
    /// `zip`
    Zip [A: Sequence, B: Sequence] [A, B] { a: A, b: B } {}
}
iterator_type! {
    /// `chain`
    Chain [A: Sequence, B: Sequence] [A, B] { a: A, b: B, first: bool } {}
}
iterator_type! {
    /// `rev`
    Rev [I: DoubleEnded] [I] { iter: I } {}
}
iterator_type! {
    /// `take`
    Take [I: Sequence] [I] { iter: I, left: usize } {}
}
iterator_type! {
    /// `skip`
    Skip [I: Sequence] [I] { iter: I, left: usize } {}
}
iterator_type! {
    /// `step_by`
    StepBy [I: Sequence] [I] { iter: I, between: usize, first: bool } {}
}
iterator_type! {
    /// `take_while`
    TakeWhile [I: Sequence] [I] { iter: I, ended: bool } { f: fn(&I::Item) -> bool }
}
iterator_type! {
    /// `skip_while`
    SkipWhile [I: Sequence] [I] { iter: I, begun: bool } { f: fn(&I::Item) -> bool }
}
iterator_type! {
    /// `map_while`
    MapWhile [I: Sequence, B: Static] [I, B] { iter: I } { f: fn(I::Item) -> Option<B> }
}
iterator_type! {
    /// `scan`
    Scan [I: Sequence, S: Static, B: Static] [I, S, B] { iter: I, state: S } { f: fn(&mut S, I::Item) -> Option<B> }
}
iterator_type! {
    /// `copied`
    Copied [I: Sequence] [I] { iter: I } {}
}
iterator_type! {
    /// `cloned`
    Cloned [I: Sequence] [I] { iter: I } {}
}
iterator_type! {
    /// `fuse`
    Fuse [I: Sequence] [I] { iter: I, ended: bool } {}
}
iterator_type! {
    /// `peekable`
    Peekable [I: Sequence] [I] { iter: I, peeked: Option<Option<I::Item>> } {}
}
iterator_type! {
    /// `flat_map`
    FlatMap [I: Sequence, B: Elements] [I, B]
        { iter: Fuse<I>, inner: B::Iterator, active: bool, last: B::Iterator, last_active: bool } { f: fn(I::Item) -> B }
}
iterator_type! {
    /// `flatten`
    Flatten [I: Sequence<Item: Elements>] [I] {
        iter: Fuse<I>, inner: <I::Item as Iterable>::Iterator, active: bool,
        last: <I::Item as Iterable>::Iterator, last_active: bool
    } {}
}

/// What becomes an iterator.
pub trait Elements: Iterable<Iterator: Sequence> + Static {}

impl<T: Iterable<Iterator: Sequence> + Static> Elements for T {}

/// What each adaptor of std's is here.
macro_rules! adaptors {
    ($([$($generics:tt)*] $std:ty => $own:ty where [$($bounds:tt)*];)*) => {$(
        impl<$($generics)*> Value for $std
        where
            $($bounds)*
        {
            type Erased = $own;
            type Inner = AnIterator<$own>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <$own as Value>::TYPE;
        }
    )*};
}
pub(super) use adaptors;

adaptors! {
    [I: Iterator<Item: Value> + Value, B: Value, F: FnMut(I::Item) -> B] iter::Map<I, F> => Map<I::Erased, B::Erased>
        where [I::Erased: Sequence, B::Erased: Static];
    [I: Iterator + Value, F] iter::Filter<I, F> => Filter<I::Erased> where [I::Erased: Sequence];
    [I: Iterator + Value, B: Value, F: FnMut(I::Item) -> Option<B>] iter::FilterMap<I, F> => FilterMap<I::Erased, B::Erased>
        where [I::Erased: Sequence, B::Erased: Static];
    [I: Iterator + Value, F] iter::Inspect<I, F> => Inspect<I::Erased> where [I::Erased: Sequence];
    [I: Value] iter::Enumerate<I> => Enumerate<I::Erased> where [I::Erased: Sequence];
    [A: Value, B: Value] iter::Zip<A, B> => Zip<A::Erased, B::Erased> where [A::Erased: Sequence, B::Erased: Sequence];
    [A: Value, B: Value] iter::Chain<A, B> => Chain<A::Erased, B::Erased> where [A::Erased: Sequence, B::Erased: Sequence];
    [I: Value] iter::Rev<I> => Rev<I::Erased> where [I::Erased: DoubleEnded];
    [I: Value] iter::Take<I> => Take<I::Erased> where [I::Erased: Sequence];
    [I: Value] iter::Skip<I> => Skip<I::Erased> where [I::Erased: Sequence];
    [I: Value] iter::StepBy<I> => StepBy<I::Erased> where [I::Erased: Sequence];
    [I: Iterator + Value, F] iter::TakeWhile<I, F> => TakeWhile<I::Erased> where [I::Erased: Sequence];
    [I: Iterator + Value, F] iter::SkipWhile<I, F> => SkipWhile<I::Erased> where [I::Erased: Sequence];
    [I: Iterator + Value, B: Value, F: FnMut(I::Item) -> Option<B>] iter::MapWhile<I, F> => MapWhile<I::Erased, B::Erased>
        where [I::Erased: Sequence, B::Erased: Static];
    [I: Iterator + Value, S: Value, B: Value, F: FnMut(&mut S, I::Item) -> Option<B>] iter::Scan<I, S, F>
        => Scan<I::Erased, S::Erased, B::Erased> where [I::Erased: Sequence, S::Erased: Static, B::Erased: Static];
    [I: Value] iter::Copied<I> => Copied<I::Erased> where [I::Erased: Sequence];
    [I: Value] iter::Cloned<I> => Cloned<I::Erased> where [I::Erased: Sequence];
    [I: Value] iter::Fuse<I> => Fuse<I::Erased> where [I::Erased: Sequence];
    [I: Iterator + Value] iter::Peekable<I> => Peekable<I::Erased> where [I::Erased: Sequence];
    [I: Iterator + Value, U: IntoIterator + Value, F: FnMut(I::Item) -> U] iter::FlatMap<I, U, F> => FlatMap<I::Erased, U::Erased>
        where [I::Erased: Sequence, U::Erased: Elements];
    [I: Iterator<Item: IntoIterator> + Value] iter::Flatten<I> => Flatten<I::Erased> where [I::Erased: Sequence<Item: Elements>];
}

#[routine(library, inline, each)]
impl<I: Sequence, B: Static> Iterator for Map<I, B> {
    type Item = B;

    fn next(&mut self) -> Option<B> {
        match self.iter.next() {
            Some(x) => Some((self.f)(x)),
            None => None,
        }
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded, B: Static> DoubleEndedIterator for Map<I, B> {
    fn next_back(&mut self) -> Option<B> {
        match self.iter.next_back() {
            Some(x) => Some((self.f)(x)),
            None => None,
        }
    }
}

by_taking_back! { [I: DoubleEnded, B: Static] Map<I, B>; }

#[routine(library, inline)]
impl<I: Counted, B: Static> ExactSizeIterator for Map<I, B> {
    fn len(&self) -> usize {
        self.iter.len()
    }
}

#[routine(library, inline, each)]
impl<I: Sequence> Iterator for Filter<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        while let Some(x) = self.iter.next() {
            if (self.f)(&x) {
                return Some(x);
            }
        }
        None
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded> DoubleEndedIterator for Filter<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        while let Some(x) = self.iter.next_back() {
            if (self.f)(&x) {
                return Some(x);
            }
        }
        None
    }
}

by_taking_back! { [I: DoubleEnded] Filter<I>; }

#[routine(library, inline, each)]
impl<I: Sequence, B: Static> Iterator for FilterMap<I, B> {
    type Item = B;

    fn next(&mut self) -> Option<B> {
        while let Some(x) = self.iter.next() {
            if let Some(y) = (self.f)(x) {
                return Some(y);
            }
        }
        None
    }
}

#[routine(library, inline, each)]
impl<I: Sequence> Iterator for Inspect<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        match self.iter.next() {
            Some(x) => {
                (self.f)(&x);
                Some(x)
            }
            None => None,
        }
    }
}

#[routine(library, inline, each)]
impl<I: Sequence> Iterator for Enumerate<I> {
    type Item = (usize, I::Item);

    fn next(&mut self) -> Option<(usize, I::Item)> {
        match self.iter.next() {
            Some(x) => {
                let count = self.count;
                self.count = count.wrapping_add(1);
                Some((count, x))
            }
            None => None,
        }
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded + Counted> DoubleEndedIterator for Enumerate<I> {
    fn next_back(&mut self) -> Option<(usize, I::Item)> {
        match self.iter.next_back() {
            Some(x) => Some((self.count.wrapping_add(self.iter.len()), x)),
            None => None,
        }
    }
}

#[routine(library, inline)]
impl<I: SkipsBack + Counted> AdvanceBack for Enumerate<I> {
    fn advance_back(&mut self, count: usize) -> bool {
        self.iter.advance_back(count)
    }
}

#[routine(library, inline)]
impl<I: Counted> ExactSizeIterator for Enumerate<I> {
    fn len(&self) -> usize {
        self.iter.len()
    }
}

#[routine(library, inline, each)]
impl<A: Sequence, B: Sequence> Iterator for Zip<A, B> {
    type Item = (A::Item, B::Item);

    fn next(&mut self) -> Option<(A::Item, B::Item)> {
        match self.a.next() {
            Some(x) => match self.b.next() {
                Some(y) => Some((x, y)),
                None => None,
            },
            None => None,
        }
    }
}

#[routine(library, inline)]
impl<A: DoubleEnded + Counted, B: DoubleEnded + Counted> DoubleEndedIterator for Zip<A, B> {
    fn next_back(&mut self) -> Option<(A::Item, B::Item)> {
        while self.a.len() > self.b.len() {
            self.a.next_back();
        }
        while self.b.len() > self.a.len() {
            self.b.next_back();
        }
        match self.a.next_back() {
            Some(x) => match self.b.next_back() {
                Some(y) => Some((x, y)),
                None => None,
            },
            None => None,
        }
    }
}

by_taking_back! { [A: DoubleEnded + Counted, B: DoubleEnded + Counted] Zip<A, B>; }

#[routine(library, inline)]
impl<A: Counted, B: Counted> ExactSizeIterator for Zip<A, B> {
    fn len(&self) -> usize {
        let (a, b) = (self.a.len(), self.b.len());
        if a < b { a } else { b }
    }
}

#[routine(library, inline)]
impl<A: Sequence, B: Sequence<Item = A::Item>> Iterator for Chain<A, B> {
    type Item = A::Item;

    fn next(&mut self) -> Option<A::Item> {
        if self.first {
            if let Some(x) = self.a.next() {
                return Some(x);
            }
            self.first = false;
        }
        self.b.next()
    }
}

#[routine(library, inline, each)]
impl<I: DoubleEnded> Iterator for Rev<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.iter.next_back()
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded> DoubleEndedIterator for Rev<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        self.iter.next()
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded + Skips> AdvanceBack for Rev<I> {
    fn advance_back(&mut self, count: usize) -> bool {
        self.iter.advance(count)
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded + Counted> ExactSizeIterator for Rev<I> {
    fn len(&self) -> usize {
        self.iter.len()
    }
}

#[routine(library, inline, each)]
impl<I: Sequence> Iterator for Take<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.left == 0 {
            return None;
        }
        self.left = self.left.wrapping_sub(1);
        self.iter.next()
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded + Counted> DoubleEndedIterator for Take<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        if self.left == 0 {
            return None;
        }
        while self.iter.len() > self.left {
            self.iter.next_back();
        }
        self.left = self.left.wrapping_sub(1);
        self.iter.next_back()
    }
}

by_taking_back! { [I: DoubleEnded + Counted] Take<I>; }

#[routine(library, inline)]
impl<I: Counted> ExactSizeIterator for Take<I> {
    fn len(&self) -> usize {
        let length = self.iter.len();
        if length < self.left { length } else { self.left }
    }
}

#[routine(library, inline, each)]
impl<I: Skips> Iterator for Skip<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.left > 0 {
            let left = self.left;
            self.left = 0;
            if !self.iter.advance(left) {
                return None;
            }
        }
        self.iter.next()
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded + Counted + Skips> DoubleEndedIterator for Skip<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        if self.iter.len() > self.left {
            self.iter.next_back()
        } else {
            None
        }
    }
}

by_taking_back! { [I: DoubleEnded + Counted + Skips] Skip<I>; }

#[routine(library, inline)]
impl<I: Counted + Skips> ExactSizeIterator for Skip<I> {
    fn len(&self) -> usize {
        let length = self.iter.len();
        if length > self.left {
            length.wrapping_sub(self.left)
        } else {
            0
        }
    }
}

#[routine(library, inline)]
impl<I: Skips> Iterator for StepBy<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.first {
            self.first = false;
        } else if !self.iter.advance(self.between) {
            return None;
        }
        self.iter.next()
    }
}

#[routine(library, inline, each)]
impl<I: Sequence> Iterator for TakeWhile<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.ended {
            return None;
        }
        if let Some(x) = self.iter.next() {
            if (self.f)(&x) {
                return Some(x);
            }
            self.ended = true;
        }
        None
    }
}

#[routine(library, inline, each)]
impl<I: Sequence> Iterator for SkipWhile<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        while let Some(x) = self.iter.next() {
            if self.begun || !(self.f)(&x) {
                self.begun = true;
                return Some(x);
            }
        }
        None
    }
}

#[routine(library, inline, each)]
impl<I: Sequence, B: Static> Iterator for MapWhile<I, B> {
    type Item = B;

    fn next(&mut self) -> Option<B> {
        match self.iter.next() {
            Some(x) => (self.f)(x),
            None => None,
        }
    }
}

#[routine(library, inline, each)]
impl<I: Sequence, S: Static, B: Static> Iterator for Scan<I, S, B> {
    type Item = B;

    fn next(&mut self) -> Option<B> {
        match self.iter.next() {
            Some(x) => (self.f)(&mut self.state, x),
            None => None,
        }
    }
}

macro_rules! of_elements {
    ($name:ident, $bound:ident, $copy:ident) => {
        #[routine(library, inline, each)]
        impl<T: Static + $bound, I: Sequence<Item = &'static T>> Iterator for $name<I> {
            type Item = T;

            fn next(&mut self) -> Option<T> {
                match self.iter.next() {
                    Some(x) => Some(intrinsics::$copy(x)),
                    None => None,
                }
            }
        }

        #[routine(library, inline)]
        impl<T: Static + $bound, I: DoubleEnded<Item = &'static T>> DoubleEndedIterator for $name<I> {
            fn next_back(&mut self) -> Option<T> {
                match self.iter.next_back() {
                    Some(x) => Some(intrinsics::$copy(x)),
                    None => None,
                }
            }
        }

        #[routine(library, inline)]
        impl<T: Static + $bound, I: SkipsBack<Item = &'static T>> AdvanceBack for $name<I> {
            fn advance_back(&mut self, count: usize) -> bool {
                self.iter.advance_back(count)
            }
        }

        #[routine(library, inline)]
        impl<T: Static + $bound, I: Counted<Item = &'static T>> ExactSizeIterator for $name<I> {
            fn len(&self) -> usize {
                self.iter.len()
            }
        }

        #[routine(library, inline)]
        impl<T: Static + $bound, I: Skips<Item = &'static T>> Advance for $name<I> {
            fn advance(&mut self, count: usize) -> bool {
                self.iter.advance(count)
            }
        }
    };
}
of_elements!(Copied, Copy, copy);
of_elements!(Cloned, Clone, clone);

#[routine(library, inline)]
impl<I: Sequence> Iterator for Fuse<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.ended {
            return None;
        }
        if let Some(x) = self.iter.next() {
            return Some(x);
        }
        self.ended = true;
        None
    }
}

#[routine(library, inline)]
impl<I: Sequence> Iterator for Peekable<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if let Some(x) = intrinsics::copy(&self.peeked) {
            self.peeked = None;
            return x;
        }
        self.iter.next()
    }
}

#[routine(library, inline)]
fn peek<I: Sequence>(this: &mut Peekable<I>) -> Option<&I::Item> {
    if this.peeked.is_none() {
        this.peeked = Some(this.iter.next());
    }
    match &this.peeked {
        Some(Some(x)) => Some(x),
        _ => None,
    }
}

#[routine(library, inline)]
fn next_if<I: Sequence>(this: &mut Peekable<I>, f: impl FnOnce(&I::Item) -> bool) -> Option<I::Item> {
    if this.peeked.is_none() {
        this.peeked = Some(this.iter.next());
    }
    if let Some(Some(x)) = intrinsics::copy(&this.peeked)
        && f(&x)
    {
        this.peeked = None;
        return Some(x);
    }
    None
}

/// The inner iterator is there from the first element on, so the code that makes it comes first. What is left of the one at the other end is the
/// last of all; the assignment that never runs tells the encoder what it is, also where its code comes later.
#[routine(library, inline)]
impl<I: Sequence, B: Elements> Iterator for FlatMap<I, B> {
    type Item = <B::Iterator as Iterator>::Item;

    fn next(&mut self) -> Option<<B::Iterator as Iterator>::Item> {
        loop {
            if !self.active {
                match self.iter.next() {
                    Some(x) => {
                        self.inner = intrinsics::iterator((self.f)(x));
                        if self.active {
                            self.last = intrinsics::copy(&self.inner);
                        }
                    }
                    None if self.last_active => {
                        self.inner = intrinsics::copy(&self.last);
                        self.last_active = false;
                    }
                    None => return None,
                }
                self.active = true;
            }
            if let Some(y) = self.inner.next() {
                return Some(y);
            }
            self.active = false;
        }
    }
}

#[routine(library, inline)]
impl<I: Sequence<Item: Elements>> Iterator for Flatten<I> {
    type Item = <<I::Item as Iterable>::Iterator as Iterator>::Item;

    fn next(&mut self) -> Option<<<I::Item as Iterable>::Iterator as Iterator>::Item> {
        loop {
            if !self.active {
                match self.iter.next() {
                    Some(x) => {
                        self.inner = intrinsics::iterator(x);
                        if self.active {
                            self.last = intrinsics::copy(&self.inner);
                        }
                    }
                    None if self.last_active => {
                        self.inner = intrinsics::copy(&self.last);
                        self.last_active = false;
                    }
                    None => return None,
                }
                self.active = true;
            }
            if let Some(y) = self.inner.next() {
                return Some(y);
            }
            self.active = false;
        }
    }
}

by_taking! {
    [I: Sequence, B: Static] Map<I, B>;
    [I: Sequence] Filter<I>;
    [I: Sequence, B: Static] FilterMap<I, B>;
    [I: Sequence] Inspect<I>;
    [A: Sequence, B: Sequence] Zip<A, B>;
    [A: Sequence, B: Sequence<Item = A::Item>] Chain<A, B>;
    [I: Sequence] Take<I>;
    [I: Skips] Skip<I>;
    [I: Skips] StepBy<I>;
    [I: Sequence] TakeWhile<I>;
    [I: Sequence] SkipWhile<I>;
    [I: Sequence, B: Static] MapWhile<I, B>;
    [I: Sequence, S: Static, B: Static] Scan<I, S, B>;
    [I: Sequence] Fuse<I>;
    [I: Sequence] Peekable<I>;
    [I: Sequence, B: Elements] FlatMap<I, B>;
    [I: Sequence<Item: Elements>] Flatten<I>;
}

#[routine(library, inline)]
impl<I: SkipsBack> Advance for Rev<I> {
    fn advance(&mut self, count: usize) -> bool {
        self.iter.advance_back(count)
    }
}

/// Positions that come after the end are seen by nobody.
#[routine(library, inline)]
impl<I: Skips> Advance for Enumerate<I> {
    fn advance(&mut self, count: usize) -> bool {
        self.count = self.count.wrapping_add(count);
        self.iter.advance(count)
    }
}

#[routine(library, inline)]
fn map<I: Sequence, B: Static>(iter: I, f: fn(I::Item) -> B) -> Map<I, B> {
    Map { iter, f }
}

#[routine(library, inline)]
fn filter<I: Sequence>(iter: I, f: fn(&I::Item) -> bool) -> Filter<I> {
    Filter { iter, f }
}

#[routine(library, inline)]
fn filter_map<I: Sequence, B: Static>(iter: I, f: fn(I::Item) -> Option<B>) -> FilterMap<I, B> {
    FilterMap { iter, f }
}

#[routine(library, inline)]
fn inspect<I: Sequence>(iter: I, f: fn(&I::Item)) -> Inspect<I> {
    Inspect { iter, f }
}

#[routine(library, inline)]
fn enumerate<I: Sequence>(iter: I) -> Enumerate<I> {
    Enumerate { iter, count: 0 }
}

#[routine(library, inline)]
fn zip<A: Sequence, B: Elements>(a: A, b: B) -> Zip<A, B::Iterator> {
    Zip {
        a,
        b: intrinsics::iterator(b),
    }
}

#[routine(library, inline)]
fn chain<A: Sequence, B: Elements>(a: A, b: B) -> Chain<A, B::Iterator> {
    Chain {
        a,
        b: intrinsics::iterator(b),
        first: true,
    }
}

#[routine(library, inline)]
fn rev<I: DoubleEnded>(iter: I) -> Rev<I> {
    Rev { iter }
}

#[routine(library, inline)]
fn take<I: Sequence>(iter: I, count: usize) -> Take<I> {
    Take { iter, left: count }
}

#[routine(library, inline)]
fn skip<I: Sequence>(iter: I, count: usize) -> Skip<I> {
    Skip { iter, left: count }
}

#[routine(library, inline)]
fn step_by<I: Sequence>(iter: I, step: usize) -> StepBy<I> {
    assert!(step != 0);
    StepBy {
        iter,
        between: step.wrapping_sub(1),
        first: true,
    }
}

#[routine(library, inline)]
fn take_while<I: Sequence>(iter: I, f: fn(&I::Item) -> bool) -> TakeWhile<I> {
    TakeWhile { iter, f, ended: false }
}

#[routine(library, inline)]
fn skip_while<I: Sequence>(iter: I, f: fn(&I::Item) -> bool) -> SkipWhile<I> {
    SkipWhile { iter, f, begun: false }
}

#[routine(library, inline)]
fn map_while<I: Sequence, B: Static>(iter: I, f: fn(I::Item) -> Option<B>) -> MapWhile<I, B> {
    MapWhile { iter, f }
}

#[routine(library, inline)]
fn scan<I: Sequence, S: Static, B: Static>(iter: I, state: S, f: fn(&mut S, I::Item) -> Option<B>) -> Scan<I, S, B> {
    Scan { iter, state, f }
}

#[routine(library, inline)]
fn flat_map<I: Sequence, B: Elements>(iter: I, f: fn(I::Item) -> B) -> FlatMap<I, B> {
    FlatMap {
        iter: fuse(iter),
        f,
        inner: intrinsics::unset(),
        active: false,
        last: intrinsics::unset(),
        last_active: false,
    }
}

#[routine(library, inline)]
fn flatten<I: Sequence<Item: Elements>>(iter: I) -> Flatten<I> {
    Flatten {
        iter: fuse(iter),
        inner: intrinsics::unset(),
        active: false,
        last: intrinsics::unset(),
        last_active: false,
    }
}

#[routine(library, inline)]
fn copied<I: Sequence>(iter: I) -> Copied<I> {
    Copied { iter }
}

#[routine(library, inline)]
fn cloned<I: Sequence>(iter: I) -> Cloned<I> {
    Cloned { iter }
}

#[routine(library, inline)]
fn fuse<I: Sequence>(iter: I) -> Fuse<I> {
    Fuse { iter, ended: false }
}

#[routine(library, inline)]
fn peekable<I: Sequence>(iter: I) -> Peekable<I> {
    Peekable { iter, peeked: None }
}

#[routine(library, inline)]
pub(super) fn same<I: Static>(iter: I) -> I {
    iter
}

#[routine(library, inline)]
fn by_ref<I: Sequence>(iter: &mut I) -> &mut I {
    iter
}

methods! {
    [I: Sequence] AnIterator<I>, by_ref = by_ref<I>;
    [I: Static] AnIterator<I>, clone = same<I>;
    [I: Sequence] AnIterator<Peekable<I>>, peek = peek<I>;
}

generic_methods! {
    [I: Sequence, X: Receiver<I>] AnIterator<I>, into_iter(()) -> X = same<X>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, enumerate(()) -> Enumerate<X> = enumerate<X>;
    [I: Sequence, X: Receiver<I> + DoubleEnded] AnIterator<I>, rev(()) -> Rev<X> = rev<X>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, take(()) -> Take<X> = take<X>;
    [I: Sequence, X: Receiver<I> + Skips] AnIterator<I>, skip(()) -> Skip<X> = skip<X>;
    [I: Sequence, X: Receiver<I> + Skips] AnIterator<I>, step_by(()) -> StepBy<X> = step_by<X>;
    [T: Static + Copy, I: Sequence<Item = &'static T>, X: Receiver<I>] AnIterator<I>, copied(()) -> Copied<X> = copied<X>;
    [T: Static + Clone, I: Sequence<Item = &'static T>, X: Receiver<I>] AnIterator<I>, cloned(()) -> Cloned<X> = cloned<X>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, fuse(()) -> Fuse<X> = fuse<X>;
    [I: Sequence<Item: Elements>, X: Receiver<I> + Sequence<Item: Elements>] AnIterator<I>, flatten(()) -> Flatten<X> = flatten<X>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, peekable(()) -> Peekable<X> = peekable<X>;
    [I: Sequence, X: Receiver<I>, B: Static] AnIterator<I>, map(()) -> Map<X, B> = map<X, B>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, filter(()) -> Filter<X> = filter<X>;
    [I: Sequence, X: Receiver<I>, B: Static] AnIterator<I>, filter_map(()) -> FilterMap<X, B> = filter_map<X, B>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, inspect(()) -> Inspect<X> = inspect<X>;
    [A: Sequence, X: Receiver<A>, B: Elements] AnIterator<A>, zip(B) -> Zip<X, B::Iterator> = zip<X, B>;
    [A: Sequence, X: Receiver<A>, B: Elements] AnIterator<A>, chain(B) -> Chain<X, B::Iterator> = chain<X, B>;
    [I: Sequence, X: Receiver<I>, B: Elements] AnIterator<I>, flat_map(()) -> FlatMap<X, B> = flat_map<X, B>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, take_while(()) -> TakeWhile<X> = take_while<X>;
    [I: Sequence, X: Receiver<I>] AnIterator<I>, skip_while(()) -> SkipWhile<X> = skip_while<X>;
    [I: Sequence, X: Receiver<I>, B: Static] AnIterator<I>, map_while(()) -> MapWhile<X, B> = map_while<X, B>;
    [I: Sequence, X: Receiver<I>, S: Static, B: Static] AnIterator<I>, scan(()) -> Scan<X, S, B> = scan<X, S, B>;
    [I: Sequence] AnIterator<Peekable<I>>, next_if(()) -> Option<I::Item> = next_if<I>;
}
