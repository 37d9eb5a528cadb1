//! Tuples, arrays, structs, enum values, and the patterns that take them apart.

use super::index::Length;
use super::operand::{Operand, Where};
use super::state::Encoder;
use crate::isa::Op;
use crate::routine::Variable;
use crate::types::{Field, Kind, Type, TypeRef, Value, Variant, name_hash};

/// The hashes of fields counted from the end, as patterns behind a `..` name them.
const FROM_END: [u32; 8] = [
    name_hash("-1"),
    name_hash("-2"),
    name_hash("-3"),
    name_hash("-4"),
    name_hash("-5"),
    name_hash("-6"),
    name_hash("-7"),
    name_hash("-8"),
];

/// How the fields of a value that is made are given.
#[derive(Clone, Copy)]
pub(super) enum Fields {
    /// By their hashes, which follow in the node stream.
    Named,
    /// The same, and above them a value for the others.
    NamedBeforeBase,
    /// All of them, in order.
    InOrder,
}

/// The index of the field of that hash.
const fn index_of(fields: &'static [Field], hash: u32) -> usize {
    let mut i = 0;
    let mut rest = fields;
    while let [field, others @ ..] = rest {
        if field.hash == hash {
            return i;
        }
        i += 1;
        rest = others;
    }
    let mut back = 0;
    while back < FROM_END.len() && back < fields.len() {
        if FROM_END[back] == hash {
            return fields.len() - 1 - back;
        }
        back += 1;
    }
    panic!("no field of this name (is its struct declared with #[derive(VmType)]?)")
}

/// Whether there is a field of that hash.
const fn has_field(fields: &'static [Field], hash: u32) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if fields[i].hash == hash {
            return true;
        }
        i += 1;
    }
    false
}

/// The index of the variant of that hash.
const fn variant_of(ty: &'static Type, hash: u32) -> usize {
    let mut i = 0;
    let mut rest = ty.variants;
    while let [variant, others @ ..] = rest {
        if variant.hash == hash {
            return i;
        }
        i += 1;
        rest = others;
    }
    panic!("no variant of this name: variants renamed by `use … as` cannot be followed, write the variant's own name")
}

impl Encoder<'_> {
    /// `base.name`.
    /// `changes`: whether it is assigned to or borrowed to be.
    pub const fn field(&mut self, base: Operand, hash: u32, changes: bool) -> Operand {
        let mut place = self.deref_all(base);
        while place.ty.dereferenced.is_some() && !has_field(place.ty.fields, hash) {
            let target = self.deref_written(place, changes);
            place = self.deref_all(target);
        }
        if matches!(place.at, Where::Never) {
            return place;
        }
        self.member(place, place.ty.fields, hash)
    }

    /// The field of that hash, one of `fields`.
    const fn member(&self, place: Operand, fields: &'static [Field], hash: u32) -> Operand {
        let index = index_of(fields, hash);
        self.part_of(place, fields[index], index)
    }

    /// The field of that index.
    const fn part_of(&self, place: Operand, field: Field, index: usize) -> Operand {
        if let Where::Record(first) = place.at {
            let part = self.parts.items[first as usize + index].shared();
            return Operand {
                by_ref: place.by_ref,
                ..part
            };
        }
        place.part_ref(field.type_ref(), field.offset)
    }

    /// A tuple or array of the top `count` operands.
    pub const fn sequence(&mut self, ty: &'static Type, count: u32) {
        let base = self.fresh(ty.words);
        let first = self.stack.len - count as usize;
        let mut never = false;
        let mut i = 0;
        while i < count {
            let operand = self.stack.items[first + i as usize];
            never = never || matches!(operand.at, Where::Never);
            let (part, offset) = match ty.element_ref() {
                Some(element) => (element, i * element.words()),
                None => (ty.fields[i as usize].type_ref(), ty.fields[i as usize].offset),
            };
            self.store_words(base + offset, operand, part);
            i += 1;
        }
        self.stack.len = first;
        self.push(if never {
            Operand::NEVER
        } else {
            Operand::fresh(TypeRef::value(ty), base)
        });
    }

    /// An array of copies of one value.
    pub const fn repeat(&mut self, ty: &'static Type) {
        let operand = self.pop();
        if matches!(operand.at, Where::Never) {
            self.push(operand);
            return;
        }
        let Some(element) = ty.element_ref() else {
            panic!("`[value; count]` makes an array")
        };
        let operand = self.convert(operand, element);
        let value = self.value(operand);
        let base = self.fresh(ty.words);
        if ty.length > 0 {
            self.copy_words(base, value, element.words());
            self.repeat_words(base, element.words(), ty.words);
        }
        self.push(Operand::fresh(TypeRef::value(ty), base));
    }

    /// A struct or enum value.
    pub const fn construct(&mut self, ty: &'static Type, variant: u32, count: u32, given_as: Fields) {
        let (fields, tag) = if matches!(ty.kind, Kind::Enum) {
            let index = variant_of(ty, variant);
            let Variant { fields, .. } = ty.variants[index];
            (fields, Some(index as u32))
        } else {
            (ty.fields, None)
        };
        if ty.opaque {
            return self.record(ty, count, given_as);
        }
        assert!(
            tag.is_some()
                || ty.fields.len() <= count as usize && (count > 0 || ty.words == 0)
                || !matches!(given_as, Fields::InOrder),
            "a name in capitals is called that is no constructor of this type: give the function a name in lower case"
        );
        let rest = match given_as {
            Fields::NamedBeforeBase => Some(self.pop()),
            _ => None,
        };
        let base = self.fresh(ty.words);
        if let Some(tag) = tag {
            self.set(base, tag);
        }
        let first = self.stack.len - count as usize;
        let (mut never, named) = (false, self.at);
        let mut i = 0;
        while i < count {
            let index = match given_as {
                Fields::InOrder => i as usize,
                _ => index_of(fields, self.hash()),
            };
            let field = &fields[index];
            let operand = self.stack.items[first + i as usize];
            never = never || matches!(operand.at, Where::Never);
            self.store_words(base + field.offset, operand, field.type_ref());
            i += 1;
        }
        self.stack.len = first;
        if let Some(rest) = rest {
            never = never || matches!(rest.at, Where::Never);
            let rest = self.deref_all(rest);
            let mut i = 0;
            while i < fields.len() && !matches!(rest.at, Where::Never) {
                if !self.is_among(named, count, fields[i].hash) {
                    let part = rest.part_ref(fields[i].type_ref(), fields[i].offset);
                    self.store_words(base + fields[i].offset, part, fields[i].type_ref());
                }
                i += 1;
            }
        }
        if tag.is_some() {
            let mut used = 1;
            if let [.., last] = fields {
                used = last.offset + last.type_ref().words();
            }
            while used < ty.words {
                self.set(base + used, 0);
                used += 1;
            }
        }
        self.push(if never {
            Operand::NEVER
        } else {
            Operand::fresh(TypeRef::value(ty), base)
        });
    }

    /// Whether a name's hash is among `count` of them in the node stream.
    const fn is_among(&mut self, named: usize, count: u32, hash: u32) -> bool {
        let here = self.at;
        self.at = named;
        let (mut i, mut found) = (0, false);
        while i < count && !found {
            found = self.hash() == hash;
            i += 1;
        }
        self.at = here;
        found
    }

    /// A struct that holds closures: its fields are operands of their own.
    const fn record(&mut self, ty: &'static Type, count: u32, given_as: Fields) {
        let first = self.stack.len - count as usize;
        let parts = self.parts.extend(ty.fields.len() as u32, &mut self.full);
        let mut never = false;
        let mut i = first;
        while i < self.stack.len && !self.overflowed() {
            let index = match given_as {
                Fields::InOrder => i - first,
                _ => index_of(ty.fields, self.hash()),
            };
            let operand = self.stack.items[i];
            never = never || matches!(operand.at, Where::Never);
            let operand = self.convert(operand, ty.fields[index].type_ref());
            let value = self.owned(operand).shared();
            self.set_part(parts + index as u32, value);
            i += 1;
        }
        self.stack.len = first;
        self.push(if never {
            Operand::NEVER
        } else {
            Operand {
                ty,
                at: Where::Record(parts),
                owned: true,
                ..Operand::NEVER
            }
        });
    }

    // Bindings.

    /// Binds a local to an operand's value, or to a reference under a reference binding mode.
    pub const fn bind(&mut self, local: u32, operand: Operand) {
        let operand = if operand.by_ref {
            let place = self.writable(operand);
            self.reference(place)
        } else {
            operand
        };
        let operand = if operand.is_literal() {
            self.convert(operand, TypeRef::value(operand.ty))
        } else {
            operand
        };
        let mut bound = self.owned(operand).shared();
        bound.by_ref = false;
        self.declare(local, bound);
    }

    /// Makes the operand's words the local. Where another alternative of an or-pattern has bound it already, its words stay and
    /// take the value.
    pub const fn declare(&mut self, local: u32, operand: Operand) {
        let own = self.local(local);
        if let Where::Words(bound) = self.locals.items[own].at
            && let Where::Words(word) = operand.at
            && operand.unmade == 0
        {
            self.copy_words(bound, word, operand.type_ref().words());
            return;
        }
        self.locals.items[own] = operand;
        if let Where::Words(word) = operand.at
            && let name = self.source.locals[local as usize]
            && !name.is_empty()
        {
            self.variables.push(
                Variable {
                    name,
                    word,
                    ty: operand.type_ref(),
                    line: self.line,
                    last_line: u32::MAX,
                },
                &mut self.full,
            );
            self.local_of.push(own as u32, &mut self.full);
        }
    }

    /// Ends the block in which the locals from `first` on were declared.
    pub const fn leave(&mut self, first: u32) {
        let first = self.local(first) as u32;
        let mut i = self.variables.kept();
        while i > 0 && self.local_of.items[i - 1] >= first {
            i -= 1;
            let variable = &mut self.variables.items[i];
            if variable.last_line == u32::MAX {
                variable.last_line = self.furthest;
            }
        }
    }

    /// A local of a type, not yet set.
    pub const fn declare_of(&mut self, local: u32, ty: TypeRef) {
        let base = self.fresh(ty.words());
        self.declare(local, Operand::fresh(ty, base).shared());
    }

    // Patterns: the scrutinee is the top of the stack and stays there.

    /// The top operand without its references; bindings below it become references.
    pub const fn scrutinee(&mut self) -> Operand {
        let mut top = self.pop();
        if top.refs > 0 {
            top = self.deref_all(top);
            top.by_ref = true;
        }
        top = top.shared();
        self.push(top);
        top
    }

    pub const fn pattern_field(&mut self, hash: u32) {
        let place = self.scrutinee();
        if matches!(place.at, Where::Never) {
            self.push(place);
            return;
        }
        let part = self.member(place, place.ty.fields, hash);
        self.push(part);
    }

    pub const fn pattern_payload(&mut self, variant: u32, hash: u32) {
        let place = self.scrutinee();
        if matches!(place.at, Where::Never) {
            self.push(place);
            return;
        }
        // The macro cannot tell a struct's name from a variant's.
        let fields = if matches!(place.ty.kind, Kind::Enum) {
            place.ty.variants[variant_of(place.ty, variant)].fields
        } else {
            place.ty.fields
        };
        let part = self.member(place, fields, hash);
        self.push(part);
    }

    pub const fn pattern_variant(&mut self, variant: u32, label: u32) {
        let place = self.scrutinee();
        if matches!(place.at, Where::Never) || !matches!(place.ty.kind, Kind::Enum) {
            return;
        }
        let index = self.imm(variant_of(place.ty, variant) as u32);
        let tag = self.value(place.part(<u32 as Value>::TYPE, 0));
        let is = self.word(Op::Eq, tag, index, 0);
        self.jump(Op::JumpUnless, label, is);
    }

    pub const fn pattern_length(&mut self, least: u32, exact: bool, label: u32) {
        let place = self.scrutinee();
        if matches!(place.at, Where::Never) {
            return;
        }
        // The length of an array is known, and rustc has checked it against the pattern.
        if let Length::Word(length) = self.length(place) {
            let wanted = self.imm(least);
            let fits = self.word(if exact { Op::Eq } else { Op::LeU }, wanted, length, 0);
            self.jump(Op::JumpUnless, label, fits);
        }
    }

    pub const fn pattern_element(&mut self, index: u32, from_end: bool) {
        let place = self.scrutinee();
        if matches!(place.at, Where::Never) {
            self.push(place);
            return;
        }
        let index = match (from_end, self.length(place)) {
            (false, _) => Operand::literal(index as u128),
            (true, Length::Constant(length)) => Operand::literal((length - index) as u128),
            (true, Length::Word(length)) => {
                let word = self.word(Op::AddImm, length, index.wrapping_neg(), 0);
                Operand::scalar(<usize as Value>::TYPE, word)
            }
        };
        let element = self.element(place, index, false);
        self.push(element);
    }

    pub const fn pattern_rest(&mut self, front: u32, back: u32) {
        let place = self.scrutinee();
        if matches!(place.at, Where::Never) {
            self.push(place);
            return;
        }
        let length = self.length(place);
        // Of an array that is taken apart by value the rest is a part of a copy.
        let place = match length {
            Length::Constant(_) if !place.by_ref => self.owned(place),
            _ => place,
        };
        let length = self.length_word(length);
        let end = self.word(Op::AddImm, length, back.wrapping_neg(), 0);
        let end = Operand::scalar(<usize as Value>::TYPE, end);
        let mut rest = self.range(place, Some(Operand::literal(front as u128)), Some(end), false);
        rest.by_ref = true;
        self.push(rest);
    }
}
