//! How types get from rustc to the encoder. The macro emits, beside the user's function, a closure that never runs and holds the same body;
//! in it each *slot*, a `PhantomData` of a type that inference fills in, stands for one fact. The tuple of all slots is the
//! closure's return type, from which [`facts_of`] reads them back as constants.

use std::marker::PhantomData;
use std::num::Wrapping;
use std::sync::atomic::{AtomicI32, AtomicU32};

use crate::routine::Routine;
use crate::types::{TypeRef, Value};

/// What one slot tells.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// A type.
    Type(TypeRef),
    /// A routine to call.
    Call(CallFact),
    /// An operator or method that the machine has itself.
    Builtin,
}

/// A routine and its signature.
#[derive(Clone, Copy, Debug)]
pub struct CallFact {
    /// Gives the routine. A function, so that routines may call each other in a circle.
    pub routine: fn() -> &'static Routine,
    /// Types of the parameters.
    pub params: &'static [TypeRef],
    /// Type of the result.
    pub result: TypeRef,
}

impl CallFact {
    /// The routine behind a marker type.
    pub const fn of<M: RoutineType>() -> CallFact {
        CallFact {
            routine: M::routine,
            params: M::PARAMS,
            result: M::RESULT,
        }
    }
}

/// The facts of a routine: a tree, because they come as nested tuples of at most eight.
#[derive(Clone, Copy, Debug)]
pub enum Facts {
    /// No more slots here.
    End,
    /// One slot.
    Slot(Fact),
    /// Eight parts.
    Parts(&'static [&'static Facts; 8]),
}

/// A type that stands for a routine. `#[routine]` makes one, named as the function.
pub trait RoutineType {
    /// Types of the parameters, in order.
    const PARAMS: &'static [TypeRef];
    /// Type of the result.
    const RESULT: TypeRef;
    /// The encoded routine.
    fn routine() -> &'static Routine;
}

/// An operator of a type. `OP` is a number of [`Operator`](crate::encode::node::Operator); unary ones have `()` on the right.
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` and `{Rhs}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` of the operator's trait"
)]
pub trait Operation<const OP: u8, Rhs: ?Sized> {
    /// The routine that computes it; `None` where the machine does.
    const CALL: Option<CallFact>;
}

/// A method or associated function of a type, by the [`name_hash`](crate::types::name_hash) of its name.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` block that defines the method"
)]
pub trait Method<const NAME: u32> {
    /// The routine to call; `None` where the machine has the method itself.
    const CALL: Option<CallFact>;
}

/// What a slot's type must be able to tell.
pub trait Slot {
    /// The fact.
    const FACT: Fact;
}

/// A slot for a type.
pub struct TypeSlot<T: ?Sized>(PhantomData<fn(&T)>);
/// A slot for the callee of a call.
pub struct CallSlot<M>(PhantomData<M>);
/// A slot for an operator.
pub struct OperatorSlot<const OP: u8, A: ?Sized, B: ?Sized>(PhantomData<fn(&A, &B)>);
/// A slot for a method or associated function.
pub struct MethodSlot<const NAME: u32, T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Value + ?Sized> Slot for TypeSlot<T> {
    const FACT: Fact = Fact::Type(TypeRef::of::<T>());
}

impl<M: RoutineType> Slot for CallSlot<M> {
    const FACT: Fact = Fact::Call(CallFact::of::<M>());
}

impl<const OP: u8, A: Operation<OP, B> + ?Sized, B: ?Sized> Slot for OperatorSlot<OP, A, B> {
    const FACT: Fact = call_or_builtin(A::CALL);
}

impl<const NAME: u32, T: Method<NAME> + ?Sized> Slot for MethodSlot<NAME, T> {
    const FACT: Fact = call_or_builtin(T::CALL);
}

const fn call_or_builtin(call: Option<CallFact>) -> Fact {
    match call {
        Some(call) => Fact::Call(call),
        None => Fact::Builtin,
    }
}

/// Fills a slot with the type of a value.
pub fn bind<T: Value>(_: &T, _: &PhantomData<TypeSlot<T::Erased>>) {}

/// Fills a slot with a type that is written out, as in a cast.
pub fn name_type<T: Value>(_: &PhantomData<TypeSlot<T::Erased>>) {}

/// Fills a slot with the routine behind a marker.
pub fn link<M: RoutineType>(_: PhantomData<M>, _: &PhantomData<CallSlot<M>>) {}

/// Fills a slot with the meaning of a binary operator; references to the operands do not count.
pub fn operator<const OP: u8, A: Value, B: Value>(_: &A, _: &B, _: &PhantomData<OperatorSlot<OP, A::Inner, B::Inner>>)
where
    A::Inner: Operation<OP, B::Inner>,
{
}

/// Fills a slot with the meaning of a unary operator.
pub fn unary<const OP: u8, A: Value>(_: &A, _: &PhantomData<OperatorSlot<OP, A::Inner, ()>>)
where
    A::Inner: Operation<OP, ()>,
{
}

/// Fills a slot with a method of the receiver.
pub fn method<const NAME: u32, T: Value>(_: &T, _: &PhantomData<MethodSlot<NAME, T::Inner>>)
where
    T::Inner: Method<NAME>,
{
}

/// Fills a slot with an associated function of a type that is written out.
pub fn associated<const NAME: u32, T: Method<NAME> + ?Sized>(_: &PhantomData<MethodSlot<NAME, T>>) {}

/// A value of any type, for the closure that never runs.
pub fn any<T>() -> T {
    unreachable!("the shadow of a routine never runs")
}

/// The type of the callee where a path names no routine; only its message matters.
pub struct NotARoutine {}

impl NotARoutine {
    /// Asks the impossible of a function that is no routine, so that rustc says what to do.
    pub fn __vm<F: CalledRoutine>(_: F) -> PhantomData<NotARoutine> {
        PhantomData
    }
}

/// Implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a routine, and only routines can be called inside a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `fn` that is called here"
)]
pub trait CalledRoutine {}

impl RoutineType for NotARoutine {
    const PARAMS: &'static [TypeRef] = &[];
    const RESULT: TypeRef = TypeRef::of::<()>();
    fn routine() -> &'static Routine {
        unreachable!("a call of what is no routine does not compile")
    }
}

/// A nest of tuples of slots.
pub trait Tree {
    /// The facts in it.
    const FACTS: &'static Facts;
}

impl Tree for () {
    const FACTS: &'static Facts = &Facts::End;
}

impl<S: Slot> Tree for PhantomData<S> {
    const FACTS: &'static Facts = &Facts::Slot(S::FACT);
}

impl<A: Tree, B: Tree, C: Tree, D: Tree, E: Tree, F: Tree, G: Tree, H: Tree> Tree for (A, B, C, D, E, F, G, H) {
    const FACTS: &'static Facts = &Facts::Parts(&[
        A::FACTS,
        B::FACTS,
        C::FACTS,
        D::FACTS,
        E::FACTS,
        F::FACTS,
        G::FACTS,
        H::FACTS,
    ]);
}

/// The facts in a closure's return type.
pub const fn facts_of<F: Fn() -> R, R: Tree>(_: &F) -> &'static Facts {
    R::FACTS
}

impl Facts {
    /// The fact of slot `index` in a tree whose slots lie `depth` levels down: its path are the octal digits of the index.
    pub const fn get(&'static self, index: usize, depth: u32) -> Fact {
        let mut node = self;
        let mut level = depth;
        loop {
            match node {
                Facts::Slot(fact) => return *fact,
                Facts::Parts(parts) => {
                    level -= 1;
                    node = parts[index >> (3 * level) & 7];
                }
                Facts::End => panic!("a slot of the routine was not filled"),
            }
        }
    }
}

macro_rules! builtin_operations {
    ($($ty:ty),*) => {$(
        impl<const OP: u8> Operation<OP, $ty> for $ty {
            const CALL: Option<CallFact> = None;
        }
        impl<const OP: u8> Operation<OP, ()> for $ty {
            const CALL: Option<CallFact> = None;
        }
        impl<const NAME: u32> Method<NAME> for $ty {
            const CALL: Option<CallFact> = None;
        }
    )*};
}
builtin_operations!(
    bool, f32, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, AtomicU32, AtomicI32
);

/// Shifts take any integer on the right.
macro_rules! builtin_shifts {
    ($($ty:ident: $($by:ident)*;)*) => {$($(
        impl<const OP: u8> Operation<OP, $by> for $ty {
            const CALL: Option<CallFact> = None;
        }
    )*)*};
}
builtin_shifts! {
    i8: i16 i32 i64 isize u8 u16 u32 u64 usize;
    i16: i8 i32 i64 isize u8 u16 u32 u64 usize;
    i32: i8 i16 i64 isize u8 u16 u32 u64 usize;
    i64: i8 i16 i32 isize u8 u16 u32 u64 usize;
    isize: i8 i16 i32 i64 u8 u16 u32 u64 usize;
    u8: i8 i16 i32 i64 isize u16 u32 u64 usize;
    u16: i8 i16 i32 i64 isize u8 u32 u64 usize;
    u32: i8 i16 i32 i64 isize u8 u16 u64 usize;
    u64: i8 i16 i32 i64 isize u8 u16 u32 usize;
    usize: i8 i16 i32 i64 isize u8 u16 u32 u64;
}

macro_rules! builtin_generics {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*, const OP: u8> Operation<OP, $ty> for $ty {
            const CALL: Option<CallFact> = None;
        }
        impl<$($generics)*, const OP: u8> Operation<OP, ()> for $ty {
            const CALL: Option<CallFact> = None;
        }
        impl<$($generics)*, const NAME: u32> Method<NAME> for $ty {
            const CALL: Option<CallFact> = None;
        }
    )*};
}
builtin_generics! {
    [T] Wrapping<T>;
    [T] Option<T>;
    [T, E] Result<T, E>;
    [T, const N: usize] [T; N];
    [T] [T];
    [A, B] (A, B);
    [A, B, C] (A, B, C);
    [A, B, C, D] (A, B, C, D);
    [A, B, C, D, E] (A, B, C, D, E);
    [A, B, C, D, E, F] (A, B, C, D, E, F);
}

impl<T, const OP: u8> Operation<OP, usize> for Wrapping<T> {
    const CALL: Option<CallFact> = None;
}
