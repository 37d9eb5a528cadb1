//! Copy propagation: who reads a copy reads the original instead. The copies themselves are left for dead code removal.

use crate::ir::definitions::Definitions;
use crate::ir::flow::{chains, predecessors};
use crate::ir::names::Mark;
use crate::ir::word_map::WordMap;
use crate::ir::{Block, Function, Word};
use crate::program::Home;

/// Replaces uses of copies; whether there were any. Between words that are written once a copy holds everywhere. A copy of another
/// word holds along a chain of blocks until its source is written again. Copies to words that are written more than once
/// stay: what is to be in such a word is in it.
pub(crate) fn propagate(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let originals = originals(function, &definitions);
    let words = function.words as usize;
    let mut local = Local {
        copies: vec![None; words],
        versions: vec![0; words],
        chain: 0,
    };
    let mut changed = false;
    for (b, chain) in chains(function) {
        local.chain = chain;
        let block = &mut function.blocks[b];
        follow(&mut block.marks, &originals, &local);
        for inst in &mut block.code {
            for word in inst.uses_mut() {
                changed |= replace(word, &originals, &local);
            }
            for word in inst.defs() {
                local.versions[word as usize] += 1;
            }
            if let Some((to, from)) = inst.as_copy()
                && to != from
                && definitions.is_single(to)
            {
                local.copies[to as usize] = Some((from, local.versions[from as usize], chain));
            }
            follow(&mut inst.marks, &originals, &local);
        }
        for word in block.end.uses_mut() {
            changed |= replace(word, &originals, &local);
        }
    }
    changed | propagate_past_joins(function)
}

/// Replaces uses of what is a copy of the same word at the end of each block that leads to where it is used.
fn propagate_past_joins(function: &mut Function) -> bool {
    let before = predecessors(function);
    let mut written = WordMap::new(function.words);
    let blocks = function.blocks.iter();
    let at_end: Vec<Vec<(Word, Word)>> = blocks.map(|block| copies_at_end(block, &mut written)).collect();
    let mut changed = false;
    for (b, before) in before.iter().enumerate().skip(1) {
        let [first, others @ ..] = &before[..] else { continue };
        let everywhere = |copy: &&(Word, Word)| others.iter().all(|&other| at_end[other].contains(copy));
        let mut copies: Vec<(Word, Word)> = match others {
            [] => continue,
            _ => at_end[*first].iter().filter(everywhere).copied().collect(),
        };
        if copies.is_empty() {
            continue;
        }
        let block = &mut function.blocks[b];
        for inst in &mut block.code {
            changed |= read_originals(inst.uses_mut(), &copies);
            copies.retain(|&(to, from)| inst.defs().all(|def| def != to && def != from));
        }
        changed |= read_originals(block.end.uses_mut(), &copies);
    }
    changed
}

fn read_originals<'w>(uses: impl Iterator<Item = &'w mut Word>, copies: &[(Word, Word)]) -> bool {
    let mut changed = false;
    for word in uses {
        if let Some(&(_, from)) = copies.iter().find(|(to, _)| to == word) {
            *word = from;
            changed = true;
        }
    }
    changed
}

/// The copies in a block that still hold at its end: what is the copy, and of what.
fn copies_at_end(block: &Block, written: &mut WordMap<()>) -> Vec<(Word, Word)> {
    written.clear();
    let mut copies = Vec::new();
    for inst in block.code.iter().rev() {
        let holds = |&(to, from): &(Word, Word)| to != from && !written.contains(to) && !written.contains(from);
        copies.extend(inst.as_copy().filter(holds));
        inst.defs().for_each(|word| written.insert(word, ()));
    }
    copies
}

/// What each word is a copy of for good; itself if of nothing.
fn originals(function: &Function, definitions: &Definitions) -> Vec<Word> {
    let mut original: Vec<Word> = (0..function.words).collect();
    for inst in function.blocks.iter().flat_map(|block| &block.code) {
        if let Some((to, from)) = inst.as_copy()
            && definitions.is_single(to)
            && definitions.is_single(from)
        {
            original[to as usize] = from;
        }
    }
    for word in 0..function.words {
        let mut root = original[word as usize];
        // Code that is never reached could copy in a circle, which the count cuts.
        for _ in 0..64 {
            if original[root as usize] == root {
                break;
            }
            root = original[root as usize];
        }
        original[word as usize] = root;
    }
    original
}

/// The copies that hold at a point of a chain.
struct Local {
    /// For each word: its source, the source's version then, and the chain.
    copies: Vec<Option<(Word, u32, u32)>>,
    versions: Vec<u32>,
    chain: u32,
}

/// Lets marks name originals too, so that copies may go.
fn follow(marks: &mut [Mark], originals: &[Word], local: &Local) {
    for mark in marks {
        if let Home::Word(word) = &mut mark.home {
            replace(word, originals, local);
        }
    }
}

fn replace(word: &mut Word, originals: &[Word], local: &Local) -> bool {
    let mut new = originals[*word as usize];
    if let Some((from, version, chain)) = local.copies[new as usize]
        && chain == local.chain
        && local.versions[from as usize] == version
    {
        new = originals[from as usize];
    }
    std::mem::replace(word, new) != new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn copies_of_words_written_once_hold_across_blocks() {
        let mut function = blocks(vec![End::Jump(1), End::Return(vec![2])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("mov 1 0");
        function.blocks[1].code = assemble("addi 2 1 7");
        assert!(propagate(&mut function));
        assert_eq!(function.blocks[1].code, assemble("addi 2 0 7"));
    }

    #[test]
    fn a_copy_ends_where_its_source_is_written() {
        let mut function = blocks(vec![End::Return(vec![3, 4])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("mov 1 0; addi 3 1 1; addi 0 0 1; addi 4 1 1");
        assert!(propagate(&mut function));
        assert_eq!(
            function.blocks[0].code,
            assemble("mov 1 0; addi 3 0 1; addi 0 0 1; addi 4 1 1")
        );
    }

    #[test]
    fn a_copy_that_all_ways_make_holds_where_they_meet() {
        for (other, read) in [("mov 2 0; addi 3 1 1", 0), ("mov 2 0; addi 0 0 1", 2), ("mov 2 1", 2)] {
            let mut function = blocks(vec![
                End::Branch {
                    word: 1,
                    then: 1,
                    otherwise: 2,
                },
                End::Jump(3),
                End::Jump(3),
                End::Return(vec![2]),
            ]);
            function.params = vec![0, 1];
            function.blocks[1].code = assemble("mov 2 0");
            function.blocks[2].code = assemble(other);
            assert_eq!(propagate(&mut function), read == 0);
            assert_eq!(function.blocks[3].end, End::Return(vec![read]));
        }
    }
}
