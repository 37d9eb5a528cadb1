//! How far a launch has come, for `.progress(|p| …)`.

use std::fmt;
use std::time::Duration;

use gpuvm_engine::Tally;

/// How many VMs of an execution stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// They can go on.
    pub running: u32,
    /// Of these, those in front of a breakpoint.
    pub at_breakpoint: u32,
    /// They have yielded.
    pub yielded: u32,
    /// They wait for an answer.
    pub blocked: u32,
    /// They are done.
    pub halted: u32,
    /// They have trapped.
    pub trapped: u32,
}

impl From<&Tally> for Standing {
    fn from(tally: &Tally) -> Standing {
        Standing {
            running: tally.running,
            at_breakpoint: tally.at_breakpoint,
            yielded: tally.yielded,
            blocked: tally.blocked,
            halted: tally.halted,
            trapped: tally.trapped,
        }
    }
}

/// How a launch stands between two submissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// VMs of the launch.
    pub vms: u64,
    /// VMs that have halted or trapped; of the step under way.
    pub stopped: u64,
    /// Steps that are complete.
    pub steps: u32,
    /// Steps that the launch makes.
    pub all_steps: u32,
    /// Time since the launch began.
    pub elapsed: Duration,
    /// Instructions retired so far, where the engine counts them.
    pub instructions: Option<u64>,
}

impl Progress {
    /// The part of the VMs' steps that is complete, from 0 to 1. It says nothing about the time that the others need.
    pub fn fraction(&self) -> f64 {
        let (vms, steps) = (self.vms.max(1) as f64, f64::from(self.all_steps.max(1)));
        let under_way = if self.steps < self.all_steps {
            self.stopped as f64 / vms
        } else {
            0.0
        };
        (f64::from(self.steps) + under_way) / steps
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} VMs", self.stopped, self.vms)?;
        if self.all_steps > 1 {
            write!(f, ", {} of {} steps", self.steps, self.all_steps)?;
        }
        if let Some(instructions) = self.instructions {
            write!(f, ", {instructions} instructions")?;
        }
        write!(f, ", {:.1?}", self.elapsed)
    }
}
