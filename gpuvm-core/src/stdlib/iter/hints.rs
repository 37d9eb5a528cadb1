//! How many elements there may be left: `size_hint`.

use gpuvm_macros::routine;

use super::super::{intrinsics, methods};
use super::adaptors::{
    Chain, Elements, Filter, FilterMap, FlatMap, Flatten, Fuse, MapWhile, Peekable, Scan, SkipWhile, TakeWhile,
};
use super::{AnIterator, Counted, Given, Sequence};
use crate::facts::{CallFact, Iterable, Method, MethodSlot, UNFIXED};
use crate::types::{Static, Value};

/// How many elements are left, of an iterator that knows.
#[routine(library, inline)]
fn size_hint<I: Counted>(iter: &mut I) -> (usize, Option<usize>) {
    let length = iter.len();
    (length, Some(length))
}

/// An iterator with a `len` of its own: not one that is given, which has that of the iterator that it is.
pub trait CountsItself: Counted {}

/// An iterator that has a `size_hint`.
pub trait Hinted: Sequence + Value<Inner: Method<SIZE_HINT>> {}

impl<I> Hinted for I where I: Sequence + Value<Inner: Method<SIZE_HINT>> {}

const SIZE_HINT: u32 = gpuvm_macros::name_hash!("size_hint");

/// Of what may leave out any of its elements.
macro_rules! at_most {
    ($($name:ident $ty:ident;)*) => {$(
        #[routine(library, inline)]
        fn $name<I: Hinted>(iter: &mut $ty<I>) -> (usize, Option<usize>) {
            (0, iter.iter.size_hint().1)
        }

        methods! {
            [I: Hinted] AnIterator<$ty<I>>, size_hint = $name<I>;
        }
    )*};
}
at_most! {
    filter_hint Filter;
    skip_while_hint SkipWhile;
}

/// The same of what also makes its elements.
macro_rules! at_most_made {
    ($($name:ident $ty:ident;)*) => {$(
        #[routine(library, inline)]
        fn $name<I: Hinted, B: Static>(iter: &mut $ty<I, B>) -> (usize, Option<usize>) {
            (0, iter.iter.size_hint().1)
        }

        methods! {
            [I: Hinted, B: Static] AnIterator<$ty<I, B>>, size_hint = $name<I, B>;
        }
    )*};
}
at_most_made! {
    filter_map_hint FilterMap;
    map_while_hint MapWhile;
}

#[routine(library, inline)]
fn scan_hint<I: Hinted, S: Static, B: Static>(iter: &mut Scan<I, S, B>) -> (usize, Option<usize>) {
    (0, iter.iter.size_hint().1)
}

#[routine(library, inline)]
fn take_while_hint<I: Hinted>(iter: &mut TakeWhile<I>) -> (usize, Option<usize>) {
    if iter.ended {
        (0, Some(0))
    } else {
        (0, iter.iter.size_hint().1)
    }
}

#[routine(library, inline)]
fn chain_hint<A: Hinted, B: Hinted>(iter: &mut Chain<A, B>) -> (usize, Option<usize>) {
    let second = iter.b.size_hint();
    if !iter.first {
        return second;
    }
    let first = iter.a.size_hint();
    let most = match (first.1, second.1) {
        (Some(first), Some(second)) => first.checked_add(second),
        _ => None,
    };
    (first.0.saturating_add(second.0), most)
}

#[routine(library, inline)]
fn fuse_hint<I: Hinted>(iter: &mut Fuse<I>) -> (usize, Option<usize>) {
    if iter.ended {
        (0, Some(0))
    } else {
        iter.iter.size_hint()
    }
}

#[routine(library, inline)]
fn peekable_hint<I: Hinted>(iter: &mut Peekable<I>) -> (usize, Option<usize>) {
    let seen = match iter.peeked {
        Some(None) => return (0, Some(0)),
        Some(Some(_)) => 1,
        None => 0usize,
    };
    let (least, most) = iter.iter.size_hint();
    let most = match most {
        Some(most) => most.checked_add(seen),
        None => None,
    };
    (least.saturating_add(seen), most)
}

/// What is left of the parts at both ends, and `fixed` elements for each that is to come.
#[routine(library, inline)]
fn of_parts(
    outer: (usize, Option<usize>),
    front: (usize, Option<usize>),
    back: (usize, Option<usize>),
    fixed: u32,
) -> (usize, Option<usize>) {
    let least = front.0.saturating_add(back.0);
    let ends = match (front.1, back.1) {
        (Some(front), Some(back)) => front.checked_add(back),
        _ => None,
    };
    if fixed == UNFIXED {
        return match outer {
            (0, Some(0)) => (least, ends),
            _ => (least, None),
        };
    }
    let fixed = fixed as usize;
    let middle = match outer.1 {
        Some(outer) => outer.checked_mul(fixed),
        None => None,
    };
    let most = match (ends, middle) {
        (Some(ends), Some(middle)) => ends.checked_add(middle),
        _ => None,
    };
    (outer.0.saturating_mul(fixed).saturating_add(least), most)
}

/// What never runs tells the encoder what the parts are, because its code comes first.
#[routine(library, inline)]
fn flat_map_hint<I: Hinted, B: Elements<Iterator: Hinted>>(iter: &mut FlatMap<I, B>) -> (usize, Option<usize>) {
    if iter.active
        && !iter.active
        && let Some(x) = iter.iter.next()
    {
        iter.inner = intrinsics::iterator((iter.f)(x));
        iter.last = intrinsics::copy(&iter.inner);
    }
    let front = if iter.active {
        iter.inner.size_hint()
    } else {
        (0, Some(0))
    };
    let back = if iter.last_active {
        iter.last.size_hint()
    } else {
        (0, Some(0))
    };
    of_parts(fuse_hint(&mut iter.iter), front, back, B::FIXED)
}

#[routine(library, inline)]
fn flatten_hint<I: Hinted + Sequence<Item: Elements<Iterator: Hinted>>>(
    iter: &mut Flatten<I>,
) -> (usize, Option<usize>) {
    if iter.active
        && !iter.active
        && let Some(x) = iter.iter.next()
    {
        iter.inner = intrinsics::iterator(x);
        iter.last = intrinsics::copy(&iter.inner);
    }
    let front = if iter.active {
        iter.inner.size_hint()
    } else {
        (0, Some(0))
    };
    let back = if iter.last_active {
        iter.last.size_hint()
    } else {
        (0, Some(0))
    };
    of_parts(fuse_hint(&mut iter.iter), front, back, <I::Item as Iterable>::FIXED)
}

methods! {
    [I: Hinted] AnIterator<Fuse<I>>, size_hint = fuse_hint<I>;
    [I: Hinted] AnIterator<Peekable<I>>, size_hint = peekable_hint<I>;
    [I: Hinted, B: Elements<Iterator: Hinted>] AnIterator<FlatMap<I, B>>, size_hint = flat_map_hint<I, B>;
    [I: Hinted + Sequence<Item: Elements<Iterator: Hinted>>] AnIterator<Flatten<I>>, size_hint = flatten_hint<I>;
}

methods! {
    [I: Hinted, S: Static, B: Static] AnIterator<Scan<I, S, B>>, size_hint = scan_hint<I, S, B>;
    [I: Hinted] AnIterator<TakeWhile<I>>, size_hint = take_while_hint<I>;
    [A: Hinted, B: Hinted] AnIterator<Chain<A, B>>, size_hint = chain_hint<A, B>;
    [I: CountsItself] AnIterator<I>, size_hint = size_hint<I>;
}

/// One that is given has the hint of the iterator that it is.
#[diagnostic::do_not_recommend]
impl<I: Hinted> Method<SIZE_HINT> for AnIterator<Given<I>> {
    type Slot = MethodSlot<SIZE_HINT, Self>;
    const CALL: Option<CallFact> = <I::Inner as Method<SIZE_HINT>>::CALL;
}
