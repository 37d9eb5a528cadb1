//! `clone` as std derives it, and as tuples, arrays, `Option` and `Result` have it: part by part, by the routine that the user has written for a part, or word by word.

use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::routine::Callee;
use crate::types::{Field, Kind, TypeRef, Value, any_clones};

/// Elements of an array at most that are cloned one after the other, each by a call of its own; those of a longer one are in a loop.
const MOST_CALLS: u32 = 8;

impl Encoder<'_> {
    /// A clone of a value.
    pub const fn cloned(&mut self, value: Operand) -> Operand {
        if !value.ty.clones_by_routine() {
            return self.owned(value);
        }
        let base = self.fresh(value.ty.words);
        self.store_words(base, value, TypeRef::value(value.ty));
        self.clone_parts(base, value);
        Operand::fresh(TypeRef::value(value.ty), base)
    }

    /// Puts clones of what has a routine of its own into a copy of a value.
    const fn clone_parts(&mut self, base: u32, value: Operand) {
        let ty = value.ty;
        if let Some(routine) = ty.comparisons.clone {
            let want = TypeRef {
                ty,
                refs: 1,
                mutable: false,
            };
            let argument = self.fresh(want.words());
            self.store_words(argument, value, want);
            let callee = self.callee(Callee::Routine(routine));
            let result = self.fresh(ty.words);
            self.emit(Op::Call, [callee, argument, result, 0]);
            self.copy_words(base, result, ty.words);
            return;
        }
        match ty.kind {
            Kind::Array => {
                let Some(element) = ty.element_ref() else { return };
                if ty.length > MOST_CALLS {
                    return self.clone_elements(base, value, element);
                }
                let mut i = 0;
                while i < ty.length {
                    let at = i * element.words();
                    self.clone_parts(base + at, value.part_ref(element, at));
                    i += 1;
                }
            }
            Kind::Enum => {
                let tag = self.value(value.part(<u32 as Value>::TYPE, 0));
                let mut i = 0;
                while i < ty.variants.len() {
                    let fields = ty.variants[i].fields;
                    if any_clones(fields) {
                        let index = self.imm(i as u32);
                        let is_this = self.word(Op::Eq, tag, index, 0);
                        let past = self.new_label();
                        self.jump_to(Op::JumpUnless, past, is_this);
                        self.clone_fields(base, value, fields);
                        self.place_here(past);
                    }
                    i += 1;
                }
            }
            _ => self.clone_fields(base, value, ty.fields),
        }
    }

    /// The same of a list's elements, in a loop.
    const fn clone_elements(&mut self, base: u32, value: Operand, element: TypeRef) {
        let (space, offset, displacement) = self.pointer(value);
        let to = self.pointer_to(base, value.ty.words);
        let at = self.imm(0);
        let end = self.imm(value.ty.words);
        let label = self.new_label();
        if self.overflowed() {
            return;
        }
        self.place_here(label);
        let from = Where::Memory {
            space,
            offset: self.word(Op::Add, offset, at, 0),
            displacement,
        };
        let clone = self.cloned(Operand {
            at: from,
            ..Operand::fresh(element, 0)
        });
        let first = self.fresh(element.words());
        self.store_words(first, clone, element);
        let offset = self.word(Op::Add, to.offset, at, 0);
        let mut i = 0;
        while i < element.words() {
            self.emit(Op::Store, [first + i, to.space, offset, to.displacement + i]);
            i += 1;
        }
        self.emit(Op::AddImm, [at, at, element.words(), 0]);
        let more = self.word(Op::LtU, at, end, 0);
        self.jump_to(Op::JumpIf, label, more);
    }

    const fn clone_fields(&mut self, base: u32, value: Operand, fields: &'static [Field]) {
        let mut i = 0;
        while i < fields.len() {
            let field = &fields[i];
            if field.refs == 0 && field.ty.clones_by_routine() {
                self.clone_parts(base + field.offset, value.part_ref(field.type_ref(), field.offset));
            }
            i += 1;
        }
    }
}
