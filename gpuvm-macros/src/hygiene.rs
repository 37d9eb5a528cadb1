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
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let text = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    // Where the arm of a `match` that is at hand begins, and where the parameters of a closure do.
    let (mut arm, mut parameters) = (0, None);
    for (i, token) in tokens.iter().enumerate() {
        let (before, after) = (text(i.checked_sub(1)), text(Some(i + 1)));
        match token {
            TokenTree::Group(group) => search(group.stream(), named, bound),
            TokenTree::Ident(keyword) if keyword == "let" || keyword == "for" => {
                let end = (i..tokens.len()).find(|at| ["=", "in", ";"].contains(&&*text(Some(*at))));
                names(&tokens[i..end.unwrap_or(tokens.len())], bound);
            }
            TokenTree::Punct(bar) if bar.as_char() == '|' => match parameters.take() {
                Some(start) => names(&tokens[start..i], bound),
                None => parameters = Some(i),
            },
            TokenTree::Punct(equals) if equals.as_char() == '=' && after == ">" => names(&tokens[arm..i], bound),
            TokenTree::Punct(comma) if comma.as_char() == ',' => arm = i,
            TokenTree::Ident(name) => {
                // `..name` and `field: name` are no parts, as `.name` and `::name` are.
                let is_doubled = before == text(i.checked_sub(2));
                let is_behind = match &*before {
                    "$" => true,
                    "." => !is_doubled,
                    ":" => is_doubled,
                    _ => false,
                };
                let is_part = is_behind || [":", "!"].contains(&&*after) || after.starts_with('(');
                if !is_part && is_variable(name) {
                    named.insert(name.to_string());
                }
            }
            _ => {}
        }
    }
}

/// Adds all that may be a variable in a pattern.
fn names(pattern: &[TokenTree], bound: &mut BTreeSet<String>) {
    for token in pattern {
        match token {
            TokenTree::Ident(name) if is_variable(name) => _ = bound.insert(name.to_string()),
            TokenTree::Group(group) => names(&group.stream().into_iter().collect::<Vec<_>>(), bound),
            _ => {}
        }
    }
}

fn is_variable(name: &proc_macro2::Ident) -> bool {
    case(name) == Case::Snake && syn::parse_str::<Ident>(&name.to_string()).is_ok()
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
            let (q, mut r) = ($a / by, 1);
            match t { Some(v) => v + q, Point { a, b } if a > b => r, other => other, }
            list.fold(0, |sum, (at, &item)| sum + at * item)
        }};
        let free = free_names(made);
        let expected = ["by", "count", "depth", "height", "list", "total", "width"];
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
