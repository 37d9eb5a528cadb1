//! What a derive asks of a type's parameters. A value inside of routines is made of such values, which may hold references, iterators and closures; one that a
//! launch has, of values that a launch has.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Lifetime, Type, TypeParamBound, TypePath, WherePredicate};

use crate::given::{self, mentions};
use crate::rewrite::Forever;
use crate::routine::promises;

/// The generics of a type's impls.
pub struct Parameters {
    /// Of the type as a value inside of routines.
    pub inside: Generics,
    /// Of its operators and methods, which are those of the type without lifetimes.
    pub forever: Generics,
    /// Of the type as a value of a launch.
    pub launched: Generics,
}

impl Parameters {
    /// Of a type with these generics and fields.
    pub fn of<'f>(generics: &Generics, fields: impl Iterator<Item = &'f Type> + Clone) -> Parameters {
        let mut plain = generics.clone();
        for param in &mut plain.params {
            match param {
                GenericParam::Type(param) => param.default = None,
                GenericParam::Const(param) => param.default = None,
                GenericParam::Lifetime(_) => {}
            }
        }
        let (mut inside, mut forever, mut launched) = (plain.clone(), plain.clone(), plain);
        for param in inside.type_params_mut() {
            let erased = asked_of_erased(&param.ident, generics, generics);
            param
                .bounds
                .push(syn::parse_quote!(::gpuvm::__private::Value<Erased: #erased>));
            param.bounds.extend(given::arguments(&param.ident, generics));
        }
        let own: Vec<&Ident> = generics.type_params().map(|param| &param.ident).collect();
        for ty in associated(fields, &own) {
            let predicates = &mut inside.make_where_clause().predicates;
            predicates.push(syn::parse_quote!(#ty: ::gpuvm::__private::Value<Erased: ::gpuvm::__private::Static>));
        }
        for param in forever.type_params_mut() {
            param.bounds.push(syn::parse_quote!(::gpuvm::__private::Static));
        }
        for param in launched.type_params_mut() {
            param.bounds.push(syn::parse_quote!(::gpuvm::__private::VmType));
        }
        Parameters {
            inside,
            forever,
            launched,
        }
    }
}

/// Whether a type's values stay inside of routines for what their parameters are: one of these is an iterator, or a field is of a type that one of them has.
pub fn stay_inside<'f>(generics: &Generics, fields: impl Iterator<Item = &'f Type> + Clone) -> bool {
    let own: Vec<&Ident> = generics.type_params().map(|param| &param.ident).collect();
    let is_iterator = |name: &&Ident| given::is_iterator(name, generics);
    own.iter().any(is_iterator) || !associated(fields, &own).is_empty()
}

/// A type's parameters without lifetimes, as arguments.
pub fn erased(generics: &Generics) -> Vec<TokenStream> {
    let argument = |param: &GenericParam| match param {
        GenericParam::Lifetime(_) => quote!('static),
        GenericParam::Type(param) => {
            let name = &param.ident;
            quote!(<#name as ::gpuvm::__private::Value>::Erased)
        }
        GenericParam::Const(param) => param.ident.to_token_stream(),
    };
    generics.params.iter().map(argument).collect()
}

/// Puts what it is without lifetimes in the place of each type parameter.
struct Erase<'g>(&'g Generics);

impl VisitMut for Erase<'_> {
    fn visit_type_mut(&mut self, node: &mut Type) {
        visit_mut::visit_type_mut(self, node);
        let is_own = |param: &syn::TypeParam| is_name(node, &param.ident);
        if self.0.type_params().any(is_own) {
            *node = syn::parse_quote!(<#node as ::gpuvm::__private::Value>::Erased);
        }
    }
}

/// A type as it is without lifetimes, those of what its parameters stand for included.
pub fn without_lifetimes(ty: &Type, generics: &Generics) -> Type {
    let mut ty = crate::generic::forever(ty);
    Erase(generics).visit_type_mut(&mut ty);
    ty
}

/// What is asked of other types for type parameters, `u32: From<T>`, as it has to hold of what these are without lifetimes.
pub fn asked_of_others(generics: &Generics) -> Vec<WherePredicate> {
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_others = predicates.filter(|predicate| {
        let WherePredicate::Type(of) = predicate else {
            return false;
        };
        !generics
            .type_params()
            .any(|param| mentions(&of.bounded_ty, &param.ident))
    });
    of_others
        .cloned()
        .map(|mut predicate| {
            Erase(generics).visit_where_predicate_mut(&mut predicate);
            predicate
        })
        .collect()
}

/// What bounds of type parameters promise, as it has to hold of what these are without lifetimes.
pub fn promised_of_erased(generics: &Generics) -> Vec<WherePredicate> {
    let params = generics
        .type_params()
        .filter(|param| !given::is_iterator(&param.ident, generics));
    let promised = params.flat_map(|param| {
        let (name, bounds) = (&param.ident, given::all_bounds(&param.ident, generics));
        promises(&syn::parse_quote!(#name), bounds.iter())
    });
    let erased = promised.map(|mut predicate| {
        Erase(generics).visit_where_predicate_mut(&mut predicate);
        predicate
    });
    erased.collect()
}

/// The bounds of a type parameter, as they have to hold of what it is without lifetimes. `values`: with the parameters of which something is asked without them.
pub fn asked_of_erased(name: &Ident, generics: &Generics, values: &Generics) -> TokenStream {
    let declared = generics.type_params().filter(|param| param.ident == *name);
    let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let predicated = clause.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) if is_name(&predicate.bounded_ty, name) => Some(&predicate.bounds),
        _ => None,
    });
    let bounds = declared.map(|param| &param.bounds).chain(predicated).flatten();
    let bounds = bounds
        .filter(|bound| matches!(bound, TypeParamBound::Trait(bound) if bound.maybe.is_none()))
        .cloned()
        .map(|mut bound| {
            Forever.visit_type_param_bound_mut(&mut bound);
            Erase(values).visit_type_param_bound_mut(&mut bound);
            bound
        });
    let bounds: Vec<TypeParamBound> = bounds.collect();
    match given::is_unsized(name, generics) {
        true => quote!(::gpuvm::__private::Referred #(+ #bounds)*),
        false => quote!(::gpuvm::__private::Static #(+ #bounds)*),
    }
}

fn is_name(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

/// The types in some types that parameters have: `I::Item`, `<I as Iterator>::Item`.
fn associated<'f>(types: impl Iterator<Item = &'f Type>, own: &[&Ident]) -> Vec<Type> {
    struct Search<'n>(&'n [&'n Ident], Vec<Type>);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_type_path(&mut self, node: &'ast TypePath) {
            let is_own = |ty: &Type| self.0.iter().any(|name| is_name(ty, name));
            let is_associated = match &node.qself {
                Some(of) => is_own(&of.ty),
                None => {
                    let mut names = node.path.segments.iter();
                    names
                        .next()
                        .is_some_and(|first| self.0.iter().any(|name| first.ident == **name))
                        && names.next().is_some()
                }
            };
            if !is_associated {
                return visit::visit_type_path(self, node);
            }
            let ty = Type::Path(node.clone());
            let text = |ty: &Type| ty.to_token_stream().to_string();
            if !self.1.iter().any(|known| text(known) == text(&ty)) {
                self.1.push(ty);
            }
        }
    }
    let mut search = Search(own, Vec::new());
    for ty in types {
        search.visit_type(ty);
    }
    search.1
}

/// Whether a type has one of some lifetimes or names in it.
pub fn names_any(ty: &Type, generics: &Generics) -> bool {
    struct Search<'n>(&'n Generics, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_lifetime(&mut self, node: &'ast Lifetime) {
            self.1 |= self.0.lifetimes().any(|param| param.lifetime == *node);
        }

        fn visit_ident(&mut self, node: &'ast Ident) {
            self.1 |= self.0.type_params().any(|param| param.ident == *node);
        }
    }
    let mut search = Search(generics, false);
    search.visit_type(ty);
    search.1
}
