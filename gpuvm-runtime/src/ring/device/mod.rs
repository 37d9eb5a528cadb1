//! Actors on an engine that runs programs: a batch is a job with one VM for each actor that has mail. The states stay in the engine's
//! memory, if it has any.

mod courier;
mod delivery;
mod depot;
mod ending;
mod forwarding;
mod layout;
mod parcel;
mod post;
mod rounds;
mod row;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::{ParamSlot, Program};
use gpuvm_core::types::{Context, Value};

pub use self::depot::Depot;
use self::layout::{Content, Layout, Left};
pub use self::parcel::Parcel;
use self::rounds::{OnTheirOwn, is_dense};
use super::batch::{Batch, Mail};
use super::context::Sent;
use super::error::RingError;
use super::handler::{Entry, FORWARDS, REPLIES, ROOMS, Room};
use super::options::RingOptions;
use super::runner::{Handled, Rounds, Runner, Trapped, Turn};
use crate::engine::{Demand, DeviceMemory, Engine, Execute, Image, Limit, Region, Running, Slot, Words};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::trap::Trap;

/// Actors whose states an engine has.
pub struct OnDevice {
    /// The kernel's id.
    id: &'static str,
    executor: Arc<dyn Execute>,
    engine: Engine,
    program: Arc<Program>,
    actors: u32,
    /// The words of an actor's first state.
    initial: Vec<u32>,
    states: States,
    /// Words of a message.
    message_words: usize,
    /// Words that a handler returns.
    answer_words: usize,
    /// The most messages that an actor sends while it handles one; 0 if it sends none.
    sends: usize,
    /// What there is room for beside the answer to a message.
    rooms: [Room; ROOMS],
    /// Jobs of batches that were begun, in that order.
    under_way: VecDeque<Started>,
    /// What actors need for mail that is in the engine's memory, where that is possible.
    on_their_own: Option<OnTheirOwn>,
}

/// Where the states are.
enum States {
    /// In an engine's memory, with which actors are busy.
    Engine {
        memory: Arc<dyn DeviceMemory>,
        states: Region,
        busy: Region,
    },
    Host(Vec<u32>),
}

impl States {
    /// The states of so many actors, of which these are all words.
    fn new(executor: &dyn Execute, words: Vec<u32>, actors: u32) -> Result<States> {
        let Some(memory) = executor.memory() else {
            return Ok(States::Host(words));
        };
        let states = memory.allocate(words.len().max(1) as u64)?;
        let busy = memory.allocate(actors.into())?;
        if !words.is_empty() {
            memory.write(&states, &words.as_slice())?;
        }
        memory.write(&busy, &vec![0; actors as usize].as_slice())?;
        Ok(States::Engine { memory, states, busy })
    }

    /// The words that travel with each job: none if the states stay on the engine.
    fn on_host(&self) -> &[u32] {
        match self {
            States::Engine { .. } => &[],
            States::Host(states) => states,
        }
    }

    /// How many words travel with each job that say whether an actor is busy: there is one job at a time then.
    fn busy_on_host(&self, actors: u32) -> usize {
        match self {
            States::Engine { .. } => 0,
            States::Host(_) => actors as usize,
        }
    }
}

/// Words of an entry of the mail.
const MAIL_WORDS: usize = 3;
/// How long a batch runs before somebody looks whether the kernel is to end.
const LOOK: Duration = Duration::from_millis(100);
/// Batches under way at a time: one is on the device, and the next is there when that ends.
const MOST_BATCHES: usize = 2;
/// Instructions of each VM that a batch begins with: far more than until it has looked whether its actor is busy, because batches that are begun
/// later do not wait for more.
const FIRST_CYCLES: u64 = 256;
/// Words of a VM's context.
const CONTEXT_WORDS: usize = Context::TYPE.words as usize;

impl OnDevice {
    /// Actors in their first state, of which an engine runs the program.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the engine has no room for the states.
    pub fn new(
        runtime: &Runtime,
        entry: &Entry,
        (engine, program): (Engine, Arc<Program>),
        options: &RingOptions,
    ) -> Result<OnDevice> {
        let actors = options.actors;
        let executor = runtime.executor(engine)?;
        let initial = (entry.initial)();
        let states = States::new(&*executor, initial.repeat(actors as usize), actors)?;
        let on_their_own = OnTheirOwn::new(runtime, entry, &*executor, (actors, options.answers));
        Ok(OnDevice {
            id: entry.id,
            executor,
            engine,
            program,
            actors,
            initial,
            states,
            message_words: entry.message.ty.words as usize,
            answer_words: entry.returned.words as usize,
            sends: entry.sends as usize,
            rooms: entry.rooms(),
            under_way: VecDeque::new(),
            on_their_own,
        })
    }

    /// The slot of the states, given where they are in a job's arena if the engine has no memory for them.
    fn states_slot(&self, on_host: usize) -> Slot {
        let region = match &self.states {
            States::Engine { states, .. } => Some(states.clone()),
            States::Host(_) => None,
        };
        self.slot_of_actors(region, on_host)
    }

    /// The same for which actors are busy.
    fn busy_slot(&self, on_host: usize) -> Slot {
        let region = match &self.states {
            States::Engine { busy, .. } => Some(busy.clone()),
            States::Host(_) => None,
        };
        self.slot_of_actors(region, on_host)
    }

    /// The slot of a column with an element for each actor, in a region or in a job's arena.
    fn slot_of_actors(&self, region: Option<Region>, on_host: usize) -> Slot {
        Slot {
            place: ParamSlot {
                base: if region.is_some() { 0 } else { on_host as u32 },
                length: self.actors,
                ..ParamSlot::default()
            },
            region,
        }
    }

    /// Words of a message that was sent, with its actor.
    fn letter_words(&self) -> usize {
        1 + self.message_words
    }

    /// Runs one job for some of the mail.
    fn run(&mut self, mail: &[Mail], batch: &Batch, turn: &Turn<'_>, done: &mut Handled) -> Result<()> {
        let started = self.start(mail, batch, turn.now)?;
        self.finish(started, mail, batch, turn, done)
    }

    /// Starts a job for some of the mail, at a time of the kernel's clock.
    fn start(&self, mail: &[Mail], batch: &Batch, now: u64) -> Result<Started> {
        let layout = Layout::new(self, mail);
        let job = layout.job(self, mail.len() as u32);
        let content = Content::new(self, &layout, mail, batch, now);
        Ok(Started {
            running: self.executor.start(job, &content)?,
            layout,
            is_first: self.under_way.is_empty(),
        })
    }

    /// Lets a job that was started come to its end, and takes over what it has left.
    fn finish(
        &mut self,
        started: Started,
        mail: &[Mail],
        batch: &Batch,
        turn: &Turn<'_>,
        done: &mut Handled,
    ) -> Result<()> {
        let Started {
            layout,
            mut running,
            is_first,
        } = started;
        let end = self.bring_to_end(&mut *running, turn)?;
        done.is_late |= end.is_late;
        let image = if end.has_trapped { Some(running.image()?) } else { None };
        let words = running.finish()?.changed;
        if image.is_some() || self.sends > 0 {
            let begin = layout.of_batch.start;
            let vms = mail.iter().enumerate().map(|(vm, mail)| Ended {
                vm,
                mail: *mail,
                first: mail.first - begin,
            });
            self.collect(vms, &layout.left(&words), image.as_ref(), done);
        }
        if !is_first {
            done.note_held(mail, layout.left(&words).handled);
        }
        if let States::Host(states) = &mut self.states {
            states.copy_from_slice(layout.states(&words));
        }
        let count = batch.places.len();
        take_answers(
            &mut done.answers,
            layout.answers(words),
            &layout.of_batch,
            (self.answer_words, count),
        );
        Ok(())
    }

    /// Lets a job run until no VM can go on.
    fn bring_to_end(&self, running: &mut dyn Running, turn: &Turn<'_>) -> Result<JobEnd> {
        let limit = Limit {
            time: Some(LOOK),
            untimed: true,
            ..Limit::default()
        };
        let mut looks = 0;
        loop {
            let tally = running.advance(&limit, &mut |_| looks += 1)?;
            if tally.running == 0 && tally.yielded == 0 {
                return Ok(JobEnd {
                    has_trapped: tally.trapped > 0,
                    is_late: looks > 1,
                });
            }
            if (turn.is_over)() {
                let kernel = self.id.to_string();
                return Err(RingError::Closed { kernel }.into());
            }
        }
    }

    /// Collects how VMs have ended, and what their actors have sent, replied and forwarded.
    fn collect(&self, vms: impl Iterator<Item = Ended>, left: &Left<'_>, image: Option<&Image>, done: &mut Handled) {
        for Ended { vm, mail, first } in vms {
            let rest = Mail {
                first: mail.first + left.handled[vm],
                ..mail
            };
            let record = image.and_then(|image| image.vm(&self.program, vm)?.trap);
            let context = left.context(vm);
            // What was replied and forwarded before an actor trapped counts.
            let begun = first..first + left.handled[vm] + u32::from(record.is_some());
            for (at, reply) in left.values(REPLIES, begun.clone(), self.rooms[REPLIES]) {
                done.replied.to.push(mail.first + at);
                done.replied.words.extend_from_slice(reply);
            }
            for (_, letter) in left.values(FORWARDS, begun, self.rooms[FORWARDS]) {
                done.forwarded.to.push(letter[0]);
                done.forwarded.words.extend_from_slice(&letter[1..]);
            }
            if let Some(record) = record {
                let trap = Trap {
                    vm: mail.actor,
                    ..Trap::of(&self.program, &record)
                };
                done.trapped.push(Trapped { rest, trap });
            } else if context.stopped {
                done.stopped.push(rest);
            }
            let sent = first as usize * self.sends..context.sent as usize;
            for letter in left.letters(sent, self.letter_words()) {
                done.sent.to.push(letter[0]);
                done.sent.words.extend_from_slice(&letter[1..]);
            }
        }
    }

    /// How much of this mail one job may have.
    fn most(&mut self, mail: &[Mail]) -> usize {
        let mut most = mail.len();
        while most > 0 && !self.fits(&mail[..most]) {
            most /= 2;
        }
        if most == 0 && self.on_their_own.as_ref().is_some_and(|own| own.depot.make_way()) {
            return self.most(mail);
        }
        most
    }

    /// Runs several jobs for the mail of one actor.
    fn run_in_pieces(&mut self, mail: Mail, batch: &Batch, turn: &Turn<'_>, done: &mut Handled) -> Result<()> {
        let mut piece = mail;
        while piece.first < mail.end {
            while !self.fits(&[piece]) {
                let messages = piece.end - piece.first;
                if messages < 2 {
                    return Err(Error::TooLarge {
                        routine: self.program.name.clone(),
                        words: Layout::new(self, &[piece]).words() as u64,
                        vms: 1,
                        engine: self.engine,
                    });
                }
                piece.end = piece.first + messages / 2;
            }
            self.run(&[piece], batch, turn, done)?;
            // The actor may have ended in this piece, and then handles none of the others.
            let trapped = done.trapped.last_mut().map(|trapped| &mut trapped.rest);
            let mut ended = trapped.into_iter().chain(done.stopped.last_mut());
            if let Some(rest) = ended.find(|rest| rest.actor == mail.actor) {
                rest.end = mail.end;
                break;
            }
            let messages = piece.end - piece.first;
            (piece.first, piece.end) = (piece.end, mail.end.min(piece.end + messages));
        }
        Ok(())
    }

    /// Whether one job may have so much mail.
    fn fits(&self, mail: &[Mail]) -> bool {
        let per_vm = MAIL_WORDS + 1 + if self.sends > 0 { CONTEXT_WORDS } else { 0 };
        let demand = Demand {
            shared_words: (Layout::new(self, mail).words() - mail.len() * per_vm) as u64,
            words_per_vm: per_vm as u64,
            atomic_words: 0,
        };
        self.executor.capacity(&self.program, &demand) as usize >= mail.len()
    }
}

/// A job for some of a batch's mail that was started.
struct Started {
    layout: Layout,
    running: Box<dyn Running>,
    /// Whether no other one was under way.
    is_first: bool,
}

/// How a job has come to its end.
struct JobEnd {
    has_trapped: bool,
    /// Whether VMs were not done when the host first looked.
    is_late: bool,
}

/// A VM that has ended.
struct Ended {
    vm: usize,
    /// Its mail, as those count it who gave it.
    mail: Mail,
    /// Its first message, as the job counts them.
    first: u32,
}

impl Runner for OnDevice {
    fn handle(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        let mut done = Handled::default();
        let mut rest = &batch.mail[..];
        while let [next, others @ ..] = rest {
            match self.most(rest) {
                0 => {
                    self.run_in_pieces(*next, batch, turn, &mut done)?;
                    rest = others;
                }
                most => {
                    let (mail, later) = rest.split_at(most);
                    self.run(mail, batch, turn, &mut done)?;
                    rest = later;
                }
            }
        }
        Ok(done)
    }

    fn most_batches(&self) -> usize {
        // Engines without rows do not go on by themselves. Where actors go round by themselves the device has enough to do.
        let has_memory = matches!(self.states, States::Engine { .. });
        let goes_round = self.on_their_own.as_ref().is_some_and(OnTheirOwn::goes_round);
        match has_memory && !goes_round && self.executor.sequence().is_some() {
            true => MOST_BATCHES,
            false => 1,
        }
    }

    fn begin(&mut self, batch: &Batch, now: u64) -> Result<bool> {
        if batch.mail.is_empty() || !self.fits(&batch.mail) {
            return Ok(false);
        }
        let mut started = match self.start(&batch.mail, batch, now) {
            // There may be room when those under way have ended.
            Err(Error::OutOfMemory { .. }) => return Ok(false),
            started => started?,
        };
        let has_begun = started.running.begin(FIRST_CYCLES)?;
        if has_begun {
            self.under_way.push_back(started);
        }
        Ok(has_begun)
    }

    fn end(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        let mut done = Handled::default();
        match self.under_way.pop_front() {
            Some(started) => self.finish(started, &batch.mail, batch, turn, &mut done)?,
            None => done = self.handle(batch, turn)?,
        }
        Ok(done)
    }

    fn goes_round(&self, messages: usize) -> bool {
        let goes_round = self.on_their_own.as_ref().is_some_and(OnTheirOwn::goes_round);
        goes_round && is_dense(messages, self.actors)
    }

    fn rounds(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        self.go_round(sent, stopped, turn)
    }

    fn depot(&self) -> Option<&Arc<Depot>> {
        self.on_their_own.as_ref().map(|own| &own.depot)
    }

    fn delivers(&self, depot: &Depot, messages: usize) -> bool {
        let own = self.on_their_own.as_ref();
        own.is_some_and(|own| own.delivers_to(depot)) && is_dense(messages, depot.sizes.actors)
    }

    fn take_in(&mut self, parcel: Parcel, turn: &Turn<'_>) -> Result<Rounds> {
        self.go_round_with(parcel, turn)
    }

    fn states(&mut self, actors: Range<u32>) -> Result<Vec<u32>> {
        let size = self.initial.len() as u32;
        let (start, end) = (actors.start * size, actors.end * size);
        match &self.states {
            States::Host(states) => Ok(states[start as usize..end as usize].to_vec()),
            States::Engine { .. } if size == 0 => Ok(Vec::new()),
            States::Engine { memory, states, .. } => {
                let part = Region {
                    start: states.start + start,
                    words: end - start,
                    guard: Arc::clone(&states.guard),
                };
                Ok(memory.read(&part)?.into_vec())
            }
        }
    }

    fn restore(&mut self, words: &[u32]) -> Result<()> {
        match &mut self.states {
            States::Host(states) => states.copy_from_slice(words),
            States::Engine { memory, states, .. } if !words.is_empty() => memory.write(states, &words)?,
            States::Engine { .. } => {}
        }
        Ok(())
    }

    fn reset(&mut self, actors: &[u32]) -> Result<()> {
        let size = self.initial.len();
        let reset = |states: &mut [u32]| {
            for &actor in actors {
                states[actor as usize * size..][..size].copy_from_slice(&self.initial);
            }
        };
        match &mut self.states {
            States::Host(states) => reset(states),
            States::Engine { memory, states, busy } => {
                let edit = |region: &Region, change: &dyn Fn(&mut [u32])| {
                    let mut words = memory.read(region)?.into_vec();
                    change(&mut words);
                    memory.write(region, &words.as_slice())
                };
                edit(states, &reset)?;
                edit(busy, &|busy| actors.iter().for_each(|&actor| busy[actor as usize] = 0))?;
            }
        }
        Ok(())
    }
}

impl Handled {
    /// Takes down which mail of a job was left alone, given how much of it each VM has handled.
    fn note_held(&mut self, mail: &[Mail], handled: &[u32]) {
        let trapped = &self.trapped;
        let has_trapped = |mail: &Mail| {
            let found = trapped.binary_search_by_key(&mail.actor, |trapped| trapped.rest.actor);
            found.is_ok()
        };
        let untouched = mail.iter().zip(handled).filter(|(_, handled)| **handled == 0);
        let held = untouched.map(|(mail, _)| *mail).filter(|mail| !has_trapped(mail));
        self.held.extend(held);
    }
}

/// Takes the answers to those messages of a batch, of so many words each, to those of the jobs before. If they are answers to all messages
/// they stay where they are.
fn take_answers(answers: &mut Words, own: Words, messages: &Range<u32>, (size, count): (usize, usize)) {
    if messages.len() == count {
        *answers = own;
        return;
    }
    let mut all = std::mem::take(answers).into_vec();
    all.resize(count * size, 0);
    all[messages.start as usize * size..messages.end as usize * size].copy_from_slice(&own);
    *answers = all.into();
}
