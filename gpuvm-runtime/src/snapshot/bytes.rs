//! Snapshots as bytes: a header with magic, version, length and checksum, then the fields one after the other, little-endian. Whatever is
//! not exactly that is an error.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::compile::Settings;
use gpuvm_core::isa::STATE_WORDS;
use gpuvm_core::matrix::Format;
use gpuvm_core::program::ProgramId;
use rayon::prelude::*;

use super::{Kind, Saved, Snapshot};
use crate::engine::{EXTRA_WORDS, Image};
use crate::error::{Error, Result};

const MAGIC: [u8; 8] = *b"gpuvmsnp";
/// Raised with every change of what follows the header, and of how an arena is laid out.
const VERSION: u32 = 1;
/// Magic, version, length, checksum.
pub(super) const HEADER: usize = 8 + 4 + 8 + 8;

impl Snapshot {
    /// The snapshot as bytes, about as many as its data has: 128 for each VM, and its columns.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.small.extend([0; HEADER]);
        out.text(&self.routine);
        out.small.extend(self.program.to_bytes());
        out.settings(&self.settings);
        out.word(self.vms);
        out.word(self.batch);
        out.word(self.steps);
        out.word(self.steps_done);
        out.word(self.retired.is_some().into());
        self.retired
            .unwrap_or_default()
            .iter()
            .for_each(|count| out.long(*count));
        out.long(self.elapsed.as_nanos().try_into().unwrap_or(u64::MAX));
        out.word(self.columns.len() as u32);
        for Saved { kind, words } in &self.columns {
            let (tag, of) = match kind {
                Kind::Column => (0, 0),
                Kind::Uniform => (1, 0),
                Kind::CopyOf(of) => (2, *of),
                Kind::Same(of) => (3, *of),
            };
            out.word(tag);
            out.word(of);
            out.words(words);
        }
        out.words(&self.results);
        out.words(&self.image.records);
        // Without calls and faults, extras are all 0.
        let zeros = |words: &[u32]| words.iter().all(|word| *word == 0);
        let plain =
            self.image.extras.len() == extras_of(&self.image.records) && self.image.extras.par_chunks(PIECE).all(zeros);
        out.word(plain.into());
        out.words(if plain { &[] } else { &self.image.extras });
        out.words(&self.image.frames);
        let mut bytes = out.finish();
        let (header, body) = bytes.split_at_mut(HEADER);
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(&checksum(body).to_le_bytes());
        bytes
    }

    /// The snapshot that [`to_bytes`](Snapshot::to_bytes) made the bytes of.
    ///
    /// # Errors
    ///
    /// [`Error::BadSnapshot`] if the bytes are anything else, however little.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot> {
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            return Err(bad("it is too short"));
        };
        let mut header = Reader(header);
        if header.take(8)? != MAGIC {
            return Err(bad("it does not begin as one"));
        }
        let version = header.word()?;
        if version != VERSION {
            return Err(Error::BadSnapshot {
                reason: format!("it has version {version}, and this is gpuvm for version {VERSION}"),
            });
        }
        if header.long()? != body.len() as u64 {
            return Err(bad("its end is missing, or something follows it"));
        }
        if header.long()? != checksum(body) {
            return Err(bad("it is damaged, its checksum differs"));
        }
        let mut body = Reader(body);
        let snapshot = Snapshot::read(&mut body)?;
        match body.0 {
            [] => Ok(snapshot),
            _ => Err(bad("something follows it")),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Snapshot> {
        Ok(Snapshot {
            routine: from.text()?,
            program: ProgramId::from_bytes(from.take(16)?.try_into().unwrap_or_default()),
            settings: from.settings()?,
            vms: from.word()?,
            batch: from.word()?,
            steps: from.word()?,
            steps_done: from.word()?,
            retired: {
                let known = from.flag()?;
                let counts = [from.long()?, from.long()?, from.long()?, from.long()?];
                known.then_some(counts)
            },
            elapsed: Duration::from_nanos(from.long()?),
            columns: {
                let count = from.word()?;
                let columns = (0..count).map(|_| {
                    let (tag, of) = (from.word()?, from.word()?);
                    let kind = match tag {
                        0 => Kind::Column,
                        1 => Kind::Uniform,
                        2 => Kind::CopyOf(of),
                        3 => Kind::Same(of),
                        _ => return Err(bad("it has a column of no known kind")),
                    };
                    let words = from.words()?;
                    Ok(Saved { kind, words })
                });
                columns.collect::<Result<_>>()?
            },
            results: from.words()?,
            image: Arc::new(from.image()?),
        })
    }
}

fn bad(reason: &str) -> Error {
    Error::BadSnapshot {
        reason: reason.to_string(),
    }
}

/// How many words of extras belong to so many records.
fn extras_of(records: &[u32]) -> usize {
    records.len() / STATE_WORDS * EXTRA_WORDS
}

/// Bytes to be: what is small as it is, and between it what is written in bulk.
#[derive(Default)]
struct Writer<'w> {
    small: Vec<u8>,
    /// Words, and after how many of the small bytes they come.
    bulk: Vec<(usize, &'w [u32])>,
}

impl<'w> Writer<'w> {
    fn word(&mut self, word: u32) {
        self.small.extend(word.to_le_bytes());
    }

    fn long(&mut self, long: u64) {
        self.small.extend(long.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u32);
        self.small.extend(text.as_bytes());
    }

    /// Words in bulk.
    fn words(&mut self, words: &'w [u32]) {
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

    fn settings(&mut self, settings: &Settings) {
        let Settings {
            fold,
            copies,
            dead_code,
            inline,
            loops,
            promote,
            raise,
            fuse,
            dense_threshold,
            force_format,
            recursion_limit,
        } = settings;
        let flags = [*fold, *copies, *dead_code, *loops, *promote, *raise, *fuse];
        let bit = |(i, flag): (usize, &bool)| u32::from(*flag) << i;
        self.word(flags.iter().enumerate().map(bit).sum());
        self.word(inline.is_some().into());
        self.word(inline.unwrap_or(0));
        self.word(dense_threshold.to_bits());
        self.word(match force_format {
            None => 0,
            Some(Format::Sparse) => 1,
            Some(Format::Dense) => 2,
        });
        self.word(*recursion_limit);
    }
}

/// Bytes that were not read yet.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| bad("its end is missing"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().unwrap_or_default()))
    }

    fn long(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().unwrap_or_default()))
    }

    fn flag(&mut self) -> Result<bool> {
        match self.word()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(bad("it has a flag that is neither set nor clear")),
        }
    }

    fn text(&mut self) -> Result<String> {
        let length = self.word()? as usize;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| bad("its text is no text"))?;
        Ok(text.to_string())
    }

    /// Words in bulk. Room is made only for what is there.
    fn words(&mut self) -> Result<Vec<u32>> {
        let count = usize::try_from(self.long()?)
            .ok()
            .and_then(|count| count.checked_mul(4));
        let bytes = self.take(count.ok_or_else(|| bad("its end is missing"))?)?;
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        Ok(bytes.par_chunks_exact(4).with_min_len(PIECE).map(word).collect())
    }

    fn image(&mut self) -> Result<Image> {
        let records = self.words()?;
        let plain = self.flag()?;
        let extras = self.words()?;
        Ok(Image {
            extras: match plain {
                true if !extras.is_empty() => return Err(bad("it has extras that it says are not there")),
                true => vec![0; extras_of(&records)],
                false => extras,
            },
            records,
            frames: self.words()?,
        })
    }

    fn settings(&mut self) -> Result<Settings> {
        let flags = self.word()?;
        if flags >> 7 != 0 {
            return Err(bad("it has settings that are not known here"));
        }
        let flag = |bit: u32| flags >> bit & 1 == 1;
        let inlines = self.flag()?;
        Ok(Settings {
            fold: flag(0),
            copies: flag(1),
            dead_code: flag(2),
            loops: flag(3),
            promote: flag(4),
            raise: flag(5),
            fuse: flag(6),
            inline: Some(self.word()?).filter(|_| inlines),
            dense_threshold: f32::from_bits(self.word()?),
            force_format: match self.word()? {
                0 => None,
                1 => Some(Format::Sparse),
                2 => Some(Format::Dense),
                _ => return Err(bad("it has settings that are not known here")),
            },
            recursion_limit: self.word()?,
        })
    }
}

/// Words, or bytes to be summed up, that one thread takes at a time.
const PIECE: usize = 1 << 20;

/// A checksum that runs at the memory's speed: pieces of a fixed size, each of four independent lanes. It finds damage, not malice.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
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

#[cfg(feature = "serde")]
impl serde::Serialize for Snapshot {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Snapshot {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Snapshot, D::Error> {
        struct Bytes;

        impl<'de> serde::de::Visitor<'de> for Bytes {
            type Value = Snapshot;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the bytes of a snapshot")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> std::result::Result<Snapshot, E> {
                Snapshot::from_bytes(bytes).map_err(E::custom)
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Snapshot, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    bytes.push(byte);
                }
                self.visit_bytes(&bytes)
            }
        }

        deserializer.deserialize_byte_buf(Bytes)
    }
}
