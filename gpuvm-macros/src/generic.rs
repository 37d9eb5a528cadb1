//! Methods with type or const parameters of their own. Their code hangs on the type as every method's does, told apart by a type that has the
//! parameters; rustc finds out what they are by a *twin*, a function beside the method with the same parameters, that a caller's shadow gives the
//! types of its arguments and its result.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{GenericParam, Generics, LifetimeParam, ReturnType, Type};

use crate::callable;
use crate::emit;
use crate::given;
use crate::lower::{asking_name, twin_name};
use crate::opaque::Pointer;
use crate::rewrite::Forever;
use crate::routine::{Parts, holds_references};

/// What twins are made of.
pub struct Twins<'m> {
    /// The method's name.
    pub name: &'m str,
    /// The method.
    pub parts: &'m Parts,
    /// Its own type and const parameters, as a routine has them.
    pub own: &'m Generics,
    /// Its lifetimes.
    pub lifetimes: &'m [LifetimeParam],
    /// Its result, as written.
    pub output: &'m ReturnType,
    /// What stands for the routine, for a caller's arguments.
    pub routine: &'m TokenStream,
}

impl Twins<'_> {
    /// The functions, in an `impl` block of the type or in a trait. `of_trait`: the trait's parameters; they are for any type then, so that what stands for an
    /// iterator has to be asked to be what the routine wants, which rustc sees of a type that it knows.
    pub fn tokens(&self, visibility: &TokenStream, of_trait: Option<&Generics>) -> TokenStream {
        let callers = given::for_callers(self.own);
        let (own, lifetimes, routine) = (&callers.params, self.lifetimes, self.routine);
        let mut clause = callers.where_clause.clone();
        if let Some(of) = of_trait {
            let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
            clause.predicates.push(syn::parse_quote!(Self: ::core::marker::Sized));
            for param in of.type_params() {
                let (name, bounds) = (&param.ident, &param.bounds);
                clause.predicates.push(syn::parse_quote!(#name: #bounds));
            }
            for param in self
                .own
                .type_params()
                .filter(|param| given::is_iterator(&param.ident, self.own))
            {
                let argument = given::argument(&GenericParam::Type(param.clone()), self.own);
                let bounds = &param.bounds;
                clause.predicates.push(syn::parse_quote!(#argument: #bounds));
            }
        }
        let (callables, named, output) = (&self.parts.callables, &self.parts.named, self.output);
        let first = self.parts.parameters.first();
        let receiver = first
            .filter(|first| matches!(&first.pattern, syn::Pat::Ident(name) if name.ident == "__self"))
            .map(|first| &first.ty);
        let asked = receiver.is_some().then(|| {
            let (twin, known) = (asking_name(self.name), self.known());
            quote! {
                #[doc(hidden)]
                #visibility fn #twin<#(#lifetimes,)* #own>(&self, _: &(#(::core::marker::PhantomData<#known>,)*)) -> ::core::marker::PhantomData<#routine>
                #clause
                {
                    ::core::marker::PhantomData
                }
            }
        });
        // What a method lends of one of several references, its own type cannot say.
        let is_unclear = receiver.is_some() && holds_references(&self.parts.result);
        let called = (!is_unclear).then(|| {
            let twin = twin_name(self.name);
            let Pointer {
                lifetimes: unnamed,
                hidden,
                inputs,
                output,
            } = Pointer::of(self.parts.is_opaque, receiver.into_iter().chain(named), output);
            quote! {
                #[doc(hidden)]
                #visibility fn #twin<#(#lifetimes,)* #(#unnamed,)* #own, #(#callables,)* #hidden>(&self, _: fn(#(#inputs),*) #output) -> ::core::marker::PhantomData<#routine>
                #clause
                {
                    ::core::marker::PhantomData
                }
            }
        });
        quote!(#asked #called)
    }

    /// The types of what a caller knows: its arguments, what a closure results in, and last the method's result.
    fn known(&self) -> Vec<TokenStream> {
        let skipped = self.parts.parameters.len() - self.parts.named.len();
        let parameters = self.parts.parameters.iter().skip(skipped);
        let mut known: Vec<TokenStream> = parameters
            .zip(&self.parts.named)
            .map(|(erased, named)| match pointer(&erased.ty) {
                Some(ReturnType::Type(_, ty)) if self.mentions_own(ty) => quote!(#ty),
                Some(_) => quote!(impl ::core::marker::Sized),
                None => quote!(#named),
            })
            .collect();
        let is_told = |param: &&GenericParam| match param {
            GenericParam::Type(param) => known.iter().any(|ty| given::mentions(ty, &param.ident)),
            GenericParam::Const(param) => known.iter().any(|ty| given::mentions(ty, &param.ident)),
            GenericParam::Lifetime(_) => true,
        };
        let result = &self.parts.result;
        known.push(
            match self.own.params.iter().all(|param| is_told(&param)) || self.parts.is_opaque {
                true => quote!(impl ::core::marker::Sized),
                false => quote!(#result),
            },
        );
        known
    }

    fn mentions_own(&self, ty: &Type) -> bool {
        self.own.params.iter().any(|param| match param {
            GenericParam::Type(param) => given::mentions(ty, &param.ident),
            GenericParam::Const(param) => given::mentions(ty, &param.ident),
            GenericParam::Lifetime(_) => false,
        })
    }
}

/// What is called by a parameter results in.
fn pointer(ty: &Type) -> Option<&ReturnType> {
    callable::references_to_callable(ty)?;
    match ty {
        Type::FnPtr(pointer) => Some(&pointer.output),
        Type::Reference(ty) => pointer(&ty.elem),
        Type::Paren(ty) => pointer(&ty.elem),
        Type::Group(ty) => pointer(&ty.elem),
        _ => None,
    }
}

/// The name of a trait's type that is what stands for the routine of a method with parameters of its own.
pub fn routine_name(method: &str) -> Ident {
    format_ident!("__GpuvmRoutine_{method}")
}

/// The name of the type that has a method's own parameters.
pub fn own_name(alias: &str) -> Ident {
    format_ident!("__GpuvmOwn_{alias}")
}

/// The type that has a method's own parameters.
pub fn own_type(alias: &str, own: &Generics) -> TokenStream {
    let name = own_name(alias);
    let params = own.params.iter().map(emit::bare);
    let types = own.type_params().map(|param| &param.ident);
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub struct #name<#(#params),*> {
            __types: ::core::marker::PhantomData<fn() -> (#(#types,)*)>,
        }
    }
}

/// A type without the lifetimes that it names.
pub fn forever(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Forever.visit_type_mut(&mut ty);
    ty
}
