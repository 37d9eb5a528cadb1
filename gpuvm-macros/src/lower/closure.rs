//! Closures: their code stands in the node stream where they are written, and each call walks it anew. What a closure borrows are the
//! routine's own locals; a `move` closure has copies.

use std::collections::{HashMap, HashSet};

use gpuvm_nodes::node::Node;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, ExprClosure, Pat, ReturnType};

use super::expected::Expected;
use super::stream::Stream;
use super::{Lowering, Want};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    /// A closure that stays inside the routine.
    pub(super) fn closure(&mut self, node: &mut ExprClosure) -> Known {
        self.attributes(&node.attrs);
        let result = match &mut node.output {
            ReturnType::Default => Known::Unknown,
            ReturnType::Type(_, ty) => {
                self.check_type(ty);
                Known::of(ty)
            }
        };
        let captured = match node.capture {
            Some(_) => self.captured(&node.body),
            None => Vec::new(),
        };
        for (_, local) in &captured {
            self.push_local(*local);
        }
        let (first_local, first_label, first_join) = (self.locals.len() as u64, self.labels, self.joins);
        let outer = Outer {
            stream: self.begin_stream(),
            targets: std::mem::take(&mut self.targets),
            bound: std::mem::take(&mut self.bound),
            diverges: std::mem::take(&mut self.diverges),
            result: std::mem::replace(&mut self.result_known, result.clone()),
            asks: std::mem::take(&mut self.asks),
            returned: self.returned.take(),
        };
        self.scopes.push(super::Scope::default());
        for (name, local) in &captured {
            let known = self.locals[*local as usize].known.clone();
            self.declare(name, known, true);
        }
        self.closure_parameters(node);
        self.expr(&mut node.body, Want::returned(&result));
        if self.asks {
            shadow::closure_result(&mut node.body);
        }
        shadow::closure_body(node);
        self.stream.node(Node::Return);
        self.scopes.pop();
        let code = std::mem::replace(&mut self.stream, outer.stream).into_bytes();
        self.targets = outer.targets;
        self.bound = outer.bound;
        self.diverges = outer.diverges;
        self.result_known = outer.result;
        self.asks = outer.asks;
        self.returned = outer.returned;
        let own = [
            (first_local, self.locals.len() as u64),
            (first_label, self.labels),
            (first_join, self.joins),
        ];
        self.closures += 1;
        self.stream.node(Node::Closure).number(captured.len() as u64);
        for (first, end) in own {
            self.stream.number(first).number(end - first);
        }
        self.stream.number(code.len() as u64).code(code);
        Known::Closure
    }

    /// The arguments are on the stack, the last one on top. One whose type is written is converted to it.
    fn closure_parameters(&mut self, node: &mut ExprClosure) {
        let mut named = TokenStream::new();
        for input in node.inputs.iter_mut().rev() {
            let Pat::Type(typed) = input else {
                self.irrefutable(input, &Known::Unknown);
                continue;
            };
            self.check_type(&mut typed.ty);
            let known = Known::of(&typed.ty);
            let (slot, whole) = (self.new_slot(), self.hidden(known.clone()));
            self.stream.node(Node::BindAs).number(whole).number(slot);
            self.push_local(whole);
            self.irrefutable(&typed.pat, &known);
            let (ty, slot) = (&typed.ty, shadow::slot(slot));
            named.extend(quote!(::gpuvm::__private::name_type::<#ty>(#slot);));
        }
        self.extras.push(named);
    }

    /// The locals that a closure's code mentions, as far as names show.
    fn captured(&self, body: &Expr) -> Vec<(Ident, u64)> {
        let mut found = HashSet::new();
        let mut captured = Vec::new();
        let mut search = vec![body.to_token_stream()];
        while let Some(tokens) = search.pop() {
            for token in tokens {
                match token {
                    TokenTree::Group(group) => search.push(group.stream()),
                    TokenTree::Ident(name) => {
                        if let Some(local) = self.find(&name)
                            && found.insert(local)
                        {
                            captured.push((name, local));
                        }
                    }
                    _ => {}
                }
            }
        }
        captured
    }
}

/// What belongs to the code around a closure while its own is lowered.
struct Outer {
    stream: Stream,
    targets: Vec<super::Target>,
    bound: HashMap<String, u64>,
    diverges: bool,
    result: Known,
    asks: bool,
    returned: Option<Expected>,
}
