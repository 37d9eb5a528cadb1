//! The types of the language as data: how many words a value has and how they lie. [`Value`] carries that data from rustc to
//! the encoder, [`VmType`] moves values in and out of words at run time.

mod comparison;
mod constant;
mod depth;
mod dereferenced;
mod enclosed;
mod half;
mod message;
mod show;
mod value;

pub use comparison::{ByHand, Comparison, Comparisons, any_clones};
pub use constant::{
    ConstantField, ConstantValue, ConstantWord, NoConstant, constant_words, plain_words, variant_words,
};
pub use depth::{Against, Succ, Zero};
pub use dereferenced::Dereferenced;
pub use gpuvm_nodes::{FormatSpec, Kind, Placeholder, name_hash};
pub use half::{half_type, half_value};
pub use message::{Answer, MAX_MESSAGE_BYTES, MAX_STATE_BYTES, RingMessage, Undecodable};
pub use show::{format_words, show_as, show_words};
pub use value::{
    AsWords, Plain, Referred, Static, Value, VmType, canonical_nan, field, field_mut, payload, payload_mut,
};

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
    /// How many references stand before each element.
    pub element_refs: u8,
    /// Elements of an array.
    pub length: u32,
    /// Of an array: the slice type of its elements.
    pub slice: Option<&'static Type>,
    /// Whether it is a closure or holds one, so that its values exist for the encoder alone.
    pub opaque: bool,
    /// How two values compare.
    pub comparisons: Comparisons,
    /// What `Deref` makes of it.
    pub dereferenced: Option<Dereferenced>,
}

/// One field of a struct, tuple or variant.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// [`name_hash`] of the name; of the decimal index for a tuple's.
    pub hash: u32,
    /// The name; empty for a tuple's.
    pub name: &'static str,
    /// Its type, behind references.
    pub ty: &'static Type,
    /// How many references stand before it.
    pub refs: u8,
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

impl Variant {
    /// A variant without fields.
    pub(crate) const fn unit(name: &'static str, discriminant: i64) -> Variant {
        Variant {
            hash: name_hash(name),
            name,
            fields: &[],
            discriminant,
        }
    }
}

impl Field {
    /// Its type with its references.
    pub const fn type_ref(&self) -> TypeRef {
        TypeRef {
            ty: self.ty,
            refs: self.refs,
            mutable: false,
        }
    }
}

impl Type {
    /// `!`, the type of what is never made.
    pub const NEVER: Type = Type {
        kind: Kind::Never,
        name: "!",
        words: 0,
        fields: &[],
        variants: &[],
        element: None,
        element_refs: 0,
        length: 0,
        slice: None,
        opaque: false,
        comparisons: Comparisons::DERIVED,
        dereferenced: None,
    };

    /// The type of all closures.
    pub const CLOSURE: Type = Type {
        kind: Kind::Closure,
        name: "closure",
        opaque: true,
        ..Type::NEVER
    };

    /// A scalar type.
    pub const fn scalar(kind: Kind, name: &'static str) -> Type {
        Type {
            kind,
            name,
            words: kind.words(),
            fields: &[],
            variants: &[],
            element: None,
            element_refs: 0,
            length: 0,
            slice: None,
            opaque: false,
            comparisons: Comparisons::DERIVED,
            dereferenced: None,
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
            element_refs: 0,
            length: 0,
            slice: None,
            opaque: has_opaque(fields),
            comparisons: Comparisons::DERIVED,
            dereferenced: None,
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
            element_refs: 0,
            length: 0,
            slice: None,
            opaque: false,
            comparisons: Comparisons::DERIVED,
            dereferenced: None,
        }
    }

    /// The array that a `Cell` holds.
    pub const fn array_in_cell(&self) -> Option<&'static Type> {
        match (self.kind, self.name.as_bytes(), self.fields) {
            (Kind::Struct, b"Cell", [Field { ty, refs: 0, .. }]) if matches!(ty.kind, Kind::Array) => Some(ty),
            _ => None,
        }
    }

    /// The type of an element with its references.
    pub const fn element_ref(&self) -> Option<TypeRef> {
        match self.element {
            Some(ty) => Some(TypeRef {
                ty,
                refs: self.element_refs,
                mutable: false,
            }),
            None => None,
        }
    }

    /// The kind that arithmetic sees: the element's for `Wrapping`, the own kind for all else.
    pub const fn arithmetic_kind(&self) -> Kind {
        match (self.kind, self.element) {
            (Kind::Wrapping, Some(element)) => element.kind,
            _ => self.kind,
        }
    }

    /// Whether there are references among its elements or fields.
    pub const fn holds_references(&self) -> bool {
        if let Some(element) = self.element_ref()
            && (element.refs > 0 || element.ty.holds_references())
        {
            return true;
        }
        let mut i = 0;
        while i < self.fields.len() {
            if self.fields[i].refs > 0 || self.fields[i].ty.holds_references() {
                return true;
            }
            i += 1;
        }
        false
    }

    /// The name of std's `Duration`.
    pub const DURATION: &'static str = "Duration";

    /// Whether it is std's `Duration`, and no type of that name: the fields of that have other names.
    pub const fn is_duration(&self) -> bool {
        matches!(self.name.as_bytes(), b"Duration")
            && matches!(self.fields, [first, ..] if matches!(first.name.as_bytes(), b"__secs"))
    }

    /// Whether it is std's `OnceCell`, and no type of that name: the fields of that have other names.
    pub fn is_once_cell(&self) -> bool {
        self.name == "OnceCell" && self.fields.first().is_some_and(|field| field.name == "__value")
    }

    /// Whether it is `char`, which is a `u32` to the machine.
    pub fn is_char(&self) -> bool {
        self.kind == Kind::U32 && self.name == "char"
    }

    /// Whether it is `str`, which is a slice of bytes to the machine.
    pub const fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Slice) && matches!(self.name.as_bytes(), b"str")
    }

    /// Whether a value may have more bits than its words: there is a `usize` or `isize` in it, see [`VmType::fits_words`].
    pub fn narrows(&self) -> bool {
        let any = |fields: &[Field]| fields.iter().any(|field| field.ty.narrows());
        matches!(self.kind, Kind::Usize | Kind::Isize)
            || self.element.is_some_and(Type::narrows)
            || any(self.fields)
            || self.variants.iter().any(|variant| any(variant.fields))
    }

    /// Whether two types are the same as far as their values' words go: structure and names.
    pub fn same(&self, other: &Type) -> bool {
        std::ptr::eq(self, other)
            || self.kind == other.kind
                && self.name == other.name
                && self.length == other.length
                && self.element_refs == other.element_refs
                && self.fields.len() == other.fields.len()
                && self
                    .fields
                    .iter()
                    .zip(other.fields)
                    .all(|(a, b)| a.hash == b.hash && a.refs == b.refs && a.ty.same(b.ty))
                && self.variants.len() == other.variants.len()
                && self.variants.iter().zip(other.variants).all(|(a, b)| {
                    a.hash == b.hash
                        && a.fields.len() == b.fields.len()
                        && a.fields
                            .iter()
                            .zip(b.fields)
                            .all(|(a, b)| a.refs == b.refs && a.ty.same(b.ty))
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
        match (self.kind, self.element_ref()) {
            (Kind::Tuple, _) => {
                f.write_str("(")?;
                for (i, field) in self.fields.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}", field.ty)?;
                }
                f.write_str(if self.fields.len() == 1 { ",)" } else { ")" })
            }
            (Kind::Array, Some(element)) => write!(f, "[{element}; {}]", self.length),
            (Kind::Slice, Some(element)) if !self.is_text() => write!(f, "[{element}]"),
            (Kind::Wrapping, Some(element)) => write!(f, "Wrapping<{element}>"),
            _ => f.write_str(self.name),
        }
    }
}

/// Words up to the end of the last field, starting at `start`.
const fn fields_end(fields: &[Field], start: u32) -> u32 {
    match fields {
        [.., last] => last.offset + last.type_ref().words(),
        [] => start,
    }
}

/// Whether a field is, or holds, a closure.
const fn has_opaque(fields: &[Field]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if fields[i].ty.opaque {
            return true;
        }
        i += 1;
    }
    false
}

/// A type behind a number of references, `&` and `&mut` alike. A reference is two words (space, offset), one to a slice three
/// (space, offset, length).
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

    /// A closure behind that many references.
    pub const fn closure(refs: u8) -> TypeRef {
        TypeRef {
            ty: &Type::CLOSURE,
            refs,
            mutable: false,
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

    /// Whether both are the same type behind as many references, of which either both may be written through or neither.
    pub fn same(self, other: TypeRef) -> bool {
        self.refs == other.refs && self.mutable == other.mutable && self.ty.same(other.ty)
    }

    /// Whether a value of it may be given where `wanted` is: as it is, or a `&mut` for a `&`.
    pub fn serves_as(self, wanted: TypeRef) -> bool {
        self.refs == wanted.refs && (self.mutable || !wanted.mutable) && self.ty.same(wanted.ty)
    }

    /// Whether it is a value that refers to nothing.
    pub fn is_value(self) -> bool {
        self.refs == 0 && !self.ty.holds_references()
    }

    /// Types for people.
    pub fn listed(types: &[TypeRef]) -> String {
        let texts: Vec<String> = types.iter().map(TypeRef::to_string).collect();
        texts.join(", ")
    }

    /// Words of such a value.
    pub const fn words(self) -> u32 {
        match (self.refs, self.ty.kind) {
            (0, _) => self.ty.words,
            (1, Kind::Slice) => 3,
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
