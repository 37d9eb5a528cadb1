//! Modules that are called as the function in them, and whose function is imported beside them:
//!
//! ```text
//! mod cbrt;
//! pub use self::cbrt::cbrt;
//! ```
//!
//! A function and a module may have one name. The type that stands for a routine may not: imported with the function, it would be the module's name a second
//! time. So it is private there. Who imports the name from beside the module finds the module, which has what callers ask of the type; who sees the function
//! alone is given a type that finds the routine by the function's own type when it is linked.
//!
//! The same holds of a function that is imported from elsewhere beside a module of its name, `mod gcd; use numbers::gcd;`, but that the module has nothing of it: who
//! is beside it finds the routine by the function's own type as well.
//!
//! Nobody tells the macro what a file imports, so that is looked for in the crate's text.

use std::path::{Path as FilePath, PathBuf};

use proc_macro2::{Ident, Span};
use syn::{Path, UseTree};

use crate::file::{declared, is_part, receiver, tells, uses};
use crate::namesakes;

/// Whether a function is in such a module, a file of its name.
pub fn is_in_one(function: &Ident) -> bool {
    let (place, name) = (function.span(), crate::plain_name(function));
    let module = place.local_file().and_then(|path| module_of(&path));
    module.is_some_and(|module| module == name) && is_called(function)
}

/// Whether a path may lead to a function whose type is not seen with it.
pub fn leads_there(path: &Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| is_called(&last.ident) || is_beside_another(&last.ident))
}

/// Whether a file imports a function from elsewhere beside a module of its name.
pub fn is_beside_another(function: &Ident) -> bool {
    namesakes::is_beside_another(function.span(), &crate::plain_name(function))
}

/// Whether a path is the name of such a function in a file that has the module.
pub fn is_hidden_by_module(path: &Path) -> bool {
    path.get_ident().is_some_and(|name| {
        let of = crate::plain_name(name);
        let has_module = |text: &str| declares(text, &of);
        is_beside_another(name) && tells(name.span(), "has a module", &of, has_module)
    })
}

/// Whether a text declares a module of a name.
fn declares(text: &str, name: &str) -> bool {
    declared(text, &["mod "]).any(|module| module == name)
}

fn is_called(function: &Ident) -> bool {
    namesakes::imports_beside(function.span(), &crate::plain_name(function))
}

/// The name of the module that a file is, if it has one function of that name, and that is a routine. One in a module inside of the file is in another.
pub fn has_namesake(path: &FilePath, text: &str) -> Option<String> {
    let name = module_of(path)?;
    let mut functions = functions(text, &name);
    let before = &text[..functions.next()?];
    let attributes = &before[before.rfind([';', '}']).map_or(0, |end| end + 1)..];
    let is_one = functions.next().is_none() && attributes.contains("routine");
    is_one.then(|| name.clone())
}

/// Whether the file that a function is in defines another of a name.
pub fn has_function(place: Span, name: &str) -> bool {
    tells(place, "has a function", name, |text| {
        functions(text, name).next().is_some()
    })
}

/// Whether the file that a function is in defines another of a name that is no method.
pub fn has_free_function(place: Span, name: &str) -> bool {
    tells(place, "has a free function", name, |text| {
        functions(text, name).any(|at| receiver(&text[at..]).is_none())
    })
}

/// Where in a text functions of a name begin.
fn functions(text: &str, name: &str) -> impl Iterator<Item = usize> {
    text.match_indices("fn ").map(|(at, _)| at).filter(move |&at| {
        let (before, rest) = (&text[..at], text[at + "fn ".len()..].trim_start());
        let is_comment = before.rsplit('\n').next().is_some_and(|line| line.contains("//"));
        let is_own = rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part));
        is_own && !is_comment && !before.ends_with(is_part)
    })
}

/// The functions that a text imports from modules of their names, which are beside the import: `use cbrt::cbrt;`, `use self::cbrt::{cbrt, cbrtf};`,
/// `use cbrt::*;`.
pub fn imported_beside(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for tree in imports(text) {
        leaves(&tree, &mut Vec::new(), &mut |prefix, leaf| {
            let module = match prefix {
                [module] => module,
                [own, module] if own == "self" => module,
                _ => return,
            };
            if leaf == "*" || leaf == *module {
                found.push(module.clone());
            }
        });
    }
    found
}

/// The names that a text imports from elsewhere and has modules of.
pub fn beside_another(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for tree in imports(text) {
        leaves(&tree, &mut Vec::new(), &mut |prefix, leaf| {
            if prefix.last().is_some_and(|module| module != leaf) && leaf != "*" && declares(text, leaf) {
                found.push(leaf.to_owned());
            }
        });
    }
    found
}

/// The imports of a text that may be of such a kind. What is not surely an import is not parsed: rustc shows what its lexer says of it.
fn imports(text: &str) -> impl Iterator<Item = UseTree> {
    uses(text).filter_map(|(before, tree)| {
        let line = before.rsplit('\n').next()?.trim_start();
        let is_import = line.is_empty() || line.starts_with("pub");
        let is_plain = tree
            .chars()
            .all(|c| is_part(c) || c.is_whitespace() || "{}:,*".contains(c));
        (is_import && is_plain && tree.contains("::"))
            .then(|| syn::parse_str(tree).ok())
            .flatten()
    })
}

/// Calls `see` for each name that an import brings, with the path before it.
fn leaves(tree: &UseTree, prefix: &mut Vec<String>, see: &mut impl FnMut(&[String], &str)) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(crate::plain_name(&path.ident));
            leaves(&path.tree, prefix, see);
            prefix.pop();
        }
        UseTree::Name(name) => see(prefix, &crate::plain_name(&name.ident)),
        UseTree::Rename(_) => {}
        UseTree::Glob(_) => see(prefix, "*"),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, prefix, see)),
    }
}

/// The name of the module that a file is.
fn module_of(path: &FilePath) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    match stem {
        "mod" => Some(path.parent()?.file_name()?.to_str()?.to_owned()),
        stem => Some(stem.to_owned()),
    }
}

/// Where such an import may be for a file that is not in a library's folder: in the files of its own.
pub fn siblings(path: &FilePath) -> PathBuf {
    let folder = path.parent().map(FilePath::to_path_buf).unwrap_or_default();
    match path.file_stem().is_some_and(|stem| stem == "mod") {
        true => folder.parent().map(FilePath::to_path_buf).unwrap_or(folder),
        false => folder,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{beside_another, has_namesake, imported_beside};

    #[test]
    fn functions_in_modules_of_their_names_are_told_from_others() {
        let text = "
            mod cbrt;
            pub use self::cbrt::cbrt;
            pub(crate) use pow::{pow, pow_in};
            use sums::*;
            use crate::sqrt::sqrt;
            use sin::sinf;
            use self::{exp::exp, log::log as ln};
        ";
        assert_eq!(imported_beside(text), ["cbrt", "pow", "sums", "exp"]);
        assert!(imported_beside("// We use Newton's method::here;\n/* use 0x1.8p3::x; */").is_empty());
    }

    #[test]
    fn functions_beside_other_modules_of_their_names_are_found() {
        let text = "
            mod gcd;
            pub mod lcm { }
            mod powers;
            use numbers::{gcd, lcm, pow};
            use self::powers::powers;
            use powers::power;
        ";
        assert_eq!(beside_another(text), ["gcd", "lcm"]);
    }

    #[test]
    fn routines_of_their_modules_names_are_told_from_others() {
        let of = |text| has_namesake(Path::new("src/math/cbrt.rs"), text);
        let text = "use gpuvm::prelude::*;\n#[inline]\n#[routine]\npub fn cbrt(x: f64) -> f64 { x }\nfn cbrt_of(x: f64) -> f64 { x }";
        assert_eq!(of(text).as_deref(), Some("cbrt"));
        assert_eq!(of("#[routine]\nfn other() {}\nfn cbrt() {}"), None);
        assert_eq!(
            of("mod inner { #[routine] fn cbrt() {} }\n#[routine]\nfn cbrt() {}"),
            None
        );
        assert_eq!(
            has_namesake(Path::new("src/sort/mod.rs"), "#[gpuvm::routine] fn sort() {}").as_deref(),
            Some("sort")
        );
    }
}
