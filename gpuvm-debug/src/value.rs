//! Values of a stopped VM: words with a type, taken apart, computed with and written back.

use gpuvm_core::isa::space;
use gpuvm_core::types::{Field, Kind, Type, TypeRef, VmType, show_words};

/// What a debugged VM sees beside the variables at hand: words by space and offset.
pub(crate) trait Memory {
    /// A word, `None` where there is none.
    fn word(&self, space: u32, offset: u32) -> Option<u32>;
}

/// A value that a debugger shows or computes.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: TypeRef,
    /// Its words; `None` for what the optimised program does not keep.
    pub words: Vec<Option<u32>>,
    /// Whether it is an integer literal without a type, which takes the type of what it meets.
    pub(crate) is_untyped: bool,
}

/// What a number is computed as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
    Single(f32),
}

impl Value {
    /// A value of a Rust type.
    pub(crate) fn of<T: VmType>(value: T) -> Value {
        let mut words = vec![0; T::TYPE.words as usize];
        value.write_words(&mut words);
        Value {
            ty: TypeRef::value(T::TYPE),
            words: words.into_iter().map(Some).collect(),
            is_untyped: false,
        }
    }

    /// A value of known words.
    pub(crate) fn known(ty: TypeRef, words: Vec<u32>) -> Value {
        Value {
            ty,
            words: words.into_iter().map(Some).collect(),
            is_untyped: false,
        }
    }

    /// As `{:?}` prints it, with `?` for what is not kept.
    pub fn show(&self) -> String {
        if self.words.iter().all(Option::is_none) && !self.words.is_empty() {
            return "<optimised away>".to_string();
        }
        show_words(self.ty, &self.words)
    }

    /// The words, unless some are not kept.
    pub(crate) fn all_words(&self) -> Option<Vec<u32>> {
        self.words.iter().copied().collect()
    }

    /// A part that starts so many words from its start.
    fn part(&self, ty: TypeRef, offset: u32) -> Value {
        let words = (offset..offset + ty.words()).map(|at| self.words.get(at as usize).copied().flatten());
        Value {
            ty,
            words: words.collect(),
            is_untyped: false,
        }
    }

    /// What a reference leads to, and of what it is no reference itself.
    pub(crate) fn dereferenced(&self, memory: &dyn Memory) -> Option<Value> {
        let mut value = self.clone();
        while value.ty.refs > 0 && !value.is_slice() {
            value = value.target(memory)?;
        }
        Some(value)
    }

    /// What a reference to something of a size leads to.
    fn target(&self, memory: &dyn Memory) -> Option<Value> {
        let ty = TypeRef {
            refs: self.ty.refs.checked_sub(1)?,
            mutable: false,
            ..self.ty
        };
        let (space, offset) = (self.words.first().copied()??, self.words.get(1).copied()??);
        Some(read(memory, ty, space, offset))
    }

    /// Whether it is a reference to a slice.
    pub(crate) fn is_slice(&self) -> bool {
        self.ty.refs == 1 && self.ty.ty.kind == Kind::Slice
    }

    /// How many elements an array or a slice has.
    pub(crate) fn len(&self) -> Option<u32> {
        match self.ty.ty.kind {
            Kind::Slice if self.is_slice() => self.words.get(2).copied().flatten(),
            Kind::Array if self.ty.refs == 0 => Some(self.ty.ty.length),
            _ => None,
        }
    }

    /// An element of an array or a slice.
    pub(crate) fn element(&self, memory: &dyn Memory, index: u32) -> Option<Value> {
        let element = self.ty.ty.element_ref()?;
        if index >= self.len()? {
            return None;
        }
        if !self.is_slice() {
            return Some(self.part(element, index * element.words()));
        }
        let (space, offset) = (self.words.first().copied()??, self.words.get(1).copied()??);
        Some(read(
            memory,
            element,
            space,
            offset.wrapping_add(index.wrapping_mul(element.words())),
        ))
    }

    /// The fields that it has now: of an enum, those of its variant.
    fn fields(&self) -> &'static [Field] {
        if self.ty.refs > 0 {
            return &[];
        }
        match self.ty.ty.kind {
            Kind::Enum => match self.words.first().copied().flatten() {
                Some(tag) => self
                    .ty
                    .ty
                    .variants
                    .get(tag as usize)
                    .map_or(&[], |variant| variant.fields),
                None => &[],
            },
            Kind::Struct | Kind::Tuple => self.ty.ty.fields,
            _ => &[],
        }
    }

    /// The field of this name, or of a tuple of this number.
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        let field = field_named(self.fields(), name)?;
        Some(self.part(field.type_ref(), field.offset))
    }

    /// The name of an enum's variant.
    pub(crate) fn variant(&self) -> Option<&'static str> {
        let tag = self.words.first().copied()??;
        let variants = if self.ty.refs == 0 { self.ty.ty.variants } else { &[] };
        variants.get(tag as usize).map(|variant| variant.name)
    }

    /// How many parts a debugger can unfold of it.
    pub(crate) fn count(&self, memory: &dyn Memory) -> u32 {
        if let Some(len) = self.len() {
            return if self.ty.ty.is_text() { 0 } else { len };
        }
        match self.ty.refs {
            0 => self.fields().len() as u32,
            _ => self.dereferenced(memory).map_or(0, |target| match target.len() {
                Some(len) => len,
                None => (target.fields().len() as u32).max(1),
            }),
        }
    }

    /// Some of its parts, with what stands for each behind the name of the whole: `.x`, `[3]`, or nothing for what a reference leads to.
    pub(crate) fn parts(&self, memory: &dyn Memory, range: std::ops::Range<u32>) -> Vec<(String, Value)> {
        if self.ty.refs > 0 && !self.is_slice() {
            return match self.dereferenced(memory) {
                Some(target) if target.count(memory) > 0 => target.parts(memory, range),
                Some(target) => vec![("*".to_string(), target)],
                None => Vec::new(),
            };
        }
        if let Some(len) = self.len() {
            let indices = range.start..range.end.min(len);
            return indices
                .filter_map(|index| Some((format!("[{index}]"), self.element(memory, index)?)))
                .collect();
        }
        let fields = self.fields().iter().enumerate();
        let named = fields.map(|(index, field)| {
            let name = match field.name {
                "" => format!(".{index}"),
                name => format!(".{name}"),
            };
            (name, self.part(field.type_ref(), field.offset))
        });
        named.skip(range.start as usize).take(range.len()).collect()
    }

    /// The scalar type that it is computed as: what is wrapped, for what wraps one.
    pub(crate) fn scalar(&self) -> Option<&'static Type> {
        let ty = match (self.ty.refs, self.ty.ty.kind) {
            (0, Kind::Wrapping | Kind::Atomic) => self.ty.ty.element?,
            (0, _) => self.ty.ty,
            _ => return None,
        };
        is_scalar(ty.kind).then_some(ty)
    }

    /// The number that it is.
    pub(crate) fn number(&self) -> Option<Number> {
        let ty = self.scalar()?;
        let words = self.all_words()?;
        Some(match ty.kind {
            Kind::F32 => Number::Single(f32::read_words(&words)),
            Kind::F64 => Number::Float(f64::read_words(&words)),
            Kind::I64 => Number::Integer(i64::read_words(&words).into()),
            Kind::U64 => Number::Integer(u64::read_words(&words).into()),
            Kind::I128 => Number::Integer(i128::read_words(&words)),
            Kind::U128 => Number::Integer(i128::try_from(u128::read_words(&words)).ok()?),
            Kind::Bool => return None,
            kind if kind.is_signed() => Number::Integer((words[0] as i32).into()),
            _ => Number::Integer(words[0].into()),
        })
    }

    /// The index that it is.
    pub(crate) fn index(&self) -> Option<u32> {
        match self.number()? {
            Number::Integer(number) => number.try_into().ok(),
            _ => None,
        }
    }

    /// Whether it is `true` or `false`.
    pub(crate) fn truth(&self) -> Option<bool> {
        match (self.scalar()?.kind, self.words.first()) {
            (Kind::Bool, Some(Some(word))) => Some(*word != 0),
            _ => None,
        }
    }
}

/// The field of this name, or of a tuple of this number.
pub(crate) fn field_named(fields: &'static [Field], name: &str) -> Option<&'static Field> {
    let named = |(index, field): &(usize, &Field)| match field.name {
        "" => index.to_string() == name,
        own => own == name,
    };
    fields.iter().enumerate().find(named).map(|(_, field)| field)
}

/// The variant that a method such as `is_some` asks for.
pub(crate) fn asked_variant(method: &str) -> Option<&'static str> {
    Some(match method {
        "is_some" => "Some",
        "is_none" => "None",
        "is_ok" => "Ok",
        "is_err" => "Err",
        _ => return None,
    })
}

/// A value in memory.
pub(crate) fn read(memory: &dyn Memory, ty: TypeRef, space: u32, offset: u32) -> Value {
    let words = (0..ty.words()).map(|at| memory.word(space, offset.wrapping_add(at)));
    Value {
        ty,
        words: words.collect(),
        is_untyped: false,
    }
}

/// The slice of a column's entries, so many of them.
pub(crate) fn slice(ty: &'static Type, at: (u32, u32), len: u32) -> Value {
    let ty = TypeRef {
        ty,
        refs: 1,
        mutable: false,
    };
    Value::known(ty, vec![at.0, at.1, len])
}

fn is_scalar(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Never
            | Kind::Wrapping
            | Kind::Atomic
            | Kind::Half
            | Kind::Tuple
            | Kind::Struct
            | Kind::Enum
            | Kind::Array
            | Kind::Slice
            | Kind::Closure
    )
}

/// The words of an integer as one of that kind, `None` if it does not fit.
pub(crate) fn integer_words(kind: Kind, value: i128) -> Option<Vec<u32>> {
    fn words<T: VmType>(value: Result<T, std::num::TryFromIntError>) -> Option<Vec<u32>> {
        let mut words = vec![0; T::TYPE.words as usize];
        value.ok()?.write_words(&mut words);
        Some(words)
    }
    match kind {
        Kind::I8 => words(i8::try_from(value)),
        Kind::U8 => words(u8::try_from(value)),
        Kind::I16 => words(i16::try_from(value)),
        Kind::U16 => words(u16::try_from(value)),
        Kind::I32 | Kind::Isize => words(i32::try_from(value)),
        Kind::U32 | Kind::Usize => words(u32::try_from(value)),
        Kind::I64 => words(i64::try_from(value)),
        Kind::U64 => words(u64::try_from(value)),
        Kind::I128 => words(Ok(value)),
        Kind::U128 => words(u128::try_from(value)),
        _ => None,
    }
}

/// The words of an integer cut to that kind, as `as` does it.
pub(crate) fn cast_words(kind: Kind, value: i128) -> Option<Vec<u32>> {
    let cut = match kind {
        Kind::I8 => (value as i8).into(),
        Kind::U8 => (value as u8).into(),
        Kind::I16 => (value as i16).into(),
        Kind::U16 => (value as u16).into(),
        Kind::I32 | Kind::Isize => (value as i32).into(),
        Kind::U32 | Kind::Usize => (value as u32).into(),
        Kind::I64 => (value as i64).into(),
        Kind::U64 => (value as u64).into(),
        _ => value,
    };
    integer_words(kind, cut)
}

/// A space's name for people.
pub(crate) fn space_name(of: u32) -> &'static str {
    match of {
        space::FRAME => "the VM's frame",
        space::ARENA => "a column",
        space::ATOMIC => "an atomic",
        _ => "the program's data",
    }
}
