//! Values of a routine that is being built, and variables.

use std::fmt;
use std::marker::PhantomData;

use super::{Body, Word};
use crate::assembly::types;
use crate::isa::Op;
use crate::types::{Field, Kind, Type, TypeRef, VmType};

/// A value that a routine will have. It is a handle: using it twice computes nothing twice.
pub struct Value<'b, T> {
    pub(crate) body: &'b Body,
    pub(crate) word: Word,
    /// The scope that it was made in.
    scope: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Value<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Value<'_, T> {}

impl<T: VmType> fmt::Debug for Value<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value<{}>(w{})", T::TYPE.name, self.word)
    }
}

/// What may stand where a value is needed: the value, or a constant.
pub trait Operand<'b, T> {
    #[doc(hidden)]
    fn value(self, body: &'b Body) -> Value<'b, T>;
}

impl<'b, T> Operand<'b, T> for Value<'b, T> {
    #[track_caller]
    fn value(self, body: &'b Body) -> Value<'b, T> {
        if !std::ptr::eq(self.body, body) {
            body.mistake("this value belongs to another routine; a parameter brings it here");
        } else if self.scope != 0 && !body.inner.borrow().scopes.contains(&self.scope) {
            body.mistake("this value belongs to a `scope` that has ended; a variable from before it brings it here");
        }
        Value::of(body, self.word)
    }
}

impl<'b, T: VmType> Operand<'b, T> for T {
    #[track_caller]
    fn value(self, body: &'b Body) -> Value<'b, T> {
        body.constant(self)
    }
}

impl<'b, T> Value<'b, T> {
    pub(crate) fn of(body: &'b Body, word: Word) -> Value<'b, T> {
        Value {
            body,
            word,
            scope: body.scope.get(),
            of: PhantomData,
        }
    }
}

impl Body {
    /// A constant.
    #[track_caller]
    pub fn constant<T: VmType>(&self, value: T) -> Value<'_, T> {
        let mut words = vec![0; T::TYPE.words as usize];
        value.write_words(&mut words);
        let first = self.words(T::TYPE.words);
        for (word, value) in (first..).zip(words) {
            self.emit(Op::Imm, [word, value, 0, 0]);
        }
        if !value.fits_words() {
            self.mistake("this `usize` or `isize` does not fit 32 bits, which is what these have in a VM");
        }
        Value::of(self, first)
    }

    /// A place for a value that changes, which holds this one at first. A debugger shows it by the name.
    #[track_caller]
    pub fn variable<'b, T: VmType>(&'b self, name: &str, first: impl Operand<'b, T>) -> Variable<'b, T> {
        let first = first.value(self);
        let words = T::TYPE.words;
        let word = self.words(words);
        self.copy(word, first.word, words);
        {
            let mut inner = self.inner.borrow_mut();
            let line = inner.line_of(std::panic::Location::caller());
            inner.variable(name, word, TypeRef::value(T::TYPE), line);
        }
        Variable {
            place: Value::of(self, word),
        }
    }

    /// Either of two values, as a condition says. Both are computed.
    #[track_caller]
    pub fn select<'b, T: VmType>(
        &'b self,
        condition: impl Operand<'b, bool>,
        then: impl Operand<'b, T>,
        otherwise: impl Operand<'b, T>,
    ) -> Value<'b, T> {
        let (condition, then, otherwise) = (condition.value(self), then.value(self), otherwise.value(self));
        let first = self.words(T::TYPE.words);
        for k in 0..T::TYPE.words {
            self.emit(
                Op::Select,
                [first + k, condition.word, then.word + k, otherwise.word + k],
            );
        }
        Value::of(self, first)
    }

    /// A tuple, an array or a struct of its parts: their words one after the other.
    #[track_caller]
    pub fn make<'b, T: VmType>(&'b self, parts: impl super::Arguments<'b>) -> Value<'b, T> {
        let parts = parts.arguments(self);
        let wanted = parts_of(T::TYPE);
        let found: Vec<TypeRef> = parts.iter().map(|(ty, _)| *ty).collect();
        let fits = wanted.len() == found.len()
            && found
                .iter()
                .zip(&wanted)
                .all(|(found, wanted)| found.serves_as(*wanted));
        let first = self.words(T::TYPE.words);
        if !fits {
            self.mistake(format!(
                "`{}` is made of ({}), and is given ({})",
                TypeRef::value(T::TYPE),
                TypeRef::listed(&wanted),
                TypeRef::listed(&found)
            ));
            return Value::of(self, first);
        }
        let mut to = first;
        for (ty, word) in parts {
            self.copy(to, word, ty.words());
            to += ty.words();
        }
        Value::of(self, first)
    }
}

/// What a value of the type consists of, in order.
fn parts_of(ty: &'static Type) -> Vec<TypeRef> {
    match (ty.kind, ty.element) {
        (Kind::Array, Some(element)) => vec![TypeRef::value(element); ty.length as usize],
        _ => ty.fields.iter().map(Field::type_ref).collect(),
    }
}

/// The field of a type by its name, its number for a tuple's: where it lies.
pub(super) fn field_of<F: VmType>(body: &Body, ty: &'static Type, name: &str) -> u32 {
    let mut fields = ty.fields.iter().enumerate();
    let found = fields.find(|(index, field)| field.name == name || field.name.is_empty() && index.to_string() == name);
    match found {
        Some((_, field)) if field.refs == 0 && field.ty.same(F::TYPE) => field.offset,
        Some((_, field)) => {
            body.mistake(format!(
                "field `{name}` of `{}` is `{}`, and not `{}`",
                ty.name,
                types::print(field.type_ref()),
                types::print(TypeRef::value(F::TYPE))
            ));
            0
        }
        None => {
            let known: Vec<String> = ty
                .fields
                .iter()
                .enumerate()
                .map(|(index, field)| match field.name {
                    "" => index.to_string(),
                    name => name.to_string(),
                })
                .collect();
            body.mistake(format!(
                "`{}` has no field `{name}`; it has: {}",
                ty.name,
                known.join(", ")
            ));
            0
        }
    }
}

/// The element of an array at an index: where it lies.
#[track_caller]
pub(super) fn element_of<E: VmType>(body: &Body, ty: &'static Type, index: u32) -> u32 {
    match ty.element {
        Some(element) if ty.kind == Kind::Array && element.same(E::TYPE) && index < ty.length => index * element.words,
        _ => {
            body.mistake(format!(
                "`{}` has no element {index} of type `{}`",
                TypeRef::value(ty),
                TypeRef::value(E::TYPE)
            ));
            0
        }
    }
}

impl<'b, T: VmType> Value<'b, T> {
    /// A field of a struct by its name, or of a tuple by its number (`"0"`).
    #[track_caller]
    pub fn field<F: VmType>(self, name: &str) -> Value<'b, F> {
        let offset = field_of::<F>(self.body, T::TYPE, name);
        Value::of(self.body, self.word + offset)
    }

    /// An element of an array at a fixed index; one that is only known later is an [`Array`](super::Array)'s.
    #[track_caller]
    pub fn element<E: VmType>(self, index: u32) -> Value<'b, E> {
        Value::of(self.body, self.word + element_of::<E>(self.body, T::TYPE, index))
    }
}

/// A place for a value that changes.
pub struct Variable<'b, T> {
    place: Value<'b, T>,
}

impl<T> Clone for Variable<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Variable<'_, T> {}

impl<T: VmType> fmt::Debug for Variable<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variable<{}>(w{})", T::TYPE.name, self.place.word)
    }
}

impl<'b, T: VmType> Variable<'b, T> {
    /// What it holds now.
    #[track_caller]
    pub fn get(self) -> Value<'b, T> {
        let body = self.place.body;
        let word = body.words(T::TYPE.words);
        body.copy(word, self.place.word, T::TYPE.words);
        Value::of(body, word)
    }

    /// Lets it hold this.
    #[track_caller]
    pub fn set(self, value: impl Operand<'b, T>) {
        let body = self.place.body;
        let value = value.value(body);
        body.copy(self.place.word, value.word, T::TYPE.words);
    }
}
