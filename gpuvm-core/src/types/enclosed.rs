//! std's types that enclose numbers or other values: `NonZero`, `Saturating`, `ControlFlow`, `Bound`; and those that enclose nothing.

use std::fmt;
use std::marker::PhantomData;
use std::mem::Discriminant;
use std::num::{FpCategory, NonZero, Saturating};
use std::ops::{Bound, ControlFlow};
use std::slice::GetDisjointMutError;

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
            type Depth = crate::types::Zero;
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
    type Depth = crate::types::Zero;
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

/// The tag, which an enum begins with.
impl<T: Value> Value for Discriminant<T>
where
    T::Erased: Static,
{
    type Erased = Discriminant<T::Erased>;
    type Inner = Discriminant<T::Erased>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "Discriminant",
        match (T::REFS, T::TYPE.kind) {
            (0, Kind::Enum) => const { &[only::<u32>(0)] },
            _ => &[],
        },
    );
}

/// Laid out as a `Result` whose error breaks, which `?` makes use of.
impl<B: Value, C: Value> Value for ControlFlow<B, C>
where
    B::Erased: Static,
    C::Erased: Static,
{
    type Erased = ControlFlow<B::Erased, C::Erased>;
    type Inner = ControlFlow<B::Erased, C::Erased>;
    type Depth = crate::types::Zero;
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

impl<T: Value> Value for Bound<T>
where
    T::Erased: Static,
{
    type Erased = Bound<T::Erased>;
    type Inner = Bound<T::Erased>;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::tagged(
        "Bound",
        &[
            Variant {
                hash: name_hash("Included"),
                name: "Included",
                fields: &[only::<T>(1)],
                discriminant: 0,
            },
            Variant {
                hash: name_hash("Excluded"),
                name: "Excluded",
                fields: &[only::<T>(1)],
                discriminant: 1,
            },
            Variant::unit("Unbounded", 2),
        ],
    );
}

impl<T: VmType> VmType for Bound<T> {
    fn write_words(&self, words: &mut [u32]) {
        words.fill(0);
        let (tag, value) = match self {
            Bound::Included(value) => (0, Some(value)),
            Bound::Excluded(value) => (1, Some(value)),
            Bound::Unbounded => (2, None),
        };
        words[0] = tag;
        if let Some(value) = value {
            value.write_words(&mut words[1..]);
        }
    }

    fn read_words(words: &[u32]) -> Self {
        match words[0] {
            1 => Bound::Excluded(T::read_words(&words[1..])),
            2 => Bound::Unbounded,
            _ => Bound::Included(T::read_words(&words[1..])),
        }
    }

    fn fits_words(&self) -> bool {
        match self {
            Bound::Included(value) | Bound::Excluded(value) => value.fits_words(),
            Bound::Unbounded => true,
        }
    }
}

/// It has no words; what it speaks of may be anything.
impl<T: ?Sized + 'static> Value for PhantomData<T> {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(Kind::Struct, "PhantomData", &[]);
}

impl<T: Send + Sync + ?Sized + 'static> VmType for PhantomData<T> {
    fn write_words(&self, _words: &mut [u32]) {}

    fn read_words(_words: &[u32]) -> Self {
        PhantomData
    }
}

impl Value for fmt::Error {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(Kind::Struct, "Error", &[]);
}

impl VmType for fmt::Error {
    fn write_words(&self, _words: &mut [u32]) {}

    fn read_words(_words: &[u32]) -> Self {
        fmt::Error
    }
}

impl Value for FpCategory {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::tagged(
        "FpCategory",
        &[
            Variant::unit("Nan", 0),
            Variant::unit("Infinite", 1),
            Variant::unit("Zero", 2),
            Variant::unit("Subnormal", 3),
            Variant::unit("Normal", 4),
        ],
    );
}

impl VmType for FpCategory {
    fn write_words(&self, words: &mut [u32]) {
        words[0] = match self {
            FpCategory::Nan => 0,
            FpCategory::Infinite => 1,
            FpCategory::Zero => 2,
            FpCategory::Subnormal => 3,
            FpCategory::Normal => 4,
        };
    }

    fn read_words(words: &[u32]) -> Self {
        match words[0] {
            1 => FpCategory::Infinite,
            2 => FpCategory::Zero,
            3 => FpCategory::Subnormal,
            4 => FpCategory::Normal,
            _ => FpCategory::Nan,
        }
    }
}

impl Value for GetDisjointMutError {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::tagged(
        "GetDisjointMutError",
        &[
            Variant::unit("IndexOutOfBounds", 0),
            Variant::unit("OverlappingIndices", 1),
        ],
    );
}
