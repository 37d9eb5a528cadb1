//! What folding knows of words: constants, and how words that are written once are made of others.

use crate::ir::definitions::Definitions;
use crate::ir::{Function, Inst, NONE, Word};
use crate::isa::{Effect, Op};

/// What is known about words at a point of the code.
pub(super) struct Known {
    single: Vec<bool>,
    /// Constants of words written once, which hold everywhere.
    constants: Vec<Option<u32>>,
    /// How words written once are made of other such words.
    facts: Vec<Option<Fact>>,
    /// Constants of other words, each with the block it holds in.
    local: Vec<(u32, u32)>,
    /// The block that is being looked at, from 1 on.
    pub block: u32,
}

/// The only definition of a word.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub op: Op,
    /// The first two words it reads.
    pub uses: [Word; 2],
    pub imm: u32,
}

impl Known {
    pub fn new(function: &Function) -> Known {
        let definitions = Definitions::of(function);
        let words = function.words as usize;
        Known {
            single: (0..function.words)
                .map(|word| definitions.is_single(word))
                .collect(),
            constants: vec![None; words],
            facts: vec![None; words],
            local: vec![(0, 0); words],
            block: 0,
        }
    }

    pub fn constant(&self, word: Word) -> Option<u32> {
        if word == NONE {
            return None;
        }
        if let Some(value) = self.constants[word as usize] {
            return Some(value);
        }
        let (block, value) = self.local[word as usize];
        (block == self.block).then_some(value)
    }

    pub fn fact(&self, word: Word) -> Option<Fact> {
        if word == NONE {
            None
        } else {
            self.facts[word as usize]
        }
    }

    /// Whether a word is known to hold 0 or 1.
    pub fn is_bool(&self, word: Word) -> bool {
        self.fact(word).is_some_and(|fact| {
            is_comparison(fact.op)
                || fact.op == Op::AndImm && fact.imm <= 1
                || matches!(fact.op, Op::And | Op::Or | Op::Xor)
                    && fact
                        .uses
                        .iter()
                        .all(|&part| self.fact(part).is_some_and(|f| is_comparison(f.op)))
                || fact.op == Op::XorImm
                    && fact.imm == 1
                    && self.fact(fact.uses[0]).is_some_and(|f| is_comparison(f.op))
        })
    }

    /// The word that is 0 exactly when `word` is not, or not 0 exactly when `word` is not 0: the flag tells whether inverted.
    pub fn condition(&self, word: Word) -> Option<(Word, bool)> {
        let fact = self.fact(word)?;
        let [a, b] = fact.uses;
        match fact.op {
            Op::XorImm if fact.imm == 1 && self.is_bool(a) => Some((a, true)),
            Op::Eq if self.constant(b) == Some(0) => Some((a, true)),
            Op::Eq if self.constant(a) == Some(0) => Some((b, true)),
            Op::Ne if self.constant(b) == Some(0) => Some((a, false)),
            Op::Ne if self.constant(a) == Some(0) => Some((b, false)),
            _ => None,
        }
    }

    pub fn record(&mut self, inst: &Inst) {
        for word in inst.defs() {
            self.local[word as usize] = (0, 0);
        }
        let word = inst.defs[0];
        if word == NONE || inst.op.effect() != Effect::Pure {
            return;
        }
        let single = self.single[word as usize];
        if inst.op == Op::Imm {
            if single {
                self.constants[word as usize] = Some(inst.imm);
            } else {
                self.local[word as usize] = (self.block, inst.imm);
            }
        } else if single
            && inst.defs[1] == NONE
            && inst.uses().all(|word| self.single[word as usize])
        {
            let uses = [inst.uses[0], inst.uses[1]];
            self.facts[word as usize] = Some(Fact {
                op: inst.op,
                uses,
                imm: inst.imm,
            });
        }
    }
}

fn is_comparison(op: Op) -> bool {
    matches!(
        op,
        Op::Eq
            | Op::Ne
            | Op::LtU
            | Op::LtS
            | Op::LeU
            | Op::LeS
            | Op::Eq64
            | Op::LtU64
            | Op::LtS64
            | Op::FEq
            | Op::FLt
            | Op::FLe
            | Op::AddOverS
            | Op::SubOverS
            | Op::MulOverU
            | Op::MulOverS
            | Op::MulOverU64
            | Op::MulOverS64
    )
}
