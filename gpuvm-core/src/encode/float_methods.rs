//! The std methods of `f32`.

use super::method::number as m;
use super::method_call::Arguments;
use super::operand::Operand;
use super::state::Encoder;
use crate::isa::Op;
use crate::library::number as library;
use crate::routine::{Cause, RECORDED, Shown};
use crate::types::{Type, TypeRef, Value};

impl Encoder<'_> {
    pub const fn float_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
        let float = <f32 as Value>::TYPE;
        let boolean = <bool as Value>::TYPE;
        let x = self.value(receiver);
        let (y, z) = self.float_arguments(method, arguments, float);
        let function = match method {
            m::sin => library::sin,
            m::cos => library::cos,
            m::tan => library::tan,
            m::asin => library::asin,
            m::acos => library::acos,
            m::atan => library::atan,
            m::sinh => library::sinh,
            m::cosh => library::cosh,
            m::tanh => library::tanh,
            m::asinh => library::asinh,
            m::acosh => library::acosh,
            m::atanh => library::atanh,
            m::exp => library::exp,
            m::exp2 => library::exp2,
            m::exp_m1 => library::exp_m1,
            m::ln => library::ln,
            m::ln_1p => library::ln_1p,
            m::log2 => library::log2,
            m::log10 => library::log10,
            m::cbrt => library::cbrt,
            m::atan2 => library::atan2,
            m::log => library::log,
            m::powf => library::powf,
            m::powi => library::powi,
            m::hypot => library::hypot,
            m::div_euclid => library::div_euclid_f32,
            m::rem_euclid => library::rem_euclid_f32,
            _ => u32::MAX,
        };
        if method == m::sin_cos {
            let base = self.library(library::sin_cos, &[x], 2);
            return Operand::fresh(TypeRef::value(<(f32, f32) as Value>::TYPE), base);
        }
        if function != u32::MAX {
            let two = matches!(
                method,
                m::atan2 | m::log | m::powf | m::powi | m::hypot | m::div_euclid | m::rem_euclid
            );
            let both = [x, y];
            let base = self.library(function, if two { &both } else { both.split_at(1).0 }, 1);
            return Operand::scalar(float, base);
        }
        let word = match method {
            m::sqrt => self.word(Op::FSqrt, x, 0, 0),
            m::mul_add => self.word(Op::FMulAdd, x, y, z),
            m::floor => self.word(Op::FFloor, x, 0, 0),
            m::ceil => self.word(Op::FCeil, x, 0, 0),
            m::round => self.word(Op::FRound, x, 0, 0),
            m::round_ties_even => self.word(Op::FRoundEven, x, 0, 0),
            m::trunc => self.word(Op::FTrunc, x, 0, 0),
            m::fract => {
                let whole = self.word(Op::FTrunc, x, 0, 0);
                self.word(Op::FSub, x, whole, 0)
            }
            m::abs => self.word(Op::AndImm, x, 0x7fff_ffff, 0),
            m::copysign => {
                let sign = self.sign_bit(y);
                let magnitude = self.word(Op::AndImm, x, 0x7fff_ffff, 0);
                self.word(Op::Or, magnitude, sign, 0)
            }
            m::signum => {
                let sign = self.sign_bit(x);
                let one = self.word(Op::OrImm, sign, 1.0f32.to_bits(), 0);
                let number = self.word(Op::FEq, x, x, 0);
                self.select(number, one, x)
            }
            m::recip => {
                let one = self.imm(1.0f32.to_bits());
                self.word(Op::FDiv, one, x, 0)
            }
            m::to_degrees => {
                // The constant of core::num's `to_degrees`.
                let factor = self.imm(57.295_78_f32.to_bits());
                self.word(Op::FMul, x, factor, 0)
            }
            m::to_radians => {
                let factor = self.imm((std::f32::consts::PI / 180.0).to_bits());
                self.word(Op::FMul, x, factor, 0)
            }
            m::min => self.word(Op::FMin, x, y, 0),
            m::max => self.word(Op::FMax, x, y, 0),
            m::clamp => self.float_clamp(x, y, z),
            m::to_bits => {
                let bits = self.word(Op::FCanon, x, 0, 0);
                return Operand::scalar(<u32 as Value>::TYPE, bits);
            }
            m::is_nan => {
                let number = self.word(Op::FEq, x, x, 0);
                let nan = self.not_bool(number);
                return Operand::scalar(boolean, nan);
            }
            m::is_finite | m::is_infinite | m::is_normal => {
                let test = self.float_class(method, x);
                return Operand::scalar(boolean, test);
            }
            m::is_sign_negative | m::is_sign_positive => {
                let sign = self.sign_bit(x);
                let mut test = self.word(Op::ShrImm, sign, 31, 0);
                if method == m::is_sign_positive {
                    test = self.not_bool(test);
                }
                return Operand::scalar(boolean, test);
            }
            _ => panic!("a method of f32 that is called here is not available inside a routine"),
        };
        Operand::scalar(float, word)
    }

    /// The sign bit of an f32, clear for every NaN.
    pub const fn sign_bit(&mut self, x: u32) -> u32 {
        let canonical = self.word(Op::FCanon, x, 0, 0);
        self.word(Op::AndImm, canonical, 0x8000_0000, 0)
    }

    pub const fn float_class(&mut self, method: u16, x: u32) -> u32 {
        let magnitude = self.word(Op::AndImm, x, 0x7fff_ffff, 0);
        let infinity = self.imm(f32::INFINITY.to_bits());
        match method {
            m::is_finite => self.word(Op::LtU, magnitude, infinity, 0),
            m::is_infinite => self.word(Op::Eq, magnitude, infinity, 0),
            _ => {
                let finite = self.word(Op::LtU, magnitude, infinity, 0);
                let smallest = self.imm(f32::MIN_POSITIVE.to_bits());
                let large = self.word(Op::LeU, smallest, magnitude, 0);
                self.word(Op::And, finite, large, 0)
            }
        }
    }

    /// The words of what a method of a float takes beside it; 0 for what it does not take.
    pub const fn float_arguments(&mut self, method: u16, arguments: Arguments, float: &'static Type) -> (u32, u32) {
        let y = match method {
            m::powi => self.argument(arguments[1], <i32 as Value>::TYPE),
            m::mul_add
            | m::copysign
            | m::atan2
            | m::log
            | m::powf
            | m::hypot
            | m::min
            | m::max
            | m::clamp
            | m::div_euclid
            | m::rem_euclid => self.argument(arguments[1], float),
            _ => 0,
        };
        let z = match method {
            m::mul_add | m::clamp => self.argument(arguments[2], float),
            _ => 0,
        };
        (y, z)
    }

    pub const fn float_clamp(&mut self, x: u32, low: u32, high: u32) -> u32 {
        let ordered = self.word(Op::FLe, low, high, 0);
        let disordered = self.not_bool(ordered);
        let shown = Shown {
            ty: <f32 as Value>::TYPE,
            format: "?",
        };
        let pieces = &["min > max, or either was NaN. min = ", ", max = ", ""];
        let site = self.site(Cause::Format {
            pieces,
            values: [shown; RECORDED],
        });
        self.emit(Op::TrapIf, [site, disordered, low, high]);
        let below = self.word(Op::FLt, x, low, 0);
        let raised = self.select(below, low, x);
        let above = self.word(Op::FLt, high, raised, 0);
        self.select(above, high, raised)
    }
}
