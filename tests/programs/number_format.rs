//! Numbers as text in a byte buffer: decimal, grouped, hex, fixed point and Roman, by a writer over `&mut [u8]`.

use gpuvm::prelude::*;

/// Appends to a buffer; what does not fit is counted but not written.
#[derive(VmType)]
struct Writer<'a> {
    buffer: &'a mut [u8],
    len: usize,
}

#[routine]
impl<'a> Writer<'a> {
    fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, len: 0 }
    }

    fn byte(&mut self, byte: u8) -> &mut Self {
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = byte;
        }
        self.len += 1;
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        bytes.iter().for_each(|&byte| {
            self.byte(byte);
        });
        self
    }

    fn written(&self) -> &[u8] {
        &self.buffer[..self.len.min(self.buffer.len())]
    }

    /// The digits of `value`, at least `width` of them.
    fn digits<const RADIX: u64>(&mut self, mut value: u64, width: usize) -> &mut Self {
        const { assert!(RADIX >= 2 && RADIX <= 36) };
        let mut digits = [b'0'; 64];
        let mut start = digits.len();
        while value > 0 {
            start -= 1;
            digits[start] = b"0123456789abcdefghijklmnopqrstuvwxyz"[(value % RADIX) as usize];
            value /= RADIX;
        }
        start = start.min(digits.len() - width);
        self.bytes(&digits[start..])
    }

    fn signed(&mut self, value: i64) -> &mut Self {
        if value < 0 {
            self.byte(b'-');
        }
        self.digits::<10>(value.unsigned_abs(), 1)
    }

    fn grouped(&mut self, value: u64, separator: u8) -> &mut Self {
        match value / 1000 {
            0 => self.digits::<10>(value, 1),
            thousands => self
                .grouped(thousands, separator)
                .byte(separator)
                .digits::<10>(value % 1000, 3),
        }
    }

    /// Rounded to `places` after the point; half goes away from zero.
    fn fixed(&mut self, value: f64, places: u32) -> &mut Self {
        if value.is_nan() {
            return self.bytes(b"nan");
        }
        if value.is_sign_negative() {
            self.byte(b'-');
        }
        let scale = 10u64.pow(places);
        let scaled = (value.abs() * scale as f64).round();
        if !(0.0..1e18).contains(&scaled) {
            return self.bytes(b"inf");
        }
        let scaled = scaled as u64;
        self.digits::<10>(scaled / scale, 1);
        if places > 0 {
            self.byte(b'.').digits::<10>(scaled % scale, places as usize);
        }
        self
    }

    fn roman(&mut self, mut value: u16) -> &mut Self {
        for (weight, letters) in ROMAN {
            while value >= weight {
                value -= weight;
                self.bytes(letters);
            }
        }
        self
    }
}

const ROMAN: [(u16, &[u8]); 13] = [
    (1000, b"M"),
    (900, b"CM"),
    (500, b"D"),
    (400, b"CD"),
    (100, b"C"),
    (90, b"XC"),
    (50, b"L"),
    (40, b"XL"),
    (10, b"X"),
    (9, b"IX"),
    (5, b"V"),
    (4, b"IV"),
    (1, b"I"),
];

/// Reads a Roman numeral; `None` where it is not the one way to write its number.
#[routine]
fn parse_roman(text: &[u8]) -> Option<u16> {
    let mut rest = text;
    let mut value = 0u16;
    for (weight, letters) in ROMAN.iter() {
        while let Some(after) = rest.strip_prefix(*letters) {
            value = value.checked_add(*weight)?;
            rest = after;
        }
    }
    let mut buffer = [0; 16];
    let mut again = Writer::new(&mut buffer);
    (rest.is_empty() && value > 0 && again.roman(value).written() == text).then_some(value)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Signed,
    Hex { width: u8 },
    Grouped(u8),
    Binary,
}

/// Writes `value` in a style (0 signed, 1 hex of eight digits, 2 grouped by commas, 3 binary); the length it needs.
#[routine]
pub fn format_integer(value: i64, style: u8, out: &mut [u8]) -> u32 {
    let style = match style {
        0 => Style::Signed,
        1 => Style::Hex { width: 8 },
        2 => Style::Grouped(b','),
        _ => Style::Binary,
    };
    let mut writer = Writer::new(out);
    match style {
        Style::Signed => writer.signed(value),
        Style::Hex { width } => writer.bytes(b"0x").digits::<16>(value as u64, width.into()),
        Style::Grouped(separator) => writer.grouped(value.unsigned_abs(), separator),
        Style::Binary => writer.digits::<2>(value as u64, 1),
    };
    writer.len as u32
}

/// Writes a line of a table: a number, its root and its Roman numeral.
#[routine]
pub fn format_table_row(n: u16, places: u8, out: &mut [u8]) -> u32 {
    let mut line = Writer::new(out);
    line.bytes(b"n = ").grouped(n.into(), b'_').bytes(b", root ");
    line.fixed(f64::from(n).sqrt(), u32::from(places.min(9))).byte(b' ');
    if (1..4000).contains(&n) {
        line.byte(b'(').roman(n).byte(b')');
    }
    line.len as u32
}

/// The sum of the Roman numerals of a text, which spaces part, as a Roman numeral; its length, 0 for a bad one.
#[routine]
pub fn add_roman(text: &[u8], out: &mut [u8]) -> u32 {
    let sum = text
        .split(|&b| b == b' ')
        .map(parse_roman)
        .try_fold(0u16, |sum, value| sum.checked_add(value?));
    match sum {
        Some(sum @ 1..4000) => Writer::new(out).roman(sum).len as u32,
        _ => 0,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn integers() {
        let mut out = [0; 64];
        let mut format = |value, style| {
            let len = format_integer(value, style, &mut out) as usize;
            String::from_utf8_lossy(&out[..len]).into_owned()
        };
        assert_eq!(format(i64::MIN, 0), i64::MIN.to_string());
        assert_eq!(format(0, 0), "0");
        assert_eq!(format(0xbeef, 1), "0x0000beef");
        assert_eq!(format(12_003_004, 2), "12,003,004");
        assert_eq!(format(-1, 3), "1".repeat(64));
        assert_eq!(format_integer(12345, 0, &mut [0; 2]), 5);
    }

    #[test]
    fn rows() {
        let mut out = [0; 48];
        let len = format_table_row(1994, 3, &mut out) as usize;
        assert_eq!(&out[..len], b"n = 1_994, root 44.654 (MCMXCIV)");
        let len = format_table_row(0, 0, &mut out) as usize;
        assert_eq!(&out[..len], b"n = 0, root 0 ");
    }

    #[test]
    fn roman() {
        let mut out = [0; 16];
        assert_eq!(add_roman(b"XIV MCM LXXX", &mut out), 7);
        assert_eq!(&out[..7], b"MCMXCIV");
        assert_eq!(add_roman(b"IIII", &mut out), 0);
        assert_eq!(add_roman(b"VX", &mut out), 0);
        assert_eq!(parse_roman(b"MMXXVI"), Some(2026));
    }
}
