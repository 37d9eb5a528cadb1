//! Operators, and the order in which operands are evaluated.

use gpuvm_nodes::node::{Node, Operator};
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, UnOp};

use super::expr::typed;
use super::stream::Stream;
use super::{Calls, Lowering, Want, literal};
use crate::namesakes;
use crate::primitive::{Known, method_has_effect};
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn unary(&mut self, expr: &mut Expr, want: Want) -> Known {
        let start = shadow::at(expr);
        let Expr::Unary(node) = &mut *expr else {
            return Known::Unknown;
        };
        let operator = match node.op {
            UnOp::Deref(_) => {
                let changes = self.changes;
                let known = self.expr(&mut node.expr, Want::Free);
                self.leads(&mut node.expr, &known);
                if self.may_be_on_host(&known, start) {
                    shadow::no_host_deref(&mut node.expr);
                }
                self.stream.node(if changes { Node::DerefMut } else { Node::Deref });
                return match known {
                    Known::Reference(inner) => *inner,
                    _ => Known::Unknown,
                };
            }
            UnOp::Not(_) => Operator::Not,
            UnOp::Neg(_) => Operator::Neg,
            _ => {
                self.report.unknown_expression(&*node);
                return Known::Unknown;
            }
        };
        self.changes = false;
        if self.lacks_operator(&node.expr, None, operator) {
            self.report.not_promised(node.op, "operator");
        }
        let known = self.expr(&mut node.expr, want.branch());
        self.stream.line(start);
        if known.is_primitive() || !self.evidence {
            if matches!(known, Known::Reference(_)) {
                self.stream.node(Node::Deref);
            }
            self.stream.node(Node::Unary).number(operator as u64);
            return known.inner().clone();
        }
        let slot = self.new_slot();
        self.stream.node(Node::UnaryAs).number(operator as u64).number(slot);
        self.may_call(Calls::Maybe);
        let is_local = self.is_local(&node.expr);
        shadow::unary(expr, operator, is_local, slot);
        Known::Unknown
    }

    pub(super) fn binary(&mut self, expr: &mut Expr, want: Want) -> Known {
        let start = shadow::at(expr);
        let Expr::Binary(node) = &mut *expr else {
            return Known::Unknown;
        };
        if matches!(node.op, BinOp::And(_) | BinOp::Or(_)) {
            return self.short_circuit(expr);
        }
        let Some(operator) = operator_of(&node.op) else {
            self.report.unknown_expression(node.op);
            return Known::Unknown;
        };
        if self.lacks_operator(&node.left, Some(&node.right), operator) {
            self.report.not_promised(node.op, "operator");
        }
        if operator as u8 >= Operator::AddAssign as u8 {
            return self.compound(expr, operator);
        }
        let compares = (Operator::Eq as u8..=Operator::Ge as u8).contains(&(operator as u8));
        let shifts = matches!(operator, Operator::Shl | Operator::Shr);
        let untyped = literal::is_untyped(&node.left) && (shifts || literal::is_untyped(&node.right));
        let of_numbers = self.literals_decide && (literal::is_untyped(&node.left) || literal::is_untyped(&node.right));
        let want_left = match want {
            Want::Kind(_) if untyped && !compares => want,
            _ if untyped => Want::Free,
            _ => Want::Decided,
        };
        let copies = self.has_effect(&node.right) && self.is_changeable(&node.left);
        let left = self.expr(&mut node.left, want_left);
        let by_reference = matches!(left, Known::Reference(_)) && left.is_primitive();
        if by_reference {
            self.stream.node(Node::Deref);
        }
        if copies {
            self.stream.node(Node::Copy);
        }
        let want_right = if shifts { Want::Decided } else { Want::of(&left) };
        let right = self.expr(&mut node.right, want_right);
        if by_reference && matches!(right, Known::Reference(_)) {
            self.stream.node(Node::Deref);
        }
        self.stream.line(start);
        let with_scalar = || compares && (is_scalar(&left) || is_scalar(&right)) && !namesakes::compares_others(start);
        let primitive = left.is_primitive() && right.is_primitive() || with_scalar();
        // What is compared may be slices, for which std has a method.
        if primitive || (!self.evidence || of_numbers) && !compares {
            self.stream.node(Node::Binary).number(operator as u64);
        } else {
            let slot = self.new_slot();
            self.stream.node(Node::BinaryAs).number(operator as u64).number(slot);
            self.may_call(Calls::Maybe);
            let with_forms = self.about.parameters.is_empty() && !self.about.traits;
            let are_locals = [self.is_local(&node.left), self.is_local(&node.right)];
            shadow::binary(expr, operator, with_forms, are_locals, slot);
        }
        match compares {
            true => Known::BOOL,
            false if shifts => typed(left.inner().clone()),
            false => left.arithmetic(&right),
        }
    }

    /// `a && b` and `a || b` as values.
    fn short_circuit(&mut self, expr: &mut Expr) -> Known {
        let (no, end) = (self.new_label(), self.new_label());
        let join = self.new_join();
        let diverges = self.diverges;
        self.condition(expr, no);
        self.diverges = diverges;
        self.stream.node(Node::Bool).number(1).node(Node::JoinSet).number(join);
        self.jump(end);
        self.label(no);
        self.stream.node(Node::Bool).number(0).node(Node::JoinSet).number(join);
        self.label(end);
        self.stream.node(Node::JoinGet).number(join);
        Known::BOOL
    }

    /// `place op= value`: for numbers the value is evaluated first, and for an operator of the user's the place, as Rust does.
    fn compound(&mut self, expr: &mut Expr, operator: Operator) -> Known {
        let start = shadow::at(expr);
        let Expr::Binary(node) = &mut *expr else {
            return Known::Unknown;
        };
        let copies = self.has_effect(&node.left) && self.is_changeable(&node.right);
        let order_matters = self.evidence && !is_read(&node.left) && (copies || !is_read(&node.right));
        let outer = order_matters.then(|| self.begin_stream());
        let right = self.expr(&mut node.right, Want::Decided);
        if matches!(right, Known::Reference(_)) && right.is_primitive() {
            self.stream.node(Node::Deref);
        }
        if copies {
            self.stream.node(Node::Copy);
        }
        let value = order_matters.then(|| self.begin_stream());
        self.changes = true;
        let left = self.expr(&mut node.left, Want::Free);
        let own = (self.evidence && !(left.is_primitive() && right.is_primitive())).then(|| self.new_slot());
        if let (Some(outer), Some(value)) = (outer, value) {
            let place = std::mem::replace(&mut self.stream, outer);
            self.value_and_place(value.into_bytes(), place.into_bytes(), own);
        }
        self.stream.line(start);
        let Some(slot) = own else {
            let plain = operator as u64 - Operator::AddAssign as u64;
            self.stream.node(Node::AssignOp).number(plain).node(Node::Unit);
            return Known::Unit;
        };
        self.stream.node(Node::AssignOpAs).number(operator as u64).number(slot);
        self.stream.number(order_matters.into());
        self.may_call(Calls::Maybe);
        let is_local = self.is_local(&node.right);
        shadow::assign_operator(expr, operator, is_local, slot);
        self.stream.node(Node::Unit);
        Known::Unit
    }

    /// Writes the nodes of an assigned value and those of the place. `own`: the slot that says whether the operator is the user's own, where it may be: the
    /// place is then walked first.
    fn value_and_place(&mut self, value: Vec<u8>, place: Vec<u8>, own: Option<u64>) {
        let Some(slot) = own else {
            self.stream.code(value).code(place);
            return;
        };
        let skip = |bytes: usize, back: bool| {
            let mut stream = Stream::default();
            let distance = if back { -(bytes as i32) } else { bytes as i32 };
            stream.node(Node::SkipIfCall).number(slot).distance(distance);
            stream.into_bytes()
        };
        let length = skip(0, false).len();
        let to_place = skip(value.len() + length, false);
        let behind = skip(place.len() + length, false);
        let to_value = skip(value.len() + length + place.len() + length, true);
        self.stream
            .code(to_place)
            .code(value)
            .code(behind)
            .code(place)
            .code(to_value);
    }

    /// Whether an expression is the name of a local variable, which the shadow may name as often as it likes.
    pub(super) fn is_local(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Path(node) if node.path.get_ident().is_some_and(|name| self.find(name).is_some()))
    }

    /// Whether evaluating an expression may change a variable or memory.
    pub(super) fn has_effect(&self, expr: &Expr) -> bool {
        let mut search = Effects {
            found: false,
            lowering: self,
        };
        search.visit_expr(expr);
        search.found
    }

    /// Whether what is called may be a closure, which changes what it has borrowed.
    fn may_be_closure(&self, callee: &Expr) -> bool {
        match callee {
            Expr::Path(node) => node.path.get_ident().is_some_and(|name| self.find(name).is_some()),
            _ => true,
        }
    }

    /// The same of a block's value. A variable of the block's own, which is not known here, nothing else can change.
    fn is_changed_in(&self, block: &syn::Block) -> bool {
        matches!(block.stmts.last(), Some(syn::Stmt::Expr(value, None)) if self.is_changeable(value))
    }

    /// Whether an expression is a place that an effect may change, or has its value in one.
    pub(super) fn is_changeable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(node) => self.is_changeable(&node.expr),
            Expr::Group(node) => self.is_changeable(&node.expr),
            Expr::Field(node) => self.is_changeable(&node.base),
            Expr::Index(node) => self.is_changeable(&node.expr),
            Expr::Unary(node) => matches!(node.op, UnOp::Deref(_)),
            // Where a conversion is no work for the machine its value is where what it converts is.
            Expr::Cast(node) => self.is_changeable(&node.expr),
            Expr::Block(node) => self.is_changed_in(&node.block),
            Expr::If(node) => {
                let other = node.else_branch.as_ref();
                self.is_changed_in(&node.then_branch) || other.is_some_and(|(_, other)| self.is_changeable(other))
            }
            Expr::Match(node) => node.arms.iter().any(|arm| self.is_changeable(&arm.body)),
            Expr::MethodCall(node) => {
                let converts = ["into", "to_bits", "cast_signed", "cast_unsigned", "get"];
                let converts = node.args.is_empty() && converts.iter().any(|name| node.method == name);
                converts && self.is_changeable(&node.receiver)
            }
            Expr::Call(node) => match (&*node.func, node.args.first()) {
                (Expr::Path(path), Some(converted)) => {
                    let last = path.path.segments.last();
                    last.is_some_and(|last| last.ident == "from" || last.ident == "from_bits")
                        && self.is_changeable(converted)
                }
                _ => false,
            },
            Expr::Path(node) => match node.path.get_ident().and_then(|name| self.find(name)) {
                Some(local) => {
                    let local = &self.locals[local as usize];
                    local.mutable || matches!(local.known, Known::Unknown | Known::Reference(_))
                }
                None => false,
            },
            _ => false,
        }
    }
}

/// Whether an operand has a type that no type of the user's is compared with, but for those that [say so](namesakes::compares_others).
fn is_scalar(known: &Known) -> bool {
    matches!(known.inner(), Known::Scalar(_) | Known::Float | Known::FloatLiteral)
}

/// Whether an expression only reads a variable, or a part of one: nothing happens when it is evaluated.
fn is_read(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(node) => is_read(&node.expr),
        Expr::Group(node) => is_read(&node.expr),
        Expr::Field(node) => is_read(&node.base),
        Expr::Reference(node) => is_read(&node.expr),
        Expr::Unary(node) => matches!(node.op, UnOp::Deref(_)) && is_read(&node.expr),
        _ => false,
    }
}

/// Looks for what may change a variable or memory.
struct Effects<'l> {
    found: bool,
    lowering: &'l Lowering<'l>,
}

impl<'ast> Visit<'ast> for Effects<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.found |= match expr {
            Expr::Assign(_) | Expr::Macro(_) => true,
            Expr::Binary(node) => operator_of(&node.op).is_some_and(|op| op as u8 >= Operator::AddAssign as u8),
            Expr::Reference(node) => node.mutability.is_some(),
            Expr::MethodCall(node) => self.lowering.evidence || method_has_effect(&node.method.to_string()),
            // A function changes only what it is given a reference to, possibly through a variable.
            Expr::Call(node) => {
                node.args.iter().any(|arg| !matches!(arg, Expr::Lit(_))) || self.lowering.may_be_closure(&node.func)
            }
            _ => false,
        };
        visit::visit_expr(self, expr);
    }
}

/// The number of an operator; `None` for the short-circuiting ones.
fn operator_of(op: &BinOp) -> Option<Operator> {
    Some(match op {
        BinOp::Add(_) => Operator::Add,
        BinOp::Sub(_) => Operator::Sub,
        BinOp::Mul(_) => Operator::Mul,
        BinOp::Div(_) => Operator::Div,
        BinOp::Rem(_) => Operator::Rem,
        BinOp::BitAnd(_) => Operator::BitAnd,
        BinOp::BitOr(_) => Operator::BitOr,
        BinOp::BitXor(_) => Operator::BitXor,
        BinOp::Shl(_) => Operator::Shl,
        BinOp::Shr(_) => Operator::Shr,
        BinOp::Eq(_) => Operator::Eq,
        BinOp::Ne(_) => Operator::Ne,
        BinOp::Lt(_) => Operator::Lt,
        BinOp::Le(_) => Operator::Le,
        BinOp::Gt(_) => Operator::Gt,
        BinOp::Ge(_) => Operator::Ge,
        BinOp::AddAssign(_) => Operator::AddAssign,
        BinOp::SubAssign(_) => Operator::SubAssign,
        BinOp::MulAssign(_) => Operator::MulAssign,
        BinOp::DivAssign(_) => Operator::DivAssign,
        BinOp::RemAssign(_) => Operator::RemAssign,
        BinOp::BitAndAssign(_) => Operator::BitAndAssign,
        BinOp::BitOrAssign(_) => Operator::BitOrAssign,
        BinOp::BitXorAssign(_) => Operator::BitXorAssign,
        BinOp::ShlAssign(_) => Operator::ShlAssign,
        BinOp::ShrAssign(_) => Operator::ShrAssign,
        _ => return None,
    })
}
