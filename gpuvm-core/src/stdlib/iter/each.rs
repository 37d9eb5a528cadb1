//! How iterators made of iterators give their elements to a function.

use gpuvm_macros::routine;

use super::super::intrinsics;
use super::adaptors::{
    Cloned, Copied, Enumerate, Filter, FilterMap, Inspect, Map, MapWhile, Rev, Scan, Skip, SkipWhile, Take, TakeWhile,
    Zip,
};
use super::{DoubleEnded, Each, Sequence, Skips};
use crate::types::Static;

#[routine(library, inline)]
impl<I: Sequence, B: Static> Each for Map<I, B> {
    fn each(&mut self, f: fn(B) -> bool) {
        intrinsics::each(&mut self.iter, |x| f((self.f)(x)));
    }
}

#[routine(library, inline)]
impl<I: Sequence> Each for Filter<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        intrinsics::each(&mut self.iter, |x| if (self.f)(&x) { f(x) } else { true });
    }
}

#[routine(library, inline)]
impl<I: Sequence, B: Static> Each for FilterMap<I, B> {
    fn each(&mut self, f: fn(B) -> bool) {
        intrinsics::each(&mut self.iter, |x| match (self.f)(x) {
            Some(y) => f(y),
            None => true,
        });
    }
}

#[routine(library, inline)]
impl<I: Sequence> Each for Inspect<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        intrinsics::each(&mut self.iter, |x| {
            (self.f)(&x);
            f(x)
        });
    }
}

#[routine(library, inline)]
impl<I: Sequence> Each for Enumerate<I> {
    fn each(&mut self, f: fn((usize, I::Item)) -> bool) {
        intrinsics::each(&mut self.iter, |x| {
            let count = self.count;
            self.count = count.wrapping_add(1);
            f((count, x))
        });
    }
}

#[routine(library, inline)]
impl<A: Sequence, B: Sequence> Each for Zip<A, B> {
    fn each(&mut self, f: fn((A::Item, B::Item)) -> bool) {
        intrinsics::each(&mut self.a, |x| match self.b.next() {
            Some(y) => f((x, y)),
            None => false,
        });
    }
}

#[routine(library, inline)]
impl<I: DoubleEnded> Each for Rev<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        while let Some(x) = self.iter.next_back() {
            if !f(x) {
                break;
            }
        }
    }
}

#[routine(library, inline)]
impl<I: Sequence> Each for Take<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        if self.left > 0 {
            intrinsics::each(&mut self.iter, |x| {
                self.left = self.left.wrapping_sub(1);
                f(x) && self.left > 0
            });
        }
    }
}

#[routine(library, inline)]
impl<I: Skips> Each for Skip<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        if self.left > 0 {
            let left = self.left;
            self.left = 0;
            if !self.iter.advance(left) {
                return;
            }
        }
        intrinsics::each(&mut self.iter, f);
    }
}

#[routine(library, inline)]
impl<I: Sequence> Each for TakeWhile<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        if !self.ended {
            intrinsics::each(&mut self.iter, |x| {
                if (self.f)(&x) {
                    f(x)
                } else {
                    self.ended = true;
                    false
                }
            });
        }
    }
}

#[routine(library, inline)]
impl<I: Sequence> Each for SkipWhile<I> {
    fn each(&mut self, f: fn(I::Item) -> bool) {
        intrinsics::each(&mut self.iter, |x| {
            if self.begun || !(self.f)(&x) {
                self.begun = true;
                f(x)
            } else {
                true
            }
        });
    }
}

#[routine(library, inline)]
impl<I: Sequence, B: Static> Each for MapWhile<I, B> {
    fn each(&mut self, f: fn(B) -> bool) {
        intrinsics::each(&mut self.iter, |x| match (self.f)(x) {
            Some(y) => f(y),
            None => false,
        });
    }
}

#[routine(library, inline)]
impl<I: Sequence, S: Static, B: Static> Each for Scan<I, S, B> {
    fn each(&mut self, f: fn(B) -> bool) {
        intrinsics::each(&mut self.iter, |x| match (self.f)(&mut self.state, x) {
            Some(y) => f(y),
            None => false,
        });
    }
}

#[routine(library, inline)]
impl<T: Static + Clone, I: Sequence<Item = &'static T>> Each for Cloned<I> {
    fn each(&mut self, f: fn(T) -> bool) {
        intrinsics::each(&mut self.iter, |x| f(intrinsics::clone(x)));
    }
}

#[routine(library, inline)]
impl<T: Static + Copy, I: Sequence<Item = &'static T>> Each for Copied<I> {
    fn each(&mut self, f: fn(T) -> bool) {
        intrinsics::each(&mut self.iter, |x| f(*x));
    }
}
