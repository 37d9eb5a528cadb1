//! Methods of `ControlFlow` and `Ordering`, and methods and operators of `Saturating`.

use std::cmp::Ordering;
use std::mem::Discriminant;
use std::num::Saturating;
use std::ops::ControlFlow;

use gpuvm_macros::routine;

use super::scalar::{Integer, Signed};
use super::{generic_methods, methods, operators};
use crate::encode::node::Operator;
use crate::facts::{CallFact, Operation};
use crate::types::Static;

/// The operators of `Saturating`, and those that assign: by one of its kind, or by a plain number.
macro_rules! saturating {
    ($($operator:ident $assign:ident $name:ident $assign_name:ident $assign_by:ident $a:ident $b:ident $result:expr;)*) => {
        mod saturating {
            use super::{Integer, Saturating, routine};
            $(
                #[routine(library, inline)]
                pub fn $name<T: Integer>(a: Saturating<T>, b: Saturating<T>) -> Saturating<T> {
                    let ($a, $b) = (a.0, b.0);
                    Saturating($result)
                }

                #[routine(library, inline)]
                pub fn $assign_name<T: Integer>(a: &mut Saturating<T>, b: Saturating<T>) {
                    *a = $name(*a, b);
                }

                #[routine(library, inline)]
                pub fn $assign_by<T: Integer>(a: &mut Saturating<T>, b: T) {
                    *a = $name(*a, Saturating(b));
                }
            )*
        }
        $(
        operators! {
            [T: Integer] Saturating<T>, $operator Saturating<T> = saturating::$name<T>;
            [T: Integer] Saturating<T>, $assign Saturating<T> = saturating::$assign_name<T>;
        }
        saturating! { @by $assign $assign_by; i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
        )*
    };
    (@by $assign:ident $assign_by:ident; $($ty:ident)*) => {
        operators! { $([] Saturating<$ty>, $assign $ty = saturating::$assign_by<$ty>;)* }
    };
}
saturating! {
    Add AddAssign add add_assign add_by a b a.saturating_add(b);
    Sub SubAssign sub sub_assign sub_by a b a.saturating_sub(b);
    Mul MulAssign mul mul_assign mul_by a b a.saturating_mul(b);
    Div DivAssign div div_assign div_by a b a.saturating_div(b);
    Rem RemAssign rem rem_assign rem_by a b a % b;
    BitAnd BitAndAssign and and_assign and_by a b a & b;
    BitOr BitOrAssign or or_assign or_by a b a | b;
    BitXor BitXorAssign xor xor_assign xor_by a b a ^ b;
}

#[routine(library, inline)]
fn saturating_power<T: Integer>(a: Saturating<T>, exponent: u32) -> Saturating<T> {
    Saturating(a.0.saturating_pow(exponent))
}

#[routine(library, inline)]
fn saturating_absolute<T: Signed>(a: Saturating<T>) -> Saturating<T> {
    Saturating(a.0.saturating_abs())
}

#[routine(library, inline)]
fn saturating_negative<T: Signed>(a: Saturating<T>) -> Saturating<T> {
    Saturating(a.0.saturating_neg())
}

methods! {
    [T: Integer] Saturating<T>, pow = saturating_power<T>;
    [T: Signed] Saturating<T>, abs = saturating_absolute<T>;
}

operators! {
    [T: Signed] Saturating<T>, Neg () = saturating_negative<T>;
}

macro_rules! compared {
    ($($operator:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, L: ?Sized, R: ?Sized> Operation<{ Operator::$operator as u8 }, Saturating<T>, L, R> for Saturating<T> {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, Saturating<T>, L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
compared!(Eq Ne Lt Le Gt Ge);

/// The tags of enums are equal or not.
macro_rules! equal_tags {
    ($($operator:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, L: ?Sized, R: ?Sized> Operation<{ Operator::$operator as u8 }, Discriminant<T>, L, R> for Discriminant<T> {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, Discriminant<T>, L, R>;
            const CALL: Option<CallFact> = None;
        }
    )*};
}
equal_tags!(Eq Ne);

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
