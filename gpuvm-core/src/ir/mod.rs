//! The compiler's own form of a routine: basic blocks over any number of words, each word either a value or, through
//! `ldf`, `stf` and `addr`, a place in the frame. Words are not in single-assignment form, but a word with exactly one
//! definition is defined on every path to its uses, which [`strict::define_all`] sees to.

pub(crate) mod bits;
pub(crate) mod code;
pub(crate) mod definitions;
pub(crate) mod flow;
pub(crate) mod liveness;
pub(crate) mod names;
pub(crate) mod strict;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod word_map;

use crate::isa::{Effect, Op};
use crate::program::SourceLoc;

/// The number of a word; [`NONE`] where there is none.
pub(crate) type Word = u32;

/// The words that an instruction reads, [`NONE`] behind the last: an exchange of an atomic pair has most, its place and two pairs.
pub(crate) type Uses = [Word; 5];

/// No word. Reading it gives 0.
pub(crate) const NONE: Word = u32::MAX;

/// A routine in the compiler's form. Block 0 is the entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    /// The routine's name, for errors.
    pub name: String,
    /// The words that hold the parameters at entry.
    pub params: Vec<Word>,
    /// Words of the result.
    pub results: u32,
    /// One more than the highest word in use.
    pub words: u32,
    /// The basic blocks.
    pub blocks: Vec<Block>,
    /// Parts of the frame that belong together; they do not overlap.
    pub slots: Vec<Slot>,
    /// Words of the frame.
    pub frame_words: u32,
    /// What variables its words and its frame hold.
    pub names: names::Names,
}

/// A part of the frame: one addressed range of the source routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// First word, from the frame's start.
    pub offset: u32,
    /// Words.
    pub length: u32,
}

/// Instructions that run one after the other, and what comes then.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The instructions; none of them jumps.
    pub code: Vec<Inst>,
    /// How the block ends.
    pub end: End,
    /// Where the end comes from.
    pub place: SourceLoc,
    /// Where variables are before its first instruction, whichever way control comes.
    pub marks: Vec<names::Mark>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// Go to a block.
    Jump(usize),
    /// Go to one of two blocks.
    Branch {
        /// The condition.
        word: Word,
        /// Where to go if the condition is not 0.
        then: usize,
        /// Where to go if it is 0.
        otherwise: usize,
    },
    /// Return these words to the caller.
    Return(Vec<Word>),
    /// Stop for good.
    Halt,
    /// Trap at a site, recording up to four words.
    Trap {
        /// The site's number in the program.
        site: u32,
        /// What to record; [`NONE`] records 0.
        words: [Word; 4],
    },
}

/// One instruction, with pairs unpacked, so that words are not limited to 16 bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inst {
    /// What to do; never one that ends a block.
    pub op: Op,
    /// The words it writes.
    pub defs: [Word; 2],
    /// The words it reads, in the order of the operands, pairs taking two places.
    pub uses: Uses,
    /// Its constant, frame offset, trap site or called function.
    pub imm: u32,
    /// The length of an `addr`; for `ldf` and `stf` 1 ([`OUTGOING`]) if the offset counts from the frame's end.
    pub extra: u32,
    /// The words of a call, and of an `affine` those that its matrix reads and writes.
    pub call: Option<Box<CallWords>>,
    /// Where it comes from. Its routine is the number of an activation: a place in [`names::Names::scopes`].
    pub place: SourceLoc,
    /// Where variables are after it, as far as their own words do not tell.
    pub marks: Vec<names::Mark>,
}

/// [`Inst::extra`] of an `ldf` or `stf` that reaches into the frame of the routine about to be called.
pub(crate) const OUTGOING: u32 = 1;

/// The words that a call hands over and gets back.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct CallWords {
    /// Arguments, word by word.
    pub args: Vec<Word>,
    /// Results, word by word.
    pub results: Vec<Word>,
}

impl Inst {
    /// An instruction with one result and some inputs.
    pub fn new(op: Op, def: Word, uses: &[Word], imm: u32, place: SourceLoc) -> Inst {
        let mut all: Uses = [NONE; 5];
        all[..uses.len()].copy_from_slice(uses);
        Inst {
            op,
            defs: [def, NONE],
            uses: all,
            imm,
            extra: 0,
            call: None,
            place,
            marks: Vec::new(),
        }
    }

    /// `def = value`.
    pub fn constant(def: Word, value: u32, place: SourceLoc) -> Inst {
        Inst::new(Op::Imm, def, &[], value, place)
    }

    /// `def = word`.
    pub fn copy(def: Word, word: Word, place: SourceLoc) -> Inst {
        Inst::new(Op::Mov, def, &[word], 0, place)
    }

    /// The words it writes.
    pub fn defs(&self) -> impl Iterator<Item = Word> + '_ {
        let results = self.call.as_ref().map_or(&[][..], |call| &call.results);
        self.defs.iter().chain(results).copied().filter(|&w| w != NONE)
    }

    /// The words it reads.
    pub fn uses(&self) -> impl Iterator<Item = Word> + '_ {
        let args = self.call.as_ref().map_or(&[][..], |call| &call.args);
        self.uses.iter().chain(args).copied().filter(|&w| w != NONE)
    }

    /// The places of the words it writes.
    pub fn defs_mut(&mut self) -> impl Iterator<Item = &mut Word> + '_ {
        let results = self.call.as_mut().map_or(&mut [][..], |call| &mut call.results);
        self.defs.iter_mut().chain(results).filter(|w| **w != NONE)
    }

    /// The places of the words it reads.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut Word> + '_ {
        let args = self.call.as_mut().map_or(&mut [][..], |call| &mut call.args);
        self.uses.iter_mut().chain(args).filter(|w| **w != NONE)
    }

    /// Whether it may go if nobody reads what it writes.
    pub fn is_removable(&self) -> bool {
        matches!(self.op.effect(), Effect::Pure | Effect::Read)
    }

    /// Whether it is arithmetic on words alone, so that equal inputs give equal results wherever it stands.
    pub fn is_pure(&self) -> bool {
        self.op.effect() == Effect::Pure
    }

    /// Whether it only copies one word to another.
    pub fn as_copy(&self) -> Option<(Word, Word)> {
        (self.op == Op::Mov).then_some((self.defs[0], self.uses[0]))
    }

    /// Turns it into `def = word`.
    pub fn make_copy(&mut self, word: Word) {
        self.become_inst(Inst::copy(self.defs[0], word, self.place));
    }
}

impl End {
    /// The blocks that may come next.
    pub fn successors(&self) -> impl Iterator<Item = usize> + use<> {
        let pair = match *self {
            End::Jump(to) => [Some(to), None],
            End::Branch { then, otherwise, .. } => [Some(then), Some(otherwise)],
            _ => [None, None],
        };
        pair.into_iter().flatten()
    }

    /// Replaces every block number.
    pub fn retarget(&mut self, mut to: impl FnMut(usize) -> usize) {
        match self {
            End::Jump(target) => *target = to(*target),
            End::Branch { then, otherwise, .. } => {
                *then = to(*then);
                *otherwise = to(*otherwise);
            }
            _ => {}
        }
    }

    /// The words it reads.
    pub fn uses(&self) -> impl Iterator<Item = Word> + '_ {
        let words: &[Word] = match self {
            End::Branch { word, .. } => std::slice::from_ref(word),
            End::Return(words) => words,
            End::Trap { words, .. } => words,
            End::Jump(_) | End::Halt => &[],
        };
        words.iter().copied().filter(|&w| w != NONE)
    }

    /// The places of the words it reads.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut Word> + '_ {
        let words: &mut [Word] = match self {
            End::Branch { word, .. } => std::slice::from_mut(word),
            End::Return(words) => words,
            End::Trap { words, .. } => words,
            End::Jump(_) | End::Halt => &mut [],
        };
        words.iter_mut().filter(|w| **w != NONE)
    }
}

impl Function {
    /// A word that nothing uses yet.
    pub fn new_word(&mut self) -> Word {
        self.words += 1;
        self.words - 1
    }

    /// Instructions, ends of blocks included.
    pub fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.code.len() + 1).sum()
    }
}
