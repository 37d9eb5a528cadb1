//! Type parameters that are iterators. A routine with one is written for any iterator of its items: what stands for it is for `Given` ones, into
//! which a caller turns what it has.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Path, Signature, Type, TypeParamBound, WherePredicate};

/// Std's traits of iterators, each with what a routine knows of what it is given, and what it asks of its callers.
const TRAITS: [(&str, &str, &str); 4] = [
    ("Iterator", "GivenIterator", "ArgumentIterator"),
    ("DoubleEndedIterator", "GivenDoubleEnded", "ArgumentDoubleEnded"),
    ("ExactSizeIterator", "GivenExactSize", "ArgumentExactSize"),
    ("IntoIterator", "GivenIterable", "ArgumentIterable"),
];

/// The bounds that make a type parameter an iterator inside a routine; none where it is no iterator.
pub fn bounds(name: &Ident, generics: &Generics) -> Vec<TypeParamBound> {
    let mut found = Vec::new();
    for_each_bound(name, generics, |asked| found.extend(bound(asked)));
    found
}

/// What a bound by one of std's traits of iterators is inside a routine.
pub fn bound(bound: &TypeParamBound) -> Option<TypeParamBound> {
    let (_, given, _) = iterator_trait(bound)?;
    let given = quote::format_ident!("{given}");
    Some(syn::parse_quote!(::gpuvm::__private::#given))
}

/// What a caller asks of a type parameter that is an iterator; nothing of one that is none.
pub fn arguments(name: &Ident, generics: &Generics) -> Vec<TypeParamBound> {
    let mut found = Vec::new();
    for_each_bound(name, generics, |bound| {
        if let Some((_, _, asked)) = iterator_trait(bound) {
            let asked = quote::format_ident!("{asked}");
            found.push(syn::parse_quote!(::gpuvm::__private::#asked));
        }
    });
    found
}

/// What a type parameter that is an iterator has to be for callers to find what is written for those that are given.
pub fn known(name: &Ident, generics: &Generics) -> Vec<TypeParamBound> {
    match wrapper(name, generics) {
        Some(wrapper) if wrapper == "Given" => vec![syn::parse_quote!(::gpuvm::__private::Sequence)],
        Some(_) => vec![
            syn::parse_quote!(::gpuvm::__private::Iterable<Iterator: ::gpuvm::__private::Sequence>),
            syn::parse_quote!(::gpuvm::__private::Static),
        ],
        None => Vec::new(),
    }
}

/// A type with iterators that are given in the place of its type parameters that are iterators.
pub fn given(ty: &Type, generics: &Generics) -> Type {
    struct Give<'g>(&'g Generics);
    impl VisitMut for Give<'_> {
        fn visit_type_mut(&mut self, node: &mut Type) {
            visit_mut::visit_type_mut(self, node);
            if let Type::Path(path) = node
                && let Some(name) = path.path.get_ident()
                && let Some(wrapper) = wrapper(name, self.0)
            {
                *node = syn::parse_quote!(::gpuvm::__private::#wrapper<#name>);
            }
        }
    }
    let mut ty = ty.clone();
    Give(generics).visit_type_mut(&mut ty);
    ty
}

/// Whether a type parameter is an iterator.
pub fn is_iterator(name: &Ident, generics: &Generics) -> bool {
    !bounds(name, generics).is_empty()
}

/// The same generics for a caller: they ask of an iterator that it can be given.
pub fn for_callers(generics: &Generics) -> Generics {
    let mut asked = generics.clone();
    Ask.visit_generics_mut(&mut asked);
    // Where the user asks for it rustc says so of the function. What is a range to the user is none to the routine.
    for param in asked.type_params_mut() {
        // Of references that live for ever, as those in a routine do, a caller may have none; the function itself asks for what it needs.
        let bounds = std::mem::take(&mut param.bounds).into_iter();
        param.bounds = bounds
            .filter(|bound| is_ours(bound) || !is_of_references(bound))
            .collect();
        let is_range = is_range(&param.ident, generics);
        let is_asked = param.bounds.iter().any(is_users_vm_type);
        let bounds = std::mem::take(&mut param.bounds);
        let (values, mut others): (Vec<_>, Vec<_>) = bounds.into_iter().partition(is_value_bound);
        if is_range {
            others.push(syn::parse_quote!(::gpuvm::__private::Value<Inner: ::core::marker::Sized>));
        } else if is_asked {
            others.retain(|bound| !is_last(bound, "VmType"));
            others.push(syn::parse_quote!(::gpuvm::__private::Value<Inner: ::core::marker::Sized>));
        } else if !values.is_empty() {
            others.push(syn::parse_quote!(::gpuvm::__private::Value<Erased: #(#values)+*>));
        }
        param.bounds = others.into_iter().collect();
    }
    if let Some(clause) = &mut asked.where_clause {
        clause.predicates = std::mem::take(&mut clause.predicates)
            .into_iter()
            .filter(|predicate| !is_promise(predicate) && !refers(predicate))
            .collect();
    }
    asked
}

fn is_last(bound: &TypeParamBound, name: &str) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == name))
}

fn is_ours(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.iter().any(|segment| segment.ident == "__private"))
}

/// Whether a bound says that a type parameter is of the machine.
fn is_value_bound(bound: &TypeParamBound) -> bool {
    is_ours(bound)
        && ["Parameter", "Referred", "Unreferenced"]
            .iter()
            .any(|name| is_last(bound, name))
}

fn is_users_vm_type(bound: &TypeParamBound) -> bool {
    is_last(bound, "VmType") && !is_ours(bound)
}

/// Whether a bound says that an operator or a method is a routine. The routine itself asks for that; where its type parameter is no value of the machine, a
/// caller is told this alone.
fn is_promise(predicate: &WherePredicate) -> bool {
    let WherePredicate::Type(predicate) = predicate else {
        return false;
    };
    let mut bounds = predicate.bounds.iter();
    let names = ["Gathers", "GenericMethod", "Lends", "Method", "Operation"];
    bounds.all(|bound| is_ours(bound) && names.iter().any(|name| is_last(bound, name)))
}

/// Whether a bound is by a trait whose parameters are references that live for ever, to a type parameter for all that can be seen.
fn is_of_references(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let Some(syn::PathArguments::AngleBracketed(arguments)) = bound.path.segments.last().map(|last| &last.arguments)
    else {
        return false;
    };
    arguments.args.iter().any(|argument| {
        matches!(argument, syn::GenericArgument::Type(Type::Reference(ty))
            if ty.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static")
                && matches!(&*ty.elem, Type::Path(path) if path.path.get_ident().is_some()))
    })
}

/// Whether a bound is on references that live for ever, as those in a routine do; a caller's may not.
fn refers(predicate: &WherePredicate) -> bool {
    matches!(predicate, WherePredicate::Type(predicate) if predicate.lifetimes.is_none() && matches!(predicate.bounded_ty, Type::Reference(_)))
}

/// A parameter's name, as an argument.
pub fn name(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
    }
}

/// What stands for a caller's arguments inside the routine.
pub fn argument(param: &GenericParam, generics: &Generics) -> TokenStream {
    match param {
        GenericParam::Lifetime(_) | GenericParam::Const(_) => name(param),
        GenericParam::Type(param) => {
            let name = &param.ident;
            let erased = quote!(<#name as ::gpuvm::__private::Value>::Erased);
            match wrapper(name, generics) {
                Some(wrapper) => quote!(::gpuvm::__private::#wrapper<#erased>),
                // Where the user asks for a value, rustc has said of the function that a reference is none.
                None if is_range(name, generics) || param.bounds.iter().any(is_users_vm_type) => {
                    quote!(<#name as ::gpuvm::__private::Value>::Inner)
                }
                None if param.bounds.iter().any(is_value_bound) => erased,
                None => quote!(#name),
            }
        }
    }
}

/// What stands for a type parameter where it has no lifetimes.
pub fn without_lifetimes(param: &GenericParam, generics: &Generics) -> TokenStream {
    let GenericParam::Type(of) = param else {
        return name(param);
    };
    let name = &of.ident;
    let erased = quote!(<#name as ::gpuvm::__private::Value>::Erased);
    match wrapper(name, generics) {
        Some(wrapper) => quote!(::gpuvm::__private::#wrapper<#erased>),
        None => erased,
    }
}

/// Whether a type parameter is a range.
pub fn is_range(name: &Ident, generics: &Generics) -> bool {
    let mut found = false;
    for_each_bound(name, generics, |bound| found |= is_last(bound, "RangeBounds"));
    found
}

/// Whether what a type parameter stands for may have no size.
pub fn is_unsized(name: &Ident, generics: &Generics) -> bool {
    let mut found = false;
    for_each_bound(name, generics, |bound| {
        found |= matches!(bound, TypeParamBound::Trait(bound) if bound.maybe.is_some());
    });
    found
}

/// The type of a name that stands for a routine, of a caller's arguments.
pub fn routine_of(name: &TokenStream, generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().map(|param| argument(param, generics));
    match generics.params.is_empty() {
        true => name.clone(),
        false => quote!(#name<#(#arguments),*>),
    }
}

/// The type of a name that has parameters, of their own names.
pub fn of_names(name: &TokenStream, generics: &Generics) -> TokenStream {
    let names = generics.params.iter().map(self::name);
    match generics.params.is_empty() {
        true => name.clone(),
        false => quote!(#name<#(#names),*>),
    }
}

/// The type that an iterator, or what becomes one, is given as.
pub fn wrapper(name: &Ident, generics: &Generics) -> Option<Ident> {
    let (mut iterator, mut iterable) = (false, false);
    for_each_bound(name, generics, |bound| match iterator_trait(bound) {
        Some(("IntoIterator", ..)) => iterable = true,
        Some(_) => iterator = true,
        None => {}
    });
    match (iterator, iterable) {
        (true, _) => Some(quote::format_ident!("Given")),
        (false, true) => Some(quote::format_ident!("GivenElements")),
        (false, false) => None,
    }
}

/// Gives the types `impl Trait` of parameters names, and makes type parameters of them.
pub fn name_impl_traits(signature: &mut Signature) {
    let mut namer = Name {
        found: Vec::new(),
        place: 0,
    };
    for (place, input) in signature.inputs.iter_mut().enumerate() {
        if let syn::FnArg::Typed(typed) = input {
            namer.place = place;
            namer.visit_type_mut(&mut typed.ty);
        }
    }
    signature.generics.params.extend(namer.found);
}

struct Name {
    found: Vec<GenericParam>,
    /// Of the parameter.
    place: usize,
}

impl VisitMut for Name {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Type::ImplTrait(node) = ty {
            let name = Ident::new(
                &format!("__I{}_{}", self.place, self.found.len()),
                crate::shadow::at(node),
            );
            let bounds = &node.bounds;
            self.found.push(syn::parse_quote!(#name: #bounds));
            *ty = Type::Path(syn::parse_quote_spanned!(name.span()=> #name));
        }
    }
}

/// Whether a type mentions a name.
pub fn mentions(ty: &impl ToTokens, name: &Ident) -> bool {
    fn search(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(found) => found == *name,
            proc_macro2::TokenTree::Group(group) => search(group.stream(), name),
            _ => false,
        })
    }
    search(ty.to_token_stream(), name)
}

struct Ask;

impl VisitMut for Ask {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let is_ours = path.segments.iter().any(|segment| segment.ident == "__private");
        if let Some(last) = path.segments.last_mut().filter(|_| is_ours)
            && let Some((_, _, asked)) = TRAITS.iter().find(|(_, given, _)| last.ident == given)
        {
            last.ident = Ident::new(asked, last.ident.span());
        }
    }
}

fn iterator_trait(bound: &TypeParamBound) -> Option<(&'static str, &'static str, &'static str)> {
    let TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last()?;
    TRAITS.into_iter().find(|(name, ..)| last.ident == name)
}

/// The bounds of a type parameter, where it is declared and in the `where` clause.
pub fn all_bounds(name: &Ident, generics: &Generics) -> Vec<TypeParamBound> {
    let mut all = Vec::new();
    for_each_bound(name, generics, |bound| all.push(bound.clone()));
    all
}

/// Gives a function each of them.
pub fn for_each_bound(name: &Ident, generics: &Generics, mut each: impl FnMut(&TypeParamBound)) {
    for param in generics.type_params().filter(|param| param.ident == *name) {
        param.bounds.iter().for_each(&mut each);
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(predicate) = predicate
            && matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident(name))
        {
            predicate.bounds.iter().for_each(&mut each);
        }
    }
}
