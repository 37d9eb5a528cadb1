//! `char`: a Unicode scalar value in one word. What needs Unicode's tables is in [`unicode`](super::unicode).

use gpuvm_macros::routine;

use super::iter::{
    Advance, AdvanceBack, From, HalfOpen, Inclusive, advance_back_by_next, advance_by_next, by_taking, by_taking_back,
};
use super::{intrinsics, methods};

/// The code of a character.
#[routine(library, inline)]
fn code(c: &char) -> u32 {
    intrinsics::cast(*c)
}

#[routine(library, inline)]
fn from_u32(code: u32) -> Option<char> {
    if code < 0xd800 || (code > 0xdfff && code <= 0x10_ffff) {
        Some(intrinsics::cast(code))
    } else {
        None
    }
}

#[routine(library, inline)]
fn from_digit(digit: u32, radix: u32) -> Option<char> {
    assert!(
        radix >= 2 && radix <= 36,
        "from_digit: invalid radix -- radix must be in the range 2 to 36 inclusive"
    );
    if digit < radix {
        let code = if digit < 10 { digit + 48 } else { digit + 87 };
        Some(intrinsics::cast(code))
    } else {
        None
    }
}

#[routine(library, inline)]
fn to_digit(c: char, radix: u32) -> Option<u32> {
    assert!(
        radix >= 2 && radix <= 36,
        "to_digit: invalid radix -- radix must be in the range 2 to 36 inclusive"
    );
    let code: u32 = intrinsics::cast(c);
    let lower = code | 32;
    let digit = if code.wrapping_sub(48) < 10 {
        code.wrapping_sub(48)
    } else if lower.wrapping_sub(97) < 26 {
        lower.wrapping_sub(87)
    } else {
        radix
    };
    if digit < radix { Some(digit) } else { None }
}

#[routine(library, inline)]
fn is_digit(c: char, radix: u32) -> bool {
    to_digit(c, radix).is_some()
}

#[routine(library, inline)]
fn len_utf8(c: char) -> usize {
    let code: u32 = intrinsics::cast(c);
    if code < 0x80 {
        1
    } else if code < 0x800 {
        2
    } else if code < 0x1_0000 {
        3
    } else {
        4
    }
}

#[routine(library, inline)]
fn len_utf16(c: char) -> usize {
    let code: u32 = intrinsics::cast(c);
    if code < 0x1_0000 { 1 } else { 2 }
}

#[routine(library, inline)]
fn is_ascii(c: &char) -> bool {
    code(c) < 128
}

#[routine(library, inline)]
fn is_whitespace(c: char) -> bool {
    let code: u32 = intrinsics::cast(c);
    code == 32
        || code.wrapping_sub(9) < 5
        || code == 0x85
        || code == 0xa0
        || code == 0x1680
        || code.wrapping_sub(0x2000) < 11
        || code == 0x2028
        || code == 0x2029
        || code == 0x202f
        || code == 0x205f
        || code == 0x3000
}

/// The bytes of a character as UTF-8, and how many there are.
#[routine(library)]
pub fn encode(c: char, bytes: &mut [u8; 4]) -> usize {
    let code: u32 = intrinsics::cast(c);
    if code < 0x80 {
        bytes[0] = code as u8;
        1
    } else if code < 0x800 {
        *bytes = [(code >> 6) as u8 | 0xc0, code as u8 & 0x3f | 0x80, bytes[2], bytes[3]];
        2
    } else if code < 0x1_0000 {
        *bytes = [
            (code >> 12) as u8 | 0xe0,
            (code >> 6) as u8 & 0x3f | 0x80,
            code as u8 & 0x3f | 0x80,
            bytes[3],
        ];
        3
    } else {
        *bytes = [
            (code >> 18) as u8 | 0xf0,
            (code >> 12) as u8 & 0x3f | 0x80,
            (code >> 6) as u8 & 0x3f | 0x80,
            code as u8 & 0x3f | 0x80,
        ];
        4
    }
}

#[routine(library)]
fn encode_utf8(c: char, to: &'static mut [u8]) -> &'static mut str {
    let mut bytes = [0u8; 4];
    let length = encode(c, &mut bytes);
    if to.len() < length {
        panic!("encode_utf8: buffer does not have enough bytes to encode code point");
    }
    let part = &mut to[..length];
    part.copy_from_slice(&bytes[..length]);
    intrinsics::words(part)
}

#[routine(library)]
fn encode_utf16(c: char, to: &'static mut [u16]) -> &'static mut [u16] {
    let code: u32 = intrinsics::cast(c);
    let length = if code < 0x1_0000 { 1usize } else { 2 };
    if to.len() < length {
        panic!("encode_utf16: buffer does not have enough bytes to encode code point");
    }
    if length == 1 {
        to[0] = code as u16;
    } else {
        let above = code.wrapping_sub(0x1_0000);
        to[0] = (above >> 10) as u16 | 0xd800;
        to[1] = above as u16 & 0x3ff | 0xdc00;
    }
    &mut to[..length]
}

#[routine(library, inline)]
fn is_control(c: char) -> bool {
    let code: u32 = intrinsics::cast(c);
    code < 32 || code.wrapping_sub(127) < 33
}

/// What a byte's methods say of the characters that are bytes of ASCII, and no of all others.
macro_rules! ascii {
    ($($name:ident)*) => {
        $(
            #[routine(library, inline)]
            fn $name(c: &char) -> bool {
                let code = code(c);
                code < 128 && (code as u8).$name()
            }
        )*
        methods! { $([] char, $name = $name;)* }
    };
}
ascii! {
    is_ascii_alphabetic is_ascii_digit is_ascii_hexdigit is_ascii_alphanumeric is_ascii_uppercase is_ascii_lowercase is_ascii_whitespace
    is_ascii_punctuation is_ascii_graphic is_ascii_control
}

#[routine(library, inline)]
fn to_ascii_uppercase(c: &char) -> char {
    let code = code(c);
    intrinsics::cast(if code.wrapping_sub(97) < 26 { code ^ 32 } else { code })
}

#[routine(library, inline)]
fn to_ascii_lowercase(c: &char) -> char {
    let code = code(c);
    intrinsics::cast(if code.wrapping_sub(65) < 26 { code ^ 32 } else { code })
}

#[routine(library, inline)]
fn eq_ignore_ascii_case(a: &char, b: &char) -> bool {
    code(&to_ascii_lowercase(a)) == code(&to_ascii_lowercase(b))
}

methods! {
    [] char, from_u32 = from_u32;
    [] char, from_digit = from_digit;
    [] char, to_digit = to_digit;
    [] char, is_digit = is_digit;
    [] char, len_utf8 = len_utf8;
    [] char, len_utf16 = len_utf16;
    [] char, encode_utf8 = encode_utf8;
    [] char, encode_utf16 = encode_utf16;
    [] char, is_ascii = is_ascii;
    [] char, is_whitespace = is_whitespace;
    [] char, is_control = is_control;
    [] char, to_ascii_uppercase = to_ascii_uppercase;
    [] char, to_ascii_lowercase = to_ascii_lowercase;
    [] char, eq_ignore_ascii_case = eq_ignore_ascii_case;
}

/// The code after another; there are none from 0xd800 to 0xdfff.
#[routine(library, inline)]
fn after(code: u32) -> u32 {
    if code == 0xd7ff { 0xe000 } else { code.wrapping_add(1) }
}

#[routine(library, inline)]
fn before(code: u32) -> u32 {
    if code == 0xe000 { 0xd7ff } else { code.wrapping_sub(1) }
}

#[routine(library, inline)]
impl Iterator for HalfOpen<char> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if self.start < self.end {
            let start = self.start;
            self.start = intrinsics::cast(after(code(&start)));
            Some(start)
        } else {
            None
        }
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for HalfOpen<char> {
    fn next_back(&mut self) -> Option<char> {
        if self.start < self.end {
            self.end = intrinsics::cast(before(code(&self.end)));
            Some(self.end)
        } else {
            None
        }
    }
}

by_taking_back! { [] HalfOpen<char>; }

#[routine(library, inline)]
impl Iterator for Inclusive<char> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if self.exhausted || self.start > self.end {
            return None;
        }
        let start = self.start;
        self.exhausted = start == self.end;
        self.start = intrinsics::cast(after(code(&start)));
        Some(start)
    }
}

#[routine(library, inline)]
impl DoubleEndedIterator for Inclusive<char> {
    fn next_back(&mut self) -> Option<char> {
        if self.exhausted || self.start > self.end {
            return None;
        }
        let end = self.end;
        self.exhausted = self.start == end;
        self.end = intrinsics::cast(before(code(&end)));
        Some(end)
    }
}

by_taking_back! { [] Inclusive<char>; }

#[routine(library, inline)]
impl Iterator for From<char> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let start = self.start;
        let code = code(&start);
        if code == 0x10_ffff {
            panic!("overflow in `Step::forward`");
        }
        self.start = intrinsics::cast(after(code));
        Some(start)
    }
}

by_taking! {
    [] HalfOpen<char>;
    [] Inclusive<char>;
    [] From<char>;
}
