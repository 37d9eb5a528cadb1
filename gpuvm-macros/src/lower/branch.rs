//! `if`, `match`, conditions with `let`, `?`, `return` and labelled blocks.

use gpuvm_nodes::node::Node;
use syn::{BinOp, Block, Expr, ExprIf, ExprMatch, Lit, Pat, UnOp};

use super::alternatives::arms;
use super::expected::Expected;
use super::{Calls, Lowering, Target, Want};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    pub(super) fn if_else(&mut self, node: &mut ExprIf, want: Want) -> Known {
        let expected = self.expected.take();
        self.attributes(&node.attrs);
        if node.else_branch.is_none() {
            return self.if_alone(node, expected, want);
        }
        let (no, end) = (self.new_label(), self.new_label());
        let join = self.new_join();
        let (known, then_diverges) = self.scoped(|this| {
            this.condition(&mut node.cond, no);
            let before = std::mem::take(&mut this.diverges);
            this.expected = expected.clone();
            let known = this.block(&mut node.then_branch, want.branch());
            (known, std::mem::replace(&mut this.diverges, before))
        });
        self.stream.node(Node::JoinSet).number(join);
        self.jump(end);
        self.label(no);
        let before = std::mem::take(&mut self.diverges);
        if known == Known::Closure {
            self.report.chosen_closure(shadow::at(&node.then_branch));
        }
        let other = node.else_branch.as_mut().map_or(Known::Unit, |(_, otherwise)| {
            self.expected = expected;
            self.expr(otherwise, want.branch())
        });
        self.diverges = before || then_diverges && self.diverges;
        self.stream.node(Node::JoinSet).number(join);
        self.label(end);
        self.stream.node(Node::JoinGet).number(join);
        known.join(other)
    }

    /// `if` without `else`, whose value is nothing.
    fn if_alone(&mut self, node: &mut ExprIf, expected: Option<Expected>, want: Want) -> Known {
        let no = self.new_label();
        let known = self.scoped(|this| {
            this.condition(&mut node.cond, no);
            let before = std::mem::take(&mut this.diverges);
            this.expected = expected;
            let known = this.block(&mut node.then_branch, want.branch());
            this.diverges = before;
            known
        });
        self.stream.node(Node::Pop);
        self.label(no);
        if known == Known::Closure {
            self.report.chosen_closure(shadow::at(&node.then_branch));
        }
        self.stream.node(Node::Unit);
        known.join(Known::Unit)
    }

    /// Goes to `no` unless the condition holds. Bindings of `let` go into the scope that is open.
    pub(super) fn condition(&mut self, expr: &mut Expr, no: u64) {
        match expr {
            Expr::Paren(node) => self.condition(&mut node.expr, no),
            Expr::Group(node) => self.condition(&mut node.expr, no),
            Expr::Binary(node) if matches!(node.op, BinOp::And(_)) => {
                self.condition(&mut node.left, no);
                self.condition(&mut node.right, no);
            }
            Expr::Binary(node) if matches!(node.op, BinOp::Or(_)) => {
                let (right, yes) = (self.new_label(), self.new_label());
                self.condition(&mut node.left, right);
                self.jump(yes);
                self.label(right);
                self.condition(&mut node.right, no);
                self.label(yes);
            }
            Expr::Unary(node) if matches!(node.op, UnOp::Not(_)) => self.not_condition(&mut node.expr, no),
            Expr::Let(node) => {
                self.stream.line(shadow::at(&*node));
                let known = self.expr(&mut node.expr, Want::Free);
                self.refutable(&node.pat, &known, no);
            }
            Expr::Lit(node) => match &node.lit {
                Lit::Bool(lit) if lit.value => {}
                Lit::Bool(_) => self.jump(no),
                _ => self.plain_condition(expr, no),
            },
            Expr::Macro(node) if node.mac.path.is_ident("matches") => self.matches(expr, no),
            other => self.plain_condition(other, no),
        }
    }

    /// Goes to `no` if the condition holds.
    fn not_condition(&mut self, expr: &mut Expr, no: u64) {
        match expr {
            Expr::Paren(node) => self.not_condition(&mut node.expr, no),
            Expr::Group(node) => self.not_condition(&mut node.expr, no),
            Expr::Path(_) | Expr::Field(_) | Expr::Call(_) | Expr::MethodCall(_) => {
                self.condition_value(expr);
                self.stream.node(Node::JumpIf).number(no);
            }
            _ => {
                let yes = self.new_label();
                self.condition(expr, yes);
                self.jump(no);
                self.label(yes);
            }
        }
    }

    fn plain_condition(&mut self, expr: &mut Expr, no: u64) {
        self.condition_value(expr);
        self.stream.node(Node::JumpUnless).number(no);
    }

    fn condition_value(&mut self, expr: &mut Expr) {
        self.stream.line(shadow::at(&*expr));
        let known = self.expr(expr, Want::Free);
        if known == Known::Reference(Box::new(Known::BOOL)) {
            self.stream.node(Node::Deref);
        }
    }

    pub(super) fn match_arms(&mut self, node: &mut ExprMatch, want: Want) -> Known {
        let expected = self.expected.take();
        self.attributes(&node.attrs);
        node.arms = std::mem::take(&mut node.arms).into_iter().flat_map(arms).collect();
        let end = self.new_label();
        let join = self.new_join();
        let scrutinee = self.expr(&mut node.expr, Want::Free);
        let (before, mut all_diverge) = (self.diverges, true);
        let mut value: Option<Known> = None;
        let count = node.arms.len();
        for (i, arm) in node.arms.iter_mut().enumerate() {
            self.attributes(&arm.attrs);
            self.diverges = false;
            let next = self.new_label();
            // Which arm it is belongs to the head, and not to the arm before.
            self.stream.line(shadow::at(&node.expr));
            let known = self.scoped(|this| {
                this.stream.node(Node::Duplicate);
                match &mut arm.pat {
                    Pat::Guard(guarded) => {
                        this.refutable(&guarded.pat, &scrutinee, next);
                        this.condition(&mut guarded.guard, next);
                    }
                    // Rust has checked that the last arm takes all that is left.
                    pattern if i + 1 == count => this.irrefutable(pattern, &scrutinee),
                    pattern => this.refutable(pattern, &scrutinee, next),
                }
                this.expected = expected.clone();
                this.stream.line(shadow::at(&arm.body));
                let known = this.expr(&mut arm.body, want.branch());
                if known == Known::Closure && count > 1 {
                    this.report.chosen_closure(shadow::at(&arm.pat));
                }
                known
            });
            all_diverge &= self.diverges;
            self.stream.node(Node::JoinSet).number(join);
            self.jump(end);
            self.label(next);
            value = Some(match value {
                Some(value) => value.join(known),
                None => known,
            });
        }
        self.diverges = before || all_diverge;
        self.label(end);
        self.stream.node(Node::Pop);
        self.stream.node(Node::JoinGet).number(join);
        value.unwrap_or(Known::Never)
    }

    /// `'label: { … break 'label value; … }`
    pub(super) fn labelled_block(&mut self, block: &mut Block, label: String, want: Want) -> Known {
        let end = self.new_label();
        let join = self.new_join();
        let want = want.branch();
        self.targets.push(Target {
            label: Some(label),
            end,
            next: None,
            join: Some(join),
            want,
            known: None,
        });
        let before = self.diverges;
        let known = self.block(block, want);
        self.stream.node(Node::JoinSet).number(join);
        self.label(end);
        self.stream.node(Node::JoinGet).number(join);
        match self.targets.pop().and_then(|target| target.known) {
            Some(broken) => {
                self.diverges = before;
                broken.join(known)
            }
            None => known,
        }
    }

    pub(super) fn return_value(&mut self, expr: &mut Expr) -> Known {
        let Expr::Return(node) = expr else {
            return Known::Unknown;
        };
        match &mut node.expr {
            Some(value) => {
                let want = Want::returned(&self.result_known);
                self.expected = self.returned.clone();
                self.expr(value, want);
            }
            None => {
                self.stream.node(Node::Unit);
            }
        }
        self.stream.node(Node::Return);
        self.never()
    }

    /// `value?` returns `None` or the error from the function or closure, or goes on with what is inside.
    pub(super) fn question(&mut self, expr: &mut Expr) -> Known {
        let Expr::Try(node) = &mut *expr else {
            return Known::Unknown;
        };
        self.asks = true;
        // What is not known may be an `Option` or `Result` under another name.
        if !matches!(self.result_known, Known::Unknown | Known::Optional(_)) {
            self.report.question_outside(node.question_token);
        }
        let known = self.expr(&mut node.expr, Want::Free);
        let (convert, result) = (self.new_slot(), self.new_slot());
        self.stream.node(Node::Question).number(convert).number(result);
        self.may_call(Calls::Maybe);
        shadow::question(expr, convert, result);
        match known.inner() {
            Known::Optional(inner) => (**inner).clone(),
            _ => Known::Unknown,
        }
    }

    /// Pushes the value that never is.
    pub(super) fn never(&mut self) -> Known {
        self.stream.node(Node::Never);
        self.diverges = true;
        Known::Never
    }
}
