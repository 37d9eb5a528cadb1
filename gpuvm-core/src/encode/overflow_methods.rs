//! The integer methods that say what happens on overflow: `wrapping_*`, `checked_*`, `saturating_*`, `overflowing_*` and `pow`.

use super::method::number as m;
use super::method_call::Arguments;
use super::node::Operator;
use super::number::{Overflow, greatest, least, scalar_type};
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::library::number as library;
use crate::types::{Kind, Type, TypeRef, Value};

impl Encoder<'_> {
    /// The families `wrapping_*`, `checked_*`, `saturating_*`, `overflowing_*` and `pow`.
    pub const fn flagged_method(
        &mut self,
        method: u16,
        receiver: Operand,
        a: u32,
        arguments: Arguments,
    ) -> Option<Operand> {
        let ty = receiver.ty;
        let kind = ty.arithmetic_kind();
        let (operator, family) = match method {
            m::wrapping_add => (Operator::Add, Family::Wrapping),
            m::wrapping_sub => (Operator::Sub, Family::Wrapping),
            m::wrapping_mul => (Operator::Mul, Family::Wrapping),
            m::wrapping_div => (Operator::Div, Family::Wrapping),
            m::wrapping_rem => (Operator::Rem, Family::Wrapping),
            m::wrapping_neg => (Operator::Neg, Family::Wrapping),
            m::wrapping_shl => (Operator::Shl, Family::Wrapping),
            m::wrapping_shr => (Operator::Shr, Family::Wrapping),
            m::checked_add => (Operator::Add, Family::Checked),
            m::checked_sub => (Operator::Sub, Family::Checked),
            m::checked_mul => (Operator::Mul, Family::Checked),
            m::checked_div => (Operator::Div, Family::Checked),
            m::checked_rem => (Operator::Rem, Family::Checked),
            m::checked_neg | m::checked_abs => (Operator::Neg, Family::Checked),
            m::checked_shl => (Operator::Shl, Family::Checked),
            m::checked_shr => (Operator::Shr, Family::Checked),
            m::saturating_add => (Operator::Add, Family::Saturating),
            m::saturating_sub => (Operator::Sub, Family::Saturating),
            m::saturating_mul => (Operator::Mul, Family::Saturating),
            m::overflowing_add => (Operator::Add, Family::Overflowing),
            m::overflowing_sub => (Operator::Sub, Family::Overflowing),
            m::overflowing_mul => (Operator::Mul, Family::Overflowing),
            m::overflowing_neg => (Operator::Neg, Family::Overflowing),
            m::pow | m::wrapping_pow | m::checked_pow => return Some(self.power(method, ty, a, arguments[1])),
            _ => return None,
        };
        let need = !matches!(family, Family::Wrapping);
        let overflow = if need { Overflow::Flag } else { Overflow::Wrap };
        let mut b = 0;
        let (base, flag) = match operator {
            Operator::Neg => {
                let flag = if !need {
                    0
                } else if kind.is_signed() {
                    self.equals_integer(a, least(kind), kind)
                } else {
                    let zero = self.equals_integer(a, 0, kind);
                    self.not_bool(zero)
                };
                let base = if method == m::checked_abs {
                    self.absolute(a, kind)
                } else {
                    self.negate(a, kind)
                };
                (base, flag)
            }
            Operator::Shl | Operator::Shr => {
                let amount = self.argument(arguments[1], <u32 as Value>::TYPE);
                let flag = if need {
                    self.overlong(amount, Kind::U32, kind)
                } else {
                    0
                };
                let amount = self.masked_amount(amount, kind);
                (self.shift(matches!(operator, Operator::Shl), kind, a, amount), flag)
            }
            Operator::Div | Operator::Rem => {
                b = self.argument(arguments[1], ty);
                if !need {
                    (self.checked_divide(operator, kind, a, b, true), 0)
                } else {
                    let zero = self.equals_integer(b, 0, kind);
                    let mut flag = zero;
                    if kind.is_signed() {
                        let overflow = self.division_overflow(kind, a, b);
                        flag = self.word(Op::Or, zero, overflow, 0);
                    }
                    (self.divide(matches!(operator, Operator::Rem), kind, a, b), flag)
                }
            }
            _ => {
                let immediate = match arguments[1].at {
                    Where::Literal(value) if kind.bits() <= 32 => Some(value as u32),
                    _ => None,
                };
                if immediate.is_none() || need {
                    b = self.argument(arguments[1], ty);
                }
                let result = self.ring_operation(operator, kind, a, b, immediate, overflow);
                (result.base, result.overflow)
            }
        };
        Some(match family {
            Family::Wrapping => Operand::scalar(ty, base),
            Family::Checked => self.option(option_type(kind), base, flag),
            Family::Overflowing => self.value_and_flag(kind, base, flag),
            Family::Saturating => {
                let limit = self.saturation(operator, kind, a, b);
                let base = self.choose(flag, limit, base, kind);
                Operand::scalar(ty, base)
            }
        })
    }

    /// The tuple that `overflowing_*` gives.
    pub const fn value_and_flag(&mut self, kind: Kind, value: u32, flag: u32) -> Operand {
        let words = scalar_type(kind).words;
        let base = self.fresh(words + 1);
        self.copy_words(base, value, words);
        self.copy_words(base + words, flag, 1);
        Operand::fresh(TypeRef::value(flagged_type(kind)), base)
    }

    /// Where `a op b` ends up if it overflows.
    pub const fn saturation(&mut self, operator: Operator, kind: Kind, a: u32, b: u32) -> u32 {
        let top = self.integer(greatest(kind), kind);
        let bottom = self.integer(least(kind), kind);
        if !kind.is_signed() {
            return if matches!(operator, Operator::Sub) { bottom } else { top };
        }
        let mut negative = self.is_negative(a, kind);
        if matches!(operator, Operator::Mul) {
            let other = self.is_negative(b, kind);
            negative = self.word(Op::Xor, negative, other, 0);
        }
        self.choose(negative, bottom, top, kind)
    }

    /// `pow` and its families, through the library's power with overflow flag.
    pub const fn power(&mut self, method: u16, ty: &'static Type, a: u32, exponent: Operand) -> Operand {
        let kind = ty.arithmetic_kind();
        let exponent = self.argument(exponent, <u32 as Value>::TYPE);
        let (base, mut flag);
        if kind.bits() == 128 {
            let function = if kind.is_signed() {
                library::pow_i128
            } else {
                library::pow_u128
            };
            base = self.library(function, &[a, a + 1, a + 2, a + 3, exponent], 5);
            flag = base + 4;
        } else if kind.bits() == 64 {
            let function = if kind.is_signed() {
                library::pow_i64
            } else {
                library::pow_u64
            };
            base = self.library(function, &[a, a + 1, exponent], 3);
            flag = base + 2;
        } else {
            let function = if kind.is_signed() {
                library::pow_i32
            } else {
                library::pow_u32
            };
            let wide = self.library(function, &[a, exponent], 2);
            base = self.normalise(wide, kind);
            flag = wide + 1;
            if kind.bits() < 32 {
                let cut = self.word(Op::Ne, base, wide, 0);
                flag = self.word(Op::Or, cut, flag, 0);
            }
        }
        match method {
            m::checked_pow => self.option(option_type(kind), base, flag),
            m::pow if self.checks() && !matches!(ty.kind, Kind::Wrapping) => {
                self.trap_if(flag, "attempt to multiply with overflow");
                Operand::scalar(ty, base)
            }
            _ => Operand::scalar(ty, base),
        }
    }
}

/// What a method does about overflow.
#[derive(Clone, Copy)]
enum Family {
    Wrapping,
    Checked,
    Saturating,
    Overflowing,
}

macro_rules! type_of_kind {
    ($($(#[$doc:meta])* $name:ident: $of:ident;)*) => {$(
        $(#[$doc])*
        const fn $name(kind: Kind) -> &'static Type {
            match kind {
                Kind::I8 => <$of<i8> as Value>::TYPE,
                Kind::U8 => <$of<u8> as Value>::TYPE,
                Kind::I16 => <$of<i16> as Value>::TYPE,
                Kind::U16 => <$of<u16> as Value>::TYPE,
                Kind::I32 => <$of<i32> as Value>::TYPE,
                Kind::U32 => <$of<u32> as Value>::TYPE,
                Kind::I64 => <$of<i64> as Value>::TYPE,
                Kind::U64 => <$of<u64> as Value>::TYPE,
                Kind::Isize => <$of<isize> as Value>::TYPE,
                Kind::Usize => <$of<usize> as Value>::TYPE,
                Kind::I128 => <$of<i128> as Value>::TYPE,
                Kind::U128 => <$of<u128> as Value>::TYPE,
                _ => panic!("only integers have checked operations"),
            }
        }
    )*};
}
type_of_kind! {
    /// `Option` of an integer kind.
    option_type: Option;
    /// An integer kind with an overflow flag.
    flagged_type: Flagged;
}
type Flagged<T> = (T, bool);
