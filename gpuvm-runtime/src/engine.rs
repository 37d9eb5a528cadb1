//! What an engine looks like to the rest of the runtime: it takes a [`Job`], which is a program and plain words, and gives
//! an [`Outcome`]. Adding an engine is a file that implements [`Execute`] and a line where its device is opened.
//!
//! The native engine is not one of these: it runs the annotated function itself on typed values, see
//! [`native`](crate::native).

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::{ParamSlot, Program, TrapRecord};

use crate::device::Device;
use crate::error::Result;

/// Which engine runs a launch. All of them give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// The GPU's fastest engine where the runtime has a GPU, else [`Engine::Native`].
    #[default]
    Auto,
    /// The annotated function itself, compiled by rustc, over a thread pool.
    Native,
    /// The interpreter in plain Rust that defines what a program means.
    Reference,
    /// On the GPU: each VM fetches, decodes and executes in one dispatch.
    Interpreter,
    /// On the GPU: classify, then one kernel for each class of instruction.
    Epoch,
    /// On the GPU: the program partially evaluated into one shader.
    Specialized,
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Engine::Auto => "auto",
            Engine::Native => "native",
            Engine::Reference => "reference",
            Engine::Interpreter => "interpreter",
            Engine::Epoch => "epoch",
            Engine::Specialized => "specialized",
        })
    }
}

/// An engine that runs programs on words.
pub trait Execute: Send + Sync {
    /// The most VMs that one job may have, given how much memory the launch asks for; 0 if not even one VM fits. The runtime
    /// splits a larger launch into several jobs.
    fn capacity(&self, program: &Program, demand: &Demand) -> u32;

    /// Runs the job's VMs until each has halted or trapped. Afterwards the job's [`changed`](Job::changed) ranges of the arena and
    /// all of its atomics hold what the VMs left there; the rest of the arena is of no interest any more.
    ///
    /// # Errors
    ///
    /// When the device fails: lost, out of memory, or refusing the work. A VM's trap is no error but part of the outcome.
    fn run(&self, job: &mut Job) -> Result<Outcome>;
}

/// A device that was opened, with the engines that run on it. This is what `wgpu::open(Choice) -> Result<Opened>` gives;
/// `wgpu::devices() -> Vec<Device>` lists what could be opened.
pub struct Opened {
    /// The device.
    pub device: Device,
    /// Its engines, the fastest first: that is the one which [`Engine::Auto`] means.
    pub engines: Vec<(Engine, Arc<dyn Execute>)>,
}

/// Which device to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The best real GPU; none is an [`Error::NoAdapter`](crate::Error::NoAdapter).
    Hardware,
    /// The best there is, a software rasteriser if nothing else.
    Best,
    /// The one with this [`Device::index`].
    Index(usize),
}

/// How many words a launch needs in memory that all VMs of a job share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Words of the arena whatever the number of VMs: uniforms and shared slices.
    pub shared_words: u64,
    /// Further words of the arena for each VM: columns, records, chunks and the result.
    pub words_per_vm: u64,
    /// Words of the atomics, which are there in every job.
    pub atomic_words: u64,
}

impl Demand {
    /// The most VMs whose arena has at most `words` words.
    pub fn vms_within(&self, words: u64) -> u32 {
        let left = words.saturating_sub(self.shared_words);
        let vms = if words < self.shared_words {
            0
        } else {
            left.checked_div(self.words_per_vm).unwrap_or(u64::MAX)
        };
        u32::try_from(vms).unwrap_or(u32::MAX)
    }
}

/// One batch of VMs to run: the VMs `first_vm .. first_vm + vms` of a launch of `vm_count`.
#[derive(Debug)]
pub struct Job {
    /// What to run. The same `Arc` comes with every launch of one routine, so an engine may keep what it made of it.
    pub program: Arc<Program>,
    /// The id of the first VM; `vmid` gives this and the numbers after it.
    pub first_vm: u32,
    /// How many VMs to run, at least 1.
    pub vms: u32,
    /// How many VMs the whole launch has, as `vmcount` gives it.
    pub vm_count: u32,
    /// One slot a parameter of the program, and one more for the result. The part of VM `id` (counted over the whole launch)
    /// starts at `base + id * stride`, all mod 2³²: the base accounts for `first_vm` already.
    pub slots: Vec<ParamSlot>,
    /// The arena: columns, slices and results.
    pub arena: Vec<u32>,
    /// The atomic words.
    pub atomics: Vec<u32>,
    /// The ranges of the arena that the VMs may write, ascending and apart.
    pub changed: Vec<Range<usize>>,
}

/// How a job ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The trap of the lowest VM id, if any VM trapped.
    pub first_trap: Option<TrapRecord>,
    /// How many VMs trapped.
    pub traps: u64,
    /// Instructions retired by class (linear, oracle, branch, io), where the engine counts them.
    pub retired: Option<[u64; 4]>,
    /// Time that the device spent on it, where that can be told.
    pub device_time: Option<Duration>,
}

impl Outcome {
    /// Adds what a later job of the same launch gave.
    pub(crate) fn add(&mut self, later: Outcome) {
        self.first_trap = self.first_trap.or(later.first_trap);
        self.traps += later.traps;
        self.retired = match (self.retired, later.retired) {
            (Some(a), Some(b)) => Some(std::array::from_fn(|class| a[class] + b[class])),
            _ => None,
        };
        self.device_time = match (self.device_time, later.device_time) {
            (Some(a), Some(b)) => Some(a + b),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vms_within_counts_the_shared_words_once() {
        let demand = Demand {
            shared_words: 10,
            words_per_vm: 3,
            atomic_words: 0,
        };
        assert_eq!(demand.vms_within(9), 0);
        assert_eq!(demand.vms_within(12), 0);
        assert_eq!(demand.vms_within(16), 2);
        assert_eq!(Demand::default().vms_within(0), u32::MAX);
    }
}
