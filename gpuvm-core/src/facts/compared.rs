//! Comparisons of values that hold others. The comparison of a generic type may be a routine that asks something of the type's parameters, so that
//! [`Value::TYPE`], which is the same whatever they have, cannot tell it; method lookup can. What holds such values is compared as a type of its own, laid
//! out as it is, in which their routines stand.

use std::mem::Discriminant;
use std::ops::{RangeTo, RangeToInclusive};

use super::Method;
use crate::encode::node::Operator;
use crate::stdlib::iter::{AnIterator, From, HalfOpen, Inclusive};
use crate::types::{Field, Static, Type, Value, Variant};

/// `PartialEq::eq`, by the hash of its name.
pub const EQ: u32 = gpuvm_macros::name_hash!("eq");
/// `PartialOrd::partial_cmp`.
pub const PARTIAL_CMP: u32 = gpuvm_macros::name_hash!("partial_cmp");
/// `Ord::cmp`.
pub const CMP: u32 = gpuvm_macros::name_hash!("cmp");

/// What has the comparison `HOW`: [`EQ`], [`PARTIAL_CMP`] or [`CMP`]. The lifetime lets bounds be false: of a type without parameters rustc refuses those.
pub trait Compares<'maybe, const HOW: u32> {
    /// The type as the comparison sees it, where that differs from what the type tells.
    const SEEN: Option<&'static Type>;
}

#[diagnostic::do_not_recommend]
impl<const HOW: u32, T: Method<HOW> + Value + ?Sized> Compares<'_, HOW> for T {
    const SEEN: Option<&'static Type> = match (T::SEEN, T::CALL) {
        (Some(seen), _) => Some(seen),
        (None, Some(call)) if call.inline.is_none() => Some(const { &by_routine::<HOW, T>() }),
        _ => None,
    };
}

/// The type with the routine that compares it.
const fn by_routine<const HOW: u32, T: Method<HOW> + Value + ?Sized>() -> Type {
    let mut comparisons = T::TYPE.comparisons;
    if let Some(call) = T::CALL {
        match HOW {
            EQ => comparisons.eq = Some(call.routine),
            PARTIAL_CMP => comparisons.partial_cmp = Some(call.routine),
            _ => comparisons.cmp = Some(call.routine),
        }
    }
    Type {
        comparisons,
        ..*T::TYPE
    }
}

/// A part of a value, which may be a reference to what has the comparison.
pub trait ComparesIf<'maybe, const HOW: u32> {
    /// As [`Compares::SEEN`].
    const PART: Option<&'static Type>;
}

#[diagnostic::do_not_recommend]
impl<'maybe, const HOW: u32, T: Value<Inner: Compares<'maybe, HOW>> + ?Sized> ComparesIf<'maybe, HOW> for T {
    const PART: Option<&'static Type> = <T::Inner as Compares<'maybe, HOW>>::SEEN;
}

/// What has the comparison behind an operator.
pub trait ComparesBy<const OP: u8> {
    /// As [`Compares::SEEN`].
    const SEEN: Option<&'static Type>;
}

macro_rules! behind_operators {
    ($($operator:ident $how:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Compares<'static, $how> + ?Sized> ComparesBy<{ Operator::$operator as u8 }> for T {
            const SEEN: Option<&'static Type> = <T as Compares<'static, $how>>::SEEN;
        }
    )*};
}
behind_operators! {
    Eq EQ;
    Ne EQ;
    Lt PARTIAL_CMP;
    Le PARTIAL_CMP;
    Gt PARTIAL_CMP;
    Ge PARTIAL_CMP;
}

/// Whether a comparison sees parts as something else than what they tell.
pub const fn any_seen<const N: usize>(parts: [Option<&'static Type>; N]) -> bool {
    let mut i = 0;
    while i < N {
        if parts[i].is_some() {
            return true;
        }
        i += 1;
    }
    false
}

/// Fields as a comparison sees them.
pub const fn seen_fields<const N: usize>(fields: &'static [Field], parts: [Option<&'static Type>; N]) -> [Field; N] {
    let mut seen = [Field {
        hash: 0,
        name: "",
        ty: &Type::NEVER,
        refs: 0,
        offset: 0,
    }; N];
    let mut i = 0;
    while i < N {
        seen[i] = fields[i];
        if let Some(part) = parts[i] {
            seen[i].ty = part;
        }
        i += 1;
    }
    seen
}

/// A struct or tuple as a comparison sees it.
pub const fn seen_record(ty: &'static Type, fields: &'static [Field]) -> Type {
    Type { fields, ..*ty }
}

/// One of an enum's variants as a comparison sees it.
pub const fn seen_variant(ty: &'static Type, index: usize, fields: &'static [Field]) -> Variant {
    Variant {
        fields,
        ..ty.variants[index]
    }
}

/// An enum as a comparison sees it.
pub const fn seen_enum(ty: &'static Type, variants: &'static [Variant]) -> Type {
    Type { variants, ..*ty }
}

/// A list as a comparison sees it.
pub(crate) const fn seen_list(ty: &'static Type, part: Option<&'static Type>) -> Type {
    match part {
        Some(_) => Type { element: part, ..*ty },
        None => Type { ..*ty },
    }
}

/// Makes comparable what holds others: all operators and methods, by what is asked of its parts.
macro_rules! holders {
    ($([$($generics:tt)*] $ty:ty, $shape:ident $variants:tt: $comparisons:tt;)*) => {$(
        holders! { @comparisons [$($generics)*] $ty, $shape $variants: $comparisons }
    )*};
    (@comparisons $generics:tt $ty:ty, $shape:ident $variants:tt: (eq)) => {
        holders! { @compared EQ $generics $ty, $shape $variants }
        holders! { @methods EQ $generics $ty; [ne] }
    };
    (@comparisons $generics:tt $ty:ty, $shape:ident $variants:tt: (eq cmp)) => {
        holders! { @comparisons $generics $ty, $shape $variants: (eq) }
        holders! { @compared PARTIAL_CMP $generics $ty, $shape $variants }
        holders! { @methods PARTIAL_CMP $generics $ty; [lt le gt ge max min clamp] }
        holders! { @compared CMP $generics $ty, $shape $variants }
    };
    (@compared $how:ident $generics:tt $ty:ty, $shape:ident { $($index:tt($($part:ty),*))* }) => {
        holders! { @bounds $how $generics $ty, ($($($part,)*)*), $shape { $($index($($part),*))* } }
    };
    (@bounds $how:ident [$($generics:tt)*] $ty:ty, ($($bound:ty,)*), $shape:ident $variants:tt) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Method<$how> for $ty
        where
            Self: Value,
            $($bound: ComparesIf<'static, $how>,)*
        {
            type Slot = crate::facts::MethodSlot<$how, Self>;
            const CALL: Option<CallFact> = None;
            const SEEN: Option<&'static Type> =
                match any_seen([$(<$bound as ComparesIf<'static, $how>>::PART),*]) {
                    true => Some(const { &holders!(@seen $how $shape $variants) }),
                    false => None,
                };
        }
    };
    (@seen $how:ident record { $index:tt($($part:ty),*) }) => {
        seen_record(
            <Self as Value>::TYPE,
            const { &seen_fields(<Self as Value>::TYPE.fields, [$(<$part as ComparesIf<'static, $how>>::PART),*]) },
        )
    };
    (@seen $how:ident choice { $($index:tt($($part:ty),*))* }) => {
        seen_enum(
            <Self as Value>::TYPE,
            const {
                &[$(seen_variant(
                    <Self as Value>::TYPE,
                    $index,
                    const {
                        &seen_fields(
                            <Self as Value>::TYPE.variants[$index].fields,
                            [$(<$part as ComparesIf<'static, $how>>::PART),*],
                        )
                    },
                )),*]
            },
        )
    };
    (@seen $how:ident list { $index:tt($part:ty) }) => {
        seen_list(<Self as Value>::TYPE, <$part as ComparesIf<'static, $how>>::PART)
    };
    (@methods $how:ident $generics:tt $ty:ty; [$($name:ident)*]) => {$(
        holders! { @method $how $generics $ty; $name }
    )*};
    (@method $how:ident [$($generics:tt)*] $ty:ty; $name:ident) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Method<{ gpuvm_macros::name_hash!($name) }> for $ty
        where
            Self: Compares<'static, $how>,
        {
            type Slot = crate::facts::MethodSlot<{ gpuvm_macros::name_hash!($name) }, Self>;
            const CALL: Option<CallFact> = None;
            const SEEN: Option<&'static Type> = <Self as Compares<'static, $how>>::SEEN;
        }
    };
}

/// The operators of what holds others.
macro_rules! held_operators {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, $ty, L, R> for $ty
        where
            Self: ComparesBy<OP>,
        {
            type Slot = crate::facts::OperatorSlot<OP, Self, $ty, L, R>;
            const CALL: Option<CallFact> = None;
            const SEEN: Option<&'static Type> = <Self as ComparesBy<OP>>::SEEN;
        }
    )*};
}

pub(crate) use {held_operators, holders};

/// What is compared by its words alone, as a part; by itself only its operators are known.
macro_rules! leaves {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Compares<'_, EQ> for $ty {
            const SEEN: Option<&'static Type> = None;
        }
    )*};
}
leaves! {
    [T: Static] AnIterator<HalfOpen<T>>;
    [T: Static] AnIterator<Inclusive<T>>;
    [T: Static] AnIterator<From<T>>;
    [T] RangeTo<T>;
    [T] RangeToInclusive<T>;
    [T] Discriminant<T>;
}
