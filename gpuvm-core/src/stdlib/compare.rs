//! Comparisons of slices with each other and with arrays: element by element, then by length.

use std::cmp::Ordering;

use gpuvm_macros::routine;

use super::iter::Ordered;
use super::methods;
use crate::encode::node::Operator;
use crate::facts::{CMP, CallFact, Compares, ComparesIf, EQ, Method, MethodSlot, Operation, PARTIAL_CMP, seen_list};
use crate::types::{Static, Type, Value, VmType};

const EQUAL: u8 = Operator::Eq as u8;

/// What can be equal as routines know it.
pub trait Equal: Static + PartialEq + Value<Inner: HasEquality> {}

impl<T: Static + PartialEq + Value<Inner: HasEquality>> Equal for T {}

/// The operator of equality, and what holds such values compares them by.
pub trait HasEquality: Operation<EQUAL, Self> + Compares<'static, EQ> {}

impl<T: Operation<EQUAL, T> + Compares<'static, EQ> + ?Sized> HasEquality for T {}

#[routine(library, inline)]
fn equal<T: Equal>(a: &[T], b: &[T]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    for i in 0..a.len() {
        if !(a[i] == b[i]) {
            return false;
        }
    }
    true
}

#[routine(library, inline)]
fn unequal<T: Equal>(a: &[T], b: &[T]) -> bool {
    if a.len() != b.len() {
        return true;
    }
    for i in 0..a.len() {
        if !(a[i] == b[i]) {
            return true;
        }
    }
    false
}

#[routine(library, inline)]
fn partial_order<T: Ordered>(a: &[T], b: &[T]) -> Option<Ordering> {
    let most = if a.len() < b.len() { a.len() } else { b.len() };
    for i in 0..most {
        if a[i] < b[i] {
            return Some(Ordering::Less);
        }
        if a[i] > b[i] {
            return Some(Ordering::Greater);
        }
        if !(a[i] <= b[i]) {
            return None;
        }
    }
    Some(a.len().cmp(&b.len()))
}

#[routine(library, inline)]
fn order<T: Ordered>(a: &[T], b: &[T]) -> Ordering {
    let most = if a.len() < b.len() { a.len() } else { b.len() };
    for i in 0..most {
        if a[i] < b[i] {
            return Ordering::Less;
        }
        if a[i] > b[i] {
            return Ordering::Greater;
        }
    }
    a.len().cmp(&b.len())
}

#[routine(library, inline)]
fn less<T: Ordered>(a: &[T], b: &[T]) -> bool {
    match partial_order::<T>(a, b) {
        Some(order) => order.is_lt(),
        None => false,
    }
}

#[routine(library, inline)]
fn at_most<T: Ordered>(a: &[T], b: &[T]) -> bool {
    match partial_order::<T>(a, b) {
        Some(order) => order.is_le(),
        None => false,
    }
}

#[routine(library, inline)]
fn greater<T: Ordered>(a: &[T], b: &[T]) -> bool {
    match partial_order::<T>(a, b) {
        Some(order) => order.is_gt(),
        None => false,
    }
}

#[routine(library, inline)]
fn at_least<T: Ordered>(a: &[T], b: &[T]) -> bool {
    match partial_order::<T>(a, b) {
        Some(order) => order.is_ge(),
        None => false,
    }
}

#[routine(library, inline)]
fn larger<T: Ordered>(a: &'static [T], b: &'static [T]) -> &'static [T] {
    if greater::<T>(a, b) { a } else { b }
}

#[routine(library, inline)]
fn smaller<T: Ordered>(a: &'static [T], b: &'static [T]) -> &'static [T] {
    if less::<T>(b, a) { b } else { a }
}

#[routine(library, inline)]
fn clamped<T: Ordered>(list: &'static [T], least: &'static [T], most: &'static [T]) -> &'static [T] {
    assert!(at_most::<T>(least, most), "assertion failed: min <= max");
    if less::<T>(list, least) {
        least
    } else if greater::<T>(list, most) {
        most
    } else {
        list
    }
}

/// Makes routines what operators are of two types. The encoder negates `==` for `!=`.
macro_rules! operators {
    ($([$($generics:tt)*] $a:ty, $operator:ident, $b:ty = $routine:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized, $($generics)*> Operation<{ Operator::$operator as u8 }, $b, L, R> for $a {
            type Slot = crate::facts::OperatorSlot<{ Operator::$operator as u8 }, Self, $b, L, R>;
            const CALL: Option<CallFact> = Some(CallFact::of::<$routine>());
        }
    )*};
}
operators! {
    [T: Equal] [T], Eq, [T] = equal<T>;
    [T: Equal] [T], Ne, [T] = equal<T>;
    [T: Equal + VmType, const N: usize] [T], Eq, [T; N] = equal<T>;
    [T: Equal + VmType, const N: usize] [T], Ne, [T; N] = equal<T>;
    [T: Equal + VmType, const N: usize] [T; N], Eq, [T] = equal<T>;
    [T: Equal + VmType, const N: usize] [T; N], Ne, [T] = equal<T>;
    [T: Ordered] [T], Lt, [T] = less<T>;
    [T: Ordered] [T], Le, [T] = at_most<T>;
    [T: Ordered] [T], Gt, [T] = greater<T>;
    [T: Ordered] [T], Ge, [T] = at_least<T>;
}

methods! {
    [T: Equal] [T], ne = unequal<T>;
    [T: Ordered] [T], max = larger<T>;
    [T: Ordered] [T], min = smaller<T>;
    [T: Ordered] [T], clamp = clamped<T>;
    [T: Ordered] [T], lt = less<T>;
    [T: Ordered] [T], le = at_most<T>;
    [T: Ordered] [T], gt = greater<T>;
    [T: Ordered] [T], ge = at_least<T>;
}

/// What compares slices, and what holds them by their elements.
macro_rules! lists {
    ($($bound:ident $how:ident $routine:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: $bound + ComparesIf<'static, $how>> Method<$how> for [T] {
            type Slot = MethodSlot<$how, Self>;
            const CALL: Option<CallFact> = Some(CallFact::of::<$routine<T>>());
            const SEEN: Option<&'static Type> = match <T as ComparesIf<'static, $how>>::PART {
                Some(_) => Some(const { &seen_list(<[T] as Value>::TYPE, <T as ComparesIf<'static, $how>>::PART) }),
                None => None,
            };
        }
    )*};
}
lists! {
    Equal EQ equal;
    Ordered PARTIAL_CMP partial_order;
    Ordered CMP order;
}
