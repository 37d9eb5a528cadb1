//! Iterators from behind: searches and folds, and the far ends of adaptors of which only some have one.

use gpuvm_macros::routine;

use super::super::{generic_methods, intrinsics, methods};
use super::adaptors::{Chain, Elements, FilterMap, FlatMap, Flatten, Fuse, Inspect, Peekable, StepBy};
use super::sources::{Empty, Once, OptionIter, RepeatN};
use super::{AdvanceBack, AnIterator, Counted, DoubleEnded, Skips, SkipsBack, advance_back_by_next, by_taking_back};
use crate::facts::Iterable;
use crate::types::Static;

#[routine(library, inline)]
fn rfind<I: DoubleEnded>(iter: &mut I, f: fn(&I::Item) -> bool) -> Option<I::Item> {
    while let Some(x) = iter.next_back() {
        if f(&x) {
            return Some(x);
        }
    }
    None
}

#[routine(library, inline, consumes)]
fn rfold<I: DoubleEnded, B: Static>(iter: &mut I, start: B, f: fn(B, I::Item) -> B) -> B {
    let mut folded = start;
    while let Some(x) = iter.next_back() {
        folded = f(folded, x);
    }
    folded
}

#[routine(library, inline)]
fn nth_back<I: SkipsBack>(iter: &mut I, n: usize) -> Option<I::Item> {
    if iter.advance_back(n) { iter.next_back() } else { None }
}

methods! {
    [I: SkipsBack] AnIterator<I>, nth_back = nth_back<I>;
}

generic_methods! {
    [I: DoubleEnded] AnIterator<I>, rfind(()) -> Option<I::Item> = rfind<I>;
    [I: DoubleEnded, B: Static] AnIterator<I>, rfold(()) -> B = rfold<I, B>;
}

#[routine(library, inline)]
impl<A: DoubleEnded, B: DoubleEnded<Item = A::Item>> DoubleEndedIterator for Chain<A, B> {
    fn next_back(&mut self) -> Option<A::Item> {
        if let Some(x) = self.b.next_back() {
            return Some(x);
        }
        if self.first { self.a.next_back() } else { None }
    }
}

by_taking_back! { [A: DoubleEnded, B: DoubleEnded<Item = A::Item>] Chain<A, B>; }

#[routine(library, inline)]
impl<I: DoubleEnded, B: Static> DoubleEndedIterator for FilterMap<I, B> {
    fn next_back(&mut self) -> Option<B> {
        while let Some(x) = self.iter.next_back() {
            if let Some(y) = (self.f)(x) {
                return Some(y);
            }
        }
        None
    }
}

by_taking_back! { [I: DoubleEnded, B: Static] FilterMap<I, B>; }

#[routine(library, inline)]
impl<I: DoubleEnded> DoubleEndedIterator for Inspect<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        match self.iter.next_back() {
            Some(x) => {
                (self.f)(&x);
                Some(x)
            }
            None => None,
        }
    }
}

by_taking_back! { [I: DoubleEnded] Inspect<I>; }

#[routine(library, inline)]
impl<I: DoubleEnded> DoubleEndedIterator for Fuse<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        if self.ended {
            return None;
        }
        if let Some(x) = self.iter.next_back() {
            return Some(x);
        }
        self.ended = true;
        None
    }
}

by_taking_back! { [I: DoubleEnded] Fuse<I>; }

/// From behind, the first inner iterator's rest is the last.
macro_rules! flat {
    ($([$($generics:tt)*] $ty:ty, $item:ty, $this:ident $x:ident $inner:expr;)*) => {$(
        #[routine(library, inline)]
        impl<$($generics)*> DoubleEndedIterator for $ty {
            fn next_back(&mut self) -> Option<$item> {
                loop {
                    if !self.last_active {
                        match self.iter.next_back() {
                            Some($x) => {
                                let $this = &mut *self;
                                $this.last = $inner;
                                if $this.last_active {
                                    $this.inner = intrinsics::copy(&$this.last);
                                }
                            }
                            None if self.active => {
                                self.last = intrinsics::copy(&self.inner);
                                self.active = false;
                            }
                            None => return None,
                        }
                        self.last_active = true;
                    }
                    if let Some(y) = self.last.next_back() {
                        return Some(y);
                    }
                    self.last_active = false;
                }
            }
        }

        by_taking_back! { [$($generics)*] $ty; }
    )*};
}
flat! {
    [I: DoubleEnded, B: Elements<Iterator: DoubleEnded>] FlatMap<I, B>, <B::Iterator as Iterator>::Item,
        this x intrinsics::iterator((this.f)(x));
    [I: DoubleEnded<Item: Elements<Iterator: DoubleEnded>>] Flatten<I>, <<I::Item as Iterable>::Iterator as Iterator>::Item,
        _this x intrinsics::iterator(x);
}

/// What was looked at is the last element if the iterator has none left.
#[routine(library, inline)]
impl<I: DoubleEnded> DoubleEndedIterator for Peekable<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        match intrinsics::copy(&self.peeked) {
            Some(None) => None,
            Some(Some(x)) => match self.iter.next_back() {
                Some(y) => Some(y),
                None => {
                    self.peeked = None;
                    Some(x)
                }
            },
            None => self.iter.next_back(),
        }
    }
}

by_taking_back! { [I: DoubleEnded] Peekable<I>; }

/// The last element is a whole number of steps from the first.
#[routine(library, inline)]
impl<I: SkipsBack + Counted + Skips> DoubleEndedIterator for StepBy<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        let step = self.between.wrapping_add(1);
        let rest = self.iter.len() % step;
        let behind = if !self.first {
            rest
        } else if rest == 0 {
            self.between
        } else {
            rest.wrapping_sub(1)
        };
        nth_back(&mut self.iter, behind)
    }
}

by_taking_back! { [I: SkipsBack + Counted + Skips] StepBy<I>; }

#[routine(library, inline)]
impl<I: Counted + Skips> ExactSizeIterator for StepBy<I> {
    fn len(&self) -> usize {
        let length = self.iter.len();
        let step = self.between.wrapping_add(1);
        if !self.first {
            length / step
        } else if length == 0 {
            0
        } else {
            (length.wrapping_sub(1) / step).wrapping_add(1)
        }
    }
}

#[routine(library, inline)]
impl<I: Counted> ExactSizeIterator for Inspect<I> {
    fn len(&self) -> usize {
        self.iter.len()
    }
}

#[routine(library, inline, hinted)]
impl<I: Counted> ExactSizeIterator for Fuse<I> {
    fn len(&self) -> usize {
        if self.ended { 0 } else { self.iter.len() }
    }
}

#[routine(library, inline, hinted)]
impl<I: Counted> ExactSizeIterator for Peekable<I> {
    fn len(&self) -> usize {
        match self.peeked {
            Some(None) => 0,
            Some(Some(_)) => self.iter.len().wrapping_add(1),
            None => self.iter.len(),
        }
    }
}

/// Iterators of one element at most are the same from both ends.
macro_rules! of_one {
    ($($name:ident $this:ident $left:expr;)*) => {$(
        #[routine(library, inline)]
        impl<T: Static + Copy> DoubleEndedIterator for $name<T> {
            fn next_back(&mut self) -> Option<T> {
                self.next()
            }
        }

        by_taking_back! { [T: Static + Copy] $name<T>; }

        #[routine(library, inline)]
        impl<T: Static + Copy> ExactSizeIterator for $name<T> {
            fn len(&self) -> usize {
                let $this = self;
                $left
            }
        }
    )*};
}
of_one! {
    OptionIter this if this.option.is_some() { 1 } else { 0 };
    Once this if this.ended { 0 } else { 1 };
    Empty _this 0;
    RepeatN this this.left;
}
