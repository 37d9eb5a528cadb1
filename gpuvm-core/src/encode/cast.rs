//! `as`: the conversions between scalars.

use super::number::{greatest, least, scalar_type};
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::types::{Kind, Value};

impl<const CAP: usize> Encoder<CAP> {
    /// `a as kind`.
    pub const fn cast(&mut self, a: Operand, to: Kind) -> Operand {
        let a = self.deref_all(a);
        if a.is_never() {
            return a;
        }
        let ty = scalar_type(to);
        if let Where::Literal(value) = a.at
            && to.is_integer()
        {
            let base = self.literal(value, ty);
            return Operand::scalar(ty, base);
        }
        let (base, from) = if matches!(a.ty.kind, Kind::Enum) {
            (self.discriminant(a), Kind::I64)
        } else {
            (self.value(a), a.ty.arithmetic_kind())
        };
        let result = self.cast_words(base, from, to);
        Operand::result(ty, result, base)
    }

    /// The discriminant of a fieldless enum, as an i64.
    const fn discriminant(&mut self, a: Operand) -> u32 {
        let tag = self.value(a.part(<u32 as Value>::TYPE, 0));
        let mut result = self.integer(0, Kind::I64);
        let mut i = 0;
        while i < a.ty.variants.len() {
            let value = self.integer(a.ty.variants[i].discriminant as u64, Kind::I64);
            let index = self.imm(i as u32);
            let is = self.word(Op::Eq, tag, index, 0);
            result = self.choose(is, value, result, Kind::I64);
            i += 1;
        }
        result
    }

    /// The words of a value of one scalar kind as another.
    pub const fn cast_words(&mut self, base: u32, from: Kind, to: Kind) -> u32 {
        if matches!(from, Kind::F32) {
            return self.cast_from_float(base, to);
        }
        if matches!(to, Kind::F32) {
            return match (from.bits(), from.is_signed()) {
                (64, true) => self.word(Op::I64ToF, Self::both(base), 0, 0),
                (64, false) => self.word(Op::U64ToF, Self::both(base), 0, 0),
                (_, true) => self.word(Op::IToF, base, 0, 0),
                (_, false) => self.word(Op::UToF, base, 0, 0),
            };
        }
        if to.bits() == 64 {
            if from.bits() == 64 {
                return base;
            }
            let d = self.fresh(2);
            self.emit(Op::Mov, [d, base, 0, 0]);
            if from.is_signed() {
                self.emit(Op::SarImm, [d + 1, base, 31, 0]);
            } else {
                self.emit(Op::Imm, [d + 1, 0, 0, 0]);
            }
            return d;
        }
        self.normalise(base, to)
    }

    const fn cast_from_float(&mut self, base: u32, to: Kind) -> u32 {
        match to {
            Kind::F32 => base,
            Kind::I64 | Kind::U64 => {
                let d = self.fresh(2);
                let op = if to.is_signed() { Op::FToI64 } else { Op::FToU64 };
                self.emit(op, [Self::both(d), base, 0, 0]);
                d
            }
            Kind::U32 | Kind::Usize => self.word(Op::FToU, base, 0, 0),
            Kind::I32 | Kind::Isize => self.word(Op::FToI, base, 0, 0),
            _ => {
                let wide = self.word(Op::FToI, base, 0, 0);
                let least = self.integer(least(to), Kind::I32);
                let greatest = self.integer(greatest(to), Kind::I32);
                let above = self.word(Op::MaxS, wide, least, 0);
                self.word(Op::MinS, above, greatest, 0)
            }
        }
    }
}
