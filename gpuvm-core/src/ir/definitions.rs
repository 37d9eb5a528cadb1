//! How often each word is written and read, and what the only definition of a word says.

use super::{Function, Inst, Word};

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
