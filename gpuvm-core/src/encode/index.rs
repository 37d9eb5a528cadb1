//! Elements and ranges of arrays and slices: their lengths, their places, their bounds checks.

use super::activation::same_text;
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::facts::{CallFact, RoutineType};
use crate::isa::Op;
use crate::routine::{Callee, Cause};
use crate::stdlib::packed::{self, is_part};
use crate::types::{Kind, TypeRef, Value, name_hash};

/// How long an array or slice is.
#[derive(Clone, Copy)]
pub(super) enum Length {
    Constant(u32),
    Word(u32),
}

impl Encoder<'_> {
    /// The length of an array or slice, behind any references: a constant or a word.
    pub const fn length(&mut self, operand: Operand) -> Length {
        let place = self.deref_all(operand);
        match (place.ty.kind, place.at) {
            (Kind::Array, _) => Length::Constant(place.ty.length),
            (_, Where::Elements { length, .. }) => Length::Word(length),
            _ => panic!("only arrays and slices have a length"),
        }
    }

    /// The word that holds a length.
    pub const fn length_word(&mut self, length: Length) -> u32 {
        match length {
            Length::Constant(value) => self.imm(value),
            Length::Word(word) => word,
        }
    }

    /// The place of an element, behind any references, with or without a bounds check.
    pub const fn element(&mut self, base: Operand, index: Operand, check: bool) -> Operand {
        if base.is_never() || index.is_never() {
            return Operand::NEVER;
        }
        let place = self.deref_all(base);
        let Some(ty) = place.ty.element_ref() else {
            panic!("only arrays and slices can be indexed inside a routine")
        };
        if matches!(index.ty.kind, Kind::Struct) {
            return self.elements(place, index);
        }
        if let (Where::Literal(value), Kind::Array) = (index.at, place.ty.kind)
            && value < place.ty.length as u128
        {
            return place.part_ref(ty, value as u32 * ty.words());
        }
        let index = self.convert(index, TypeRef::value(<usize as Value>::TYPE));
        let index = self.value(index);
        if check {
            let length = self.length(place);
            let length = self.length_word(length);
            let inside = self.word(Op::LtU, index, length, 0);
            let outside = self.word(Op::XorImm, inside, 1, 0);
            let site = self.site(Cause::Bounds);
            self.emit(Op::TrapIf, [site, outside, length, index]);
        }
        let skip = if ty.words() == 1 {
            index
        } else {
            self.word(Op::MulImm, index, ty.words(), 0)
        };
        let (space, start, displacement) = self.pointer(place);
        let offset = self.word(Op::Add, start, skip, 0);
        Operand {
            ty: ty.ty,
            refs: ty.refs,
            at: Where::Memory {
                space,
                offset,
                displacement,
            },
            by_ref: place.by_ref,
            in_data: place.in_data,
            ..Operand::NEVER
        }
    }

    /// `base[range]` as an unsized place, where the range is a value.
    const fn elements(&mut self, base: Operand, range: Operand) -> Operand {
        let fields = range.ty.fields;
        let (mut start, mut end, mut exhausted) = (None, None, None);
        let mut i = 0;
        while i < fields.len() {
            let part = Some(range.part_ref(fields[i].type_ref(), fields[i].offset));
            if fields[i].hash == const { name_hash("start") } {
                start = part;
            } else if fields[i].hash == const { name_hash("end") } {
                end = part;
            } else {
                exhausted = part;
            }
            i += 1;
        }
        let mut inclusive = same_text(range.ty.name, "..=end");
        if let (Some(first), Some(last), Some(exhausted)) = (start, end, exhausted) {
            // An iterator that has come to its end is behind it.
            let (first, last, exhausted) = (self.value(first), self.value(last), self.value(exhausted));
            let behind = self.word(Op::AddImm, last, 1, 0);
            let first = self.select(exhausted, behind, first);
            start = Some(Operand::scalar(<usize as Value>::TYPE, first));
            inclusive = true;
        }
        self.range(base, start, end, inclusive)
    }

    /// `base[index]` of a type that has a routine for it.
    pub const fn indexed_by(&mut self, call: CallFact) {
        // std's traits say `#[track_caller]`.
        self.call_tracked(call, 2);
        let element = self.pop();
        let place = self.deref(element);
        self.push(place);
    }

    /// The same where the index is a range, whose bounds are on the stack. `exhausts`: whether it can tell that it has come to its end.
    pub const fn indexed_by_range(&mut self, call: CallFact, bounds: u32, exhausts: bool) {
        if exhausts {
            let no = self.imm(0);
            self.push_bool(no);
        }
        self.sequence(call.params[1].ty, bounds + exhausts as u32);
        self.indexed_by(call);
    }

    /// Words of space and offset of an array or slice place, and a constant to add to the offset.
    pub(super) const fn pointer(&mut self, place: Operand) -> (u32, u32, u32) {
        match place.at {
            Where::Memory {
                space,
                offset,
                displacement,
            } => (space, offset, displacement),
            Where::Elements { space, offset, .. } => (space, offset, 0),
            _ => {
                let base = self.address(place);
                (base, base + 1, 0)
            }
        }
    }

    /// `base[start..end]` as an unsized place. `None` stands for the slice's own end.
    pub const fn range(
        &mut self,
        base: Operand,
        start: Option<Operand>,
        end: Option<Operand>,
        inclusive: bool,
    ) -> Operand {
        let place = self.deref_all(base);
        if place.is_never() {
            return place;
        }
        let usize_ty = TypeRef::value(<usize as Value>::TYPE);
        let length = self.length(place);
        let length = self.length_word(length);
        let (has_start, has_end) = (start.is_some(), end.is_some());
        let start = match start {
            Some(start) => {
                let start = self.convert(start, usize_ty);
                self.value(start)
            }
            None => self.imm(0),
        };
        let end = match end {
            Some(end) => {
                let end = self.convert(end, usize_ty);
                let end = self.value(end);
                if inclusive {
                    self.word(Op::AddImm, end, 1, 0)
                } else {
                    end
                }
            }
            None => length,
        };
        if place.ty.is_text() {
            self.trap_unless_part(place, start, end);
            return self.slice(place, start, end);
        }
        // In std's order, since the first that is wrong is told.
        if has_start {
            self.trap_unless_ordered(Cause::SliceStart, start, length);
        }
        if has_end {
            self.trap_unless_ordered(Cause::SliceEnd, end, length);
        }
        if has_start && has_end {
            self.trap_unless_ordered(Cause::SliceOrder, start, end);
        }
        self.slice(place, start, end)
    }

    /// Traps if `least` is above `most`, and records the two.
    const fn trap_unless_ordered(&mut self, cause: Cause, least: u32, most: u32) {
        let wrong = self.word(Op::LtU, most, least, 0);
        let site = self.site(cause);
        self.emit(Op::TrapIf, [site, wrong, least, most]);
    }

    /// Traps if a range of a text is not made of its characters.
    const fn trap_unless_part(&mut self, text: Operand, start: u32, end: u32) {
        let base = self.fresh(5);
        self.store_words(
            base,
            text,
            TypeRef {
                refs: 1,
                ..TypeRef::value(text.ty)
            },
        );
        self.copy_words(base + 3, start, 1);
        self.copy_words(base + 4, end, 1);
        let (is_part, callee) = (self.fresh(1), self.callee(Callee::Routine(is_part::routine)));
        self.emit(Op::Call, [callee, base, is_part, 0]);
        let past = self.new_label();
        self.jump_to(Op::JumpIf, past, is_part);
        let shown = self.packed(text, packed::BESIDE);
        let site = self.site(Cause::TextRange);
        self.trap(site, [start, end, shown, shown + 1]);
        self.place_here(past);
    }

    /// `base[start..end]` as an unsized place, where that is known to be inside.
    pub const fn range_unchecked(&mut self, base: Operand, start: Operand, end: Operand) -> Operand {
        let place = self.deref_all(base);
        if place.is_never() {
            return place;
        }
        let usize_ty = <usize as Value>::TYPE;
        let start = self.argument(start, usize_ty);
        let end = self.argument(end, usize_ty);
        self.slice(place, start, end)
    }

    /// A reference of another type to the same elements, or the same words as a value of another type.
    pub const fn view(&mut self, base: Operand, length: Operand, want: TypeRef) -> Operand {
        let place = self.deref_all(base);
        if place.is_never() {
            return place;
        }
        if want.refs == 0 {
            let base = self.value(place);
            return Operand::fresh(want, base).shared();
        }
        let base = self.address(place);
        // Where no length is told it stays.
        if matches!(want.ty.kind, Kind::Slice) && length.ty.kind.is_scalar() {
            let length = self.argument(length, <usize as Value>::TYPE);
            self.copy_words(base + 2, length, 1);
        }
        Operand::fresh(want, base)
    }

    /// The elements from one word's value to another's.
    const fn slice(&mut self, place: Operand, start: u32, end: u32) -> Operand {
        let Some(element) = place.ty.element_ref() else {
            panic!("only arrays and slices can be indexed inside a routine")
        };
        let (space, first, displacement) = self.pointer(place);
        let skip = self.word(Op::MulImm, start, element.words(), 0);
        let first = self.word(Op::AddImm, first, displacement, 0);
        let base = self.fresh(3);
        self.copy(base, space);
        self.emit(Op::Add, [base + 1, first, skip, 0]);
        self.emit(Op::Sub, [base + 2, end, start, 0]);
        let at = Where::Elements {
            space: base,
            offset: base + 1,
            length: base + 2,
        };
        let ty = match place.ty.slice {
            Some(slice) => slice,
            None => place.ty,
        };
        Operand {
            ty,
            refs: 0,
            at,
            by_ref: place.by_ref,
            in_data: place.in_data,
            ..Operand::NEVER
        }
    }
}
