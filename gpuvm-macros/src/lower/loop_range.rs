//! `for` over a range. It counts in hidden locals exactly as std's ranges do: `..=` to the last number does not overflow, and the loop variable
//! is a copy.

use gpuvm_nodes::Kind;
use gpuvm_nodes::method::number;
use gpuvm_nodes::node::{Node, Operator};
use proc_macro2::Span;
use syn::{Expr, ExprRange, Label, Pat, RangeLimits};

use super::literal::{is_untyped_integer, literal_of};
use super::{Lowering, Want};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn for_range(
        &mut self,
        range: &mut ExprRange,
        reversed: bool,
        step: Option<&mut Expr>,
        pattern: &Pat,
        body: &mut syn::Block,
        label: &Option<Label>,
    ) {
        let span = shadow::at(&*range);
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let (Some(start), end) = (&mut range.start, &mut range.end) else {
            return;
        };
        // The bound whose type syntax shows decides the other's.
        let hint = end.as_deref().map_or(Known::Unknown, |end| self.glance(end));
        let needs_kind = step.is_some();
        let start_want = if is_untyped_integer(start) {
            match hint.kind() {
                Some(kind) => Want::Kind(kind),
                None => Want::Free,
            }
        } else {
            Want::Free
        };
        let first = self.expr(start, start_want);
        let low = self.hidden(first.clone());
        let mut index_slot = None;
        if needs_kind && first.kind().is_none() {
            let slot = self.new_slot();
            shadow::bind(start, slot);
            self.stream.node(Node::BindAs).number(low).number(slot);
            index_slot = Some(slot);
        } else {
            self.stream.node(Node::Bind).number(low);
        }
        let high = end.as_mut().map(|end| self.range_end(end, &first));
        let known = match (&first, &high) {
            (Known::Integer, Some((_, known))) if known.kind().is_some() => known.clone(),
            _ => first.clone(),
        };
        let step = step.map(|step| self.step(step, span));
        let (top, next, exit) = (self.new_label(), self.new_label(), self.new_label());
        let counter = if reversed {
            match &high {
                Some((Bound::Local(high), _)) => *high,
                Some((bound, known)) => {
                    // The end is counted down, so it needs a local, and with it a type.
                    let local = self.hidden(known.clone());
                    self.push_local(low);
                    self.stream.node(Node::Copy).node(Node::Bind).number(local);
                    self.push_bound(bound);
                    self.push_local(local);
                    self.stream.node(Node::Assign);
                    local
                }
                None => return,
            }
        } else {
            low
        };
        let high = match high {
            Some(_) if reversed => Some(Bound::Local(counter)),
            Some((bound, _)) => Some(bound),
            None => None,
        };
        let stepped_by_one = step.is_none();
        // What is tested before the first round.
        let at_first = if inclusive { Operator::Le } else { Operator::Lt };
        let counts_on_demand = inclusive || !stepped_by_one;
        if counts_on_demand {
            self.test_bounds(low, &high, at_first, exit);
            if reversed && !inclusive {
                self.count(counter, number::wrapping_sub, None, known.kind(), None);
            }
        }
        self.label(top);
        let head = shadow::at(pattern);
        self.stream.line(head);
        if !counts_on_demand {
            self.test_bounds(low, &high, at_first, exit);
            if reversed {
                self.count(counter, number::wrapping_sub, None, known.kind(), None);
            }
        }
        self.push_local(counter);
        self.stream.node(Node::Copy);
        self.irrefutable(pattern, &known);
        if !counts_on_demand && !reversed {
            self.count(counter, number::wrapping_add, None, known.kind(), None);
        }
        self.turn(label, exit, if counts_on_demand { next } else { top }, body);
        self.label(next);
        self.stream.line(head);
        if counts_on_demand {
            match &step {
                None => self.test_bounds(low, &high, Operator::Lt, exit),
                Some(step) => self.test_distance(low, &high, *step, inclusive || reversed, known.kind(), exit),
            }
            let method = if reversed {
                number::wrapping_sub
            } else {
                number::wrapping_add
            };
            self.count(counter, method, step, known.kind(), index_slot);
        }
        self.jump(top);
        self.label(exit);
    }

    /// The end of a range: a literal is named where it is compared, anything else is kept.
    fn range_end(&mut self, end: &mut Expr, first: &Known) -> (Bound, Known) {
        if is_untyped_integer(end)
            && let Some((negative, syn::Lit::Int(lit))) = literal_of(end)
            && let Ok(value) = lit.base10_parse::<u128>()
        {
            return (
                Bound::Literal(if negative { value.wrapping_neg() } else { value }),
                first.clone(),
            );
        }
        let known = self.expr(end, Want::of(first));
        let local = self.hidden(known.clone());
        self.stream.node(Node::Bind).number(local);
        (Bound::Local(local), known)
    }

    /// `.step_by(k)`: keeps the step, which must not be 0.
    fn step(&mut self, step: &mut Expr, span: Span) -> u64 {
        let not_zero = matches!(literal_of(step), Some((false, syn::Lit::Int(lit))) if lit.base10_digits() != "0");
        self.expr(step, Want::Kind(Kind::Usize));
        let local = self.hidden(Known::USIZE);
        self.stream.node(Node::Bind).number(local);
        if !not_zero {
            let fine = self.new_label();
            self.push_local(local);
            self.stream
                .node(Node::Integer)
                .number(0)
                .node(Node::Binary)
                .number(Operator::Ne as u64);
            let wrong = self.new_label();
            self.stream.node(Node::JumpUnless).number(wrong);
            self.jump(fine);
            self.label(wrong);
            self.stream.line(span);
            self.fixed_panic("assertion failed: step != 0");
            self.label(fine);
        }
        local
    }

    fn push_bound(&mut self, bound: &Bound) {
        match bound {
            Bound::Local(local) => self.push_local(*local),
            Bound::Literal(value) => {
                self.stream.node(Node::Integer).wide(*value);
            }
        }
    }

    fn test_bounds(&mut self, low: u64, high: &Option<Bound>, operator: Operator, exit: u64) {
        if let Some(high) = high {
            self.push_local(low);
            self.push_bound(high);
            self.stream
                .node(Node::Binary)
                .number(operator as u64)
                .node(Node::JumpUnless)
                .number(exit);
        }
    }

    /// Goes to `exit` unless another step fits between the bounds: their distance, taken without overflow, is the step or more (or
    /// only more, if the end itself is not part).
    fn test_distance(
        &mut self,
        low: u64,
        high: &Option<Bound>,
        step: u64,
        closed: bool,
        kind: Option<Kind>,
        exit: u64,
    ) {
        let Some(high) = high else { return };
        let unsigned = match kind {
            Some(kind) if kind.bits() <= 32 => Kind::U32,
            Some(kind) if kind.bits() == 128 => Kind::U128,
            _ => Kind::U64,
        };
        match high {
            Bound::Local(local) => self.push_local(*local),
            Bound::Literal(value) => {
                self.stream
                    .node(Node::IntegerOf)
                    .wide(*value)
                    .number(kind.unwrap_or(Kind::U64) as u64);
            }
        }
        self.stream.node(Node::Cast).number(unsigned as u64);
        self.push_local(low);
        self.stream.node(Node::Cast).number(unsigned as u64);
        self.stream
            .node(Node::Method)
            .number(u64::from(number::wrapping_sub))
            .number(2);
        self.push_local(step);
        self.stream.node(Node::Cast).number(unsigned as u64);
        let operator = if closed { Operator::Ge } else { Operator::Gt };
        self.stream
            .node(Node::Binary)
            .number(operator as u64)
            .node(Node::JumpUnless)
            .number(exit);
    }

    /// `counter = counter ± step`, wrapping; it never does.
    pub(super) fn count(
        &mut self,
        counter: u64,
        method: u16,
        step: Option<u64>,
        kind: Option<Kind>,
        slot: Option<u64>,
    ) {
        self.push_local(counter);
        match (step, kind, slot) {
            (Some(step), Some(kind), _) => {
                self.push_local(step);
                self.stream.node(Node::Cast).number(kind as u64);
            }
            (Some(step), None, Some(slot)) => {
                self.push_local(step);
                self.stream.node(Node::CastAs).number(slot);
            }
            _ => {
                self.stream.node(Node::Integer).number(1);
            }
        }
        self.stream.node(Node::Method).number(u64::from(method)).number(2);
        self.push_local(counter);
        self.stream.node(Node::Assign);
    }
}

/// One end of a range.
enum Bound {
    Local(u64),
    Literal(u128),
}
