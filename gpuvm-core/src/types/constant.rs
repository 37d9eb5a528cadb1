//! What a constant that a routine names may be.

use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use super::value::VmType;
use crate::isa::space;

/// A word of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantWord {
    /// This one.
    Value(u32),
    /// Where these words begin in the program's data.
    Data(Vec<u32>),
}

/// A value of a constant: one of the machine's, an array or a slice by reference, and lists of slices.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a constant of a #[routine]",
    label = "neither a value of the machine nor a reference to an array or slice of these",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition"
)]
pub trait ConstantValue {
    /// Its words. A slice has three: the space of memory, where its elements are in it, and how many there are.
    fn constant_words(&self) -> Vec<ConstantWord>;
}

impl<T: VmType> ConstantValue for T {
    fn constant_words(&self) -> Vec<ConstantWord> {
        plain_words(self).into_iter().map(ConstantWord::Value).collect()
    }
}

impl<T: VmType, const N: usize> ConstantValue for &'static [T; N] {
    fn constant_words(&self) -> Vec<ConstantWord> {
        (**self).constant_words()
    }
}

impl<T: VmType> ConstantValue for &'static [T] {
    fn constant_words(&self) -> Vec<ConstantWord> {
        vec![
            ConstantWord::Value(space::DATA),
            ConstantWord::Data(self.iter().flat_map(plain_words).collect()),
            ConstantWord::Value(self.len() as u32),
        ]
    }
}

/// The words of a value of the machine's.
fn plain_words<T: VmType>(value: &T) -> Vec<u32> {
    let mut words = vec![0; T::TYPE.words as usize];
    value.write_words(&mut words);
    words
}

/// Arrays of slices, and tuples with slices in them, alone and in arrays.
macro_rules! lists {
    ($([$($generic:ident)*] $ty:ty: |$value:ident| [$($part:expr),*];)*) => {$(
        impl<$($generic: VmType),*> ConstantValue for $ty {
            fn constant_words(&self) -> Vec<ConstantWord> {
                let $value = self;
                [$($part.constant_words()),*].concat()
            }
        }

        impl<$($generic: VmType,)* const N: usize> ConstantValue for [$ty; N] {
            fn constant_words(&self) -> Vec<ConstantWord> {
                self.iter().flat_map(<$ty>::constant_words).collect()
            }
        }
    )*};
}
lists! {
    [A B] (A, &'static [B]): |tuple| [tuple.0, tuple.1];
    [A B] (&'static [A], B): |tuple| [tuple.0, tuple.1];
    [A B] (&'static [A], &'static [B]): |tuple| [tuple.0, tuple.1];
    [A B C] (A, B, &'static [C]): |tuple| [tuple.0, tuple.1, tuple.2];
    [A B C] (A, &'static [B], C): |tuple| [tuple.0, tuple.1, tuple.2];
    [A B C] (&'static [A], B, C): |tuple| [tuple.0, tuple.1, tuple.2];
}

impl<T: VmType, const N: usize> ConstantValue for [&'static [T]; N] {
    fn constant_words(&self) -> Vec<ConstantWord> {
        self.iter().flat_map(<&[T]>::constant_words).collect()
    }
}

/// Ranges are no values of columns, and constants all the same.
macro_rules! ranges {
    ($($range:ident: |$value:ident| [$($part:expr),*];)*) => {$(
        impl<T: VmType> ConstantValue for $range<T> {
            fn constant_words(&self) -> Vec<ConstantWord> {
                let $value = self;
                [$($part),*].concat()
            }
        }
    )*};
}
ranges! {
    Range: |range| [range.start.constant_words(), range.end.constant_words()];
    // Whether it has ended is a word of its own.
    RangeInclusive: |range| [range.start().constant_words(), range.end().constant_words(), vec![ConstantWord::Value(0)]];
    RangeFrom: |range| [range.start.constant_words()];
    RangeTo: |range| [range.end.constant_words()];
    RangeToInclusive: |range| [range.end.constant_words()];
}
