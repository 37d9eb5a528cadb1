//! Types whose values stay inside of routines though no lifetime and no cell in their names says so: those that are no `Copy`, and those that hold a text or a slice of the
//! program's. A macro sees a type's name alone, so what the file says of it has to do.

use syn::Type;
use syn::visit::{self, Visit};

use crate::cells::definition;
use crate::file::{implements, tells_of_type, words};
use crate::primitive::kind_of_name;

/// Whether a type is such a one, or one of its arguments or parts is.
pub fn stays_inside(ty: &Type) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_type_path(&mut self, node: &'ast syn::TypePath) {
            if let Some(name) = node
                .path
                .get_ident()
                .or_else(|| Some(&node.path.segments.last()?.ident))
                && node.qself.is_none()
                && kind_of_name(&name.to_string()).is_none()
            {
                let of = name.to_string();
                self.0 |= tells_of_type(name.span(), "a type that stays inside", &of, |text| {
                    is_kept(text, &of, 4)
                });
            }
            visit::visit_type_path(self, node);
        }
    }
    let mut search = Search(false);
    search.visit_type(ty);
    search.0
}

fn is_kept(text: &str, name: &str, depth: u32) -> bool {
    let Some(parts) = definition(text, name) else {
        return false;
    };
    is_moved(text, name)
        || is_moved_tag(text, name, parts)
        || parts.contains("&'static ")
        || depth > 0
            && words(parts)
                .iter()
                .any(|word| word.starts_with(char::is_uppercase) && word != name && is_kept(text, word, depth - 1))
}

/// Whether a type is one without values that is no `Copy`, and so is none of a launch that has it as an argument.
fn is_moved_tag(text: &str, name: &str, parts: &str) -> bool {
    let end = parts.as_ptr() as usize - text.as_ptr() as usize;
    let is_empty = parts.chars().all(|c| c.is_whitespace() || c == '{');
    is_empty && !derived(&text[..end]).iter().any(|of| of == "Copy") && !implements(text, "Copy", name)
}

/// Whether a type that derives `VmType` is no `Copy`: it derives no such thing, and has no `impl`. Values with a `Drop` do not go into routines.
pub fn is_moved(text: &str, name: &str) -> bool {
    let Some(parts) = definition(text, name) else {
        return false;
    };
    let end = parts.as_ptr() as usize - text.as_ptr() as usize;
    let derived = derived(&text[..end]);
    let has = |of: &str| derived.iter().any(|name| name == of);
    has("VmType") && !has("Copy") && !implements(text, "Copy", name) && !implements(text, "Drop", name)
}

/// What the attributes before a type's definition derive.
pub fn derived(before: &str) -> Vec<String> {
    // What is written in comments ends nothing.
    let code: Vec<&str> = before
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code))
        .collect();
    let code = code.join("\n");
    let attributes = &code[code.rfind(['}', ';']).map_or(0, |at| at + 1)..];
    let lists = attributes
        .split("derive(")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let names = lists.flat_map(|names| names.split(','));
    let names = names.filter_map(|name| name.trim().rsplit(':').next());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_kept, is_moved};

    #[test]
    fn what_stays_inside_is_seen() {
        let text = "
            #[derive(VmType, Clone, Copy)] // no; more
            struct Plain { x: u32 }
            #[derive(VmType, Clone)]
            /// As it is; said.
            pub struct Moved { x: u32 }
            #[derive(VmType, Clone, Copy)]
            struct Named { text: &'static str }
            #[derive(VmType, Clone, Copy)]
            enum Outer { A(Plain), B(Named) }
            #[derive(VmType)]
            struct Written(u32);
            impl Copy for Written {}
            struct Host { name: String }
        ";
        assert!(is_moved(text, "Moved") && is_kept(text, "Named", 4) && is_kept(text, "Outer", 4));
        for name in ["Plain", "Written", "Host", "Nothing"] {
            assert!(!is_moved(text, name), "{name}");
        }
        assert!(!is_kept(text, "Plain", 4) && !is_moved(text, "Named"));
    }
}
