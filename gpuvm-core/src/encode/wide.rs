//! 128-bit integers: four words, low word first. Sums, comparisons and shifts by constants are written out over pairs of words, the rest are
//! calls of the library.

use super::node::Operator;
use super::number::Checked;
use super::state::Encoder;
use crate::isa::{Op, pair};
use crate::library::number as library;
use crate::types::Kind;

impl Encoder<'_> {
    /// The eight words of two operands, as a call of the library takes them.
    const fn operands(a: u32, b: u32) -> [u32; 8] {
        [a, a + 1, a + 2, a + 3, b, b + 1, b + 2, b + 3]
    }

    /// `a == b`.
    pub const fn wide_equal(&mut self, a: u32, b: u32) -> u32 {
        let low = self.long_test(Op::Eq64, a, b);
        let high = self.long_test(Op::Eq64, a + 2, b + 2);
        self.word(Op::And, low, high, 0)
    }

    /// `a < b`.
    pub const fn wide_less(&mut self, signed: bool, a: u32, b: u32) -> u32 {
        let op = if signed { Op::LtS64 } else { Op::LtU64 };
        let high = self.long_test(op, a + 2, b + 2);
        let same = self.long_test(Op::Eq64, a + 2, b + 2);
        let low = self.long_test(Op::LtU64, a, b);
        let low = self.word(Op::And, same, low, 0);
        self.word(Op::Or, high, low, 0)
    }

    /// `+ - *`, wrapped, with the flag if wanted.
    pub const fn wide_ring_operation(&mut self, operator: Operator, kind: Kind, a: u32, b: u32, flag: bool) -> Checked {
        if matches!(operator, Operator::Mul) {
            return self.wide_product(kind, a, b, flag);
        }
        let subtracts = matches!(operator, Operator::Sub);
        let op = if subtracts { Op::Sub64 } else { Op::Add64 };
        let base = self.fresh(4);
        let zero = self.imm(0);
        self.emit(op, [Self::both(base), Self::both(a), Self::both(b), 0]);
        let carry = if subtracts {
            self.long_test(Op::LtU64, a, b)
        } else {
            self.long_test(Op::LtU64, base, a)
        };
        let high = self.long(op, a + 2, b + 2);
        self.emit(op, [Self::both(base + 2), Self::both(high), pair(carry, zero), 0]);
        let overflow = match (flag, kind.is_signed(), subtracts) {
            (false, ..) => 0,
            (_, false, true) => self.wide_less(false, a, b),
            (_, false, false) => {
                let first = self.long_test(Op::LtU64, high, a + 2);
                let second = self.long_test(Op::LtU64, base + 2, high);
                self.word(Op::Or, first, second, 0)
            }
            // As of 64 bits: the signs tell.
            (_, true, _) => {
                let other = if subtracts { a } else { base };
                let operands = self.word(Op::Xor, other + 3, b + 3, 0);
                let result = self.word(Op::Xor, a + 3, base + 3, 0);
                let both = self.word(Op::And, operands, result, 0);
                self.word(Op::ShrImm, both, 31, 0)
            }
        };
        Checked { base, overflow }
    }

    const fn wide_product(&mut self, kind: Kind, a: u32, b: u32, flag: bool) -> Checked {
        let operands = Self::operands(a, b);
        if !flag {
            let base = self.library(library::mul_u128, &operands, 4);
            return Checked { base, overflow: 0 };
        }
        let function = if kind.is_signed() {
            library::overflowing_mul_i128
        } else {
            library::overflowing_mul_u128
        };
        let base = self.library(function, &operands, 5);
        Checked {
            base,
            overflow: base + 4,
        }
    }

    /// `/` and `%` without any check; 0 if `b` is 0.
    pub const fn wide_divide(&mut self, remainder: bool, signed: bool, a: u32, b: u32) -> u32 {
        let function = match (remainder, signed) {
            (false, false) => library::div_u128,
            (false, true) => library::div_i128,
            (true, false) => library::rem_u128,
            (true, true) => library::rem_i128,
        };
        self.library(function, &Self::operands(a, b), 4)
    }

    /// `<<` or `>>` by a word below 128.
    pub const fn wide_shift(&mut self, left: bool, signed: bool, a: u32, amount: u32) -> u32 {
        let function = match (left, signed) {
            (true, _) => library::shl_u128,
            (false, false) => library::shr_u128,
            (false, true) => library::shr_i128,
        };
        self.library(function, &[a, a + 1, a + 2, a + 3, amount], 4)
    }

    /// `<<` or `>>` by a constant below 128: whole words move, and each takes the missing bits from its neighbour.
    pub const fn wide_shift_by(&mut self, left: bool, signed: bool, a: u32, amount: u32) -> u32 {
        let (words, bits) = (amount / 32, amount % 32);
        let fill = if signed && !left {
            self.word(Op::SarImm, a + 3, 31, 0)
        } else {
            self.imm(0)
        };
        let d = self.fresh(4);
        let mut i = 0;
        while i < 4 {
            // Counted from the end where the bits go to.
            let from = if i >= words {
                Self::counted(left, a, i - words)
            } else {
                fill
            };
            let next = if i > words {
                Self::counted(left, a, i - words - 1)
            } else {
                fill
            };
            let to = Self::counted(left, d, i);
            let i_is_filled = i < words;
            if bits == 0 || i_is_filled {
                self.copy(to, from);
            } else {
                let (there, back) = if left {
                    (Op::ShlImm, Op::ShrImm)
                } else {
                    (Op::ShrImm, Op::ShlImm)
                };
                let near = self.word(there, from, bits, 0);
                let far = self.word(back, next, 32 - bits, 0);
                self.emit(Op::Or, [to, near, far, 0]);
            }
            i += 1;
        }
        d
    }

    /// Word `i` of four, from the low end or from the high one.
    const fn counted(from_low: bool, base: u32, i: u32) -> u32 {
        if from_low { base + i } else { base + 3 - i }
    }
}
