//! Operators that are called as the methods of their traits, `a.add(b)`.

use std::marker::PhantomData;
use std::ops::{self, Deref};

use super::{BinarySlot, Method, MethodSlot, NotARoutine, ResultOfMethod, ResultOfOperation};
use crate::encode::node::Operator;
use crate::types::Value;

/// A method `NAME` of what `M` stands for, or else the operator `OP` of a `T` and a `B`. Method lookup finds the first of the traits that fits; the operator's
/// method, which takes its receiver by value, is looked for as rustc does: of the receiver, of a reference to it, and of what it refers to.
pub struct ByMethod<const NAME: u32, const OP: u8, M: ?Sized, T: ?Sized, B>(PhantomData<fn(&M, &T, &B)>);

/// Of what the function beside the method tells, of the receiver, and of the argument.
pub fn by_method<const NAME: u32, const OP: u8, M: ?Sized, T: ?Sized, B>(
    _: PhantomData<M>,
    _: &T,
    _: &PhantomData<B>,
) -> ByMethod<NAME, OP, M, T, B> {
    ByMethod(PhantomData)
}

/// Of a method of the user's.
pub trait LinkNamed<const NAME: u32, M: ?Sized> {
    /// Fills a slot with it.
    fn __gpuvm_link<O: ResultOfMethod<NAME, M>>(&self, _: &O, _: PhantomData<O::Slot>) {}
}

impl<const NAME: u32, const OP: u8, M: Method<NAME> + ?Sized, T: ?Sized, B> LinkNamed<NAME, M>
    for &&&&&ByMethod<NAME, OP, M, T, B>
{
}

/// Of an operator.
pub trait LinkOperator<const OP: u8, A, B> {
    /// Fills a slot with it.
    fn __gpuvm_link<O>(&self, _: &O, _: PhantomData<BinarySlot<OP, A, B, O>>)
    where
        A: Value,
        B: Value,
        O: ResultOfOperation<OP, A::Inner, B::Inner, A::Erased, B::Erased, A, B>,
    {
    }
}

/// Of an operator that takes something else, as rustc has said.
pub trait LinkMistaken<X> {
    /// Fills the slot with nothing.
    fn __gpuvm_link<O>(&self, _: &O, _: PhantomData<MethodSlot<0, NotARoutine>>) {}
}

/// Of what is neither, which is told of the method.
pub trait LinkUnnamed<const NAME: u32, M: ?Sized> {
    /// As [`LinkNamed::__gpuvm_link`].
    fn __gpuvm_link<O: ResultOfMethod<NAME, M>>(&self, _: &O, _: PhantomData<O::Slot>) {}
}

impl<const NAME: u32, const OP: u8, M: ?Sized, T: ?Sized, B> LinkUnnamed<NAME, M> for ByMethod<NAME, OP, M, T, B> {}

macro_rules! operators {
    ($($operator:ident)*) => {$(
        impl<const NAME: u32, M: ?Sized, T: ops::$operator<B>, B> LinkOperator<{ Operator::$operator as u8 }, T, B>
            for &&&&ByMethod<NAME, { Operator::$operator as u8 }, M, T, B>
        {
        }

        impl<'r, const NAME: u32, M: ?Sized, T: ?Sized, B> LinkOperator<{ Operator::$operator as u8 }, &'r T, B>
            for &&&ByMethod<NAME, { Operator::$operator as u8 }, M, T, B>
        where
            &'r T: ops::$operator<B>,
        {
        }

        impl<const NAME: u32, M: ?Sized, T: Deref<Target: ops::$operator<B> + Sized> + ?Sized, B>
            LinkOperator<{ Operator::$operator as u8 }, T::Target, B>
            for &&ByMethod<NAME, { Operator::$operator as u8 }, M, T, B>
        {
        }

        impl<const NAME: u32, M: ?Sized, T: ops::$operator<X>, B, X> LinkMistaken<X>
            for &ByMethod<NAME, { Operator::$operator as u8 }, M, T, B>
        {
        }
    )*};
}
operators!(Add Sub Mul Div Rem BitAnd BitOr BitXor Shl Shr);
