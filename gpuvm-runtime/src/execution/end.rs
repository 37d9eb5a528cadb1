//! The end of an execution: results, traps, and what is missing.

use super::{Execution, Signal};
use crate::bind::Bound;
use crate::budget::Budget;
use crate::done::{BudgetReport, Done, Results};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::leg::Leg;
use crate::logs::logged;
use crate::recorder::Ending;
use crate::trap::{Trap, TrapReport, hint_of_chunk};
use crate::view::view_of;
use crate::words::WordColumn;

impl<'a> Execution<'a> {
    /// Ends the launch: writes `&mut` arguments and buffers back and gives the results.
    ///
    /// # Errors
    ///
    /// [`Error::Trap`] if a VM has trapped, or [`Error::Budget`] if some have not stopped, each with the results of all that are
    /// done inside; or when the device fails.
    pub fn finish(self) -> Result<Done> {
        self.end(None).0
    }

    /// Ends the launch, and gives the arguments back too.
    pub(crate) fn end(mut self, budget: Option<Budget>) -> (Result<Done>, Vec<Bound<'a>>) {
        let unfinished = self.leg.as_ref().map(Leg::tally).unwrap_or_default();
        let steps_missing = self.signal() == Signal::Checkpoint;
        let trap = match self.close_leg() {
            Ok(trap) => trap,
            Err(error) => return (Err(error), self.held.params),
        };
        let stats = self.stats();
        let recording = self.recording.take();
        if let Some(recording) = &recording {
            recording.update(|headway| headway.steps = stats.steps);
        }
        let submissions = std::mem::take(&mut self.slices.submissions);
        let live = unfinished.running + unfinished.yielded + unfinished.blocked;
        let is_early = live > 0 || steps_missing;
        let profile = self.profiling.take();
        let profile = profile.map(|profiling| profiling.finish(self.entry.id(), &stats, submissions, is_early));
        let hint = |trap: &Trap| hint_of_chunk(trap, &self.entry, &self.held.params, self.course.vms);
        let trap = trap.map(|trap| (hint(&trap), trap));
        let logs = logged(&self.course.program, self.course.vms, &self.held.params);
        logs.tell(self.entry.id());
        let done = Done {
            routine: self.entry.id().to_string(),
            result: self.entry.result_type(),
            results: Results::Words(self.results),
            stats,
            logs,
            profile,
            columns: match self.restored {
                true => owned_columns(&self.entry, &mut self.held.params),
                false => Vec::new(),
            },
        };
        let ended = if is_early {
            Err(Error::Budget(Box::new(BudgetReport {
                routine: self.entry.id().to_string(),
                budget,
                vms: self.course.vms,
                running: unfinished.running,
                yielded: unfinished.yielded,
                blocked: unfinished.blocked,
                steps: done.stats.steps,
                all_steps: self.options.steps,
                done,
            })))
        } else {
            or_trap(done, trap, (unfinished.trapped.into(), self.options.all_traps))
        };
        if let Some(recording) = recording {
            recording.end(ending(ended.as_ref().err()));
        }
        (ended, self.held.params)
    }
}

/// The columns that VMs write, by name.
fn owned_columns(entry: &Entry, params: &mut [Bound<'_>]) -> Vec<(String, WordColumn)> {
    // Behind the routine's own there may be the log.
    let own = params.iter_mut().take(entry.named()).enumerate();
    let written = own.filter(|(_, bound)| bound.mode.writes());
    let owned = written.map(|(index, bound)| {
        let column = WordColumn {
            element: bound.argument.element(),
            entries: bound.argument.len(),
            words: view_of(bound).map(|view| view.words()).unwrap_or_default(),
        };
        (entry.name(index).into_owned(), column)
    });
    owned.collect()
}

/// How a launch or a plan has ended that has ended with this error, or well.
pub(crate) fn ending(error: Option<&Error>) -> Ending {
    match error {
        None => Ending::Done,
        Some(Error::Trap(report)) => Ending::Trapped(report.count),
        Some(error) => Ending::Failed(error.to_string()),
    }
}

/// What was done, unless a VM trapped, for which there may be a hint. With how many VMs did, and whether all of them are told.
pub(crate) fn or_trap(
    done: Done,
    trap: Option<(Option<String>, Trap)>,
    (count, all_traps): (u64, bool),
) -> Result<Done> {
    let Some((hint, trap)) = trap else {
        return Ok(done);
    };
    let Trap {
        vm,
        file,
        line,
        message,
        stack,
        mut vms,
    } = trap;
    if !all_traps {
        vms.truncate(1);
    }
    Err(Error::Trap(Box::new(TrapReport {
        vm,
        routine: done.routine.clone(),
        file,
        line,
        message,
        hint,
        stack,
        snapshot: None,
        count,
        vms,
        done,
    })))
}
