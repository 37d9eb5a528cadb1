//! The std methods of the machine's own types: what each becomes in instructions or library calls.

use super::method::number as m;
use super::node::Operator;
use super::number::{Overflow, greatest, least, scalar_type, unsigned};
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::{NO_WORD, Op};
use crate::library::number as library;
use crate::routine::{Callee, Cause, Shown};
use crate::types::{Kind, Type, TypeRef, Value};

/// The most arguments a std method has, the receiver included.
const MOST_ARGUMENTS: usize = 5;

/// The arguments of one call, receiver first.
type Arguments = [Operand; MOST_ARGUMENTS];

impl<const CAP: usize> Encoder<CAP> {
    /// Encodes the std method `method` of the top `count` operands.
    pub const fn std_method(&mut self, method: u16, count: u32, of: Option<Kind>) {
        assert!(
            count as usize <= MOST_ARGUMENTS,
            "no std method of the machine has that many arguments"
        );
        let mut arguments: Arguments = [Operand::UNIT; MOST_ARGUMENTS];
        let mut i = count as usize;
        let mut never = false;
        while i > 0 {
            i -= 1;
            arguments[i] = self.pop();
            never = never || arguments[i].is_never();
        }
        if never {
            self.push(Operand::NEVER);
            return;
        }
        if let Some(kind) = of {
            if method == m::from_bits {
                let bits = self.convert(arguments[0], TypeRef::value(<u32 as Value>::TYPE));
                let bits = self.value(bits);
                self.push(Operand::scalar(<f32 as Value>::TYPE, bits).shared());
                return;
            }
            arguments[0] = self.convert(arguments[0], TypeRef::value(scalar_type(kind)));
        }
        let result = self.method_of(method, arguments);
        self.push(result);
    }

    const fn method_of(&mut self, method: u16, arguments: Arguments) -> Operand {
        let receiver = self.deref_all(arguments[0]);
        match method {
            m::clone => return self.owned(receiver),
            m::len | m::is_empty => {
                let length = self.length(receiver);
                let length = self.length_word(length);
                if method == m::len {
                    return Operand::scalar(<usize as Value>::TYPE, length).shared();
                }
                let zero = self.imm(0);
                let empty = self.word(Op::Eq, length, zero, 0);
                return Operand::scalar(<bool as Value>::TYPE, empty);
            }
            _ => {}
        }
        match receiver.ty.kind {
            Kind::Enum => self.option_method(method, receiver, arguments[1]),
            Kind::Atomic => self.atomic_method(method, receiver, arguments),
            _ => {
                let kind = receiver.ty.arithmetic_kind();
                match kind {
                    Kind::F32 => self.float_method(method, receiver, arguments),
                    _ if kind.is_integer() => self.integer_method(method, receiver, arguments),
                    _ => panic!("a method that is called here is not available inside a routine for this type"),
                }
            }
        }
    }

    // Option and Result.

    const fn option_method(&mut self, method: u16, receiver: Operand, other: Operand) -> Operand {
        let tag = self.value(receiver.part(<u32 as Value>::TYPE, 0));
        // The variant with the wanted value: 1 for `Some`, 0 for `Ok`.
        let option = receiver.ty.variants.len() == 2 && receiver.ty.variants[0].fields.is_empty();
        let present = if option { tag } else { self.not_bool(tag) };
        let field = receiver.ty.variants[option as usize].fields[0];
        match method {
            m::is_some | m::is_ok => Operand::scalar(<bool as Value>::TYPE, present).shared(),
            m::is_none | m::is_err => {
                let absent = self.not_bool(present);
                Operand::scalar(<bool as Value>::TYPE, absent)
            }
            m::unwrap => {
                let absent = self.not_bool(present);
                assert!(option, "`unwrap` inside a routine is for Option: match on the Result");
                self.trap_if(absent, "called `Option::unwrap()` on a `None` value");
                receiver.part(field.ty, field.offset)
            }
            m::unwrap_or => {
                let other = self.convert(other, TypeRef::value(field.ty));
                let other = self.value(other);
                let value = self.value(receiver.part(field.ty, field.offset));
                let base = self.fresh(field.ty.words);
                let mut i = 0;
                while i < field.ty.words {
                    self.emit(Op::Select, [base + i, present, value + i, other + i]);
                    i += 1;
                }
                Operand::fresh(TypeRef::value(field.ty), base)
            }
            _ => panic!(
                "a method of Option or Result that is called here is not available inside a routine: use `match`"
            ),
        }
    }

    /// `Some(value)` where `absent` is 0, else `None`; the payload's words are 0 for `None`.
    const fn option(&mut self, ty: &'static Type, value: u32, absent: u32) -> Operand {
        let base = self.fresh(ty.words);
        self.emit(Op::XorImm, [base, absent, 1, 0]);
        let zero = self.imm(0);
        let mut i = 1;
        while i < ty.words {
            self.emit(Op::Select, [base + i, absent, zero, value + i - 1]);
            i += 1;
        }
        Operand::fresh(TypeRef::value(ty), base)
    }

    // Atomics.

    const fn atomic_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
        let Some(element) = receiver.ty.element else {
            panic!("an atomic has an element")
        };
        let Where::Memory {
            offset, displacement, ..
        } = receiver.at
        else {
            panic!("atomics are reached through a parameter `&[AtomicU32]`")
        };
        let at = self.word(Op::AddImm, offset, displacement, 0);
        let want = TypeRef::value(element);
        let signed = element.kind.is_signed();
        if method == m::load {
            let word = self.word(Op::AtomicLoad, at, 0, 0);
            return Operand::scalar(element, word);
        }
        let value = self.convert(arguments[1], want);
        let value = self.value(value);
        let op = match method {
            m::store => {
                self.emit(Op::AtomicStore, [value, at, 0, 0]);
                return Operand::UNIT;
            }
            m::compare_exchange => {
                let new = self.convert(arguments[2], want);
                let new = self.value(new);
                let old = self.word(Op::AtomicCas, at, value, new);
                let failed = self.word(Op::Ne, old, value, 0);
                let ty = if signed {
                    <Result<i32, i32> as Value>::TYPE
                } else {
                    <Result<u32, u32> as Value>::TYPE
                };
                let base = self.fresh(2);
                self.copy_words(base, failed, 1);
                self.copy_words(base + 1, old, 1);
                return Operand::fresh(TypeRef::value(ty), base);
            }
            m::fetch_add => Op::AtomicAdd,
            m::fetch_sub => Op::AtomicSub,
            m::fetch_and => Op::AtomicAnd,
            m::fetch_or => Op::AtomicOr,
            m::fetch_xor => Op::AtomicXor,
            m::fetch_min => {
                if signed {
                    Op::AtomicMinS
                } else {
                    Op::AtomicMinU
                }
            }
            m::fetch_max => {
                if signed {
                    Op::AtomicMaxS
                } else {
                    Op::AtomicMaxU
                }
            }
            m::swap => Op::AtomicSwap,
            _ => panic!("a method of an atomic that is called here is not available inside a routine"),
        };
        let word = self.word(op, at, value, 0);
        Operand::scalar(element, word)
    }

    // Library functions.

    /// Calls a function of the library whose arguments and results are words.
    const fn library(&mut self, function: u32, arguments: &[u32], results: u32) -> u32 {
        let base = self.fresh(arguments.len() as u32);
        let mut i = 0;
        while i < arguments.len() {
            self.copy_words(base + i as u32, arguments[i], 1);
            i += 1;
        }
        let result = self.fresh(results);
        let callee = self.callees.len as u32;
        self.callees.push(Callee::Library(function));
        self.emit(Op::Call, [callee, base, result, 0]);
        result
    }

    // Floats.

    const fn float_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
        let float = <f32 as Value>::TYPE;
        let boolean = <bool as Value>::TYPE;
        let x = self.value(receiver);
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

    /// The word of a one-word argument.
    const fn argument(&mut self, operand: Operand, ty: &'static Type) -> u32 {
        let value = self.convert(operand, TypeRef::value(ty));
        self.value(value)
    }

    /// The sign bit of an f32, clear for every NaN.
    const fn sign_bit(&mut self, x: u32) -> u32 {
        let canonical = self.word(Op::FCanon, x, 0, 0);
        self.word(Op::AndImm, canonical, 0x8000_0000, 0)
    }

    const fn float_class(&mut self, method: u16, x: u32) -> u32 {
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

    const fn float_clamp(&mut self, x: u32, low: u32, high: u32) -> u32 {
        let ordered = self.word(Op::FLe, low, high, 0);
        let disordered = self.not_bool(ordered);
        let shown = Shown {
            kind: Kind::F32,
            debug: true,
        };
        let pieces = &["min > max, or either was NaN. min = ", ". max = ", ""];
        let site = self.site(Cause::Format {
            pieces,
            values: [shown, shown],
        });
        self.emit(Op::TrapIf, [site, disordered, low, high]);
        let below = self.word(Op::FLt, x, low, 0);
        let raised = self.select(below, low, x);
        let above = self.word(Op::FLt, high, raised, 0);
        self.select(above, high, raised)
    }

    // Integers.

    const fn integer_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
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
                let base = self.absolute(a, kind);
                return Operand::scalar(scalar_type(unsigned(kind)), base);
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
                if self.source.checks {
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

    /// The families `wrapping_*`, `checked_*`, `saturating_*`, `overflowing_*` and `pow`.
    const fn flagged_method(
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
    const fn value_and_flag(&mut self, kind: Kind, value: u32, flag: u32) -> Operand {
        let words = scalar_type(kind).words;
        let base = self.fresh(words + 1);
        self.copy_words(base, value, words);
        self.copy_words(base + words, flag, 1);
        Operand::fresh(TypeRef::value(flagged_type(kind)), base)
    }

    /// Where `a op b` ends up if it overflows.
    const fn saturation(&mut self, operator: Operator, kind: Kind, a: u32, b: u32) -> u32 {
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
    const fn power(&mut self, method: u16, ty: &'static Type, a: u32, exponent: Operand) -> Operand {
        let kind = ty.arithmetic_kind();
        let exponent = self.argument(exponent, <u32 as Value>::TYPE);
        let (base, mut flag);
        if kind.bits() == 64 {
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
            m::pow if self.source.checks && !matches!(ty.kind, Kind::Wrapping) => {
                self.trap_if(flag, "attempt to multiply with overflow");
                Operand::scalar(ty, base)
            }
            _ => Operand::scalar(ty, base),
        }
    }

    const fn extreme(&mut self, least: bool, kind: Kind, a: u32, b: u32) -> u32 {
        if kind.bits() == 64 {
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
    const fn absolute(&mut self, a: u32, kind: Kind) -> u32 {
        if !kind.is_signed() {
            return a;
        }
        let negative = self.is_negative(a, kind);
        let turned = self.negate(a, kind);
        self.choose(negative, turned, a, kind)
    }

    const fn euclid(&mut self, remainder: bool, kind: Kind, a: u32, b: u32) -> u32 {
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

    const fn square_root(&mut self, a: u32, kind: Kind) -> u32 {
        if kind.is_signed() {
            let negative = self.is_negative(a, kind);
            self.trap_if(negative, "argument of integer square root cannot be negative");
        }
        if kind.bits() == 64 {
            let root = self.library(library::isqrt_u64, &[a, a + 1], 1);
            self.cast_words(root, Kind::U32, Kind::U64)
        } else {
            self.library(library::isqrt_u32, &[a], 1)
        }
    }

    const fn next_power(&mut self, a: u32, kind: Kind) -> u32 {
        let one = self.integer(1, kind);
        let small = self.ordered(true, kind, a, one);
        let before = self.ring_operation(Operator::Sub, kind, a, one, None, Overflow::Wrap);
        let zeros = self.bit_count(m::leading_zeros, before.base, kind);
        let bits = self.imm(kind.bits());
        let amount = self.word(Op::Sub, bits, zeros, 0);
        let past = self.word(Op::Eq, amount, bits, 0);
        let large = self.not_bool(small);
        let overflow = self.word(Op::And, past, large, 0);
        if self.source.checks {
            self.trap_if(overflow, "attempt to add with overflow");
        }
        let masked = self.masked_amount(amount, kind);
        let shifted = self.shift(true, kind, one, masked);
        let zero = self.integer(0, kind);
        let power = self.choose(overflow, zero, shifted, kind);
        self.choose(small, one, power, kind)
    }

    /// The value's bits in one word (or two), sign extension cut off.
    const fn plain_bits(&mut self, a: u32, kind: Kind) -> u32 {
        if kind.bits() < 32 && kind.is_signed() {
            self.word(Op::AndImm, a, (1 << kind.bits()) - 1, 0)
        } else {
            a
        }
    }

    const fn bit_count(&mut self, method: u16, a: u32, kind: Kind) -> u32 {
        let mut bits = self.plain_bits(a, kind);
        match method {
            m::leading_ones => {
                bits = self.complement(bits, unsigned(kind));
                return self.bit_count(m::leading_zeros, bits, unsigned(kind));
            }
            m::trailing_ones => {
                bits = self.complement(bits, unsigned(kind));
                return self.bit_count(m::trailing_zeros, bits, unsigned(kind));
            }
            m::count_zeros => {
                let ones = self.bit_count(m::count_ones, a, kind);
                let all = self.imm(kind.bits());
                return self.word(Op::Sub, all, ones, 0);
            }
            m::ilog2 => {
                let zero = self.integer(0, kind);
                let not_positive = self.ordered(true, kind, a, zero);
                self.trap_if(not_positive, "argument of integer logarithm must be positive");
                let zeros = self.bit_count(m::leading_zeros, a, kind);
                let most = self.imm(kind.bits() - 1);
                return self.word(Op::Sub, most, zeros, 0);
            }
            _ => {}
        }
        if kind.bits() == 64 {
            return self.long_bit_count(method, bits);
        }
        match method {
            m::count_ones => self.word(Op::Popcount, bits, 0, 0),
            m::leading_zeros => {
                let zeros = self.word(Op::Clz, bits, 0, 0);
                if kind.bits() < 32 {
                    self.word(Op::AddImm, zeros, (32 - kind.bits()).wrapping_neg(), 0)
                } else {
                    zeros
                }
            }
            _ => {
                if kind.bits() < 32 {
                    bits = self.word(Op::OrImm, bits, 1 << kind.bits(), 0);
                }
                self.word(Op::Ctz, bits, 0, 0)
            }
        }
    }

    const fn long_bit_count(&mut self, method: u16, base: u32) -> u32 {
        let (op, near, far) = match method {
            m::count_ones => {
                let low = self.word(Op::Popcount, base, 0, 0);
                let high = self.word(Op::Popcount, base + 1, 0, 0);
                return self.word(Op::Add, low, high, 0);
            }
            m::leading_zeros => (Op::Clz, base + 1, base),
            _ => (Op::Ctz, base, base + 1),
        };
        let first = self.word(op, near, 0, 0);
        let second = self.word(op, far, 0, 0);
        let beyond = self.word(Op::AddImm, second, 32, 0);
        self.select(near, first, beyond)
    }

    const fn swap_bytes(&mut self, a: u32, kind: Kind) -> u32 {
        match kind.bits() {
            8 => a,
            64 => {
                let d = self.fresh(2);
                self.emit(Op::ByteSwap, [d, a + 1, 0, 0]);
                self.emit(Op::ByteSwap, [d + 1, a, 0, 0]);
                d
            }
            bits => {
                let swapped = self.word(Op::ByteSwap, a, 0, 0);
                self.top_bits(swapped, bits, kind)
            }
        }
    }

    const fn reverse_bits(&mut self, a: u32, kind: Kind) -> u32 {
        if kind.bits() == 64 {
            let d = self.fresh(2);
            self.emit(Op::BitReverse, [d, a + 1, 0, 0]);
            self.emit(Op::BitReverse, [d + 1, a, 0, 0]);
            return d;
        }
        let reversed = self.word(Op::BitReverse, a, 0, 0);
        self.top_bits(reversed, kind.bits(), kind)
    }

    /// The top `bits` bits of a word as a value of the kind.
    const fn top_bits(&mut self, word: u32, bits: u32, kind: Kind) -> u32 {
        if bits == 32 {
            return word;
        }
        self.word(
            if kind.is_signed() { Op::SarImm } else { Op::ShrImm },
            word,
            32 - bits,
            0,
        )
    }

    const fn rotate(&mut self, left: bool, kind: Kind, a: u32, amount: u32) -> u32 {
        let amount = if left { amount } else { self.word(Op::Neg, amount, 0, 0) };
        if kind.bits() == 32 {
            return self.word(Op::Rotl, a, amount, 0);
        }
        let forth = self.masked_amount(amount, kind);
        let back = self.word(Op::Neg, forth, 0, 0);
        let plain = unsigned(kind);
        let bits = self.plain_bits(a, kind);
        if kind.bits() == 64 {
            // A rotation by 0 gives `a | a`, because shifts by 64 are shifts by 0.
            let high = self.shift(true, plain, bits, forth);
            let low = self.shift(false, plain, bits, back);
            return self.long_or(high, low);
        }
        let high = self.word(Op::Shl, bits, forth, 0);
        let rest = self.word(Op::AddImm, back, kind.bits(), 0);
        let low = self.word(Op::Shr, bits, rest, 0);
        let both = self.word(Op::Or, high, low, 0);
        self.normalise(both, kind)
    }

    const fn long_or(&mut self, a: u32, b: u32) -> u32 {
        let d = self.fresh(2);
        self.emit(Op::Or, [d, a, b, 0]);
        self.emit(Op::Or, [d + 1, a + 1, b + 1, 0]);
        d
    }

    /// `panic!` and failed assertions: traps with the message of that number and the top `count` operands.
    pub const fn panic_with(&mut self, message: usize, count: u32) {
        let text = self.source.messages[message];
        let mut words = [NO_WORD; 4];
        let mut shown = [Shown {
            kind: Kind::U32,
            debug: false,
        }; 2];
        let mut i = count as usize;
        while i > 0 {
            i -= 1;
            let operand = self.pop();
            let operand = self.deref_all(operand);
            let kind = operand.ty.arithmetic_kind();
            assert!(kind.is_scalar(), "a panic message can show numbers and bools only");
            let base = self.value(operand);
            shown[i] = Shown {
                kind,
                debug: text.debug[i],
            };
            words[2 * i] = base;
            words[2 * i + 1] = if kind.bits() == 64 { base + 1 } else { NO_WORD };
        }
        let cause = if count == 0 {
            Cause::Message(text.pieces[0])
        } else {
            Cause::Format {
                pieces: text.pieces,
                values: shown,
            }
        };
        let site = self.site(cause);
        self.emit(
            Op::Trap,
            [
                site,
                crate::isa::pair(words[0], words[1]),
                crate::isa::pair(words[2], words[3]),
                0,
            ],
        );
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
