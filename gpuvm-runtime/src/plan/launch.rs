//! The launches of a step. Where the engine can, they are only added to its sequence of jobs, and nobody waits for them before somebody has
//! to look; else they are brought to their ends one by one.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Mode;
use gpuvm_core::types::Type;
use gpuvm_engine::{Demand, DeviceMemory, Limit, Region, SequenceEnd, Words};

use super::data::{Data, empty};
use super::draft::Draft;
use super::fuse::Step;
use super::kernel::{Sketch, Source};
use super::log::Launched;
use super::prepared::{Linked, Turn};
use super::program::{At, Columns};
use super::repeat::Gate;
use super::run::Run;
use super::stats::added;
use super::under_way::{Origin, Sent, UnderWay};
use crate::arg::Argument;
use crate::bind::Bound;
use crate::error::{Error, Result};
use crate::leg::{Course, Entrance, Leg};
use crate::logs::{self, LogLimit};
use crate::marshal::{Cut, Layout};
use crate::questions;
use crate::store::{Lease, Store};
use crate::view::{Held, Seen, View, view_of};

/// Words of columns that may be kept from their next use by launches that nobody has waited for.
const MOST_WRITTEN: u64 = 1 << 26;

impl<'p> Run<'p, '_> {
    /// Runs a kernel.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn launch(&mut self, at: At<'_>, kernel: &Linked, vms: usize, columns: &Columns) -> Result<()> {
        if vms == 0 || self.under_way.is_closed() {
            return Ok(());
        }
        self.profile_launch();
        let begin = self.log.now();
        self.dispatch(at, kernel, vms, columns)?;
        self.profiled.clear();
        self.launched(begin, kernel, vms);
        Ok(())
    }

    /// Sends a kernel off whose elements go through tiles; false if that cannot be.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`] of a launch before.
    pub fn launch_tiles(&mut self, at: At<'_>, kernel: &Linked, vms: usize, columns: &Columns) -> Result<bool> {
        self.profile_launch();
        let begin = self.log.now();
        let (course, params) = self.course(at, kernel, vms, columns)?;
        let mut params = self.sampled(&course, kernel, params)?;
        let is_sent = self.send(course, kernel, &mut params, &mut None)?.is_none();
        self.profiled.clear();
        if is_sent && !self.under_way.is_closed() {
            self.launched(begin, kernel, vms);
        }
        Ok(is_sent)
    }

    /// Notes that a kernel was launched.
    fn launched(&mut self, begin: Option<Duration>, kernel: &Linked, vms: usize) {
        let launched = Launched {
            step: self.turn.step,
            vms: vms as u64,
            estimated_instructions: kernel.longest.map(|longest| longest.saturating_mul(vms as u64)),
        };
        self.estimated = added(self.estimated, launched.estimated_instructions);
        self.log.launch(begin, &kernel.sketch.kernel.name, &launched);
    }

    /// Sends a kernel off, or brings it to its end.
    fn dispatch(&mut self, at: At<'_>, kernel: &Linked, vms: usize, columns: &Columns) -> Result<()> {
        let name = &kernel.sketch.kernel.name;
        let (course, mut params) = self.course(at, kernel, vms, columns)?;
        // A VM of a fold goes through many elements, each of which is a VM to what prints.
        let told = params
            .iter()
            .map(|bound| bound.argument.len())
            .max()
            .unwrap_or_default();
        let told = u32::try_from(told).unwrap_or(u32::MAX).max(course.vms);
        let log = logs::argument(&course.program, told, LogLimit::default());
        let asked = questions::argument(&course.program, told, course.engine)?;
        if asked.is_some() {
            self.answers().cover(name, &course.program)?;
        }
        let waits = log.is_some() || asked.is_some();
        // A log is read when its launch has ended, so a launch with one is waited for, as is one that asks.
        params.extend(log);
        params.extend(asked);
        let mut params = self.sampled(&course, kernel, params)?;
        if self.under_way.is_closed() {
            return Ok(());
        }
        let course = match waits {
            true => course,
            false => match self.send(course, kernel, &mut params, &mut None)? {
                Some(course) => course,
                None => return Ok(()),
            },
        };
        self.settle()?;
        if self.under_way.is_closed() {
            return Ok(());
        }
        let mut held = Held::new(params, at.executor.memory().as_ref(), false)?;
        held.refresh()?;
        let mut views = held.views();
        let leg = Leg::new(&course, &views, 1, Entrance::Program, name)?;
        let origin = self.origin(Vec::new());
        // To tell of a trap nodes may run once more, and print once more.
        let before = std::mem::take(&mut self.logs);
        let ended = self.wait_for(origin, &course, leg, &mut views);
        self.logs = before;
        self.logs.append(logs::logged(&course.program, told, &held.params));
        ended
    }

    /// What a launch takes.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`], or [`PlanError`](super::PlanError) if columns do not fit after all.
    pub fn course(
        &self,
        at: At<'_>,
        kernel: &Linked,
        vms: usize,
        columns: &Columns,
    ) -> Result<(Course, Vec<Bound<'p>>)> {
        let Linked { sketch, program, .. } = kernel;
        let name = &sketch.kernel.name;
        let too_large = || Error::TooLarge {
            routine: name.clone(),
            words: vms as u64,
            vms: vms as u64,
            engine: at.engine,
        };
        let params = self.params(at, sketch, vms, columns)?;
        let vms = u32::try_from(vms).map_err(|_| too_large())?;
        let course = Course {
            executor: Arc::clone(at.executor),
            engine: at.engine,
            program: Arc::clone(program),
            vms,
            range: 0..vms,
            reach: Arc::clone(&kernel.reach),
            keep: false,
            counts: false,
            all_traps: false,
        };
        Ok((course, params))
    }

    /// Adds a launch to the sequence, with the gate that it is if it is one. Gives the course back if it cannot be a part of it: because some
    /// of its data is not in the engine's memory, or it is more than one job, or sees all of what it writes, which takes a copy.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn send(
        &mut self,
        course: Course,
        kernel: &Linked,
        params: &mut [Bound<'_>],
        gate: &mut Option<Gate>,
    ) -> Result<Option<Course>> {
        let Some(memory) = course.executor.memory().filter(|_| self.under_way.is_possible()) else {
            return Ok(Some(course));
        };
        if params
            .iter()
            .any(|bound| bound.mode.writes() && times(params, bound) > 1)
        {
            return Ok(Some(course));
        }
        self.lease(params)?;
        if self.under_way.is_closed() {
            return Ok(None);
        }
        let mut regions = Vec::with_capacity(params.len());
        let mut written = 0;
        for bound in params.iter() {
            let region = match &bound.argument {
                Argument::Buffer(store) => match self.region(store, &memory, bound.mode.writes())? {
                    Some(region) => Some(region),
                    None => return Ok(Some(course)),
                },
                _ => None,
            };
            let words = region.as_ref().map_or(0, |region| region.words.into());
            written += if bound.mode.writes() { words } else { 0 };
            regions.push(region);
        }
        if !self.push(&course, kernel, params, regions)? {
            return Ok(Some(course));
        }
        let origin = self.origin(self.read_by_step());
        self.under_way.written += written;
        self.under_way.sent.push(Sent {
            origin,
            course,
            gate: gate.take(),
        });
        if self.under_way.written > MOST_WRITTEN {
            self.settle()?;
        }
        Ok(None)
    }

    /// Adds a launch's job to the sequence, by the draft of it if there is one that suits; false if it cannot be a part of it.
    fn push(
        &mut self,
        course: &Course,
        kernel: &Linked,
        params: &mut [Bound<'_>],
        regions: Vec<Option<Region>>,
    ) -> Result<bool> {
        let (Course { program, vms, .. }, Some(sequence)) = (course, &mut self.under_way.sequence) else {
            return Ok(false);
        };
        // Elements that go through tiles leave no states, for which there would have to be room.
        let has_states = kernel.tiles.is_none();
        let fits = |demand: &Demand| !has_states || course.executor.capacity(program, demand) >= *vms;
        if let Some(draft) = kernel.draft.get().filter(|draft| draft.suits(*vms, params, &regions)) {
            return Ok(fits(&draft.demand) && sequence.push(draft.job(course, regions), &&*draft.words)?);
        }
        let seen: Option<Vec<Seen<'_>>> = params.iter_mut().zip(&regions).map(seen).collect();
        let Some(seen) = seen else {
            return Ok(false);
        };
        let mut layout = Layout::new(&seen, program.result_words(), *vms, false);
        let demand = Demand {
            vms: *vms,
            only_first_trap: true,
            ..layout.demand()
        };
        if !fits(&demand) {
            return Ok(false);
        }
        let cut = Cut {
            program,
            range: 0..*vms,
            vm_count: *vms,
            steps: 1,
            results: &[],
        };
        let (mut job, arena) = layout.job(&seen, &cut);
        job.atomics = layout.take_atomics();
        job.only_first_trap = true;
        job.neighbours = kernel.sketch.neighbours;
        job.tiles = kernel.tiles.clone();
        let draft = Draft::new(&job, &arena, demand, &seen);
        let pushed = sequence.push(job, &arena)?;
        if let Some(draft) = draft.filter(|_| pushed) {
            kernel.draft.get_or_init(|| draft);
        }
        Ok(pushed)
    }

    /// Takes leases on the plan's buffers among a launch's parameters. If somebody else has one, the sequence is waited for before it is
    /// asked for again, so that nobody waits for this plan meanwhile.
    pub fn lease(&mut self, params: &[Bound<'_>]) -> Result<()> {
        let mut wanted: Vec<(&Arc<Store>, bool)> = Vec::new();
        for bound in params {
            let Argument::Buffer(store) = &bound.argument else {
                continue;
            };
            let of = |known: &Arc<Store>| Arc::ptr_eq(known, store);
            let write = self
                .buffers
                .iter()
                .find(|(known, _)| of(known))
                .map(|(_, write)| *write);
            let known = wanted.iter().any(|(known, _)| of(known));
            wanted.extend(write.filter(|_| !known).map(|write| (store, write)));
        }
        let is_leased = |leases: &[Lease], store| leases.iter().any(|lease| lease.is_on(store));
        for (store, write) in &wanted {
            if !is_leased(&self.under_way.leases, store) {
                match Lease::try_take(store, *write) {
                    Some(lease) => self.under_way.leases.push(lease),
                    None => {
                        self.settle()?;
                        break;
                    }
                }
            }
        }
        // All launches take them in the order of addresses, so that no two wait for each other in a circle.
        wanted.retain(|(store, _)| !is_leased(&self.under_way.leases, store));
        wanted.sort_by_key(|(store, _)| Arc::as_ptr(store).addr());
        for (store, write) in wanted {
            self.under_way.leases.push(Lease::take(store, write, false)?);
        }
        Ok(())
    }

    /// Where columns that are read and one that is written lie in the engine's memory; `None` if one of them has no words.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn regions(
        &mut self,
        [first, second]: [&Arc<Store>; 2],
        written: &Arc<Store>,
        memory: &Arc<dyn DeviceMemory>,
    ) -> Result<Option<[Region; 3]>> {
        let stores = [first, second, written];
        let bound = |store: &Arc<Store>| Bound {
            mode: Mode::Slice,
            argument: Argument::Buffer(Arc::clone(store)),
        };
        self.lease(&stores.map(bound))?;
        let mut regions = Vec::with_capacity(stores.len());
        for store in stores {
            regions.extend(self.region(store, memory, Arc::ptr_eq(store, written))?);
        }
        Ok(<[Region; 3]>::try_from(regions).ok())
    }

    /// Where a store's data is in the engine's memory.
    fn region(&mut self, store: &Arc<Store>, memory: &Arc<dyn DeviceMemory>, write: bool) -> Result<Option<Region>> {
        let lease = self.under_way.leases.iter_mut().find(|lease| lease.is_on(store));
        match lease {
            Some(lease) => lease.use_on_device(memory),
            None => store.use_on_device(memory, write),
        }
    }

    /// The step that runs.
    fn origin(&self, columns: Vec<(usize, Data)>) -> Origin<'p> {
        Origin {
            prepared: self.prepared,
            step: self.turn.step,
            part: self.profiled.part(),
            columns,
        }
    }

    /// The columns that the step which runs reads, if it is of several nodes.
    fn read_by_step(&self) -> Vec<(usize, Data)> {
        let step = self
            .order
            .steps
            .get(self.turn.step)
            .filter(|step| step.members.len() > 1);
        let members = step.into_iter().flat_map(|step| &step.members);
        let reads = members.flat_map(|member| self.order.graph.reads(self.nodes, *member));
        let column = |node: usize| Some((node, self.columns[node].clone()?));
        reads.filter_map(|read| column(read.node)).collect()
    }

    /// Waits for all launches that were sent, up to the gate at which a loop has ended.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn settle(&mut self) -> Result<()> {
        while !self.under_way.sent.is_empty() {
            let Some(sequence) = &mut self.under_way.sequence else {
                break;
            };
            let SequenceEnd { tally, stopped } = sequence.wait()?;
            let ended = stopped
                .as_ref()
                .map_or(self.under_way.sent.len(), |(number, _)| *number);
            self.add(&tally, ended as u64);
            let mut ended: Vec<Sent<'p>> = self
                .under_way
                .sent
                .drain(..ended + usize::from(stopped.is_some()))
                .collect();
            let stopped = stopped.and_then(|(_, running)| Some((running, ended.pop()?)));
            for sent in &ended {
                self.note_left(&sent.course, &tally);
                self.ran(sent.origin.part, sent.course.vms);
            }
            let Some((running, sent)) = stopped else {
                continue;
            };
            self.stops += 1;
            match sent.gate {
                Some(gate) if self.is_set(&gate.flag)? => {
                    // The rest of the sequence is never to run.
                    self.under_way = UnderWay::new(sent.course.executor.sequence());
                    self.under_way.close(gate);
                    return Ok(());
                }
                _ => {
                    let leg = Leg::begun(&sent.course, running);
                    self.wait_for(sent.origin, &sent.course, leg, &mut [])?;
                }
            }
        }
        let UnderWay { sequence, closed, .. } = std::mem::take(&mut self.under_way);
        self.under_way = UnderWay {
            closed,
            ..UnderWay::new(sequence)
        };
        Ok(())
    }

    /// Brings a launch of a step to its end.
    fn wait_for(&mut self, origin: Origin<'p>, course: &Course, mut leg: Leg, views: &mut [Seen<'_>]) -> Result<()> {
        let mut results = Words::default();
        while !leg.all_over() {
            leg.round(course, views, &mut results, &Limit::default(), &mut |_| {})?;
            if leg.is_blocked() {
                leg.serve(course, &mut self.answers())?;
            }
        }
        let tally = leg.tally();
        self.add(&tally, 1);
        self.note_left(course, &tally);
        self.ran(origin.part, course.vms);
        match leg.close(course, views, &mut results)? {
            None => Ok(()),
            Some(trap) => {
                let error = self.trapped(&course.program.name, course.vms as usize, trap, tally.trapped.into());
                Err(self.told(origin, error))
            }
        }
    }

    /// The trap of a step as it would be told if each of its nodes were a step: of several nodes, those before the last are run alone.
    fn told(&mut self, origin: Origin<'p>, trap: Error) -> Error {
        let Origin {
            prepared,
            step,
            columns,
            ..
        } = origin;
        let order = &prepared.order;
        let Some(step) = order.steps.get(step).filter(|step| step.members.len() > 1) else {
            return trap;
        };
        self.under_way = UnderWay::default();
        self.enter(prepared);
        for (node, column) in columns {
            self.columns[node] = Some(column);
        }
        // The steps that are made for this have one node each, and are none of the plan's.
        self.turn = Turn {
            step: order.steps.len(),
            ..Turn::default()
        };
        let before = step.members.iter().filter(|member| **member != step.root);
        let alone = |&root: &usize| {
            self.run_step(&Step {
                root,
                members: vec![root],
                stored: vec![root],
            })
        };
        before.map(alone).find_map(Result::err).unwrap_or(trap)
    }

    /// What stands for a kernel's launch parameters.
    fn params(&self, at: At<'_>, sketch: &Sketch, vms: usize, columns: &Columns) -> Result<Vec<Bound<'p>>> {
        let param = |source: &Source| match source {
            Source::Node(from, parameter, read) => self.bound(*from, *parameter, *read, vms),
            Source::Value(value) => Ok(Bound {
                mode: Mode::Value,
                argument: Argument::Uniform(value.to_vector()),
            }),
            Source::Column(column, mode) => {
                let data = columns.get(*column).cloned();
                Ok(Bound {
                    mode: *mode,
                    argument: self.argument(&data.unwrap_or_else(|| empty(self.nodes[at.root].element))),
                })
            }
        };
        sketch.sources.iter().map(param).collect()
    }
}

/// How many of the parameters have the same buffer as one of them.
fn times(params: &[Bound<'_>], bound: &Bound<'_>) -> usize {
    let store = |bound: &Bound<'_>| match &bound.argument {
        Argument::Buffer(store) => Some(Arc::as_ptr(store)),
        _ => None,
    };
    params.iter().filter(|other| store(other) == store(bound)).count()
}

/// How a launch sees a parameter that is in the engine's memory or comes with the job.
fn seen<'v>((bound, region): (&'v mut Bound<'_>, &'v Option<Region>)) -> Option<Seen<'v>> {
    let mode = bound.mode;
    let element: &'static Type = bound.argument.element();
    let view = match (region, &bound.argument) {
        (Some(region), Argument::Buffer(store)) => View::Device {
            region,
            element,
            len: store.len,
        },
        _ => view_of(bound)?,
    };
    Some(Seen {
        mode,
        view,
        copy_of: None,
    })
}
