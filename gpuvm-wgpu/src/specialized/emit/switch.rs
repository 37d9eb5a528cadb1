//! A chain of comparisons of one word with constants, as `match` makes it, written as a switch: VMs in different arms are told apart at
//! once, and not comparison by comparison.

use gpuvm_core::isa::Op;
use gpuvm_core::specialise::flow::{Exit, words_of};
use gpuvm_core::specialise::propagation::{Fact, step};
use gpuvm_core::specialise::structure::Step;
use naga::{Statement, SwitchCase, SwitchValue};

use super::Emitter;
use super::words::Operand;

/// Fewer cases are not worth a switch.
const FEWEST: usize = 4;

/// Steps by the value of a word.
pub struct Switch<'s> {
    word: u32,
    cases: Vec<(u32, &'s [Step])>,
    default: &'s [Step],
}

/// What a block's exit asks of a word.
struct Asked<'s> {
    word: u32,
    value: u32,
    equal: &'s [Step],
    differs: &'s [Step],
}

impl Emitter<'_> {
    /// The switch that begins with the branch at the end of a block, if there is one.
    pub fn switch_at<'s>(&self, block: usize, accept: &'s [Step], reject: &'s [Step]) -> Option<Switch<'s>> {
        let mut asked = self.asked(block, accept, reject)?;
        let word = asked.word;
        let mut cases: Vec<(u32, &[Step])> = Vec::new();
        let default = loop {
            cases.push((asked.value, asked.equal));
            let next = match asked.differs {
                [Step::Straight(next), Step::Branch { block, accept, reject }] if next == block => {
                    self.asked_alone(*block, accept, reject)
                }
                _ => None,
            };
            match next.filter(|next| next.word == word && cases.iter().all(|(value, _)| *value != next.value)) {
                Some(next) => asked = next,
                None => break asked.differs,
            }
        };
        let arms = || cases.iter().map(|(_, steps)| *steps).chain([default]);
        let fits = cases.len() >= FEWEST && arms().all(|steps| self.goals_of(steps).is_empty() && !leaves(steps));
        fits.then_some(Switch { word, cases, default })
    }

    /// What a block asks that does nothing else, if what its comparison leaves behind does not matter.
    fn asked_alone<'s>(&self, block: usize, accept: &'s [Step], reject: &'s [Step]) -> Option<Asked<'s>> {
        let exit = self.flow.blocks[block].exit;
        let Exit::Branch { word, .. } = exit else {
            return None;
        };
        if self.may_stop_at(block) {
            return None;
        }
        let asked = self.asked(block, accept, reject)?;
        let mut code = self.flow.straight(block, self.program);
        let alone = code.all(|(_, op, instruction)| op == Op::Eq && instruction.operands[0] == word);
        let needed = exit.targets().any(|to| self.live[to] >> word & 1 == 1);
        (alone && (!needed || asked.word == word)).then_some(asked)
    }

    /// Which value of a word a block's exit asks for.
    fn asked<'s>(&self, block: usize, accept: &'s [Step], reject: &'s [Step]) -> Option<Asked<'s>> {
        let Exit::Branch { word: tested, .. } = self.flow.blocks[block].exit else {
            return None;
        };
        // Without a comparison the exit asks whether the word itself is 0.
        let mut found = Some((tested, 0, false));
        let mut facts = self.known[block];
        for (ip, op, instruction) in self.flow.straight(block, self.program) {
            let [made, a, b, _] = instruction.operands;
            let (_, defs) = words_of(self.program, ip);
            let constant = |word: u32| match facts.get(word as usize) {
                Some(Fact::Constant(value)) => Some(*value),
                _ => None,
            };
            found = found.filter(|(word, ..)| defs >> word & 1 == 0);
            if op == Op::Eq && made == tested {
                found = match [a, b].map(constant) {
                    [None, Some(value)] => Some((a, value, true)),
                    [Some(value), None] => Some((b, value, true)),
                    _ => None,
                };
                found = found.filter(|(word, ..)| *word != made);
            } else if defs >> tested & 1 == 1 {
                found = Some((tested, 0, false));
            }
            step(&mut facts, self.program, &self.options.known, ip);
        }
        let (word, value, accepted) = found?;
        let (equal, differs) = if accepted { (accept, reject) } else { (reject, accept) };
        Some(Asked {
            word,
            value,
            equal,
            differs,
        })
    }

    /// Writes a switch.
    pub fn switch(&mut self, switch: &Switch<'_>) {
        let selector = self.w(Operand::Word(switch.word));
        let before = self.hand.clone();
        let arms = (switch.cases.iter())
            .map(|&(value, steps)| (SwitchValue::U32(value), steps))
            .chain([(SwitchValue::Default, switch.default)]);
        let mut written = 0;
        let cases = arms
            .map(|(value, steps)| {
                written |= self.written(steps);
                let body = self.nested(|emitter| emitter.list(steps));
                self.hand = before.clone();
                SwitchCase {
                    value,
                    body,
                    fall_through: false,
                }
            })
            .collect();
        self.code.push(Statement::Switch { selector, cases });
        self.hand.forget(written);
    }
}

/// Whether steps leave a construct that they are in: in a switch that would be the switch.
fn leaves(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Break | Step::Continue | Step::Leave(_) => true,
        Step::Branch { accept, reject, .. } => leaves(accept) || leaves(reject),
        Step::Yield { next, .. } => leaves(next),
        Step::OnLeave { steps, .. } => leaves(steps),
        Step::Loop { .. } | Step::Once(_) | Step::Straight(_) | Step::Stop(_) => false,
    })
}
