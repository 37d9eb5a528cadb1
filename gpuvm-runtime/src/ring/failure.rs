//! Messages that nobody handles, and kernels that fail.

use gpuvm_core::routine::Level;

use super::context::Sent;
use super::dead::Dead;
use super::handler::Kind;
use super::letters::{DeadLetter, DeadReason, Letters};
use super::queue::Piece;
use super::shared::{Shared, State};
use crate::error::{Life, RingError};
use crate::recorder;

impl Shared {
    /// Makes dead letters of everything that waits.
    pub fn bury_all(&self, state: &mut State, error: &RingError) {
        let mut called = 0;
        // There may be millions, of which the first would not be kept.
        let mut passed = self.forgotten(state.letters.len(), self.entry.message);
        while let Some(piece) = state.letters.take_piece() {
            match piece {
                Piece::Letters(Letters {
                    to, words, called: own, ..
                }) => {
                    let first = passed.min(to.len());
                    passed -= first;
                    state.counts.dropped += first as u64;
                    let size = self.entry.message.ty.words as usize;
                    self.bury_each(state, self.entry.message, (&to[first..], &words[first * size..]), error);
                    called += own.len();
                }
                // Its messages are where nobody can read them.
                Piece::Parcel(parcel) => {
                    passed = passed.saturating_sub(parcel.len());
                    state.counts.dropped += parcel.len() as u64;
                }
            }
        }
        state.callers.refuse_last(called, error);
    }

    /// Makes dead letters of messages of a type, given the actor of each and the words of all.
    pub fn bury_each(&self, state: &mut State, kind: Kind, (to, words): (&[u32], &[u32]), error: &RingError) {
        let size = kind.ty.words as usize;
        let first = self.forgotten(to.len(), kind);
        state.counts.dropped += first as u64;
        for (at, &actor) in to.iter().enumerate().skip(first) {
            let letter = DeadLetter {
                actor,
                kind,
                words: words[at * size..(at + 1) * size].to_vec(),
                reason: DeadReason::NotHandled(error.clone()),
            };
            self.keep(state, letter);
        }
    }

    /// Makes dead letters of what actors have sent and there is no room for.
    pub fn overflow(&self, state: &mut State, kind: Kind, lost: (&[u32], &[u32]), error: RingError) {
        if state.exceeded.note(&error, lost.0.len()) {
            tracing::warn!(kernel = self.entry.id, %error, "messages of actors lost");
            recorder::say(Level::Warn, self.entry.id, &error);
        }
        self.bury_each(state, kind, lost, &error);
    }

    /// Makes a dead letter of a message.
    pub fn bury(&self, state: &mut State, actor: u32, words: &[u32], error: &RingError) {
        self.bury_each(state, self.entry.message, (&[actor], words), error);
    }

    /// Keeps a dead letter.
    pub fn keep(&self, state: &mut State, letter: DeadLetter) {
        tracing::debug!(kernel = self.entry.id, actor = letter.actor, %letter, "dead letter");
        state.counts.dropped += 1;
        state.dead.push(letter, self.config.dead_letters);
    }

    /// How many of so many dead letters of a type are forgotten before the last comes, so that they need not be made.
    pub fn forgotten(&self, letters: usize, kind: Kind) -> usize {
        Dead::forgotten(letters, kind.ty.words as usize, self.config.dead_letters)
    }

    /// The kernel has failed: nothing that waits is handled any more.
    pub fn fail(&self, reason: String) {
        self.fail_in(&mut self.lock_to_bury(), reason);
        self.notify_all();
    }

    /// The same where the pump has given the runner a parcel of so many messages, of which nobody knows any more than that.
    pub fn fail_with_parcel(&self, messages: usize, reason: String) {
        self.lock().counts.dropped += messages as u64;
        self.fail(reason);
    }

    /// The same where the pump has these messages, of which so many were accepted before. How far the actors came with them nobody knows.
    pub fn fail_with(&self, sent: Sent, from_others: usize, reason: String) {
        let mut state = self.lock_to_bury();
        state.counts.accepted += (sent.to.len() - from_others) as u64;
        // Then they are among those that wait when the kernel fails.
        state.letters.put_back(Letters {
            to: sent.to,
            words: sent.words,
            ..Letters::default()
        });
        self.fail_in(&mut state, reason);
        drop(state);
        self.notify_all();
    }

    /// The same for one who has the lock, and tells everybody afterwards.
    pub fn fail_in(&self, state: &mut State, reason: String) {
        tracing::error!(kernel = self.entry.id, reason, "ring kernel failed");
        recorder::say(Level::Error, self.entry.id, format_args!("failed: {reason}"));
        let error = RingError::Failed {
            kernel: self.name(),
            reason: reason.clone(),
        };
        state.life = Life::Failed;
        state.reason = Some(reason);
        state.in_flight = 0;
        state.questions.clear();
        self.bury_all(state, &error);
        state.callers.refuse_last(usize::MAX, &error);
    }
}
