//! Comparisons: equality of anything, order of scalars; the order of all else is in `order`.

use super::node::Operator;
use super::operand::Operand;
use super::state::Encoder;
use crate::isa::Op;
use crate::types::{Kind, Type, TypeRef, Value};

/// A loop over pairs of elements.
pub(super) struct Pairs {
    /// The words of both lengths.
    pub lengths: [u32; 2],
    index: u32,
    head: u32,
    /// The label behind it.
    pub end: u32,
}

/// What is said where a comparison is not known, though method lookup has found one: nobody should read it.
pub(super) const BY_HAND: &str = "nothing tells of a type's comparison, which is written by hand";

/// Up to how many elements of an array are compared one by one where routines compare them: of more, a loop does it.
pub(super) const MOST_UNROLLED: u32 = 8;

impl Encoder<'_> {
    /// Gives the top `count` operands, which are compared, the type that tells how its parts compare.
    pub const fn compare_as(&mut self, ty: &'static Type, count: u32) {
        let mut i = self.stack.len - count as usize;
        while i < self.stack.len {
            if !self.stack.items[i].is_never() {
                self.stack.items[i].ty = ty;
            }
            i += 1;
        }
    }

    /// A comparison as a word of 0 or 1.
    pub const fn compare(&mut self, operator: Operator, a: Operand, b: Operand) -> u32 {
        match operator {
            Operator::Eq => self.same(a, b),
            Operator::Ne => {
                let same = self.same(a, b);
                self.not_bool(same)
            }
            _ if !a.ty.arithmetic_kind().is_scalar() => {
                let order = self.order(false, a, b);
                self.order_is(operator, order)
            }
            Operator::Gt => self.compare(Operator::Lt, b, a),
            Operator::Ge => self.compare(Operator::Le, b, a),
            _ => {
                let kind = a.ty.arithmetic_kind();
                let left = self.value(a);
                let right = self.value(b);
                self.ordered(matches!(operator, Operator::Le), kind, left, right)
            }
        }
    }

    /// `a < b`, or `a <= b`.
    pub const fn ordered(&mut self, or_equal: bool, kind: Kind, a: u32, b: u32) -> u32 {
        if matches!(kind, Kind::F64) {
            return self.double_ordered(or_equal, a, b);
        }
        if kind.bits() == 128 {
            if !or_equal {
                return self.wide_less(kind.is_signed(), a, b);
            }
            let greater = self.wide_less(kind.is_signed(), b, a);
            return self.not_bool(greater);
        }
        if kind.bits() == 64 {
            let op = if kind.is_signed() { Op::LtS64 } else { Op::LtU64 };
            if !or_equal {
                return self.long_test(op, a, b);
            }
            let greater = self.long_test(op, b, a);
            return self.not_bool(greater);
        }
        let op = match (kind, or_equal) {
            (Kind::F32, false) => Op::FLt,
            (Kind::F32, true) => Op::FLe,
            (kind, false) => {
                if kind.is_signed() {
                    Op::LtS
                } else {
                    Op::LtU
                }
            }
            (kind, true) => {
                if kind.is_signed() {
                    Op::LeS
                } else {
                    Op::LeU
                }
            }
        };
        self.word(op, a, b, 0)
    }

    /// `a == b` of any two values of one type, as the derived `PartialEq` has it.
    pub const fn same(&mut self, a: Operand, b: Operand) -> u32 {
        let ty = a.ty;
        let kind = ty.arithmetic_kind();
        if kind.is_scalar() {
            let left = self.value(a);
            let right = self.value(b);
            if matches!(kind, Kind::F32) {
                return self.word(Op::FEq, left, right, 0);
            }
            if matches!(kind, Kind::F64) {
                return self.double_equal(left, right);
            }
            return self.equal(left, right, kind);
        }
        if let Some(routine) = ty.comparisons.eq {
            return self.call_comparison(routine, a, b, 1);
        }
        assert!(!ty.comparisons.by_hand.eq, "{}", BY_HAND);
        match ty.kind {
            Kind::Tuple | Kind::Struct => self.same_fields(ty.fields, a, b),
            Kind::Array if ty.length > MOST_UNROLLED && ty.compares_by_routine() => self.same_elements(a, b),
            Kind::Array => {
                let mut all = self.imm(1);
                let Some(element) = ty.element_ref() else {
                    panic!("an array has elements")
                };
                let mut i = 0;
                while i < ty.length {
                    let at = i * element.words();
                    let (left, right) = (self.element_of(a, element, at), self.element_of(b, element, at));
                    all = self.and_same(all, left, right);
                    i += 1;
                }
                all
            }
            Kind::Enum => {
                let tag = <u32 as Value>::TYPE;
                let left = self.value(a.part(tag, 0));
                let right = self.value(b.part(tag, 0));
                let mut all = self.word(Op::Eq, left, right, 0);
                let mut i = 0;
                while i < ty.variants.len() {
                    if !ty.variants[i].fields.is_empty() {
                        let index = self.imm(i as u32);
                        let this = self.word(Op::Eq, left, index, 0);
                        let open = self.word(Op::And, all, this, 0);
                        let result = self.fresh(1);
                        self.copy_words(result, all, 1);
                        let skip = self.skip_unless(open, ty);
                        let payload = self.same_fields(ty.variants[i].fields, a, b);
                        self.emit(Op::Select, [result, open, payload, all]);
                        self.end_skip(skip);
                        all = result;
                    }
                    i += 1;
                }
                all
            }
            Kind::Slice => self.same_elements(a, b),
            _ => panic!("these values cannot be compared inside a routine"),
        }
    }

    /// `a == b` of two slices that are parts of values, or of arrays; where slices are compared themselves, the library does it.
    const fn same_elements(&mut self, a: Operand, b: Operand) -> u32 {
        let all = self.fresh(1);
        let walk = self.begin_pairs(a, b);
        let differ = self.word(Op::Xor, walk.lengths[0], walk.lengths[1], 0);
        self.set(all, 0);
        self.jump_to(Op::JumpIf, walk.end, differ);
        self.set(all, 1);
        let (left, right) = self.next_pair(&walk, a, b);
        let one = self.same(left, right);
        self.copy_words(all, one, 1);
        self.jump_to(Op::JumpUnless, walk.end, all);
        self.end_pairs(&walk);
        all
    }

    /// Begins a loop over the pairs of elements that two slices have in the same places.
    pub const fn begin_pairs(&mut self, a: Operand, b: Operand) -> Pairs {
        let left = self.length(a);
        let left = self.length_word(left);
        let right = self.length(b);
        let right = self.length_word(right);
        let index = self.fresh(1);
        self.set(index, 0);
        Pairs {
            lengths: [left, right],
            index,
            head: self.new_label(),
            end: self.new_label(),
        }
    }

    /// The pair that the loop is at, at its head: it ends where one of the slices does.
    pub const fn next_pair(&mut self, walk: &Pairs, a: Operand, b: Operand) -> (Operand, Operand) {
        self.place_here(walk.head);
        let in_left = self.word(Op::LtU, walk.index, walk.lengths[0], 0);
        let in_right = self.word(Op::LtU, walk.index, walk.lengths[1], 0);
        let in_both = self.word(Op::And, in_left, in_right, 0);
        self.jump_to(Op::JumpUnless, walk.end, in_both);
        let index = Operand::fresh(TypeRef::value(<usize as Value>::TYPE), walk.index);
        let left = self.element(a, index, false);
        let right = self.element(b, index, false);
        (self.deref_all(left), self.deref_all(right))
    }

    /// Goes on to the next pair, and ends the loop's code.
    pub const fn end_pairs(&mut self, walk: &Pairs) {
        self.emit(Op::AddImm, [walk.index, walk.index, 1, 0]);
        self.jump_to(Op::Jump, walk.head, 0);
        self.place_here(walk.end);
    }

    const fn same_fields(&mut self, fields: &'static [crate::types::Field], a: Operand, b: Operand) -> u32 {
        let mut all = self.imm(1);
        let mut i = 0;
        while i < fields.len() {
            let (left, right) = (self.compared(a, fields[i]), self.compared(b, fields[i]));
            all = self.and_same(all, left, right);
            i += 1;
        }
        all
    }

    /// What is compared of a field: what it refers to, where it is a reference.
    pub const fn compared(&mut self, operand: Operand, field: crate::types::Field) -> Operand {
        let part = operand.part_ref(field.type_ref(), field.offset);
        self.deref_all(part)
    }

    /// The same of an element of an array.
    pub const fn element_of(&mut self, operand: Operand, element: TypeRef, at: u32) -> Operand {
        let part = operand.part_ref(element, at);
        self.deref_all(part)
    }

    /// `all && a == b`.
    const fn and_same(&mut self, all: u32, a: Operand, b: Operand) -> u32 {
        if !a.ty.compares_by_routine() {
            let one = self.same(a, b);
            return self.word(Op::And, all, one, 0);
        }
        let result = self.fresh(1);
        self.copy_words(result, all, 1);
        let skip = self.skip_unless(all, a.ty);
        let one = self.same(a, b);
        self.copy_words(result, one, 1);
        self.end_skip(skip);
        result
    }
}
