//! std's cells. A value with one in it stays inside of routines, which a macro sees by the name alone: so it looks whether the file has a type of its own that
//! is called so.

use syn::visit::{self, Visit};
use syn::{PathArguments, Type, TypePath};

use crate::file::{TYPES, definitions, has_own, is_part, tells, tells_of_type, words};
use crate::primitive::kind_of_name;

/// Whether there is one of std's cells in a type, or in one of the file's types that is a part of it.
pub fn holds_cells(ty: &Type) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_type_path(&mut self, node: &'ast TypePath) {
            self.0 |= is_cell(node);
            visit::visit_type_path(self, node);
        }
    }
    let mut search = Search(false);
    search.visit_type(ty);
    search.0
}

fn is_cell(ty: &TypePath) -> bool {
    let mut names = ty.path.segments.iter().rev();
    let Some(last) = names.next().filter(|_| ty.qself.is_none()) else {
        return false;
    };
    let name = last.ident.to_string();
    if kind_of_name(&name).is_some() {
        return false;
    }
    let has_content = matches!(&last.arguments, PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1);
    match names.next() {
        Some(module) => CELLS.contains(&&*name) && has_content && module.ident == "cell",
        None if CELLS.contains(&&*name) => {
            let is_std = |text: &str| !has_own(text, &name, &["cell"]);
            has_content && tells(last.ident.span(), "a cell of std's", &name, is_std)
        }
        None => {
            let has_cells = |text: &str| text.contains("Cell<") && defines_with_cells(text, &name, 8);
            tells_of_type(last.ident.span(), "a type with cells", &name, has_cells)
        }
    }
}

const CELLS: [&str; 2] = ["Cell", "OnceCell"];

/// Whether a file defines a type that holds std's cells, in itself or in another of the file's types.
fn defines_with_cells(text: &str, name: &str, depth: u32) -> bool {
    let Some(definition) = definition(text, name) else {
        return false;
    };
    let holds = CELLS.iter().any(|cell| {
        let is_named = |(at, _): (usize, &str)| !definition[..at].ends_with(is_part);
        definition.match_indices(&format!("{cell}<")).any(is_named) && !has_own(text, cell, &["cell"])
    });
    holds
        || depth > 0
            && words(definition).iter().any(|word| {
                word.starts_with(char::is_uppercase) && word != name && defines_with_cells(text, word, depth - 1)
            })
}

/// What stands behind the name in a type's definition.
pub fn definition<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (.., rest) = definitions(text, TYPES).find(|(_, _, own, _)| *own == name)?;
    let mut depth = 0;
    let end = rest.find(|c| {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(c, '}' | ';')
    });
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::defines_with_cells;

    #[test]
    fn cells_are_found_in_parts() {
        let text = "struct Inner { hits: Cell<u32> }\nstruct Outer<'a>(&'a str, Inner);\nenum Other { A(Row), B }\nstruct Row { cell: MyCell<u8> }";
        assert!(defines_with_cells(text, "Inner", 8) && defines_with_cells(text, "Outer", 8));
        assert!(!defines_with_cells(text, "Other", 8) && !defines_with_cells(text, "Row", 8));
        assert!(!defines_with_cells(
            "struct Cell<T>(T); struct Row { cell: Cell<u8> }",
            "Row",
            8
        ));
    }
}
