//! `#[routine]` on a `trait`: whoever implements it has its methods as routines, so generic routines may call them. Which routine a method is, an
//! item of the trait beside it tells, and a twin, so that rustc finds both where it finds the method. What a method with a body does is a routine of
//! the trait's own. An `impl` knows nothing of the trait but its path, so a macro of the trait's name, which comes with it wherever it is imported,
//! fills in the items of the methods that the `impl` does not write, and a constant of that name has their routines.

use gpuvm_nodes::name_hash;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Generics, ItemTrait, LifetimeParam, PredicateType, ReturnType, TraitItem, TraitItemFn, Type, TypeParam,
    TypeParamBound, Visibility, WhereClause, WherePredicate,
};

use crate::args::Args;
use crate::code::{Code, Home};
use crate::emit;
use crate::generic::{Twins, receiver_as_written, routine_name};
use crate::given;
use crate::namesakes;
use crate::native::{self, SelfType};
use crate::promised;
use crate::report::Report;
use crate::rewrite::{Forever, Qualify};
use crate::routine::{
    Parts, Within, bound_behind, is_users, promised_of_itself, promises, turbofish, value_bounds, vm_generics,
};

/// `#[routine] trait Trait { … }`
pub fn definition(args: &Args, definition: &ItemTrait, mut report: Report) -> TokenStream {
    let mut native = definition.clone();
    // The operators and methods that its own supertraits promise.
    let promised = promised_of_itself(&syn::parse_quote!(Self), definition.supertraits.iter());
    native.supertraits.extend(promised);
    let of = Trait::of(args, definition);
    let asked = match !args.library && !of.of_iterators {
        true => promised::methods_of_values(definition, &of.names()),
        false => Vec::new(),
    };
    let (mut provided, mut methods, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for item in &mut native.items {
        if let TraitItem::Type(associated) = item {
            associated.colon_token.get_or_insert_with(Default::default);
            let promised = part_promises(associated);
            associated.bounds.extend(promised);
        }
        let TraitItem::Fn(function) = item else {
            continue;
        };
        let method = Method::of(args, &of, function);
        let body = Provided::of(args, &of, function, &mut report);
        if let (Some(body), Some(block)) = (&body, &mut function.default) {
            let original = args.originals.get(&crate::plain_name(&function.sig.ident));
            native::redirect(&function.sig, block, original, SelfType::Users);
            // What the trait is implemented for is as generic as any parameter.
            let guard = emit::guard(
                body.parts.lowered.calls,
                function.sig.ident.span(),
                TokenStream::new(),
                &of.generics,
            );
            emit::begin(block, guard);
        }
        if method.is_generic() && function.sig.receiver().is_some() && namesakes::is_taken(&method.name) {
            report.generic_method(&function.sig.ident);
        }
        if !args.library {
            promised::of_method(&mut function.sig, &mut function.attrs, &Generics::default());
            if asked.contains(&function.sig.ident) {
                let asked = of.asked_of_self();
                function.sig.generics.make_where_clause().predicates.push(asked);
            }
        }
        beside.extend(method.items(&of, body.as_ref()));
        methods.push(method);
        provided.extend(body);
    }
    native.items.extend(beside);
    native.colon_token.get_or_insert_with(Default::default);
    let found = (!methods.is_empty()).then(|| of.found(&methods, &provided, !report.is_empty()));
    let errors = report.into_tokens();
    quote!(#native #found #errors)
}

/// That an associated type is one of the machine's, and what its bounds promise: whoever names it knows of no more than the trait says. What has parameters of its
/// own may be anything for some of them.
fn part_promises(associated: &syn::TraitItemType) -> Vec<TypeParamBound> {
    if !associated.generics.params.is_empty() {
        return Vec::new();
    }
    let name = &associated.ident;
    let itself: Type = syn::parse_quote!(Self::#name);
    let text = |ty: &Type| ty.to_token_stream().to_string();
    let inner = text(&syn::parse_quote!(<#itself as ::gpuvm::__private::Value>::Inner));
    let bounds = &associated.bounds;
    let as_param: TypeParam = syn::parse_quote!(#name: #bounds);
    let declared: Generics = syn::parse_quote!(<#as_param>);
    let mut found: Vec<TypeParamBound> = match namesakes::lends(name.span(), &crate::plain_name(name)) {
        true => vec![syn::parse_quote!(::gpuvm::__private::Value<Erased: ::gpuvm::__private::Parameter>)],
        false if is_users(name, &declared) => {
            let bounds = value_bounds(&as_param, &declared).into_iter();
            bounds.chain(bound_behind(name, &declared)).collect()
        }
        false => vec![syn::parse_quote!(::gpuvm::__private::Parameter)],
    };
    // Of what cannot be a reference, rustc knows what is behind it.
    let is_value = associated.bounds.iter().any(|bound| {
        matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == "VmType" || last.ident == "Default"))
    });
    for predicate in promises(&itself, associated.bounds.iter()) {
        let WherePredicate::Type(PredicateType { bounded_ty, bounds, .. }) = predicate else {
            continue;
        };
        if text(&bounded_ty) == text(&itself) || text(&bounded_ty) == inner && is_value {
            found.extend(bounds);
        } else if text(&bounded_ty) == inner {
            found.push(syn::parse_quote!(::gpuvm::__private::Value<Inner: #bounds>));
        }
    }
    found
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
    /// What is asked of that where the code is.
    asked: TokenStream,
    /// Whether it is a trait of iterators. What its methods do is written for any that is given, so an `impl` has nothing to tell of them.
    of_iterators: bool,
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
        let itself = Ident::new("Self", Span::call_site());
        let supertraits = &definition.supertraits;
        let mut of_itself = Generics::default();
        if !supertraits.is_empty() {
            let predicates = &mut of_itself.make_where_clause().predicates;
            predicates.push(syn::parse_quote!(Self: #supertraits));
        }
        let given = given::bounds(&itself, &of_itself);
        let of_iterators = !given.is_empty();
        let (asked, size) = match of_iterators {
            true => (quote!(#path #(+ #given)*), TokenStream::new()),
            false if namesakes::is_of_references(name.span(), &crate::plain_name(name)) => (
                quote!(#path + ::gpuvm::__private::Receiver),
                quote!(+ ?::core::marker::Sized),
            ),
            // A reference has its methods as what it refers to.
            false if namesakes::is_found_behind(name.span(), &crate::plain_name(name)) => (
                quote!(#path + ::gpuvm::__private::Receiver + ::gpuvm::__private::Value<Inner: #path + ::gpuvm::__private::Implementor>),
                quote!(+ ?::core::marker::Sized),
            ),
            false => (
                quote!(#path + ::gpuvm::__private::Implementor),
                quote!(+ ?::core::marker::Sized),
            ),
        };
        generics.params.insert(0, syn::parse_quote!(__T: #asked #size));
        Trait {
            args,
            definition,
            path,
            own,
            generics,
            asked,
            of_iterators,
        }
    }

    /// What stands for the methods, the routines of those that the trait provides, and how an `impl` finds them. Beside errors there are none to find,
    /// so that impls and callers show none of their own.
    fn found(&self, methods: &[Method], provided: &[Provided], refused: bool) -> TokenStream {
        let (name, visibility) = (&emit::generated(&self.definition.ident), &self.definition.vis);
        let companion = format_ident!("__GpuvmProvided{}", name, span = Span::call_site());
        let bodies = |name: &str| provided.iter().any(|method| method.name == name);
        let markers = methods.iter().map(|method| method.marker(self, bodies(&method.name)));
        let sources = provided.iter().filter(|_| !refused).map(|method| method.tokens(self));
        let turbofish = turbofish(&self.generics);
        let is_for_sized = |name: &Ident| {
            let mut of_name = methods.iter().filter(|method| name == &method.name);
            of_name.any(|method| method.is_for_sized(self))
        };
        let functions = provided
            .iter()
            .filter(|method| !method.is_generic && !self.of_iterators && !is_for_sized(&method.name))
            .map(|method| {
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
        let (generic, plain): (Vec<_>, Vec<_>) = methods
            .iter()
            .partition(|method| method.is_bound(self, bodies(&method.name)));
        let own = generic.iter().filter(|method| bodies(&method.name)).map(|method| {
            let name = Ident::new(&method.name, Span::call_site());
            let what = match method.is_generic() {
                true => "has parameters of its own and a body in the #[routine] trait",
                false if self.of_iterators => "has a body in the #[routine] trait, which is one of iterators",
                false => "has a body for all that have a size in the #[routine] trait",
            };
            let message =
                format!("`{name}` {what}, so an `impl` cannot have another; leave it out, or leave out the trait's");
            quote!((@own #name $written:tt) => { ::core::compile_error! { #message } };)
        });
        let steps = plain.iter().map(|method| {
            let (name, call) = (Ident::new(&method.name, Span::call_site()), routine_name(&method.name));
            let value = match bodies(&method.name) {
                true => quote!(__gpuvm_provided.#name::<$($arguments)*>()),
                // That the method is missing rustc says.
                false => quote!(::core::option::Option::None),
            };
            quote! {
                (@#name [#name $($rest:tt)*] $header:tt) => {};
                (@#name [$other:tt $($rest:tt)*] $header:tt) => {
                    __gpuvm_provided! { @#name [$($rest)*] $header }
                };
                (@#name [] { [$($home:tt)*] [$($arguments:tt)*] }) => {
                    const #call: ::core::option::Option<$($home)*::CallFact> = #value;
                };
            }
        });
        let names = plain.iter().map(|method| Ident::new(&method.name, Span::call_site()));
        // A macro goes no further than its crate without this.
        let export = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[macro_export]));
        quote! {
            #(#markers)*
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
                (@unlisted $methods:tt) => {};
                (@trait { $($form:tt)* } $other:tt) => { $($form)* };
                #(#steps)*
                (@rest [$($written:tt)*] $header:tt) => {
                    #(__gpuvm_provided! { @#names [$($written)*] $header })*
                };
            }
            #[doc(hidden)]
            #visibility use #list as #name;
        }
    }

    /// That what implements it is a value of the machine, for a method of its own.
    fn asked_of_self(&self) -> WherePredicate {
        let path = &self.path;
        match self.is_found_behind() {
            true => {
                syn::parse_quote!(Self: ::gpuvm::__private::Value<Erased: #path + ::gpuvm::__private::Referred + ::gpuvm::__private::Value<Inner: #path + ::gpuvm::__private::Implementor>>)
            }
            false => {
                syn::parse_quote!(Self: ::gpuvm::__private::Value<Erased: #path + ::gpuvm::__private::Implementor>)
            }
        }
    }

    /// The names of the trait and of its supertraits.
    fn names(&self) -> Vec<&'t Ident> {
        let supertraits = self.definition.supertraits.iter().filter_map(|of| match of {
            TypeParamBound::Trait(of) => of.path.segments.last(),
            _ => None,
        });
        let supertraits = supertraits.map(|last| &last.ident);
        std::iter::once(&self.definition.ident).chain(supertraits).collect()
    }

    /// Whether a reference has its methods as what it refers to.
    fn is_found_behind(&self) -> bool {
        let name = &self.definition.ident;
        namesakes::is_found_behind(name.span(), &crate::plain_name(name))
    }

    /// Its lifetimes.
    fn lifetimes(&self) -> impl Iterator<Item = &'t syn::Lifetime> {
        self.definition.generics.lifetimes().map(|param| &param.lifetime)
    }

    /// What a method of that name is in.
    fn within<'w>(&'w self, name: &'w str) -> Within<'w> {
        Within {
            name,
            generics: &self.definition.generics,
            is_trait: true,
            is_of_references: namesakes::is_of_references(
                self.definition.ident.span(),
                &crate::plain_name(&self.definition.ident),
            ),
            of: None,
        }
    }

    /// The `self` of a method with a body that takes by value what nothing here says has a size.
    fn unsized_receiver<'s>(&self, signature: &'s syn::Signature) -> Option<&'s syn::Receiver> {
        let receiver = signature.receiver()?;
        let is_value = matches!(receiver.kind, syn::ReceiverKind::Value);
        let clauses = [&self.definition.generics.where_clause, &signature.generics.where_clause];
        let is_asked = clauses
            .into_iter()
            .flatten()
            .any(|clause| clause.predicates.iter().any(is_of_self));
        // Another trait may ask for a size of its own.
        let is_plain = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Lifetime(_));
        let may_have_none = !is_asked && self.definition.supertraits.iter().all(is_plain);
        (is_value && may_have_none).then_some(receiver)
    }

    /// The name of the macro; those that are exported share one scope.
    fn list_name(&self) -> Ident {
        let name = &self.definition.ident;
        let start = name.span().start();
        let place = format!("{}:{}:{}", name.span().file(), start.line, start.column);
        format_ident!(
            "__gpuvm_provided_{}_{:08x}",
            name,
            name_hash(&place),
            span = Span::call_site()
        )
    }
}

/// One method with a body.
struct Provided {
    name: Ident,
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

/// A method, with a body or without: which routine it is, an item of the trait beside it tells.
struct Method {
    name: String,
    parts: Parts,
    /// Its own type and const parameters.
    own: Generics,
    lifetimes: Vec<LifetimeParam>,
    receiver: Option<Type>,
    output: ReturnType,
    /// What it asks, as its user wrote it.
    clause: Option<WhereClause>,
}

impl Method {
    fn of(args: &Args, of: &Trait<'_>, function: &TraitItemFn) -> Method {
        let nothing: syn::Block = syn::parse_quote!({});
        let name = crate::plain_name(&function.sig.ident);
        // Its body is another's affair.
        let parts = Parts::of(
            &function.sig,
            &nothing,
            Some(&of.within(&name)),
            false,
            &mut Report::default(),
        );
        let mut own = vm_generics(args.library, &parts.generics);
        if own.params.is_empty() {
            own = Generics::default();
        }
        let (receiver, output, lifetimes) = receiver_as_written(&function.sig);
        Method {
            own,
            lifetimes,
            receiver,
            output,
            name,
            parts,
            clause: function.sig.generics.where_clause.clone(),
        }
    }

    /// Whether it has type or const parameters of its own: then its item is a type with these parameters, and else a constant.
    fn is_generic(&self) -> bool {
        !self.own.params.is_empty()
    }

    /// Whether which routine it is follows from the types alone: it has parameters of its own, or a body for any iterator that is given, or for all with a size of what
    /// has the trait by one `impl`.
    fn is_bound(&self, of: &Trait<'_>, is_provided: bool) -> bool {
        self.is_generic() || is_provided && (of.of_iterators || self.is_for_sized(of))
    }

    /// Whether the method asks for a size where the trait is implemented for a type parameter, which may have none: no constant can tell its routine then, and no other
    /// `impl` has another.
    fn is_for_sized(&self, of: &Trait<'_>) -> bool {
        let clause = self.clause.iter().flat_map(|clause| &clause.predicates);
        let asks = clause.filter(|predicate| is_of_self(predicate)).any(|predicate| {
            let text = predicate.to_token_stream().to_string();
            text.ends_with("Sized")
        });
        let name = &of.definition.ident;
        asks && namesakes::is_of_parameters(name.span(), &crate::plain_name(name))
    }

    /// The name of the type that stands for the method of whoever implements the trait.
    fn marker_name(&self, of: &Trait<'_>) -> Ident {
        format_ident!(
            "__GpuvmMethod_{}_{}",
            of.definition.ident,
            self.name,
            span = Span::call_site()
        )
    }

    /// What the trait has beside the method.
    fn items(&self, of: &Trait<'_>, provided: Option<&Provided>) -> Vec<TraitItem> {
        let (routine, own, clause) = (routine_name(&self.name), &self.own.params, &self.own.where_clause);
        let hash = name_hash(&self.name);
        let names = of.own.params.iter().map(given::name);
        let is_bound = self.is_bound(of, provided.is_some());
        let found = match (is_bound, provided) {
            (false, _) => {
                let (marker, lifetimes) = (self.marker_name(of), of.lifetimes());
                quote!(#marker<#(#lifetimes,)* Self, #(#names),*>)
            }
            (true, Some(provided)) => {
                let marker = &provided.marker;
                let arguments = self.own.params.iter().map(|param| given::argument(param, &self.own));
                let itself = match of.of_iterators {
                    true => quote!(::gpuvm::__private::Given<<Self as ::gpuvm::__private::Value>::Erased>),
                    false if self.is_generic() => quote!(Self),
                    false => quote!(<Self as ::gpuvm::__private::Value>::Erased),
                };
                quote!(#marker<#itself, #(#names,)* #(#arguments),*>)
            }
            (true, None) => given::routine_of(&quote!(Self::#routine), &self.own),
        };
        let mut asked = Generics::default();
        // What is asked of `Self` is asked of it in a signature that speaks of a type made of it.
        let of_self = self.clause.iter().flat_map(|clause| &clause.predicates);
        let of_self: Vec<WherePredicate> = of_self.filter(|predicate| is_of_self(predicate)).cloned().collect();
        if !of_self.is_empty() && self.own.params.is_empty() {
            asked.make_where_clause().predicates.extend(of_self);
            if is_bound && !of.of_iterators {
                asked.make_where_clause().predicates.push(of.asked_of_self());
            }
        }
        if of.of_iterators && provided.is_some() {
            let predicates = &mut asked.make_where_clause().predicates;
            predicates.extend(self.clause.iter().flat_map(|clause| clause.predicates.clone()));
            predicates.push(syn::parse_quote!(Self: ::core::marker::Sized + ::gpuvm::__private::Value<Erased: ::gpuvm::__private::Sequence>));
        }
        let twins = Twins {
            name: &self.name,
            asked: asked.where_clause.as_ref(),
            parts: &self.parts,
            own: &self.own,
            lifetimes: &self.lifetimes,
            receiver: self.receiver.as_ref(),
            output: &self.output,
            routine: &found,
        };
        let twins = twins.tokens(&TokenStream::new(), Some(&of.own));
        let told = match (is_bound, provided) {
            (false, _) => quote! {
                #[doc(hidden)]
                const #routine: ::core::option::Option<::gpuvm::__private::CallFact>;
            },
            (true, None) => quote! {
                #[doc(hidden)]
                type #routine<#own>: ::gpuvm::__private::Method<#hash> #clause;
            },
            (true, Some(_)) => TokenStream::new(),
        };
        vec![TraitItem::Verbatim(quote!(#told #twins))]
    }

    /// The type that stands for the method of whoever implements the trait.
    fn marker(&self, of: &Trait<'_>, is_provided: bool) -> Option<TokenStream> {
        if self.is_bound(of, is_provided) {
            return None;
        }
        let (marker, routine, visibility) = (self.marker_name(of), routine_name(&self.name), &of.definition.vis);
        let bare = of.own.params.iter().map(emit::bare);
        let types = of.own.type_params().map(|param| &param.ident);
        let names = of.own.params.iter().map(given::name);
        // For whatever lifetimes: generic code knows of those of its own bounds alone.
        let (trait_name, arguments) = (&of.definition.ident, names.clone());
        let lifetimes: Vec<&syn::Lifetime> = of.lifetimes().collect();
        let path: syn::Path = syn::parse_quote!(#trait_name<#(#lifetimes,)* #(#arguments),*>);
        let mut generics = of.own.clone();
        let declared = of.definition.generics.lifetimes().cloned();
        generics.params = declared
            .map(syn::GenericParam::Lifetime)
            .chain([syn::parse_quote!(__T: #path + ?::core::marker::Sized)])
            .chain(std::mem::take(&mut generics.params))
            .chain([syn::parse_quote!(const __NAME: u32)])
            .collect();
        let (implementation, _, clause) = generics.split_for_impl();
        let of_implementor = self.of_implementor(of, &marker, &lifetimes);
        Some(quote! {
            #of_implementor
            #[doc(hidden)]
            #visibility struct #marker<#(#lifetimes,)* __T: ?::core::marker::Sized, #(#bare),*> {
                __types: ::core::marker::PhantomData<(#(&#lifetimes (),)* fn(&__T) -> (#(#types,)*))>,
            }
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::Method<__NAME> for #marker<#(#lifetimes,)* __T, #(#names),*> #clause {
                type Slot = ::gpuvm::__private::MethodSlot<__NAME, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = <__T as #path>::#routine;
            }
        })
    }
}

impl Method {
    /// What tells callers whose receiver may be a reference that has the trait itself how the method takes it.
    fn of_implementor(&self, of: &Trait<'_>, marker: &Ident, lifetimes: &[&syn::Lifetime]) -> Option<TokenStream> {
        let takes = match self.receiver.as_ref()? {
            Type::Reference(receiver) if receiver.mutability.is_some() => quote!(TakesMut),
            Type::Reference(_) => quote!(TakesRef),
            _ => quote!(TakesValue),
        };
        let bare = of.own.params.iter().map(emit::bare);
        let names: Vec<TokenStream> = of.own.params.iter().map(given::name).collect();
        Some(quote! {
            #[automatically_derived]
            impl<#(#lifetimes,)* __T: ?::core::marker::Sized, #(#bare),*> ::gpuvm::__private::OfImplementor
                for #marker<#(#lifetimes,)* __T, #(#names),*>
            {
                type Of<__U: ?::core::marker::Sized> = #marker<#(#lifetimes,)* __U, #(#names),*>;
                type Takes = ::gpuvm::__private::#takes;
            }
        })
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
        if let Some(receiver) = of.unsized_receiver(&function.sig) {
            report.unsized_receiver(receiver);
        }
        let name = function.sig.ident.clone();
        let plain = crate::plain_name(&name);
        // Lifetimes and type parameters of the method's own are no concern of what it asks of the trait's.
        let asked = Generics {
            where_clause: function.sig.generics.where_clause.clone(),
            ..Generics::default()
        };
        let asked = vm_generics(args.library, &asked).where_clause;
        let parts = Parts::of(&function.sig, &block, Some(&of.within(&plain)), false, report);
        let added = vm_generics(args.library, &parts.generics);
        let clauses = asked.iter().chain(&added.where_clause);
        let predicates: Vec<WherePredicate> = clauses.flat_map(|clause| clause.predicates.clone()).collect();
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
        let any = syn::parse_quote!(__T);
        Code {
            args: of.args,
            parts: &self.parts,
            title: &format!("{}::{}", of.definition.ident, crate::plain_name(&self.name)),
            line: self.name.span(),
            visibility: &of.definition.vis,
            home: Home {
                name: &self.home,
                generics: &self.home_generics,
                of_all: Some((of.asked.clone(), self.clause.as_ref())),
                of: &self.generics,
                ty: &any,
                erased: &any,
            },
            marker: &self.marker,
            generics: &self.generics,
        }
        .tokens()
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
