//! A plan on its way: its steps one after the other, each on what the steps before have left.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use gpuvm_core::types::Type;

use super::done::PlanDone;
use super::error::PlanError;
use super::fuse::Step;
use super::kernel::Sketch;
use super::launch::UnderWay;
use super::log::Log;
use super::node::{Backing, Kind, Length, Node, Operand, Read, Sight};
use super::order::Order;
use super::prepared::{Linked, Prepared, Turn};
use super::stats::PlanStats;
use crate::arg::Argument;
use crate::bind::Bound;
use crate::device::Device;
use crate::done::{Done, Results};
use crate::engine::{Dispatch, Engine, Execute, Tally};
use crate::error::{Error, Result};
use crate::execution::or_trap;
use crate::runtime::Runtime;
use crate::stats::Stats;
use crate::store::Store;
use crate::tally::continued;
use crate::trap::Trap;
use crate::vector::{Column, Vector, write_pieces};
use crate::words::WordColumn;

/// The data of a column.
#[derive(Clone)]
pub(super) enum Data {
    /// The caller's, at this node.
    Given(usize),
    /// In a store, which an engine that runs programs writes.
    Store(Arc<Store>),
    /// On the host.
    Host(Arc<dyn Vector>),
}

/// A plan that runs.
pub(super) struct Runner<'p, 'a> {
    pub runtime: &'p Runtime,
    pub nodes: &'p [Node<'a>],
    pub order: &'p Order,
    pub engine: Engine,
    /// Whether values for all VMs become constants of programs.
    pub fold: bool,
    /// What each node has given.
    pub columns: Vec<Option<Data>>,
    /// How many entries each filter has kept.
    pub kept: BTreeMap<usize, usize>,
    /// The plan's buffers, and whether a node writes them.
    pub buffers: Vec<(Arc<Store>, bool)>,
    /// Launches that nobody has waited for yet.
    pub under_way: UnderWay,
    /// The launch that is next.
    pub turn: Turn,
    prepared: &'p Prepared,
    pub tally: Tally,
    pub launches: u64,
    /// The most instructions that the launches retire.
    pub estimated: Option<u64>,
    pub log: Log,
    begin: Instant,
}

impl<'p, 'a> Runner<'p, 'a> {
    pub fn new(
        runtime: &'p Runtime,
        nodes: &'p [Node<'a>],
        prepared: &'p Prepared,
        engine: Engine,
        fold: bool,
    ) -> Self {
        Runner {
            runtime,
            nodes,
            order: &prepared.order,
            engine,
            fold,
            columns: vec![None; nodes.len()],
            kept: BTreeMap::new(),
            buffers: nodes.iter().filter_map(buffer).collect(),
            under_way: UnderWay::default(),
            turn: Turn::default(),
            prepared,
            tally: Tally::default(),
            launches: 0,
            estimated: (engine != Engine::Native).then_some(0),
            log: Log::default(),
            begin: Instant::now(),
        }
    }

    /// Runs all steps. Columns that are of no more use are dropped on the way if `reuse`, so that later ones take their memory.
    ///
    /// # Errors
    ///
    /// When a device fails, or [`Error::Trap`] with the first trap of the first step in which a VM trapped.
    pub fn run(mut self, plan: u64, reuse: bool) -> Result<PlanDone> {
        self.under_way = UnderWay::new(match self.engine {
            Engine::Native => None,
            engine => self.runtime.executor(engine)?.sequence(),
        });
        for (number, step) in self.order.steps.iter().enumerate() {
            self.turn = Turn {
                step: number,
                entries: self.works_on(step.root),
                launch: 0,
            };
            self.log.begin_step();
            for &node in self.order.zeros_for(number) {
                self.zeros(node)?;
            }
            self.run_step(step)?;
            self.end_step(number, step)?;
            let passed_on = step.members.iter().copied().filter(|node| !step.stored.contains(node));
            for node in passed_on.chain(self.order.dead_after(number).filter(|_| reuse)) {
                let column = self.columns[node].take();
                self.under_way.keep(node, column);
            }
        }
        self.settle()?;
        let (trace, steps) = std::mem::take(&mut self.log).into_parts();
        let stats = PlanStats { steps, ..self.stats() };
        let mut columns = BTreeMap::new();
        for &node in &self.order.graph.kept {
            columns.insert(node, self.taken(node));
        }
        Ok(PlanDone::new(plan, self.nodes, self.order, columns, stats, trace))
    }

    /// Runs a step.
    pub fn run_step(&mut self, step: &Step) -> Result<()> {
        match self.engine {
            Engine::Native => step.members.iter().try_for_each(|member| self.native(*member)),
            engine => {
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
            Ok(Linked {
                sketch,
                longest: program.estimated_epochs(),
                program,
            })
        })
    }

    /// How many entries a step with that root works on.
    fn works_on(&self, root: usize) -> usize {
        match self.nodes[root].kind {
            Kind::Reduce(_) | Kind::Filter(_) => self.length(self.operand(root, 0).node),
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

    /// What a node has given.
    pub fn data(&self, node: usize) -> Data {
        match (&self.columns[node], &self.nodes[node].kind) {
            (Some(data), _) => data.clone(),
            (None, Kind::Buffer { backing, .. }) => Data::Store(backing.store(&self.nodes[node])),
            (None, _) => Data::Given(node),
        }
    }

    /// How many entries a column has.
    pub fn entries(&self, data: &Data) -> usize {
        match data {
            Data::Given(node) => self.given(*node).map_or(0, Column::len),
            Data::Store(store) => store.len,
            Data::Host(vector) => vector.len(),
        }
    }

    fn given(&self, node: usize) -> Option<&'p (dyn Column + 'p)> {
        match &self.nodes[node].kind {
            Kind::Input(column) => Some(&**column),
            _ => None,
        }
    }

    /// A column as an argument of a launch.
    pub fn argument(&self, data: &Data) -> Argument<'p> {
        match data {
            Data::Store(store) => Argument::Buffer(Arc::clone(store)),
            Data::Host(vector) => Argument::Read(Box::new(Arc::clone(vector))),
            Data::Given(node) => match self.given(*node) {
                Some(column) => Argument::Read(Box::new(column)),
                None => Argument::Read(Box::new(Vec::<()>::new())),
            },
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

    /// The name of a node for people.
    fn label(&self, node: usize) -> String {
        self.nodes[node].kind.label(node)
    }

    /// The name of a parameter of a node.
    fn parameter(&self, node: usize, index: usize) -> String {
        let of = self.nodes[node].kind.uses();
        let name = of.and_then(|of| of.entry.params.get(index));
        name.map_or_else(|| index.to_string(), |name| (*name).to_string())
    }

    /// The words of a column.
    pub fn words(&mut self, data: &Data) -> Result<Vec<u32>> {
        self.settle()?;
        let all = |column: &dyn Column| {
            let mut words = vec![0; column.len() * column.element().words as usize];
            write_pieces(column, 0..column.len(), &mut words);
            words
        };
        Ok(match data {
            Data::Given(node) => self.given(*node).map(all).unwrap_or_default(),
            Data::Store(store) => {
                let begin = self.log.now().filter(|_| store.is_away());
                let column = store.read()?;
                self.log.transfer(begin, || "to the host".to_string(), store.bytes());
                all(&*column)
            }
            Data::Host(vector) => all(&**vector),
        })
    }

    /// What a node has given, for whoever asks when the plan is done.
    fn taken(&self, node: usize) -> Data {
        match self.data(node) {
            Data::Given(node) => match self.given(node) {
                Some(column) => Data::Host(column.to_vector().into()),
                None => empty(self.nodes[node].element),
            },
            data => data,
        }
    }

    /// Adds what launches have cost.
    pub fn add(&mut self, tally: &Tally, launches: u64) {
        self.log.add(tally, launches);
        self.launches += launches;
        self.tally = continued(&self.tally, tally);
    }

    fn device(&self) -> Device {
        match self.engine {
            Engine::Native | Engine::Reference => Device::cpu(),
            _ => self.runtime.device().clone(),
        }
    }

    fn stats(&self) -> PlanStats {
        PlanStats {
            phases: self.order.graph.phases().len() as u64,
            launches: self.launches,
            engine: match self.tally.engine {
                Engine::Auto => self.engine,
                engine => engine,
            },
            device: self.device(),
            submissions: self.tally.batches,
            estimated_instructions: self.estimated,
            retired: self.tally.retired,
            host_time: self.begin.elapsed(),
            device_time: self.tally.device_time,
            steps: Vec::new(),
        }
    }

    /// The error of a launch in which VMs trapped.
    pub fn trapped(&self, routine: &str, vms: usize, trap: Trap, count: u64) -> Error {
        let (stats, device) = (self.stats(), self.device());
        let done = Done {
            routine: routine.to_string(),
            result: <() as gpuvm_core::types::Value>::TYPE,
            results: Results::Words(Vec::new().into()),
            stats: Stats {
                vms: vms as u64,
                engine: stats.engine,
                float_mode: device.float_mode,
                device,
                dispatch: Dispatch::default(),
                steps: 1,
                batches: stats.launches,
                submissions: stats.submissions,
                retired: stats.retired,
                epochs: None,
                host_time: stats.host_time,
                device_time: stats.device_time,
                longest_submission: None,
            },
            columns: Vec::new(),
        };
        match or_trap(done, Some(trap), count) {
            Err(error) => error,
            Ok(_) => Error::Device {
                reason: format!("`{routine}` trapped without a trace"),
            },
        }
    }

    /// Brings an input that several launches read to the engine's memory, once.
    pub fn bring(&mut self, node: usize, executor: &Arc<dyn Execute>) -> Result<()> {
        let (None, Some(column), Some(memory)) = (&self.columns[node], self.given(node), executor.memory()) else {
            return Ok(());
        };
        let begin = self.log.now();
        let (store, nodes) = (Store::blank(column.element(), column.len()), self.nodes);
        if store.bring(column, &memory)? {
            self.log.transfer(begin, || nodes[node].kind.label(node), store.bytes());
            self.columns[node] = Some(Data::Store(Arc::new(store)));
        }
        Ok(())
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

/// A column without entries.
pub(super) fn empty(element: &'static Type) -> Data {
    words(element, 0, Vec::new())
}

/// A column of words.
pub(super) fn words(element: &'static Type, entries: usize, words: Vec<u32>) -> Data {
    Data::Host(Arc::new(WordColumn {
        element,
        entries,
        words,
    }))
}
