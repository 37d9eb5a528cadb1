//! Write a plain Rust function, put `#[routine]` on it, and run a thousand or ten million copies of it on the GPU, or on this CPU, with
//! the same bits everywhere.
//!
//! ```
//! use gpuvm::prelude::*;
//!
//! /// Steps until the Collatz sequence of `start` reaches 1.
//! #[routine]
//! fn collatz(start: u32) -> u32 {
//!     let mut n = start;
//!     let mut steps = 0;
//!     while n > 1 {
//!         n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
//!         steps += 1;
//!     }
//!     steps
//! }
//!
//! fn main() -> gpuvm::Result<()> {
//!     let runtime = Runtime::new()?;
//!     let starts: Vec<u32> = (1..=1000).collect();
//!     let done = runtime.launch("collatz")?.args((&starts,)).run()?;
//!     let steps: Vec<u32> = done.output()?;
//!     assert_eq!(steps[26], collatz(27));
//!     Ok(())
//! }
//! ```

pub use gpuvm_core as core;
pub use gpuvm_core::types::{RingMessage, VmType};
pub use gpuvm_macros::{RingMessage, VmType, ring_kernel, routine};
pub use gpuvm_runtime::native::vm;
pub use gpuvm_runtime::report;
pub use gpuvm_runtime::ring;
pub use gpuvm_runtime::ring::Ring;
pub use gpuvm_runtime::{
    Arg, Backend, Budget, BudgetReport, Buffer, Device, DeviceKind, Dispatch, Done, Engine, Error, Execution,
    Explanation, FloatMode, Handle, IntoArg, IntoArgs, KernelHandle, Launch, Plan, PlanDone, PlanError, PlanStats,
    Progress, Result, RingOptions, Runtime, RuntimeBuilder, RuntimeConfig, Settings, Signal, Snapshot, Stats,
    StepStats, TrapReport, VmView,
};

/// What a program that writes and launches routines needs.
pub mod prelude {
    pub use crate::{
        Backend, Budget, Buffer, Dispatch, Engine, Execution, KernelHandle, Ring, RingMessage, RingOptions, Runtime,
        Signal, VmType, default, ring_kernel, routine, vm,
    };
}

/// `T::default()`, for what a literal of options leaves out: `RingOptions { actors: 9, ..default() }`.
pub fn default<T: Default>() -> T {
    T::default()
}

/// What generated code names; no part of the public surface.
#[doc(hidden)]
pub mod __private {
    pub use gpuvm_core::private::*;
    pub use gpuvm_math as math;
    pub use gpuvm_math::native::M;
    pub use gpuvm_runtime::native::{NativeCx, enter};
    pub use gpuvm_runtime::registry::Entry;
    pub use gpuvm_runtime::ring::Ring;
    pub use gpuvm_runtime::ring::handler::{Entry as RingEntry, Handler};
    pub use gpuvm_runtime::{
        AtomicArg, ChunkArg, ColumnArg, Done, Element, IntoArg, RecordArg, Result, Runtime, SliceArg, inventory,
    };
}

/// The README's program, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
