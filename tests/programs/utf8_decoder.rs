//! A UTF-8 decoder: an iterator of `Result<char, _>` that resumes after errors, a lossy count and UTF-16 output.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf8Error {
    /// A byte that cannot start a character.
    BadStart(u8),
    /// The character breaks off after this many bytes.
    Truncated(u8),
    /// The bytes give a surrogate, a number past U+10FFFF, or a longer form than needed.
    NotAScalar(u32),
}

#[derive(VmType, Clone, Copy)]
struct Decoder<'a> {
    bytes: &'a [u8],
}

#[routine]
impl Iterator for Decoder<'_> {
    type Item = Result<char, Utf8Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let (len, bits) = match first {
            0x00..=0x7f => return Some(Ok(char::from(first))),
            0xc0..=0xdf => (1, first & 0x1f),
            0xe0..=0xef => (2, first & 0x0f),
            0xf0..=0xf7 => (3, first & 0x07),
            _ => return Some(Err(Utf8Error::BadStart(first))),
        };
        let mut scalar = u32::from(bits);
        for taken in 0..len {
            match self.bytes {
                [byte @ 0x80..=0xbf, rest @ ..] => {
                    scalar = scalar << 6 | u32::from(byte & 0x3f);
                    self.bytes = rest;
                }
                _ => return Some(Err(Utf8Error::Truncated(taken + 1))),
            }
        }
        const SMALLEST: [u32; 3] = [0x80, 0x800, 0x1_0000];
        let decoded = char::from_u32(scalar).filter(|_| scalar >= SMALLEST[usize::from(len) - 1]);
        Some(decoded.ok_or(Utf8Error::NotAScalar(scalar)))
    }
}

#[routine]
fn decode(bytes: &[u8]) -> Decoder<'_> {
    Decoder { bytes }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextCount {
    pub chars: u32,
    pub errors: u32,
    pub ascii_letters: u32,
    pub wide: u32,
    pub highest: u32,
}

/// Counts what is in `bytes`.
#[routine]
pub fn utf8_count(bytes: &[u8]) -> TextCount {
    let mut count = TextCount::default();
    for item in decode(bytes) {
        let Ok(c) = item else {
            count.errors += 1;
            continue;
        };
        count.chars += 1;
        count.highest = count.highest.max(c as u32);
        if c.is_ascii_alphabetic() {
            count.ascii_letters += 1;
        } else if c >= '\u{1100}' {
            count.wide += 1;
        }
    }
    count
}

/// Writes `bytes` as UTF-16 into `units`; says how many units, or nothing where the text is bad or the room too small.
#[routine]
fn to_utf16(bytes: &[u8], units: &mut [u16]) -> Option<usize> {
    let mut len = 0;
    for item in decode(bytes) {
        let scalar = u32::from(item.ok()?);
        if let Ok(unit) = u16::try_from(scalar) {
            *units.get_mut(len)? = unit;
            len += 1;
        } else {
            let offset = scalar - 0x1_0000;
            let pair = units.get_mut(len..len + 2)?;
            pair.copy_from_slice(&[0xd800 | (offset >> 10) as u16, 0xdc00 | (offset & 0x3ff) as u16]);
            len += 2;
        }
    }
    Some(len)
}

#[routine]
pub fn utf8_to_utf16(bytes: &[u8], units: &mut [u16]) -> i32 {
    to_utf16(bytes, units).map_or(-1, |len| len as i32)
}

/// Whether all of `bytes` is UTF-8 and reads the same backwards, letters in either case.
#[routine]
pub fn utf8_palindrome(bytes: &[u8]) -> bool {
    let mut text = ['\0'; 64];
    let mut len = 0;
    for (slot, item) in text.iter_mut().zip(decode(bytes)) {
        match item {
            Ok(c) => *slot = c.to_ascii_lowercase(),
            Err(_) => return false,
        }
        len += 1;
    }
    let text = &text[..len];
    text.iter().eq(text.iter().rev())
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn decodes() {
        let text = "aß水🦀".as_bytes();
        let mut chars = decode(text);
        assert_eq!(chars.next(), Some(Ok('a')));
        assert_eq!(chars.nth(2), Some(Ok('🦀')));
        assert_eq!(
            utf8_count(text),
            TextCount {
                chars: 4,
                errors: 0,
                ascii_letters: 1,
                wide: 2,
                highest: 0x1f980
            }
        );
        let mut units = [0; 8];
        assert_eq!(utf8_to_utf16(text, &mut units), 5);
        assert_eq!(units[..5], [0x61, 0xdf, 0x6c34, 0xd83e, 0xdd80]);
        assert_eq!(utf8_to_utf16(text, &mut units[..4]), -1);
    }

    #[test]
    fn refuses() {
        assert_eq!(decode(&[0x80]).next(), Some(Err(Utf8Error::BadStart(0x80))));
        assert_eq!(decode(&[0xe6, 0xb0]).next(), Some(Err(Utf8Error::Truncated(2))));
        assert_eq!(decode(&[0xc0, 0x80]).next(), Some(Err(Utf8Error::NotAScalar(0))));
        assert_eq!(
            decode(&[0xed, 0xa0, 0x80]).next(),
            Some(Err(Utf8Error::NotAScalar(0xd800)))
        );
        assert_eq!(utf8_count(b"a\xffb").errors, 1);
    }

    #[test]
    fn palindromes() {
        assert!(utf8_palindrome("été".as_bytes()));
        assert!(utf8_palindrome(b"Level"));
        assert!(!utf8_palindrome("naïve".as_bytes()));
    }
}
