//! What the type of a launch parameter says of it.

use crate::types::{Kind, Type, TypeRef};

/// How the VMs of a launch see a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `x: T`: each VM its own value, or one for all.
    Value,
    /// `me: &mut T`: each VM its own record, written back.
    Record,
    /// `all: &[T]`: all VMs the whole slice.
    Slice,
    /// `out: &mut [T]`: each VM its own part of the slice.
    Chunk,
    /// `bins: &[AtomicU32]`, or of another atomic: all VMs the whole slice, with atomic access.
    Atomic,
    /// All VMs the whole slice, each entry of which at most one of them writes: a column that a kernel writes itself. No parameter of
    /// a routine is one.
    Whole,
}

impl Mode {
    /// The mode of a parameter and the type of its entries; `None` for a type that no launch can give, such as `&&T`.
    pub fn of(parameter: TypeRef) -> Option<(Mode, &'static Type)> {
        match (parameter.refs, parameter.ty.kind, parameter.ty.element) {
            (0, Kind::Slice | Kind::Atomic, _) | (1, Kind::Atomic, _) => None,
            (0, _, _) => Some((Mode::Value, parameter.ty)),
            (1, Kind::Slice, Some(element)) => Some(match (element.kind, element.element) {
                (Kind::Atomic, Some(word)) => (Mode::Atomic, word),
                _ if parameter.mutable => (Mode::Chunk, element),
                _ => (Mode::Slice, element),
            }),
            (1, _, _) if parameter.mutable => Some((Mode::Record, parameter.ty)),
            (1, _, _) => Some((Mode::Value, parameter.ty)),
            _ => None,
        }
    }

    /// Whether VMs write to such an argument.
    pub fn writes(self) -> bool {
        matches!(self, Mode::Record | Mode::Chunk | Mode::Atomic | Mode::Whole)
    }
}

/// The type of the atomics of 64 bits that a routine with such parameters uses, if any: not every device has them.
pub fn atomic_pairs<'t>(params: impl IntoIterator<Item = &'t TypeRef>) -> Option<&'static Type> {
    let atomic = |param: &TypeRef| param.ty.element.filter(|ty| ty.kind == Kind::Atomic && ty.words == 2);
    params.into_iter().find_map(atomic)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64};

    use super::*;

    #[test]
    fn parameters_tell_whether_there_are_pairs() {
        let params = [TypeRef::of::<&[AtomicU32]>(), TypeRef::of::<u64>()];
        assert!(atomic_pairs(&params).is_none());
        let params = [TypeRef::of::<&[u64]>(), TypeRef::of::<&[AtomicU64]>()];
        assert_eq!(atomic_pairs(&params).map(|ty| ty.name), Some("AtomicU64"));
    }
}
