//! Texts that a routine writes: a `fmt::Write` and a `Display` of the user's, `write!` with all options of integers, `bool`, `char` and `&str`.

use core::fmt::{self, Write};

use gpuvm::prelude::*;

cases! {
    few:
    integers, texts_with_options, bases, of_all_sizes, wide, padded, words, texts_with_counts, displayed, shapes_in_texts, wrapped, cut_off, borrowing, own_characters, utf8_and_utf16, errors_as_values,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Buf<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

#[routine]
impl<const N: usize> Buf<N> {
    fn new() -> Self {
        Buf { bytes: [0; N], len: 0 }
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or("?")
    }
}

#[routine]
impl<const N: usize> fmt::Write for Buf<N> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let bytes = s.as_bytes();
        let end = self.len + bytes.len();
        if end > N {
            return Err(fmt::Error);
        }
        self.bytes[self.len..end].copy_from_slice(bytes);
        self.len = end;
        Ok(())
    }
}

#[routine]
fn stamp(hours: u32, minutes: u32) -> Result<Buf<16>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{}:{:02}", hours, minutes)?;
    writeln!(buf)?;
    Ok(buf)
}

#[routine]
fn integers(a: u32, b: i32) -> Result<(Buf<16>, Buf<48>), fmt::Error> {
    let mut other = Buf::new();
    write!(&mut other, "{a} and {b}, {0} {0:?} {{}}", b / 3)?;
    other.write_char('!')?;
    Ok((stamp(a % 100, b.unsigned_abs() % 60)?, other))
}

#[routine]
fn texts_with_options(x: i32) -> Result<Buf<120>, fmt::Error> {
    let mut buf = Buf::new();
    write!(
        buf,
        "{x:5}|{x:<5}|{x:^6}|{x:>7}|{x:+}|{x:05}|{x:+08}|{x:*^9}|{x:-<4}|{x:é>12}|{x:<05}"
    )?;
    Ok(buf)
}

#[routine]
fn bases(x: u32, y: i8) -> Result<Buf<200>, fmt::Error> {
    let mut buf = Buf::new();
    write!(
        buf,
        "{x:x} {x:X} {x:o} {x:#x} {x:#010X} {x:#b} {y:x} {y:#b} {y:#06o} {y:08b} {y:+x} {x:#?} {y:#x?}"
    )?;
    writeln!(buf, "{:#}", x)?;
    Ok(buf)
}

#[routine]
fn of_all_sizes(a: u8, b: i16, c: u64, d: i64, e: u32) -> Result<Buf<160>, fmt::Error> {
    let (e, f) = (e as usize, e as i32 as isize);
    let mut buf = Buf::new();
    write!(buf, "{a} {b} {c} {d} {e} {f} {c:x} {d:X} {e:#o}")?;
    Ok(buf)
}

#[routine]
fn wide(a: u128, b: i128) -> Result<Buf<200>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{a} {b} {a:#x} {b:>50}")?;
    Ok(buf)
}

#[routine]
fn padded(c: char, flag: bool, pick: u32) -> Result<Buf<160>, fmt::Error> {
    let text = ["", "abc", "grün", "日本語のテキスト"][pick as usize % 4];
    let mut buf = Buf::new();
    write!(
        buf,
        "{c}{c:>3}{c:.0}{c:_^5}|{flag}{flag:8}{flag:?}|{text}{text:6}|{text:>6}|{text:.2}|{text:-^9.3}|{text:05}"
    )?;
    Ok(buf)
}

#[routine]
fn words(x: u32) -> Result<Buf<64>, fmt::Error> {
    let mut buf = Buf::new();
    for word in "one two  three".split(' ') {
        write!(buf, "{:>1$}", word, (x % 8) as usize)?;
    }
    write!(buf, "{}{}{:>3}{}", "literal", 7, 8, 1_000)?;
    Ok(buf)
}

#[routine]
fn texts_with_counts(x: i32, width: u32, precision: u32) -> Result<Buf<100>, fmt::Error> {
    let (width, precision) = (width as usize % 20, precision as usize % 9);
    let mut buf = Buf::new();
    write!(
        buf,
        "{x:width$}|{:1$}|{:.*}|{:>w$.p$}",
        x,
        width,
        "precisely",
        "both",
        w = width,
        p = precision
    )?;
    Ok(buf)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Point {
    x: i32,
    y: i32,
}

#[routine]
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {:+})", self.x, self.y)
    }
}

#[derive(VmType, Clone, Copy, Debug)]
enum Shape {
    Dot(Point),
    Line(Point, Point),
    Nothing,
}

#[routine]
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Shape::Dot(at) => write!(f, "dot at {at}"),
            Shape::Line(from, to) => {
                write!(f, "{from}")?;
                f.write_str(" -- ")?;
                write!(f, "{to}")?;
                if f.alternate() { f.write_char('!') } else { Ok(()) }
            }
            Shape::Nothing => f.pad("nothing"),
        }
    }
}

#[routine]
fn displayed(x: i32, y: i32) -> Result<Buf<64>, fmt::Error> {
    let point = Point { x, y };
    let mut buf = Buf::new();
    write!(buf, "at {point} or {}", point)?;
    Ok(buf)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Wrapped<T>(T);

#[routine]
impl<T: fmt::Display> fmt::Display for Wrapped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0)
    }
}

#[routine]
fn wrapped(x: u32, c: char) -> Result<Buf<40>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{}{}{}", Wrapped(x), Wrapped(c), Wrapped(x % 2 == 0))?;
    Ok(buf)
}

#[routine]
fn shapes_in_texts(x: i32, y: i32) -> Result<Buf<120>, fmt::Error> {
    let shape = match x % 3 {
        0 => Shape::Dot(Point { x, y }),
        1 => Shape::Nothing,
        _ => Shape::Line(Point { x, y }, Point { x: y, y: x }),
    };
    let mut buf = Buf::new();
    write!(buf, "{shape}|{shape:#}|{shape:>10}|{:02x}", x)?;
    Ok(buf)
}

#[routine]
fn cut_off(x: i32, y: u64) -> (Buf<12>, bool) {
    let mut buf = Buf::new();
    let failed = write!(buf, "{x:+06} of {y:>4}, {}", Point { x, y: 1 }).is_err();
    (buf, failed)
}

/// Takes what there is room for, and counts the calls.
#[derive(VmType)]
struct Line<'a> {
    out: &'a mut [u8],
    used: usize,
    calls: u32,
}

#[routine]
impl fmt::Write for Line<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.calls += 1;
        for byte in s.bytes() {
            *self.out.get_mut(self.used).ok_or(fmt::Error)? = byte;
            self.used += 1;
        }
        Ok(())
    }
}

#[routine]
fn borrowing(x: i32, y: u8) -> ([u8; 20], usize, u32, bool) {
    let mut bytes = [b'.'; 20];
    let mut line = Line {
        out: &mut bytes,
        used: 0,
        calls: 0,
    };
    let fits = write!(line, "{x:>6}{{{}-{y:#04x}{}", 'c', "}").is_ok();
    let (used, calls) = (line.used, line.calls);
    (bytes, used, calls, fits)
}

/// Has a `write_char` of its own.
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Tally {
    texts: u32,
    characters: u32,
    sum: u32,
}

#[routine]
impl Write for Tally {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.texts += 1;
        self.sum = self.sum.wrapping_mul(31).wrapping_add(text.len() as u32);
        Ok(())
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        self.characters += 1;
        self.sum = self.sum.wrapping_mul(37).wrapping_add(u32::from(c));
        if c == '~' { Err(fmt::Error) } else { Ok(()) }
    }
}

#[routine]
fn own_characters(x: i16, c: char) -> (Tally, bool) {
    let mut tally = Tally::default();
    let result = write!(tally, "{x:+}{x:>9}{c}{:^7}{:#x}", true, x);
    (tally, result.is_ok())
}

#[routine]
fn utf8_and_utf16(c: char) -> ([u8; 4], usize, [u16; 2], usize, usize) {
    let (mut bytes, mut units) = ([0; 4], [0; 2]);
    let length = c.encode_utf8(&mut bytes).len();
    let count = c.encode_utf16(&mut units).len();
    (bytes, length, units, count, c.len_utf8() + c.len_utf16())
}

#[routine]
fn checked_for_text(x: u32) -> fmt::Result {
    if x % 3 == 0 { Err(fmt::Error) } else { Ok(()) }
}

#[routine]
fn errors_as_values(x: u32, y: u32) -> (fmt::Result, bool, u32) {
    let same = checked_for_text(x) == checked_for_text(y);
    let told = match checked_for_text(x ^ y) {
        Err(fmt::Error) => 1,
        Ok(()) => 2,
    };
    (checked_for_text(x).and(checked_for_text(y)), same, told)
}
