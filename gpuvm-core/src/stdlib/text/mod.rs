//! Methods of `str`: bytes that are UTF-8.

use std::cmp::Ordering;

use gpuvm_macros::routine;

use super::{intrinsics, methods};
use crate::facts::{CallFact, Operation, RoutineType};
use crate::types::Comparisons;

/// How texts compare: as their bytes do.
pub const TEXT_COMPARISONS: Comparisons = Comparisons {
    eq: Some(equal::routine),
    partial_cmp: Some(partial_order::routine),
    cmp: Some(order::routine),
    reversed: false,
};

impl<const OP: u8> Operation<OP, str> for str {
    type Slot = crate::facts::OperatorSlot<OP, Self, str>;
    const CALL: Option<CallFact> = None;
}

#[routine(library)]
fn equal(a: &str, b: &str) -> bool {
    *as_bytes(a) == *as_bytes(b)
}

#[routine(library)]
fn order(a: &str, b: &str) -> Ordering {
    as_bytes(a).cmp(as_bytes(b))
}

#[routine(library)]
fn partial_order(a: &str, b: &str) -> Option<Ordering> {
    Some(order(a, b))
}

#[routine(library, inline)]
fn max(a: &'static str, b: &'static str) -> &'static str {
    if a > b { a } else { b }
}

#[routine(library, inline)]
fn min(a: &'static str, b: &'static str) -> &'static str {
    if b < a { b } else { a }
}

#[routine(library, inline)]
fn clone(text: &str) -> &str {
    text
}

#[routine(library, inline)]
fn as_bytes(text: &str) -> &[u8] {
    intrinsics::words(text)
}

/// Bytes that are known to be UTF-8.
#[routine(library, inline)]
fn of_bytes(bytes: &[u8]) -> &str {
    intrinsics::words(bytes)
}

methods! {
    [] str, max = max;
    [] str, min = min;
    [] str, clone = clone;
    [] str, as_bytes = as_bytes;
}
