//! What the text of a crate tells of `impl`s of traits that have type parameters, and of the functions that lead to their methods: a macro sees one function at a
//! time, and what it calls asks of its type parameters what the `impl` asks.

use std::collections::{BTreeMap, BTreeSet};

use gpuvm_nodes::method;

use crate::file::{block, definitions, is_part, receiver};
use crate::namesakes::{behind_parameters, implemented};

/// An `impl` of a trait that has type parameters.
#[derive(Debug, PartialEq)]
pub struct GenericImpl {
    /// The trait.
    pub of: String,
    /// Whether it is for one of the parameters itself.
    pub of_parameter: bool,
    /// The words that say what it asks of its parameters.
    asks: BTreeSet<String>,
}

/// Those in a file's text.
pub fn generic_impls(text: &str) -> Vec<GenericImpl> {
    let traits = text.match_indices(" for ").filter_map(|(at, of)| {
        let (before, is_for) = (&text[..at], &text[at + of.len()..]);
        let declared = &before[before.rfind("impl")? + "impl".len()..];
        let name = implemented(before)?;
        let params = declared.strip_suffix(behind_parameters(declared)?)?.trim();
        let params = params.strip_prefix('<')?.strip_suffix('>')?;
        let types: Vec<&str> = at_commas(params)
            .filter(|param| !param.starts_with('\'') && !param.starts_with("const "))
            .filter_map(|param| param.split(|c| !is_part(c)).next())
            .filter(|name| !name.is_empty())
            .collect();
        if types.is_empty() {
            return None;
        }
        let (of_type, _) = is_for.split_once('{')?;
        let itself = of_type.split(|c| !is_part(c) && c != '<' && c != ':').next()?;
        let clause = of_type.split_once("where").map_or("", |(_, clause)| clause);
        Some(GenericImpl {
            of: name.to_owned(),
            of_parameter: types.contains(&itself),
            asks: params
                .split(|c| !is_part(c))
                .chain(clause.split(|c| !is_part(c)))
                .map(str::to_owned)
                .collect(),
        })
    });
    traits.collect()
}

/// The functions that a crate's `impl`s with type parameters concern.
#[derive(Default)]
pub struct Concerned {
    /// Those of the traits that are so implemented, and those that have type parameters themselves.
    pub generic: BTreeSet<String>,
    /// Those that lead to a method of a trait that is implemented for values of a launch alone: where none of the crate's own traits is a bound. Names that std has
    /// methods of tell nothing.
    pub leading: BTreeSet<String>,
}

impl Concerned {
    /// Those of a crate with these `impl`s of traits that are routines, the functions of its traits, and its files' texts.
    pub fn of<'t>(
        impls: &[GenericImpl],
        traits: &BTreeMap<String, Vec<String>>,
        texts: impl Iterator<Item = &'t str> + Clone,
    ) -> Concerned {
        let functions = |of: &GenericImpl| traits.get(&of.of).cloned().unwrap_or_default();
        if impls.is_empty() {
            return Concerned::default();
        }
        let mut generic: BTreeSet<String> = impls.iter().flat_map(functions).collect();
        let launched = impls
            .iter()
            .filter(|of| !of.asks.iter().any(|word| traits.contains_key(word)));
        let mut leading: BTreeSet<String> = launched.flat_map(functions).filter(|name| tells(name)).collect();
        if !leading.is_empty() {
            lead(texts.clone().flat_map(generic_functions).collect(), &mut leading);
        }
        let functions = texts.flat_map(|text| definitions(text, &["fn "]));
        let with_own = functions.filter(|(.., behind)| behind.starts_with('<'));
        generic.extend(with_own.map(|(_, _, name, _)| name.to_owned()));
        Concerned { generic, leading }
    }
}

/// Whether a function's name tells which it is.
fn tells(name: &str) -> bool {
    !method::is_std(name, true)
}

/// The functions in a file's text that may be generic, as they have parameters or are methods, and the words of their bodies.
fn generic_functions(text: &str) -> impl Iterator<Item = (&str, BTreeSet<&str>)> {
    definitions(text, &["fn "]).filter_map(|(_, _, name, behind)| {
        let is_generic = behind.starts_with('<') || receiver(behind).is_some();
        let at = behind.find('{').filter(|_| is_generic && tells(name))?;
        Some((name, block(&behind[at..])?.split(|c| !is_part(c)).collect()))
    })
}

/// Adds to some functions' names those of the functions that name them.
fn lead(mut functions: Vec<(&str, BTreeSet<&str>)>, leading: &mut BTreeSet<String>) {
    loop {
        let (found, others): (Vec<_>, Vec<_>) = functions
            .into_iter()
            .partition(|(_, words)| words.iter().any(|word| leading.contains(*word)));
        if found.is_empty() {
            return;
        }
        leading.extend(found.into_iter().map(|(name, _)| name.to_owned()));
        functions = others;
    }
}

/// The parts of a list between its commas that are not inside of arguments.
fn at_commas(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = list.split(move |c| {
        depth += match c {
            '<' | '(' | '[' => 1,
            '>' | ')' | ']' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    parts.map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impls_with_type_parameters_are_found() {
        let text = "
            impl<R: Base> Ext for R {}
            impl<'a, const N: usize> Fixed for List<'a, N> {}
            impl<'a, F: Fn(u32, R) -> u32, R> crate::Scale<F> for Wrapper<R> where R: Copy {}
            impl<T> Own for T::Part {}
            impl Plain for Point {}
            for x in list {}
        ";
        let found: Vec<(String, bool)> = generic_impls(text)
            .into_iter()
            .map(|of| (of.of, of.of_parameter))
            .collect();
        assert_eq!(
            found,
            [("Ext", true), ("Scale", false), ("Own", false)].map(|(of, it)| (of.to_owned(), it))
        );
    }

    #[test]
    fn functions_that_lead_to_methods_of_launched_values_are_found() {
        let text = "
            trait Shape<T> { fn area(&self) -> T; fn get(&self) -> T; }
            trait Named { fn name(&self) -> u8; }
            impl<T: Copy> Shape<T> for Rect<T> where T: Mul { }
            impl<T> Named for Rect<T> where T: Named {}
            fn total<T: Copy>(r: Rect<T>, by: [T; 2]) -> T { r.area() + by[0] }
            fn sums<T>(r: Rect<T>) -> T { total(r, [T::ONE; 2]) }
            fn known() -> u32 { total(Rect { w: 1 }, [2; 2]) }
            fn other<T>(list: &[T]) -> usize { list.get(0).name() }
            impl<T> Rect<T> { fn double(&self) -> T { self.area() } fn min(&self) -> T { self.area() } }
        ";
        let traits = [("Shape", &["area", "get"][..]), ("Named", &["name"])];
        let traits = traits.map(|(of, own)| (of.to_owned(), Vec::from_iter(own.iter().map(|own| own.to_string()))));
        let concerned = Concerned::of(&generic_impls(text), &traits.into(), [text].into_iter());
        assert_eq!(Vec::from_iter(concerned.leading), ["area", "double", "sums", "total"]);
        assert_eq!(
            Vec::from_iter(concerned.generic),
            ["area", "get", "name", "other", "sums", "total"]
        );
    }
}
