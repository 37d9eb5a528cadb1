//! Types without values that do not derive `VmType` and stand for something in the arguments of others: `struct Meters; struct Length<U>(f32, PhantomData<U>)`. There is
//! nothing in them that a derive would have to see, so what makes them types of the machine is written by the first attribute of gpuvm's that stands in the same
//! module, or, where none does, by the first one in a module that has them in an argument.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::expansion::offset;
use crate::file::{TYPES, around, definitions, is_part, text_of, uses, without_comments, words};
use crate::kept::derived;
use crate::namesakes;

/// The types of a crate's files, by the attribute of a file that has to care for them.
type Found = BTreeMap<PathBuf, BTreeMap<usize, Vec<Marker>>>;

thread_local! {
    static FOUND: RefCell<BTreeMap<PathBuf, Found>> = const { RefCell::new(BTreeMap::new()) };
}

/// Such a type.
#[derive(Clone, Debug, PartialEq)]
struct Marker {
    name: String,
    /// What names it where the attribute stands.
    path: String,
    is_copy: bool,
    is_enum: bool,
}

/// A file of the crate.
struct File {
    path: PathBuf,
    text: Rc<str>,
    /// Without comments.
    code: String,
}

/// What makes those types ones of the machine that an attribute has to care for; the place is in the item that it stands on.
pub fn beside(place: Option<Span>) -> TokenStream {
    let markers = || {
        let place = place?;
        let path = place.local_file()?;
        FOUND.with_borrow_mut(|all| {
            let library = namesakes::source(&path);
            let is_library = library.is_some();
            let of = library.or_else(|| path.parent().map(Path::to_path_buf))?;
            let of = all.entry(of).or_insert_with_key(|of| found(&files(of, is_library)));
            // Most files have none, and there may be hundreds of attributes in one.
            let found = of.get(&path)?;
            let text = text_of(path)?;
            let item = offset(&text, place.start())?;
            // No other attribute stands between.
            let own = attributes(&text).take_while(|at| *at < item).last()?;
            found.get(&own).cloned()
        })
    };
    markers().unwrap_or_default().iter().map(Marker::tokens).collect()
}

/// The files of a library, or of a folder elsewhere, which may be one crate's, in an order that is the same for each of them.
fn files(of: &Path, is_library: bool) -> Vec<File> {
    let mut paths = Vec::new();
    namesakes::files_in(of, &mut paths);
    paths.retain(|path| is_library || path.parent() == Some(of));
    paths.sort();
    let read = |path: PathBuf| {
        let text = text_of(path.clone())?;
        let code = without_comments(&text);
        Some(File { path, text, code })
    };
    paths.into_iter().filter_map(read).collect()
}

impl Marker {
    fn tokens(&self) -> TokenStream {
        let text = &self.name;
        let Ok(name) = self.path.parse::<TokenStream>() else {
            return TokenStream::new();
        };
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

/// The types of a crate: the first attribute in the type's module cares for it, or where there is none, the first one in a module that has it in an argument.
fn found(files: &[File]) -> Found {
    let mut found = Found::new();
    let mut care = |file: &File, attribute: usize, marker: Marker| {
        let of = found.entry(file.path.clone()).or_default();
        of.entry(attribute).or_default().push(marker);
    };
    let all: Vec<&str> = files.iter().flat_map(|file| namesakes::types(&file.code)).collect();
    for file in files {
        for (at, marker) in defined(&file.text, &file.code) {
            let name = marker.name.clone();
            let is_one = || all.iter().filter(|other| **other == name).count() == 1;
            let is_argument = |file: &File| arguments(&file.code, &name).next().is_some();
            let module = around(&file.code, at);
            let first = attributes(&file.text).find(|attribute| around(&file.code, *attribute) == module);
            match first {
                Some(first) => {
                    if is_argument(file) || is_one() && files.iter().any(is_argument) {
                        care(file, first, marker);
                    }
                }
                None => {
                    let user = files.iter().find_map(|file| Some((file, user(file, &name)?)));
                    if let Some((user, (first, path))) = user.filter(|_| is_one()) {
                        care(user, first, Marker { path, ..marker });
                    }
                }
            }
        }
    }
    found
}

/// The first attribute of a file in whose module a type of the crate's stands among the arguments of another one, and the path that names it there.
fn user(file: &File, name: &str) -> Option<(usize, String)> {
    let is_own = |first: &str| {
        matches!(first, "crate" | "self" | "super")
            || words(&file.code)
                .windows(2)
                .any(|pair| pair[0] == "mod" && pair[1] == first)
    };
    let is_imported = || {
        uses(&file.code).any(|(_, tree)| {
            let words = words(tree);
            let names = words.iter().any(|word| word == name) || tree.trim_end().ends_with("::*");
            names && words.first().is_some_and(|first| is_own(first))
        })
    };
    arguments(&file.code, name).find_map(|(at, path)| {
        let is_named = match path.split("::").next() {
            None | Some("") => is_imported(),
            Some(first) => is_own(first),
        };
        let place = around(&file.code, at);
        let first = attributes(&file.text).find(|attribute| place.starts_with(&around(&file.code, *attribute)))?;
        is_named.then(|| (first, format!("{path}{name}")))
    })
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
    let markers = definitions(code, TYPES).filter_map(|(at, keyword, name, rest)| {
        let is_enum = keyword == "enum ";
        let is_empty = match is_enum {
            true => rest.trim_start().strip_prefix('{')?.trim_start().starts_with('}'),
            false => rest.trim_start().starts_with(';'),
        };
        let derives = derived(&text[..at]);
        let has = |of: &str| derives.iter().any(|name| name == of);
        let is_one = is_empty && name.starts_with(char::is_uppercase);
        (is_one && !has("VmType") && !has("RingMessage")).then(|| {
            let is_copy = has("Copy") || crate::file::implements(code, "Copy", name);
            (
                at,
                Marker {
                    name: name.to_owned(),
                    path: name.to_owned(),
                    is_copy,
                    is_enum,
                },
            )
        })
    });
    markers.collect()
}

/// Where a name stands among the arguments of a type, and the path before it.
fn arguments<'c>(code: &'c str, name: &'c str) -> impl Iterator<Item = (usize, &'c str)> {
    code.match_indices(name).filter_map(move |(at, _)| {
        let before = code[..at].trim_end_matches(|c| is_part(c) || c == ':');
        let (path, rest) = (&code[before.len()..at], code[at + name.len()..].trim_start());
        let is_argument =
            before.trim_end().ends_with(['<', ',']) && !path.ends_with(is_part) && rest.starts_with(['>', ',']);
        is_argument.then_some((at, path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File {
            path: PathBuf::from(path),
            text: Rc::from(text),
            code: without_comments(text),
        }
    }

    /// The paths that name what is found in a file, by attribute.
    fn paths<'f>(found: &'f Found, file: &str) -> Vec<Vec<&'f str>> {
        let of = found.get(Path::new(file)).into_iter().flat_map(BTreeMap::values);
        of.map(|of| of.iter().map(|of| of.path.as_str()).collect()).collect()
    }

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
        let found = found(&[file("lib.rs", text)]);
        assert_eq!(paths(&found, "lib.rs"), [vec!["Meters", "Feet"], vec!["Inside"]]);
        let first = found["lib.rs".as_ref() as &Path].values().next();
        let kinds = first.map(|of| of.iter().map(|of| (of.is_copy, of.is_enum)).collect::<Vec<_>>());
        assert_eq!(kinds, Some(vec![(false, false), (true, true)]));
    }

    #[test]
    fn types_without_values_are_found_from_other_files() {
        let units = "pub struct Meters;\npub struct Feet;\npub struct Twice;";
        let length = "pub struct Miles;\n#[derive(VmType, Clone, Copy)]\npub struct Length<U>(f32, PhantomData<U>);";
        let main = "use crate::units::{Meters, Twice};\nuse crate::length::{Length, Miles};\nmod units;
#[routine]
fn far(a: Length<Meters>, b: Length<units::Feet>, c: Length<Miles>, d: Length<other::Twice>) {}";
        let other = "use super::units::Meters;\npub struct Twice;\n#[routine]\nfn f(a: Length<Meters>) {}";
        let files = [
            file("length.rs", length),
            file("main.rs", main),
            file("other.rs", other),
            file("units.rs", units),
        ];
        let found = found(&files);
        assert_eq!(paths(&found, "length.rs"), [vec!["Miles"]]);
        assert_eq!(paths(&found, "main.rs"), [vec!["Meters", "units::Feet"]]);
        assert_eq!(paths(&found, "other.rs"), Vec::<Vec<&str>>::new());
    }
}
