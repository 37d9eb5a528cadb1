//! A range coder with adaptive models: symbols in fractions of bits, and back.

use core::iter::FusedIterator;

use gpuvm::prelude::*;

/// What gives the coder frequencies.
#[routine]
pub trait Model {
    type Symbol: Copy + PartialEq;

    fn total(&self) -> u32;
    fn interval(&self, symbol: Self::Symbol) -> (u32, u32);
    fn find(&self, at: u32) -> Self::Symbol;
    fn update(&mut self, symbol: Self::Symbol);
}

/// Counts of `N` symbols, halved when they are many.
#[derive(VmType, Clone, Copy, Debug)]
struct Adaptive<const N: usize> {
    counts: [u16; N],
}

#[routine]
impl<const N: usize> Default for Adaptive<N> {
    fn default() -> Self {
        Self { counts: [1; N] }
    }
}

#[routine]
impl<const N: usize> Model for Adaptive<N> {
    type Symbol = u8;

    fn total(&self) -> u32 {
        self.counts.iter().copied().map(u32::from).sum()
    }

    fn interval(&self, symbol: u8) -> (u32, u32) {
        let (before, from) = self.counts.split_at(symbol.into());
        let low = before.iter().map(|&count| count as u32).sum::<u32>();
        (low, low + u32::from(from[0]))
    }

    fn find(&self, at: u32) -> u8 {
        let mut sum = 0;
        self.counts
            .iter()
            .position(|&count| {
                sum += u32::from(count);
                sum > at
            })
            .expect("`at` is less than the total") as u8
    }

    fn update(&mut self, symbol: u8) {
        self.counts[symbol as usize] += 24;
        if self.total() >= 1 << 12 {
            for count in &mut self.counts {
                *count = *count - *count / 2;
            }
        }
    }
}

#[derive(VmType)]
struct Encoder<'a> {
    low: u64,
    range: u32,
    out: &'a mut [u8],
    len: usize,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodingError {
    NoRoom { needed: u32 },
    NoSymbol(u8),
    Truncated,
}

#[routine]
impl<'a> Encoder<'a> {
    const TOP: u32 = 1 << 24;

    fn new(out: &'a mut [u8]) -> Self {
        Encoder {
            low: 0,
            range: u32::MAX,
            out,
            len: 0,
        }
    }

    fn put(&mut self, byte: u8) {
        if let Some(slot) = self.out.get_mut(self.len) {
            *slot = byte;
        }
        self.len += 1;
    }

    fn carry(&mut self) {
        let written = self.len.min(self.out.len());
        for byte in self.out[..written].iter_mut().rev() {
            let (sum, over) = byte.overflowing_add(1);
            *byte = sum;
            if !over {
                break;
            }
        }
    }

    fn encode<M: Model>(&mut self, model: &mut M, symbol: M::Symbol) {
        let (low, high) = model.interval(symbol);
        let part = self.range / model.total();
        self.low += u64::from(part) * u64::from(low);
        self.range = part * (high - low);
        if self.low >> 32 != 0 {
            self.low &= 0xffff_ffff;
            self.carry();
        }
        while self.range < Self::TOP {
            self.put((self.low >> 24) as u8);
            self.low = self.low << 8 & 0xffff_ffff;
            self.range <<= 8;
        }
        model.update(symbol);
    }

    fn finish(mut self) -> Result<usize, CodingError> {
        for shift in [24, 16, 8, 0] {
            self.put((self.low >> shift) as u8);
        }
        if self.len > self.out.len() {
            return Err(CodingError::NoRoom {
                needed: self.len as u32,
            });
        }
        Ok(self.len)
    }
}

/// Symbols of a code, as long as there are bytes for them.
#[derive(VmType)]
struct Decoder<'a, M> {
    bytes: &'a [u8],
    code: u32,
    range: u32,
    model: M,
}

#[routine]
impl<'a, M: Model> Decoder<'a, M> {
    fn new(bytes: &'a [u8], model: M) -> Result<Self, CodingError> {
        let (first, bytes) = bytes.split_first_chunk().ok_or(CodingError::Truncated)?;
        Ok(Self {
            bytes,
            code: u32::from_be_bytes(*first),
            range: u32::MAX,
            model,
        })
    }
}

#[routine]
impl<M: Model> Iterator for Decoder<'_, M> {
    type Item = M::Symbol;

    fn next(&mut self) -> Option<Self::Item> {
        let total = self.model.total();
        let part = self.range / total;
        let at = (self.code / part).min(total - 1);
        let symbol = self.model.find(at);
        let (low, high) = self.model.interval(symbol);
        self.code -= low * part;
        self.range = part * (high - low);
        while self.range < Encoder::TOP {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            self.code = self.code << 8 | u32::from(byte);
            self.range <<= 8;
        }
        self.model.update(symbol);
        Some(symbol)
    }
}

impl<M: Model> FusedIterator for Decoder<'_, M> {}

#[routine]
fn letter(byte: u8) -> Result<u8, CodingError> {
    match byte {
        b'a'..=b'z' => Ok(byte - b'a'),
        b' ' => Ok(26),
        b'.' => Ok(27),
        _ => Err(CodingError::NoSymbol(byte)),
    }
}

/// Codes a text of small letters, and says how many bytes that came to.
#[routine]
pub fn range_encode(text: &[u8], out: &mut [u8]) -> Result<u32, CodingError> {
    let mut model = Adaptive::<28>::default();
    let mut encoder = Encoder::new(out);
    for &byte in text {
        encoder.encode(&mut model, letter(byte)?);
    }
    encoder.encode(&mut model, 27);
    encoder.finish().map(|len| len as u32)
}

/// The text again, up to its full stop.
#[routine]
pub fn range_decode(code: &[u8], out: &mut [u8]) -> Result<u32, CodingError> {
    let decoder = Decoder::new(code, Adaptive::<28>::default())?;
    let letters = decoder.take_while(|&symbol| symbol != 27).map(|symbol| match symbol {
        26 => b' ',
        letter => b'a' + letter,
    });
    let mut len = 0;
    for (slot, letter) in out.iter_mut().zip(letters) {
        *slot = letter;
        len += 1;
    }
    Ok(len)
}

pub fn known() {
    let text = b"the cat and the rat and the bat sat on the mat";
    let mut code = [0; 48];
    let len = range_encode(text, &mut code).unwrap() as usize;
    assert!(len < 32, "{len}");
    let mut back = [0; 64];
    assert_eq!(range_decode(&code, &mut back), Ok(46));
    assert_eq!(&back[..46], text);
    assert_eq!(range_encode(b"no!", &mut code), Err(CodingError::NoSymbol(b'!')));
    assert!(matches!(
        range_encode(text, &mut code[..8]),
        Err(CodingError::NoRoom { needed: 9.. })
    ));
    assert_eq!(range_decode(&[1, 2], &mut back), Err(CodingError::Truncated));
}
