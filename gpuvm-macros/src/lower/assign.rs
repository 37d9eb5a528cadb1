//! Assignment, to a place or to a pattern of places.

use gpuvm_nodes::node::Node;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprAssign, UnOp};

use super::expr::{member_name, plain, write_variant};
use super::{Lowering, Want};
use crate::primitive::Known;

impl Lowering<'_> {
    pub(super) fn assign(&mut self, node: &mut ExprAssign) -> Known {
        let pattern = is_pattern(&node.left);
        let want = match &*node.left {
            Expr::Path(path) => match path.path.get_ident().and_then(|name| self.find(name)) {
                Some(local) => Want::of(&self.locals[local as usize].known),
                None => Want::Decided,
            },
            Expr::Infer(_) => Want::Free,
            _ => Want::Decided,
        };
        let copies = pattern && !matches!(&*node.right, Expr::Tuple(_) | Expr::Array(_))
            || self.has_effect(&node.left) && self.is_changeable(&node.right);
        self.expr(&mut node.right, want);
        if copies {
            self.stream.node(Node::Copy);
        }
        self.store(&mut node.left);
        self.stream.node(Node::Unit);
        Known::Unit
    }

    /// Stores the value on the stack.
    fn store(&mut self, target: &mut Expr) {
        match target {
            Expr::Infer(_) => {
                self.stream.node(Node::Pop);
            }
            Expr::Paren(node) => self.store(&mut node.expr),
            Expr::Group(node) => self.store(&mut node.expr),
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => {
                self.changes = true;
                self.expr(target, Want::Free);
                self.stream.node(Node::Assign);
            }
            Expr::Unary(node) if matches!(node.op, UnOp::Deref(_)) => {
                self.changes = true;
                self.expr(target, Want::Free);
                self.stream.node(Node::Assign);
            }
            Expr::Tuple(node) => {
                for (i, element) in positions(&mut node.elems) {
                    self.stream.node(Node::PatternField).hash(&i.to_string());
                    self.store(element);
                }
                self.stream.node(Node::Pop);
            }
            Expr::Array(node) => {
                let rest = node.elems.iter().position(is_rest);
                let count = node.elems.len();
                for (i, element) in node.elems.iter_mut().enumerate() {
                    let from_end = rest.is_some_and(|rest| i > rest);
                    if rest == Some(i) {
                        continue;
                    }
                    let index = if from_end { count - i } else { i };
                    self.stream
                        .node(Node::PatternElement)
                        .number(index as u64)
                        .number(u64::from(from_end));
                    self.store(element);
                }
                self.stream.node(Node::Pop);
            }
            Expr::Call(node) => {
                let name = match &*node.func {
                    Expr::Path(path) => super::expr::variant_name(&path.path),
                    other => return self.report.assign_target(other),
                };
                for (i, element) in positions(&mut node.args) {
                    write_variant(self.stream.node(Node::PatternPayload), &name).hash(&i.to_string());
                    self.store(element);
                }
                self.stream.node(Node::Pop);
            }
            Expr::Struct(node) => {
                let name = node
                    .path
                    .segments
                    .last()
                    .map(|last| plain(&last.ident))
                    .filter(|name| name != "Self");
                for field in &mut node.fields {
                    write_variant(self.stream.node(Node::PatternPayload), &name).hash(&member_name(&field.member));
                    self.store(&mut field.expr);
                }
                self.stream.node(Node::Pop);
            }
            other => self.report.assign_target(&*other),
        }
    }
}

/// The targets in a tuple with the index of what they take; behind a `..`, counted from the end, where -1 is the last.
fn positions(elements: &mut Punctuated<Expr, syn::Token![,]>) -> Vec<(isize, &mut Expr)> {
    let count = elements.len() as isize;
    let rest = elements.iter().position(is_rest).map(|rest| rest as isize);
    let targets = (0..count).zip(elements.iter_mut()).filter(|(i, _)| rest != Some(*i));
    targets
        .map(|(i, target)| {
            (
                if rest.is_some_and(|rest| i > rest) {
                    i - count
                } else {
                    i
                },
                target,
            )
        })
        .collect()
}

fn is_rest(expr: &Expr) -> bool {
    matches!(expr, Expr::Range(range) if range.start.is_none() && range.end.is_none())
}

/// Whether an assignment takes its value apart.
fn is_pattern(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(node) => is_pattern(&node.expr),
        Expr::Group(node) => is_pattern(&node.expr),
        Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_) => true,
        _ => false,
    }
}
