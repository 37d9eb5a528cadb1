//! `#[routine]` on a `trait`: whoever implements it has its methods as routines, so generic routines may call them. What a method with a body
//! does is a routine of the trait's own. An `impl` knows nothing of the trait but its path, so a macro of the trait's name, which comes with it
//! wherever it is imported, says which methods the trait provides, and a constant of that name has their routines.

use gpuvm_nodes::name_hash;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    GenericParam, Generics, ItemTrait, PredicateType, TraitItem, TraitItemFn, Type, TypeParamBound, Visibility,
    WhereClause, WherePredicate,
};

use crate::args::Args;
use crate::callable;
use crate::emit;
use crate::native;
use crate::report::Report;
use crate::rewrite::{Forever, Qualify};
use crate::routine::{Parts, promises, turbofish, vm_generics};

/// `#[routine] trait Trait { … }`
pub fn definition(args: &Args, definition: &ItemTrait, mut report: Report) -> TokenStream {
    let mut native = definition.clone();
    let promised = super_promises(definition);
    native.supertraits.extend(promised);
    let of = Trait::of(args, definition);
    let mut provided = Vec::new();
    for item in &mut native.items {
        let TraitItem::Fn(function) = item else {
            continue;
        };
        let kept = match &function.default {
            Some(block) => callable::erase(&function.sig, block).signature.generics,
            None => function.sig.generics.clone(),
        };
        if kept
            .params
            .iter()
            .any(|param| !matches!(param, GenericParam::Lifetime(_)))
        {
            report.generic_method(&function.sig.generics);
        }
        let hash = name_hash(&crate::plain_name(&function.sig.ident));
        native
            .supertraits
            .push(syn::parse_quote!(::gpuvm::__private::Method<#hash>));
        let method = Provided::of(args, &of, function, &mut report);
        if let (Some(method), Some(block)) = (&method, &mut function.default) {
            native::redirect(block, function.sig.constness.is_some());
            // What the trait is implemented for is as generic as any parameter.
            let guard = emit::guard(
                method.parts.lowered.calls,
                function.sig.ident.span(),
                TokenStream::new(),
                &of.generics,
            );
            emit::begin(block, guard);
        }
        provided.extend(method);
    }
    native.colon_token.get_or_insert_with(Default::default);
    let promised = (!provided.is_empty()).then(|| of.provided(&provided, !report.is_empty()));
    let errors = report.into_tokens();
    quote!(#native #promised #errors)
}

/// The operators and methods that a trait's own supertraits promise.
fn super_promises(definition: &ItemTrait) -> Vec<TypeParamBound> {
    let own: Type = syn::parse_quote!(Self);
    promises(&own, definition.supertraits.iter())
        .into_iter()
        .filter_map(|predicate| match predicate {
            WherePredicate::Type(PredicateType { bounds, .. }) => Some(bounds),
            _ => None,
        })
        .flatten()
        .collect()
}

/// What all provided methods of a trait share.
struct Trait<'t> {
    args: &'t Args,
    definition: &'t ItemTrait,
    /// The trait for a value that lives as long as it will.
    path: syn::Path,
    /// The trait's type and const parameters.
    own: Generics,
    /// What the trait is implemented for, and after it the trait's own.
    generics: Generics,
}

impl<'t> Trait<'t> {
    fn of(args: &'t Args, definition: &'t ItemTrait) -> Trait<'t> {
        let name = &definition.ident;
        let mut own = vm_generics(args.library, &definition.generics);
        // What holds of `Self` is the trait's own to say.
        if let Some(clause) = &mut own.where_clause {
            clause.predicates = std::mem::take(&mut clause.predicates)
                .into_iter()
                .filter(|predicate| !is_of_self(predicate))
                .collect();
        }
        let mut forever = definition.generics.clone();
        Forever.visit_generics_mut(&mut forever);
        let lifetimes = forever.lifetimes().map(|param| &param.lifetime);
        let names = own.params.iter().map(argument);
        let path: syn::Path = syn::parse_quote!(#name<#(#lifetimes,)* #(#names),*>);
        let mut generics = own.clone();
        generics
            .params
            .insert(0, syn::parse_quote!(__T: #path + ::gpuvm::__private::Parameter));
        Trait {
            args,
            definition,
            path,
            own,
            generics,
        }
    }

    /// The routines of the methods that the trait provides, and how an `impl` finds them. Beside errors there are none to find, so that impls and
    /// callers show none of their own.
    fn provided(&self, methods: &[Provided], refused: bool) -> TokenStream {
        let (name, visibility) = (&emit::generated(&self.definition.ident), &self.definition.vis);
        let companion = format_ident!("__GpuvmProvided{name}");
        let sources = methods.iter().filter(|_| !refused).map(|method| method.tokens(self));
        let turbofish = turbofish(&self.generics);
        let functions = methods.iter().map(|method| {
            let (name, marker) = (emit::generated(&method.name), &method.marker);
            let (implementation, _, clause) = method.generics.split_for_impl();
            let call = if refused {
                quote!(::core::option::Option::None)
            } else {
                quote!(::core::option::Option::Some(::gpuvm::__private::CallFact::of::<#marker #turbofish>()))
            };
            quote! {
                pub const fn #name #implementation (self) -> ::core::option::Option<::gpuvm::__private::CallFact>
                #clause
                {
                    #call
                }
            }
        });
        let list = self.list_name();
        let steps = methods.iter().map(|method| {
            let (name, hash) = (&method.name, method.hash);
            quote! {
                (@#name [#name $($rest:tt)*] $header:tt) => {};
                (@#name [$other:tt $($rest:tt)*] $header:tt) => {
                    __gpuvm_provided! { @#name [$($rest)*] $header }
                };
                (@#name [] { [$($home:tt)*] [$($header:tt)*] [$type:ty] [$($clause:tt)*] [$($arguments:tt)*] }) => {
                    #[automatically_derived]
                    impl $($header)* $($home)*::Method<#hash> for $type $($clause)* {
                        const CALL: ::core::option::Option<$($home)*::CallFact> = __gpuvm_provided.#name::<$($arguments)*>();
                    }
                };
            }
        });
        let names = methods.iter().map(|method| &method.name);
        // A macro goes no further than its crate without this.
        let export = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[macro_export]));
        quote! {
            #(#sources)*
            #[doc(hidden)]
            #[derive(::core::clone::Clone, ::core::marker::Copy)]
            #visibility struct #companion;
            impl #companion {
                #(#functions)*
            }
            #[doc(hidden)]
            #visibility const #name: #companion = #companion;
            #[doc(hidden)]
            #export
            macro_rules! #list {
                #(#steps)*
                ([$($written:tt)*] $header:tt) => {
                    #(__gpuvm_provided! { @#names [$($written)*] $header })*
                };
            }
            #[doc(hidden)]
            #visibility use #list as #name;
        }
    }

    /// The name of the macro; those that are exported share one scope.
    fn list_name(&self) -> Ident {
        let name = &self.definition.ident;
        let start = name.span().start();
        let place = format!("{}:{}:{}", name.span().file(), start.line, start.column);
        format_ident!(
            "__gpuvm_provided_{name}_{:08x}",
            name_hash(&place),
            span = Span::call_site()
        )
    }
}

/// One method with a body.
struct Provided {
    name: Ident,
    hash: u32,
    /// The type that stands for its routine.
    marker: Ident,
    /// The trait in which its code is, so that `Self` means what it means in the user's.
    home: Ident,
    /// By which its callees are known.
    alias: String,
    parts: Parts,
    /// What the method asks of the trait's parameters and of `Self`, where its code is.
    clause: Option<WhereClause>,
    /// The generics of what stands for its routine.
    generics: Generics,
}

impl Provided {
    fn of(args: &Args, of: &Trait<'_>, function: &TraitItemFn, report: &mut Report) -> Option<Provided> {
        let mut function = function.clone();
        let types = of.definition.items.iter().filter_map(|item| match item {
            TraitItem::Type(item) => Some(item.ident.to_string()),
            _ => None,
        });
        Qualify {
            path: &of.path,
            types: types.collect(),
        }
        .visit_trait_item_fn_mut(&mut function);
        let block = function.default?;
        let name = function.sig.ident.clone();
        let plain = crate::plain_name(&name);
        let alias = format!("{plain}_of_{}", of.definition.ident);
        function.sig.ident = Ident::new(&alias, name.span());
        // Lifetimes and type parameters of the method's own are no concern of what it asks of the trait's.
        let asked = Generics {
            where_clause: function.sig.generics.where_clause.clone(),
            ..Generics::default()
        };
        let asked = vm_generics(args.library, &asked).where_clause;
        let predicates = asked.map(|clause| clause.predicates).unwrap_or_default();
        let (mut own, mut generics) = (of.own.clone(), of.generics.clone());
        if !predicates.is_empty() {
            own.make_where_clause().predicates.extend(predicates.clone());
            generics
                .make_where_clause()
                .predicates
                .extend(predicates.into_iter().map(|mut predicate| {
                    NameSelf.visit_where_predicate_mut(&mut predicate);
                    predicate
                }));
        }
        Some(Provided {
            clause: own.where_clause,
            generics,
            parts: Parts::of(&function.sig, &block, Some(&plain), report),
            hash: name_hash(&plain),
            marker: format_ident!("__Gpuvm_{}_{plain}", of.definition.ident, span = Span::call_site()),
            home: format_ident!(
                "__GpuvmSource_{}_{plain}",
                of.definition.ident,
                span = Span::call_site()
            ),
            name,
            alias,
        })
    }

    fn tokens(&self, of: &Trait<'_>) -> TokenStream {
        let (visibility, path) = (&of.definition.vis, &of.path);
        let (marker, home, parts) = (&self.marker, &self.home, &self.parts);
        let (implementation, arguments, clause) = self.generics.split_for_impl();
        let (own_implementation, own_arguments, _) = of.own.split_for_impl();
        let own_clause = &self.clause;
        let bare = of.generics.params.iter().map(emit::bare);
        let types = of.generics.type_params().map(|param| &param.ident);
        let (params, result) = (emit::params(parts), emit::result(parts));
        let title = format!("{}::{}", of.definition.ident, crate::plain_name(&self.name));
        let source = emit::source_value(&title, self.name.span(), of.args, parts);
        let source_of = quote!(<__T as #home #own_arguments>);
        let inline = emit::inline(
            false,
            parts,
            &quote!(Self),
            &quote!(<Self as ::gpuvm::__private::RoutineType>),
            &of.generics,
        );
        let routine = emit::encoding(parts, &quote!(Self));
        let callees = emit::callees(&self.alias, &parts.lowered, &[]);
        quote! {
            #[doc(hidden)]
            #visibility trait #home #own_implementation: #path + ::gpuvm::__private::Parameter #own_clause {
                const __GPUVM_PARAMS: &'static [::gpuvm::__private::TypeRef] = #params;
                const __GPUVM_RESULT: ::gpuvm::__private::TypeRef = #result;
                const __GPUVM_SOURCE: &'static ::gpuvm::__private::Source = #source;
            }
            #[automatically_derived]
            impl #implementation #home #own_arguments for __T #clause {}
            #[doc(hidden)]
            #visibility struct #marker<#(#bare),*> {
                __types: ::core::marker::PhantomData<fn() -> (#(#types,)*)>,
            }
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RoutineSource for #marker #arguments #clause {
                const SOURCE: &'static ::gpuvm::__private::Source = #source_of::__GPUVM_SOURCE;
            }
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RoutineType for #marker #arguments #clause {
                const PARAMS: &'static [::gpuvm::__private::TypeRef] = #source_of::__GPUVM_PARAMS;
                const RESULT: ::gpuvm::__private::TypeRef = #source_of::__GPUVM_RESULT;
                #inline
                fn routine() -> &'static ::gpuvm::__private::Routine {
                    #routine
                }
            }
            #callees
        }
    }
}

/// Puts what the trait is implemented for in the place of `Self`.
struct NameSelf;

impl VisitMut for NameSelf {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        if let Some(first) = path.segments.first_mut().filter(|first| first.ident == "Self") {
            first.ident = Ident::new("__T", first.ident.span());
        }
    }
}

/// Whether a predicate is about `Self`.
fn is_of_self(predicate: &WherePredicate) -> bool {
    let WherePredicate::Type(predicate) = predicate else {
        return false;
    };
    matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident("Self"))
}

/// A parameter's name, as an argument.
fn argument(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
    }
}
