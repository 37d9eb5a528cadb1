//! Canonical Huffman codes: lengths to codes as in DEFLATE, an encoder of bits and a decoder that reads them back.

use gpuvm::prelude::*;

const MAX_BITS: usize = 15;

/// A source of bits, the lowest of each byte first.
#[derive(VmType, Clone, Copy)]
struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

#[routine]
impl Iterator for BitReader<'_> {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Some(bit == 1)
    }
}

#[derive(VmType, Clone, Copy)]
struct BitWriter<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

#[routine]
impl<const N: usize> BitWriter<N> {
    const CAPACITY: usize = N * 8;

    const fn new() -> Self {
        Self { bytes: [0; N], len: 0 }
    }

    /// Writes the low `width` bits of `code`, the highest of them first.
    fn push(&mut self, code: u16, width: u8) -> Option<()> {
        if self.len + usize::from(width) > Self::CAPACITY {
            return None;
        }
        for shift in (0..width).rev() {
            let bit = (code >> shift & 1) as u8;
            self.bytes[self.len / 8] |= bit << (self.len % 8);
            self.len += 1;
        }
        Some(())
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.div_ceil(8)]
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum CodeError {
    TooLong,
    OverSubscribed,
    Incomplete,
}

/// How many codes there are of each length, and the symbols in the order of their codes.
#[derive(VmType, Clone, Copy)]
struct Code<const SYMBOLS: usize> {
    counts: [u16; MAX_BITS + 1],
    symbols: [u8; SYMBOLS],
}

#[routine]
impl<const SYMBOLS: usize> Code<SYMBOLS> {
    fn from_lengths(lengths: &[u8; SYMBOLS]) -> Result<Self, CodeError> {
        let mut counts = [0u16; MAX_BITS + 1];
        for &length in lengths {
            *counts.get_mut(usize::from(length)).ok_or(CodeError::TooLong)? += 1;
        }
        counts[0] = 0;
        let unused = counts[1..].iter().try_fold(1i32, |left, &count| {
            let left = 2 * left - i32::from(count);
            if left < 0 {
                Err(CodeError::OverSubscribed)
            } else {
                Ok(left)
            }
        })?;
        if unused > 0 {
            return Err(CodeError::Incomplete);
        }

        let mut offsets = [0u16; MAX_BITS + 1];
        for length in 1..MAX_BITS {
            offsets[length + 1] = offsets[length] + counts[length];
        }
        let mut symbols = [0; SYMBOLS];
        for (symbol, &length) in lengths.iter().enumerate().filter(|&(_, &length)| length != 0) {
            let offset = &mut offsets[usize::from(length)];
            symbols[usize::from(*offset)] = symbol as u8;
            *offset += 1;
        }
        Ok(Self { counts, symbols })
    }

    /// The code of `symbol`, and its length in bits.
    fn code_of(&self, symbol: u8) -> Option<(u16, u8)> {
        let place = self.symbols.iter().position(|&s| s == symbol)? as u16;
        let (mut first_code, mut first_place) = (0, 0);
        for (length, &count) in self.counts.iter().enumerate().skip(1) {
            if place < first_place + count {
                return Some((first_code + (place - first_place), length as u8));
            }
            first_place += count;
            first_code = (first_code + count) << 1;
        }
        None
    }

    fn decode(&self, bits: &mut impl Iterator<Item = bool>) -> Option<u8> {
        let (mut code, mut first, mut index) = (0u16, 0u16, 0u16);
        for &count in &self.counts[1..] {
            code |= u16::from(bits.next()?);
            if code < first + count {
                return self.symbols.get(usize::from(index + (code - first))).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// Decodes symbols until `out` is full or the bits end; how many, or below zero where the lengths are no code.
#[routine]
pub fn huffman_decode(lengths: [u8; 8], bytes: &[u8], out: &mut [u8]) -> i32 {
    let code = match Code::from_lengths(&lengths) {
        Ok(code) => code,
        Err(CodeError::TooLong) => return -1,
        Err(CodeError::OverSubscribed) => return -2,
        Err(CodeError::Incomplete) => return -3,
    };
    let mut bits = BitReader { bytes, at: 0 };
    let mut count = 0;
    for slot in out.iter_mut() {
        let Some(symbol) = code.decode(&mut bits) else {
            break;
        };
        *slot = symbol;
        count += 1;
    }
    count
}

/// Encodes the letters a to h of `text`, decodes the bits, and says how many bits there were; 0 where it fails.
#[routine]
pub fn huffman_round_trip(lengths: [u8; 8], text: &[u8]) -> u32 {
    let mut writer = BitWriter::<64>::new();
    let mut round_trip = || -> Option<usize> {
        let code = Code::from_lengths(&lengths).ok()?;
        for &letter in text {
            let (word, width) = code.code_of(letter.checked_sub(b'a')?)?;
            writer.push(word, width)?;
        }
        let mut bits = BitReader {
            bytes: writer.bytes(),
            at: 0,
        };
        for &letter in text {
            if code.decode(&mut bits)? + b'a' != letter {
                return None;
            }
        }
        (bits.at == writer.len).then_some(bits.at)
    };
    round_trip().unwrap_or(0) as u32
}

#[cfg(test)]
mod known {
    use super::*;

    /// RFC 1951, 3.2.2: A to H of the lengths (3, 3, 3, 3, 3, 2, 4, 4).
    const LENGTHS: [u8; 8] = [3, 3, 3, 3, 3, 2, 4, 4];

    #[test]
    fn rfc_1951() {
        let code = Code::from_lengths(&LENGTHS).unwrap();
        let expected = [0b010, 0b011, 0b100, 0b101, 0b110, 0b00, 0b1110, 0b1111];
        for (symbol, word) in expected.into_iter().enumerate() {
            assert_eq!(code.code_of(symbol as u8), Some((word, LENGTHS[symbol])));
        }
        assert_eq!(huffman_round_trip(LENGTHS, b"hafbad"), 4 + 3 + 2 + 3 + 3 + 3);
        assert_eq!(huffman_round_trip(LENGTHS, b"xyz"), 0);
    }

    #[test]
    fn decodes() {
        // 00 1111 010, the first bit lowest: f, h, a.
        let mut out = [9; 3];
        assert_eq!(huffman_decode(LENGTHS, &[0b1011_1100, 0], &mut out), 3);
        assert_eq!(out, [5, 7, 0]);
        assert_eq!(huffman_decode([1; 8], &[0], &mut out), -2);
        assert_eq!(huffman_decode([4; 8], &[0], &mut out), -3);
        assert_eq!(huffman_decode([16; 8], &[0], &mut out), -1);
    }
}
