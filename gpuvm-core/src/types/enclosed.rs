//! std's types that enclose numbers or other values: `NonZero`, `Saturating`, `ControlFlow`.

use std::num::{NonZero, Saturating};
use std::ops::ControlFlow;

use super::{Field, Kind, Static, Type, Value, Variant, VmType, name_hash};

/// The field `0` of a type that starts at a word.
const fn only<T: Value>(offset: u32) -> Field {
    Field {
        hash: name_hash("0"),
        name: "",
        ty: T::TYPE,
        refs: T::REFS,
        offset,
    }
}

/// std lets only its own integers be `NonZero`.
macro_rules! non_zero {
    ($($ty:ident)*) => {$(
        impl Value for NonZero<$ty> {
            type Erased = Self;
            type Inner = Self;
            const TYPE: &'static Type = &Type::record(Kind::Struct, "NonZero", &[only::<$ty>(0)]);
        }

        /// Words that are all 0 read as 1.
        impl VmType for NonZero<$ty> {
            fn write_words(&self, words: &mut [u32]) {
                self.get().write_words(words);
            }

            fn read_words(words: &[u32]) -> Self {
                const ONE: NonZero<$ty> = NonZero::new(1).expect("1 is not 0");
                NonZero::new($ty::read_words(words)).unwrap_or(ONE)
            }

            fn fits_words(&self) -> bool {
                self.get().fits_words()
            }
        }
    )*};
}
non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl<T: VmType> Value for Saturating<T> {
    type Erased = Self;
    type Inner = Self;
    const TYPE: &'static Type = &Type::record(Kind::Struct, "Saturating", &[only::<T>(0)]);
}

impl<T: VmType> VmType for Saturating<T> {
    fn write_words(&self, words: &mut [u32]) {
        self.0.write_words(words);
    }

    fn read_words(words: &[u32]) -> Self {
        Saturating(T::read_words(words))
    }

    fn fits_words(&self) -> bool {
        self.0.fits_words()
    }
}

/// Laid out as a `Result` whose error breaks, which `?` makes use of.
impl<B: Value, C: Value> Value for ControlFlow<B, C>
where
    B::Erased: Static,
    C::Erased: Static,
{
    type Erased = ControlFlow<B::Erased, C::Erased>;
    type Inner = ControlFlow<B::Erased, C::Erased>;
    const TYPE: &'static Type = &Type::tagged(
        "ControlFlow",
        &[
            Variant {
                hash: name_hash("Continue"),
                name: "Continue",
                fields: &[only::<C>(1)],
                discriminant: 0,
            },
            Variant {
                hash: name_hash("Break"),
                name: "Break",
                fields: &[only::<B>(1)],
                discriminant: 1,
            },
        ],
    );
}

impl<B: VmType, C: VmType> VmType for ControlFlow<B, C> {
    fn write_words(&self, words: &mut [u32]) {
        words.fill(0);
        match self {
            ControlFlow::Continue(value) => value.write_words(&mut words[1..1 + C::TYPE.words as usize]),
            ControlFlow::Break(value) => {
                words[0] = 1;
                value.write_words(&mut words[1..1 + B::TYPE.words as usize]);
            }
        }
    }

    fn read_words(words: &[u32]) -> Self {
        if words[0] == 1 {
            ControlFlow::Break(B::read_words(&words[1..]))
        } else {
            ControlFlow::Continue(C::read_words(&words[1..]))
        }
    }

    fn fits_words(&self) -> bool {
        match self {
            ControlFlow::Continue(value) => value.fits_words(),
            ControlFlow::Break(value) => value.fits_words(),
        }
    }
}
