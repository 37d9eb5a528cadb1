//! What is asked of NVIDIA's driver, as a trait: the driver itself is behind it in `cuda`, and for tests one that plays a GPU on the host.
//!
//! Addresses and handles are plain numbers here. Whoever passes one on has it from the same driver, for as long as it is there, and
//! keeps within its bytes: that is what the encoder's checks are for, and what the driver's own `unsafe` relies on.

mod cuda;
#[cfg(test)]
pub mod fake;
mod gate;
pub mod pinned;

use std::fmt::{self, Debug, Display, Formatter};
use std::ptr::NonNull;
use std::sync::Arc;

use self::pinned::Pinned;

pub use self::cuda::gpus;
pub use self::gate::Entered;

/// A GPU of the machine.
pub trait Gpu: Debug + Send + Sync {
    /// What it is.
    fn about(&self) -> &About;

    /// Opens it: a context, which all of a process share, and a stream.
    fn open(&self) -> Result<Arc<dyn Driver>>;
}

/// A stream of a GPU. All that it is told to do it does in order, later than the call returns.
///
/// A thread has to have [entered](Driver::enter) for every other call.
pub trait Driver: Debug + Send + Sync {
    /// Makes this the GPU that the thread's calls are for, as long as the guard is there.
    fn enter(&self) -> Result<Entered>;

    /// Device memory of so many bytes, which may be anything. Where there is too little, all that the stream was told is waited for.
    fn allocate(&self, bytes: u64) -> Result<u64>;

    /// Gives device memory back when all that the stream was told before is done.
    fn free(&self, address: u64);

    /// Host memory that the device reaches, of so many bytes, which may be anything. Its address is one for the device as well.
    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>>;

    /// Gives host memory back, which the device is done with.
    fn free_host(&self, start: NonNull<u8>);

    /// A stream of the same GPU for a kernel that stays, which others do not wait for; none if so many stay that they would have to. What of
    /// the driver's calls waits for all kernels of the GPU has it leave before by a word of its mailbox, and lets it be launched again after.
    fn beside(&self, mailbox: &Arc<Pinned>) -> Result<Option<Arc<dyn Driver>>>;

    /// Copies bytes that do not overlap.
    fn copy(&self, from: u64, to: u64, bytes: u64) -> Result<()>;

    /// Sets bytes to 0.
    fn clear(&self, address: u64, bytes: u64) -> Result<()>;

    /// Writes a word of host memory, after everything before is done and can be seen.
    fn write_word(&self, address: u64, value: u32) -> Result<()>;

    /// Whether [`Driver::write_word`] can be used.
    fn writes_words(&self) -> bool;

    /// Marks this place in the stream.
    fn mark(&self) -> Result<Mark>;

    /// Whether the stream has come to a mark.
    fn has_passed(&self, mark: Mark) -> Result<bool>;

    /// Has what comes later wait until a mark has been passed, which may be in a stream of another GPU of this driver.
    fn wait_for(&self, mark: Mark) -> Result<()>;

    /// Which of the driver's GPUs this is.
    fn number(&self) -> usize;

    /// Lets another of the driver's GPUs copy from this one's memory and to it; whether it can.
    fn open_to(&self, number: usize) -> Result<bool>;

    /// Forgets a mark.
    fn forget(&self, mark: Mark);

    /// Whether nothing is left to do. Tells of what has gone wrong meanwhile.
    fn is_idle(&self) -> Result<bool>;

    /// Compiles PTX for this GPU.
    fn compile(&self, ptx: &str) -> Result<Vec<u8>>;

    /// Loads what was compiled.
    fn load(&self, cubin: &[u8], entry: &str) -> Result<Function>;

    /// Unloads a function that is not running.
    fn unload(&self, function: Function);

    /// How many of its blocks of so many threads are on the GPU at a time.
    fn resident_blocks(&self, function: Function, threads: u32) -> Result<u32>;

    /// Launches a kernel.
    fn launch(&self, launch: &Launch<'_>) -> Result<()>;

    /// Whether a chain's kernels are launched before the one before them has ended (programmatic dependent launch), so that they have to wait
    /// for that themselves.
    fn launches_dependents(&self) -> bool;

    /// A row of so many launches, one after the other, that are given all at once. Each is this one until it is set.
    fn chain(&self, length: usize, launch: &Launch<'_>) -> Result<Chain>;

    /// Makes one of a chain's launches another, from the next time on that the chain is launched. What it was before must be loaded still.
    fn set_link(&self, chain: &Chain, at: usize, launch: &Launch<'_>) -> Result<()>;

    /// Makes a chain's launches.
    fn launch_chain(&self, chain: &Chain) -> Result<()>;

    /// Forgets a chain.
    fn forget_chain(&self, chain: &Chain);
}

/// A row of launches, as a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The graph.
    pub graph: usize,
    /// The graph as it runs.
    pub runnable: usize,
    /// Its launches, in order.
    pub links: Vec<usize>,
}

/// A mark in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub usize);

/// A kernel that is loaded, and the module that is loaded for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The module.
    pub module: usize,
    /// The kernel.
    pub kernel: usize,
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub function: Function,
    /// Its blocks.
    pub blocks: [u32; 3],
    /// The threads of each.
    pub threads: [u32; 3],
    /// Its parameters.
    pub values: &'a [u8],
    /// Where in these each of them is.
    pub offsets: &'a [u32],
}

/// What is known of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// What its compute capability is: 9, 0 for an H200.
    pub capability: [u32; 2],
    /// Bytes of its memory.
    pub memory: u64,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Whether its memory is the host's.
    pub integrated: bool,
    /// Where it is plugged in.
    pub bus: String,
    /// The version of CUDA that the driver has, 12,040 for 12.4.
    pub version: u32,
    /// The version of the driver, where it can be had.
    pub driver: Option<String>,
}

/// The driver's answer.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the driver did not do what it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What follows from it.
    pub kind: Kind,
    /// The call.
    pub call: &'static str,
    /// The driver's number for it.
    pub code: u32,
    /// The driver's words for it.
    pub text: String,
}

/// What follows from an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory is short.
    OutOfMemory,
    /// Nothing can be done with the device any more.
    Lost,
    /// The process is about to end.
    Ended,
    /// This call was refused.
    Refused,
}

impl Error {
    /// That the process is about to end.
    pub fn ended(call: &'static str) -> Error {
        Error {
            kind: Kind::Ended,
            call,
            code: 4,
            text: "the process is about to end".to_string(),
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (error {})", self.call, self.text, self.code)
    }
}

impl std::error::Error for Error {}

/// Why no device of CUDA's can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absent {
    /// The driver's library is not on this machine.
    NoLibrary,
    /// The driver is too old. The version of CUDA that it has, 11,080 for 11.8.
    OldDriver(u32),
    /// What the driver says.
    Driver(String),
    /// The driver knows of no GPU.
    NoGpu,
    /// The GPUs are too old: the name of the first.
    OldGpu(String),
}

impl Display for Absent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Absent::NoLibrary => f.write_str("there is no library of NVIDIA's driver (libcuda) on this machine"),
            Absent::OldDriver(version) => write!(
                f,
                "NVIDIA's driver has CUDA {}.{}, and 12.0 (driver 525) is needed",
                version / 1000,
                version % 1000 / 10
            ),
            Absent::Driver(text) => write!(f, "NVIDIA's driver does not start: {text}"),
            Absent::NoGpu => f.write_str("NVIDIA's driver knows of no GPU"),
            Absent::OldGpu(name) => write!(f, "`{name}` is too old: compute capability 7.0 (Volta) is needed"),
        }
    }
}

impl std::error::Error for Absent {}
