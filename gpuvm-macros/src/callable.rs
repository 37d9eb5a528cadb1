//! Parameters that are called: `f: impl Fn(A) -> B`, and `f: F` with `F: Fn(A) -> B`. The code of a routine with such a parameter is written
//! where it is called, so what stands for the routine need not know the closure's type: there it is `fn(A) -> B`.

use proc_macro2::{Ident, Span};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, FnArg, GenericParam, Generics, Path, PathArguments, ReturnType, Signature, Type, TypeParamBound,
    WherePredicate,
};

/// A signature and body without the type parameters that are called.
pub struct Erased {
    /// The signature.
    pub signature: Signature,
    /// The body.
    pub block: Block,
    /// The type parameters that are called, with their bounds, those of `impl Fn` included.
    pub callables: Vec<GenericParam>,
    /// The parameters' types with `impl Trait` named.
    pub named: Vec<Type>,
}

/// Erases the type parameters of a function that are called.
pub fn erase(signature: &Signature, block: &Block) -> Erased {
    let mut signature = signature.clone();
    let mut callables = Vec::new();
    // `impl Fn` gets a name first.
    for (i, input) in signature.inputs.iter_mut().enumerate() {
        let FnArg::Typed(typed) = input else { continue };
        let inner = behind_references(&mut typed.ty);
        if let Type::ImplTrait(ty) = inner
            && ty.bounds.iter().any(|bound| pointer(bound).is_some())
        {
            let name = Ident::new(&format!("__F{i}"), Span::mixed_site());
            let bounds = &ty.bounds;
            signature.generics.params.push(syn::parse_quote!(#name: #bounds));
            *inner = syn::parse_quote!(#name);
        }
    }
    crate::given::name_impl_traits(&mut signature);
    let named = signature
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some((*typed.ty).clone()),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let pointers = pointers(&signature.generics);
    let is_called = |name: &Ident| pointers.iter().any(|(called, _)| called == name);
    let mut kept = signature.generics.clone();
    kept.params = Default::default();
    for param in &signature.generics.params {
        match param {
            GenericParam::Type(ty) if is_called(&ty.ident) => callables.push(param.clone()),
            other => kept.params.push(other.clone()),
        }
    }
    if let Some(clause) = &mut kept.where_clause {
        clause.predicates = std::mem::take(&mut clause.predicates)
            .into_iter()
            .filter(|predicate| match bounded_name(predicate) {
                Some(name) if is_called(&name) => {
                    let WherePredicate::Type(predicate) = predicate else {
                        return true;
                    };
                    let bounds = &predicate.bounds;
                    for callable in &mut callables {
                        if let GenericParam::Type(ty) = callable
                            && ty.ident == name
                        {
                            ty.bounds.extend(bounds.iter().cloned());
                        }
                    }
                    false
                }
                _ => true,
            })
            .collect();
    }
    signature.generics = kept;
    let mut block = block.clone();
    let mut substitute = Substitute { pointers: &pointers };
    substitute.visit_signature_mut(&mut signature);
    substitute.visit_block_mut(&mut block);
    Erased {
        signature,
        block,
        callables,
        named,
    }
}

/// Whether a type stands for something that is called, possibly behind references; then how many.
pub fn references_to_callable(ty: &Type) -> Option<u8> {
    match ty {
        Type::FnPtr(_) => Some(0),
        Type::Reference(ty) => Some(references_to_callable(&ty.elem)? + 1),
        Type::Paren(ty) => references_to_callable(&ty.elem),
        Type::Group(ty) => references_to_callable(&ty.elem),
        _ => None,
    }
}

/// Whether a type parameter is called.
pub fn is_called(name: &Ident, generics: &Generics) -> bool {
    pointers(generics).iter().any(|(called, _)| called == name)
}

fn behind_references(ty: &mut Type) -> &mut Type {
    match ty {
        Type::Reference(reference) => behind_references(&mut reference.elem),
        other => other,
    }
}

/// The type parameters that are called, each with the function pointer that stands for it.
fn pointers(generics: &Generics) -> Vec<(Ident, Type)> {
    let mut found = Vec::new();
    for param in generics.type_params() {
        let pointer = param.bounds.iter().find_map(pointer);
        found.extend(pointer.map(|pointer| (param.ident.clone(), pointer)));
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let (Some(name), WherePredicate::Type(predicate)) = (bounded_name(predicate), predicate) {
            let pointer = predicate.bounds.iter().find_map(pointer);
            found.extend(pointer.map(|pointer| (name, pointer)));
        }
    }
    found
}

/// The type parameter that a predicate is about.
fn bounded_name(predicate: &WherePredicate) -> Option<Ident> {
    let WherePredicate::Type(predicate) = predicate else {
        return None;
    };
    match &predicate.bounded_ty {
        Type::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// `fn(A) -> B` for a bound `Fn(A) -> B`.
fn pointer(bound: &TypeParamBound) -> Option<Type> {
    let TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last()?;
    if !is_callable(&bound.path) {
        return None;
    }
    let PathArguments::Parenthesized(arguments) = &last.arguments else {
        return None;
    };
    let inputs = &arguments.inputs;
    let output: ReturnType = arguments.output.clone();
    Some(syn::parse_quote!(fn(#inputs) #output))
}

fn is_callable(path: &Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| last.ident == "Fn" || last.ident == "FnMut" || last.ident == "FnOnce")
}

struct Substitute<'p> {
    pointers: &'p [(Ident, Type)],
}

impl VisitMut for Substitute<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && let Some(name) = path.path.get_ident()
            && let Some((_, pointer)) = self.pointers.iter().find(|(called, _)| called == name)
        {
            *ty = pointer.clone();
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    // Items of the body are their own affair.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
