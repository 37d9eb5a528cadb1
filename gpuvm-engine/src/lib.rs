//! What an engine looks like to the runtime above it: it takes a [`Job`], which is a program and plain words, and runs it as far as it is
//! told to. Adding an engine is a type that implements [`Execute`] and a line where its device is opened.
//!
//! The native engine is not one of these: it runs the annotated function itself on typed values.

mod device;
mod error;
mod guard;
mod image;
mod job;
mod ranks;
mod reference;
pub mod room;
mod team;
mod threads;

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::interp::Vm;
use gpuvm_core::program::{Program, TrapRecord};

pub use self::device::{Backend, Device, DeviceKind, FloatMode, MemoryUse};
pub use self::error::{Error, Result};
pub use self::guard::{Check, CheckOp, Guard, Operand, StopAt, Then, WordRange};
pub use self::image::touched;
pub use self::job::{Copy, Demand, Job, Reach, Slot, Span, Tiles, atomic_words};
pub use self::ranks::{Ranks, Wire, gathered, handed_out};
pub use self::reference::Reference;
pub use self::team::{Lost, engine_over_ranks, over_ranks, team};
pub use self::threads::{join, least_piece};

/// Which engine runs a launch. All of them give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// On a GPU a launch starts on the interpreter and goes on specialised as soon as the program is compiled, and a program that was
    /// launched before starts specialised; without a GPU it is [`Engine::Native`].
    #[default]
    Auto,
    /// The annotated function itself, compiled by rustc, over a thread pool.
    Native,
    /// The interpreter in plain Rust that defines what a program means.
    Reference,
    /// On the GPU: each VM fetches, decodes and executes in one dispatch.
    Interpreter,
    /// On the GPU: classify, then one kernel for each class of instruction. Few VMs that are not done after many epochs are left to the
    /// interpreter, as `Stats::left_to_interpreter` says.
    Epoch,
    /// On the GPU: the program partially evaluated into one shader. What that cannot do is left to the interpreter: to stop after an exact
    /// number of instructions or at a breakpoint, and programs that the device's compiler would take too long
    /// over, as `Stats::left_to_interpreter` says.
    Specialized,
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Engine::Auto => "auto",
            Engine::Native => "native",
            Engine::Reference => "reference",
            Engine::Interpreter => "interpreter",
            Engine::Epoch => "epoch",
            Engine::Specialized => "specialized",
        })
    }
}

/// An engine that runs programs on words.
pub trait Execute: Send + Sync {
    /// The most VMs that one job may have, given how much memory the launch asks for; 0 if not even one VM fits. The runtime
    /// splits a larger launch into several jobs. An engine may have to compile the program first, to know what it leaves beside the job's data.
    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32;

    /// The memory in which buffers can stay between launches, if the engine has memory of its own.
    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        None
    }

    /// Whether a job may make several [steps](Job::steps), and a launch's next job may be started while this one runs. Otherwise the runtime starts one for each step,
    /// when the one before is over.
    fn runs_ahead(&self) -> bool {
        true
    }

    /// Takes a job in, with the words that its arena starts with. Nothing has run when this returns.
    ///
    /// # Errors
    ///
    /// When the device fails: lost, out of memory, or refusing the work.
    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>>;

    /// How long the device's compiler would take over a program, by estimate, where that is so long that the interpreter runs it instead.
    fn left_to_interpreter(&self, _program: &Arc<Program>) -> Option<Duration> {
        None
    }

    /// A kernel of the program that stays on the device.
    ///
    /// # Errors
    ///
    /// [`Error::NotResident`] if there can be none; otherwise when the device fails.
    fn resident(&self, program: &Arc<Program>) -> Result<Box<dyn ResidentKernel>> {
        Err(Error::NotResident {
            routine: program.name.clone(),
            reason: "only the automatic and the specialised engine on a device of CUDA's have such kernels".to_string(),
        })
    }

    /// A sequence of jobs that needs no host in between, if the engine has such sequences.
    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        None
    }
}

/// A program whose kernel stays on a device, so that jobs of it begin without a launch. When it is dropped the kernel leaves.
pub trait ResidentKernel: Send {
    /// Whether a job is small enough, and has nothing that only launches can see to.
    fn takes(&self, job: &Job) -> bool;

    /// Runs a job that it takes, until no VM is running any more or for about as long as one submission. What was done in the engine's memory
    /// before has to have been waited for.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn run(&mut self, job: Job, arena: &dyn Source) -> Result<Ran>;

    /// Waits until what it has done in the engine's memory is there for whatever else is done there next.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn settle(&mut self) -> Result<()>;
}

/// What has become of a job on a kernel that stays.
pub enum Ran {
    /// All VMs have halted, and this is what they left.
    Halted(Finished),
    /// The job where it stands: a VM has trapped or yielded, or is not done.
    Stands(Box<dyn Running>),
}

/// Jobs that follow each other on a device without the host in between: each finds what those before it have left in the engine's
/// memory. A job of which a VM does not halt, because it traps, yields or is not done yet, ends the sequence: the jobs after it do not start.
pub trait Sequence: Send {
    /// Adds a job; false if it cannot be one of a sequence. Whatever it works on has to stay as it is until the sequence was waited for.
    ///
    /// # Errors
    ///
    /// When the device fails: lost, out of memory, or refusing the work.
    fn push(&mut self, job: Job, arena: &dyn Source) -> Result<bool>;

    /// Whether jobs of some program may have [`tiles`](Job::tiles).
    fn has_tiles(&self) -> bool {
        false
    }

    /// Whether jobs of this one may have these, as far as can be told now.
    ///
    /// # Errors
    ///
    /// As [`Sequence::push`].
    fn takes_tiles(&mut self, _program: &Arc<Program>, _tiles: &Tiles) -> Result<bool> {
        Ok(false)
    }

    /// Hands all jobs that were added to the device, so that what is submitted from now on comes after them.
    ///
    /// # Errors
    ///
    /// As [`Sequence::wait`].
    fn flush(&mut self) -> Result<()>;

    /// Waits for all jobs that were added. After that the sequence is empty, but for the jobs after one that has ended it: they can be waited
    /// for when that one is over.
    ///
    /// # Errors
    ///
    /// When the device fails. [`Error::OutOfMemory`] only before any of these jobs has run, where they are few enough
    /// for one submission.
    fn wait(&mut self) -> Result<SequenceEnd>;
}

/// How a sequence of jobs has ended.
#[derive(Default)]
pub struct SequenceEnd {
    /// What it cost, and how many VMs have halted.
    pub tally: Tally,
    /// The number, counted from 0, of the job that has ended it before its last, and that job where it stands.
    pub stopped: Option<(usize, Box<dyn Running>)>,
}

/// A job on an engine. It runs only while it is advanced, so it can be paused, looked at, saved and moved in between.
pub trait Running: Send {
    /// Lets the VMs begin before anybody waits for them in [`Running::advance`]: each runs at least so many instructions, unless it ends
    /// before. Jobs that were begun follow each other in that order. False if the engine cannot; then nothing has run.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn begin(&mut self, _cycles: u64) -> Result<bool> {
        Ok(false)
    }

    /// Lets VMs that yielded or wait for an answer go on, and runs until no VM is running any more or the limit is reached. `watch` is called between
    /// submissions.
    ///
    /// A job of several [steps](Job::steps) goes on to the next when all VMs have halted; a trap ends the sequence.
    ///
    /// # Errors
    ///
    /// When the device fails. A VM's trap is no error but part of the tally.
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally>;

    /// How many of its VMs there is likely room for at a time, after [`Running::advance`] has ended in [`Error::OutOfMemory`] because of what
    /// they came to need on the way. `None` if that was not why.
    fn most_at_a_time(&self) -> Option<u32> {
        None
    }

    /// The complete state of all VMs, in the order of their ids.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn image(&mut self) -> Result<Image>;

    /// Replaces the state of all VMs by an image of the same program and number of VMs, before the first advance. The job goes on in
    /// the middle of its first step, so the [`copies`](Job::copies) before that step are not made.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn restore(&mut self, image: &Image) -> Result<()>;

    /// The state of one VM, by its place in the job.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn vm(&mut self, index: u32) -> Result<Vm>;

    /// The words of a VM of the job, as bits, that have the values that they would have on any engine. The program needs the others no more.
    fn kept(&self, _vm: &Vm) -> u32 {
        u32::MAX
    }

    /// Replaces the state of one VM, by its place in the job.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()>;

    /// The place in the job of the first VM that has trapped, as of the last advance.
    fn first_trapped(&self) -> Option<u32>;

    /// Whether a VM that has trapped is complete: all its words and its calls, and not what it has recorded alone.
    fn keeps_trapped(&self) -> bool {
        true
    }

    /// Where the parameters lie, the result's slot last.
    fn slots(&self) -> &[Slot];

    /// The arena and the atomics as they are now, the arena complete.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn memory(&mut self) -> Result<Memory>;

    /// Replaces words of the arena, from one on, for the VMs that go on with the next advance.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()>;

    /// Atomic words as they are now, in the order of the job's.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>>;

    /// Replaces atomic words, from one on, for the VMs that go on with the next advance.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()>;

    /// Gives back what the VMs have left.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn finish(self: Box<Self>) -> Result<Finished>;
}

/// The arena and the atomics of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Columns, slices and results.
    pub arena: Vec<u32>,
    /// The atomic words.
    pub atomics: Vec<u32>,
}

/// What a job leaves behind.
#[derive(Debug, Default)]
pub struct Finished {
    /// The [`changed`](Job::changed) ranges of the arena, one after the other.
    pub changed: Words,
    /// The atomic words.
    pub atomics: Vec<u32>,
    /// The trap of the lowest VM id, if any VM trapped.
    pub first_trap: Option<TrapRecord>,
    /// The ids of the VMs that trapped, ascending: all of them where the job [asks for that](Job::all_traps), else none.
    pub trapped: Vec<u32>,
}

/// Words that an engine is given. It asks for them piece by piece and puts each where it needs it, so that large columns are copied
/// once.
pub trait Source: Sync {
    /// How many words there are.
    fn words(&self) -> usize;

    /// How many there are before the zeros at the end.
    fn filled(&self) -> usize;

    /// Writes the words of a range to `words`, which has exactly as many.
    fn write(&self, range: Range<usize>, words: &mut [u32]);
}

impl Source for &[u32] {
    fn words(&self) -> usize {
        <[u32]>::len(self)
    }

    fn filled(&self) -> usize {
        <[u32]>::len(self)
    }

    fn write(&self, range: Range<usize>, words: &mut [u32]) {
        words.copy_from_slice(&self[range]);
    }
}

/// So many zeros.
#[derive(Clone, Copy, Debug)]
pub struct Zeros(pub usize);

impl Source for Zeros {
    fn words(&self) -> usize {
        self.0
    }

    fn filled(&self) -> usize {
        0
    }

    fn write(&self, _: Range<usize>, words: &mut [u32]) {
        words.fill(0);
    }
}

/// Words that an engine gives, where they lie: in a vector, or in memory that the device has filled, which nobody has to copy who
/// reads it once.
#[derive(Default)]
pub struct Words {
    storage: Storage,
    range: Range<usize>,
}

/// Where words lie.
enum Storage {
    Vector(Vec<u32>),
    Elsewhere(Box<dyn AsRef<[u32]> + Send + Sync>),
}

impl Words {
    /// Words that something other than a vector holds.
    pub fn elsewhere(storage: impl AsRef<[u32]> + Send + Sync + 'static) -> Words {
        Words {
            range: 0..storage.as_ref().len(),
            storage: Storage::Elsewhere(Box::new(storage)),
        }
    }

    /// A part of them.
    pub fn part(self, range: Range<usize>) -> Words {
        let start = self.range.start;
        Words {
            range: start + range.start..start + range.end,
            ..self
        }
    }

    /// A vector of them, copied unless it is there.
    pub fn into_vec(self) -> Vec<u32> {
        match self.storage {
            Storage::Vector(all) if self.range == (0..all.len()) => all,
            _ => self.to_vec(),
        }
    }
}

impl Default for Storage {
    fn default() -> Storage {
        Storage::Vector(Vec::new())
    }
}

impl From<Vec<u32>> for Words {
    fn from(all: Vec<u32>) -> Words {
        Words {
            range: 0..all.len(),
            storage: Storage::Vector(all),
        }
    }
}

impl Deref for Words {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        let all = match &self.storage {
            Storage::Vector(all) => all,
            Storage::Elsewhere(storage) => (**storage).as_ref(),
        };
        &all[self.range.clone()]
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[u32; {}]", self.len())
    }
}

/// The state of the VMs of a job in canonical form, the same on every engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The 128-byte records, [`STATE_WORDS`](gpuvm_core::isa::STATE_WORDS) words each, VM after VM.
    pub records: Vec<u32>,
    /// What is kept beside the record, [`EXTRA_WORDS`] words each, VM after VM: the frame base counted from the end of the call
    /// stack, the calls that have not returned, and why and at which offset the VM was stopped for reaching outside of its memory
    /// ([`fault`]).
    pub extras: Vec<u32>,
    /// The frame memory, [`Program::frame_memory`] words each, VM after VM.
    pub frames: Vec<u32>,
}

/// Words of an [`Image::extras`] entry.
pub const EXTRA_WORDS: usize = 4;

/// Why a VM trapped, as [`Image::extras`] has it.
pub mod fault {
    /// Its instruction says so, and names site and words.
    pub const NONE: u32 = 0;
    /// It reached outside of memory.
    pub const MEMORY: u32 = 1;
    /// It called too deep.
    pub const STACK: u32 = 2;
}

/// How far to run.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    /// Instructions of each VM; no bound if `None`. An engine may let a VM go on to the end of its basic block.
    pub cycles: Option<u64>,
    /// Time; no bound if `None`. At least one batch runs.
    pub time: Option<Duration>,
    /// How the batches follow each other.
    pub dispatch: Dispatch,
    /// How long one submission should take; the engine sizes its batches by what it has seen. 5 ms if `None`.
    pub slice: Option<Duration>,
    /// In front of which instructions VMs stop, ascending, each once; one that stands at such an instruction when
    /// [`Running::advance`] is called goes past it.
    pub breakpoints: Vec<StopAt>,
    /// Whether VMs that stand in front of a breakpoint when [`Running::advance`] is called stay there: it goes on with what was begun before.
    pub stays: bool,
    /// Whether somebody looks at variables: an engine then keeps those in scope wherever it leaves a VM, and not only what the program still needs.
    pub shows: bool,
    /// Whether nobody asks how long the device was at it. Reading its clock takes longer than a short launch does.
    pub untimed: bool,
}

/// How the batches of a launch follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dispatch {
    /// One batch, then the host looks.
    Standard,
    /// The next batch is on its way before the host has looked at the last one.
    #[default]
    Continuous,
    /// Batches as large as the device bears.
    Mega,
}

/// How a job stands. All numbers are counted since it was started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// VMs that can go on.
    pub running: u32,
    /// VMs that have yielded.
    pub yielded: u32,
    /// VMs that wait for an answer.
    pub blocked: u32,
    /// VMs that are done.
    pub halted: u32,
    /// VMs that have trapped.
    pub trapped: u32,
    /// Of the running ones, those that stand in front of a breakpoint.
    pub at_breakpoint: u32,
    /// Steps of the job that are complete.
    pub steps: u32,
    /// Instructions retired by class (linear, oracle, branch, io), where the engine counts them.
    pub retired: Option<[u64; 4]>,
    /// Dispatches.
    pub batches: u64,
    /// Epochs, on the epoch engine.
    pub epochs: Option<u64>,
    /// Time that the device spent on it, where that can be told.
    pub device_time: Option<Duration>,
    /// The engine that runs it now; another than was asked for where that was [`Engine::Auto`].
    pub engine: Engine,
    /// Epochs after which the epoch engine has left the rest to the interpreter.
    pub left_after: Option<u64>,
}

/// Memory of a device in which buffers stay between launches.
pub trait DeviceMemory: Send + Sync {
    /// Room for that many words, whose content is anything. Dropping the last handle of the region frees it.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if there is no such room; the caller may keep the data on the host.
    fn allocate(&self, words: u64) -> Result<Region>;

    /// Writes words from the region's start on.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn write(&self, region: &Region, words: &dyn Source) -> Result<()>;

    /// Sets all words of the region to 0.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn clear(&self, region: &Region) -> Result<()> {
        self.write(region, &Zeros(region.words as usize))
    }

    /// Reads all words of the region, which everything that was submitted has written.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn read(&self, region: &Region) -> Result<Words>;

    /// Copies the words of one region to another one that is as long. The regions do not overlap.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn copy(&self, from: &Region, to: &Region) -> Result<()> {
        self.write(to, &&*self.read(from)?)
    }

    /// Copies the words of a region of another device's memory to one here that is as long, if that goes from device to device; whether it does.
    ///
    /// # Errors
    ///
    /// When a device fails.
    fn copy_from(&self, _other: &dyn DeviceMemory, _from: &Region, _to: &Region) -> Result<bool> {
        Ok(false)
    }

    /// The memory itself, by which those of one kind know each other.
    fn as_any(&self) -> Option<&dyn std::any::Any> {
        None
    }

    /// Puts entries into the order of their keys; those of equal keys stay in theirs. It comes after everything that was submitted before. Gives
    /// how long the device took, if that can be told.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] before anything was done, if there is no room for what it needs on the way; the caller may sort on the host.
    /// Otherwise when the device fails.
    fn sort(&self, sort: &Sort) -> Result<Option<Duration>>;

    /// Begins to keep some of the entries, in their order. That comes after everything that was submitted before, and before everything that
    /// is submitted later; nobody has to wait for it.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] before anything was done, if there is no room for what it needs on the way; the caller may do so on the host.
    /// Otherwise when the device fails.
    fn select(self: Arc<Self>, select: &Select) -> Result<Box<dyn Selection>>;

    /// How much of the device's memory is in use.
    fn in_use(&self) -> MemoryUse;
}

/// Entries of a device's memory that are to be sorted. The regions do not overlap.
#[derive(Clone, Debug)]
pub struct Sort {
    /// How many entries there are.
    pub count: u32,
    /// A key for each, of so many words: 1, or 2 with the low one first. They are compared as unsigned numbers.
    pub keys: Region,
    /// Words of a key.
    pub key_words: u32,
    /// Bits of a key, from the lowest on, that may be set.
    pub bits: u32,
    /// The entries, of so many words each.
    pub entries: Region,
    /// Words of an entry.
    pub entry_words: u32,
    /// Where they go.
    pub sorted: Region,
}

/// Entries of a device's memory of which some are to be kept. The regions do not overlap.
#[derive(Clone, Debug)]
pub struct Select {
    /// How many entries there are, at least one.
    pub count: u32,
    /// By what they are kept.
    pub rule: Rule,
    /// What the rule looks at.
    pub by: Region,
    /// The entries, of so many words each.
    pub entries: Region,
    /// Words of an entry.
    pub entry_words: u32,
    /// Where those go that are kept, with room for all.
    pub kept: Region,
}

/// Which entries are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Those whose word is not 0.
    Flagged,
    /// Those whose bit is set by a job that [marks](Tiles::Marks) its elements.
    Marked,
    /// Of neighbours whose keys have the same words the first.
    First {
        /// Words of a key.
        key_words: u32,
    },
    /// The last of them.
    Last {
        /// Words of a key.
        key_words: u32,
    },
}

/// Entries that are being kept.
pub trait Selection: Send {
    /// Waits until it is done.
    ///
    /// # Errors
    ///
    /// When the device fails.
    fn wait(self: Box<Self>) -> Result<Kept>;
}

/// What has become of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// How many entries are kept.
    pub count: u32,
    /// How long the device took, if that can be told.
    pub device_time: Option<Duration>,
}

/// A part of a device's memory. A clone is another handle to it.
#[derive(Clone)]
pub struct Region {
    /// Where it starts, in words from the start of the memory that the VMs of all launches see as their arena.
    pub start: u32,
    /// How many words it has.
    pub words: u32,
    /// Frees it when the last clone is dropped.
    pub guard: Arc<dyn std::any::Any + Send + Sync>,
}

impl std::fmt::Debug for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Region({} + {})", self.start, self.words)
    }
}

/// A device that was opened, with the engines that run on it. `gpuvm_wgpu::open` gives this.
pub struct Opened {
    /// The device.
    pub device: Device,
    /// Its engines, the one which [`Engine::Auto`] means first.
    pub engines: Vec<(Engine, Arc<dyn Execute>)>,
}

/// Which device to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The best real GPU; none is an [`Error::NoAdapter`].
    Hardware,
    /// The best there is, a software rasteriser if nothing else.
    Best,
    /// The one with this [`Device::index`].
    Index(usize),
}
