//! Results that nobody reads and that are not computed any more: what is said later of variables must not name their words.

use crate::ir::names::Mark;
use crate::ir::{Function, Inst};
use crate::isa::Op;
use crate::pass::fuse::Maps;
use crate::program::Home;

/// Words that do not get the value they had before a rewrite, from a place on until they are written again.
pub(crate) struct Lost {
    /// The block.
    pub block: usize,
    /// How many of its instructions come before.
    pub at: usize,
    /// The set of words.
    pub words: u32,
}

/// Says of variables that are in lost words that they are nowhere. Works on allocated code.
pub(crate) fn forget(function: &mut Function, lost: &[Lost], maps: &Maps) {
    if lost.iter().all(|lost| lost.words == 0) {
        return;
    }
    let mut at_start = vec![0; function.blocks.len()];
    let mut waiting: Vec<usize> = lost.iter().map(|lost| lost.block).collect();
    waiting.sort_unstable();
    waiting.dedup();
    while let Some(b) = waiting.pop() {
        let block = &mut function.blocks[b];
        let first = lost.partition_point(|lost| lost.block < b);
        let mut here = lost[first..].iter().take_while(|lost| lost.block == b).peekable();
        let mut words: u32 = at_start[b];
        block.marks.iter_mut().for_each(|mark| hide(words, mark));
        for (i, inst) in block.code.iter_mut().enumerate() {
            while let Some(lost) = here.next_if(|lost| lost.at <= i) {
                words |= lost.words;
            }
            words &= !written(inst, maps);
            inst.marks.iter_mut().for_each(|mark| hide(words, mark));
        }
        words |= here.fold(0, |words, lost| words | lost.words);
        for next in block.end.successors() {
            if words & !at_start[next] != 0 {
                at_start[next] |= words;
                waiting.push(next);
            }
        }
    }
}

/// Lets a mark that names one of a set of words say that the variable is nowhere.
pub(crate) fn hide(words: u32, mark: &mut Mark) {
    if let Home::Word(word) = mark.home
        && words >> word & 1 != 0
    {
        mark.home = Home::Nowhere;
    }
}

/// The words that an instruction writes.
pub(crate) fn written(inst: &Inst, maps: &Maps) -> u32 {
    let set = |set: u32, word: u32| set | 1 << word;
    match maps.get(inst.imm as usize) {
        Some(map) if inst.op == Op::Affine => map.rows().map(|row| row[0].row.into()).fold(0, set),
        _ => inst.defs().fold(0, set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::names::Part;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn a_lost_word_is_no_home_until_it_is_written() {
        let mut function = blocks(vec![End::Jump(1), End::Jump(1)]);
        function.blocks[0].code = assemble("imm 0 1; imm 1 2");
        function.blocks[1].code = assemble("imm 2 3; imm 0 4");
        let mark = Mark {
            part: Part {
                scope: 0,
                variable: 0,
                word: 0,
            },
            home: Home::Word(0),
        };
        for block in &mut function.blocks {
            block.code.iter_mut().for_each(|inst| inst.mark([mark]));
        }
        let lost = Lost {
            block: 0,
            at: 1,
            words: 1,
        };
        forget(&mut function, &[lost], &Maps::new());
        let code = function.blocks.iter().flat_map(|block| &block.code);
        let homes: Vec<Home> = code.map(|inst| inst.marks[0].home).collect();
        assert_eq!(homes, [Home::Word(0), Home::Nowhere, Home::Nowhere, Home::Word(0)]);
    }
}
