//! What the user's own functions ask of their type parameters beside what their user wrote. An `impl` of a `#[routine]` trait for what has type parameters asks of
//! these that they are values of the machine, so whoever calls its methods in a generic function has to promise it: of a crate with such an `impl`, all do, and of any
//! other those whose parameters have a trait of another crate, which may have such an `impl` there.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Generics, ImplItem, ItemImpl, ItemTrait, Signature, TraitItem, Type, TypeImplTrait, TypeParam,
    TypeParamBound, TypeReference, WherePredicate,
};

use crate::callable;
use crate::file::text_around;
use crate::given;
use crate::namesakes;
use crate::parameters;
use crate::routine::{erased_bounds, is_users, promises, users_trait};

/// Whether functions of a crate call what asks of type parameters that they are values of the machine: what results in an opaque iterator, or the methods of a
/// trait that is implemented for a parameter, or for something made of one.
fn is_asked_in_crate(place: Span) -> bool {
    namesakes::has_opaque(place) || namesakes::implements_generically(place)
}

/// Adds to the bounds of an `impl` block of one of std's traits what it takes to call such, unless the file has an `impl` of a trait below it that is no routine, as
/// `FusedIterator` is below `Iterator`: that asks no more than its user wrote.
pub fn of_block(generics: &mut Generics, attributes: &mut Vec<Attribute>, of_trait: &str, ty: &Type) {
    let place = crate::shadow::at(ty);
    let below: &[&str] = match of_trait {
        "Clone" => &["Copy"],
        "Deref" => &["DerefMut"],
        "Iterator" => &["DoubleEndedIterator", "ExactSizeIterator", "FusedIterator"],
        "PartialEq" => &["Eq"],
        "PartialOrd" => &["Ord"],
        _ => &[],
    };
    let name = match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    };
    let name = name.unwrap_or_default();
    let asked = asked_in_crate(generics, place);
    let text = text_around(place).filter(|_| !asked.is_empty());
    let is_host = |text: &str| {
        let mut below = below.iter();
        below.any(|below| namesakes::host_impls(text, below).contains(&name))
    };
    if !text.is_some_and(|text| is_host(&text)) {
        ask(generics, attributes, asked);
    }
}

/// The same of a function, of whose type parameters some may be those of the block that it is in; and of its iterators, and of what std's traits alone bound, if it
/// leads to such methods. What its user says to be a value of a launch has the operators of one, as where an `impl` of another crate asks for these.
pub fn of_function(signature: &mut Signature, attributes: &mut Vec<Attribute>, around: &Generics) {
    let declared = together(&signature.generics, around);
    of_method(signature, attributes, around);
    let leads_there = leads_there(signature);
    let mut asked = Vec::new();
    for param in declared.type_params().filter(|_| leads_there) {
        let (name, arguments) = (&param.ident, given::arguments(&param.ident, &declared));
        if !arguments.is_empty() {
            asked.push(syn::parse_quote!(#name: #(#arguments)+*));
        }
    }
    for param in launched(&declared) {
        let (name, bounds) = (&param.ident, given::all_bounds(&param.ident, &declared));
        if leads_there {
            asked.push(syn::parse_quote!(#name: ::gpuvm::__private::VmType));
        }
        if leads_there || bounds.iter().any(is_of_launch) {
            asked.extend(promises(&syn::parse_quote!(#name), bounds.iter()));
        }
    }
    ask(&mut signature.generics, attributes, asked);
}

/// Whether a bound says that a type parameter is a value of a launch.
fn is_of_launch(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == "VmType"))
}

/// The same of a method of a trait, of which its `impl`s say no more than the trait does.
pub fn of_method(signature: &mut Signature, attributes: &mut Vec<Attribute>, around: &Generics) {
    let declared = together(&signature.generics, around);
    let asked = asked_in_crate(&declared, signature.ident.span());
    ask(&mut signature.generics, attributes, asked);
    for input in &mut signature.inputs {
        if let syn::FnArg::Typed(typed) = input {
            Unnamed(signature.ident.span()).visit_type_mut(&mut typed.ty);
        }
    }
}

/// What is asked of type parameters: of those that a trait of the user's bounds, and where functions result in opaque iterators of all.
fn asked_in_crate(declared: &Generics, place: Span) -> Vec<WherePredicate> {
    match namesakes::has_opaque(place) {
        true => of_iterators(declared, place),
        false => values(of_users(declared, place), declared),
    }
}

/// The type parameters that a trait of the user's bounds, of which that is asked.
fn of_users(declared: &Generics, place: Span) -> impl Iterator<Item = &TypeParam> {
    let is_asked = is_asked_in_crate(place);
    without_lifetimes(declared).filter(move |param| {
        is_users(&param.ident, declared) && (is_asked || is_of_another_crate(&param.ident, declared))
    })
}

/// Whether a type parameter is bounded by a trait of another crate.
fn is_of_another_crate(name: &Ident, declared: &Generics) -> bool {
    let mut found = false;
    given::for_each_bound(name, declared, |bound| found |= is_foreign(bound));
    found
}

/// Whether a bound is by a trait that the crate does not define, and std neither.
fn is_foreign(bound: &TypeParamBound) -> bool {
    users_trait(bound).is_some_and(|of| !namesakes::defines_trait(of.span(), &of.to_string()))
}

/// The type parameters but those with bounds that have lifetimes: of these nothing holds without them.
fn without_lifetimes(declared: &Generics) -> impl Iterator<Item = &TypeParam> {
    declared.type_params().filter(|param| {
        let mut has_lifetimes = false;
        given::for_each_bound(&param.ident, declared, |bound| {
            has_lifetimes |= bound.to_token_stream().to_string().contains('\'');
        });
        !has_lifetimes
    })
}

/// A function that leads to such methods asks of the type parameters that std's traits alone bound that they are values of a launch, as the `impl` does, in its
/// routine, too. `around`: the generics of the block that it is in.
pub fn as_launched(signature: &mut Signature, around: &Generics) {
    if !leads_there(signature) {
        return;
    }
    let declared = together(&signature.generics, around);
    let asked = launched(&declared).map(|param| {
        let name = &param.ident;
        syn::parse_quote!(#name: ::gpuvm::__private::VmType)
    });
    let asked: Vec<WherePredicate> = asked.collect();
    if !asked.is_empty() {
        signature.generics.make_where_clause().predicates.extend(asked);
    }
}

/// The same of the methods of an `impl` block that is no trait's.
pub fn methods_as_launched(block: &mut ItemImpl) {
    if block.trait_.is_some() {
        return;
    }
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            as_launched(&mut method.sig, &block.generics);
        }
    }
}

/// The type parameters that are so asked.
fn launched(declared: &Generics) -> impl Iterator<Item = &TypeParam> {
    declared.type_params().filter(|param| {
        let name = &param.ident;
        !is_users(name, declared)
            && !callable::is_called(name, declared)
            && !given::is_iterator(name, declared)
            && !given::is_range(name, declared)
            && !given::is_unsized(name, declared)
    })
}

/// Whether a function leads to the methods of a trait that is implemented for values of a launch.
fn leads_there(signature: &Signature) -> bool {
    let name = &signature.ident;
    namesakes::leads_to_launched(name.span(), &crate::plain_name(name))
}

/// The methods of a trait whose bodies call what may ask that the trait's `Self` is a value of the machine, or one another. `own`: the names of the trait and its
/// supertraits, whose methods are found without.
pub fn methods_of_values(definition: &ItemTrait, own: &[&Ident]) -> Vec<Ident> {
    let foreign = definition.supertraits.iter().any(is_foreign);
    if !foreign && !is_asked_in_crate(definition.ident.span()) {
        return Vec::new();
    }
    let own = own
        .iter()
        .flat_map(|of| namesakes::functions_of_trait(of.span(), &crate::plain_name(of)));
    let own: Vec<String> = own.collect();
    let bodies = definition.items.iter().filter_map(|item| match item {
        TraitItem::Fn(function) => Some((&function.sig.ident, function.default.as_ref()?)),
        _ => None,
    });
    let (mut asked, mut others): (Vec<_>, Vec<_>) =
        bodies.partition(|(_, body)| calls_generic(body.to_token_stream(), &own, foreign));
    let mut next = 0;
    while let Some(&(name, _)) = asked.get(next) {
        let (calling, rest) = others.into_iter().partition(|(_, body)| given::mentions(body, name));
        asked.append(&mut { calling });
        others = rest;
        next += 1;
    }
    asked.into_iter().map(|(name, _)| name.clone()).collect()
}

/// Whether code names a generic function, other than an `own` one of `self`; or, where `self` has a trait of another crate, any that is not.
fn calls_generic(code: TokenStream, own: &[String], foreign: bool) -> bool {
    let mut before = [String::new(), String::new()];
    code.into_iter().any(|token| {
        let text = token.to_string();
        let is_found = match token {
            TokenTree::Ident(name) => {
                let plain = crate::plain_name(&name);
                let of_self = before == ["self", "."];
                let may_be = || of_self && foreign || namesakes::is_generic_function(name.span(), &plain);
                !(of_self && own.contains(&plain)) && may_be()
            }
            TokenTree::Group(group) => calls_generic(group.stream(), own, foreign),
            _ => false,
        };
        before = [std::mem::take(&mut before[1]), text];
        is_found
    })
}

/// The type parameters of a function and of the block that it is in, with all that is asked of them.
pub fn together(of_function: &Generics, around: &Generics) -> Generics {
    let mut declared = around.clone();
    declared.params.extend(of_function.params.iter().cloned());
    if let Some(clause) = &of_function.where_clause {
        let predicates = &mut declared.make_where_clause().predicates;
        predicates.extend(clause.predicates.iter().cloned());
    }
    declared
}

/// That type parameters are values of the machine, but for closures and iterators.
pub fn values<'p>(params: impl Iterator<Item = &'p TypeParam>, declared: &Generics) -> Vec<WherePredicate> {
    let params = params
        .filter(|param| !callable::is_called(&param.ident, declared))
        .filter(|param| !given::is_iterator(&param.ident, declared));
    let params: Vec<&TypeParam> = params.collect();
    let values: Generics = syn::parse_quote!(<#(#params),*>);
    let asked = params.iter().map(|param| {
        let (name, bounds) = (&param.ident, erased_bounds(param, declared, &values));
        syn::parse_quote!(#name: #(#bounds)+*)
    });
    asked.collect()
}

/// What an opaque iterator, and whoever calls what results in one, asks of type parameters: an iterator of the user's inside of it is known by what its `impl` asks.
pub fn of_iterators(declared: &Generics, place: Span) -> Vec<WherePredicate> {
    let mut asked = values(without_lifetimes(declared), declared);
    if namesakes::has_generic_iterators(place) {
        asked.extend(parameters::promised_of_erased(declared));
    }
    asked
}

/// Adds predicates to generics.
pub fn ask(generics: &mut Generics, attributes: &mut Vec<Attribute>, predicates: Vec<WherePredicate>) {
    if !predicates.is_empty() {
        // The user's own bounds stand elsewhere.
        attributes.push(syn::parse_quote!(#[allow(clippy::multiple_bound_locations)]));
        generics.make_where_clause().predicates.extend(predicates);
    }
}

/// Adds the same to the bounds of parameters' types that have no names, of a function at a place.
struct Unnamed(Span);

impl VisitMut for Unnamed {
    fn visit_type_reference_mut(&mut self, node: &mut TypeReference) {
        visit_mut::visit_type_reference_mut(self, node);
        // `&impl A + B` rustc does not read.
        if let Type::ImplTrait(of) = &*node.elem
            && of.bounds.len() > 1
        {
            *node.elem = syn::parse_quote!((#of));
        }
    }

    fn visit_type_impl_trait_mut(&mut self, node: &mut TypeImplTrait) {
        visit_mut::visit_type_impl_trait_mut(self, node);
        let bounds = &node.bounds;
        let param: TypeParam = syn::parse_quote!(__T: #bounds);
        let declared: Generics = syn::parse_quote!(<#param>);
        for predicate in values(of_users(&declared, self.0), &declared) {
            if let WherePredicate::Type(predicate) = predicate {
                node.bounds.extend(predicate.bounds);
            }
        }
    }
}
