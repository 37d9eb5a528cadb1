//! What can go wrong beside what gpuvm says.

use std::path::PathBuf;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something with ranks could not be done.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What gpuvm says.
    #[error(transparent)]
    Gpuvm(#[from] gpuvm::Error),
    /// A file could not be written or read by all ranks.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What MPI says.
        reason: String,
    },
    /// MPI begins and ends once in a process.
    #[error("MPI was started in this process before: keep the first `gpuvm_mpi::Runtime`, and clone it")]
    Started,
    /// Another MPI's `mpirun` has started it, so each process is alone.
    #[error(
        "{ranks} ranks were started, and each is alone: this program is built with {library}, and another MPI's `mpirun` has started it; \
         use that MPI's own, or build with the other one's `mpicc` (`MPICC=mpicc.openmpi cargo build`, after `cargo clean -p mpi-sys`)"
    )]
    OtherMpi {
        /// How many were started.
        ranks: usize,
        /// Which MPI it is built with.
        library: String,
    },
    /// Ranks have launched a ring kernel with different numbers of actors.
    #[error(
        "`{kernel}` has {actors} actors here and other ones on rank {rank}, so nobody could say which number is whose: launch it with as many on all ranks"
    )]
    Actors {
        /// The kernel.
        kernel: String,
        /// Its actors on this rank.
        actors: u32,
        /// A rank that has others.
        rank: usize,
    },
    /// There can be no thread.
    #[error("there can be no thread: {0}")]
    Thread(std::io::Error),
    /// MPI can be called from one thread only.
    #[error(
        "this MPI cannot be called from several threads, and gpuvm does: {library} has to be built with MPI_THREAD_MULTIPLE"
    )]
    Threads {
        /// Which MPI it is.
        library: String,
    },
}

/// What `main` shows of an error that it returns: its text, as gpuvm's own.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
