//! What a type has beside a `Deref` that is a routine. A method of its own that is none would be passed over in routines, for what stands behind the `Deref`.

use gpuvm_nodes::method;
use syn::{Attribute, ImplItem, Item, ItemImpl, Type};

use crate::cells::definition;
use crate::file::{items_around, text_around, words};
use crate::report::Report;

/// Refuses the `Deref` of a type that has a method of a name of std's which is no routine, as far as the file tells.
pub fn check(block: &ItemImpl, report: &mut Report) {
    let Some(name) = name_of(&block.self_ty) else { return };
    let Some(items) = items_around(name.span()) else {
        return;
    };
    if let Some(method) = passed_over(&items, &name.to_string()) {
        report.passed_over(&block.self_ty, &method);
    }
}

fn passed_over(items: &[Item], of: &str) -> Option<String> {
    items.iter().find_map(|item| match item {
        Item::Mod(module) => passed_over(&module.content.as_ref()?.1, of),
        Item::Impl(block)
            if block.trait_.is_none()
                && !is_routine(&block.attrs)
                && name_of(&block.self_ty).is_some_and(|name| name == of) =>
        {
            block.items.iter().find_map(|item| match item {
                ImplItem::Fn(function) if function.sig.receiver().is_some() => {
                    let name = crate::plain_name(&function.sig.ident);
                    method::is_std(&name, true).then_some(name)
                }
                _ => None,
            })
        }
        _ => None,
    })
}

/// The generics of the `#[routine] impl Deref` that a generic type has in its file, if its parameters are the type's in their order.
pub fn deref_generics(name: &syn::Ident) -> Option<syn::Generics> {
    fn search(items: &[Item], of: &syn::Ident) -> Option<syn::Generics> {
        items.iter().find_map(|item| match item {
            Item::Mod(module) => search(&module.content.as_ref()?.1, of),
            Item::Impl(block) => {
                let (path, _) = block.trait_.as_ref()?;
                let is_deref = path.segments.last().is_some_and(|last| last.ident == "Deref");
                (is_deref && is_routine(&block.attrs) && is_plain(block, of)).then(|| block.generics.clone())
            }
            _ => None,
        })
    }
    // Hardly any file has one, and to take a file apart takes long.
    let has_one = text_around(name.span())?.contains("Deref for ");
    search(&has_one.then(|| items_around(name.span())).flatten()?, name)
}

/// Whether the parts of a type that a file's text defines are of a generic type with a `Deref`, or have such parts.
pub fn is_inside(text: &str, name: &str, depth: u32) -> bool {
    let Some(parts) = definition(text, name).filter(|_| depth > 0) else {
        return false;
    };
    let mut types = words(parts)
        .into_iter()
        .filter(|word| word.starts_with(char::is_uppercase) && word != name);
    types.any(|part| text.contains(&format!("Deref for {part}<")) || is_inside(text, &part, depth - 1))
}

/// Whether a block is of a type whose type arguments are the block's own parameters.
fn is_plain(block: &ItemImpl, of: &syn::Ident) -> bool {
    let Type::Path(path) = &*block.self_ty else {
        return false;
    };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == *of) else {
        return false;
    };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return false;
    };
    let types: Vec<_> = arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            syn::GenericArgument::Type(Type::Path(path)) => Some(path.path.get_ident()),
            syn::GenericArgument::Type(_) => Some(None),
            _ => None,
        })
        .collect();
    let params: Vec<_> = block
        .generics
        .params
        .iter()
        .filter(|param| !matches!(param, syn::GenericParam::Lifetime(_)))
        .map(|param| match param {
            syn::GenericParam::Type(param) => Some(&param.ident),
            syn::GenericParam::Const(param) => Some(&param.ident),
            syn::GenericParam::Lifetime(_) => None,
        })
        .collect();
    types == params
}

/// The methods that a type's own `impl` blocks define in its file: they go before those that it has as an iterator.
pub fn own_methods(ty: &Type) -> Vec<String> {
    fn search(items: &[Item], of: &syn::Ident, found: &mut Vec<String>) {
        for item in items {
            match item {
                Item::Mod(module) => search(module.content.as_ref().map_or(&[], |(_, items)| items), of, found),
                Item::Impl(block)
                    if block.trait_.is_none() && name_of(&block.self_ty).is_some_and(|name| name == *of) =>
                {
                    found.extend(block.items.iter().filter_map(|item| match item {
                        ImplItem::Fn(function) if function.sig.receiver().is_some() => {
                            Some(crate::plain_name(&function.sig.ident))
                        }
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if let Some(name) = name_of(ty)
        && let Some(items) = items_around(name.span())
    {
        search(&items, &name, &mut found);
    }
    found
}

fn is_routine(attributes: &[Attribute]) -> bool {
    let is_routine = |attribute: &Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == "routine" || last.ident == "cfg_attr")
    };
    attributes.iter().any(is_routine)
}

fn name_of(ty: &Type) -> Option<syn::Ident> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    }
}
