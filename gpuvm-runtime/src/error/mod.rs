//! The one error of the host side. A trap of a VM is reported through it too, with all results of the other VMs inside.

mod life;
mod plan;
mod ring;

use std::path::Path;

use gpuvm_core::assembly::AssemblyError;
use gpuvm_core::build::BuildError;
use gpuvm_core::link::LinkError;
use gpuvm_core::program::LoadError;
use gpuvm_core::routine::SaveError;
use gpuvm_engine::Engine;

use crate::counted::{counted, listed, there_are};
use crate::done::BudgetReport;
use crate::trap::TrapReport;

pub use self::life::Life;
pub use self::plan::PlanError;
pub use self::ring::{RingError, TrySendError};

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong between a launch and its results.
///
/// Its `Debug` says what its `Display` says, because that is what `fn main() -> gpuvm::Result<()>` and `unwrap` print; of a trap also the call stack with all variables.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A routine that is built at run time has a mistake.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A routine cannot be a file.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A text is no routine.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// Bytes are no program or routine that can be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A batch cannot run.
    #[error("the batch cannot run: {reason}")]
    Batch {
        /// Why, and what to do.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// Its path.
        path: String,
        /// What the operating system says.
        reason: String,
    },
    /// Nothing of the kind in the binary has this id.
    #[error("no {what} has the id `{id}`; {}", nearest.as_ref().map_or((*hint).to_string(), |n| format!("did you mean `{n}`?")))]
    UnknownId {
        /// What was looked for: a routine, or a ring kernel.
        what: &'static str,
        /// What was asked for.
        id: String,
        /// The nearest id there is.
        nearest: Option<String>,
        /// What has no id although it is there.
        hint: &'static str,
    },
    /// The id is that of something else.
    #[error("`{id}` is a {found} and not a {what}; launch it with `{launch}`")]
    OtherKind {
        /// What was looked for: a routine, or a ring kernel.
        what: &'static str,
        /// What was asked for.
        id: String,
        /// What has the id.
        found: &'static str,
        /// The function that launches that.
        launch: &'static str,
    },
    /// Two routines or two ring kernels of the binary have one id.
    #[error(
        "the id `{id}` is given twice, at {first} and at {second}; give one of them another with `#[{attribute}(id = \"…\")]`"
    )]
    DuplicateId {
        /// The attribute that gives ids.
        attribute: &'static str,
        /// The id.
        id: String,
        /// `file:line` of one.
        first: String,
        /// `file:line` of the other.
        second: String,
    },
    /// The tuple of arguments has not one entry a parameter.
    #[error("`{routine}` takes {}{} and was given {found}", counted(*.expected, "argument"), listed(.parameters))]
    ArgumentCount {
        /// The routine.
        routine: String,
        /// How many parameters it has.
        expected: usize,
        /// Their names.
        parameters: String,
        /// How many arguments came.
        found: usize,
    },
    /// An argument cannot be used for its parameter.
    #[error("argument `{parameter}` of `{routine}` is {found}, and {expected} is needed")]
    ArgumentType {
        /// The routine.
        routine: String,
        /// The parameter.
        parameter: String,
        /// What would be accepted.
        expected: String,
        /// What came.
        found: String,
    },
    /// A `usize` or `isize` has more than the 32 bits that it has in a VM.
    #[error(
        "{}{holder} is or has a `usize` or `isize` that does not fit 32 bits, which is what these have in a VM; use `u64` or `i64` for larger numbers",
        index.map(|index| format!("entry {index} of ")).unwrap_or_default()
    )]
    SizeTooLarge {
        /// What has it: an argument of a routine, a buffer, or a column of a plan.
        holder: String,
        /// The entry of the column; `None` if it is one value for all VMs.
        index: Option<usize>,
    },
    /// A column has not one entry a VM.
    #[error(
        "argument `{parameter}` of `{routine}` has {}, and there {} ({decided_by})",
        counted(*.found, "entry"),
        there_are(*.expected, "VM")
    )]
    ArgumentLength {
        /// The routine.
        routine: String,
        /// The parameter.
        parameter: String,
        /// The number of VMs.
        expected: usize,
        /// The entries of the argument.
        found: usize,
        /// What decided the number of VMs.
        decided_by: String,
    },
    /// The length of a `&mut [T]` argument is no multiple of the number of VMs.
    #[error(
        "argument `{parameter}` of `{routine}` has {}, which {vms} VMs cannot share evenly; a multiple of {vms} is needed",
        counted(*.length, "entry")
    )]
    ChunkLength {
        /// The routine.
        routine: String,
        /// The parameter.
        parameter: String,
        /// The entries of the argument.
        length: usize,
        /// The number of VMs.
        vms: usize,
    },
    /// A column has no entries, so there would be no VM.
    #[error("argument `{parameter}` of `{routine}` is empty; at least one entry is needed, one a VM")]
    EmptyColumn {
        /// The routine.
        routine: String,
        /// The parameter.
        parameter: String,
    },
    /// Nothing says how many VMs to run, or it says none.
    #[error("how many VMs of `{routine}` to run is not known: no argument is a column; say `.vms(n)` with n > 0")]
    NoVms {
        /// The routine.
        routine: String,
    },
    /// A launch is to make no step, so there would be no results.
    #[error("`.steps(0)` runs `{routine}` not even once, so it has no results; say 1 or more, or leave the launch out")]
    NoSteps {
        /// The routine.
        routine: String,
    },
    /// A budget of time, on a runtime that is one of several ranks.
    #[error(
        "`{routine}` runs on {ranks} ranks, each with a clock of its own, so a budget of time would end at another place on each; give one of instructions: `Budget::cycles(n)`"
    )]
    TimeOverRanks {
        /// The routine.
        routine: String,
        /// How many ranks there are.
        ranks: usize,
    },
    /// One buffer stands for two parameters of which at least one is written.
    #[error(
        "arguments `{first}` and `{second}` of `{routine}` share memory that VMs write; give each memory of its own"
    )]
    SharedWrite {
        /// The routine.
        routine: String,
        /// One parameter.
        first: String,
        /// The other.
        second: String,
    },
    /// The results were asked for as another type than the routine returns.
    #[error("the results of `{routine}` are {expected}, and were asked for as {found}")]
    OutputType {
        /// The routine.
        routine: String,
        /// What the routine returns.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// Data of another length was written to a buffer.
    #[error("a buffer of {} cannot take {found}; write the same number or make a new buffer", counted(*.expected, "entry"))]
    BufferLength {
        /// Entries of the buffer.
        expected: usize,
        /// Entries of the data.
        found: usize,
    },
    /// An execution that has not ended uses the buffer.
    #[error(
        "the buffer of {length} `{element}` is in use by an execution; call its `finish`, or drop it, before using the buffer elsewhere"
    )]
    BufferInUse {
        /// The type of the buffer's entries.
        element: String,
        /// How many there are.
        length: usize,
    },
    /// The launch needs more memory than a word's 32 bits can address, or than the device has for one VM.
    #[error(
        "`{routine}` needs {words} words of memory at once for {vms} VMs, more than the {engine} engine can address"
    )]
    TooLarge {
        /// The routine.
        routine: String,
        /// Words of the arena and the atomics.
        words: u64,
        /// The VMs that need them.
        vms: u64,
        /// The engine.
        engine: Engine,
    },
    /// The runtime does not have the engine.
    #[error("the {engine} engine is not available: {reason}")]
    EngineUnavailable {
        /// The engine.
        engine: Engine,
        /// Why, and what to do.
        reason: String,
    },
    /// There is no such device.
    #[error("no device: {reason}")]
    NoAdapter {
        /// What was looked for and what is there.
        reason: String,
    },
    /// Exact floats were asked for, and the device does not have them.
    #[error(
        "the floats of `{device}` differ from Rust's in their last bits, and exact ones were asked for; choose another of \
         `Runtime::devices()`, the CPU with `.backend(Backend::Cpu)`, or leave out `.float_mode(FloatMode::Exact)`"
    )]
    FloatsNotExact {
        /// The device's name.
        device: String,
    },
    /// The device has no atomics of 64 bits, and an engine that runs on it was asked for.
    #[error(
        "`{routine}` uses `{atomic}`, and `{device}` has no atomics of 64 bits; leave the engine to gpuvm or say `.engine(Engine::Native)`, \
         which both run it on the CPU, or use `{narrow}`"
    )]
    NoAtomics64 {
        /// The routine.
        routine: String,
        /// The type of its atomics.
        atomic: &'static str,
        /// The type that every device has.
        narrow: &'static str,
        /// The device's name.
        device: String,
    },
    /// The device was lost while it worked.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// What the driver says.
        reason: String,
    },
    /// The device has not enough memory.
    #[error("the device is out of memory: {reason}")]
    OutOfMemory {
        /// What did not fit.
        reason: String,
    },
    /// The device or its driver refused the work.
    #[error("the device failed: {reason}")]
    Device {
        /// What it says.
        reason: String,
    },
    /// The host could not start its threads.
    #[error("the thread pool of the native engine cannot start: {reason}")]
    Threads {
        /// What the system says.
        reason: String,
    },
    /// A plan cannot be built or run, or has no such result.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A ring kernel did not do what it was asked to.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The routine cannot be linked.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// VMs were still running when the budget ran out or the launch was ended. The report holds the results of those that were done.
    #[error("{0}")]
    Budget(Box<BudgetReport>),
    /// No instruction comes from the place where an execution was asked to break.
    #[error("no code comes from `{asked}`; {hint}")]
    NoCode {
        /// The place, as it was given.
        asked: String,
        /// The nearest places that have code.
        hint: String,
    },
    /// A routine asks, and the launch says nothing of who answers.
    #[error(
        "`{routine}` asks the host at {place}, and nobody answers: say `.answer(|vm, question: {question}| -> {answer} {{ … }})`, or `.start()` it and \
         answer what `Execution::questions` gives"
    )]
    NobodyAnswers {
        /// The routine.
        routine: String,
        /// The type of the question.
        question: String,
        /// The type of its answer.
        answer: String,
        /// Where it asks: file and line.
        place: String,
    },
    /// Not as many answers were given as there were questions.
    #[error(
        "`.answer_all` was given {} and gave {}; each question has one answer, in the order of the questions",
        counted(*.questions, "question"), counted(*.answers, "answer")
    )]
    AnswerCount {
        /// How many questions there were.
        questions: usize,
        /// How many answers came.
        answers: usize,
    },
    /// A VM was answered that waits for something else, or for nothing.
    #[error("VM {vm} was given an answer of type `{answer}`, and {}", expected.as_ref().map_or("waits for none".to_string(), |expected| format!("waits for a `{expected}`")))]
    NotAsked {
        /// The VM.
        vm: u32,
        /// The type of the answer.
        answer: String,
        /// The type of the answer that it waits for, if it waits.
        expected: Option<String>,
    },
    /// What cannot wait for an answer asks.
    #[error("`{routine}` asks the host by `vm::ask`, which {what} cannot; {instead}")]
    CannotAsk {
        /// The routine.
        routine: String,
        /// What it is part of.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// There is no such VM in the launch.
    #[error("`{routine}` runs on {}, numbered from 0, and VM {vm} was asked for", counted(*.vms as usize, "VM"))]
    NoSuchVm {
        /// The routine.
        routine: String,
        /// How many VMs there are.
        vms: u32,
        /// The number that was asked for.
        vm: u32,
    },
    /// The launch has no such column to give.
    #[error("`{routine}` has no column `{column}` here; it has {known}")]
    NoSuchColumn {
        /// The routine.
        routine: String,
        /// What was asked for.
        column: String,
        /// What there is.
        known: String,
    },
    /// The bytes are no snapshot, or a damaged one.
    #[error("this is no snapshot that can be read: {reason}")]
    BadSnapshot {
        /// What is wrong with them.
        reason: String,
    },
    /// The routine of this binary is not what the snapshot was taken of.
    #[error(
        "the snapshot was taken of another program: {reason}; restore it in a binary built from the same source, in the same profile"
    )]
    OtherProgram {
        /// What differs.
        reason: String,
    },
    /// A debugger cannot be opened, or has ended a launch.
    #[error("{reason}")]
    Debugger {
        /// Why.
        reason: String,
    },
    /// No monitor can be served.
    #[error("{reason}")]
    Monitor {
        /// Why.
        reason: String,
    },
    /// No VM of the execution has a state any more, because all its steps are over.
    #[error("all steps of `{routine}` are over, so no VM of it can be taken out")]
    NotRunning {
        /// The routine.
        routine: String,
    },
    /// At least one VM trapped. The report tells the first by VM id, and holds the results of all others.
    #[error("{0}")]
    Trap(Box<TrapReport>),
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Trap(report) => write!(f, "{report:#}")?,
            _ => write!(f, "{self}")?,
        }
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            write!(f, "\ncaused by: {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

impl From<gpuvm_engine::Error> for Error {
    fn from(error: gpuvm_engine::Error) -> Error {
        use gpuvm_engine::Error as Of;
        match error {
            Of::NoAdapter { reason } => Error::NoAdapter { reason },
            Of::NoAtomics64 {
                routine,
                atomic,
                narrow,
                device,
            } => Error::NoAtomics64 {
                routine,
                atomic,
                narrow,
                device,
            },
            Of::DeviceLost { reason } => Error::DeviceLost { reason },
            Of::OutOfMemory { reason } => Error::OutOfMemory { reason },
            // Whoever asks for such a kernel sees to it that there may be none.
            Of::Device { reason } | Of::NotResident { reason, .. } => Error::Device { reason },
        }
    }
}

impl Error {
    /// What the operating system says of a file.
    pub(crate) fn file(path: &Path, source: &std::io::Error) -> Error {
        Error::File {
            path: path.display().to_string(),
            reason: source.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_says_what_display_says() {
        let error = Error::EmptyColumn {
            routine: "step".to_string(),
            parameter: "x".to_string(),
        };
        assert_eq!(
            format!("{error:?}"),
            "argument `x` of `step` is empty; at least one entry is needed, one a VM"
        );
        let error = Error::from(RingError::State {
            call: "call",
            kernel: "counter".to_string(),
            needed: "active".to_string(),
            found: Life::Launched,
        });
        assert_eq!(format!("{error:?}"), format!("{error}"));
    }

    #[test]
    fn one_is_no_plural() {
        let count = |expected, parameters: &str| Error::ArgumentCount {
            routine: "step".to_string(),
            expected,
            parameters: parameters.to_string(),
            found: 3,
        };
        assert_eq!(count(1, "x").to_string(), "`step` takes 1 argument (x) and was given 3");
        assert_eq!(
            count(2, "x, y").to_string(),
            "`step` takes 2 arguments (x, y) and was given 3"
        );
        assert_eq!(count(0, "").to_string(), "`step` takes 0 arguments and was given 3");
        let error = Error::BufferLength { expected: 1, found: 2 };
        assert_eq!(
            error.to_string(),
            "a buffer of 1 entry cannot take 2; write the same number or make a new buffer"
        );
    }
}
