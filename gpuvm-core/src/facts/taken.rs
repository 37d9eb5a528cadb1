//! Methods of std's whose own bounds rustc asks where the user calls them. Where one of these does not hold rustc says so there, and nobody asks whether
//! there is a routine.

use std::iter::{Product, Sum};
use std::marker::PhantomData;
use std::slice::SliceIndex;

use super::{Convert, ConvertSlot, ResultOfGeneric, TypeSlot, any};
use crate::types::Value;

const SUM: u32 = gpuvm_macros::name_hash!("sum");
const PRODUCT: u32 = gpuvm_macros::name_hash!("product");
const GET: u32 = gpuvm_macros::name_hash!("get");
const GET_MUT: u32 = gpuvm_macros::name_hash!("get_mut");

/// The method `NAME` of a `T` that is given an `A` and gives an `R`. Method lookup finds the first of four traits that fits.
pub struct Taken<const NAME: u32, T: ?Sized, A, R>(PhantomData<fn(&T, &A, &R)>);

/// Of a receiver, an argument and a result.
pub fn taken<const NAME: u32, T: ?Sized, A, R>(_: &T, _: &A, _: &R) -> Taken<NAME, T, A, R> {
    Taken(PhantomData)
}

/// Of a call that rustc takes.
pub trait LinkTaken<const NAME: u32, T: ?Sized, R> {
    /// Fills a slot with the method.
    fn __gpuvm_link<D>(&self, _: &PhantomData<D>, _: PhantomData<<R as ResultOfGeneric<NAME, T::Inner, D>>::Slot>)
    where
        T: Value,
        R: Value + ResultOfGeneric<NAME, T::Inner, D>,
    {
    }
}

impl<I: Iterator, R: Sum<I::Item>> LinkTaken<SUM, I, R> for &&Taken<SUM, I, (), R> {}
impl<I: Iterator, R: Product<I::Item>> LinkTaken<PRODUCT, I, R> for &&Taken<PRODUCT, I, (), R> {}
impl<T: Indexed + ?Sized, A: SliceIndex<T::Part>, R> LinkTaken<GET, T, R> for &&Taken<GET, T, A, R> {}
impl<T: Indexed + ?Sized, A: SliceIndex<T::Part>, R> LinkTaken<GET_MUT, T, R> for &&Taken<GET_MUT, T, A, R> {}

/// Of one that it does not take.
pub trait LinkRefused {
    /// Fills the slot with nothing, as there is nothing more to say.
    fn __gpuvm_link<D>(&self, _: &PhantomData<D>, _: PhantomData<TypeSlot<()>>) {}
}

impl<I: Iterator, R> LinkRefused for &Taken<SUM, I, (), R> {}
impl<I: Iterator, R> LinkRefused for &Taken<PRODUCT, I, (), R> {}
impl<T: Indexed + ?Sized, A, R> LinkRefused for &Taken<GET, T, A, R> {}
impl<T: Indexed + ?Sized, A, R> LinkRefused for &Taken<GET_MUT, T, A, R> {}

/// Of what std does not have: of a text's that is given a number, which is no pattern, and of a list's that an iterator over it has.
pub trait LinkNoMethod {
    /// As [`LinkRefused::__gpuvm_link`].
    fn __gpuvm_link<D>(&self, _: &PhantomData<D>, _: PhantomData<TypeSlot<()>>) {}
}

impl<const NAME: u32, T: Value<Inner = str> + ?Sized, A: Number, R> LinkNoMethod for &&&Taken<NAME, T, A, R> {}
impl<T: Indexed + ?Sized, R> LinkNoMethod for &&&Taken<SUM, T, (), R> {}
impl<T: Indexed + ?Sized, R> LinkNoMethod for &&&Taken<PRODUCT, T, (), R> {}

/// A number, or what is as little a pattern.
pub trait Number {}

macro_rules! numbers {
    ($($ty:ty)*) => {$(impl Number for $ty {})*};
}
numbers!(bool f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Of one that is not std's, which the user may have written as well.
pub trait LinkOther<const NAME: u32, T: ?Sized, R> {
    /// As [`LinkTaken::__gpuvm_link`].
    fn __gpuvm_link<D>(&self, _: &PhantomData<D>, _: PhantomData<<R as ResultOfGeneric<NAME, T::Inner, D>>::Slot>)
    where
        T: Value,
        R: Value + ResultOfGeneric<NAME, T::Inner, D>,
    {
    }
}

impl<const NAME: u32, T: ?Sized, A, R> LinkOther<NAME, T, R> for Taken<NAME, T, A, R> {}

/// What std indexes by a number or a range, behind any references.
pub trait Indexed {
    /// As what.
    type Part: ?Sized;
}

impl<T: Value<Inner: Parts> + ?Sized> Indexed for T {
    type Part = <T::Inner as Parts>::Part;
}

/// Lists and texts.
pub trait Parts {
    /// Without the length.
    type Part: ?Sized;
}

impl<T> Parts for [T] {
    type Part = [T];
}

impl<T, const N: usize> Parts for [T; N] {
    type Part = [T];
}

impl Parts for str {
    type Part = str;
}

/// An `into` that makes a `T` of an `E`, likewise.
pub struct Converted<E, T>(PhantomData<(E, T)>);

/// Of a value, and what it becomes.
pub fn converted<E, T>(_: &E, _: &T) -> Converted<E, T> {
    Converted(PhantomData)
}

/// Of one that rustc takes.
pub trait LinkConverted<E, T> {
    /// Fills the slots as [`convert`](super::convert) does.
    fn __gpuvm_link(&self, _: PhantomData<<T::Erased as Convert<E::Erased>>::Slot>, _: PhantomData<TypeSlot<T::Erased>>)
    where
        E: Value<Erased: Sized>,
        T: Value<Erased: Convert<E::Erased> + Sized>,
    {
    }
}

impl<E: Into<T>, T> LinkConverted<E, T> for &Converted<E, T> {}

/// Of one that it does not take.
pub trait LinkUnconverted {
    /// Fills the slots with nothing.
    fn __gpuvm_link(&self, _: PhantomData<ConvertSlot<(), ()>>, _: PhantomData<TypeSlot<()>>) {}
}

impl<E, T> LinkUnconverted for Converted<E, T> {}

/// What a function such as `open` gives. Method lookup finds what is in a `Result` first.
pub struct Made<R>(PhantomData<R>);

/// Of what it gives.
pub fn opened<R>(_: R) -> Made<R> {
    Made(PhantomData)
}

impl<T, E> Made<Result<T, E>> {
    /// The result. If what it holds is no value of the machine, rustc says so, and knows nothing more to say of the whole.
    pub fn __gpuvm_made<R>(&self) -> R
    where
        T: Value<Erased: Knows<Result<T, E>, Itself = R>>,
    {
        any()
    }

    /// What it holds, likewise.
    pub fn __gpuvm_held<H>(&self) -> H
    where
        T: Value<Erased = H>,
    {
        any()
    }
}

/// Of what is no `Result`.
pub trait MakesOther<R> {
    /// It, likewise.
    fn __gpuvm_made(&self) -> R::Erased
    where
        R: Value<Erased: Sized>,
    {
        any()
    }

    /// The same.
    fn __gpuvm_held(&self) -> R::Erased
    where
        R: Value<Erased: Sized>,
    {
        any()
    }
}

impl<R> MakesOther<R> for Made<R> {}

/// A type that is known where another one is.
pub trait Knows<T> {
    /// The type.
    type Itself;
}

impl<X: ?Sized, T> Knows<T> for X {
    type Itself = T;
}
