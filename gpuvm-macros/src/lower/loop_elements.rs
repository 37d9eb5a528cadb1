//! `for` over the elements of an array or slice, by value, by reference, or with their numbers.

use gpuvm_nodes::Kind;
use gpuvm_nodes::method::number;
use gpuvm_nodes::node::{Node, Operator};
use quote::quote;
use syn::{Expr, Label, Pat, Stmt};

use super::loop_head::{Access, Elements};
use super::{Lowering, Want};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn for_elements(
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
        let named = self.is_local_path(base) && (access != Access::Value || matches!(glanced, Known::Reference(_)));
        let (list, known) = if named {
            (List::Path(Box::new(base.clone())), glanced)
        } else {
            let known = self.expr(base, Want::Free);
            if access != Access::Value && !matches!(known, Known::Reference(_)) {
                self.stream.node(Node::Ref).number(u64::from(access == Access::Mutable));
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
        self.stream.line(shadow::at(&*pattern));
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
            other => other.clone(),
        };
        let rewritten = self.list(&list);
        self.push_local(index);
        self.stream.node(Node::IndexUnchecked);
        let mut element = match known.inner() {
            Known::List(element) => (**element).clone(),
            _ => Known::Unknown,
        };
        if access == Access::Cloned && !element.is_primitive() {
            self.stream.node(Node::Clone);
        }
        if matches!(access, Access::Shared | Access::Mutable) {
            self.stream.node(Node::Ref).number(u64::from(access == Access::Mutable));
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
        self.turn(label, exit, top, body);
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
            Expr::Path(node) => node.path.get_ident().is_some_and(|name| self.find(name).is_some()),
            Expr::Paren(node) => self.is_local_path(&node.expr),
            Expr::Field(node) => self.is_local_path(&node.base),
            Expr::Unary(node) => matches!(node.op, syn::UnOp::Deref(_)) && self.is_local_path(&node.expr),
            _ => false,
        }
    }
}

/// How a loop gets at its list for each element.
enum List {
    /// It was kept in a local.
    Local(u64),
    /// It is a part of a local.
    Path(Box<Expr>),
}
