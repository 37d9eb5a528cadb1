//! Methods, fields and elements that are found behind a `Deref` of the user's. Method lookup finds in the shadow the first of several traits that fits, as rustc
//! finds the method: of the receiver's own type, of what it dereferences to, of the slice that an array is.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::operators::IndexSlot;
use super::{
    CallFact, Fact, GenericMethod, Method, Operation, ResultOfGeneric, ResultOfMethod, ResultOfOperation, Slot, any,
};
use crate::encode::node::Operator;
use crate::routine::Routine;
use crate::types::{Dereferenced, Type, TypeRef, Value};

/// `Deref` of a type, where it is a routine.
#[diagnostic::on_unimplemented(
    message = "what is called here is found behind the `Deref` of `{Self}`, which is not a #[routine]",
    label = "behind a `Deref` that is not a routine",
    note = "put `#[routine]` above the `impl Deref for {Self}`"
)]
pub trait Derefs: Deref {
    /// The way to what is behind it. It comes by way of the trait, as slots do.
    type Way;
    /// Its routine.
    const DEREF: CallFact;
    /// The same without its signature, which may not be known yet.
    const DEREF_ROUTINE: fn() -> &'static Routine;
}

/// `DerefMut` of a type, likewise.
#[diagnostic::on_unimplemented(
    message = "what is called here is found behind the `DerefMut` of `{Self}`, which is not a #[routine]",
    label = "behind a `DerefMut` that is not a routine",
    note = "put `#[routine]` above the `impl DerefMut for {Self}`"
)]
pub trait DerefsMut: Derefs + DerefMut {
    /// The way to what is behind it.
    type WayMut;
    /// Its routine.
    const DEREF_MUT: CallFact;
    /// As [`Derefs::DEREF_ROUTINE`].
    const DEREF_MUT_ROUTINE: fn() -> &'static Routine;
}

/// What is called behind a `Deref`.
#[derive(Clone, Copy, Debug)]
pub struct Through {
    /// The routine of `Deref`.
    pub deref: CallFact,
    /// That of `DerefMut`, if there is one.
    pub deref_mut: Option<CallFact>,
    /// What is called.
    pub then: Fact,
}

/// A slot for what is called behind the `Deref` of an `X`.
pub struct ThroughSlot<X: ?Sized, S>(PhantomData<fn(&X, S)>);

/// The same where there is a `DerefMut`.
pub struct ThroughMutSlot<X: ?Sized, S>(PhantomData<fn(&X, S)>);

impl<X: Derefs + ?Sized, S: Slot> Slot for ThroughSlot<X, S> {
    const FACT: Fact = Fact::Through(&Through {
        deref: X::DEREF,
        deref_mut: None,
        then: S::FACT,
    });
}

impl<X: DerefsMut + ?Sized, S: Slot> Slot for ThroughMutSlot<X, S> {
    const FACT: Fact = Fact::Through(&Through {
        deref: X::DEREF,
        deref_mut: Some(X::DEREF_MUT),
        then: S::FACT,
    });
}

/// A slot for a value whose `Deref` leads to a place of which `S` tells likewise.
pub struct LeadsSlot<X: ?Sized, S>(PhantomData<fn(&X, S)>);

/// The same where there is a `DerefMut`.
pub struct LeadsMutSlot<X: ?Sized, S>(PhantomData<fn(&X, S)>);

/// The slot of a value that has no `Deref`, or of which its type tells.
pub struct LeadsNowhereSlot;

impl Slot for LeadsNowhereSlot {
    const FACT: Fact = Fact::Builtin;
}

/// A type with what its `Deref` leads to.
trait Leading {
    const TYPE: &'static Type;
}

const fn target<X: Deref<Target: Value> + ?Sized, S: Slot>() -> TypeRef {
    let target = TypeRef::of::<X::Target>();
    match S::FACT {
        Fact::Type(known) => TypeRef { ty: known.ty, ..target },
        _ => target,
    }
}

impl<X: Derefs<Target: Value> + Value + ?Sized, S: Slot> Leading for LeadsSlot<X, S> {
    const TYPE: &'static Type = &Type {
        dereferenced: Some(Dereferenced {
            target: target::<X, S>(),
            deref: X::DEREF_ROUTINE,
            deref_mut: None,
        }),
        ..*X::TYPE
    };
}

impl<X: DerefsMut<Target: Value> + Value + ?Sized, S: Slot> Leading for LeadsMutSlot<X, S> {
    const TYPE: &'static Type = &Type {
        dereferenced: Some(Dereferenced {
            target: target::<X, S>(),
            deref: X::DEREF_ROUTINE,
            deref_mut: Some(X::DEREF_MUT_ROUTINE),
        }),
        ..*X::TYPE
    };
}

impl<X: Derefs<Target: Value> + Value + ?Sized, S: Slot> Slot for LeadsSlot<X, S> {
    const FACT: Fact = Fact::Type(TypeRef::value(<Self as Leading>::TYPE));
}

impl<X: DerefsMut<Target: Value> + Value + ?Sized, S: Slot> Slot for LeadsMutSlot<X, S> {
    const FACT: Fact = Fact::Type(TypeRef::value(<Self as Leading>::TYPE));
}

/// What has a `Deref`, or refers to what has. Of a number whose type is not known yet rustc knows that it has none, and what it would refer to it does not know.
pub trait RefersToDerefs {}

impl<T: RefersToDerefs + ?Sized> RefersToDerefs for &T {}
impl<T: RefersToDerefs + ?Sized> RefersToDerefs for &mut T {}

/// A value that may have a `Deref`.
pub struct MayLead<'a, T: ?Sized>(PhantomData<&'a T>);

/// Of such a value.
pub fn may_lead<T: ?Sized>(_: &T) -> MayLead<'_, T> {
    MayLead(PhantomData)
}

/// Fills the slot of a value beside whose `Deref` there is a `DerefMut`, and gives the slot of what they lead to, and that.
pub trait LeadsMut<X: DerefsMut + ?Sized + 'static> {
    /// It does.
    fn __gpuvm_leads<S>(&self, _: PhantomData<LeadsMutSlot<X, S>>) -> (PhantomData<S>, &'static X::Target) {
        unreachable!("the shadow of a routine never runs")
    }
}

/// The same where there is a `Deref` alone.
pub trait LeadsOn<X: Derefs + ?Sized + 'static> {
    /// As [`LeadsMut::__gpuvm_leads`].
    fn __gpuvm_leads<S>(&self, _: PhantomData<LeadsSlot<X, S>>) -> (PhantomData<S>, &'static X::Target) {
        unreachable!("the shadow of a routine never runs")
    }
}

/// The same where there is none.
pub trait LeadsNowhere<'a, T: ?Sized> {
    /// As [`LeadsMut::__gpuvm_leads`].
    fn __gpuvm_leads(&self, _: PhantomData<LeadsNowhereSlot>) -> (PhantomData<LeadsNowhereSlot>, &'a T) {
        unreachable!("the shadow of a routine never runs")
    }
}

impl<T: RefersToDerefs + Value<Inner: DerefsMut<Target: Value>> + ?Sized> LeadsMut<T::Inner> for &&MayLead<'_, T> {}
impl<T: RefersToDerefs + Value<Inner: Derefs<Target: Value>> + ?Sized> LeadsOn<T::Inner> for &MayLead<'_, T> {}
impl<'a, T: ?Sized> LeadsNowhere<'a, T> for MayLead<'a, T> {}

/// A type whose `Deref` is the host's alone, as its file tells.
pub trait DerefsOnHost {}

/// Such a type, or what refers to one; see [`RefersToDerefs`].
pub trait RefersToHost {}

impl<T: RefersToHost + ?Sized> RefersToHost for &T {}
impl<T: RefersToHost + ?Sized> RefersToHost for &mut T {}

/// A field of such a type by the hash of its name, which is its own.
#[diagnostic::on_unimplemented(
    message = "this field is found behind the `Deref` of `{Self}`, which is not a #[routine]",
    label = "behind a `Deref` that is not a routine",
    note = "put `#[routine]` above the `impl Deref for {Self}`"
)]
pub trait OwnField<const NAME: u32> {}

/// A reference that is one to an `X` itself.
#[diagnostic::on_unimplemented(
    message = "what is referred to here is found behind the `Deref` of `{X}`, which is not a #[routine]",
    label = "behind a `Deref` that is not a routine",
    note = "put `#[routine]` above the `impl Deref for {X}`"
)]
pub trait RefersTo<X: ?Sized> {}

impl<X: ?Sized> RefersTo<X> for &X {}
impl<X: ?Sized> RefersTo<X> for &mut X {}

/// Asks of a value of such a type what is not found behind its `Deref`.
pub trait AskOfHost<X: ?Sized> {
    /// That a field is its own.
    fn __gpuvm_field<const NAME: u32>(&self)
    where
        X: OwnField<NAME>,
    {
    }

    /// That a reference to it stays one, which is given on.
    fn __gpuvm_lent<T: RefersTo<X>>(&self, value: T) -> T {
        value
    }
}

/// Asks nothing of any other.
pub trait AskOfOther {
    /// As [`AskOfHost::__gpuvm_field`].
    fn __gpuvm_field<const NAME: u32>(&self) {}

    /// As [`AskOfHost::__gpuvm_lent`].
    fn __gpuvm_lent<T>(&self, value: T) -> T {
        value
    }
}

impl<T: RefersToHost + Value<Inner: DerefsOnHost> + ?Sized> AskOfHost<T::Inner> for &MayLead<'_, T> {}
impl<T: ?Sized> AskOfOther for MayLead<'_, T> {}

/// Asks of a value of such a type that its `Deref` is a routine.
pub trait AskDerefOfHost<X: ?Sized> {
    /// It is not.
    fn __gpuvm_deref(&self)
    where
        X: Derefs,
    {
    }
}

/// Asks nothing of any other.
pub trait AskDerefOfOther {
    /// As [`AskDerefOfHost::__gpuvm_deref`].
    fn __gpuvm_deref(&self) {}
}

impl<T: DerefsOnHost + Deref> AskDerefOfHost<T> for &MayLead<'_, T> {}
impl<T: ?Sized> AskDerefOfOther for MayLead<'_, T> {}

/// Of what stands behind the last `Deref` that is asked for, no more is asked.
pub fn leads_no_further(_: PhantomData<LeadsNowhereSlot>) {}

/// The way from a receiver to what is called: what fills a slot with that is an `S`.
pub trait Leads<S> {
    /// What fills a slot with it and the way.
    type Slot;
}

/// It is the receiver's own, or of the slice that an array is.
pub struct Here;

impl<S> Leads<S> for Here {
    type Slot = S;
}

/// It is behind the `Deref` of an `X`.
pub struct Behind<X: ?Sized>(PhantomData<fn(&X)>);

impl<X: ?Sized, S> Leads<S> for Behind<X> {
    type Slot = ThroughSlot<X, S>;
}

/// The same where there is a `DerefMut`.
pub struct BehindMut<X: ?Sized>(PhantomData<fn(&X)>);

impl<X: ?Sized, S> Leads<S> for BehindMut<X> {
    type Slot = ThroughMutSlot<X, S>;
}

/// The slot of what is called where it is found, of the slot with the way to it.
pub fn led<W: Leads<S>, S>(_: &W, _: PhantomData<W::Slot>) -> PhantomData<S> {
    PhantomData
}

/// A method `NAME` of what `M` stands for, called on a `T`.
pub struct Sought<'a, const NAME: u32, M: ?Sized, T: ?Sized>(PhantomData<fn(&'a T, &M)>);

/// A method that is found by its name.
pub fn sought<const NAME: u32, T: Value + ?Sized>(_: &T) -> Sought<'_, NAME, T::Inner, T> {
    Sought(PhantomData)
}

/// One of which the function beside it tells.
pub fn sought_beside<'a, const NAME: u32, M: ?Sized, T: ?Sized>(
    _: &PhantomData<M>,
    _: &'a T,
) -> Sought<'a, NAME, M, T> {
    Sought(PhantomData)
}

/// A method that depends on its arguments and its result, too.
pub struct SoughtGeneric<'a, const NAME: u32, T: ?Sized, A, R>(PhantomData<fn(&'a T, &A, &R)>);

/// Of such a method.
pub fn sought_generic<'a, const NAME: u32, T: ?Sized, A, R>(
    _: &'a T,
    _: &PhantomData<A>,
    _: &R,
) -> SoughtGeneric<'a, NAME, T, A, R> {
    SoughtGeneric(PhantomData)
}

/// The index operator `OP` of a `T` by an `I`.
pub struct SoughtIndex<'a, const OP: u8, T: ?Sized, I>(PhantomData<fn(&'a T, &I)>);

/// Of such an index.
pub fn sought_index<'a, T: ?Sized, I>(_: &'a T, _: &I) -> SoughtIndex<'a, 18, T, I> {
    SoughtIndex(PhantomData)
}

/// The same of an element that is changed.
pub fn sought_index_mut<'a, T: ?Sized, I>(_: &'a T, _: &I) -> SoughtIndex<'a, 19, T, I> {
    SoughtIndex(PhantomData)
}

// Literals, because an expression would be evaluated anew in each crate.
const _: () = assert!(Operator::Index as u8 == 18 && Operator::IndexMut as u8 == 19);

/// What fills a slot with what is sought, if it is where the trait looks. It is given what the call results in, or the index, in a tuple of one.
macro_rules! finder {
    ($name:ident[$($generics:tt)*]: $link:ident; $slot:ty; [$($bounds:tt)+]) => {
        /// A place where what is sought may be.
        pub trait $name<$($generics)*> {
            /// Fills the slot.
            fn $link<O>(&self, _: (O,), _: PhantomData<$slot>)
            where
                $($bounds)+
            {
            }
        }
    };
    ($name:ident[$($generics:tt)*]: $link:ident, $or_unknown:ident -> $itself:ty; $slot:ty; [$($bounds:tt)+]) => {
        /// A place where what is sought may be.
        pub trait $name<$($generics)*> {
            /// Fills the slot.
            fn $link<O>(&self, _: (O,), _: PhantomData<$slot>)
            where
                $($bounds)+
            {
            }

            /// The same, and gives the result in a tuple of one, of which nothing is known where it is no routine.
            fn $or_unknown<O>(&self, _: (O,), _: PhantomData<$slot>) -> ($itself,)
            where
                $($bounds)+
            {
                any()
            }
        }
    };
}

finder! {
    MethodHere[const NAME: u32, M: ?Sized]:
        __gpuvm_method, __gpuvm_method_or_unknown -> O; M::Slot; [M: Method<NAME>]
}
finder! {
    MethodBehindMut[const NAME: u32, X: Deref<Target: Value> + ?Sized]:
        __gpuvm_method, __gpuvm_method_or_unknown -> O::Itself; <X::WayMut as Leads<O::Slot>>::Slot;
        [O: ResultOfMethod<NAME, <X::Target as Value>::Inner>, X: DerefsMut<WayMut: Leads<O::Slot>>]
}
finder! {
    MethodBehind[const NAME: u32, X: Deref<Target: Value> + ?Sized]:
        __gpuvm_method, __gpuvm_method_or_unknown -> O::Itself; <X::Way as Leads<O::Slot>>::Slot;
        [O: ResultOfMethod<NAME, <X::Target as Value>::Inner>, X: Derefs<Way: Leads<O::Slot>>]
}
finder! {
    MethodNowhere[const NAME: u32, T: Value + ?Sized]:
        __gpuvm_method, __gpuvm_method_or_unknown -> O::Itself; O::Slot; [O: ResultOfMethod<NAME, T::Inner>]
}
finder! {
    GenericHere[const NAME: u32, M: ?Sized, A, E: ?Sized]:
        __gpuvm_generic, __gpuvm_generic_or_unknown -> O; M::Slot; [M: GenericMethod<NAME, A, E>]
}
finder! {
    GenericBehindMut[const NAME: u32, X: Deref<Target: Value> + ?Sized, A]:
        __gpuvm_generic, __gpuvm_generic_or_unknown -> O::Itself; <X::WayMut as Leads<O::Slot>>::Slot;
        [O: Value + ResultOfGeneric<NAME, <X::Target as Value>::Inner, A>, X: DerefsMut<WayMut: Leads<O::Slot>>]
}
finder! {
    GenericBehind[const NAME: u32, X: Deref<Target: Value> + ?Sized, A]:
        __gpuvm_generic, __gpuvm_generic_or_unknown -> O::Itself; <X::Way as Leads<O::Slot>>::Slot;
        [O: Value + ResultOfGeneric<NAME, <X::Target as Value>::Inner, A>, X: Derefs<Way: Leads<O::Slot>>]
}
finder! {
    GenericNowhere[const NAME: u32, T: ?Sized, A]:
        __gpuvm_generic, __gpuvm_generic_or_unknown -> O::Itself; O::Slot;
        [T: Value, O: Value + ResultOfGeneric<NAME, T::Inner, A>]
}
finder! {
    IndexHere[const OP: u8, M: ?Sized, B: ?Sized, Right: ?Sized]:
        __gpuvm_index; M::Slot; [M: Operation<OP, B, M, Right>]
}
finder! {
    IndexBehindMut[const OP: u8, X: Deref<Target: Value> + ?Sized, I]:
        __gpuvm_index; <X::WayMut as Leads<IndexSlot<OP, X::Target, I>>>::Slot;
        [
            I: Value,
            (): ResultOfOperation<OP, <X::Target as Value>::Inner, I::Inner, <X::Target as Value>::Inner, I::Erased, <X::Target as Value>::Inner, I>,
            X: DerefsMut<WayMut: Leads<IndexSlot<OP, X::Target, I>>>,
        ]
}
finder! {
    IndexBehind[const OP: u8, X: Deref<Target: Value> + ?Sized, I]:
        __gpuvm_index; <X::Way as Leads<IndexSlot<OP, X::Target, I>>>::Slot;
        [
            I: Value,
            (): ResultOfOperation<OP, <X::Target as Value>::Inner, I::Inner, <X::Target as Value>::Inner, I::Erased, <X::Target as Value>::Inner, I>,
            X: Derefs<Way: Leads<IndexSlot<OP, X::Target, I>>>,
        ]
}
finder! {
    IndexNowhere[const OP: u8, T: ?Sized, I]:
        __gpuvm_index; IndexSlot<OP, T, I>; [T: Value, I: Value, (): ResultOfOperation<OP, <T as Value>::Inner, I::Inner, <T as Value>::Inner, I::Erased, <T as Value>::Inner, I>]
}

/// Of what the receiver's own type has.
pub trait SeekHere<'a, T: ?Sized> {
    /// The way, and where it leads to.
    fn __gpuvm_way(&self) -> (Here, &'a T) {
        unreachable!("the shadow of a routine never runs")
    }
}

/// Of what is behind a `Deref` beside which there is a `DerefMut`.
pub trait SeekBehindMut<X: Deref + ?Sized + 'static> {
    /// As [`SeekHere::__gpuvm_way`].
    fn __gpuvm_way(&self) -> (X::WayMut, &'static X::Target)
    where
        X: DerefsMut,
    {
        unreachable!("the shadow of a routine never runs")
    }
}

/// Of what is behind a `Deref` alone.
pub trait SeekBehind<X: Deref + ?Sized + 'static> {
    /// As [`SeekHere::__gpuvm_way`].
    fn __gpuvm_way(&self) -> (X::Way, &'static X::Target)
    where
        X: Derefs,
    {
        unreachable!("the shadow of a routine never runs")
    }
}

/// Of what slices have, for an array.
pub trait SeekInSlice<E: 'static> {
    /// As [`SeekHere::__gpuvm_way`].
    fn __gpuvm_way(&self) -> (Here, &'static [E]) {
        unreachable!("the shadow of a routine never runs")
    }
}

/// Of what is nowhere, as is told of the receiver.
pub trait SeekNowhere<'a, T: ?Sized> {
    /// As [`SeekHere::__gpuvm_way`].
    fn __gpuvm_way(&self) -> (Here, &'a T) {
        unreachable!("the shadow of a routine never runs")
    }
}

impl<'a, const NAME: u32, M: Method<NAME> + ?Sized, T: ?Sized> SeekHere<'a, T> for &&&&Sought<'a, NAME, M, T> {}

impl<'a, const NAME: u32, T, A, R: Value> SeekHere<'a, T> for &&&&SoughtGeneric<'a, NAME, T, A, R> where
    T: Value<Inner: GenericMethod<NAME, A, R::Erased>> + ?Sized
{
}

impl<'a, const OP: u8, T, I: Value> SeekHere<'a, T> for &&&&SoughtIndex<'a, OP, T, I> where
    T: Value<Inner: Operation<OP, I::Inner, T::Inner, I::Erased>> + ?Sized
{
}

/// Where method lookup finds each of them: the first of these that fits.
macro_rules! found {
    ($([$($generics:tt)*] $sought:ty: $behind_mut:ident $behind:ident [$($question:tt)*];)*) => {$(
        impl<'a, $($generics)*, T: Value<Inner: DerefMut<Target: Value>> + ?Sized> $behind_mut<$($question)*> for &&$sought {}
        impl<'a, $($generics)*, T: Value<Inner: Deref<Target: Value>> + ?Sized> $behind<$($question)*> for &$sought {}
    )*};
}
found! {
    [const NAME: u32, M: ?Sized] Sought<'a, NAME, M, T>: MethodBehindMut MethodBehind [NAME, T::Inner];
    [const NAME: u32, A, R] SoughtGeneric<'a, NAME, T, A, R>: GenericBehindMut GenericBehind [NAME, T::Inner, A];
    [const OP: u8, I] SoughtIndex<'a, OP, T, I>: IndexBehindMut IndexBehind [OP, T::Inner, I];
}

impl<const NAME: u32, M: Method<NAME> + ?Sized, T: ?Sized> MethodHere<NAME, M> for &&&Sought<'_, NAME, M, T> {}
impl<const NAME: u32, M: ?Sized, T: Value + ?Sized> MethodNowhere<NAME, T> for Sought<'_, NAME, M, T> {}

impl<const NAME: u32, T, A, R: Value> GenericHere<NAME, T::Inner, A, R::Erased> for &&&SoughtGeneric<'_, NAME, T, A, R> where
    T: Value<Inner: GenericMethod<NAME, A, R::Erased>> + ?Sized
{
}
impl<const NAME: u32, T: ?Sized, A, R> GenericNowhere<NAME, T, A> for SoughtGeneric<'_, NAME, T, A, R> {}

impl<const OP: u8, T, I: Value> IndexHere<OP, T::Inner, I::Inner, I::Erased> for &&&SoughtIndex<'_, OP, T, I>
where
    T: Value + ?Sized,
    T::Inner: Operation<OP, I::Inner, T::Inner, I::Erased>,
{
}
impl<const OP: u8, T: ?Sized, I> IndexNowhere<OP, T, I> for SoughtIndex<'_, OP, T, I> {}

macro_rules! seekers {
    ($([$($generics:tt)*] $sought:ty;)*) => {$(
        impl<'a, $($generics)*, T: Value<Inner: DerefMut<Target: Value>> + ?Sized> SeekBehindMut<T::Inner> for &&&$sought {}
        impl<'a, $($generics)*, T: Value<Inner: Deref<Target: Value>> + ?Sized> SeekBehind<T::Inner> for &&$sought {}
        impl<'a, $($generics)*, T: ?Sized> SeekNowhere<'a, T> for $sought {}
    )*};
}
seekers! {
    [const NAME: u32, M: ?Sized] Sought<'a, NAME, M, T>;
    [const NAME: u32, A, R] SoughtGeneric<'a, NAME, T, A, R>;
    [const OP: u8, I] SoughtIndex<'a, OP, T, I>;
}

impl<const NAME: u32, M: ?Sized, E: 'static, const N: usize, T: Value<Inner = [E; N]> + ?Sized> SeekInSlice<E>
    for &Sought<'_, NAME, M, T>
{
}
