//! What a constant that a routine names may be.

use std::cell::{Cell, OnceCell};
use std::cmp::{Ordering, Reverse};
use std::marker::PhantomData;
use std::num::{FpCategory, NonZero, Saturating, Wrapping};
use std::ops::{Bound, ControlFlow, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use super::value::{Value, VmType};
use crate::isa::space;

/// A word of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantWord {
    /// This one.
    Value(u32),
    /// Where these words begin in the program's data.
    Data(Vec<ConstantWord>),
}

/// A value of a constant: one of the machine's, a reference to one, to a slice or to text, and what is made of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a constant of a #[routine]",
    label = "neither a value of the machine nor a reference to an array or slice of these",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition"
)]
pub trait ConstantValue {
    /// Adds its words. A reference has two, the space of memory and where in it the value is, one to a slice or text a third, how many elements there
    /// are.
    fn constant_words(&self, words: &mut Vec<ConstantWord>);
}

/// The words of a value of a constant.
pub fn constant_words<T: ConstantValue + ?Sized>(value: &T) -> Vec<ConstantWord> {
    let mut words = Vec::new();
    value.constant_words(&mut words);
    words
}

/// Adds the words of a value of the machine's.
pub fn plain_words<T: VmType>(value: &T, words: &mut Vec<ConstantWord>) {
    let mut plain = vec![0; T::TYPE.words as usize];
    value.write_words(&mut plain);
    words.extend(plain.into_iter().map(ConstantWord::Value));
}

macro_rules! plain {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> ConstantValue for $ty {
            fn constant_words(&self, words: &mut Vec<ConstantWord>) {
                plain_words(self, words);
            }
        }
    )*};
}
plain! {
    [] bool; [] char; [] f32; [] f64; [] i8; [] i16; [] i32; [] i64; [] i128; [] isize; [] u8; [] u16; [] u32; [] u64; [] u128; [] usize;
    [] NonZero<i8>; [] NonZero<i16>; [] NonZero<i32>; [] NonZero<i64>; [] NonZero<i128>; [] NonZero<isize>;
    [] NonZero<u8>; [] NonZero<u16>; [] NonZero<u32>; [] NonZero<u64>; [] NonZero<u128>; [] NonZero<usize>;
    [T: VmType] Wrapping<T>; [T: VmType] Saturating<T>; [T: VmType] Reverse<T>; [B: VmType, C: VmType] ControlFlow<B, C>; [T: VmType] Bound<T>;
    [] Ordering; [] std::time::Duration;
    [] FpCategory; [] std::convert::Infallible; [] std::fmt::Error;
}
#[cfg(feature = "half")]
plain! { [] half::f16; [] half::bf16; }

/// It has no words, whatever it is of: a parameter of a generic type has no bounds where that is a constant.
impl<T: ?Sized> ConstantValue for PhantomData<T> {
    fn constant_words(&self, _: &mut Vec<ConstantWord>) {}
}

/// What a reference is to; it has no words of its own.
impl<T: ConstantValue> ConstantValue for [T] {
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        self.iter().for_each(|element| element.constant_words(words));
    }
}

impl ConstantValue for str {
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        <[u8]>::constant_words(self.as_bytes(), words);
    }
}

/// rustc makes no constant of it that a routine could name.
impl<T: ?Sized> ConstantValue for &mut T {
    fn constant_words(&self, _: &mut Vec<ConstantWord>) {
        unreachable!("rustc makes no constant of it")
    }
}

impl<T: ConstantValue> ConstantValue for &T {
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        words.push(ConstantWord::Value(space::DATA));
        words.push(ConstantWord::Data(constant_words(*self)));
    }
}

impl<T: ConstantValue> ConstantValue for &[T] {
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        let mut elements = Vec::new();
        self.iter().for_each(|element| element.constant_words(&mut elements));
        words.push(ConstantWord::Value(space::DATA));
        words.push(ConstantWord::Data(elements));
        words.push(ConstantWord::Value(self.len() as u32));
    }
}

impl ConstantValue for &str {
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        <&[u8]>::constant_words(&self.as_bytes(), words);
    }
}

impl<T: ConstantValue, const N: usize> ConstantValue for [T; N] {
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        self.iter().for_each(|element| element.constant_words(words));
    }
}

/// Adds the words of an enum: the number of the variant, and of what is in it as many as the largest has.
pub fn variant_words<T: Value>(
    variant: u32,
    words: &mut Vec<ConstantWord>,
    payload: impl FnOnce(&mut Vec<ConstantWord>),
) {
    let end = words.len() + T::TYPE.words as usize;
    words.push(ConstantWord::Value(variant));
    payload(words);
    words.resize(end, ConstantWord::Value(0));
}

impl<T: ConstantValue> ConstantValue for Option<T>
where
    Self: Value,
{
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        variant_words::<Self>(u32::from(self.is_some()), words, |words| {
            if let Some(value) = self {
                value.constant_words(words);
            }
        });
    }
}

/// Each use of a constant has a cell of its own.
impl<T: ConstantValue + Copy> ConstantValue for Cell<T>
where
    Self: Value,
{
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        self.get().constant_words(words);
    }
}

impl<T: ConstantValue> ConstantValue for OnceCell<T>
where
    Self: Value,
{
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        variant_words::<Self>(u32::from(self.get().is_some()), words, |words| {
            if let Some(value) = self.get() {
                value.constant_words(words);
            }
        });
    }
}

impl<T: ConstantValue, E: ConstantValue> ConstantValue for Result<T, E>
where
    Self: Value,
{
    fn constant_words(&self, words: &mut Vec<ConstantWord>) {
        variant_words::<Self>(u32::from(self.is_err()), words, |words| match self {
            Ok(value) => value.constant_words(words),
            Err(error) => error.constant_words(words),
        });
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*);)*) => {$(
        impl<$($name: ConstantValue),*> ConstantValue for ($($name,)*) {
            #[allow(unused_variables, reason = "the empty tuple has no words")]
            fn constant_words(&self, words: &mut Vec<ConstantWord>) {
                $(self.$index.constant_words(words);)*
            }
        }
    )*};
}
tuples! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
}

/// Ranges are no values of columns, and constants all the same.
macro_rules! ranges {
    ($($range:ident: |$value:ident| [$($part:expr),*];)*) => {$(
        impl<T: VmType> ConstantValue for $range<T> {
            fn constant_words(&self, words: &mut Vec<ConstantWord>) {
                let $value = self;
                $($part.constant_words(words);)*
            }
        }
    )*};
}
ranges! {
    Range: |range| [range.start, range.end];
    // Whether it has ended is a word of its own.
    RangeInclusive: |range| [*range.start(), *range.end(), false];
    RangeFrom: |range| [range.start];
    RangeTo: |range| [range.end];
    RangeToInclusive: |range| [range.end];
}

/// A field of a constant whose type's other values may be of no constant, as one with a `&mut` is.
pub struct ConstantField<'v, T>(pub &'v T);

impl<T: ConstantValue> ConstantField<'_, T> {
    /// Adds its words.
    pub fn words(&self, words: &mut Vec<ConstantWord>) {
        self.0.constant_words(words);
    }
}

/// Method lookup finds this where the field is of no constant.
pub trait NoConstant {
    /// There are none.
    fn words(&self, _: &mut Vec<ConstantWord>) {
        unreachable!("rustc makes no constant of it")
    }
}

impl<T> NoConstant for ConstantField<'_, T> {}
