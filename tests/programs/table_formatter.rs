//! Formats a table of measurements into a buffer.

use core::fmt::{self, Display, Write};

use gpuvm::prelude::*;

/// Text of at most `N` bytes.
#[derive(VmType, Clone, Copy)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

#[routine]
impl<const N: usize> Text<N> {
    pub const fn new() -> Self {
        Self { bytes: [0; N], len: 0 }
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or("?")
    }

    pub fn pad_to(&mut self, width: usize, with: char) -> fmt::Result {
        while self.as_str().chars().count() < width {
            self.write_char(with)?;
        }
        Ok(())
    }
}

#[routine]
impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[routine]
impl<const N: usize> Write for Text<N> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let rest = self.bytes.get_mut(self.len..).ok_or(fmt::Error)?;
        let target = rest.get_mut(..s.len()).ok_or(fmt::Error)?;
        target.copy_from_slice(s.as_bytes());
        self.len += s.len();
        Ok(())
    }
}

#[routine]
impl<const N: usize> Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    Metres,
    Seconds,
    Percent,
}

#[routine]
impl Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Unit::Metres => " m",
            Unit::Seconds => " s",
            Unit::Percent => "%",
        })
    }
}

#[derive(VmType, Clone, Copy, Debug)]
pub struct Quantity<T> {
    value: T,
    unit: Unit,
}

#[routine]
impl<T: Display> Display for Quantity<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        self.unit.fmt(f)
    }
}

/// Writes a row of cells, each as wide as it should be.
#[routine]
fn row<W: Write, T: Display + Copy>(out: &mut W, name: &str, cells: &[T]) -> fmt::Result {
    write!(out, "{name:<8}|")?;
    for cell in cells {
        write!(out, " {:>7.2} |", cell)?;
    }
    writeln!(out)
}

/// Writes items with something in between.
#[routine]
fn joined<W, I>(out: &mut W, items: I, between: &str) -> fmt::Result
where
    W: Write,
    I: IntoIterator<Item: Display>,
{
    let mut first = true;
    for item in items {
        if !core::mem::replace(&mut first, false) {
            out.write_str(between)?;
        }
        write!(out, "{item}")?;
    }
    Ok(())
}

#[routine]
fn table(values: &[f32], counts: [u32; 3]) -> Result<Text<128>, fmt::Error> {
    let mut text = Text::new();
    row(&mut text, "values", values)?;
    row(&mut text, "counts", &counts)?;
    let total: f32 = values.iter().sum();
    let mean = Quantity {
        value: total / values.len() as f32,
        unit: Unit::Seconds,
    };
    writeln!(text, "mean: {mean}, {:e}", total)?;
    joined(
        &mut text,
        counts.iter().map(|n| Quantity {
            value: n * 10,
            unit: Unit::Percent,
        }),
        ", ",
    )?;
    text.pad_to(126, '.')?;
    Ok(text)
}

#[routine]
pub fn measurements(values: &[f32], counts: [u32; 3], out: &mut [u8]) -> i32 {
    match table(values, counts) {
        Ok(text) => {
            let bytes = text.as_str().as_bytes();
            out[..bytes.len()].copy_from_slice(bytes);
            bytes.len() as i32
        }
        Err(fmt::Error) => -1,
    }
}

#[routine]
pub fn coordinates(latitude: f64, longitude: f64, out: &mut [u8]) {
    let mut text = Text::<64>::default();
    let (ns, ew) = (
        if latitude < 0.0 { 'S' } else { 'N' },
        if longitude < 0.0 { 'W' } else { 'E' },
    );
    write!(&mut text, "{:08.4}°{ns} {:+}°{ew}", latitude.abs(), longitude).unwrap();
    for (slot, byte) in out.iter_mut().zip(text.as_str().bytes()) {
        *slot = byte;
    }
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let mut out = [0; 128];
        assert_eq!(measurements(&[1.5, 0.1, 3.0], [1, 2, 30], &mut out), 126);
        let text = str::from_utf8(&out[..126]).unwrap();
        assert!(text.starts_with("values  |    1.50 |    0.10 |    3.00 |\ncounts  |       1 |       2 |      30 |\nmean: 1.5333333 s, 4.6e0\n10%, 20%, 300%."), "{text}");
        coordinates(48.1374, -11.5755, &mut out);
        assert!(out.starts_with("048.1374°N -11.5755°W".as_bytes()));
    }
}
