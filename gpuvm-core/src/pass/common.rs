//! Common subexpressions: what was computed before and still holds is copied, not computed again. Nor is it asked again whether to
//! trap.

use rustc_hash::FxHashMap;

use crate::ir::definitions::Definitions;
use crate::ir::flow::{Shape, chains};
use crate::ir::names::retain;
use crate::ir::{Function, NONE, Word};
use crate::isa::Op;

/// Turns repeated computations into copies; whether there were any.
pub(crate) fn reuse(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let shape = Shape::of(function);
    let mut table: FxHashMap<Key, (Word, usize)> = FxHashMap::default();
    // A word written more than once counts as another one after each definition and in each chain of blocks.
    let mut version = vec![(0, 0); function.words as usize];
    let mut next_version = 1;
    let mut changed = false;
    for (b, chain) in chains(function) {
        let before = function.blocks[b].code.len();
        retain(&mut function.blocks[b], |inst| {
            // A condition that trapped already, or did not, traps no second time.
            if inst.op != Op::TrapIf || !definitions.is_single(inst.uses[0]) {
                return true;
            }
            let key = Key {
                op: Op::TrapIf,
                uses: [(inst.uses[0], 0), (NONE, 0), (NONE, 0), (NONE, 0), (NONE, 0)],
                imm: 0,
                extra: 0,
            };
            match table.get(&key) {
                Some(&(_, block)) if shape.dominates(block, b) => false,
                _ => {
                    table.insert(key, (NONE, b));
                    true
                }
            }
        });
        changed |= function.blocks[b].code.len() != before;
        for inst in &mut function.blocks[b].code {
            let single = inst.defs[0] != NONE && definitions.is_single(inst.defs[0]);
            // A constant that does not go for good is as cheap as a copy.
            let worthwhile =
                inst.is_pure() && inst.op != Op::Mov && inst.defs[1] == NONE && (single || inst.op != Op::Imm);
            if worthwhile {
                let uses = inst.uses.map(|word| {
                    if word == NONE || definitions.is_single(word) {
                        return (word, 0);
                    }
                    let current = &mut version[word as usize];
                    if current.0 != chain {
                        *current = (chain, next_version);
                        next_version += 1;
                    }
                    (word, current.1)
                });
                let key = Key {
                    op: inst.op,
                    uses,
                    imm: inst.imm,
                    extra: inst.extra,
                };
                match table.get(&key) {
                    Some(&(word, block)) if shape.dominates(block, b) => {
                        inst.make_copy(word);
                        changed = true;
                    }
                    _ if single => {
                        table.insert(key, (inst.defs[0], b));
                    }
                    _ => {}
                }
            }
            for word in inst.defs() {
                version[word as usize] = (chain, next_version);
                next_version += 1;
            }
        }
    }
    changed
}

/// A computation: equal keys give equal results.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    /// The words it reads and their versions.
    uses: [(Word, u32); 5],
    imm: u32,
    extra: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn what_dominates_is_reused() {
        let mut function = blocks(vec![End::Jump(1), End::Return(vec![3])]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("mul 2 0 1; imm 4 7");
        function.blocks[1].code = assemble("mul 3 0 1; imm 5 7");
        assert!(reuse(&mut function));
        assert_eq!(function.blocks[1].code, assemble("mov 3 2; mov 5 4"));
    }

    #[test]
    fn words_written_often_are_known_along_a_chain() {
        let mut function = blocks(vec![End::Jump(1), End::Return(vec![3])]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("addi 0 0 1; mul 2 0 1");
        function.blocks[1].code = assemble("mul 3 0 1");
        assert!(reuse(&mut function));
        assert_eq!(function.blocks[1].code, assemble("mov 3 2"));
    }

    #[test]
    fn a_condition_traps_once() {
        let mut function = blocks(vec![
            End::Branch {
                word: 0,
                then: 1,
                otherwise: 2,
            },
            End::Halt,
            End::Halt,
        ]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("trapnz 0 0 - -");
        function.blocks[1].code = assemble("trapnz 1 0 1 -; trapnz 2 1 - -");
        function.blocks[2].code = assemble("trapnz 3 1 - -");
        assert!(reuse(&mut function));
        assert_eq!(function.blocks[1].code, assemble("trapnz 2 1 - -"));
        assert_eq!(function.blocks[2].code, assemble("trapnz 3 1 - -"));
    }

    #[test]
    fn a_changed_input_is_another_one() {
        let mut function = blocks(vec![End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("mul 2 0 1; addi 0 0 1; mul 3 0 1; mul 4 0 1");
        assert!(reuse(&mut function));
        assert_eq!(
            function.blocks[0].code,
            assemble("mul 2 0 1; addi 0 0 1; mul 3 0 1; mov 4 3")
        );
    }
}
