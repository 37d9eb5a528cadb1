//! Recognises loops that only count: how often they turn follows from a number and its limit.

use super::constants::Held;
use super::turn::{Turn, copied, is_symbol};
use crate::ir::liveness::Liveness;
use crate::ir::{Block, End, Inst, NONE, Word};
use crate::isa::{Op, WORDS};
use crate::matrix::{AffineMap, CONSTANT, Ring, Term};
use crate::pass::fuse::Maps;
use crate::program::SourceLoc;

/// A loop of one block that turns until a number of 32 or 64 bits has been counted to a limit.
pub(super) struct Counter {
    /// What one turn does to the words that matter.
    pub map: AffineMap,
    /// What the loop goes on under, as `op(first, second)`: less, of either kind and length, or [`Op::Ne`] for both lengths.
    /// One of the two is the counter, which comes nearer to the other by 1 with each turn.
    pub op: Op,
    pub first: Limit,
    pub second: Limit,
    /// Whether the counter goes up.
    up: bool,
    /// Whether the counter is `first`.
    counter_first: bool,
    /// The word the condition is computed in, and its value when the loop is over, if anybody reads it then.
    condition: Option<(Word, u32)>,
    /// The high word of a long counter, if anybody reads it after the loop.
    high: Option<Word>,
    /// Where the loop leads.
    pub exit: usize,
    /// The words read after the loop.
    pub after: u32,
    /// Every word that the block names.
    pub touched: u32,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// What two words hold, low half first, or what one does if the second is [`NONE`].
    Words([Word; 2]),
    /// A number of 32 bits.
    Value(u32),
}

/// The comparison that ends a loop: the operation, its sides, whether the counter goes up and whether it is the first side.
struct Comparison {
    op: Op,
    first: Limit,
    second: Limit,
    up: bool,
    counter_first: bool,
}

impl Counter {
    /// The counter of the loop that is block `b`, given constants that words hold at its start.
    pub fn of(block: &Block, b: usize, maps: &Maps, held: &Held, live: &Liveness) -> Option<Counter> {
        let End::Branch { word, then, otherwise } = block.end else {
            return None;
        };
        let (exit, goes_on_if) = match (then == b, otherwise == b) {
            (true, false) => (otherwise, true),
            (false, true) => (then, false),
            _ => return None,
        };
        let turn = Turn::of(block, maps, held)?;
        let asked = turn.row(word);
        let after = set(live.at_start(exit));
        let (found, condition) = match turn.symbol(&asked) {
            Some(symbol) => {
                let over = after >> word & 1 != 0;
                let found = match &symbol.inputs[..] {
                    [a, b] => short(&turn, symbol.op, [a, b], goes_on_if)?,
                    [a, a_high, b, b_high] => long(&turn, symbol.op, [[a, a_high], [b, b_high]], goes_on_if)?,
                    _ => return None,
                };
                (found, over.then_some((word, u32::from(!goes_on_if))))
            }
            // The branch asks the counter itself: the loop goes on while it is not 0.
            None if goes_on_if => (not_zero(&turn, &asked)?, None),
            None => return None,
        };
        let [first, second] = [found.first, found.second];
        let counted = if found.counter_first { first } else { second };
        let high = match counted {
            Limit::Words([_, high]) if high != NONE && after >> high & 1 != 0 => Some(high),
            _ => None,
        };
        let set_apart = condition.map(|(word, _)| word).into_iter().chain(high);
        let needed = needed(&turn.map, after & !set(set_apart));
        let map = turn.map.keep_rows(needed);
        if map.terms().iter().any(|term| is_symbol(term.column)) {
            return None;
        }
        Some(Counter {
            map,
            op: found.op,
            first,
            second,
            up: found.up,
            counter_first: found.counter_first,
            condition,
            high,
            exit,
            after,
            touched: 1 << word | set(block.code.iter().flat_map(|inst| inst.uses().chain(inst.defs()))),
        })
    }

    /// Whether the counter has 64 bits.
    pub fn is_long(&self) -> bool {
        matches!(self.first, Limit::Words([_, high]) if high != NONE)
    }

    /// How many turns there are, if the counter and its limit are constants where the loop is entered.
    pub fn known_turns(&self, held: &Held) -> Option<u64> {
        let word = |word: Word| held[word as usize].map(u64::from);
        let value = |limit| match limit {
            Limit::Value(value) => Some(u64::from(value)),
            Limit::Words([low, NONE]) => word(low),
            Limit::Words([low, high]) => Some(word(low)? | word(high)? << 32),
        };
        let (first, second) = (value(self.first)?, value(self.second)?);
        let starts = match self.op {
            Op::LtU | Op::LtU64 => first < second,
            Op::LtS => (first as i32) < second as i32,
            Op::LtS64 => (first as i64) < second as i64,
            _ => first != second,
        };
        let (from, to) = self.ends(first, second);
        let turns = to.wrapping_sub(from);
        starts.then_some(if self.is_long() {
            turns
        } else {
            turns & u64::from(u32::MAX)
        })
    }

    /// The two that are compared so that the second less the first is the number of turns.
    pub fn ends<T>(&self, first: T, second: T) -> (T, T) {
        if self.op == Op::Ne && self.up != self.counter_first {
            (second, first)
        } else {
            (first, second)
        }
    }

    /// What is left to do after the powers of [`Counter::map`]: the words that are no part of it.
    pub fn finish(&self, place: SourceLoc) -> Vec<Inst> {
        let limit = if self.counter_first { self.second } else { self.first };
        let high = match (self.high, limit) {
            (Some(high), Limit::Words([_, to])) => Some(Inst::copy(high, to, place)),
            _ => None,
        };
        let condition = self.condition.map(|(word, value)| Inst::constant(word, value, place));
        high.into_iter().chain(condition).collect()
    }
}

/// A set of the machine's words.
pub(super) fn set(words: impl Iterator<Item = Word>) -> u32 {
    words.fold(0, |set, word| set | 1 << word)
}

/// The words whose rows count when those in `after` are read after the loop.
fn needed(map: &AffineMap, after: u32) -> u32 {
    let mut needed = after;
    // Each round adds a word or is the last.
    for _ in 0..WORDS {
        let rows = map.rows().filter(|row| needed >> row[0].row & 1 != 0).flatten();
        let columns = rows
            .map(|term| term.column)
            .filter(|&column| usize::from(column) < WORDS);
        let read = set(columns.map(Word::from));
        if read & !needed == 0 {
            break;
        }
        needed |= read;
    }
    needed
}

/// A branch that asks the counter itself.
fn not_zero(turn: &Turn, asked: &[Term]) -> Option<Comparison> {
    let (counter, up) = counted(turn, asked)?;
    Some(Comparison {
        op: Op::Ne,
        first: Limit::Words([counter, NONE]),
        second: Limit::Value(0),
        up,
        counter_first: true,
    })
}

/// The comparison of two words, as the turn leaves them.
fn short(turn: &Turn, op: Op, [a, b]: [&Vec<Term>; 2], goes_on_if: bool) -> Option<Comparison> {
    let (up, is_first, mut first, mut second) = match (counted(turn, a), counted(turn, b)) {
        (Some((counter, up)), None) => (up, true, Limit::Words([counter, NONE]), limit(turn, b)?),
        (None, Some((counter, up))) => (up, false, limit(turn, a)?, Limit::Words([counter, NONE])),
        _ => return None,
    };
    let counter = if is_first { first } else { second };
    let op = goes_on(op, goes_on_if, &mut first, &mut second)?;
    let counter_first = first == counter;
    (op == Op::Ne || up == counter_first).then_some(Comparison {
        op,
        first,
        second,
        up,
        counter_first,
    })
}

/// The comparison of two pairs, as the turn leaves them.
fn long(turn: &Turn, op: Op, [a, b]: [[&Vec<Term>; 2]; 2], goes_on_if: bool) -> Option<Comparison> {
    let op = match (op, goes_on_if) {
        (Op::LtU64 | Op::LtS64, true) => op,
        (Op::Eq64, false) => Op::Ne,
        _ => return None,
    };
    let unchanged = |rows: [&Vec<Term>; 2]| Some(Limit::Words([invariant(turn, rows[0])?, invariant(turn, rows[1])?]));
    let (up, counter_first, first, second) = match (counted_long(turn, a), counted_long(turn, b)) {
        (Some((counter, up)), None) => (up, true, Limit::Words(counter), unchanged(b)?),
        (None, Some((counter, up))) => (up, false, unchanged(a)?, Limit::Words(counter)),
        _ => return None,
    };
    (op == Op::Ne || up == counter_first).then_some(Comparison {
        op,
        first,
        second,
        up,
        counter_first,
    })
}

/// The word that a turn leaves as the row says, 1 more than before (true) or 1 less (false).
fn counted(turn: &Turn, row: &[Term]) -> Option<(Word, bool)> {
    let [own, by] = row else { return None };
    let word = Word::from(own.column);
    let counts = own.ring == Ring::Integer && own.coefficient == 1 && by.column == CONSTANT && !is_symbol(own.column);
    match by.coefficient {
        _ if !counts || turn.row(word) != row => None,
        1 => Some((word, true)),
        u32::MAX => Some((word, false)),
        _ => None,
    }
}

/// The pair that a turn leaves as the rows say, 1 more than before (true) or 1 less (false).
fn counted_long(turn: &Turn, [low, high]: [&Vec<Term>; 2]) -> Option<([Word; 2], bool)> {
    let sum = turn.symbol(high)?;
    let [a, a_high, b, b_high] = &sum.inputs[..] else {
        return None;
    };
    let constant = |low, high| Some(u64::from(turn.constant(low)?) | u64::from(turn.constant(high)?) << 32);
    let (words, by) = match (sum.op, constant(b, b_high), constant(a, a_high)) {
        (Op::Add64, Some(by), _) => ([a, a_high], by),
        (Op::Sub64, Some(by), _) => ([a, a_high], by.wrapping_neg()),
        (Op::Add64, _, Some(by)) => ([b, b_high], by),
        _ => return None,
    };
    let up = match by {
        1 => true,
        u64::MAX => false,
        _ => return None,
    };
    let pair = [Word::from(copied(words[0])?), Word::from(copied(words[1])?)];
    let apart = pair[0] != pair[1] && pair.iter().all(|&word| (word as usize) < WORDS);
    (apart && turn.row(pair[0]) == *low && turn.row(pair[1]) == *high).then_some((pair, up))
}

/// What stays as it is all the while.
fn limit(turn: &Turn, row: &[Term]) -> Option<Limit> {
    match turn.constant(row) {
        Some(value) => Some(Limit::Value(value)),
        None => Some(Limit::Words([invariant(turn, row)?, NONE])),
    }
}

/// The word that a row copies and that a turn leaves as it is.
fn invariant(turn: &Turn, row: &[Term]) -> Option<Word> {
    let word = copied(row).filter(|&word| usize::from(word) < WORDS)?;
    turn.map.row(word).is_none().then_some(word.into())
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
