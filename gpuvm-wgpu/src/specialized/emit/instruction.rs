//! One instruction as expressions and statements.

use gpuvm_core::interp::arithmetic::fold;
use gpuvm_core::isa::{Instruction, Op, Role, unpair};
use gpuvm_core::matrix::{CONSTANT, Ring, Term, read_record};
use naga::BinaryOperator;

use super::Emitter;
use super::words::{Operand, Value};

impl Emitter<'_> {
    /// Writes an instruction that does not end its block.
    pub fn instruction(&mut self, ip: u32, op: Op, instruction: &Instruction) {
        let operands = instruction.operands;
        let [a, b, ..] = operands;
        match op {
            Op::Affine => self.affine(operands[3]),
            Op::Load => self.load(ip, operands),
            Op::Store => self.store(ip, operands),
            Op::LoadFrame | Op::StoreFrame | Op::Address => self.frame(ip, op, operands),
            Op::Param | Op::ParamLen | Op::VmId | Op::VmCount => self.launch(op, operands),
            Op::TrapIf => self.trap_unless_zero(ip, b),
            Op::Enter => self.enter(ip),
            Op::Leave => {
                if let Some(depth) = self.depth {
                    let (now, one) = (self.code.load(depth), self.code.word(1));
                    let less = self.code.binary(BinaryOperator::Subtract, now, one);
                    self.code.store(depth, less);
                }
            }
            op if op.on_atomic_pair().is_some() => self.atomic(ip, op, operands),
            op if op.is_on_atomic_pair() => self.atomic_pair(ip, op, operands),
            Op::Mov => {
                let value = self.read(b);
                self.write(a, value);
            }
            _ => self.compute(op, operands),
        }
    }

    /// An operation that only computes: all operands are read before the result is written.
    fn compute(&mut self, op: Op, operands: [u32; 4]) {
        let mut inputs = Vec::with_capacity(4);
        for (role, operand) in op.roles().iter().zip(operands) {
            let (low, high) = unpair(operand);
            match role {
                Role::Use => inputs.push(Operand::Word(operand)),
                Role::Imm => inputs.push(Operand::Constant(operand)),
                Role::UsePair => inputs.extend([Operand::Word(low), Operand::Word(high)]),
                _ => {}
            }
        }
        let constants: Option<Vec<u32>> = inputs.iter().map(|&input| self.constant(input)).collect();
        let (low, high) = match constants.and_then(|constants| fold(op, &constants)) {
            Some(known) => (Value::known(known.low), Value::known(known.high)),
            None => match op.roles()[0] {
                Role::DefPair => self.pair(op, &inputs),
                _ => (self.single(op, &inputs), Value::known(0)),
            },
        };
        match op.roles()[0] {
            Role::DefPair => {
                let (to_low, to_high) = unpair(operands[0]);
                self.write(to_low, low);
                self.write(to_high, high);
            }
            _ => self.write(operands[0], low),
        }
    }

    fn single(&mut self, op: Op, inputs: &[Operand]) -> Value {
        if let Some(value) = self.integer(op, inputs) {
            return value;
        }
        if let Some(value) = self.float(op, inputs) {
            return value;
        }
        self.atomic_pairs(op, inputs)
    }

    fn trap_unless_zero(&mut self, ip: u32, word: u32) {
        if self.constant(Operand::Word(word)) == Some(0) {
            return;
        }
        let condition = self.t(Operand::Word(word));
        self.trap_if(ip, condition);
        self.learn(condition, false);
    }

    fn enter(&mut self, ip: u32) {
        let Some(depth) = self.depth else {
            return;
        };
        let (now, limit, one) = (
            self.code.load(depth),
            self.code.launch("depth_limit"),
            self.code.word(1),
        );
        let deep = self.code.binary(BinaryOperator::GreaterEqual, now, limit);
        self.trap_if(ip, deep);
        let more = self.code.binary(BinaryOperator::Add, now, one);
        self.code.store(depth, more);
    }

    /// A whole matrix: all rows read the words as they were.
    fn affine(&mut self, matrix: u32) {
        let record = self.program.matrices.get(matrix as usize);
        let map = record
            .and_then(|record| read_record(record, &self.program.pools))
            .unwrap_or_default();
        let rows: Vec<(u32, Value)> = map.rows().map(|row| (row[0].row.into(), self.row(row))).collect();
        for (word, value) in rows {
            self.write(word, value);
        }
    }

    fn row(&mut self, row: &[Term]) -> Value {
        match row[0].ring {
            Ring::Integer => self.integer_row(row),
            Ring::Bits => self.bits_row(row),
            Ring::Float => self.float_row(row),
        }
    }

    fn integer_row(&mut self, row: &[Term]) -> Value {
        let mut constant = 0_u32;
        let mut terms: Vec<(Value, u32)> = Vec::new();
        for term in row {
            let value = match term.column {
                CONSTANT => Value::known(1),
                column => self.read(column.into()),
            };
            match value.constant {
                Some(known) => constant = constant.wrapping_add(known.wrapping_mul(term.coefficient)),
                None => terms.push((value, term.coefficient)),
            }
        }
        match terms[..] {
            [] => return Value::known(constant),
            [(value, 1)] if constant == 0 => return value,
            [(value, factor)] => {
                if let Some(composed) = self.composed(&value, factor, constant) {
                    return Value::word(composed);
                }
            }
            _ => {}
        }
        let mut sum = None;
        for (value, factor) in &mut terms {
            let word = value.as_word(&mut self.code);
            let minus = *factor == u32::MAX;
            let product = match *factor {
                1 | u32::MAX => word,
                factor => {
                    let factor = self.code.word(factor);
                    self.code.binary(BinaryOperator::Multiply, word, factor)
                }
            };
            let op = if minus {
                BinaryOperator::Subtract
            } else {
                BinaryOperator::Add
            };
            sum = Some(match sum {
                None if minus => {
                    let zero = self.code.word(std::mem::take(&mut constant));
                    self.code.binary(op, zero, product)
                }
                None => product,
                Some(sum) => self.code.binary(op, sum, product),
            });
        }
        let whole: u32 = row
            .iter()
            .filter_map(|term| {
                let known = match term.column {
                    CONSTANT => Some(1),
                    column => self.read(column.into()).constant,
                };
                Some(known?.wrapping_mul(term.coefficient))
            })
            .fold(0, u32::wrapping_add);
        let mut sum = sum.unwrap_or_else(|| self.code.word(0));
        if constant != 0 {
            let constant = self.code.word(constant);
            sum = self.code.binary(BinaryOperator::Add, sum, constant);
        }
        terms.push((Value::known(1), whole));
        self.note_sum(sum, &terms);
        Value::word(sum)
    }

    fn bits_row(&mut self, row: &[Term]) -> Value {
        let mut constant = 0;
        let mut sum = None;
        for term in row {
            let value = match term.column {
                CONSTANT => Value::known(u32::MAX),
                column => self.read(column.into()),
            };
            if let Some(known) = value.constant {
                constant ^= known.rotate_left(term.rotation.into()) & term.coefficient;
                continue;
            }
            let word = self.w(Operand::Word(term.column.into()));
            let masked = self.rotated_and_masked(word, term.rotation.into(), term.coefficient);
            sum = Some(match sum {
                None => masked,
                Some(sum) => self.code.binary(BinaryOperator::ExclusiveOr, sum, masked),
            });
        }
        let Some(sum) = sum else {
            return Value::known(constant);
        };
        if constant == 0 {
            return Value::word(sum);
        }
        let constant = self.code.word(constant);
        Value::word(self.code.binary(BinaryOperator::ExclusiveOr, sum, constant))
    }

    /// `rotl(word, by) & mask`, as a shift where that is the same.
    fn rotated_and_masked(
        &mut self,
        word: naga::Handle<naga::Expression>,
        by: u32,
        mask: u32,
    ) -> naga::Handle<naga::Expression> {
        let left = u32::MAX << by;
        let (kept, missing) = match by {
            0 => (word, mask != u32::MAX),
            _ if mask & !left == 0 => (self.shifted(BinaryOperator::ShiftLeft, word, by), mask != left),
            _ if mask & left == 0 => (self.shifted(BinaryOperator::ShiftRight, word, 32 - by), mask != !left),
            _ => {
                let high = self.shifted(BinaryOperator::ShiftLeft, word, by);
                let low = self.shifted(BinaryOperator::ShiftRight, word, 32 - by);
                (
                    self.code.binary(BinaryOperator::InclusiveOr, high, low),
                    mask != u32::MAX,
                )
            }
        };
        let result = match missing {
            true => {
                let mask = self.code.word(mask);
                self.code.binary(BinaryOperator::And, kept, mask)
            }
            false => kept,
        };
        if result != word {
            self.note_most(result, mask);
        }
        result
    }

    fn float_row(&mut self, row: &[Term]) -> Value {
        let mut sum: Option<Value> = None;
        for term in row {
            let product = match term.column {
                CONSTANT => Value::known(term.coefficient),
                column => {
                    let value = self.read(column.into());
                    self.float_times(value, Value::known(term.coefficient))
                }
            };
            sum = Some(match sum {
                None => product,
                Some(sum) => self.float_plus(sum, product),
            });
        }
        sum.unwrap_or(Value::known(0))
    }
}
