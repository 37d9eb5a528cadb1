//! A plan that has run: its columns, typed on demand, and what it cost.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use gpuvm_core::types::{Type, VmType};

use super::data::Data;
use super::node::{Backing, Kind, Node};
use super::prepared::Prepared;
use super::stats::PlanStats;
use super::trace::Trace;
use crate::error::{PlanError, Result};
use crate::handle::Handle;
use crate::logs::Logs;
use crate::profile::Profile;
use crate::vector::{Vector, entries, read_all, write_pieces};

/// The results of a plan. Buffers that it wrote have their new content already.
pub struct PlanDone {
    plan: u64,
    nodes: Arc<[Named]>,
    columns: BTreeMap<usize, Data>,
    stats: PlanStats,
    logs: Logs,
    trace: Option<Trace>,
    profile: Option<Box<Profile>>,
}

/// What there is to know of a node without its column. It is the same in all runs of a plan.
pub(super) struct Named {
    label: String,
    element: &'static Type,
    /// The node that stands for it.
    same: usize,
}

impl PlanDone {
    pub(super) fn new(
        plan: u64,
        nodes: &[Node<'_>],
        prepared: &Prepared,
        mut columns: BTreeMap<usize, Data>,
        stats: PlanStats,
        (logs, trace, profile): (Logs, Option<Trace>, Option<Box<Profile>>),
    ) -> PlanDone {
        for (number, node) in nodes.iter().enumerate() {
            if let Kind::Buffer {
                backing: Backing::Given(store),
                ..
            } = &node.kind
            {
                columns.insert(number, Data::Store(store.clone()));
            }
        }
        PlanDone {
            plan,
            nodes: prepared.named(nodes),
            columns,
            stats,
            logs,
            trace,
            profile,
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

    /// The same after devices were lost with which it had begun.
    pub(super) fn after_losses(mut self, lost: Vec<String>) -> PlanDone {
        self.stats.lost = lost;
        self
    }

    /// What VMs have printed in all nodes, see [`Done::logs`](crate::Done::logs): by VM, and of a VM in the order of the nodes.
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    /// What the plan cost.
    pub fn stats(&self) -> &PlanStats {
        &self.stats
    }

    /// Where the instructions went, if the plan was to be [profiled](super::Plan::profile).
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }

    /// When what happened, if the plan was [traced](super::Plan::trace) or profiled: JSON in the format of Chrome's `about:tracing`, which
    /// [Perfetto](https://ui.perfetto.dev) reads too. Times are in microseconds from the beginning of the run, sizes in bytes.
    ///
    /// The host has rows of bars for phases, steps, launches and transfers. A launch's is the time that it took to send it off, where the
    /// engine has sequences of launches that nobody waits for one by one. Transfers are inputs that are brought to the engine's memory, columns
    /// that the host looks at, and zeros; what a launch brings itself is in its own bar. The device has a bar for each time that it was
    /// waited for, as long as it says that it worked; it does not say when, so the bar ends where the wait did.
    pub fn trace_json(&self) -> Option<String> {
        self.trace.as_ref().map(|trace| trace.to_json(&self.stats.device.name))
    }
}

impl Named {
    /// What there is to know of all nodes, given which stand for which.
    pub fn all(nodes: &[Node<'_>], same: &[usize]) -> Arc<[Named]> {
        let named = nodes.iter().zip(same).enumerate().map(|(number, (node, same))| Named {
            label: node.kind.label(number),
            element: node.element,
            same: *same,
        });
        named.collect()
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
