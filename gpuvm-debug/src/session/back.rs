//! The VM that is looked at goes back: by running it again from a checkpoint, or from its entry.

use gpuvm_runtime::DetachedVm;

use super::{LOOK, Result, Session, Stop};
use crate::breakpoint::Breakpoint;
use crate::expression::Expression;
use crate::scope::Names;
use crate::steps::{Place, Step, Steps};

impl Session<'_, '_> {
    /// Takes a step of the VM that is looked at back: to the last place before this one that such a step could have stopped at.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn step_back(&mut self, step: Step, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        let program = self.program.clone();
        let here = Place::of(&program, self.detached()?.vm());
        let steps = Steps::of(&program);
        // What was called from here and has returned is not seen, so that the line which called it is one place.
        let mut last_seen: Option<Place> = None;
        let begins = |begins_anew: bool, detached: &DetachedVm| {
            let at = Place::of(&program, detached.vm());
            if begins_anew {
                last_seen = None;
            }
            let hidden = match step {
                Step::Instruction => return true,
                Step::In => false,
                Step::Over => at.is_below(&program, &here),
                Step::Out => !here.is_below(&program, &at),
            };
            if hidden {
                return false;
            }
            let begins = steps.begins(last_seen.as_ref(), &at);
            last_seen = Some(at);
            begins
        };
        match self.back_to_last(begins, interrupted)? {
            Some(true) => Ok(Stop::Step),
            Some(false) => Ok(Stop::Beginning),
            None => Ok(Stop::Paused),
        }
    }

    /// Lets the VM that is looked at run backwards, to the last time that it stood in front of a breakpoint or that something that is watched changed.
    ///
    /// # Errors
    ///
    /// When the device fails, or a condition cannot be evaluated.
    pub fn resume_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        let program = self.program.clone();
        let map = program.variable_map();
        self.detached()?;
        let breakpoints = self.breakpoints.clone();
        let watches: Vec<(Expression, u32, u32)> = self
            .watches
            .iter()
            .map(|watch| (watch.expression.clone(), watch.calls, watch.scope))
            .collect();
        let (vms, parameters) = (self.execution.vms(), self.parameters.clone());
        let mut last: Vec<Option<Vec<u32>>> = vec![None; watches.len()];
        let stands = move |begins_anew: bool, detached: &DetachedVm| {
            if begins_anew {
                last.fill(None);
            }
            let ip = detached.vm().ip();
            let mut stops = false;
            let own: Vec<&Breakpoint> = breakpoints
                .iter()
                .filter(|breakpoint| breakpoint.wanted.log.is_none() && breakpoint.instructions.contains(&ip))
                .collect();
            if own.is_empty() && watches.is_empty() {
                return false;
            }
            let stack = map.stack(detached.vm());
            let names = |activation| Names::of(detached, vms, activation, &parameters);
            for breakpoint in own {
                let holds = |condition: &Expression| condition.holds(&names(stack.first())).unwrap_or(true);
                stops |= breakpoint.wanted.condition.as_ref().is_none_or(holds);
            }
            for ((expression, calls, scope), last) in watches.iter().zip(&mut last) {
                let activation = stack.iter().find(|at| (at.calls, at.scope) == (*calls, *scope));
                let now = expression
                    .evaluate(&names(activation))
                    .ok()
                    .and_then(|value| value.all_words());
                if let Some(now) = now {
                    stops |= last.as_ref().is_some_and(|last| *last != now);
                    *last = Some(now);
                }
            }
            stops
        };
        let found = self.back_to_last(stands, interrupted)?;
        match found {
            Some(true) => {
                let at = self.hits_here();
                let watched = self.watches.first().filter(|_| at.is_empty());
                Ok(match watched {
                    Some(watch) => Stop::Watch {
                        expression: watch.expression.to_string(),
                        values: None,
                    },
                    None => Stop::Breakpoint {
                        breakpoints: at,
                        vms: 1,
                    },
                })
            }
            Some(false) => Ok(Stop::Beginning),
            None => Ok(Stop::Paused),
        }
    }

    /// The breakpoints that the VM that is looked at stands in front of.
    pub(super) fn hits_here(&self) -> Vec<usize> {
        let ip = self.detached.as_ref().map(|detached| detached.vm().ip());
        let numbered = self.breakpoints.iter().enumerate();
        let here = numbered.filter(|(_, breakpoint)| ip.is_some_and(|ip| breakpoint.instructions.contains(&ip)));
        here.map(|(number, _)| number).collect()
    }

    /// Takes the VM that is looked at back to the last position before this one at which something holds, or as far back as it can be. `holds` is asked at positions one after
    /// the other, and told where that begins anew. Whether something held; `None` if it was interrupted.
    pub(super) fn back_to_last(
        &mut self,
        mut holds: impl FnMut(bool, &DetachedVm) -> bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<bool>> {
        // Where the search begins is no place to come to, but where it goes on with an older history is.
        let mut beyond = 0;
        loop {
            self.moved = true;
            let detached = self.detached()?;
            let begin = detached.position();
            let mut end = begin + beyond;
            let segments: Vec<u64> = detached.checkpoints().filter(|start| *start < end).collect();
            for start in segments.into_iter().rev() {
                detached.go_to(start);
                holds(true, detached);
                let mut found = None;
                while detached.position() + 1 < end {
                    detached.step();
                    if holds(false, detached) {
                        found = Some(detached.position());
                    }
                }
                if let Some(position) = found {
                    detached.go_to(position);
                    return Ok(Some(true));
                }
                // What begins at the start is told by the segment before.
                end = start + 1;
                if interrupted() {
                    detached.go_to(start);
                    return Ok(None);
                }
            }
            let earliest = detached.earliest();
            detached.go_to(earliest);
            beyond = u64::from(earliest < begin);
            if self.from_entry || !self.reach_back(interrupted)? {
                return Ok(Some(false));
            }
        }
    }

    /// Replaces the VM that is looked at by one that has come from its entry to where that stands. Whether that can be.
    pub(super) fn reach_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<bool> {
        let Some(mut history) = self.execution.history(self.vm)? else {
            return Ok(false);
        };
        let target = self.detached()?;
        loop {
            if history.stands_as(target) {
                break;
            }
            let before = history.position();
            history.step();
            if history.position() == before || before.is_multiple_of(LOOK) && interrupted() {
                return Ok(false);
            }
        }
        self.detached = Some(history);
        self.from_entry = true;
        Ok(true)
    }
}
