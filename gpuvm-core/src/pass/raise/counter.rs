//! Recognises loops that only count: how often they turn follows from a word and its limit.

use crate::ir::flow::predecessors;
use crate::ir::{Block, End, Function, Word};
use crate::isa::{Class, Op, WORDS};
use crate::matrix::{AffineMap, CONSTANT, Ring, Term};
use crate::pass::fuse::{Maps, map_of};

/// A loop of one block that turns until a word has been counted to a limit.
pub(super) struct Counter {
    /// What one turn does to the words, the condition's own word left out.
    pub map: AffineMap,
    /// What the loop goes on under, as `op(first, second)`: `ltu`, `lts` or `ne`. One of the two is the counter, which comes
    /// nearer to the other by 1 with each turn.
    pub op: Op,
    pub first: Limit,
    pub second: Limit,
    /// The counter, also one of the two.
    word: Word,
    /// Whether the counter goes up.
    up: bool,
    /// The word the condition is computed in, and its value when the loop is over, if anybody reads it then.
    pub condition: Option<(Word, u32)>,
    /// Where the loop leads.
    pub exit: usize,
    /// Every word that the block names.
    pub touched: u32,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Limit {
    Word(Word),
    Value(u32),
}

impl Counter {
    pub fn of(block: &Block, b: usize, maps: &Maps) -> Option<Counter> {
        let End::Branch { word, then, otherwise } = block.end else {
            return None;
        };
        let (exit, goes_on_if) = match (then == b, otherwise == b) {
            (true, false) => (otherwise, true),
            (false, true) => (then, false),
            _ => return None,
        };
        let mut map = AffineMap::identity();
        let mut compared = None;
        for inst in &block.code {
            if inst.op.class() == Class::Linear {
                // Once compared, the condition has to stay; before, its word may serve for something else.
                if compared.is_some() && inst.uses().chain(inst.defs()).any(|used| used == word) {
                    return None;
                }
                map = map.then(&map_of(inst, maps)?)?;
            } else if compared.is_none() && inst.defs[0] == word && is_comparison(inst.op) {
                compared = Some((inst, map.clone()));
            } else {
                return None;
            }
        }
        let touched = 1 << word | set(block.code.iter().flat_map(|inst| inst.uses().chain(inst.defs())));
        let Some((inst, before)) = compared else {
            // The branch asks the counter itself: the loop goes on while it is not 0.
            let up = step(&map, word)?;
            let (first, second) = (Limit::Word(word), Limit::Value(0));
            return goes_on_if.then_some(Counter {
                map,
                op: Op::Ne,
                first,
                second,
                word,
                up,
                condition: None,
                exit,
                touched,
            });
        };
        let [a, b, ..] = inst.uses;
        map = map.keep_rows(!(1 << word));
        // The comparison must see the words as the turn leaves them, and nothing else may see the comparison.
        let settled = [a, b].iter().all(|&w| before.row(w as u16) == map.row(w as u16));
        let own = map.terms().iter().all(|term| u32::from(term.column) != word);
        if !settled || !own || a == b {
            return None;
        }
        let limit = |w: Word| match map.row(w as u16) {
            None => Some(Limit::Word(w)),
            Some(
                &[
                    Term {
                        column: CONSTANT,
                        ring: Ring::Integer,
                        coefficient,
                        ..
                    },
                ],
            ) => Some(Limit::Value(coefficient)),
            Some(_) => None,
        };
        let (word_of, up, mut first, mut second) = match (step(&map, a), step(&map, b)) {
            (Some(up), None) => (a, up, Limit::Word(a), limit(b)?),
            (None, Some(up)) => (b, up, limit(a)?, Limit::Word(b)),
            _ => return None,
        };
        let op = goes_on(inst.op, goes_on_if, &mut first, &mut second)?;
        let nears = op == Op::Ne || up == (first == Limit::Word(word_of));
        let over = u32::from(!goes_on_if);
        nears.then_some(Counter {
            map,
            op,
            first,
            second,
            word: word_of,
            up,
            condition: Some((word, over)),
            exit,
            touched,
        })
    }

    /// How many turns there are, if the counter and its limit are constants where the loop is entered.
    pub fn known_turns(&self, function: &Function, entering: &[usize]) -> Option<u32> {
        let &[entering] = entering else { return None };
        let value = |limit| match limit {
            Limit::Value(value) => Some(value),
            Limit::Word(word) => constant_at_end(function, entering, word),
        };
        let (first, second) = (value(self.first)?, value(self.second)?);
        let starts = match self.op {
            Op::LtU => first < second,
            Op::LtS => (first as i32) < second as i32,
            _ => first != second,
        };
        let (from, to) = self.ends(first, second);
        starts.then(|| to.wrapping_sub(from))
    }

    /// The words whose rows count when those in `after` are read after the loop.
    pub fn needed_after(&self, after: u32) -> u32 {
        let mut needed = after;
        // Each round adds a word or is the last.
        for _ in 0..WORDS {
            let rows = self.map.rows().filter(|row| needed >> row[0].row & 1 != 0).flatten();
            let read = set(rows
                .map(|term| term.column)
                .filter(|&column| column != CONSTANT)
                .map(Word::from));
            if read & !needed == 0 {
                break;
            }
            needed |= read;
        }
        needed
    }

    /// The two that are compared so that the second less the first is the number of turns.
    pub fn ends<T>(&self, first: T, second: T) -> (T, T) {
        let counter_first = self.first == Limit::Word(self.word);
        if self.op == Op::Ne && self.up != counter_first {
            (second, first)
        } else {
            (first, second)
        }
    }
}

/// A set of the machine's words.
pub(super) fn set(words: impl Iterator<Item = Word>) -> u32 {
    words.fold(0, |set, word| set | 1 << word)
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::LtU | Op::LtS | Op::LeU | Op::LeS | Op::Eq | Op::Ne)
}

/// Whether a map adds 1 to a word (true) or takes 1 from it (false).
fn step(map: &AffineMap, word: Word) -> Option<bool> {
    let [own, by] = map.row(word as u16)? else {
        return None;
    };
    let counts =
        own.ring == Ring::Integer && u32::from(own.column) == word && own.coefficient == 1 && by.column == CONSTANT;
    match by.coefficient {
        1 if counts => Some(true),
        u32::MAX if counts => Some(false),
        _ => None,
    }
}

/// The condition under which a loop goes on, as one of the operations that [`Counter`] knows.
fn goes_on(op: Op, if_set: bool, first: &mut Limit, second: &mut Limit) -> Option<Op> {
    let op = match (op, if_set) {
        (Op::LtU | Op::LtS | Op::LeU | Op::LeS | Op::Ne, true) => op,
        (Op::Eq, false) => Op::Ne,
        // Not a < b is b ≤ a, and the other way round.
        (Op::LtU | Op::LtS | Op::LeU | Op::LeS, false) => {
            std::mem::swap(first, second);
            match op {
                Op::LtU => Op::LeU,
                Op::LtS => Op::LeS,
                Op::LeU => Op::LtU,
                _ => Op::LtS,
            }
        }
        _ => return None,
    };
    let (strict, lowest, highest) = match op {
        Op::LeU => (Op::LtU, 0, u32::MAX),
        Op::LeS => (Op::LtS, i32::MIN as u32, i32::MAX as u32),
        _ => return Some(op),
    };
    // a ≤ v is a < v + 1 unless v is the largest number, when the loop never ends.
    match (&mut *first, &mut *second) {
        (_, Limit::Value(value)) if *value != highest => *value = value.wrapping_add(1),
        (Limit::Value(value), _) if *value != lowest => *value = value.wrapping_sub(1),
        _ => return None,
    }
    Some(strict)
}

/// The constant that a word holds at the end of a block, looked for there and a few blocks before.
fn constant_at_end(function: &Function, mut block: usize, word: Word) -> Option<u32> {
    let before = predecessors(function);
    for _ in 0..4 {
        if let Some(inst) = function.blocks[block]
            .code
            .iter()
            .rev()
            .find(|inst| inst.defs().any(|def| def == word))
        {
            return (inst.op == Op::Imm).then_some(inst.imm);
        }
        let &[only] = &before[block][..] else {
            return None;
        };
        block = only;
    }
    None
}
