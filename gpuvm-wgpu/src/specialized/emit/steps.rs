//! Structured code. In the function for resumed VMs each list of steps that leads to a place where a VM may be taken up skips what
//! stands before that place, as long as the VM is on its way there.

use std::collections::BTreeSet;

use gpuvm_core::specialise::flow::{Exit, words_of};
use gpuvm_core::specialise::structure::Step;
use naga::{BinaryOperator, Block, Module, Statement};

use super::super::code::Node;
use super::words::Operand;
use super::{Emitter, Start};

/// The goal of a VM that is where it should be.
pub const NOWHERE: u32 = u32::MAX;

/// Where VMs may be taken up, by the numbers of instructions.
type Goals = BTreeSet<u32>;

impl Emitter<'_> {
    /// Writes the whole function.
    pub fn structured(&mut self, steps: &[Step], module: &mut Module) {
        let loops = contains(steps, &|step| matches!(step, Step::Loop { .. }));
        let yields = contains(steps, &|step| match step {
            Step::Yield { .. } => true,
            Step::Stop(block) => self.flow.blocks[*block].exit == Exit::Pause,
            _ => false,
        });
        self.about.suspends = loops || yields || !self.options.stops.is_empty();
        let mut entries = self.program_entries(steps);
        entries.insert(0);
        self.prologue(loops, module);
        if self.start == Start::Resumed {
            let goals = self.goals(steps);
            self.take_up(&entries, goals.contains(&0));
        }
        self.about.entries = entries.into_iter().collect();
        self.list(steps);
        // Not reached, but a function has to end with a value.
        self.code.give(gpuvm_core::program::Status::Halted as u32);
    }

    /// The instructions at which VMs may be taken up.
    fn program_entries(&self, steps: &[Step]) -> Goals {
        let mut goals = self.goals(steps);
        if self.start != Start::Resumed {
            // The structure at hand has no way back from yields.
            let yields = self.flow.blocks.iter().filter(|block| block.exit == Exit::Pause);
            goals.extend(yields.map(|block| block.end));
        }
        goals
    }

    /// Where a VM may be taken up in some steps: at the headers of loops, behind yields and where it may stop.
    fn goals(&self, steps: &[Step]) -> Goals {
        let mut goals = Goals::new();
        for step in steps {
            match step {
                Step::Loop { header, body } => {
                    goals.insert(self.flow.blocks[*header].start);
                    goals.extend(self.goals(body));
                }
                Step::Branch { accept, reject, .. } => {
                    goals.extend(self.goals(accept));
                    goals.extend(self.goals(reject));
                }
                Step::Switch { cases, default, .. } => {
                    cases.iter().for_each(|(_, steps)| goals.extend(self.goals(steps)));
                    goals.extend(self.goals(default));
                }
                Step::Yield { next, .. } => goals.extend(self.goals(next)),
                Step::Once(body) => goals.extend(self.goals(body)),
                Step::Straight(block) if self.is_taken_up(*block) => {
                    goals.insert(self.flow.blocks[*block].start);
                }
                _ => {}
            }
        }
        goals
    }

    /// Whether a VM may be taken up where a block begins that is no loop's header.
    fn is_taken_up(&self, block: usize) -> bool {
        let mut blocks = self.flow.blocks.iter();
        self.may_stop_at(block) || blocks.any(|before| before.exit == Exit::Yield(block))
    }

    /// The goals of some steps, if the function has any.
    pub fn goals_of(&self, steps: &[Step]) -> Goals {
        match self.goal {
            Some(_) => self.goals(steps),
            None => Goals::new(),
        }
    }

    /// Writes steps one after the other.
    pub fn list(&mut self, steps: &[Step]) {
        for (i, step) in steps.iter().enumerate() {
            let later = self.goals_of(&steps[i + 1..]);
            if later.is_empty() || matches!(step, Step::OnLeave { .. }) {
                self.step(step);
                continue;
            }
            // A VM that is on its way to a later step skips this one.
            let own = self.goals_of(std::slice::from_ref(step));
            let before = self.hand.clone();
            if let Step::Straight(block) = step {
                self.arrive(*block);
            }
            let here = self.is_going_to(&own, true);
            let body = self.nested(|emitter| match step {
                Step::Straight(block) => emitter.straight(*block),
                _ => emitter.step(step),
            });
            self.code.choose(here, body, Block::new());
            self.hand = before;
            let written = self.written(std::slice::from_ref(step));
            self.hand.forget(written);
            for (word, fact) in self.facts.iter_mut().enumerate() {
                if written >> word & 1 == 1 {
                    *fact = gpuvm_core::specialise::propagation::Fact::Any;
                }
            }
        }
    }

    /// Writes a block of its own.
    pub fn nested(&mut self, write: impl FnOnce(&mut Self)) -> Block {
        let outer = self.code.begin();
        write(self);
        self.code.end(outer)
    }

    /// Whether the VM is where it should be (if `there`), or on its way to one of the goals.
    pub fn is_going_to(&mut self, goals: &Goals, there: bool) -> Node {
        let Some(goal) = self.goal else {
            return self.code.truth(there);
        };
        let goal = self.code.load(goal);
        let places = there.then_some(NOWHERE).into_iter().chain(goals.iter().copied());
        let mut any = None;
        for place in places {
            let place = self.code.word(place);
            let equal = self.code.binary(BinaryOperator::Equal, goal, place);
            any = Some(match any {
                None => equal,
                Some(any) => self.code.binary(BinaryOperator::LogicalOr, any, equal),
            });
        }
        any.unwrap_or_else(|| self.code.truth(false))
    }

    /// A VM whose goal is the start of this block has arrived.
    fn arrive(&mut self, block: usize) {
        let start = self.flow.blocks[block].start;
        if let Some(variable) = self.goal {
            let here = self.is_going_to(&Goals::from([start]), false);
            let nowhere = self.code.word(NOWHERE);
            self.code.when(here, |code| code.store(variable, nowhere));
        }
    }

    fn step(&mut self, step: &Step) {
        let outer = self.within;
        self.within |= !matches!(step, Step::Straight(_) | Step::Stop(_));
        self.step_within(step, outer);
        self.within = outer;
    }

    fn step_within(&mut self, step: &Step, outer: bool) {
        match step {
            Step::Straight(block) => {
                if self.goal.is_some() && self.is_taken_up(*block) {
                    self.arrive(*block);
                }
                self.straight(*block);
                self.refill(*block);
            }
            Step::Branch { block, accept, reject } => self.branch(*block, accept, reject, outer),
            Step::Switch { block, cases, default } => {
                if let Exit::Switch { word, .. } = self.flow.blocks[*block].exit {
                    self.switch(word, cases, default);
                }
            }
            Step::Yield { block, next } => {
                let goals = self.goals_of(next);
                let going = self.is_going_to(&goals, false);
                let hand = self.hand.clone();
                let accept = self.nested(|emitter| emitter.list(next));
                self.hand = hand;
                let end = self.flow.blocks[*block].end;
                let reject = self.nested(|emitter| emitter.pause(end));
                self.code.choose(going, accept, reject);
            }
            Step::Loop { header, body } => self.turns(*header, body),
            Step::Once(body) => {
                let before = self.hand.clone();
                let block = self.nested(|emitter| emitter.list(body));
                self.code.once(block);
                self.hand = before;
                self.hand.forget(self.written(body));
            }
            Step::Break => self.code.push(Statement::Break),
            Step::Continue => self.code.push(Statement::Continue),
            Step::Leave(id) => {
                let (leaving, id) = (self.leaving(), self.code.word(*id));
                self.code.store(leaving, id);
            }
            Step::OnLeave { id, steps } => {
                let (leaving, id, none) = (self.leaving(), self.code.word(*id), self.code.word(0));
                let now = self.code.load(leaving);
                let here = self.code.binary(BinaryOperator::Equal, now, id);
                let body = self.nested(|emitter| {
                    emitter.code.store(leaving, none);
                    emitter.list(steps);
                });
                self.code.choose(here, body, Block::new());
            }
            Step::Stop(block) => self.stop(*block),
        }
    }

    fn leaving(&mut self) -> Node {
        match self.leaving {
            Some(leaving) => leaving,
            None => {
                let leaving = self.local("leaving");
                self.leaving = Some(leaving);
                leaving
            }
        }
    }

    /// The instructions of a block, and the words that matter after it stored.
    fn straight(&mut self, block: usize) {
        self.facts = self.known[block];
        self.stop_in_front(block);
        for (ip, op, instruction) in self.flow.straight(block, self.program) {
            self.instruction(ip, op, instruction);
        }
        self.end_if_trapped();
        let exit = &self.flow.blocks[block].exit;
        let mut needed = exit.targets().fold(0, |needed, to| needed | self.live[to]);
        match exit {
            Exit::Branch { word, .. } | Exit::Switch { word, .. } => needed |= 1 << word,
            Exit::Pause => needed = self.live_at(self.flow.blocks[block].end),
            _ => {}
        }
        self.flush(needed);
    }

    fn branch(&mut self, block: usize, accept: &[Step], reject: &[Step], within: bool) {
        let exit = &self.flow.blocks[block].exit;
        let goals = [self.goals_of(accept), self.goals_of(reject)];
        let plain = goals.iter().all(Goals::is_empty);
        let (met, known) = match *exit {
            Exit::Branch { word, .. } => {
                let known = self.constant(Operand::Word(word)).filter(|_| plain);
                (self.t(Operand::Word(word)), known.map(|constant| constant != 0))
            }
            Exit::Ahead { counted, turns, .. } => (self.is_ahead(counted, turns), None),
            _ => return,
        };
        let condition = match plain {
            true => met,
            false => {
                let (there, going) = (
                    self.is_going_to(&Goals::new(), true),
                    self.is_going_to(&goals[0], false),
                );
                self.code.select(there, met, going)
            }
        };
        if let Some(known) = known.filter(|_| self.start == Start::Several) {
            self.within = within;
            return self.list(if known { accept } else { reject });
        }
        if self.only_trap(accept) || self.only_trap(reject) {
            let is_accepted = self.only_trap(accept);
            let (condition, trap, on) = match is_accepted {
                true => (condition, accept, reject),
                false => (self.code.not(condition), reject, accept),
            };
            self.trap_by(condition, trap);
            self.learn(met, !is_accepted);
            self.within = within;
            return self.list(on);
        }
        let before = self.hand.clone();
        let arms = [(accept, true), (reject, false)].map(|(steps, way)| {
            let arm = self.nested(|emitter| {
                if plain {
                    emitter.learn(met, way);
                }
                if let (
                    &Exit::Ahead {
                        counted, turns, accept, ..
                    },
                    true,
                    true,
                ) = (exit, plain, way)
                {
                    emitter.learn_ahead(counted, turns);
                    let prefetch = emitter.prefetch.take();
                    if !prefetch.is_some_and(|prefetch| emitter.take_prefetched(&prefetch, counted, accept, turns)) {
                        emitter.load_early(accept, turns);
                    }
                }
                // An arm that is never taken stays empty.
                if known.is_none_or(|known| known == way) {
                    emitter.list(steps);
                }
            });
            self.hand = before.clone();
            arm
        });
        let [accepted, rejected] = arms;
        self.code.choose(condition, accepted, rejected);
        let written = self.written(accept) | self.written(reject);
        self.hand.forget(written);
    }

    fn turns(&mut self, header: usize, body: &[Step]) {
        let start = self.flow.blocks[header].start;
        self.arrive(header);
        self.hand.forget(self.written(body));
        let inner = self.goals_of(body);
        if let Exit::Ahead {
            counted, turns, accept, ..
        } = self.flow.blocks[header].exit
            && inner.is_empty()
        {
            self.facts = self.known[header];
            self.prefetch = self.begin_prefetch(counted, accept, turns);
        }
        let before = self.hand.clone();
        let block = self.nested(|emitter| {
            if inner.is_empty() {
                emitter.burn(start);
            } else {
                let there = emitter.is_going_to(&Goals::new(), true);
                let burn = emitter.nested(|emitter| emitter.burn(start));
                emitter.code.choose(there, burn, Block::new());
            }
            emitter.list(body);
        });
        self.code.again(block);
        self.hand = before;
    }

    /// The words that steps write, as bits.
    pub fn written(&self, steps: &[Step]) -> u32 {
        steps.iter().fold(0, |written, step| {
            written
                | match step {
                    Step::Straight(block) => {
                        let block = &self.flow.blocks[*block];
                        (block.start..block.end).fold(0, |defs, ip| defs | words_of(self.program, ip).1)
                    }
                    Step::Branch { accept, reject, .. } => self.written(accept) | self.written(reject),
                    Step::Switch { cases, default, .. } => {
                        let cases = cases.iter().map(|(_, steps)| self.written(steps));
                        cases.fold(self.written(default), |written, case| written | case)
                    }
                    Step::Yield { next, .. } => self.written(next),
                    Step::Loop { body, .. } | Step::Once(body) => self.written(body),
                    Step::OnLeave { steps, .. } => self.written(steps),
                    Step::Break | Step::Continue | Step::Leave(_) | Step::Stop(_) => 0,
                }
        })
    }
}

/// Whether some step is of a kind, at any depth.
fn contains(steps: &[Step], is: &dyn Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| {
        is(step)
            || match step {
                Step::Branch { accept, reject, .. } => contains(accept, is) || contains(reject, is),
                Step::Switch { cases, default, .. } => {
                    contains(default, is) || cases.iter().any(|(_, steps)| contains(steps, is))
                }
                Step::Yield { next, .. } => contains(next, is),
                Step::Loop { body, .. } | Step::Once(body) => contains(body, is),
                Step::OnLeave { steps, .. } => contains(steps, is),
                _ => false,
            }
    })
}
