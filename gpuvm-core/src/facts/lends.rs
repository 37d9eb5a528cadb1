//! std's traits that lend a part of a value, or the value in another guise: `AsRef`, `AsMut`, `Borrow` and `BorrowMut`. A type may have one of them several times, so
//! which routine it is depends on what is lent.

use std::marker::PhantomData;

use super::{CallFact, Fact, ResultOfMethod, Slot};
use crate::types::Value;

/// The method `NAME` of such a trait, `as_ref` or `borrow`, that lends a `Q`.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}`, which lends a `{Q}`, is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` of the trait for `{Self}`"
)]
pub trait Lends<const NAME: u32, Q: ?Sized> {
    /// The routine.
    const LEND: CallFact;
}

/// A slot for it.
pub struct LendSlot<const NAME: u32, T: ?Sized, Q: ?Sized>(PhantomData<fn(&T, &Q)>);

impl<const NAME: u32, T: Lends<NAME, Q> + ?Sized, Q: ?Sized> Slot for LendSlot<NAME, T, Q> {
    const FACT: Fact = Fact::Call(T::LEND);
}

/// The method `NAME` of a `T` that gives a reference to a `Q`. Method lookup finds what lends before another method of that name.
pub struct Lending<const NAME: u32, T: ?Sized, Q: ?Sized>(PhantomData<fn(&T, &Q)>);

/// Of a receiver and a result.
pub fn lent<const NAME: u32, T: Value + ?Sized, R: Value>(_: &T, _: &R) -> Lending<NAME, T::Inner, R::Inner> {
    Lending(PhantomData)
}

/// Of what lends.
pub trait LinkLent<S> {
    /// Fills a slot with it.
    fn __gpuvm_link<O>(&self, _: &O, _: PhantomData<S>) {}
}

impl<const NAME: u32, T: Lends<NAME, Q> + ?Sized, Q: ?Sized> LinkLent<LendSlot<NAME, T, Q>> for &Lending<NAME, T, Q> {}

/// Of another method.
pub trait LinkUnlent<const NAME: u32, T: ?Sized> {
    /// Fills a slot with it.
    fn __gpuvm_link<O: ResultOfMethod<NAME, T>>(&self, _: &O, _: PhantomData<O::Slot>) {}
}

impl<const NAME: u32, T: ?Sized, Q: ?Sized> LinkUnlent<NAME, T> for Lending<NAME, T, Q> {}
