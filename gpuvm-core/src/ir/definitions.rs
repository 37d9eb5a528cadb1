//! How often each word is written and read, and what the only definition of a word says.

use super::{Function, Inst, Word};
use crate::isa::Op;

/// Counts of definitions and uses of every word. A parameter counts as defined once at entry.
pub(crate) struct Definitions {
    defs: Vec<u32>,
    uses: Vec<u32>,
    only: Vec<(u32, u32)>,
}

impl Definitions {
    /// Counts.
    pub fn of(function: &Function) -> Definitions {
        let words = function.words as usize;
        let mut all = Definitions {
            defs: vec![0; words],
            uses: vec![0; words],
            only: vec![(u32::MAX, u32::MAX); words],
        };
        for &w in &function.params {
            all.defs[w as usize] += 1;
        }
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, inst) in block.code.iter().enumerate() {
                for w in inst.defs() {
                    all.defs[w as usize] += 1;
                    all.only[w as usize] = (b as u32, i as u32);
                }
                for w in inst.uses() {
                    all.uses[w as usize] += 1;
                }
            }
            for w in block.end.uses() {
                all.uses[w as usize] += 1;
            }
        }
        all
    }

    /// Whether a word is written exactly once, so that it means the same value wherever it is read.
    pub fn is_single(&self, word: Word) -> bool {
        self.defs[word as usize] == 1
    }

    /// Whether a word is written more than once.
    pub fn is_written_often(&self, word: Word) -> bool {
        self.defs[word as usize] > 1
    }

    /// How many times a word is read.
    pub fn uses(&self, word: Word) -> u32 {
        self.uses[word as usize]
    }

    /// The only instruction that writes the word; `None` for a parameter and for words written more than once.
    pub fn only<'f>(&self, function: &'f Function, word: Word) -> Option<&'f Inst> {
        let (block, index) = self.place(word)?;
        function.blocks[block].code.get(index)
    }

    /// The block and place of the only instruction that writes the word.
    pub fn place(&self, word: Word) -> Option<(usize, usize)> {
        let (block, index) = self.only[word as usize];
        (self.is_single(word) && block != u32::MAX).then_some((block as usize, index as usize))
    }
}

/// The constants that words hold wherever they are read: all that is ever written to such a word is that constant.
pub(crate) fn constants(function: &Function) -> Vec<Option<u32>> {
    /// What is known of a word so far.
    #[derive(Clone, Copy)]
    enum Written {
        Never,
        Always(u32),
        Other,
    }
    let mut all = vec![Written::Never; function.words as usize];
    for &word in &function.params {
        all[word as usize] = Written::Other;
    }
    for inst in function.blocks.iter().flat_map(|block| &block.code) {
        for word in inst.defs() {
            let written = &mut all[word as usize];
            *written = match *written {
                Written::Never if inst.op == Op::Imm => Written::Always(inst.imm),
                Written::Always(value) if inst.op == Op::Imm && inst.imm == value => Written::Always(value),
                _ => Written::Other,
            };
        }
    }
    let value = |written| match written {
        Written::Always(value) => Some(value),
        Written::Never | Written::Other => None,
    };
    all.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn what_is_only_ever_one_constant_is_that() {
        let mut function = blocks(vec![End::Jump(1), End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("imm 2 7; imm 3 7; imm 4 7; imm 1 7");
        function.blocks[1].code = assemble("imm 2 7; imm 3 8; mov 4 0");
        assert_eq!(constants(&function)[..6], [None, None, Some(7), None, None, None]);
    }
}
