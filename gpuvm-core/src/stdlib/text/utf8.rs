//! Bytes that may be UTF-8.

use std::str::Utf8Error;

use gpuvm_macros::routine;

use super::super::{intrinsics, methods};
use super::of_bytes;
use crate::encode::node::Operator;
use crate::facts::{CallFact, Compares, EQ, Operation};
use crate::types::{Kind, Type, TypeRef, Value};

/// std's error, as far as it is told: `error_len` is 0 where more bytes are needed.
pub struct NotUtf8 {
    valid_up_to: usize,
    error_len: usize,
}

impl Value for NotUtf8 {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "Utf8Error",
        const {
            &crate::marker::layout(
                0,
                [
                    ("valid_up_to", "valid_up_to", TypeRef::of::<usize>()),
                    ("error_len", "error_len", TypeRef::of::<usize>()),
                ],
            )
        },
    );
}

impl Value for Utf8Error {
    type Erased = NotUtf8;
    type Inner = NotUtf8;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = NotUtf8::TYPE;
}

impl Compares<'_, EQ> for NotUtf8 {
    const SEEN: Option<&'static Type> = None;
}

#[diagnostic::do_not_recommend]
impl<L: ?Sized, R: ?Sized> Operation<{ Operator::Eq as u8 }, NotUtf8, L, R> for NotUtf8 {
    type Slot = crate::facts::OperatorSlot<{ Operator::Eq as u8 }, Self, NotUtf8, L, R>;
    const CALL: Option<CallFact> = None;
}

/// The byte there, and one that continues nothing behind the end.
#[routine(library, inline)]
fn byte(bytes: &[u8], at: usize) -> u32 {
    if at < bytes.len() {
        *intrinsics::element(&bytes, at) as u32
    } else {
        256
    }
}

/// How many bytes the character has that begins there, or, from 16 on, how many of them are wrong (0 where more are needed).
#[routine(library)]
fn width(bytes: &[u8], at: usize) -> usize {
    let first = byte(bytes, at);
    if first < 0x80 {
        return 1;
    }
    let width = if first >= 0xc2 && first < 0xe0 {
        2
    } else if first >= 0xe0 && first < 0xf0 {
        3
    } else if first >= 0xf0 && first < 0xf5 {
        4
    } else {
        return 17;
    };
    // What the second byte may be is narrower for some.
    let least = if first == 0xe0 {
        0xa0
    } else if first == 0xf0 {
        0x90
    } else {
        0x80
    };
    let most = if first == 0xed {
        0x9f
    } else if first == 0xf4 {
        0x8f
    } else {
        0xbf
    };
    let second = byte(bytes, at.wrapping_add(1));
    if second == 256 {
        return 16;
    }
    if second < least || second > most {
        return 17;
    }
    let mut i = 2usize;
    while i < width {
        let next = byte(bytes, at.wrapping_add(i));
        if next == 256 {
            return 16;
        }
        if next & 0xc0 != 0x80 {
            return i.wrapping_add(16);
        }
        i = i.wrapping_add(1);
    }
    width
}

#[routine(library, std(Result<&'static str, Utf8Error>))]
pub fn from_utf8(bytes: &'static [u8]) -> Result<&'static str, NotUtf8> {
    let mut at = 0usize;
    while at < bytes.len() {
        let width = width(bytes, at);
        if width >= 16 {
            return Err(NotUtf8 {
                valid_up_to: at,
                error_len: width.wrapping_sub(16),
            });
        }
        at = at.wrapping_add(width);
    }
    Ok(of_bytes(bytes))
}

#[routine(library, inline)]
fn valid_up_to(error: &NotUtf8) -> usize {
    error.valid_up_to
}

#[routine(library, inline)]
fn error_len(error: &NotUtf8) -> Option<usize> {
    if error.error_len == 0 {
        None
    } else {
        Some(error.error_len)
    }
}

methods! {
    [] NotUtf8, valid_up_to = valid_up_to;
    [] NotUtf8, error_len = error_len;
    [] str, from_utf8 = from_utf8;
}
