//! `#[routine]` on a `trait`: whoever implements it has its methods as routines, so generic routines may call them. What a method with a body
//! does is a routine of the trait's own. An `impl` knows nothing of the trait but its path, so a macro of the trait's name, which comes with it
//! wherever it is imported, says which methods the trait provides, and a constant of that name has their routines.

use gpuvm_nodes::{method, name_hash};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Generics, ItemTrait, LifetimeParam, PredicateType, ReturnType, TraitItem, TraitItemFn, Type, TypeParamBound,
    Visibility, WhereClause, WherePredicate,
};

use crate::args::Args;
use crate::emit;
use crate::generic::{Twins, routine_name};
use crate::given;
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
    let (mut provided, mut generics, mut twins) = (Vec::new(), Vec::new(), Vec::new());
    for item in &mut native.items {
        let TraitItem::Fn(function) = item else {
            continue;
        };
        let hash = name_hash(&crate::plain_name(&function.sig.ident));
        let generic = Generic::of(args, function);
        if generic.is_none() {
            native
                .supertraits
                .push(syn::parse_quote!(::gpuvm::__private::Method<#hash>));
        }
        let method = Provided::of(args, &of, function, &mut report);
        if let (Some(method), Some(block)) = (&method, &mut function.default) {
            let original = args.originals.get(&crate::plain_name(&function.sig.ident));
            native::redirect(&function.sig, block, original);
            // What the trait is implemented for is as generic as any parameter.
            let guard = emit::guard(
                method.parts.lowered.calls,
                function.sig.ident.span(),
                TokenStream::new(),
                &of.generics,
            );
            emit::begin(block, guard);
        }
        if let Some(generic) = generic {
            if function.sig.receiver().is_some() && method::is_std(&generic.name, true) {
                report.generic_method(&function.sig.ident);
            }
            twins.extend(generic.items(&of, method.as_ref()));
            generics.push(generic);
        }
        provided.extend(method);
    }
    native.items.extend(twins);
    native.colon_token.get_or_insert_with(Default::default);
    let promised = (!provided.is_empty() || !generics.is_empty()).then(|| of.provided(&provided, !report.is_empty()));
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
        let names = own.params.iter().map(given::name);
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
        let (generic, plain): (Vec<_>, Vec<_>) = methods.iter().partition(|method| method.is_generic);
        let functions = plain.iter().map(|method| {
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
        let own = generic.iter().map(|method| {
            let name = &method.name;
            let message = format!(
                "`{name}` has parameters of its own and a body in the #[routine] trait, so an `impl` cannot have another; leave it out, or leave out the trait's"
            );
            quote!((@own #name $written:tt) => { ::core::compile_error! { #message } };)
        });
        let steps = plain.iter().map(|method| {
            let (name, hash) = (&method.name, method.hash);
            quote! {
                (@#name [#name $($rest:tt)*] $header:tt) => {};
                (@#name [$other:tt $($rest:tt)*] $header:tt) => {
                    __gpuvm_provided! { @#name [$($rest)*] $header }
                };
                (@#name [] { [$($home:tt)*] [$($header:tt)*] [$type:ty] [$($clause:tt)*] [$($arguments:tt)*] }) => {
                    #[automatically_derived]
                    impl $($header)* $($home)*::Method<#hash> for $type $($clause)* {
                        type Slot = $($home)*::MethodSlot<#hash, Self>;
                        const CALL: ::core::option::Option<$($home)*::CallFact> = __gpuvm_provided.#name::<$($arguments)*>();
                    }
                };
            }
        });
        let names = plain.iter().map(|method| &method.name);
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
                #(#own)*
                (@own $name:ident { $($written:tt)* }) => { $($written)* };
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
    parts: Parts,
    /// What the method asks of the trait's parameters and of `Self`, where its code is.
    clause: Option<WhereClause>,
    /// The generics of what stands for its routine.
    generics: Generics,
    /// The generics of the trait that its code is in.
    home_generics: Generics,
    /// Whether it has type or const parameters of its own.
    is_generic: bool,
}

/// A method with type or const parameters of its own, with a body or without: which routine it is, an associated type of the trait tells.
struct Generic {
    name: String,
    parts: Parts,
    own: Generics,
    lifetimes: Vec<LifetimeParam>,
    output: ReturnType,
}

impl Generic {
    fn of(args: &Args, function: &TraitItemFn) -> Option<Generic> {
        let nothing: syn::Block = syn::parse_quote!({});
        let name = crate::plain_name(&function.sig.ident);
        // Its body is another's affair.
        let parts = Parts::of(&function.sig, &nothing, Some(&name), &mut Report::default());
        let own = vm_generics(args.library, &parts.generics);
        (!own.params.is_empty()).then(|| Generic {
            own,
            lifetimes: function.sig.generics.lifetimes().cloned().collect(),
            output: function.sig.output.clone(),
            name,
            parts,
        })
    }

    /// What the trait has beside the method.
    fn items(&self, of: &Trait<'_>, provided: Option<&Provided>) -> Vec<TraitItem> {
        let (routine, own, clause) = (routine_name(&self.name), &self.own.params, &self.own.where_clause);
        let hash = name_hash(&self.name);
        let found = match provided {
            Some(provided) => {
                let marker = &provided.marker;
                let names = of.own.params.iter().map(given::name);
                let arguments = self.own.params.iter().map(|param| given::argument(param, &self.own));
                quote!(#marker<Self, #(#names,)* #(#arguments),*>)
            }
            None => given::routine_of(&quote!(Self::#routine), &self.own),
        };
        let twins = Twins {
            name: &self.name,
            parts: &self.parts,
            own: &self.own,
            lifetimes: &self.lifetimes,
            output: &self.output,
            routine: &found,
        };
        let twins = twins.tokens(&TokenStream::new(), Some(&of.own));
        let told = provided.is_none().then(|| {
            quote! {
                #[doc(hidden)]
                #[allow(non_camel_case_types)]
                type #routine<#own>: ::gpuvm::__private::Method<#hash> #clause;
            }
        });
        vec![TraitItem::Verbatim(quote!(#told #twins))]
    }
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
        let parts = Parts::of(&function.sig, &block, Some(&plain), report);
        let mut added = vm_generics(args.library, &parts.generics);
        added.where_clause = None;
        own.params.extend(added.params.iter().cloned());
        for mut param in added.params.iter().cloned() {
            NameSelf.visit_generic_param_mut(&mut param);
            generics.params.push(param);
        }
        Some(Provided {
            is_generic: !added.params.is_empty(),
            clause: own.where_clause.clone(),
            home_generics: own,
            generics,
            parts,
            hash: name_hash(&plain),
            marker: format_ident!("__Gpuvm_{}_{plain}", of.definition.ident, span = Span::call_site()),
            home: format_ident!(
                "__GpuvmSource_{}_{plain}",
                of.definition.ident,
                span = Span::call_site()
            ),
            name,
        })
    }

    fn tokens(&self, of: &Trait<'_>) -> TokenStream {
        let (visibility, path) = (&of.definition.vis, &of.path);
        let (marker, home, parts) = (&self.marker, &self.home, &self.parts);
        let (implementation, arguments, clause) = self.generics.split_for_impl();
        let mut any = self.generics.clone();
        any.params.push(syn::parse_quote!(const __NAME: u32));
        let (any, _, _) = any.split_for_impl();
        // What has found the method need not look for it by its name.
        let found = self.is_generic.then(|| {
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #any ::gpuvm::__private::Method<__NAME> for #marker #arguments #clause {
                    type Slot = ::gpuvm::__private::MethodSlot<__NAME, Self>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                        ::core::option::Option::Some(::gpuvm::__private::CallFact::of::<Self>());
                }
            }
        });
        let (own_implementation, own_arguments, _) = self.home_generics.split_for_impl();
        let own_clause = &self.clause;
        let bare = self.generics.params.iter().map(emit::bare);
        let types = self.generics.type_params().map(|param| &param.ident);
        let (params, result) = (emit::params(parts), emit::result(parts));
        let title = format!("{}::{}", of.definition.ident, crate::plain_name(&self.name));
        let source = emit::source_value(&title, self.name.span(), of.args, parts);
        let source_of = quote!(<__T as #home #own_arguments>);
        let inline = emit::inline(
            false,
            parts,
            &quote!(Self),
            &quote!(<Self as ::gpuvm::__private::RoutineType>),
            &self.generics,
        );
        let routine = emit::encoding(parts, &quote!(Self));
        quote! {
            #[doc(hidden)]
            // rustc looks at the user's own code, of which this is a copy in which closures are only types.
            #[allow(unused_variables, unused_assignments)]
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
            #found
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
