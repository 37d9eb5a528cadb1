//! What a plan does, as plain data. Everything that is told of a plan before it runs is told from a [`Report`]: the text for a person, the
//! JSON for a program, the graph for Graphviz and the picture.

mod dot;
mod find;
mod json;
mod svg;
mod text;

use gpuvm_engine::Engine;

pub use super::node::Sight;
pub use text::Explanation;
pub(in crate::plan) use text::size;

/// What a plan does. `Display` prints it for a person.
///
/// Nodes are numbered in the order in which they were added, steps in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The engine that would run it; [`Engine::Auto`] where that is the interpreter until a program is compiled.
    pub engine: Engine,
    /// The loop of whose body it tells; `None` for a whole plan.
    pub scope: Option<usize>,
    /// All nodes, those too that do not run.
    pub nodes: Vec<NodeReport>,
    /// The nodes of each phase: what they wait for is in earlier phases.
    pub phases: Vec<Vec<usize>>,
    /// What runs as one, in order.
    pub steps: Vec<StepReport>,
    /// The loops among the steps.
    pub loops: Vec<LoopReport>,
    /// The columns that are stored while it runs, inputs and buffers not counted.
    pub columns: Vec<ColumnReport>,
    /// Bytes of all these columns at the time when they are most.
    pub peak_bytes: u64,
    /// What they would be if none used another's memory again.
    pub peak_bytes_without_reuse: u64,
    /// The matrices of all kernels.
    pub matrices: Matrices,
}

/// A part of a plan that is repeated until a flag is set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopReport {
    /// The loop.
    pub node: usize,
    /// How many turns there are at most.
    pub most_turns: u64,
    /// The states at the beginning of a turn.
    pub states: Vec<usize>,
    /// The nodes that make the next ones of them.
    pub next: Vec<usize>,
    /// The node that makes the flag.
    pub flag: usize,
    /// A turn.
    pub body: Report,
}

/// A node of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeReport {
    /// What messages call it.
    pub label: String,
    /// The loop of whose body it is a part.
    pub scope: Option<usize>,
    /// Whether another report tells of it: of the loop's body, or of the plan around.
    pub elsewhere: bool,
    /// What it is.
    pub kind: NodeKind,
    /// The id of its routine.
    pub routine: Option<String>,
    /// The type of its entries.
    pub element: String,
    /// How many entries it gives, at most where a filter decides.
    pub entries: u64,
    /// Whether it gives exactly so many.
    pub entries_known: bool,
    /// Bytes of so many entries.
    pub bytes: u64,
    /// Its phase, if it runs.
    pub phase: Option<usize>,
    /// The step that it runs in.
    pub step: Option<usize>,
    /// Whether its column is kept for who asks when the plan is done.
    pub kept: bool,
    /// The node that is equal to it and runs in its place.
    pub same_as: Option<usize>,
    /// What it sees of other nodes, or of those that run in their place.
    pub reads: Vec<ReadReport>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// A column of the caller's.
    Input,
    /// A buffer.
    Buffer,
    /// A buffer of the plan's own.
    Zeros,
    /// A routine, one VM an entry.
    Map,
    /// A tuple of several columns' entries.
    Zip,
    /// A field of each tuple of a column.
    Field,
    /// What a buffer holds, kept while the buffer changes.
    Copy,
    /// A part that is repeated until a flag is set.
    Loop,
    /// A loop's state at the beginning of a turn.
    State,
    /// A loop's state when it is over, or the number of its turns.
    Result,
    /// All entries folded into one.
    Reduce,
    /// The entries of each group folded into one.
    ReduceGroups,
    /// For each entry what all up to it come to.
    Scan,
    /// The entries for which a routine says so.
    Filter,
    /// The first or the last entry of neighbours with equal keys.
    Dedup,
    /// The entries in the order of their keys.
    Sort,
}

impl NodeKind {
    /// Whether it computes anything, as columns that are there, zeros and states do not.
    pub fn computes(self) -> bool {
        !matches!(
            self,
            NodeKind::Input | NodeKind::Buffer | NodeKind::Zeros | NodeKind::State
        )
    }
}

impl std::fmt::Display for NodeKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NodeKind::Input => "input",
            NodeKind::Buffer => "buffer",
            NodeKind::Zeros => "zeros",
            NodeKind::Map => "map",
            NodeKind::Zip => "zip",
            NodeKind::Field => "field",
            NodeKind::Copy => "copy",
            NodeKind::Loop => "loop",
            NodeKind::State => "state",
            NodeKind::Result => "result",
            NodeKind::Reduce => "reduce",
            NodeKind::ReduceGroups => "reduce groups",
            NodeKind::Scan => "scan",
            NodeKind::Filter => "filter",
            NodeKind::Dedup => "dedup",
            NodeKind::Sort => "sort",
        })
    }
}

/// What a node sees of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadReport {
    /// The other one.
    pub node: usize,
    /// How it is seen.
    pub sight: Sight,
}

/// Nodes that run as one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepReport {
    /// The nodes, each after those that it reads; several are a fused chain.
    pub members: Vec<usize>,
    /// Those whose columns are stored.
    pub stored: Vec<usize>,
    /// The programs that it becomes.
    pub kernels: Vec<KernelReport>,
}

/// A program that a step becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelReport {
    /// Its name: the id of the step's last routine.
    pub name: String,
    /// Instructions in all.
    pub instructions: u64,
    /// Instructions by class: linear, oracle, branch, io.
    pub instructions_by_class: [u64; 4],
    /// The most epochs that a VM takes, one instruction each; `None` if that depends on the data.
    pub estimated_epochs: Option<u64>,
    /// Its matrices.
    pub matrices: Matrices,
}

/// Matrices of linear instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matrices {
    /// How many are stored sparse.
    pub sparse: u64,
    /// How many are stored dense.
    pub dense: u64,
    /// Bytes of all of them as stored.
    pub bytes: u64,
    /// Bytes if all were dense.
    pub bytes_all_dense: u64,
}

/// A column that is stored while a plan runs. Where it lies is the memory's affair when the plan runs; what is known before is when it is
/// there. What a step reads and what it writes are there together, so they never share memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnReport {
    /// The node that gives it.
    pub node: usize,
    /// Bytes of all its entries.
    pub bytes: u64,
    /// The step from which on it is there.
    pub from_step: usize,
    /// The first step that no longer needs it; `None` if it is there to the end.
    pub free_from_step: Option<usize>,
    /// A column that is gone by then and left room that is large enough, so that this one can lie where that lay. Each is named once.
    pub can_replace: Option<usize>,
}

impl Report {
    /// All kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelReport> {
        self.steps.iter().flat_map(|step| &step.kernels)
    }
}

impl NodeReport {
    /// Whether it is left out, because no output needs it or another one runs in its place.
    pub fn is_left_out(&self) -> bool {
        self.phase.is_none() && !self.elsewhere && self.kind.computes()
    }

    /// How many entries it gives, in words.
    fn length(&self) -> String {
        match self.entries_known {
            true => self.entries.to_string(),
            false => format!("at most {}", self.entries),
        }
    }
}

impl std::iter::Sum for Matrices {
    fn sum<I: Iterator<Item = Matrices>>(all: I) -> Matrices {
        all.fold(Matrices::default(), |a, b| Matrices {
            sparse: a.sparse + b.sparse,
            dense: a.dense + b.dense,
            bytes: a.bytes + b.bytes,
            bytes_all_dense: a.bytes_all_dense + b.bytes_all_dense,
        })
    }
}
