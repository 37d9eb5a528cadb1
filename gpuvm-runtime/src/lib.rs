//! gpuvm's host side: finds routines by id, checks and lays out arguments, runs launches on an engine, and gives results,
//! traps and statistics back. Engines see linked programs and words, never the compiler's inside.

// Generated code names `::gpuvm`, which below the facade is the core.
extern crate gpuvm_core as gpuvm;

pub mod activity;
mod alarm;
pub mod arg;
mod atomics;
mod background;
pub mod batch;
mod bind;
pub mod budget;
pub mod buffer;
mod builder;
#[doc(hidden)]
pub mod by_function;
mod columns;
mod config;
mod content;
mod counted;
mod cpu;
pub mod debugger;
pub mod detached;
mod device;
pub mod done;
mod dumps;
mod entry;
pub mod error;
pub mod execution;
pub mod frames;
mod handle;
pub mod inspect;
mod json;
pub mod launch;
#[cfg(test)]
mod layers;
mod leg;
pub mod logs;
mod marshal;
pub mod monitor;
pub mod native;
#[cfg(feature = "gpu")]
mod overlooked;
pub mod plan;
pub mod profile;
pub mod progress;
pub mod questions;
mod rates;
mod recorder;
pub mod registry;
mod remembered;
mod repeats;
pub mod ring;
pub mod routine;
pub mod runtime;
mod show;
pub mod snapshot;
mod sources;
mod spread;
pub mod stats;
mod store;
mod tally;
pub mod trap;
mod types;
mod unheard;
mod vector;
mod view;
mod words;

pub use arg::{
    Arg, AtomicArg, ChunkArg, ChunkOf, ColumnArg, ColumnOf, Element, FewerParameters, IntoArg, IntoArgs, RecordArg,
    RecordOf, SliceArg, SliceOf,
};
pub use batch::{Batch, BatchDone, BatchTrap};
pub use budget::Budget;
pub use buffer::Buffer;
pub use builder::RuntimeBuilder;
pub use debugger::{Debugger, DebuggerKind};
pub use detached::{DetachedVm, Frozen};
pub use device::Devices;
pub use done::{BudgetReport, Done, Output};
pub use entry::Launchable;
pub use error::{Error, Result};
pub use execution::{Execution, Signal};
pub use frames::{FrameView, VariableView};
pub use gpuvm_core::program::LogLine;
pub use gpuvm_core::routine::Level;
pub use gpuvm_core::settings::Settings;
pub use gpuvm_engine::{Backend, Device, DeviceKind, Dispatch, Engine, FloatMode, MemoryUse};
pub use inspect::VmView;
pub use launch::Launch;
pub use logs::{LogLimit, Logs};
pub use plan::report;
pub use plan::{Explanation, Groups, Handle, Plan, PlanDone, PlanError, PlanStats, StepStats};
pub use profile::Profile;
pub use progress::{Progress, Standing};
pub use questions::Question;
pub use ring::{KernelHandle, RingOptions, RingSnapshot, RuntimeConfig};
pub use routine::{Routine, build};
pub use runtime::{Runtime, Spreading};
pub use snapshot::Snapshot;
pub use stats::{LeftToInterpreter, Share, Stats};
pub use trap::TrapReport;

/// Conditions that are asked of VMs where they are, for [`Execution::stop_at`].
pub mod guard {
    pub use gpuvm_engine::{Check, CheckOp, Guard, Operand, StopAt, Then};
}

/// What generated code names besides the items above; no part of the public surface.
#[doc(hidden)]
pub use inventory;
