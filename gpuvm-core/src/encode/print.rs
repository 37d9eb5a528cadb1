//! `println!` and its kin: texts go to the launch's log. The elements of a slice are texts of their own, because nobody knows how many they
//! are.

use super::operand::Operand;
use super::state::Encoder;
use crate::encode::Message;
use crate::facts::RoutineType;
use crate::isa::{Op, space};
use crate::routine::{Callee, Cause, Level, Shown};
use crate::stdlib::duration::pack_beside;
use crate::stdlib::packed;
use crate::types::{Kind, Type, TypeRef, Value};
use gpuvm_nodes::is_count;

impl Encoder<'_> {
    /// Prints the message of that number with the top `count` operands.
    pub const fn print_with(&mut self, message: usize, count: u32) {
        let Message { pieces, formats, level } = self.source.messages[message];
        let first = self.stack.len - count as usize;
        let mut i = 0;
        while i < count as usize {
            let operand = self.stack.items[first + i];
            if operand.is_never() {
                self.stack.len = first;
                return;
            }
            let operand = self.deref_all(operand);
            self.stack.items[first + i] = self.shown(operand);
            i += 1;
        }
        let mut next = 0;
        let mut i = 0;
        while i < count as usize {
            let operand = self.stack.items[first + i];
            if matches!(operand.ty.kind, Kind::Slice) && !operand.ty.is_text() {
                let mut before = i;
                while before > next && is_count(formats[before - 1]) {
                    before -= 1;
                }
                self.text(
                    level,
                    part(pieces, next, before + 1),
                    part(formats, next, before),
                    first + next,
                );
                self.slice_text(level, operand, part(formats, before, i + 1), first + before);
                next = i + 1;
            }
            i += 1;
        }
        let rest = part(formats, next, formats.len());
        self.text(level, part(pieces, next, pieces.len()), rest, first + next);
        self.stack.len = first;
    }

    /// What is kept of a value that is printed; of a slice, which has texts of its own, the slice.
    const fn shown(&mut self, operand: Operand) -> Operand {
        match operand.ty.kind {
            Kind::Slice if operand.ty.is_text() => {
                let words = self.packed(operand, packed::LOGGED);
                Operand::fresh(operand.type_ref(), words)
            }
            Kind::Slice => operand,
            _ => Operand::fresh(operand.type_ref(), self.value(operand)),
        }
    }

    /// The words by which a trap or a log has a text.
    pub const fn packed(&mut self, text: Operand, words: u32) -> u32 {
        let routine: fn() -> &'static crate::routine::Routine = match words {
            packed::BESIDE => packed::pack_beside::routine,
            packed::ALONE => packed::pack_alone::routine,
            _ => packed::pack_logged::routine,
        };
        let place = self.reference(text);
        let address = self.value(place);
        let result = self.fresh(words);
        self.copy_words(result, address + 1, 2);
        let data = self.imm(space::DATA);
        let elsewhere = self.word(Op::Xor, address, data, 0);
        let end = self.new_label();
        self.jump_to(Op::JumpUnless, end, elsewhere);
        let callee = self.callee(Callee::Routine(routine));
        let kept = self.fresh(words);
        self.emit(Op::Call, [callee, address, kept, 0]);
        self.copy_words(result, kept, words);
        self.place_here(end);
        result
    }

    /// The two words by which a trap has a duration beside another value.
    pub const fn packed_duration(&mut self, duration: Operand) -> u32 {
        let value = self.value(duration);
        let callee = self.callee(Callee::Routine(pack_beside::routine));
        let kept = self.fresh(packed::BESIDE);
        self.emit(Op::Call, [callee, value, kept, 0]);
        kept
    }

    /// Prints the pieces with operands of the stack between them, each in its format.
    const fn text(
        &mut self,
        level: Level,
        pieces: &'static [&'static str],
        formats: &'static [&'static str],
        first: usize,
    ) {
        let count = formats.len();
        let mut words = 0;
        let mut i = 0;
        while i < count {
            words += showing(self.stack.items[first + i].ty, formats[i]).logged_words();
            i += 1;
        }
        let site = self.site(Cause::Print { level, pieces });
        let base = self.fresh(words);
        let mut to = base;
        let mut i = 0;
        while i < count {
            let operand = self.stack.items[first + i];
            let shown = showing(operand.ty, formats[i]);
            self.site(Cause::Value(shown));
            let value = self.value(operand);
            self.copy_words(to, value, shown.logged_words());
            to += shown.logged_words();
            i += 1;
        }
        self.log(site, base, words);
    }

    /// Prints `[1, 2, 3]`, each element in the last of the formats; the others are of a width and a precision, the operands from `counts` on.
    const fn slice_text(&mut self, level: Level, slice: Operand, formats: &'static [&'static str], counts: usize) {
        showing(slice.ty, formats[formats.len() - 1]);
        self.text(level, &["["], &[], self.stack.len);
        let length = self.length(slice);
        let length = self.length_word(length);
        let index = self.fresh(1);
        self.set(index, 0);
        let (head, same, end) = (self.new_label(), self.new_label(), self.new_label());
        self.place_here(head);
        let more = self.word(Op::LtU, index, length, 0);
        self.jump_to(Op::JumpUnless, end, more);
        self.jump_to(Op::JumpUnless, same, index);
        self.text(level, &[", "], &[], self.stack.len);
        self.place_here(same);
        let index_value = Operand::fresh(TypeRef::value(<usize as Value>::TYPE), index);
        let element = self.element(slice, index_value, false);
        let element = self.deref_all(element);
        let element = self.shown(element);
        let bottom = self.stack.len;
        let mut i = 0;
        while i + 1 < formats.len() {
            self.push(self.stack.items[counts + i]);
            i += 1;
        }
        self.push(element);
        self.text(level, part(&["", "", "", ""], 0, formats.len() + 1), formats, bottom);
        self.stack.len = bottom;
        self.emit(Op::AddImm, [index, index, 1, 0]);
        self.jump_to(Op::Jump, head, 0);
        self.place_here(end);
        self.text(level, &["]"], &[], self.stack.len);
    }

    const fn log(&mut self, site: u32, base: u32, words: u32) {
        let callee = self.callee(Callee::Library(crate::library::number::print));
        self.emit(Op::Log, [site, base, words, callee]);
    }
}

/// How a text shows a value of a type.
pub(super) const fn showing(ty: &'static Type, format: &'static str) -> Shown {
    let shown = Shown { ty, format };
    assert!(
        ty.arithmetic_kind().is_scalar() || matches!(ty.kind, Kind::Half) || ty.is_text() || shown.is_debug(),
        "a text shows numbers, `bool`, `char` and text as `{{}}`, and other values as `{{:?}}`"
    );
    shown
}

const fn part(texts: &'static [&'static str], start: usize, end: usize) -> &'static [&'static str] {
    texts.split_at(end).0.split_at(start).1
}
