//! Std's comparisons of the user's types, and `clone`. A type that derives `VmType` has all of them, part by part, but what its user has written goes before: an
//! `impl` that is a `#[routine]` leaves constants of the type itself, and the derived code reads these, or, where there are none, those of a trait
//! that every type has. Where a type has type parameters the bounds of its `impl`s would hide the constants, so there the two exclude each other: whether its user has
//! written one, the file's text tells, or `#[vm_type(…)]`. What holds values of such a type asks method lookup for its comparison, as gpuvm's own types do.

use gpuvm_nodes::node::Operator;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericArgument, ImplItem, ItemImpl, PathArguments};

use crate::file::{implements, tells};

/// The methods of `PartialEq`, `PartialOrd` and `Ord`.
pub const METHODS: &[&str] = gpuvm_nodes::method::of::COMPARISON;

/// Whether a type that derives `VmType` has a method that its user may write all the same: those, and `clone`.
pub fn is_derived(name: &str) -> bool {
    METHODS.contains(&name) || name == "clone"
}

/// Whether the file of a type has an `impl` of a trait for it, to compare it with itself.
pub fn is_written(of: &Ident, comparison: &'static str) -> bool {
    let name = crate::plain_name(of);
    tells(of.span(), comparison, &name, |text| implements(text, comparison, &name))
}

/// Whether a method of an order is `PartialOrd`'s.
pub fn of_partial_order(name: &str) -> bool {
    matches!(name, "partial_cmp" | "lt" | "le" | "gt" | "ge")
}

/// The comparison that a method of these traits goes by: `eq`, `partial_cmp` or `cmp`.
pub fn behind(name: &str) -> &'static str {
    match name {
        "eq" | "ne" => "eq",
        "cmp" => "cmp",
        _ => "partial_cmp",
    }
}

/// The trait that such a comparison is of.
pub fn trait_of(comparison: &str) -> &'static str {
    match comparison {
        "eq" => "PartialEq",
        "cmp" => "Ord",
        _ => "PartialOrd",
    }
}

/// The operators of order, with the methods behind them.
pub const ORDER: [(&str, Operator); 4] = [
    ("lt", Operator::Lt),
    ("le", Operator::Le),
    ("gt", Operator::Gt),
    ("ge", Operator::Ge),
];

/// An order of a type's values with those of another type, `impl PartialOrd<i64> for Money`, with the methods that std has bodies for, if it lacks one. Operators
/// are these methods.
pub fn with_order(block: &ItemImpl) -> Option<ItemImpl> {
    let (path, _) = block.trait_.as_ref()?;
    let last = path.segments.last().filter(|last| last.ident == "PartialOrd")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let Some(GenericArgument::Type(other)) = arguments.args.first() else {
        return None;
    };
    let own = &block.self_ty;
    let is_own = [quote!(#own), quote!(Self)]
        .iter()
        .any(|own| own.to_string() == other.to_token_stream().to_string());
    let function = |name: &str| {
        block.items.iter().find_map(|item| match item {
            ImplItem::Fn(function) if function.sig.ident == name => Some(function),
            _ => None,
        })
    };
    let by = function("partial_cmp").filter(|_| !is_own)?;
    let bodies: [(&str, TokenStream); 4] = [
        ("lt", quote!(Less)),
        ("le", quote!(Less | Equal)),
        ("gt", quote!(Greater)),
        ("ge", quote!(Greater | Equal)),
    ];
    let missing = bodies
        .iter()
        .filter(|(name, _)| function(name).is_none())
        .map(|(name, orders)| {
            let mut function = by.clone();
            // By its name a call would find the order with its own type.
            let (result, body) = (&by.sig.output, &by.block);
            function.block = syn::parse_quote!({
                use ::core::cmp::Ordering::*;
                let __order = || #result #body;
                ::core::matches!(__order(), Some(#orders))
            });
            function.sig.ident = Ident::new(name, Span::call_site());
            function.sig.output = syn::parse_quote!(-> bool);
            ImplItem::Fn(function)
        });
    let missing: Vec<ImplItem> = missing.collect();
    (!missing.is_empty()).then(|| {
        let mut block = block.clone();
        block.items.extend(missing);
        block
    })
}

/// The constant for a call of a method by its name.
pub fn method(name: &str) -> Ident {
    constant(&format!("METHOD_{}", name.to_uppercase()))
}

/// The constant for an operator.
pub fn operator(name: &str) -> Ident {
    constant(&format!("OPERATOR_{}", name.to_uppercase()))
}

/// The constant of the routine that comparisons of a type, and of all that hold one, call.
pub fn comparison(trait_name: &str, name: &str) -> Option<Ident> {
    match (trait_name, name) {
        ("PartialEq", "eq") | ("PartialOrd", "partial_cmp") | ("Ord", "cmp") => Some(constant(&name.to_uppercase())),
        _ => None,
    }
}

pub fn constant(name: &str) -> Ident {
    Ident::new(&format!("__GPUVM_{name}"), Span::call_site())
}
