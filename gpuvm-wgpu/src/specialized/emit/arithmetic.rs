//! Operations on integers of one word.

use gpuvm_core::isa::Op;
use naga::{BinaryOperator, MathFunction, Scalar, ScalarKind};

use super::super::code::Node;
use super::Emitter;
use super::words::{Operand, Value};

/// The scalar of 64-bit integers.
pub const U64: Scalar = Scalar {
    kind: ScalarKind::Uint,
    width: 8,
};
const I64: Scalar = Scalar {
    kind: ScalarKind::Sint,
    width: 8,
};
const MINUS_ONE: u32 = (-1.0_f32).to_bits();

impl Emitter<'_> {
    /// An operation on integers, `None` if it is another.
    pub fn integer(&mut self, op: Op, inputs: &[Operand]) -> Option<Value> {
        use BinaryOperator as B;
        let x = *inputs.first()?;
        let y = inputs.get(1).copied().unwrap_or(x);
        Some(match op {
            Op::Add | Op::AddImm => self.linear(B::Add, x, y, 1),
            Op::Sub => self.linear(B::Subtract, x, y, u32::MAX),
            Op::Neg => self.linear(B::Subtract, Operand::Constant(0), x, u32::MAX),
            Op::Mul | Op::MulImm => self.product(x, y),
            Op::Xor => self.plain(B::ExclusiveOr, x, y),
            Op::XorImm => self.xor(x, y),
            Op::And | Op::AndImm => self.both(B::And, B::LogicalAnd, x, y),
            Op::Or | Op::OrImm => self.both(B::InclusiveOr, B::LogicalOr, x, y),
            Op::Shl | Op::ShlImm => self.shift_left(x, y),
            Op::Shr | Op::ShrImm => {
                let (word, by) = (self.w(x), self.distance(y, 31));
                let result = self.code.binary(B::ShiftRight, word, by);
                if let Some(by) = self.constant(y) {
                    self.note_most(result, u32::MAX >> (by & 31));
                }
                Value::word(result)
            }
            Op::Sar | Op::SarImm => {
                let (word, by) = (self.i(x), self.distance(y, 31));
                let shifted = self.code.binary(B::ShiftRight, word, by);
                Value::word(self.code.bits_as(shifted, ScalarKind::Uint))
            }
            Op::Rotl | Op::RotlImm => self.rotate(x, y),
            Op::ByteSwap => self.helper("byte_swap", &[x]),
            Op::BitReverse => self.bits(MathFunction::ReverseBits, &[x]),
            Op::MulHighU => self.high(x, y, U64),
            Op::MulHighS => self.high(x, y, I64),
            Op::DivU | Op::RemU => self.quotient(op, x, y),
            Op::DivS | Op::RemS => self.quotient_signed(op, x, y),
            Op::MinU => self.smaller(x, y),
            Op::MaxU => self.bits(MathFunction::Max, &[x, y]),
            Op::MinS => self.signed(MathFunction::Min, x, y),
            Op::MaxS => self.signed(MathFunction::Max, x, y),
            Op::Clz => self.bits(MathFunction::CountLeadingZeros, &[x]),
            Op::Ctz => self.bits(MathFunction::CountTrailingZeros, &[x]),
            Op::Popcount => self.bits(MathFunction::CountOneBits, &[x]),
            Op::Eq => self.equal(x, y, true),
            Op::Ne => self.equal(x, y, false),
            Op::LtU => self.compare(B::Less, x, y),
            Op::LeU => self.compare(B::LessEqual, x, y),
            Op::LtS => self.compare_signed(B::Less, x, y),
            Op::LeS => self.compare_signed(B::LessEqual, x, y),
            Op::Select => self.choice(x, y, *inputs.get(2)?),
            Op::AddOverS | Op::SubOverS => self.sum_overflows(op, x, y),
            Op::MulOverU => {
                let high = self.high(x, y, U64);
                self.is_not(high, 0)
            }
            Op::MulOverS => self.helper_truth("mul_overflows_signed", &[x, y]),
            _ => return None,
        })
    }

    /// A function of the shader that gives a word.
    pub fn helper(&mut self, name: &str, inputs: &[Operand]) -> Value {
        let arguments: Vec<Node> = inputs.iter().map(|&input| self.w(input)).collect();
        Value::word(self.code.call(name, &arguments))
    }

    /// A function of the shader that gives a truth value.
    pub fn helper_truth(&mut self, name: &str, inputs: &[Operand]) -> Value {
        let arguments: Vec<Node> = inputs.iter().map(|&input| self.w(input)).collect();
        Value::truth(self.code.call(name, &arguments))
    }

    fn plain(&mut self, op: BinaryOperator, x: Operand, y: Operand) -> Value {
        let (x, y) = (self.w(x), self.w(y));
        Value::word(self.code.binary(op, x, y))
    }

    fn bits(&mut self, fun: MathFunction, inputs: &[Operand]) -> Value {
        let arguments: Vec<Node> = inputs.iter().map(|&input| self.w(input)).collect();
        Value::word(self.code.math(fun, &arguments))
    }

    fn smaller(&mut self, x: Operand, y: Operand) -> Value {
        let (left, right) = (self.w(x), self.w(y));
        let result = self.code.math(MathFunction::Min, &[left, right]);
        let values = [self.value(x), self.value(y)];
        self.note_smaller(result, &values);
        Value::word(result)
    }

    fn signed(&mut self, fun: MathFunction, x: Operand, y: Operand) -> Value {
        let arguments = [self.i(x), self.i(y)];
        let result = self.code.math(fun, &arguments);
        Value::word(self.code.bits_as(result, ScalarKind::Uint))
    }

    /// `x op y`, which is the sum of x and a multiple of y.
    fn linear(&mut self, op: BinaryOperator, x: Operand, y: Operand, factor: u32) -> Value {
        if self.constant(y) == Some(0) {
            return self.value(x);
        }
        let (left, right) = (self.w(x), self.w(y));
        let result = self.code.binary(op, left, right);
        let terms = [(self.value(x), 1), (self.value(y), factor)];
        self.note_sum(result, &terms);
        Value::word(result)
    }

    fn product(&mut self, x: Operand, y: Operand) -> Value {
        let multiple = match (self.constant(x), self.constant(y)) {
            (_, Some(factor)) => Some((self.value(x), factor)),
            (Some(factor), None) => Some((self.value(y), factor)),
            (None, None) => None,
        };
        if let Some((value, factor)) = multiple
            && let Some(composed) = self.composed(&value, factor, 0)
        {
            return Value::word(composed);
        }
        let (left, right) = (self.w(x), self.w(y));
        let result = self.code.binary(BinaryOperator::Multiply, left, right);
        if let Some(multiple) = multiple {
            self.note_sum(result, &[multiple]);
        }
        Value::word(result)
    }

    fn shift_left(&mut self, x: Operand, y: Operand) -> Value {
        let (word, by) = (self.w(x), self.distance(y, 31));
        let result = self.code.binary(BinaryOperator::ShiftLeft, word, by);
        if let Some(by) = self.constant(y) {
            let terms = [(self.value(x), 1 << (by & 31))];
            self.note_sum(result, &terms);
        }
        Value::word(result)
    }

    /// The distance of a shift: the operand without the bits that do not count.
    pub fn distance(&mut self, by: Operand, mask: u32) -> Node {
        if let Some(known) = self.constant(by) {
            return self.code.word(known & mask);
        }
        let (by, mask) = (self.w(by), self.code.word(mask));
        self.code.binary(BinaryOperator::And, by, mask)
    }

    /// A shift by a constant.
    pub fn shifted(&mut self, op: BinaryOperator, word: Node, by: u32) -> Node {
        let by = self.code.word(by);
        self.code.binary(op, word, by)
    }

    fn rotate(&mut self, x: Operand, y: Operand) -> Value {
        let word = self.w(x);
        let (left, right) = match self.constant(y) {
            Some(by) if by % 32 == 0 => return self.value(x),
            Some(by) => (self.code.word(by % 32), self.code.word(32 - by % 32)),
            None => {
                let by = self.w(y);
                let (zero, mask) = (self.code.word(0), self.code.word(31));
                let back = self.code.binary(BinaryOperator::Subtract, zero, by);
                let left = self.code.binary(BinaryOperator::And, by, mask);
                (left, self.code.binary(BinaryOperator::And, back, mask))
            }
        };
        // By 0 both halves are the word itself.
        let high = self.code.binary(BinaryOperator::ShiftLeft, word, left);
        let low = self.code.binary(BinaryOperator::ShiftRight, word, right);
        Value::word(self.code.binary(BinaryOperator::InclusiveOr, high, low))
    }

    /// Exclusive or with a constant, which may negate a truth value.
    fn xor(&mut self, x: Operand, y: Operand) -> Value {
        match (self.value(x).truth, self.constant(y)) {
            (Some(truth), Some(1)) => self.negated(truth),
            _ => self.plain(BinaryOperator::ExclusiveOr, x, y),
        }
    }

    fn negated(&mut self, truth: Node) -> Value {
        let not = self.code.not(truth);
        if let Some(mut said) = self.said.get(&truth).copied() {
            said.turn();
            self.said.insert(not, said);
        }
        Value::truth(not)
    }

    /// And, or: on truth values if both are.
    fn both(&mut self, words: BinaryOperator, truths: BinaryOperator, x: Operand, y: Operand) -> Value {
        match (self.value(x).truth, self.value(y).truth) {
            (Some(x), Some(y)) => Value::truth(self.code.binary(truths, x, y)),
            _ => {
                let result = self.plain(words, x, y);
                let mask = self.constant(x).or(self.constant(y));
                if let (BinaryOperator::And, Some(node), Some(mask)) = (words, result.word, mask) {
                    self.note_most(node, mask);
                }
                result
            }
        }
    }

    /// The high word of a product.
    fn high(&mut self, x: Operand, y: Operand, long: Scalar) -> Value {
        if !self.options.long() {
            let name = if long == U64 { "mul_high" } else { "mul_high_signed" };
            return self.helper(name, &[x, y]);
        }
        let factors = if long == U64 {
            [self.w(x), self.w(y)]
        } else {
            [self.i(x), self.i(y)]
        };
        let [x, y] = factors.map(|factor| self.code.convert(factor, long));
        let product = self.code.binary(BinaryOperator::Multiply, x, y);
        let product = if long == U64 {
            product
        } else {
            self.code.bits_as(product, ScalarKind::Uint)
        };
        let high = self.shifted(BinaryOperator::ShiftRight, product, 32);
        Value::word(self.code.convert(high, Scalar::U32))
    }

    fn quotient(&mut self, op: Op, x: Operand, y: Operand) -> Value {
        let (binary, name) = match op {
            Op::DivU => (BinaryOperator::Divide, "div"),
            _ => (BinaryOperator::Modulo, "rem"),
        };
        match self.constant(y) {
            Some(0) => Value::known(0),
            Some(_) => self.plain(binary, x, y),
            None => self.helper(name, &[x, y]),
        }
    }

    fn quotient_signed(&mut self, op: Op, x: Operand, y: Operand) -> Value {
        let (binary, name) = match op {
            Op::DivS => (BinaryOperator::Divide, "div_signed"),
            _ => (BinaryOperator::Modulo, "rem_signed"),
        };
        match self.constant(y) {
            Some(0) => Value::known(0),
            // Divided by -1 the lowest integer overflows.
            Some(known) if known != u32::MAX => {
                let (x, y) = (self.i(x), self.i(y));
                let result = self.code.binary(binary, x, y);
                Value::word(self.code.bits_as(result, ScalarKind::Uint))
            }
            _ => self.helper(name, &[x, y]),
        }
    }

    /// Whether two are equal, or are not.
    fn equal(&mut self, x: Operand, y: Operand, met: bool) -> Value {
        let op = if met {
            BinaryOperator::Equal
        } else {
            BinaryOperator::NotEqual
        };
        match (self.value(x).truth, self.constant(y)) {
            (Some(truth), Some(0)) if met => self.negated(truth),
            (Some(truth), Some(0)) => Value::truth(truth),
            (Some(truth), Some(1)) if met => Value::truth(truth),
            (Some(truth), Some(1)) => self.negated(truth),
            _ => {
                let (x, y) = (self.w(x), self.w(y));
                Value::truth(self.code.binary(op, x, y))
            }
        }
    }

    fn is_not(&mut self, mut value: Value, constant: u32) -> Value {
        let (word, constant) = (value.as_word(&mut self.code), self.code.word(constant));
        Value::truth(self.code.binary(BinaryOperator::NotEqual, word, constant))
    }

    fn compare(&mut self, op: BinaryOperator, x: Operand, y: Operand) -> Value {
        let (left, right) = (self.w(x), self.w(y));
        let less = op == BinaryOperator::Less;
        let (index, bound) = if less { (x, y) } else { (y, x) };
        let (index, bound) = (self.value(index), self.value(bound));
        if self.is_below(&index, &bound) {
            return Value::known(u32::from(less));
        }
        let truth = self.code.binary(op, left, right);
        self.note_below(truth, &index, &bound, less);
        Value::truth(truth)
    }

    fn compare_signed(&mut self, op: BinaryOperator, x: Operand, y: Operand) -> Value {
        let (x, y) = (self.i(x), self.i(y));
        Value::truth(self.code.binary(op, x, y))
    }

    fn choice(&mut self, x: Operand, y: Operand, z: Operand) -> Value {
        if let Some(known) = self.constant(x) {
            return self.value(if known != 0 { y } else { z });
        }
        let condition = self.t(x);
        let (accept, reject) = (self.value(y), self.value(z));
        if let (Some(accept @ (0 | MINUS_ONE)), Some(reject @ (0 | MINUS_ONE))) = (accept.constant, reject.constant) {
            // Mesa takes a choice between these two for a negated float, and gives -0.0 for 0.
            let masks = [accept, reject].map(|value| if value == 0 { 0 } else { u32::MAX });
            let [accept, reject] = masks.map(|mask| self.code.word(mask));
            let mask = self.code.select(condition, accept, reject);
            let minus_one = self.code.word(MINUS_ONE);
            return Value::word(self.code.binary(BinaryOperator::And, mask, minus_one));
        }
        match (accept.float, reject.float) {
            (Some(accept), Some(reject)) => Value::float(self.code.select(condition, accept, reject)),
            _ => {
                let (accept, reject) = (self.w(y), self.w(z));
                Value::word(self.code.select(condition, accept, reject))
            }
        }
    }

    /// Whether a signed sum or difference overflows: both operands differ in sign from the result, the second one turned over for a
    /// difference.
    fn sum_overflows(&mut self, op: Op, x: Operand, y: Operand) -> Value {
        let (x, y) = (self.w(x), self.w(y));
        let exclusive = BinaryOperator::ExclusiveOr;
        let (first, second) = if op == Op::AddOverS {
            let sum = self.code.binary(BinaryOperator::Add, x, y);
            (self.code.binary(exclusive, x, sum), self.code.binary(exclusive, y, sum))
        } else {
            let difference = self.code.binary(BinaryOperator::Subtract, x, y);
            (
                self.code.binary(exclusive, x, y),
                self.code.binary(exclusive, x, difference),
            )
        };
        let both = self.code.binary(BinaryOperator::And, first, second);
        let (signed, zero) = (self.code.bits_as(both, ScalarKind::Sint), self.code.word(0));
        let zero = self.code.bits_as(zero, ScalarKind::Sint);
        Value::truth(self.code.binary(BinaryOperator::Less, signed, zero))
    }
}
