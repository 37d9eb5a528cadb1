//! The user's file as text. A macro sees a type's name alone, and not what it stands for: what the file defines and imports by that name tells as much as can be
//! told.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use gpuvm_nodes::Kind;
use gpuvm_nodes::method::Takes;
use proc_macro2::{Ident, Span};
use syn::Item;

use crate::cells::definition;
use crate::namesakes;
use crate::primitive::kind_of_name;

thread_local! {
    static TEXTS: RefCell<BTreeMap<PathBuf, Option<Rc<str>>>> = const { RefCell::new(BTreeMap::new()) };
    static ALIASES: RefCell<BTreeMap<PathBuf, BTreeMap<String, Option<Kind>>>> = const { RefCell::new(BTreeMap::new()) };
    static TOLD: RefCell<BTreeMap<(PathBuf, &'static str, String), bool>> = const { RefCell::new(BTreeMap::new()) };
}

/// The text of the file that a place is in.
pub fn text_around(place: Span) -> Option<Rc<str>> {
    text_of(place.local_file()?)
}

/// The text of a file, which is read once.
pub fn text_of(path: PathBuf) -> Option<Rc<str>> {
    let read = |path: &PathBuf| fs::read_to_string(path).ok().map(Rc::from);
    TEXTS.with_borrow_mut(|texts| texts.entry(path).or_insert_with_key(read).clone())
}

/// Whether the text of the file that a place is in tells something of a name, `what`. A file is searched once for each, as hundreds of routines may ask for the
/// same names in a file of thousands of lines.
pub fn tells(place: Span, what: &'static str, name: &str, find: impl FnOnce(&str) -> bool) -> bool {
    let Some(path) = place.local_file() else { return false };
    let asked = (path, what, name.to_owned());
    if let Some(told) = TOLD.with_borrow(|all| all.get(&asked).copied()) {
        return told;
    }
    let told = text_of(asked.0.clone()).is_some_and(|text| find(&text));
    TOLD.with_borrow_mut(|all| all.insert(asked, told));
    told
}

/// Whether the text of the file that defines a type tells something of it, `what`: the file that a place is in, or another one of its crate, if it alone does and the
/// type is imported.
pub fn tells_of_type(place: Span, what: &'static str, name: &str, find: impl Fn(&str) -> bool) -> bool {
    tells(place, what, name, |text| match definition(text, name) {
        Some(_) => find(text),
        None if imports_own(text, name) => namesakes::file_defining(place, name)
            .and_then(text_of)
            .is_some_and(|text| find(&text)),
        None => false,
    })
}

/// Whether a file imports a name, or may by a `*`, from the crate's own modules.
fn imports_own(text: &str, name: &str) -> bool {
    imports_from_others(text, name, &["std", "core"])
        || uses(text).any(|(_, tree)| {
            let tree = tree.trim();
            tree.ends_with("super::*") || tree.starts_with("crate::") && tree.ends_with("::*")
        })
}

/// The items of the file that a place is in.
pub fn items_around(place: Span) -> Option<Vec<Item>> {
    let file = syn::parse_file(&text_around(place)?).ok()?;
    Some(file.items)
}

/// Whether a character may be in a name.
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a text.
pub fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The keywords of types that hold values.
pub const TYPES: &[&str] = &["struct ", "enum "];

/// The definitions in a text that begin with some of these keywords, `struct ` and its like: where each begins, its keyword, its name, and what stands behind that.
pub fn definitions<'t>(
    text: &'t str,
    keywords: &'static [&'static str],
) -> impl Iterator<Item = (usize, &'static str, &'t str, &'t str)> {
    let all = keywords
        .iter()
        .flat_map(move |keyword| text.match_indices(keyword).map(move |(at, _)| (at, *keyword)));
    all.filter(move |(at, _)| !text[..*at].ends_with(is_part))
        .map(move |(at, keyword)| {
            let rest = &text[at + keyword.len()..];
            let (name, behind) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
            (at, keyword, name, behind)
        })
}

/// How a function takes `self` that a text begins with, or with what stands behind its name; `None` of one that is no method.
pub fn receiver(text: &str) -> Option<Takes> {
    let receiver = text.split_once('(')?.1.split([',', ')', ':']).next()?.trim();
    let words = words(receiver);
    words.last().filter(|last| *last == "self")?;
    Some(match receiver.starts_with('&') {
        true if words.iter().any(|word| word == "mut") => Takes::Mut,
        true => Takes::Ref,
        false => Takes::Value,
    })
}

/// The names that a text declares something by, `struct u96`: not where the keyword is a word of a comment, or of a text.
pub fn declared<'t>(text: &'t str, keywords: &'static [&'static str]) -> impl Iterator<Item = &'t str> {
    definitions(text, keywords).filter_map(|(at, _, name, behind)| {
        let line = text[..at].rsplit('\n').next()?.trim();
        let begins = line.is_empty() || line.ends_with("pub") || line.ends_with([')', ']', '{', '}', ';']);
        let behind = behind.trim_start();
        let goes_on = behind.starts_with(['{', '(', '<', ';', '=', ':']) || behind.starts_with("where");
        (!name.is_empty() && begins && goes_on && !line.contains("//")).then_some(name)
    })
}

/// The primitive that a file gives another name, `type Real = f32;`, at the beginning of a line: within something it may be a trait's or a function's own, and where
/// several have the name, as by `cfg`, it may be any.
pub fn primitive_alias(name: &Ident) -> Option<Kind> {
    let path = name.span().local_file()?;
    let text = text_of(path.clone())?;
    ALIASES.with_borrow_mut(|all| {
        let aliases = all.entry(path).or_insert_with(|| aliases(&text));
        aliases.get(&crate::plain_name(name)).copied().flatten()
    })
}

/// The aliases in a text, each with the primitive that it is, if it is one.
fn aliases(text: &str) -> BTreeMap<String, Option<Kind>> {
    let mut all = BTreeMap::new();
    for (at, _, name, behind) in definitions(text, &["type "]) {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        let aliased = behind
            .trim_start()
            .strip_prefix('=')
            .and_then(|is| is.split(';').next());
        if let Some(aliased) = aliased.filter(|_| before.is_empty() || before.starts_with("pub")) {
            let kind = kind_of_name(aliased.trim());
            all.entry(name.to_owned())
                .and_modify(|kind| *kind = None)
                .or_insert(kind);
        }
    }
    all
}

/// What stands in the next braces.
pub fn block(text: &str) -> Option<&str> {
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

/// A text with blanks for what stands in comments, texts and characters.
pub fn without_comments(text: &str) -> String {
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

/// The braces that are open at a place of a text [without comments](without_comments).
pub fn around(code: &str, at: usize) -> Vec<usize> {
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

/// Whether a file defines a type of a name, or imports one that is not std's, from one of these modules.
pub fn has_own(text: &str, name: &str, modules: &[&str]) -> bool {
    let defines = words(text)
        .windows(2)
        .any(|pair| pair[1] == name && matches!(pair[0].as_str(), "struct" | "enum" | "union" | "type"));
    defines || imports_from_others(text, name, modules)
}

/// Whether a file imports a name, and not from one of these modules.
fn imports_from_others(text: &str, name: &str, modules: &[&str]) -> bool {
    imported(text)
        .any(|words| words.iter().any(|word| word == name) && !words.iter().any(|word| modules.contains(&&**word)))
}

/// Whether a file imports a name from one of these modules of std's.
pub fn imports(text: &str, name: &str, modules: &[&str]) -> bool {
    imported(text)
        .any(|words| words.iter().any(|word| word == name) && words.iter().any(|word| modules.contains(&&**word)))
}

/// The name of what a file imports under another one, `use Shape::Circle as Round;`.
pub fn renamed(text: &str, name: &str) -> Option<String> {
    text.match_indices(&format!(" as {name}")).find_map(|(at, found)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        let own = before.rsplit(|c| !is_part(c)).next()?;
        let statement = &before[before.rfind(';').map_or(0, |end| end + 1)..];
        let is_import = words(statement).iter().any(|word| word == "use") && !statement.contains("fn ");
        (is_import && !own.is_empty() && !after.starts_with(is_part)).then(|| own.to_owned())
    })
}

/// Whether a file imports a module itself, `use core::str;`, and not only what is in it, `use core::str::FromStr;`.
pub fn imports_module(text: &str, name: &str) -> bool {
    let ends = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty()
            || rest.starts_with([',', '}'])
            || rest.strip_prefix("::").is_some_and(|inside| {
                let inside = inside.trim_start().strip_prefix('{').unwrap_or_default();
                words(inside.split('}').next().unwrap_or_default())
                    .iter()
                    .any(|word| word == "self")
            })
    };
    uses(text).any(|(_, tree)| {
        tree.match_indices(name)
            .any(|(at, _)| !tree[..at].ends_with(is_part) && ends(&tree[at + name.len()..]))
    })
}

/// Whether a file imports a name from a module of std's: `use std::array::from_fn;`, `use std::{array::{self, from_fn}, mem};`.
pub fn imports_from(text: &str, module: &str, name: &str) -> bool {
    let path = format!("{module}::");
    let has = |tree: &str| {
        tree.match_indices(&path).any(|(at, _)| {
            let inside = tree[at + path.len()..].trim_start();
            let inside = match inside.strip_prefix('{') {
                Some(list) => words(list.split('}').next().unwrap_or_default()),
                None => words(inside.split([',', '}']).next().unwrap_or_default()),
            };
            !tree[..at].ends_with(is_part) && inside.iter().any(|word| word == name)
        })
    };
    let is_std = |tree: &str| {
        words(tree)
            .first()
            .is_some_and(|first| first == "std" || first == "core")
    };
    uses(text).any(|(_, tree)| is_std(tree) && has(tree))
}

/// The words of each import of a file.
fn imported(text: &str) -> impl Iterator<Item = Vec<String>> {
    uses(text).map(|(_, tree)| words(tree))
}

/// Each import of a file, and what in comments and elsewhere looks as one: what stands before its `use`, from the statement before on, and behind it.
pub fn uses(text: &str) -> impl Iterator<Item = (&str, &str)> {
    const USE: &str = "use ";
    text.split(';').filter_map(|statement| {
        let at = statement.rfind(USE)?;
        Some((&statement[..at], &statement[at + USE.len()..]))
    })
}

/// Whether a file has an `impl` of a trait for a type of a name: of one without parameters, or with the type itself as the first.
pub fn implements(text: &str, of: &str, name: &str) -> bool {
    text.match_indices(of).any(|(at, _)| {
        let rest = &text[at + of.len()..];
        let (with, rest) = match rest.strip_prefix('<') {
            Some(rest) => rest.split_once(" for ").unwrap_or_default(),
            None => ("Self", rest.strip_prefix(" for ").unwrap_or_default()),
        };
        let is_own = |rest: &str| rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part));
        !text[..at].ends_with(is_part) && is_own(rest) && (with.starts_with("Self") || is_own(with))
    })
}

#[cfg(test)]
mod tests {
    use gpuvm_nodes::Kind;

    use super::{has_own, implements, imports_module, imports_own, renamed};

    #[test]
    fn what_a_file_compares_itself_is_seen() {
        let text = "
            impl<T: Ring> PartialEq for Poly<T> { fn eq(&self, other: &Self) -> bool { true } }
            impl<T> core::cmp::PartialEq<Self> for Row<T> where T: Copy {}
            impl<T> PartialEq<Grid<T>> for Grid<T> {}
            impl<T> PartialEq<f32> for Cell<T> {}
            impl<T: Ord> Ord for Heap<T> {}
        ";
        for name in ["Poly", "Row", "Grid"] {
            assert!(implements(text, "PartialEq", name), "{name}");
        }
        assert!(!implements(text, "PartialEq", "Cell") && !implements(text, "PartialEq", "Pol"));
        assert!(implements(text, "Ord", "Heap") && !implements(text, "Ord", "Row"));
    }

    #[test]
    fn what_is_imported_under_another_name_has_its_own() {
        let text = "use core::fmt as format;\nuse Shape::{Circle as Round, Dot};\nfn f(x: u32) -> u64 { x as Round }";
        assert_eq!(renamed(text, "Round").as_deref(), Some("Circle"));
        assert_eq!(renamed(text, "Dot"), None);
        assert_eq!(renamed("struct S;\nfn f(x: Kind) -> u8 { x as Small }", "Small"), None);
    }

    #[test]
    fn a_module_is_told_from_what_is_in_it() {
        for text in [
            "use core::str;",
            "fn f() {}\nuse std::{fmt, str};",
            "use core::{str::{self, FromStr}, fmt};",
        ] {
            assert!(imports_module(text, "str"), "{text}");
        }
        assert!(!imports_module("use core::str::FromStr;\nfn f(s: &str) {}", "str"));
        assert!(!imports_module("use core::str::{FromStr, Utf8Error};", "str"));
        assert!(!imports_module("use crate::strings;", "str"));
    }

    #[test]
    fn what_is_declared_is_told_from_what_is_spoken_of() {
        const KEYWORDS: &[&str] = &["struct ", "enum ", "union ", "type ", "mod "];
        let of = |text| Vec::from_iter(super::declared(text, KEYWORDS));
        for text in [
            "struct u96 {",
            "pub(crate) enum u96<T> { A(T) }",
            "fn f() { pub struct u96(u32); }",
            "#[derive(Clone)] struct u96;",
            "x;\n    type u96 = [u32; 3];",
            "pub mod u96;",
        ] {
            assert_eq!(of(text), ["u96"], "{text}");
        }
        for text in [
            "sets.union(u96, to)",
            "/// Of the type u96 {",
            "// struct u96;",
            "let x = union u96 {",
            "/* the\n type u96 that */",
        ] {
            assert!(of(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn primitives_have_other_names() {
        let alias = |text: &str| super::aliases(text).get("Real").copied().flatten();
        assert_eq!(alias("use x;\ntype Real = f32;\nfn f() {}"), Some(Kind::F32));
        assert_eq!(alias("pub(crate) type Real=f64;"), Some(Kind::F64));
        assert_eq!(alias("type Real = Vec2;\ntype Realm = u32;"), None);
        assert_eq!(alias("impl Number for X {\n    type Real = f32;\n}"), None);
        assert_eq!(
            alias("#[cfg(a)]\ntype Real = f32;\n#[cfg(not(a))]\ntype Real = f64;"),
            None
        );
    }

    #[test]
    fn types_of_other_files_are_imported() {
        assert!(imports_own(
            "use gpuvm::prelude::*;\nuse super::reduction::{Reduction, times};",
            "Reduction"
        ));
        assert!(imports_own("use super::*;\nfn f() {}", "Reduction"));
        assert!(imports_own("pub(crate) use crate::parts::*;", "Reduction"));
        assert!(!imports_own("use gpuvm::prelude::*;\nuse std::str::Bytes;", "Bytes"));
    }

    #[test]
    fn types_of_the_file_are_told_from_those_of_std() {
        assert!(has_own("#[derive(Clone)]\nstruct Cell<T> { x: T }", "Cell", &["cell"]));
        assert!(has_own("fn f() {}\npub use crate::grid::Cell;", "Cell", &["cell"]));
        assert!(has_own(
            "use gpuvm::prelude::*;\nuse super::{Cell, Row};",
            "Cell",
            &["cell"]
        ));
        assert!(has_own("pub enum Cell<T> { Empty, Full(T) }", "Cell", &["cell"]));
        assert!(!has_own(
            "use std::cell::Cell;\nstruct Counter { hits: Cell<u32> }",
            "Cell",
            &["cell"]
        ));
        assert!(!has_own(
            "use core::cell::{Cell, OnceCell};\nstruct CellCount;",
            "Cell",
            &["cell"]
        ));
        assert!(!has_own(
            "use std::cell::OnceCell;\nstruct Cell;",
            "OnceCell",
            &["cell"]
        ));
    }
}
