//! Shifts of every width, and what is too long for them.

use super::node::Operator;
use super::number::{overflow_text, unsigned};
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::types::{Kind, Type};

impl Encoder<'_> {
    /// `<<` or `>>` by a constant below the width.
    const fn shift_by(&mut self, left: bool, kind: Kind, a: u32, amount: u32) -> u32 {
        if kind.bits() == 128 {
            return self.wide_shift_by(left, kind.is_signed(), a, amount);
        }
        if kind.bits() == 64 {
            let amount = self.imm(amount);
            return self.shift(left, kind, a, amount);
        }
        let op = match (left, kind.is_signed()) {
            (true, _) => Op::ShlImm,
            (false, false) => Op::ShrImm,
            (false, true) => Op::SarImm,
        };
        let wide = self.word(op, a, amount, 0);
        if left { self.normalise(wide, kind) } else { wide }
    }

    /// `<<` or `>>` by a word below the width.
    pub const fn shift(&mut self, left: bool, kind: Kind, a: u32, amount: u32) -> u32 {
        let signed = kind.is_signed();
        if kind.bits() == 128 {
            return self.wide_shift(left, signed, a, amount);
        }
        if kind.bits() == 64 {
            let op = match (left, signed) {
                (true, _) => Op::Shl64,
                (false, false) => Op::Shr64,
                (false, true) => Op::Sar64,
            };
            return self.long_shift(op, a, amount);
        }
        let op = match (left, signed) {
            (true, _) => Op::Shl,
            (false, false) => Op::Shr,
            (false, true) => Op::Sar,
        };
        let wide = self.word(op, a, amount, 0);
        if left { self.normalise(wide, kind) } else { wide }
    }

    /// The amount of a shift modulo the width.
    pub const fn masked_amount(&mut self, amount: u32, kind: Kind) -> u32 {
        self.word(Op::AndImm, amount, kind.bits() - 1, 0)
    }

    /// Whether the amount of a shift, of its own kind, is the width or more (or below zero).
    pub const fn overlong(&mut self, amount: u32, amount_kind: Kind, kind: Kind) -> u32 {
        let plain = unsigned(amount_kind);
        let most = self.integer(kind.bits() as u128 - 1, plain);
        self.ordered(false, plain, most, amount)
    }

    pub const fn shift_operator(
        &mut self,
        operator: Operator,
        ty: &'static Type,
        a: Operand,
        b: Operand,
        checks: bool,
    ) -> Operand {
        let kind = ty.arithmetic_kind();
        let left = matches!(operator, Operator::Shl);
        let base = self.value(a);
        if let Where::Literal(amount) = b.at
            && amount < kind.bits() as u128
        {
            let result = self.shift_by(left, kind, base, amount as u32);
            return Operand::scalar(ty, result);
        }
        let amount = self.value(b);
        if checks {
            let overlong = self.overlong(amount, b.ty.arithmetic_kind(), kind);
            self.trap_if(overlong, overflow_text(operator));
        }
        let amount = self.masked_amount(amount, kind);
        let result = self.shift(left, kind, base, amount);
        Operand::scalar(ty, result)
    }
}
