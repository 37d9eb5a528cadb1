//! Ring kernels: routines that stay. A kernel has actors, each with a state of its own, that handle messages until it is terminated.
//!
//! # How it runs
//!
//! A device cannot be talked to while it works, so a kernel is driven by events. A thread, the pump (`pump.rs`), takes whatever messages have
//! gathered, groups them by actor (`batch.rs`), and gives them to a runner: the handler itself over this CPU's threads (`native.rs`),
//! or a job of an engine with one VM for each actor that has mail (`device.rs`). Then it hands out the answers (`deliver.rs`). Meanwhile the
//! next messages gather. Who waits for an answer stands in a queue of his own (`callers.rs`), where he is told when it takes too long, whatever
//! the pump is at.
//!
//! What actors send each other is accepted before what waits and is handled in the next batch, so two batches after one another are a round of
//! the actors.
//!
//! # What is promised
//!
//! Messages of one sender to one actor are handled in the order in which they were sent. A message that was accepted is handled once, or
//! becomes a dead letter with a reason. Nobody holds a lock while he waits. Actors and their answers are the same on every engine.
//!
//! # Credits
//!
//! A kernel has [`RingOptions::queue_capacity`] messages at most that wait or are being handled; who sends one more waits. As many answers may
//! wait to be received; when there are more, the actors rest until somebody receives them.

mod batch;
mod call;
mod callers;
mod clock;
mod context;
mod deliver;
mod device;
mod error;
mod handle;
pub mod handler;
mod letters;
mod life;
mod metrics;
mod native;
mod options;
mod outputs;
mod pump;
mod rest;
mod runner;
mod shared;

use std::sync::Arc;

pub use self::context::Ring;
use self::device::OnDevice;
pub use self::error::{RingError, TrySendError};
pub use self::handle::KernelHandle;
use self::handler::Entry;
pub use self::letters::{DeadLetter, DeadReason};
pub use self::life::Life;
pub use self::metrics::{Latency, Metrics, Status};
use self::native::OnCpu;
pub use self::options::{Answers, Restart, RingOptions, RuntimeConfig, Terminate};
use self::runner::Runner;
use self::shared::Shared;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::native::context::Vms;
use crate::runtime::Runtime;

/// Launches a kernel.
pub(crate) fn launch(runtime: &Runtime, entry: &'static Entry, options: &RingOptions) -> Result<KernelHandle> {
    let config = runtime.config().clone();
    let capacity = match options.queue_capacity {
        0 => config.queue_capacity,
        capacity => capacity,
    };
    check(entry, options.actors, capacity)?;
    let (engine, runner) = runner(runtime, entry, options)?;
    let policies = (options.restart, options.answers);
    let shared = Shared::new(entry, options.actors, capacity, policies, config);
    let theirs = Arc::clone(&shared);
    let pump = std::thread::Builder::new()
        .name(format!("gpuvm-ring-{}", entry.id))
        .stack_size(crate::native::pool::stack(runtime.settings().recursion_limit));
    pump.spawn(move || pump::run(&theirs, runner))
        .map_err(|error| Error::Threads {
            reason: error.to_string(),
        })?;
    tracing::info!(kernel = entry.id, actors = options.actors, %engine, "ring kernel launched");
    Ok(KernelHandle::new(shared, engine))
}

/// What runs the actors.
fn runner(runtime: &Runtime, entry: &'static Entry, options: &RingOptions) -> Result<(Engine, Box<dyn Runner>)> {
    let engine = match options.engine {
        Engine::Auto if runtime.auto() == Engine::Native => Engine::Native,
        engine => engine,
    };
    // Also where the handler runs natively: what no engine can run is refused by all of them.
    let program = runtime.link_ring(entry)?;
    let actors = options.actors;
    if engine == Engine::Native {
        let vms = Vms {
            count: actors,
            recursion_limit: runtime.settings().recursion_limit,
            place: (entry.file, entry.line),
        };
        return Ok((engine, Box::new(OnCpu::new((entry.native)(actors as usize), vms))));
    }
    let executor = runtime.executor(engine)?;
    let on_device = OnDevice::new(entry, (engine, executor), program, actors)?;
    Ok((engine, Box::new(on_device)))
}

/// Checks that a kernel of so many actors and messages is possible.
fn check(entry: &Entry, actors: u32, capacity: usize) -> Result<()> {
    let words = u64::from(actors) * u64::from(entry.state.words);
    let what = if actors == 0 {
        "no actors; give it 1 or more".to_string()
    } else if words >= 1 << 30 {
        let bytes = entry.state.words * 4;
        format!("{actors} actors of {bytes} bytes each; all states together have less than 4 GiB")
    } else if capacity > 1 << 28 {
        format!("a queue of {capacity} messages; at most {} are possible", 1 << 28)
    } else {
        return Ok(());
    };
    let kernel = entry.id.to_string();
    Err(RingError::Options { kernel, what }.into())
}
