//! `println!` and its kin: texts go to the launch's log. The elements of a slice are texts of their own, because nobody knows how many they
//! are.

use super::operand::Operand;
use super::state::{Encoder, UNPLACED};
use crate::encode::Message;
use crate::isa::Op;
use crate::routine::{Callee, Cause, Level, Shown};
use crate::types::{Kind, Type, TypeRef, Value};

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
            self.stack.items[first + i] = match operand.ty.kind {
                Kind::Slice => operand,
                _ => Operand::fresh(operand.type_ref(), self.value(operand)),
            };
            i += 1;
        }
        let mut next = 0;
        let mut i = 0;
        while i < count as usize {
            let operand = self.stack.items[first + i];
            if matches!(operand.ty.kind, Kind::Slice) {
                self.text(level, part(pieces, next, i + 1), formats, first + next);
                self.slice_text(level, operand, part(formats, i, i + 1));
                next = i + 1;
            }
            i += 1;
        }
        self.text(level, part(pieces, next, pieces.len()), formats, first + next);
        self.stack.len = first;
    }

    /// Prints the pieces with operands of the stack between them.
    const fn text(
        &mut self,
        level: Level,
        pieces: &'static [&'static str],
        formats: &'static [&'static str],
        first: usize,
    ) {
        let bottom = self.stack.len - formats.len();
        let count = pieces.len() - 1;
        let mut words = 0;
        let mut i = 0;
        while i < count {
            words += self.stack.items[first + i].ty.words;
            i += 1;
        }
        let site = self.site(Cause::Print { level, pieces });
        let base = self.fresh(words);
        let mut to = base;
        let mut i = 0;
        while i < count {
            let operand = self.stack.items[first + i];
            self.site(Cause::Value(showing(operand.ty, formats[first + i - bottom])));
            let value = self.value(operand);
            self.copy_words(to, value, operand.ty.words);
            to += operand.ty.words;
            i += 1;
        }
        self.log(site, base, words);
    }

    /// Prints `[1, 2, 3]`, each element in the only one of the formats.
    const fn slice_text(&mut self, level: Level, slice: Operand, formats: &'static [&'static str]) {
        showing(slice.ty, formats[0]);
        self.text(level, &["["], &[], self.stack.len);
        let length = self.length(slice);
        let length = self.length_word(length);
        let index = self.fresh(1);
        self.emit(Op::Imm, [index, 0, 0, 0]);
        let (head, same, end) = (
            self.labels.extend(UNPLACED, 1),
            self.labels.extend(UNPLACED, 1),
            self.labels.extend(UNPLACED, 1),
        );
        self.place_here(head);
        let more = self.word(Op::LtU, index, length, 0);
        self.jump_to(Op::JumpUnless, end, more);
        self.jump_to(Op::JumpUnless, same, index);
        self.text(level, &[", "], &[], self.stack.len);
        self.place_here(same);
        let index_value = Operand::fresh(TypeRef::value(<usize as Value>::TYPE), index);
        let element = self.element(slice, index_value, false);
        let element = self.deref_all(element);
        self.push(element);
        self.text(level, &["", ""], formats, self.stack.len - 1);
        self.pop();
        self.emit(Op::AddImm, [index, index, 1, 0]);
        self.jump_to(Op::Jump, head, 0);
        self.place_here(end);
        self.text(level, &["]"], &[], self.stack.len);
    }

    const fn log(&mut self, site: u32, base: u32, words: u32) {
        let callee = self.callees.len as u32;
        self.callees.push(Callee::Library(crate::library::number::print));
        self.emit(Op::Log, [site, base, words, callee]);
    }
}

/// How a text shows a value of a type.
pub(super) const fn showing(ty: &'static Type, format: &'static str) -> Shown {
    let shown = Shown { ty, format };
    assert!(
        ty.arithmetic_kind().is_scalar() || matches!(ty.kind, Kind::Half) || shown.is_debug(),
        "a text shows numbers, `bool` and `char` as `{{}}`, and other values as `{{:?}}`"
    );
    shown
}

const fn part(texts: &'static [&'static str], start: usize, end: usize) -> &'static [&'static str] {
    texts.split_at(end).0.split_at(start).1
}
