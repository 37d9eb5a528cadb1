//! A selection one side of which decides how its block ends becomes a branch, whose ways are threaded then (LLVM's `JumpThreading` unfolds
//! selects so). What compares two numbers selects one of three answers, of which who compares mostly asks for one.

use super::{LARGEST, Threading};
use crate::ir::{Block, End, Function, Inst, Word};
use crate::isa::Op;

impl Threading {
    /// Unfolds selections; whether there were any. Afterwards nothing else is known of the function.
    pub(super) fn unfold(&mut self, function: &mut Function, room: usize) -> bool {
        let mut changed = false;
        for block in 0..self.shape.rank.len() {
            if self.shape.rank[block] == usize::MAX {
                continue;
            }
            if let Some(at) = self.selection(function, block)
                && fits(&function.blocks[block].code[at + 1..], room)
            {
                changed |= self.unfold_at(function, block, at);
            }
        }
        changed
    }

    /// The last selection in a block with a constant on one side that the block's condition is made of.
    fn selection(&self, function: &Function, block: usize) -> Option<usize> {
        let block = &function.blocks[block];
        let End::Branch { word, .. } = block.end else {
            return None;
        };
        let constant = |word: Word| self.constants.get(word as usize).is_some_and(Option::is_some);
        let mut asked = vec![word];
        for (at, inst) in block.code.iter().enumerate().rev() {
            if !inst.is_pure() || !inst.defs().any(|word| asked.contains(&word)) {
                continue;
            }
            let [_, then, otherwise, ..] = inst.uses;
            if inst.op == Op::Select && (constant(then) || constant(otherwise)) {
                return Some(at);
            }
            asked.extend(inst.uses());
        }
        None
    }

    /// Unfolds one selection, if a side of it decides how the block ends.
    fn unfold_at(&mut self, function: &mut Function, block: usize, at: usize) -> bool {
        let (old, before) = (function.blocks[block].clone(), self.before.clone());
        let first = function.blocks.len();
        let rest = first + 2;
        let own = &mut function.blocks[block];
        let code = own.code.split_off(at + 1);
        let Some(select) = own.code.pop() else { return false };
        let [word, then, otherwise, ..] = select.uses;
        let end = End::Branch {
            word,
            then: first,
            otherwise: first + 1,
        };
        let end = std::mem::replace(&mut own.end, end);
        for to in end.successors() {
            for from in self.before[to].iter_mut().filter(|from| **from == block) {
                *from = rest;
            }
        }
        for side in [then, otherwise] {
            let mut copy = Inst::copy(select.defs[0], side, select.place);
            copy.marks.clone_from(&select.marks);
            function.blocks.push(Block {
                code: vec![copy],
                end: End::Jump(rest),
                place: select.place,
                marks: Vec::new(),
            });
            self.before.push(vec![block]);
        }
        function.blocks.push(Block {
            code,
            end,
            place: old.place,
            marks: Vec::new(),
        });
        self.before.push(vec![first, first + 1]);
        let decides = [first, first + 1].into_iter().any(|side| {
            let mut path = self.facts(function).path(side);
            path.blocks.push(rest);
            path.decided().is_some()
        });
        if !decides {
            function.blocks.truncate(first);
            function.blocks[block] = old;
            self.before = before;
        }
        decides
    }
}

/// Whether each side of a selection may get a copy of what comes after it.
fn fits(code: &[Inst], room: usize) -> bool {
    code.len() <= LARGEST.min(room) && code.iter().all(|inst| inst.op != Op::Call)
}

#[cfg(test)]
mod tests {
    use super::super::{room, thread};
    use super::*;
    use crate::ir::testing::{assemble, blocks};
    use crate::pass::blocks::drop_unreachable;

    /// `if answer == 2 { 2 } else { 3 }`, where the answer, 8, is selected.
    fn asked(answers: &str) -> Function {
        let end = End::Branch {
            word: 9,
            then: 1,
            otherwise: 2,
        };
        let mut function = blocks(vec![end, End::Return(vec![2]), End::Return(vec![3])]);
        function.params = vec![0, 1, 2, 3];
        let code = format!("imm 4 0; imm 5 1; imm 6 2; {answers}; eq 9 8 6");
        function.blocks[0].code = assemble(&code);
        let mut room = room(&function);
        thread(&mut function, &mut room);
        drop_unreachable(&mut function);
        function
    }

    fn selects(function: &Function) -> usize {
        let code = function.blocks.iter().flat_map(|block| &block.code);
        code.filter(|inst| inst.op == Op::Select).count()
    }

    #[test]
    fn who_asks_for_an_answer_asks_what_selects_it() {
        for (answer, branches) in [("select 8 0 6 5", 1), ("select 8 0 6 1", 2), ("select 8 0 1 4", 2)] {
            let function = asked(answer);
            assert_eq!(selects(&function), 0, "{:?}", function.blocks);
            let ends = function.blocks.iter().map(|block| &block.end);
            assert_eq!(ends.filter(|end| matches!(end, End::Branch { .. })).count(), branches);
        }
    }

    #[test]
    fn what_decides_nothing_stays_selected() {
        assert_eq!(selects(&asked("select 8 0 2 3")), 1);
    }
}
