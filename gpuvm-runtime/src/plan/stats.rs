//! What a run of a plan has cost, beside what was known before.

use std::fmt;
use std::time::Duration;

use gpuvm_engine::{Device, Engine};

use super::report::size;
use crate::json::{Json, ToJson, fields};
use crate::stats::LeftToInterpreter;

/// Numbers about one run of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStats {
    /// Phases of its graph.
    pub phases: u64,
    /// Launches: kernels on engines that run programs, calls of functions over columns on the native engine.
    pub launches: u64,
    /// The engine that ran the last of them, never [`Engine::Auto`].
    pub engine: Engine,
    /// The device that they ran on.
    pub device: Device,
    /// Times that work went to the device, or that the host took a look.
    pub submissions: u64,
    /// The most instructions that the launches can retire: of each the longest way through its program, times its VMs. `None` where a
    /// program has loops that depend on the data, and on the native engine.
    pub estimated_instructions: Option<u64>,
    /// Instructions retired by class (linear, oracle, branch, io), where the engine counts them.
    pub retired: Option<[u64; 4]>,
    /// The kernels of which the interpreter ran launches, or the rest of one, where another engine was asked for, and why: each once, in the
    /// order in which they came to it.
    pub left_to_interpreter: Vec<(String, LeftToInterpreter)>,
    /// Time from the call of `run` to the results.
    pub host_time: Duration,
    /// Time that the device spent, where that can be told.
    pub device_time: Option<Duration>,
    /// What each step has cost, in order; nothing unless the plan was [traced](super::Plan::trace) or profiled.
    pub steps: Vec<StepStats>,
    /// The devices on which it began and of which one was lost on the way, so that it ran again from its beginning.
    pub lost: Vec<String>,
}

/// Numbers about one step of a traced run: what was known before, and what was measured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepStats {
    /// The nodes that ran as one.
    pub members: Vec<usize>,
    /// What messages call them.
    pub name: String,
    /// Launches, as in [`PlanStats::launches`].
    pub launches: u64,
    /// Times that work went to the device, or that the host took a look.
    pub submissions: u64,
    /// The most instructions that the launches can retire, as in [`PlanStats::estimated_instructions`].
    pub estimated_instructions: Option<u64>,
    /// Instructions retired by class, as in [`PlanStats::retired`].
    pub retired: Option<[u64; 4]>,
    /// Bytes of the columns that it reads and of those that it gives, each counted once: what has to move if all of them is looked at.
    pub least_bytes: u64,
    /// Time from its beginning until it was over.
    pub host_time: Duration,
    /// Time that the device spent, where that can be told.
    pub device_time: Option<Duration>,
}

impl fmt::Display for PlanStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} in {} on the {} engine, {}, {}",
            plural(self.phases, "phase", "phases"),
            plural(self.launches, "launch", "launches"),
            self.engine,
            self.device.name,
            times(self.host_time, self.device_time),
        )?;
        f.write_str(&instructions(self.retired, self.estimated_instructions))?;
        for (kernel, left) in &self.left_to_interpreter {
            write!(f, "; `{kernel}` {left}")?;
        }
        for device in &self.lost {
            write!(f, "; of {device} a device was lost on the way, and it ran again")?;
        }
        for (number, step) in self.steps.iter().enumerate() {
            write!(f, "\nstep {number}: {step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for StepStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; {}, {}{}, {} of columns",
            self.name,
            plural(self.launches, "launch", "launches"),
            times(self.host_time, self.device_time),
            instructions(self.retired, self.estimated_instructions),
            size(self.least_bytes),
        )
    }
}

impl ToJson for StepStats {
    fn json(&self) -> Json {
        fields!(self; members, launches, submissions, estimated_instructions, retired, least_bytes, device_time)
    }
}

/// A number of things.
pub(super) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A sum of which all parts are known.
pub(super) fn added(sum: Option<u64>, part: Option<u64>) -> Option<u64> {
    Some(sum?.saturating_add(part?))
}

fn times(host: Duration, device: Option<Duration>) -> String {
    match device {
        Some(device) => format!("{host:.3?} ({device:.3?} on the device)"),
        None => format!("{host:.3?}"),
    }
}

/// Instructions that were retired, and how many they could be.
fn instructions(retired: Option<[u64; 4]>, estimated: Option<u64>) -> String {
    let retired = retired.map(|classes| classes.iter().sum::<u64>());
    match (retired, estimated) {
        (Some(retired), Some(most)) => format!(", {retired} instructions of at most {most}"),
        (Some(retired), None) => format!(", {retired} instructions"),
        (None, Some(most)) => format!(", at most {most} instructions"),
        (None, None) => String::new(),
    }
}
