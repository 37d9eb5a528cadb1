//! Calls of a routine that is given closures by itself. Elsewhere such a routine is a type of its own for each closure, as in Rust; here the closures that it
//! was given are handed on, so all the calls are of one function.

use gpuvm_nodes::node::Node;
use syn::{Expr, ExprMethodCall, Path};

use super::{Calls, Lowering, Own};
use crate::primitive::Known;
use crate::shadow::{self, Given};

impl Lowering<'_> {
    /// Whether a path names the routine itself.
    pub(super) fn is_own_path(&self, path: &Path) -> bool {
        let Some(own) = &self.own else { return false };
        let mut segments = path.segments.iter();
        let first = if own.is_method { segments.next() } else { None };
        first.is_none_or(|first| first.ident == "Self" || own.of.as_ref().is_some_and(|of| first.ident == *of))
            && first.is_some() == own.is_method
            && segments.next().is_some_and(|last| last.ident == own.name)
            && segments.next().is_none()
    }

    /// Whether a method call is one of the routine itself.
    pub(super) fn is_own_method(&self, node: &ExprMethodCall) -> bool {
        let on_self = matches!(&*node.receiver, Expr::Path(path) if path.path.is_ident("self"));
        on_self
            && self
                .own
                .as_ref()
                .is_some_and(|own| own.is_method && node.method == own.name)
    }

    /// Whether a method that is called on another value than `self` may be the routine itself.
    fn may_be_itself(&self, node: &ExprMethodCall) -> Option<&Own> {
        let own = self.own.as_ref()?;
        let is_same = own.is_method && node.method == own.name && node.args.len() + 1 == own.callables.len();
        is_same.then_some(own)
    }

    /// The same where it is handed on what the routine was given as closures.
    pub(super) fn hands_on(&self, node: &ExprMethodCall) -> bool {
        self.may_be_itself(node)
            .is_some_and(|own| self.other_closures(own, node.args.iter(), 1).is_empty())
    }

    /// What a method that may be the routine itself, called on another value than `self`, is given as closures.
    pub(super) fn given_to_itself(&mut self, node: &ExprMethodCall) -> Option<Given> {
        let own = self.may_be_itself(node)?;
        let given = match (own.stands_alone && self.hands_on(node), own.copies) {
            (false, _) => Given::Another,
            (true, true) => Given::Copied,
            (true, false) => Given::Same,
        };
        self.may_recurse = true;
        Some(given)
    }

    /// `name(a, f)`; `Self::name(self, a, f)`
    pub(super) fn call_own(&mut self, expr: &mut Expr, path: &Path) -> Known {
        let Expr::Call(node) = &mut *expr else {
            return Known::Unknown;
        };
        self.check_handed_on(node.args.iter(), 0, path);
        let count = node.args.len();
        self.operands(node.args.iter_mut());
        self.call_own_with(count);
        if self.own.as_ref().is_some_and(|own| !own.is_method) {
            let marker = self.marker(path);
            let namesake = super::std_function(path).map(|function| function.path);
            shadow::call_own(expr, &marker, namesake);
        }
        Known::Unknown
    }

    /// `self.name(a, f)`: the receiver is on the stack.
    pub(super) fn call_own_method(&mut self, node: &mut ExprMethodCall) -> Known {
        self.check_handed_on(node.args.iter(), 1, &node.method.clone());
        let count = node.args.len() + 1;
        self.operands(node.args.iter_mut());
        self.stream.line(shadow::at(&node.method));
        self.call_own_with(count);
        Known::Unknown
    }

    fn call_own_with(&mut self, count: usize) {
        self.stream.node(Node::CallOwn).number(count as u64);
        self.may_call(Calls::Certainly);
        self.recursive = true;
    }

    /// Refuses another closure than the one that the routine was given. `first`: which parameter the first of the arguments is for.
    fn check_handed_on<'e>(
        &mut self,
        arguments: impl Iterator<Item = &'e Expr>,
        first: usize,
        callee: &impl quote::ToTokens,
    ) {
        let Some(own) = self.own.clone() else { return };
        if !own.stands_alone {
            self.report.recursive_callable(callee);
            return;
        }
        if own.copies {
            self.report.recursive_copied_callable(callee);
            return;
        }
        for argument in self.other_closures(&own, arguments, first) {
            self.report.recursive_callable(argument);
        }
    }

    /// The arguments that are not the closures that the routine was given, where these are asked for.
    fn other_closures<'e>(&self, own: &Own, arguments: impl Iterator<Item = &'e Expr>, first: usize) -> Vec<&'e Expr> {
        let handed_on = |&(argument, parameter): &(&Expr, usize)| {
            own.callables.get(parameter) != Some(&true) || self.parameter_in(argument) == Some(parameter as u64)
        };
        let others = arguments.zip(first..).filter(|argument| !handed_on(argument));
        others.map(|(argument, _)| argument).collect()
    }

    /// The local that an expression names: `f`, or borrowed again, `&*f`.
    fn parameter_in(&self, expr: &Expr) -> Option<u64> {
        match expr {
            Expr::Path(path) => self.find(path.path.get_ident()?),
            Expr::Paren(node) => self.parameter_in(&node.expr),
            Expr::Group(node) => self.parameter_in(&node.expr),
            Expr::Reference(node) => match &*node.expr {
                Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => self.parameter_in(&inner.expr),
                _ => None,
            },
            _ => None,
        }
    }
}
