//! gpuvm over many machines. The same program runs on each rank that MPI starts (`mpirun -n 64 my-program`), with the same data, and makes the same launches in
//! the same order; gpuvm cuts the work of each over the ranks, and every rank has all results.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use gpuvm::prelude::*;
//! use gpuvm_mpi::Runtime;
//!
//! #[routine]
//! fn collatz(n: u64) -> u32 {
//!     let (mut n, mut steps) = (n, 0);
//!     while n > 1 {
//!         n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
//!         steps += 1;
//!     }
//!     steps
//! }
//!
//! fn search(runtime: &Runtime) -> Result<(), gpuvm::Error> {
//!     let numbers: Vec<u64> = (1..100_000_000).collect();
//!     let steps: Vec<u32> = runtime.launch("collatz")?.args((&numbers,)).run()?.output()?;
//!     if runtime.is_first() {
//!         println!("{:?}", steps.iter().max());
//!     }
//!     Ok(())
//! }
//!
//! fn main() -> ExitCode {
//!     gpuvm_mpi::run(search)
//! }
//! ```
//!
//! # What goes where
//!
//! - **Launches** on columns of the host: each rank runs a range of the VMs on its devices, and all get what the VMs leave. The bits are those of one process.
//! - **[Buffers](gpuvm::Buffer) and plans**: a column is on each rank's device as far as VMs there see it; what another rank has written moves when somebody needs it.
//! - What takes less time than to tell the others of it, each rank runs for itself, without a message. [`Spreading`](gpuvm::Spreading) says which that is.
//! - What depends on who comes first (atomics), and programs with relaxed floats where ranks have different devices, the first rank runs and tells the others.
//! - [Ring kernels](gpuvm::Ring) are each rank's own, and [`Runtime::link_ring`] carries what their actors forward to those of other ranks.
//! - [`Runtime::ensemble`] hands VMs out to whoever is free, for those that take unequally long.
//!
//! Programs must not do different things on different ranks: no launch inside of `if runtime.is_first()`, no decision by a clock or by a file that only one machine has.
//! A rank that waits for one which has ended says so, and all end.
//!
//! # MPI
//!
//! Build with the MPI of your cluster: `mpicc` has to be in the path, or named by `MPICC`, and libclang has to be there for [rsmpi](https://github.com/rsmpi/rsmpi).
//! MPICH 4 and Open MPI 4 of Debian are tested. Ranks wait without a core of their own.

mod desk;
mod ensemble;
mod error;
mod file;
mod links;
mod patience;
mod program;
mod runtime;
mod trace;
mod watch;
mod world;

pub use ensemble::{Axes, Axis, sweep};
pub use error::{Error, Result};
pub use links::RingLink;
pub use program::{run, run_with};
pub use runtime::{Builder, Runtime};
