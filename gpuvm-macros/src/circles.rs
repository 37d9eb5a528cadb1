//! Methods of one block that hand a closure to each other in a circle. Each would be written into the next without end; one that calls itself is a function of
//! its own (`lower/own.rs`), but what several call is of several.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ImplItem, ImplItemFn, ItemImpl, Type};

use crate::callable;
use crate::report::Report;

/// Refuses the calls that close a circle.
pub fn check(block: &ItemImpl, report: &mut Report) {
    let own = match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    };
    let given: Vec<&ImplItemFn> = block
        .items
        .iter()
        .filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function),
            _ => None,
        })
        .filter(|function| !callable::erase(&function.sig, &function.block).callables.is_empty())
        .collect();
    if given.len() < 2 {
        return;
    }
    let calls: Vec<Vec<(usize, Ident)>> = given
        .iter()
        .map(|function| {
            let mut search = Search {
                own,
                given: &given,
                found: Vec::new(),
            };
            search.visit_block(&function.block);
            search.found
        })
        .collect();
    let mut told = vec![false; given.len()];
    for (first, calls_of) in calls.iter().enumerate() {
        for (to, call) in calls_of {
            // One call of each circle is enough: that of the method that comes last.
            if *to < first && !told[*to] && reaches(&calls, *to, first) {
                told[*to] = true;
                report.circle_of_callables(call);
            }
        }
    }
}

fn reaches(calls: &[Vec<(usize, Ident)>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; calls.len()];
    let mut left = vec![from];
    while let Some(at) = left.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            left.extend(calls[at].iter().map(|(next, _)| *next));
        }
    }
    false
}

/// The calls of the block's own methods: `self.name(…)`, `Self::name(…)`, `Type::name(…)`.
struct Search<'b> {
    own: Option<&'b Ident>,
    given: &'b [&'b ImplItemFn],
    found: Vec<(usize, Ident)>,
}

impl Search<'_> {
    fn find(&mut self, name: &Ident) {
        let place = self.given.iter().position(|function| function.sig.ident == *name);
        self.found.extend(place.map(|place| (place, name.clone())));
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*node.func
            && path.path.segments.len() == 2
            && let (Some(of), Some(last)) = (path.path.segments.first(), path.path.segments.last())
            && (of.ident == "Self" || self.own == Some(&of.ident))
        {
            self.find(&last.ident);
        }
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
        if matches!(&*node.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            self.find(&node.method);
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
