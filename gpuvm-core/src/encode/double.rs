//! `f64`: the bits in two words, low word first. Every operation is a call of the library, but for what looks at signs alone.

use super::node::Operator;
use super::number::{greatest, least};
use super::state::Encoder;
use crate::isa::Op;
use crate::library::number as library;
use crate::types::Kind;

impl Encoder<'_> {
    /// A call of a function of one number for another.
    pub const fn double_function(&mut self, function: u32, a: u32) -> u32 {
        self.library(function, &[a, a + 1], 2)
    }

    /// A call of a function of two numbers for another.
    pub const fn double_function_of_two(&mut self, function: u32, a: u32, b: u32) -> u32 {
        self.library(function, &[a, a + 1, b, b + 1], 2)
    }

    /// `+ - * / %`.
    pub const fn double_operation(&mut self, operator: Operator, a: u32, b: u32) -> u32 {
        let function = match operator {
            Operator::Add => library::add_f64,
            Operator::Sub => library::sub_f64,
            Operator::Mul => library::mul_f64,
            Operator::Div => library::div_f64,
            _ => library::rem_f64,
        };
        self.double_function_of_two(function, a, b)
    }

    /// `-a`.
    pub const fn double_negative(&mut self, a: u32) -> u32 {
        self.with_high(Op::XorImm, a, 0x8000_0000)
    }

    /// The same low word, and the high one after an operation with a constant.
    pub const fn with_high(&mut self, op: Op, a: u32, constant: u32) -> u32 {
        let d = self.fresh(2);
        self.copy(d, a);
        self.emit(op, [d + 1, a + 1, constant, 0]);
        d
    }

    /// `a < b`, or `a <= b`.
    pub const fn double_ordered(&mut self, or_equal: bool, a: u32, b: u32) -> u32 {
        let function = if or_equal { library::le_f64 } else { library::lt_f64 };
        self.library(function, &[a, a + 1, b, b + 1], 1)
    }

    /// `a == b`.
    pub const fn double_equal(&mut self, a: u32, b: u32) -> u32 {
        self.library(library::eq_f64, &[a, a + 1, b, b + 1], 1)
    }

    /// The words of a number as another scalar kind.
    pub const fn cast_from_double(&mut self, a: u32, to: Kind) -> u32 {
        let (function, words) = match to {
            Kind::F64 => return a,
            Kind::F32 => (library::f64_to_f32, 1),
            Kind::U64 => (library::f64_to_u64, 2),
            Kind::U128 => (library::f64_to_u128, 4),
            Kind::I128 => (library::f64_to_i128, 4),
            _ => (library::f64_to_i64, 2),
        };
        let result = self.library(function, &[a, a + 1], words);
        if !to.is_integer() || to.bits() > 32 {
            return result;
        }
        let least = self.integer(least(to), Kind::I64);
        let greatest = self.integer(greatest(to), Kind::I64);
        let above = self.extreme(false, Kind::I64, result, least);
        self.extreme(true, Kind::I64, above, greatest)
    }

    /// The words of a scalar of another kind as a number.
    pub const fn cast_to_double(&mut self, a: u32, from: Kind) -> u32 {
        match (from, from.bits()) {
            (Kind::F32, _) => self.library(library::f32_to_f64, &[a], 2),
            (_, 128) => {
                let function = if from.is_signed() {
                    library::i128_to_f64
                } else {
                    library::u128_to_f64
                };
                self.library(function, &[a, a + 1, a + 2, a + 3], 2)
            }
            _ if from.is_signed() => {
                let long = self.cast_words(a, from, Kind::I64);
                self.double_function(library::i64_to_f64, long)
            }
            _ => {
                let long = self.cast_words(a, from, Kind::U64);
                self.double_function(library::u64_to_f64, long)
            }
        }
    }
}
