//! What happens after a batch: answers go to those who called, or wait to be received; messages that were lost become dead letters.

use std::ops::Range;
use std::sync::MutexGuard;
use std::time::Instant;

use event_listener::IntoNotification;

use super::batch::gathered;
use super::callers::Caller;
use super::context::Sent;
use super::letters::{DeadLetter, DeadReason, Letters};
use super::options::Answers;
use super::outcome::Outcome;
use super::shared::{Shared, State};
use crate::error::RingError;

/// Hands out what became of a batch, or fails the kernel with it, given where each message was in it. The actors go on with so many messages,
/// of which they have sent each other so many that come later. Whether nobody else has to know of anything.
pub(super) fn deliver(
    shared: &Shared,
    letters: &Letters,
    places: &[u32],
    mut outcome: Outcome,
    (going_on, taken): (usize, usize),
) -> bool {
    let sent = std::mem::take(&mut outcome.sent);
    let handed = HandOut {
        shared,
        letters,
        places,
        outcome: &outcome,
    };
    let (from, words) = match shared.answers {
        Answers::Keep => handed.uncalled(),
        Answers::Discard => (Vec::new(), Vec::new()),
    };
    for actor in &outcome.stopped {
        tracing::debug!(kernel = shared.entry.id, actor, "actor stopped");
    }
    let mut state = match outcome.failure {
        Some(_) => shared.lock_to_bury(),
        None => shared.lock(),
    };
    let callers = state.callers.take(letters.called.len());
    state.is_answering = !callers.is_empty();
    state.stopped.extend(&outcome.stopped);
    handed.bury(&mut state);
    handed.count(&mut state);
    state.counts.accepted += sent.to.len() as u64;
    let room = shared.bound.most.saturating_sub(state.letters.sent_len() + taken);
    shared.accept_sent(&mut state, sent, room);
    let received = from.len();
    state.outputs.push(from, words);
    let failure = outcome.failure.clone();
    let failed = failure.is_some();
    if let Some(reason) = failure {
        shared.fail_in(&mut state, reason);
    }
    shared.go_on(state, going_on, !outcome.stopped.is_empty());
    if failed {
        shared.notify_all();
    }
    if received > 0 {
        shared.answered.notify(received.additional());
    }
    if !callers.is_empty() {
        let undeliverable = handed.reply(callers);
        shared.end_answering(undeliverable);
    }
    received == 0 && outcome.lost.is_empty()
}

impl Shared {
    /// All callers have been told, but for those who were not there for these answers.
    fn end_answering(&self, undeliverable: Vec<DeadLetter>) {
        let mut state = self.lock();
        undeliverable
            .into_iter()
            .for_each(|letter| self.keep(&mut state, letter));
        state.is_answering = false;
        let is_settled = state.is_settled();
        drop(state);
        if is_settled {
            self.changed.notify(usize::MAX);
        }
    }
}

/// What is handed out, message by message.
struct HandOut<'h> {
    shared: &'h Shared,
    letters: &'h Letters,
    places: &'h [u32],
    outcome: &'h Outcome,
}

impl HandOut<'_> {
    /// The answers that nobody has called for: the actor of each, and the words of all.
    fn uncalled(&self) -> (Vec<u32>, Vec<u32>) {
        let Shared { entry, .. } = self.shared;
        if entry.answer.is_none() {
            return (Vec::new(), Vec::new());
        }
        let size = entry.answer_words();
        let is_plain = !entry.optional && self.outcome.replied.to.is_empty();
        if self.letters.called.is_empty() && self.outcome.lost.is_empty() && is_plain {
            let words = gathered(&self.outcome.answers, self.places, size);
            return (self.letters.to.clone(), words);
        }
        let most = self.places.len() + self.outcome.replied.to.len() - self.letters.called.len();
        let mut from = Vec::with_capacity(most);
        let mut words = Vec::with_capacity(most * size);
        let mut called = self.letters.called.iter().peekable();
        for (at, (&place, &actor)) in self.places.iter().zip(&self.letters.to).enumerate() {
            // Who has called gets the first.
            let taken = usize::from(called.next_if_eq(&&at).is_some());
            for answer in self.outcome.answers(self.shared, place).skip(taken) {
                from.push(actor);
                words.extend_from_slice(answer);
            }
        }
        (from, words)
    }

    /// Makes dead letters of messages that were lost.
    fn bury(&self, state: &mut MutexGuard<'_, State>) {
        if self.outcome.lost.is_empty() {
            return;
        }
        let kind = self.shared.entry.message;
        let size = kind.ty.words as usize;
        let lost = self.outcome.lost.iter().map(|(lost, _)| lost.len()).sum();
        let mut passed = self.shared.forgotten(lost, kind);
        for (at, (&place, &actor)) in self.places.iter().zip(&self.letters.to).enumerate() {
            if let Some(error) = self.outcome.lost_at(place) {
                if passed > 0 {
                    passed -= 1;
                    state.counts.dropped += 1;
                    continue;
                }
                let words = &self.letters.words[at * size..(at + 1) * size];
                self.shared.bury(state, actor, words, error);
            }
        }
    }

    fn count(&self, state: &mut MutexGuard<'_, State>) {
        let lost: u64 = self.outcome.lost.iter().map(|(lost, _)| lost.len() as u64).sum();
        state.counts.processed += self.places.len() as u64 - lost;
        let now = Instant::now();
        for &(messages, accepted) in &self.letters.accepted {
            state
                .counts
                .took(messages as u64, now.saturating_duration_since(accepted));
        }
    }

    /// Answers those who called. Gives the answers whose callers wait no more.
    fn reply(&self, callers: Vec<Caller>) -> Vec<DeadLetter> {
        let mut undeliverable = Vec::new();
        for (&at, caller) in self.letters.called.iter().zip(callers) {
            let (actor, place) = (self.letters.to[at], self.places[at]);
            match (
                self.outcome.answers(self.shared, place).next(),
                self.outcome.lost_at(place),
            ) {
                (Some(words), _) => {
                    let back = caller.answer(words).err();
                    undeliverable.extend(back.and_then(|words| self.undeliverable(actor, words)));
                }
                (None, Some(error)) => caller.refuse(error.clone()),
                (None, None) => caller.refuse(RingError::NoAnswer {
                    kernel: self.shared.name(),
                    actor,
                }),
            }
        }
        undeliverable
    }

    fn undeliverable(&self, actor: u32, words: Vec<u32>) -> Option<DeadLetter> {
        Some(DeadLetter {
            actor,
            kind: self.shared.entry.answer?,
            words,
            reason: DeadReason::Undeliverable,
        })
    }
}

impl Outcome {
    /// Why a message was lost, if it was.
    fn lost_at(&self, place: u32) -> Option<&RingError> {
        let after = self.lost.partition_point(|(lost, _)| lost.start <= place);
        let (Range { end, .. }, error) = self.lost.get(after.checked_sub(1)?)?;
        (place < *end).then_some(error)
    }

    /// The words of what was replied to a message, and of what was returned.
    fn answers(&self, shared: &Shared, place: u32) -> impl Iterator<Item = &[u32]> {
        let Sent { to, words } = &self.replied;
        let size = shared.entry.answer_words();
        let first = to.partition_point(|&other| other < place);
        let own = (first..to.len()).take_while(move |&at| to[at] == place);
        let replied = own.map(move |at| &words[at * size..(at + 1) * size]);
        replied.chain(self.answer(shared, place))
    }

    /// The words of what was returned for a message, if anything was.
    fn answer(&self, shared: &Shared, place: u32) -> Option<&[u32]> {
        if self.lost_at(place).is_some() {
            return None;
        }
        let entry = shared.entry;
        let size = entry.returned.words as usize;
        let words = &self.answers[place as usize * size..][..size];
        match (entry.answer, entry.optional) {
            (None, _) => None,
            (Some(_), false) => Some(words),
            (Some(_), true) => (words[0] == 1).then(|| &words[1..]),
        }
    }
}
