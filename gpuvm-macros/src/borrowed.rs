//! Types that hold references, where their lifetimes are left out: `View` for `View<'_>`. A macro sees the name alone, so it looks whether the file has a type
//! of that name with lifetimes; and it knows those of std's by theirs. No launch has values of such a type.

use syn::visit::{self, Visit};
use syn::{GenericArgument, PathArguments, Type, TypePath};

use crate::file::{definitions, imports, tells, text_around};
use crate::primitive::kind_of_name;
use crate::routine::holds_references;

/// Whether a type, or a part of it, has references or lifetimes, also such as are left out, or is a range or an iterator of std's, which stay inside of
/// routines likewise.
pub fn borrows(ty: &Type) -> bool {
    holds_references(ty) || leaves_lifetimes_out(ty)
}

fn leaves_lifetimes_out(ty: &Type) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_type_path(&mut self, node: &'ast TypePath) {
            self.0 |= stays(node);
            visit::visit_type_path(self, node);
        }
    }
    let mut search = Search(false);
    search.visit_type(ty);
    search.0
}

fn stays(ty: &TypePath) -> bool {
    let mut names = ty.path.segments.iter().rev();
    let Some(last) = names.next().filter(|_| ty.qself.is_none()) else {
        return false;
    };
    let name = last.ident.to_string();
    if kind_of_name(&name).is_some() || has_lifetimes(&last.arguments) {
        return false;
    }
    let is_std = lifetimes_of_std(&name).is_some();
    match names.next() {
        Some(module) if is_std => MODULES.iter().any(|known| module.ident == known),
        // None of them is in the prelude.
        _ => tells(last.ident.span(), "a type with lifetimes", &name, |text| match is_std {
            true => imports(text, &name, &MODULES),
            false => defines_with_lifetimes(text, &name),
        }),
    }
}

/// How many lifetimes a type's path leaves out, as far as its file or std's name tells.
pub fn lifetimes_left_out(ty: &TypePath) -> usize {
    let Some(last) = ty.path.segments.last() else { return 0 };
    let name = last.ident.to_string();
    if !stays(ty) {
        return 0;
    }
    if let Some(count) = lifetimes_of_std(&name) {
        return count;
    }
    let mut count = 0;
    if let Some(text) = text_around(last.ident.span()) {
        defines(&text, &name, |rest| {
            let parameters = rest.strip_prefix('<').and_then(|rest| rest.split('>').next());
            let parameters = parameters.unwrap_or_default().split(',');
            count = parameters
                .filter(|parameter| parameter.trim().starts_with('\''))
                .count();
            count > 0
        });
    }
    count
}

/// Whether a type is one that its file defines without lifetimes.
pub fn is_defined_without_lifetimes(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.get_ident().is_some_and(|name| {
        let of = name.to_string();
        tells(name.span(), "a type without lifetimes", &of, |text| {
            defines(text, &of, |_| true) && !defines_with_lifetimes(text, &of)
        })
    })
}

fn has_lifetimes(arguments: &PathArguments) -> bool {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return false;
    };
    let mut arguments = arguments.args.iter();
    arguments.any(|argument| matches!(argument, GenericArgument::Lifetime(_)))
}

/// Where std has them.
const MODULES: [&str; 7] = ["array", "iter", "ops", "option", "range", "slice", "str"];

/// Ranges and iterators of std's, and how many lifetimes each has.
const STD: [(&str, usize); 45] = [
    ("Bytes", 1),
    ("Chain", 0),
    ("CharIndices", 1),
    ("Chars", 1),
    ("ChunkBy", 1),
    ("Chunks", 1),
    ("ChunksExact", 1),
    ("ChunksExactMut", 1),
    ("ChunksMut", 1),
    ("Cloned", 0),
    ("Copied", 0),
    ("Cycle", 0),
    ("Enumerate", 0),
    ("Filter", 0),
    ("FilterMap", 0),
    ("FlatMap", 0),
    ("Flatten", 0),
    ("Fuse", 0),
    ("Inspect", 0),
    ("IntoIter", 0),
    ("Iter", 1),
    ("IterMut", 1),
    ("Lines", 1),
    ("Map", 0),
    ("MapWhile", 0),
    ("Peekable", 0),
    ("RChunks", 1),
    ("Range", 0),
    ("RangeFrom", 0),
    ("RangeFull", 0),
    ("RangeInclusive", 0),
    ("RangeTo", 0),
    ("RangeToInclusive", 0),
    ("Rev", 0),
    ("Scan", 0),
    ("Skip", 0),
    ("SkipWhile", 0),
    ("Split", 1),
    ("SplitWhitespace", 1),
    ("StepBy", 0),
    ("Take", 0),
    ("TakeWhile", 0),
    ("Windows", 1),
    ("Zip", 0),
    ("SplitAsciiWhitespace", 1),
];

/// How many lifetimes a type has that is one of these.
fn lifetimes_of_std(name: &str) -> Option<usize> {
    STD.iter().find(|(known, _)| *known == name).map(|(_, count)| *count)
}

/// Whether a file defines a type of this name whose first parameter is a lifetime.
fn defines_with_lifetimes(text: &str, name: &str) -> bool {
    defines(text, name, |rest| rest.starts_with("<'"))
}

/// Whether a file defines a type of this name; `is_it`: whether what stands behind the name fits.
fn defines(text: &str, name: &str, mut is_it: impl FnMut(&str) -> bool) -> bool {
    definitions(text, &["struct ", "enum ", "type "]).any(|(_, _, own, rest)| own == name && is_it(rest))
}

#[cfg(test)]
mod tests {
    use super::{MODULES, defines_with_lifetimes};
    use crate::file::imports;

    #[test]
    fn lifetimes_are_found_where_a_type_is_defined() {
        let text = "pub struct View<'a> { x: &'a [f32] }\nenum Viewer { A }\ntype Table<'t> = View<'t>;\nstruct Pair<T>(T, T);";
        for name in ["View", "Table"] {
            assert!(defines_with_lifetimes(text, name), "{name}");
        }
        for name in ["Viewer", "Pair", "Vie", "x"] {
            assert!(!defines_with_lifetimes(text, name), "{name}");
        }
    }

    #[test]
    fn types_of_the_file_are_told_from_those_of_std() {
        assert!(!imports("struct Range { low: u32 }", "Range", &MODULES));
        assert!(!imports("use crate::music::Range;", "Range", &MODULES));
        // A macro may make it.
        assert!(!imports("counter!(Bytes, u8);", "Bytes", &MODULES));
        assert!(imports(
            "use std::ops::{Add, Range};\nstruct Ranged;",
            "Range",
            &MODULES
        ));
    }
}
