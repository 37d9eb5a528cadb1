#![doc = include_str!("../README.md")]
#![cfg_attr(
    feature = "half",
    doc = r#"
# Numbers of 16 bits

With the feature `half` the types `f16` and `bf16` of the crate `half` are types of the machine: entries of columns, fields, locals, results.
They keep numbers in half the memory; arithmetic is that of `f32`, rounded once. A NaN has one pattern, as `f32`'s.

```
use gpuvm::prelude::*;
use half::f16;

#[routine]
fn brighter(light: f16, by: f32) -> f16 {
    f16::from_f32(light.to_f32() * by).min(f16::ONE)
}

fn main() -> gpuvm::Result<()> {
    let light = [0.25, 0.5, 0.75].map(f16::from_f32);
    let done = Runtime::new()?.launch("brighter")?.args((&light, 1.5f32)).run()?;
    assert_eq!(done.output::<Vec<f16>>()?, [0.375, 0.75, 1.0].map(f16::from_f32));
    Ok(())
}
```
"#
)]

pub mod build;

pub use gpuvm_core::types::{RingMessage, VmType};
pub use gpuvm_macros::{RingMessage, VmType, ring_kernel, routine};
/// A handle of a ring kernel: it sends messages and receives answers.
///
/// # Many messages
///
/// Who sends many is another thread or task than who receives the answers: when as many wait as the queue has room for, the actors rest, and
/// then whoever sends waits.
///
/// ```
/// use std::time::Duration;
/// use gpuvm::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// struct Sample(u32);
///
/// #[ring_kernel]
/// fn highest(so_far: &mut u32, sample: Sample) -> Sample {
///     *so_far = (*so_far).max(sample.0);
///     Sample(*so_far)
/// }
///
/// fn main() -> gpuvm::Result<()> {
///     let options = RingOptions { actors: 100, ..default() };
///     let kernel = Runtime::new()?.blocking_launch_ring("highest", options)?;
///     kernel.blocking_activate()?;
///     let sender = kernel.clone();
///     let samples = (0..10_000u32).map(|i| (i % 100, Sample(i * 7919 % 10_007)));
///     let sending = std::thread::spawn(move || sender.blocking_send_all(samples));
///     let mut answers: Vec<(u32, Sample)> = Vec::new();
///     while answers.len() < 10_000 {
///         kernel.blocking_receive_many(&mut answers, Duration::from_secs(5))?;
///     }
///     assert_eq!(sending.join().expect("the sender does not panic")?, 10_000);
///     assert_eq!(answers.iter().map(|(_, Sample(value))| *value).max(), Some(10_006));
///     Ok(())
/// }
/// ```
///
/// # In general
pub use gpuvm_runtime::KernelHandle;
pub use gpuvm_runtime::activity;
pub use gpuvm_runtime::guard;
pub use gpuvm_runtime::native::vm;
pub use gpuvm_runtime::profile;
pub use gpuvm_runtime::report;
/// Actors that keep a state and handle messages.
///
/// # When an actor traps
///
/// ```
/// use gpuvm::prelude::*;
/// use gpuvm::ring::Restart;
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// enum Change {
///     Put(u32),
///     Take(u32),
/// }
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// struct Left(u32);
///
/// #[ring_kernel]
/// fn shelf(items: &mut u32, change: Change) -> Left {
///     match change {
///         Change::Put(count) => *items += count,
///         Change::Take(count) => {
///             assert!(count <= *items, "{count} taken of {items}");
///             *items -= count;
///         }
///     }
///     Left(*items)
/// }
///
/// fn main() -> gpuvm::Result<()> {
///     let options = RingOptions { actors: 10, restart: Restart::Fresh, ..default() };
///     let shelves = Runtime::new()?.blocking_launch_ring("shelf", options)?;
///     shelves.blocking_activate()?;
///     shelves.blocking_send_all([(3, Change::Put(2)), (3, Change::Take(5)), (3, Change::Put(7))])?;
///     shelves.blocking_terminate()?; // handles what was sent
///     assert_eq!(shelves.try_receive()?, Some(Left(2)));
///     assert_eq!(shelves.try_receive()?, Some(Left(7))); // of a fresh state
///     let letter = shelves.dead_letter().expect("the shelf trapped");
///     assert_eq!(letter.message(), Some(Change::Take(5)));
///     assert!(letter.to_string().ends_with("5 taken of 2"));
///     Ok(())
/// }
/// ```
///
/// # Kept for another process
///
/// ```
/// use gpuvm::prelude::*;
/// use gpuvm::RingSnapshot;
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// struct Visit(u32);
///
/// #[ring_kernel]
/// fn guests(count: &mut u32, visit: Visit) -> Visit {
///     *count += visit.0;
///     Visit(*count)
/// }
///
/// fn main() -> gpuvm::Result<()> {
///     let runtime = Runtime::new()?;
///     let kernel = runtime.blocking_launch_ring("guests", RingOptions { actors: 10, ..default() })?;
///     kernel.blocking_activate()?;
///     kernel.blocking_call::<Visit>(3, Visit(2))?;
///     kernel.blocking_deactivate()?;
///     kernel.blocking_send(3, Visit(5))?; // waits
///     let saved: Vec<u8> = kernel.blocking_snapshot()?.to_bytes();
///     drop(kernel);
///
///     let snapshot = RingSnapshot::from_bytes(&saved)?;
///     let options = RingOptions { engine: Engine::Reference, ..snapshot.options() };
///     let kernel = runtime.blocking_restore_ring(&snapshot, options)?;
///     assert_eq!(kernel.blocking_state::<u32>(3)?, 2);
///     kernel.blocking_activate()?;
///     kernel.blocking_settle()?;
///     assert_eq!(kernel.try_receive()?, Some(Visit(7)));
///     Ok(())
/// }
/// ```
///
/// # What they are
pub use gpuvm_runtime::ring;
pub use gpuvm_runtime::ring::Ring;
pub use gpuvm_runtime::{
    Arg, Backend, Batch, BatchDone, BatchTrap, Budget, BudgetReport, Buffer, Debugger, DetachedVm, Device, DeviceKind,
    Devices, Dispatch, Done, Engine, Error, Execution, Explanation, FloatMode, FrameView, Groups, Handle, IntoArg,
    IntoArgs, Launch, Launchable, LeftToInterpreter, Level, LogLimit, LogLine, Logs, MemoryUse, Output, Plan, PlanDone,
    PlanError, PlanStats, Profile, Progress, Question, Result, RingOptions, RingSnapshot, Routine, Runtime,
    RuntimeBuilder, RuntimeConfig, Settings, Share, Signal, Snapshot, Spreading, Standing, Stats, StepStats,
    TrapReport, VariableView, VmView, build,
};

/// A debugger: breakpoints, steps forwards and backwards, variables and watchpoints of one VM among millions, in an editor or from a program. Needs the feature `debug`.
#[cfg(feature = "debug")]
pub use gpuvm_debug as debug;

/// A monitor: a page of what the process does, which [`Runtime::monitor`] serves, with what the program tells through `tracing` by [`Layer`](monitor::Layer). Needs the feature `monitor`.
#[cfg(feature = "monitor")]
pub use gpuvm_monitor as monitor;

/// What a routine is linked to.
///
/// [`Runtime::program`] gives one, to be read and measured. What its code consists of is the compiler's own and changes with any release.
///
/// ```
/// use gpuvm::prelude::*;
///
/// #[routine]
/// fn triple(x: u32) -> u32 {
///     x.wrapping_mul(3)
/// }
///
/// fn main() -> gpuvm::Result<()> {
///     let program = Runtime::new()?.program("triple")?;
///     println!("{}{}", program.metadata(), program.disassemble());
///     assert!(program.estimated_epochs().is_some(), "it has no loop");
///     Ok(())
/// }
/// ```
pub mod program {
    pub use gpuvm_core::assembly::{AssemblyError, assemble};
    pub use gpuvm_core::link::LinkError;
    pub use gpuvm_core::matrix::{Format, Statistics};
    pub use gpuvm_core::program::{LoadError, Metadata, Needs, Program, ProgramId, Report, Status};
    pub use gpuvm_core::routine::{RoutineId, SaveError};
}

/// What a program that writes and launches routines needs.
pub mod prelude {
    pub use crate::{
        Backend, Budget, Buffer, Dispatch, Engine, Execution, KernelHandle, Level, Ring, RingMessage, RingOptions,
        Runtime, Signal, VmType, default, ring_kernel, routine, vm,
    };
}

/// `T::default()`, for what a literal of options leaves out: `RingOptions { actors: 9, ..default() }`.
pub fn default<T: Default>() -> T {
    T::default()
}

/// Prints a line at a level: `log!(Level::Warn, "{x} is large")`, inside a `#[routine]` and outside of one. It goes where the lines of
/// `println!` in a routine go, see [`Done::logs`].
#[macro_export]
macro_rules! log {
    ($level:expr, $($text:tt)+) => {
        $crate::__private::print::print(
            $crate::__private::print::Sink::Log, $level, true, ::core::file!(), ::core::line!(), ::core::format_args!($($text)+),
        )
    };
}

/// The macros that print in the native copy of a routine.
#[doc(hidden)]
#[macro_export]
macro_rules! __print {
    ($sink:ident, $level:ident, $ends:literal, $line:literal $(,)?) => {
        $crate::__print!($sink, $level, $ends, $line, "")
    };
    ($sink:ident, $level:ident, $ends:literal, $line:literal, $($text:tt)+) => {
        $crate::__private::print::print(
            $crate::__private::print::Sink::$sink,
            $crate::Level::$level,
            $ends,
            ::core::file!(),
            $line,
            ::core::format_args!($($text)+),
        )
    };
}

/// `dbg!` in the native copy of a routine.
#[doc(hidden)]
#[macro_export]
macro_rules! __debug {
    ($sink:ident, $level:ident, $ends:literal, $line:literal, $value:expr $(,)?) => {
        match $value {
            value => {
                let name = ::core::stringify!($value);
                $crate::__print!($sink, $level, $ends, $line, "{} = {:#?}", name, &value);
                value
            }
        }
    };
    ($sink:ident, $level:ident, $ends:literal, $line:literal, $($value:expr),* $(,)?) => {
        ($($crate::__debug!($sink, $level, $ends, $line, $value),)*)
    };
}

/// What rustc names in its messages, by a path that is short; no part of the public surface.
pub mod named {
    #[doc(hidden)]
    pub use gpuvm_core::private::{AnIterator, Method, Value};
    #[doc(hidden)]
    pub use gpuvm_math::native::MethodsOf;
}

/// What generated code names; no part of the public surface.
#[doc(hidden)]
pub mod __private {
    pub use crate::{__debug as debug_macro, __print as print_macro};
    pub use gpuvm_core::private::*;
    pub use gpuvm_macros::{expanded, ring_kernel, routine};
    pub use gpuvm_math as math;
    pub use gpuvm_math::native::{Changeable, ChangeableByMut, ChangeableOther, MethodsOf, OfAny, OfDouble};
    pub use gpuvm_runtime::by_function::{ByFunction, Function, id_of};
    pub use gpuvm_runtime::launch::launch;
    pub use gpuvm_runtime::native::{NativeCx, enter, print, vm};
    pub use gpuvm_runtime::registry::Registration;
    pub use gpuvm_runtime::ring::Ring;
    pub use gpuvm_runtime::ring::handler::{Entry as RingEntry, Handler};
    pub use gpuvm_runtime::{
        AtomicArg, ChunkArg, ChunkOf, ColumnArg, ColumnOf, Done, Element, FewerParameters, IntoArg, RecordArg,
        RecordOf, Result, Runtime, SliceArg, SliceOf, inventory,
    };
    /// What `crate = …` says in generated attributes.
    pub mod home {
        pub use super::super::__private;
    }
}
