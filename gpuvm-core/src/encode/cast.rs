//! `as`: the conversions between scalars.

use super::number::{greatest, least, scalar_type};
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::library::number as library;
use crate::types::{Kind, Type, Value};

impl Encoder<'_> {
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

    /// `a as ty`, of a scalar type: `char` is a `u32` by its kind.
    pub const fn cast_to(&mut self, a: Operand, ty: &'static Type) -> Operand {
        let result = self.cast(a, ty.kind);
        match result.is_never() {
            true => result,
            false => Operand { ty, ..result },
        }
    }

    /// The discriminant of a fieldless enum, as an i64.
    const fn discriminant(&mut self, a: Operand) -> u32 {
        let tag = self.value(a.part(<u32 as Value>::TYPE, 0));
        let mut result = self.integer(0, Kind::I64);
        let mut i = 0;
        while i < a.ty.variants.len() {
            let value = self.integer(a.ty.variants[i].discriminant as u128, Kind::I64);
            let index = self.imm(i as u32);
            let is = self.word(Op::Eq, tag, index, 0);
            result = self.choose(is, value, result, Kind::I64);
            i += 1;
        }
        result
    }

    /// The words of a value of one scalar kind as another.
    pub const fn cast_words(&mut self, base: u32, from: Kind, to: Kind) -> u32 {
        if matches!(from, Kind::F64) {
            return self.cast_from_double(base, to);
        }
        if matches!(to, Kind::F64) {
            return self.cast_to_double(base, from);
        }
        if matches!(from, Kind::F32) {
            return self.cast_from_float(base, to);
        }
        if matches!(to, Kind::F32) {
            return match (from.bits(), from.is_signed()) {
                (128, signed) => {
                    let function = if signed {
                        library::i128_to_f32
                    } else {
                        library::u128_to_f32
                    };
                    self.library(function, &[base, base + 1, base + 2, base + 3], 1)
                }
                (64, true) => self.word(Op::I64ToF, Self::both(base), 0, 0),
                (64, false) => self.word(Op::U64ToF, Self::both(base), 0, 0),
                (_, true) => self.word(Op::IToF, base, 0, 0),
                (_, false) => self.word(Op::UToF, base, 0, 0),
            };
        }
        if to.words() > 1 {
            return self.extended(base, from, to);
        }
        self.normalise(base, to)
    }

    /// The low words of an integer, and its sign or zeros above where there is need of more.
    const fn extended(&mut self, base: u32, from: Kind, to: Kind) -> u32 {
        let (given, wanted) = (from.words(), to.words());
        if given >= wanted {
            return base;
        }
        let d = self.fresh(wanted);
        self.copy_words(d, base, given);
        let mut i = given;
        while i < wanted {
            if from.is_signed() {
                self.emit(Op::SarImm, [d + i, base + given - 1, 31, 0]);
            } else {
                self.set(d + i, 0);
            }
            i += 1;
        }
        d
    }

    const fn cast_from_float(&mut self, base: u32, to: Kind) -> u32 {
        match to {
            Kind::F32 => base,
            Kind::I128 => self.library(library::f32_to_i128, &[base], 4),
            Kind::U128 => self.library(library::f32_to_u128, &[base], 4),
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
