//! Associated functions that a type of the user's has of its own and that are named as those of std's traits, `fn default() -> Self` in an `impl` of no trait: rustc finds
//! them before the trait's.

use proc_macro2::Span;

use crate::expansion::offset;
use crate::file::{block, definitions, is_part, text_around};
use crate::namesakes::behind_parameters;

/// Those of std's traits that routines know by their names.
pub const OF_TRAITS: [&str; 4] = ["default", "from", "from_iter", "try_from"];

/// The name of the type in whose `impl` a place is.
pub fn type_around(place: Span) -> Option<String> {
    let text = text_around(place)?;
    let before = text.get(..offset(&text, place.start())?)?;
    let around = impls(before).last()?;
    Some(around.of.to_owned())
}

/// Such functions in a file's text, each behind the name of its type.
pub fn functions(text: &str) -> Vec<(String, &'static str)> {
    let own = impls(text).filter(|it| !it.is_of_trait);
    let named = own.flat_map(|it| {
        let items = block(it.items).unwrap_or_default();
        let has = |name: &&str| definitions(items, &["fn "]).any(|(_, _, own, _)| own == *name);
        let found: Vec<&str> = OF_TRAITS.into_iter().filter(has).collect();
        found.into_iter().map(move |name| (it.of.to_owned(), name))
    });
    named.collect()
}

/// An `impl`.
struct Impl<'t> {
    is_of_trait: bool,
    /// The type's name.
    of: &'t str,
    /// What begins with its braces.
    items: &'t str,
}

fn impls(text: &str) -> impl Iterator<Item = Impl<'_>> {
    text.match_indices("impl").filter_map(|(at, keyword)| {
        let line = text[..at].rsplit('\n').next()?.trim();
        let begins = line.is_empty() || line.ends_with([']', '}', ';', '{']);
        let path = behind_parameters(&text[at + keyword.len()..])?;
        let (head, items) = path.split_at(path.find('{')?);
        let (is_of_trait, of) = match head.split_once(" for ") {
            Some((_, of)) => (true, of),
            None => (false, head),
        };
        let name = of.trim_start().split(['<', ' ', '\n']).next()?.rsplit("::").next()?;
        let is_name = !name.is_empty() && name.chars().all(is_part);
        (is_name && begins).then_some(Impl {
            is_of_trait,
            of: name,
            items,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{functions, impls};

    #[test]
    fn a_types_own_functions_are_told_from_its_traits() {
        let text = "
            #[routine]
            impl Color { pub const fn from(hex: u32) -> Self { Color(hex) } fn fade(self) -> Self { self } }
            impl Default for Color { fn default() -> Self { Color(0) } }
            impl<T: From<u8>, const N: usize> crate::Grid<T, N>
            where
                T: Copy,
            {
                fn default() -> Self { todo!() }
            }
            /// An impl of defaults { fn default() }
            impl Shade { fn defaults() {} fn own(x: impl Into<u32>) {} }
        ";
        let found = functions(text);
        let found: Vec<(&str, &str)> = found.iter().map(|(of, name)| (&**of, *name)).collect();
        assert_eq!(found, [("Color", "from"), ("Grid", "default")]);
        let of: Vec<&str> = impls(text).map(|it| it.of).collect();
        assert_eq!(of, ["Color", "Color", "Grid", "Shade"]);
    }
}
