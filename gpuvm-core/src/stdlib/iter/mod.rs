//! Iterators. Each of std's has a type here with the same fields as far as they matter, `'static`, with its closures as function
//! pointers: that is what [`Value::Erased`](crate::types::Value::Erased) makes of std's own. Its `next` is written where it is called, so a chain
//! becomes the loop that one would write by hand.

mod adaptors;
mod back;
mod consumers;
mod cycle;
mod each;
mod given;
mod hints;
mod order;
mod parts;
mod range;
mod sources;
mod splits;
mod tries;

pub use consumers::{Neutral, Ordered};
pub use cycle::{OnceWith, RepeatWith};
pub use given::{
    ArgumentDoubleEnded, ArgumentExactSize, ArgumentIterable, ArgumentIterator, Extends, Gathers, Given,
    GivenDoubleEnded, GivenElements, GivenExactSize, GivenIterable, GivenIterator,
};
pub use hints::{CountsItself, Hinted};
pub use range::{From, HalfOpen, Inclusive, begin};
pub use sources::{Empty, FromFn, IntoIter, Once, OptionIter, RepeatN, Repeats, Successors};

use crate::facts::{CallFact, IntoSlot, Method, Next, NextSlot};
use crate::marker::MethodBody;
use crate::types::{Static, Type, Value};

/// What all iterators of std are to their methods, which they share.
pub struct AnIterator<I>(std::marker::PhantomData<I>);

/// What is a range to its user may be cloned.
impl<I> Clone for AnIterator<I> {
    fn clone(&self) -> Self {
        AnIterator(std::marker::PhantomData)
    }
}

impl<I: Static> Value for AnIterator<I> {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = I::TYPE;
}

/// Traits of the user's that iterators have, it has as well: their methods are sought of it, as std's are.
impl<I: Sequence> Iterator for AnIterator<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        unreachable!("it stands for an iterator, and is none")
    }
}

impl<I: DoubleEnded> DoubleEndedIterator for AnIterator<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        unreachable!("it stands for an iterator, and is none")
    }
}

impl<I: Counted> ExactSizeIterator for AnIterator<I> {}

impl<I: Sequence> Next for AnIterator<I> {
    type IntoSlot = IntoSlot<Self>;
    type NextSlot = NextSlot<Self>;
    const NEXT: CallFact = I::NEXT;
    const EACH: CallFact = I::EACH;
}

const NEXT_BODY: u32 = gpuvm_macros::name_hash!("Iterator::next");
const NEXT_BACK_BODY: u32 = gpuvm_macros::name_hash!("DoubleEndedIterator::next_back");
const LEN_BODY: u32 = gpuvm_macros::name_hash!("ExactSizeIterator::len");
const ADVANCE_BODY: u32 = gpuvm_macros::name_hash!("Advance::advance");
const ADVANCE_BACK_BODY: u32 = gpuvm_macros::name_hash!("AdvanceBack::advance_back");

const NEXT: u32 = gpuvm_macros::name_hash!("next");
const NEXT_BACK: u32 = gpuvm_macros::name_hash!("next_back");
const LEN: u32 = gpuvm_macros::name_hash!("len");
const ADVANCE: u32 = gpuvm_macros::name_hash!("advance");
const ADVANCE_BACK: u32 = gpuvm_macros::name_hash!("advance_back");

/// An iterator whose `next` is a routine.
pub trait Sequence:
    Iterator<Item: Static> + Value<Erased = Self, Inner: Method<NEXT>> + Next + Sized + 'static
{
}

impl<I> Sequence for I where I: Iterator<Item: Static> + Value<Erased = I, Inner: Method<NEXT>> + Next + 'static {}

/// An iterator that has an end to take from.
pub trait DoubleEnded: Sequence + DoubleEndedIterator + Value<Inner: Method<NEXT_BACK>> {}

impl<I> DoubleEnded for I where I: Sequence + DoubleEndedIterator + Value<Inner: Method<NEXT_BACK>> {}

/// An iterator that knows how many elements are left.
pub trait Counted: Sequence + ExactSizeIterator + Value<Inner: Method<LEN>> {}

impl<I> Counted for I where I: Sequence + ExactSizeIterator + Value<Inner: Method<LEN>> {}

/// An iterator that may leave elements out.
pub trait Skips: Sequence + Advance + Value<Inner: Method<ADVANCE>> {}

impl<I> Skips for I where I: Sequence + Advance + Value<Inner: Method<ADVANCE>> {}

/// The same from the end that it has to take from.
pub trait SkipsBack: DoubleEnded + AdvanceBack + Value<Inner: Method<ADVANCE_BACK>> {}

impl<I> SkipsBack for I where I: DoubleEnded + AdvanceBack + Value<Inner: Method<ADVANCE_BACK>> {}

/// Leaves elements out, as many as there are at most. `false` if it has given `None` before it had left out so many: std does not ask it again, as
/// it may have more. What has ended for good need not tell.
pub trait Advance: Iterator {
    fn advance(&mut self, count: usize) -> bool;
}

impl<I: Advance> Advance for &mut I {
    fn advance(&mut self, count: usize) -> bool {
        (**self).advance(count)
    }
}

/// As [`Advance`], from behind.
pub trait AdvanceBack: DoubleEndedIterator {
    fn advance_back(&mut self, count: usize) -> bool;
}

impl<I: AdvanceBack> AdvanceBack for &mut I {
    fn advance_back(&mut self, count: usize) -> bool {
        (**self).advance_back(count)
    }
}

/// Gives its elements to a function, one after the other, until there are no more or the function says `false`: what consumers are made of, as the
/// function's code then stands inside of the loop over what is at the source, and no element is an `Option` on its way. An iterator that has no such
/// code of its own is asked for one element after the other ([`each_by_next`]).
pub trait Each: Iterator {
    fn each(&mut self, f: fn(Self::Item) -> bool);
}

/// What a routine's result of type `impl Iterator` is, beside the iterator that its function says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `impl Iterator` that a #[routine] returns",
    label = "not an iterator of std's that routines know",
    note = "name the type instead, if it is one of your own"
)]
pub trait KnownIterator:
    Iterator<Item: Value>
    + Value<
        Erased: Skips
                    + MethodBody<NEXT_BODY>
                    + MethodBody<ADVANCE_BODY>
                    + Iterator<Item = <<Self as Iterator>::Item as Value>::Erased>
                    + Value<Inner = AnIterator<<Self as Value>::Erased>>,
        Inner = AnIterator<<Self as Value>::Erased>,
    >
{
}

impl<T, I> KnownIterator for I
where
    T: Value,
    I: Iterator<Item = T> + Value<Inner = AnIterator<<I as Value>::Erased>>,
    I::Erased: Skips
        + MethodBody<NEXT_BODY>
        + MethodBody<ADVANCE_BODY>
        + Iterator<Item = T::Erased>
        + Value<Inner = AnIterator<<I as Value>::Erased>>,
{
}

/// The same of `impl DoubleEndedIterator`.
pub trait KnownDoubleEnded:
    KnownIterator
    + DoubleEndedIterator
    + Value<Erased: SkipsBack + MethodBody<NEXT_BACK_BODY> + MethodBody<ADVANCE_BACK_BODY>>
{
}

impl<I> KnownDoubleEnded for I where
    I: KnownIterator
        + DoubleEndedIterator
        + Value<Erased: SkipsBack + MethodBody<NEXT_BACK_BODY> + MethodBody<ADVANCE_BACK_BODY>>
{
}

/// The same of `impl ExactSizeIterator`.
pub trait KnownExactSize: KnownIterator + ExactSizeIterator + Value<Erased: Counted + MethodBody<LEN_BODY>> {}

impl<I: KnownIterator + ExactSizeIterator + Value<Erased: Counted + MethodBody<LEN_BODY>>> KnownExactSize for I {}

/// What a method that takes `self` is called on: the iterator `I`, or a `&mut` of it, which is an iterator as well. The method's result tells
/// which it was.
pub trait Receiver<I>: Sequence {}

impl<I: Sequence> Receiver<I> for I {}

impl<I: Sequence> Receiver<I> for &'static mut I where &'static mut I: Sequence {}

macro_rules! methods_by_body {
    ($($name:ident = $body:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<I: MethodBody<$body>> Method<$name> for AnIterator<I> {
            type Slot = crate::facts::MethodSlot<$name, Self>;
            const CALL: Option<CallFact> = Some(<I as MethodBody<$body>>::CALL);
        }
    )*};
}
methods_by_body! {
    NEXT = NEXT_BODY;
    NEXT_BACK = NEXT_BACK_BODY;
    LEN = LEN_BODY;
    ADVANCE = ADVANCE_BODY;
    ADVANCE_BACK = ADVANCE_BACK_BODY;
}

/// A type of an iterator: its fields, and after them its closures.
macro_rules! iterator_type {
    ($(#[$doc:meta])* $name:ident [$($generics:tt)*] [$($arguments:tt)*] $fields:tt $closures:tt) => {
        $crate::stdlib::iter::iterator_type! {
            $(#[$doc])* $name shown stringify!($name); [$($generics)*] [$($arguments)*] $fields $closures
        }
    };
    ($(#[$doc:meta])* $name:ident shown $shown:expr; [$($generics:tt)*] [$($arguments:tt)*]
        { $($field:ident: $ty:ty),* } { $($closure:ident: $signature:ty),* }) => {
        $(#[$doc])*
        pub struct $name<$($generics)*> {
            $(pub $field: $ty,)*
            $(pub $closure: $signature,)*
        }

        /// Constants of iterators are none that a routine names.
        impl<$($generics)*> $crate::types::ConstantValue for $name<$($arguments)*> {
            fn constant_words(&self, _: &mut Vec<$crate::types::ConstantWord>) {
                unreachable!("an iterator is no constant")
            }
        }

        impl<$($generics)*> $crate::types::Value for $name<$($arguments)*> {
            type Erased = Self;
            type Inner = $crate::stdlib::iter::AnIterator<Self>;
            type Depth = $crate::types::Zero;
            const TYPE: &'static $crate::types::Type = &$crate::types::Type::record(
                $crate::types::Kind::Struct,
                $shown,
                const {
                    &$crate::marker::layout(0, [
                        $((stringify!($field), stringify!($field), $crate::types::TypeRef::of::<$ty>()),)*
                        $((stringify!($closure), stringify!($closure), $crate::types::TypeRef::closure(0)),)*
                    ])
                },
            );
        }
    };
}
pub(super) use iterator_type;

/// Leaves elements of iterators out by taking them.
macro_rules! by_taking {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[gpuvm_macros::routine(library, inline)]
        impl<$($generics)*> Advance for $ty {
            fn advance(&mut self, count: usize) -> bool {
                advance_by_next(self, count)
            }
        }
    )*};
}
pub(super) use by_taking;

/// The same from behind.
macro_rules! by_taking_back {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[gpuvm_macros::routine(library, inline)]
        impl<$($generics)*> AdvanceBack for $ty {
            fn advance_back(&mut self, count: usize) -> bool {
                advance_back_by_next(self, count)
            }
        }
    )*};
}
pub(super) use by_taking_back;

/// Gives the elements of any iterator to a function.
#[gpuvm_macros::routine(library, inline)]
pub fn each_by_next<I: Sequence>(iter: &mut I, f: fn(I::Item) -> bool) {
    while let Some(x) = iter.next() {
        if !f(x) {
            break;
        }
    }
}

/// Leaves elements of any iterator out by taking them.
#[gpuvm_macros::routine(library, inline)]
pub fn advance_by_next<I: Sequence>(iter: &mut I, count: usize) -> bool {
    let mut left = count;
    while left > 0 && iter.next().is_some() {
        left = left.wrapping_sub(1);
    }
    left == 0
}

/// The same from behind.
#[gpuvm_macros::routine(library, inline)]
pub fn advance_back_by_next<I: DoubleEnded>(iter: &mut I, count: usize) -> bool {
    let mut left = count;
    while left > 0 && iter.next_back().is_some() {
        left = left.wrapping_sub(1);
    }
    left == 0
}
