//! Running as far as a limit allows: how large submissions are, how many are under way, and what their signals mean.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gpuvm_engine::{Dispatch, Engine, Limit, Result, StopAt, Tally};
use gpuvm_shaders::layout::signal;

use super::super::frame_room::FrameRoom;
use super::super::pace::Pace;
use super::super::stepper::Need;
use super::submit::{Order, Report, Ticket};
use super::{Session, states_of};

/// Iterations of loops inside of instructions in one dispatch, where lavapipe silently ends a shader after 65,535 iterations of all
/// its loops together, and each of the up to eight VMs that share a vector may add its own; the largest single instruction comes
/// on top.
pub(super) const INNER_CYCLES_SOFTWARE: u32 = 2_500;
/// Iterations of all loops in one dispatch that lavapipe is trusted with.
const ITERATIONS_SOFTWARE: u32 = 60_000;
/// VMs that share a vector there.
const LANES_SOFTWARE: u32 = 8;
/// Steps in one submission.
const MOST_STEPS: u32 = 256;
/// Submissions that are under way at a time, when the device is not to wait for the host.
const IN_FLIGHT: usize = 2;

impl Session {
    /// Submits what the next run is to wait for: at least so many instructions of each VM, if one submission can have them.
    pub(super) fn run_ahead(&mut self, cycles: u64) -> Result<bool> {
        self.choose(&[], (false, false))?;
        let reach = self.stepper.reach();
        let reaches = u64::from(reach.cycles) * u64::from(reach.dispatches) >= cycles;
        if reaches && self.begun.is_none() {
            let limit = Limit {
                untimed: true,
                ..Limit::default()
            };
            self.begun = Some(self.next(&limit, None, (cycles, u64::MAX), false, false)?);
        }
        Ok(self.begun.is_some())
    }

    /// Runs until no VM is running any more or the limit is reached.
    pub(super) fn run(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<()> {
        let begin = Instant::now();
        self.breaks = !limit.breakpoints.is_empty();
        let mut left = limit.cycles.unwrap_or(u64::MAX);
        let mut resume = self.tally.yielded + self.tally.blocked > 0;
        // VMs that stand at a breakpoint go past it: one instruction is run as if there were none. The others do no harm by
        // running one too, as they do not stand at any.
        if !limit.breakpoints.is_empty() && !limit.stays && left > 0 && self.can_go_on(resume) {
            self.choose(&[], (true, limit.shows))?;
            let ticket = self.next(limit, limit.time, (1, 1), resume, false)?;
            left -= ticket.cycles;
            resume = false;
            self.absorb(ticket)?;
            watch(&self.tally);
            if self.tally.running == 0 && !self.next_step() {
                return Ok(());
            }
        }
        let mut tickets: VecDeque<Ticket> = self.begun.take().into_iter().collect();
        left = tickets
            .iter()
            .fold(left, |left, begun| left.saturating_sub(begun.cycles));
        let mut depth = 1;
        let mut ran = false;
        let mut last_end = begin;
        loop {
            let time_left = limit.time.map(|time| time.saturating_sub(begin.elapsed()));
            let timed_out = ran && time_left == Some(Duration::ZERO);
            while tickets.len() < depth && left > 0 && !timed_out && self.can_go_on(resume) {
                self.choose(&limit.breakpoints, (limit.cycles.is_some(), limit.shows))?;
                let ticket = self.next(limit, time_left, (1, left), resume, !limit.breakpoints.is_empty())?;
                left -= ticket.cycles;
                resume = false;
                tickets.push_back(ticket);
            }
            let Some(ticket) = tickets.pop_front() else {
                return Ok(());
            };
            ran = true;
            let cycles = ticket.cycles;
            let began = ticket.began.max(last_end);
            let took = self.absorb(ticket)?;
            last_end = Instant::now();
            // Where the device has a clock it is asked; but what comes between submissions counts too.
            let took = took.unwrap_or(last_end - began);
            // VMs without room have not run as far as they were given to.
            if !self.lacks_room() {
                if let Some(pace) = &mut self.pace {
                    pace.adapt(took, cycles);
                }
                self.learn(took, cycles);
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

    /// Remembers how far so many instructions of each VM got, for later launches.
    fn learn(&mut self, took: Duration, cycles: u64) {
        self.given += cycles;
        self.spent += took;
        let experience = self.stepper.experience();
        experience.note_spent(took);
        if self.tally.running > 0 {
            experience.note_speed(cycles, self.job.vms, took);
        } else {
            let software = self.gpu.software;
            experience.note_end((self.given, self.job.vms), software, self.spent);
            experience.note_room(self.buffers.room);
            if let Some(epochs) = self.tally.epochs {
                experience.note_epochs(epochs / u64::from(self.tally.steps + 1));
            }
        }
    }

    /// Lets the schedule choose the stepper for the next submission.
    fn choose(&mut self, breakpoints: &[StopAt], (exact, shows): (bool, bool)) -> Result<()> {
        self.stepper = self.schedule.stepper(&Need {
            breakpoints,
            exact,
            shows,
            fresh: self.fresh,
            gathered: self.tally.running > 0 && self.seen[signal::AT_BREAK] == self.tally.running,
            epochs: self.tally.epochs.unwrap_or_default(),
        })?;
        if self.tally.engine != self.stepper.engine() {
            if self.tally.engine == Engine::Epoch {
                self.tally.left_after = self.tally.epochs;
            }
            // What its batches hold is measured otherwise.
            self.tally.engine = self.stepper.engine();
            self.pace = None;
        }
        if self.fresh {
            (self.given, self.spent) = (0, Duration::ZERO);
            (self.ordered, self.framed) = (0, FrameRoom::default());
            let states = states_of(&self.job, &*self.stepper);
            if self.buffers.expect(&self.gpu, states)? {
                self.bound = None;
            }
        }
        Ok(())
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

    /// Whether anything is left to do; VMs that yielded or wait count if they go on.
    fn can_go_on(&self, resume: bool) -> bool {
        self.tally.running > 0 || resume
    }

    /// Submits as much as the pace says, given how many instructions of each VM at least and at most.
    fn next(
        &mut self,
        limit: &Limit,
        time_left: Option<Duration>,
        (least, left): (u64, u64),
        resume: bool,
        breaks: bool,
    ) -> Result<Ticket> {
        let software = self.gpu.software;
        let mut reach = self.stepper.reach();
        let ends_at_once = self.fresh && self.stepper.ends_at_once();
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
        let pace = self
            .pace
            .get_or_insert_with(|| Pace::start(software, vms, reach.inner, self.stepper.experience()));
        pace.aim(limit, software, time_left);
        let (mut dispatches, mut cycles) = pace.next(&reach, least, left);
        let mut steps = 1;
        let whole = self.job.program.code.len() as u64;
        if ends_at_once && whole <= left {
            let wanted = (u64::from(dispatches) * u64::from(cycles) / whole).min(left / whole);
            let most = MOST_STEPS.min(u32::MAX / vms).min(self.job.steps - self.tally.steps);
            steps = (wanted as u32).min(most).max(1);
            (dispatches, cycles) = (1, whole as u32);
        }
        // Who counts instructions gets as many as asked for.
        let exact = limit.cycles.is_some() || left == 1;
        self.make_room(exact.then_some(u64::from(dispatches) * u64::from(cycles)))?;
        self.submit(&Order {
            dispatches,
            cycles,
            inner_cycles,
            resume,
            breaks,
            steps,
            untimed: limit.untimed,
        })
    }

    /// Waits for a submission and takes over what its signal says. Gives the time that the device took, if it has a clock.
    fn absorb(&mut self, ticket: Ticket) -> Result<Option<Duration>> {
        let report = self.wait(&ticket)?;
        self.count(&report);
        if self.tally.running == 0 {
            self.stepper
                .experience()
                .note_time(report.device_time.unwrap_or(report.waited));
        }
        if self.tally.running + self.tally.yielded + self.tally.blocked == 0 && ticket.has_results {
            self.results = Some(ticket);
        }
        Ok(report.device_time)
    }

    fn count(&mut self, report: &Report) {
        if self.tally.engine == Engine::Epoch {
            let epochs = report.signal[signal::EPOCHS].wrapping_sub(self.seen[signal::EPOCHS]);
            *self.tally.epochs.get_or_insert(0) += u64::from(epochs);
        }
        self.seen = report.signal;
        self.count_states();
        let tally = &mut self.tally;
        tally.batches += report.recorded.dispatches;
        *tally.device_time.get_or_insert_default() += report.device_time.unwrap_or(report.waited);
        tally.retired = self.counted.then(|| retired(&report.signal));
    }

    /// Takes over how many VMs are in which state, as the signal has it.
    pub(super) fn count_states(&mut self) {
        let (found, tally) = (&self.seen, &mut self.tally);
        let mut stopped = found[signal::STOPPED].wrapping_sub(self.stopped_before);
        // Of several steps in one submission all but the last are told of here.
        while stopped > self.job.vms {
            stopped -= self.job.vms;
            self.stopped_before = self.stopped_before.wrapping_add(self.job.vms);
            tally.steps += 1;
        }
        tally.yielded = found[signal::YIELDED];
        tally.blocked = found[signal::BLOCKED];
        tally.trapped = found[signal::TRAPPED];
        let rest = tally.yielded.wrapping_add(tally.blocked);
        tally.halted = stopped.wrapping_sub(rest).wrapping_sub(tally.trapped);
        tally.running = self.job.vms.wrapping_sub(stopped);
        tally.at_breakpoint = match self.breaks && !self.stepper.gathers() {
            true => found[signal::AT_BREAK],
            false => 0,
        };
    }
}

/// The instructions that the signal counts, by class.
pub fn retired(found: &[u32; signal::WORDS]) -> [u64; 4] {
    std::array::from_fn(|class| {
        let at = signal::RETIRED + class;
        u64::from(found[at]) | u64::from(found[at + 4]) << 32
    })
}
