//! Copies of blocks, to stand where only some of the paths through the block lead.

use crate::ir::names::Mark;
use crate::ir::{Block, Function, Word};
use crate::program::Home;

/// A copy of a block. Words that it writes get new names but for those that `lives_on` after it, so that each keeps a single
/// definition. `names` tells what words are called there already, and comes to tell what they are called afterwards.
pub(crate) fn copy(
    function: &mut Function,
    block: usize,
    lives_on: impl Fn(Word) -> bool,
    names: &mut Vec<(Word, Word)>,
) -> Block {
    let mut block = function.blocks[block].clone();
    rename_marks(&mut block.marks, names);
    for inst in &mut block.code {
        for word in inst.uses_mut() {
            *word = renamed(names, *word);
        }
        for word in inst.defs_mut().filter(|word| !lives_on(**word)) {
            let new = function.new_word();
            function.names.share(new, *word);
            names.retain(|&(old, _)| old != *word);
            names.push((*word, new));
            *word = new;
        }
        rename_marks(&mut inst.marks, names);
    }
    for word in block.end.uses_mut() {
        *word = renamed(names, *word);
    }
    block
}

fn rename_marks(marks: &mut [Mark], names: &[(Word, Word)]) {
    for mark in marks {
        if let Home::Word(word) = &mut mark.home {
            *word = renamed(names, *word);
        }
    }
}

fn renamed(names: &[(Word, Word)], word: Word) -> Word {
    names
        .iter()
        .find(|&&(old, _)| old == word)
        .map_or(word, |&(_, new)| new)
}
