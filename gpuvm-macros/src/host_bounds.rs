//! Bounds by traits of the crate that are no routines: on a value of a type parameter a routine knows the methods of `#[routine]` traits alone, and rustc would say at each call what the
//! machine lacks, in the machine's words.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Generics, Signature, TraitBound};

use crate::report::Report;
use crate::{namesakes, plain_name};

/// Refuses a bound of a function, or of what is around it, by a trait of the crate's without the attribute, if the function calls one of the trait's.
pub fn check(signature: &Signature, around: Option<&Generics>, body: &Block, report: &mut Report) {
    let mut bounds = Bounds(Vec::new());
    let all = around.into_iter().chain([&signature.generics]);
    all.for_each(|generics| bounds.visit_generics(generics));
    signature.inputs.iter().for_each(|input| bounds.visit_fn_arg(input));
    for bound in bounds.0 {
        let Some(last) = bound.path.segments.last() else {
            continue;
        };
        let functions = namesakes::functions_of_host_trait(last.ident.span(), &plain_name(&last.ident));
        let mut search = Search {
            functions: &functions,
            called: None,
        };
        search.visit_block(body);
        if let Some(called) = search.called {
            report.host_trait(&bound.path, &called);
        }
    }
}

/// Bounds by traits, those of `impl Trait` too.
struct Bounds<'g>(Vec<&'g TraitBound>);

impl<'g> Visit<'g> for Bounds<'g> {
    fn visit_trait_bound(&mut self, node: &'g TraitBound) {
        self.0.push(node);
        visit::visit_trait_bound(self, node);
    }
}

/// Looks for a call of one of a trait's functions, by its name.
struct Search<'m> {
    functions: &'m [String],
    called: Option<String>,
}

impl Search<'_> {
    fn see(&mut self, name: &syn::Ident) {
        let name = plain_name(name);
        if self.called.is_none() && self.functions.contains(&name) {
            self.called = Some(name);
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        self.see(&node.method);
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr(&mut self, node: &'ast Expr) {
        if let Expr::Path(path) = node
            && path.path.segments.len() > 1
            && let Some(last) = path.path.segments.last()
        {
            self.see(&last.ident);
        }
        visit::visit_expr(self, node);
    }
}
