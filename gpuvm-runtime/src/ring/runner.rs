//! What runs actors: the border between the pump and engines.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gpuvm_engine::Words;

use super::batch::{Batch, Mail};
use super::context::Sent;
use super::device::{Depot, Parcel};
use super::letters::Letters;
use crate::error::Result;
use crate::logs::Logs;
use crate::trap::Trap;

/// The actors of a kernel, with their states.
pub trait Runner: Send {
    /// Lets actors handle their messages, at a time of the kernel's clock.
    ///
    /// # Errors
    ///
    /// When the device fails. A trap is no error.
    fn handle(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled>;

    /// How many batches it may have at a time.
    fn most_batches(&self) -> usize {
        1
    }

    /// Lets actors begin with a batch, at a time of the kernel's clock, before it is known what has become of those that were begun before it.
    /// Actors that are not done with these leave this one's messages alone, see [`Handled::held`]. False if nobody has begun; then the batch has
    /// to be [handled](Runner::handle) alone.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn begin(&mut self, _batch: &Batch, _now: u64) -> Result<bool> {
        Ok(false)
    }

    /// Whether actors have mostly ended with what is little when they have [begun](Runner::begin) with it.
    fn answers_at_once(&self) -> bool {
        false
    }

    /// Whether they have ended with the batch that was begun first, so that nobody has to wait for that.
    fn has_ended(&self) -> bool {
        false
    }

    /// What has become of the batch that was begun first.
    ///
    /// # Errors
    ///
    /// As [`Runner::handle`].
    fn end(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        self.handle(batch, turn)
    }

    /// Whether rounds are worth while that begin with so many messages.
    fn goes_round(&self, _messages: usize) -> bool {
        false
    }

    /// Lets actors handle messages, and what they send each other while they do, round after round, as far as nobody else has to know of
    /// it. All messages are to actors that there are and that have not stopped, as these have. `None` if that is not possible after all; then nobody
    /// has handled anything.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn rounds(&mut self, _sent: &Arc<Sent>, _stopped: &[u32], _turn: &Turn<'_>) -> Result<Option<Rounds>> {
        Ok(None)
    }

    /// Where kernels that are linked to this one bring what their actors forward to its actors, if that is possible without the host.
    fn depot(&self) -> Option<&Arc<Depot>> {
        None
    }

    /// Whether so many messages that actors forward in a round get to a depot without the host.
    fn delivers(&self, _depot: &Depot, _messages: usize) -> bool {
        false
    }

    /// Lets actors handle a parcel, as [`Runner::rounds`] that begin with it. No actor has stopped. If nobody has handled anything all of its
    /// messages are left.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn take_in(&mut self, parcel: Parcel, _turn: &Turn<'_>) -> Result<Rounds> {
        Rounds::without(parcel)
    }

    /// How many devices have failed whose actors others have taken.
    fn devices_lost(&self) -> u64 {
        0
    }

    /// The words of the states of neighbouring actors.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn states(&mut self, actors: Range<u32>) -> Result<Vec<u32>>;

    /// Gives all actors states, of which these are the words.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn restore(&mut self, states: &[u32]) -> Result<()>;

    /// Gives actors the state that they began with.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn reset(&mut self, actors: &[u32]) -> Result<()>;
}

/// What else there is to know for a batch.
pub struct Turn<'t> {
    /// The time of the kernel's clock.
    pub now: u64,
    /// Whether the kernel is to end at once. A runner asks every now and then in the middle of a batch, and gives
    /// [`RingError::Closed`](super::RingError::Closed), or back as [held](Handled::held) what nobody has begun with.
    pub is_over: &'t AtomicBool,
    /// Whether there is something else to do than rounds. Where the linked kernel is full this waits until it is not.
    pub is_wanted: &'t dyn Fn() -> bool,
    /// The kernel that this one's actors forward to in rounds, if it has a depot.
    pub linked: Option<Linked<'t>>,
}

/// A kernel that another one's actors forward to.
pub struct Linked<'t> {
    /// Where its columns come from.
    pub depot: Arc<Depot>,
    /// Gives it what was forwarded up to a time stamp.
    pub hand_over: &'t dyn Fn(Parcel, u64) -> Result<()>,
}

/// What became of a batch.
#[derive(Debug, Default)]
pub struct Handled {
    /// What the handler returned, message by message, [`Type::words`](gpuvm_core::types::Type::words) of it each. Of messages that were not handled it is
    /// anything.
    pub answers: Words,
    /// Actors that trapped.
    pub trapped: Vec<Trapped>,
    /// What is left of the mail of actors that are to stop.
    pub stopped: Vec<Mail>,
    /// Mail that actors have left alone, because of what had become of them in a batch before, or had not yet.
    pub held: Vec<Mail>,
    /// Whether actors were not done when the host first looked, so that they may have held up the batches that were begun meanwhile.
    pub is_late: bool,
    /// What actors have sent, in the order of their numbers.
    pub sent: Sent,
    /// What actors have replied, in the order of their numbers, with the places of the messages.
    pub replied: Sent,
    /// What actors have forwarded, in the order of their numbers, with the actors of the linked kernel.
    pub forwarded: Sent,
    /// What actors have printed.
    pub logs: Logs,
}

/// What has come of rounds.
#[derive(Debug, Default)]
pub struct Rounds {
    /// How many there were, each with a time stamp of its own.
    pub count: u64,
    /// Messages that were handled in them, without answers; the last one's do not count.
    pub handled: u64,
    /// What waits to be handled.
    pub left: Sent,
    /// The messages of the last round, and what became of them, if somebody has to know.
    pub last: Option<(Batch, Handled)>,
}

impl Rounds {
    /// Those that there were none of, so that the messages of a parcel are left.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn without(parcel: Parcel) -> Result<Rounds> {
        let Letters { to, words, .. } = parcel.open()?;
        let left = Sent { to, words };
        Ok(Rounds {
            left,
            ..Rounds::default()
        })
    }
}

/// An actor that trapped in a batch.
#[derive(Clone, Debug)]
pub struct Trapped {
    /// Its messages from the one at which it trapped on.
    pub rest: Mail,
    /// Where and why.
    pub trap: Trap,
}
