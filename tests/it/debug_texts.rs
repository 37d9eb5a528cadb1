//! `{:?}`, `{:#?}` and `{:x?}` of the user's own types and of std's in texts that a routine writes: derived, written by hand, nested; `{:e}` of integers.

use core::cmp::Reverse;
use core::fmt::{self, Debug, Write};
use core::num::{NonZeroU16, Wrapping};
use core::ops::{Bound, ControlFlow};
use core::time::Duration;

use gpuvm::prelude::*;

cases! {
    few:
    debug_of_ranges, debug_of_durations, debug_of_structs, debug_of_enums, debug_in_std_types, debug_of_std_enums, debug_of_lists, debug_pretty, debug_pretty_in_lists, debug_in_hex, debug_of_generics, debug_of_borrowing, debug_by_hand, debug_collections, debug_by_hand_pretty, debug_failing, debug_calls, exponents_of_small, exponents_of_large, exponents_with_options,
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
}

#[routine]
impl<const N: usize> fmt::Write for Buf<N> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let end = self.len + s.len();
        self.bytes
            .get_mut(self.len..end)
            .ok_or(fmt::Error)?
            .copy_from_slice(s.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Unit;

#[derive(VmType, Clone, Copy, Debug)]
struct Celsius(f32);

#[derive(VmType, Clone, Copy, Debug)]
struct Edge {
    from: Point,
    to: Option<Point>,
    r#type: Unit,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Line {
    from: Point,
    to: Point,
    r#type: u8,
    unit: Unit,
    warm: Celsius,
    is_open: bool,
}

#[routine]
fn debug_of_structs(x: i32, y: i32, t: f32) -> Result<Buf<190>, fmt::Error> {
    let line = Line {
        from: Point { x, y },
        to: Point { x, y: x / 2 },
        r#type: x as u8,
        unit: Unit,
        warm: Celsius(t),
        is_open: y > x,
    };
    let mut buf = Buf::new();
    writeln!(buf, "{:?} {line:?}", Unit)?;
    Ok(buf)
}

#[derive(VmType, Clone, Copy, Debug)]
enum Token {
    End,
    Number(u32),
    Range(i8, i8),
    Text { at: usize, first: char },
    Nested(Option<Point>, Kind),
}

#[derive(VmType, Clone, Copy, Debug)]
enum Kind {
    Open = 3,
    Closed = 7,
}

#[routine]
fn token(x: u32) -> Token {
    match x % 6 {
        0 => Token::End,
        1 => Token::Number(x),
        2 => Token::Range(x as i8, -3),
        3 => Token::Text {
            at: x as usize % 100,
            first: char::from((x / 7) as u8),
        },
        4 => Token::Nested(None, Kind::Open),
        _ => Token::Nested(Some(Point { x: -1, y: x as i32 }), Kind::Closed),
    }
}

#[routine]
fn debug_of_enums(x: u32, y: u32) -> Result<Buf<140>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{:?}, {:?}", token(x), token(y))?;
    Ok(buf)
}

#[routine]
fn debug_in_std_types(x: i32, y: u32, c: char) -> Result<Buf<170>, fmt::Error> {
    let mut buf = Buf::new();
    let point = Point { x, y: 0 };
    let found = if y % 2 == 0 { Some(point) } else { None };
    let parsed: Result<u8, char> = if y % 3 == 0 { Ok(y as u8) } else { Err(c) };
    write!(buf, "{found:?} {parsed:?} {:?} {:?}", (y, c), ((), (x,)))?;
    write!(buf, " {:?}", [Some(x), None])?;
    write!(buf, " {:5?} {:02?}", [y % 7; 3], (y % 9, 1u8))?;
    Ok(buf)
}

#[routine]
fn debug_of_std_enums(x: i32, y: u32) -> Result<Buf<170>, fmt::Error> {
    let mut buf = Buf::new();
    let flow: ControlFlow<u32, ()> = if y % 2 == 0 {
        ControlFlow::Break(y)
    } else {
        ControlFlow::Continue(())
    };
    write!(buf, "{flow:?} {:?} {:?}", x.cmp(&3), Reverse(x))?;
    write!(buf, " {:?} {:?}", Wrapping(y), Bound::Included(x))?;
    let number = NonZeroU16::new(y as u16);
    write!(buf, " {number:?} {:?}", fmt::Error)?;
    Ok(buf)
}

#[routine]
fn debug_of_lists(x: f32, y: u32) -> Result<Buf<100>, fmt::Error> {
    let mut buf = Buf::new();
    let words = ["", "ab"];
    write!(buf, "{words:?} {:.1?} {:?}", [x, 0.25], &[1u8, 2][..(y % 3) as usize])?;
    Ok(buf)
}

#[routine]
fn debug_pretty(x: i32, y: u32) -> Result<Buf<240>, fmt::Error> {
    let edge = Edge {
        from: Point { x, y: 2 },
        to: Some(Point { x: 1, y: y as i32 }),
        r#type: Unit,
    };
    let mut buf = Buf::new();
    write!(buf, "{edge:#?}!")?;
    Ok(buf)
}

#[routine]
fn debug_pretty_in_lists(x: u32, y: u32) -> Result<Buf<400>, fmt::Error> {
    let mut buf = Buf::new();
    let empty: [u8; 0] = [];
    write!(buf, "{:#?}", (token(x), [token(y), Token::End], empty))?;
    writeln!(buf, "{:#?}{:#?}", Some("a\nb"), ((x,), 'c', ()))?;
    Ok(buf)
}

#[routine]
fn debug_in_hex(x: i32, y: u32) -> Result<Buf<200>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{:x?} {:#X?} {:08x?}", Point { x, y: 255 }, [y, 10], Some(y))?;
    Ok(buf)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Pair<A, B> {
    left: A,
    right: B,
}

#[derive(VmType, Clone, Copy, Debug)]
enum Slot<T, const N: usize> {
    Free,
    Taken([T; N]),
}

#[routine]
fn described<T: Debug>(value: T) -> Result<Buf<120>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{value:?}")?;
    Ok(buf)
}

#[routine]
fn debug_of_generics(x: u32, y: i32) -> Result<(Buf<120>, Buf<120>, Buf<120>), fmt::Error> {
    let pair = Pair {
        left: Some(x),
        right: Point { x: y, y },
    };
    let slot = if x % 2 == 0 { Slot::Taken([x, 2]) } else { Slot::Free };
    let first = described(pair)?;
    Ok((first, described(slot)?, described("text")?))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    bytes: &'a [u8],
    next: Option<&'a Point>,
}

#[routine]
fn debug_of_borrowing(x: i32, y: u32) -> Result<Buf<160>, fmt::Error> {
    let point = Point { x, y: x / -3 };
    let text = &"some \"words\""[..y as usize % 13];
    let word = Word {
        text,
        bytes: text.as_bytes().get(..2).unwrap_or(&[]),
        next: if x % 2 == 0 { Some(&point) } else { None },
    };
    let mut buf = Buf::new();
    write!(buf, "{word:?}")?;
    Ok(buf)
}

#[derive(VmType, Clone, Copy)]
struct Version {
    major: u16,
    minor: u16,
    hidden: u32,
}

#[routine]
impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Version")
            .field("major", &self.major)
            .field("minor", &self.minor)
            .finish_non_exhaustive()
    }
}

#[derive(VmType, Clone, Copy)]
struct Mask(u32);

#[routine]
impl Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Mask({:#b})", self.0)
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Package {
    version: Version,
    mask: Mask,
}

#[routine]
impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.version, f)?;
        write!(f, "/{:?}", self.mask)
    }
}

#[routine]
fn package(x: u32) -> Package {
    Package {
        version: Version {
            major: x as u16,
            minor: (x >> 16) as u16,
            hidden: x,
        },
        mask: Mask(x & 0xff),
    }
}

#[routine]
fn debug_by_hand(x: u32) -> Result<Buf<160>, fmt::Error> {
    let mut buf = Buf::new();
    let package = package(x);
    write!(buf, "{package:?} {package}")?;
    Ok(buf)
}

#[routine]
fn debug_by_hand_pretty(x: u32) -> Result<Buf<240>, fmt::Error> {
    let mut buf = Buf::new();
    let package = package(x);
    write!(buf, "{package:#?} {package:#}")?;
    Ok(buf)
}

#[derive(VmType, Clone, Copy)]
struct Table {
    keys: [u8; 3],
    values: [Kind; 3],
}

#[routine]
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (key, value) in self.keys.iter().zip(&self.values) {
            map.entry(key, value);
        }
        map.finish()
    }
}

#[derive(VmType, Clone, Copy)]
struct Set(u32);

#[routine]
impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut set = f.debug_set();
        for bit in 0..8u32 {
            if self.0 >> bit & 1 == 1 {
                set.entry(&bit);
            }
        }
        set.finish()
    }
}

#[routine]
fn debug_collections(x: u32) -> Result<Buf<220>, fmt::Error> {
    let table = Table {
        keys: [1, x as u8, 3],
        values: [Kind::Open, Kind::Closed, Kind::Open],
    };
    let mut buf = Buf::new();
    write!(buf, "{table:?} {:?} {:#?}", Set(x), Set(x & 5))?;
    Ok(buf)
}

#[routine]
fn debug_failing(x: u32, y: i32) -> (Buf<30>, bool, bool) {
    let mut buf = Buf::new();
    let first = write!(buf, "{:?}", Some(Point { x: y, y: 1 })).is_err();
    let second = write!(buf, "{:#?}", token(x)).is_err();
    (buf, first, second)
}

/// Counts what it is called with.
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Tally {
    texts: u32,
    characters: u32,
    sum: u32,
}

#[routine]
impl fmt::Write for Tally {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.texts += 1;
        self.sum = self.sum.wrapping_mul(31).wrapping_add(text.len() as u32);
        if self.texts == 45 { Err(fmt::Error) } else { Ok(()) }
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        self.characters += 1;
        self.sum = self.sum.wrapping_mul(37).wrapping_add(u32::from(c));
        Ok(())
    }
}

#[routine]
fn debug_calls(x: u32, y: i32) -> (Tally, Tally, bool, bool) {
    let (mut plain, mut pretty) = (Tally::default(), Tally::default());
    let value = (token(x), Some(Point { x: y, y: 1 }), ["a\nb"; 2]);
    let first = write!(plain, "{value:?}").is_ok();
    let second = write!(pretty, "{value:#?}").is_ok();
    (plain, pretty, first, second)
}

#[routine]
fn exponents_of_small(a: u8, b: i16, c: i32, d: u32) -> Result<Buf<120>, fmt::Error> {
    let mut buf = Buf::new();
    write!(buf, "{a:e} {b:e} {c:e} {d:E} {:e} {:e}", a as usize * 100, b as isize)?;
    write!(buf, " {:.0e} {:.1e} {:.2E}", a, b, c)?;
    Ok(buf)
}

#[routine]
fn exponents_of_large(a: u64, b: i64, c: u128) -> Result<Buf<240>, fmt::Error> {
    let mut buf = Buf::new();
    write!(
        buf,
        "{a:e} {b:E} {c:e} {a:.3e} {b:.12e} {c:.9E} {:e}",
        -(c as i128 >> 1)
    )?;
    Ok(buf)
}

#[routine]
fn exponents_with_options(x: i32, n: u32) -> Result<Buf<180>, fmt::Error> {
    let mut buf = Buf::new();
    let near = 10u32.pow(n % 9) - n / 9 % 3;
    write!(
        buf,
        "{near:.0e}|{near:.2e}|{x:+e}|{x:>16e}|{x:<+14.2e}|{x:^14E}|{x:014.1e}|{:.70e}",
        5u8
    )?;
    Ok(buf)
}

/// The cases above compare texts, so there have to be some.
#[test]
fn no_text_is_cut_off() {
    for x in [0u32, 1, 2, 3, 4, 5, 12_345_678, i32::MIN as u32, u32::MAX] {
        let (y, wide) = (x as i32, u64::from(x) + 1);
        let fits = [
            debug_of_structs(y, -5, f32::MIN).is_ok(),
            debug_of_enums(x, x / 2).is_ok(),
            debug_in_std_types(y, u32::MAX, '\u{10ffff}').is_ok(),
            debug_of_std_enums(y, x).is_ok(),
            debug_of_lists(f32::MIN, x).is_ok(),
            debug_pretty(y, x).is_ok(),
            debug_pretty_in_lists(x, x / 3).is_ok(),
            debug_in_hex(y, x).is_ok(),
            debug_of_generics(x, y).is_ok(),
            debug_of_borrowing(y, x).is_ok(),
            debug_by_hand(x).is_ok(),
            debug_by_hand_pretty(x).is_ok(),
            debug_collections(x).is_ok(),
            exponents_of_small(x as u8, x as i16, y, x).is_ok(),
            exponents_of_large(u64::MAX / wide, i64::MIN / wide as i64, u128::MAX / u128::from(wide)).is_ok(),
            exponents_with_options(y, x).is_ok(),
        ];
        assert_eq!(fits, [true; 16], "{x}");
    }
}

#[routine]
fn debug_of_ranges(a: u32, b: i8) -> Buf<120> {
    let mut text = Buf::new();
    let mut given = 3..=a % 5 + 3;
    given.by_ref().for_each(|_| {});
    let _ = write!(text, "{:?} {:?} {:4?} {:?} {:?}", a..7, b..=9, a.., ..b, ..);
    let _ = write!(text, " {:#x?} {:?} {:?} {given:?}", 1..a, 'a'..'\n', Some(..=b));
    text
}

#[derive(VmType, Clone, Copy, Debug)]
struct Timed {
    at: u32,
    took: Duration,
}

#[routine]
fn debug_of_durations(a: u32, b: u32, c: u32) -> (Buf<120>, Buf<120>) {
    let (mut plain, mut padded) = (Buf::new(), Buf::new());
    let took = Duration::from_nanos(u64::from(a) >> (b % 32));
    let long = Duration::new(u64::from(a) << (c % 33), b % 1_000_000_000);
    let _ = write!(plain, "{took:?} {long:?} {:?}", Timed { at: b, took });
    let _ = write!(
        padded,
        "{took:.0?} {took:.2?} {long:.1?} {took:>12.3?}|{long:*^+30?}|{took:.11?}|{:<9?}|",
        Duration::from_millis(2500 + 1000 * u64::from(c % 2))
    );
    (plain, padded)
}
