//! What the runtimes of this process are doing, to be shown or sent somewhere: devices and their memory, launches and plans under way, ring kernels, and
//! what VMs print. gpuvm's feature `monitor` serves it as a page, see [`Runtime::monitor`]; this is for monitors of one's own.
//!
//! ```
//! # use gpuvm_runtime as gpuvm;
//! # fn example(runtime: &gpuvm::Runtime, seeds: &[u32]) -> gpuvm::Result<()> {
//! use gpuvm::activity::Activity;
//!
//! Activity::watch();
//! runtime.launch("collatz")?.args((seeds,)).run()?;
//! let activity = Activity::now();
//! println!("{} launches so far, {} VMs", activity.totals.launches, activity.totals.vms);
//! for launch in &activity.under_way {
//!     println!("`{}`: {} VMs run", launch.work.name, launch.headway.standing.running);
//! }
//! for kernel in &activity.kernels {
//!     println!("{}: {}", kernel.status, kernel.metrics);
//! }
//! # Ok(())
//! # }
//! ```

use std::time::Duration;

use gpuvm_core::routine::Level;
use gpuvm_engine::{Device, MemoryUse};

use crate::recorder::{self, Recorded};
pub use crate::recorder::{Ended, Ending, Headway, Line, Totals, Work, WorkKind};
use crate::ring;
pub use crate::ring::KernelActivity;
use crate::runtime::Runtime;

/// Everything at a moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Activity {
    /// The runtimes.
    pub runtimes: Vec<RuntimeActivity>,
    /// Launches and plans under way, in the order in which they began.
    pub under_way: Vec<UnderWay>,
    /// Those that are over, the first to end first, at most 100.
    pub ended: Vec<Ended>,
    /// The ring kernels that somebody has a handle of.
    pub kernels: Vec<KernelActivity>,
    /// What VMs and actors have printed, and what gpuvm says of them: the last 1000 lines.
    pub lines: Vec<Line>,
    /// Sums since somebody watches.
    pub totals: Totals,
}

/// A runtime at a moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuntimeActivity {
    /// Its device.
    pub device: Device,
    /// How much it has of its device's memory.
    pub memory: MemoryUse,
}

/// A launch or a plan under way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnderWay {
    /// What it is.
    pub work: Work,
    /// How far it has come. On engines that run programs that is known after each submission, natively after some thousand VMs.
    pub headway: Headway,
    /// Time since it began.
    pub elapsed: Duration,
}

impl Activity {
    /// Begins to take down what launches and plans do, which they do not without it. Those that have begun before are not shown.
    pub fn watch() {
        recorder::turn_on();
    }

    /// Adds a line of the program's own, from a source such as the name of a module, if somebody watches.
    pub fn say(level: Level, source: &str, text: &str) {
        recorder::say(level, source, text);
    }

    /// Everything now.
    pub fn now() -> Activity {
        let Recorded {
            under_way,
            ended,
            lines,
            totals,
        } = recorder::recorded();
        let under_way = under_way
            .into_iter()
            .map(|(work, headway, elapsed)| UnderWay { work, headway, elapsed });
        let runtimes = Runtime::memory_of_all()
            .into_iter()
            .map(|(device, memory)| RuntimeActivity { device, memory });
        Activity {
            runtimes: runtimes.collect(),
            under_way: under_way.collect(),
            ended,
            kernels: ring::activity::all(),
            lines,
            totals,
        }
    }
}
