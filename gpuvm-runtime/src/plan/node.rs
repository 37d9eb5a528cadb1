//! The nodes of a plan.

use std::fmt;
use std::sync::Arc;

pub(super) use gpuvm_core::kernel::Nature;
use gpuvm_core::program::Mode;
use gpuvm_core::routine::RoutineRef;
use gpuvm_core::types::Type;

use crate::entry::Entry;
use crate::store::{Make, Store};
use crate::vector::{Column, Vector};

/// A node.
pub(super) struct Node<'a> {
    pub kind: Kind<'a>,
    /// What it works on, one for each parameter of a routine.
    pub operands: Vec<Operand>,
    /// The type of its entries.
    pub element: &'static Type,
    /// How many entries it gives.
    pub length: Length,
    /// The loop in whose body it is.
    pub scope: Option<usize>,
}

/// What a node is.
pub(super) enum Kind<'a> {
    /// A column of the caller's.
    Input(Box<dyn Column + 'a>),
    /// A buffer; with the node that writes it, if one does.
    Buffer { backing: Backing, writer: Option<usize> },
    /// A routine, one VM an entry.
    Map(Use),
    /// A tuple of the operands' entries.
    Zip,
    /// A field of each tuple.
    Field(usize),
    /// What a buffer holds, to be kept while the buffer changes.
    Copy,
    /// All entries folded into one.
    Reduce(Use),
    /// The entries of each group folded into one. It sees entries first, then where each group ends, and then which group each entry is of.
    ReduceGroups(Use),
    /// For each entry what all up to it come to.
    Scan(Use),
    /// The entries for which the routine says so.
    Filter(Use),
    /// The entries, seen first, whose key is not that of the one before, or of the one behind if the last of equal ones is kept. The keys are
    /// seen second.
    Dedup { last: bool },
    /// The entries in the order of their keys: what the routine gives for each, or without one themselves.
    Sort(Option<Use>),
    /// A body that is repeated until a flag is set. It sees what the states begin as, and then all that its body sees of other nodes.
    Loop(Loop),
    /// In a loop's body: a state at the beginning of a turn.
    State { of: usize, index: usize },
    /// A state when its loop is over, or without `state` the number of turns.
    Result { of: usize, state: Option<usize> },
}

/// A part of a plan that is repeated. Its nodes have it as their scope.
#[derive(Default)]
pub(super) struct Loop {
    /// Turns at most.
    pub most: usize,
    /// The states at the beginning of a turn.
    pub states: Vec<usize>,
    /// What a turn makes of them.
    pub next: Vec<usize>,
    /// One `bool`: whether the turn was the last.
    pub flag: usize,
}

impl Loop {
    /// What a turn has to give.
    pub fn outputs(&self) -> Vec<usize> {
        self.next.iter().copied().chain([self.flag]).collect()
    }
}

/// What a buffer's entries are.
pub(super) enum Backing {
    /// The caller's.
    Given(Arc<Store>),
    /// The plan's own, zeros until a node of the same run writes them. A vector of words becomes one of their Rust type by this.
    Zeros(Make),
}

/// A routine in use.
#[derive(Clone)]
pub(super) struct Use {
    pub entry: Entry,
    pub routine: RoutineRef,
    pub nature: Nature,
}

/// How many entries a node gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Length {
    /// So many.
    Known(usize),
    /// As many as a filter, or another node that keeps entries, has kept, at most `most`.
    Kept { filter: usize, most: usize },
}

/// What stands for a parameter of a routine.
pub(super) enum Operand {
    /// What a node gives, seen in this mode.
    Node(Read),
    /// One value for all VMs.
    Value(Arc<dyn Vector>),
}

/// How a node sees what another one gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Read {
    pub node: usize,
    pub mode: Sight,
}

/// How a parameter sees a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// Each VM its own entry.
    Own,
    /// Each VM a reference to its own entry.
    OwnRef,
    /// All VMs its only entry.
    Uniform,
    /// All VMs the whole column.
    Whole,
    /// Each VM its own record, written back.
    Record,
    /// Each VM its own part, written back.
    Chunk,
    /// All VMs the whole column, with atomic access.
    Atomic,
}

impl Sight {
    /// The mode of such a launch parameter.
    pub(super) fn mode(self) -> Mode {
        match self {
            Sight::Own | Sight::OwnRef | Sight::Uniform => Mode::Value,
            Sight::Whole => Mode::Slice,
            Sight::Record => Mode::Record,
            Sight::Chunk => Mode::Chunk,
            Sight::Atomic => Mode::Atomic,
        }
    }

    /// Whether VMs write what they see.
    pub fn writes(self) -> bool {
        self.mode().writes()
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Known(length) => write!(f, "{length}"),
            Length::Kept { most, .. } => write!(f, "at most {most}"),
        }
    }
}

impl Length {
    /// The most entries.
    pub fn most(self) -> usize {
        match self {
            Length::Known(length) | Length::Kept { most: length, .. } => length,
        }
    }
}

impl Operand {
    /// The node that it comes from.
    pub fn read(&self) -> Option<Read> {
        match self {
            Operand::Node(read) => Some(*read),
            Operand::Value(_) => None,
        }
    }
}

impl Kind<'_> {
    /// Its name for people.
    pub fn label(&self, number: usize) -> String {
        match self {
            Kind::Input(_) => format!("input {number}"),
            Kind::Buffer { backing, .. } => match backing {
                Backing::Given(_) => format!("buffer {number}"),
                Backing::Zeros(_) => format!("zeros {number}"),
            },
            Kind::Zip => format!("zip (node {number})"),
            Kind::Field(field) => format!("field {field} (node {number})"),
            Kind::Copy => format!("copy (node {number})"),
            Kind::Map(of) => format!("map `{}` (node {number})", of.entry.id()),
            Kind::Reduce(of) => format!("reduce `{}` (node {number})", of.entry.id()),
            Kind::ReduceGroups(of) => format!("reduce groups by `{}` (node {number})", of.entry.id()),
            Kind::Scan(of) => format!("scan `{}` (node {number})", of.entry.id()),
            Kind::Filter(of) => format!("filter `{}` (node {number})", of.entry.id()),
            Kind::Dedup { last: false } => format!("dedup (node {number})"),
            Kind::Dedup { last: true } => format!("groups (node {number})"),
            Kind::Sort(Some(of)) => format!("sort by `{}` (node {number})", of.entry.id()),
            Kind::Sort(None) => format!("sort (node {number})"),
            Kind::Loop(_) => format!("loop {number}"),
            Kind::State { of, index } => format!("state {index} of loop {of}"),
            Kind::Result { of, state: None } => format!("turns of loop {of}"),
            Kind::Result { of, state: Some(index) } => format!("result {index} of loop {of}"),
        }
    }

    /// Its routine, if it has one.
    pub fn uses(&self) -> Option<&Use> {
        match self {
            Kind::Map(of)
            | Kind::Reduce(of)
            | Kind::ReduceGroups(of)
            | Kind::Scan(of)
            | Kind::Filter(of)
            | Kind::Sort(Some(of)) => Some(of),
            _ => None,
        }
    }

    /// Whether it is the caller's, and there before the plan runs.
    pub fn is_given(&self) -> bool {
        match self {
            Kind::Input(_) => true,
            Kind::Buffer { backing, .. } => matches!(backing, Backing::Given(_)),
            _ => false,
        }
    }

    /// Whether it is the node of this buffer.
    pub fn is_buffer_of(&self, store: &Arc<Store>) -> bool {
        matches!(self, Kind::Buffer { backing: Backing::Given(given), .. } if Arc::ptr_eq(given, store))
    }

    /// Whether it is zeros, which the plan makes when they are first used.
    pub fn is_zeros(&self) -> bool {
        matches!(
            self,
            Kind::Buffer {
                backing: Backing::Zeros(_),
                ..
            }
        )
    }

    /// Whether it computes anything, as columns that are there and zeros do not.
    pub fn computes(&self) -> bool {
        !matches!(self, Kind::Input(_) | Kind::Buffer { .. } | Kind::State { .. })
    }

    /// The loop, if it is one.
    pub fn as_loop(&self) -> Option<&Loop> {
        match self {
            Kind::Loop(of) => Some(of),
            _ => None,
        }
    }

    /// Whether it computes each entry from the entries of the same number.
    pub fn is_entrywise(&self) -> bool {
        matches!(self, Kind::Map(_) | Kind::Zip | Kind::Field(_))
    }

    /// Whether it keeps some entries of a column, and how many is known when it runs.
    pub fn keeps_some(&self) -> bool {
        matches!(self, Kind::Filter(_) | Kind::Dedup { .. })
    }
}

impl Node<'_> {
    /// Words of all its entries, as many as there may be.
    pub fn words(&self) -> u64 {
        self.length.most() as u64 * u64::from(self.element.words)
    }

    /// What it sees of other nodes.
    pub fn reads(&self) -> impl Iterator<Item = Read> {
        self.operands.iter().filter_map(Operand::read)
    }

    /// Whether it writes a buffer, or zeros.
    pub fn writes(&self) -> bool {
        self.reads().any(|read| read.mode.writes())
    }
}

/// The node of a scope that has another node inside of it, or is that node.
pub(super) fn within(nodes: &[Node<'_>], mut node: usize, scope: Option<usize>) -> Option<usize> {
    while nodes[node].scope != scope {
        node = nodes[node].scope?;
    }
    Some(node)
}
