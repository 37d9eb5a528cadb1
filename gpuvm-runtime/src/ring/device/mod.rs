//! Actors on an engine that runs programs: a batch is a job with one VM for each actor that has mail. The states stay in the engine's
//! memory, if it has any.

pub mod abroad;
mod columns;
mod courier;
#[allow(dead_code, reason = "only the routines of its functions run")]
pub mod crossing;
#[allow(dead_code, reason = "only the routines of its functions run")]
mod delivery;
mod depot;
mod ending;
#[allow(dead_code, reason = "only the routines of its functions run")]
mod forwarding;
mod jobs;
pub mod layout;
mod parcel;
mod post;
mod rounds;
mod sequence;
mod states;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gpuvm_core::program::{Log, Program};
use gpuvm_engine::{Engine, Error as Failure, Execute, Ran, ResidentKernel};

pub use self::columns::Columns;
pub use self::depot::Depot;
use self::jobs::Started;
use self::layout::{Layout, Shape};
pub use self::parcel::Parcel;
use self::rounds::OnTheirOwn;
pub use self::rounds::is_dense;
pub use self::sequence::{Begun, End};
use self::states::States;
use super::batch::{Batch, Mail};
use super::context::Sent;
use super::handler::Entry;
use super::not_resident;
use super::options::{Resident, RingOptions};
use super::runner::{Handled, Rounds, Runner, Turn};
use crate::error::{Error, Result};
use crate::logs::LogLimit;
use crate::runtime::Runtime;

/// Which of a kernel's actors are on a device.
pub struct Here {
    /// These, which follow each other.
    pub actors: Range<u32>,
    /// One past the last actor of each device.
    pub ends: Arc<[u32]>,
}

/// Actors whose states an engine has.
pub struct OnDevice {
    /// The kernel's id.
    id: &'static str,
    executor: Arc<dyn Execute>,
    engine: Engine,
    program: Arc<Program>,
    actors: u32,
    states: States,
    shape: Shape,
    /// The log that a batch begins with; no words if the handler prints nothing.
    log: Vec<u32>,
    /// Jobs of batches that were begun, in that order.
    under_way: VecDeque<Started>,
    /// The kernel, if it stays on the device: it takes what is small.
    resident: Option<Box<dyn ResidentKernel>>,
    /// What actors need for mail that is in the engine's memory, where that is possible.
    on_their_own: Option<OnTheirOwn>,
}

/// Words of an entry of the mail.
const MAIL_WORDS: usize = 3;
/// Batches under way at a time: one is on the device, and the next is there when that ends.
const MOST_BATCHES: usize = 2;
/// Instructions of each VM that a batch begins with: far more than until it has looked whether its actor is busy, because batches that are begun
/// later do not wait for more.
const FIRST_CYCLES: u64 = 256;
/// Words of a time stamp.
const NOW_WORDS: usize = 2;

impl OnDevice {
    /// Actors in their first state, of which an engine runs the program, in rounds of at most so many messages. Those that are on other devices have room here and no mail.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the engine has no room for the states.
    pub fn new(
        runtime: &Runtime,
        entry: &'static Entry,
        (engine, executor, program): (Engine, Arc<dyn Execute>, Arc<Program>),
        (options, here): (&RingOptions, &Here),
        share: usize,
    ) -> Result<OnDevice> {
        let actors = options.actors;
        let states = States::new(&*executor, (entry.initial)(), actors)?;
        let LogLimit { of_a_vm, in_all } = LogLimit::default();
        let log = Log::of(&program, actors).map_or_else(Vec::new, |log| log.empty(of_a_vm, in_all));
        // What actors print is read after each batch.
        let on_their_own = match log.is_empty() {
            false => None,
            true => OnTheirOwn::new(runtime, entry, &*executor, ((actors, here), options.answers), share),
        };
        let resident = match options.resident {
            Resident::Never => None,
            wanted => match executor.resident(&program) {
                Err(Failure::NotResident { reason, .. }) if wanted == Resident::Always => {
                    return Err(not_resident(entry, &reason));
                }
                Err(Failure::NotResident { .. }) => None,
                resident => Some(resident?),
            },
        };
        let actors_on_device = OnDevice {
            id: entry.id,
            executor,
            engine,
            program,
            actors,
            states,
            shape: Shape::of(entry),
            log,
            under_way: VecDeque::new(),
            resident,
            on_their_own,
        };
        actors_on_device.settle_states()?;
        Ok(actors_on_device)
    }

    /// Waits for what the kernel that stays has done, before something else is told to the engine.
    fn make_way(&mut self) -> Result<()> {
        match &mut self.resident {
            Some(resident) => Ok(resident.settle()?),
            None => Ok(()),
        }
    }

    /// Waits for what was written to the states, which a kernel that stays does not.
    fn settle_states(&self) -> Result<()> {
        match self.resident {
            Some(_) => self.states.settle(),
            None => Ok(()),
        }
    }

    /// Whether the kernel that stays takes this mail.
    fn stays_with(&self, mail: &[Mail]) -> bool {
        let resident = self.resident.as_ref();
        resident.is_some_and(|resident| resident.takes(&self.layout(mail).job(self, mail.len() as u32)))
    }

    /// The layout of a job for some of a batch's mail.
    fn layout(&self, mail: &[Mail]) -> Layout {
        let of_actors = [self.states.on_host().len(), self.states.busy_on_host()];
        Layout::new(&self.shape, mail, of_actors)
    }

    /// Whether actors go on by themselves with what they send each other.
    fn has_rounds(&self) -> bool {
        self.on_their_own.as_ref().is_some_and(OnTheirOwn::goes_round)
    }
}

impl Runner for OnDevice {
    fn handle(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        let mut done = Handled::default();
        let mut rest = &batch.mail[..];
        while let [next, others @ ..] = rest {
            if turn.is_over.load(Ordering::Acquire) {
                done.held.extend_from_slice(rest);
                break;
            }
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
        // Engines without sequences do not go on by themselves. Where actors go round by themselves the device has enough to do.
        match self.states.stay() && !self.has_rounds() && self.executor.sequence().is_some() {
            true => MOST_BATCHES,
            false => 1,
        }
    }

    fn begin(&mut self, batch: &Batch, now: u64) -> Result<bool> {
        if batch.mail.is_empty() {
            return Ok(false);
        }
        let is_alone = self.under_way.is_empty();
        if is_alone && let Some(served) = self.serve(&batch.mail, batch, now)? {
            self.under_way.push_back(served);
            return Ok(true);
        }
        // What the kernel that stays takes waits for those under way, and is not launched beside them.
        if self.most_batches() == 1 || !is_alone && self.stays_with(&batch.mail) || !self.fits(&batch.mail) {
            return Ok(false);
        }
        self.make_way()?;
        let mut started = match self.start(&batch.mail, batch, now) {
            // There may be room when those under way have ended.
            Err(Error::OutOfMemory { .. }) => return Ok(false),
            started => started?,
        };
        let has_begun = match &mut started.ran {
            Ran::Halted(_) => true,
            Ran::Stands(running) => match running.begin(FIRST_CYCLES) {
                Err(Failure::OutOfMemory { .. }) => false,
                begun => begun?,
            },
        };
        if has_begun {
            self.under_way.push_back(started);
        }
        Ok(has_begun)
    }

    fn answers_at_once(&self) -> bool {
        self.resident.is_some()
    }

    fn has_ended(&self) -> bool {
        let first = self.under_way.front();
        first.is_some_and(|started| matches!(started.ran, Ran::Halted(_)))
    }

    fn end(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        let Some(started) = self.under_way.pop_front() else {
            return self.handle(batch, turn);
        };
        let mut done = Handled::default();
        self.finish(started, &batch.mail, batch, turn, &mut done)?;
        Ok(done)
    }

    fn goes_round(&self, messages: usize) -> bool {
        self.has_rounds() && is_dense(messages, self.actors)
    }

    fn rounds(&mut self, sent: &Arc<Sent>, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        self.make_way()?;
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
        self.make_way()?;
        self.go_round_with(parcel, turn)
    }

    fn states(&mut self, actors: Range<u32>) -> Result<Vec<u32>> {
        self.make_way()?;
        self.states.read(actors)
    }

    fn restore(&mut self, states: &[u32]) -> Result<()> {
        self.make_way()?;
        self.states.write(states)?;
        self.settle_states()
    }

    fn reset(&mut self, actors: &[u32]) -> Result<()> {
        self.make_way()?;
        self.states.reset(actors)?;
        self.settle_states()
    }
}
