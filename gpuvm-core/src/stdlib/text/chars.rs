//! Characters and bytes of texts, from both ends.

use gpuvm_macros::routine;

use super::super::iter::{
    Advance, AdvanceBack, advance_back_by_next, advance_by_next, by_taking, by_taking_back, iterator_type,
};
use super::super::{intrinsics, methods};
use super::{as_bytes, part};
use crate::types::Value;

/// Whether a byte is not the first of a character.
#[routine(library, inline)]
pub fn continues(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The character that begins there, which is known to be inside.
#[routine(library)]
pub fn char_at(text: &str, at: usize) -> char {
    let bytes = as_bytes(text);
    let first = *intrinsics::element(&bytes, at) as u32;
    if first < 0x80 {
        return intrinsics::cast(first);
    }
    let second = (*intrinsics::element(&bytes, at.wrapping_add(1)) & 63) as u32;
    if first < 0xe0 {
        return intrinsics::cast((first & 31) << 6 | second);
    }
    let third = second << 6 | (*intrinsics::element(&bytes, at.wrapping_add(2)) & 63) as u32;
    if first < 0xf0 {
        return intrinsics::cast((first & 15) << 12 | third);
    }
    let fourth = third << 6 | (*intrinsics::element(&bytes, at.wrapping_add(3)) & 63) as u32;
    intrinsics::cast((first & 7) << 18 | fourth)
}

/// Where the character behind the one that begins there begins.
#[routine(library)]
pub fn after(text: &str, at: usize) -> usize {
    let first = *intrinsics::element(&as_bytes(text), at);
    let length = if first < 0x80 {
        1
    } else if first < 0xe0 {
        2
    } else if first < 0xf0 {
        3
    } else {
        4
    };
    at.wrapping_add(length)
}

/// Where the character before the one that begins there begins.
#[routine(library)]
pub fn before(text: &str, at: usize) -> usize {
    let bytes = as_bytes(text);
    let mut at = at.wrapping_sub(1);
    while continues(*intrinsics::element(&bytes, at)) {
        at = at.wrapping_sub(1);
    }
    at
}

iterator_type! {
    /// `str::chars`
    Chars [] [] { text: &'static str, at: usize, end: usize } {}
}
iterator_type! {
    /// `str::char_indices`
    CharIndices [] [] { text: &'static str, at: usize, end: usize } {}
}
iterator_type! {
    /// `str::bytes`
    Bytes [] [] { bytes: &'static [u8], at: usize, end: usize } {}
}

macro_rules! own {
    ($($name:ident)*) => {$(
        impl Value for std::str::$name<'_> {
            type Erased = $name;
            type Inner = $crate::stdlib::iter::AnIterator<$name>;
            type Depth = $crate::types::Zero;
            const TYPE: &'static $crate::types::Type = <$name as Value>::TYPE;
        }
    )*};
}
own! { Chars CharIndices Bytes }

#[routine(library, inline)]
impl Iterator for Chars {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if self.at < self.end {
            let at = self.at;
            self.at = after(self.text, at);
            Some(char_at(self.text, at))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for Chars {
    fn next_back(&mut self) -> Option<char> {
        if self.at < self.end {
            self.end = before(self.text, self.end);
            Some(char_at(self.text, self.end))
        } else {
            None
        }
    }
}

by_taking_back! { [] Chars; }

#[routine(library, inline)]
impl Iterator for CharIndices {
    type Item = (usize, char);

    fn next(&mut self) -> Option<(usize, char)> {
        if self.at < self.end {
            let at = self.at;
            self.at = after(self.text, at);
            Some((at, char_at(self.text, at)))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for CharIndices {
    fn next_back(&mut self) -> Option<(usize, char)> {
        if self.at < self.end {
            self.end = before(self.text, self.end);
            Some((self.end, char_at(self.text, self.end)))
        } else {
            None
        }
    }
}

by_taking_back! { [] CharIndices; }

#[routine(library, inline)]
impl Iterator for Bytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.at < self.end {
            let at = self.at;
            self.at = at.wrapping_add(1);
            Some(*intrinsics::element(&self.bytes, at))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for Bytes {
    fn next_back(&mut self) -> Option<u8> {
        if self.at < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(*intrinsics::element(&self.bytes, self.end))
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl AdvanceBack for Bytes {
    fn advance_back(&mut self, count: usize) -> bool {
        self.end = self.end.wrapping_sub(count.min(self.end.wrapping_sub(self.at)));
        true
    }
}

#[routine(library, inline)]
impl ExactSizeIterator for Bytes {
    fn len(&self) -> usize {
        self.end.wrapping_sub(self.at)
    }
}

by_taking! {
    [] Chars;
    [] CharIndices;
    [] Bytes;
}

#[routine(library, inline)]
fn chars(text: &'static str) -> Chars {
    Chars {
        text,
        at: 0,
        end: text.len(),
    }
}

#[routine(library, inline)]
fn char_indices(text: &'static str) -> CharIndices {
    CharIndices {
        text,
        at: 0,
        end: text.len(),
    }
}

#[routine(library, inline)]
fn bytes(text: &'static str) -> Bytes {
    Bytes {
        bytes: as_bytes(text),
        at: 0,
        end: text.len(),
    }
}

/// What an iterator has not given yet.
#[routine(library, inline)]
fn rest_of_chars(chars: &Chars) -> &'static str {
    part(chars.text, chars.at, chars.end)
}

#[routine(library, inline)]
fn rest_of_indices(chars: &CharIndices) -> &'static str {
    part(chars.text, chars.at, chars.end)
}

methods! {
    [] str, chars = chars;
    [] str, char_indices = char_indices;
    [] str, bytes = bytes;
    [] super::super::iter::AnIterator<Chars>, as_str = rest_of_chars;
    [] super::super::iter::AnIterator<CharIndices>, as_str = rest_of_indices;
}
