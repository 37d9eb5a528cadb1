//! What a text shows as a text: `bool`, `char` and `str`.

use std::fmt;

use gpuvm_macros::routine;

use super::super::char::encode;
use super::super::intrinsics;
use super::super::unicode::is_escaped;
use super::{Debugs, Displays, Formatter, Sink, pad};

#[routine(library)]
pub fn show_text<W: Sink>(value: &str, f: &mut Formatter<'static, W>) -> fmt::Result {
    pad(f, value)
}

#[routine(library)]
pub fn show_bool<W: Sink>(value: &bool, f: &mut Formatter<'static, W>) -> fmt::Result {
    pad(f, if *value { "true" } else { "false" })
}

#[routine(library)]
pub fn show_char<W: Sink>(value: &char, f: &mut Formatter<'static, W>) -> fmt::Result {
    if f.width == 0 && f.precision == 0 {
        return f.sink.write_char(*value);
    }
    let mut bytes = [0u8; 4];
    let length = encode(*value, &mut bytes);
    pad(f, intrinsics::words(intrinsics::part(&&bytes[..], 0, length)))
}

macro_rules! displayed {
    ($($ty:ident $name:ident;)*) => {$(
        impl Displays for $ty {
            type Routine<W: Sink> = $name<W>;
        }
    )*};
}
displayed! {
    str show_text;
    char show_char;
    bool show_bool;
}

/// A character that is escaped: after a backslash, or by its code. A quote counts only where it is the one around the text.
#[routine(library)]
fn escape<W: Sink>(sink: &mut W, c: char) -> fmt::Result {
    let letter = match c {
        '\0' => b'0',
        '\t' => b't',
        '\n' => b'n',
        '\r' => b'r',
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        _ => 0,
    };
    let mut text = [b'\\'; 10];
    if letter != 0 {
        text[1] = letter;
        return sink.write_str(intrinsics::words(intrinsics::part(&&text[..], 0, 2)));
    }
    let mut left: u32 = intrinsics::cast(c);
    let mut at = 9usize;
    text[9] = b'}';
    loop {
        at = at.wrapping_sub(1);
        let digit = (left & 15) as u8;
        text[at] = digit.wrapping_add(if digit < 10 { 48 } else { 87 });
        left >>= 4;
        if left == 0 {
            break;
        }
    }
    text[at.wrapping_sub(1)] = b'{';
    text[at.wrapping_sub(2)] = b'u';
    sink.write_str(intrinsics::words(intrinsics::part(&&text[..], at.wrapping_sub(3), 10)))
}

#[routine(library)]
pub fn debug_char<W: Sink>(value: &char, f: &mut Formatter<'static, W>) -> fmt::Result {
    let c = *value;
    f.sink.write_char('\'')?;
    if is_escaped(c) && c != '"' {
        escape(f.sink, c)?;
    } else {
        f.sink.write_char(c)?;
    }
    f.sink.write_char('\'')
}

/// As std writes it: what is shown as it is, in one piece from one escape to the next.
#[routine(library)]
pub fn debug_text<W: Sink>(value: &str, f: &mut Formatter<'static, W>) -> fmt::Result {
    f.sink.write_char('"')?;
    let bytes = value.as_bytes();
    let (mut start, mut at) = (0usize, 0usize);
    for c in value.chars() {
        let end = at.wrapping_add(c.len_utf8());
        if is_escaped(c) && c != '\'' {
            f.sink
                .write_str(intrinsics::words(intrinsics::part(&bytes, start, at)))?;
            escape(f.sink, c)?;
            start = end;
        }
        at = end;
    }
    f.sink
        .write_str(intrinsics::words(intrinsics::part(&bytes, start, at)))?;
    f.sink.write_char('"')
}

impl Debugs for char {
    type Routine<W: Sink> = debug_char<W>;
}

impl Debugs for str {
    type Routine<W: Sink> = debug_text<W>;
}

impl Debugs for bool {
    type Routine<W: Sink> = show_bool<W>;
}
