//! The std methods of `f64`.

use super::method::number as m;
use super::method_call::Arguments;
use super::operand::Operand;
use super::state::Encoder;
use crate::isa::{Op, pair};
use crate::library::number as library;
use crate::routine::{Cause, RECORDED, Shown};
use crate::types::{Kind, TypeRef, Value};

/// The high word of infinity, whose low one is 0.
const INFINITY: u32 = 0x7ff0_0000;

impl Encoder<'_> {
    pub const fn double_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
        let double = <f64 as Value>::TYPE;
        let x = self.value(receiver);
        let (y, z) = self.float_arguments(method, arguments, double);
        let function = match method {
            m::sin => library::sin_f64,
            m::cos => library::cos_f64,
            m::tan => library::tan_f64,
            m::asin => library::asin_f64,
            m::acos => library::acos_f64,
            m::atan => library::atan_f64,
            m::sinh => library::sinh_f64,
            m::cosh => library::cosh_f64,
            m::tanh => library::tanh_f64,
            m::asinh => library::asinh_f64,
            m::acosh => library::acosh_f64,
            m::atanh => library::atanh_f64,
            m::exp => library::exp_f64,
            m::exp2 => library::exp2_f64,
            m::exp_m1 => library::exp_m1_f64,
            m::ln => library::ln_f64,
            m::ln_1p => library::ln_1p_f64,
            m::log2 => library::log2_f64,
            m::log10 => library::log10_f64,
            m::cbrt => library::cbrt_f64,
            m::atan2 => library::atan2_f64,
            m::log => library::log_f64,
            m::powf => library::powf_f64,
            m::hypot => library::hypot_f64,
            m::sqrt => library::sqrt_f64,
            m::floor => library::floor_f64,
            m::ceil => library::ceil_f64,
            m::round => library::round_f64,
            m::round_ties_even => library::round_even_f64,
            m::trunc => library::trunc_f64,
            m::min => library::min_f64,
            m::max => library::max_f64,
            m::div_euclid => library::div_euclid_f64,
            m::rem_euclid => library::rem_euclid_f64,
            _ => u32::MAX,
        };
        if method == m::sin_cos {
            let base = self.library(library::sin_cos_f64, &[x, x + 1], 4);
            return Operand::fresh(TypeRef::value(<(f64, f64) as Value>::TYPE), base);
        }
        if method == m::powi {
            let base = self.library(library::powi_f64, &[x, x + 1, y], 2);
            return Operand::scalar(double, base);
        }
        if function != u32::MAX {
            let two = matches!(
                method,
                m::atan2 | m::log | m::powf | m::hypot | m::min | m::max | m::div_euclid | m::rem_euclid
            );
            let base = if two {
                self.double_function_of_two(function, x, y)
            } else {
                self.double_function(function, x)
            };
            return Operand::scalar(double, base);
        }
        let base = match method {
            m::mul_add => self.library(library::mul_add_f64, &[x, x + 1, y, y + 1, z, z + 1], 2),
            m::fract => {
                let whole = self.double_function(library::trunc_f64, x);
                self.double_function_of_two(library::sub_f64, x, whole)
            }
            m::abs => self.with_high(Op::AndImm, x, 0x7fff_ffff),
            m::copysign => {
                let sign = self.double_sign(y);
                let base = self.with_high(Op::AndImm, x, 0x7fff_ffff);
                self.emit(Op::Or, [base + 1, base + 1, sign, 0]);
                base
            }
            m::signum => {
                let sign = self.double_sign(x);
                let one = self.fresh(2);
                self.set(one, 0);
                self.emit(Op::OrImm, [one + 1, sign, (1.0f64.to_bits() >> 32) as u32, 0]);
                let nan = self.double_is_nan(x);
                self.choose(nan, x, one, Kind::F64)
            }
            m::recip => {
                let one = self.double(1.0);
                self.double_function_of_two(library::div_f64, one, x)
            }
            // The constants of core::num's methods.
            m::to_degrees => {
                let factor = self.double(180.0 / std::f64::consts::PI);
                self.double_function_of_two(library::mul_f64, x, factor)
            }
            m::to_radians => {
                let factor = self.double(std::f64::consts::PI / 180.0);
                self.double_function_of_two(library::mul_f64, x, factor)
            }
            m::clamp => self.double_clamp(x, y, z),
            _ => return self.double_test(method, x),
        };
        Operand::scalar(double, base)
    }

    /// The methods whose result is no number.
    const fn double_test(&mut self, method: u16, x: u32) -> Operand {
        let word = match method {
            m::to_bits => {
                let nan = self.double_is_nan(x);
                let bits = self.double(f64::from_bits(0x7ff8 << 48));
                let base = self.choose(nan, bits, x, Kind::U64);
                return Operand::scalar(<u64 as Value>::TYPE, base);
            }
            m::is_nan => self.double_is_nan(x),
            m::is_finite | m::is_infinite | m::is_normal => self.double_class(method, x),
            m::is_sign_negative => {
                let sign = self.double_sign(x);
                self.word(Op::ShrImm, sign, 31, 0)
            }
            m::is_sign_positive => {
                let sign = self.double_sign(x);
                let negative = self.word(Op::ShrImm, sign, 31, 0);
                self.not_bool(negative)
            }
            _ => panic!("a method of f64 that is called here is not available inside a routine"),
        };
        Operand::scalar(<bool as Value>::TYPE, word)
    }

    /// A constant.
    const fn double(&mut self, value: f64) -> u32 {
        self.integer(value.to_bits() as u128, Kind::U64)
    }

    const fn double_is_nan(&mut self, x: u32) -> u32 {
        let high = self.word(Op::AndImm, x + 1, 0x7fff_ffff, 0);
        let infinity = self.double(f64::INFINITY);
        self.word(Op::LtU64, Self::both(infinity), pair(x, high), 0)
    }

    /// The sign bit in a word of its own, clear for every NaN.
    const fn double_sign(&mut self, x: u32) -> u32 {
        let nan = self.double_is_nan(x);
        let sign = self.word(Op::AndImm, x + 1, 0x8000_0000, 0);
        let zero = self.imm(0);
        self.select(nan, zero, sign)
    }

    const fn double_class(&mut self, method: u16, x: u32) -> u32 {
        let high = self.word(Op::AndImm, x + 1, 0x7fff_ffff, 0);
        let infinity = self.imm(INFINITY);
        let finite = self.word(Op::LtU, high, infinity, 0);
        match method {
            m::is_finite => finite,
            m::is_infinite => {
                let zero = self.imm(0);
                self.word(Op::Eq64, pair(x, high), pair(zero, infinity), 0)
            }
            _ => {
                let smallest = self.imm((f64::MIN_POSITIVE.to_bits() >> 32) as u32);
                let large = self.word(Op::LeU, smallest, high, 0);
                self.word(Op::And, finite, large, 0)
            }
        }
    }

    const fn double_clamp(&mut self, x: u32, low: u32, high: u32) -> u32 {
        let ordered = self.double_ordered(true, low, high);
        let shown = Shown {
            ty: <f64 as Value>::TYPE,
            format: "?",
        };
        let pieces = &["min > max, or either was NaN. min = ", ", max = ", ""];
        let site = self.site(Cause::Format {
            pieces,
            values: [shown; RECORDED],
        });
        // The message takes four words, more than a conditional trap records.
        let past = self.code.len as u32 + 2;
        self.emit(Op::JumpIf, [past, ordered, 0, 0]);
        self.emit(Op::Trap, [site, Self::both(low), Self::both(high), 0]);
        let below = self.double_ordered(false, x, low);
        let raised = self.choose(below, low, x, Kind::F64);
        let above = self.double_ordered(false, high, raised);
        self.choose(above, high, raised, Kind::F64)
    }
}
