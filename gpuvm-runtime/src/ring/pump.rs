//! The pump: a thread that takes whatever has gathered, lets the actors handle it, and hands out the answers. While it works the next
//! messages gather, so batches are as large as the load makes them, and a single message waits for nothing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use super::batch::{Batch, Grouper};
use super::clock::Clock;
use super::context::Sent;
use super::deliver::deliver;
use super::error::RingError;
use super::interrupt::Interrupt;
use super::letters::Letters;
use super::life::Life;
use super::outcome::{Outcome, Stage, handle};
use super::question::Question;
use super::runner::{Handled, Rounds, Runner, Turn};
use super::shared::{Shared, Went};
use crate::error::Error;

/// Runs until the kernel is over.
pub(super) fn run(shared: &Arc<Shared>, runner: Box<dyn Runner>, clock: Clock) {
    let _guard = Guard(shared);
    let mut pump = Pump {
        shared,
        grouper: Grouper::new(shared.actors, shared.entry.message.ty.words as usize),
        clock,
        is_quiet: true,
        under_way: VecDeque::with_capacity(runner.most_batches()),
        is_held_up: false,
        runner,
    };
    while let Some(next) = pump.next() {
        let mut work = match next {
            Next::Letters(letters) => pump.begin(letters),
            Next::Oldest => Ok(pump.under_way.pop_front()),
            Next::Question(question) => {
                question.answer(shared, &mut *pump.runner, &pump.clock);
                continue;
            }
        };
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
    /// Batches that actors have begun with, the oldest first.
    under_way: VecDeque<Work>,
    /// Whether actors may have left messages of these alone, which come before all others.
    is_held_up: bool,
}

/// What the pump does next.
enum Next {
    /// It lets actors begin with messages.
    Letters(Letters),
    /// It waits for the oldest batch that is under way.
    Oldest,
    Question(Question),
}

/// Messages to see to.
struct Work {
    letters: Letters,
    batch: Batch,
    /// When actors begin with them by the kernel's clock.
    now: u64,
    stage: Stage,
    /// What has become of some already.
    outcome: Outcome,
}

/// The kernel has failed.
struct Failed;

impl Pump<'_> {
    /// Waits for something to do; `None` when the kernel is to end.
    fn next(&mut self) -> Option<Next> {
        let shared = self.shared;
        let mut state = shared.lock();
        loop {
            let rests = self.under_way.is_empty();
            if rests && let Some(question) = state.questions.pop() {
                return Some(Next::Question(question));
            }
            if state.life == Life::Terminating && state.now {
                let error = RingError::Closed { kernel: shared.name() };
                shared.bury_all(&mut state, &error);
            }
            let is_over = state.life == Life::Terminating && state.letters.is_empty() || state.life.is_over();
            if rests && is_over {
                return None;
            }
            if state.may_run(shared) && self.has_room_for(state.letters.len()) {
                let letters = state.letters.take();
                state.in_flight += letters.len();
                state.counts.batches += 1;
                return Some(Next::Letters(letters));
            }
            if !rests {
                return Some(Next::Oldest);
            }
            state = shared.rest(state);
        }
    }

    /// Whether actors may begin with so many messages. While others are under way it has to be worth while: a few wait for more.
    fn has_room_for(&self, messages: usize) -> bool {
        match self.under_way.back() {
            None => messages > 0,
            Some(last) => {
                let has_room = self.under_way.len() < self.runner.most_batches();
                has_room && !self.is_held_up && messages * 2 >= last.letters.len()
            }
        }
    }

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
        let mut work = Work {
            batch: self.grouper.group(&letters.to, &letters.words),
            letters,
            now: self.clock.tick_after(self.shared.lock().seen),
            stage: Stage::Waiting,
            outcome: Outcome::default(),
        };
        work.outcome.refuse_stopped(self.shared, &mut work.batch);
        if self.runner.most_batches() > 1 {
            match self.runner.begin(&work.batch, work.now) {
                Err(error) => return Err(self.fail(work.letters, &error)),
                Ok(true) => {
                    work.stage = Stage::UnderWay;
                    self.is_held_up &= !self.under_way.is_empty();
                    self.under_way.push_back(work);
                    return Ok(None);
                }
                Ok(false) => {}
            }
        }
        while let Some(earlier) = self.under_way.pop_front() {
            self.work(earlier)?;
        }
        Ok(Some(work))
    }

    /// Lets actors handle messages, hands out what came of it, and lets them go on with what they have sent each other meanwhile. Gives the
    /// messages of that of which somebody has to know.
    fn work(&mut self, work: Work) -> Result<Option<Work>, Failed> {
        let shared = self.shared;
        let Work {
            letters,
            mut batch,
            now,
            stage,
            outcome,
        } = work;
        let turn = Turn {
            now,
            is_over: &|| shared.lock().now,
            is_wanted: &|| shared.lock().has_work(shared),
        };
        let mut outcome = match handle(shared, &mut *self.runner, (&mut batch, stage, outcome), &turn) {
            Err(Error::Ring(closed @ RingError::Closed { .. })) => Outcome::of_all_lost(letters.len(), closed),
            Err(error) => return Err(self.fail(letters, &error)),
            Ok(outcome) => outcome,
        };
        let failed = outcome.failure.is_some();
        if failed {
            self.put_back();
        }
        self.is_held_up |= outcome.is_late;
        let mut going_on = None;
        let may_go_round = !failed && self.runner.goes_round(outcome.sent.to.len());
        if may_go_round && !shared.lock().has_work(shared) {
            let stopped = shared.open_to(&outcome.sent.to, &outcome.stopped);
            going_on = stopped.map(|stopped| (std::mem::take(&mut outcome.sent), stopped));
        }
        let forwarded = std::mem::take(&mut outcome.forwarded);
        let has_forwarded = !forwarded.to.is_empty();
        // First, so that who finds this kernel settled finds it in the other one.
        shared.forward(forwarded, self.clock.stamp());
        let under_way = self.under_way.iter().map(|work| work.letters.len());
        let in_flight = going_on.as_ref().map_or(0, |(sent, _)| sent.to.len()) + under_way.sum::<usize>();
        let is_quiet = deliver(shared, &letters, &batch.places, outcome, in_flight);
        self.is_quiet = is_quiet && !has_forwarded;
        self.grouper.reuse(batch);
        shared.lock().letters.reuse(letters);
        match going_on {
            _ if failed => Err(Failed),
            Some((sent, stopped)) => self.rounds(sent, (0, Vec::new()), &stopped),
            None => Ok(None),
        }
    }

    /// The kernel fails with messages of which nobody knows how far the actors came with them.
    fn fail(&mut self, letters: Letters, error: &Error) -> Failed {
        self.put_back();
        self.shared.lock().letters.put_back(letters);
        self.shared.fail(error.to_string());
        Failed
    }

    /// Puts all that is under way back to what waits, because the kernel fails.
    fn put_back(&mut self) {
        let mut state = self.shared.lock();
        while let Some(work) = self.under_way.pop_back() {
            state.letters.put_back(work.letters);
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
        let last = last.map(|(batch, handled)| Work::of_round(batch, handled, clock.stamp()));
        shared.take_rounds(&went, left, last.as_ref().map_or(0, |work| work.letters.len()));
        Ok(last)
    }
}

impl Work {
    /// The messages of a round, as if somebody had sent them in the order in which they are.
    fn of_round(batch: Batch, handled: Handled, now: u64) -> Work {
        let mut letters = Letters::default();
        for mail in &batch.mail {
            letters.to.extend((mail.first..mail.end).map(|_| mail.actor));
        }
        letters.words.clone_from(&batch.words);
        Work {
            letters,
            batch,
            now,
            stage: Stage::Done(Box::new(handled)),
            outcome: Outcome::default(),
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
