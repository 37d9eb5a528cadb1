//! How types get from rustc to the encoder. The macro emits, beside the user's function, a closure that never runs and holds the same body;
//! in it each *slot*, a `PhantomData` of a type that inference fills in, stands for one fact. The tuple of all slots is the
//! closure's first parameter, from whose type [`facts_of`] reads them back as constants.

mod builtin;
mod by_method;
mod compared;
mod lends;
mod looked;
mod named;
mod named_as_std;
mod operators;
mod own;
mod question;
mod taken;
mod text;
mod through;

pub use by_method::*;
pub use compared::*;
pub(crate) use compared::{held_operators, holders};
pub use lends::*;
pub use looked::*;
pub use named::{Named, NamedWords};
pub use named_as_std::*;
pub use operators::*;
pub use own::*;
pub use question::{
    AskNoQuestion, AskOtherQuestion, AskQuestion, Asks, Question, Questioned, Returns, Tries, questioned,
};
pub use taken::{
    Converted, Indexed, Knows, LinkConverted, LinkNoMethod, LinkOther, LinkRefused, LinkTaken, LinkUnconverted, Made,
    MakesOther, Number, Parts, Taken, converted, opened, taken,
};
pub use text::{InText, Shown, ShownOrRefused, count, in_text};
pub use through::*;

use std::marker::PhantomData;

use operators::{BinarySlot, UnarySlot};

use crate::encode::Source;
use crate::routine::{Inferred, Routine, WordsOf};
use crate::types::{ConstantValue, ConstantWord, Static, Type, TypeRef, Value, constant_words};

/// What one slot tells.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// A type.
    Type(TypeRef),
    /// A routine to call.
    Call(CallFact),
    /// A call of the routine by itself, with the closures that it was given.
    Own,
    /// The type of what a constructor makes, which is given as a function.
    Constructor(TypeRef),
    /// A type and the words of its default.
    Default(TypeRef, fn() -> Vec<ConstantWord>),
    /// An operator or method that the machine has itself.
    Builtin,
    /// A comparison that the machine has itself, with the type that tells how its parts compare.
    Compared(&'static Type),
    /// What is called behind a `Deref` of the user's.
    Through(&'static Through),
}

impl Fact {
    /// What is called, wherever it is found.
    pub const fn called(self) -> Fact {
        let mut called = self;
        while let Fact::Through(through) = called {
            called = through.then;
        }
        called
    }
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
    /// Its source, where its code is written where it is called: where it takes a closure or a value that holds one.
    pub inline: Option<&'static Source>,
    /// Whether the receiver that its first parameter refers to is used up: one that is given by value is copied.
    pub consumes: bool,
}

impl CallFact {
    /// The routine behind a marker type.
    pub const fn of<M: RoutineType>() -> CallFact {
        CallFact {
            routine: match M::INLINE {
                Some(_) => never_linked,
                None => M::routine,
            },
            params: M::PARAMS,
            result: M::RESULT,
            inline: M::INLINE,
            consumes: M::CONSUMES,
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
    /// The source of a routine whose code is written where it is called.
    const INLINE: Option<&'static Source> = None;
    /// Whether it uses up the receiver that its first parameter refers to.
    const CONSUMES: bool = false;
    /// The encoded routine.
    fn routine() -> &'static Routine;
}

/// The routine of what is only written where it is called.
pub fn never_linked() -> &'static Routine {
    unreachable!("a routine that takes a closure is written where it is called")
}

/// An operator of a type. `OP` is a number of [`Operator`](crate::encode::node::Operator); unary ones have `()` on the right.
///
/// A type may have an operator in several forms, `V + V` and `&V + &V`, with a routine each. So `Left` and `Right` are what the operands are,
/// references and all: the values themselves unless it is said. What the machine does itself is the same for all forms.
#[diagnostic::on_unimplemented(
    message = "this operator of `{Left}` and `{Right}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` of the operator's trait"
)]
pub trait Operation<const OP: u8, Rhs: ?Sized, Left: ?Sized = Self, Right: ?Sized = Rhs> {
    /// What fills a slot with it. It comes by way of the trait, so that where the type lacks it nothing is known of the slot, and rustc has no second
    /// thing to say.
    type Slot: Slot;
    /// The routine that computes it; `None` where the machine does.
    const CALL: Option<CallFact>;
    /// The type as a comparison sees it, where routines compare parts of it that the type does not tell.
    const SEEN: Option<&'static Type> = None;
}

/// A method or associated function of a type, by the [`name_hash`](crate::types::name_hash) of its name.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` block that defines the method, and above the `trait` if it is one's",
    note = "what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`"
)]
pub trait Method<const NAME: u32> {
    /// What fills a slot with it.
    type Slot: Slot;
    /// The routine to call; `None` where the machine has the method itself.
    const CALL: Option<CallFact>;
    /// The type as a comparison sees it, where routines compare parts of it that the type does not tell.
    const SEEN: Option<&'static Type> = None;
}

/// What an operator results in. Where rustc knows of no such operator it has said so, this is nothing, and it asks no further. `X` and `Y` are the
/// operands' types as the user has them.
#[diagnostic::on_unimplemented(
    message = "this operator of `{X}` and `{Y}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` of the operator's trait"
)]
pub trait ResultOfOperation<const OP: u8, A: ?Sized, B: ?Sized, Left: ?Sized, Right: ?Sized, X: ?Sized, Y: ?Sized> {
    /// What fills a slot with the operator.
    type Slot: Slot;
}

#[diagnostic::do_not_recommend]
impl<const OP: u8, A: ?Sized, B: ?Sized, Left: ?Sized, Right: ?Sized, X: ?Sized, Y: ?Sized, O>
    ResultOfOperation<OP, A, B, Left, Right, X, Y> for O
where
    A: Operation<OP, B, Left, Right>,
{
    type Slot = <A as Operation<OP, B, Left, Right>>::Slot;
}

/// What tells that there is a method, as [`ResultOfOperation`] does of an operator: its result, or the function itself.
#[diagnostic::on_unimplemented(
    message = "this method of `{T}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` block that defines the method, and above the `trait` if it is one's",
    note = "what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`"
)]
pub trait ResultOfMethod<const NAME: u32, T: ?Sized> {
    /// What fills a slot with the method.
    type Slot: Slot;
    /// The result itself, of which nothing is known where the method is no routine.
    type Itself;
}

#[diagnostic::do_not_recommend]
impl<const NAME: u32, T: Method<NAME> + ?Sized, O> ResultOfMethod<NAME, T> for O {
    type Slot = <T as Method<NAME>>::Slot;
    type Itself = <<T as Method<NAME>>::Slot as Told<O>>::Itself;
}

/// A method whose routine depends on more than its receiver: on what its arguments are, a tuple `A` of their types (`()` for a closure's, unless its
/// result decides), and on the result's type `R`.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` block that defines the method; of std's own methods, this one is not available inside a routine"
)]
pub trait GenericMethod<const NAME: u32, A, R: ?Sized> {
    /// What fills a slot with it.
    type Slot: Slot;
    /// The routine to call; `None` for what stands in for a method that was refused.
    const CALL: Option<CallFact>;
    /// As [`Method::SEEN`].
    const SEEN: Option<&'static Type> = None;
}

#[diagnostic::do_not_recommend]
impl<const NAME: u32, A, R: ?Sized, T: Method<NAME> + ?Sized> GenericMethod<NAME, A, R> for T {
    type Slot = <T as Method<NAME>>::Slot;
    const CALL: Option<CallFact> = <T as Method<NAME>>::CALL;
    const SEEN: Option<&'static Type> = <T as Method<NAME>>::SEEN;
}

/// A method whose routine is found by way of a trait.
pub struct Found<M>(PhantomData<M>);

impl<M: RoutineType, const ANY: u32> Method<ANY> for Found<M> {
    type Slot = MethodSlot<ANY, Self>;
    const CALL: Option<CallFact> = Some(CallFact::of::<M>());
}

/// What tells that there is such a method, as [`ResultOfMethod`] does of one that depends on its receiver alone.
#[diagnostic::on_unimplemented(
    message = "this method of `{T}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl` block that defines the method; of std's own methods, this one is not available inside a routine"
)]
pub trait ResultOfGeneric<const NAME: u32, T: ?Sized, A> {
    /// What fills a slot with the method.
    type Slot: Slot;
    /// The result itself, of which nothing is known where the method is no routine.
    type Itself;
}

#[diagnostic::do_not_recommend]
impl<const NAME: u32, T: GenericMethod<NAME, A, R::Erased> + ?Sized, A, R: Value> ResultOfGeneric<NAME, T, A> for R {
    type Slot = <T as GenericMethod<NAME, A, R::Erased>>::Slot;
    type Itself = <R::Erased as Knows<<<T as GenericMethod<NAME, A, R::Erased>>::Slot as Told<R>>::Itself>>::Itself;
}

/// A type, as long as a slot is known.
pub trait Told<T> {
    /// The type.
    type Itself;
}

impl<S: Slot, T> Told<T> for S {
    type Itself = T;
}

/// What `for` runs over.
#[diagnostic::on_unimplemented(
    message = "a `for` loop inside a #[routine] cannot run over `{Self}`",
    label = "not an iterator of routines",
    note = "put `#[routine]` above the `impl Iterator` of a type of your own"
)]
pub trait Iterable {
    /// The iterator that it becomes.
    type Iterator;
    /// What fills a slot with `into_iter`.
    type IntoSlot: Slot;
    /// What fills a slot with `next`.
    type NextSlot: Slot;
    /// `into_iter`; `None` where it is an iterator itself.
    const INTO: Option<CallFact>;
    /// `next` of the iterator.
    const NEXT: CallFact;
    /// How many elements each value of the type has, as an array tells; else [`UNFIXED`].
    const FIXED: u32 = UNFIXED;
}

/// The number of elements of what may have any.
pub const UNFIXED: u32 = u32::MAX;

/// An iterator whose `next` is a routine.
pub trait Next {
    /// What fills a slot with `into_iter`, which it is itself.
    type IntoSlot: Slot;
    /// What fills a slot with it.
    type NextSlot: Slot;
    /// The routine.
    const NEXT: CallFact;
    /// The routine that gives all elements to a function, until that says `false`.
    const EACH: CallFact;
}

impl<I: Next> Next for &'static mut I {
    type IntoSlot = IntoSlot<Self>;
    type NextSlot = NextSlot<Self>;
    const NEXT: CallFact = I::NEXT;
    const EACH: CallFact = I::EACH;
}

impl<I: Next> Iterable for I {
    type Iterator = I;
    type IntoSlot = <I as Next>::IntoSlot;
    type NextSlot = <I as Next>::NextSlot;
    const INTO: Option<CallFact> = None;
    const NEXT: CallFact = I::NEXT;
}

/// `From<E>` of a type, where it is a routine or leaves the value as it is.
#[diagnostic::on_unimplemented(
    message = "the conversion from `{E}` into `{Self}` is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl From<{E}> for {Self}`"
)]
pub trait Convert<E> {
    /// What fills a slot with it.
    type Slot: Slot;
    /// The routine; `None` where nothing is to do.
    const CALL: Option<CallFact>;
}

/// `TryFrom<E>` of a type, where it is a routine.
#[diagnostic::on_unimplemented(
    message = "the conversion from `{E}` into `{Self}`, which may fail, is not a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `impl TryFrom<{E}> for {Self}`"
)]
pub trait TryConvert<E> {
    /// What fills a slot with it.
    type Slot: Slot;
    /// The routine.
    const CALL: CallFact;
}

/// `FromStr` of a type, where it is a routine: what `parse` calls.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be parsed inside a #[routine]",
    label = "its `from_str` is not a routine",
    note = "put `#[routine]` above the `impl FromStr for {Self}`"
)]
pub trait Parse: Static {
    /// The routine.
    const CALL: CallFact;
}

impl<T> Convert<T> for T {
    type Slot = ConvertSlot<T, T>;
    const CALL: Option<CallFact> = None;
}

/// What a slot's type must be able to tell.
pub trait Slot {
    /// The fact.
    const FACT: Fact;
}

/// A slot for a type.
pub struct TypeSlot<T: ?Sized>(PhantomData<fn(&T)>);
/// A slot for a constructor, by the type of what it makes.
pub struct ConstructorSlot<T: ?Sized>(PhantomData<fn(&T)>);
/// A slot for the default of a type.
pub struct DefaultSlot<T>(PhantomData<T>);
/// A slot for the callee of a call.
pub struct CallSlot<M>(PhantomData<M>);
/// A slot for an operator.
pub struct OperatorSlot<const OP: u8, A: ?Sized, B: ?Sized, Left: ?Sized = A, Right: ?Sized = B>(
    PhantomData<fn(&A, &B, &Left, &Right)>,
);
/// A slot for a method or associated function.
pub struct MethodSlot<const NAME: u32, T: ?Sized>(PhantomData<fn(&T)>);

/// A slot for a method that depends on more than its receiver.
pub struct GenericSlot<const NAME: u32, T: ?Sized, A, R: ?Sized>(PhantomData<fn(&T, &A, &R)>);
/// A slot for `into_iter` of what a `for` loop runs over.
pub struct IntoSlot<T: ?Sized>(PhantomData<fn(&T)>);
/// A slot for `next` of what a `for` loop runs over.
pub struct NextSlot<T: ?Sized>(PhantomData<fn(&T)>);
/// A slot for what gives elements to a function.
pub struct EachSlot<T: ?Sized>(PhantomData<fn(&T)>);
/// A slot for a conversion.
pub struct ConvertSlot<E, T>(PhantomData<fn(&E, &T)>);
/// A slot for a conversion that may fail.
pub struct TryConvertSlot<E, T>(PhantomData<fn(&E, &T)>);

impl<T: Value + ?Sized> Slot for TypeSlot<T> {
    const FACT: Fact = Fact::Type(TypeRef::of::<T>());
}

impl<T: Value + ?Sized> Slot for ConstructorSlot<T> {
    const FACT: Fact = Fact::Constructor(TypeRef::of::<T>());
}

impl<T: Defaulted> Slot for DefaultSlot<T> {
    const FACT: Fact = T::DEFAULT;
}

/// A type whose default a routine can make.
pub trait Defaulted {
    /// It.
    const DEFAULT: Fact;
}

#[diagnostic::do_not_recommend]
impl<T: Value + ConstantValue + Default> Defaulted for T {
    const DEFAULT: Fact = Fact::Default(TypeRef::of::<T>(), || constant_words(&T::default()));
}

impl<M: RoutineType> Slot for CallSlot<M> {
    const FACT: Fact = Fact::Call(CallFact::of::<M>());
}

impl<const OP: u8, A: ?Sized, B: ?Sized, Left: ?Sized, Right: ?Sized> Slot for OperatorSlot<OP, A, B, Left, Right>
where
    A: Operation<OP, B, Left, Right>,
{
    const FACT: Fact = call_or_compared(A::CALL, A::SEEN);
}

impl<const NAME: u32, T: Method<NAME> + ?Sized> Slot for MethodSlot<NAME, T> {
    const FACT: Fact = call_or_compared(T::CALL, T::SEEN);
}

impl<const NAME: u32, T: GenericMethod<NAME, A, R> + ?Sized, A, R: ?Sized> Slot for GenericSlot<NAME, T, A, R> {
    const FACT: Fact = call_or_compared(T::CALL, T::SEEN);
}

impl<T: Iterable + ?Sized> Slot for IntoSlot<T> {
    const FACT: Fact = call_or_builtin(T::INTO);
}

impl<T: Iterable + ?Sized> Slot for NextSlot<T> {
    const FACT: Fact = Fact::Call(T::NEXT);
}

impl<T: Next + ?Sized> Slot for EachSlot<T> {
    const FACT: Fact = Fact::Call(T::EACH);
}

impl<E, T: Convert<E>> Slot for ConvertSlot<E, T> {
    const FACT: Fact = call_or_builtin(T::CALL);
}

impl<E, T: TryConvert<E>> Slot for TryConvertSlot<E, T> {
    const FACT: Fact = Fact::Call(T::CALL);
}

const fn call_or_compared(call: Option<CallFact>, seen: Option<&'static Type>) -> Fact {
    match (call, seen) {
        (None, Some(seen)) => Fact::Compared(seen),
        _ => call_or_builtin(call),
    }
}

const fn call_or_builtin(call: Option<CallFact>) -> Fact {
    match call {
        Some(call) => Fact::Call(call),
        None => Fact::Builtin,
    }
}

/// Fills a slot with the type of a value, which comes in a tuple of one.
pub fn bind<T: Value>(_: (T,), _: PhantomData<TypeSlot<T::Erased>>) {}

/// The same of a place.
pub fn bind_place<T: Value>(_: &T, _: PhantomData<TypeSlot<T::Erased>>) {}

/// The same, and gives the value.
pub fn bound<T: Value>(value: T, _: PhantomData<TypeSlot<T::Erased>>) -> T {
    value
}

/// Gives a value on, if it is one of the machine. If not, rustc says so, and of what comes back it knows nothing more to say.
pub fn constructed<T: Value>(_: T) -> T::Erased
where
    T::Erased: Sized,
{
    unreachable!("the shadow of a routine never runs")
}

/// Fills a slot with the type of a constant, and tells the function that fetches it.
pub fn bind_constant<T: Value>(_: (T,), _: fn() -> WordsOf<T>, _: PhantomData<TypeSlot<T::Erased>>) {}

/// Fills a slot with the type of a size, and tells the function that fetches it what is measured.
pub fn measured<T>(_: &T, _: fn() -> WordsOf<T>, _: PhantomData<TypeSlot<usize>>) -> usize {
    unreachable!("the shadow of a routine never runs")
}

/// Fills a slot with what a name is that may be a constructor's.
pub fn named<T: Named<M>, M>(_: &T, _: PhantomData<T::Slot>) {}

/// The same, and tells the function that fetches the constant, if it is one.
pub fn named_constant<T: Named<M>, M>(_: &T, _: fn() -> WordsOf<T>, _: PhantomData<T::Slot>) {}

/// Fills a variable with what a name's function results in, if it is a constructor's.
pub fn result_of_named<T: Named<M>, M>(_: &T, _: &PhantomData<T::Result>) {}

/// Fills a slot with the default of a value's type.
pub fn default<T: Defaulted>(_: (T,), _: PhantomData<DefaultSlot<T>>) {}

/// Fills a slot with a type that is written out, as in a cast.
pub fn name_type<T: Value>(_: PhantomData<TypeSlot<T::Erased>>) {}

/// Fills a slot with the routine behind a marker.
pub fn link<M: RoutineType>(_: PhantomData<M>, _: PhantomData<CallSlot<M>>) {}

/// The function that is called, as long as a routine is known that stands for it.
pub trait Calls<F> {
    /// The function.
    type Callee;
}

impl<M: RoutineType, F> Calls<F> for M {
    type Callee = F;
}

/// Fills a slot with the routine behind a marker, and gives on the function that it stands for. Of what another one gives there is nothing more to say.
pub fn called<M: Calls<F>, F>(_: PhantomData<M>, _: F, _: PhantomData<CallSlot<M>>) -> (M::Callee,) {
    unreachable!("the shadow of a routine never runs")
}

/// Asks that a routine is the one that calls it, with the same type arguments.
pub fn is_own<M>(_: PhantomData<M>) {}

/// Fills a slot with a method of the receiver. The result comes in a tuple of one.
pub fn method<const NAME: u32, T: Value + ?Sized, O>(
    _: &T,
    _: (O,),
    _: PhantomData<<O as ResultOfMethod<NAME, T::Inner>>::Slot>,
) where
    O: ResultOfMethod<NAME, T::Inner>,
{
}

/// The same, and gives the result in a tuple of one, of which nothing is known where the method is no routine.
pub fn method_or_unknown<const NAME: u32, T: Value + ?Sized, O>(
    _: &T,
    _: (O,),
    _: PhantomData<<O as ResultOfMethod<NAME, T::Inner>>::Slot>,
) -> (O::Itself,)
where
    O: ResultOfMethod<NAME, T::Inner>,
{
    any()
}

/// Fills a slot with a method that depends on the types of its arguments, which their own variables tell, and of its result, which comes in a tuple of one.
pub fn generic_method<const NAME: u32, T: Value + ?Sized, A, R>(
    _: &T,
    _: &PhantomData<A>,
    _: (R,),
    _: PhantomData<<R as ResultOfGeneric<NAME, T::Inner, A>>::Slot>,
) where
    R: Value + ResultOfGeneric<NAME, T::Inner, A>,
{
}

/// The same, and gives the result in a tuple of one, of which nothing is known where the method is no routine.
pub fn generic_method_or_unknown<const NAME: u32, T: Value + ?Sized, A, R>(
    _: &T,
    _: &PhantomData<A>,
    _: (R,),
    _: PhantomData<<R as ResultOfGeneric<NAME, T::Inner, A>>::Slot>,
) -> (R::Itself,)
where
    R: Value + ResultOfGeneric<NAME, T::Inner, A>,
{
    any()
}

/// Fills a variable with the type of a value.
pub fn type_of<T: Value>(_: &T, _: &PhantomData<T::Erased>)
where
    T::Erased: Sized,
{
}

/// Fills a variable with the very type of a value.
pub fn is_of<T>(_: &T, _: &PhantomData<T>) {}

/// Tells of a method's receiver what a method that takes `self` gets: where it has no size, a reference to it.
pub trait ByValue: Sized {
    /// Fills a variable with its type.
    fn __gpuvm_by_value(self, _: &PhantomData<Self>) {}
}

impl<T> ByValue for T {}

/// Fills the slots of a `for` loop.
pub fn iterate<T: Value>(
    _: (T,),
    _: PhantomData<<T::Erased as Iterable>::IntoSlot>,
    _: PhantomData<<T::Erased as Iterable>::NextSlot>,
) where
    T::Erased: Iterable,
{
}

/// Fills the slot of what gives elements to a function.
pub fn each<I: Iterator + Next>(_: &mut I, _: impl FnMut(I::Item) -> bool, _: PhantomData<EachSlot<I>>) {}

/// Fills the slots of a conversion: its routine, and the type that it converts to.
pub fn convert<E: Value, T: Value>(
    _: &E,
    _: &T,
    _: PhantomData<<T::Erased as Convert<E::Erased>>::Slot>,
    _: PhantomData<TypeSlot<T::Erased>>,
) where
    E::Erased: Sized,
    T::Erased: Convert<E::Erased> + Sized,
{
}

/// Fills the slot of a conversion that may fail.
pub fn try_convert<E: Value, T: Value, X>(
    _: &E,
    _: &Result<T, X>,
    _: PhantomData<<T::Erased as TryConvert<E::Erased>>::Slot>,
) where
    E::Erased: Sized,
    T::Erased: TryConvert<E::Erased> + Sized,
{
}

/// Fills a slot with an associated function of a type that is written out.
pub fn associated<const NAME: u32, T: Method<NAME> + ?Sized>(_: PhantomData<T::Slot>) {}

/// The same of a method that depends on its result as well.
pub fn generic_associated<const NAME: u32, T: GenericMethod<NAME, (), R::Erased> + ?Sized, R: Value>(
    _: (R,),
    _: PhantomData<T::Slot>,
) {
}

/// Fills a slot with an associated function of a type whose arguments rustc infers, of the function or of its result.
pub fn link_method<const NAME: u32, T: ?Sized, O: ResultOfMethod<NAME, T>>(
    _: PhantomData<T>,
    _: &O,
    _: PhantomData<O::Slot>,
) {
}

/// The same, and gives the type of the result, if it is one.
pub fn link_method_or_unknown<const NAME: u32, T: ?Sized, O: ResultOfMethod<NAME, T>>(
    _: PhantomData<T>,
    _: &O,
    _: PhantomData<O::Slot>,
) -> PhantomData<O::Itself> {
    PhantomData
}

/// A type, as long as another is one: where rustc has found no method there is no result, and nobody asks what stands beside the method.
pub trait Beside<V: ?Sized> {
    /// The type.
    type Itself: ?Sized;
}

impl<T: ?Sized, V: ?Sized> Beside<V> for T {
    type Itself = T;
}

/// What a value refers to, for the method beside one of the user's, which tells from its arguments which routine is called. `V`: the method's result.
pub fn inner<T: Value + ?Sized, V>(_: &T, _: &V) -> &'static <T::Inner as Beside<V>>::Itself {
    unreachable!("the shadow of a routine never runs")
}

/// The same for a value of the type that a path begins with; `V`: the function that it leads to.
pub fn beside<'a, T: ?Sized, V>(_: &'a T, _: &V) -> &'a <T as Beside<V>>::Itself {
    unreachable!("the shadow of a routine never runs")
}

/// A value of the type that a path begins with, whose arguments may be left out.
pub trait AnyOf {
    /// The value.
    fn __gpuvm_any<'a>() -> &'a Self
    where
        Self: 'a,
    {
        unreachable!("the shadow of a routine never runs")
    }
}

impl<T: ?Sized> AnyOf for T {}

/// What stands beside `NonZero::new`, whose argument tells the type that the path leaves out.
pub trait TwinOfNew: Sized {
    /// Tells the type.
    fn __vm_new<A>(&self, _: fn(A) -> Option<Self>) -> PhantomData<Self> {
        PhantomData
    }
}

/// The same beside the functions of std's cells, of which a path tells no content: `Cell::get`.
macro_rules! twins_of_cell {
    ($($twin:ident $function:ident;)*) => {
        #[allow(missing_docs, reason = "named as the functions")]
        pub trait TwinOfCell {
            $(
                type $function;

                fn $twin(&self, _: Self::$function) -> PhantomData<Self> {
                    PhantomData
                }
            )*
        }
    };
}
twins_of_cell! {
    __vm_new New;
    __vm_from_mut FromMut;
    __vm_get Get;
    __vm_set Set;
    __vm_replace Replace;
    __vm_take Take;
    __vm_swap Swap;
    __vm_into_inner IntoInner;
}

macro_rules! twins_of_new {
    ($($of:ty)*) => { $(impl TwinOfNew for std::num::NonZero<$of> {})* };
}
twins_of_new!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// What a path such as `Fraction::add` names, the function `F`: a method of the type, or else its operator. Method lookup finds the first of the two that
/// there is.
pub struct ByName<const NAME: u32, const OP: u8, T, F>(PhantomData<(T, F)>);

/// Of a binary operator.
pub fn binary_by_name<const NAME: u32, const OP: u8, T, F>(_: PhantomData<T>, _: F) -> ByName<NAME, OP, T, Binary<F>> {
    ByName(PhantomData)
}

/// Of a unary operator.
pub fn unary_by_name<const NAME: u32, const OP: u8, T, F>(_: PhantomData<T>, _: F) -> ByName<NAME, OP, T, Unary<F>> {
    ByName(PhantomData)
}

/// The function of a binary operator.
pub struct Binary<F>(PhantomData<F>);

/// The function of a unary operator.
pub struct Unary<F>(PhantomData<F>);

/// Fills a slot with a method that a path names.
pub trait LinkMethod<S> {
    /// Fills the slot.
    fn link(&self, _: PhantomData<S>) {}
}

impl<const NAME: u32, const OP: u8, T: Method<NAME>, F> LinkMethod<T::Slot> for ByName<NAME, OP, T, F> {}

/// Fills a slot with a binary operator that a path names, whose operands are what its function takes.
pub trait LinkBinary<const OP: u8, F> {
    /// Fills the slot.
    fn link<A: Value, B: Value, O>(&self, _: PhantomData<BinarySlot<OP, A, B, O>>)
    where
        F: Fn(A, B) -> O,
        O: ResultOfOperation<OP, A::Inner, B::Inner, A::Erased, B::Erased, A, B>,
    {
    }
}

impl<const NAME: u32, const OP: u8, T, F> LinkBinary<OP, F> for &ByName<NAME, OP, T, Binary<F>> {}

/// The same of a unary operator.
pub trait LinkUnary<const OP: u8, F> {
    /// Fills the slot.
    fn link<A: Value, O>(&self, _: PhantomData<UnarySlot<OP, A, O>>)
    where
        F: Fn(A) -> O,
        O: ResultOfOperation<OP, A::Inner, (), A::Erased, (), A, ()>,
    {
    }
}

impl<const NAME: u32, const OP: u8, T, F> LinkUnary<OP, F> for &ByName<NAME, OP, T, Unary<F>> {}

/// A value of any type, for the closure that never runs.
pub fn any<T>() -> T {
    unreachable!("the shadow of a routine never runs")
}

/// What a shadow puts around a receiver where the native function does. In gpuvm's own std nothing is redirected; elsewhere `gpuvm_math::native::MethodsOf` has
/// its place.
pub struct MethodsOf<'a, T>(pub &'a T, pub bool);

impl<T> std::ops::Deref for MethodsOf<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// What `[const { … }; N]` makes.
pub fn repeated<T, const N: usize>(_: T) -> [T; N] {
    unreachable!("the shadow of a routine never runs")
}

/// A function that is called.
pub fn itself<F>(function: F) -> F {
    function
}

/// A value that is of the type of another one.
pub fn made_as<T>(_: &T, value: T) -> T {
    value
}

/// A value, whose type a variable is told.
pub fn known_as<T>(value: T, _: &PhantomData<T>) -> T {
    value
}

/// A value of a variable's type, for the closure that never runs.
pub fn any_of<T>(_: &PhantomData<T>) -> T {
    any()
}

/// What no value is of.
pub enum Unreached {}

/// Never returns, so that what follows in the closure is type-checked and no more.
pub fn unreached() -> Unreached {
    unreachable!("the shadow of a routine never runs")
}

/// The type of the callee where a path names no routine; only its message matters.
pub struct NotARoutine {}

impl NotARoutine {
    /// Asks the impossible of a function that is no routine, so that rustc says what to do.
    pub fn __vm<F: CalledRoutine>(_: F) -> PhantomData<F::Routine> {
        PhantomData
    }
}

/// Stands for a function, and for the type beside it, that cannot be seen in the module that a path names.
pub struct Unseen;

impl Unseen {
    /// As [`NotARoutine::__vm`]; of a function that cannot be seen, rustc says so itself.
    pub fn __vm<F: CalledRoutine>(_: F) -> PhantomData<F::Routine> {
        PhantomData
    }
}

/// What a module shows of a function that is called: it, or [`Unseen`].
pub trait Shows<F> {
    /// The function's type, if it can be seen.
    type Function;
}

impl<F: Copy> Shows<F> for F {
    type Function = F;
}

impl<F> Shows<F> for Unseen {
    type Function = Unseen;
}

#[diagnostic::do_not_recommend]
impl CalledRoutine for Unseen {
    type Routine = NotARoutine;
}

/// The function that is called, if it is what its module shows.
pub fn seen<S: Shows<F>, F>(_: S, _: F) -> S::Function {
    unreachable!("the shadow of a routine never runs")
}

/// Implemented by a function of its own type alone: a function that is called as std's is called has to be that.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a routine, and only routines can be called inside a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `fn` that is called here"
)]
pub trait SameFunction<G> {}

impl<F> SameFunction<F> for F {}

/// Asks that a function is the one of std's.
pub fn same_function<F: SameFunction<G>, G>(_: F, _: G) {}

/// Implemented by no function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a routine, and only routines can be called inside a #[routine]",
    label = "not a routine",
    note = "put `#[routine]` above the `fn` that is called here",
    note = "where it is std's or another crate's, call it on the host and hand the routine what it gives, or write a #[routine] that does the same; a VM has no files, threads, clock or environment, and no heap"
)]
pub trait CalledRoutine {
    /// The type that stands for it.
    type Routine;
}

/// Implemented by no function of std's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is std's, and cannot be called inside a #[routine]",
    label = "not available on a VM",
    note = "call it on the host and hand the routine what it gives, or write a #[routine] that does the same; a VM has no files, threads, clock or environment, and no heap"
)]
pub trait CalledOfStd {
    /// What it gives: of it nothing is known, and there is no more to say.
    type Result;
}

/// Asks the impossible of a function that std's path names and that no routine stands for.
pub fn of_std<F: CalledOfStd>(_: F) -> F::Result {
    unreachable!("the shadow of a routine never runs")
}

impl RoutineType for NotARoutine {
    const PARAMS: &'static [TypeRef] = &[];
    const RESULT: TypeRef = TypeRef::of::<()>();
    fn routine() -> &'static Routine {
        unreachable!("a call of what is no routine does not compile")
    }
}

impl<const NAME: u32> Method<NAME> for NotARoutine {
    type Slot = MethodSlot<NAME, Self>;
    const CALL: Option<CallFact> = None;
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

/// The facts in the type of a shadow's first parameter.
pub const fn facts_of<F: Fn(T, K) -> R, T: Tree, K, R>(_: &F) -> &'static Facts {
    T::FACTS
}

/// The functions that fetch the constants whose types the closure decides: they are its second parameter.
pub const fn inferred_of<F: Fn(T, K) -> R, T, K: Inferred, R>(_: &F, constants: &'static K) -> &'static dyn Inferred {
    constants
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
