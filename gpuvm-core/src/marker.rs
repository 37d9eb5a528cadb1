//! What `#[routine]` and `#[derive(VmType)]` implement and call: the sources of functions and methods, their encoding, and layouts.

use std::marker::PhantomData;

use crate::encode::{Encoded, Source, encode};
use crate::facts::{CallFact, Fact, Facts, Method, MethodSlot, RoutineType, never_linked};
use crate::routine::Routine;
use crate::types::{Comparison, ConstantValue, Dereferenced, Field, Static, Type, TypeRef, Value, Zero, name_hash};

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
    /// Its source, where its code is written where it is called.
    const INLINE: Option<&'static Source> = None;
    /// The method as a fact.
    const CALL: CallFact = CallFact {
        routine: match Self::INLINE {
            Some(_) => never_linked,
            None => Self::routine,
        },
        params: Self::PARAMS,
        result: Self::RESULT,
        inline: Self::INLINE,
        consumes: false,
    };
    /// The encoded routine.
    fn routine() -> &'static Routine;
}

/// Stands for a method of a type.
pub struct MethodOf<T: ?Sized, Right: ?Sized, const NAME: u32>(PhantomData<fn(&T, &Right)>);

impl<T: MethodBody<NAME, Right> + ?Sized, Right: ?Sized, const NAME: u32> RoutineSource for MethodOf<T, Right, NAME> {
    const SOURCE: &'static Source = T::SOURCE;
}

impl<T: MethodBody<NAME, Right> + ?Sized, Right: ?Sized, const NAME: u32> RoutineType for MethodOf<T, Right, NAME> {
    const PARAMS: &'static [TypeRef] = T::PARAMS;
    const RESULT: TypeRef = T::RESULT;
    const INLINE: Option<&'static Source> = T::INLINE;

    fn routine() -> &'static Routine {
        T::routine()
    }
}

/// What has found the method need not look for it by its name.
impl<T: MethodBody<NAME, Right> + ?Sized, Right: ?Sized, const NAME: u32, const ANY: u32> Method<ANY>
    for MethodOf<T, Right, NAME>
{
    type Slot = MethodSlot<ANY, Self>;
    const CALL: Option<CallFact> = Some(T::CALL);
}

/// The source of a routine one of whose parameters is, or holds, a closure.
pub const fn inline_if_opaque<S: RoutineSource>(params: &[TypeRef]) -> Option<&'static Source> {
    let mut i = 0;
    while i < params.len() {
        if params[i].ty.opaque {
            return Some(source_of::<S>());
        }
        i += 1;
    }
    None
}

/// A constant is evaluated with the function that names it, so this one has to be a function of its own.
const fn source_of<S: RoutineSource>() -> &'static Source {
    S::SOURCE
}

/// The encoding of a source: tried with the room `FIRST`, then, only if that was too little, with `SECOND`, `THIRD` and `FOURTH`. Associated
/// constants, so that `cargo check` evaluates none of it and generic routines are encoded for each instance.
pub struct Encoding<S, const FIRST: usize, const SECOND: usize, const THIRD: usize, const FOURTH: usize>(
    PhantomData<S>,
);

impl<S: RoutineSource, const FIRST: usize, const SECOND: usize, const THIRD: usize, const FOURTH: usize>
    Encoding<S, FIRST, SECOND, THIRD, FOURTH>
{
    /// The routine.
    pub const ROUTINE: &'static Routine = &if Attempt::<S, FIRST>::ENCODED.overflowed() {
        Self::second()
    } else {
        Attempt::<S, FIRST>::routine()
    };

    /// A constant is evaluated with the function that names it, so this one has to be a function of its own.
    const fn second() -> Routine {
        if Attempt::<S, SECOND>::ENCODED.overflowed() {
            Self::third()
        } else {
            Attempt::<S, SECOND>::routine()
        }
    }

    const fn third() -> Routine {
        if Attempt::<S, THIRD>::ENCODED.overflowed() {
            Self::fourth()
        } else {
            Attempt::<S, THIRD>::routine()
        }
    }

    const fn fourth() -> Routine {
        if Attempt::<S, FOURTH>::ENCODED.overflowed() {
            TOO_LONG.routine(S::SOURCE)
        } else {
            Attempt::<S, FOURTH>::routine()
        }
    }
}

/// What a source for which no room was enough becomes.
const TOO_LONG: &Encoded<0> = &Encoded::too_long();

/// The encoding of a source, if the room `CAP` is enough.
struct Attempt<S, const CAP: usize>(PhantomData<S>);

impl<S: RoutineSource, const CAP: usize> Attempt<S, CAP> {
    const ENCODED: &'static Encoded<CAP> = &encode::<CAP>(S::SOURCE);

    /// The routine in about as much room as it needs, because all the room becomes a part of the user's program.
    const fn routine() -> Routine {
        macro_rules! fitted {
            ($($room:literal)*) => {
                match Self::ENCODED.needed() {
                    $(..=$room => Fitted::<S, CAP, $room>::routine(),)*
                    _ => Self::ENCODED.routine(S::SOURCE),
                }
            };
        }
        fitted!(1 2 3 4 6 8 12 16 24 32 48 64 96 128 192 256 384 512 768 1024)
    }
}

/// What was encoded in the room `CAP`, in the room `NEEDED`.
struct Fitted<S, const CAP: usize, const NEEDED: usize>(PhantomData<S>);

impl<S: RoutineSource, const CAP: usize, const NEEDED: usize> Fitted<S, CAP, NEEDED> {
    const ENCODED: &'static Encoded<NEEDED> = &Attempt::<S, CAP>::ENCODED.fitted();

    const fn routine() -> Routine {
        Self::ENCODED.routine(S::SOURCE)
    }
}

/// Whether a routine calls others, by its facts.
pub const fn calls<S: RoutineSource>() -> bool {
    has_call(S::SOURCE.facts)
}

const fn has_call(facts: &Facts) -> bool {
    match facts {
        Facts::End => false,
        Facts::Slot(fact) => matches!(fact, Fact::Call(_) | Fact::Own | Fact::Through(_)),
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

/// Whether a routine that is given closures calls itself, by its facts.
pub const fn calls_itself(facts: &Facts) -> bool {
    match facts {
        Facts::End => false,
        Facts::Slot(fact) => matches!(fact, Fact::Own),
        Facts::Parts(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if calls_itself(parts[i]) {
                    return true;
                }
                i += 1;
            }
            false
        }
    }
}

macro_rules! written {
    ($($name:ident)*) => {
        /// What a type's user has written of std's comparisons, of `clone` and of `Deref`. `#[routine] impl` makes a constant of the type itself, which goes before that of
        /// this trait.
        #[allow(missing_docs, reason = "named as the methods")]
        pub trait Written {
            const __GPUVM_EQ: Comparison = None;
            const __GPUVM_PARTIAL_CMP: Comparison = None;
            const __GPUVM_CMP: Comparison = None;
            const __GPUVM_CLONE: Comparison = None;
            const __GPUVM_DEREF: Option<Dereferenced> = None;
            const __GPUVM_DEREF_MUT: Comparison = None;
            $(const $name: Option<CallFact> = None;)*
        }
    };
}
written! {
    __GPUVM_OPERATOR_LT __GPUVM_OPERATOR_LE __GPUVM_OPERATOR_GT __GPUVM_OPERATOR_GE
    __GPUVM_METHOD_EQ __GPUVM_METHOD_NE __GPUVM_METHOD_LT __GPUVM_METHOD_LE __GPUVM_METHOD_GT __GPUVM_METHOD_GE
    __GPUVM_METHOD_CMP __GPUVM_METHOD_PARTIAL_CMP __GPUVM_METHOD_MAX __GPUVM_METHOD_MIN __GPUVM_METHOD_CLAMP
    __GPUVM_METHOD_CLONE
}

impl<T: ?Sized> Written for T {}

/// What a type parameter of a routine stands for: a value, or a reference to one. Constants of the type are such that a routine may name them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used inside a #[routine]",
    label = "not a type of the machine",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition",
    note = "the machine has f32, f64, bool, char, integers of up to 128 bits, tuples, arrays, Option, Wrapping, and structs and enums of these",
    note = "what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`",
    note = "what is the host's, as `Instant`, `Mutex` and `File` are, stays there: ask it before the launch, and hand the routine what it says"
)]
pub trait Parameter: Static + ConstantValue {}

impl<T: Static + ConstantValue> Parameter for T {}

/// A value that no reference stands before.
pub trait Unreferenced: Static + Value<Inner = Self, Depth = Zero> {}

impl<T: Static + Value<Inner = T, Depth = Zero>> Unreferenced for T {}

/// What implements a trait whose own methods have code: a type without references before it, that may have no size.
#[diagnostic::on_unimplemented(
    message = "a method with a body in a #[routine] trait is for no `{Self}`",
    label = "a reference, or nothing of the machine",
    note = "implement the trait for what is referred to, as methods are found behind references; or leave the bodies to the `impl`s"
)]
pub trait Implementor: Value<Erased = Self, Inner = Self, Depth = Zero> + ConstantValue + 'static {}

impl<T: Value<Erased = T, Inner = T, Depth = Zero> + ConstantValue + ?Sized + 'static> Implementor for T {}

/// What implements a trait whose methods a reference has as what it refers to: any type of the machine.
#[diagnostic::on_unimplemented(
    message = "a method with a body in a #[routine] trait is for no `{Self}`",
    label = "nothing of the machine"
)]
pub trait Receiver: Value<Erased = Self> + ConstantValue + 'static {}

impl<T: Value<Erased = T> + ConstantValue + ?Sized + 'static> Receiver for T {}

/// Where an `impl` is of a trait that is no `#[routine]`: its methods are told of the type, as far as that is the user's.
#[doc(hidden)]
#[macro_export]
macro_rules! __nothing_provided {
    (@unlisted { $($methods:tt)* }) => { $($methods)* };
    (@trait $form:tt { $($other:tt)* }) => { $($other)* };
    ($($anything:tt)*) => {};
}

/// The result type of a routine that never returns.
pub const NEVER: TypeRef = TypeRef::value(&Type::NEVER);

/// The result type of a routine that returns `impl Iterator`: it is what the code results in, wherever that is walked.
pub const OPAQUE: TypeRef = TypeRef::of::<()>();

/// The fields of a struct or variant, laid out from `start` on: for each what it is looked up by, its name, and its type.
pub const fn layout<const N: usize>(start: u32, parts: [(&'static str, &'static str, TypeRef); N]) -> [Field; N] {
    let mut fields = [Field {
        hash: 0,
        name: "",
        ty: NEVER.ty,
        refs: 0,
        offset: 0,
    }; N];
    let mut offset = start;
    let mut i = 0;
    while i < N {
        let (key, name, ty) = parts[i];
        fields[i] = Field {
            hash: name_hash(key),
            name,
            ty: ty.ty,
            refs: ty.refs,
            offset,
        };
        offset += ty.words();
        i += 1;
    }
    fields
}
