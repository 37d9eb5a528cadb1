//! LZ77 with a hash chain: literals and copies in tokens of three bytes, lazy matching, and back.

use core::fmt;
use core::iter::FusedIterator;

use gpuvm::prelude::*;

const WINDOW: usize = 128;
const LEAST: usize = 3;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Literal(u8),
    Copy { distance: u8, length: u8 },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LzError {
    Full { needed: u32 },
    Distance { at: u32, distance: u8 },
    Truncated,
}

#[routine]
impl fmt::Display for LzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LzError::Full { needed } => write!(f, "{needed} bytes are needed"),
            LzError::Distance { at, distance } => write!(f, "{distance} back from {at} is nothing"),
            LzError::Truncated => f.write_str("it ends too early"),
        }
    }
}

#[derive(VmType, Debug)]
struct Tokens<'a> {
    data: &'a [u8],
    at: usize,
    heads: [u16; 64],
    chain: [u16; WINDOW],
}

#[routine]
impl<'a> Tokens<'a> {
    fn new(data: &'a [u8]) -> Self {
        Tokens {
            data,
            at: 0,
            heads: [u16::MAX; 64],
            chain: [u16::MAX; WINDOW],
        }
    }

    fn hash(&self, at: usize) -> Option<usize> {
        let &[a, b, c] = self.data.get(at..)?.first_chunk::<LEAST>()?;
        let word = u32::from_le_bytes([a, b, c, 0]);
        Some((word.wrapping_mul(0x9e37_79b1) >> 26) as usize)
    }

    fn insert(&mut self, at: usize) {
        if let Some(hash) = self.hash(at) {
            self.chain[at % WINDOW] = core::mem::replace(&mut self.heads[hash], at as u16);
        }
    }

    fn longest(&self, at: usize) -> Option<(usize, usize)> {
        let mut candidate = usize::from(self.heads[self.hash(at)?]);
        let mut best = None;
        for _ in 0..8 {
            if candidate == usize::from(u16::MAX) || candidate + WINDOW <= at || candidate >= at {
                break;
            }
            let length = self.data[candidate..]
                .iter()
                .zip(&self.data[at..])
                .take(255)
                .take_while(|(a, b)| a == b)
                .count();
            if length >= LEAST && best.is_none_or(|(_, found)| length > found) {
                best = Some((at - candidate, length));
            }
            candidate = usize::from(self.chain[candidate % WINDOW]);
        }
        best
    }
}

#[routine]
impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let byte = *self.data.get(self.at)?;
        let here = self.longest(self.at);
        let start = self.at;
        self.insert(start);
        let next = self.longest(start + 1).map_or(0, |(_, length)| length);
        Some(match here {
            Some((distance, length)) if length >= next => {
                for at in start + 1..start + length {
                    self.insert(at);
                }
                self.at += length;
                Token::Copy {
                    distance: distance as u8,
                    length: length as u8,
                }
            }
            _ => {
                self.at += 1;
                Token::Literal(byte)
            }
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.data.len() - self.at;
        (left.div_ceil(255), Some(left))
    }
}

impl FusedIterator for Tokens<'_> {}

#[routine]
fn expand(tokens: impl IntoIterator<Item = Result<Token, LzError>>, out: &mut [u8]) -> Result<usize, LzError> {
    let mut used = 0;
    for token in tokens {
        match token? {
            Token::Literal(byte) => {
                *out.get_mut(used).ok_or(LzError::Full {
                    needed: used as u32 + 1,
                })? = byte;
                used += 1;
            }
            Token::Copy { distance, length } => {
                let (distance, length) = (usize::from(distance), usize::from(length));
                if distance == 0 || distance > used {
                    return Err(LzError::Distance {
                        at: used as u32,
                        distance: distance as u8,
                    });
                }
                if used + length > out.len() {
                    return Err(LzError::Full {
                        needed: (used + length) as u32,
                    });
                }
                for _ in 0..length {
                    out[used] = out[used - distance];
                    used += 1;
                }
            }
        }
    }
    Ok(used)
}

/// Packs bytes; how many came of it, and how many tokens.
#[routine]
pub fn lz77_pack(data: &[u8], out: &mut [u8]) -> Result<[u32; 2], LzError> {
    let (mut used, mut count) = (0, 0);
    for token in Tokens::new(data) {
        let bytes: &[u8] = match &token {
            Token::Literal(byte) => &[0, *byte],
            Token::Copy { distance, length } => &[*length, *distance],
        };
        let place = out.get_mut(used..used + 2).ok_or(LzError::Full {
            needed: used as u32 + 2,
        })?;
        place.copy_from_slice(bytes);
        used += bytes.len();
        count += 1;
    }
    Ok([used as u32, count])
}

#[routine]
fn token(pair: &[u8]) -> Result<Token, LzError> {
    match *pair {
        [0, byte] => Ok(Token::Literal(byte)),
        [length, distance] => Ok(Token::Copy { distance, length }),
        _ => Err(LzError::Truncated),
    }
}

#[routine]
pub fn lz77_unpack(packed: &[u8], out: &mut [u8]) -> Result<u32, LzError> {
    expand(packed.chunks(2).map(token), out).map(|used| used as u32)
}

/// What there and back again makes of bytes: the same, by how many tokens.
#[routine]
pub fn lz77_round_trip(data: &[u8]) -> Option<(bool, u32)> {
    let mut out = [0; 96];
    let data = &data[..data.len().min(96)];
    let used = expand(Tokens::new(data).map(Ok), &mut out).ok()?;
    Some((&out[..used] == data, Tokens::new(data).count() as u32))
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn packs() {
        let mut packed = [0; 64];
        let text = b"abcabcabcabcd";
        assert_eq!(lz77_pack(text, &mut packed), Ok([10, 5]));
        assert_eq!(packed[..10], [0, b'a', 0, b'b', 0, b'c', 9, 3, 0, b'd']);
        let mut out = [0; 16];
        assert_eq!(lz77_unpack(&packed[..10], &mut out), Ok(13));
        assert_eq!(&out[..13], text);
        assert_eq!(lz77_round_trip(b"xyxyxyxyxyxy"), Some((true, 3)));
    }

    #[test]
    fn mistakes() {
        let mut out = [0; 4];
        assert_eq!(
            lz77_unpack(&[0, 1, 5, 9], &mut out),
            Err(LzError::Distance { at: 1, distance: 9 })
        );
        assert_eq!(lz77_unpack(&[0, 1, 9, 1], &mut out), Err(LzError::Full { needed: 10 }));
        assert_eq!(lz77_unpack(&[0], &mut out), Err(LzError::Truncated));
    }
}
