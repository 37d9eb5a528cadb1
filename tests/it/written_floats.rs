//! Floats in texts that a routine writes, digit for digit and call for call as std writes them; texts that are written to a type parameter, of type parameters that
//! have a `Display`, and values that a `Display` hands on to others.

use core::fmt::{self, Display, Write};

use gpuvm::prelude::*;

cases! {
    few:
    shortest_singles, rounded_singles, singles_with_exponents, shortest_doubles, rounded_doubles, doubles_of_all_sizes, padded_floats, counted_floats,
    written_to_parameters, shown_by_parameters, handed_on, quoted,
}

/// Keeps what is written, and marks the end of each call.
#[derive(VmType, Clone, Copy, Debug)]
struct Calls<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

#[routine]
impl<const N: usize> Calls<N> {
    fn new() -> Self {
        Calls { bytes: [0; N], len: 0 }
    }

    fn push(&mut self, byte: u8) {
        if self.len < N {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
    }
}

#[routine]
impl<const N: usize> Write for Calls<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.push(byte));
        self.push(b'|');
        Ok(())
    }
}

#[routine]
fn shortest_singles(x: f32, quoted: bool) -> Result<Calls<80>, fmt::Error> {
    let mut calls = Calls::new();
    if quoted {
        write!(calls, "{x:?}")?;
    } else {
        write!(calls, "{x}!")?;
    }
    Ok(calls)
}

#[routine]
fn rounded_singles(x: f32, places: u8) -> Result<Calls<160>, fmt::Error> {
    let mut calls = Calls::new();
    let digits = usize::from(places % 12);
    match places % 3 {
        0 => write!(calls, "{x:.0}")?,
        1 => write!(calls, "{x:.3}")?,
        _ => write!(calls, "{x:.digits$?}")?,
    }
    Ok(calls)
}

#[routine]
fn singles_with_exponents(x: f32, places: u8) -> Result<Calls<120>, fmt::Error> {
    let mut calls = Calls::new();
    match places % 4 {
        0 => write!(calls, "{x:e}")?,
        1 => write!(calls, "{x:E}")?,
        2 => write!(calls, "{x:.0e}")?,
        _ => write!(calls, "{:.*E}", usize::from(places % 30), x)?,
    }
    Ok(calls)
}

/// As many as are wanted have numerators and denominators of everyday numbers.
#[routine]
fn shortest_doubles(a: i32, b: u16, pick: u8) -> Result<Calls<80>, fmt::Error> {
    let x = f64::from(a) / f64::from(b);
    let mut calls = Calls::new();
    match pick % 3 {
        0 => write!(calls, "{x}")?,
        1 => write!(calls, "{:?}", x * 1e-4)?,
        _ => write!(calls, "{:e}", x * 1e12)?,
    }
    Ok(calls)
}

#[routine]
fn rounded_doubles(a: i32, b: u16, places: u8) -> Result<Calls<100>, fmt::Error> {
    let x = f64::from(a) / f64::from(b);
    let mut calls = Calls::new();
    match places % 4 {
        0 => write!(calls, "{x:.0}")?,
        1 => write!(calls, "{x:.1}")?,
        2 => write!(calls, "{x:.0$}", usize::from(places % 40))?,
        _ => write!(calls, "{x:.2e}")?,
    }
    Ok(calls)
}

/// One VM in eight, as the largest and the smallest numbers take long.
#[routine]
fn doubles_of_all_sizes(x: f64, pick: u32) -> Result<Calls<500>, fmt::Error> {
    let mut calls = Calls::new();
    match pick % 32 {
        0 => write!(calls, "{x}")?,
        1 => write!(calls, "{x:?}")?,
        2 => write!(calls, "{x:.20e}")?,
        3 => write!(calls, "{x:.5}")?,
        _ => calls.write_char('-')?,
    }
    Ok(calls)
}

#[routine]
fn padded_floats(x: f32, pick: u32) -> Result<Calls<100>, fmt::Error> {
    let mut calls = Calls::new();
    match pick % 10 {
        0 => write!(calls, "{x:20}")?,
        1 => write!(calls, "{x:<20.2}")?,
        2 => write!(calls, "{x:^+20}")?,
        3 => write!(calls, "{x:020}")?,
        4 => write!(calls, "{x:+020.1}")?,
        5 => write!(calls, "{x:_>20e}")?,
        6 => write!(calls, "{x:<3.1}")?,
        7 => write!(calls, "{x:+}")?,
        8 => write!(calls, "{x:04}")?,
        _ => write!(calls, "{x:>+6?}")?,
    }
    Ok(calls)
}

#[routine]
fn counted_floats(x: f32, width: u8, places: u8) -> Result<Calls<120>, fmt::Error> {
    let mut calls = Calls::new();
    let (width, places) = (usize::from(width % 40), usize::from(places % 80));
    write!(calls, "{:1$.2$}", x, width, places)?;
    Ok(calls)
}

/// A sum that is written piece by piece.
#[routine]
fn terms<W: Write, T: Display>(out: &mut W, terms: &[T], between: &str) -> fmt::Result {
    for (i, term) in terms.iter().enumerate() {
        if i > 0 {
            out.write_str(between)?;
        }
        write!(out, "{term:>3}")?;
    }
    writeln!(out)
}

#[routine]
fn listed<I>(mut out: impl Write, items: I) -> fmt::Result
where
    I: IntoIterator<Item: Display>,
{
    out.write_char('[')?;
    for item in items {
        write!(out, "{item},")?;
    }
    out.write_char(']')
}

#[routine]
fn written_to_parameters(a: [i16; 3], b: [u8; 2], c: char) -> Result<Calls<160>, fmt::Error> {
    let mut calls = Calls::new();
    terms(&mut calls, &a, " + ")?;
    terms(&mut calls, &[c, 'x'], ", ")?;
    terms(&mut calls, &["ab", "c"][..usize::from(b[0] % 3)], "/")?;
    listed(&mut calls, b)?;
    listed(&mut calls, a.iter().filter(|n| **n > 0))?;
    Ok(calls)
}

/// A quantity of anything that can be shown.
#[derive(VmType, Clone, Copy, Debug)]
struct Quantity<T> {
    value: T,
    unit: Unit,
}

#[derive(VmType, Clone, Copy, Debug)]
enum Unit {
    Metres,
    Percent,
}

#[routine]
impl Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Metres => " m",
            Unit::Percent => "%",
        })
    }
}

#[routine]
impl<T: Display> Display for Quantity<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.value.fmt(f)?;
        fmt::Display::fmt(&self.unit, f)
    }
}

#[routine]
fn shown<T: Display>(value: T) -> Result<Calls<80>, fmt::Error> {
    let mut calls = Calls::new();
    write!(calls, "<{value}>")?;
    Ok(calls)
}

#[routine]
fn shown_by_parameters(x: i32, y: f32, flag: bool) -> Result<(Calls<80>, Calls<80>, Calls<80>), fmt::Error> {
    let unit = if flag { Unit::Metres } else { Unit::Percent };
    Ok((
        shown(unit)?,
        shown(Quantity { value: x, unit })?,
        shown(&Quantity { value: y, unit })?,
    ))
}

#[routine]
fn handed_on(x: f32, n: u64) -> Result<Calls<160>, fmt::Error> {
    let mut calls = Calls::new();
    let quantity = Quantity {
        value: x,
        unit: Unit::Metres,
    };
    write!(
        calls,
        "{quantity:8.2}|{quantity:+}|{:>05}",
        Quantity {
            value: n,
            unit: Unit::Percent
        }
    )?;
    Ok(calls)
}

#[routine]
fn quoted(c: char, d: char, pick: u32) -> Result<Calls<200>, fmt::Error> {
    let mut bytes = [0u8; 8];
    let first = c.encode_utf8(&mut bytes).len();
    let len = first + d.encode_utf8(&mut bytes[first..]).len();
    let text = core::str::from_utf8(&bytes[..len]).unwrap_or("?");
    let other = ["", "plain", "it's \"\\\n", "e\u{301} \u{200b}\0é"][pick as usize % 4];
    let mut calls = Calls::new();
    write!(calls, "{c:?}{text:?}{other:?}{:?}{:?}", '\'', '"')?;
    Ok(calls)
}
