//! A type that holds references and does not derive `VmType`. rustc would say so wherever a routine uses it. So the first `#[routine]` of its file that names it says
//! so, once, and gives the type what the derive would, so that nobody else has anything to say.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Item;

use crate::cells::definition;
use crate::derive;
use crate::expansion::offset;
use crate::file::{block, items_around, tells, text_around, words};
use crate::kept::derived;
use crate::report::Report;

/// The errors of the types that an item is the first to name, and what stands in for their derives.
pub fn told(item: &Item) -> TokenStream {
    let mut names = Vec::new();
    named(item.to_token_stream(), &mut names);
    let told = names.iter().filter(|name| is_first(item, name));
    told.filter_map(|name| {
        let mut report = Report::default();
        report.underived(name);
        let (errors, derived) = (report.into_tokens(), derive::vm_type(defined(name)?));
        Some(quote!(#errors #derived))
    })
    .collect()
}

/// The types in some tokens that are such.
fn named(tokens: TokenStream, found: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) if is_underived(&name) && !found.contains(&name) => found.push(name),
            TokenTree::Group(group) => named(group.stream(), found),
            _ => {}
        }
    }
}

fn is_underived(name: &Ident) -> bool {
    let of = name.to_string();
    of.starts_with(char::is_uppercase)
        && tells(name.span(), "an underived type", &of, |text| {
            let Some(parts) = definition(text, &of) else {
                return false;
            };
            let before = &text[..parts.as_ptr() as usize - text.as_ptr() as usize];
            let derived = derived(before);
            parts.starts_with("<'") && !derived.iter().any(|name| name == "VmType" || name == "RingMessage")
        })
}

/// Whether no routine of the file before this one names the type.
fn is_first(item: &Item, name: &Ident) -> bool {
    const MARK: &str = "#[routine";
    let first = || {
        let text = text_around(name.span())?;
        let start = item.to_token_stream().into_iter().next()?.span().start();
        let own = text.get(..offset(&text, start)?)?.rfind(MARK)?;
        let of = name.to_string();
        let names = |at: &usize| {
            let rest = &text[*at..];
            words(&rest[..end_of_item(rest)]).contains(&of)
        };
        // Not those in comments.
        let begins_line = |at: &usize| {
            text[..*at]
                .rsplit('\n')
                .next()
                .is_some_and(|before| before.trim().is_empty())
        };
        let mut marks = text.match_indices(MARK).map(|(at, _)| at).filter(begins_line);
        let first = marks.find(names)?;
        Some(first == own)
    };
    first().unwrap_or_default()
}

/// Where the item that a text begins with ends: with its braces, or a semicolon before them that is in no brackets.
fn end_of_item(text: &str) -> usize {
    let mut depth = 0;
    let head = text.find(|c| {
        depth += match c {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        };
        depth == 0 && matches!(c, '{' | ';')
    });
    let Some(head) = head else { return text.len() };
    match block(&text[head..]) {
        Some(inside) => inside.as_ptr() as usize - text.as_ptr() as usize + inside.len(),
        None => head,
    }
}

/// The definition of a type in its file.
fn defined(name: &Ident) -> Option<TokenStream> {
    fn search(items: &[Item], of: &Ident) -> Option<TokenStream> {
        items.iter().find_map(|item| match item {
            Item::Mod(module) => search(&module.content.as_ref()?.1, of),
            Item::Struct(item) if item.ident == *of => Some(item.to_token_stream()),
            Item::Enum(item) if item.ident == *of => Some(item.to_token_stream()),
            _ => None,
        })
    }
    let span = name.span();
    let definition = search(&items_around(span)?, name)?;
    Some(quote_spanned!(span=> #definition))
}

#[cfg(test)]
mod tests {
    use super::end_of_item;

    #[test]
    fn an_item_ends_with_its_braces() {
        for item in [
            "#[routine]\nfn f(list: [u8; 4]) -> u32 { { 1 }; 2 ",
            "#[routine]\nimpl<'a> Reader<'a> { fn next(&mut self) { self.0 = 1; } ",
        ] {
            let text = format!("{item}}}\nfn g() {{}}");
            assert_eq!(&text[..end_of_item(&text)], item);
        }
        assert_eq!(
            end_of_item("#[routine]\nfn f();\nfn g() {}"),
            "#[routine]\nfn f()".len()
        );
    }
}
