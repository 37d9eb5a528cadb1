//! What a call would have to know of its crate: nothing tells it its receiver's type, and to ask of each `push` whether it is a method of the user's with parameters of its
//! own, or is behind several `Deref`s, would be dear. So that is looked for in the file, and in a library's others.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gpuvm_nodes::method;
use proc_macro2::Span;

use crate::comparison;
use crate::file::is_part;

thread_local! {
    static FOUND: RefCell<BTreeMap<PathBuf, Found>> = const { RefCell::new(BTreeMap::new()) };
}

/// The traits of the operators that have a name as methods.
const OPERATORS: [&str; 10] = [
    "Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr",
];

/// What is found in a file, or in all files of a crate.
#[derive(Default)]
struct Found {
    /// The names of such methods.
    names: BTreeSet<String>,
    /// How many types have a `Deref`.
    derefs: usize,
    /// The traits of std's operators that it names.
    operators: BTreeSet<&'static str>,
    /// Whether a generic function results in an `impl Iterator`.
    has_opaque: bool,
}

/// Whether the crate that a place is in defines such a method of this name.
pub fn defines(place: Span, name: &str) -> bool {
    asked(place, |found| found.names.contains(name)).unwrap_or_default()
}

/// Behind how many `Deref`s of the crate's a method may be: as many types as have one, up to three.
pub fn levels(place: Span) -> usize {
    asked(place, |found| found.derefs).unwrap_or_default().clamp(1, 3)
}

/// Whether the crate names the trait of one of std's operators, `Add`: then its method may be called by its name.
pub fn has_operator(place: Span, method: &str) -> bool {
    let found = |found: &Found| {
        found.operators.contains("*") || found.operators.iter().any(|name| name.to_lowercase() == method)
    };
    asked(place, found).unwrap_or(true)
}

/// Whether a function of the crate results in an `impl Iterator`.
pub fn has_opaque(place: Span) -> bool {
    asked(place, |found| found.has_opaque).unwrap_or_default()
}

/// Asks the library that a place is in, or the file, where each is a crate.
fn asked<T>(place: Span, ask: impl Fn(&Found) -> T) -> Option<T> {
    let path = place.local_file()?;
    let of = source(&path).unwrap_or(path);
    FOUND.with_borrow_mut(|all| {
        let found = all.entry(of.clone()).or_insert_with(|| {
            let mut found = Found::default();
            found.search(&of);
            found
        });
        Some(ask(found))
    })
}

/// Whether calls of a name are of std's method alone: derived ones, which every type has, and conversions.
pub fn is_taken(name: &str) -> bool {
    const CONVERSIONS: [&str; 8] = [
        "as_mut",
        "as_ref",
        "borrow",
        "borrow_mut",
        "expect",
        "expect_err",
        "into",
        "try_into",
    ];
    comparison::is_derived(name) || CONVERSIONS.contains(&name)
}

/// The folder of a library's sources. In the other folders of a package each file is a crate.
fn source(path: &Path) -> Option<PathBuf> {
    let package = path.ancestors().find(|folder| folder.join("Cargo.toml").is_file())?;
    let folder = package.join("src");
    path.starts_with(&folder).then_some(folder)
}

impl Found {
    /// Searches a file, or a folder.
    fn search(&mut self, path: &Path) {
        if path.is_dir() {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                self.search(&entry.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = fs::read_to_string(path)
        {
            self.names.append(&mut of_text(&text));
            let named = OPERATORS.iter().filter(|name| text.contains(**name));
            self.operators
                .extend(named.copied().chain(text.contains("ops::*").then_some("*")));
            self.derefs += text.matches(" Deref for ").count();
            let opaque = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator"];
            self.has_opaque |= opaque.iter().any(|name| text.contains(&format!("-> impl {name}<")));
        }
    }
}

/// The names in a file's text: of methods with parameters of their own, and of those that a trait has a body for, which its `impl`s do not tell by name.
fn of_text(text: &str) -> BTreeSet<String> {
    let in_traits = text.match_indices("trait ").filter_map(|(at, _)| block(&text[at..]));
    let provided = in_traits.flat_map(|block| {
        block.split("fn ").skip(1).filter_map(|rest| {
            let rest = rest.trim_start();
            let (name, rest) = rest.split_at(rest.find(|c| !is_part(c))?);
            let has_body = rest.find('{')? < rest.find(';').unwrap_or(rest.len());
            (has_body && method::is_std(name, true)).then(|| name.to_owned())
        })
    });
    let named = text.split("fn ").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let (name, rest) = rest.split_at(rest.find(|c| !is_part(c))?);
        let head = rest.split(['{', ';']).next()?;
        let declared = head.trim_start().strip_prefix('<').unwrap_or_default();
        let declared = declared.split(['>', '(']).next()?;
        let has_own = declared
            .split(',')
            .any(|param| !param.trim().is_empty() && !param.trim_start().starts_with('\''));
        let is_given = head.split(|c| !is_part(c)).any(|word| word == "impl");
        ((has_own || is_given) && method::is_std(name, true)).then(|| name.to_owned())
    });
    named.chain(provided).collect()
}

/// What stands in the next braces.
fn block(text: &str) -> Option<&str> {
    let text = &text[text.find(['{', ';']).filter(|&at| text.as_bytes()[at] == b'{')?..];
    let mut depth = 0;
    let end = text.bytes().position(|byte| {
        depth += match byte {
            b'{' => 1,
            b'}' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some(&text[1..end])
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn methods_with_parameters_of_their_own_are_told_from_others() {
        let text = "
            fn fill<T: Into<u32>>(&mut self, value: T) {}
            fn swap<const A: usize>(&mut self);
            fn insert(&mut self, key: impl Key) -> bool { true }
            fn first<'a>(&'a self) -> &'a u32 { &self.0 }
            fn push(&mut self, value: Vec<u32>) where Self: Sized;
            fn own<T>(&self, value: T) {}
            trait Ring: Copy {
                fn abs(self) -> Self;
                fn pow(self, n: u32) -> Self { if n == 0 { Self::ONE } else { self } }
            }
            fn rotate_left(self) {}
        ";
        assert_eq!(Vec::from_iter(of_text(text)), ["fill", "insert", "pow", "swap"]);
    }
}
