//! Copies of words: written out one by one, or in a loop where they are many.

use super::state::Encoder;
use crate::isa::{Op, space};

/// The most words that are copied one by one; more are copied in a loop.
const MOST_UNROLLED: u32 = 256;

/// How many words a turn of that loop copies.
const WORDS_A_TURN: u32 = 16;

/// A place in memory: two words, and how many words behind it.
#[derive(Clone, Copy)]
pub(super) struct Pointer {
    pub space: u32,
    pub offset: u32,
    pub displacement: u32,
}

impl Encoder<'_> {
    /// Copies consecutive words.
    pub const fn copy_words(&mut self, to: u32, from: u32, count: u32) {
        if to == from {
            return;
        }
        if count == 1 {
            return self.copy(to, from);
        }
        if count > MOST_UNROLLED {
            let (to, from) = (self.pointer_to(to, count), self.pointer_to(from, count));
            return self.copy_in_loop(to, from, count);
        }
        let mut i = 0;
        while i < count {
            self.copy(to + i, from + i);
            i += 1;
        }
    }

    /// Fills `count` consecutive words with copies of the first `period` of them.
    pub const fn repeat_words(&mut self, base: u32, period: u32, count: u32) {
        if period == 0 || count <= period {
            return;
        }
        if count > MOST_UNROLLED {
            let from = self.pointer_to(base, count);
            let to = Pointer {
                displacement: period,
                ..from
            };
            return self.copy_in_loop(to, from, count - period);
        }
        let mut done = period;
        while done < count {
            self.copy_words(base + done, base, period);
            done += period;
        }
    }

    /// Copies words from memory into consecutive words.
    pub const fn load_words(&mut self, to: u32, from: Pointer, count: u32) {
        if count > MOST_UNROLLED {
            let to = self.pointer_to(to, count);
            return self.copy_in_loop(to, from, count);
        }
        let mut i = 0;
        while i < count {
            self.emit(Op::Load, [to + i, from.space, from.offset, from.displacement + i]);
            i += 1;
        }
    }

    /// Copies consecutive words into memory.
    pub const fn save_words(&mut self, to: Pointer, from: u32, count: u32) {
        if count > MOST_UNROLLED {
            let from = self.pointer_to(from, count);
            return self.copy_in_loop(to, from, count);
        }
        let mut i = 0;
        while i < count {
            self.emit(Op::Store, [from + i, to.space, to.offset, to.displacement + i]);
            i += 1;
        }
    }

    /// Where in the frame consecutive words are.
    pub(super) const fn pointer_to(&mut self, base: u32, count: u32) -> Pointer {
        let offset = self.fresh(1);
        self.emit(Op::Address, [offset, base, count, 0]);
        Pointer {
            space: self.imm(space::FRAME),
            offset,
            displacement: 0,
        }
    }

    /// Copies words one after the other, so that copies that lie `n` behind what is copied repeat the first `n`.
    const fn copy_in_loop(&mut self, to: Pointer, from: Pointer, count: u32) {
        let rest = count % WORDS_A_TURN;
        let at = self.imm(0);
        let end = self.imm(count - rest);
        let label = self.new_label();
        if self.overflowed() {
            return;
        }
        self.place_here(label);
        let source = Pointer {
            offset: self.word(Op::Add, from.offset, at, 0),
            ..from
        };
        let target = Pointer {
            offset: self.word(Op::Add, to.offset, at, 0),
            ..to
        };
        self.copy_each(target, source, 0, WORDS_A_TURN);
        self.emit(Op::AddImm, [at, at, WORDS_A_TURN, 0]);
        let more = self.word(Op::LtU, at, end, 0);
        self.jump_to(Op::JumpIf, label, more);
        self.copy_each(to, from, count - rest, rest);
    }

    /// Copies `count` words from the `first` on, one after the other.
    const fn copy_each(&mut self, to: Pointer, from: Pointer, first: u32, count: u32) {
        let mut i = first;
        while i < first + count {
            let word = self.word(Op::Load, from.space, from.offset, from.displacement + i);
            self.emit(Op::Store, [word, to.space, to.offset, to.displacement + i]);
            i += 1;
        }
    }
}
