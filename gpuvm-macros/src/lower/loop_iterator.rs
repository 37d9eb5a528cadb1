//! `for` over any iterator, and ranges as values.

use gpuvm_nodes::node::Node;
use syn::{Expr, ExprRange, Label, Pat, RangeLimits};

use super::{Calls, Lowering, Want};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    /// Asks for the next element until there is none.
    pub(super) fn for_iterator(
        &mut self,
        iterator: &mut Expr,
        pattern: &mut Pat,
        body: &mut syn::Block,
        label: &Option<Label>,
    ) {
        // Of what is plainly no iterator rustc says so in the shadow as in the function, and nobody asks for more.
        let (into, next) = if self.is_no_iterator(iterator) {
            (0, 0)
        } else {
            let (into, next) = (self.new_slot(), self.new_slot());
            shadow::iterate(iterator, into, next);
            (into, next)
        };
        self.may_call(Calls::Maybe);
        let state = self.hidden(Known::Unknown);
        self.stream
            .node(Node::IntoIter)
            .number(into)
            .node(Node::Bind)
            .number(state);
        let (top, exit) = (self.new_label(), self.new_label());
        self.label(top);
        self.stream.line(shadow::at(&*pattern));
        self.push_local(state);
        self.stream
            .node(Node::Call)
            .number(next)
            .number(1)
            .node(Node::PatternVariant)
            .hash("Some")
            .number(exit)
            .node(Node::PatternPayload)
            .hash("Some")
            .hash("0");
        self.irrefutable(pattern, &Known::Unknown);
        self.stream.node(Node::Pop);
        self.turn(label, exit, top, body);
        self.jump(top);
        self.label(exit);
    }

    /// Lowers what a loop runs over, and says whether it is a number, or a range from nowhere.
    fn is_no_iterator(&mut self, iterator: &mut Expr) -> bool {
        if let Expr::Range(ExprRange { start: None, end, .. }) = iterator {
            if let Some(end) = end {
                self.expr(end, Want::Free);
            }
            return true;
        }
        if matches!(iterator, Expr::Lit(_)) {
            return true;
        }
        let known = self.expr(iterator, Want::Free);
        known.is_primitive() && known != Known::Never
    }

    /// A range as a value: a struct of std's.
    pub(super) fn range(&mut self, expr: &mut Expr) -> Known {
        let Expr::Range(node) = &mut *expr else {
            return Known::Unknown;
        };
        let inclusive = matches!(node.limits, RangeLimits::Closed(_));
        let mut fields = Vec::new();
        let mut ends: Vec<&mut Expr> = Vec::new();
        for (name, end) in [("start", &mut node.start), ("end", &mut node.end)] {
            if let Some(end) = end {
                fields.push(name);
                ends.push(end);
            }
        }
        self.operands(ends.into_iter());
        if inclusive && fields.len() == 2 {
            fields.push("exhausted");
            self.stream.node(Node::Bool).number(0);
        }
        let slot = self.new_slot();
        self.stream
            .node(Node::Construct)
            .number(slot)
            .zero_hash()
            .number(fields.len() as u64)
            .number(0);
        for field in fields {
            self.stream.hash(field);
        }
        shadow::bind(expr, slot);
        Known::Unknown
    }
}
