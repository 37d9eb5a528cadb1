//! Snapshots of executions as bytes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::isa::STATE_WORDS;
use gpuvm_core::program::ProgramId;
use gpuvm_engine::{EXTRA_WORDS, Image};
use rayon::prelude::*;

#[cfg(feature = "serde")]
use super::format::deserialize;
use super::format::{Format, PIECE, Reader, Writer, bad};
use super::{Kind, Saved, Snapshot};
use crate::error::{Error, Result};

const FORMAT: Format = Format {
    magic: *b"gpuvmsnp",
    // Raised with every change of how an arena is laid out, too.
    version: 1,
};

impl Snapshot {
    /// A snapshot from a file that [`write`](Snapshot::write) has left.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be read, and as [`Snapshot::from_bytes`].
    pub fn read(path: impl AsRef<Path>) -> Result<Snapshot> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Error::file(path, &error))?;
        Snapshot::from_bytes(&bytes)
    }

    /// Writes [the snapshot's bytes](Snapshot::to_bytes) to a file, in a folder that is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::File`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, bytes) = (path.as_ref(), self.to_bytes());
        let written = match path.parent() {
            Some(folder) => std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, bytes)),
            None => std::fs::write(path, bytes),
        };
        written.map_err(|error| Error::file(path, &error))
    }

    /// The snapshot as bytes, about as many as its data has: 128 for each VM, and its columns.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.text(&self.routine);
        out.bytes(&self.program.to_bytes());
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
        let plain = are_plain(&self.image.extras, &self.image.records);
        out.word(plain.into());
        out.words(if plain { &[] } else { &self.image.extras });
        out.words(&self.image.frames);
        FORMAT.seal(out)
    }

    /// The snapshot that [`to_bytes`](Snapshot::to_bytes) made the bytes of.
    ///
    /// # Errors
    ///
    /// [`Error::BadSnapshot`] if the bytes are anything else, however little.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot> {
        FORMAT.open(bytes, Snapshot::parsed)
    }

    fn parsed(from: &mut Reader<'_>) -> Result<Snapshot> {
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
                if !known && counts != [0; 4] {
                    return Err(bad("it has counts that it says are not known"));
                }
                known.then_some(counts)
            },
            elapsed: Duration::from_nanos(from.long()?),
            columns: {
                let count = from.word()?;
                let columns = (0..count).map(|_| {
                    let (tag, of) = (from.word()?, from.word()?);
                    let kind = match (tag, of) {
                        (0, 0) => Kind::Column,
                        (1, 0) => Kind::Uniform,
                        (2, of) => Kind::CopyOf(of),
                        (3, of) => Kind::Same(of),
                        _ => return Err(bad("it has a column of no known kind")),
                    };
                    let words = from.words()?;
                    Ok(Saved { kind, words })
                });
                columns.collect::<Result<_>>()?
            },
            results: from.words()?,
            image: Arc::new(image(from)?),
        })
    }
}

fn image(from: &mut Reader<'_>) -> Result<Image> {
    let records = from.words()?;
    let plain = from.flag()?;
    let extras = from.words()?;
    Ok(Image {
        extras: match plain {
            true if !extras.is_empty() => return Err(bad("it has extras that it says are not there")),
            true => vec![0; extras_of(&records)],
            false if are_plain(&extras, &records) => return Err(bad("it has extras that say nothing")),
            false => extras,
        },
        records,
        frames: from.words()?,
    })
}

/// Whether extras are all 0, as they are without calls and faults.
fn are_plain(extras: &[u32], records: &[u32]) -> bool {
    let zeros = |words: &[u32]| words.iter().all(|word| *word == 0);
    extras.len() == extras_of(records) && extras.par_chunks(PIECE).all(zeros)
}

/// How many words of extras belong to so many records.
fn extras_of(records: &[u32]) -> usize {
    records.len() / STATE_WORDS * EXTRA_WORDS
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
        deserialize(deserializer, Snapshot::from_bytes)
    }
}
