//! What becomes of a batch: who traps and what is done about it, what is lost and why, and what comes of the rest.

use std::ops::Range;
use std::sync::atomic::Ordering;

use gpuvm_core::routine::Level;
use gpuvm_engine::Words;

use super::batch::{Batch, Mail};
use super::context::{Sent, is_exceeded};
use super::options::Restart;
use super::runner::{Handled, Runner, Trapped, Turn};
use super::shared::Shared;
use crate::error::{Error, Result, RingError};
use crate::recorder;

/// What became of a batch.
#[derive(Default)]
pub(super) struct Outcome {
    /// What the handler returned for each message, by its place in the batch.
    pub answers: Words,
    /// Messages that were not handled to their end, by their places in the batch, and why; ascending.
    pub lost: Vec<(Range<u32>, RingError)>,
    /// Actors that have stopped.
    pub stopped: Vec<u32>,
    /// What actors have sent.
    pub sent: Sent,
    /// What actors have replied, by the messages' places in the batch.
    pub replied: Sent,
    /// What actors have forwarded to those of the linked kernel.
    pub forwarded: Sent,
    /// Whether batches that were begun since may have been held up.
    pub is_late: bool,
    /// Why the kernel fails, if it does.
    pub failure: Option<String>,
}

/// How far actors are with messages.
pub(super) enum Stage {
    Waiting,
    UnderWay,
    Done(Box<Handled>),
}

/// Lets actors handle a batch, as far as they have not. Those that start afresh after a trap go on with what is left of their mail, and
/// those that were held up with all of it.
pub(super) fn handle(
    shared: &Shared,
    runner: &mut dyn Runner,
    (batch, stage, mut outcome): (&mut Batch, Stage, Outcome),
    turn: &Turn<'_>,
) -> Result<Outcome> {
    let mut handled = match stage {
        Stage::Done(handled) => Some(*handled),
        Stage::UnderWay => Some(runner.end(batch, turn)?),
        Stage::Waiting => {
            outcome.refuse_stopped(shared, batch);
            None
        }
    };
    let size = shared.entry.returned.words as usize;
    while !batch.mail.is_empty() {
        let (is_alone, actors) = (handled.is_none(), batch.mail.len());
        let Handled {
            answers,
            trapped,
            stopped,
            held,
            is_late,
            sent,
            replied,
            forwarded,
            logs,
        } = match handled.take() {
            Some(handled) => handled,
            None => runner.handle(batch, turn)?,
        };
        shared.printed(logs);
        outcome.take(batch, answers, size);
        outcome.sent.extend(sent);
        outcome.replied.extend(replied);
        outcome.forwarded.extend(forwarded);
        outcome.is_late |= is_late;
        for Mail { actor, first, end } in stopped {
            outcome.stopped.push(actor);
            outcome.lose(first..end, shared.stopped(actor));
        }
        let is_over = turn.is_over.load(Ordering::Acquire);
        if is_alone && held.len() == actors && !is_over {
            let reason = "all actors stay busy, which is an error of gpuvm".to_string();
            return Err(Error::Device { reason });
        }
        let mut fresh = Vec::new();
        batch.mail = held;
        if !batch.mail.is_empty() {
            outcome.refuse_stopped(shared, batch);
        }
        if is_over {
            // Whoever holds it up may have been given up, and never come to an end; and natively it was left for this.
            for mail in batch.mail.drain(..) {
                outcome.lose(mail.first..mail.end, RingError::Closed { kernel: shared.name() });
            }
        }
        for trapped in trapped {
            let rest = outcome.judge(shared, trapped);
            fresh.extend(rest.map(|rest| rest.actor));
            batch.mail.extend(rest.filter(|rest| rest.first < rest.end));
        }
        batch.mail.sort_unstable_by_key(|mail| mail.first);
        if !fresh.is_empty() {
            // What was begun since has left these actors' messages alone, and goes first.
            outcome.is_late = true;
            runner.reset(&fresh)?;
        }
    }
    outcome.lost.sort_by_key(|(lost, _)| lost.start);
    outcome.replied.sort(shared.entry.answer_words());
    Ok(outcome)
}

impl Outcome {
    /// That of so many messages that were not handled, for one reason.
    pub fn of_all_lost(messages: usize, error: RingError) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.lose(0..messages as u32, error);
        outcome
    }

    /// Takes down why messages were lost.
    fn lose(&mut self, messages: Range<u32>, error: RingError) {
        if !messages.is_empty() {
            self.lost.push((messages, error));
        }
    }

    /// Takes mail away that is for actors which have stopped.
    pub fn refuse_stopped(&mut self, shared: &Shared, batch: &mut Batch) {
        let state = shared.lock();
        if !state.stopped.is_empty() {
            batch.mail.retain(|mail| {
                let stopped = state.stopped.contains(&mail.actor);
                if stopped {
                    self.lose(mail.first..mail.end, shared.stopped(mail.actor));
                }
                !stopped
            });
        }
    }

    /// Takes the answers of a round, of which the first has room for those of all others.
    fn take(&mut self, batch: &Batch, answers: Words, size: usize) {
        if self.answers.is_empty() {
            self.answers = answers;
            return;
        }
        let mut all = std::mem::take(&mut self.answers).into_vec();
        for mail in &batch.mail {
            let own = mail.first as usize * size..mail.end as usize * size;
            all[own.clone()].copy_from_slice(&answers[own]);
        }
        self.answers = all.into();
    }

    /// Decides what becomes of an actor that trapped. Gives the mail that it goes on with, if it starts afresh.
    fn judge(&mut self, shared: &Shared, Trapped { rest, trap }: Trapped) -> Option<Mail> {
        let Mail { actor, first, end } = rest;
        let is_exceeded = is_exceeded(&trap.message);
        let error = RingError::Trapped {
            kernel: shared.name(),
            actor,
            file: trap.file,
            line: trap.line,
            message: trap.message,
        };
        tracing::warn!(kernel = shared.entry.id, actor, %error, "actor trapped");
        recorder::say_at(Level::Warn, shared.entry.id, Some(actor), None, &error);
        if is_exceeded {
            shared.lock().exceeded.note(&error, 1);
        }
        let after = first + 1..end;
        match shared.restart {
            Restart::Fresh => {
                self.lose(first..after.start, error);
                return Some(Mail {
                    first: after.start,
                    ..rest
                });
            }
            Restart::Stop => {
                self.stopped.push(actor);
                self.lose(after, shared.stopped(actor));
            }
            Restart::FailKernel => {
                let reason = self.failure.get_or_insert_with(|| error.to_string()).clone();
                let failed = RingError::Failed {
                    kernel: shared.name(),
                    reason,
                };
                self.lose(after, failed);
            }
        }
        self.lose(first..first + 1, error);
        None
    }
}
