//! The comparisons of a generic type of the user's: what std has bodies for, by the methods that an `impl` writes.

use std::cmp::Ordering;

use gpuvm_macros::routine;

use super::compare::Equal;
use super::iter::Ordered;
use crate::facts::Method;
use crate::types::{Static, Value};

const PARTIAL_CMP: u32 = gpuvm_macros::name_hash!("partial_cmp");

/// What has a `partial_cmp` that is a routine.
pub trait PartiallyOrdered: Static + PartialOrd + Value<Inner: Method<PARTIAL_CMP>> {}

impl<T: Static + PartialOrd + Value<Inner: Method<PARTIAL_CMP>>> PartiallyOrdered for T {}

#[routine(library)]
pub fn ne<T: Equal>(a: &T, b: &T) -> bool {
    !(a == b)
}

#[routine(library)]
pub fn lt<T: PartiallyOrdered>(a: &T, b: &T) -> bool {
    matches!(a.partial_cmp(b), Some(Ordering::Less))
}

#[routine(library)]
pub fn le<T: PartiallyOrdered>(a: &T, b: &T) -> bool {
    matches!(a.partial_cmp(b), Some(Ordering::Less | Ordering::Equal))
}

#[routine(library)]
pub fn gt<T: PartiallyOrdered>(a: &T, b: &T) -> bool {
    matches!(a.partial_cmp(b), Some(Ordering::Greater))
}

#[routine(library)]
pub fn ge<T: PartiallyOrdered>(a: &T, b: &T) -> bool {
    matches!(a.partial_cmp(b), Some(Ordering::Greater | Ordering::Equal))
}

#[routine(library)]
pub fn max<T: Ordered>(a: T, b: T) -> T {
    if b < a { a } else { b }
}

#[routine(library)]
pub fn min<T: Ordered>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

#[routine(library)]
pub fn clamp<T: Ordered>(value: T, least: T, most: T) -> T {
    assert!(least <= most, "assertion failed: min <= max");
    if value < least {
        least
    } else if value > most {
        most
    } else {
        value
    }
}
