//! Operations on floats. Sums, products and quotients are the device's own, which a probe has tried; where an operand is a literal
//! zero they are integer operations instead, because some compilers take `x + 0.0` for `x`. The rest is left to the shader's functions,
//! which are right everywhere, unless the routine is relaxed.

use gpuvm_core::isa::Op;
use naga::{BinaryOperator, MathFunction, Scalar, ScalarKind};

use super::super::code::Node;
use super::Emitter;
use super::words::{Operand, Value};
use crate::floats::{INVERSE_ROOT, LEAST_NORMAL, ROOT_OF_NORMAL};

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 1.0_f32.to_bits();
const MINUS_ONE: u32 = (-1.0_f32).to_bits();
const INFINITY: u32 = f32::INFINITY.to_bits();
const NAN: u32 = 0x7fc0_0000;

/// Whether bits are those of a zero.
fn is_zero(bits: u32) -> bool {
    bits & !SIGN == 0
}

/// The inverse of a power of two, if both are normal numbers: multiplying by it is the same as dividing.
fn inverse_power(bits: u32) -> Option<u32> {
    let exponent = bits >> 23 & 0xff;
    let known = bits << 9 == 0 && (1..=253).contains(&exponent);
    known.then(|| bits & SIGN | (254 - exponent) << 23)
}

impl Emitter<'_> {
    /// An operation on floats, `None` if it is another.
    pub fn float(&mut self, op: Op, inputs: &[Operand]) -> Option<Value> {
        let x = *inputs.first()?;
        let y = inputs.get(1).copied().unwrap_or(x);
        let relaxed = self.options.relaxed;
        Some(match op {
            Op::FAdd | Op::FAddImm | Op::FSub | Op::FMul | Op::FMulImm | Op::FDiv => {
                let (x, y) = (self.kept(x), self.kept(y));
                match op {
                    Op::FSub => self.float_minus(x, y),
                    Op::FMul => self.product_of_floats(x, y),
                    Op::FMulImm => self.float_times(x, y),
                    Op::FDiv => self.quotient_of_floats(x, y),
                    _ => self.float_plus(x, y),
                }
            }
            Op::FRem if relaxed => {
                let (x, y) = (self.f(x), self.f(y));
                Value::float(self.code.binary(BinaryOperator::Modulo, x, y))
            }
            Op::FMulAdd if relaxed => self.float_function(MathFunction::Fma, inputs),
            Op::FSqrt => self.square_root(x),
            Op::FFloor if relaxed => self.float_function(MathFunction::Floor, inputs),
            Op::FCeil if relaxed => self.float_function(MathFunction::Ceil, inputs),
            Op::FTrunc if relaxed => self.float_function(MathFunction::Trunc, inputs),
            Op::FRoundEven if relaxed => self.float_function(MathFunction::Round, inputs),
            Op::FMin if relaxed => self.float_function(MathFunction::Min, inputs),
            Op::FMax if relaxed => self.float_function(MathFunction::Max, inputs),
            Op::FCanon if relaxed => self.value(x),
            Op::FEq if relaxed || self.options.floats.native(op) => self.compare_floats(BinaryOperator::Equal, x, y),
            Op::FLt if relaxed || self.options.floats.native(op) => self.compare_floats(BinaryOperator::Less, x, y),
            Op::FLe if relaxed || self.options.floats.native(op) => {
                self.compare_floats(BinaryOperator::LessEqual, x, y)
            }
            Op::IToF if relaxed => {
                let integer = self.i(x);
                Value::float(self.code.convert(integer, Scalar::F32))
            }
            Op::UToF if relaxed => {
                let integer = self.w(x);
                Value::float(self.code.convert(integer, Scalar::F32))
            }
            Op::FMath => {
                let function = self.constant(*inputs.get(2)?)?;
                self.helper("fmath", &[Operand::Constant(function), x, y])
            }
            Op::FEq => self.helper_truth("feq", inputs),
            Op::FLt => self.helper_truth("flt", inputs),
            Op::FLe => self.helper_truth("fle", inputs),
            Op::FRem => self.helper("frem", inputs),
            Op::FMulAdd => self.helper("fma_exact", inputs),
            Op::FFloor => self.helper("ffloor", inputs),
            Op::FCeil => self.helper("fceil", inputs),
            Op::FTrunc => self.helper("ftrunc", inputs),
            Op::FRound => self.helper("fround", inputs),
            Op::FRoundEven => self.helper("fround_even", inputs),
            Op::FMin | Op::FMax => match self.limited(op, x, y) {
                Some(limited) => limited,
                None if op == Op::FMin => self.helper("fmin", inputs),
                None => self.helper("fmax", inputs),
            },
            Op::FCanon => self.helper("fcanon", inputs),
            Op::FToI => self.helper("float_to_signed", inputs),
            Op::FToU => self.helper("float_to_unsigned", inputs),
            Op::IToF => self.helper("signed_to_float", inputs),
            Op::UToF => self.helper("unsigned_to_float", inputs),
            _ => return None,
        })
    }

    /// Whether a root is that of what is not below a number that is far from denormal ones, and there are shorter forms for that. NVIDIA's
    /// compiler behind Vulkan makes slower code of these.
    fn is_normal(&self, least: Option<f32>) -> bool {
        self.options.cuda && least.is_some_and(|least| least >= LEAST_NORMAL)
    }

    /// The root, which remembers of what, for [`Emitter::quotient_of_floats`].
    fn square_root(&mut self, x: Operand) -> Value {
        let of = self.w(x);
        let least = self.value(x).least();
        let root = match self.options.relaxed {
            true => self.float_function(MathFunction::Sqrt, &[x]),
            // Right alone, Mesa's own root of a NaN became 0 among other code.
            false if self.options.software => self.helper("fsqrt_words", &[x]),
            false if self.is_normal(least) && self.options.floats.estimated_root() => self.helper(ROOT_OF_NORMAL, &[x]),
            false => self.helper("fsqrt", &[x]),
        };
        Value {
            root_of: Some((of, least)),
            at_least: Some(least.map_or(0.0, |least| least.max(0.0).sqrt())),
            ..root
        }
    }

    /// `1.0 / sqrt(of)`, if there is something better than that.
    fn inverse_root(&mut self, of: Node, least: Option<f32>) -> Option<Value> {
        if self.options.relaxed {
            let x = self.code.bits_as(of, ScalarKind::Float);
            return Some(Value::float(self.code.math(MathFunction::InverseSqrt, &[x])));
        }
        let known = self.options.floats.inverse_root();
        let function = INVERSE_ROOT[usize::from(self.is_normal(least))];
        known.then(|| Value::word(self.code.call(function, &[of])).at_least(Some(0.0)))
    }

    /// The smaller or larger one of a value and a literal, where one comparison says which: not if the literal is NaN, or a zero that
    /// gives way to the other.
    fn limited(&mut self, op: Op, x: Operand, y: Operand) -> Option<Value> {
        let (x, limit) = match (self.constant(x), self.constant(y)) {
            (None, Some(limit)) => (x, limit),
            (Some(limit), None) => (y, limit),
            _ => return None,
        };
        let yielding = if op == Op::FMin { 0 } else { SIGN };
        if f32::from_bits(limit).is_nan() || limit == yielding || !self.options.floats.native(Op::FLt) {
            return None;
        }
        let (value, word) = (self.f(x), self.w(x));
        let (bound, limit) = (Value::known(limit).as_float(&mut self.code), self.code.word(limit));
        let (low, high) = if op == Op::FMin { (value, bound) } else { (bound, value) };
        let inside = self.code.binary(BinaryOperator::Less, low, high);
        Some(Value::word(self.code.select(inside, word, limit)))
    }

    /// The operand's value, its float form made and kept unless it is a constant.
    fn kept(&mut self, operand: Operand) -> Value {
        if self.constant(operand).is_none() {
            self.f(operand);
        }
        self.value(operand)
    }

    fn float_function(&mut self, fun: MathFunction, inputs: &[Operand]) -> Value {
        let arguments: Vec<Node> = inputs.iter().map(|&input| self.f(input)).collect();
        Value::float(self.code.math(fun, &arguments))
    }

    fn compare_floats(&mut self, op: BinaryOperator, x: Operand, y: Operand) -> Value {
        let (x, y) = (self.f(x), self.f(y));
        Value::truth(self.code.binary(op, x, y))
    }

    fn of_floats(&mut self, op: BinaryOperator, mut x: Value, mut y: Value) -> Value {
        if let (Some(a), Some(b)) = (x.constant, y.constant) {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let result = match op {
                BinaryOperator::Add => a + b,
                BinaryOperator::Subtract => a - b,
                BinaryOperator::Multiply => a * b,
                _ => a / b,
            };
            return Value::known(result.to_bits());
        }
        let (left, right) = (x.as_float(&mut self.code), y.as_float(&mut self.code));
        let least = match (op, x.least(), y.least()) {
            // Rounding keeps the order.
            (BinaryOperator::Add, Some(a), Some(b)) => Some(a + b).filter(|sum| !sum.is_nan()),
            (BinaryOperator::Multiply, ..) if left == right => Some(0.0),
            (BinaryOperator::Multiply, Some(a), Some(b)) if a >= 0.0 && b >= 0.0 => {
                Some(a * b).filter(|product| !product.is_nan())
            }
            _ => None,
        };
        Value::float(self.code.binary(op, left, right)).at_least(least)
    }

    /// `x + y`.
    pub fn float_plus(&mut self, x: Value, y: Value) -> Value {
        match (x.constant, y.constant) {
            (Some(0), None) => self.plus_zero(y),
            (None, Some(0)) => self.plus_zero(x),
            (Some(SIGN), None) => y,
            (None, Some(SIGN)) => x,
            _ => self.of_floats(BinaryOperator::Add, x, y),
        }
    }

    /// `x - y`.
    fn float_minus(&mut self, x: Value, y: Value) -> Value {
        match (x.constant, y.constant) {
            (Some(zero), None) if is_zero(zero) => {
                let minus = self.with_sign_flipped(y);
                self.float_plus(Value::known(zero), minus)
            }
            (None, Some(zero)) if is_zero(zero) => self.float_plus(x, Value::known(zero ^ SIGN)),
            _ => self.of_floats(BinaryOperator::Subtract, x, y),
        }
    }

    /// `x * factor`; ±1 is not multiplied, as the matrices have it.
    pub fn float_times(&mut self, x: Value, factor: Value) -> Value {
        match (x.constant, factor.constant) {
            (_, Some(ONE)) => x,
            (None, Some(MINUS_ONE)) => self.with_sign_flipped(x),
            (Some(x), Some(MINUS_ONE)) => Value::known(x ^ SIGN),
            _ => self.product_of_floats(x, factor),
        }
    }

    /// `x * y`.
    fn product_of_floats(&mut self, x: Value, y: Value) -> Value {
        match (x.constant, y.constant) {
            (Some(zero), None) if is_zero(zero) => self.times_zero(y, zero),
            (None, Some(zero)) if is_zero(zero) => self.times_zero(x, zero),
            _ => self.of_floats(BinaryOperator::Multiply, x, y),
        }
    }

    /// `x / y`.
    fn quotient_of_floats(&mut self, x: Value, y: Value) -> Value {
        if let (Some(ONE), Some((of, least))) = (x.constant, y.root_of)
            && let Some(inverse) = self.inverse_root(of, least)
        {
            return inverse;
        }
        match (x.constant, y.constant) {
            (None, Some(power)) if let Some(inverse) = inverse_power(power) => {
                self.float_times(x, Value::known(inverse))
            }
            (Some(zero), None) if is_zero(zero) => self.zero_or_infinity(y, zero),
            (None, Some(zero)) if is_zero(zero) => self.zero_or_infinity(x, zero | INFINITY),
            _ => self.of_floats(BinaryOperator::Divide, x, y),
        }
    }

    /// `x + 0.0`, which makes -0.0 to 0.0.
    fn plus_zero(&mut self, mut x: Value) -> Value {
        let (word, sign, zero) = (x.as_word(&mut self.code), self.code.word(SIGN), self.code.word(0));
        let is_minus_zero = self.code.binary(BinaryOperator::Equal, word, sign);
        Value::word(self.code.select(is_minus_zero, zero, word))
    }

    fn with_sign_flipped(&mut self, mut x: Value) -> Value {
        let (word, sign) = (x.as_word(&mut self.code), self.code.word(SIGN));
        Value::word(self.code.binary(BinaryOperator::ExclusiveOr, word, sign))
    }

    /// `x * zero`: NaN for infinities and NaN, else a zero.
    fn times_zero(&mut self, mut x: Value, zero: u32) -> Value {
        let word = x.as_word(&mut self.code);
        let (size, signed) = self.size_and_sign(word, zero);
        let infinity = self.code.word(INFINITY);
        let is_large = self.code.binary(BinaryOperator::GreaterEqual, size, infinity);
        let nan = self.code.word(NAN);
        Value::word(self.code.select(is_large, nan, signed))
    }

    /// NaN where x is a zero or NaN, else `result` with the sign of x on top of its own.
    fn zero_or_infinity(&mut self, mut x: Value, result: u32) -> Value {
        let word = x.as_word(&mut self.code);
        let (size, signed) = self.size_and_sign(word, result);
        let (zero, infinity) = (self.code.word(0), self.code.word(INFINITY));
        let is_zero = self.code.binary(BinaryOperator::Equal, size, zero);
        let is_nan = self.code.binary(BinaryOperator::Greater, size, infinity);
        let undefined = self.code.binary(BinaryOperator::LogicalOr, is_zero, is_nan);
        let nan = self.code.word(NAN);
        Value::word(self.code.select(undefined, nan, signed))
    }

    /// A float without its sign, and its sign alone on top of some bits.
    fn size_and_sign(&mut self, word: Node, bits: u32) -> (Node, Node) {
        let (sign, rest, bits) = (self.code.word(SIGN), self.code.word(!SIGN), self.code.word(bits));
        let size = self.code.binary(BinaryOperator::And, word, rest);
        let own = self.code.binary(BinaryOperator::And, word, sign);
        (size, self.code.binary(BinaryOperator::ExclusiveOr, own, bits))
    }
}
