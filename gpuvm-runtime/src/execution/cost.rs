//! What an execution has cost so far.

use std::time::Duration;

use gpuvm_engine::{Engine, FloatMode, Tally};

use super::Execution;
use crate::leg::Course;
use crate::profile::Submission;
use crate::stats::{LeftToInterpreter, Stats};
use crate::tally::continued;

/// Submissions that a profile tells one by one.
const SUBMISSIONS: usize = 1 << 12;

/// How long the device is at one submission.
#[derive(Debug, Default)]
pub(super) struct Slices {
    /// Its time for all submissions so far.
    sum: Duration,
    /// The longest of them.
    pub(super) longest: Option<Duration>,
    /// The first ones.
    pub(super) submissions: Vec<Submission>,
}

impl Slices {
    /// Takes a look after a submission, at this time, when the device has spent so much in all.
    pub(super) fn see(&mut self, spent: Option<Duration>, end: Duration) {
        let Some(spent) = spent else { return };
        let time = spent.saturating_sub(self.sum);
        self.longest = self.longest.max(Some(time));
        if !time.is_zero() && self.submissions.len() < SUBMISSIONS {
            self.submissions.push(Submission { end, time });
        }
        self.sum = spent;
    }
}

impl Execution<'_> {
    /// Instructions retired so far, as far as they are counted.
    pub(super) fn instructions(&self) -> u64 {
        let retired = self.tally().retired;
        retired.map_or(0, |classes| classes.iter().sum())
    }

    /// How it stands, the legs before this one included in what is counted.
    fn tally(&self) -> Tally {
        let Some(leg) = &self.leg else {
            return self.before.clone();
        };
        let now = leg.tally();
        let mut all = continued(&self.before, &now);
        (all.running, all.yielded, all.blocked) = (now.running, now.yielded, now.blocked);
        (all.halted, all.trapped, all.at_breakpoint) = (now.halted, now.trapped, now.at_breakpoint);
        all
    }

    /// What it has cost so far.
    pub fn stats(&self) -> Stats {
        let tally = self.tally();
        let leg = self.leg.as_ref();
        let engine = match tally.engine {
            Engine::Auto => self.options.engine,
            engine => engine,
        };
        let device = self.runtime.device_of(engine);
        let Course { executor, program, .. } = &self.course;
        let left_to_interpreter = LeftToInterpreter::of(&**executor, program, &tally);
        Stats {
            vms: self.course.vms.into(),
            engine,
            float_mode: if self.course.program.relaxed {
                FloatMode::Relaxed
            } else {
                device.float_mode
            },
            device,
            dispatch: self.options.dispatch,
            steps: self.steps_done + leg.map_or(0, |leg| if leg.steps > 1 { leg.tally().steps } else { 0 }),
            batches: self.jobs + leg.map_or(0, |leg| leg.parts.len() as u64),
            submissions: tally.batches,
            retired: tally.retired,
            epochs: tally.epochs,
            host_time: self.earlier + self.begin.elapsed(),
            device_time: tally.device_time,
            longest_submission: self.slices.longest,
            left_to_interpreter,
            shares: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_submission_is_remembered() {
        let mut slices = Slices::default();
        slices.see(None, Duration::ZERO);
        assert_eq!(slices.longest, None);
        for spent in [3, 10, 14] {
            slices.see(Some(Duration::from_millis(spent)), Duration::from_millis(2 * spent));
        }
        assert_eq!(slices.longest, Some(Duration::from_millis(7)));
        let times = |submission: &Submission| (submission.end.as_millis(), submission.time.as_millis());
        let times: Vec<_> = slices.submissions.iter().map(times).collect();
        assert_eq!(times, [(6, 3), (20, 7), (28, 4)]);
    }
}
