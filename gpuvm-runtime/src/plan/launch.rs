//! The launches of a step. Where the engine can, they are only added to its row of jobs, and nobody waits for them before somebody has
//! to look; else they are brought to their ends one by one.

use std::sync::Arc;

use gpuvm_core::types::Type;

use super::fuse::Step;
use super::kernel::{Sketch, Source};
use super::log::Launched;
use super::prepared::{Linked, Turn};
use super::program::{At, Columns};
use super::run::{Data, Runner, empty};
use super::stats::added;
use crate::arg::{Argument, Mode};
use crate::bind::Bound;
use crate::engine::{DeviceMemory, Limit, Region, Row, Sequence, Words};
use crate::error::{Error, Result};
use crate::leg::{Course, Entrance, Leg};
use crate::marshal::{Cut, Layout};
use crate::store::{Lease, Store};
use crate::trap::Trap;
use crate::view::{Held, Seen, View, view_of};

/// Launches in a row, and what they need until they have ended.
#[derive(Default)]
pub(super) struct UnderWay {
    row: Option<Box<dyn Sequence>>,
    sent: Vec<Sent>,
    /// Leases on the plan's buffers. Columns need none, as nobody else knows them.
    leases: Vec<Lease>,
    /// Columns that are of no use any more but to tell a trap.
    idle: Vec<(usize, Data)>,
    /// Words that are written by what was sent.
    written: u64,
}

/// A launch in the row.
struct Sent {
    step: usize,
    course: Course,
    layout: Layout,
}

/// Words of columns that may be kept from their next use by launches that nobody has waited for.
const MOST_WRITTEN: u64 = 1 << 26;

impl UnderWay {
    /// Launches on an engine that has such rows, or none.
    pub fn new(row: Option<Box<dyn Sequence>>) -> UnderWay {
        UnderWay {
            row,
            ..UnderWay::default()
        }
    }

    /// Whether launches can be added.
    pub fn is_possible(&self) -> bool {
        self.row.is_some()
    }

    /// Keeps a column that is of no more use as long as what was sent may have to be looked into.
    pub fn keep(&mut self, node: usize, column: Option<Data>) {
        if !self.sent.is_empty() {
            self.idle.extend(column.map(|column| (node, column)));
        }
    }
}

impl<'p> Runner<'p, '_> {
    /// Runs a kernel.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn launch(&mut self, at: At<'_>, kernel: &Linked, vms: usize, columns: &Columns) -> Result<()> {
        if vms == 0 {
            return Ok(());
        }
        let begin = self.log.now();
        self.dispatch(at, kernel, vms, columns)?;
        let launched = Launched {
            step: self.turn.step,
            vms: vms as u64,
            estimated_instructions: kernel.longest.map(|longest| longest.saturating_mul(vms as u64)),
        };
        self.estimated = added(self.estimated, launched.estimated_instructions);
        self.log.launch(begin, &kernel.sketch.kernel.name, &launched);
        Ok(())
    }

    /// Sends a kernel off, or brings it to its end.
    fn dispatch(&mut self, at: At<'_>, kernel: &Linked, vms: usize, columns: &Columns) -> Result<()> {
        let Linked { sketch, program, .. } = kernel;
        let name = &sketch.kernel.name;
        let too_large = || Error::TooLarge {
            routine: name.clone(),
            words: vms as u64,
            vms: vms as u64,
            engine: at.engine,
        };
        let mut params = self.params(at, sketch, vms, columns)?;
        let course = Course {
            executor: Arc::clone(at.executor),
            engine: at.engine,
            program: Arc::clone(program),
            vms: u32::try_from(vms).map_err(|_| too_large())?,
            keep: false,
        };
        let course = match self.send(course, &mut params)? {
            Some(course) => course,
            None => return Ok(()),
        };
        self.settle()?;
        let mut held = Held::new(params, at.executor.memory().as_ref(), false)?;
        held.refresh()?;
        let mut views = held.views();
        let leg = Leg::new(&course, &views, 1, Entrance::Program, name)?;
        self.wait_for(self.turn.step, &course, leg, &mut views)
    }

    /// Adds a launch to the row. Gives the course back if it cannot be a part of it: because some of its data is not in the engine's
    /// memory, or it is more than one job, or sees all of what it writes, which takes a copy.
    fn send(&mut self, course: Course, params: &mut [Bound<'_>]) -> Result<Option<Course>> {
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
        let seen: Option<Vec<Seen<'_>>> = params.iter_mut().zip(&regions).map(seen).collect();
        let Some(seen) = seen else {
            return Ok(Some(course));
        };
        let Course { program, vms, .. } = &course;
        let layout = Layout::new(&seen, program.result_words(), *vms, false);
        if course.executor.capacity(program, &layout.demand()) < *vms {
            return Ok(Some(course));
        }
        let cut = Cut {
            program,
            range: 0..*vms,
            vm_count: *vms,
            steps: 1,
            results: &[],
        };
        let (mut job, arena) = layout.job(&seen, &cut);
        job.atomics = layout.atomics();
        let Some(row) = &mut self.under_way.row else {
            return Ok(Some(course));
        };
        if !row.push(job, &arena)? {
            return Ok(Some(course));
        }
        self.under_way.written += written;
        self.under_way.sent.push(Sent {
            step: self.turn.step,
            course,
            layout,
        });
        if self.under_way.written > MOST_WRITTEN {
            self.settle()?;
        }
        Ok(None)
    }

    /// Takes leases on the plan's buffers among a launch's parameters. If somebody else has one, the row is waited for before it is
    /// asked for again, so that nobody waits for this plan meanwhile.
    fn lease(&mut self, params: &[Bound<'_>]) -> Result<()> {
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

    /// Where a store's data is in the engine's memory.
    fn region(&mut self, store: &Arc<Store>, memory: &Arc<dyn DeviceMemory>, write: bool) -> Result<Option<Region>> {
        let lease = self.under_way.leases.iter_mut().find(|lease| lease.is_on(store));
        match lease {
            Some(lease) => lease.use_on_device(memory),
            None => store.use_on_device(memory, write),
        }
    }

    /// Waits for all launches that were sent.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn settle(&mut self) -> Result<()> {
        while !self.under_way.sent.is_empty() {
            let Some(row) = &mut self.under_way.row else { break };
            let Row { tally, stopped } = row.wait()?;
            let ended = stopped
                .as_ref()
                .map_or(self.under_way.sent.len(), |(number, _)| *number);
            self.add(&tally, ended as u64);
            let mut ended: Vec<Sent> = self
                .under_way
                .sent
                .drain(..ended + usize::from(stopped.is_some()))
                .collect();
            if let (Some((_, running)), Some(sent)) = (stopped, ended.pop()) {
                let leg = Leg::begun(&sent.course, sent.layout, running);
                self.wait_for(sent.step, &sent.course, leg, &mut [])?;
            }
        }
        let row = self.under_way.row.take();
        self.under_way = UnderWay::new(row);
        Ok(())
    }

    /// Brings a launch of a step to its end.
    fn wait_for(&mut self, step: usize, course: &Course, mut leg: Leg, views: &mut [Seen<'_>]) -> Result<()> {
        let mut results = Words::default();
        while !leg.all_over() {
            leg.round(course, views, &mut results, &Limit::default(), &mut |_| {})?;
        }
        let tally = leg.tally();
        self.add(&tally, 1);
        match leg.close(course, views, &mut results)? {
            None => Ok(()),
            Some(record) => {
                let trap = Trap::of(&course.program, &record);
                let error = self.trapped(&course.program.name, course.vms as usize, trap, tally.trapped.into());
                Err(self.told(step, error))
            }
        }
    }

    /// The trap of a step as it would be told if each of its nodes were a step: of several nodes, those before the last are run alone.
    fn told(&mut self, step: usize, trap: Error) -> Error {
        let order = self.order;
        let Some(step) = order.steps.get(step).filter(|step| step.members.len() > 1) else {
            return trap;
        };
        for (node, column) in std::mem::take(&mut self.under_way).idle {
            self.columns[node].get_or_insert(column);
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
                let data = columns.get(column).cloned();
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
