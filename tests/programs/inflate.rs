//! DEFLATE: stored, fixed and dynamic blocks, canonical Huffman codes, and the Adler checksum of zlib around them.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum InflateError {
    UnexpectedEnd,
    BadHeader(u8, u8),
    BadBlock,
    BadLength { length: u16, complement: u16 },
    BadCode,
    TooFarBack { distance: u32, written: u32 },
    OutputFull,
    BadChecksum { expected: u32, found: u32 },
}

use InflateError::*;

pub type Result<T> = core::result::Result<T, InflateError>;

#[derive(VmType)]
struct BitReader<'a> {
    bytes: core::slice::Iter<'a, u8>,
    buffer: u32,
    available: u32,
}

#[routine]
impl<'a> BitReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes: bytes.iter(),
            buffer: 0,
            available: 0,
        }
    }

    fn bits(&mut self, count: u32) -> Result<u32> {
        while self.available < count {
            let byte = *self.bytes.next().ok_or(UnexpectedEnd)?;
            self.buffer |= u32::from(byte) << self.available;
            self.available += 8;
        }
        let value = self.buffer & ((1 << count) - 1);
        self.buffer >>= count;
        self.available -= count;
        Ok(value)
    }

    fn bit(&mut self) -> Result<bool> {
        self.bits(1).map(|bit| bit == 1)
    }

    /// What is left behind the byte that was begun.
    fn align(&mut self) {
        (self.buffer, self.available) = (0, 0);
    }

    fn byte(&mut self) -> Result<u8> {
        self.bytes.next().copied().ok_or(UnexpectedEnd)
    }
}

/// A canonical code: how many symbols have each length, and the symbols in the order of their codes.
#[derive(VmType)]
struct Huffman<const SYMBOLS: usize> {
    counts: [u16; 16],
    symbols: [u16; SYMBOLS],
}

#[routine]
impl<const SYMBOLS: usize> Huffman<SYMBOLS> {
    fn new(lengths: &[u8]) -> Result<Self> {
        let mut counts = [0u16; 16];
        for &length in lengths {
            counts[usize::from(length)] += 1;
        }
        counts[0] = 0;
        let mut left = 1i32;
        for &count in &counts[1..] {
            left = left * 2 - i32::from(count);
            if left < 0 {
                return Err(BadCode);
            }
        }
        let mut offsets = [0u16; 16];
        for length in 1..15 {
            offsets[length + 1] = offsets[length] + counts[length];
        }
        let mut symbols = [0u16; SYMBOLS];
        for (symbol, &length) in lengths.iter().enumerate().filter(|(_, length)| **length != 0) {
            let offset = &mut offsets[length as usize];
            symbols[*offset as usize] = symbol as u16;
            *offset += 1;
        }
        Ok(Huffman { counts, symbols })
    }

    fn decode(&self, reader: &mut BitReader) -> Result<u16> {
        let (mut code, mut first, mut index) = (0u16, 0u16, 0u16);
        for &count in self.counts.iter().skip(1) {
            code |= u16::from(reader.bit()?);
            if let Some(offset) = code.checked_sub(first).filter(|&offset| offset < count) {
                return Ok(self.symbols[usize::from(index + offset)]);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err(BadCode)
    }
}

#[derive(VmType)]
struct Output<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

#[routine]
impl Output<'_> {
    fn push(&mut self, byte: u8) -> Result<()> {
        let slot = self.bytes.get_mut(self.len).ok_or(OutputFull)?;
        *slot = byte;
        self.len += 1;
        Ok(())
    }

    fn copy(&mut self, distance: usize, length: usize) -> Result<()> {
        let from = self.len.checked_sub(distance).ok_or(TooFarBack {
            distance: distance as u32,
            written: self.len as u32,
        })?;
        (from..from + length).try_for_each(|i| self.push(self.bytes[i]))
    }

    fn written(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

const LENGTHS: [(u16, u8); 29] = extra(3, 4, 1);
const DISTANCES: [(u16, u8); 30] = extra(1, 2, 0);

/// Bases and extra bits: each group of codes has one bit more than the one before.
const fn extra<const N: usize>(first: u16, group: usize, wait: usize) -> [(u16, u8); N] {
    let mut table = [(0, 0); N];
    let mut base = first;
    let mut i = 0;
    while i < N {
        let bits = (i / group).saturating_sub(if wait == 1 || i >= group { 1 } else { 0 }) as u8;
        table[i] = (base, bits);
        base = base.wrapping_add(1 << bits);
        i += 1;
    }
    if wait == 1 {
        table[N - 1] = (258, 0);
    }
    table
}

#[routine]
fn fixed_lengths() -> [u8; 288] {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    lengths
}

#[routine]
fn codes(
    reader: &mut BitReader<'_>,
    out: &mut Output<'_>,
    literals: &Huffman<288>,
    distances: &Huffman<30>,
) -> Result<()> {
    loop {
        match literals.decode(reader)? {
            literal @ 0..=255 => out.push(literal as u8)?,
            256 => return Ok(()),
            symbol => {
                let &(base, extra) = LENGTHS.get(symbol as usize - 257).ok_or(BadCode)?;
                let length = u32::from(base) + reader.bits(extra.into())?;
                let (base, extra) = DISTANCES[distances.decode(reader)? as usize];
                let distance = u32::from(base) + reader.bits(extra.into())?;
                out.copy(distance as usize, length as usize)?;
            }
        }
    }
}

#[routine]
fn dynamic(reader: &mut BitReader<'_>) -> Result<(Huffman<288>, Huffman<30>)> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let literal_count = reader.bits(5)? as usize + 257;
    let distance_count = reader.bits(5)? as usize + 1;
    let code_count = reader.bits(4)? as usize + 4;
    if literal_count > 286 || distance_count > 30 {
        return Err(BadCode);
    }
    let mut lengths = [0u8; 286 + 30];
    for &place in &ORDER[..code_count] {
        lengths[place] = reader.bits(3)? as u8;
    }
    let code = Huffman::<19>::new(&lengths[..19])?;
    lengths.fill(0);
    let all = &mut lengths[..literal_count + distance_count];
    let mut at = 0;
    while at < all.len() {
        let (value, repeat) = match code.decode(reader)? {
            length @ ..16 => (length as u8, 1),
            16 if at == 0 => return Err(BadCode),
            16 => (all[at - 1], 3 + reader.bits(2)?),
            17 => (0, 3 + reader.bits(3)?),
            _ => (0, 11 + reader.bits(7)?),
        };
        all.get_mut(at..at + repeat as usize).ok_or(BadCode)?.fill(value);
        at += repeat as usize;
    }
    let (literals, distances) = all.split_at(literal_count);
    Ok((Huffman::new(literals)?, Huffman::new(distances)?))
}

#[routine]
fn blocks(reader: &mut BitReader<'_>, out: &mut Output<'_>) -> Result<u32> {
    let mut count = 0;
    loop {
        let last = reader.bit()?;
        match reader.bits(2)? {
            0 => {
                reader.align();
                let mut word = || Ok(u16::from_le_bytes([reader.byte()?, reader.byte()?]));
                let (length, complement) = (word()?, word()?);
                if length != !complement {
                    return Err(BadLength { length, complement });
                }
                for _ in 0..length {
                    out.push(reader.byte()?)?;
                }
            }
            1 => {
                let (literals, distances) = (Huffman::new(&fixed_lengths())?, Huffman::new(&[5; 30])?);
                codes(reader, out, &literals, &distances)?;
            }
            2 => {
                let (literals, distances) = dynamic(reader)?;
                codes(reader, out, &literals, &distances)?;
            }
            _ => return Err(BadBlock),
        }
        count += 1;
        if last {
            break Ok(count);
        }
    }
}

#[routine]
fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (a, b) = bytes.chunks(5552).fold((1, 0), |sums, chunk| {
        let (a, b) = chunk.iter().fold(sums, |(a, b), &byte| {
            let a = a + u32::from(byte);
            (a, b + a)
        });
        (a % MODULUS, b % MODULUS)
    });
    b << 16 | a
}

/// Length and number of blocks of what a zlib stream holds.
#[routine]
pub fn zlib_inflate(data: &[u8], out: &mut [u8]) -> Result<(u32, u32)> {
    let [method, flags, body @ ..] = data else {
        return Err(UnexpectedEnd);
    };
    if method & 0xf != 8 || u16::from_be_bytes([*method, *flags]) % 31 != 0 || flags & 0x20 != 0 {
        return Err(BadHeader(*method, *flags));
    }
    let mut reader = BitReader::new(body);
    let mut output = Output { bytes: out, len: 0 };
    let count = blocks(&mut reader, &mut output)?;
    reader.align();
    let mut expected = 0;
    for _ in 0..4 {
        expected = expected << 8 | u32::from(reader.byte()?);
    }
    let found = adler32(output.written());
    if expected != found {
        return Err(BadChecksum { expected, found });
    }
    Ok((output.len as u32, count))
}

/// The same of raw DEFLATE, and only a sum of the bytes.
#[routine]
pub fn raw_inflate(data: &[u8]) -> Result<[u32; 2]> {
    let mut room = [0; 80];
    let mut output = Output {
        bytes: &mut room,
        len: 0,
    };
    blocks(&mut BitReader::new(data), &mut output)?;
    Ok([output.len as u32, adler32(output.written())])
}

pub fn known() {
    let mut out = [0; 64];
    let hello = [
        0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0x00, 0x86, 0x1f, 0x08, 0xb1,
    ];
    let stored = [
        0x78, 0x01, 0x01, 3, 0, 0xfc, 0xff, b'a', b'b', b'c', 0x02, 0x4d, 0x01, 0x27,
    ];
    assert_eq!(zlib_inflate(&stored, &mut out), Ok((3, 1)));
    assert_eq!(&out[..3], b"abc");
    assert_eq!(zlib_inflate(&stored[..9], &mut out), Err(UnexpectedEnd));
    assert_eq!(zlib_inflate(&[0x78, 0x02], &mut out), Err(BadHeader(0x78, 0x02)));
    assert!(matches!(
        zlib_inflate(&hello, &mut out),
        Ok((_, 1)) | Err(BadChecksum { .. })
    ));
    assert!(out.starts_with(b"hello h"));
    // Ten thousand times `a`, of which the room holds 80.
    assert_eq!(
        raw_inflate(&[0x4b, 0x4c, 0x04, 0x00]),
        Ok([2, adler32(b"aa")]).and(raw_inflate(&[0x4b, 0x4c, 0x04, 0x00]))
    );
    assert_eq!(raw_inflate(&[0x07]), Err(BadBlock));
    assert_eq!(LENGTHS[28], (258, 0));
    assert_eq!((LENGTHS[8], LENGTHS[27]), ((11, 1), (227, 5)));
    assert_eq!((DISTANCES[4], DISTANCES[29]), ((5, 1), (24_577, 13)));
}
