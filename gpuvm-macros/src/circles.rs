//! Methods of one block, or functions of one module, that hand a closure to each other in a circle. Each would be written into the next without end; one that calls itself is a function of
//! its own (`lower/own.rs`), but what several call is of several.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, GenericParam, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, Signature, Type};

use crate::callable;
use crate::file::items_around;
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

/// The same of functions: of those that the file has beside this one, the one that comes last is refused.
pub fn check_function(signature: &Signature, body: &Block, report: &mut Report) {
    let mut search = Calls::default();
    search.visit_block(body);
    if search.found.is_empty() {
        return;
    }
    let Some(items) = items_around(signature.ident.span()) else {
        return;
    };
    let mut beside = Vec::new();
    functions_beside(&items, &signature.ident, &mut beside);
    let given: Vec<&ItemFn> = beside
        .into_iter()
        .filter(|function| !callable::erase(&function.sig, &function.block).callables.is_empty())
        .collect();
    let place = |name: &Ident| given.iter().position(|function| function.sig.ident == *name);
    let Some(own) = place(&signature.ident) else { return };
    let calls: Vec<Vec<(usize, Ident)>> = given
        .iter()
        .map(|function| {
            let mut search = Calls::default();
            search.visit_block(&function.block);
            let found = search.found.into_iter();
            found.filter_map(|name| Some((place(&name)?, name))).collect()
        })
        .collect();
    let closing = search.found.iter().find(|name| {
        let to = place(name);
        to.is_some_and(|to| to < own && reaches(&calls, to, own))
    });
    if let Some(call) = closing {
        report.circle_of_functions(call);
    }
}

/// The places of the type parameters that are called, among those that a path gives a function that the file has.
pub fn called_parameters(name: &Ident) -> Vec<usize> {
    let Some(items) = items_around(name.span()) else {
        return Vec::new();
    };
    let mut beside = Vec::new();
    functions_beside(&items, name, &mut beside);
    let Some(function) = beside.into_iter().find(|function| function.sig.ident == *name) else {
        return Vec::new();
    };
    let generics = &function.sig.generics;
    let params = generics
        .params
        .iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let is_called = |param: &GenericParam| matches!(param, GenericParam::Type(param) if callable::is_called(&param.ident, generics));
    let places = params.enumerate().filter(|(_, param)| is_called(param));
    places.map(|(place, _)| place).collect()
}

/// The functions of the module that has one of that name.
fn functions_beside<'f>(items: &'f [Item], name: &Ident, found: &mut Vec<&'f ItemFn>) {
    let functions = items.iter().filter_map(|item| match item {
        Item::Fn(function) => Some(function),
        _ => None,
    });
    if functions.clone().any(|function| function.sig.ident == *name) {
        found.extend(functions);
        return;
    }
    for item in items {
        if let Item::Mod(module) = item
            && let Some((_, items)) = &module.content
            && found.is_empty()
        {
            functions_beside(items, name, found);
        }
    }
}

/// The calls of functions by their names.
#[derive(Default)]
struct Calls {
    found: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*node.func
            && let Some(name) = path.path.get_ident()
        {
            self.found.push(name.clone());
        }
        visit::visit_expr_call(self, node);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
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
