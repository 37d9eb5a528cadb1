//! What `#[routine]` and `#[derive(VmType)]` implement and call: the sources of functions and methods, their encoding, and layouts.

use std::marker::PhantomData;

use crate::encode::{Encoded, Source, encode};
use crate::facts::{CallFact, Fact, Facts};
use crate::routine::Routine;
use crate::types::{Field, Type, TypeRef, name_hash};

/// A type that stands for a routine of which there is a source.
pub trait RoutineSource {
    /// What the macro emitted.
    const SOURCE: &'static Source;
}

/// The code of a method, by a hash of its name and trait; `Right` is the right operand's type of an operator. `#[routine] impl` makes
/// one, so that `Self` means in the shadow what it means in the block.
pub trait MethodBody<const NAME: u32, Right: ?Sized = ()> {
    /// Types of the parameters, `self` first.
    const PARAMS: &'static [TypeRef];
    /// Type of the result.
    const RESULT: TypeRef;
    /// What the macro emitted.
    const SOURCE: &'static Source;
    /// The method as a fact.
    const CALL: CallFact = CallFact {
        routine: Self::routine,
        params: Self::PARAMS,
        result: Self::RESULT,
    };
    /// The encoded routine.
    fn routine() -> &'static Routine;
}

/// Stands for a method of a type.
pub struct MethodOf<T: ?Sized, Right: ?Sized, const NAME: u32>(PhantomData<fn(&T, &Right)>);

impl<T: MethodBody<NAME, Right> + ?Sized, Right: ?Sized, const NAME: u32> RoutineSource for MethodOf<T, Right, NAME> {
    const SOURCE: &'static Source = T::SOURCE;
}

/// The encoding of a source: tried with room for `FIRST` entries a list, then, only if that was too little, for `SECOND`. Associated
/// constants, so that `cargo check` evaluates none of it and generic routines are encoded for each instance.
pub struct Encoding<S, const FIRST: usize, const SECOND: usize>(PhantomData<S>);

impl<S: RoutineSource, const FIRST: usize, const SECOND: usize> Encoding<S, FIRST, SECOND> {
    const SMALL: &'static Encoded<FIRST> = &encode::<FIRST>(S::SOURCE);
    const LARGE: &'static Encoded<SECOND> = &encode::<SECOND>(S::SOURCE);
    /// The routine.
    pub const ROUTINE: &'static Routine = &if Self::SMALL.overflowed() {
        Self::large()
    } else {
        Self::SMALL.routine(S::SOURCE)
    };

    /// A constant is evaluated with the function that names it, so this one has to be a function of its own.
    const fn large() -> Routine {
        assert!(
            !Self::LARGE.overflowed(),
            "this routine becomes more instructions than were foreseen: split it, or copy fewer large structs and arrays"
        );
        Self::LARGE.routine(S::SOURCE)
    }
}

/// Whether a routine calls others, by its facts.
pub const fn calls<S: RoutineSource>() -> bool {
    has_call(S::SOURCE.facts)
}

const fn has_call(facts: &Facts) -> bool {
    match facts {
        Facts::End => false,
        Facts::Slot(fact) => matches!(fact, Fact::Call(_)),
        Facts::Parts(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if has_call(parts[i]) {
                    return true;
                }
                i += 1;
            }
            false
        }
    }
}

/// The result type of a routine that never returns.
pub const NEVER: TypeRef = TypeRef::value(&Type::NEVER);

/// The fields of a struct or variant, laid out from `start` on: for each what it is looked up by, its name, and its type.
pub const fn layout<const N: usize>(start: u32, parts: [(&'static str, &'static str, &'static Type); N]) -> [Field; N] {
    let mut fields = [Field {
        hash: 0,
        name: "",
        ty: NEVER.ty,
        offset: 0,
    }; N];
    let mut offset = start;
    let mut i = 0;
    while i < N {
        let (key, name, ty) = parts[i];
        fields[i] = Field {
            hash: name_hash(key),
            name,
            ty,
            offset,
        };
        offset += ty.words;
        i += 1;
    }
    fields
}
