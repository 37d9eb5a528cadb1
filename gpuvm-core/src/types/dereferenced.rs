//! `Deref` of a type, where its user has written that as a routine: for fields, `*value` and coercions, which rustc finds behind it without a word.

use super::{Comparison, Type, TypeRef};
use crate::routine::Routine;

/// What `Deref` makes of a type. The routines are without their signatures, because those would hold the type itself.
#[derive(Clone, Copy, Debug)]
pub struct Dereferenced {
    /// What it leads to.
    pub target: TypeRef,
    /// `Deref::deref`.
    pub deref: fn() -> &'static Routine,
    /// `DerefMut::deref_mut`.
    pub deref_mut: Comparison,
}

impl Type {
    /// The type with the `Deref` and `DerefMut` that its user has written.
    pub const fn dereferenced(self, deref: Option<Dereferenced>, deref_mut: Comparison) -> Type {
        let dereferenced = match deref {
            Some(deref) => Some(Dereferenced { deref_mut, ..deref }),
            None => None,
        };
        Type { dereferenced, ..self }
    }
}
