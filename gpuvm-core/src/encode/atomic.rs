//! The methods of atomics: one instruction each, on a word or on a pair of words.

use super::method::number as m;
use super::method_call::Arguments;
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::types::{Kind, Type, TypeRef, Value};

impl Encoder<'_> {
    pub const fn atomic_method(&mut self, method: u16, receiver: Operand, arguments: Arguments) -> Operand {
        let Some(element) = receiver.ty.element else {
            panic!("an atomic has an element")
        };
        let Where::Memory {
            offset, displacement, ..
        } = receiver.at
        else {
            panic!("atomics are reached through a parameter such as `&[AtomicU32]`")
        };
        let at = self.word(Op::AddImm, offset, displacement, 0);
        if method == m::load {
            let base = self.atomic(Op::AtomicLoad, element, [at, 0, 0]);
            return Operand::scalar(element, base);
        }
        let value = self.argument(arguments[1], element);
        let signed = element.kind.is_signed();
        let op = match method {
            m::store => {
                self.atomic_store(element, value, at);
                return Operand::UNIT;
            }
            m::compare_exchange | m::compare_exchange_weak => {
                let new = self.argument(arguments[2], element);
                return self.atomic_exchange(element, at, value, new);
            }
            m::fetch_add => Op::AtomicAdd,
            m::fetch_sub => Op::AtomicSub,
            m::fetch_and => Op::AtomicAnd,
            m::fetch_or => Op::AtomicOr,
            m::fetch_xor => Op::AtomicXor,
            m::fetch_min if signed => Op::AtomicMinS,
            m::fetch_min => Op::AtomicMinU,
            m::fetch_max if signed => Op::AtomicMaxS,
            m::fetch_max => Op::AtomicMaxU,
            m::swap => Op::AtomicSwap,
            _ => panic!("a method of an atomic that is called here is not available inside a routine"),
        };
        let base = self.atomic(op, element, [at, value, 0]);
        Operand::scalar(element, base)
    }

    /// An operation on the atomic at a place, given as that on a word, which leaves what was there before in fresh words. The operands behind
    /// the place are values of the element, 0 if there are none.
    const fn atomic(&mut self, op: Op, element: &'static Type, [at, a, b]: [u32; 3]) -> u32 {
        if element.words == 1 {
            return self.word(op, at, a, b);
        }
        let base = self.fresh(2);
        // An operand that is not used is 0, and no pair is.
        let [a, b] = match op {
            Op::AtomicLoad => [0, 0],
            Op::AtomicCas => [Self::both(a), Self::both(b)],
            _ => [Self::both(a), 0],
        };
        self.emit(on_pair(op), [Self::both(base), at, a, b]);
        base
    }

    const fn atomic_store(&mut self, element: &'static Type, value: u32, at: u32) {
        match element.words {
            1 => self.emit(Op::AtomicStore, [value, at, 0, 0]),
            _ => self.emit(Op::AtomicStore64, [Self::both(value), at, 0, 0]),
        }
    }

    /// `compare_exchange`, weak or not: no exchange fails for no reason.
    const fn atomic_exchange(&mut self, element: &'static Type, at: u32, expected: u32, new: u32) -> Operand {
        let old = self.atomic(Op::AtomicCas, element, [at, expected, new]);
        let failed = match element.words {
            1 => self.word(Op::Ne, old, expected, 0),
            _ => {
                let same = self.long_test(Op::Eq64, old, expected);
                self.word(Op::XorImm, same, 1, 0)
            }
        };
        let base = self.fresh(1 + element.words);
        self.copy_words(base, failed, 1);
        self.copy_words(base + 1, old, element.words);
        Operand::fresh(TypeRef::value(result_of(element)), base)
    }
}

/// The same operation on a pair of words.
const fn on_pair(op: Op) -> Op {
    match op.on_atomic_pair() {
        Some(op) => op,
        None => panic!("an operation of an atomic is one on words or on pairs"),
    }
}

/// What an exchange of such an atomic gives.
const fn result_of(element: &'static Type) -> &'static Type {
    match element.kind {
        Kind::I32 => <Result<i32, i32> as Value>::TYPE,
        Kind::I64 => <Result<i64, i64> as Value>::TYPE,
        Kind::U64 => <Result<u64, u64> as Value>::TYPE,
        _ => <Result<u32, u32> as Value>::TYPE,
    }
}
