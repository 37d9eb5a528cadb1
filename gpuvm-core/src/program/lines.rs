//! The source lines of a program: which have code, and where that is entered.

use std::collections::BTreeSet;

use super::Program;
use crate::isa::Op;

impl Program {
    /// The lines of a file, a place in [`Program::files`], that have code.
    pub fn lines(&self, file: u32) -> BTreeSet<u32> {
        let own = self.places.iter().filter(|place| place.file == file);
        own.map(|place| place.line).collect()
    }

    /// The instructions at which the code of a line is entered: where the code of another line goes on or jumps to, and where functions start.
    pub fn entries(&self, file: u32, line: u32) -> Vec<u32> {
        let is_here = |at: usize| {
            self.places
                .get(at)
                .is_some_and(|place| (place.file, place.line) == (file, line))
        };
        let mut entered = BTreeSet::new();
        let mut enter = |at: u32| {
            if is_here(at as usize) {
                entered.insert(at);
            }
        };
        enter(0);
        for (at, code) in self.code.iter().enumerate() {
            let op = Op::from_code(code.opcode);
            let label = code.operands[0];
            match op {
                // Whoever is called begins, also by itself.
                Some(Op::Call) => enter(label),
                Some(Op::Switch) => (label..=Op::last_of_switch(code.operands)).for_each(&mut enter),
                Some(Op::Jump | Op::JumpIf | Op::JumpUnless) if !is_here(at) => enter(label),
                _ => {}
            }
            let goes_on = !matches!(
                op,
                Some(Op::Jump | Op::Switch | Op::Return | Op::Halt | Op::Trap) | None
            );
            if goes_on && !is_here(at) {
                enter(at as u32 + 1);
            }
        }
        entered.into_iter().collect()
    }
}
