//! The identities: which simpler instruction does what an instruction with one result does.

use super::known::Known;
use crate::ir::{Inst, NONE, Word};
use crate::isa::Op;

/// One instruction with one result, and what is known of its inputs.
pub(super) struct Rewrite<'a> {
    pub inst: &'a Inst,
    pub known: &'a Known,
}

impl Rewrite<'_> {
    fn constant(&self, value: u32) -> Option<Inst> {
        Some(Inst::constant(self.inst.defs[0], value, self.inst.place))
    }

    fn copy(&self, word: Word) -> Option<Inst> {
        Some(Inst::copy(self.inst.defs[0], word, self.inst.place))
    }

    fn immediate(&self, op: Op, word: Word, imm: u32) -> Option<Inst> {
        Some(Inst::new(op, self.inst.defs[0], &[word], imm, self.inst.place))
    }

    fn with(&self, op: Op, uses: &[Word]) -> Option<Inst> {
        Some(Inst::new(op, self.inst.defs[0], uses, 0, self.inst.place))
    }

    /// What replaces it, if anything simpler does.
    pub fn one_word(&self) -> Option<Inst> {
        let [a, b, ..] = self.inst.uses;
        if a != NONE && b == NONE {
            return self.unary(a, self.inst.imm);
        }
        if b == NONE {
            return None;
        }
        let (left, right) = (self.known.constant(a), self.known.constant(b));
        match self.inst.op {
            Op::Select => self.select(left),
            Op::Eq64 | Op::LtU64 | Op::LtS64 => self.long_comparison(),
            Op::MulOverU64 | Op::MulOverS64 => self.product_of_zero(),
            _ => match (left, right) {
                (_, Some(value)) => self.right(a, value),
                (Some(value), None) => self.left(value, b),
                _ if a == b => self.same(a),
                _ if self.inst.op == Op::LtU => self.wrapped_sum(a, b),
                _ => None,
            },
        }
    }

    /// One word and a constant.
    fn unary(&self, a: Word, imm: u32) -> Option<Inst> {
        const ONE: u32 = 1.0_f32.to_bits();
        const MINUS_ZERO: u32 = (-0.0_f32).to_bits();
        match (self.inst.op, imm) {
            (Op::AddImm | Op::XorImm | Op::OrImm, 0) | (Op::MulImm, 1) | (Op::AndImm, u32::MAX) => self.copy(a),
            (Op::ShlImm | Op::ShrImm | Op::SarImm | Op::RotlImm, by) if by % 32 == 0 => self.copy(a),
            (Op::FAddImm, MINUS_ZERO) | (Op::FMulImm, ONE) => self.copy(a),
            (Op::MulImm | Op::AndImm, 0) => self.constant(0),
            (Op::AndImm, _) if imm & imm.wrapping_add(1) == 0 && self.known.range(a).most <= imm => self.copy(a),
            (Op::OrImm, u32::MAX) => self.constant(u32::MAX),
            (Op::MulImm, u32::MAX) => self.with(Op::Neg, &[a]),
            _ => self.chain(a, imm),
        }
    }

    /// A constant operation on the result of another one.
    fn chain(&self, a: Word, imm: u32) -> Option<Inst> {
        let inner = self.known.fact(a)?;
        let [from, other, ..] = inner.uses;
        match (self.inst.op, inner.op) {
            (Op::AddImm, Op::AddImm) => self.immediate(Op::AddImm, from, inner.imm.wrapping_add(imm)),
            (Op::MulImm, Op::MulImm) => self.immediate(Op::MulImm, from, inner.imm.wrapping_mul(imm)),
            (Op::XorImm, Op::XorImm) => self.immediate(Op::XorImm, from, inner.imm ^ imm),
            (Op::AndImm, Op::AndImm) => self.immediate(Op::AndImm, from, inner.imm & imm),
            (Op::OrImm, Op::OrImm) => self.immediate(Op::OrImm, from, inner.imm | imm),
            (Op::RotlImm, Op::RotlImm) => self.immediate(Op::RotlImm, from, inner.imm.wrapping_add(imm) % 32),
            (Op::Neg, Op::Neg) | (Op::ByteSwap, Op::ByteSwap) | (Op::BitReverse, Op::BitReverse) => self.copy(from),
            (Op::AndImm, _) if imm & 1 != 0 && self.known.is_bool(a) => self.copy(a),
            (Op::XorImm, Op::Eq) if imm == 1 => self.with(Op::Ne, &[from, other]),
            (Op::XorImm, Op::Ne) if imm == 1 => self.with(Op::Eq, &[from, other]),
            (Op::XorImm, Op::LtU) if imm == 1 => self.with(Op::LeU, &[other, from]),
            (Op::XorImm, Op::LtS) if imm == 1 => self.with(Op::LeS, &[other, from]),
            (Op::XorImm, Op::LeU) if imm == 1 => self.with(Op::LtU, &[other, from]),
            (Op::XorImm, Op::LeS) if imm == 1 => self.with(Op::LtS, &[other, from]),
            _ => None,
        }
    }

    /// A constant on the right.
    fn right(&self, a: Word, value: u32) -> Option<Inst> {
        match (self.inst.op, value) {
            (Op::Sub, _) => self.immediate(Op::AddImm, a, value.wrapping_neg()),
            (Op::FSub, _) => self.immediate(Op::FAddImm, a, value ^ 0x8000_0000),
            (Op::Shl, _) => self.immediate(Op::ShlImm, a, value % 32),
            (Op::Shr, _) => self.immediate(Op::ShrImm, a, value % 32),
            (Op::Sar, _) => self.immediate(Op::SarImm, a, value % 32),
            (Op::Rotl, _) => self.immediate(Op::RotlImm, a, value % 32),
            (Op::DivU | Op::DivS, 1) => self.copy(a),
            (Op::DivU | Op::DivS | Op::RemU | Op::RemS, 0) | (Op::RemU | Op::RemS, 1) => self.constant(0),
            (Op::DivU, _) if value.is_power_of_two() => self.immediate(Op::ShrImm, a, value.trailing_zeros()),
            (Op::RemU, _) if value.is_power_of_two() => self.immediate(Op::AndImm, a, value - 1),
            (Op::RemU, _) if self.known.range(a).most < value => self.copy(a),
            (Op::LtU, 0) => self.constant(0),
            (Op::LeU, u32::MAX) => self.constant(1),
            (Op::SubOverS, 0) => self.constant(0),
            _ => self.commutative(a, value),
        }
    }

    /// A constant on the left.
    fn left(&self, value: u32, b: Word) -> Option<Inst> {
        match (self.inst.op, value) {
            (Op::Sub, 0) => self.with(Op::Neg, &[b]),
            (Op::LeU, 0) => self.constant(1),
            (Op::LtU, u32::MAX) => self.constant(0),
            (Op::Shl | Op::Shr | Op::Sar | Op::Rotl | Op::DivU | Op::DivS | Op::RemU | Op::RemS, 0) => self.constant(0),
            _ => self.commutative(b, value),
        }
    }

    /// Operations that do not mind on which side the constant stands.
    fn commutative(&self, word: Word, value: u32) -> Option<Inst> {
        match (self.inst.op, value) {
            (Op::Add, _) => self.immediate(Op::AddImm, word, value),
            (Op::Mul, _) if value.is_power_of_two() => self.immediate(Op::ShlImm, word, value.trailing_zeros()),
            (Op::Mul, _) => self.immediate(Op::MulImm, word, value),
            (Op::Xor, _) => self.immediate(Op::XorImm, word, value),
            (Op::And, _) => self.immediate(Op::AndImm, word, value),
            (Op::Or, _) => self.immediate(Op::OrImm, word, value),
            (Op::FAdd, _) => self.immediate(Op::FAddImm, word, value),
            (Op::FMul, _) => self.immediate(Op::FMulImm, word, value),
            (Op::MulHighU, 0 | 1) | (Op::MulHighS, 0) => self.constant(0),
            (Op::MulOverU | Op::MulOverS, 0 | 1) | (Op::AddOverS, 0) => self.constant(0),
            (Op::MinU, 0) => self.constant(0),
            (Op::MaxU, 0) | (Op::MinU, u32::MAX) => self.copy(word),
            (Op::MaxU, u32::MAX) => self.constant(u32::MAX),
            (Op::Eq, 0) | (Op::Ne, 1) if self.known.is_bool(word) => self.immediate(Op::XorImm, word, 1),
            (Op::Eq, 1) | (Op::Ne, 0) if self.known.is_bool(word) => self.copy(word),
            _ => None,
        }
    }

    /// The same word on both sides.
    fn same(&self, word: Word) -> Option<Inst> {
        match self.inst.op {
            Op::Sub | Op::Xor | Op::Ne | Op::LtU | Op::LtS | Op::SubOverS => self.constant(0),
            Op::Eq | Op::LeU | Op::LeS => self.constant(1),
            Op::And | Op::Or | Op::MinU | Op::MaxU | Op::MinS | Op::MaxS | Op::FMin | Op::FMax => self.copy(word),
            Op::Add => self.immediate(Op::ShlImm, word, 1),
            _ => None,
        }
    }

    fn select(&self, condition: Option<u32>) -> Option<Inst> {
        let [word, then, otherwise, ..] = self.inst.uses;
        if let Some(value) = condition {
            return self.copy(if value != 0 { then } else { otherwise });
        }
        if then == otherwise {
            return self.copy(then);
        }
        match (self.known.constant(then), self.known.constant(otherwise)) {
            (Some(1), Some(0)) if self.known.is_bool(word) => return self.copy(word),
            (Some(0), Some(1)) if self.known.is_bool(word) => {
                return self.immediate(Op::XorImm, word, 1);
            }
            _ => {}
        }
        let (word, inverted) = self.known.condition(word)?;
        let (then, otherwise) = if inverted { (otherwise, then) } else { (then, otherwise) };
        self.with(Op::Select, &[word, then, otherwise])
    }

    /// `t < a` for `t = a + b` is `t < b`, which is better if `a` is a variable about to be written.
    fn wrapped_sum(&self, sum: Word, part: Word) -> Option<Inst> {
        let fact = self.known.fact(sum).filter(|fact| fact.op == Op::Add)?;
        let other = match fact.uses {
            [a, b, ..] if a == part => b,
            [a, b, ..] if b == part => a,
            _ => return None,
        };
        let better = !self.known.is_single(part) && self.known.is_single(other);
        better.then(|| Inst::new(Op::LtU, self.inst.defs[0], &[sum, other], 0, self.inst.place))
    }

    /// 64-bit comparisons of a number with itself, with 0, and of words whose high halves are 0.
    fn long_comparison(&self) -> Option<Inst> {
        let [a, a_high, b, b_high, _] = self.inst.uses;
        if (a, a_high) == (b, b_high) {
            return self.constant((self.inst.op == Op::Eq64).into());
        }
        let zero = |word| self.known.constant(word) == Some(0);
        if self.inst.op == Op::LtU64 && zero(b) && zero(b_high) {
            return self.constant(0);
        }
        if self.inst.op == Op::LtS64 || !zero(a_high) || !zero(b_high) {
            return None;
        }
        self.with(if self.inst.op == Op::Eq64 { Op::Eq } else { Op::LtU }, &[a, b])
    }

    /// No product with 0 overflows.
    fn product_of_zero(&self) -> Option<Inst> {
        let [a, a_high, b, b_high, _] = self.inst.uses;
        let zero = |low, high| self.known.constant(low) == Some(0) && self.known.constant(high) == Some(0);
        if zero(a, a_high) || zero(b, b_high) {
            return self.constant(0);
        }
        None
    }
}
