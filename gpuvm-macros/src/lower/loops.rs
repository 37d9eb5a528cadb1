//! Loops: `loop`, `while`, `break`, `continue`, and the common part of `for`.

use gpuvm_nodes::node::Node;
use syn::{Expr, ExprContinue, ExprForLoop, ExprLoop, ExprWhile, Label, Lifetime};

use super::expr::plain;
use super::loop_head::{Head, head};
use super::method::is_of_machine;
use super::{Lowering, Target, Want};
use crate::primitive::Known;

impl Lowering<'_> {
    pub(super) fn endless(&mut self, node: &mut ExprLoop, want: Want) -> Known {
        self.attributes(&node.attrs);
        let (start, end) = (self.new_label(), self.new_label());
        let join = self.new_join();
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
            this.turn(&node.label, end, start, &mut node.body);
        });
        self.jump(start);
        self.label(end);
        self.stream.node(Node::Unit);
        Known::Unit
    }

    /// One turn of a loop without a value: `break` goes to `exit`, `continue` to `next`.
    pub(super) fn turn(&mut self, label: &Option<Label>, exit: u64, next: u64, body: &mut syn::Block) {
        let before = self.diverges;
        self.targets.push(target(label, exit, next, None, Want::Free));
        self.block(body, Want::Free);
        self.targets.pop();
        self.diverges = before;
        self.stream.node(Node::Pop);
    }

    pub(super) fn break_loop(&mut self, expr: &mut Expr) -> Known {
        let Expr::Break(node) = expr else {
            return Known::Unknown;
        };
        let Some(place) = self.target(node.label.as_ref(), false) else {
            self.report.no_loop(&*node);
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
        match next {
            Some(next) => self.jump(next),
            None => self.report.no_loop(node),
        }
        self.never()
    }

    /// The loop or labelled block that a `break` or `continue` is about.
    fn target(&self, label: Option<&Lifetime>, continues: bool) -> Option<usize> {
        let label = label.map(|label| super::key(&label.ident));
        self.targets.iter().rposition(|target| match &label {
            Some(label) => target.label.as_ref() == Some(label) && (!continues || target.next.is_some()),
            None => target.next.is_some(),
        })
    }

    pub(super) fn for_loop(&mut self, node: &mut ExprForLoop) -> Known {
        self.attributes(&node.attrs);
        let (pattern, body, label) = (&mut node.pat, &mut node.body, &node.label);
        // What runs over a plain range or list counts; anything else is asked for its next element.
        let counts = match head(&mut node.expr) {
            Some(Head::Range { range, .. }) => range.start.is_some() && range.end.is_some(),
            Some(Head::Elements(elements)) => {
                let numbers_apart = matches!(&**pattern, syn::Pat::Tuple(tuple) if tuple.elems.len() == 2);
                (numbers_apart || !elements.enumerated) && matches!(self.glance(elements.base).inner(), Known::List(_))
            }
            None => false,
        };
        self.scoped(|this| match head(&mut node.expr).filter(|_| counts) {
            Some(Head::Range { range, reversed, step }) => this.for_range(range, reversed, step, pattern, body, label),
            Some(Head::Elements(elements)) => this.for_elements(elements, pattern, body, label),
            None => this.for_iterator(&mut node.expr, pattern, body, label),
        });
        self.stream.node(Node::Unit);
        Known::Unit
    }

    /// What is known of an expression without lowering it.
    pub(super) fn glance(&self, expr: &Expr) -> Known {
        match expr {
            Expr::Paren(node) => self.glance(&node.expr),
            Expr::Group(node) => self.glance(&node.expr),
            Expr::Path(node) => match node.path.get_ident().and_then(|name| self.find(name)) {
                Some(local) => self.locals[local as usize].known.clone(),
                None => Known::Unknown,
            },
            Expr::Lit(node) => match &node.lit {
                syn::Lit::Int(lit) => {
                    crate::primitive::kind_of_name(lit.suffix()).map_or(Known::Literal, Known::Scalar)
                }
                _ => Known::Unknown,
            },
            Expr::Cast(node) => Known::of(&node.ty),
            Expr::MethodCall(node) => {
                let receiver = self.glance(&node.receiver);
                match is_of_machine(&receiver, &node.method) {
                    true => receiver.method(&plain(&node.method)),
                    false => Known::Unknown,
                }
            }
            Expr::Binary(node) => self.glance(&node.left).arithmetic(&self.glance(&node.right)),
            Expr::Reference(node) => Known::Reference(Box::new(self.glance(&node.expr))),
            _ => Known::Unknown,
        }
    }
}

/// What a loop is to its `break`s and `continue`s.
fn target(label: &Option<Label>, end: u64, next: u64, join: Option<u64>, want: Want) -> Target {
    let label = label.as_ref().map(|label| super::key(&label.name.ident));
    Target {
        label,
        end,
        next: Some(next),
        join,
        want,
        known: None,
    }
}
