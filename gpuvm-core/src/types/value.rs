//! The Rust types of the machine: [`Value`] carries a type from rustc to the encoder, [`VmType`] moves values in and out of words at
//! run time.

use std::num::Wrapping;
use std::sync::atomic::{AtomicI32, AtomicU32};

use super::{Field, Kind, Type, Variant, name_hash};

/// A Rust type that may occur inside a routine: what [`VmType`] covers, and references and slices of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used inside a #[routine]",
    label = "not a type of the machine",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition",
    note = "the machine has f32, bool, integers of up to 64 bits, tuples, arrays, Option, Wrapping, and structs and enums of these"
)]
pub trait Value {
    /// The same type with every lifetime `'static`, so that it may be named in a constant.
    type Erased: Value + ?Sized + 'static;
    /// The type behind all references, likewise without lifetimes.
    type Inner: Value + ?Sized + 'static;
    /// The type behind all references.
    const TYPE: &'static Type;
    /// How many references stand before it.
    const REFS: u8 = 0;
    /// Whether the outermost reference is `&mut`.
    const MUTABLE: bool = false;
}

/// A plain value of the machine, stored in columns and buffers as [`Type::words`] words. Derive it for structs and enums:
/// `#[derive(VmType, Clone, Copy)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value of the machine",
    label = "does not implement `VmType`",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition",
    note = "the machine has f32, bool, integers of up to 64 bits, tuples, arrays, Option, Wrapping, and structs and enums of these"
)]
pub trait VmType: Value<Erased = Self, Inner = Self> + Copy + Send + Sync + 'static {
    /// Writes the value's words; `words` has exactly [`Type::words`] entries. Words that the value does not use become 0.
    fn write_words(&self, words: &mut [u32]);

    /// Reads a value back. NaNs come back as the one NaN `0x7fc00000`; a tag that is no variant's reads as the first variant.
    fn read_words(words: &[u32]) -> Self;
}

impl<T: Value + ?Sized> Value for &T {
    type Erased = &'static T::Erased;
    type Inner = T::Inner;
    const TYPE: &'static Type = T::TYPE;
    const REFS: u8 = T::REFS + 1;
}

impl<T: Value + ?Sized> Value for &mut T {
    type Erased = &'static mut T::Erased;
    type Inner = T::Inner;
    const TYPE: &'static Type = T::TYPE;
    const REFS: u8 = T::REFS + 1;
    const MUTABLE: bool = true;
}

impl<T: Value<Erased = T> + 'static> Value for [T] {
    type Erased = [T];
    type Inner = [T];
    const TYPE: &'static Type = &Type {
        kind: Kind::Slice,
        name: "slice",
        words: 0,
        fields: &[],
        variants: &[],
        element: Some(T::TYPE),
        length: 0,
        slice: None,
    };
}

macro_rules! word_scalars {
    ($($ty:ident $kind:ident, $value:ident => $to:expr, $word:ident => $from:expr;)*) => {$(
        impl Value for $ty {
            type Erased = $ty;
            type Inner = $ty;
            const TYPE: &'static Type = &Type::scalar(Kind::$kind, stringify!($ty));
        }

        impl VmType for $ty {
            fn write_words(&self, words: &mut [u32]) {
                let $value = *self;
                words[0] = $to;
            }

            fn read_words(words: &[u32]) -> Self {
                let $word = words[0];
                $from
            }
        }
    )*};
}
word_scalars! {
    bool Bool, v => v as u32, w => w != 0;
    f32 F32, v => v.to_bits(), w => canonical_nan(f32::from_bits(w));
    i32 I32, v => v as u32, w => w as i32;
    u32 U32, v => v, w => w;
    i8 I8, v => v as u32, w => w as i8;
    u8 U8, v => u32::from(v), w => w as u8;
    i16 I16, v => v as u32, w => w as i16;
    u16 U16, v => u32::from(v), w => w as u16;
    isize Isize, v => v as u32, w => w as i32 as isize;
    usize Usize, v => v as u32, w => w as usize;
}

/// `value`, or the one NaN with the bits `0x7fc00000` that stands for all of them.
pub fn canonical_nan(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(0x7fc0_0000)
    } else {
        value
    }
}

macro_rules! long_scalars {
    ($($ty:ident $kind:ident;)*) => {$(
        impl Value for $ty {
            type Erased = $ty;
            type Inner = $ty;
            const TYPE: &'static Type = &Type::scalar(Kind::$kind, stringify!($ty));
        }

        impl VmType for $ty {
            fn write_words(&self, words: &mut [u32]) {
                words[0] = *self as u32;
                words[1] = (*self >> 32) as u32;
            }

            fn read_words(words: &[u32]) -> Self {
                words[0] as $ty | (words[1] as $ty) << 32
            }
        }
    )*};
}
long_scalars! {
    i64 I64;
    u64 U64;
}

macro_rules! atomics {
    ($($ty:ident of $element:ident;)*) => {$(
        impl Value for $ty {
            type Erased = $ty;
            type Inner = $ty;
            const TYPE: &'static Type = &Type {
                kind: Kind::Atomic,
                name: stringify!($ty),
                words: 1,
                fields: &[],
                variants: &[],
                element: Some(<$element as Value>::TYPE),
                length: 0,
                slice: None,
            };
        }
    )*};
}
atomics! {
    AtomicU32 of u32;
    AtomicI32 of i32;
}

impl<T: VmType> Value for Wrapping<T> {
    type Erased = Self;
    type Inner = Self;
    const TYPE: &'static Type = &Type {
        kind: Kind::Wrapping,
        name: "Wrapping",
        words: T::TYPE.words,
        fields: &[Field {
            hash: name_hash("0"),
            name: "",
            ty: T::TYPE,
            offset: 0,
        }],
        variants: &[],
        element: Some(T::TYPE),
        length: 0,
        slice: None,
    };
}

impl<T: VmType> VmType for Wrapping<T> {
    fn write_words(&self, words: &mut [u32]) {
        self.0.write_words(words);
    }

    fn read_words(words: &[u32]) -> Self {
        Wrapping(T::read_words(words))
    }
}

impl<T: VmType, const N: usize> Value for [T; N] {
    type Erased = Self;
    type Inner = Self;
    const TYPE: &'static Type = &Type {
        kind: Kind::Array,
        name: "array",
        words: T::TYPE.words * N as u32,
        fields: &[],
        variants: &[],
        element: Some(T::TYPE),
        length: N as u32,
        slice: Some(<[T] as Value>::TYPE),
    };
}

impl<T: VmType, const N: usize> VmType for [T; N] {
    fn write_words(&self, words: &mut [u32]) {
        let size = T::TYPE.words as usize;
        for (i, element) in self.iter().enumerate() {
            element.write_words(&mut words[i * size..(i + 1) * size]);
        }
    }

    fn read_words(words: &[u32]) -> Self {
        let size = T::TYPE.words as usize;
        std::array::from_fn(|i| T::read_words(&words[i * size..(i + 1) * size]))
    }
}

impl<T: VmType> Value for Option<T> {
    type Erased = Self;
    type Inner = Self;
    const TYPE: &'static Type = &Type::tagged(
        "Option",
        &[
            Variant {
                hash: name_hash("None"),
                name: "None",
                fields: &[],
                discriminant: 0,
            },
            Variant {
                hash: name_hash("Some"),
                name: "Some",
                fields: &[Field {
                    hash: name_hash("0"),
                    name: "",
                    ty: T::TYPE,
                    offset: 1,
                }],
                discriminant: 1,
            },
        ],
    );
}

impl<T: VmType> VmType for Option<T> {
    fn write_words(&self, words: &mut [u32]) {
        words.fill(0);
        if let Some(value) = self {
            words[0] = 1;
            value.write_words(&mut words[1..]);
        }
    }

    fn read_words(words: &[u32]) -> Self {
        (words[0] == 1).then(|| T::read_words(&words[1..]))
    }
}

impl<T: VmType, E: VmType> Value for Result<T, E> {
    type Erased = Self;
    type Inner = Self;
    const TYPE: &'static Type = &Type::tagged(
        "Result",
        &[
            Variant {
                hash: name_hash("Ok"),
                name: "Ok",
                fields: &[Field {
                    hash: name_hash("0"),
                    name: "",
                    ty: T::TYPE,
                    offset: 1,
                }],
                discriminant: 0,
            },
            Variant {
                hash: name_hash("Err"),
                name: "Err",
                fields: &[Field {
                    hash: name_hash("0"),
                    name: "",
                    ty: E::TYPE,
                    offset: 1,
                }],
                discriminant: 1,
            },
        ],
    );
}

impl<T: VmType, E: VmType> VmType for Result<T, E> {
    fn write_words(&self, words: &mut [u32]) {
        words.fill(0);
        match self {
            Ok(value) => value.write_words(&mut words[1..1 + T::TYPE.words as usize]),
            Err(error) => {
                words[0] = 1;
                error.write_words(&mut words[1..1 + E::TYPE.words as usize]);
            }
        }
    }

    fn read_words(words: &[u32]) -> Self {
        if words[0] == 1 {
            Err(E::read_words(&words[1..]))
        } else {
            Ok(T::read_words(&words[1..]))
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt $after:expr),*);)*) => {$(
        impl<$($name: VmType),*> Value for ($($name,)*) {
            type Erased = Self;
            type Inner = Self;
            const TYPE: &'static Type = &Type::record(Kind::Tuple, "tuple", &[
                $(Field { hash: name_hash(stringify!($index)), name: "", ty: $name::TYPE, offset: $after }),*
            ]);
        }

        impl<$($name: VmType),*> VmType for ($($name,)*) {
            #[allow(unused_variables, reason = "the empty tuple has no words")]
            fn write_words(&self, words: &mut [u32]) {
                $(self.$index.write_words(field_mut(words, Self::TYPE, $index));)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no words")]
            fn read_words(words: &[u32]) -> Self {
                ($($name::read_words(field(words, Self::TYPE, $index)),)*)
            }
        }
    )*};
}
const fn words<T: Value>() -> u32 {
    T::TYPE.words
}
tuples! {
    ();
    (A 0 0);
    (A 0 0, B 1 words::<A>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>(), G 6 words::<(A, B, C, D, E, F)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>(), G 6 words::<(A, B, C, D, E, F)>(), H 7 words::<(A, B, C, D, E, F, G)>());
}

/// The words of field `index` of a struct or tuple.
#[inline]
pub fn field<'w>(words: &'w [u32], ty: &Type, index: usize) -> &'w [u32] {
    let field = &ty.fields[index];
    &words[field.offset as usize..(field.offset + field.ty.words) as usize]
}

/// The words of field `index` of a struct or tuple, to write.
#[inline]
pub fn field_mut<'w>(words: &'w mut [u32], ty: &Type, index: usize) -> &'w mut [u32] {
    let field = &ty.fields[index];
    &mut words[field.offset as usize..(field.offset + field.ty.words) as usize]
}

/// The words of field `index` of variant `variant` of an enum.
#[inline]
pub fn payload<'w>(words: &'w [u32], ty: &Type, variant: usize, index: usize) -> &'w [u32] {
    let field = &ty.variants[variant].fields[index];
    &words[field.offset as usize..(field.offset + field.ty.words) as usize]
}

/// The words of field `index` of variant `variant` of an enum, to write.
#[inline]
pub fn payload_mut<'w>(words: &'w mut [u32], ty: &Type, variant: usize, index: usize) -> &'w mut [u32] {
    let field = &ty.variants[variant].fields[index];
    &mut words[field.offset as usize..(field.offset + field.ty.words) as usize]
}
