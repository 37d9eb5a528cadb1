//! Methods with type or const parameters of their own. Their code hangs on the type as every method's does, told apart by a type that has the
//! parameters; rustc finds out what they are by a *twin*, a function beside the method with the same parameters, that a caller's shadow gives the
//! types of its arguments and its result.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Lifetime, LifetimeParam, PathArguments, ReceiverKind, ReturnType, Signature, Type};

use crate::callable;
use crate::emit;
use crate::given;
use crate::lower::{asking_name, twin_name};
use crate::opaque::Pointer;
use crate::parameters::{asked_of_erased, asked_of_others};
use crate::rewrite::Forever;
use crate::routine::{Parts, bound_behind};

/// What twins are made of.
pub struct Twins<'m> {
    /// The method's name.
    pub name: &'m str,
    /// The method.
    pub parts: &'m Parts,
    /// Its own type and const parameters, as a routine has them.
    pub own: &'m Generics,
    /// Its lifetimes, as [`receiver_as_written`] has them.
    pub lifetimes: &'m [LifetimeParam],
    /// The type of its receiver, likewise.
    pub receiver: Option<&'m Type>,
    /// Its result, likewise.
    pub output: &'m ReturnType,
    /// What they ask besides.
    pub asked: Option<&'m syn::WhereClause>,
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
        if let Some(of) = of_trait.filter(|_| !own.is_empty()) {
            let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
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
            // What the method asks of its own parameters has to hold of what they are without lifetimes.
            for param in self
                .own
                .type_params()
                .filter(|param| !given::is_iterator(&param.ident, self.own) && !given::is_range(&param.ident, self.own))
            {
                let (name, asked) = (&param.ident, asked_of_erased(&param.ident, self.own, self.own));
                let behind = bound_behind(name, &self.parts.generics).into_iter();
                clause
                    .predicates
                    .push(syn::parse_quote!(<#name as ::gpuvm::__private::Value>::Erased: #asked #(+ #behind)*));
            }
            clause.predicates.extend(asked_of_others(self.own));
        }
        if let Some(asked) = self.asked {
            let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
            clause.predicates.extend(asked.predicates.iter().cloned());
        }
        let (callables, named, output) = (&self.parts.callables, &self.parts.named, self.output);
        let own_comma = (!own.empty_or_trailing()).then(|| quote!(,));
        let params = self.own.params.iter().chain(of_trait.iter().flat_map(|of| &of.params));
        let params: Vec<&GenericParam> = params.collect();
        let asked = self.receiver.is_some().then(|| {
            let (twin, known) = (asking_name(self.name), self.known(&params));
            let known = match params.is_empty() {
                true => quote!(impl ::core::marker::Sized),
                false => quote!((#(::core::marker::PhantomData<#known>,)*)),
            };
            quote! {
                #[doc(hidden)]
                #visibility fn #twin<#(#lifetimes,)* #own>(&self, _: &#known) -> ::core::marker::PhantomData<#routine>
                #clause
                {
                    ::core::marker::PhantomData
                }
            }
        });
        let twin = twin_name(self.name);
        let Pointer {
            lifetimes: unnamed,
            hidden,
            inputs,
            output,
        } = Pointer::of(self.parts.is_opaque, self.receiver.into_iter().chain(named), output);
        quote! {
            #asked
            #[doc(hidden)]
            #visibility fn #twin<#(#lifetimes,)* #(#unnamed,)* #own #own_comma #(#callables,)* #hidden>(&self, _: fn(#(#inputs),*) #output) -> ::core::marker::PhantomData<#routine>
            #clause
            {
                ::core::marker::PhantomData
            }
        }
    }

    /// The types of what a caller knows, as far as they tell some of the parameters: its arguments, what a closure results in, and last the method's
    /// result.
    fn known(&self, params: &[&GenericParam]) -> Vec<TokenStream> {
        let is_plain = self.own.params.is_empty();
        let skipped = self.parts.parameters.len() - self.parts.named.len();
        let parameters = self.parts.parameters.iter().skip(skipped);
        let mut known: Vec<TokenStream> = parameters
            .zip(&self.parts.named)
            .map(|(erased, named)| match pointer(&erased.ty) {
                Some(ReturnType::Type(_, ty)) if mentions_any(ty, params) => quote!(#ty),
                Some(_) => quote!(impl ::core::marker::Sized),
                None if is_plain && !mentions_any(named, params) => quote!(impl ::core::marker::Sized),
                None => quote!(#named),
            })
            .collect();
        let is_told = |param: &&GenericParam| match param {
            GenericParam::Type(param) => known.iter().any(|ty| given::mentions(ty, &param.ident)),
            GenericParam::Const(param) => known.iter().any(|ty| given::mentions(ty, &param.ident)),
            GenericParam::Lifetime(_) => true,
        };
        let result = &self.parts.result;
        known.push(match params.iter().all(is_told) || self.parts.is_opaque {
            true => quote!(impl ::core::marker::Sized),
            false => quote!(#result),
        });
        known
    }
}

fn mentions_any(ty: &Type, params: &[&GenericParam]) -> bool {
    params.iter().any(|param| match param {
        GenericParam::Type(param) => given::mentions(ty, &param.ident),
        GenericParam::Const(param) => given::mentions(ty, &param.ident),
        GenericParam::Lifetime(_) => false,
    })
}

/// The type of a method's receiver, its result and its lifetimes, with a name for the receiver's own lifetime, which the result may be left to have:
/// of a function that is no method, rustc would not know.
pub fn receiver_as_written(signature: &Signature) -> (Option<Type>, ReturnType, Vec<LifetimeParam>) {
    let mut lifetimes: Vec<LifetimeParam> = signature.generics.lifetimes().cloned().collect();
    let mut output = signature.output.clone();
    let receiver = signature.receiver().map(|receiver| match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, mutable) => {
            let lifetime = lifetime.clone().unwrap_or_else(|| {
                let own = Lifetime::new("'__s", Span::mixed_site());
                lifetimes.push(LifetimeParam::new(own.clone()));
                own
            });
            Lend(&lifetime).visit_return_type_mut(&mut output);
            syn::parse_quote!(&#lifetime #mutable Self)
        }
        _ => syn::parse_quote!(Self),
    });
    (receiver, output, lifetimes)
}

/// Puts a lifetime where one is left out.
struct Lend<'l>(&'l Lifetime);

impl VisitMut for Lend<'_> {
    fn visit_lifetime_mut(&mut self, node: &mut Lifetime) {
        if node.ident == "_" {
            *node = self.0.clone();
        }
    }

    fn visit_type_reference_mut(&mut self, node: &mut syn::TypeReference) {
        node.lifetime.get_or_insert_with(|| self.0.clone());
        visit_mut::visit_type_reference_mut(self, node);
    }

    fn visit_type_path_mut(&mut self, node: &mut syn::TypePath) {
        let count = crate::borrowed::lifetimes_left_out(node);
        if let Some(last) = node.path.segments.last_mut().filter(|_| count > 0) {
            let lifetime = self.0;
            let lifetimes = (0..count).map(|_| quote!(#lifetime));
            let others = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.clone(),
                _ => Default::default(),
            };
            let arguments = lifetimes.chain(others.iter().map(ToTokens::to_token_stream));
            last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<#(#arguments),*>));
        }
        visit_mut::visit_type_path_mut(self, node);
    }

    // `fn(&T)` has lifetimes of its own.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut syn::ParenthesizedGenericArguments) {}

    fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}
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

/// The name of a trait's item that tells the routine of a method. rustc names it where an `impl` lacks it.
pub fn routine_name(method: &str) -> Ident {
    format_ident!("__put_routine_above_this_impl_for_{method}")
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
        pub struct #name<#(#params),*> {
            __types: ::core::marker::PhantomData<fn(#(::core::marker::PhantomData<#types>),*)>,
        }
    }
}

/// A type with `'static` for all its lifetimes, those as well that are left out.
pub fn all_forever(ty: &Type) -> Type {
    let mut ty = forever(ty);
    Lend(&Lifetime::new("'static", Span::mixed_site())).visit_type_mut(&mut ty);
    ty
}

/// A type without the lifetimes that it names.
pub fn forever(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Forever.visit_type_mut(&mut ty);
    ty
}
