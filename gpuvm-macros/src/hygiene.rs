//! What a macro of a body names without binding it. rustc looks such a name up where the macro is defined, and an expansion that is put into a routine's code has it looked up at
//! the call: where another variable of that name has come between the two, the call is refused.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Ident, Pat, PatIdent};

use crate::lower::constant::{Case, case};

/// The names in what a macro makes that may be variables of the body, and that it does not bind itself.
pub fn free_names(made: TokenStream) -> BTreeSet<String> {
    let (mut named, mut bound) = (BTreeSet::new(), BTreeSet::new());
    search(made, &mut named, &mut bound);
    &named - &bound
}

fn search(tokens: TokenStream, named: &mut BTreeSet<String>, bound: &mut BTreeSet<String>) {
    const BINDS: [&str; 5] = ["let", "mut", "ref", "for", "|"];
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let text = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => search(group.stream(), named, bound),
            TokenTree::Ident(name) => {
                let (before, after) = (text(i.checked_sub(1)), text(Some(i + 1)));
                // `..name` and `field: name` are no parts, as `.name` and `::name` are.
                let is_doubled = before == text(i.checked_sub(2));
                let is_behind = match &*before {
                    "$" => true,
                    "." => !is_doubled,
                    ":" => is_doubled,
                    _ => false,
                };
                let is_part = is_behind || [":", "!"].contains(&&*after) || after.starts_with('(');
                let is_name = syn::parse_str::<Ident>(&name.to_string()).is_ok() && case(name) == Case::Snake;
                if is_name && BINDS.contains(&&*before) {
                    bound.insert(name.to_string());
                } else if is_name && !is_part {
                    named.insert(name.to_string());
                }
            }
            _ => {}
        }
    }
}

/// The variables that a pattern binds.
pub fn bound_by(pattern: &Pat) -> BTreeSet<String> {
    struct Search(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Search {
        fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
            self.0.insert(node.ident.to_string());
            visit::visit_pat_ident(self, node);
        }
    }
    let mut search = Search(BTreeSet::new());
    search.visit_pat(pattern);
    search.0
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn what_a_macro_binds_is_not_free() {
        let made = quote! {{
            let mut t = $p.size + Point { x: width }.area(height, |k| k + depth);
            for i in 0..count { total += f(i) + LIMIT + module::name }
            t
        }};
        let free = free_names(made);
        let expected = ["count", "depth", "height", "total", "width"];
        assert_eq!(Vec::from_iter(free), expected);
    }

    #[test]
    fn patterns_tell_what_they_bind() {
        let local: syn::Stmt = syn::parse_quote!(let (a, [b, ..], Some(Point { x, y: c })) = d;);
        let syn::Stmt::Local(local) = local else {
            panic!("a `let`")
        };
        assert_eq!(Vec::from_iter(bound_by(&local.pat)), ["a", "b", "c", "x"]);
    }
}
