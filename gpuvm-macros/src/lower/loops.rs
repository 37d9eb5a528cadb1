//! Loops. A `for` over a range counts in hidden locals exactly as std's ranges do: `..=` to the last number does not overflow, and the
//! loop variable is a copy.

use gpuvm_nodes::Kind;
use gpuvm_nodes::method::number;
use gpuvm_nodes::node::{Node, Operator};
use proc_macro2::Span;
use quote::quote;
use syn::{
    Expr, ExprContinue, ExprForLoop, ExprLoop, ExprRange, ExprWhile, Label, Lifetime, Pat,
    RangeLimits, Stmt,
};

use super::literal::{is_untyped_integer, literal_of};
use super::{Lowering, Target, Want};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn endless(&mut self, node: &mut ExprLoop, want: Want) -> Known {
        self.attributes(&node.attrs);
        let (start, end) = (self.new_label(), self.new_label());
        let join = self.open_join();
        self.label(start);
        let before = self.diverges;
        self.targets
            .push(target(&node.label, end, start, Some(join), want.branch()));
        self.block(&mut node.body, Want::Free);
        self.stream.node(Node::Pop);
        self.jump(start);
        self.label(end);
        self.stream.node(Node::JoinGet).number(join);
        match self.targets.pop().and_then(|target| target.known) {
            Some(known) => {
                self.diverges = before;
                known
            }
            None => {
                self.diverges = true;
                Known::Never
            }
        }
    }

    pub(super) fn while_loop(&mut self, node: &mut ExprWhile) -> Known {
        self.attributes(&node.attrs);
        let (start, end) = (self.new_label(), self.new_label());
        self.label(start);
        self.scoped(|this| {
            this.condition(&mut node.cond, end);
            let before = this.diverges;
            this.targets
                .push(target(&node.label, end, start, None, Want::Free));
            this.block(&mut node.body, Want::Free);
            this.targets.pop();
            this.diverges = before;
        });
        self.stream.node(Node::Pop);
        self.jump(start);
        self.label(end);
        self.stream.node(Node::Unit);
        Known::Unit
    }

    pub(super) fn break_loop(&mut self, expr: &mut Expr) -> Known {
        let Expr::Break(node) = expr else {
            return Known::Unknown;
        };
        // A `break` out of nowhere is rustc's to report.
        let Some(place) = self.target(node.label.as_ref(), false) else {
            return self.never();
        };
        let (end, join, want) = (
            self.targets[place].end,
            self.targets[place].join,
            self.targets[place].want,
        );
        let known = match &mut node.expr {
            Some(value) => self.expr(value, want),
            None => {
                self.stream.node(Node::Unit);
                Known::Unit
            }
        };
        match join {
            Some(join) => self.stream.node(Node::JoinSet).number(join),
            None => self.stream.node(Node::Pop),
        };
        self.jump(end);
        let so_far = self.targets[place].known.take();
        self.targets[place].known = Some(match so_far {
            Some(before) => before.join(known),
            None => known,
        });
        self.never()
    }

    pub(super) fn continue_loop(&mut self, node: &ExprContinue) -> Known {
        let next = self
            .target(node.label.as_ref(), true)
            .and_then(|place| self.targets[place].next);
        if let Some(next) = next {
            self.jump(next);
        }
        self.never()
    }

    /// The loop or labelled block that a `break` or `continue` is about.
    fn target(&self, label: Option<&Lifetime>, continues: bool) -> Option<usize> {
        let label = label.map(|label| label.ident.to_string());
        self.targets.iter().rposition(|target| match &label {
            Some(label) => {
                target.label.as_ref() == Some(label) && (!continues || target.next.is_some())
            }
            None => target.next.is_some(),
        })
    }

    pub(super) fn for_loop(&mut self, node: &mut ExprForLoop) -> Known {
        self.attributes(&node.attrs);
        let (pattern, body, label) = (&mut node.pat, &mut node.body, &node.label);
        self.scoped(|this| match head(&mut node.expr) {
            Ok(Head::Range {
                range,
                reversed,
                step,
            }) => this.for_range(range, reversed, step, pattern, body, label),
            Ok(Head::Elements(elements)) => this.for_elements(elements, pattern, body, label),
            Err(Refused::Iterator) => this.report.iterator(&node.expr),
            Err(Refused::StepThenRev) => this.report.step_then_rev(&node.expr),
        });
        self.stream.node(Node::Unit);
        Known::Unit
    }

    fn for_range(
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
            return self.report.open_range(&*range);
        };
        // The bound whose type syntax shows decides the other's.
        let hint = end
            .as_deref()
            .map_or(Known::Unknown, |end| self.glance(end));
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
                None => return self.report.open_range(&*range),
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
        let at_first = if inclusive {
            Operator::Le
        } else {
            Operator::Lt
        };
        let counts_on_demand = inclusive || !stepped_by_one;
        if counts_on_demand {
            self.test_bounds(low, &high, at_first, exit);
            if reversed && !inclusive {
                self.count(counter, number::wrapping_sub, None, known.kind(), None);
            }
        }
        self.label(top);
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
        let before = self.diverges;
        self.targets.push(target(
            label,
            exit,
            if counts_on_demand { next } else { top },
            None,
            Want::Free,
        ));
        self.block(body, Want::Free);
        self.targets.pop();
        self.diverges = before;
        self.stream.node(Node::Pop);
        self.label(next);
        if counts_on_demand {
            match &step {
                None => self.test_bounds(low, &high, Operator::Lt, exit),
                Some(step) => {
                    self.test_distance(low, &high, *step, inclusive || reversed, known.kind(), exit)
                }
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
            && let Ok(value) = lit.base10_parse::<u64>()
        {
            return (
                Bound::Literal(if negative {
                    value.wrapping_neg()
                } else {
                    value
                }),
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
                self.stream.node(Node::Integer).number(*value);
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
            _ => Kind::U64,
        };
        match high {
            Bound::Local(local) => self.push_local(*local),
            Bound::Literal(value) => {
                self.stream
                    .node(Node::IntegerOf)
                    .number(*value)
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
    fn count(
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
        self.stream
            .node(Node::Method)
            .number(u64::from(method))
            .number(2);
        self.push_local(counter);
        self.stream.node(Node::Assign);
    }

    fn for_elements(
        &mut self,
        elements: Elements<'_>,
        pattern: &mut Pat,
        body: &mut syn::Block,
        label: &Option<Label>,
    ) {
        let Elements {
            base,
            access,
            enumerated,
        } = elements;
        let glanced = self.glance(base);
        // Behind a reference the list cannot change during the loop, so a path to it is simply named again for each element.
        let named = self.is_local_path(base)
            && (access != Access::Value || matches!(glanced, Known::Reference(_)));
        let (list, known) = if named {
            (List::Path(Box::new(base.clone())), glanced)
        } else {
            let known = self.expr(base, Want::Free);
            if access != Access::Value && !matches!(known, Known::Reference(_)) {
                self.stream
                    .node(Node::Ref)
                    .number(u64::from(access == Access::Mutable));
            }
            let local = self.hidden(known.clone());
            self.stream.node(Node::Bind).number(local);
            (List::Local(local), known)
        };
        let access = match (access, &known) {
            (Access::Value, Known::Reference(_)) => Access::Shared,
            (access, _) => access,
        };
        let length = self.hidden(Known::USIZE);
        self.list(&list);
        self.stream.node(Node::BindLength).number(length);
        let index = self.hidden(Known::USIZE);
        self.stream
            .node(Node::IntegerOf)
            .number(0)
            .number(Kind::Usize as u64)
            .node(Node::Bind)
            .number(index);
        let (top, exit) = (self.new_label(), self.new_label());
        self.label(top);
        self.push_local(index);
        self.push_local(length);
        self.stream
            .node(Node::Binary)
            .number(Operator::Lt as u64)
            .node(Node::JumpUnless)
            .number(exit);
        let item_pattern = match &*pattern {
            Pat::Tuple(tuple) if enumerated && tuple.elems.len() == 2 => {
                self.push_local(index);
                self.stream.node(Node::Copy);
                self.irrefutable(&tuple.elems[0], &Known::USIZE);
                tuple.elems[1].clone()
            }
            other if enumerated => return self.report.enumerate_pattern(other),
            other => other.clone(),
        };
        let rewritten = self.list(&list);
        self.push_local(index);
        self.stream.node(Node::IndexUnchecked);
        let mut element = match known.inner() {
            Known::List(element) => (**element).clone(),
            _ => Known::Unknown,
        };
        if matches!(access, Access::Shared | Access::Mutable) {
            self.stream
                .node(Node::Ref)
                .number(u64::from(access == Access::Mutable));
            element = Known::Reference(Box::new(element));
        }
        let item = (access == Access::Value && known == Known::Unknown).then(|| {
            // Whether the list is a reference, and its elements with it, only rustc knows.
            let slot = self.new_slot();
            let item = self.hidden(Known::Unknown);
            self.stream.node(Node::BindAs).number(item).number(slot);
            self.push_local(item);
            let bind = shadow::bind_place(quote!(__item), shadow::at(&*base), slot);
            quote!(#bind let #pattern = __item;)
        });
        self.irrefutable(&item_pattern, &element);
        self.count(index, number::wrapping_add, None, Some(Kind::Usize), None);
        let before = self.diverges;
        self.targets
            .push(target(label, exit, top, None, Want::Free));
        self.block(body, Want::Free);
        self.targets.pop();
        self.diverges = before;
        self.stream.node(Node::Pop);
        self.jump(top);
        self.label(exit);
        if let Some(rewritten) = rewritten {
            *base = rewritten;
        }
        if let Some(item) = item {
            *pattern = Pat::Verbatim(quote!(__item));
            body.stmts.insert(0, Stmt::Expr(Expr::Verbatim(item), None));
        }
    }

    /// Pushes the list of a loop; gives its path as the shadow writes it.
    fn list(&mut self, list: &List) -> Option<Expr> {
        match list {
            List::Local(local) => {
                self.push_local(*local);
                None
            }
            List::Path(path) => {
                let mut path = path.clone();
                self.expr(&mut path, Want::Free);
                Some(*path)
            }
        }
    }

    /// Whether an expression is a local or a part of one, so that naming it computes nothing.
    fn is_local_path(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(node) => node
                .path
                .get_ident()
                .is_some_and(|name| self.find(name).is_some()),
            Expr::Paren(node) => self.is_local_path(&node.expr),
            Expr::Field(node) => self.is_local_path(&node.base),
            Expr::Unary(node) => {
                matches!(node.op, syn::UnOp::Deref(_)) && self.is_local_path(&node.expr)
            }
            _ => false,
        }
    }

    /// What is known of an expression without lowering it.
    fn glance(&self, expr: &Expr) -> Known {
        match expr {
            Expr::Paren(node) => self.glance(&node.expr),
            Expr::Group(node) => self.glance(&node.expr),
            Expr::Path(node) => match node.path.get_ident().and_then(|name| self.find(name)) {
                Some(local) => self.locals[local as usize].known.clone(),
                None => Known::Unknown,
            },
            Expr::Lit(node) => match &node.lit {
                syn::Lit::Int(lit) => crate::primitive::kind_of_name(lit.suffix())
                    .map_or(Known::Literal, Known::Scalar),
                _ => Known::Unknown,
            },
            Expr::Cast(node) => Known::of(&node.ty),
            Expr::MethodCall(node) => {
                let receiver = self.glance(&node.receiver);
                if receiver.is_machine() || node.method == "len" {
                    receiver.method(&node.method.to_string())
                } else {
                    Known::Unknown
                }
            }
            Expr::Binary(node) => self
                .glance(&node.left)
                .arithmetic(&self.glance(&node.right)),
            Expr::Reference(node) => Known::Reference(Box::new(self.glance(&node.expr))),
            _ => Known::Unknown,
        }
    }
}

/// One end of a range.
enum Bound {
    Local(u64),
    Literal(u64),
}

/// How a loop sees elements.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    /// `for x in list`: by value, unless the list is a reference.
    Value,
    /// `.iter().copied()`
    Copied,
    /// `for x in &list`, `.iter()`
    Shared,
    /// `for x in &mut list`, `.iter_mut()`
    Mutable,
}

/// What stands after `in`.
enum Head<'e> {
    Range {
        range: &'e mut ExprRange,
        reversed: bool,
        step: Option<&'e mut Expr>,
    },
    Elements(Elements<'e>),
}

/// The elements that a loop runs over.
struct Elements<'e> {
    base: &'e mut Expr,
    access: Access,
    enumerated: bool,
}

/// How a loop gets at its list for each element.
enum List {
    /// It was kept in a local.
    Local(u64),
    /// It is a part of a local.
    Path(Box<Expr>),
}

/// What is wrong with a loop's head.
enum Refused {
    Iterator,
    StepThenRev,
}

fn head(expr: &mut Expr) -> Result<Head<'_>, Refused> {
    fn elements(base: &mut Expr, access: Access) -> Result<Head<'_>, Refused> {
        Ok(Head::Elements(Elements {
            base,
            access,
            enumerated: false,
        }))
    }
    if is_list(expr) {
        return elements(expr, Access::Value);
    }
    match expr {
        Expr::Paren(node) => head(&mut node.expr),
        Expr::Group(node) => head(&mut node.expr),
        Expr::Range(range) => Ok(Head::Range {
            range,
            reversed: false,
            step: None,
        }),
        Expr::Reference(node) => {
            let access = if node.mutability.is_some() {
                Access::Mutable
            } else {
                Access::Shared
            };
            elements(&mut node.expr, access)
        }
        Expr::MethodCall(node) => match (node.method.to_string().as_str(), node.args.len()) {
            ("iter", 0) => elements(&mut node.receiver, Access::Shared),
            ("iter_mut", 0) => elements(&mut node.receiver, Access::Mutable),
            ("into_iter", 0) => elements(&mut node.receiver, Access::Value),
            ("rev", 0) => match adapted(&mut node.receiver)? {
                Head::Range {
                    range,
                    reversed: false,
                    step: None,
                } => Ok(Head::Range {
                    range,
                    reversed: true,
                    step: None,
                }),
                Head::Range { step: Some(_), .. } => Err(Refused::StepThenRev),
                _ => Err(Refused::Iterator),
            },
            ("step_by", 1) => match adapted(&mut node.receiver)? {
                Head::Range {
                    range,
                    reversed,
                    step: None,
                } => Ok(Head::Range {
                    range,
                    reversed,
                    step: node.args.first_mut(),
                }),
                _ => Err(Refused::Iterator),
            },
            ("copied" | "cloned", 0) => match adapted(&mut node.receiver)? {
                Head::Elements(Elements {
                    base,
                    access: Access::Shared,
                    enumerated: false,
                }) => elements(base, Access::Copied),
                _ => Err(Refused::Iterator),
            },
            ("enumerate", 0) => match adapted(&mut node.receiver)? {
                Head::Elements(Elements {
                    base,
                    access,
                    enumerated: false,
                }) => Ok(Head::Elements(Elements {
                    base,
                    access,
                    enumerated: true,
                })),
                _ => Err(Refused::Iterator),
            },
            _ => Err(Refused::Iterator),
        },
        other => elements(other, Access::Value),
    }
}

/// Whether an expression is a list by itself: a part of an array, or what a method gives that is no iterator.
fn is_list(expr: &Expr) -> bool {
    match expr {
        Expr::Reference(node) => {
            matches!(&*node.expr, Expr::Index(index) if matches!(&*index.index, Expr::Range(_)))
        }
        Expr::MethodCall(node) => {
            let method = node.method.to_string();
            !ADAPTERS.contains(&method.as_str()) && !ITERATORS.contains(&method.as_str())
        }
        _ => false,
    }
}

/// The head below an adapter, which has to be an iterator or a range itself.
fn adapted(expr: &mut Expr) -> Result<Head<'_>, Refused> {
    match expr {
        Expr::Paren(node) => adapted(&mut node.expr),
        Expr::Group(node) => adapted(&mut node.expr),
        Expr::Range(_) => head(expr),
        Expr::MethodCall(node) if ADAPTERS.contains(&node.method.to_string().as_str()) => {
            head(expr)
        }
        _ => Err(Refused::Iterator),
    }
}

const ADAPTERS: [&str; 8] = [
    "iter",
    "iter_mut",
    "into_iter",
    "rev",
    "step_by",
    "copied",
    "cloned",
    "enumerate",
];

/// Iterators that a user may try.
const ITERATORS: [&str; 18] = [
    "chunks",
    "chunks_exact",
    "windows",
    "zip",
    "skip",
    "take",
    "map",
    "filter",
    "chain",
    "drain",
    "split",
    "cycle",
    "inspect",
    "flat_map",
    "flatten",
    "scan",
    "skip_while",
    "take_while",
];

fn target(label: &Option<Label>, end: u64, next: u64, join: Option<u64>, want: Want) -> Target {
    let label = label.as_ref().map(|label| label.name.ident.to_string());
    Target {
        label,
        end,
        next: Some(next),
        join,
        want,
        known: None,
    }
}
