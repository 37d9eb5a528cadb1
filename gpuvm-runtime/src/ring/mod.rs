//! Ring kernels: routines that stay. A kernel has actors, each with a state of its own, that handle messages until it is terminated.
//!
//! # How it runs
//!
//! A device cannot be talked to while it works, so a kernel is driven by events. A pump (`pump.rs`) with a thread of its own takes whatever messages
//! have gathered, groups them by actor (`batch.rs`), and gives them to a runner: the handler itself over this CPU's threads (`native.rs`),
//! or a job of an engine with one VM for each actor that has mail (`device/`). Then it hands out the answers (`deliver.rs`). Meanwhile the
//! next messages gather. Who waits for an answer stands in a queue of his own (`callers.rs`), where he is told when it takes too long, whatever
//! the pump is at.
//!
//! On an engine that goes on by itself two batches are under way: the next one has begun when the first ends. An actor that is not at the end of
//! its mail of the first, because it traps, stops or takes long, leaves that of the second alone, and the pump has it handled in its turn
//! (`outcome.rs`). What waits is kept in pieces of that size (`queue.rs`).
//!
//! Where a kernel stays on the device what is little is a request to it and no launch, see [`RingOptions::resident`]. Who blocks for an answer
//! then makes that request himself while the pump's thread rests (`shared_pump.rs`).
//!
//! What actors send each other is handled before what waits, in rounds: all that was sent in one is handled in the next, each actor's in the order
//! of who has sent it and when. On an engine that has sequences of jobs and memory of its own rounds go on without the host, until nobody has mail
//! any more or a round has come to something that the host has to see to (`device/rounds.rs`); else each is a batch.
//!
//! What they forward to the actors of another kernel is put into that one's queue by the pump. Where both kernels' states are in the same
//! memory, what a round forwards is brought to the other's actors there, and the queue gets a parcel, see `link.rs`.
//!
//! Actors may be on several devices, see [`RuntimeBuilder::devices`](crate::RuntimeBuilder::devices): then each of these has a runner of some of them (`devices/`).
//!
//! # What is promised
//!
//! Messages of one sender to one actor are handled in the order in which they were sent. A message that was accepted is handled once, or
//! becomes a dead letter with a reason. Nobody holds a lock while he waits. Actors and their answers are the same on every engine. Whoever
//! drops the last handle waits for the pump's thread (`thread.rs`), so none is in a driver when the process ends.
//!
//! # Credits
//!
//! While a kernel has [`RingOptions::queue_capacity`] messages that wait or are being handled, who sends one more from outside waits. As many
//! answers may wait to be received; when there are more, the actors rest until somebody receives them. Who waits for a second is told of in a
//! warning, once a kernel, because nobody may ever make room (`full.rs`).
//!
//! Actors may send each other [`RingOptions::sent_capacity`] messages beside. They cannot wait for room that only they make, so their mail is
//! held up where that helps, and what has no room is lost where it does not (`bound.rs`).
//!
//! # Snapshots
//!
//! The pump alone has the actors' states. Whoever wants to see them asks it (`question.rs`), and it answers between two batches, so a
//! [`RingSnapshot`] is of one moment.

pub(crate) mod activity;
mod batch;
mod bound;
mod callers;
mod clock;
mod context;
mod dead;
mod deliver;
mod device;
mod devices;
mod exceeded;
mod failure;
mod full;
mod handle;
pub mod handler;
mod interrupt;
mod letters;
mod link;
mod metrics;
mod native;
mod options;
mod outcome;
mod outputs;
mod profile;
mod pump;
mod question;
mod queue;
mod registry;
mod rest;
mod runner;
mod shared;
mod shared_pump;
mod snapshot;
mod thread;

use std::sync::Arc;

use gpuvm_core::program::{Program, Questions};
use gpuvm_core::routine::Level;
use gpuvm_core::settings::Settings;
use gpuvm_engine::{Engine, room};

pub use self::activity::KernelActivity;
use self::bound::Bound;
use self::clock::Clock;
pub use self::context::Ring;
use self::device::{Here, OnDevice};
use self::devices::OnDevices;
pub use self::full::Full;
pub use self::handle::KernelHandle;
use self::handler::Entry;
pub use self::letters::{DeadLetter, DeadReason};
pub use self::link::Carrier;
pub use self::metrics::{Latency, Metrics, Status};
use self::native::OnCpu;
pub use self::options::{Answers, Resident, Restart, RingOptions, Terminate};
use self::profile::Profiled;
use self::pump::Pump;
use self::runner::Runner;
use self::shared::Shared;
use self::shared_pump::SharedPump;
use self::snapshot::Kept;
pub use self::snapshot::RingSnapshot;
use self::thread::PumpThread;
pub use crate::config::RuntimeConfig;
use crate::counted::counted;
use crate::error::{Error, Result};
pub use crate::error::{Life, RingError, TrySendError};
use crate::logs::LogLimit;
use crate::native::context::Vms;
use crate::recorder;
use crate::runtime::Runtime;

/// Messages that are not cut apart for more batches under way: what each batch costs counts for more.
const SHORTEST_BATCH: usize = 4096;
/// The most messages that a kernel can be launched for.
const MOST_MESSAGES: usize = 1 << 28;

impl Runtime {
    /// Launches the ring kernel with this id. Its actors rest until [`KernelHandle::activate`].
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] with the nearest id there is, [`Error::DuplicateId`], [`Error::Link`], [`RingError::Options`], or when
    /// the device has no room for the actors.
    pub async fn launch_ring(&self, id: &str, options: RingOptions) -> Result<KernelHandle> {
        let (runtime, entry) = (self.clone(), registry::find(id)?);
        crate::background::run(move |_, _| launch(&runtime, entry, &options), None, Default::default()).await?
    }

    /// [`Runtime::launch_ring`], on a thread that may block.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn blocking_launch_ring(&self, id: &str, options: RingOptions) -> Result<KernelHandle> {
        launch(self, registry::find(id)?, &options)
    }

    /// Links what each VM does for a ring kernel, or gives what was linked before.
    pub(crate) fn link_ring(&self, entry: &'static Entry) -> Result<Arc<Program>> {
        self.link_ring_with(entry, self.settings())
    }

    /// The same with settings that may be others than the runtime's.
    pub(crate) fn link_ring_with(&self, entry: &'static Entry, settings: &Settings) -> Result<Arc<Program>> {
        self.linked(
            gpuvm_core::routine::RoutineKey::Address(std::ptr::from_ref(entry).addr()),
            || entry.kernel(),
            settings,
        )
    }
}

/// Launches a kernel.
fn launch(runtime: &Runtime, entry: &'static Entry, options: &RingOptions) -> Result<KernelHandle> {
    start(runtime, entry, options, None)
}

/// Launches a kernel as it begins, or as it was kept.
fn start(runtime: &Runtime, entry: &'static Entry, options: &RingOptions, kept: Option<Kept>) -> Result<KernelHandle> {
    let config = runtime.config().clone();
    let capacity = match options.queue_capacity {
        0 => config.queue_capacity,
        capacity => capacity,
    };
    let bound = Bound::new(entry, capacity, options.sent_capacity);
    check(entry, options.actors, (capacity, bound.most))?;
    // A state each, and how many messages an actor has in a batch.
    let bytes_each = 4 * (entry.state.words as usize + 1);
    room::check(options.actors as usize, bytes_each, || {
        format!("{} actors of ring kernel `{}`", options.actors, entry.id)
    })?;
    // Also where the handler runs natively: what no engine can run is refused by all of them.
    let program = runtime.link_ring(entry)?;
    if Questions::of(&program).is_some() {
        return Err(Error::CannotAsk {
            routine: entry.id.to_string(),
            what: "the handler of a ring kernel",
            instead: "let it answer its message, and send what it asked for as another one",
        });
    }
    let Actors {
        engine,
        device,
        mut runner,
    } = runner(runtime, entry, (options, &bound), &program)?;
    let policies = (options.restart, options.answers);
    let at_a_time = match runner.most_batches() {
        1 => usize::MAX,
        // One more waits than are under way.
        most => (capacity / (most + 2)).max(SHORTEST_BATCH),
    };
    let shared = Shared::new(entry, options.actors, (capacity, at_a_time, bound), policies, config);
    if options.profile || crate::profile::is_asked_for() {
        let profiled = Profiled::new(runtime, entry, (engine, &program), options.actors);
        shared.profile.get_or_init(|| profiled);
    }
    if let Some(depot) = runner.depot() {
        shared.open_depot(depot);
    }
    let restored = kept.is_some();
    let mut clock = Clock::default();
    if let Some(kept) = kept {
        runner.restore(&kept.states)?;
        clock = Clock::after(kept.stamp);
        shared.restore(kept);
    }
    let name = format!("gpuvm-ring-{}", entry.id);
    let stack = crate::native::pool::stack(runtime.settings().recursion_limit);
    let pump = Pump::new(Arc::clone(&shared), runner, clock);
    let pump = Arc::new(SharedPump::new(Arc::clone(&shared), pump));
    let theirs = Arc::clone(&pump);
    let thread = PumpThread::spawn(name, stack, move || theirs.run())?;
    tracing::info!(kernel = entry.id, actors = options.actors, %engine, restored, "ring kernel launched");
    let how = if restored { "restored" } else { "launched" };
    let actors = counted(options.actors as usize, "actor");
    recorder::say(
        Level::Info,
        entry.id,
        format_args!("{how} with {actors} on the {engine} engine"),
    );
    activity::note(&shared, engine, device);
    let settings = runtime.settings().clone();
    Ok(KernelHandle::new((shared, pump, thread), engine, program, settings))
}

/// A kernel's actors, and what they are on.
struct Actors {
    engine: Engine,
    /// What the device is called.
    device: String,
    runner: Box<dyn Runner>,
}

/// What runs the actors.
fn runner(
    runtime: &Runtime,
    entry: &'static Entry,
    (options, bound): (&RingOptions, &Bound),
    program: &Arc<Program>,
) -> Result<Actors> {
    // Each rank has kernels of its own.
    let runtime = &runtime.on_rank();
    if let Some(on_devices) = OnDevices::new(runtime, entry, (options, bound), program)? {
        return Ok(Actors {
            engine: on_devices.engine(),
            device: on_devices.device(),
            runner: Box::new(on_devices),
        });
    }
    let runtime = &runtime.alone();
    let engine = match options.engine {
        Engine::Auto if runtime.auto(&program.params) == Engine::Native => Engine::Native,
        engine => engine,
    };
    let device = runtime.device_of(engine).name;
    let runner: Box<dyn Runner> = match engine {
        Engine::Native => Box::new(natively(runtime, entry, options, None)?),
        _ => {
            let on = (engine, runtime.executor(engine)?, Arc::clone(program));
            let here = Here {
                actors: 0..options.actors,
                ends: Arc::from([options.actors]),
            };
            Box::new(OnDevice::new(runtime, entry, on, (options, &here), bound.share)?)
        }
    };
    Ok(Actors { engine, device, runner })
}

/// Actors that run natively, on so many threads or as many as the CPU has.
fn natively(runtime: &Runtime, entry: &'static Entry, options: &RingOptions, threads: Option<usize>) -> Result<OnCpu> {
    if options.resident == Resident::Always {
        return Err(not_resident(entry, "the native engine runs its actors on the CPU"));
    }
    let vms = Vms {
        count: options.actors,
        recursion_limit: runtime.settings().recursion_limit,
        log: LogLimit::default(),
        place: (entry.file, entry.line),
    };
    Ok(OnCpu::new((entry.native)(options.actors as usize), vms, threads))
}

/// That a kernel that was to stay cannot.
fn not_resident(entry: &Entry, reason: &str) -> crate::Error {
    let (kernel, what) = (
        entry.id.to_string(),
        format!("`Resident::Always`: {reason}; `Resident::Auto` does without"),
    );
    RingError::Options { kernel, what }.into()
}

/// Checks that a kernel of so many actors, and so many messages of hosts and of actors, is possible.
fn check(entry: &Entry, actors: u32, (capacity, sent_capacity): (usize, usize)) -> Result<()> {
    let words = u64::from(actors) * u64::from(entry.state.words);
    let what = if actors == 0 {
        "no actors; give it 1 or more".to_string()
    } else if words >= 1 << 30 {
        let bytes = entry.state.words * 4;
        format!("{actors} actors of {bytes} bytes each; all states together have less than 4 GiB")
    } else if capacity > MOST_MESSAGES {
        format!("a queue of {capacity} messages; at most {MOST_MESSAGES} are possible")
    } else if sent_capacity > MOST_MESSAGES {
        format!("room for {sent_capacity} messages among actors; at most {MOST_MESSAGES} are possible")
    } else {
        return Ok(());
    };
    let kernel = entry.id.to_string();
    Err(RingError::Options { kernel, what }.into())
}
