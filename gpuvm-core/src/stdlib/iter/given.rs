//! Iterators that a routine of the user's is given. Its own code is written for any iterator `I` of some items, std's or a user's, so what stands
//! for its routine is for [`Given`] ones, which are alike to their methods and to loops.

use std::marker::PhantomData;

use super::super::methods;
use super::{
    ADVANCE_BACK_BODY, ADVANCE_BODY, Advance, AdvanceBack, AnIterator, Counted, DoubleEnded, LEN, LEN_BODY, NEXT_BACK,
    NEXT_BACK_BODY, NEXT_BODY, Sequence, Skips, SkipsBack, advance_back_by_next, advance_by_next,
};
use crate::encode::Source;
use crate::facts::{CallFact, GenericMethod, IntoSlot, Iterable, Method, Next, NextSlot, RoutineType};
use crate::marker::MethodBody;
use crate::routine::Routine;
use crate::types::{ConstantValue, ConstantWord, Static, Type, TypeRef, Value};

const INTO_ITER: u32 = gpuvm_macros::name_hash!("into_iter");
const SUM: u32 = gpuvm_macros::name_hash!("sum");
const PRODUCT: u32 = gpuvm_macros::name_hash!("product");
const COLLECT: u32 = gpuvm_macros::name_hash!("collect");
const EXTEND: u32 = gpuvm_macros::name_hash!("extend");

/// An iterator as a routine that is given it knows it: the words are those of `I`.
pub struct Given<I>(PhantomData<fn() -> I>);

impl<I> Clone for Given<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for Given<I> {}

impl<I: Sequence> Value for Given<I> {
    type Erased = Self;
    type Inner = AnIterator<Self>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = I::TYPE;
    const REFS: u8 = I::REFS;
    const MUTABLE: bool = I::MUTABLE;
}

impl<I> ConstantValue for Given<I> {
    fn constant_words(&self, _: &mut Vec<ConstantWord>) {
        unreachable!("an iterator is no constant")
    }
}

impl<I: Sequence> Next for Given<I> {
    type IntoSlot = IntoSlot<Self>;
    type NextSlot = NextSlot<Self>;
    const NEXT: CallFact = I::NEXT;
    const EACH: CallFact = I::EACH;
}

impl<I: Sequence> Iterator for Given<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        unreachable!("it stands for an iterator, and is none")
    }
}

impl<I: DoubleEnded> DoubleEndedIterator for Given<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        unreachable!("it stands for an iterator, and is none")
    }
}

impl<I: Counted> ExactSizeIterator for Given<I> {}

impl<I: DoubleEnded> AdvanceBack for Given<I> {
    fn advance_back(&mut self, _: usize) -> bool {
        unreachable!("it stands for an iterator, and is none")
    }
}

impl<I: Sequence> Advance for Given<I> {
    fn advance(&mut self, _: usize) -> bool {
        unreachable!("it stands for an iterator, and is none")
    }
}

/// The methods that an iterator has itself: those of the one that is given.
macro_rules! bodies {
    ($([$($generics:tt)*] $body:ident = $call:expr;)*) => {$(
        impl<$($generics)*> MethodBody<$body> for Given<I> {
            const PARAMS: &'static [TypeRef] = <Self as MethodBody<$body>>::CALL.params;
            const RESULT: TypeRef = <Self as MethodBody<$body>>::CALL.result;
            const SOURCE: &'static Source = panic!("its code is that of another iterator");
            const CALL: CallFact = $call;

            fn routine() -> &'static Routine {
                (<Self as MethodBody<$body>>::CALL.routine)()
            }
        }
    )*};
}
bodies! {
    [I: Sequence] NEXT_BODY = I::NEXT;
    [I: DoubleEnded] NEXT_BACK_BODY = routine_of(<I::Inner as Method<NEXT_BACK>>::CALL);
    [I: Counted] LEN_BODY = routine_of(<I::Inner as Method<LEN>>::CALL);
    // Not every iterator of std's leaves elements out otherwise.
    [I: Sequence] ADVANCE_BODY = CallFact::of::<advance_by_next<I>>();
    [I: DoubleEnded] ADVANCE_BACK_BODY = CallFact::of::<advance_back_by_next<I>>();
}

const fn routine_of(call: Option<CallFact>) -> CallFact {
    match call {
        Some(call) => call,
        None => panic!("iterators' methods are routines"),
    }
}

/// What becomes an iterator, as a routine that is given it knows it.
pub struct GivenElements<T>(PhantomData<fn() -> T>);

impl<T> Clone for GivenElements<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for GivenElements<T> {}

impl<T: Iterable<Iterator: Sequence> + Static> Value for GivenElements<T> {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = T::TYPE;
    const REFS: u8 = T::REFS;
    const MUTABLE: bool = T::MUTABLE;
}

impl<T: Iterable<Iterator: Sequence> + Static> IntoIterator for GivenElements<T> {
    type Item = <T::Iterator as Iterator>::Item;
    type IntoIter = Given<T::Iterator>;

    fn into_iter(self) -> Given<T::Iterator> {
        Given(PhantomData)
    }
}

impl<T: Iterable<Iterator: Sequence> + Static> Iterable for GivenElements<T> {
    type Iterator = Given<T::Iterator>;
    type IntoSlot = IntoSlot<Self>;
    type NextSlot = NextSlot<Self>;
    const INTO: Option<CallFact> = T::INTO;
    const NEXT: CallFact = T::NEXT;
    const FIXED: u32 = T::FIXED;
}

impl<T: Iterable<Iterator: Sequence> + Static> GenericMethod<INTO_ITER, (), Given<T::Iterator>> for GivenElements<T> {
    type Slot = crate::facts::GenericSlot<INTO_ITER, Self, (), Given<T::Iterator>>;
    const CALL: Option<CallFact> = match T::INTO {
        Some(call) => Some(call),
        None => Some(CallFact::of::<super::adaptors::same<T>>()),
    };
}

methods! {
    [T: Iterable<Iterator: Sequence> + Static] GivenElements<T>, clone = super::adaptors::same<T>;
}

/// A type parameter of a routine that is an iterator.
pub trait GivenIterator:
    Skips + MethodBody<NEXT_BODY> + MethodBody<ADVANCE_BODY> + Value<Inner = AnIterator<Self>>
{
}

impl<I: Skips + MethodBody<NEXT_BODY> + MethodBody<ADVANCE_BODY> + Value<Inner = AnIterator<I>>> GivenIterator for I {}

/// The same of one with two ends.
pub trait GivenDoubleEnded:
    GivenIterator + SkipsBack + MethodBody<NEXT_BACK_BODY> + MethodBody<ADVANCE_BACK_BODY>
{
}

impl<I: GivenIterator + SkipsBack + MethodBody<NEXT_BACK_BODY> + MethodBody<ADVANCE_BACK_BODY>> GivenDoubleEnded for I {}

/// The same of one that knows how many elements are left.
pub trait GivenExactSize: GivenIterator + Counted + MethodBody<LEN_BODY> {}

impl<I: GivenIterator + Counted + MethodBody<LEN_BODY>> GivenExactSize for I {}

/// A type parameter of a routine that becomes an iterator.
pub trait GivenIterable:
    Static
    + IntoIterator<Item: Static, IntoIter: GivenIterator>
    + Iterable<Iterator = <Self as IntoIterator>::IntoIter>
    + Value<Inner: GenericMethod<INTO_ITER, (), <Self as IntoIterator>::IntoIter>>
{
}

impl<I> GivenIterable for I where
    I: Static
        + IntoIterator<Item: Static, IntoIter: GivenIterator>
        + Iterable<Iterator = <I as IntoIterator>::IntoIter>
        + Value<Inner: GenericMethod<INTO_ITER, (), <I as IntoIterator>::IntoIter>>
{
}

/// What a routine may be given where it asks for an iterator.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given to a #[routine] as an iterator",
    label = "not an iterator that routines know",
    note = "put `#[routine]` above the `impl Iterator` of a type of your own"
)]
pub trait ArgumentIterator:
    Iterator<Item: Value> + Value<Erased: Sequence + Iterator<Item = <<Self as Iterator>::Item as Value>::Erased>>
{
}

impl<T, I> ArgumentIterator for I
where
    T: Value,
    I: Iterator<Item = T> + Value,
    I::Erased: Sequence + Iterator<Item = T::Erased>,
{
}

/// The same of one with two ends.
pub trait ArgumentDoubleEnded: ArgumentIterator + Value<Erased: DoubleEnded> {}

impl<I: ArgumentIterator + Value<Erased: DoubleEnded>> ArgumentDoubleEnded for I {}

/// The same of one that knows how many elements are left.
pub trait ArgumentExactSize: ArgumentIterator + Value<Erased: Counted> {}

impl<I: ArgumentIterator + Value<Erased: Counted>> ArgumentExactSize for I {}

/// What a routine may be given where it asks for what becomes an iterator.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given to a #[routine] to iterate over",
    label = "does not become an iterator that routines know",
    note = "put `#[routine]` above the `impl IntoIterator` of a type of your own"
)]
pub trait ArgumentIterable: IntoIterator<Item: Value> + Value<Erased: Iterable<Iterator: Sequence> + Sized> {}

impl<I: IntoIterator<Item: Value> + Value<Erased: Iterable<Iterator: Sequence> + Sized>> ArgumentIterable for I {}

/// What sums, products or collections of items are: `#[routine] impl Sum<T> for S` makes one.
#[diagnostic::on_unimplemented(
    message = "what this method makes of items `{T}`, a `{Self}`, is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` of `Sum`, `Product` or `FromIterator`"
)]
pub trait Gathers<const NAME: u32, T: Static>: Static {
    /// The routine, which takes a `&mut I`.
    type Routine<I: Sequence<Item = T>>: RoutineType;
}

macro_rules! gathering {
    ($($name:ident)*) => {$(
        impl<T: Static, I: Sequence<Item = T>, S: Gathers<$name, T>> GenericMethod<$name, (), S> for AnIterator<I> {
            type Slot = crate::facts::GenericSlot<$name, Self, (), S>;
            const CALL: Option<CallFact> = Some(CallFact {
                consumes: true,
                ..CallFact::of::<S::Routine<I>>()
            });
        }
    )*};
}
gathering!(SUM PRODUCT COLLECT);

/// What iterators extend: `#[routine] impl Extend<T> for S` makes one.
pub trait Extends<T: Static> {
    /// The routine, for what becomes an iterator.
    type Routine<I: Iterable<Iterator: Sequence<Item = T>> + Static>: Method<EXTEND>;

    /// The function beside the method: it is told the types of the argument and of the result.
    fn __asked_vm_extend<I, R>(&self, _: &(PhantomData<I>, PhantomData<R>)) -> PhantomData<Self::Routine<I::Erased>>
    where
        I: Value<Erased: Iterable<Iterator: Sequence<Item = T>> + Static>,
    {
        PhantomData
    }
}
