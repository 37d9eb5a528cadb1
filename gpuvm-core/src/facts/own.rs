//! Methods of the name of the routine that calls them, which is given closures. What is called on a value of its own type is the routine itself: to ask for
//! its source would be to ask for what is being made. What is called on any other is a method like others.

use std::marker::PhantomData;

use super::{Fact, ResultOfMethod, Slot};

/// A method `NAME` of a `T`, for which `M` stands, that is called by the method of that name of an `S`. `G`: what it is given as closures.
pub struct OwnOrOther<const NAME: u32, G, S: ?Sized, T: ?Sized, M: ?Sized>(PhantomData<fn(&S, &T, &M, &G)>);

/// Of what the function beside the method tells, and of the receiver.
pub fn own_or_other<const NAME: u32, G, S: ?Sized, T: ?Sized, M: ?Sized>(
    _: PhantomData<M>,
    _: &T,
) -> OwnOrOther<NAME, G, S, T, M> {
    OwnOrOther(PhantomData)
}

/// A slot for a call of the routine by itself.
pub struct OwnSlot;

impl Slot for OwnSlot {
    const FACT: Fact = Fact::Own;
}

/// The closures that a routine gives to itself are those that it was given.
pub struct Same;

/// One of them is another.
pub struct Another;

/// What one has captured is copied.
pub struct Copied;

/// The closures that a routine was given itself.
#[diagnostic::on_unimplemented(
    message = "a routine that is given a closure and calls itself has to hand that closure on as it is, because another one would be of another type at each level; name the parameter itself",
    label = "calls itself with another closure"
)]
pub trait HandedOn {}

impl HandedOn for Same {}

impl HandedOn for Copied {}

/// The same, by reference.
#[diagnostic::on_unimplemented(
    message = "a routine that calls itself would hand a copy of this closure's variables on; take the closure as `&mut impl FnMut(…)`",
    label = "calls itself with a copy"
)]
pub trait Lent {}

impl Lent for Same {}

impl Lent for Another {}

/// Of the routine itself.
pub trait LinkOwn<G> {
    /// Fills a slot with it.
    fn __gpuvm_link<O>(&self, _: &O, _: PhantomData<OwnSlot>)
    where
        G: HandedOn + Lent,
    {
    }
}

impl<const NAME: u32, G, S: ?Sized, M: ?Sized> LinkOwn<G> for OwnOrOther<NAME, G, S, S, M> {}

/// Of another method.
pub trait LinkNotOwn<const NAME: u32, M: ?Sized> {
    /// Fills a slot with it.
    fn __gpuvm_link<O: ResultOfMethod<NAME, M>>(&self, _: &O, _: PhantomData<O::Slot>) {}
}

impl<const NAME: u32, G, S: ?Sized, T: ?Sized, M: ?Sized> LinkNotOwn<NAME, M> for &OwnOrOther<NAME, G, S, T, M> {}
