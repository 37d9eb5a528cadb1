//! Results of type `impl Iterator`. Whoever calls such a routine has its code walked in place, so the encoder knows what it results in; rustc
//! knows of an opaque type what its bounds say, so the function's own get one more: that the iterator is one that routines know.

use syn::{Attribute, ReturnType, Signature, Type, TypeImplTrait, TypeParamBound};

/// The result of a function, if it is an opaque iterator.
pub fn iterator(signature: &Signature) -> Option<&TypeImplTrait> {
    let ReturnType::Type(_, ty) = &signature.output else {
        return None;
    };
    match &**ty {
        Type::ImplTrait(ty) if promises(ty).next().is_some() => Some(ty),
        _ => None,
    }
}

/// Adds to an opaque iterator's bounds what callers that are routines have to know of it.
pub fn promise(signature: &mut Signature, attributes: &mut Vec<Attribute>) {
    let Some(ty) = iterator(signature) else { return };
    let promises: Vec<TypeParamBound> = promises(ty).collect();
    if let ReturnType::Type(_, ty) = &mut signature.output
        && let Type::ImplTrait(ty) = &mut **ty
    {
        ty.bounds.extend(promises);
        // They have the user's own bounds as their supertraits.
        attributes.push(syn::parse_quote!(#[allow(clippy::implied_bounds_in_impls)]));
    }
}

/// What each of the bounds promises.
fn promises(ty: &TypeImplTrait) -> impl Iterator<Item = TypeParamBound> {
    ty.bounds.iter().filter_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let name = &bound.path.segments.last()?.ident;
        Some(match name.to_string().as_str() {
            "Iterator" => syn::parse_quote!(::gpuvm::__private::KnownIterator),
            "DoubleEndedIterator" => syn::parse_quote!(::gpuvm::__private::KnownDoubleEnded),
            "ExactSizeIterator" => syn::parse_quote!(::gpuvm::__private::KnownExactSize),
            _ => return None,
        })
    })
}
