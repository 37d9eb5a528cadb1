//! A loop's header whose answer is known on every way to it goes, and each way leads straight on. One by one such ways would give the loop a
//! second entry, so they are taken all at once or not at all: a flag that is set for the first turn only, or one that says whether an inner
//! iterator is under way, is asked no more.

use super::{LARGEST, Threading, Way};
use crate::ir::flow::{Loop, Shape};
use crate::ir::{End, Function, Word};
use crate::isa::Op;

/// A way into a header, and where it is known to lead.
#[derive(Clone, Copy)]
struct Known {
    from: usize,
    to: usize,
}

impl Threading {
    /// Takes away a header that asks what all ways to it know; whether there was one. Afterwards nothing else is known of the function.
    pub(super) fn bypass(&mut self, function: &mut Function, room: &mut usize) -> bool {
        for each in 0..self.shape.loops.len() {
            let header = self.shape.loops[each].header;
            let Some(known) = self.all_known(function, header, *room) else {
                continue;
            };
            if self.is_state_machine(function, &self.shape.loops[each], &known) {
                continue;
            }
            let before = self.before.clone();
            let mut trial = function.clone();
            for &Known { from, to } in &known {
                let way = Way {
                    through: vec![header],
                    to,
                    added: 0,
                    turns_loop: true,
                };
                self.take(&mut trial, from, header, &way);
            }
            if Shape::of(&trial).is_reducible(&trial) {
                *room -= function.blocks[header].code.len() * (known.len() - 1);
                *function = trial;
                return true;
            }
            self.before = before;
        }
        false
    }

    /// Where each way into a header leads, if that is known of all and there is room for copies of it.
    fn all_known(&self, function: &Function, header: usize, room: usize) -> Option<Vec<Known>> {
        let block = &function.blocks[header];
        let End::Branch { .. } = block.end else { return None };
        let before = &self.before[header];
        let added = block.code.len() * before.len().saturating_sub(1);
        let fits = block.code.len() <= LARGEST && added <= room;
        if header == 0 || !fits || before.contains(&header) || block.code.iter().any(|inst| inst.op == Op::Call) {
            return None;
        }
        let known = before.iter().map(|&from| {
            let mut path = self.facts(function).path(from);
            path.blocks.push(header);
            let to = path.decided()?;
            (to != header).then_some(Known { from, to })
        });
        let mut known = known.collect::<Option<Vec<Known>>>()?;
        known.dedup_by_key(|known| known.from);
        Some(known)
    }

    /// Whether the header is that of a state machine, which is to stay one loop (see [`Threading::stays`]): both of its ways come back to
    /// themselves before they come to the other, and neither for good, or one of them goes on asking for the same.
    fn is_state_machine(&self, function: &Function, each: &Loop, known: &[Known]) -> bool {
        let header = each.header;
        let End::Branch { then, otherwise, .. } = function.blocks[header].end else {
            return true;
        };
        let asked = self.asked(function, header);
        let asks_again = |way: usize| self.asked(function, way).iter().any(|word| asked.contains(word));
        let turns = |way: usize, other: usize| {
            let next = next(function, each, way, other, known);
            next.contains(&way) && next.contains(&other)
        };
        asks_again(then) || asks_again(otherwise) || turns(then, otherwise) && turns(otherwise, then)
    }

    /// The variables of which a block's condition is made; none if it asks for nothing.
    fn asked(&self, function: &Function, block: usize) -> Vec<Word> {
        let block = &function.blocks[block];
        let End::Branch { word, .. } = block.end else {
            return Vec::new();
        };
        let mut asked = vec![word];
        for inst in block.code.iter().rev() {
            if inst.defs().any(|word| asked.contains(&word)) {
                asked.extend(inst.uses().filter(|&word| self.constants[word as usize].is_none()));
            }
        }
        asked
    }
}

/// Where a loop's header leads when control next comes to it from one of its ways without leaving the loop or going the other.
fn next(function: &Function, each: &Loop, way: usize, other: usize, known: &[Known]) -> Vec<usize> {
    let mut seen = vec![false; function.blocks.len()];
    let mut open = vec![way];
    let mut next = Vec::new();
    while let Some(at) = open.pop() {
        if !each.body.contains(&at) || std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for to in function.blocks[at].end.successors() {
            if to == each.header {
                next.extend(known.iter().filter(|known| known.from == at).map(|known| known.to));
            } else if to == other {
                next.push(other);
            } else {
                open.push(to);
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::super::{room, thread};
    use super::*;
    use crate::ir::testing::{assemble, blocks};
    use crate::pass::blocks::drop_unreachable;

    fn branch(word: Word, then: usize, otherwise: usize) -> End {
        End::Branch { word, then, otherwise }
    }

    /// Whether the word is asked by no block any more, and each loop has one entry still.
    fn is_gone(function: &mut Function, asked: Word) -> bool {
        let mut room = room(function);
        thread(function, &mut room);
        drop_unreachable(function);
        assert!(Shape::of(function).is_reducible(function));
        let mut ends = function.blocks.iter().map(|block| &block.end);
        !ends.any(|end| matches!(end, End::Branch { word, .. } if *word == asked))
    }

    #[test]
    fn a_flag_for_the_first_turn_is_not_asked() {
        // 1 asks whether it is the first turn, which 2 is alone.
        let mut function = blocks(vec![
            End::Jump(1),
            branch(1, 2, 3),
            End::Jump(4),
            branch(0, 4, 5),
            branch(0, 1, 5),
            End::Return(vec![0]),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 1");
        function.blocks[2].code = assemble("imm 1 0");
        function.blocks[3].code = assemble("addi 0 0 -2");
        function.blocks[4].code = assemble("addi 0 0 -1");
        assert!(is_gone(&mut function, 1), "{:?}", function.blocks);
    }

    /// A loop that asks at 1 whether an inner one is under way: 2 begins it, 3 is a turn of it, and 4 ends it. As told, the outer
    /// loop goes on by itself as well.
    fn inner_and_outer(outer: End) -> Function {
        let mut function = blocks(vec![
            End::Jump(1),
            branch(1, 3, 2),
            outer,
            branch(2, 1, 4),
            End::Jump(1),
            End::Return(vec![0]),
            End::Jump(3),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 0; imm 2 0");
        function.blocks[2].code = assemble("addi 0 0 -1");
        function.blocks[3].code = assemble("addi 2 2 -1");
        function.blocks[4].code = assemble("imm 1 0");
        function.blocks[6].code = assemble("imm 1 1; mov 2 0");
        function
    }

    #[test]
    fn whether_an_inner_loop_is_under_way_is_not_asked() {
        let mut function = inner_and_outer(branch(0, 6, 5));
        assert!(is_gone(&mut function, 1), "{:?}", function.blocks);
        assert_eq!(Shape::of(&function).loops.len(), 2);
    }

    #[test]
    fn two_states_that_both_stay_are_one_loop() {
        let mut function = inner_and_outer(branch(0, 6, 1));
        assert!(!is_gone(&mut function, 1), "{:?}", function.blocks);
        assert_eq!(Shape::of(&function).loops.len(), 1);
    }

    #[test]
    fn a_state_machine_of_several_states_stays_one_loop() {
        // 1 asks whether the state, 1, is 0, and 2 whether it is 1. State 0 never stays what it is.
        let mut function = blocks(vec![
            End::Jump(1),
            branch(5, 3, 2),
            branch(6, 4, 5),
            End::Jump(1),
            branch(0, 1, 6),
            branch(0, 7, 8),
            End::Jump(1),
            End::Jump(1),
            End::Return(vec![0]),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 1; imm 3 0; imm 4 1");
        function.blocks[1].code = assemble("eq 5 1 3");
        function.blocks[2].code = assemble("eq 6 1 4");
        function.blocks[3].code = assemble("imm 1 1");
        function.blocks[4].code = assemble("addi 0 0 -1");
        function.blocks[5].code = assemble("addi 0 0 -3");
        function.blocks[6].code = assemble("imm 1 2");
        function.blocks[7].code = assemble("imm 1 0");
        assert!(!is_gone(&mut function, 5), "{:?}", function.blocks);
        assert_eq!(Shape::of(&function).loops.len(), 1);
    }
}
