//! What one turn of a loop does to the words: as a linear map, in which results that are not linear are symbols.

use super::constants::Held;
use crate::ir::{Block, Inst, Word};
use crate::isa::{Class, Op, Role};
use crate::matrix::{AffineMap, CONSTANT, Ring, Term};
use crate::pass::fuse::{Maps, map_of};

/// The column of the first symbol, past those of all words.
const FIRST_SYMBOL: u16 = 64;

/// Symbols of one turn at most.
const MOST_SYMBOLS: usize = 64;

/// One turn of a loop.
pub(super) struct Turn<'h> {
    /// What becomes of the words. Columns past the words stand for symbols.
    pub map: AffineMap,
    symbols: Vec<Symbol>,
    held: &'h Held,
}

/// A result that is not linear.
pub(super) struct Symbol {
    /// How it is computed: an operation with one result, or one of 64 bits whose high word it is.
    pub op: Op,
    /// The rows of what is read, as rows of word 0.
    pub inputs: Vec<Vec<Term>>,
}

impl<'h> Turn<'h> {
    /// Follows the instructions of a block, given constants that words hold at its start. `None` if some do more than compute.
    pub fn of(block: &Block, maps: &Maps, held: &'h Held) -> Option<Turn<'h>> {
        let mut turn = Turn {
            map: AffineMap::identity(),
            symbols: Vec::new(),
            held,
        };
        for inst in &block.code {
            turn.step(inst, maps)?;
        }
        Some(turn)
    }

    /// The row of a word so far, as a row of word 0.
    pub fn row(&self, word: Word) -> Vec<Term> {
        let own = |term: &Term| Term { row: 0, ..*term };
        match self.map.row(word as u16) {
            Some(row) => row.iter().map(own).collect(),
            None => vec![copy(0, word as u16)],
        }
    }

    /// The symbol that a row copies.
    pub fn symbol(&self, row: &[Term]) -> Option<&Symbol> {
        let column = copied(row)?.checked_sub(FIRST_SYMBOL)?;
        self.symbols.get(usize::from(column))
    }

    /// The constant that a row gives, be it that it copies a word that holds one.
    pub fn constant(&self, row: &[Term]) -> Option<u32> {
        match row {
            [term] if term.column == CONSTANT => Some(term.coefficient),
            _ => *self.held.get(usize::from(copied(row)?))?,
        }
    }

    fn step(&mut self, inst: &Inst, maps: &Maps) -> Option<()> {
        if !inst.is_pure() || inst.op != Op::Affine && inst.uses().count() != words_read(inst.op) {
            return None;
        }
        let [a, b, by, ..] = inst.uses;
        let [low, high] = inst.defs;
        let linear = match inst.op {
            _ if inst.op.class() == Class::Linear => map_of(inst, maps),
            Op::Or if possible(&self.row(a)) & possible(&self.row(b)) == 0 => {
                map_of(&Inst::new(Op::Xor, low, &[a, b], 0, inst.place), maps)
            }
            Op::Add64 | Op::Sub64 => {
                let op = if inst.op == Op::Add64 { Op::Add } else { Op::Sub };
                let low_words = Inst::new(op, low, &[a, by], 0, inst.place);
                let carry = self.new_symbol(inst)?;
                let map = map_of(&low_words, maps)?.then(&AffineMap::from_terms(&[copy(high as u16, carry)])?)?;
                (low != high).then_some(map)
            }
            Op::Shl64 | Op::Shr64 => {
                let places = self.constant(&self.row(by))? % 64;
                AffineMap::from_terms(&shifted(inst, places)?)
            }
            _ => None,
        };
        if let Some(next) = linear.and_then(|map| self.map.then(&map)) {
            self.map = next;
            return Some(());
        }
        let mut symbols = Vec::new();
        for word in inst.defs() {
            symbols.push(copy(word as u16, self.new_symbol(inst)?));
        }
        if let [_, _, ..] = symbols[..] {
            // Which word of a result a symbol is does not show, so nothing may follow from its inputs.
            let first = self.symbols.len() - symbols.len();
            self.symbols[first..]
                .iter_mut()
                .for_each(|symbol| symbol.inputs.clear());
        }
        self.map = self.map.then(&AffineMap::from_terms(&symbols)?)?;
        Some(())
    }

    /// The column of a new symbol: what the instruction gives for the words as they are now.
    fn new_symbol(&mut self, inst: &Inst) -> Option<u16> {
        let inputs = inst.uses().map(|word| self.row(word)).collect();
        self.symbols.push(Symbol { op: inst.op, inputs });
        let number = self.symbols.len();
        (number <= MOST_SYMBOLS).then_some(FIRST_SYMBOL + number as u16 - 1)
    }
}

/// The words that an operation names to read.
fn words_read(op: Op) -> usize {
    let words = |role| match role {
        Role::Use => 1,
        Role::UsePair => 2,
        _ => 0,
    };
    op.roles().map(words).iter().sum()
}

/// Whether a column stands for a symbol.
pub(super) fn is_symbol(column: u16) -> bool {
    column >= FIRST_SYMBOL && column != CONSTANT
}

/// The word or symbol that a row copies.
pub(super) fn copied(row: &[Term]) -> Option<u16> {
    match *row {
        [term] if term.column != CONSTANT && term == copy(term.row, term.column) => Some(term.column),
        _ => None,
    }
}

/// The term of a row that copies a word.
fn copy(row: u16, column: u16) -> Term {
    Term {
        row,
        column,
        ring: Ring::Integer,
        rotation: 0,
        coefficient: 1,
    }
}

/// The bits that can be set in what a row gives.
fn possible(row: &[Term]) -> u32 {
    let all = row.iter().fold(0, |bits, term| bits | term.coefficient);
    match row[0].ring {
        Ring::Bits => all,
        Ring::Integer if row.len() == 1 && row[0].column == CONSTANT => all,
        Ring::Integer => u32::MAX.checked_shl(all.trailing_zeros()).unwrap_or(0),
        Ring::Float => u32::MAX,
    }
}

/// The rows of a pair shifted by a number of places below 64. Bits from one word come to the other rotated.
fn shifted(inst: &Inst, places: u32) -> Option<Vec<Term>> {
    let [low, high] = inst.defs;
    let [from_low, from_high, ..] = inst.uses;
    let left = inst.op == Op::Shl64;
    // The word that bits leave to the other, and the other.
    let (first, second) = if left { (low, high) } else { (high, low) };
    let (from_first, from_second) = if left {
        (from_low, from_high)
    } else {
        (from_high, from_low)
    };
    let rotation = if left { places % 32 } else { (32 - places % 32) % 32 };
    let stays = if left {
        u32::MAX << (places % 32)
    } else {
        u32::MAX >> (places % 32)
    };
    let term = |row: Word, column: Word, mask| Term {
        row: row as u16,
        column: column as u16,
        ring: Ring::Bits,
        rotation: rotation as u8,
        coefficient: mask,
    };
    if first == second {
        return None;
    }
    Some(if places < 32 {
        vec![
            term(first, from_first, stays),
            term(second, from_second, stays),
            term(second, from_first, !stays),
        ]
    } else {
        vec![term(first, from_first, 0), term(second, from_first, stays)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::arithmetic;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};
    use crate::isa::WORDS;

    fn turn<'h>(code: &str, held: &'h Held) -> Option<Turn<'h>> {
        let mut function = blocks(vec![End::Halt]);
        function.blocks[0].code = assemble(code);
        Turn::of(&function.blocks[0], &Maps::new(), held)
    }

    #[test]
    fn long_shifts_by_constants_are_linear() {
        for (op, name) in [(Op::Shl64, "shl64"), (Op::Shr64, "shr64")] {
            for places in [0, 1, 13, 31, 32, 33, 63] {
                let mut held = [None; WORDS];
                held[9] = Some(places);
                let turn = turn(&format!("{name} 0:1 1:2 9"), &held).expect("pure");
                let mut words = [0x89ab_cdef; WORDS];
                words[1] = 0x0123_4567;
                let expected = arithmetic::fold(op, &[words[1], words[2], places]).expect("arithmetic");
                turn.map.apply(&mut words);
                assert_eq!(
                    (words[0], words[1]),
                    (expected.low, expected.high),
                    "{name} by {places}"
                );
            }
        }
    }

    #[test]
    fn an_or_of_disjoint_bits_is_a_rotation() {
        let held = [None; WORDS];
        let turn = turn("shli 1 0 5; shri 2 0 27; or 0 1 2", &held).expect("pure");
        assert_eq!(turn.map.to_string().split("; ").next(), Some("w0 = rotl(w0, 5)"));
    }

    #[test]
    fn what_is_not_linear_is_a_symbol_and_what_does_more_than_compute_ends_it() {
        let mut held = [None; WORDS];
        held[7] = Some(3);
        let found = turn("mul 1 0 0; mov 2 1; ltu 3 0 7", &held).expect("pure");
        assert_eq!(found.symbol(&found.row(2)).map(|symbol| symbol.op), Some(Op::Mul));
        let compared = found.row(3);
        let inputs = found.symbol(&compared).map(|symbol| &symbol.inputs);
        assert_eq!(inputs.and_then(|inputs| found.constant(&inputs[1])), Some(3));
        assert!(turn("stf 0 0", &held).is_none());
    }
}
