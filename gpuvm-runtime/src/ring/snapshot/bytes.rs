//! Snapshots of ring kernels as bytes, in the format that all snapshots have.

use gpuvm_core::program::ProgramId;
use gpuvm_engine::Engine;

use super::super::options::{Answers, Resident, Restart, RingOptions};
use super::{Identity, Kept, Messages, RingSnapshot};
use crate::error::Result;
#[cfg(feature = "serde")]
use crate::snapshot::format::deserialize;
use crate::snapshot::format::{Format, Reader, Writer, bad};

const FORMAT: Format = Format {
    magic: *b"gpuvmrng",
    version: 2,
};

impl RingSnapshot {
    /// The snapshot as bytes, about as many as its states and messages have.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.text(&self.kernel);
        self.identity.write(&mut out);
        write_options(&self.options, &mut out);
        self.kept.write(&mut out);
        FORMAT.seal(out)
    }

    /// The snapshot that [`to_bytes`](RingSnapshot::to_bytes) made the bytes of.
    ///
    /// # Errors
    ///
    /// [`Error::BadSnapshot`](crate::Error::BadSnapshot) if the bytes are anything else, however little.
    pub fn from_bytes(bytes: &[u8]) -> Result<RingSnapshot> {
        FORMAT.open(bytes, |from| {
            Ok(RingSnapshot {
                kernel: from.text()?,
                identity: Identity::read(from)?,
                options: read_options(from)?,
                kept: Kept::read(from)?,
            })
        })
    }
}

impl Identity {
    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(&self.program.to_bytes());
        out.settings(&self.settings);
        out.long(self.message);
        out.word(self.answer.is_some().into());
        out.long(self.answer.unwrap_or_default());
    }

    fn read(from: &mut Reader<'_>) -> Result<Identity> {
        Ok(Identity {
            program: ProgramId::from_bytes(from.take(16)?.try_into().unwrap_or_default()),
            settings: from.settings()?,
            message: from.long()?,
            answer: {
                let answers = from.flag()?;
                Some(from.long()?).filter(|_| answers)
            },
        })
    }
}

fn write_options(options: &RingOptions, out: &mut Writer<'_>) {
    let RingOptions {
        actors,
        queue_capacity,
        sent_capacity,
        engine: _,
        restart,
        answers,
        resident: _,
        profile: _,
    } = options;
    out.word(*actors);
    out.long(*queue_capacity as u64);
    out.long(*sent_capacity as u64);
    out.word(match restart {
        Restart::Stop => 0,
        Restart::Fresh => 1,
        Restart::FailKernel => 2,
    });
    out.word(match answers {
        Answers::Keep => 0,
        Answers::Discard => 1,
    });
}

fn read_options(from: &mut Reader<'_>) -> Result<RingOptions> {
    Ok(RingOptions {
        actors: from.word()?,
        queue_capacity: count(from.long()?)?,
        sent_capacity: count(from.long()?)?,
        engine: Engine::Auto,
        restart: match from.word()? {
            0 => Restart::Stop,
            1 => Restart::Fresh,
            2 => Restart::FailKernel,
            _ => return Err(bad("it has a restart policy that is not known here")),
        },
        answers: match from.word()? {
            0 => Answers::Keep,
            1 => Answers::Discard,
            _ => return Err(bad("what becomes of its answers is not known here")),
        },
        resident: Resident::Auto,
        profile: false,
    })
}

/// How many messages there are.
fn count(messages: u64) -> Result<usize> {
    usize::try_from(messages).map_err(|_| bad("its queue is larger than memory"))
}

impl Kept {
    fn write<'w>(&'w self, out: &mut Writer<'w>) {
        out.long(self.stamp);
        out.words(&self.states);
        out.words(&self.stopped);
        self.waiting.write(out);
        out.long(self.sent as u64);
        out.word(self.before_others.is_some().into());
        out.long(self.before_others.unwrap_or_default() as u64);
        self.unreceived.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<Kept> {
        Ok(Kept {
            stamp: from.long()?,
            states: from.words()?,
            stopped: from.words()?,
            waiting: Messages::read(from)?,
            sent: count(from.long()?)?,
            before_others: {
                let is_in_a_round = from.flag()?;
                Some(count(from.long()?)?).filter(|_| is_in_a_round)
            },
            unreceived: Messages::read(from)?,
        })
    }
}

impl Messages {
    fn write<'w>(&'w self, out: &mut Writer<'w>) {
        out.words(&self.actors);
        out.words(&self.words);
    }

    fn read(from: &mut Reader<'_>) -> Result<Messages> {
        Ok(Messages {
            actors: from.words()?,
            words: from.words()?,
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for RingSnapshot {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for RingSnapshot {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<RingSnapshot, D::Error> {
        deserialize(deserializer, RingSnapshot::from_bytes)
    }
}
