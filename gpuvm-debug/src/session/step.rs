//! The VM that is looked at goes forwards alone: by steps, and until what is watched changes.

use gpuvm_core::program::{Activation, Status, VariableMap};

use super::resume::filled;
use super::{LOOK, Result, Session, Stop};
use crate::scope::Names;
use crate::steps::{Place, Step, Steps};
use crate::value::Value;

impl Session<'_, '_> {
    /// Lets the VM that is looked at make a step; all others stand still. A breakpoint or a trap on the way ends it.
    ///
    /// # Errors
    ///
    /// When the device fails, or a condition cannot be evaluated.
    pub fn step(&mut self, step: Step, interrupted: &mut dyn FnMut() -> bool) -> Result<Stop> {
        let program = self.program.clone();
        let map = program.variable_map();
        self.told = true;
        let steps = Steps::of(&program);
        let mut from = Place::of(&program, self.detached()?.vm());
        let mut last = from;
        self.remember_watched(&map)?;
        let mut run = 0_u64;
        loop {
            if let Some(stop) = self.advance_one()? {
                return Ok(stop);
            }
            let at = Place::of(&program, self.detached()?.vm());
            let ends = match step {
                Step::Instruction => true,
                Step::Out => at.is_out_of(&program, &from),
                Step::Over if at.is_below(&program, &from) => false,
                Step::In | Step::Over => {
                    let ends = steps.begins(Some(&last), &at);
                    last = at;
                    // Behind its activation the step goes on in the one that has called.
                    if at.is_out_of(&program, &from) {
                        from = at;
                    }
                    ends
                }
            };
            if ends {
                return Ok(Stop::Step);
            }
            if !self.watches.is_empty()
                && let Some(stop) = self.watched(&map)?
            {
                return Ok(stop);
            }
            if let Some(stop) = self.hit(&map)? {
                return Ok(stop);
            }
            run += 1;
            if run.is_multiple_of(LOOK) && interrupted() {
                return Ok(Stop::Paused);
            }
        }
    }

    /// Lets the VM that is looked at run one instruction. Gives why it cannot go on after that.
    pub(super) fn advance_one(&mut self) -> Result<Option<Stop>> {
        self.moved = true;
        let status = self.detached()?.step();
        Ok(match status {
            Status::Running | Status::Yielded => None,
            Status::Blocked => Some(Stop::Blocked),
            Status::Halted => Some(Stop::Halted),
            Status::Trapped => {
                self.trapped.insert(self.vm);
                Some(self.trap(1)?)
            }
        })
    }

    /// Whether the VM that is looked at stands in front of a breakpoint that stops it.
    pub(super) fn hit(&mut self, map: &VariableMap<'_>) -> Result<Option<Stop>> {
        let Some(detached) = &self.detached else {
            return Ok(None);
        };
        let ip = detached.vm().ip();
        let mut stops = Vec::new();
        for (number, breakpoint) in self.breakpoints.iter_mut().enumerate() {
            if !breakpoint.instructions.contains(&ip) {
                continue;
            }
            let stack = map.stack(detached.vm());
            let names = Names::of(detached, self.execution.vms(), stack.first(), &self.parameters);
            let holds = match &breakpoint.wanted.condition {
                Some(condition) => condition.holds(&names)?,
                None => true,
            };
            if holds {
                breakpoint.hits += 1;
                match &breakpoint.wanted.log {
                    _ if breakpoint.hits <= breakpoint.wanted.ignore => {}
                    Some(text) => self.said.push(filled(text, &names)),
                    None => stops.push(number),
                }
            }
        }
        Ok((!stops.is_empty()).then_some(Stop::Breakpoint {
            breakpoints: stops,
            vms: 1,
        }))
    }

    /// Runs the VM that is looked at until something that is watched changes. `None` if it has come to its end, or to where others are needed.
    pub(super) fn run_watched(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Option<Stop>> {
        let program = self.program.clone();
        let map = program.variable_map();
        self.remember_watched(&map)?;
        let mut run = 0_u64;
        loop {
            let ended = self.advance_one()?;
            if let Some(stop) = self.watched(&map)? {
                return Ok(Some(stop));
            }
            if let Some(ended) = ended {
                return Ok(match ended {
                    Stop::Trap { .. } => Some(ended),
                    _ => None,
                });
            }
            if let Some(stop) = self.hit(&map)? {
                return Ok(Some(stop));
            }
            run += 1;
            if run.is_multiple_of(LOOK) && interrupted() {
                return Ok(Some(Stop::Paused));
            }
        }
    }

    /// Whether something that is watched has changed.
    pub(super) fn watched(&mut self, map: &VariableMap<'_>) -> Result<Option<Stop>> {
        let Some(detached) = &self.detached else {
            return Ok(None);
        };
        let mut watches = std::mem::take(&mut self.watches);
        let mut stop = None;
        watches.retain_mut(|watch| {
            if detached.vm().calls < watch.calls {
                stop = Some(Stop::OutOfScope {
                    expression: watch.expression.to_string(),
                });
                return false;
            }
            // Where a callee runs, the activation's variables in words are not kept, and none of them changes but through memory.
            let stack = map.stack(detached.vm());
            let own = |activation: &&Activation<'_>| (activation.calls, activation.scope) == (watch.calls, watch.scope);
            let names = Names::of(detached, self.execution.vms(), stack.iter().find(own), &self.parameters);
            let Some((value, now)) = watch.expression.evaluate(&names).ok().and_then(|value| {
                let words = value.all_words()?;
                Some((value, words))
            }) else {
                return true;
            };
            match watch.last.replace(now.clone()) {
                Some(last) if last != now => {
                    let before = Value::known(value.ty, last);
                    stop = Some(Stop::Watch {
                        expression: watch.expression.to_string(),
                        values: Some((before.show(), value.show())),
                    });
                }
                _ => {}
            }
            true
        });
        self.watches = watches;
        Ok(stop)
    }

    /// Lets what is watched be what it is now.
    pub(super) fn remember_watched(&mut self, map: &VariableMap<'_>) -> Result<()> {
        if self.watches.is_empty() {
            return Ok(());
        }
        self.watches.iter_mut().for_each(|watch| watch.last = None);
        self.detached()?;
        self.watched(map).map(|_| ())
    }
}
