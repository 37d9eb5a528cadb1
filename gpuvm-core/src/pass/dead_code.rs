//! Removes instructions whose results nobody reads and that do nothing else.

use crate::ir::Function;
use crate::ir::liveness::Liveness;

/// Removes dead instructions and copies of a word to itself; whether there were any.
pub(crate) fn remove(function: &mut Function) -> bool {
    let live = Liveness::of(function);
    let mut alive = vec![0u32; function.words as usize];
    let mut changed = false;
    for (b, block) in function.blocks.iter_mut().enumerate() {
        // A word is alive if its stamp is this block's, so that nothing needs clearing.
        let stamp = b as u32 + 1;
        for word in live.at_end(b).chain(block.end.uses()) {
            alive[word as usize] = stamp;
        }
        let before = block.code.len();
        let mut kept = Vec::with_capacity(before);
        for inst in block.code.drain(..).rev() {
            let needed = !inst.is_removable() || inst.defs().any(|word| alive[word as usize] == stamp);
            let idle = inst.as_copy().is_some_and(|(to, from)| to == from);
            if needed && !idle {
                for word in inst.defs() {
                    alive[word as usize] = 0;
                }
                for word in inst.uses() {
                    alive[word as usize] = stamp;
                }
                kept.push(inst);
            }
        }
        kept.reverse();
        changed |= kept.len() != before;
        block.code = kept;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn chains_of_dead_code_go_at_once() {
        let mut function = blocks(vec![End::Return(vec![4])]);
        function.params = vec![0];
        function.blocks[0].code =
            assemble("imm 1 5; mul 2 0 1; addi 3 2 1; ldf 5 0; vmid 4; stf 0 1; mov 0 0; trapnz 0 0 - -");
        assert!(remove(&mut function));
        assert_eq!(function.blocks[0].code, assemble("vmid 4; stf 0 1; trapnz 0 0 - -"));
        assert!(!remove(&mut function));
    }

    #[test]
    fn what_a_loop_carries_stays() {
        let mut function = blocks(vec![
            End::Branch {
                word: 0,
                then: 0,
                otherwise: 1,
            },
            End::Return(vec![1]),
        ]);
        function.params = vec![0, 1];
        let code = assemble("addi 1 1 3; addi 0 0 -1");
        function.blocks[0].code = code.clone();
        assert!(!remove(&mut function));
        assert_eq!(function.blocks[0].code, code);
    }
}
