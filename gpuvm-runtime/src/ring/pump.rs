//! The pump takes whatever has gathered, lets the actors handle it, and hands out the answers. While it works the next messages gather, so
//! batches are as large as the load makes them, and a single message waits for nothing.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Instant;

use super::batch::{Batch, Grouper};
use super::clock::Clock;
use super::context::Sent;
use super::deliver::deliver;
use super::device::Parcel;
use super::interrupt::Interrupt;
use super::letters::Letters;
use super::outcome::{Outcome, Stage, handle};
use super::profile::Profiled;
use super::question::Question;
use super::queue::{Lot, Queue};
use super::runner::{Handled, Linked, Rounds, Runner, Turn};
use super::shared::{Shared, State, Went};
use crate::error::{Error, Life, Result, RingError};

/// What lets the actors of a kernel handle its messages. `shared_pump.rs` says on which thread.
pub(super) struct Pump {
    shared: Arc<Shared>,
    runner: Box<dyn Runner>,
    grouper: Grouper,
    clock: Clock,
    /// Whether nobody had to know of the first of the last rounds.
    is_quiet: bool,
    /// Batches that actors have begun with or are to, the oldest first.
    under_way: VecDeque<Work>,
    /// Whether actors may have left messages of these alone, which come before all others.
    is_held_up: bool,
    /// Whether it is lent to one who waits for an answer, and goes round later.
    is_lent: bool,
}

/// What the pump does next.
pub(super) enum Next<'s> {
    /// It lets actors begin with messages.
    Lot(Lot),
    /// It waits for the oldest batch that is under way.
    Oldest,
    Question(Question),
    /// It rests until there is something to do.
    Rest(MutexGuard<'s, State>),
    /// The kernel ends.
    End,
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
    /// How many of them actors have sent.
    sent: usize,
    /// Whether they are a share of a round, which nothing is begun beside.
    is_share: bool,
    /// When the pump took them up, for a profile.
    begin: Option<Instant>,
}

/// The kernel has failed.
pub(super) struct Failed;

impl Pump {
    /// One whose actors a runner has.
    pub fn new(shared: Arc<Shared>, runner: Box<dyn Runner>, clock: Clock) -> Pump {
        Pump {
            grouper: Grouper::new(shared.actors, shared.entry.message.ty.words as usize),
            clock,
            is_quiet: true,
            under_way: VecDeque::with_capacity(runner.most_batches()),
            is_held_up: false,
            is_lent: false,
            runner,
            shared,
        }
    }

    /// What to do next, by the state of its kernel.
    pub fn next<'s>(&mut self, shared: &'s Shared) -> Next<'s> {
        let mut state = shared.lock();
        let rests = self.under_way.is_empty();
        if rests && let Some(question) = state.questions.pop() {
            return Next::Question(question);
        }
        let ends_now = shared.ends_now().load(Ordering::Acquire);
        if state.life == Life::Terminating && ends_now && !state.letters.is_empty() {
            drop(state);
            state = shared.lock_to_bury();
            let error = RingError::Closed { kernel: shared.name() };
            shared.bury_all(&mut state, &error);
        }
        let is_over = state.life == Life::Terminating && state.letters.is_empty() || state.life.is_over();
        if rests && is_over {
            return Next::End;
        }
        if state.may_run(shared) && self.has_room_for(&state.letters) {
            return Next::Lot(state.take_lot());
        }
        match rests {
            true => Next::Rest(state),
            false => Next::Oldest,
        }
    }

    /// Lets actors handle messages, or begin with them.
    pub fn handle(&mut self, lot: Lot) -> Result<(), Failed> {
        match self.begin_with(lot)? {
            Some(work) => self.see_through(work),
            None => Ok(()),
        }
    }

    /// Waits for the oldest batch that is under way.
    pub fn end_oldest(&mut self) -> Result<(), Failed> {
        match self.under_way.pop_front() {
            Some(work) => self.see_through(work),
            None => Ok(()),
        }
    }

    /// Answers a question about its actors.
    pub fn answer(&mut self, question: Question) {
        question.answer(&self.shared, &mut *self.runner, &self.clock);
        self.note_losses();
    }

    /// Lets actors handle the messages that wait, if they are no more than so many and the runner has done that at once. Whether there may be
    /// something left to do.
    pub fn help(&mut self, most: usize) -> Result<bool, Failed> {
        if !self.under_way.is_empty() || !self.runner.answers_at_once() {
            return Ok(true);
        }
        let lot = {
            let mut state = self.shared.lock();
            let is_little = (1..=most).contains(&state.letters.len()) && state.letters.sent_len() == 0;
            let is_due = is_little && state.life == Life::Active && !state.has_news(&self.shared);
            if !is_due || state.letters.parcel().is_some() {
                return Ok(true);
            }
            state.take_lot()
        };
        self.is_lent = true;
        let helped = self.help_with(lot);
        self.is_lent = false;
        helped?;
        Ok(!self.under_way.is_empty())
    }

    /// Sees messages through that actors have ended with as soon as they had begun, and leaves others under way.
    fn help_with(&mut self, lot: Lot) -> Result<(), Failed> {
        let alone = self.begin(lot)?;
        self.under_way.extend(alone);
        match self.runner.has_ended() {
            true => self.end_oldest(),
            false => Ok(()),
        }
    }

    /// Whether actors may begin with what waits. While others are under way it has to be worth while: a few wait for more. Parcels are handled
    /// alone.
    fn has_room_for(&self, waiting: &Queue) -> bool {
        match self.under_way.back() {
            None => !waiting.is_empty(),
            Some(last) => {
                let is_sampled = self.shared.profile.get().is_some_and(Profiled::holds_up);
                let is_next = !self.is_held_up && !last.is_share && !is_sampled;
                let has_room = is_next && self.under_way.len() < self.runner.most_batches();
                has_room && waiting.len() * 2 >= last.letters.len() && waiting.parcel().is_none()
            }
        }
    }

    /// The time, if a profile asks for it.
    fn time(&self) -> Option<Instant> {
        self.shared.profile.get().map(|_| Instant::now())
    }

    /// Samples a batch that is about to begin at a time of the kernel's clock, if that is due and nothing is under way.
    fn sample(&mut self, batch: &Batch, now: u64) {
        if let Some(profiled) = self.shared.profile.get()
            && self.under_way.is_empty()
            && !batch.mail.is_empty()
            && profiled.is_due()
        {
            profiled.sample(batch, now, &mut |actors| self.runner.states(actors));
        }
    }

    /// Begins with messages, wherever they are.
    fn begin_with(&mut self, mut lot: Lot) -> Result<Option<Work>, Failed> {
        let Some(parcel) = lot.parcel.take() else {
            return self.begin(lot);
        };
        if lot.letters.is_empty() && !lot.is_share && self.shared.lock().stopped.is_empty() {
            return self.take_in(parcel);
        }
        match parcel.open() {
            Ok(opened) => lot.letters.append(opened),
            Err(error) => {
                self.shared.lock().letters.put_back(lot.letters);
                self.shared.fail_with_parcel(parcel.len(), error.to_string());
                return Err(Failed);
            }
        }
        self.begin(lot)
    }

    /// Begins with messages: they may be those of a round, of which nobody has to know.
    fn begin(&mut self, lot: Lot) -> Result<Option<Work>, Failed> {
        let Lot {
            letters,
            sent,
            is_share,
            ..
        } = lot;
        let concerns_nobody = self.is_quiet && !self.is_lent && letters.called.is_empty() && !is_share;
        if concerns_nobody
            && self.runner.goes_round(letters.len())
            && let Some(stopped) = self.shared.open_to(&letters.to, &[])
        {
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
            sent,
            is_share,
            begin: self.time(),
        };
        work.outcome.refuse_stopped(&self.shared, &mut work.batch);
        self.sample(&work.batch, work.now);
        match self.runner.begin(&work.batch, work.now) {
            Err(error) => {
                self.under_way.push_back(work);
                return Err(self.fail(Letters::default(), &error));
            }
            Ok(true) => {
                work.stage = Stage::UnderWay;
                self.is_held_up &= !self.under_way.is_empty();
                self.under_way.push_back(work);
                return Ok(None);
            }
            Ok(false) => {}
        }
        // It has to be alone, and is among those under way until it is: these may fail the kernel.
        self.under_way.push_back(work);
        while self.under_way.len() > 1
            && let Some(oldest) = self.under_way.pop_front()
        {
            self.see_through(oldest)?;
        }
        Ok(self.under_way.pop_front())
    }

    /// Works on messages, and on those of rounds that follow of which somebody has to know.
    fn see_through(&mut self, work: Work) -> Result<(), Failed> {
        let mut next = Some(work);
        while let Some(work) = next {
            next = self.work(work)?;
        }
        Ok(())
    }

    /// Lets actors handle messages, hands out what came of it, and lets them go on with what they have sent each other meanwhile. Gives the
    /// messages of that of which somebody has to know.
    fn work(&mut self, work: Work) -> Result<Option<Work>, Failed> {
        let shared = &*Arc::clone(&self.shared);
        let Work {
            letters,
            mut batch,
            now,
            stage,
            outcome,
            begin,
            ..
        } = work;
        let vms = batch.mail.len();
        let turn = Turn {
            now,
            is_over: shared.ends_now(),
            is_wanted: &|| shared.lock().has_work(shared),
            linked: None,
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
        self.note_losses();
        let forwarded = std::mem::take(&mut outcome.forwarded);
        let forwards_here = match forwarded.to.len() {
            0 => false,
            messages => !self.forwards_there(messages),
        };
        // First, so that who finds this kernel settled finds it in the other one.
        shared.forward(forwarded, self.clock.stamp());
        let mut going_on = None;
        let sent = outcome.sent.to.len();
        let may_go_round = !failed && !self.is_lent && sent <= shared.bound.share && self.runner.goes_round(sent);
        if may_go_round && !shared.is_held_up() && !shared.lock().has_work(shared) {
            let stopped = shared.open_to(&outcome.sent.to, &outcome.stopped);
            going_on = stopped.map(|stopped| (std::mem::take(&mut outcome.sent), stopped));
        }
        let under_way = self.under_way.iter().map(|work| work.letters.len());
        let in_flight = going_on.as_ref().map_or(0, |(sent, _)| sent.to.len()) + under_way.sum::<usize>();
        let taken = self.under_way.iter().map(|work| work.sent).sum();
        // Before anybody knows that they are handled.
        if let (Some(profiled), Some(begin)) = (shared.profile.get(), begin) {
            profiled.saw(vms, letters.len(), begin);
        }
        let is_quiet = deliver(shared, &letters, &batch.places, outcome, (in_flight, taken));
        self.is_quiet = is_quiet && !forwards_here;
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

    /// Whether so many messages that actors forward in a round do not concern the host.
    fn forwards_there(&self, messages: usize) -> bool {
        let depot = self.shared.linked_depot();
        depot.is_some_and(|depot| self.runner.delivers(&depot, messages))
    }

    /// Lets actors handle messages, and what they send each other then. So many were accepted before, and when, if times are of use.
    fn rounds(
        &mut self,
        sent: Sent,
        (from_others, accepted): (usize, Vec<(usize, Instant)>),
        stopped: &[u32],
    ) -> Result<Option<Work>, Failed> {
        if self.shared.profile.get().is_some_and(Profiled::is_due) {
            let batch = self.grouper.group(&sent.to, &sent.words);
            self.sample(&batch, self.clock.stamp());
            self.grouper.reuse(batch);
        }
        let begin = Instant::now();
        let sent = Arc::new(sent);
        let rounds = match self.go(|runner, turn| runner.rounds(&sent, stopped, turn)) {
            Ok(Some(rounds)) => rounds,
            Ok(None) => Rounds {
                left: Arc::unwrap_or_clone(sent),
                ..Rounds::default()
            },
            Err(error) => {
                let sent = Arc::unwrap_or_clone(sent);
                self.shared.fail_with(sent, from_others, error.to_string());
                return Err(Failed);
            }
        };
        Ok(self.end_rounds(rounds, (from_others, accepted), begin))
    }

    /// The same for the messages of a parcel.
    fn take_in(&mut self, parcel: Parcel) -> Result<Option<Work>, Failed> {
        let begin = Instant::now();
        let messages = parcel.len();
        let accepted = parcel.accepted.map(|when| (messages, when));
        match self.go(|runner, turn| runner.take_in(parcel, turn)) {
            Ok(rounds) => {
                if rounds.count > 0 {
                    self.shared.lock().counts.from_linked += messages as u64;
                }
                Ok(self.end_rounds(rounds, (messages, accepted.into_iter().collect()), begin))
            }
            Err(error) => {
                self.shared.fail_with_parcel(messages, error.to_string());
                Err(Failed)
            }
        }
    }

    /// Lets actors go round by a runner.
    fn go<T>(&mut self, run: impl FnOnce(&mut dyn Runner, &Turn<'_>) -> Result<T>) -> Result<T> {
        let Pump {
            shared, runner, clock, ..
        } = self;
        let interrupt = Interrupt::default();
        let hand_over = |parcel, stamp| shared.hand_over(parcel, stamp);
        let turn = Turn {
            now: clock.tick_after(shared.lock().seen),
            is_over: shared.ends_now(),
            is_wanted: &|| {
                shared.wait_for_linked();
                interrupt.is_due(shared)
            },
            linked: shared.linked_depot().map(|depot| Linked {
                depot,
                hand_over: &hand_over,
            }),
        };
        run(&mut **runner, &turn)
    }

    /// Takes down how many devices have failed whose actors others have taken.
    fn note_losses(&self) {
        let lost = self.runner.devices_lost();
        if lost > 0 {
            self.shared.lock().counts.devices_lost = lost;
        }
    }

    /// Takes over what has come of rounds. Gives the messages of the last one if somebody has to know of it.
    fn end_rounds(
        &mut self,
        rounds: Rounds,
        (from_others, accepted): (usize, Vec<(usize, Instant)>),
        begin: Instant,
    ) -> Option<Work> {
        let Rounds {
            count,
            handled,
            left,
            last,
        } = rounds;
        self.clock.pass(count);
        self.note_losses();
        if let Some(profiled) = self.shared.profile.get().filter(|_| count > 0) {
            // The last one is a batch of its own if somebody has to know of it.
            profiled.went(count - u64::from(last.is_some()), handled, begin);
        }
        self.is_quiet = last.is_none() || count > 1;
        let went = Went {
            rounds: count,
            handled,
            from_others,
            accepted,
            time: begin.elapsed(),
        };
        let last = last.map(|(batch, handled)| Work::of_round(batch, handled, self.clock.stamp(), self.time()));
        let in_flight = last.as_ref().map_or(0, |work| work.letters.len());
        self.shared.take_rounds(&went, left, in_flight);
        last
    }
}

impl Work {
    /// The messages of a round, as if somebody had sent them in the order in which they are.
    fn of_round(batch: Batch, handled: Handled, now: u64, begin: Option<Instant>) -> Work {
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
            sent: 0,
            is_share: false,
            begin,
        }
    }
}
