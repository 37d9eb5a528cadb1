//! Comparisons: order of scalars, equality of anything.

use super::node::Operator;
use super::operand::Operand;
use super::state::Encoder;
use crate::isa::Op;
use crate::types::{Kind, Value};

impl<const CAP: usize> Encoder<CAP> {
    /// A comparison as a word of 0 or 1.
    pub const fn compare(&mut self, operator: Operator, a: Operand, b: Operand) -> u32 {
        match operator {
            Operator::Eq => self.same(a, b),
            Operator::Ne => {
                let same = self.same(a, b);
                self.not_bool(same)
            }
            Operator::Gt => self.compare(Operator::Lt, b, a),
            Operator::Ge => self.compare(Operator::Le, b, a),
            _ => {
                let kind = a.ty.arithmetic_kind();
                assert!(
                    kind.is_scalar(),
                    "only scalars have an order inside a routine: compare the fields"
                );
                let left = self.value(a);
                let right = self.value(b);
                self.ordered(matches!(operator, Operator::Le), kind, left, right)
            }
        }
    }

    /// `a < b`, or `a <= b`.
    pub const fn ordered(&mut self, or_equal: bool, kind: Kind, a: u32, b: u32) -> u32 {
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
            return self.equal(left, right, kind);
        }
        match ty.kind {
            Kind::Tuple | Kind::Struct => self.same_fields(ty.fields, a, b),
            Kind::Array => {
                let mut all = self.imm(1);
                let Some(element) = ty.element else {
                    panic!("an array has elements")
                };
                let mut i = 0;
                while i < ty.length {
                    let one = self.same(a.part(element, i * element.words), b.part(element, i * element.words));
                    all = self.word(Op::And, all, one, 0);
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
                        let other = self.word(Op::Ne, left, index, 0);
                        let payload = self.same_fields(ty.variants[i].fields, a, b);
                        let matches = self.word(Op::Or, other, payload, 0);
                        all = self.word(Op::And, all, matches, 0);
                    }
                    i += 1;
                }
                all
            }
            _ => panic!("these values cannot be compared inside a routine"),
        }
    }

    const fn same_fields(&mut self, fields: &'static [crate::types::Field], a: Operand, b: Operand) -> u32 {
        let mut all = self.imm(1);
        let mut i = 0;
        while i < fields.len() {
            let field = fields[i];
            let one = self.same(a.part(field.ty, field.offset), b.part(field.ty, field.offset));
            all = self.word(Op::And, all, one, 0);
            i += 1;
        }
        all
    }
}
