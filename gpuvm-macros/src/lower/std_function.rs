//! Functions of std's that are called by path and that gpuvm has routines for.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// A function of std's.
pub struct StdFunction {
    /// The name of its routine.
    pub routine: &'static str,
    /// std's own function.
    pub path: TokenStream,
}

impl StdFunction {
    /// How many of the arguments that may be written out for std's function its routine has: not the types of closures, which come last.
    pub fn arguments(&self) -> usize {
        match self.routine {
            "array_from_fn" => 2,
            "from_fn" | "successors" | "repeat_with" | "once_with" => 1,
            _ => usize::MAX,
        }
    }
}

/// The function of std's that a path may name, by its last names. Whether it does, rustc finds out.
pub fn std_function(path: &Path) -> Option<StdFunction> {
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let name = names.next()?;
    let module = names.next().unwrap_or_default();
    let (routine, path) = match name.as_str() {
        "swap" => ("swap", quote!(::core::mem::swap)),
        "replace" => ("replace", quote!(::core::mem::replace)),
        "take" => ("take", quote!(::core::mem::take)),
        "min" => ("min", quote!(::core::cmp::min)),
        "max" => ("max", quote!(::core::cmp::max)),
        "once" => ("once", quote!(::core::iter::once)),
        "repeat" => ("repeat", quote!(::core::iter::repeat)),
        "repeat_with" => ("repeat_with", quote!(::core::iter::repeat_with)),
        "once_with" => ("once_with", quote!(::core::iter::once_with)),
        "repeat_n" => ("repeat_n", quote!(::core::iter::repeat_n)),
        "empty" => ("empty", quote!(::core::iter::empty)),
        "successors" => ("successors", quote!(::core::iter::successors)),
        "from_utf8" => ("from_utf8", quote!(::core::str::from_utf8)),
        "from_fn" if module == "array" => ("array_from_fn", quote!(::core::array::from_fn)),
        "from_fn" => ("from_fn", quote!(::core::iter::from_fn)),
        _ => return None,
    };
    let known = matches!(module.as_str(), "" | "mem" | "cmp" | "iter" | "array" | "str");
    known.then_some(StdFunction { routine, path })
}
