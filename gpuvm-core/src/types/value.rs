//! The Rust types of the machine: [`Value`] carries a type from rustc to the encoder, [`VmType`] moves values in and out of words at
//! run time.

use std::cmp::{Ordering, Reverse};
use std::num::Wrapping;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};

use super::depth::{Succ, Zero};
use super::{Comparisons, ConstantValue, Field, Kind, Type, TypeRef, Variant, name_hash};

/// A Rust type that may occur inside a routine: what [`VmType`] covers, and references and slices of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used inside a #[routine]",
    label = "not a type of the machine",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition",
    note = "the machine has f32, f64, bool, char, integers of up to 128 bits, tuples, arrays, Option, Wrapping, and structs and enums of these",
    note = "what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`",
    note = "what is the host's, as `Instant`, `Mutex` and `File` are, stays there: ask it before the launch, and hand the routine what it says"
)]
pub trait Value {
    /// The same type with every lifetime `'static`, so that it may be named in a constant.
    type Erased: Value + ?Sized + 'static;
    /// The type behind all references, likewise without lifetimes.
    type Inner: Value + ?Sized + 'static;
    /// How many references stand before it, as a type.
    type Depth;
    /// The type behind all references.
    const TYPE: &'static Type;
    /// How many references stand before it.
    const REFS: u8 = 0;
    /// Whether the outermost reference is `&mut`.
    const MUTABLE: bool = false;
    /// The type as a parameter or a field has it.
    const REFERENCE: TypeRef = TypeRef {
        ty: Self::TYPE,
        refs: Self::REFS,
        mutable: Self::MUTABLE,
    };
}

/// A plain value of the machine, stored in columns and buffers as [`Type::words`] words. Derive it for structs and enums:
/// `#[derive(VmType, Clone, Copy)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value of the machine",
    label = "does not implement `VmType`",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition",
    note = "the machine has f32, f64, bool, char, integers of up to 128 bits, tuples, arrays, Option, Wrapping, and structs and enums of these",
    note = "what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`",
    note = "what is the host's, as `Instant`, `Mutex` and `File` are, stays there: ask it before the launch, and hand the routine what it says"
)]
pub trait VmType:
    Value<Erased = Self, Inner = Self, Depth = Zero> + ConstantValue + Copy + Send + Sync + 'static
{
    /// Writes the value's words; `words` has exactly [`Type::words`] entries. Words that the value does not use become 0.
    fn write_words(&self, words: &mut [u32]);

    /// Reads a value back. NaNs come back as the one NaN `0x7fc00000`; a tag that is no variant's reads as the first variant.
    fn read_words(words: &[u32]) -> Self;

    /// Whether its words can hold the value. Only a `usize` or `isize` in it may not fit: these have 32 bits in a VM.
    fn fits_words(&self) -> bool {
        true
    }
}

/// What [`VmType`] covers, as the signature of a routine and the fields of a type ask for it: without what a value has to be besides, which is said
/// where the type is defined.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value of the machine",
    label = "does not implement `VmType`",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition",
    note = "the machine has f32, f64, bool, char, integers of up to 128 bits, tuples, arrays, Option, Wrapping, and structs and enums of these",
    note = "what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`",
    note = "what is the host's, as `Instant`, `Mutex` and `File` are, stays there: ask it before the launch, and hand the routine what it says",
    note = "what holds references is no value of a launch: with its lifetime in the signature, as in `View<'_>`, the routine is one that others call"
)]
pub trait Plain: Value<Erased = Self, Inner = Self> + Sized + 'static {
    /// How it becomes words, and comes back.
    const WORDS: AsWords<Self>;
    /// The type of a parameter or a result that is such a value.
    const VALUE: TypeRef = Self::REFERENCE;
    /// That of a parameter that refers to one.
    const SHARED: TypeRef = <&Self as Value>::REFERENCE;
    /// That of a parameter that may change one.
    const RECORD: TypeRef = <&mut Self as Value>::REFERENCE;
    /// That of a parameter that refers to several.
    const SLICE: TypeRef = <&[Self] as Value>::REFERENCE;
    /// That of a parameter that may change several.
    const CHUNK: TypeRef = <&mut [Self] as Value>::REFERENCE;
}

#[diagnostic::do_not_recommend]
impl<T: VmType> Plain for T {
    const WORDS: AsWords<T> = AsWords {
        write: T::write_words,
        read: T::read_words,
        copied: |value| *value,
        fits: T::fits_words,
    };
}

/// How values become words: what a derive calls, for a trait's method would be asked of the type in other words.
#[doc(hidden)]
pub struct AsWords<T> {
    /// [`VmType::write_words`]
    pub write: fn(&T, &mut [u32]),
    /// [`VmType::read_words`]
    pub read: fn(&[u32]) -> T,
    /// Another one of it.
    pub copied: fn(&T) -> T,
    /// [`VmType::fits_words`]
    pub fits: fn(&T) -> bool,
}

/// What [`Static`] is, also if it has no size: what a reference may be to.
pub trait Referred: Value<Erased = Self> + 'static {}

impl<T: Value<Erased = T> + ?Sized + 'static> Referred for T {}

/// A type all of whose lifetimes are `'static`.
pub trait Static: Value<Erased = Self> + Sized + 'static {}

impl<T: Value<Erased = T> + 'static> Static for T {}

impl<T: Value + ?Sized> Value for &T {
    type Erased = &'static T::Erased;
    type Inner = T::Inner;
    type Depth = Succ<T::Depth>;
    const TYPE: &'static Type = T::TYPE;
    const REFS: u8 = T::REFS + 1;
}

impl<T: Value + ?Sized> Value for &mut T {
    type Erased = &'static mut T::Erased;
    type Inner = T::Inner;
    type Depth = Succ<T::Depth>;
    const TYPE: &'static Type = T::TYPE;
    const REFS: u8 = T::REFS + 1;
    const MUTABLE: bool = true;
}

impl<T: Value> Value for [T]
where
    T::Erased: Static,
{
    type Erased = [T::Erased];
    type Inner = [T::Erased];
    type Depth = Zero;
    const TYPE: &'static Type = &Type {
        kind: Kind::Slice,
        name: "slice",
        words: 0,
        fields: &[],
        variants: &[],
        element: Some(T::TYPE),
        element_refs: T::REFS,
        length: 0,
        slice: None,
        opaque: false,
        comparisons: Comparisons::DERIVED,
        dereferenced: None,
    };
}

/// Text: a slice of bytes that are UTF-8.
impl Value for str {
    type Erased = str;
    type Inner = str;
    type Depth = Zero;
    const TYPE: &'static Type = &Type {
        element: Some(<u8 as Value>::TYPE),
        ..Type::scalar(Kind::Slice, "str")
    }
    .compared(crate::stdlib::TEXT_COMPARISONS);
}

macro_rules! word_scalars {
    ($($ty:ident $kind:ident, $value:ident => $to:expr, $word:ident => $from:expr $(, $wide:ident => $fits:expr)?;)*) => {$(
        impl Value for $ty {
            type Erased = $ty;
            type Inner = $ty;
            type Depth = Zero;
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

            $(fn fits_words(&self) -> bool {
                let $wide = *self;
                $fits
            })?
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
    isize Isize, v => v as u32, w => w as i32 as isize, v => i32::try_from(v).is_ok();
    usize Usize, v => v as u32, w => w as usize, v => u32::try_from(v).is_ok();
}

/// A Unicode scalar value; what is none reads as U+FFFD.
impl Value for char {
    type Erased = char;
    type Inner = char;
    type Depth = Zero;
    const TYPE: &'static Type = &Type::scalar(Kind::U32, "char");
}

impl VmType for char {
    fn write_words(&self, words: &mut [u32]) {
        words[0] = u32::from(*self);
    }

    fn read_words(words: &[u32]) -> Self {
        char::from_u32(words[0]).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

/// `value`, or the one NaN with the bits `0x7fc00000` that stands for all of them.
pub fn canonical_nan(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(0x7fc0_0000)
    } else {
        value
    }
}

impl Value for f64 {
    type Erased = f64;
    type Inner = f64;
    type Depth = Zero;
    const TYPE: &'static Type = &Type::scalar(Kind::F64, "f64");
}

impl VmType for f64 {
    fn write_words(&self, words: &mut [u32]) {
        self.to_bits().write_words(words);
    }

    /// The one NaN has the bits `0x7ff8000000000000`.
    fn read_words(words: &[u32]) -> Self {
        let value = f64::from_bits(u64::read_words(words));
        if value.is_nan() {
            f64::from_bits(0x7ff8 << 48)
        } else {
            value
        }
    }
}

macro_rules! long_scalars {
    ($($ty:ident $kind:ident;)*) => {$(
        impl Value for $ty {
            type Erased = $ty;
            type Inner = $ty;
            type Depth = Zero;
            const TYPE: &'static Type = &Type::scalar(Kind::$kind, stringify!($ty));
        }

        impl VmType for $ty {
            fn write_words(&self, words: &mut [u32]) {
                for (i, word) in words.iter_mut().enumerate() {
                    *word = (*self >> (32 * i)) as u32;
                }
            }

            fn read_words(words: &[u32]) -> Self {
                words.iter().rev().fold(0, |value, &word| value << 32 | word as $ty)
            }
        }
    )*};
}
long_scalars! {
    i64 I64;
    u64 U64;
    i128 I128;
    u128 U128;
}

macro_rules! atomics {
    ($($ty:ident of $element:ident;)*) => {$(
        impl Value for $ty {
            type Erased = $ty;
            type Inner = $ty;
            type Depth = Zero;
            const TYPE: &'static Type = &Type {
                kind: Kind::Atomic,
                name: stringify!($ty),
                words: <$element as Value>::TYPE.words,
                fields: &[],
                variants: &[],
                element: Some(<$element as Value>::TYPE),
                element_refs: 0,
                length: 0,
                slice: None,
                opaque: false,
                comparisons: Comparisons::DERIVED,
        dereferenced: None,
            };
        }
    )*};
}
atomics! {
    AtomicU32 of u32;
    AtomicI32 of i32;
    AtomicU64 of u64;
    AtomicI64 of i64;
}

impl<T: VmType> Value for Wrapping<T> {
    type Erased = Self;
    type Inner = Self;
    type Depth = Zero;
    const TYPE: &'static Type = &Type {
        kind: Kind::Wrapping,
        name: "Wrapping",
        words: T::TYPE.words,
        fields: &[Field {
            hash: name_hash("0"),
            name: "",
            ty: T::TYPE,
            refs: 0,
            offset: 0,
        }],
        variants: &[],
        element: Some(T::TYPE),
        element_refs: 0,
        length: 0,
        slice: None,
        opaque: false,
        comparisons: Comparisons::DERIVED,
        dereferenced: None,
    };
}

impl<T: VmType> VmType for Wrapping<T> {
    fn write_words(&self, words: &mut [u32]) {
        self.0.write_words(words);
    }

    fn read_words(words: &[u32]) -> Self {
        Wrapping(T::read_words(words))
    }

    fn fits_words(&self) -> bool {
        self.0.fits_words()
    }
}

impl<T: Value, const N: usize> Value for [T; N]
where
    T::Erased: Static,
{
    type Erased = [T::Erased; N];
    type Inner = [T::Erased; N];
    type Depth = Zero;
    const TYPE: &'static Type = &Type {
        kind: Kind::Array,
        name: "array",
        words: TypeRef::of::<T>().words() * N as u32,
        fields: &[],
        variants: &[],
        element: Some(T::TYPE),
        element_refs: T::REFS,
        length: N as u32,
        slice: Some(<[T] as Value>::TYPE),
        opaque: false,
        comparisons: Comparisons::DERIVED,
        dereferenced: None,
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

    fn fits_words(&self) -> bool {
        self.iter().all(T::fits_words)
    }
}

impl<T: Value> Value for Option<T>
where
    T::Erased: Static,
{
    type Erased = Option<T::Erased>;
    type Inner = Option<T::Erased>;
    type Depth = Zero;
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
                    refs: T::REFS,
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

    fn fits_words(&self) -> bool {
        self.as_ref().is_none_or(T::fits_words)
    }
}

impl Value for Ordering {
    type Erased = Self;
    type Inner = Self;
    type Depth = Zero;
    const TYPE: &'static Type = &Type::tagged(
        "Ordering",
        &[
            Variant::unit("Less", -1),
            Variant::unit("Equal", 0),
            Variant::unit("Greater", 1),
        ],
    );
}

impl VmType for Ordering {
    fn write_words(&self, words: &mut [u32]) {
        words[0] = (*self as i32 + 1) as u32;
    }

    fn read_words(words: &[u32]) -> Self {
        match words[0] {
            1 => Ordering::Equal,
            2 => Ordering::Greater,
            _ => Ordering::Less,
        }
    }
}

impl<T: VmType> Value for Reverse<T> {
    type Erased = Self;
    type Inner = Self;
    type Depth = Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "Reverse",
        &[Field {
            hash: name_hash("0"),
            name: "",
            ty: T::TYPE,
            refs: 0,
            offset: 0,
        }],
    )
    .compared(Comparisons {
        reversed: true,
        ..Comparisons::DERIVED
    });
}

impl<T: VmType> VmType for Reverse<T> {
    fn write_words(&self, words: &mut [u32]) {
        self.0.write_words(words);
    }

    fn read_words(words: &[u32]) -> Self {
        Reverse(T::read_words(words))
    }
}

impl<T: Value, E: Value> Value for Result<T, E>
where
    T::Erased: Static,
    E::Erased: Static,
{
    type Erased = Result<T::Erased, E::Erased>;
    type Inner = Result<T::Erased, E::Erased>;
    type Depth = Zero;
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
                    refs: T::REFS,
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
                    refs: E::REFS,
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

    fn fits_words(&self) -> bool {
        match self {
            Ok(value) => value.fits_words(),
            Err(error) => error.fits_words(),
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt $after:expr),*);)*) => {$(
        impl<$($name: Value),*> Value for ($($name,)*)
        where
            $($name::Erased: Static),*
        {
            type Erased = ($($name::Erased,)*);
            type Inner = ($($name::Erased,)*);
            type Depth = Zero;
            const TYPE: &'static Type = &Type::record(Kind::Tuple, "tuple", &[
                $(Field { hash: name_hash(stringify!($index)), name: "", ty: $name::TYPE, refs: $name::REFS, offset: $after }),*
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

            fn fits_words(&self) -> bool {
                true $(&& self.$index.fits_words())*
            }
        }
    )*};
}
const fn words<T: Value>() -> u32 {
    TypeRef::of::<T>().words()
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
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>(), G 6 words::<(A, B, C, D, E, F)>(), H 7 words::<(A, B, C, D, E, F, G)>(),
     I 8 words::<(A, B, C, D, E, F, G, H)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>(), G 6 words::<(A, B, C, D, E, F)>(), H 7 words::<(A, B, C, D, E, F, G)>(),
     I 8 words::<(A, B, C, D, E, F, G, H)>(),
     J 9 words::<(A, B, C, D, E, F, G, H, I)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>(), G 6 words::<(A, B, C, D, E, F)>(), H 7 words::<(A, B, C, D, E, F, G)>(),
     I 8 words::<(A, B, C, D, E, F, G, H)>(),
     J 9 words::<(A, B, C, D, E, F, G, H, I)>(),
     K 10 words::<(A, B, C, D, E, F, G, H, I, J)>());
    (A 0 0, B 1 words::<A>(), C 2 words::<(A, B)>(), D 3 words::<(A, B, C)>(), E 4 words::<(A, B, C, D)>(),
     F 5 words::<(A, B, C, D, E)>(), G 6 words::<(A, B, C, D, E, F)>(), H 7 words::<(A, B, C, D, E, F, G)>(),
     I 8 words::<(A, B, C, D, E, F, G, H)>(),
     J 9 words::<(A, B, C, D, E, F, G, H, I)>(),
     K 10 words::<(A, B, C, D, E, F, G, H, I, J)>(),
     L 11 words::<(A, B, C, D, E, F, G, H, I, J, K)>());
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

#[cfg(test)]
mod tests {
    use super::*;

    const LARGEST: usize = u32::MAX as usize;

    #[test]
    fn what_32_bits_cannot_hold_does_not_fit() {
        assert!(LARGEST.fits_words() && !(LARGEST + 1).fits_words());
        let (least, most) = (i32::MIN as isize, i32::MAX as isize);
        assert!(least.fits_words() && most.fits_words());
        assert!(!(least - 1).fits_words() && !(most + 1).fits_words());
        assert!(u64::MAX.fits_words() && i64::MIN.fits_words());
    }

    #[test]
    fn nor_does_what_it_is_a_part_of() {
        let large = LARGEST + 1;
        assert!(!Wrapping(large).fits_words());
        assert!(!Some(large).fits_words() && None::<usize>.fits_words());
        assert!(![0, 0, large].fits_words() && [LARGEST; 3].fits_words());
        assert!(!(1u32, (2.0f32, large)).fits_words() && (1u32, (2.0f32, LARGEST)).fits_words());
        assert!(!Ok::<usize, u32>(large).fits_words() && !Err::<u32, isize>(isize::MIN).fits_words());
    }

    #[test]
    fn types_tell_whether_that_may_happen() {
        assert!(usize::TYPE.narrows() && <(u32, Option<[isize; 2]>)>::TYPE.narrows());
        assert!(<Wrapping<usize>>::TYPE.narrows() && <Result<u32, usize>>::TYPE.narrows());
        assert!(!u64::TYPE.narrows() && !<(u32, Option<[i64; 2]>, Wrapping<u8>)>::TYPE.narrows());
    }
}
