//! Functions of std's that are called by path and that gpuvm has routines for.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprCall, ExprMethodCall, ExprParen, ExprPath, Ident, Path, PathArguments, Token, parse_quote};

use crate::file::{imports_from, imports_module, text_around, words};
use crate::routine::operators_of_trait;

/// A function of std's.
pub struct StdFunction {
    /// The name of its routine.
    pub routine: &'static str,
    /// std's own function.
    pub path: TokenStream,
    /// A type of pointers that it coerces to, which tells its type parameters where nobody else does: beside a function of the user's of that name.
    pub pointer: TokenStream,
}

impl StdFunction {
    /// How many of the arguments that may be written out for std's function its routine has: not the types of closures, which come last.
    pub fn arguments(&self) -> usize {
        match self.routine {
            "array_from_fn" => 2,
            "from_fn" | "successors" | "repeat_with" | "once_with" | "min_by" | "max_by" | "min_by_key"
            | "max_by_key" => 1,
            _ => usize::MAX,
        }
    }
}

/// The functions of arrays that have others of their names in other modules of std's.
const OF_ARRAYS: [&str; 3] = ["from_fn", "from_ref", "repeat"];

/// Whether the file that a path is in imports a name from a module of std's.
fn is_imported(path: &Path, module: &str, name: &str) -> bool {
    let text = path.segments.first().and_then(|first| text_around(first.ident.span()));
    text.is_some_and(|text| imports_from(&text, module, name))
}

/// The function of std's that a path may name, by its last names. Whether it does, rustc finds out.
pub fn std_function(path: &Path) -> Option<StdFunction> {
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let name = names.next()?;
    let mut module = names.next().unwrap_or_default();
    if module.is_empty() && OF_ARRAYS.contains(&&*name) && is_imported(path, "array", &name) {
        module = "array".to_owned();
    }
    let (routine, path, pointer) = match name.as_str() {
        "swap" => ("swap", quote!(::core::mem::swap), quote!(fn(&mut u8, &mut u8))),
        "replace" => ("replace", quote!(::core::mem::replace), quote!(fn(&mut u8, u8) -> u8)),
        "take" => ("take", quote!(::core::mem::take), quote!(fn(&mut u8) -> u8)),
        "discriminant" => (
            "discriminant",
            quote!(::core::mem::discriminant),
            quote!(fn(&u8) -> ::core::mem::Discriminant<u8>),
        ),
        "min" => ("min", quote!(::core::cmp::min), quote!(fn(u8, u8) -> u8)),
        "max" => ("max", quote!(::core::cmp::max), quote!(fn(u8, u8) -> u8)),
        "min_by" => (
            "min_by",
            quote!(::core::cmp::min_by),
            quote!(fn(u8, u8, fn(&u8, &u8) -> ::core::cmp::Ordering) -> u8),
        ),
        "max_by" => (
            "max_by",
            quote!(::core::cmp::max_by),
            quote!(fn(u8, u8, fn(&u8, &u8) -> ::core::cmp::Ordering) -> u8),
        ),
        "min_by_key" => (
            "min_by_key",
            quote!(::core::cmp::min_by_key),
            quote!(fn(u8, u8, fn(&u8) -> u8) -> u8),
        ),
        "max_by_key" => (
            "max_by_key",
            quote!(::core::cmp::max_by_key),
            quote!(fn(u8, u8, fn(&u8) -> u8) -> u8),
        ),
        "identity" => ("identity", quote!(::core::convert::identity), quote!(fn(u8) -> u8)),
        "black_box" => ("identity", quote!(::core::hint::black_box), quote!(fn(u8) -> u8)),
        "drop" => ("drop", quote!(::core::mem::drop), quote!(fn(u8))),
        "from_ref" if module == "array" => (
            "array_from_ref",
            quote!(::core::array::from_ref),
            quote!(fn(&u8) -> &[u8; 1]),
        ),
        "from_ref" => (
            "slice_from_ref",
            quote!(::core::slice::from_ref),
            quote!(fn(&u8) -> &[u8]),
        ),
        "once" => (
            "once",
            quote!(::core::iter::once),
            quote!(fn(u8) -> ::core::iter::Once<u8>),
        ),
        "repeat" if module == "array" => ("array_repeat", quote!(::core::array::repeat), quote!(fn(u8) -> [u8; 1])),
        "repeat" => (
            "repeat",
            quote!(::core::iter::repeat),
            quote!(fn(u8) -> ::core::iter::Repeat<u8>),
        ),
        "repeat_with" => (
            "repeat_with",
            quote!(::core::iter::repeat_with),
            quote!(fn(fn() -> u8) -> ::core::iter::RepeatWith<fn() -> u8>),
        ),
        "once_with" => (
            "once_with",
            quote!(::core::iter::once_with),
            quote!(fn(fn() -> u8) -> ::core::iter::OnceWith<fn() -> u8>),
        ),
        "repeat_n" => (
            "repeat_n",
            quote!(::core::iter::repeat_n),
            quote!(fn(u8, usize) -> ::core::iter::RepeatN<u8>),
        ),
        "empty" => (
            "empty",
            quote!(::core::iter::empty),
            quote!(fn() -> ::core::iter::Empty<u8>),
        ),
        "successors" => (
            "successors",
            quote!(::core::iter::successors),
            quote!(
                fn(
                    ::core::option::Option<u8>,
                    fn(&u8) -> ::core::option::Option<u8>,
                ) -> ::core::iter::Successors<u8, fn(&u8) -> ::core::option::Option<u8>>
            ),
        ),
        "from_utf8" => (
            "from_utf8",
            match is_of_the_type(path) {
                true => quote!(str::from_utf8),
                false => quote!(::core::str::from_utf8),
            },
            quote!(fn(&[u8]) -> ::core::result::Result<&str, ::core::str::Utf8Error>),
        ),
        "from_fn" if module == "array" => (
            "array_from_fn",
            quote!(::core::array::from_fn),
            quote!(fn(fn(usize) -> u8) -> [u8; 1]),
        ),
        "from_fn" => (
            "from_fn",
            quote!(::core::iter::from_fn),
            quote!(fn(fn() -> ::core::option::Option<u8>) -> ::core::iter::FromFn<fn() -> ::core::option::Option<u8>>),
        ),
        _ => return None,
    };
    let known = matches!(
        module.as_str(),
        "" | "mem" | "cmp" | "iter" | "array" | "slice" | "convert" | "hint" | "str"
    );
    known.then_some(StdFunction { routine, path, pointer })
}

/// Whether a path is `str::from_utf8` where `str` is the type, which has the function since it has a module of its name: the file neither imports nor defines
/// one.
pub fn is_of_the_type(path: &Path) -> bool {
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    let (Some(of), Some(function), None) = (names.next(), names.next(), names.next()) else {
        return false;
    };
    let has_module = || {
        let text = text_around(of.span())?;
        Some(imports_module(&text, "str") || words(&text).windows(2).any(|pair| pair == ["mod", "str"]))
    };
    of == "str" && function == "from_utf8" && path.leading_colon.is_none() && !has_module().unwrap_or(true)
}

/// The methods of std's traits that are called by the trait's path, `Ord::max(a, b)`, and mean the same as a call on the first argument.
const OF_TRAITS: &[(&str, &[&str])] = &[
    ("Clone", &["clone"]),
    ("Deref", &["deref"]),
    ("DerefMut", &["deref_mut"]),
    (
        "DoubleEndedIterator",
        &["next_back", "nth_back", "rfind", "rfold", "try_rfold"],
    ),
    ("ExactSizeIterator", &["len"]),
    ("Extend", &["extend"]),
    ("Hash", &["hash"]),
    ("Into", &["into"]),
    ("IntoIterator", &["into_iter"]),
    ("Ord", &["cmp", "max", "min", "clamp"]),
    ("PartialEq", &["eq", "ne"]),
    ("PartialOrd", &["partial_cmp", "lt", "le", "gt", "ge"]),
    ("TryInto", &["try_into"]),
];

/// `Trait::method(a, b)`, where the trait is std's, as `a.method(b)` or as the operator.
pub fn by_trait(func: &ExprPath, call: &ExprCall) -> Option<Expr> {
    if func.qself.is_some() {
        return None;
    }
    let mut names = func.path.segments.iter().rev();
    let (method, owner) = (names.next()?, names.next()?);
    let (name, of) = (method.ident.to_string(), owner.ident.to_string());
    let mut args = call.args.iter().cloned();
    let receiver = parenthesised(args.next()?);
    if operators_of_trait(&of).iter().any(|(known, _)| *known == name)
        && let Some(operator) = by_operator(&method.ident, &receiver, args.clone().next().as_ref())
    {
        return Some(operator);
    }
    // The type to convert to is told by the trait's path alone.
    if let PathArguments::AngleBracketed(written) = &owner.arguments
        && let (Some(ty), "into" | "try_into") = (written.args.first(), name.as_str())
    {
        let from = Ident::new(if name == "into" { "from" } else { "try_from" }, method.ident.span());
        return Some(parse_quote!(<#ty>::#from(#receiver)));
    }
    let known = OF_TRAITS.iter().find(|(known, _)| *known == of);
    if of != "Iterator" && !known.is_some_and(|(_, methods)| methods.contains(&name.as_str())) {
        return None;
    }
    let turbofish = match &method.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.clone()),
        _ => None,
    };
    Some(Expr::MethodCall(ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(receiver),
        dot_token: Token![.](method.ident.span()),
        method: method.ident.clone(),
        turbofish,
        paren_token: call.paren_token,
        args: args.collect(),
    }))
}

/// `iter::zip(a, b)` and `iter::chain(a, b)` as `a.into_iter().zip(b)`, also where the function is imported.
pub fn by_iterators(func: &ExprPath, call: &ExprCall) -> Option<Expr> {
    let mut names = func.path.segments.iter().rev();
    let function = &names.next()?.ident;
    let mut is_of_iter = || match names.next() {
        Some(module) => module.ident == "iter",
        None => is_imported(&func.path, "iter", &function.to_string()),
    };
    let is_known = (function == "zip" || function == "chain") && is_of_iter();
    let (Some(a), Some(b), 2, true) = (call.args.get(0), call.args.get(1), call.args.len(), is_known) else {
        return None;
    };
    let (a, into) = (parenthesised(a.clone()), Ident::new("into_iter", function.span()));
    Some(parse_quote!(#a.#into().#function(#b)))
}

/// What a method of an operator's trait does, `a.add(b)`, by the operator.
pub fn by_operator(method: &Ident, receiver: &Expr, argument: Option<&Expr>) -> Option<Expr> {
    let name = method.to_string();
    let (plain, assigns) = match name.strip_suffix("_assign") {
        Some(plain) => (plain, true),
        None => (name.as_str(), false),
    };
    let sign = match (plain, argument) {
        ("add", Some(_)) => "+",
        ("sub", Some(_)) => "-",
        ("mul", Some(_)) => "*",
        ("div", Some(_)) => "/",
        ("rem", Some(_)) => "%",
        ("bitand", Some(_)) => "&",
        ("bitor", Some(_)) => "|",
        ("bitxor", Some(_)) => "^",
        ("shl", Some(_)) => "<<",
        ("shr", Some(_)) => ">>",
        ("neg", None) => "-",
        ("not", None) => "!",
        _ => return None,
    };
    let sign = if assigns { format!("{sign}=") } else { sign.to_owned() };
    let sign: TokenStream = sign.parse().ok()?;
    let sign: TokenStream = sign
        .into_iter()
        .map(|mut token| {
            token.set_span(method.span());
            token
        })
        .collect();
    Some(match argument {
        Some(argument) if assigns => parse_quote!(*#receiver #sign (#argument)),
        Some(argument) => parse_quote!(#receiver #sign (#argument)),
        None => parse_quote!(#sign #receiver),
    })
}

/// What begins with a sign, as `&mut iter` does, is in parentheses where a method is called on it.
fn parenthesised(expr: Expr) -> Expr {
    match expr {
        Expr::Path(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Field(_) | Expr::Paren(_) => expr,
        expr => Expr::Paren(ExprParen {
            attrs: Vec::new(),
            paren_token: Default::default(),
            expr: Box::new(expr),
        }),
    }
}
