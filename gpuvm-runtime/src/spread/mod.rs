//! One step of a launch on several devices: VMs are independent, so each device runs some of them, and gives what they leave. The bits do not depend
//! on who ran which. A device that is lost gives its VMs back, which begin again elsewhere; what they wrote goes into the launch's columns only
//! when they are all over.

mod members;
mod queue;
mod ranks;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpuvm_core::program::Program;
use gpuvm_core::settings::Settings;
use gpuvm_engine::{Engine, Execute, Limit, Reference, Tally, Words};

pub(crate) use self::members::{Member, Worker, members};
use self::queue::Queue;
use crate::columns::{Columns, Part as ColumnPart};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::leg::{Course, Entrance, Leg};
use crate::native::{self, Host, Vms};
use crate::registry::Registration;
use crate::runtime::Runtime;
use crate::stats::Share;
use crate::tally::{continued, sum};
use crate::trap::Trap;
use crate::vector::write_pieces;
use crate::view::Seen;

/// So long a job runs before it is asked whether the launch is cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// A launch that is to be spread.
pub(crate) struct Spread<'s> {
    pub runtime: &'s Runtime,
    pub entry: &'s Entry,
    pub program: Arc<Program>,
    pub vms: u32,
    pub settings: Settings,
    /// Whether all VMs that trap are told, and not the first alone.
    pub all_traps: bool,
    /// How its submissions follow each other, and how long they take.
    pub limit: Limit,
    pub members: Vec<Member>,
}

/// How a step has gone.
#[derive(Default)]
pub(crate) struct Ran {
    /// The results of all VMs, in their order.
    pub results: Vec<Words>,
    /// The trap of the lowest VM id.
    pub trap: Option<Trap>,
    pub tally: Tally,
    pub shares: Vec<Share>,
    pub longest: Option<Duration>,
}

/// How some VMs have gone.
struct Part {
    range: Range<u32>,
    member: usize,
    results: Words,
    trap: Option<Trap>,
    tally: Tally,
    time: Duration,
}

/// What is known of a step on its way.
struct Step<'c, 'v> {
    spread: &'c Spread<'c>,
    columns: &'c Columns<'v>,
    queue: Queue,
    parts: Mutex<Vec<Part>>,
    /// Why members are of no more use, by their places.
    lost: Mutex<Vec<(usize, Error)>>,
    /// How each part that is under way stands, by its worker.
    standing: Mutex<Vec<Tally>>,
    cancelled: Option<&'c AtomicBool>,
    watch: Mutex<&'c mut (dyn FnMut(&Tally) + Send)>,
}

impl Ran {
    /// Both, if the other one is the step after this one.
    pub(crate) fn then(mut self, next: Ran) -> Ran {
        for share in &mut self.shares {
            if let Some(more) = next.shares.iter().find(|more| more.device == share.device) {
                share.add(more);
            }
        }
        Ran {
            tally: continued(&self.tally, &next.tally),
            longest: self.longest.max(next.longest),
            shares: self.shares,
            ..next
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Spread<'_> {
    /// Runs a step of VMs that share nothing that they write. `watch` gets the tally of all now and then.
    ///
    /// # Errors
    ///
    /// What is wrong with the launch, or when all devices have failed, what the last of them says.
    pub(crate) fn run(
        &self,
        params: Vec<Seen<'_>>,
        cancelled: Option<&AtomicBool>,
        watch: &mut (dyn FnMut(&Tally) + Send),
    ) -> Result<Ran> {
        self.range(&Columns::new(params), 0..self.vms, cancelled, watch)
    }

    /// The same of some of the VMs.
    fn range(
        &self,
        columns: &Columns<'_>,
        vms: Range<u32>,
        cancelled: Option<&AtomicBool>,
        watch: &mut (dyn FnMut(&Tally) + Send),
    ) -> Result<Ran> {
        let rates = self.runtime.rates().of(self.entry.id(), self.runtime.members().len());
        let hands = self.members.iter().map(|member| member.worker.hands());
        let step = Step {
            spread: self,
            columns,
            queue: Queue::new(
                vms,
                self.members
                    .iter()
                    .map(|member| (member.worker.hands(), rates[member.number])),
            ),
            parts: Mutex::default(),
            lost: Mutex::default(),
            standing: Mutex::new(vec![Tally::default(); hands.sum()]),
            cancelled,
            watch: Mutex::new(watch),
        };
        loop {
            step.work()?;
            let is_cancelled = cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed));
            if step.queue.left() == 0 || is_cancelled {
                break;
            }
            let mut lost = lock(&step.lost);
            if lost.len() >= self.members.len()
                && let Some((_, error)) = lost.pop()
            {
                return Err(error);
            }
        }
        Ok(step.ended())
    }

    /// Runs VMs of a range on a member.
    fn part(&self, step: &Step<'_, '_>, hand: usize, member: usize, range: Range<u32>) -> Result<Part> {
        let begin = Instant::now();
        let (results, trap, tally) = match &self.members[member].worker {
            Worker::Native(registration, threads) => self.natively(step, registration, *threads, &range)?,
            Worker::Reference(_) => self.on_engine(
                step,
                hand,
                (Engine::Reference, &(Arc::new(Reference) as Arc<dyn Execute>)),
                &range,
            )?,
            Worker::Engine(engine, executor) => self.on_engine(step, hand, (*engine, executor), &range)?,
        };
        Ok(Part {
            range,
            member,
            results,
            trap,
            tally,
            time: begin.elapsed(),
        })
    }

    fn natively(
        &self,
        step: &Step<'_, '_>,
        registration: &'static Registration,
        threads: usize,
        range: &Range<u32>,
    ) -> Result<(Words, Option<Trap>, Tally)> {
        let host = Host {
            cancelled: step.cancelled,
            ..Host::default()
        };
        let mut parts = step.columns.parts(range, self.vms);
        let params = parts.iter_mut().map(ColumnPart::seen).collect();
        let vms = Vms {
            range: range.clone(),
            count: self.vms,
            threads: Some(threads),
        };
        let ran = native::run(registration, params, vms, self.settings.recursion_limit, host)?;
        step.columns.put_back(parts.into_iter().map(ColumnPart::into_own));
        let mut words = vec![0; range.len() * ran.results.element().words as usize];
        write_pieces(&*ran.results, 0..range.len(), &mut words);
        let trapped = Trap::vms_of(&ran.first_trap).len() as u32;
        let tally = Tally {
            halted: range.len() as u32 - trapped,
            trapped,
            batches: 1,
            engine: Engine::Native,
            ..Tally::default()
        };
        Ok((words.into(), ran.first_trap, tally))
    }

    fn on_engine(
        &self,
        step: &Step<'_, '_>,
        hand: usize,
        (engine, executor): (Engine, &Arc<dyn Execute>),
        range: &Range<u32>,
    ) -> Result<(Words, Option<Trap>, Tally)> {
        let own = Course {
            executor: Arc::clone(executor),
            engine,
            program: Arc::clone(&self.program),
            vms: self.vms,
            range: range.clone(),
            reach: Arc::from([]),
            keep: false,
            counts: self.limit.cycles.is_some(),
            all_traps: self.all_traps,
        };
        let mut written = step.columns.own(range, self.vms);
        let mut seen = step.columns.seen(&mut written);
        let mut leg = Leg::new(&own, &seen, 1, Entrance::Program, self.entry.id())?;
        let limit = Limit {
            time: step.cancelled.map(|_| LOOK),
            ..self.limit.clone()
        };
        let mut results = Words::default();
        while !leg.all_over() && !step.is_cancelled() {
            leg.round(&own, &mut seen, &mut results, &limit, &mut |tally| {
                step.see(hand, tally)
            })?;
        }
        let tally = leg.tally();
        let trap = leg.close(&own, &mut seen, &mut results)?;
        step.columns.put_back(written);
        Ok((results, trap, tally))
    }
}

impl Step<'_, '_> {
    /// Lets all members take parts until nobody does.
    fn work(&self) -> Result<()> {
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            let mut hand = 0;
            for (member, of) in self.spread.members.iter().enumerate() {
                for _ in 0..of.worker.hands() {
                    let failed = &failed;
                    scope.spawn(move || {
                        if let Err(error) = self.hand(hand, member) {
                            lock(failed).get_or_insert(error);
                            self.queue.end();
                        }
                    });
                    hand += 1;
                }
            }
        });
        failed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// Takes parts for a member until there is none for it.
    ///
    /// # Errors
    ///
    /// What another device would say as well.
    fn hand(&self, hand: usize, member: usize) -> Result<()> {
        while !self.is_cancelled()
            && let Some(range) = self.queue.take(member)
        {
            let vms = range.len();
            match self.spread.part(self, hand, member, range.clone()) {
                Ok(part) => {
                    self.queue.done(member, vms, part.time);
                    self.over(hand, part);
                }
                Err(error) => {
                    self.see(hand, &Tally::default());
                    match error {
                        Error::DeviceLost { .. } => self.lose(member, range, error),
                        // A device that does not have the room for one VM, or whose driver refuses the work, is of no use here.
                        Error::OutOfMemory { .. } | Error::TooLarge { .. } if vms > 1 => {
                            self.queue.give_back(member, range, vms as u32 / 2);
                        }
                        Error::OutOfMemory { .. } | Error::TooLarge { .. } | Error::Device { .. } => {
                            self.note_lost(member, error);
                            self.queue.give_back(member, range, 0);
                        }
                        other => {
                            self.queue.give_back(member, range, 0);
                            return Err(other);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A device has failed, and is of no more use to this runtime.
    fn lose(&self, member: usize, range: Range<u32>, error: Error) {
        let Member { number, device, .. } = &self.spread.members[member];
        let (first, last) = (range.start, range.end - 1);
        tracing::warn!(device = device.name, %error, "device lost; VMs {first} to {last} begin again elsewhere");
        self.spread.runtime.lose(*number);
        self.note_lost(member, error);
        self.queue.give_back(member, range, 0);
    }

    fn note_lost(&self, member: usize, error: Error) {
        let mut lost = lock(&self.lost);
        if !lost.iter().any(|(known, _)| *known == member) {
            lost.push((member, error));
        }
    }

    /// A part is over.
    fn over(&self, hand: usize, part: Part) {
        lock(&self.parts).push(part);
        self.see(hand, &Tally::default());
    }

    /// Takes a look at all VMs, of which some worker's stand like this.
    fn see(&self, hand: usize, tally: &Tally) {
        let mut standing = lock(&self.standing);
        standing[hand] = tally.clone();
        let parts = lock(&self.parts);
        let all = sum(parts.iter().map(|part| &part.tally).chain(standing.iter()));
        drop((parts, standing));
        (*lock(&self.watch))(&all);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// What all parts come to.
    fn ended(self) -> Ran {
        let spread = self.spread;
        let mut parts = self.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|part| part.range.start);
        let lost = self.lost.into_inner().unwrap_or_else(PoisonError::into_inner);
        let share = |(place, member): (usize, &Member)| {
            let own = parts.iter().filter(|part| part.member == place);
            let tally = own
                .clone()
                .fold(Tally::default(), |all, part| continued(&all, &part.tally));
            let vms: u64 = own.clone().map(|part| part.range.len() as u64).sum();
            let busy: Duration = own.clone().map(|part| part.time).sum();
            if vms > 0 {
                spread.runtime.rates().see(
                    spread.entry.id(),
                    member.number,
                    (vms as usize * member.worker.hands()) as f64,
                    busy,
                );
            }
            Share {
                device: member.device.clone(),
                engine: match tally.engine {
                    Engine::Auto => member.worker.engine(),
                    engine => engine,
                },
                vms,
                batches: own.count() as u64,
                device_time: tally.device_time,
                busy: busy / member.worker.hands() as u32,
                lost: lost
                    .iter()
                    .find(|(of, _)| *of == place)
                    .map(|(_, error)| error.to_string()),
            }
        };
        let shares = spread.members.iter().enumerate().map(share).collect();
        let tally = parts
            .iter()
            .fold(Tally::default(), |all, part| continued(&all, &part.tally));
        Ran {
            shares,
            tally,
            longest: parts.iter().filter_map(|part| part.tally.device_time).max(),
            trap: Trap::first_of(parts.iter_mut().filter_map(|part| part.trap.take())),
            results: parts.into_iter().map(|part| part.results).collect(),
        }
    }
}
