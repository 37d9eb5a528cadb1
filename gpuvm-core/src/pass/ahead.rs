//! What a join reads of a variable before it gives it a value that both ways to the join have made is read before the ways part. The old value
//! and the new one then need not be kept at the same time, and the copy from one to the other goes: an iterator that makes its next element
//! before the loop uses the one that it has.

use crate::ir::flow::predecessors;
use crate::ir::{Block, End, Function, Inst, Word};

/// Moves what is read; whether there was anything to move.
pub(crate) fn read_ahead(function: &mut Function) -> bool {
    let before = predecessors(function);
    let mut changed = false;
    for fork in 0..function.blocks.len() {
        let Some(diamond) = Diamond::of(function, fork, &before) else {
            continue;
        };
        let moves = diamond.moves(function);
        if moves.is_empty() {
            continue;
        }
        let join = &mut function.blocks[diamond.join];
        let code = std::mem::take(&mut join.code).into_iter().enumerate();
        let (moved, kept): (Vec<_>, Vec<_>) = code.partition(|(i, _)| moves.contains(i));
        join.code = kept.into_iter().map(|(_, inst)| inst).collect();
        function.blocks[fork]
            .code
            .extend(moved.into_iter().map(|(_, inst)| inst));
        changed = true;
    }
    changed
}

/// Two ways that part at one block and meet at another.
struct Diamond {
    fork: usize,
    ways: [usize; 2],
    join: usize,
}

impl Diamond {
    fn of(function: &Function, fork: usize, before: &[Vec<usize>]) -> Option<Diamond> {
        let End::Branch { then, otherwise, .. } = function.blocks[fork].end else {
            return None;
        };
        let ways = [then, otherwise];
        let join = match ways.map(|way| &function.blocks[way].end) {
            [&End::Jump(a), &End::Jump(b)] if a == b && a != fork => a,
            _ => return None,
        };
        let apart = then != otherwise && ways.iter().all(|&way| way != join && before[way] == [fork]);
        (apart && before[join].len() == 2).then_some(Diamond { fork, ways, join })
    }

    /// The places in the join of what may be moved to the fork so that what a variable was is not read any more when it gets its new value.
    fn moves(&self, function: &Function) -> Vec<usize> {
        let code = &function.blocks[self.join].code;
        let ways = self.ways.map(|way| &function.blocks[way]);
        let mut moves = Vec::new();
        for (at, copy) in code.iter().enumerate() {
            let Some((to, from)) = copy.as_copy() else { continue };
            let made = ways.iter().all(|way| writes(&way.code, from));
            if made && !writes(&code[..at], to) && !writes(&code[..at], from) {
                let needed = self.needed(function, at, to);
                moves.extend(needed.into_iter().flatten());
            }
        }
        moves.sort_unstable();
        moves.dedup();
        moves
    }

    /// What in the join reads a variable before that place, and what that needs of the join; `None` if it cannot all be moved.
    fn needed(&self, function: &Function, at: usize, variable: Word) -> Option<Vec<usize>> {
        let code = &function.blocks[self.join].code[..at];
        let mut needed = Vec::new();
        let mut read: Vec<Word> = Vec::new();
        for (i, inst) in code.iter().enumerate().rev() {
            if inst.uses().any(|word| word == variable) || inst.defs().any(|word| read.contains(&word)) {
                read.extend(inst.uses());
                needed.push(i);
            }
        }
        let blocks = self.ways.map(|way| &function.blocks[way]);
        let asked: Vec<Word> = function.blocks[self.fork].end.uses().collect();
        let mut passed: Vec<&Inst> = blocks.iter().flat_map(|way: &&Block| &way.code).collect();
        for (i, inst) in code.iter().enumerate() {
            if !needed.contains(&i) {
                passed.push(inst);
                continue;
            }
            let reads_new = inst
                .uses()
                .any(|used| passed.iter().any(|inst| inst.defs().any(|word| word == used)));
            let disturbs = inst.defs().any(|def| {
                asked.contains(&def)
                    || passed
                        .iter()
                        .any(|inst| inst.defs().chain(inst.uses()).any(|word| word == def))
            });
            if !inst.is_pure() || reads_new || disturbs {
                return None;
            }
        }
        Some(needed)
    }
}

fn writes(code: &[Inst], word: Word) -> bool {
    code.iter().any(|inst| inst.defs().any(|def| def == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    /// Both ways make 2, the next value of 0, while 3 reads the value that it has.
    fn next(way: &str, join: &str) -> Function {
        let mut function = blocks(vec![
            End::Branch {
                word: 4,
                then: 1,
                otherwise: 2,
            },
            End::Jump(3),
            End::Jump(3),
            End::Return(vec![0, 1]),
        ]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("andi 4 0 1");
        function.blocks[1].code = assemble(way);
        function.blocks[2].code = assemble("shri 2 0 1");
        function.blocks[3].code = assemble(join);
        read_ahead(&mut function);
        function
    }

    #[test]
    fn what_a_variable_was_is_read_before_its_next_value_is_made() {
        let function = next("muli 2 0 3", "muli 3 1 31; xor 1 3 0; mov 0 2");
        assert_eq!(function.blocks[0].code, assemble("andi 4 0 1; muli 3 1 31; xor 1 3 0"));
        assert_eq!(function.blocks[3].code, assemble("mov 0 2"));
    }

    #[test]
    fn what_the_ways_touch_stays() {
        for (way, join) in [
            ("muli 2 0 3", "xor 1 2 0; mov 0 2"),
            ("add 2 0 1", "xor 1 1 0; mov 0 2"),
            ("muli 2 0 3; imm 1 5", "xor 3 1 0; mov 0 2"),
            ("muli 2 0 3", "stf 0 0; mov 0 2"),
            ("muli 2 0 3", "xor 4 1 0; mov 0 2"),
        ] {
            assert_eq!(next(way, join).blocks[3].code, assemble(join), "{way}: {join}");
        }
    }
}
