//! The std methods of integers that count, swap and rotate bits.

use super::method::number as m;
use super::number::unsigned;
use super::state::Encoder;
use crate::isa::Op;
use crate::types::Kind;

impl Encoder<'_> {
    /// The value's bits in one word (or more), sign extension cut off.
    pub const fn plain_bits(&mut self, a: u32, kind: Kind) -> u32 {
        if kind.bits() < 32 && kind.is_signed() {
            self.word(Op::AndImm, a, (1 << kind.bits()) - 1, 0)
        } else {
            a
        }
    }

    pub const fn bit_count(&mut self, method: u16, a: u32, kind: Kind) -> u32 {
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
        match kind.bits() {
            128 => return self.wide_bit_count(method, bits),
            64 => return self.long_bit_count(method, bits),
            _ => {}
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

    pub const fn long_bit_count(&mut self, method: u16, base: u32) -> u32 {
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

    const fn wide_bit_count(&mut self, method: u16, base: u32) -> u32 {
        let low = self.long_bit_count(method, base);
        let high = self.long_bit_count(method, base + 2);
        let (near, first, second) = match method {
            m::count_ones => return self.word(Op::Add, low, high, 0),
            m::leading_zeros => (base + 2, high, low),
            _ => (base, low, high),
        };
        let beyond = self.word(Op::AddImm, second, 64, 0);
        let any = self.word(Op::Or, near, near + 1, 0);
        self.select(any, first, beyond)
    }

    /// An operation of each word of a value of several, the last word first.
    const fn turned_words(&mut self, op: Op, a: u32, words: u32) -> u32 {
        let d = self.fresh(words);
        let mut i = 0;
        while i < words {
            self.emit(op, [d + i, a + words - 1 - i, 0, 0]);
            i += 1;
        }
        d
    }

    pub const fn swap_bytes(&mut self, a: u32, kind: Kind) -> u32 {
        match kind.bits() {
            8 => a,
            64 | 128 => self.turned_words(Op::ByteSwap, a, kind.words()),
            bits => {
                let swapped = self.word(Op::ByteSwap, a, 0, 0);
                self.top_bits(swapped, bits, kind)
            }
        }
    }

    pub const fn reverse_bits(&mut self, a: u32, kind: Kind) -> u32 {
        if kind.words() > 1 {
            return self.turned_words(Op::BitReverse, a, kind.words());
        }
        let reversed = self.word(Op::BitReverse, a, 0, 0);
        self.top_bits(reversed, kind.bits(), kind)
    }

    /// The top `bits` bits of a word as a value of the kind.
    pub const fn top_bits(&mut self, word: u32, bits: u32, kind: Kind) -> u32 {
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

    pub const fn rotate(&mut self, left: bool, kind: Kind, a: u32, amount: u32) -> u32 {
        let amount = if left { amount } else { self.word(Op::Neg, amount, 0, 0) };
        if kind.bits() == 32 {
            return self.word(Op::Rotl, a, amount, 0);
        }
        let forth = self.masked_amount(amount, kind);
        let back = self.word(Op::Neg, forth, 0, 0);
        let plain = unsigned(kind);
        let bits = self.plain_bits(a, kind);
        if kind.words() > 1 {
            // A rotation by 0 gives `a | a`, because shifts by the width are shifts by 0.
            let high = self.shift(true, plain, bits, forth);
            let low = self.shift(false, plain, bits, back);
            return self.each_word(Op::Or, plain, high, low);
        }
        let high = self.word(Op::Shl, bits, forth, 0);
        let rest = self.word(Op::AddImm, back, kind.bits(), 0);
        let low = self.word(Op::Shr, bits, rest, 0);
        let both = self.word(Op::Or, high, low, 0);
        self.normalise(both, kind)
    }
}
