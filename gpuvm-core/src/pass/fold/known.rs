//! What folding knows of words: constants, and how words that are written once are made of others.

use super::range;
use crate::ir::definitions::{Definitions, constants};
use crate::ir::{End, Function, Inst, NONE, Uses, Word};
use crate::isa::{Effect, Op};

/// What is known about words at a point of the code.
pub(super) struct Known {
    single: Vec<bool>,
    /// Constants that hold everywhere.
    constants: Vec<Option<u32>>,
    /// Constants of other words, each with the chain it holds in.
    local: Vec<(u32, u32)>,
    /// What words are at most, whichever of their definitions was the last.
    most: Vec<u32>,
    /// How words were computed last.
    facts: Vec<Option<Fact>>,
    /// Comparisons that a branch or a trap found to hold, each with the chain it holds in.
    taken: Vec<(u32, Fact)>,
    /// How many definitions of each word have been passed.
    versions: Vec<u32>,
    /// The chain of blocks that is being looked at, from 1 on.
    pub chain: u32,
}

/// The last definition of a word.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub op: Op,
    /// The words it read.
    pub uses: Uses,
    /// The constant; for a sum of 64 bits, which half of it the word is.
    pub imm: u32,
    /// The versions of the word itself and of those it read.
    versions: [u32; 6],
    /// The chain it holds in; 0 if in all, because the word and those it read are written once.
    chain: u32,
}

impl Fact {
    /// What holds where a comparison of integers does not.
    fn opposite(mut self) -> Option<Fact> {
        self.op = opposite(self.op)?;
        self.uses.swap(0, 1);
        self.versions.swap(1, 2);
        Some(self)
    }
}

impl Known {
    pub fn new(function: &Function) -> Known {
        let definitions = Definitions::of(function);
        let words = function.words as usize;
        Known {
            single: (0..function.words).map(|word| definitions.is_single(word)).collect(),
            constants: constants(function),
            local: vec![(0, 0); words],
            most: range::most_of_all(function),
            facts: vec![None; words],
            taken: Vec::new(),
            versions: vec![0; words],
            chain: 0,
        }
    }

    /// Makes room for one more word, which is written once.
    pub fn grow(&mut self) {
        self.single.push(true);
        self.constants.push(None);
        self.local.push((0, 0));
        self.most.push(u32::MAX);
        self.facts.push(None);
        self.versions.push(0);
    }

    /// Whether a word is written only once.
    pub fn is_single(&self, word: Word) -> bool {
        self.single[word as usize]
    }

    pub fn constant(&self, word: Word) -> Option<u32> {
        if word == NONE {
            return None;
        }
        if let Some(value) = self.constants[word as usize] {
            return Some(value);
        }
        let (chain, value) = self.local[word as usize];
        (chain == self.chain).then_some(value)
    }

    pub fn fact(&self, word: Word) -> Option<Fact> {
        let fact = if word == NONE { None } else { self.facts[word as usize] }?;
        let holds = fact.chain == 0 || fact.chain == self.chain && fact.versions == self.versions_of(word, fact.uses);
        holds.then_some(fact)
    }

    /// What a word is at most, wherever it is read.
    pub fn most(&self, word: Word) -> u32 {
        self.most.get(word as usize).copied().unwrap_or(u32::MAX)
    }

    /// The last definition of a word, also if words that it read have changed since.
    pub fn definition(&self, word: Word) -> Option<Fact> {
        if word == NONE {
            return None;
        }
        let fact = self.facts[word as usize]?;
        let holds =
            self.is_single(word) || fact.chain == self.chain && fact.versions[0] == self.versions[word as usize];
        holds.then_some(fact)
    }

    fn versions_of(&self, word: Word, uses: Uses) -> [u32; 6] {
        let version = |word: Word| {
            if word == NONE { 0 } else { self.versions[word as usize] }
        };
        let [a, b, c, d, e] = uses;
        [word, a, b, c, d, e].map(version)
    }

    /// Notes that a trap was not taken: until it is written again, its condition is 0.
    pub fn passed_trap(&mut self, word: Word) {
        self.fails(word);
    }

    /// Notes that a word is 0, and if it is a comparison, that the opposite holds.
    fn fails(&mut self, word: Word) {
        self.local[word as usize] = (self.chain, 0);
        if let Some(opposite) = self.fact(word).and_then(Fact::opposite) {
            self.holds(opposite);
        }
    }

    /// Notes that a comparison holds.
    fn holds(&mut self, comparison: Fact) {
        self.taken.retain(|&(chain, _)| chain == self.chain);
        self.taken.push((self.chain, comparison));
    }

    /// Notes what control came by, from a block's end to the only block it leads to that way.
    pub fn took(&mut self, end: Option<&End>, to: usize) {
        let Some(&End::Branch { word, then, otherwise }) = end else {
            return;
        };
        if to == then && to != otherwise {
            let compared = self.fact(word).filter(|fact| is_comparison(fact.op));
            // Else 0 is less than the word.
            let found = compared.unwrap_or(Fact {
                op: Op::LtU,
                uses: [NONE, word, NONE, NONE, NONE],
                imm: 0,
                versions: self.versions_of(word, [NONE, word, NONE, NONE, NONE]),
                chain: self.chain,
            });
            self.holds(found);
        }
        if to == otherwise && to != then {
            self.fails(word);
        } else if to == then && to != otherwise && self.is_bool(word) {
            self.local[word as usize] = (self.chain, 1);
        }
    }

    /// What `test` is known to compare: whether a sum of a variable and a constant, which it gives, is less than the variable.
    pub fn added_constant(&self, test: &Inst) -> Option<u32> {
        let [sum, variable, ..] = test.uses;
        if test.op != Op::LtU || self.is_single(variable) {
            return None;
        }
        let fact = self.fact(sum)?;
        (fact.op == Op::AddImm && fact.uses[0] == variable).then_some(fact.imm)
    }

    /// Whether a test for overflow fails because of a comparison that was found to hold: what is less than something can be
    /// counted up, and what is more can be counted down.
    pub fn cannot_overflow(&self, test: &Inst) -> bool {
        let [a, b, c, d, _] = test.uses;
        let one = |word| self.constant(word) == Some(1);
        let plus_one = |sum, part| {
            let fact = self.fact(sum);
            fact.is_some_and(|fact| fact.op == Op::AddImm && fact.imm == 1 && fact.uses[0] == part)
        };
        match test.op {
            Op::LtU if one(b) => self.has_taken(|op, uses| op == Op::LtU && uses[1] == a),
            Op::LtU if plus_one(a, b) => self.has_taken(|op, uses| op == Op::LtU && uses[0] == b),
            Op::AddOverS if one(b) => self.has_taken(|op, uses| op == Op::LtS && uses[0] == a),
            Op::SubOverS if one(b) => self.has_taken(|op, uses| op == Op::LtS && uses[1] == a),
            Op::LtU64 if one(c) && self.constant(d) == Some(0) => {
                self.has_taken(|op, uses| op == Op::LtU64 && uses[2..4] == [a, b])
            }
            Op::LtU64 if self.is_one_more([a, b], [c, d]) => {
                self.has_taken(|op, uses| op == Op::LtU64 && uses[..2] == [c, d])
            }
            _ => false,
        }
    }

    /// Whether a pair is the sum of another and 1.
    fn is_one_more(&self, sum: [Word; 2], part: [Word; 2]) -> bool {
        sum.into_iter().enumerate().all(|(half, word)| {
            let of_sum = |fact: &Fact| fact.op == Op::Add64 && fact.imm == half as u32;
            self.fact(word).filter(of_sum).is_some_and(|fact| {
                let [a, b, one, zero, _] = fact.uses;
                part == [a, b] && self.constant(one) == Some(1) && self.constant(zero) == Some(0)
            })
        })
    }

    fn has_taken(&self, such: impl Fn(Op, Uses) -> bool) -> bool {
        self.taken().any(|fact| such(fact.op, fact.uses))
    }

    /// The comparisons that are known to hold here.
    pub fn taken(&self) -> impl Iterator<Item = &Fact> {
        let unchanged = |fact: &Fact| self.versions_of(NONE, fact.uses)[1..] == fact.versions[1..];
        let here = self.taken.iter().filter(|&&(chain, _)| chain == self.chain);
        here.map(|(_, fact)| fact).filter(move |fact| unchanged(fact))
    }

    /// Whether a word is known to hold 0 or 1.
    pub fn is_bool(&self, word: Word) -> bool {
        let by_operation = self.definition(word).is_some_and(|fact| {
            is_comparison(fact.op) || fact.op == Op::AndImm && fact.imm <= 1 || fact.op == Op::ShrImm && fact.imm == 31
        });
        by_operation
            || self.fact(word).is_some_and(|fact| {
                matches!(fact.op, Op::And | Op::Or | Op::Xor)
                    && fact.uses[..2]
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
        let [a, b, ..] = fact.uses;
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
        let read = self.versions_of(0, inst.uses);
        for word in inst.defs() {
            self.local[word as usize] = (0, 0);
            self.facts[word as usize] = None;
            self.versions[word as usize] += 1;
        }
        let word = inst.defs[0];
        if word == NONE || inst.op.effect() != Effect::Pure {
            return;
        }
        if inst.op == Op::Add64 && inst.defs[0] != inst.defs[1] {
            for (half, word) in inst.defs().enumerate() {
                self.note(word, inst, half as u32, read);
            }
        }
        if inst.defs[1] != NONE {
            return;
        }
        let single = self.is_single(word);
        if inst.op == Op::Imm {
            if single {
                self.constants[word as usize] = Some(inst.imm);
            } else {
                self.local[word as usize] = (self.chain, inst.imm);
            }
            return;
        }
        self.note(word, inst, inst.imm, read);
    }

    /// Notes how a word was computed from words of those versions.
    fn note(&mut self, word: Word, inst: &Inst, imm: u32, mut versions: [u32; 6]) {
        let everywhere = self.is_single(word) && inst.uses().all(|word| self.is_single(word));
        versions[0] = self.versions[word as usize];
        self.facts[word as usize] = Some(Fact {
            op: inst.op,
            uses: inst.uses,
            imm,
            versions,
            chain: if everywhere { 0 } else { self.chain },
        });
    }
}

/// The comparison of two integers, the other way around, that holds where one does not.
pub(super) fn opposite(comparison: Op) -> Option<Op> {
    Some(match comparison {
        Op::Eq => Op::Ne,
        Op::Ne => Op::Eq,
        Op::LtU => Op::LeU,
        Op::LeU => Op::LtU,
        Op::LtS => Op::LeS,
        Op::LeS => Op::LtS,
        _ => return None,
    })
}

/// Whether an operation gives 0 or 1, as comparisons do.
pub(crate) fn is_comparison(op: Op) -> bool {
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
