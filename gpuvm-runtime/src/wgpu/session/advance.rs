//! Running as far as a limit allows: how large submissions are, how many are under way, and what their signals mean.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::super::pace::Pace;
use super::super::source::signal;
use super::Session;
use super::submit::{Order, Report, Ticket};
use crate::engine::{Dispatch, Limit, Tally};
use crate::error::Result;

/// Iterations of loops inside of instructions in one dispatch, where lavapipe silently ends a shader after 65,535 iterations of all
/// its loops together, and each of the up to eight VMs that share a vector may add its own; the largest single instruction comes
/// on top.
const INNER_CYCLES_SOFTWARE: u32 = 2_500;
/// Iterations of all loops in one dispatch that lavapipe is trusted with.
const ITERATIONS_SOFTWARE: u32 = 60_000;
/// VMs that share a vector there.
const LANES_SOFTWARE: u32 = 8;
/// Submissions that are under way at a time, when the device is not to wait for the host.
const IN_FLIGHT: usize = 2;

impl Session {
    /// Runs until no VM is running any more or the limit is reached.
    pub(super) fn run(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<()> {
        let begin = Instant::now();
        let mut left = limit.cycles.unwrap_or(u64::MAX);
        let mut resume = self.tally.yielded > 0;
        // VMs that stand at a breakpoint go past it: one instruction is run as if there were none. The others do no harm by
        // running one too, as they do not stand at any.
        if !limit.breakpoints.is_empty() && left > 0 && self.can_go_on(resume) {
            self.prepare(&[], true)?;
            let ticket = self.next(limit, 1, resume, false)?;
            left -= ticket.cycles;
            resume = false;
            self.absorb(ticket)?;
            watch(&self.tally);
        }
        let mut tickets = VecDeque::new();
        let mut depth = 1;
        let mut last_end = begin;
        loop {
            let timed_out = limit.time.is_some_and(|time| begin.elapsed() >= time) && self.tally.batches > 0;
            while tickets.len() < depth && left > 0 && !timed_out && self.can_go_on(resume) {
                self.prepare(&limit.breakpoints, limit.cycles.is_some())?;
                let ticket = self.next(limit, left, resume, !limit.breakpoints.is_empty())?;
                left -= ticket.cycles;
                resume = false;
                tickets.push_back(ticket);
            }
            let Some(ticket) = tickets.pop_front() else {
                return Ok(());
            };
            let cycles = ticket.cycles;
            let began = ticket.began().max(last_end);
            let took = self.absorb(ticket)?;
            last_end = Instant::now();
            if let Some(pace) = &mut self.pace {
                // Where the device has a clock it is asked; but what comes between submissions counts too.
                pace.adapt(took.unwrap_or(last_end - began), cycles);
            }
            watch(&self.tally);
            if self.tally.running == 0 && !self.next_step() || self.tally.running == self.tally.at_breakpoint {
                // Whatever else is under way finds nothing to do.
                return Ok(());
            }
            if self.fresh {
                tickets.clear();
            }
            // A job that ends at once needs one submission; only after that the device is kept busy.
            if limit.dispatch == Dispatch::Continuous && limit.breakpoints.is_empty() {
                depth = IN_FLIGHT;
            }
        }
    }

    /// Goes on to the next step if all VMs have halted. Whether there is one.
    fn next_step(&mut self) -> bool {
        if self.tally.halted < self.job.vms {
            return false;
        }
        self.tally.steps += 1;
        self.stopped_before = self.seen[signal::STOPPED];
        let more = self.tally.steps < self.job.steps;
        if more {
            self.fresh = true;
            self.tally.running = self.job.vms;
            self.tally.halted = 0;
        }
        more
    }

    /// Whether anything is left to do; VMs that yielded count if they go on.
    fn can_go_on(&self, resume: bool) -> bool {
        self.tally.running > 0 || resume
    }

    /// Submits as much as the pace says.
    fn next(&mut self, limit: &Limit, left: u64, resume: bool, breaks: bool) -> Result<Ticket> {
        let software = self.gpu.software;
        let (mut reach, ends_at_once) = match &self.bound {
            Some((stepper, _)) => (stepper.reach(), stepper.ends_at_once()),
            None => return Err(super::submit::unbound()),
        };
        let mut inner_cycles = if software { INNER_CYCLES_SOFTWARE } else { u32::MAX };
        if software && limit.cycles.is_some() {
            // No dispatch may end early for its inner iterations if instructions are to be counted.
            inner_cycles = u32::MAX;
            let iterations = 1 + LANES_SOFTWARE * reach.inner;
            reach.cycles = reach.cycles.min(ITERATIONS_SOFTWARE / iterations).max(1);
        }
        if breaks {
            // The signal counts VMs at breakpoints once a dispatch.
            reach.dispatches = 1;
        }
        let vms = self.job.vms;
        let pace = self.pace.get_or_insert_with(|| Pace::start(software, vms, reach.inner));
        pace.aim(limit.dispatch, limit.slice, software);
        let (dispatches, mut cycles) = pace.next(&reach, left);
        if self.fresh && ends_at_once {
            cycles = cycles.max(self.code_len().min(reach.cycles));
            cycles = u32::try_from(left).map_or(cycles, |left| cycles.min(left));
        }
        self.submit(&Order {
            dispatches: if self.fresh && ends_at_once { 1 } else { dispatches },
            cycles,
            inner_cycles,
            resume,
            breaks,
        })
    }

    /// Waits for a submission and takes over what its signal says. Gives the time that the device took, if it has a clock.
    fn absorb(&mut self, ticket: Ticket) -> Result<Option<Duration>> {
        let report = self.wait(&ticket)?;
        self.count(&report);
        if self.tally.running == 0 && self.tally.yielded == 0 && ticket.has_results() {
            self.results = Some(ticket);
        }
        Ok(report.device_time)
    }

    fn count(&mut self, report: &Report) {
        self.seen = report.signal;
        self.count_states();
        let tally = &mut self.tally;
        tally.batches += report.recorded.dispatches;
        if let Some(epochs) = report.recorded.epochs {
            *tally.epochs.get_or_insert(0) += epochs;
        }
        *tally.device_time.get_or_insert_default() += report.device_time.unwrap_or(report.waited);
        tally.retired = self.counted.then(|| retired(&report.signal));
    }

    /// Takes over how many VMs are in which state, as the signal has it.
    pub(super) fn count_states(&mut self) {
        let (found, tally) = (&self.seen, &mut self.tally);
        let stopped = found[signal::STOPPED].wrapping_sub(self.stopped_before);
        tally.yielded = found[signal::YIELDED];
        tally.trapped = found[signal::TRAPPED];
        tally.halted = stopped.wrapping_sub(tally.yielded).wrapping_sub(tally.trapped);
        tally.running = self.job.vms.wrapping_sub(stopped);
        tally.at_breakpoint = found[signal::AT_BREAK];
    }
}

/// The instructions that the signal counts, by class.
pub fn retired(found: &[u32; signal::WORDS]) -> [u64; 4] {
    std::array::from_fn(|class| {
        let at = signal::RETIRED + class;
        u64::from(found[at]) | u64::from(found[at + 4]) << 32
    })
}
