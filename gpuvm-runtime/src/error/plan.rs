//! What can be wrong with a plan. Every message names the node, and where there is one the parameter.

use crate::counted::{counted, listed};

/// Why a plan cannot be built or run, or has no such result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A handle of another plan was used.
    #[error(
        "argument `{parameter}` of {node} is a handle of another plan; a plan knows only what its own methods gave"
    )]
    OtherPlan {
        /// The node that was to be added.
        node: String,
        /// The parameter.
        parameter: String,
    },
    /// A handle of a loop's body was used outside of it.
    #[error(
        "argument `{parameter}` of {node} is {from}, which is in the body of {of}; outside there is what the body gives as a state"
    )]
    Inside {
        /// The node that was to be added.
        node: String,
        /// The parameter.
        parameter: String,
        /// What stands for it.
        from: String,
        /// The loop.
        of: String,
    },
    /// A routine was not given one argument a parameter.
    #[error("{node} takes {}{} and was given {found}", counted(*.expected, "argument"), listed(.parameters))]
    ArgumentCount {
        /// The node that was to be added.
        node: String,
        /// How many parameters the routine has.
        expected: usize,
        /// Their names.
        parameters: String,
        /// How many arguments came.
        found: usize,
    },
    /// What stands for a parameter does not fit it.
    #[error("argument `{parameter}` of {node} is {found}, and {expected} is needed")]
    Argument {
        /// The node that was to be added.
        node: String,
        /// The parameter.
        parameter: String,
        /// What fits.
        expected: String,
        /// What came.
        found: String,
    },
    /// Columns of different lengths meet in a node.
    #[error("argument `{parameter}` of {node} has {found} entries, and there are {expected} VMs ({decided_by})")]
    Length {
        /// The node that was to be added.
        node: String,
        /// The parameter.
        parameter: String,
        /// How many there have to be.
        expected: String,
        /// How many there are.
        found: String,
        /// What decided the number.
        decided_by: String,
    },
    /// Nothing says how many VMs a node has.
    #[error(
        "how many VMs {node} has is not known: no argument is a column with an entry a VM; use `plan.generate(id, n, args)`"
    )]
    NoVms {
        /// The node that was to be added.
        node: String,
    },
    /// VMs cannot share a buffer evenly.
    #[error(
        "argument `{parameter}` of {node} has {}, which {vms} VMs cannot share evenly; a multiple of {vms} is needed",
        counted(*.length, "entry")
    )]
    Chunks {
        /// The node.
        node: String,
        /// The parameter.
        parameter: String,
        /// The entries of the buffer.
        length: usize,
        /// The number of VMs.
        vms: usize,
    },
    /// A program is linked by itself and cannot be a part of another.
    #[error("`{program}` is a linked program, which is launched by itself; a plan needs a routine")]
    Program {
        /// The program's name.
        program: String,
    },
    /// A routine cannot be what the node needs.
    #[error("{node} needs {expected}, and `{routine}` {found}")]
    Routine {
        /// The node that was to be added.
        node: String,
        /// The routine.
        routine: String,
        /// What fits.
        expected: String,
        /// What is different.
        found: String,
    },
    /// Two nodes, or two parameters of one, write one buffer.
    #[error("{first} and {second} both write {buffer}; let one of them write another buffer, or return a column")]
    TwoWriters {
        /// The buffer's node.
        buffer: String,
        /// The node that writes it already.
        first: String,
        /// The node that was to write it too.
        second: String,
    },
    /// Nodes wait for each other.
    #[error(
        "{nodes} wait for each other in a circle: who reads a buffer sees it as its writer has left it; carry what goes round in a buffer \
         of its own"
    )]
    Cycle {
        /// The nodes of the circle, in order.
        nodes: String,
    },
    /// A body of `iterate` or `iterate_until` gave something else than it was given.
    #[error(
        "state {index} of `iterate` begins as {expected}, and its body made {found} of it; a state keeps its type and length"
    )]
    State {
        /// The number of the state.
        index: usize,
        /// What it begins as.
        expected: String,
        /// What came of it.
        found: String,
    },
    /// A node needs a value that there is not, because what it would be folded of turned out to be empty.
    #[error("argument `{parameter}` of {node} has no value: {from} was given no entries")]
    NoValue {
        /// The node.
        node: String,
        /// The parameter.
        parameter: String,
        /// The node that was to give it.
        from: String,
    },
    /// A result was asked for that the plan does not keep.
    #[error("{node} is not among the plan's outputs; name it with `plan.output(handle)` before the run")]
    NotKept {
        /// The node.
        node: String,
    },
    /// A result was asked for as another type.
    #[error("{node} gives {found}, and was asked for as {expected}")]
    OutputType {
        /// The node.
        node: String,
        /// What was asked for.
        expected: String,
        /// What it is.
        found: String,
    },
}
