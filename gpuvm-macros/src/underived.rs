//! Types of the file that hold references and derive no `VmType`. Whatever is done with such a type would be told for itself, and again for each lifetime, so the first
//! routine that names one says what is missing, and the others say nothing.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Item;

use crate::behind::is_routine;
use crate::file::{is_part, items_around, text_around};
use crate::kept::derived;
use crate::report::Report;

/// Refuses an item that names such a type.
pub fn check(item: &Item, report: &mut Report) {
    let tokens = item.to_token_stream();
    let Some(text) = tokens
        .clone()
        .into_iter()
        .next()
        .and_then(|first| text_around(first.span()))
    else {
        return;
    };
    let types = underived(&text);
    let Some(name) = types.iter().find_map(|of| mention(tokens.clone(), of)) else {
        return;
    };
    let of = name.to_string();
    let first = items_around(name.span()).and_then(|items| first(&items, &of));
    match first.is_none_or(|first| first == (name.span().start().line, name.span().start().column)) {
        true => report.underived(&name),
        false => report.silence(),
    }
}

/// The names of the types that a text defines with lifetimes and without `VmType`.
fn underived(text: &str) -> Vec<String> {
    let defined = |keyword: &'static str| {
        text.match_indices(keyword).filter_map(move |(at, _)| {
            let rest = &text[at + keyword.len()..];
            let (name, rest) = rest.split_at(rest.find(|c| !is_part(c))?);
            let holds = rest.starts_with("<'") && !text[..at].ends_with(is_part);
            holds.then(|| (name, derived(&text[..at]).iter().any(|name| name == "VmType")))
        })
    };
    let all: Vec<(&str, bool)> = defined("struct ").chain(defined("enum ")).collect();
    let names = all.iter().map(|(name, _)| name);
    let is_derived = |name: &str| all.iter().any(|(other, derives)| *other == name && *derives);
    let is_written = |name: &str| text.contains(&format!("VmType for {name}"));
    names
        .filter(|name| !is_derived(name) && !is_written(name))
        .map(|name| (*name).to_owned())
        .collect()
}

/// The first mention of a name.
fn mention(tokens: TokenStream, name: &str) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == name => Some(ident),
        TokenTree::Group(group) => mention(group.stream(), name),
        _ => None,
    })
}

/// Where the first routine that names it does so.
fn first(items: &[Item], name: &str) -> Option<(usize, usize)> {
    items.iter().find_map(|item| {
        let attributes = match item {
            Item::Mod(module) => return first(&module.content.as_ref()?.1, name),
            Item::Fn(function) => &function.attrs,
            Item::Impl(block) => &block.attrs,
            Item::Trait(definition) => &definition.attrs,
            _ => return None,
        };
        let found = is_routine(attributes).then(|| mention(item.to_token_stream(), name))??;
        let start = found.span().start();
        Some((start.line, start.column))
    })
}

#[cfg(test)]
mod tests {
    use super::underived;

    #[test]
    fn types_with_lifetimes_that_are_not_derived_are_found() {
        let text = "
            struct Plain(u32);
            #[derive(VmType)]
            struct Derived<'a> { x: &'a u32 }
            pub struct Bare<'a> { x: &'a u32 }
            #[derive(Clone)]
            enum Either<'a> { A(&'a u32) }
            struct Written<'a>(&'a u32);
            impl VmType for Written<'_> {}
        ";
        assert_eq!(underived(text), ["Bare", "Either"]);
    }
}
