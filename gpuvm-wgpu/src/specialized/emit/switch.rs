//! Branches to one of several by a word, written as a switch.

use gpuvm_core::specialise::structure::Step;
use naga::{Block, Statement, SwitchCase, SwitchValue};

use super::Emitter;
use super::words::Operand;

impl Emitter<'_> {
    /// Writes a switch on a word: each case's values with its steps, and what follows otherwise.
    pub fn switch(&mut self, word: u32, cases: &[(Vec<u32>, Vec<Step>)], default: &[Step]) {
        let mut selector = self.w(Operand::Word(word));
        // A VM that is on its way to a case goes there, whatever the word is.
        let taken = |value: &u32| cases.iter().any(|(values, _)| values.contains(value));
        let other = (0..).find(|value| !taken(value));
        let first = cases
            .iter()
            .map(|(values, steps)| (values.first().copied(), &steps[..]));
        for (value, steps) in first.chain([(other, default)]) {
            let goals = self.goals_of(steps);
            if let (Some(value), false) = (value, goals.is_empty()) {
                let (going, value) = (self.is_going_to(&goals, false), self.code.word(value));
                selector = self.code.select(going, value, selector);
            }
        }
        let before = self.hand.clone();
        let mut written = 0;
        let mut arm = |emitter: &mut Self, steps: &[Step]| {
            written |= emitter.written(steps);
            let body = emitter.nested(|emitter| emitter.list(steps));
            emitter.hand = before.clone();
            body
        };
        let mut all = Vec::new();
        for (values, steps) in cases {
            let body = arm(self, steps);
            let case = |value: &u32| SwitchCase {
                value: SwitchValue::U32(*value),
                body: Block::new(),
                fall_through: true,
            };
            all.extend(values.iter().map(case));
            if let Some(last) = all.last_mut() {
                (last.body, last.fall_through) = (body, false);
            }
        }
        all.push(SwitchCase {
            value: SwitchValue::Default,
            body: arm(self, default),
            fall_through: false,
        });
        self.code.push(Statement::Switch { selector, cases: all });
        self.hand.forget(written);
    }
}
