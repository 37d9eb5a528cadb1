//! Arithmetic on scalars of every width: what the machine's 32- and 64-bit operations make of Rust's operators, with rustc's overflow checks where
//! the build has them.

use super::node::Operator;
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::{Op, pair};
use crate::types::{Kind, Type, Value};

/// A value and, where it was asked for, the word that says whether it overflowed.
#[derive(Clone, Copy)]
pub(super) struct Checked {
    pub base: u32,
    pub overflow: u32,
}

/// What to find out about overflow.
#[derive(Clone, Copy)]
pub(super) enum Overflow {
    /// Nothing: wrap.
    Wrap,
    /// A flag word.
    Flag,
}

/// The scalar type of a kind.
pub(super) const fn scalar_type(kind: Kind) -> &'static Type {
    match kind {
        Kind::Bool => <bool as Value>::TYPE,
        Kind::F32 => <f32 as Value>::TYPE,
        Kind::F64 => <f64 as Value>::TYPE,
        Kind::I32 => <i32 as Value>::TYPE,
        Kind::U32 => <u32 as Value>::TYPE,
        Kind::I64 => <i64 as Value>::TYPE,
        Kind::U64 => <u64 as Value>::TYPE,
        Kind::I8 => <i8 as Value>::TYPE,
        Kind::U8 => <u8 as Value>::TYPE,
        Kind::I16 => <i16 as Value>::TYPE,
        Kind::U16 => <u16 as Value>::TYPE,
        Kind::Isize => <isize as Value>::TYPE,
        Kind::Usize => <usize as Value>::TYPE,
        Kind::I128 => <i128 as Value>::TYPE,
        Kind::U128 => <u128 as Value>::TYPE,
        _ => panic!("not a scalar"),
    }
}

/// The type without sign of the same width.
pub(super) const fn unsigned(kind: Kind) -> Kind {
    match kind {
        Kind::I8 => Kind::U8,
        Kind::I16 => Kind::U16,
        Kind::I32 => Kind::U32,
        Kind::I64 => Kind::U64,
        Kind::I128 => Kind::U128,
        Kind::Isize => Kind::Usize,
        other => other,
    }
}

/// The smallest value of an integer kind, as the 128 bits of a literal.
pub(super) const fn least(kind: Kind) -> u128 {
    if kind.is_signed() {
        u128::MAX << (kind.bits() - 1)
    } else {
        0
    }
}

/// The largest value of an integer kind.
pub(super) const fn greatest(kind: Kind) -> u128 {
    let bits = if kind.is_signed() { kind.bits() - 1 } else { kind.bits() };
    u128::MAX >> (128 - bits)
}

/// What rustc's panic says where an operator overflows.
pub(super) const fn overflow_text(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "attempt to add with overflow",
        Operator::Sub => "attempt to subtract with overflow",
        Operator::Mul => "attempt to multiply with overflow",
        Operator::Div => "attempt to divide with overflow",
        Operator::Rem => "attempt to calculate the remainder with overflow",
        Operator::Shl => "attempt to shift left with overflow",
        Operator::Shr => "attempt to shift right with overflow",
        _ => "attempt to negate with overflow",
    }
}

impl Encoder<'_> {
    /// The words of an integer constant of a kind.
    pub const fn integer(&mut self, value: u128, kind: Kind) -> u32 {
        self.literal(value, scalar_type(kind))
    }

    /// Both halves of a 64-bit value as one pair operand.
    pub const fn both(base: u32) -> u32 {
        pair(base, base + 1)
    }

    /// A fresh 64-bit value: an operation of pairs.
    pub const fn long(&mut self, op: Op, a: u32, b: u32) -> u32 {
        let d = self.fresh(2);
        self.emit(op, [Self::both(d), Self::both(a), Self::both(b), 0]);
        d
    }

    /// A fresh 64-bit value: a shift by a word.
    pub const fn long_shift(&mut self, op: Op, a: u32, amount: u32) -> u32 {
        let d = self.fresh(2);
        self.emit(op, [Self::both(d), Self::both(a), amount, 0]);
        d
    }

    /// A fresh word: a comparison of pairs.
    pub const fn long_test(&mut self, op: Op, a: u32, b: u32) -> u32 {
        self.word(op, Self::both(a), Self::both(b), 0)
    }

    /// Cuts a word to the width of a small kind, or gives it back.
    pub const fn normalise(&mut self, word: u32, kind: Kind) -> u32 {
        match kind {
            Kind::U8 => self.word(Op::AndImm, word, 0xff, 0),
            Kind::U16 => self.word(Op::AndImm, word, 0xffff, 0),
            Kind::I8 | Kind::I16 => {
                let free = 32 - kind.bits();
                let high = self.word(Op::ShlImm, word, free, 0);
                self.word(Op::SarImm, high, free, 0)
            }
            _ => word,
        }
    }

    /// A bool's opposite.
    pub const fn not_bool(&mut self, word: u32) -> u32 {
        self.word(Op::XorImm, word, 1, 0)
    }

    /// Whether the value is the integer `value`.
    pub const fn equals_integer(&mut self, base: u32, value: u128, kind: Kind) -> u32 {
        let constant = self.integer(value, kind);
        self.equal(base, constant, kind)
    }

    pub const fn equal(&mut self, a: u32, b: u32, kind: Kind) -> u32 {
        match kind.bits() {
            128 => self.wide_equal(a, b),
            64 => self.long_test(Op::Eq64, a, b),
            _ => self.word(Op::Eq, a, b, 0),
        }
    }

    /// Whether the value is below zero.
    pub const fn is_negative(&mut self, base: u32, kind: Kind) -> u32 {
        self.word(Op::ShrImm, base + kind.words() - 1, 31, 0)
    }

    /// `then` or `otherwise`, of any scalar width.
    pub const fn choose(&mut self, condition: u32, then: u32, otherwise: u32, kind: Kind) -> u32 {
        let d = self.fresh(kind.words());
        let mut i = 0;
        while i < kind.words() {
            self.emit(Op::Select, [d + i, condition, then + i, otherwise + i]);
            i += 1;
        }
        d
    }

    /// `+ - *` of integers, wrapped, with the flag if wanted. `immediate` is the right operand where it is a constant.
    pub const fn ring_operation(
        &mut self,
        operator: Operator,
        kind: Kind,
        a: u32,
        b: u32,
        immediate: Option<u32>,
        overflow: Overflow,
    ) -> Checked {
        let flag = matches!(overflow, Overflow::Flag);
        match kind.bits() {
            128 => return self.wide_ring_operation(operator, kind, a, b, flag),
            64 => return self.long_ring_operation(operator, kind, a, b, flag),
            _ => {}
        }
        let wide = match (operator, immediate) {
            (Operator::Add, Some(value)) => self.word(Op::AddImm, a, value, 0),
            (Operator::Add, None) => self.word(Op::Add, a, b, 0),
            (Operator::Sub, Some(value)) => self.word(Op::AddImm, a, value.wrapping_neg(), 0),
            (Operator::Sub, None) => self.word(Op::Sub, a, b, 0),
            (_, Some(value)) => self.word(Op::MulImm, a, value, 0),
            (_, None) => self.word(Op::Mul, a, b, 0),
        };
        let base = self.normalise(wide, kind);
        let overflow = if !flag {
            0
        } else if kind.bits() < 32 {
            self.word(Op::Ne, wide, base, 0)
        } else {
            match (operator, kind.is_signed()) {
                (Operator::Add, false) => self.word(Op::LtU, base, a, 0),
                (Operator::Sub, false) => self.word(Op::LtU, a, b, 0),
                (Operator::Add, true) => self.word(Op::AddOverS, a, b, 0),
                (Operator::Sub, true) => self.word(Op::SubOverS, a, b, 0),
                (_, false) => self.word(Op::MulOverU, a, b, 0),
                (_, true) => self.word(Op::MulOverS, a, b, 0),
            }
        };
        Checked { base, overflow }
    }

    const fn long_ring_operation(&mut self, operator: Operator, kind: Kind, a: u32, b: u32, flag: bool) -> Checked {
        let op = match operator {
            Operator::Add => Op::Add64,
            Operator::Sub => Op::Sub64,
            _ => Op::Mul64,
        };
        let base = self.long(op, a, b);
        let overflow = if !flag {
            0
        } else {
            match (operator, kind.is_signed()) {
                (Operator::Add, false) => self.long_test(Op::LtU64, base, a),
                (Operator::Sub, false) => self.long_test(Op::LtU64, a, b),
                // Signed sums overflow where both operands' signs differ from the result's, differences where the operands' signs
                // differ and the result's is not the first one's; either shows in the high words alone.
                (Operator::Add, true) => {
                    let with_a = self.word(Op::Xor, a + 1, base + 1, 0);
                    let with_b = self.word(Op::Xor, b + 1, base + 1, 0);
                    let both = self.word(Op::And, with_a, with_b, 0);
                    self.word(Op::ShrImm, both, 31, 0)
                }
                (Operator::Sub, true) => {
                    let operands = self.word(Op::Xor, a + 1, b + 1, 0);
                    let result = self.word(Op::Xor, a + 1, base + 1, 0);
                    let both = self.word(Op::And, operands, result, 0);
                    self.word(Op::ShrImm, both, 31, 0)
                }
                (_, false) => self.long_test(Op::MulOverU64, a, b),
                (_, true) => self.long_test(Op::MulOverS64, a, b),
            }
        };
        Checked { base, overflow }
    }

    /// `/` and `%` without any check.
    pub const fn divide(&mut self, remainder: bool, kind: Kind, a: u32, b: u32) -> u32 {
        let signed = kind.is_signed();
        if kind.bits() == 128 {
            return self.wide_divide(remainder, signed, a, b);
        }
        if kind.bits() == 64 {
            return self.long(
                match (remainder, signed) {
                    (false, false) => Op::DivU64,
                    (false, true) => Op::DivS64,
                    (true, false) => Op::RemU64,
                    (true, true) => Op::RemS64,
                },
                a,
                b,
            );
        }
        let op = match (remainder, signed) {
            (false, false) => Op::DivU,
            (false, true) => Op::DivS,
            (true, false) => Op::RemU,
            (true, true) => Op::RemS,
        };
        let wide = self.word(op, a, b, 0);
        self.normalise(wide, kind)
    }

    /// Whether `a / b` overflows: the least value by -1.
    pub const fn division_overflow(&mut self, kind: Kind, a: u32, b: u32) -> u32 {
        let least = self.equals_integer(a, least(kind), kind);
        let minus_one = self.equals_integer(b, u128::MAX, kind);
        self.word(Op::And, least, minus_one, 0)
    }

    /// `/` or `%` with Rust's traps. `Wrapping` and `wrapping_div` trap on zero alone.
    pub const fn checked_divide(&mut self, operator: Operator, kind: Kind, a: u32, b: u32, wrapping: bool) -> u32 {
        let remainder = matches!(operator, Operator::Rem);
        let zero = self.equals_integer(b, 0, kind);
        self.trap_if(
            zero,
            if remainder {
                "attempt to calculate the remainder with a divisor of zero"
            } else {
                "attempt to divide by zero"
            },
        );
        if kind.is_signed() && !wrapping {
            let overflow = self.division_overflow(kind, a, b);
            self.trap_if(overflow, overflow_text(operator));
        }
        self.divide(remainder, kind, a, b)
    }

    /// `a op b` of two scalars, or a comparison of anything.
    pub const fn binary(&mut self, operator: Operator, a: Operand, b: Operand) -> Operand {
        let a = self.deref_all(a);
        let b = self.deref_all(b);
        if matches!(a.at, Where::Never) || matches!(b.at, Where::Never) {
            return Operand::NEVER;
        }
        if matches!(operator, Operator::Shl | Operator::Shr) {
            let checks = self.checks() && !matches!(a.ty.kind, Kind::Wrapping);
            return self.shift_operator(operator, a.ty, a, b, checks);
        }
        let a = self.typed_like(a, b);
        let b = self.typed_like(b, a);
        if operator as u8 >= Operator::Eq as u8 {
            let word = self.compare(operator, a, b);
            return Operand::scalar(<bool as Value>::TYPE, word);
        }
        let ty = a.ty;
        let kind = ty.arithmetic_kind();
        assert!(
            kind.is_scalar(),
            "an operator of these types is not available inside a routine"
        );
        let base = if matches!(kind, Kind::F32) {
            let (left, right) = (self.value(a), self.value(b));
            let op = match operator {
                Operator::Add => Op::FAdd,
                Operator::Sub => Op::FSub,
                Operator::Mul => Op::FMul,
                Operator::Div => Op::FDiv,
                _ => Op::FRem,
            };
            self.word(op, left, right, 0)
        } else if matches!(kind, Kind::F64) {
            let (left, right) = (self.value(a), self.value(b));
            self.double_operation(operator, left, right)
        } else {
            self.integer_operation(operator, kind, a, b)
        };
        Operand::scalar(ty, base)
    }

    /// The same of two integers, or bools.
    const fn integer_operation(&mut self, operator: Operator, kind: Kind, a: Operand, b: Operand) -> u32 {
        let bits = kind.bits();
        let wrapping = matches!(a.ty.kind, Kind::Wrapping);
        let immediate = match b.at {
            Where::Literal(value) => Some(value as u32),
            _ => None,
        };
        let left = self.value(a);
        // Where the constant goes into the instruction and no check reads it, it needs no word.
        let checks = !wrapping && self.checks();
        let only_immediate = immediate.is_some()
            && kind.is_integer()
            && bits <= 32
            && match operator {
                Operator::Add | Operator::Sub | Operator::Mul => !checks || bits < 32,
                Operator::BitAnd | Operator::BitOr | Operator::BitXor => true,
                _ => false,
            };
        let right = if only_immediate { 0 } else { self.value(b) };
        match operator {
            Operator::Add | Operator::Sub | Operator::Mul => {
                let overflow = if checks { Overflow::Flag } else { Overflow::Wrap };
                let immediate = if bits > 32 { None } else { immediate };
                let result = self.ring_operation(operator, kind, left, right, immediate, overflow);
                if checks {
                    self.trap_if(result.overflow, overflow_text(operator));
                }
                result.base
            }
            Operator::Div | Operator::Rem => self.checked_divide(operator, kind, left, right, wrapping),
            _ => {
                let immediate = if only_immediate { immediate } else { None };
                self.bitwise(operator, kind, left, right, immediate)
            }
        }
    }

    const fn bitwise(&mut self, operator: Operator, kind: Kind, a: u32, b: u32, immediate: Option<u32>) -> u32 {
        if let Some(value) = immediate {
            let op = match operator {
                Operator::BitAnd => Op::AndImm,
                Operator::BitOr => Op::OrImm,
                _ => Op::XorImm,
            };
            let wide = self.word(op, a, value, 0);
            return self.normalise(wide, kind);
        }
        let op = match operator {
            Operator::BitAnd => Op::And,
            Operator::BitOr => Op::Or,
            _ => Op::Xor,
        };
        self.each_word(op, kind, a, b)
    }

    /// A fresh value of any integer width: an operation of words, word by word.
    pub const fn each_word(&mut self, op: Op, kind: Kind, a: u32, b: u32) -> u32 {
        let d = self.fresh(kind.words());
        let mut i = 0;
        while i < kind.words() {
            self.emit(op, [d + i, a + i, b + i, 0]);
            i += 1;
        }
        d
    }

    /// `-a` or `!a`.
    pub const fn unary(&mut self, operator: Operator, a: Operand) -> Operand {
        let a = self.deref_all(a);
        if a.is_never() {
            return a;
        }
        let kind = a.ty.arithmetic_kind();
        let base = self.value(a);
        let result = match operator {
            Operator::Not => self.complement(base, kind),
            _ if matches!(kind, Kind::F32) => self.word(Op::XorImm, base, 0x8000_0000, 0),
            _ if matches!(kind, Kind::F64) => self.double_negative(base),
            _ => {
                if self.checks() && !matches!(a.ty.kind, Kind::Wrapping) {
                    let least = self.equals_integer(base, least(kind), kind);
                    self.trap_if(least, overflow_text(Operator::Neg));
                }
                self.negate(base, kind)
            }
        };
        Operand::scalar(a.ty, result)
    }

    /// All bits turned; a bool's opposite.
    pub const fn complement(&mut self, base: u32, kind: Kind) -> u32 {
        if kind.words() > 1 {
            let d = self.fresh(kind.words());
            let mut i = 0;
            while i < kind.words() {
                self.emit(Op::XorImm, [d + i, base + i, u32::MAX, 0]);
                i += 1;
            }
            return d;
        }
        let mask = if kind.is_signed() || kind.bits() == 32 {
            u32::MAX
        } else {
            (1 << kind.bits()) - 1
        };
        self.word(Op::XorImm, base, mask, 0)
    }

    /// `-a`, wrapped.
    pub const fn negate(&mut self, base: u32, kind: Kind) -> u32 {
        if kind.words() > 1 {
            let zero = self.integer(0, kind);
            return self
                .ring_operation(Operator::Sub, kind, zero, base, None, Overflow::Wrap)
                .base;
        }
        let wide = self.word(Op::Neg, base, 0, 0);
        self.normalise(wide, kind)
    }
}
