//! Operations on atomics, on words and on pairs of words.

use gpuvm_core::isa::{Op, unpair};
use gpuvm_engine::fault;
use naga::{AtomicFunction, BinaryOperator, Expression, Statement};

use super::super::code::Node;
use super::Emitter;
use super::words::{Operand, Value};

/// A place in the atomics.
#[derive(Clone, Copy)]
struct Atomic {
    pointer: Node,
    /// Its number among words or pairs.
    number: Node,
    /// Whether it is a pair.
    is_pair: bool,
}

impl Emitter<'_> {
    /// A pointer to an atomic word; one outside of the atomics traps.
    pub fn atomic_word(&mut self, ip: u32, offset: Node) -> Node {
        let words = self.code.launch("atomic_words");
        let bad = self.code.binary(BinaryOperator::GreaterEqual, offset, words);
        self.fault_if(ip, bad, fault::MEMORY, offset);
        let base = self.code.global("atomics");
        self.code.element(base, offset)
    }

    /// An atomic pair; what is outside of the atomics or at an odd place traps.
    fn pair_at(&mut self, ip: u32, offset: Node) -> Atomic {
        let exists = self.code.call("has_atomic_pair", &[offset]);
        let bad = self.code.not(exists);
        self.fault_if(ip, bad, fault::MEMORY, offset);
        let one = self.code.word(1);
        let number = self.code.binary(BinaryOperator::ShiftRight, offset, one);
        let base = self.code.global("atomic_pairs");
        Atomic {
            pointer: self.code.element(base, number),
            number,
            is_pair: true,
        }
    }

    /// Operations on atomic words.
    pub fn atomic(&mut self, ip: u32, op: Op, [a, b, c, d]: [u32; 4]) {
        // A store has its value first and its place second, and gives nothing.
        let number = self.w(Operand::Word(b));
        let pointer = self.atomic_word(ip, number);
        match op {
            Op::AtomicLoad => {
                self.hurry();
                let value = self.code.load(pointer);
                self.write(a, Value::word(value));
            }
            Op::AtomicStore => {
                self.hurry();
                let value = self.w(Operand::Word(a));
                self.unless_trapped(|emitter| emitter.code.store(pointer, value));
            }
            _ => {
                let value = self.w(Operand::Word(c));
                let other = if op == Op::AtomicCas {
                    self.w(Operand::Word(d))
                } else {
                    value
                };
                let place = Atomic {
                    pointer,
                    number,
                    is_pair: false,
                };
                let is_read = !self.unread.contains(&ip);
                if op == Op::AtomicAdd && !is_read && self.is_added_later(number, value) {
                    return;
                }
                self.hurry();
                if let (Some(fun), false) = (of_two(op), is_read) {
                    let unread = Statement::Atomic {
                        pointer,
                        fun,
                        value,
                        result: None,
                    };
                    return self.unless_trapped(|emitter| emitter.code.push(unread));
                }
                let old = self.exchange_unless_trapped(op, place, [value, other]);
                self.write(a, Value::word(old));
            }
        }
    }

    /// Operations on atomic pairs.
    pub fn atomic_pair(&mut self, ip: u32, op: Op, [a, b, c, d]: [u32; 4]) {
        self.hurry();
        let offset = self.w(Operand::Word(b));
        let place = self.pair_at(ip, offset);
        let old = match op {
            Op::AtomicLoad64 => self.code.load(place.pointer),
            Op::AtomicStore64 => {
                let value = self.long_of(a);
                return self.unless_trapped(|emitter| emitter.code.store(place.pointer, value));
            }
            _ => {
                let value = self.long_of(c);
                let other = if op == Op::AtomicCas64 { self.long_of(d) } else { value };
                self.exchange_unless_trapped(op, place, [value, other])
            }
        };
        let (low, high) = self.words_of_long(old);
        let (low_to, high_to) = unpair(a);
        self.write(low_to, low);
        self.write(high_to, high);
    }

    /// The words of a pair operand as a 64-bit integer.
    fn long_of(&mut self, operand: u32) -> Node {
        let (low, high) = unpair(operand);
        self.long(&[Operand::Word(low), Operand::Word(high)])
    }

    /// An operation that gives what was there before, if the VM goes on.
    fn exchange_unless_trapped(&mut self, op: Op, place: Atomic, values: [Node; 2]) -> Node {
        let types = &self.base.types;
        let ty = if place.is_pair { types.long } else { types.word };
        // A variable, because the VM may have trapped.
        let result = self.code.local("old", ty, None);
        self.unless_trapped(|emitter| {
            let old = emitter.exchange(op, place, values);
            emitter.code.store(result, old);
        });
        self.code.load(result)
    }

    /// An operation on an atomic that gives what was there before.
    fn exchange(&mut self, op: Op, place: Atomic, [value, other]: [Node; 2]) -> Node {
        let Atomic {
            pointer,
            number,
            is_pair,
        } = place;
        let fun = match op {
            Op::AtomicMinS => return self.code.call("atomic_min_signed", &[number, value]),
            Op::AtomicMaxS => return self.code.call("atomic_max_signed", &[number, value]),
            Op::AtomicCas => return self.code.call("atomic_cas", &[number, value, other]),
            Op::AtomicMinS64 => return self.code.call("atomic_min_signed64", &[number, value]),
            Op::AtomicMaxS64 => return self.code.call("atomic_max_signed64", &[number, value]),
            Op::AtomicCas64 => return self.code.call("atomic_cas64", &[number, value, other]),
            _ => of_two(op).unwrap_or(AtomicFunction::Exchange { compare: None }),
        };
        let ty = if is_pair {
            self.base.types.long
        } else {
            self.base.types.word
        };
        let result = self.code.node(Expression::AtomicResult { ty, comparison: false });
        self.code.push(Statement::Atomic {
            pointer,
            fun,
            value,
            result: Some(result),
        });
        result
    }
}

/// What an operation makes of what was there before and of its operand, if the device does that by itself.
fn of_two(op: Op) -> Option<AtomicFunction> {
    Some(match op {
        Op::AtomicAdd | Op::AtomicAdd64 => AtomicFunction::Add,
        Op::AtomicSub | Op::AtomicSub64 => AtomicFunction::Subtract,
        Op::AtomicAnd | Op::AtomicAnd64 => AtomicFunction::And,
        Op::AtomicOr | Op::AtomicOr64 => AtomicFunction::InclusiveOr,
        Op::AtomicXor | Op::AtomicXor64 => AtomicFunction::ExclusiveOr,
        Op::AtomicMinU | Op::AtomicMinU64 => AtomicFunction::Min,
        Op::AtomicMaxU | Op::AtomicMaxU64 => AtomicFunction::Max,
        _ => return None,
    })
}
