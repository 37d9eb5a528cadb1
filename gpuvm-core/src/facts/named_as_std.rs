//! Methods that std has names of, where a trait of the user's may have them too: method lookup finds here what it finds for rustc.
//!
//! rustc asks a receiver's type, then what is behind each of its references, and at last the slice that an array is; of each it takes a method by value
//! first, then one by reference, and of two that fit as well a type's own before a trait's. Most of std's methods are a type's own, so that they come
//! first, but for two kinds of receivers. Of arrays they are those of the slice, so that each trait's is nearer. Of numbers they take the number itself,
//! so that of a reference to one a trait's that takes such a reference is nearer. What a type of the user's has under such a name is a trait's, which it may
//! have several times: of that tells what stands beside the method.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::num::Wrapping;
use std::time::Duration;

use gpuvm_nodes::method::Takes;

use super::{GenericMethod, MayLead, Method, ResultOfMethod, Value};

/// The method `NAME` of a receiver `R`, which refers to a `T`: that of std, or `M`, what stands beside the method of a trait of the user's, which is `T` where
/// there is none. `F`, `I`: how the trait [takes](Takes) it where it is a float, and where it is an integer.
pub struct NamedAsStd<const NAME: u32, const F: u8, const I: u8, R: ?Sized, T: ?Sized, M: ?Sized>(
    PhantomData<fn(&R, &T, &M)>,
);

/// Of a method that depends on its receiver alone.
pub fn named_as_std<const NAME: u32, const F: u8, const I: u8, R: Value + ?Sized, M: ?Sized>(
    _: &R,
    _: PhantomData<M>,
) -> NamedAsStd<NAME, F, I, R, R::Inner, M> {
    NamedAsStd(PhantomData)
}

/// The same of a method that depends on its arguments and its result, too.
pub struct GenericNamedAsStd<const NAME: u32, T: ?Sized, A, O: ?Sized, M: ?Sized>(PhantomData<fn(&T, &A, &O, &M)>);

/// Of such a method.
pub fn generic_named_as_std<const NAME: u32, R: Value + ?Sized, A, O: Value, M: ?Sized>(
    _: &R,
    _: &PhantomData<A>,
    _: &O,
    _: PhantomData<M>,
) -> GenericNamedAsStd<NAME, R::Inner, A, O::Erased, M> {
    GenericNamedAsStd(PhantomData)
}

/// A type of std's that has methods of its own.
pub trait OfStd {}

macro_rules! of_std {
    ($($ty:ty)*) => {$(impl OfStd for $ty {})*};
}
of_std!(bool char str f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize Ordering Duration);
impl<T> OfStd for [T] {}
impl<T> OfStd for Option<T> {}
impl<T, E> OfStd for Result<T, E> {}
impl<T> OfStd for Wrapping<T> {}

/// Fills a slot with a method of std's.
pub trait LinkNamedAsStd<S> {
    /// Fills the slot.
    fn link<O>(&self, _: &O, _: PhantomData<S>) {}
}

/// Fills a slot with a method of a trait of the user's.
pub trait LinkOfTrait<const NAME: u32, M: ?Sized> {
    /// Fills the slot.
    fn link<O: ResultOfMethod<NAME, M>>(&self, _: &O, _: PhantomData<O::Slot>) {}
}

// No trait of the user's has it.
impl<const NAME: u32, const F: u8, const I: u8, R: ?Sized, T: Method<NAME> + ?Sized> LinkNamedAsStd<T::Slot>
    for &&&NamedAsStd<NAME, F, I, R, T, T>
{
}
impl<const NAME: u32, T: GenericMethod<NAME, A, O> + ?Sized, A, O: ?Sized> LinkNamedAsStd<T::Slot>
    for &&&GenericNamedAsStd<NAME, T, A, O, T>
{
}

// A trait's is nearer.
impl<const NAME: u32, const F: u8, const I: u8, R: ?Sized, E, const N: usize, M: ?Sized> LinkOfTrait<NAME, M>
    for &&NamedAsStd<NAME, F, I, R, [E; N], M>
{
}
impl<const NAME: u32, E, const N: usize, A, O: ?Sized, M: ?Sized> LinkOfTrait<NAME, M>
    for &&GenericNamedAsStd<NAME, [E; N], A, O, M>
{
}

macro_rules! of_references {
    ($($float:ident)*; $($integer:ident)*) => {
        $(
            of_references!([I], { Takes::Ref as u8 }, I, &$float, $float);
            of_references!([I], { Takes::Ref as u8 }, I, &&$float, $float);
            of_references!([I], { Takes::Mut as u8 }, I, &mut $float, $float);
        )*
        $(
            of_references!([F], F, { Takes::Ref as u8 }, &$integer, $integer);
            of_references!([F], F, { Takes::Ref as u8 }, &&$integer, $integer);
            of_references!([F], F, { Takes::Mut as u8 }, &mut $integer, $integer);
        )*
    };
    ([$other:ident], $floats:tt, $integers:tt, $reference:ty, $number:ty) => {
        impl<const NAME: u32, const $other: u8, M: ?Sized> LinkOfTrait<NAME, M>
            for &&NamedAsStd<NAME, $floats, $integers, $reference, $number, M>
        {
        }
    };
}
of_references!(f32 f64; i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

// std's is.
impl<const NAME: u32, const F: u8, const I: u8, R: ?Sized, T: OfStd + Method<NAME> + ?Sized, M: ?Sized>
    LinkNamedAsStd<T::Slot> for &NamedAsStd<NAME, F, I, R, T, M>
{
}
impl<const NAME: u32, T: OfStd + GenericMethod<NAME, A, O> + ?Sized, A, O: ?Sized, M: ?Sized> LinkNamedAsStd<T::Slot>
    for &GenericNamedAsStd<NAME, T, A, O, M>
{
}

// It is a trait's.
impl<const NAME: u32, const F: u8, const I: u8, R: ?Sized, T: ?Sized, M: ?Sized> LinkOfTrait<NAME, M>
    for NamedAsStd<NAME, F, I, R, T, M>
{
}
impl<const NAME: u32, T: ?Sized, A, O: ?Sized, M: ?Sized> LinkOfTrait<NAME, M> for GenericNamedAsStd<NAME, T, A, O, M> {}

/// A float of which a `const fn` calls a method as it calls one of the user's of the same name.
#[diagnostic::on_unimplemented(
    message = "a `const fn` does not tell this method of `{Self}` from the one that the crate defines of the same name",
    label = "of `{Self}`, while the crate has a `const fn` of this name",
    note = "write it by its path, as in `{Self}::max(x, y)`"
)]
pub trait CalledByPath {}

/// Asks of a float how its method is called: natively it is redirected, and in a `const fn` no `Deref` would lead to another type's method of that name.
pub trait AskOfFloat<X> {
    /// It is called by its name.
    fn __gpuvm_by_name(&self)
    where
        X: CalledByPath,
    {
    }
}

/// Asks nothing of any other.
pub trait AskOfNoFloat {
    /// As [`AskOfFloat::__gpuvm_by_name`].
    fn __gpuvm_by_name(&self) {}
}

impl AskOfFloat<f32> for &MayLead<'_, f32> {}
impl AskOfFloat<f32> for &MayLead<'_, &f32> {}
impl AskOfFloat<f64> for &MayLead<'_, f64> {}
impl AskOfFloat<f64> for &MayLead<'_, &f64> {}
impl<T: ?Sized> AskOfNoFloat for MayLead<'_, T> {}
