//! What the runs of a plan have in common: the order of its steps, and their kernels, each linked once; and the same of its loops' bodies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gpuvm_core::program::Program;
use gpuvm_engine::{Reach, Tiles};

use super::add::Parameter;
use super::done::Named;
use super::draft::Draft;
use super::kernel::Sketch;
use super::node::Node;
use super::order::Order;
use super::{Options, Plan};
use crate::error::{PlanError, Result};

/// A plan that is ready to run.
pub(super) struct Prepared {
    pub order: Order,
    /// The bodies of the loops among its steps.
    pub bodies: BTreeMap<usize, Prepared>,
    kernels: Mutex<BTreeMap<Turn, Arc<Linked>>>,
    named: OnceLock<Arc<[Named]>>,
}

/// A launch of a run. What is launched follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub step: usize,
    /// Entries that the step works on.
    pub entries: usize,
    /// Launches of the step before.
    pub launch: usize,
}

/// A kernel, and the program that it has become.
pub(super) struct Linked {
    pub sketch: Sketch,
    pub program: Arc<Program>,
    /// As [`Job::reach`](gpuvm_engine::Job::reach).
    pub reach: Arc<[Option<Reach>]>,
    /// What becomes of its elements tile by tile.
    pub tiles: Option<Tiles>,
    /// The most instructions that a VM retires, if its program tells.
    pub longest: Option<u64>,
    /// Its job, made by its first launch.
    pub draft: OnceLock<Draft>,
}

/// Kernels to keep. Behind a filter there may be another one for each number of entries.
const MOST_KERNELS: usize = 1 << 14;

impl Prepared {
    /// A plan of which no kernel is linked yet.
    pub fn new(order: Order, bodies: BTreeMap<usize, Prepared>) -> Prepared {
        Prepared {
            order,
            bodies,
            kernels: Mutex::default(),
            named: OnceLock::new(),
        }
    }

    /// What results need to know of the nodes.
    pub fn named(&self, nodes: &[Node<'_>]) -> Arc<[Named]> {
        Arc::clone(self.named.get_or_init(|| Named::all(nodes, &self.order.graph.same)))
    }

    /// The kernel of a launch, made when it is first asked for.
    ///
    /// # Errors
    ///
    /// What making it fails with.
    pub fn kernel(&self, turn: Turn, make: impl FnOnce() -> Result<Linked>) -> Result<Arc<Linked>> {
        if turn.step >= self.order.steps.len() {
            return Ok(Arc::new(make()?));
        }
        let kernels = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kernels().get(&turn) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        let mut kernels = kernels();
        if kernels.len() >= MOST_KERNELS {
            kernels.clear();
        }
        Ok(Arc::clone(kernels.entry(turn).or_insert(made)))
    }
}

impl Plan<'_> {
    /// What its runs have in common, found out by the first.
    ///
    /// # Errors
    ///
    /// [`PlanError::Cycle`], or an error about an output.
    pub(super) fn prepared(&self) -> Result<&Prepared> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared);
        }
        let parameter = Parameter {
            node: "`output`",
            name: "column".to_string(),
        };
        let outputs: Result<Vec<usize>, PlanError> = self
            .outputs
            .iter()
            .map(|output| self.own_within(&[], &parameter, *output))
            .collect();
        let prepared = self.prepare(None, &outputs?)?;
        Ok(self.prepared.get_or_init(|| prepared))
    }

    /// Orders the nodes of a scope, and of those in it.
    fn prepare(&self, scope: Option<usize>, outputs: &[usize]) -> Result<Prepared> {
        let Options { share, fuse, .. } = self.options;
        let order = Order::new(&self.nodes, scope, outputs, share, fuse)?;
        let mut bodies = BTreeMap::new();
        for step in &order.steps {
            if let Some(of) = self.nodes[step.root].kind.as_loop() {
                bodies.insert(step.root, self.prepare(Some(step.root), &of.outputs())?);
            }
        }
        Ok(Prepared::new(order, bodies))
    }
}
