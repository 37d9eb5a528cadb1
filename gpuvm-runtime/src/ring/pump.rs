//! The pump: a thread that takes whatever has gathered, lets the actors handle it, and hands out the answers. While it works the next
//! messages gather, so batches are as large as the load makes them, and a single message waits for nothing.

use std::ops::Range;
use std::sync::Arc;

use super::batch::{Batch, Grouper, Mail};
use super::clock::Clock;
use super::context::Sent;
use super::deliver::deliver;
use super::error::RingError;
use super::letters::Letters;
use super::life::Life;
use super::options::Restart;
use super::runner::{Handled, Runner, Trapped, Turn};
use super::shared::Shared;
use crate::engine::Words;
use crate::error::{Error, Result};

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
    /// Why the kernel fails, if it does.
    pub failure: Option<String>,
}

/// Runs until the kernel is over.
pub(super) fn run(shared: &Arc<Shared>, mut runner: Box<dyn Runner>) {
    let _guard = Guard(shared);
    let size = shared.entry.message.ty.words as usize;
    let mut grouper = Grouper::new(shared.actors, size);
    let mut clock = Clock::default();
    while let Some(letters) = next(shared) {
        let mut batch = grouper.group(&letters.to, &letters.words);
        let turn = Turn {
            now: clock.tick(),
            is_over: &|| shared.lock().now,
        };
        let outcome = handle(shared, &mut *runner, &mut batch, &turn);
        let outcome = outcome.unwrap_or_else(|error| Outcome::of_error(shared, letters.len(), error));
        if outcome.failure.is_some() {
            drop(runner);
            return deliver(shared, &letters, &batch.places, outcome);
        }
        deliver(shared, &letters, &batch.places, outcome);
    }
    drop(runner);
    shared.lock().life = Life::Terminated;
    tracing::info!(kernel = shared.entry.id, "ring kernel terminated");
    shared.notify_all();
}

/// Tells those who wait that the pump has panicked, if it has.
struct Guard<'s>(&'s Shared);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail("its pump panicked, which is an error of gpuvm".to_string());
        }
    }
}

/// Waits for messages that may be handled; `None` when the kernel is to end.
fn next(shared: &Shared) -> Option<Letters> {
    let mut state = shared.lock();
    loop {
        if state.life == Life::Terminating && state.now {
            let error = RingError::Closed { kernel: shared.name() };
            shared.bury_all(&mut state, &error);
        }
        if state.life == Life::Terminating && state.letters.is_empty() || state.life.is_over() {
            return None;
        }
        if state.may_run(shared) && !state.letters.is_empty() {
            state.in_flight = state.letters.len();
            state.counts.batches += 1;
            return Some(std::mem::take(&mut state.letters));
        }
        state = shared.rest(state);
    }
}

/// Lets actors handle a batch. Those that start afresh after a trap, or had no room for what they send, go on with what is left of their mail.
fn handle(shared: &Shared, runner: &mut dyn Runner, batch: &mut Batch, turn: &Turn<'_>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    outcome.refuse_stopped(shared, batch);
    let size = shared.entry.returned.words as usize;
    while !batch.mail.is_empty() {
        let Handled {
            answers,
            trapped,
            stopped,
            unfinished,
            sent,
        } = runner.handle(batch, turn)?;
        outcome.take(batch, answers, size);
        outcome.sent.extend(sent);
        for Mail { actor, first, end } in stopped {
            outcome.stopped.push(actor);
            outcome.lose(first..end, shared.stopped(actor));
        }
        let mut fresh = Vec::new();
        batch.mail = unfinished;
        for trapped in trapped {
            let rest = outcome.judge(shared, trapped);
            fresh.extend(rest.map(|rest| rest.actor));
            batch.mail.extend(rest.filter(|rest| rest.first < rest.end));
        }
        batch.mail.sort_by_key(|mail| mail.actor);
        if !fresh.is_empty() {
            runner.reset(&fresh)?;
        }
    }
    outcome.lost.sort_by_key(|(lost, _)| lost.start);
    Ok(outcome)
}

impl Outcome {
    /// Nothing counts as handled: the kernel fails, or was not to go on.
    fn of_error(shared: &Shared, messages: usize, error: Error) -> Outcome {
        let mut outcome = Outcome::default();
        let error = match error {
            Error::Ring(closed @ RingError::Closed { .. }) => closed,
            error => {
                let reason = error.to_string();
                outcome.failure = Some(reason.clone());
                RingError::Failed {
                    kernel: shared.name(),
                    reason,
                }
            }
        };
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
    fn refuse_stopped(&mut self, shared: &Shared, batch: &mut Batch) {
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
        let error = RingError::Trapped {
            kernel: shared.name(),
            actor,
            file: trap.file,
            line: trap.line,
            message: trap.message,
        };
        tracing::warn!(kernel = shared.entry.id, actor, %error, "actor trapped");
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
