//! The types of the language as data: how many words a value has and how they lie. [`Value`] carries that data from rustc to
//! the encoder, [`VmType`] moves values in and out of words at run time.

use std::num::Wrapping;
use std::sync::atomic::{AtomicI32, AtomicU32};

pub use gpuvm_nodes::{Kind, name_hash};

/// A type: its kind, its size in words and its parts.
#[derive(Debug)]
pub struct Type {
    /// What it is made of.
    pub kind: Kind,
    /// Its name as a user writes it, without generic arguments.
    pub name: &'static str,
    /// Words of a value; 0 for a slice.
    pub words: u32,
    /// Fields of a struct or tuple, in order.
    pub fields: &'static [Field],
    /// Variants of an enum, in order. The tag word holds the index, the payload follows.
    pub variants: &'static [Variant],
    /// Of what an array, slice, wrapping or atomic is.
    pub element: Option<&'static Type>,
    /// Elements of an array.
    pub length: u32,
    /// Of an array: the slice type of its elements.
    pub slice: Option<&'static Type>,
}

/// One field of a struct, tuple or variant.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// [`name_hash`] of the name; of the decimal index for a tuple's.
    pub hash: u32,
    /// The name; empty for a tuple's.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static Type,
    /// Words from the start of the value (for a variant's field: from the start of the enum, tag included).
    pub offset: u32,
}

/// One variant of an enum.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// [`name_hash`] of the name.
    pub hash: u32,
    /// The name.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
    /// Its discriminant, what `as` gives for a fieldless enum.
    pub discriminant: i64,
}

impl Type {
    /// A scalar type.
    pub const fn scalar(kind: Kind, name: &'static str) -> Type {
        Type {
            kind,
            name,
            words: if kind.bits() == 64 { 2 } else { 1 },
            fields: &[],
            variants: &[],
            element: None,
            length: 0,
            slice: None,
        }
    }

    /// A struct or tuple of the given fields.
    pub const fn record(kind: Kind, name: &'static str, fields: &'static [Field]) -> Type {
        Type {
            kind,
            name,
            words: fields_end(fields, 0),
            fields,
            variants: &[],
            element: None,
            length: 0,
            slice: None,
        }
    }

    /// An enum of the given variants: one tag word, then the longest payload.
    pub const fn tagged(name: &'static str, variants: &'static [Variant]) -> Type {
        let mut words = 1;
        let mut i = 0;
        while i < variants.len() {
            let end = fields_end(variants[i].fields, 1);
            if end > words {
                words = end;
            }
            i += 1;
        }
        Type {
            kind: Kind::Enum,
            name,
            words,
            fields: &[],
            variants,
            element: None,
            length: 0,
            slice: None,
        }
    }

    /// The kind that arithmetic sees: the element's for `Wrapping`, the own kind for all else.
    pub const fn arithmetic_kind(&self) -> Kind {
        match (self.kind, self.element) {
            (Kind::Wrapping, Some(element)) => element.kind,
            _ => self.kind,
        }
    }

    /// Whether two types are the same as far as their values' words go: structure and names.
    pub fn same(&self, other: &Type) -> bool {
        std::ptr::eq(self, other)
            || self.kind == other.kind
                && self.name == other.name
                && self.length == other.length
                && self.fields.len() == other.fields.len()
                && self
                    .fields
                    .iter()
                    .zip(other.fields)
                    .all(|(a, b)| a.hash == b.hash && a.ty.same(b.ty))
                && self.variants.len() == other.variants.len()
                && self.variants.iter().zip(other.variants).all(|(a, b)| {
                    a.hash == b.hash
                        && a.fields.len() == b.fields.len()
                        && a.fields.iter().zip(b.fields).all(|(a, b)| a.ty.same(b.ty))
                })
                && match (self.element, other.element) {
                    (Some(a), Some(b)) => a.same(b),
                    (None, None) => true,
                    _ => false,
                }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.kind, self.element) {
            (Kind::Tuple, _) => {
                f.write_str("(")?;
                for (i, field) in self.fields.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}", field.ty)?;
                }
                f.write_str(if self.fields.len() == 1 { ",)" } else { ")" })
            }
            (Kind::Array, Some(element)) => write!(f, "[{element}; {}]", self.length),
            (Kind::Slice, Some(element)) => write!(f, "[{element}]"),
            (Kind::Wrapping, Some(element)) => write!(f, "Wrapping<{element}>"),
            _ => f.write_str(self.name),
        }
    }
}

/// Words up to the end of the last field, starting at `start`.
const fn fields_end(fields: &[Field], start: u32) -> u32 {
    match fields {
        [.., last] => last.offset + last.ty.words,
        [] => start,
    }
}

/// A type behind a number of references, `&` and `&mut` alike. A reference is two words (space, offset), one to a slice three
/// (space, offset, length); a reference to a reference does not occur in memory.
#[derive(Clone, Copy, Debug)]
pub struct TypeRef {
    /// What the innermost reference points to, or the type itself.
    pub ty: &'static Type,
    /// How many references stand before it.
    pub refs: u8,
    /// Whether the outermost reference is `&mut`.
    pub mutable: bool,
}

impl TypeRef {
    /// The type reference of a Rust type.
    pub const fn of<T: Value + ?Sized>() -> TypeRef {
        TypeRef {
            ty: T::TYPE,
            refs: T::REFS,
            mutable: T::MUTABLE,
        }
    }

    /// A type by value.
    pub const fn value(ty: &'static Type) -> TypeRef {
        TypeRef {
            ty,
            refs: 0,
            mutable: false,
        }
    }

    /// Words of such a value.
    pub const fn words(self) -> u32 {
        match (self.refs, self.ty.kind) {
            (0, _) => self.ty.words,
            (_, Kind::Slice) => 3,
            _ => 2,
        }
    }
}

impl std::fmt::Display for TypeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for i in 0..self.refs {
            f.write_str(if i == 0 && self.mutable { "&mut " } else { "&" })?;
        }
        write!(f, "{}", self.ty)
    }
}

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
pub fn field<'w>(words: &'w [u32], ty: &Type, index: usize) -> &'w [u32] {
    let field = &ty.fields[index];
    &words[field.offset as usize..(field.offset + field.ty.words) as usize]
}

/// The words of field `index` of a struct or tuple, to write.
pub fn field_mut<'w>(words: &'w mut [u32], ty: &Type, index: usize) -> &'w mut [u32] {
    let field = &ty.fields[index];
    &mut words[field.offset as usize..(field.offset + field.ty.words) as usize]
}

/// The words of field `index` of variant `variant` of an enum.
pub fn payload<'w>(words: &'w [u32], ty: &Type, variant: usize, index: usize) -> &'w [u32] {
    let field = &ty.variants[variant].fields[index];
    &words[field.offset as usize..(field.offset + field.ty.words) as usize]
}

/// The words of field `index` of variant `variant` of an enum, to write.
pub fn payload_mut<'w>(words: &'w mut [u32], ty: &Type, variant: usize, index: usize) -> &'w mut [u32] {
    let field = &ty.variants[variant].fields[index];
    &mut words[field.offset as usize..(field.offset + field.ty.words) as usize]
}
