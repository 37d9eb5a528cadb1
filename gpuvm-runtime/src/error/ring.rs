//! What can go wrong between a message and its answer.

use std::time::Duration;

use super::life::Life;
use crate::counted::counted;

/// Why a ring kernel did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// The kernel's state forbids the call.
    #[error("`{call}` needs ring kernel `{kernel}` to be {needed}, and it is {found}")]
    State {
        /// What was called.
        call: &'static str,
        /// The kernel.
        kernel: String,
        /// The states in which it can be called.
        needed: String,
        /// The state that it is in.
        found: Life,
    },
    /// There is no such actor.
    #[error(
        "ring kernel `{kernel}` has {}, numbered from 0, and actor {actor} was named",
        counted(*.actors as usize, "actor")
    )]
    NoSuchActor {
        /// The kernel.
        kernel: String,
        /// How many it has.
        actors: u32,
        /// The number that was named.
        actor: u32,
    },
    /// A kernel has to have actors.
    #[error("ring kernel `{kernel}` cannot be launched with {what}")]
    Options {
        /// The kernel.
        kernel: String,
        /// The option that is not possible, and what would be.
        what: String,
    },
    /// Actors of the kernel do not understand messages of this type.
    #[error("actors of ring kernel `{kernel}` understand `{expected}`, and were sent `{found}`")]
    MessageType {
        /// The kernel.
        kernel: String,
        /// What they understand.
        expected: String,
        /// What was sent.
        found: String,
    },
    /// A `usize` or `isize` of the message has more than the 32 bits that it has in a VM.
    #[error(
        "a message to ring kernel `{kernel}` has a `usize` or `isize` that does not fit 32 bits, which is what these have in a VM; use `u64` or \
         `i64` for larger numbers"
    )]
    SizeTooLarge {
        /// The kernel.
        kernel: String,
    },
    /// Actors of the kernel do not answer with messages of this type.
    #[error("actors of ring kernel `{kernel}` answer with {expected}, and `{found}` was asked for")]
    AnswerType {
        /// The kernel.
        kernel: String,
        /// What they answer.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// Actors of the kernel have no states of this type.
    #[error("actors of ring kernel `{kernel}` have the state `{expected}`, and `{found}` was asked for")]
    StateType {
        /// The kernel.
        kernel: String,
        /// The type of their states.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// The bytes are no message.
    #[error("these bytes are no `{expected}`: {reason}")]
    Undecodable {
        /// What the actors understand.
        expected: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The actor has stopped: by itself, or because it trapped and was not to start again.
    #[error("actor {actor} of ring kernel `{kernel}` has stopped")]
    ActorStopped {
        /// The kernel.
        kernel: String,
        /// The actor.
        actor: u32,
    },
    /// The actor trapped at this message.
    #[error("actor {actor} of ring kernel `{kernel}` trapped at {file}:{line}: {message}")]
    Trapped {
        /// The kernel.
        kernel: String,
        /// The actor.
        actor: u32,
        /// The source file of the place, as `file!()` gives it.
        file: String,
        /// The line in that file.
        line: u32,
        /// What a native panic at that place says.
        message: String,
    },
    /// The handler returned without an answer.
    #[error("actor {actor} of ring kernel `{kernel}` gave no answer to this message")]
    NoAnswer {
        /// The kernel.
        kernel: String,
        /// The actor.
        actor: u32,
    },
    /// Actors of the kernel had as many messages under way as they may when this one was sent, and nobody could go on before it. See
    /// [`RingOptions::sent_capacity`](crate::ring::RingOptions::sent_capacity).
    #[error(
        "actors of ring kernel `{kernel}` had {} under way when this one was sent, which is as many as they may; `RingOptions::sent_capacity` \
         makes room for more",
        counted(*.sent_capacity, "message")
    )]
    Overflow {
        /// The kernel.
        kernel: String,
        /// How many messages they may have.
        sent_capacity: usize,
    },
    /// Actors have sent, replied or forwarded more for a message than the kernel's attribute says, so they trapped at it and the message became
    /// a dead letter; or they have sent each other more than there was room for, and that became dead letters.
    #[error("{first}{}; `dead_letter()` gives what was lost", and_more(*.times))]
    Exceeded {
        /// How often that has happened.
        times: u64,
        /// The first time: [`Trapped`](RingError::Trapped) or [`Overflow`](RingError::Overflow).
        first: Box<RingError>,
    },
    /// It did not happen in time.
    #[error(
        "{what} of ring kernel `{kernel}` took longer than {after:?}{}{}",
        resting(*.rests, *.queued),
        lost(*.stopped_actors, *.dead_letters)
    )]
    Timeout {
        /// What was waited for.
        what: &'static str,
        /// The kernel.
        kernel: String,
        /// How long.
        after: Duration,
        /// Actors that have stopped by then.
        stopped_actors: usize,
        /// Dead letters that nobody has taken by then.
        dead_letters: usize,
        /// The state in which the kernel's actors rest, if they do.
        rests: Option<Life>,
        /// Messages that wait.
        queued: usize,
    },
    /// Not all messages were taken.
    #[error("{} could be sent, and the next could not: {error}", counted(*.sent, "message"))]
    Interrupted {
        /// How many were.
        sent: usize,
        /// Why the next was not.
        error: Box<RingError>,
    },
    /// The kernels cannot be linked.
    #[error("ring kernel `{kernel}` cannot be linked to `{other}`: {what}")]
    Link {
        /// The kernel whose actors were to forward messages.
        kernel: String,
        /// The kernel that they were to go to.
        other: String,
        /// Why not, and what would fit.
        what: String,
    },
    /// An actor has forwarded a message, and there is no kernel that it goes to.
    #[error("ring kernel `{kernel}` is not linked to another one; call `link` before it is activated")]
    NotLinked {
        /// The kernel.
        kernel: String,
    },
    /// The kernel was terminated before the message was handled.
    #[error("ring kernel `{kernel}` was terminated before it handled the message")]
    Closed {
        /// The kernel.
        kernel: String,
    },
    /// The kernel has failed.
    #[error("ring kernel `{kernel}` has failed: {reason}")]
    Failed {
        /// The kernel.
        kernel: String,
        /// Why: what its device said, or the trap that was to fail it.
        reason: String,
    },
}

/// That actors which do not handle messages are the reason that somebody waited in vain.
fn resting(rests: Option<Life>, queued: usize) -> String {
    let Some(life) = rests else {
        return String::new();
    };
    let state = match life {
        Life::Launched => "it was never activated".to_string(),
        life => format!("it is {life}"),
    };
    let waiting = match queued {
        0 => String::new(),
        1 => ", and 1 message waits".to_string(),
        queued => format!(", and {queued} messages wait"),
    };
    format!("; {state}{waiting}: call `activate`")
}

/// That the same has happened more often than once.
fn and_more(times: u64) -> String {
    match times {
        0 | 1 => String::new(),
        times => format!(" (and the like {} more)", counted(times as usize - 1, "time")),
    }
}

/// What may be the reason that somebody waited in vain.
fn lost(stopped_actors: usize, dead_letters: usize) -> String {
    match (stopped_actors, dead_letters) {
        (0, 0) => String::new(),
        (actors, letters) => {
            format!(
                "; {actors} of its actors have stopped, and `dead_letter()` tells of {letters} messages why they were lost"
            )
        }
    }
}

/// A message that was not taken, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrySendError<M> {
    /// The queue is full.
    #[error("the queue is full")]
    Full(M),
    /// It will not be taken later either.
    #[error("{error}")]
    Refused {
        /// The message.
        message: M,
        /// Why.
        error: RingError,
    },
}

impl<M> TrySendError<M> {
    /// The message.
    pub fn into_message(self) -> M {
        match self {
            TrySendError::Full(message) | TrySendError::Refused { message, .. } => message,
        }
    }
}
