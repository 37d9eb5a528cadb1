//! The pump: a thread that takes whatever has gathered, lets the actors handle it, and hands out the answers. While it works the next
//! messages gather, so batches are as large as the load makes them, and a single message waits for nothing.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use super::batch::{Batch, Grouper, Mail};
use super::clock::Clock;
use super::context::Sent;
use super::deliver::deliver;
use super::error::RingError;
use super::interrupt::Interrupt;
use super::letters::Letters;
use super::life::Life;
use super::options::Restart;
use super::question::Question;
use super::runner::{Handled, Rounds, Runner, Trapped, Turn};
use super::shared::{Shared, Went};
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
    /// What actors have replied, by the messages' places in the batch.
    pub replied: Sent,
    /// What actors have forwarded to those of the linked kernel.
    pub forwarded: Sent,
    /// Why the kernel fails, if it does.
    pub failure: Option<String>,
}

/// Runs until the kernel is over.
pub(super) fn run(shared: &Arc<Shared>, runner: Box<dyn Runner>, clock: Clock) {
    let _guard = Guard(shared);
    let mut pump = Pump {
        shared,
        runner,
        grouper: Grouper::new(shared.actors, shared.entry.message.ty.words as usize),
        clock,
        is_quiet: true,
    };
    while let Some(next) = next(shared) {
        let letters = match next {
            Next::Letters(letters) => letters,
            Next::Question(question) => {
                question.answer(shared, &mut *pump.runner, &pump.clock);
                continue;
            }
        };
        let mut work = pump.begin(letters);
        while let Ok(Some(next)) = work {
            work = pump.work(next);
        }
        if let Err(Failed) = work {
            return;
        }
    }
    drop(pump);
    shared.lock().life = Life::Terminated;
    tracing::info!(kernel = shared.entry.id, "ring kernel terminated");
    shared.notify_all();
}

/// What the pump has.
struct Pump<'s> {
    shared: &'s Shared,
    runner: Box<dyn Runner>,
    grouper: Grouper,
    clock: Clock,
    /// Whether nobody had to know of the first of the last rounds.
    is_quiet: bool,
}

/// Messages to see to.
struct Work {
    letters: Letters,
    batch: Batch,
    /// What became of them, if actors have handled them already.
    handled: Option<Handled>,
}

/// The kernel has failed.
struct Failed;

impl Pump<'_> {
    /// Begins with messages: they may be those of a round, of which nobody has to know.
    fn begin(&mut self, letters: Letters) -> Result<Option<Work>, Failed> {
        let may_go_round = self.is_quiet && letters.called.is_empty() && self.runner.goes_round(letters.len());
        if may_go_round && let Some(stopped) = self.shared.open_to(&letters.to, &[]) {
            let (from_others, accepted) = (letters.len(), letters.accepted);
            let sent = Sent {
                to: letters.to,
                words: letters.words,
            };
            return self.rounds(sent, (from_others, accepted), &stopped);
        }
        let batch = self.grouper.group(&letters.to, &letters.words);
        Ok(Some(Work {
            letters,
            batch,
            handled: None,
        }))
    }

    /// Lets actors handle messages, hands out what came of it, and lets them go on with what they have sent each other meanwhile. Gives the
    /// messages of that of which somebody has to know.
    fn work(&mut self, work: Work) -> Result<Option<Work>, Failed> {
        let Pump {
            shared, runner, clock, ..
        } = self;
        let Work {
            letters,
            mut batch,
            handled,
        } = work;
        let turn = Turn {
            now: clock.tick_after(shared.lock().seen),
            is_over: &|| shared.lock().now,
            is_wanted: &|| shared.lock().has_work(shared),
        };
        let outcome = handle(shared, &mut **runner, (&mut batch, handled), &turn);
        let mut outcome = outcome.unwrap_or_else(|error| Outcome::of_error(shared, letters.len(), error));
        let failed = outcome.failure.is_some();
        let mut going_on = None;
        if !failed && runner.goes_round(outcome.sent.to.len()) && !shared.lock().has_work(shared) {
            let stopped = shared.open_to(&outcome.sent.to, &outcome.stopped);
            going_on = stopped.map(|stopped| (std::mem::take(&mut outcome.sent), stopped));
        }
        let forwarded = std::mem::take(&mut outcome.forwarded);
        let has_forwarded = !forwarded.to.is_empty();
        // First, so that who finds this kernel settled finds it in the other one.
        shared.forward(forwarded, clock.stamp());
        let in_flight = going_on.as_ref().map_or(0, |(sent, _)| sent.to.len());
        let is_quiet = deliver(shared, &letters, &batch.places, outcome, in_flight);
        self.is_quiet = is_quiet && !has_forwarded;
        self.grouper.reuse(batch);
        match going_on {
            _ if failed => Err(Failed),
            Some((sent, stopped)) => self.rounds(sent, (0, Vec::new()), &stopped),
            None => Ok(None),
        }
    }

    /// Lets actors handle messages, and what they send each other then. So many were accepted before, and when, if times are of use.
    fn rounds(
        &mut self,
        sent: Sent,
        (from_others, accepted): (usize, Vec<(usize, Instant)>),
        stopped: &[u32],
    ) -> Result<Option<Work>, Failed> {
        let Pump {
            shared, runner, clock, ..
        } = self;
        let begin = Instant::now();
        let interrupt = Interrupt::default();
        let turn = Turn {
            now: clock.tick_after(shared.lock().seen),
            is_over: &|| shared.lock().now,
            is_wanted: &|| interrupt.is_due(shared),
        };
        let Rounds {
            count,
            handled,
            left,
            last,
        } = match runner.rounds(&sent, stopped, &turn) {
            Ok(Some(rounds)) => rounds,
            Ok(None) => Rounds {
                left: sent,
                ..Rounds::default()
            },
            Err(error) => {
                shared.fail_with(sent, from_others, error.to_string());
                return Err(Failed);
            }
        };
        clock.pass(count);
        self.is_quiet = last.is_none() || count > 1;
        let went = Went {
            rounds: count,
            handled,
            from_others,
            accepted,
            time: begin.elapsed(),
        };
        let last = last.map(|(batch, handled)| Work::of_round(batch, handled));
        shared.take_rounds(&went, left, last.as_ref().map_or(0, |work| work.letters.len()));
        Ok(last)
    }
}

impl Work {
    /// The messages of a round, as if somebody had sent them in the order in which they are.
    fn of_round(batch: Batch, handled: Handled) -> Work {
        let mut letters = Letters::default();
        for mail in &batch.mail {
            letters.to.extend((mail.first..mail.end).map(|_| mail.actor));
        }
        letters.words.clone_from(&batch.words);
        Work {
            letters,
            batch,
            handled: Some(handled),
        }
    }
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

/// What the pump does next.
enum Next {
    Letters(Letters),
    Question(Question),
}

/// Waits for messages that may be handled, or a question; `None` when the kernel is to end.
fn next(shared: &Shared) -> Option<Next> {
    let mut state = shared.lock();
    loop {
        if let Some(question) = state.questions.pop() {
            return Some(Next::Question(question));
        }
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
            return Some(Next::Letters(std::mem::take(&mut state.letters)));
        }
        state = shared.rest(state);
    }
}

/// Lets actors handle a batch, unless they have. Those that start afresh after a trap go on with what is left of their mail.
fn handle(
    shared: &Shared,
    runner: &mut dyn Runner,
    (batch, mut handled): (&mut Batch, Option<Handled>),
    turn: &Turn<'_>,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    if handled.is_none() {
        outcome.refuse_stopped(shared, batch);
    }
    let size = shared.entry.returned.words as usize;
    while !batch.mail.is_empty() {
        let Handled {
            answers,
            trapped,
            stopped,
            sent,
            replied,
            forwarded,
        } = match handled.take() {
            Some(handled) => handled,
            None => runner.handle(batch, turn)?,
        };
        outcome.take(batch, answers, size);
        outcome.sent.extend(sent);
        outcome.replied.extend(replied);
        outcome.forwarded.extend(forwarded);
        for Mail { actor, first, end } in stopped {
            outcome.stopped.push(actor);
            outcome.lose(first..end, shared.stopped(actor));
        }
        let mut fresh = Vec::new();
        batch.mail.clear();
        for trapped in trapped {
            let rest = outcome.judge(shared, trapped);
            fresh.extend(rest.map(|rest| rest.actor));
            batch.mail.extend(rest.filter(|rest| rest.first < rest.end));
        }
        if !fresh.is_empty() {
            runner.reset(&fresh)?;
        }
    }
    outcome.lost.sort_by_key(|(lost, _)| lost.start);
    outcome.replied.sort(shared.entry.answer_words());
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
