//! Gives a value to words that some path reads before it writes them. Rust's own rules leave no such path a program can
//! take, but the linker must not depend on that: afterwards a word with one definition is defined before each use.

use super::liveness::Liveness;
use super::{Function, Inst};

/// Sets every word that may be read before it is written to 0 at the function's entry.
pub(crate) fn define_all(function: &mut Function) {
    let live = Liveness::of(function);
    let place = function.blocks[0].place;
    let undefined: Vec<Inst> = live
        .at_start(0)
        .filter(|word| !function.params.contains(word))
        .map(|word| Inst::constant(word, 0, place))
        .collect();
    drop(live);
    if undefined.is_empty() {
        return;
    }
    if super::flow::predecessors(function)[0].is_empty() {
        function.blocks[0].prepend(undefined);
    } else {
        prepend_entry(function).extend(undefined);
    }
}

/// Puts a new block before the entry, so that no loop leads back to it, and gives its code.
pub(crate) fn prepend_entry(function: &mut Function) -> &mut Vec<Inst> {
    let place = function.blocks[0].place;
    for block in &mut function.blocks {
        block.end.retarget(|to| to + 1);
    }
    let entry = super::Block {
        code: Vec::new(),
        end: super::End::Jump(1),
        place,
        marks: Vec::new(),
    };
    function.blocks.insert(0, entry);
    &mut function.blocks[0].code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn an_entry_that_is_a_loop_gets_a_block_before_it() {
        let mut function = blocks(vec![
            End::Branch {
                word: 0,
                then: 0,
                otherwise: 1,
            },
            End::Return(vec![2]),
        ]);
        function.blocks[0].code = assemble("add 0 0 1");
        function.params = vec![1];
        define_all(&mut function);
        assert_eq!(function.blocks[0].code, assemble("imm 0 0; imm 2 0"));
        assert_eq!(
            function.blocks[1].end,
            End::Branch {
                word: 0,
                then: 1,
                otherwise: 2
            }
        );
    }
}
