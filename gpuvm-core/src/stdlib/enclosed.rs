//! Methods of `NonZero`, `ControlFlow`, `Ordering`, and the operators of `Saturating`.

use std::cmp::Ordering;
use std::num::{NonZero, Saturating};
use std::ops::ControlFlow;

use gpuvm_macros::routine;

use super::scalar::Integer;
use super::{generic_methods, intrinsics, methods};
use crate::encode::node::Operator;
use crate::facts::{CallFact, Convert, Operation};
use crate::types::{Static, VmType};

/// The same words without 0, or `None`.
#[routine(library, inline)]
fn new<T: Integer, N: VmType>(x: T) -> Option<N> {
    if x == T::ZERO { None } else { Some(intrinsics::words(x)) }
}

#[routine(library, inline)]
fn get<N: VmType, T: Integer>(x: N) -> T {
    intrinsics::words(x)
}

#[routine(library, inline)]
fn leading_zeros<N: VmType, T: Integer>(x: N) -> u32 {
    let number: T = intrinsics::words(x);
    number.leading_zeros()
}

#[routine(library, inline)]
fn trailing_zeros<N: VmType, T: Integer>(x: N) -> u32 {
    let number: T = intrinsics::words(x);
    number.trailing_zeros()
}

#[routine(library, inline)]
fn checked_add<N: VmType, T: Integer>(x: N, y: T) -> Option<N> {
    let number: T = intrinsics::words(x);
    match number.checked_add(y) {
        Some(sum) => Some(intrinsics::words(sum)),
        None => None,
    }
}

#[routine(library, inline)]
fn checked_mul<N: VmType, T: Integer>(x: N, y: N) -> Option<N> {
    let (number, other): (T, T) = (intrinsics::words(x), intrinsics::words(y));
    match number.checked_mul(other) {
        Some(product) => Some(intrinsics::words(product)),
        None => None,
    }
}

macro_rules! non_zero {
    ($($ty:ident)*) => {$(
        methods! {
            [] NonZero<$ty>, new = new<$ty, NonZero<$ty>>;
            [] NonZero<$ty>, get = get<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, leading_zeros = leading_zeros<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, trailing_zeros = trailing_zeros<NonZero<$ty>, $ty>;
            [] NonZero<$ty>, checked_mul = checked_mul<NonZero<$ty>, $ty>;
        }

        impl Convert<NonZero<$ty>> for $ty {
            type Slot = crate::facts::ConvertSlot<NonZero<$ty>, Self>;
            const CALL: Option<CallFact> = Some(CallFact::of::<get<NonZero<$ty>, $ty>>());
        }
    )*};
}
non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! non_zero_unsigned {
    ($($ty:ident)*) => {
        methods! {$(
            [] NonZero<$ty>, checked_add = checked_add<NonZero<$ty>, $ty>;
        )*}
    };
}
non_zero_unsigned!(u8 u16 u32 u64 u128 usize);

/// The operators of `Saturating`, and those that assign.
macro_rules! saturating {
    ($($operator:ident $assign:ident $name:ident $assign_name:ident $method:ident;)*) => {$(
        #[routine(library, inline)]
        fn $name<T: Integer>(a: Saturating<T>, b: Saturating<T>) -> Saturating<T> {
            Saturating(a.0.$method(b.0))
        }

        #[routine(library, inline)]
        fn $assign_name<T: Integer>(a: &mut Saturating<T>, b: Saturating<T>) {
            a.0 = a.0.$method(b.0);
        }

        #[diagnostic::do_not_recommend]
        impl<T: Integer> Operation<{ Operator::$operator as u8 }, Saturating<T>> for Saturating<T> {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, Saturating<T>>;
            const CALL: Option<CallFact> = Some(CallFact::of::<$name<T>>());
        }

        #[diagnostic::do_not_recommend]
        impl<T: Integer> Operation<{ Operator::$assign as u8 }, Saturating<T>> for Saturating<T> {
            type Slot = crate::facts::OperatorSlot<{ Operator::$assign as u8 }, Self, Saturating<T>>;
            const CALL: Option<CallFact> = Some(CallFact::of::<$assign_name<T>>());
        }
    )*};
}
saturating! {
    Add AddAssign add add_assign saturating_add;
    Sub SubAssign sub sub_assign saturating_sub;
    Mul MulAssign mul mul_assign saturating_mul;
}

macro_rules! compared {
    ($($operator:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> Operation<{ Operator::$operator as u8 }, Saturating<T>> for Saturating<T> {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, Saturating<T>>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
compared!(Eq Ne Lt Le Gt Ge);

#[routine(library, inline)]
fn then_with(ordering: Ordering, f: fn() -> Ordering) -> Ordering {
    if ordering == Ordering::Equal { f() } else { ordering }
}

#[routine(library, inline)]
fn is_break<B: Static, C: Static>(flow: &ControlFlow<B, C>) -> bool {
    match flow {
        ControlFlow::Break(_) => true,
        ControlFlow::Continue(_) => false,
    }
}

#[routine(library, inline)]
fn is_continue<B: Static, C: Static>(flow: &ControlFlow<B, C>) -> bool {
    !is_break(flow)
}

#[routine(library)]
fn break_value<B: Static, C: Static>(flow: ControlFlow<B, C>) -> Option<B> {
    match flow {
        ControlFlow::Break(x) => Some(x),
        ControlFlow::Continue(_) => None,
    }
}

#[routine(library)]
fn continue_value<B: Static, C: Static>(flow: ControlFlow<B, C>) -> Option<C> {
    match flow {
        ControlFlow::Break(_) => None,
        ControlFlow::Continue(x) => Some(x),
    }
}

methods! {
    [B: Static, C: Static] ControlFlow<B, C>, is_break = is_break<B, C>;
    [B: Static, C: Static] ControlFlow<B, C>, is_continue = is_continue<B, C>;
    [B: Static, C: Static] ControlFlow<B, C>, break_value = break_value<B, C>;
    [B: Static, C: Static] ControlFlow<B, C>, continue_value = continue_value<B, C>;
}

generic_methods! {
    [] Ordering, then_with(()) -> Ordering = then_with;
}
