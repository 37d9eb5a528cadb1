//! Where generated code finds gpuvm. All of it is written for a dependency of that name; where a user's crate knows it otherwise, as
//! `#[routine(crate = path)]` says, the finished tokens are rewritten.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Path;

/// Puts `path` in place of each `::gpuvm` that the macros wrote. What follows these is always `::__private`, which users do not write.
pub fn redirect(tokens: TokenStream, path: Option<&Path>) -> TokenStream {
    match path {
        Some(path) => rewrite(tokens, &path.to_token_stream()),
        None => tokens,
    }
}

fn rewrite(tokens: TokenStream, path: &TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rewritten = TokenStream::new();
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        if is_home(&trees[at..]) {
            rewritten.extend(path.clone());
            at += 3;
            continue;
        }
        rewritten.extend([match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), rewrite(group.stream(), path));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other.clone(),
        }]);
        at += 1;
    }
    rewritten
}

/// Whether tokens begin with `::gpuvm::__private`.
fn is_home(trees: &[TokenTree]) -> bool {
    let colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ':');
    let name = |tree: &TokenTree, name: &str| matches!(tree, TokenTree::Ident(ident) if ident == name);
    matches!(trees, [a, b, home, c, d, private, ..]
        if colon(a) && colon(b) && name(home, "gpuvm") && colon(c) && colon(d) && name(private, "__private"))
}
