//! Types without values that do not derive `VmType` and stand for something in the arguments of others: `struct Meters; struct Length<U>(f32, PhantomData<U>)`. There is
//! nothing in them that a derive would have to see, so what makes them types of the machine is written by the first attribute of gpuvm's that stands in the same
//! module.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::expansion::offset;
use crate::file::{is_part, text_of};
use crate::kept::derived;

thread_local! {
    static FOUND: RefCell<BTreeMap<PathBuf, BTreeMap<usize, Vec<Marker>>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Such a type.
#[derive(Clone, Debug, PartialEq)]
struct Marker {
    name: String,
    is_copy: bool,
    is_enum: bool,
}

/// What makes those types ones of the machine that an attribute has to care for; the place is in the item that it stands on.
pub fn beside(place: Option<Span>) -> TokenStream {
    let markers = || {
        let place = place?;
        let path = place.local_file()?;
        let text = text_of(path.clone())?;
        FOUND.with_borrow_mut(|all| {
            let found = all.entry(path).or_insert_with(|| found(&text));
            // Most files have none, and there may be hundreds of attributes in one.
            if found.is_empty() {
                return None;
            }
            let item = offset(&text, place.start())?;
            // No other attribute stands between.
            let own = attributes(&text).take_while(|at| *at < item).last()?;
            found.get(&own).cloned()
        })
    };
    markers().unwrap_or_default().iter().map(Marker::tokens).collect()
}

impl Marker {
    fn tokens(&self) -> TokenStream {
        let (text, name) = (&self.name, Ident::new(&self.name, Span::call_site()));
        let made = match self.is_enum {
            true => quote!(::core::unreachable!("it has no values")),
            false => quote!(#name),
        };
        let launched = self.is_copy.then(|| {
            quote! {
                #[automatically_derived]
                impl ::gpuvm::__private::VmType for #name {
                    fn write_words(&self, _: &mut [u32]) {}
                    fn read_words(_: &[u32]) -> Self {
                        #made
                    }
                }
                #[automatically_derived]
                impl ::gpuvm::__private::Element for #name {}
            }
        });
        quote! {
            #[automatically_derived]
            impl ::gpuvm::__private::Value for #name {
                type Erased = Self;
                type Inner = Self;
                type Depth = ::gpuvm::__private::Zero;
                const TYPE: &'static ::gpuvm::__private::Type =
                    &::gpuvm::__private::Type::record(::gpuvm::__private::Kind::Struct, #text, &[]);
            }
            #[automatically_derived]
            impl ::gpuvm::__private::ConstantValue for #name {
                fn constant_words(&self, _: &mut ::std::vec::Vec<::gpuvm::__private::ConstantWord>) {}
            }
            #launched
        }
    }
}

/// The types of a file, by the attribute that has to care for them.
fn found(text: &str) -> BTreeMap<usize, Vec<Marker>> {
    let mut found: BTreeMap<usize, Vec<Marker>> = BTreeMap::new();
    let code = without_comments(text);
    for (at, marker) in defined(text, &code) {
        let module = around(&code, at);
        let first = attributes(text).find(|attribute| around(&code, *attribute) == module);
        if let Some(first) = first.filter(|_| is_argument(&code, &marker.name)) {
            found.entry(first).or_default().push(marker);
        }
    }
    found
}

/// Where the attributes of gpuvm's stand.
fn attributes(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices("#[").map(|(at, _)| at).filter(|at| {
        let (before, rest) = (&text[..*at], &text[at + "#[".len()..]);
        let begins_line = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let inside = rest.split(']').next().unwrap_or_default();
        let path = inside.split('(').next().unwrap_or_default();
        let is_ours = path.ends_with("routine")
            || path == "derive" && (inside.contains("VmType") || inside.contains("RingMessage"));
        begins_line && is_ours
    })
}

/// The types without values, and where they are defined.
fn defined(text: &str, code: &str) -> Vec<(usize, Marker)> {
    let keywords = ["struct ", "enum "];
    let all = keywords.iter().flat_map(|keyword| code.match_indices(keyword));
    let markers = all.filter_map(|(at, keyword)| {
        let rest = &code[at + keyword.len()..];
        let (name, rest) = rest.split_at(rest.find(|c| !is_part(c))?);
        let is_enum = keyword == "enum ";
        let is_empty = match is_enum {
            true => rest.trim_start().strip_prefix('{')?.trim_start().starts_with('}'),
            false => rest.trim_start().starts_with(';'),
        };
        let derives = derived(&text[..at]);
        let has = |of: &str| derives.iter().any(|name| name == of);
        let is_one = is_empty && !code[..at].ends_with(is_part) && name.starts_with(char::is_uppercase);
        (is_one && !has("VmType") && !has("RingMessage")).then(|| {
            let is_copy = has("Copy") || crate::file::implements(code, "Copy", name);
            (
                at,
                Marker {
                    name: name.to_owned(),
                    is_copy,
                    is_enum,
                },
            )
        })
    });
    markers.collect()
}

/// Whether a name stands among the arguments of a type.
fn is_argument(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let path = code[..at].trim_end_matches(|c| is_part(c) || c == ':');
        let (before, rest) = (path.trim_end(), code[at + name.len()..].trim_start());
        before.ends_with(['<', ',']) && !code[..at].ends_with(is_part) && rest.starts_with(['>', ','])
    })
}

/// A text with blanks for what stands in comments, texts and characters.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    let blank = |code: &mut String, part: &str| {
        code.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    };
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '/' if rest.starts_with("//") => rest.find('\n'),
            '/' if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2),
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map(|at| at + 2)
            }
            '\'' => ["'{'", "'}'", "'\"'", "'\\''", "'\\\"'"]
                .iter()
                .find(|known| rest.starts_with(**known))
                .map(|known| known.len()),
            _ => None,
        };
        let is_blank = end.is_some() || rest.starts_with("//");
        let end = match is_blank {
            true => end.unwrap_or(rest.len()),
            false => c.len_utf8(),
        };
        let (part, others) = rest.split_at(end);
        match is_blank {
            true => blank(&mut code, part),
            false => code.push_str(part),
        }
        rest = others;
    }
    code
}

/// The braces that are open at a place.
fn around(code: &str, at: usize) -> Vec<usize> {
    let mut open = Vec::new();
    for (i, byte) in code.bytes().enumerate().take(at) {
        match byte {
            b'{' => open.push(i),
            b'}' => {
                open.pop();
            }
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_without_values_are_found_by_the_first_attribute_of_their_module() {
        let text = "
use gpuvm::prelude::*;
struct Meters; // struct Other;
#[derive(Clone, Copy)]
pub enum Feet {}
struct Alone;
#[derive(VmType, Clone, Copy)]
struct Known;
struct Unit(f32);
mod inner {
    #[routine]
    fn f() -> u32 { let text = \"}{\"; 1 }
    pub struct Inside;
    type Own = Length<Inside>;
}
#[derive(VmType, Clone, Copy)]
struct Length<U>(f32, PhantomData<U>);
#[routine]
fn g(a: Length<Meters>, b: Pair<Feet, Known>, c: Length<Alone2>) {}
";
        let found = found(text);
        let names: Vec<Vec<&str>> = found
            .values()
            .map(|of| of.iter().map(|of| of.name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["Meters", "Feet"], vec!["Inside"]]);
        let first = &found
            .values()
            .next()
            .map(|of| of.iter().map(|of| (of.is_copy, of.is_enum)).collect::<Vec<_>>());
        assert_eq!(*first, Some(vec![(false, false), (true, true)]));
    }
}
