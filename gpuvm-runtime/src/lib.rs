//! gpuvm's host side: finds routines by id, checks and lays out arguments, runs launches on an engine, and gives results,
//! traps and statistics back. Engines see linked programs and words, never the compiler's inside.

pub mod arg;
mod bind;
pub mod buffer;
pub mod device;
pub mod done;
pub mod engine;
pub mod error;
pub mod launch;
mod marshal;
pub mod native;
mod reference;
pub mod registry;
pub mod runtime;
pub mod stats;
pub mod trap;
mod vector;
mod view;
#[cfg(feature = "wgpu")]
mod wgpu;

pub use arg::{Arg, AtomicArg, ChunkArg, ColumnArg, Element, IntoArg, IntoArgs, RecordArg, SliceArg};
pub use buffer::Buffer;
pub use device::{Backend, Device, DeviceKind, FloatMode};
pub use done::{Done, Output};
pub use engine::Engine;
pub use error::{Error, Result};
pub use gpuvm_core::compile::Settings;
pub use launch::Launch;
pub use runtime::{Runtime, RuntimeBuilder};
pub use stats::Stats;
pub use trap::TrapReport;

/// What generated code names besides the items above; no part of the public surface.
#[doc(hidden)]
pub use inventory;
