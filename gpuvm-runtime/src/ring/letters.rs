//! Messages on their way to actors, and dead letters.

use std::time::Instant;

use gpuvm_core::types::{RingMessage, TypeRef, format_words};

use super::handler::Kind;
use super::snapshot::Messages;
use crate::error::RingError;

/// Messages in the order in which they were accepted.
#[derive(Default)]
pub(super) struct Letters {
    /// The actor of each.
    pub to: Vec<u32>,
    /// The words of each, one after the other.
    pub words: Vec<u32>,
    /// When they were accepted: so many at a time.
    pub accepted: Vec<(usize, Instant)>,
    /// The places of those whose answers somebody waits for; [`Callers`](super::callers::Callers) has who, in the same order.
    pub called: Vec<usize>,
}

impl Letters {
    pub fn len(&self) -> usize {
        self.to.len()
    }

    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// Adds the messages, of so many words, that nobody waits for the answers of.
    pub fn add_sent(&self, sent: &mut Messages, size: usize) {
        let mut called = self.called.iter().peekable();
        for (at, &actor) in self.to.iter().enumerate() {
            if called.next_if_eq(&&at).is_none() {
                sent.push(actor, &self.words[at * size..(at + 1) * size]);
            }
        }
    }

    /// Takes the first messages, which are so many words each.
    pub fn split(&mut self, first: usize, size: usize) -> Letters {
        let called = self.called.partition_point(|&at| at < first);
        let mut split = Letters {
            to: self.to.drain(..first).collect(),
            words: self.words.drain(..first * size).collect(),
            accepted: Vec::new(),
            called: self.called.drain(..called).collect(),
        };
        self.called.iter_mut().for_each(|at| *at -= first);
        let mut left = first;
        while left > 0
            && let Some((messages, when)) = self.accepted.first_mut()
        {
            let own = left.min(*messages);
            split.accepted.push((own, *when));
            left -= own;
            *messages -= own;
            if *messages == 0 {
                self.accepted.remove(0);
            }
        }
        split
    }

    /// Forgets all messages.
    pub fn clear(&mut self) {
        self.to.clear();
        self.words.clear();
        self.accepted.clear();
        self.called.clear();
    }

    /// Adds later messages.
    pub fn append(&mut self, later: Letters) {
        let before = self.len();
        if before == 0 {
            *self = later;
            return;
        }
        self.to.extend(later.to);
        self.words.extend(later.words);
        self.accepted.extend(later.accepted);
        self.called.extend(later.called.into_iter().map(|at| at + before));
    }
}

/// A message that no actor has handled to its end, or an answer that found nobody.
#[derive(Clone, Debug)]
pub struct DeadLetter {
    pub(super) actor: u32,
    pub(super) kind: Kind,
    pub(super) words: Vec<u32>,
    pub(super) reason: DeadReason,
}

/// Why a letter is dead.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DeadReason {
    /// The actor trapped at it, or had stopped, or the kernel was terminated or has failed before it was handled; or an actor sent it when there
    /// was no room ([`RingError::Overflow`]), or to an actor that does not exist.
    NotHandled(RingError),
    /// It is an answer, and who called for it waits no more.
    Undeliverable,
}

impl DeadLetter {
    /// The actor that it was for, or that it is from.
    pub fn actor(&self) -> u32 {
        self.actor
    }

    /// Why it is dead.
    pub fn reason(&self) -> &DeadReason {
        &self.reason
    }

    /// The message, if it is of this type.
    pub fn message<M: RingMessage>(&self) -> Option<M> {
        (self.kind.id == M::ID).then(|| M::read_words(&self.words))
    }
}

impl std::fmt::Display for DeadLetter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message = format_words(TypeRef::value(self.kind.ty), &self.words);
        match &self.reason {
            DeadReason::NotHandled(error) => write!(f, "{message} to actor {}: {error}", self.actor),
            DeadReason::Undeliverable => write!(f, "answer {message} of actor {}: nobody waits for it", self.actor),
        }
    }
}
