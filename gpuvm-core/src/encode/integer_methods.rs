//! The std methods of integers that are arithmetic.

use super::method::number as m;
use super::method_call::Arguments;
use super::node::Operator;
use super::number::{Overflow, least, scalar_type, unsigned};
use super::operand::Operand;
use super::state::Encoder;
use crate::isa::Op;
use crate::library::number as library;
use crate::types::{Kind, Value};

impl Encoder<'_> {
    pub const fn integer_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
        let ty = receiver.ty;
        let kind = ty.arithmetic_kind();
        let a = self.value(receiver);
        let boolean = <bool as Value>::TYPE;
        match method {
            m::count_ones
            | m::count_zeros
            | m::leading_zeros
            | m::trailing_zeros
            | m::leading_ones
            | m::trailing_ones
            | m::ilog2 => {
                let word = self.bit_count(method, a, kind);
                return Operand::scalar(<u32 as Value>::TYPE, word);
            }
            m::is_positive => {
                let zero = self.integer(0, kind);
                let test = self.ordered(false, kind, zero, a);
                return Operand::scalar(boolean, test);
            }
            m::is_negative => {
                let test = self.is_negative(a, kind);
                return Operand::scalar(boolean, test);
            }
            m::is_power_of_two => {
                let ones = self.bit_count(m::count_ones, a, kind);
                let test = self.equals_integer(ones, 1, Kind::U32);
                return Operand::scalar(boolean, test);
            }
            m::unsigned_abs => {
                // That of the least number is negative as the type itself has it.
                let base = self.absolute(a, kind);
                return self.cast(Operand::scalar(scalar_type(kind), base), unsigned(kind));
            }
            m::abs_diff => {
                let b = self.argument(arguments[1], ty);
                let less = self.ordered(false, kind, a, b);
                let forth = self.ring_operation(Operator::Sub, unsigned(kind), a, b, None, Overflow::Wrap);
                let back = self.ring_operation(Operator::Sub, unsigned(kind), b, a, None, Overflow::Wrap);
                let base = self.choose(less, back.base, forth.base, kind);
                return Operand::scalar(scalar_type(unsigned(kind)), base);
            }
            _ => {}
        }
        if let Some(result) = self.flagged_method(method, receiver, a, arguments) {
            return result;
        }
        let base = match method {
            m::min | m::max => {
                let b = self.argument(arguments[1], ty);
                self.extreme(method == m::min, kind, a, b)
            }
            m::clamp => {
                let low = self.argument(arguments[1], ty);
                let high = self.argument(arguments[2], ty);
                let disordered = self.ordered(false, kind, high, low);
                self.trap_if(disordered, "assertion failed: min <= max");
                let raised = self.extreme(false, kind, a, low);
                self.extreme(true, kind, raised, high)
            }
            m::abs => {
                if self.checks() {
                    let least = self.equals_integer(a, least(kind), kind);
                    self.trap_if(least, "attempt to negate with overflow");
                }
                self.absolute(a, kind)
            }
            m::wrapping_abs => self.absolute(a, kind),
            m::signum => {
                let negative = self.is_negative(a, kind);
                let zero = self.integer(0, kind);
                let positive = self.ordered(false, kind, zero, a);
                let wide = self.word(Op::Sub, positive, negative, 0);
                self.cast_words(wide, Kind::I32, kind)
            }
            m::rem_euclid | m::div_euclid => {
                let b = self.argument(arguments[1], ty);
                self.euclid(method == m::rem_euclid, kind, a, b)
            }
            m::isqrt => self.square_root(a, kind),
            m::div_ceil => {
                let b = self.argument(arguments[1], ty);
                let quotient = self.checked_divide(Operator::Div, kind, a, b, false);
                let rest = self.divide(true, kind, a, b);
                let exact = self.equals_integer(rest, 0, kind);
                let more = self.not_bool(exact);
                let more = self.cast_words(more, Kind::Bool, kind);
                self.ring_operation(Operator::Add, kind, quotient, more, None, Overflow::Wrap)
                    .base
            }
            m::next_power_of_two => self.next_power(a, kind),
            m::swap_bytes => self.swap_bytes(a, kind),
            m::reverse_bits => self.reverse_bits(a, kind),
            m::rotate_left | m::rotate_right => {
                let b = self.argument(arguments[1], <u32 as Value>::TYPE);
                self.rotate(method == m::rotate_left, kind, a, b)
            }
            _ => panic!("a method of an integer that is called here is not available inside a routine"),
        };
        Operand::result(ty, base, a)
    }

    pub const fn extreme(&mut self, least: bool, kind: Kind, a: u32, b: u32) -> u32 {
        if kind.words() > 1 {
            let less = self.ordered(false, kind, a, b);
            return if least {
                self.choose(less, a, b, kind)
            } else {
                self.choose(less, b, a, kind)
            };
        }
        let op = match (least, kind.is_signed()) {
            (true, true) => Op::MinS,
            (true, false) => Op::MinU,
            (false, true) => Op::MaxS,
            (false, false) => Op::MaxU,
        };
        self.word(op, a, b, 0)
    }

    /// The distance from zero, as bits of the same width.
    pub const fn absolute(&mut self, a: u32, kind: Kind) -> u32 {
        if !kind.is_signed() {
            return a;
        }
        let negative = self.is_negative(a, kind);
        let turned = self.negate(a, kind);
        self.choose(negative, turned, a, kind)
    }

    pub const fn euclid(&mut self, remainder: bool, kind: Kind, a: u32, b: u32) -> u32 {
        let operator = if remainder { Operator::Rem } else { Operator::Div };
        let rounded = self.checked_divide(operator, kind, a, b, false);
        if !kind.is_signed() {
            return rounded;
        }
        let rest = if remainder {
            rounded
        } else {
            self.divide(true, kind, a, b)
        };
        let negative = self.is_negative(rest, kind);
        if remainder {
            let size = self.absolute(b, kind);
            let raised = self.ring_operation(Operator::Add, kind, rest, size, None, Overflow::Wrap);
            return self.choose(negative, raised.base, rest, kind);
        }
        let one = self.integer(1, kind);
        let less = self.ring_operation(Operator::Sub, kind, rounded, one, None, Overflow::Wrap);
        let more = self.ring_operation(Operator::Add, kind, rounded, one, None, Overflow::Wrap);
        let divisor_negative = self.is_negative(b, kind);
        let moved = self.choose(divisor_negative, more.base, less.base, kind);
        self.choose(negative, moved, rounded, kind)
    }

    pub const fn square_root(&mut self, a: u32, kind: Kind) -> u32 {
        if kind.is_signed() {
            let negative = self.is_negative(a, kind);
            self.trap_if(negative, "argument of integer square root cannot be negative");
        }
        match kind.bits() {
            128 => {
                let root = self.library(library::isqrt_u128, &[a, a + 1, a + 2, a + 3], 2);
                self.cast_words(root, Kind::U64, Kind::U128)
            }
            64 => {
                let root = self.library(library::isqrt_u64, &[a, a + 1], 1);
                self.cast_words(root, Kind::U32, Kind::U64)
            }
            _ => self.library(library::isqrt_u32, &[a], 1),
        }
    }

    pub const fn next_power(&mut self, a: u32, kind: Kind) -> u32 {
        let one = self.integer(1, kind);
        let small = self.ordered(true, kind, a, one);
        let before = self.ring_operation(Operator::Sub, kind, a, one, None, Overflow::Wrap);
        let zeros = self.bit_count(m::leading_zeros, before.base, kind);
        let bits = self.imm(kind.bits());
        let amount = self.word(Op::Sub, bits, zeros, 0);
        let past = self.word(Op::Eq, amount, bits, 0);
        let large = self.not_bool(small);
        let overflow = self.word(Op::And, past, large, 0);
        if self.checks() {
            self.trap_if(overflow, "attempt to add with overflow");
        }
        let masked = self.masked_amount(amount, kind);
        let shifted = self.shift(true, kind, one, masked);
        let zero = self.integer(0, kind);
        let power = self.choose(overflow, zero, shifted, kind);
        self.choose(small, one, power, kind)
    }
}
