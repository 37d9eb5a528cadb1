//! Whether a counting loop is sure to begin a number of iterations, asked once for all of them.

use gpuvm_core::specialise::counted::{Counted, Test};
use naga::{BinaryOperator, ScalarKind};

use super::super::code::Node;
use super::Emitter;
use super::words::{Operand, Value};

impl Emitter<'_> {
    /// Whether so many iterations of a loop at whose header the VM stands follow each other: each but the last ends with another to come.
    /// Where the index stays below the limit, it is so in the first as well.
    pub fn is_ahead(&mut self, counted: Counted, turns: u32) -> Node {
        let (index, limit) = (self.w(Operand::Word(counted.index)), self.limit_of(counted));
        let up = counted.step > 0;
        let more = turns.saturating_sub(1);
        let Test::Within { signed, equal } = counted.test else {
            let (from, to) = if up { (index, limit) } else { (limit, index) };
            let left = self.code.binary(BinaryOperator::Subtract, to, from);
            let (one, more) = (self.code.word(1), self.code.word(more));
            // None left means all 2³².
            let after = self.code.binary(BinaryOperator::Subtract, left, one);
            return self.code.binary(BinaryOperator::GreaterEqual, after, more);
        };
        let span = more * counted.step.unsigned_abs();
        let (end, op) = match (up, signed) {
            (true, false) => (span, BinaryOperator::Subtract),
            (true, true) => (span | 1 << 31, BinaryOperator::Subtract),
            (false, false) => (u32::MAX - span, BinaryOperator::Add),
            (false, true) => (i32::MAX as u32 - span, BinaryOperator::Add),
        };
        // The limit less the span is exact where the limit is that far from the least number.
        let (end, span) = (self.code.word(end), self.code.word(span));
        let near = self.code.binary(op, limit, span);
        let (room, within) = match up {
            true => ([end, limit], [index, near]),
            false => ([limit, end], [near, index]),
        };
        let room = self.ordered(room, signed, true);
        let within = self.ordered(within, signed, equal);
        self.code.binary(BinaryOperator::LogicalAnd, room, within)
    }

    /// Notes what the index is below in each of so many iterations.
    pub fn learn_ahead(&mut self, counted: Counted, turns: u32) {
        let inside = Test::Within {
            signed: false,
            equal: false,
        };
        if counted.test != inside || counted.step < 0 {
            return;
        }
        let index = self.read(counted.index);
        let limit = counted.limit.map_or(Value::known(0), |limit| self.read(limit));
        for turn in 0..turns {
            self.know_below(&index, turn * counted.step.unsigned_abs(), &limit);
        }
    }

    fn limit_of(&mut self, counted: Counted) -> Node {
        match counted.limit {
            Some(limit) => self.w(Operand::Word(limit)),
            None => self.code.word(0),
        }
    }

    /// Whether the first is below the second.
    fn ordered(&mut self, mut pair: [Node; 2], signed: bool, equal: bool) -> Node {
        if signed {
            pair = pair.map(|node| self.code.bits_as(node, ScalarKind::Sint));
        }
        let op = if equal {
            BinaryOperator::LessEqual
        } else {
            BinaryOperator::Less
        };
        self.code.binary(op, pair[0], pair[1])
    }
}
