//! The order of any two values as the derived `PartialOrd` and `Ord` have it, what std's traits make of it, and the methods of `Ordering`.
//!
//! An order is one word: the index of `Ordering`'s variant, or [`UNORDERED`].

use std::cmp::Ordering;

use super::compare::{BY_HAND, MOST_UNROLLED};
use super::method::number as m;
use super::method_call::Arguments;
use super::node::Operator;
use super::operand::Operand;
use super::state::Encoder;
use crate::isa::Op;
use crate::routine::Callee;
use crate::types::{Field, Kind, Type, TypeRef, Value};

/// `Ordering::Less`.
const LESS: u32 = 0;
/// `Ordering::Equal`.
const EQUAL: u32 = 1;
/// `Ordering::Greater`.
const GREATER: u32 = 2;
/// `None` of `partial_cmp`.
const UNORDERED: u32 = 3;

impl Encoder<'_> {
    /// The order of two values of one type. `total`: whether it is `Ord`'s and not `PartialOrd`'s.
    pub const fn order(&mut self, total: bool, a: Operand, b: Operand) -> u32 {
        let ty = a.ty;
        let (a, b) = if ty.comparisons.reversed { (b, a) } else { (a, b) };
        let kind = ty.arithmetic_kind();
        if kind.is_scalar() {
            let left = self.value(a);
            let right = self.value(b);
            return self.order_of_scalars(kind, left, right);
        }
        let (routine, by_hand) = if total {
            (ty.comparisons.cmp, ty.comparisons.by_hand.cmp)
        } else {
            (ty.comparisons.partial_cmp, ty.comparisons.by_hand.partial_cmp)
        };
        if let Some(routine) = routine {
            if total {
                return self.call_comparison(routine, a, b, 1);
            }
            let found = self.call_comparison(routine, a, b, 2);
            let unordered = self.imm(UNORDERED);
            return self.select(found, found + 1, unordered);
        }
        assert!(!by_hand, "{}", BY_HAND);
        let equal = self.imm(EQUAL);
        match ty.kind {
            Kind::Tuple | Kind::Struct => self.order_of_fields(total, equal, ty.fields, a, b),
            Kind::Array if ty.length > MOST_UNROLLED && ty.compares_by_routine() => self.order_of_elements(total, a, b),
            Kind::Array => {
                let Some(element) = ty.element_ref() else {
                    panic!("an array has elements")
                };
                let order = self.fresh(1);
                self.copy_words(order, equal, 1);
                let mut i = 0;
                while i < ty.length {
                    let at = i * element.words();
                    let (left, right) = (self.element_of(a, element, at), self.element_of(b, element, at));
                    self.then_part(total, order, equal, left, right);
                    i += 1;
                }
                order
            }
            Kind::Enum => self.order_of_variants(total, equal, a, b),
            Kind::Slice => self.order_of_elements(total, a, b),
            _ => panic!("these values cannot be compared inside a routine"),
        }
    }

    const fn order_of_scalars(&mut self, kind: Kind, a: u32, b: u32) -> u32 {
        let less = self.ordered(false, kind, a, b);
        let greater = self.ordered(false, kind, b, a);
        let zero = self.imm(LESS);
        if matches!(kind, Kind::F32 | Kind::F64) {
            let same = match kind {
                Kind::F32 => self.word(Op::FEq, a, b, 0),
                _ => self.double_equal(a, b),
            };
            let (equal, unordered) = (self.imm(EQUAL), self.imm(UNORDERED));
            let rest = self.select(same, equal, unordered);
            let two = self.imm(GREATER);
            let rest = self.select(greater, two, rest);
            return self.select(less, zero, rest);
        }
        let rest = self.word(Op::AddImm, greater, EQUAL, 0);
        self.select(less, zero, rest)
    }

    const fn order_of_fields(
        &mut self,
        total: bool,
        equal: u32,
        fields: &'static [Field],
        a: Operand,
        b: Operand,
    ) -> u32 {
        let order = self.fresh(1);
        self.copy_words(order, equal, 1);
        let mut i = 0;
        while i < fields.len() {
            let (left, right) = (self.compared(a, fields[i]), self.compared(b, fields[i]));
            self.then_part(total, order, equal, left, right);
            i += 1;
        }
        order
    }

    /// Of two slices that are parts of values, or of arrays; where slices are compared themselves, the library does it.
    const fn order_of_elements(&mut self, total: bool, a: Operand, b: Operand) -> u32 {
        let order = self.fresh(1);
        let walk = self.begin_pairs(a, b);
        let of_lengths = self.order_of_scalars(Kind::U32, walk.lengths[0], walk.lengths[1]);
        self.copy_words(order, of_lengths, 1);
        let (left, right) = self.next_pair(&walk, a, b);
        let found = self.order(total, left, right);
        let equal = self.word_is(found, EQUAL);
        self.emit(Op::Select, [order, equal, order, found]);
        self.jump_to(Op::JumpUnless, walk.end, equal);
        self.end_pairs(&walk);
        order
    }

    /// Where the word `order` says that all before was equal, it becomes the order of two parts.
    const fn then_part(&mut self, total: bool, order: u32, equal: u32, a: Operand, b: Operand) {
        let open = self.word(Op::Eq, order, equal, 0);
        let skip = self.skip_unless(open, a.ty);
        let part = self.order(total, a, b);
        self.emit(Op::Select, [order, open, part, order]);
        self.end_skip(skip);
    }

    const fn order_of_variants(&mut self, total: bool, equal: u32, a: Operand, b: Operand) -> u32 {
        let ty = a.ty;
        let tag = <u32 as Value>::TYPE;
        let left = self.value(a.part(tag, 0));
        let right = self.value(b.part(tag, 0));
        let (left_rank, right_rank) = (self.rank(ty, left), self.rank(ty, right));
        let order = self.order_of_scalars(Kind::U32, left_rank, right_rank);
        let mut i = 0;
        while i < ty.variants.len() {
            let fields = ty.variants[i].fields;
            if !fields.is_empty() {
                let index = self.imm(i as u32);
                let one = self.word(Op::Eq, left, index, 0);
                let other = self.word(Op::Eq, right, index, 0);
                let both = self.word(Op::And, one, other, 0);
                let skip = self.skip_unless(both, ty);
                let payload = self.order_of_fields(total, equal, fields, a, b);
                self.emit(Op::Select, [order, both, payload, order]);
                self.end_skip(skip);
            }
            i += 1;
        }
        order
    }

    /// The place of a variant in the order of discriminants, which is the order of enums.
    const fn rank(&mut self, ty: &'static Type, tag: u32) -> u32 {
        let mut rank = tag;
        let mut i = 0;
        while i < ty.variants.len() {
            let (mut place, mut j) = (0, 0);
            while j < ty.variants.len() {
                place += (ty.variants[j].discriminant < ty.variants[i].discriminant) as u32;
                j += 1;
            }
            if place != i as u32 {
                let (index, place) = (self.imm(i as u32), self.imm(place));
                let is = self.word(Op::Eq, tag, index, 0);
                rank = self.select(is, place, rank);
            }
            i += 1;
        }
        rank
    }

    /// Goes on behind what follows, up to [`Encoder::end_skip`], unless the word is 1; only where comparing calls routines, which
    /// may trap, or follows references, which lead nowhere where there is another variant.
    pub const fn skip_unless(&mut self, condition: u32, ty: &'static Type) -> Option<usize> {
        if !ty.compares_by_routine() {
            return None;
        }
        self.emit(Op::JumpUnless, [0, condition, 0, 0]);
        Some(self.code.len - 1)
    }

    /// Where a skip leads to.
    pub const fn end_skip(&mut self, skip: Option<usize>) {
        if let Some(at) = skip
            && at < self.code.room
        {
            self.code.items[at].operands[0] = self.code.len as u32;
        }
    }

    /// Calls a routine with references to two values.
    pub const fn call_comparison(
        &mut self,
        routine: fn() -> &'static crate::routine::Routine,
        a: Operand,
        b: Operand,
        results: u32,
    ) -> u32 {
        let want = TypeRef {
            ty: a.ty,
            refs: 1,
            mutable: false,
        };
        let base = self.fresh(2 * want.words());
        self.store_words(base, a, want);
        self.store_words(base + want.words(), b, want);
        let result = self.fresh(results);
        let callee = self.callee(Callee::Routine(routine));
        self.emit(Op::Call, [callee, base, result, 0]);
        result
    }

    /// Whether an order is one that an operator asks for.
    pub const fn order_is(&mut self, operator: Operator, order: u32) -> u32 {
        match operator {
            Operator::Lt => self.word_is(order, LESS),
            Operator::Gt => self.word_is(order, GREATER),
            Operator::Eq => self.word_is(order, EQUAL),
            Operator::Ne => {
                let equal = self.word_is(order, EQUAL);
                self.not_bool(equal)
            }
            Operator::Le => {
                let greater = self.imm(GREATER);
                self.word(Op::LtU, order, greater, 0)
            }
            _ => {
                let from_equal = self.word(Op::AddImm, order, EQUAL.wrapping_neg(), 0);
                let two = self.imm(GREATER);
                self.word(Op::LtU, from_equal, two, 0)
            }
        }
    }

    const fn word_is(&mut self, word: u32, value: u32) -> u32 {
        let value = self.imm(value);
        self.word(Op::Eq, word, value, 0)
    }

    /// The methods of `PartialEq`, `PartialOrd` and `Ord`; `None` if it is none of these.
    pub const fn comparing_method(&mut self, method: u16, a: Operand, arguments: Arguments) -> Option<Operand> {
        let operator = match method {
            m::eq => Operator::Eq,
            m::ne => Operator::Ne,
            m::lt => Operator::Lt,
            m::le => Operator::Le,
            m::gt => Operator::Gt,
            m::ge => Operator::Ge,
            m::cmp | m::partial_cmp => return Some(self.cmp(method, a, arguments[1])),
            m::min | m::max if !a.ty.arithmetic_kind().is_number() => {
                let b = self.convert(arguments[1], TypeRef::value(a.ty));
                // std gives the second of two equal values for `max`, the first for `min`.
                let less = self.compare(Operator::Lt, b, a);
                return Some(if method == m::max {
                    self.either(less, a, b)
                } else {
                    self.either(less, b, a)
                });
            }
            m::clamp if !a.ty.arithmetic_kind().is_number() => {
                let low = self.convert(arguments[1], TypeRef::value(a.ty));
                let high = self.convert(arguments[2], TypeRef::value(a.ty));
                let ordered = self.compare(Operator::Le, low, high);
                let disordered = self.not_bool(ordered);
                self.trap_if(disordered, "assertion failed: min <= max");
                let below = self.compare(Operator::Lt, a, low);
                let above = self.compare(Operator::Gt, a, high);
                let top = self.either(above, high, a);
                return Some(self.either(below, low, top));
            }
            _ => return None,
        };
        let b = self.deref_all(arguments[1]);
        let word = self.compare(operator, a, b);
        Some(Operand::scalar(<bool as Value>::TYPE, word))
    }

    const fn cmp(&mut self, method: u16, a: Operand, b: Operand) -> Operand {
        let b = self.deref_all(b);
        let order = self.order(method == m::cmp, a, b);
        if method == m::cmp {
            return Operand::scalar(<Ordering as Value>::TYPE, order).shared();
        }
        let unordered = self.word_is(order, UNORDERED);
        self.option(<Option<Ordering> as Value>::TYPE, order, unordered)
    }

    /// One of two values.
    const fn either(&mut self, first: u32, a: Operand, b: Operand) -> Operand {
        let (left, right) = (self.value(a), self.value(b));
        let base = self.fresh(a.ty.words);
        let mut i = 0;
        while i < a.ty.words {
            self.emit(Op::Select, [base + i, first, left + i, right + i]);
            i += 1;
        }
        Operand::fresh(TypeRef::value(a.ty), base)
    }

    /// The methods of `Ordering`; `None` if it is none of these.
    pub const fn ordering_method(&mut self, method: u16, receiver: Operand, other: Operand) -> Option<Operand> {
        let operator = match method {
            m::is_eq => Operator::Eq,
            m::is_ne => Operator::Ne,
            m::is_lt => Operator::Lt,
            m::is_le => Operator::Le,
            m::is_gt => Operator::Gt,
            m::is_ge => Operator::Ge,
            m::reverse => {
                let order = self.value(receiver);
                let two = self.imm(GREATER);
                let reversed = self.word(Op::Sub, two, order, 0);
                return Some(Operand::scalar(<Ordering as Value>::TYPE, reversed));
            }
            m::then => {
                let order = self.value(receiver);
                let other = self.convert(other, TypeRef::value(<Ordering as Value>::TYPE));
                let other = self.value(other);
                let equal = self.word_is(order, EQUAL);
                let word = self.select(equal, other, order);
                return Some(Operand::scalar(<Ordering as Value>::TYPE, word));
            }
            _ => return None,
        };
        let order = self.value(receiver);
        let word = self.order_is(operator, order);
        Some(Operand::scalar(<bool as Value>::TYPE, word))
    }
}
