//! A plan that has run: its columns, typed on demand, and what it cost.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use gpuvm_core::types::{Type, VmType};

use super::data::Data;
use super::error::PlanError;
use super::node::{Backing, Handle, Kind, Node};
use super::order::Order;
use crate::device::Device;
use crate::engine::Engine;
use crate::error::Result;
use crate::vector::{Vector, entries, read_all, write_pieces};

/// The results of a plan. Buffers that it wrote have their new content already.
pub struct PlanDone {
    plan: u64,
    nodes: Vec<Named>,
    columns: BTreeMap<usize, Data>,
    stats: PlanStats,
}

/// What there is to know of a node without its column.
struct Named {
    label: String,
    element: &'static Type,
    /// The node that stands for it.
    same: usize,
}

impl PlanDone {
    pub(super) fn new(
        plan: u64,
        nodes: &[Node<'_>],
        order: &Order,
        mut columns: BTreeMap<usize, Data>,
        stats: PlanStats,
    ) -> PlanDone {
        let named = nodes.iter().enumerate().map(|(number, node)| {
            if let Kind::Buffer {
                backing: Backing::Given(store),
                ..
            } = &node.kind
            {
                columns.insert(number, Data::Store(store.clone()));
            }
            Named {
                label: node.kind.label(number),
                element: node.element,
                same: order.graph.same[number],
            }
        });
        PlanDone {
            plan,
            nodes: named.collect(),
            columns,
            stats,
        }
    }

    /// The column of a node, which is one of the plan's [outputs](super::Plan::output) or a buffer; of any node that is no input if the
    /// plan names no outputs.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the node is not kept, or its entries are of another type; or when the device fails.
    pub fn get<T: VmType>(&self, handle: Handle) -> Result<Vec<T>> {
        let named = self.nodes.get(handle.node).filter(|_| handle.plan == self.plan);
        let named = named.ok_or_else(|| PlanError::OtherPlan {
            node: "`get`".to_string(),
            parameter: "handle".to_string(),
        })?;
        if !named.element.same(T::TYPE) {
            return Err(PlanError::OutputType {
                node: named.label.clone(),
                expected: format!("`Vec<{}>`", T::TYPE),
                found: format!("`Vec<{}>`", named.element),
            }
            .into());
        }
        match self.columns.get(&named.same) {
            Some(Data::Store(store)) => Ok(typed(&*store.read()?)),
            Some(Data::Host(vector)) => Ok(typed(&**vector)),
            Some(Data::Given(_)) | None => Err(PlanError::NotKept {
                node: named.label.clone(),
            }
            .into()),
        }
    }

    /// What the plan cost.
    pub fn stats(&self) -> &PlanStats {
        &self.stats
    }
}

/// The entries of a vector of this type, or of words that mean some.
fn typed<T: VmType>(vector: &dyn Vector) -> Vec<T> {
    if let Some(entries) = entries::<T>(vector) {
        return entries.to_vec();
    }
    let mut words = vec![0; vector.len() * T::TYPE.words as usize];
    write_pieces(vector, 0..vector.len(), &mut words);
    read_all(vector.len(), &words)
}

impl fmt::Debug for PlanDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanDone")
            .field("kept", &self.columns.keys())
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

/// Numbers about one run of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStats {
    /// Phases of its graph.
    pub phases: u64,
    /// Launches: kernels on engines that run programs, calls of functions over columns on the native engine.
    pub launches: u64,
    /// The engine that ran the last of them, never [`Engine::Auto`].
    pub engine: Engine,
    /// The device that they ran on.
    pub device: Device,
    /// Times that work went to the device, or that the host took a look.
    pub submissions: u64,
    /// Instructions retired by class (linear, oracle, branch, io), where the engine counts them.
    pub retired: Option<[u64; 4]>,
    /// Time from the call of `run` to the results.
    pub host_time: Duration,
    /// Time that the device spent, where that can be told.
    pub device_time: Option<Duration>,
}

impl fmt::Display for PlanStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        write!(
            f,
            "{} in {} on the {} engine, {}, {:.3?}",
            plural(self.phases, "phase", "phases"),
            plural(self.launches, "launch", "launches"),
            self.engine,
            self.device.name,
            self.host_time
        )?;
        match self.device_time {
            Some(time) => write!(f, " ({time:.3?} on the device)"),
            None => Ok(()),
        }
    }
}
