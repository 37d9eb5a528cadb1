//! What a constant that a routine names may be.

use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use super::value::VmType;

/// A value of a constant: one of the machine's, an array or a slice by reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a constant of a #[routine]",
    label = "neither a value of the machine nor a reference to an array or slice of these",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition"
)]
pub trait ConstantValue {
    /// Its words; of a slice, how many elements there are, and theirs.
    fn constant_words(&self) -> Vec<u32>;
}

impl<T: VmType> ConstantValue for T {
    fn constant_words(&self) -> Vec<u32> {
        let mut words = vec![0; T::TYPE.words as usize];
        self.write_words(&mut words);
        words
    }
}

impl<T: VmType, const N: usize> ConstantValue for &'static [T; N] {
    fn constant_words(&self) -> Vec<u32> {
        (**self).constant_words()
    }
}

impl<T: VmType> ConstantValue for &'static [T] {
    fn constant_words(&self) -> Vec<u32> {
        let mut words = vec![self.len() as u32];
        words.extend(self.iter().flat_map(T::constant_words));
        words
    }
}

/// Ranges are no values of columns, and constants all the same.
macro_rules! ranges {
    ($($range:ident: |$value:ident| [$($part:expr),*];)*) => {$(
        impl<T: VmType> ConstantValue for $range<T> {
            fn constant_words(&self) -> Vec<u32> {
                let $value = self;
                [$($part),*].concat()
            }
        }
    )*};
}
ranges! {
    Range: |range| [range.start.constant_words(), range.end.constant_words()];
    // Whether it has ended is a word of its own.
    RangeInclusive: |range| [range.start().constant_words(), range.end().constant_words(), vec![0]];
    RangeFrom: |range| [range.start.constant_words()];
    RangeTo: |range| [range.end.constant_words()];
    RangeToInclusive: |range| [range.end.constant_words()];
}
