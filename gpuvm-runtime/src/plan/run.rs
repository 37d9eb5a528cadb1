//! A plan on its way: its steps one after the other, each on what the steps before have left.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use gpuvm_engine::{Engine, Tally, Tiles};

use super::Options;
use super::data::Data;
use super::done::PlanDone;
use super::fuse::Step;
use super::kernel::{SCAN_CHUNK, Sketch, Tiling};
use super::log::{Log, labels};
use super::node::{Backing, Kind, Length, Node, Operand, Read, Sight};
use super::order::Order;
use super::prepared::{Linked, Prepared, Turn};
use super::profile::Profiled;
use super::selects::Keeping;
use super::stats::PlanStats;
use super::under_way::UnderWay;
use crate::bind::Bound;
use crate::done::{Done, Results};
use crate::error::{Error, PlanError, Result};
use crate::execution::{ending, or_trap};
use crate::leg::Course;
use crate::logs::Logs;
use crate::questions::Handlers;
use crate::recorder::{self, Recording, Work};
use crate::runtime::Runtime;
use crate::stats::{LeftToInterpreter, Stats};
use crate::store::Store;
use crate::tally::continued;
use crate::trap::Trap;

/// A plan that runs.
pub(super) struct Run<'p, 'a> {
    pub runtime: &'p Runtime,
    pub nodes: &'p [Node<'a>],
    pub order: &'p Order,
    pub engine: Engine,
    pub options: Options,
    /// What each node has given.
    pub columns: Vec<Option<Data>>,
    /// How many entries each filter has kept, and the like of it.
    pub kept: BTreeMap<usize, usize>,
    /// Those whose entries are being kept while nobody knows yet how many.
    pub keeping: BTreeMap<usize, Keeping>,
    /// The plan's buffers, and whether a node writes them.
    pub buffers: Vec<(Arc<Store>, bool)>,
    /// How many launches of sequences have stopped before their ends, so that what came after them began later.
    pub stops: u64,
    /// Launches that nobody has waited for yet.
    pub under_way: UnderWay<'p>,
    /// The launch that is next.
    pub turn: Turn,
    /// The plan, or the body of the loop that runs.
    pub prepared: &'p Prepared,
    pub tally: Tally,
    /// The kernels that were left to the interpreter, and why.
    pub left: Vec<(String, LeftToInterpreter)>,
    pub launches: u64,
    /// The most instructions that the launches retire.
    pub estimated: Option<u64>,
    pub log: Log,
    /// What VMs have printed.
    pub logs: Logs,
    /// Who answers what they ask.
    pub answers: &'p Mutex<Handlers<'a>>,
    pub begin: Instant,
    /// What is written down of it.
    recording: Option<Recording>,
    pub profiled: Profiled,
    /// VMs of the launches that have ended.
    pub vms: u64,
}

impl<'p, 'a> Run<'p, 'a> {
    pub fn new(
        runtime: &'p Runtime,
        nodes: &'p [Node<'a>],
        prepared: &'p Prepared,
        engine: Engine,
        options: Options,
        answers: &'p Mutex<Handlers<'a>>,
    ) -> Self {
        Run {
            runtime,
            nodes,
            order: &prepared.order,
            engine,
            options,
            columns: vec![None; nodes.len()],
            kept: BTreeMap::new(),
            keeping: BTreeMap::new(),
            buffers: nodes.iter().filter_map(buffer).collect(),
            stops: 0,
            under_way: UnderWay::default(),
            turn: Turn::default(),
            prepared,
            tally: Tally::default(),
            left: Vec::new(),
            launches: 0,
            estimated: (engine != Engine::Native).then_some(0),
            log: Log::default(),
            logs: Logs::default(),
            answers,
            begin: Instant::now(),
            recording: None,
            profiled: Profiled::default(),
            vms: 0,
        }
    }

    /// Who answers what VMs ask.
    pub fn answers(&self) -> MutexGuard<'p, Handlers<'a>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs all steps.
    ///
    /// # Errors
    ///
    /// When a device fails, or [`Error::Trap`] with the first trap of the first step in which a VM trapped.
    pub fn run(mut self, plan: u64) -> Result<PlanDone> {
        self.recording = recorder::begin(self.engine, || {
            let kept: Vec<String> = self.order.graph.kept.iter().map(|node| self.label(*node)).collect();
            let steps = self.order.steps.len() as u32;
            Work::plan(&kept.join(", "), self.runtime.device_of(self.engine).name, steps)
        });
        let done = self.run_to_end(plan);
        if let Some(recording) = self.recording.take() {
            if done.is_ok() {
                recording.update(|headway| headway.steps = self.order.steps.len() as u32);
            }
            recording.end(ending(done.as_ref().err()));
        }
        done
    }

    fn run_to_end(&mut self, plan: u64) -> Result<PlanDone> {
        self.check_sizes()?;
        let (prepared, options) = (self.prepared, self.options);
        self.log = Log::new(options.trace || options.profile);
        if options.profile {
            self.profiled = Profiled::new(prepared);
        }
        self.under_way = UnderWay::new(match self.engine {
            Engine::Native => None,
            engine => self.runtime.executor(engine)?.sequence(),
        });
        let ended = self
            .steps()
            .and_then(|()| self.settle())
            .and_then(|()| self.count_all());
        self.logs.sort();
        self.logs.tell("plan");
        let (trace, steps) = std::mem::take(&mut self.log).into_parts();
        let stats = PlanStats { steps, ..self.stats() };
        let profile = self.profile(prepared, trace.as_ref(), ended.is_err());
        if let Err(mut error) = ended {
            if let Error::Trap(report) = &mut error {
                report.done.profile = profile;
            }
            return Err(error);
        }
        let logs = std::mem::take(&mut self.logs);
        let mut columns = BTreeMap::new();
        for &node in &self.order.graph.kept {
            columns.insert(node, self.taken(node));
        }
        Ok(PlanDone::new(
            plan,
            self.nodes,
            self.prepared,
            columns,
            stats,
            (logs, trace, profile),
        ))
    }

    /// Runs the steps of the plan, or those of a turn of a loop, unless a turn before was the last. Columns that are of no more use are
    /// dropped on the way if memory is used again.
    pub fn steps(&mut self) -> Result<()> {
        let order = self.order;
        for (number, step) in order.steps.iter().enumerate() {
            self.count_for(step)?;
            self.turn = Turn {
                step: number,
                entries: self.works_on(step.root),
                launch: 0,
            };
            self.begin_step();
            self.record_step(number as u32, step);
            for &node in order.zeros_for(number) {
                self.zeros(node)?;
            }
            self.run_step(step)?;
            self.end_step(number, step)?;
            if self.under_way.is_closed() {
                break;
            }
            let passed_on = step.members.iter().copied().filter(|node| !step.stored.contains(node));
            let dead = order.dead_after(number).filter(|_| self.options.reuse);
            for node in passed_on.chain(dead) {
                self.columns[node] = None;
            }
        }
        Ok(())
    }

    /// Goes on with the steps of a body, or of what it is in. Gives those so far.
    pub fn enter(&mut self, prepared: &'p Prepared) -> &'p Prepared {
        self.order = &prepared.order;
        std::mem::replace(&mut self.prepared, prepared)
    }

    /// Runs a step.
    pub fn run_step(&mut self, step: &Step) -> Result<()> {
        let nodes = self.nodes;
        match (self.engine, nodes[step.root].kind.as_loop()) {
            (Engine::Native, Some(of)) => self.repeat(step, of, None),
            (Engine::Native, None) => step.members.iter().try_for_each(|member| self.native(*member)),
            (engine, _) => {
                let executor = self.runtime.executor(engine)?;
                self.program(step, engine, &executor)
            }
        }
    }

    /// The kernel of the next launch, made when a run first gets there.
    ///
    /// # Errors
    ///
    /// [`Error::Link`] if it cannot be linked.
    pub fn kernel(&mut self, sketch: impl FnOnce(&Self) -> Sketch) -> Result<Arc<Linked>> {
        let turn = self.turn;
        self.turn.launch += 1;
        self.prepared.kernel(turn, || {
            let sketch = sketch(self);
            let program = self.runtime.link_kernel(&sketch.kernel)?;
            let tiles = match &sketch.tiling {
                None => None,
                Some(Tiling::Scan(op)) => Some(Tiles::Scan {
                    op: self.runtime.link_kernel(op)?,
                    chunk: SCAN_CHUNK,
                }),
                Some(Tiling::Marks) => Some(Tiles::Marks),
            };
            Ok(Linked {
                reach: sketch.reach.as_slice().into(),
                sketch,
                tiles,
                longest: program.estimated_epochs(),
                draft: OnceLock::new(),
                program,
            })
        })
    }

    /// How many entries a step with that root works on.
    fn works_on(&self, root: usize) -> usize {
        match self.nodes[root].kind {
            Kind::Reduce(_) | Kind::ReduceGroups(_) | Kind::Filter(_) | Kind::Dedup { .. } => {
                self.length(self.operand(root, 0).node)
            }
            _ => self.length(root),
        }
    }

    /// A node's operand that is a node, in terms of the node that stands for it.
    pub fn operand(&self, node: usize, index: usize) -> Read {
        let read = self.nodes[node].operands.get(index).and_then(Operand::read);
        let read = read.unwrap_or(Read { node, mode: Sight::Own });
        Read {
            node: self.order.graph.same[read.node],
            ..read
        }
    }

    /// How many entries a node gives.
    pub fn length(&self, node: usize) -> usize {
        match self.nodes[node].length {
            Length::Known(length) => length,
            Length::Kept { filter, .. } => {
                let filter = self.order.graph.same[filter];
                self.kept.get(&filter).copied().unwrap_or_default()
            }
        }
    }

    /// What a node reads of another one, as an argument of a launch of so many VMs.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the VMs cannot share a buffer evenly, or there is no value for them.
    pub fn bound(&self, node: usize, parameter: usize, read: Read, vms: usize) -> Result<Bound<'p>> {
        let data = self.data(read.node);
        let entries = self.entries(&data);
        let names = || (self.label(node), self.parameter(node, parameter));
        match read.mode {
            Sight::Own | Sight::OwnRef | Sight::Uniform if entries == 0 => {
                let (node, parameter) = names();
                let from = self.label(read.node);
                Err(PlanError::NoValue { node, parameter, from }.into())
            }
            Sight::Chunk if !entries.is_multiple_of(vms) => {
                let ((node, parameter), length) = (names(), entries);
                Err(PlanError::Chunks {
                    node,
                    parameter,
                    length,
                    vms,
                }
                .into())
            }
            mode => Ok(Bound {
                mode: mode.mode(),
                argument: self.argument(&data),
            }),
        }
    }

    /// Writes down which step has begun. Those of a loop's body are a part of the loop's.
    fn record_step(&self, number: u32, step: &Step) {
        if let Some(recording) = self.recording.as_ref().filter(|_| self.order.graph.scope.is_none()) {
            let stage = labels(self.nodes, &step.members);
            recording.update(|headway| {
                headway.advances = true;
                headway.steps = number;
                headway.stage = stage;
            });
        }
    }

    /// The name of a node for people.
    fn label(&self, node: usize) -> String {
        self.nodes[node].kind.label(node)
    }

    /// The name of a parameter of a node.
    pub fn parameter(&self, node: usize, index: usize) -> String {
        let of = self.nodes[node].kind.uses();
        let name = of.map(|of| of.entry.name(index));
        name.map_or_else(|| index.to_string(), |name| (*name).to_string())
    }

    /// Adds what launches have cost.
    pub fn add(&mut self, tally: &Tally, launches: u64) {
        self.log.add(tally, launches);
        self.launches += launches;
        self.tally = continued(&self.tally, tally);
        if let Some(recording) = &self.recording {
            recording.update(|headway| {
                headway.launches = self.launches;
                headway.instructions = self.tally.retired.map(|classes| classes.iter().sum());
                headway.device_time = self.tally.device_time;
                if self.tally.engine != Engine::Auto {
                    headway.engine = self.tally.engine;
                }
            });
        }
    }

    /// Notes whether a launch was left to the interpreter.
    pub fn note_left(&mut self, course: &Course, tally: &Tally) {
        let name = &course.program.name;
        if self.left.iter().any(|(known, _)| known == name) {
            return;
        }
        let left = LeftToInterpreter::of(&*course.executor, &course.program, tally);
        self.left.extend(left.map(|left| (name.clone(), left)));
    }

    fn stats(&self) -> PlanStats {
        PlanStats {
            phases: self.order.graph.phase_count() as u64,
            launches: self.launches,
            engine: match self.tally.engine {
                Engine::Auto => self.engine,
                engine => engine,
            },
            device: self.runtime.device_of(self.engine),
            submissions: self.tally.batches,
            estimated_instructions: self.estimated,
            retired: self.tally.retired,
            left_to_interpreter: self.left.clone(),
            host_time: self.begin.elapsed(),
            device_time: self.tally.device_time,
            steps: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// The same as of one launch of so many VMs.
    pub fn launch_stats(&self, vms: u64) -> Stats {
        let (stats, device) = (self.stats(), self.runtime.device_of(self.engine));
        Stats {
            vms,
            batches: stats.launches,
            submissions: stats.submissions,
            retired: stats.retired,
            host_time: stats.host_time,
            device_time: stats.device_time,
            ..Stats::of_nothing(stats.engine, device.clone(), device.float_mode)
        }
    }

    /// Counts a launch that has ended, a part of the profile.
    pub fn ran(&mut self, part: Option<usize>, vms: u32) {
        self.vms += u64::from(vms);
        self.profiled.ended(part, vms);
    }

    /// The error of a launch in which VMs trapped.
    pub fn trapped(&self, routine: &str, vms: usize, trap: Trap, count: u64) -> Error {
        let done = Done {
            routine: routine.to_string(),
            result: <() as gpuvm_core::types::Value>::TYPE,
            results: Results::Words(Vec::new().into()),
            stats: self.launch_stats(vms as u64),
            logs: self.logs.clone(),
            profile: None,
            columns: Vec::new(),
        };
        match or_trap(done, Some((None, trap)), (count, false)) {
            Err(error) => error,
            Ok(_) => Error::Device {
                reason: format!("`{routine}` trapped without a trace"),
            },
        }
    }
}

/// The store of a node that is a buffer of the caller's, and whether another node writes it.
fn buffer(node: &Node<'_>) -> Option<(Arc<Store>, bool)> {
    match &node.kind {
        Kind::Buffer {
            backing: Backing::Given(store),
            writer,
        } => Some((Arc::clone(store), writer.is_some())),
        _ => None,
    }
}
