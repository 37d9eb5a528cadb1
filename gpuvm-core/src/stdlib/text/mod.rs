//! Methods of `str`: bytes that are UTF-8.

mod chars;
mod find;
mod float;
mod matches;
pub mod packed;
mod parse;
mod split;
mod utf8;

pub use utf8::from_utf8;

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
    ..Comparisons::DERIVED
};

impl<const OP: u8, L: ?Sized, R: ?Sized> Operation<OP, str, L, R> for str {
    type Slot = crate::facts::OperatorSlot<OP, Self, str, L, R>;
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

#[routine(library)]
fn clamp<'a>(text: &'a str, least: &'a str, most: &'a str) -> &'a str {
    assert!(least <= most, "assertion failed: min <= max");
    if text < least {
        least
    } else if text > most {
        most
    } else {
        text
    }
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

/// The part between two places, which are known to be boundaries of characters.
#[routine(library, inline)]
fn part(text: &str, start: usize, end: usize) -> &str {
    of_bytes(intrinsics::part(&as_bytes(text), start, end))
}

#[routine(library)]
fn is_char_boundary(text: &str, at: usize) -> bool {
    let length = text.len();
    if at >= length {
        return at == length;
    }
    at == 0 || !chars::continues(*intrinsics::element(&as_bytes(text), at))
}

#[routine(library, inline)]
fn split_at(text: &str, middle: usize) -> (&str, &str) {
    (&text[0..middle], part(text, middle, text.len()))
}

#[routine(library, inline)]
fn split_at_checked(text: &str, middle: usize) -> Option<(&str, &str)> {
    if is_char_boundary(text, middle) {
        Some((part(text, 0, middle), part(text, middle, text.len())))
    } else {
        None
    }
}

#[routine(library, inline)]
fn is_ascii(text: &str) -> bool {
    as_bytes(text).is_ascii()
}

#[routine(library, inline)]
fn eq_ignore_ascii_case(text: &str, other: &str) -> bool {
    as_bytes(text).eq_ignore_ascii_case(as_bytes(other))
}

methods! {
    [] str, max = max;
    [] str, min = min;
    [] str, clamp = clamp;
    [] str, clone = clone;
    [] str, as_bytes = as_bytes;
    [] str, is_char_boundary = is_char_boundary;
    [] str, split_at = split_at;
    [] str, split_at_checked = split_at_checked;
    [] str, is_ascii = is_ascii;
    [] str, eq_ignore_ascii_case = eq_ignore_ascii_case;
}
