//! Loop inversion: a loop that asks its condition first (`while`) asks it once before the first turn and then at the end of each
//! turn. One jump a turn is saved, and the body and the condition become one block for the other passes.

use crate::ir::flow::{Loop, Shape};
use crate::ir::liveness::Liveness;
use crate::ir::{End, Function, Inst, NONE, Word};
use crate::pass::duplicate::copy;

/// Instructions that a header may have to be copied.
const LARGEST: usize = 12;

/// Inverts loops; whether there were any to invert.
pub(crate) fn rotate(function: &mut Function) -> bool {
    let shape = Shape::of(function);
    let mut changed = false;
    for each in &shape.loops {
        let header = &function.blocks[each.header];
        let End::Branch { then, otherwise, .. } = header.end else {
            continue;
        };
        let leaves = each.body.contains(&then) != each.body.contains(&otherwise);
        if leaves && header.code.len() <= LARGEST {
            changed |= copy_to_ends(function, each);
        }
    }
    changed
}

/// Puts a copy of the header at the end of every block of the loop that jumps to it.
fn copy_to_ends(function: &mut Function, each: &Loop) -> bool {
    let jumps: Vec<usize> = each
        .body
        .iter()
        .copied()
        .filter(|&b| b != each.header && function.blocks[b].end == End::Jump(each.header))
        .collect();
    if jumps.is_empty() {
        return false;
    }
    let lives_on = lives_on(function, each.header);
    for b in jumps {
        let header = copy(function, each.header, |word| lives_on.contains(&word), &mut Vec::new());
        function.blocks[b].append(header);
    }
    true
}

/// Words that the block defines and later blocks read.
fn lives_on(function: &Function, block: usize) -> Vec<Word> {
    let live = Liveness::of(function);
    let mut defined = vec![false; function.words as usize];
    for word in function.blocks[block].code.iter().flat_map(Inst::defs) {
        defined[word as usize] = true;
    }
    live.at_end(block)
        .filter(|&word| word != NONE && defined[word as usize])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn the_condition_moves_to_the_end() {
        let mut function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 2,
                then: 2,
                otherwise: 3,
            },
            End::Jump(1),
            End::Return(vec![0]),
        ]);
        function.params = vec![0, 1];
        function.blocks[1].code = assemble("ltu 2 0 1");
        function.blocks[2].code = assemble("addi 0 0 1");
        assert!(rotate(&mut function));
        assert_eq!(function.blocks[2].code, assemble("addi 0 0 1; ltu 64 0 1"));
        assert_eq!(
            function.blocks[2].end,
            End::Branch {
                word: 64,
                then: 2,
                otherwise: 3
            }
        );
        assert!(!rotate(&mut function));
    }
}
