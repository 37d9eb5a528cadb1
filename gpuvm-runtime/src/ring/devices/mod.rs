//! Actors on several devices: each has neighbouring ones, as many as it was seen to be fast. The mail of a batch goes to the devices that have its actors, which handle it at the same time.
//!
//! A device that is lost takes its actors' states with it. So all states are kept on the host as they were a while ago, with what actors have been given since (`replay.rs`): another
//! device takes the lost one's actors, and all actors handle that once more. Nobody sees any of it, as the same comes of the same messages.
//!
//! What actors on GPUs send each other goes from GPU to GPU (`rounds.rs`), what others do by the host.

mod replay;
mod rounds;
mod shares;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gpuvm_core::program::Program;
use gpuvm_engine::{Engine, Execute, Reference};

use self::replay::Replay;
use self::rounds::Hitch;
use self::shares::{Own, WordsOf, cut, merge};
use super::batch::{Batch, BatchPart, Grouper};
use super::bound::Bound;
use super::context::Sent;
use super::device::crossing::MOST_DEVICES;
use super::device::{Here, OnDevice, is_dense};
use super::handler::Entry;
use super::native::OnCpu;
use super::natively;
use super::options::RingOptions;
use super::runner::{Handled, Rounds, Runner, Turn};
use crate::error::{Error, Result};
use crate::runtime::{Runtime, Spreading};
use crate::spread::{Member, Worker, members};

/// Fewer actors are better on one device, where nothing has to wait for another, unless everything is to be spread. So are those whose messages have to go by the host, which is what takes long
/// then.
const FEWEST: u32 = 1 << 22;

/// How fast a device is can be told from batches that take so long; in others there is more of what is around them.
const TELLING: Duration = Duration::from_millis(1);

/// Actors on several devices.
pub struct OnDevices {
    kernel: Kernel,
    members: Vec<Member<()>>,
    parts: Vec<Part>,
    /// Groups the mail of first rounds.
    grouper: Grouper,
    /// Whether devices wait for each other before each round.
    is_careful: bool,
    replay: Replay,
    /// How many devices were lost.
    lost: u64,
}

/// What it takes to put actors of a kernel on a device.
struct Kernel {
    runtime: Runtime,
    entry: &'static Entry,
    program: Arc<Program>,
    options: RingOptions,
    bound: Bound,
    /// One past the last actor of each part.
    ends: Arc<[u32]>,
    /// What it is called among what is known of how fast devices are.
    name: String,
}

/// Neighbouring actors.
struct Part {
    actors: Range<u32>,
    /// The place of the device that has them among the members.
    member: usize,
    holder: Holder,
}

/// What has them.
enum Holder {
    Natively(OnCpu),
    OnDevice(Box<OnDevice>),
}

impl Part {
    fn runner(&mut self) -> &mut dyn Runner {
        match &mut self.holder {
            Holder::Natively(on_cpu) => on_cpu,
            Holder::OnDevice(on_device) => &mut **on_device,
        }
    }

    /// That its device has failed.
    fn failed(&self, error: Error) -> Failed {
        Failed {
            member: self.member,
            error: Box::new(error),
        }
    }
}

/// What a device has done, and how long it took.
type Done = Result<(Handled, Duration)>;

impl Kernel {
    /// Actors on a device, in their first state.
    fn on(&self, member: &Member<()>, actors: &Range<u32>) -> Result<Holder> {
        let Kernel { entry, options, .. } = self;
        let (engine, executor): (Engine, Arc<dyn Execute>) = match &member.worker {
            Worker::Native((), threads) => {
                return Ok(Holder::Natively(natively(
                    &self.runtime,
                    entry,
                    options,
                    Some(*threads),
                )?));
            }
            Worker::Reference(_) => (Engine::Reference, Arc::new(Reference)),
            Worker::Engine(engine, executor) => (*engine, Arc::clone(executor)),
        };
        let program = Arc::clone(&self.program);
        let here = Here {
            actors: actors.clone(),
            ends: Arc::clone(&self.ends),
        };
        let on = OnDevice::new(
            &self.runtime,
            entry,
            (engine, executor, program),
            (options, &here),
            self.bound.share,
        )?;
        Ok(Holder::OnDevice(Box::new(on)))
    }

    /// Words of its messages and of what its handler returns.
    fn words(&self) -> WordsOf {
        WordsOf {
            message: self.entry.message.ty.words as usize,
            answer: self.entry.returned.words as usize,
        }
    }

    /// The devices that can have actors, and have not failed.
    fn members(&self) -> Vec<Member<()>> {
        members(&self.runtime, &self.program, self.options.engine, Some(()))
    }
}

impl OnDevices {
    /// A kernel's actors in their first state on a runtime's devices; `None` if they are better on one.
    ///
    /// # Errors
    ///
    /// As [`OnDevice::new`].
    pub fn new(
        runtime: &Runtime,
        entry: &'static Entry,
        (options, bound): (&RingOptions, &Bound),
        program: &Arc<Program>,
    ) -> Result<Option<OnDevices>> {
        let spreading = runtime.spreading();
        let is_enough = spreading == Spreading::Always || spreading == Spreading::Auto && options.actors >= FEWEST;
        if runtime.members().len() < 2 || !is_enough {
            return Ok(None);
        }
        let mut kernel = Kernel {
            runtime: runtime.clone(),
            entry,
            program: Arc::clone(program),
            options: options.clone(),
            bound: *bound,
            ends: Arc::from([]),
            name: format!("ring kernel {}", entry.id),
        };
        let mut members = kernel.members();
        if spreading == Spreading::Auto {
            members.retain(|member| matches!(member.worker, Worker::Engine(..)));
        }
        let rates = runtime.rates().of(&kernel.name, runtime.members().len());
        let rates: Vec<Option<f64>> = members.iter().map(|member| rates[member.number]).collect();
        let shares = cut(options.actors, &rates).into_iter().enumerate();
        let shares: Vec<(usize, Range<u32>)> = shares.filter(|(_, actors)| !actors.is_empty()).collect();
        if !(2..=MOST_DEVICES).contains(&shares.len()) {
            return Ok(None);
        }
        kernel.ends = shares.iter().map(|(_, actors)| actors.end).collect();
        let part = |(member, actors): (usize, Range<u32>)| {
            Ok(Part {
                holder: kernel.on(&members[member], &actors)?,
                actors,
                member,
            })
        };
        let parts: Result<Vec<Part>> = shares.into_iter().map(part).collect();
        let all = OnDevices {
            replay: Replay::of(entry, options.actors),
            grouper: Grouper::new(options.actors, entry.message.ty.words as usize),
            is_careful: false,
            parts: parts?,
            kernel,
            members,
            lost: 0,
        };
        Ok((spreading == Spreading::Always || all.crosses()).then_some(all))
    }

    /// The engine that all of them are on; [`Engine::Auto`] if it is not one.
    pub fn engine(&self) -> Engine {
        let mut engines = self.members.iter().map(|member| member.worker.engine());
        let first = engines.next().unwrap_or_default();
        match engines.all(|engine| engine == first) {
            true => first,
            false => Engine::Auto,
        }
    }

    /// The names of the devices.
    pub fn device(&self) -> String {
        let names: Vec<&str> = self.members.iter().map(|member| &*member.device.name).collect();
        names.join(" + ")
    }

    /// What of a batch each device has.
    fn parts_of<'b>(&self, batch: &'b Batch) -> Vec<BatchPart<'b>> {
        let actors = self.parts.iter().map(|part| &part.actors);
        batch.parts(self.kernel.words().message, actors)
    }

    /// A copy of that.
    fn parted(&self, batch: &Batch) -> Vec<Option<Own>> {
        self.parts_of(batch).iter().map(Own::of).collect()
    }

    /// Lets actors handle a batch, each device what it has of it.
    fn handle_parts(&mut self, own: &[Option<Own>], turn: &Turn<'_>) -> Result<Handled, Failed> {
        let (now, is_over) = (turn.now, turn.is_over);
        let busy = self
            .parts
            .iter_mut()
            .zip(own)
            .filter_map(|(part, own)| Some((part, own.as_ref()?)));
        let done = at_the_same_time(busy, |(part, own)| -> Done {
            let begin = Instant::now();
            let handled = part.runner().handle(&own.batch, &quietly(now, is_over))?;
            Ok((handled, begin.elapsed()))
        });
        let mut all = Vec::with_capacity(done.len());
        let with_mail = self
            .parts
            .iter()
            .zip(own)
            .filter_map(|(part, own)| Some((part, own.as_ref()?)));
        for ((part, own), done) in with_mail.zip(done) {
            let (handled, time) = done.map_err(|error| part.failed(error))?;
            if time > TELLING {
                let (messages, number) = (own.batch.places.len(), self.members[part.member].number);
                let rates = self.kernel.runtime.rates();
                rates.see(&self.kernel.name, number, messages as f64, time);
            }
            all.push((own.first, handled));
        }
        let last = own.iter().flatten().next_back();
        let messages = last.map_or(0, |own| own.first as usize + own.batch.places.len());
        Ok(merge(all, messages, self.kernel.words().answer))
    }

    /// Does something with all parts, once more after each loss of a device.
    fn surviving<T>(&mut self, mut what: impl FnMut(&mut OnDevices) -> Result<T, Failed>) -> Result<T> {
        loop {
            let Failed { member, error } = match what(self) {
                Ok(done) => return Ok(done),
                Err(failed) => failed,
            };
            self.lose(member, *error)?;
            while let Err(Failed { member, error }) = self.go_back() {
                self.lose(member, *error)?;
            }
        }
    }

    /// A device has failed: others take its actors.
    fn lose(&mut self, member: usize, error: Error) -> Result<()> {
        if !matches!(error, Error::DeviceLost { .. }) {
            return Err(error);
        }
        let Member { number, device, .. } = &self.members[member];
        tracing::warn!(kernel = self.kernel.entry.id, device = device.name, %error, "device lost; its actors go on elsewhere");
        self.kernel.runtime.lose(*number);
        self.lost += 1;
        let able = self.kernel.members();
        let heirs: Vec<usize> = (0..self.members.len())
            .filter(|place| able.iter().any(|able| able.number == self.members[*place].number))
            .collect();
        if heirs.is_empty() {
            return Err(error);
        }
        let orphans = self.parts.iter_mut().filter(|part| part.member == member);
        for (part, heir) in orphans.zip(heirs.iter().cycle()) {
            part.member = *heir;
            part.holder = self.kernel.on(&self.members[*heir], &part.actors)?;
        }
        Ok(())
    }

    /// Brings all actors to where they were before the last batch.
    fn go_back(&mut self) -> Result<(), Failed> {
        let replay = std::mem::take(&mut self.replay);
        let gone = loop {
            match self.go_through(&replay) {
                Ok(Ok(())) => break Ok(()),
                Ok(Err(hitch)) => self.learn(&hitch),
                Err(failed) => break Err(failed),
            }
        };
        self.replay = replay;
        gone
    }

    fn go_through(&mut self, replay: &Replay) -> Result<Result<(), Hitch>, Failed> {
        self.each(|part| part.runner().restore(replay.states()))?;
        let never = AtomicBool::new(false);
        for entry in replay.entries() {
            match entry {
                replay::Entry::Batch(own, now) => {
                    self.handle_parts(own, &quietly(*now, &never))?;
                }
                replay::Entry::Rounds {
                    sent,
                    stopped,
                    now,
                    count,
                } => {
                    if let Err(hitch) = self.go_round_again((sent, stopped), *now, *count)? {
                        return Ok(Err(hitch));
                    }
                }
                replay::Entry::Reset(actors) => self.reset_parts(actors)?,
            }
        }
        Ok(Ok(()))
    }

    /// Does something with each part.
    fn each<T>(&mut self, mut what: impl FnMut(&mut Part) -> Result<T>) -> Result<Vec<T>, Failed> {
        let parts = self.parts.iter_mut();
        let done = parts.map(|part| what(part).map_err(|error| part.failed(error)));
        done.collect()
    }

    fn reset_parts(&mut self, actors: &[u32]) -> Result<(), Failed> {
        let reset = |part: &mut Part| {
            let own: Vec<u32> = actors
                .iter()
                .copied()
                .filter(|actor| part.actors.contains(actor))
                .collect();
            match own.is_empty() {
                true => Ok(()),
                false => part.runner().reset(&own),
            }
        };
        self.each(reset).map(|_| ())
    }

    /// Keeps all states as they are now, if it would take long to come here again.
    fn keep(&mut self) -> Result<()> {
        if !self.replay.is_due() {
            return Ok(());
        }
        let begin = Instant::now();
        let states = self.states(0..self.kernel.options.actors)?;
        self.replay.begin_at(states, begin.elapsed());
        Ok(())
    }
}

/// That a device has failed.
struct Failed {
    /// Its place among the members.
    member: usize,
    error: Box<Error>,
}

/// What comes of each, all at the same time, of the first on this thread.
fn at_the_same_time<I: Send, T: Send>(each: impl Iterator<Item = I>, run: impl Fn(I) -> T + Sync) -> Vec<T> {
    let run = &run;
    std::thread::scope(|scope| {
        let mut each = each;
        let first = each.next();
        let others: Vec<_> = each.map(|one| scope.spawn(move || run(one))).collect();
        let first = first.map(run);
        let others = others
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        first.into_iter().chain(others).collect()
    })
}

/// A turn of which nobody wants anything else.
fn quietly(now: u64, is_over: &AtomicBool) -> Turn<'_> {
    Turn {
        now,
        is_over,
        is_wanted: &|| true,
        linked: None,
    }
}

impl Runner for OnDevices {
    fn handle(&mut self, batch: &Batch, turn: &Turn<'_>) -> Result<Handled> {
        self.keep()?;
        let begin = Instant::now();
        let own = self.parted(batch);
        let handled = self.surviving(|all| all.handle_parts(&own, turn))?;
        self.replay.push(replay::Entry::Batch(own, turn.now), begin.elapsed());
        Ok(handled)
    }

    fn goes_round(&self, messages: usize) -> bool {
        self.crosses() && is_dense(messages, self.kernel.options.actors)
    }

    fn rounds(&mut self, sent: &Arc<Sent>, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        self.go_round(sent, stopped, turn)
    }

    fn devices_lost(&self) -> u64 {
        self.lost
    }

    fn states(&mut self, actors: Range<u32>) -> Result<Vec<u32>> {
        self.surviving(|all| {
            let own = |part: &mut Part| {
                let own = part.actors.start.max(actors.start)..part.actors.end.min(actors.end);
                match own.is_empty() {
                    true => Ok(Vec::new()),
                    false => part.runner().states(own),
                }
            };
            Ok(all.each(own)?.concat())
        })
    }

    fn restore(&mut self, states: &[u32]) -> Result<()> {
        self.replay.begin_at(states.to_vec(), Duration::ZERO);
        self.surviving(|all| all.each(|part| part.runner().restore(states)).map(|_| ()))
    }

    fn reset(&mut self, actors: &[u32]) -> Result<()> {
        self.surviving(|all| all.reset_parts(actors))?;
        self.replay.push(replay::Entry::Reset(actors.to_vec()), Duration::ZERO);
        Ok(())
    }
}
