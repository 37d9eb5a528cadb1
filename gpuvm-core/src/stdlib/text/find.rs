//! Looking for patterns in texts: for a text, or for a character that is one, is one of several, or of which a closure says so.

use std::ops::{RangeFull, RangeTo, RangeToInclusive};

use gpuvm_macros::routine;

use super::super::iter::{From, HalfOpen, Inclusive, begin};
use super::super::{generic_methods, intrinsics, methods};
use super::chars::{after, before, char_at};
use super::{as_bytes, is_char_boundary, part};

/// Whether a text begins there with another one, where there is room for it.
#[routine(library)]
fn is_at(text: &str, at: usize, other: &str) -> bool {
    let (bytes, others) = (as_bytes(text), as_bytes(other));
    let mut i = 0;
    while i < others.len() {
        if *intrinsics::element(&bytes, at.wrapping_add(i)) != *intrinsics::element(&others, i) {
            return false;
        }
        i = i.wrapping_add(1);
    }
    true
}

/// Where a text is found first between two places, as the first place or behind it.
#[routine(library)]
pub fn text_from(text: &str, start: usize, end: usize, other: &str) -> Option<usize> {
    let mut at = start;
    while at.wrapping_add(other.len()) <= end {
        if is_at(text, at, other) {
            return Some(at);
        }
        at = at.wrapping_add(1);
    }
    None
}

/// Where it is found last.
#[routine(library)]
pub fn text_before(text: &str, start: usize, end: usize, other: &str) -> Option<usize> {
    let length = other.len();
    if end.wrapping_sub(start) < length {
        return None;
    }
    let mut at = end.wrapping_sub(length);
    while !is_at(text, at, other) {
        if at == start {
            return None;
        }
        at = at.wrapping_sub(1);
    }
    Some(at)
}

/// Where the first character begins of which a closure says so.
#[routine(library)]
pub fn char_from(text: &str, start: usize, end: usize, mut f: impl FnMut(char) -> bool) -> Option<usize> {
    let mut at = start;
    while at < end {
        if f(char_at(text, at)) {
            return Some(at);
        }
        at = after(text, at);
    }
    None
}

/// Where the last such character begins.
#[routine(library)]
pub fn char_before(text: &str, start: usize, end: usize, mut f: impl FnMut(char) -> bool) -> Option<usize> {
    let mut end = end;
    while end > start {
        end = before(text, end);
        if f(char_at(text, end)) {
            return Some(end);
        }
    }
    None
}

#[routine(library)]
fn find(text: &str, mut f: impl FnMut(char) -> bool) -> Option<usize> {
    char_from(text, 0, text.len(), |c| f(c))
}

#[routine(library)]
fn rfind(text: &str, mut f: impl FnMut(char) -> bool) -> Option<usize> {
    char_before(text, 0, text.len(), |c| f(c))
}

#[routine(library)]
fn contains(text: &str, mut f: impl FnMut(char) -> bool) -> bool {
    char_from(text, 0, text.len(), |c| f(c)).is_some()
}

#[routine(library)]
fn starts_with(text: &str, mut f: impl FnMut(char) -> bool) -> bool {
    !text.is_empty() && f(char_at(text, 0))
}

#[routine(library)]
fn ends_with(text: &str, mut f: impl FnMut(char) -> bool) -> bool {
    !text.is_empty() && f(char_at(text, before(text, text.len())))
}

#[routine(library)]
fn strip_prefix(text: &str, mut f: impl FnMut(char) -> bool) -> Option<&str> {
    if !text.is_empty() && f(char_at(text, 0)) {
        Some(part(text, after(text, 0), text.len()))
    } else {
        None
    }
}

#[routine(library)]
fn strip_suffix(text: &str, mut f: impl FnMut(char) -> bool) -> Option<&str> {
    if text.is_empty() {
        return None;
    }
    let last = before(text, text.len());
    if f(char_at(text, last)) {
        Some(part(text, 0, last))
    } else {
        None
    }
}

#[routine(library)]
fn split_once(text: &str, mut f: impl FnMut(char) -> bool) -> Option<(&str, &str)> {
    match char_from(text, 0, text.len(), |c| f(c)) {
        Some(at) => Some((part(text, 0, at), part(text, after(text, at), text.len()))),
        None => None,
    }
}

#[routine(library)]
fn rsplit_once(text: &str, mut f: impl FnMut(char) -> bool) -> Option<(&str, &str)> {
    match char_before(text, 0, text.len(), |c| f(c)) {
        Some(at) => Some((part(text, 0, at), part(text, after(text, at), text.len()))),
        None => None,
    }
}

#[routine(library)]
fn trim_start_matches(text: &str, mut f: impl FnMut(char) -> bool) -> &str {
    match char_from(text, 0, text.len(), |c| !f(c)) {
        Some(start) => part(text, start, text.len()),
        None => part(text, text.len(), text.len()),
    }
}

#[routine(library)]
fn trim_end_matches(text: &str, mut f: impl FnMut(char) -> bool) -> &str {
    match char_before(text, 0, text.len(), |c| !f(c)) {
        Some(last) => part(text, 0, after(text, last)),
        None => part(text, 0, 0),
    }
}

#[routine(library)]
fn trim_matches(text: &str, mut f: impl FnMut(char) -> bool) -> &str {
    let Some(start) = char_from(text, 0, text.len(), |c| !f(c)) else {
        return part(text, text.len(), text.len());
    };
    match char_before(text, 0, text.len(), |c| !f(c)) {
        Some(last) => part(text, start, after(text, last)),
        None => part(text, start, start),
    }
}

/// Whether a character is one of a list.
#[routine(library)]
pub fn is_one_of(c: char, set: &[char]) -> bool {
    for one in set {
        if *one == c {
            return true;
        }
    }
    false
}

/// The same where a pattern is a character or a list of them.
macro_rules! patterns {
    ($($method:ident $by_char:ident $by_set:ident -> $result:ty;)*) => {
        $(
            #[routine(library, inline)]
            fn $by_char(text: &'static str, pattern: char) -> $result {
                $method(text, |c| c == pattern)
            }

            #[routine(library, inline)]
            fn $by_set(text: &'static str, pattern: &[char]) -> $result {
                $method(text, |c| is_one_of(c, pattern))
            }
        )*
        generic_methods! {
            $(
                [] str, $method(()) -> $result = $method;
                [] str, $method(char) -> $result = $by_char;
                [] str, $method(&'static [char]) -> $result = $by_set;
                [const N: usize] str, $method(&'static [char; N]) -> $result = $by_set;
                [const N: usize] str, $method([char; N]) -> $result = $by_set;
            )*
        }
    };
}
patterns! {
    find find_char find_set -> Option<usize>;
    rfind rfind_char rfind_set -> Option<usize>;
    contains contains_char contains_set -> bool;
    starts_with starts_with_char starts_with_set -> bool;
    ends_with ends_with_char ends_with_set -> bool;
    strip_prefix strip_prefix_char strip_prefix_set -> Option<&'static str>;
    strip_suffix strip_suffix_char strip_suffix_set -> Option<&'static str>;
    split_once split_once_char split_once_set -> Option<(&'static str, &'static str)>;
    rsplit_once rsplit_once_char rsplit_once_set -> Option<(&'static str, &'static str)>;
    trim_matches trim_matches_char trim_matches_set -> &'static str;
    trim_start_matches trim_start_matches_char trim_start_matches_set -> &'static str;
    trim_end_matches trim_end_matches_char trim_end_matches_set -> &'static str;
}

#[routine(library)]
fn find_text(text: &str, pattern: &str) -> Option<usize> {
    text_from(text, 0, text.len(), pattern)
}

#[routine(library)]
fn rfind_text(text: &str, pattern: &str) -> Option<usize> {
    text_before(text, 0, text.len(), pattern)
}

#[routine(library)]
fn contains_text(text: &str, pattern: &str) -> bool {
    text_from(text, 0, text.len(), pattern).is_some()
}

#[routine(library)]
fn starts_with_text(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len() && is_at(text, 0, pattern)
}

#[routine(library)]
fn ends_with_text(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len() && is_at(text, text.len().wrapping_sub(pattern.len()), pattern)
}

#[routine(library)]
fn strip_prefix_text<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    if starts_with_text(text, pattern) {
        Some(part(text, pattern.len(), text.len()))
    } else {
        None
    }
}

#[routine(library)]
fn strip_suffix_text<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    if ends_with_text(text, pattern) {
        Some(part(text, 0, text.len().wrapping_sub(pattern.len())))
    } else {
        None
    }
}

#[routine(library)]
fn split_once_text<'a>(text: &'a str, pattern: &str) -> Option<(&'a str, &'a str)> {
    match text_from(text, 0, text.len(), pattern) {
        Some(at) => Some((
            part(text, 0, at),
            part(text, at.wrapping_add(pattern.len()), text.len()),
        )),
        None => None,
    }
}

#[routine(library)]
fn rsplit_once_text<'a>(text: &'a str, pattern: &str) -> Option<(&'a str, &'a str)> {
    match text_before(text, 0, text.len(), pattern) {
        Some(at) => Some((
            part(text, 0, at),
            part(text, at.wrapping_add(pattern.len()), text.len()),
        )),
        None => None,
    }
}

#[routine(library)]
fn trim_start_matches_text<'a>(text: &'a str, pattern: &str) -> &'a str {
    let mut start = 0usize;
    while !pattern.is_empty() && text.len().wrapping_sub(start) >= pattern.len() && is_at(text, start, pattern) {
        start = start.wrapping_add(pattern.len());
    }
    part(text, start, text.len())
}

#[routine(library)]
fn trim_end_matches_text<'a>(text: &'a str, pattern: &str) -> &'a str {
    let mut end = text.len();
    while !pattern.is_empty() && end >= pattern.len() && is_at(text, end.wrapping_sub(pattern.len()), pattern) {
        end = end.wrapping_sub(pattern.len());
    }
    part(text, 0, end)
}

macro_rules! by_text {
    ($($method:ident $routine:ident -> $kept:ty;)*) => {
        generic_methods! {
            $(
                [] str, $method(&'static str) -> $kept = $routine;
                [] str, $method(&'static &'static str) -> $kept = $routine;
            )*
        }
    };
}
by_text! {
    find find_text -> Option<usize>;
    rfind rfind_text -> Option<usize>;
    contains contains_text -> bool;
    starts_with starts_with_text -> bool;
    ends_with ends_with_text -> bool;
    strip_prefix strip_prefix_text -> Option<&'static str>;
    strip_suffix strip_suffix_text -> Option<&'static str>;
    split_once split_once_text -> Option<(&'static str, &'static str)>;
    rsplit_once rsplit_once_text -> Option<(&'static str, &'static str)>;
    trim_start_matches trim_start_matches_text -> &'static str;
    trim_end_matches trim_end_matches_text -> &'static str;
}

#[routine(library)]
fn trim(text: &str) -> &str {
    trim_matches(text, |c| c.is_whitespace())
}

#[routine(library)]
fn trim_start(text: &str) -> &str {
    trim_start_matches(text, |c| c.is_whitespace())
}

#[routine(library)]
fn trim_end(text: &str) -> &str {
    trim_end_matches(text, |c| c.is_whitespace())
}

#[routine(library)]
fn trim_ascii(text: &str) -> &str {
    super::of_bytes(as_bytes(text).trim_ascii())
}

#[routine(library)]
fn trim_ascii_start(text: &str) -> &str {
    super::of_bytes(as_bytes(text).trim_ascii_start())
}

#[routine(library)]
fn trim_ascii_end(text: &str) -> &str {
    super::of_bytes(as_bytes(text).trim_ascii_end())
}

/// `get` of a kind of range: where the part begins and ends, and whether it is inside.
macro_rules! get_ranges {
    ($($get:ident ($range:ident: $ty:ty, $length:ident) $inside:expr => $start:expr, $end:expr;)*) => {
        $(
            #[routine(library, inline)]
            fn $get(text: &str, $range: $ty) -> Option<&str> {
                let $length = text.len();
                if $inside && is_char_boundary(text, $start) && is_char_boundary(text, $end) {
                    Some(part(text, $start, $end))
                } else {
                    None
                }
            }
        )*
        generic_methods! {
            $([] str, get($ty) -> Option<&'static str> = $get;)*
        }
    };
}
get_ranges! {
    get_range(range: HalfOpen<usize>, length) range.start <= range.end && range.end <= length => range.start, range.end;
    get_from(range: From<usize>, length) range.start <= length => range.start, length;
    get_to(range: RangeTo<usize>, length) range.end <= length => 0, range.end;
    get_inclusive(range: Inclusive<usize>, length)
        range.end < length && begin(&range) <= range.end.wrapping_add(1) => begin(&range), range.end.wrapping_add(1);
    get_to_inclusive(range: RangeToInclusive<usize>, length) range.end < length => 0, range.end.wrapping_add(1);
}

#[routine(library, inline)]
fn get_all(text: &str, _all: RangeFull) -> Option<&str> {
    Some(text)
}

generic_methods! {
    [] str, get(RangeFull) -> Option<&'static str> = get_all;
}

methods! {
    [] str, trim = trim;
    [] str, trim_start = trim_start;
    [] str, trim_end = trim_end;
    [] str, trim_ascii = trim_ascii;
    [] str, trim_ascii_start = trim_ascii_start;
    [] str, trim_ascii_end = trim_ascii_end;
}
