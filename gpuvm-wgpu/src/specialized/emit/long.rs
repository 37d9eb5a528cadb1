//! Operations on pairs of words. Devices with 64-bit integers have most of them; the rest are functions of the shader.

use gpuvm_core::isa::Op;
use naga::{BinaryOperator, Expression, Scalar, ScalarKind};

use super::super::code::Node;
use super::Emitter;
use super::arithmetic::U64;
use super::words::{Operand, Value};

impl Emitter<'_> {
    /// An operation that gives a pair.
    pub fn pair(&mut self, op: Op, inputs: &[Operand]) -> (Value, Value) {
        use BinaryOperator as B;
        let native = self.options.long();
        let divisor = match *inputs {
            [_, _, low, high] if native => self.constant_pair(low, high),
            _ => None,
        };
        let divides = divisor.is_some_and(|by| by != 0);
        // Divided by -1 the lowest integer overflows.
        let divides_signed = divides && divisor != Some(u64::MAX);
        match op {
            Op::Add64 if native => self.native(B::Add, inputs, ScalarKind::Uint),
            Op::Sub64 if native => self.native(B::Subtract, inputs, ScalarKind::Uint),
            Op::Mul64 if native => self.native(B::Multiply, inputs, ScalarKind::Uint),
            Op::Shl64 if native => self.native_shift(B::ShiftLeft, inputs, ScalarKind::Uint),
            Op::Shr64 if native => self.native_shift(B::ShiftRight, inputs, ScalarKind::Uint),
            Op::Sar64 if native => self.native_shift(B::ShiftRight, inputs, ScalarKind::Sint),
            Op::Add64 => self.shader("add64", inputs),
            Op::Sub64 => self.shader("sub64", inputs),
            Op::Mul64 => self.shader("mul64", inputs),
            Op::DivU64 if divides => self.native(B::Divide, inputs, ScalarKind::Uint),
            Op::RemU64 if divides => self.native(B::Modulo, inputs, ScalarKind::Uint),
            Op::DivS64 if divides_signed => self.native(B::Divide, inputs, ScalarKind::Sint),
            Op::RemS64 if divides_signed => self.native(B::Modulo, inputs, ScalarKind::Sint),
            Op::DivU64 => self.shader("div64", inputs),
            Op::DivS64 => self.shader("div_signed64", inputs),
            Op::RemU64 => self.shader("rem64", inputs),
            Op::RemS64 => self.shader("rem_signed64", inputs),
            Op::Shl64 => self.shader_shift("shl64", inputs),
            Op::Shr64 => self.shader_shift("shr64", inputs),
            Op::Sar64 => self.shader_shift("sar64", inputs),
            _ => {
                let name = if op == Op::FToI64 {
                    "float_to_signed64"
                } else {
                    "float_to_unsigned64"
                };
                let float = self.w(inputs[0]);
                let result = self.code.call(name, &[float]);
                self.halves(result)
            }
        }
    }

    /// An operation on pairs that gives a word.
    pub fn atomic_pairs(&mut self, op: Op, inputs: &[Operand]) -> Value {
        let pairs: Vec<Node> = inputs.chunks_exact(2).map(|pair| self.vector(pair)).collect();
        match op {
            Op::Eq64 => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| self.w(inputs[i]));
                let low = self.code.binary(BinaryOperator::Equal, a, c);
                let high = self.code.binary(BinaryOperator::Equal, b, d);
                Value::truth(self.code.binary(BinaryOperator::LogicalAnd, low, high))
            }
            Op::LtU64 => Value::truth(self.code.call("less64", &pairs)),
            Op::LtS64 => Value::truth(self.code.call("less_signed64", &pairs)),
            Op::MulOverU64 => Value::truth(self.code.call("mul_overflows64", &pairs)),
            Op::MulOverS64 => Value::truth(self.code.call("mul_overflows_signed64", &pairs)),
            Op::I64ToF => Value::word(self.code.call("signed64_to_float", &pairs)),
            _ => Value::word(self.code.call("unsigned64_to_float", &pairs)),
        }
    }

    /// Two words as a vector.
    fn vector(&mut self, words: &[Operand]) -> Node {
        let components = words.iter().map(|&word| self.w(word)).collect();
        let ty = self.base.types.pair;
        self.code.node(Expression::Compose { ty, components })
    }

    fn halves(&mut self, vector: Node) -> (Value, Value) {
        let [low, high] = [0, 1].map(|index| Value::word(self.code.part(vector, index)));
        (low, high)
    }

    fn shader(&mut self, name: &str, inputs: &[Operand]) -> (Value, Value) {
        let pairs: Vec<Node> = inputs.chunks_exact(2).map(|pair| self.vector(pair)).collect();
        let result = self.code.call(name, &pairs);
        self.halves(result)
    }

    fn shader_shift(&mut self, name: &str, inputs: &[Operand]) -> (Value, Value) {
        let (pair, by) = (self.vector(&inputs[..2]), self.distance(inputs[2], 63));
        let result = self.code.call(name, &[pair, by]);
        self.halves(result)
    }

    /// Two words as a 64-bit integer.
    pub fn long(&mut self, words: &[Operand]) -> Node {
        let (low, high) = (self.w(words[0]), self.w(words[1]));
        let [low, high] = [low, high].map(|word| self.code.convert(word, U64));
        let high = self.shifted(BinaryOperator::ShiftLeft, high, 32);
        self.code.binary(BinaryOperator::InclusiveOr, low, high)
    }

    /// The words of a 64-bit integer.
    pub fn words_of_long(&mut self, long: Node) -> (Value, Value) {
        let low = self.code.convert(long, Scalar::U32);
        let shifted = self.shifted(BinaryOperator::ShiftRight, long, 32);
        let high = self.code.convert(shifted, Scalar::U32);
        (Value::word(low), Value::word(high))
    }

    fn native(&mut self, op: BinaryOperator, inputs: &[Operand], kind: ScalarKind) -> (Value, Value) {
        let [x, y] = [&inputs[..2], &inputs[2..]].map(|words| self.long_with(words, kind));
        let result = self.code.binary(op, x, y);
        self.words_with(result, kind)
    }

    fn native_shift(&mut self, op: BinaryOperator, inputs: &[Operand], kind: ScalarKind) -> (Value, Value) {
        let (x, by) = (self.long_with(&inputs[..2], kind), self.distance(inputs[2], 63));
        let result = self.code.binary(op, x, by);
        self.words_with(result, kind)
    }

    /// Two words as a 64-bit integer, with a sign or without one.
    fn long_with(&mut self, words: &[Operand], kind: ScalarKind) -> Node {
        let long = self.long(words);
        match kind {
            ScalarKind::Sint => self.code.bits_as(long, kind),
            _ => long,
        }
    }

    /// The words of such an integer.
    fn words_with(&mut self, long: Node, kind: ScalarKind) -> (Value, Value) {
        let long = match kind {
            ScalarKind::Sint => self.code.bits_as(long, ScalarKind::Uint),
            _ => long,
        };
        self.words_of_long(long)
    }

    /// A pair of words that are known.
    fn constant_pair(&mut self, low: Operand, high: Operand) -> Option<u64> {
        let (low, high) = (self.constant(low)?, self.constant(high)?);
        Some(u64::from(low) | u64::from(high) << 32)
    }
}
