//! What handles, the pump and waiting tasks share: the kernel's state, and the messages that wait. Nobody holds the lock while he waits.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use event_listener::{Event, IntoNotification};
use gpuvm_engine::Engine;

use super::bound::Bound;
use super::callers::{Caller, Callers};
use super::context::Sent;
use super::dead::Dead;
use super::device::Parcel;
use super::exceeded::Exceeded;
use super::full::Waiting;
use super::handler::Entry;
use super::letters::Letters;
use super::link::Links;
use super::metrics::{Counts, Metrics, Status};
use super::options::{Answers, Restart, Terminate};
use super::outputs::Outputs;
use super::profile::Profiled;
use super::question::Question;
use super::queue::{Lot, Queue};
use super::rest::{Patience, Rest};
use super::snapshot::{Kept, Messages};
use crate::config::RuntimeConfig;
use crate::error::{Life, Result, RingError};
use crate::logs::{LogLimit, Logs};

/// A kernel as its handles and its pump see it.
pub(super) struct Shared {
    pub entry: &'static Entry,
    pub actors: u32,
    pub capacity: usize,
    pub bound: Bound,
    pub restart: Restart,
    pub answers: Answers,
    pub config: RuntimeConfig,
    pub links: Links,
    state: Mutex<State>,
    /// Whether terminating is not to wait for what was sent before. It is set while somebody has the lock, and threads that let actors handle
    /// messages look at it between two of them.
    now: AtomicBool,
    /// Its profile, if there is to be one.
    pub profile: OnceLock<Profiled>,
    /// Where the pump waits.
    pump: OnceLock<(Rest, Patience)>,
    /// That of threads that wait for answers.
    pub patience: Patience,
    /// There may be room for messages.
    pub room: Event,
    /// There may be answers to receive.
    pub answered: Event,
    /// The kernel's state has changed, or the pump has come to rest.
    pub changed: Event,
}

/// What changes.
pub(super) struct State {
    pub life: Life,
    /// Why it has failed.
    pub reason: Option<String>,
    /// Messages that wait.
    pub letters: Queue,
    /// Who waits for answers to messages that wait or are in flight.
    pub callers: Callers,
    /// Who waits for room.
    pub waiting: Waiting,
    /// Limits that actors have exceeded.
    pub exceeded: Exceeded,
    /// Messages that the pump has.
    pub in_flight: usize,
    /// Whether it is telling callers their answers, which become dead letters if they are gone.
    pub is_answering: bool,
    /// The latest time stamp of what actors of other kernels have forwarded.
    pub seen: u64,
    /// What the pump is asked when it rests between two batches.
    pub questions: Vec<Question>,
    /// Actors that have stopped.
    pub stopped: BTreeSet<u32>,
    pub outputs: Outputs,
    pub dead: Dead,
    pub counts: Counts,
    /// What actors have printed since somebody has taken it.
    pub logs: Logs,
    /// Whether the pump rests.
    rests: bool,
}

/// What rounds have done.
pub(super) struct Went {
    /// How many there were.
    pub rounds: u64,
    /// Messages that were handled in them, but for the last if somebody has to know of it.
    pub handled: u64,
    /// Messages that they began with and that were accepted before.
    pub from_others: usize,
    /// When that was, with telemetry: so many at a time.
    pub accepted: Vec<(usize, Instant)>,
    /// How long they took together.
    pub time: Duration,
}

/// Whether a message was taken.
pub(super) enum Taken {
    Yes,
    /// There is no room at the moment.
    Full,
    No(RingError),
}

impl Shared {
    /// Tells what actors have printed, and keeps it as far as there is room.
    pub fn printed(&self, logs: Logs) {
        if !logs.is_empty() || logs.dropped() > 0 {
            logs.tell(self.entry.id);
            let mut state = self.lock();
            state.logs.append(logs);
            state.logs.keep_at_most(LogLimit::default().in_all);
        }
    }

    /// A kernel that was launched, which takes so many messages, and so many at a time.
    pub fn new(
        entry: &'static Entry,
        actors: u32,
        (capacity, at_a_time, bound): (usize, usize, Bound),
        (restart, answers): (Restart, Answers),
        config: RuntimeConfig,
    ) -> Arc<Shared> {
        let counts = Counts::new(config.telemetry);
        Arc::new_cyclic(|kernel| Shared {
            entry,
            actors,
            capacity,
            bound,
            restart,
            answers,
            config,
            links: Links::default(),
            state: Mutex::new(State {
                life: Life::Launched,
                reason: None,
                letters: Queue::new(entry.message.ty.words as usize, at_a_time, bound),
                callers: Callers::new(kernel.clone()),
                waiting: Waiting::new(kernel.clone()),
                exceeded: Exceeded::default(),
                in_flight: 0,
                is_answering: false,
                seen: 0,
                questions: Vec::new(),
                stopped: BTreeSet::new(),
                outputs: Outputs::default(),
                dead: Dead::default(),
                counts,
                logs: Logs::default(),
                rests: false,
            }),
            now: AtomicBool::new(false),
            profile: OnceLock::new(),
            pump: OnceLock::new(),
            patience: Patience::new(),
            room: Event::new(),
            answered: Event::new(),
            changed: Event::new(),
        })
    }

    /// Takes over what was kept of another kernel, which rested.
    pub fn restore(&self, kept: Kept) {
        let mut state = self.lock();
        state.life = Life::Deactivated;
        state.stopped.extend(kept.stopped);
        state.outputs.push(kept.unreceived.actors, kept.unreceived.words);
        let Messages { actors, words } = kept.waiting;
        let (sent, sent_words) = (kept.sent, kept.sent * self.entry.message.ty.words as usize);
        let mut letters = Letters {
            to: actors[..sent].to_vec(),
            words: words[..sent_words].to_vec(),
            ..Letters::default()
        };
        if sent > 0 && state.counts.has_telemetry() {
            letters.accepted.push((sent, Instant::now()));
        }
        state.letters.push_sent(letters);
        state.letters.go_on(kept.before_others);
        state.note_accepted(sent);
        state.take_in(&actors[sent..], &words[sent_words..], Instant::now);
    }

    /// Whether the kernel is to end at once.
    pub fn ends_now(&self) -> &AtomicBool {
        &self.now
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same when all messages that wait are on the host. Only the pump may do that.
    pub fn lock_opened(&self) -> Result<MutexGuard<'_, State>> {
        loop {
            let state = self.lock();
            let Some(parcel) = state.letters.parcel().cloned() else {
                return Ok(state);
            };
            drop(state);
            let letters = parcel.open()?;
            self.lock().letters.open_parcel(letters);
        }
    }

    /// The same where messages that cannot be read may as well stay where they are.
    pub fn lock_to_bury(&self) -> MutexGuard<'_, State> {
        self.lock_opened().unwrap_or_else(|_| self.lock())
    }

    /// Wakes the pump's thread, if it rests.
    pub fn wake(&self, mut state: MutexGuard<'_, State>) {
        if std::mem::take(&mut state.rests) {
            drop(state);
            if let Some((rest, _)) = self.pump.get() {
                rest.wake();
            }
        }
    }

    /// Lets the pump's thread, which is this one, rest until somebody wakes it.
    pub fn rest<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let (rest, patience) = self.pump.get_or_init(|| (Rest::here(), Patience::new()));
        state.rests = true;
        drop(state);
        rest.wait(patience);
        self.lock()
    }

    /// Accepts messages as long as there is room, given the actor of each and the words of all. How many were taken, and what became of the
    /// one after them.
    pub fn accept(&self, call: &'static str, to: &[u32], words: &[u32]) -> (usize, Taken) {
        let mut state = self.lock();
        if !state.life.takes_messages() {
            let error = self.wrong_state(call, "launched, active or deactivated", &state);
            return (0, Taken::No(error));
        }
        let room = self.capacity.saturating_sub(state.letters.len() + state.in_flight);
        let fitting = &to[..to.len().min(room)];
        // While none has stopped the highest number tells that all are there.
        let all_open = state.stopped.is_empty() && fitting.iter().max().is_none_or(|last| *last < self.actors);
        let doubtful = if all_open { &[] } else { fitting };
        let mut refused = doubtful.iter().map(|&actor| self.is_open(&state, actor)).enumerate();
        let refused = refused.find_map(|(at, open)| Some((at, open.err()?)));
        let (taken, ended) = match refused {
            Some((at, error)) => (at, Taken::No(error)),
            None if fitting.len() < to.len() => (fitting.len(), Taken::Full),
            None => (to.len(), Taken::Yes),
        };
        if taken > 0 {
            let size = self.entry.message.ty.words as usize;
            state.take_in(&to[..taken], &words[..taken * size], Instant::now);
            state.waiting.note_taken();
            if state.life == Life::Active {
                self.wake(state);
            }
        }
        (taken, ended)
    }

    /// Accepts a message for whose answer somebody waits, if there is room, and wakes the pump's thread for it unless he is to help.
    pub fn accept_call(&self, actor: u32, called: &mut Option<Caller>, helps: bool) -> Taken {
        let mut state = self.lock();
        if state.life != Life::Active {
            return Taken::No(self.wrong_state("call", "active", &state));
        }
        if let Err(error) = self.is_open(&state, actor) {
            return Taken::No(error);
        }
        if state.letters.len() + state.in_flight >= self.capacity {
            return Taken::Full;
        }
        if let Some(caller) = called.take() {
            let when = state.counts.has_telemetry().then_some(caller.since);
            state.letters.push_call(actor, &caller.words, when);
            state.note_accepted(1);
            state.callers.push(caller);
            state.waiting.note_taken();
            if !helps {
                self.wake(state);
            }
        }
        Taken::Yes
    }

    /// Takes what actors have sent, before everything that waits but for what others of them have sent. What is for an actor that does not exist
    /// becomes a dead letter, and so does what there is no room for.
    pub fn accept_sent(&self, state: &mut State, sent: Sent, room: usize) {
        if sent.to.is_empty() {
            return;
        }
        let mut letters = self.deliverable(state, sent);
        if letters.len() > room {
            let size = self.entry.message.ty.words as usize;
            let lost = (&letters.to[room..], &letters.words[room * size..]);
            self.overflow(state, self.entry.message, lost, self.bound.error(self.name()));
            letters.to.truncate(room);
            letters.words.truncate(room * size);
        }
        if state.counts.has_telemetry() && !letters.is_empty() {
            letters.accepted.push((letters.len(), Instant::now()));
        }
        state.letters.push_sent(letters);
        state.note_accepted(0);
    }

    /// Messages to actors that there are; those to others become dead letters.
    pub fn deliverable(&self, state: &mut State, sent: Sent) -> Letters {
        let size = self.entry.message.ty.words as usize;
        let mut letters = Letters {
            to: sent.to,
            words: sent.words,
            ..Letters::default()
        };
        if letters.to.iter().any(|&actor| actor >= self.actors) {
            let all = std::mem::take(&mut letters);
            for (at, actor) in all.to.into_iter().enumerate() {
                let words = &all.words[at * size..(at + 1) * size];
                match actor < self.actors {
                    true => {
                        letters.to.push(actor);
                        letters.words.extend(words);
                    }
                    false => self.bury(state, actor, words, &self.no_such_actor(actor)),
                }
            }
        }
        letters
    }

    /// The actors that have stopped, those that just have among them; `None` if one of these messages is to one of them, or to an actor that
    /// does not exist.
    pub fn open_to(&self, to: &[u32], just_stopped: &[u32]) -> Option<Vec<u32>> {
        let mut stopped: Vec<u32> = self.lock().stopped.iter().chain(just_stopped).copied().collect();
        stopped.sort_unstable();
        let has_stopped = |actor: &u32| stopped.binary_search(actor).is_ok();
        let is_closed = |actor: &u32| *actor >= self.actors || !stopped.is_empty() && has_stopped(actor);
        (!to.is_empty() && !to.iter().any(is_closed)).then_some(stopped)
    }

    /// Takes over what has come of rounds: what is left waits before everything else, and so many messages the pump still has.
    pub fn take_rounds(&self, went: &Went, left: Sent, in_flight: usize) {
        let mut state = self.lock();
        let counts = &mut state.counts;
        counts.rounds += went.rounds;
        counts.processed += went.handled;
        let done = went.handled + in_flight as u64;
        counts.accepted += done + left.to.len() as u64 - went.from_others as u64;
        for &(messages, accepted) in &went.accepted {
            counts.took(messages as u64, accepted.elapsed());
        }
        if let Some(rounds) = u32::try_from(went.rounds).ok().filter(|rounds| *rounds > 0) {
            let between = done.saturating_sub(went.from_others as u64);
            counts.took(between, went.time / rounds);
        }
        // There was room for it before.
        self.accept_sent(&mut state, left, usize::MAX);
        self.go_on(state, in_flight, false);
    }

    /// The pump is done with the messages that it had, and has so many now: tells those who wait for room, all of them if an actor has
    /// stopped, because one who waits for that actor makes no use of it; and those who wait for the pump to rest, if it does.
    pub fn go_on(&self, mut state: MutexGuard<'_, State>, in_flight: usize, has_stopped: bool) {
        let room = std::mem::replace(&mut state.in_flight, in_flight);
        let rests = state.life != Life::Active || state.is_settled();
        self.note_room(&state);
        drop(state);
        let room = if has_stopped { usize::MAX } else { room };
        self.room.notify(room.additional());
        self.wake_linked();
        if rests {
            self.changed.notify(usize::MAX);
        }
    }

    pub fn no_such_actor(&self, actor: u32) -> RingError {
        RingError::NoSuchActor {
            kernel: self.name(),
            actors: self.actors,
            actor,
        }
    }

    fn is_open(&self, state: &State, actor: u32) -> Result<(), RingError> {
        if actor >= self.actors {
            return Err(self.no_such_actor(actor));
        }
        match state.stopped.contains(&actor) {
            true => Err(self.stopped(actor)),
            false => Ok(()),
        }
    }

    /// The error of a call that the state forbids.
    pub fn wrong_state(&self, call: &'static str, needed: &str, state: &State) -> RingError {
        match &state.reason {
            Some(reason) => RingError::Failed {
                kernel: self.name(),
                reason: reason.clone(),
            },
            None => RingError::State {
                call,
                kernel: self.name(),
                needed: needed.to_string(),
                found: state.life,
            },
        }
    }

    pub fn stopped(&self, actor: u32) -> RingError {
        RingError::ActorStopped {
            kernel: self.name(),
            actor,
        }
    }

    pub fn name(&self) -> String {
        self.entry.id.to_string()
    }

    /// The error of what did not happen in time.
    pub fn timeout(&self, what: &'static str, after: Duration, state: &State) -> RingError {
        RingError::Timeout {
            what,
            kernel: self.name(),
            after,
            stopped_actors: state.stopped.len(),
            dead_letters: state.dead.len(),
            rests: Some(state.life).filter(|life| matches!(life, Life::Launched | Life::Deactivated)),
            queued: state.letters.len(),
        }
    }

    /// Tells those who have called and waited too long.
    pub fn tell_overdue(&self) {
        let mut state = self.lock();
        let overdue = state.callers.take_overdue(Instant::now());
        let told: Vec<_> = overdue
            .into_iter()
            .map(|(reply, after)| (reply, self.timeout("a call", after, &state)))
            .collect();
        drop(state);
        for (reply, error) in told {
            // Who called may be gone.
            let _ = reply.send(Err(error));
        }
    }

    /// Ends the kernel when what it has is handled, or at once.
    pub fn begin_to_end(&self, how: Terminate) {
        let mut state = self.lock();
        if state.life.is_over() {
            return;
        }
        if state.life != Life::Terminating {
            tracing::info!(kernel = self.entry.id, "ring kernel terminating");
        }
        state.life = Life::Terminating;
        if how == Terminate::Now {
            self.now.store(true, Ordering::Release);
        }
        self.wake(state);
        // Who waits for room waits in vain.
        self.room.notify(usize::MAX);
    }

    /// How the kernel stands, whose actors this engine runs.
    pub fn status(&self, engine: Engine) -> Status {
        let state = self.lock();
        Status {
            kernel: self.name(),
            life: state.life,
            reason: state.reason.clone(),
            actors: self.actors,
            stopped_actors: state.stopped.len() as u32,
            engine,
            queued: state.letters.len() + state.in_flight,
            unreceived: state.outputs.len(),
            capacity: self.capacity,
            full: self.full(&state),
        }
    }

    /// Tells everybody who waits to look again.
    pub fn notify_all(&self) {
        for event in [&self.room, &self.answered, &self.changed] {
            event.notify(usize::MAX);
        }
        self.note_room(&self.lock());
        self.wake_linked();
    }
}

impl State {
    /// Whether the pump may take messages.
    pub fn may_run(&self, shared: &Shared) -> bool {
        match self.life {
            Life::Active => self.outputs.len() < shared.capacity && !shared.is_held_up(),
            Life::Terminating => true,
            _ => false,
        }
    }

    /// Takes messages for the pump.
    pub fn take_lot(&mut self) -> Lot {
        let lot = self.letters.take();
        self.in_flight += lot.len();
        self.counts.batches += 1;
        lot
    }

    /// Whether the pump has more to do than what it does.
    pub fn has_work(&self, shared: &Shared) -> bool {
        !self.letters.is_empty() || self.has_news(shared)
    }

    /// Whether it is to do something else than to let actors handle messages.
    pub fn has_news(&self, shared: &Shared) -> bool {
        !self.questions.is_empty() || !self.may_run(shared) || shared.now.load(Ordering::Acquire)
    }

    /// Whether no message waits or is being handled, and it is known what became of all answers.
    pub fn is_settled(&self) -> bool {
        self.letters.is_empty() && self.in_flight == 0 && !self.is_answering
    }

    /// Takes messages that were accepted, given the actor of each and the words of all.
    pub fn take_in(&mut self, to: &[u32], words: &[u32], when: impl FnOnce() -> Instant) {
        let when = self.counts.has_telemetry().then(when);
        self.letters.push(to, words, when);
        self.note_accepted(to.len());
    }

    /// Takes in a parcel.
    pub fn take_in_parcel(&mut self, mut parcel: Parcel) {
        parcel.accepted = self.counts.has_telemetry().then(Instant::now);
        let messages = parcel.len();
        self.letters.push_parcel(parcel);
        self.note_accepted(messages);
    }

    /// So many messages more were accepted, which wait with all others now.
    fn note_accepted(&mut self, messages: usize) {
        let counts = &mut self.counts;
        counts.accepted += messages as u64;
        counts.most_queued = counts.most_queued.max(self.letters.len() as u64);
        counts.most_sent = counts.most_sent.max(self.letters.sent_len() as u64);
    }

    /// What changes whenever a handler has ended.
    pub fn progress(&self) -> [u64; 4] {
        let counts = &self.counts;
        [counts.processed, counts.dropped, counts.rounds, counts.batches]
    }

    pub fn metrics(&self) -> Metrics {
        self.counts.metrics(self.in_flight, &self.letters, self.outputs.len())
    }
}
