//! What a launch cost, for programs to read and for people.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Program;
use gpuvm_engine::{Device, Dispatch, Engine, Execute, FloatMode, Tally};

/// Numbers about one launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// VMs that ran.
    pub vms: u64,
    /// The engine that ran them, never [`Engine::Auto`].
    pub engine: Engine,
    /// The device that they ran on.
    pub device: Device,
    /// Whether its floats are the bits that Rust gives on the CPU: not on a device whose own are not, and for a `#[routine(relaxed)]` on
    /// the native engine alone.
    pub float_mode: FloatMode,
    /// How the submissions followed each other; without meaning on the native and the reference engine.
    pub dispatch: Dispatch,
    /// Steps that are complete.
    pub steps: u32,
    /// Jobs that the launch was split into: one where the device holds all VMs at once, and can make all steps without the host.
    pub batches: u64,
    /// Times that work went to the device, or that the host took a look.
    pub submissions: u64,
    /// Instructions retired by class (linear, oracle, branch, io), where the engine counts them; the native engine has none.
    pub retired: Option<[u64; 4]>,
    /// Epochs, on the epoch engine.
    pub epochs: Option<u64>,
    /// Time from the call of `run` to the results, arguments and results copied and all.
    pub host_time: Duration,
    /// Time that the device spent, where that can be told.
    pub device_time: Option<Duration>,
    /// The most of it that one submission took.
    pub longest_submission: Option<Duration>,
    /// Why the interpreter ran the program or the rest of it, where another engine was asked for.
    pub left_to_interpreter: Option<LeftToInterpreter>,
    /// What each device had of it, where the VMs were spread over several; none otherwise.
    pub shares: Vec<Share>,
}

/// What a device had of a launch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// The device.
    pub device: Device,
    /// The engine that ran its VMs.
    pub engine: Engine,
    /// VMs that it ran to their ends.
    pub vms: u64,
    /// Parts in which it got them.
    pub batches: u64,
    /// Time that it spent, where that can be told.
    pub device_time: Option<Duration>,
    /// Time that it was at its parts, with what they took and left.
    pub busy: Duration,
    /// Why it was lost, if it was. What it had not done was done by the others.
    pub lost: Option<String>,
}

impl Share {
    /// What another step or launch on the same device adds.
    pub(crate) fn add(&mut self, other: &Share) {
        self.vms += other.vms;
        self.batches += other.batches;
        self.device_time = match (self.device_time, other.device_time) {
            (Some(a), Some(b)) => Some(a + b),
            (known, None) | (None, known) => known,
        };
        self.busy += other.busy;
        if self.lost.is_none() {
            self.lost.clone_from(&other.lost);
        }
        if other.vms > 0 {
            self.engine = other.engine;
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} VMs in {:.3?}", self.device.name, self.vms, self.busy)?;
        match &self.lost {
            Some(_) => f.write_str(", lost"),
            None => Ok(()),
        }
    }
}

/// Why the interpreter ran a program or the rest of it, where another engine was asked for. The bits are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftToInterpreter {
    /// The device's compiler would have taken so long over the program, by estimate.
    Compiling(Duration),
    /// Some of the VMs, which are few, were not done after so many epochs. An epoch costs a device as many dispatches as there are classes
    /// of instructions, and few VMs get on by few instructions in it.
    Epochs(u64),
}

impl LeftToInterpreter {
    /// What there is to say of it of a launch on an engine that stands like this.
    pub(crate) fn of(executor: &dyn Execute, program: &Arc<Program>, tally: &Tally) -> Option<LeftToInterpreter> {
        let estimate = || executor.left_to_interpreter(program).map(LeftToInterpreter::Compiling);
        tally.left_after.map(LeftToInterpreter::Epochs).or_else(estimate)
    }
}

impl fmt::Display for LeftToInterpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeftToInterpreter::Compiling(time) => {
                write!(f, "too large to compile (some {:.0} s)", time.as_secs_f64().max(1.0))
            }
            LeftToInterpreter::Epochs(epochs) => write!(f, "left to the interpreter after {epochs} epochs"),
        }
    }
}

impl Stats {
    /// Instructions retired in all.
    pub fn instructions(&self) -> Option<u64> {
        self.retired.map(|classes| classes.iter().sum())
    }

    /// Instructions a second, over the device's time where that is known, else over the host's.
    pub fn instructions_per_second(&self) -> Option<f64> {
        let seconds = self.device_time.unwrap_or(self.host_time).as_secs_f64();
        self.instructions()
            .filter(|_| seconds > 0.0)
            .map(|instructions| instructions as f64 / seconds)
    }
}

impl Stats {
    /// Those of what has not run yet.
    pub(crate) fn of_nothing(engine: Engine, device: Device, float_mode: FloatMode) -> Stats {
        Stats {
            vms: 0,
            engine,
            device,
            float_mode,
            dispatch: Dispatch::default(),
            steps: 1,
            batches: 0,
            submissions: 0,
            retired: None,
            epochs: None,
            host_time: Duration::ZERO,
            device_time: None,
            longest_submission: None,
            left_to_interpreter: None,
            shares: Vec::new(),
        }
    }

    /// Adds what another launch on the same device cost.
    pub(crate) fn add(&mut self, other: &Stats) {
        self.vms += other.vms;
        self.batches += other.batches;
        self.submissions += other.submissions;
        self.retired = self.retired.zip(other.retired).map(|(mut all, more)| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
            all
        });
        self.epochs = self.epochs.zip(other.epochs).map(|(all, more)| all + more);
        self.host_time += other.host_time;
        self.device_time = self.device_time.zip(other.device_time).map(|(all, more)| all + more);
        self.longest_submission = self.longest_submission.max(other.longest_submission);
        self.left_to_interpreter = self.left_to_interpreter.or(other.left_to_interpreter);
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vms = if self.vms == 1 { "VM" } else { "VMs" };
        write!(
            f,
            "{} {vms} on the {} engine, {} ({} floats), {:.3?}",
            self.vms, self.engine, self.device.name, self.float_mode, self.host_time
        )?;
        if let Some(left) = self.left_to_interpreter {
            write!(f, ", {left}")?;
        }
        if let Some(time) = self.device_time {
            write!(f, " ({time:.3?} on the device)")?;
        }
        if self.steps > 1 {
            write!(f, ", {} steps", self.steps)?;
        }
        if let Some(epochs) = self.epochs {
            write!(f, ", {epochs} epochs")?;
        }
        if self.batches > 1 {
            write!(f, ", {} batches", self.batches)?;
        }
        if let (Some([linear, oracle, branch, io]), Some(sum)) = (self.retired, self.instructions()) {
            write!(
                f,
                ", {sum} instructions (linear {linear}, oracle {oracle}, branch {branch}, io {io})"
            )?;
        }
        if let Some(rate) = self.instructions_per_second() {
            let (rate, unit) = scaled(rate);
            write!(f, ", {rate:.1} {unit}instructions/s")?;
        }
        if !self.shares.is_empty() {
            let shares: Vec<String> = self.shares.iter().map(Share::to_string).collect();
            write!(f, " ({})", shares.join("; "))?;
        }
        Ok(())
    }
}

/// A rate with the prefix that keeps it short.
fn scaled(rate: f64) -> (f64, &'static str) {
    [(1e12, "T "), (1e9, "G "), (1e6, "M ")]
        .into_iter()
        .find(|(unit, _)| rate >= *unit)
        .map_or((rate, ""), |(unit, prefix)| (rate / unit, prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_can_read_it() {
        let mut stats = Stats {
            vms: 3,
            engine: Engine::Reference,
            device: Device {
                name: "test".to_string(),
                ..Device::cpu()
            },
            float_mode: FloatMode::Exact,
            dispatch: Dispatch::default(),
            steps: 1,
            batches: 1,
            submissions: 1,
            retired: Some([4, 3, 2, 1]),
            epochs: None,
            host_time: Duration::from_millis(2),
            device_time: None,
            longest_submission: None,
            left_to_interpreter: None,
            shares: Vec::new(),
        };
        assert_eq!(
            stats.to_string(),
            "3 VMs on the reference engine, test (exact floats), 2.000ms, \
             10 instructions (linear 4, oracle 3, branch 2, io 1), 5000.0 instructions/s"
        );
        stats.left_to_interpreter = Some(LeftToInterpreter::Compiling(Duration::from_millis(48_700)));
        assert!(
            stats
                .to_string()
                .contains(", too large to compile (some 49 s), 10 instr"),
            "{stats}"
        );
        stats.left_to_interpreter = Some(LeftToInterpreter::Epochs(5));
        assert!(
            stats.to_string().contains(", left to the interpreter after 5 epochs, "),
            "{stats}"
        );
        stats.float_mode = FloatMode::Relaxed;
        assert!(stats.to_string().contains("test (relaxed floats)"), "{stats}");
        stats.device_time = Some(Duration::from_nanos(1));
        assert!(stats.to_string().ends_with(", 10.0 G instructions/s"), "{stats}");
        (stats.steps, stats.epochs, stats.batches) = (4, Some(9), 2);
        assert!(
            stats.to_string().contains(", 4 steps, 9 epochs, 2 batches, "),
            "{stats}"
        );
    }
}
