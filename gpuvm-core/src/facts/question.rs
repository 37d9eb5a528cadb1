//! What `?` does. What rustc refuses of the user's `?`, it says of the function itself, so the shadow asks for a routine only where the types let
//! there be one.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::{CallFact, Convert, ConvertSlot, Fact, Slot, TypeSlot, any, call_or_builtin};
use crate::types::Value;

/// What `?` makes of a value of this type in a function that returns `R`.
#[diagnostic::on_unimplemented(
    message = "`?` cannot turn the error of `{Self}` into that of `{R}` inside a #[routine]",
    label = "the conversion is not a routine",
    note = "put `#[routine]` above the `impl From` that converts the error"
)]
pub trait Question<R> {
    /// What fills a slot with it.
    type Slot: Slot;
    /// The routine that converts an error; `None` where it stays as it is.
    const CALL: Option<CallFact>;
}

impl<T, U> Question<Option<U>> for Option<T> {
    type Slot = QuestionSlot<Self, Option<U>>;
    const CALL: Option<CallFact> = None;
}

impl<T, E, U, F: Convert<E>> Question<Result<U, F>> for Result<T, E> {
    type Slot = F::Slot;
    const CALL: Option<CallFact> = F::CALL;
}

impl<B, C, D> Question<ControlFlow<B, D>> for ControlFlow<B, C> {
    type Slot = QuestionSlot<Self, ControlFlow<B, D>>;
    const CALL: Option<CallFact> = None;
}

/// A slot for what `?` does with an error.
pub struct QuestionSlot<T, R>(PhantomData<fn(&T, &R)>);

impl<T: Question<R>, R> Slot for QuestionSlot<T, R> {
    const FACT: Fact = call_or_builtin(T::CALL);
}

/// What has a value to go on with.
pub trait Tries {
    /// The value.
    type Output;
}

impl<T> Tries for Option<T> {
    type Output = T;
}

impl<T, E> Tries for Result<T, E> {
    type Output = T;
}

impl<B, C> Tries for ControlFlow<B, C> {
    type Output = C;
}

/// What a function with a `?` returns.
pub trait Returns<T> {
    /// What has a `T` to go on with, or else what the function returns as it is.
    type Operand;
}

impl<T, U> Returns<T> for Option<U> {
    type Operand = Option<T>;
}

impl<T, U, F> Returns<T> for Result<U, F> {
    type Operand = Result<T, F>;
}

impl<T, B, C> Returns<T> for ControlFlow<B, C> {
    type Operand = ControlFlow<B, T>;
}

/// Implemented where rustc lets `?` turn what is no value into an `R`.
pub trait Asks<R>: Tries {}

impl<T, U> Asks<Option<U>> for Option<T> {}
impl<T, E, U, F: From<E>> Asks<Result<U, F>> for Result<T, E> {}
impl<B, C, D> Asks<ControlFlow<B, D>> for ControlFlow<B, C> {}

/// A `?` on a `T` in a function that returns an `R`. Method lookup finds the first of three traits that fits.
pub struct Questioned<T, R>(PhantomData<(T, R)>);

/// Of a value, and the variable that knows what the function returns.
pub fn questioned<T, R>(_: &T, _: &PhantomData<R>) -> Questioned<T, R> {
    Questioned(PhantomData)
}

/// Of a `?` that rustc takes.
pub trait AskQuestion<T, R> {
    /// Fills the slots: the error's conversion, and the type of what is returned.
    fn __gpuvm_ask(
        &self,
        _: PhantomData<<T::Erased as Question<R::Erased>>::Slot>,
        _: PhantomData<TypeSlot<R::Erased>>,
    ) -> R::Operand
    where
        T: Value<Erased: Question<R::Erased> + Sized> + Tries,
        R: Value<Erased: Sized> + Returns<T::Output>,
    {
        any()
    }
}

impl<T: Asks<R>, R> AskQuestion<T, R> for &Questioned<T, R> {}

/// Of one whose error does not become what the function returns.
pub trait AskOtherQuestion<T: Tries, R: Returns<T::Output>> {
    /// Fills the slots with nothing, as there is nothing more to say.
    fn __gpuvm_ask(&self, _: PhantomData<ConvertSlot<(), ()>>, _: PhantomData<TypeSlot<()>>) -> R::Operand {
        any()
    }
}

impl<T: Tries, R: Returns<T::Output>> AskOtherQuestion<T, R> for &&Questioned<T, R> {}

/// Of what knows no `?`.
pub trait AskNoQuestion<T> {
    /// As [`AskOtherQuestion::__gpuvm_ask`].
    fn __gpuvm_ask(&self, _: PhantomData<ConvertSlot<(), ()>>, _: PhantomData<TypeSlot<()>>) -> T {
        any()
    }
}

impl<T, R> AskNoQuestion<T> for Questioned<T, R> {}
