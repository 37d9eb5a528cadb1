//! Arithmetic, comparison and mathematical functions.

use std::ops;

use super::{Body, Operand, Scalar, Value, Word};
use crate::isa::{NO_WORD, Op, pair};
use crate::library::number;
use crate::routine::Cause;
use crate::types::{Kind, TypeRef};

/// What has Rust's arithmetic: `u32 i32 u64 i64 f32 f64`. Smaller integers are [cast](Value::cast) first.
pub trait Number: Scalar {}

/// `u32 i32 u64 i64`.
pub trait Integer: Number {}

/// `f32` and `f64`.
pub trait Float: Number {}

macro_rules! numbers {
    ($($ty:ty: $kind:ident;)*) => {$(
        impl Number for $ty {}
        impl $kind for $ty {}
    )*};
}
numbers! {
    u32: Integer; i32: Integer; u64: Integer; i64: Integer; f32: Float; f64: Float;
}

/// What an operation is for each kind of number. A pair's is one on two words, a double's a function of the library.
#[derive(Clone, Copy)]
struct Forms {
    unsigned: Op,
    signed: Op,
    unsigned_long: Op,
    signed_long: Op,
    float: Op,
    double: u32,
}

const fn forms([unsigned, signed, unsigned_long, signed_long, float]: [Op; 5], double: u32) -> Forms {
    Forms {
        unsigned,
        signed,
        unsigned_long,
        signed_long,
        float,
        double,
    }
}

const ADD: Forms = forms([Op::Add, Op::Add, Op::Add64, Op::Add64, Op::FAdd], number::add_f64);
const SUB: Forms = forms([Op::Sub, Op::Sub, Op::Sub64, Op::Sub64, Op::FSub], number::sub_f64);
const MUL: Forms = forms([Op::Mul, Op::Mul, Op::Mul64, Op::Mul64, Op::FMul], number::mul_f64);
const DIV: Forms = forms([Op::DivU, Op::DivS, Op::DivU64, Op::DivS64, Op::FDiv], number::div_f64);
const REM: Forms = forms([Op::RemU, Op::RemS, Op::RemU64, Op::RemS64, Op::FRem], number::rem_f64);
const EQ: Forms = forms([Op::Eq, Op::Eq, Op::Eq64, Op::Eq64, Op::FEq], number::eq_f64);
const LT: Forms = forms([Op::LtU, Op::LtS, Op::LtU64, Op::LtS64, Op::FLt], number::lt_f64);

/// The words of an operation's result.
#[derive(Clone, Copy, PartialEq)]
enum Gives {
    Number,
    Truth,
}

impl Body {
    /// An operation of two numbers of a kind.
    #[track_caller]
    fn binary(&self, kind: Kind, forms: Forms, [a, b]: [Word; 2], gives: Gives) -> Word {
        let long = matches!(kind, Kind::U64 | Kind::I64);
        let op = match kind {
            Kind::I32 | Kind::I8 | Kind::I16 | Kind::Isize => forms.signed,
            Kind::U64 => forms.unsigned_long,
            Kind::I64 => forms.signed_long,
            Kind::F32 => forms.float,
            Kind::F64 => {
                let double = TypeRef::of::<f64>();
                let words = if gives == Gives::Number { 2 } else { 1 };
                return self.library(forms.double, &[(double, a), (double, b)], words);
            }
            _ => forms.unsigned,
        };
        if !long {
            return self.compute(op, [a, b, 0]);
        }
        let (left, right) = (pair(a, a + 1), pair(b, b + 1));
        match gives {
            Gives::Number => {
                let word = self.words(2);
                self.emit(op, [pair(word, word + 1), left, right, 0]);
                word
            }
            Gives::Truth => self.compute(op, [left, right, 0]),
        }
    }

    #[track_caller]
    fn not(&self, truth: Word) -> Word {
        self.compute(Op::XorImm, [truth, 1, 0])
    }

    /// Whether all bits of an integer are those of a constant.
    #[track_caller]
    fn is(&self, kind: Kind, word: Word, value: u64) -> Word {
        let low = self.immediate(value as u32);
        if kind.words() == 2 {
            let high = self.immediate((value >> 32) as u32);
            return self.compute(Op::Eq64, [pair(word, word + 1), pair(low, high), 0]);
        }
        self.compute(Op::Eq, [word, low, 0])
    }

    /// A quotient or a remainder, with the traps that Rust's has.
    #[track_caller]
    fn divided(&self, kind: Kind, forms: Forms, [a, b]: [Word; 2], [by_zero, overflow]: [&'static str; 2]) -> Word {
        if matches!(kind, Kind::F32 | Kind::F64) {
            return self.binary(kind, forms, [a, b], Gives::Number);
        }
        let zero = self.is(kind, b, 0);
        self.trap_if(zero, Cause::Message(by_zero), [NO_WORD; 2]);
        let least = match kind {
            Kind::I32 => Some(u64::from(i32::MIN as u32)),
            Kind::I64 => Some(i64::MIN as u64),
            _ => None,
        };
        if let Some(least) = least {
            let (least, one) = (self.is(kind, a, least), self.is(kind, b, u64::MAX));
            let both = self.compute(Op::And, [least, one, 0]);
            self.trap_if(both, Cause::Message(overflow), [NO_WORD; 2]);
        }
        self.binary(kind, forms, [a, b], Gives::Number)
    }

    /// A function of floats, of the machine or of the library.
    #[track_caller]
    fn function(&self, kind: Kind, op: Option<Op>, [single, double]: [Option<u32>; 2], args: &[Word]) -> Word {
        let library = match (kind, op) {
            (Kind::F64, _) => double,
            (_, Some(op)) => {
                let mut operands = [0; 3];
                operands[..args.len()].copy_from_slice(args);
                return self.compute(op, operands);
            }
            (_, None) => single,
        };
        let ty = if kind == Kind::F64 {
            TypeRef::of::<f64>()
        } else {
            TypeRef::of::<f32>()
        };
        let args: Vec<(TypeRef, Word)> = args.iter().map(|word| (ty, *word)).collect();
        match library {
            Some(function) => self.library(function, &args, ty.words()),
            None => {
                self.mistake("there is no such function of this type");
                args.first().map_or(0, |(_, word)| *word)
            }
        }
    }
}

const DIV_MESSAGES: [&str; 2] = ["attempt to divide by zero", "attempt to divide with overflow"];
const REM_MESSAGES: [&str; 2] = [
    "attempt to calculate the remainder with a divisor of zero",
    "attempt to calculate the remainder with overflow",
];

macro_rules! operators {
    ($($trait:ident $method:ident of $bound:ident: |$body:ident, $kind:ident, $words:ident| $compute:expr;)*) => {$(
        impl<'b, T: $bound, R: Operand<'b, T>> ops::$trait<R> for Value<'b, T> {
            type Output = Value<'b, T>;

            #[track_caller]
            fn $method(self, right: R) -> Value<'b, T> {
                let right = right.value(self.body);
                let ($body, $kind, $words) = (self.body, T::KIND, [self.word, right.word]);
                Value::of(self.body, $compute)
            }
        }
    )*};
}
operators! {
    Add add of Number: |body, kind, words| body.binary(kind, ADD, words, Gives::Number);
    Sub sub of Number: |body, kind, words| body.binary(kind, SUB, words, Gives::Number);
    Mul mul of Number: |body, kind, words| body.binary(kind, MUL, words, Gives::Number);
    Div div of Number: |body, kind, words| body.divided(kind, DIV, words, DIV_MESSAGES);
    Rem rem of Number: |body, kind, words| body.divided(kind, REM, words, REM_MESSAGES);
    BitAnd bitand of Bits: |body, kind, words| body.bits(kind, Op::And, words);
    BitOr bitor of Bits: |body, kind, words| body.bits(kind, Op::Or, words);
    BitXor bitxor of Bits: |body, kind, words| body.bits(kind, Op::Xor, words);
}

/// What has bits: `bool u32 i32 u64 i64`.
pub trait Bits: Scalar {}

impl Bits for bool {}
impl Bits for u32 {}
impl Bits for i32 {}
impl Bits for u64 {}
impl Bits for i64 {}

impl<'b, T: Integer, R: Operand<'b, u32>> ops::Shl<R> for Value<'b, T> {
    type Output = Value<'b, T>;

    /// By as many bits modulo the number's, as `wrapping_shl` does.
    #[track_caller]
    fn shl(self, right: R) -> Value<'b, T> {
        let by = right.value(self.body);
        Value::of(
            self.body,
            self.body.shifted(T::KIND, [Op::Shl, Op::Shl64], [self.word, by.word]),
        )
    }
}

impl<'b, T: Integer, R: Operand<'b, u32>> ops::Shr<R> for Value<'b, T> {
    type Output = Value<'b, T>;

    /// By as many bits modulo the number's, as `wrapping_shr` does.
    #[track_caller]
    fn shr(self, right: R) -> Value<'b, T> {
        let by = right.value(self.body);
        let signed = matches!(T::KIND, Kind::I32 | Kind::I64);
        let ops = if signed {
            [Op::Sar, Op::Sar64]
        } else {
            [Op::Shr, Op::Shr64]
        };
        Value::of(self.body, self.body.shifted(T::KIND, ops, [self.word, by.word]))
    }
}

impl<'b, T: Number> ops::Neg for Value<'b, T> {
    type Output = Value<'b, T>;

    #[track_caller]
    fn neg(self) -> Value<'b, T> {
        let (body, word) = (self.body, self.word);
        let negated = match T::KIND {
            // Only the sign changes, also of zeros and NaNs.
            Kind::F32 => body.compute(Op::XorImm, [word, 1 << 31, 0]),
            Kind::F64 => {
                let negated = body.words(2);
                body.emit(Op::Mov, [negated, word, 0, 0]);
                body.emit(Op::XorImm, [negated + 1, word + 1, 1 << 31, 0]);
                negated
            }
            Kind::U64 | Kind::I64 => {
                let zero = body.constant(0u64).word;
                body.binary(T::KIND, SUB, [zero, word], Gives::Number)
            }
            _ => body.compute(Op::Neg, [word, 0, 0]),
        };
        Value::of(body, negated)
    }
}

impl<'b, T: Bits> ops::Not for Value<'b, T> {
    type Output = Value<'b, T>;

    #[track_caller]
    fn not(self) -> Value<'b, T> {
        let (body, word) = (self.body, self.word);
        if T::KIND == Kind::Bool {
            return Value::of(body, body.not(word));
        }
        let first = body.words(T::KIND.words());
        for k in 0..T::KIND.words() {
            body.emit(Op::XorImm, [first + k, word + k, u32::MAX, 0]);
        }
        Value::of(body, first)
    }
}

impl Body {
    #[track_caller]
    fn bits(&self, kind: Kind, op: Op, [a, b]: [Word; 2]) -> Word {
        let first = self.words(kind.words());
        for k in 0..kind.words() {
            self.emit(op, [first + k, a + k, b + k, 0]);
        }
        first
    }

    #[track_caller]
    fn shifted(&self, kind: Kind, [short, long]: [Op; 2], [value, by]: [Word; 2]) -> Word {
        if kind.words() == 1 {
            return self.compute(short, [value, by, 0]);
        }
        let word = self.words(2);
        self.emit(long, [pair(word, word + 1), pair(value, value + 1), by, 0]);
        word
    }
}

impl<'b, T: Scalar> Value<'b, T> {
    #[track_caller]
    fn comparison(self, forms: Forms, right: Value<'b, T>) -> Value<'b, bool> {
        let word = self.body.binary(T::KIND, forms, [self.word, right.word], Gives::Truth);
        Value::of(self.body, word)
    }

    /// Whether both are equal.
    #[track_caller]
    pub fn eq(self, right: impl Operand<'b, T>) -> Value<'b, bool> {
        let right = right.value(self.body);
        self.comparison(EQ, right)
    }

    /// Whether they differ.
    #[track_caller]
    pub fn ne(self, right: impl Operand<'b, T>) -> Value<'b, bool> {
        !self.eq(right)
    }

    /// Whether it is less.
    #[track_caller]
    pub fn lt(self, right: impl Operand<'b, T>) -> Value<'b, bool> {
        let right = right.value(self.body);
        self.comparison(LT, right)
    }

    /// Whether it is greater.
    #[track_caller]
    pub fn gt(self, right: impl Operand<'b, T>) -> Value<'b, bool> {
        let right = right.value(self.body);
        right.comparison(LT, self)
    }

    /// Whether it is less or equal.
    #[track_caller]
    pub fn le(self, right: impl Operand<'b, T>) -> Value<'b, bool> {
        let right = right.value(self.body);
        match T::KIND {
            Kind::F32 => Value::of(self.body, self.body.compute(Op::FLe, [self.word, right.word, 0])),
            Kind::F64 => {
                let double = TypeRef::of::<f64>();
                let args = [(double, self.word), (double, right.word)];
                Value::of(self.body, self.body.library(number::le_f64, &args, 1))
            }
            _ => !right.comparison(LT, self),
        }
    }

    /// Whether it is greater or equal.
    #[track_caller]
    pub fn ge(self, right: impl Operand<'b, T>) -> Value<'b, bool> {
        let right = right.value(self.body);
        right.le(self)
    }
}

impl<'b, T: Number> Value<'b, T> {
    /// The smaller one; of a float and a NaN the float, as Rust's.
    #[track_caller]
    pub fn min(self, right: impl Operand<'b, T>) -> Value<'b, T> {
        let right = right.value(self.body);
        match T::KIND {
            Kind::F32 | Kind::F64 => {
                let function = self.body.function(
                    T::KIND,
                    Some(Op::FMin),
                    [None, Some(number::min_f64)],
                    &[self.word, right.word],
                );
                Value::of(self.body, function)
            }
            Kind::U32 => Value::of(self.body, self.body.compute(Op::MinU, [self.word, right.word, 0])),
            Kind::I32 => Value::of(self.body, self.body.compute(Op::MinS, [self.word, right.word, 0])),
            _ => self.body.select(self.lt(right), self, right),
        }
    }

    /// The larger one; of a float and a NaN the float, as Rust's.
    #[track_caller]
    pub fn max(self, right: impl Operand<'b, T>) -> Value<'b, T> {
        let right = right.value(self.body);
        match T::KIND {
            Kind::F32 | Kind::F64 => {
                let function = self.body.function(
                    T::KIND,
                    Some(Op::FMax),
                    [None, Some(number::max_f64)],
                    &[self.word, right.word],
                );
                Value::of(self.body, function)
            }
            Kind::U32 => Value::of(self.body, self.body.compute(Op::MaxU, [self.word, right.word, 0])),
            Kind::I32 => Value::of(self.body, self.body.compute(Op::MaxS, [self.word, right.word, 0])),
            _ => self.body.select(self.lt(right), right, self),
        }
    }
}

macro_rules! integer_functions {
    ($($(#[$meta:meta])* $name:ident = $op:ident;)*) => {
        impl<'b> Value<'b, u32> {$(
            $(#[$meta])*
            #[track_caller]
            pub fn $name(self) -> Value<'b, u32> {
                Value::of(self.body, self.body.compute(Op::$op, [self.word, 0, 0]))
            }
        )*}
    };
}
integer_functions! {
    /// How many bits are 0 before the first that is 1.
    leading_zeros = Clz;
    /// How many bits are 0 behind the last that is 1.
    trailing_zeros = Ctz;
    /// How many bits are 1.
    count_ones = Popcount;
    /// The bits in the opposite order.
    reverse_bits = BitReverse;
    /// The bytes in the opposite order.
    swap_bytes = ByteSwap;
}

impl<'b> Value<'b, u32> {
    /// Its bits rotated to the left.
    #[track_caller]
    pub fn rotate_left(self, by: impl Operand<'b, u32>) -> Value<'b, u32> {
        let by = by.value(self.body);
        Value::of(self.body, self.body.compute(Op::Rotl, [self.word, by.word, 0]))
    }

    /// The high word of the product.
    #[track_caller]
    pub fn mul_high(self, right: impl Operand<'b, u32>) -> Value<'b, u32> {
        let right = right.value(self.body);
        Value::of(self.body, self.body.compute(Op::MulHighU, [self.word, right.word, 0]))
    }

    /// The number with these bits.
    #[track_caller]
    pub fn as_f32(self) -> Value<'b, f32> {
        Value::of(self.body, self.word)
    }
}

impl<'b> Value<'b, f32> {
    /// Its bits, as Rust's `to_bits`, with one NaN for all.
    #[track_caller]
    pub fn to_bits(self) -> Value<'b, u32> {
        Value::of(self.body, self.body.compute(Op::FCanon, [self.word, 0, 0]))
    }
}

impl<'b> Value<'b, u64> {
    /// The number with these bits.
    #[track_caller]
    pub fn as_f64(self) -> Value<'b, f64> {
        Value::of(self.body, self.word)
    }
}

impl<'b> Value<'b, f64> {
    /// Its bits, as Rust's `to_bits`, with one NaN for all.
    #[track_caller]
    pub fn to_bits(self) -> Value<'b, u64> {
        let bits: Value<'b, u64> = Value::of(self.body, self.word);
        let is_nan = (bits & (u64::MAX >> 1)).gt(f64::INFINITY.to_bits());
        self.body.select(is_nan, f64::NAN.to_bits(), bits)
    }
}

macro_rules! float_functions {
    ($($(#[$meta:meta])* $name:ident($($argument:ident),*) = $op:expr, $single:expr, $double:expr;)*) => {
        impl<'b, T: Float> Value<'b, T> {$(
            $(#[$meta])*
            #[track_caller]
            pub fn $name(self, $($argument: impl Operand<'b, T>),*) -> Value<'b, T> {
                $(let $argument = $argument.value(self.body);)*
                let words = [self.word, $($argument.word),*];
                Value::of(self.body, self.body.function(T::KIND, $op, [$single, $double], &words))
            }
        )*}
    };
}
float_functions! {
    /// The square root, correctly rounded.
    sqrt() = Some(Op::FSqrt), None, Some(number::sqrt_f64);
    /// `self * a + b`, rounded once.
    mul_add(a, b) = Some(Op::FMulAdd), None, Some(number::mul_add_f64);
    /// Rounded towards minus infinity.
    floor() = Some(Op::FFloor), None, Some(number::floor_f64);
    /// Rounded towards plus infinity.
    ceil() = Some(Op::FCeil), None, Some(number::ceil_f64);
    /// Rounded towards zero.
    trunc() = Some(Op::FTrunc), None, Some(number::trunc_f64);
    /// Rounded to the nearest, halves away from zero.
    round() = Some(Op::FRound), None, Some(number::round_f64);
    /// The sine.
    sin() = None, Some(number::sin), Some(number::sin_f64);
    /// The cosine.
    cos() = None, Some(number::cos), Some(number::cos_f64);
    /// The tangent.
    tan() = None, Some(number::tan), Some(number::tan_f64);
    /// The arc sine.
    asin() = None, Some(number::asin), Some(number::asin_f64);
    /// The arc cosine.
    acos() = None, Some(number::acos), Some(number::acos_f64);
    /// The arc tangent.
    atan() = None, Some(number::atan), Some(number::atan_f64);
    /// The angle of the point whose `y` this is.
    atan2(x) = None, Some(number::atan2), Some(number::atan2_f64);
    /// The hyperbolic sine.
    sinh() = None, Some(number::sinh), Some(number::sinh_f64);
    /// The hyperbolic cosine.
    cosh() = None, Some(number::cosh), Some(number::cosh_f64);
    /// The hyperbolic tangent.
    tanh() = None, Some(number::tanh), Some(number::tanh_f64);
    /// e to this power.
    exp() = None, Some(number::exp), Some(number::exp_f64);
    /// 2 to this power.
    exp2() = None, Some(number::exp2), Some(number::exp2_f64);
    /// The natural logarithm.
    ln() = None, Some(number::ln), Some(number::ln_f64);
    /// The logarithm to base 2.
    log2() = None, Some(number::log2), Some(number::log2_f64);
    /// The logarithm to base 10.
    log10() = None, Some(number::log10), Some(number::log10_f64);
    /// To this power.
    powf(exponent) = None, Some(number::powf), Some(number::powf_f64);
    /// The length of the hypotenuse.
    hypot(other) = None, Some(number::hypot), Some(number::hypot_f64);
    /// The cube root.
    cbrt() = None, Some(number::cbrt), Some(number::cbrt_f64);
}

impl<'b, T: Float> Value<'b, T> {
    /// Without its sign.
    #[track_caller]
    pub fn abs(self) -> Value<'b, T> {
        let (body, words) = (self.body, T::KIND.words());
        let first = body.words(words);
        for k in 0..words - 1 {
            body.emit(Op::Mov, [first + k, self.word + k, 0, 0]);
        }
        body.emit(
            Op::AndImm,
            [first + words - 1, self.word + words - 1, i32::MAX as u32, 0],
        );
        Value::of(body, first)
    }
}
