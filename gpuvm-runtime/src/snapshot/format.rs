//! What saved things have in common as bytes: a header with magic, version, length and checksum, then fields one after the other,
//! little-endian. Whatever is not exactly that is an error.

use gpuvm_core::matrix::Format as MatrixFormat;
use gpuvm_core::settings::Settings;
use rayon::prelude::*;

use crate::error::{Error, Result};

/// What begins the bytes of one kind of saved things.
pub(crate) struct Format {
    pub magic: [u8; 8],
    /// Raised with every change of what follows the header.
    pub version: u32,
}

/// Magic, version, length, checksum.
pub(crate) const HEADER: usize = 8 + 4 + 8 + 8;

impl Format {
    /// The header and what was written.
    pub fn seal(&self, body: Writer<'_>) -> Vec<u8> {
        let mut bytes = body.finish();
        let (header, body) = bytes.split_at_mut(HEADER);
        header[..8].copy_from_slice(&self.magic);
        header[8..12].copy_from_slice(&self.version.to_le_bytes());
        header[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(&checksum(body).to_le_bytes());
        bytes
    }

    /// Reads what follows the header, to its end.
    pub fn open<T>(&self, bytes: &[u8], read: impl FnOnce(&mut Reader<'_>) -> Result<T>) -> Result<T> {
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            return Err(bad("it is too short"));
        };
        let mut header = Reader(header);
        if header.take(8)? != self.magic {
            return Err(bad("it does not begin as one"));
        }
        let version = header.word()?;
        if version != self.version {
            return Err(Error::BadSnapshot {
                reason: format!(
                    "it has version {version}, and this is gpuvm for version {}",
                    self.version
                ),
            });
        }
        if header.long()? != body.len() as u64 {
            return Err(bad("its end is missing, or something follows it"));
        }
        if header.long()? != checksum(body) {
            return Err(bad("it is damaged, its checksum differs"));
        }
        let mut body = Reader(body);
        let all = read(&mut body)?;
        match body.0 {
            [] => Ok(all),
            _ => Err(bad("something follows it")),
        }
    }
}

pub(crate) fn bad(reason: &str) -> Error {
    Error::BadSnapshot {
        reason: reason.to_string(),
    }
}

/// Bytes to be: what is small as it is, and between it what is written in bulk.
pub(crate) struct Writer<'w> {
    small: Vec<u8>,
    /// Words, and after how many of the small bytes they come.
    bulk: Vec<(usize, &'w [u32])>,
}

impl<'w> Writer<'w> {
    /// What follows a header, for which there is room.
    pub fn new() -> Writer<'w> {
        Writer {
            small: vec![0; HEADER],
            bulk: Vec::new(),
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.small.extend(bytes);
    }

    pub fn word(&mut self, word: u32) {
        self.small.extend(word.to_le_bytes());
    }

    pub fn long(&mut self, long: u64) {
        self.small.extend(long.to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.word(text.len() as u32);
        self.small.extend(text.as_bytes());
    }

    /// Words in bulk.
    pub fn words(&mut self, words: &'w [u32]) {
        self.long(words.len() as u64);
        self.bulk.push((self.small.len(), words));
    }

    /// All of it. The threads that write the words are also the first to touch their pages, which takes as long.
    fn finish(self) -> Vec<u8> {
        let words: usize = self.bulk.iter().map(|(_, words)| words.len()).sum();
        let mut bytes = vec![0; self.small.len() + 4 * words];
        let (mut rest, mut done) = (bytes.as_mut_slice(), 0);
        for (before, words) in self.bulk {
            let (small, after) = rest.split_at_mut(before - done);
            small.copy_from_slice(&self.small[done..before]);
            let (bulk, after) = after.split_at_mut(4 * words.len());
            let pieces = bulk.par_chunks_mut(4 * PIECE).zip(words.par_chunks(PIECE));
            pieces.for_each(|(bytes, words)| {
                for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
            });
            (rest, done) = (after, before);
        }
        rest.copy_from_slice(&self.small[done..]);
        bytes
    }

    pub fn settings(&mut self, settings: &Settings) {
        let Settings {
            fold,
            copies,
            dead_code,
            threading,
            inline,
            loops,
            promote,
            raise,
            fuse,
            dense_threshold,
            force_format,
            recursion_limit,
        } = settings;
        let flags = [*fold, *copies, *dead_code, *loops, *promote, *raise, *fuse, *threading];
        let bit = |(i, flag): (usize, &bool)| u32::from(*flag) << i;
        self.word(flags.iter().enumerate().map(bit).sum());
        self.word(inline.is_some().into());
        self.word(inline.unwrap_or(0));
        self.word(dense_threshold.to_bits());
        self.word(match force_format {
            None => 0,
            Some(MatrixFormat::Sparse) => 1,
            Some(MatrixFormat::Dense) => 2,
        });
        self.word(*recursion_limit);
    }
}

/// Bytes that were not read yet.
pub(crate) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| bad("its end is missing"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn word(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().unwrap_or_default()))
    }

    pub fn long(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().unwrap_or_default()))
    }

    pub fn flag(&mut self) -> Result<bool> {
        match self.word()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(bad("it has a flag that is neither set nor clear")),
        }
    }

    pub fn text(&mut self) -> Result<String> {
        let length = self.word()? as usize;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| bad("its text is no text"))?;
        Ok(text.to_string())
    }

    /// Words in bulk. Room is made only for what is there.
    pub fn words(&mut self) -> Result<Vec<u32>> {
        let count = usize::try_from(self.long()?)
            .ok()
            .and_then(|count| count.checked_mul(4));
        let bytes = self.take(count.ok_or_else(|| bad("its end is missing"))?)?;
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        Ok(bytes.par_chunks_exact(4).with_min_len(PIECE).map(word).collect())
    }

    pub fn settings(&mut self) -> Result<Settings> {
        let flags = self.word()?;
        if flags >> 8 != 0 {
            return Err(bad("it has settings that are not known here"));
        }
        let flag = |bit: u32| flags >> bit & 1 == 1;
        let (inlines, most) = (self.flag()?, self.word()?);
        if !inlines && most != 0 {
            return Err(bad("it has a setting that it says is not there"));
        }
        Ok(Settings {
            fold: flag(0),
            copies: flag(1),
            dead_code: flag(2),
            loops: flag(3),
            promote: flag(4),
            raise: flag(5),
            fuse: flag(6),
            threading: flag(7),
            inline: inlines.then_some(most),
            dense_threshold: f32::from_bits(self.word()?),
            force_format: match self.word()? {
                0 => None,
                1 => Some(MatrixFormat::Sparse),
                2 => Some(MatrixFormat::Dense),
                _ => return Err(bad("it has settings that are not known here")),
            },
            recursion_limit: self.word()?,
        })
    }
}

/// Words, or bytes to be summed up, that one thread takes at a time.
pub(crate) const PIECE: usize = 1 << 20;

/// A checksum that runs at the memory's speed: pieces of a fixed size, each of four independent lanes. It finds damage, not malice.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let pieces: Vec<u64> = bytes.par_chunks(PIECE).map(checksum_of_piece).collect();
    pieces.into_iter().fold(bytes.len() as u64, mix)
}

fn mix(lane: u64, word: u64) -> u64 {
    const PRIME: u64 = 0x9e37_79b1_85eb_ca87;
    (lane ^ word).wrapping_mul(PRIME).rotate_left(29)
}

fn checksum_of_piece(bytes: &[u8]) -> u64 {
    let mut lanes = [1, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    for byte in rest {
        lanes[0] = mix(lanes[0], u64::from(*byte));
    }
    lanes.into_iter().fold(bytes.len() as u64, mix)
}

/// Reads bytes as something that was saved.
#[cfg(feature = "serde")]
pub(crate) fn deserialize<'de, T, D: serde::Deserializer<'de>>(
    deserializer: D,
    from_bytes: fn(&[u8]) -> Result<T>,
) -> Result<T, D::Error> {
    struct Bytes<T>(fn(&[u8]) -> Result<T>);

    impl<'de, T> serde::de::Visitor<'de> for Bytes<T> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the bytes of a snapshot")
        }

        fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
            (self.0)(bytes).map_err(E::custom)
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = seq.next_element()? {
                bytes.push(byte);
            }
            self.visit_bytes(&bytes)
        }
    }

    deserializer.deserialize_byte_buf(Bytes(from_bytes))
}
