//! What can go wrong between a message and its answer.

use std::time::Duration;

use super::life::Life;

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
    #[error("ring kernel `{kernel}` has {actors} actors, numbered from 0, and actor {actor} was named")]
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
    /// It did not happen in time.
    #[error("{what} of ring kernel `{kernel}` took longer than {after:?}{}", lost(*.stopped_actors, *.dead_letters))]
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
    },
    /// Not all messages were taken.
    #[error("{sent} messages were taken, and the next was not: {error}")]
    Interrupted {
        /// How many were.
        sent: usize,
        /// Why the next was not.
        error: Box<RingError>,
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
