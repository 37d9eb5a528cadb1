//! What `#[routine]` and `#[ring_kernel]` on a function become: the function, a type of its name that stands for the routine, and its
//! registration. The one place that writes paths of gpuvm-core and gpuvm-runtime for routines.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, Block, Expr, GenericParam, Generics, Item, ItemFn, Stmt};

use crate::args::{Args, Role};
use crate::lower::{self, Calls, Lowered};
use crate::opaque::{self, Pointer};
use crate::report::{Report, unless_refused};
use crate::routine::{Parts, turbofish, vm_generics};
use crate::{
    callable, configuration, context, definition, expansion, given, home, implementation, markers, namesake_modules,
    native, promised, ring, underived,
};

/// `#[routine]`
pub fn routine(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Role::Routine, args, item)
}

/// `#[ring_kernel]`
pub fn ring_kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Role::RingKernel, args, item)
}

/// `expanded!`
pub fn expanded(input: TokenStream) -> TokenStream {
    match expansion::expanded(input) {
        Ok((role, args, item, errors)) => {
            let tokens = attribute(role, args, item);
            quote!(#tokens #errors)
        }
        Err(error) => error.into_compile_error(),
    }
}

/// An attribute, on whatever it stands.
fn attribute(role: Role, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut parsed = syn::parse2::<Item>(item.clone());
    let again = parsed
        .as_mut()
        .ok()
        .and_then(|item| configuration::decide(role, &args, item).or_else(|| expansion::begin(role, &args, item)));
    let mut report = Report::default();
    let args = Args::parse(role, args, &mut report);
    if let Some(again) = again {
        return home::redirect(again, args.home.as_ref());
    }
    let underived = match &parsed {
        Ok(item @ (Item::Fn(_) | Item::Impl(_) | Item::Trait(_))) if !args.library => underived::told(item),
        _ => TokenStream::new(),
    };
    let markers = match &parsed {
        Ok(item) if !args.library => markers::beside(expansion::place_of(item)),
        _ => TokenStream::new(),
    };
    let has_arguments = args.id.is_some() || args.relaxed.is_some();
    let tokens = match parsed {
        Ok(Item::Fn(mut function)) => {
            if !args.library {
                promised::as_launched(&mut function.sig, &Generics::default());
            }
            free_function(&args, &function, report)
        }
        Ok(Item::Impl(mut block)) if role == Role::Routine => {
            if !args.library {
                promised::methods_as_launched(&mut block);
            }
            if has_arguments {
                report.arguments_on_impl(block.impl_token);
            }
            implementation::implementation(&args, &block, report)
        }
        Ok(Item::Trait(definition)) if role == Role::Routine => {
            if has_arguments {
                report.arguments_on_impl(definition.trait_token);
            }
            definition::definition(&args, &definition, report)
        }
        Ok(other) => {
            match role {
                Role::Routine => report.item_kind(first_token(&other)),
                Role::RingKernel => report.ring_kernel_item(first_token(&other)),
            }
            unchanged(&other, report)
        }
        Err(error) => misread(&item, &error),
    };
    home::redirect(quote!(#tokens #underived #markers), args.home.as_ref())
}

/// An item that is no Rust, as rustc says itself. If rustc can read it all the same, it is left to a lint to say what was not understood: no error is
/// shown later.
fn misread(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let lint = unless_refused(error);
    quote!(#item #lint)
}

/// The item as it was, and the errors.
fn unchanged(item: &impl ToTokens, report: Report) -> TokenStream {
    let errors = report.into_tokens();
    quote!(#item #errors)
}

fn first_token(item: &Item) -> TokenStream {
    item.to_token_stream()
        .into_iter()
        .find(|token| !matches!(token, proc_macro2::TokenTree::Punct(_)))
        .into_iter()
        .collect()
}

fn free_function(args: &Args, function: &ItemFn, mut report: Report) -> TokenStream {
    if let Some(receiver) = function.sig.receiver() {
        match args.role {
            Role::Routine => report.method_alone(receiver),
            Role::RingKernel => report.ring_kernel_method(receiver),
        }
        let errors = report.into_tokens();
        // In an `impl` block there can be methods only, so the errors go inside.
        let (attributes, visibility, signature) = (&function.attrs, &function.vis, &function.sig);
        let statements = &function.block.stmts;
        return quote!(#(#attributes)* #visibility #signature { #errors #(#statements)* });
    }
    if args.role == Role::RingKernel {
        ring::check(args, &function.sig, &mut report);
    }
    if crate::primitive::kind_of_name(&function.sig.ident.to_string()).is_some() {
        report.primitive_name(&function.sig.ident);
        return unchanged(function, report);
    }
    let on_vms = match args.role {
        Role::RingKernel => context::for_vms(args, function, &mut report),
        Role::Routine => None,
    };
    let (signature, block) = match &on_vms {
        Some((signature, block)) => (signature, block),
        None => (&function.sig, &*function.block),
    };
    let mut parts = Parts::of(signature, block, None, args.is_unseen(), &mut report);
    parts.is_launched = args.role == Role::Routine && !args.callee;
    parts.handler = (args.role == Role::RingKernel).then(|| ring::handler_name(&function.sig.ident));
    if !report.is_empty() {
        return refused(function, &parts, report);
    }
    let name = &function.sig.ident;
    let generics = vm_generics(args.library, &parts.generics);
    let marker = Marker {
        function,
        generics: &generics,
        parts: &parts,
        inline: args.inline,
        consumes: args.consumes,
        std: args.std.as_ref(),
    };
    let is_const = signature.constness.is_some();
    let source = source(&crate::plain_name(name), name.span(), args, &parts);
    let guard = if args.leaves_native() || is_const {
        TokenStream::new()
    } else {
        let turbofish = turbofish(&generics);
        guard(parts.lowered.calls, name.span(), quote!(#name #turbofish), &generics)
    };
    let mut native = function.clone();
    opaque::promise(&mut native.sig, &mut native.attrs, &Generics::default());
    if !args.leaves_native() {
        promised::of_function(&mut native.sig, &mut native.attrs, &Generics::default());
    }
    if !args.leaves_native() {
        let original = args.originals.get(&crate::plain_name(&native.sig.ident));
        native::redirect(&native.sig, &mut native.block, original, native::SelfType::Any);
    }
    if args.std.is_some() {
        native.block = syn::parse_quote!({ ::core::unreachable!("gpuvm's own std does not run natively") });
        native
            .attrs
            .push(syn::parse_quote!(#[allow(unused_variables, dead_code)]));
    }
    begin(&mut native.block, guard);
    let marker_item = marker.item();
    let routine_type = marker.routine_type(&source);
    let registration = match args.role {
        Role::RingKernel => marker.handler(args),
        Role::Routine if args.callee => TokenStream::new(),
        Role::Routine => marker.launch(args),
    };
    let found = marker.is_hidden().then(|| marker.function());
    quote! {
        #native
        #marker_item
        #routine_type
        #registration
        #found
    }
}

/// The functions of std's prelude.
const PRELUDE: [&str; 5] = ["align_of", "align_of_val", "drop", "size_of", "size_of_val"];

/// Brings the types beside the functions that a routine calls, and the modules that it calls functions of, into its shadow's scope. Where there is
/// no type, because the function is no routine, the alias falls back to the one in the hidden module, whose only use is rustc's message.
fn callees(lowered: &Lowered) -> TokenStream {
    if lowered.callees.is_empty() && lowered.modules.is_empty() {
        return TokenStream::new();
    }
    let aliases: Vec<Ident> = (0..lowered.callees.len()).map(lower::alias).collect();
    let modules: Vec<Ident> = (0..lowered.modules.len()).map(lower::module_alias).collect();
    let fallbacks = lowered.callees.iter().map(|path| match lower::std_function(path) {
        Some(function) => {
            let name = Ident::new(function.routine, Span::call_site());
            quote!(std_routines::#name)
        }
        None if namesake_modules::leads_there(path) => quote!(ByFunction),
        None => quote!(NotARoutine),
    });
    // Beside a module of its name an import would find that as the type.
    let callees = lowered.callees.iter().cloned().zip(&aliases);
    let callees = callees.filter(|(path, _)| !namesake_modules::is_hidden_by_module(path));
    let parents = lowered.modules.iter().cloned().map(syn::Path::from).zip(&modules);
    let imports = callees.chain(parents).map(|(path, alias)| {
        // Beside std's prelude, an import finds the file's own by its place alone.
        let is_hidden = |name: &Ident| {
            let plain = crate::plain_name(name);
            PRELUDE.contains(&&*plain) && namesake_modules::has_free_function(name.span(), &plain)
        };
        let own = path.get_ident().is_some_and(is_hidden).then(|| quote!(self::));
        // An error of the import is one of the call.
        let mut alias = alias.clone();
        alias.set_span(alias.span().located_at(crate::shadow::at(&path)));
        // A name that nothing has is the name of a macro here, so that it is rustc's word on the call that is read, and not one on the import as well.
        let stand_in = path.get_ident().map(|name| {
            let name = generated(name);
            quote! {
                #[allow(unused_macros)]
                macro_rules! #name { () => {}; }
            }
        });
        quote! {
            #stand_in
            use #own #path as #alias;
        }
    });
    quote! {
        #(#imports)*
        mod __callees {
            #(pub use ::gpuvm::__private::#fallbacks as #aliases;)*
        }
        use __callees::*;
    }
}

/// The function as it was, the errors, and a stand-in for the routine, so that callers show no errors of their own.
fn refused(function: &ItemFn, parts: &Parts, report: Report) -> TokenStream {
    let marker = Marker {
        function,
        generics: &unbound(&parts.generics),
        parts,
        inline: false,
        consumes: false,
        std: None,
    };
    // Types that were refused are not said once more.
    let marker = match report.is_left_to_rustc() {
        true => marker.stand_in(),
        false => {
            let (visibility, name) = (&function.vis, generated(&function.sig.ident));
            quote! {
                #[doc(hidden)]
                #visibility struct #name {}
                impl #name {
                    #[doc(hidden)]
                    pub fn __vm<T>(_: T) -> ::core::marker::PhantomData<::gpuvm::__private::NotARoutine> {
                        ::core::marker::PhantomData
                    }
                }
            }
        }
    };
    let errors = report.into_tokens();
    quote!(#function #marker #errors)
}

/// Type and const parameters without their bounds.
fn unbound(generics: &Generics) -> Generics {
    let params = generics.params.iter();
    let params = params.filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let params: Vec<TokenStream> = params.map(bare).collect();
    syn::parse_quote!(<#(#params),*>)
}

/// A name of the user's for an item that is not: rustc spares what a macro of another crate makes most of its lints.
pub fn generated(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(Span::call_site().located_at(name.span()));
    name
}

/// The type that stands for a function's routine.
pub struct Marker<'a> {
    /// The function.
    pub function: &'a ItemFn,
    /// Its generics, as the type has them.
    pub generics: &'a Generics,
    /// Its signature and body.
    pub parts: &'a Parts,
    /// Whether its code is always written where it is called.
    pub inline: bool,
    /// Whether it uses up the receiver that its first parameter refers to.
    pub consumes: bool,
    /// Of gpuvm's own std: the result of the function of std's that it stands for.
    pub std: Option<&'a syn::Type>,
}

impl Marker<'_> {
    /// Under which configuration the function is there at all.
    pub fn attributes(&self) -> Vec<&Attribute> {
        self.function
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"))
            .collect()
    }

    /// The struct, in the type namespace beside the function.
    fn item(&self) -> TokenStream {
        let name = generated(&self.function.sig.ident);
        self.item_for(&given::routine_of(&quote!(#name), self.generics))
    }

    /// The struct where there is no routine.
    fn stand_in(&self) -> TokenStream {
        self.item_for(&quote!(::gpuvm::__private::NotARoutine))
    }

    /// `routine`: what a caller finds.
    fn item_for(&self, routine: &TokenStream) -> TokenStream {
        let name = generated(&self.function.sig.ident);
        let visibility = &self.function.vis;
        let attributes = self.attributes();
        let doc = format!("The routine of the function [`{name}`](fn@{name}).");
        let params: Vec<TokenStream> = self.generics.params.iter().map(bare).collect();
        let types = self.generics.type_params().map(|param| &param.ident);
        let body = if params.is_empty() {
            quote!({})
        } else {
            quote!(<#(#params),*> { __types: ::core::marker::PhantomData<fn(#(::core::marker::PhantomData<#types>),*)> })
        };
        let callers = given::for_callers(self.generics);
        let (implementation, arguments, clause) = callers.split_for_impl();
        let lifetimes: Vec<_> = self.function.sig.generics.lifetimes().collect();
        let callables = &self.parts.callables;
        let Pointer {
            lifetimes: unnamed,
            hidden,
            inputs,
            output,
        } = Pointer::of(self.parts.is_opaque, self.parts.named.iter(), &self.function.sig.output);
        let of_std = crate::lower::std_function(&name.clone().into()).map(|function| function.pointer);
        let namesake = match self.std {
            Some(result) => quote! {
                #[doc(hidden)]
                pub fn __vm_std<#(#lifetimes,)* #(#callables,)* __F, __G>(_: __F, _: __G) -> ::core::marker::PhantomData<#routine>
                where
                    __F: Fn(#(#inputs),*) -> #result + ::gpuvm::__private::SameFunction<__G>,
                {
                    ::core::marker::PhantomData
                }
            },
            None if of_std.is_some() => quote! {
                #[doc(hidden)]
                pub fn __vm_std<#(#lifetimes,)* #(#unnamed,)* #(#callables,)* #hidden>(_: fn(#(#inputs),*) #output, _: #of_std) -> ::core::marker::PhantomData<#routine> {
                    ::core::marker::PhantomData
                }
            },
            None => TokenStream::new(),
        };
        let asked = |params: &[TokenStream], clause: &TokenStream| {
            quote! {
                fn __vm<#(#lifetimes,)* #(#unnamed,)* #(#params,)* #(#callables,)* #hidden>(_: fn(#(#inputs),*) #output) -> ::core::marker::PhantomData<#routine>
                #clause
                {
                    ::core::marker::PhantomData
                }
            }
        };
        let in_module = self.is_in_namesake().then(|| {
            let params: Vec<TokenStream> = callers.params.iter().map(ToTokens::to_token_stream).collect();
            let asked = asked(&params, &callers.where_clause.to_token_stream());
            let visibility = &self.function.vis;
            quote! {
                #(#attributes)*
                #[doc(hidden)]
                #visibility #asked
            }
        });
        let asked = asked(&[], &TokenStream::new());
        let structure = match self.is_hidden() {
            // Callers' code is of that type, though they do not see the name.
            true => {
                let hidden = format_ident!("__Gpuvm_{}", name, span = Span::call_site());
                let names: Vec<TokenStream> = self.generics.params.iter().map(given::name).collect();
                quote! {
                    #[doc(hidden)]
                    #[allow(non_camel_case_types)]
                    pub struct #hidden #body
                    #(#attributes)*
                    #[doc = #doc]
                    #[allow(non_camel_case_types)]
                    type #name<#(#names),*> = #hidden<#(#names),*>;
                }
            }
            false => quote! {
                #[doc = #doc]
                #visibility struct #name #body
            },
        };
        quote! {
            #(#attributes)*
            #structure
            #(#attributes)*
            impl #implementation #name #arguments #clause {
                #[doc(hidden)]
                pub #asked
                #namesake
            }
            #in_module
        }
    }

    /// Whether the function is in a module of its name and imported beside that: see [`namesake_modules`].
    pub fn is_in_namesake(&self) -> bool {
        namesake_modules::is_in_one(&self.function.sig.ident)
    }

    /// Whether who imports the function shall not see the type.
    fn is_hidden(&self) -> bool {
        self.is_in_namesake() || namesake_modules::is_beside_another(&self.function.sig.ident)
    }

    /// What a caller that sees the function alone finds the routine by.
    fn function(&self) -> TokenStream {
        let parts = self.parts;
        if !self.generics.params.is_empty() || parts.calls_parameters || parts.is_opaque || parts.lends {
            return TokenStream::new();
        }
        let (name, attributes) = (generated(&self.function.sig.ident), self.attributes());
        quote! {
            #(#attributes)*
            ::gpuvm::__private::inventory::submit! {
                ::gpuvm::__private::Function {
                    id: || ::gpuvm::__private::id_of(#name),
                    routine: <#name as ::gpuvm::__private::RoutineType>::routine,
                }
            }
        }
    }

    fn routine_type(&self, source: &TokenStream) -> TokenStream {
        let name = generated(&self.function.sig.ident);
        let attributes = self.attributes();
        let (implementation, arguments, clause) = self.generics.split_for_impl();
        let (params, result) = signature(self.parts, self.generics);
        let inline = inline(
            self.inline,
            self.parts,
            &quote!(Self),
            &quote!(<Self as ::gpuvm::__private::RoutineType>),
            self.generics,
        );
        let consumes = self.consumes.then(|| {
            quote!(
                const CONSUMES: bool = true;
            )
        });
        let routine = encoding(self.parts, &quote!(Self));
        quote! {
            #(#attributes)*
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RoutineSource for #name #arguments #clause {
                #source
            }
            #(#attributes)*
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RoutineType for #name #arguments #clause {
                const PARAMS: &'static [::gpuvm::__private::TypeRef] = #params;
                const RESULT: ::gpuvm::__private::TypeRef = #result;
                #inline
                #consumes
                fn routine() -> &'static ::gpuvm::__private::Routine {
                    #routine
                }
            }
        }
    }
}

/// A parameter without its bounds, as a type declares it.
pub fn bare(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Type(param) => {
            let (name, unsized_type) = (
                &param.ident,
                is_unsized(param).then(|| quote!(: ?::core::marker::Sized)),
            );
            quote!(#name #unsized_type)
        }
        GenericParam::Const(param) => {
            let (name, ty) = (&param.ident, &param.ty);
            quote!(const #name: #ty)
        }
        GenericParam::Lifetime(param) => param.to_token_stream(),
    }
}

/// Whether what a type parameter stands for may have no size.
pub fn is_unsized(param: &syn::TypeParam) -> bool {
    let mut bounds = param.bounds.iter();
    bounds.any(|bound| matches!(bound, syn::TypeParamBound::Trait(bound) if bound.maybe.is_some()))
}

/// The types of the parameters, as the slice of a constant, and the type of the result.
fn signature(parts: &Parts, generics: &Generics) -> (TokenStream, TokenStream) {
    if let Some(handler) = &parts.handler {
        return ring::signature(parts, handler);
    }
    let launched = parts.is_launched.then(|| crate::launch::signature(parts, generics));
    launched.flatten().unwrap_or_else(|| (params(parts), result(parts)))
}

/// The types of the parameters, as the slice of a constant.
pub fn params(parts: &Parts) -> TokenStream {
    let types = parts.parameters.iter().map(|parameter| {
        let ty = &parameter.ty;
        match callable::references_to_callable(ty) {
            Some(references) => quote!(::gpuvm::__private::TypeRef::closure(#references)),
            None => reference(ty),
        }
    });
    quote!(&[#(#types),*])
}

/// A type as the encoder has it.
pub fn reference(ty: &syn::Type) -> TokenStream {
    let (span, ty) = (crate::shadow::at(ty), lower::asked_inside(ty));
    quote_spanned!(span=> <#ty as ::gpuvm::__private::Value>::REFERENCE)
}

/// The type of the result.
pub fn result(parts: &Parts) -> TokenStream {
    let ty = &parts.result;
    if parts.never {
        return quote!(::gpuvm::__private::NEVER);
    }
    if parts.is_opaque {
        return quote!(::gpuvm::__private::OPAQUE);
    }
    reference(ty)
}

/// The associated constant `SOURCE`.
pub fn source(name: &str, span: Span, args: &Args, parts: &Parts) -> TokenStream {
    let value = source_value(name, span, args, parts);
    quote! {
        // What a slot is around stands where the user's expression does, and is a call; the rest is said of the user's own function.
        #[allow(clippy::or_fun_call, const_item_interior_mutations, non_snake_case)]
        const SOURCE: &'static ::gpuvm::__private::Source = #value;
    }
}

/// The value of that constant.
pub fn source_value(name: &str, span: Span, args: &Args, parts: &Parts) -> TokenStream {
    let Lowered {
        nodes,
        shadow,
        items,
        depth,
        constants,
        inferred,
        messages,
        locals,
        labels,
        joins,
        recursive,
        may_recurse,
        ..
    } = &parts.lowered;
    let nodes = proc_macro2::Literal::byte_string(nodes);
    let line = span.start().line as u32;
    let (labels, joins) = (*labels as u32, *joins as u32);
    let relaxed = args.relaxed.is_some();
    let checks = if args.library {
        quote!(::core::option::Option::None)
    } else {
        quote!(::core::option::Option::Some(::core::cfg!(debug_assertions)))
    };
    let (params, result) = signature(parts, &vm_generics(args.library, &parts.generics));
    let is_const = parts.is_const;
    let inferred = inferred.iter().rev().fold(
        quote!(()),
        |rest, constant| quote!((#constant as fn() -> ::gpuvm::__private::WordsOf<_>, #rest)),
    );
    let callees = callees(&parts.lowered);
    // Whether a method of its name is the routine itself, its facts say.
    let recursive = match may_recurse {
        true => quote!(#recursive || ::gpuvm::__private::calls_itself(__facts)),
        false => quote!(#recursive),
    };
    let source = quote! {
        {
            let __params: &'static [::gpuvm::__private::TypeRef] = #params;
            let __result: ::gpuvm::__private::TypeRef = #result;
            #(#items)*
            let __shadow = #shadow;
            let __facts = ::gpuvm::__private::facts_of(&__shadow);
            let __source = ::gpuvm::__private::Source {
                name: #name,
                file: ::core::file!(),
                line: #line,
                params: __params,
                result: __result,
                nodes: #nodes,
                facts: __facts,
                depth: #depth,
                constants: &[#(#constants),*],
                inferred: ::gpuvm::__private::inferred_of(&__shadow, &#inferred),
                messages: &[#(#messages),*],
                locals: &[#(#locals),*],
                labels: #labels,
                joins: #joins,
                checks: #checks,
                relaxed: #relaxed,
                is_const: #is_const,
                recursive: #recursive,
            };
            #callees
            __source
        }
    };
    if parts.lowered.modules.is_empty() {
        return quote!(&#source);
    }
    // What is found where the module that a callee's path begins with is not there.
    let modules = (0..parts.lowered.modules.len()).map(lower::module_alias);
    quote!(&{ #(mod #modules {})* #source })
}

/// The constant that says whether the code of a routine is written where it is called: where it takes a closure, or, as a generic one may, a
/// value that holds one.
pub fn inline(
    always: bool,
    parts: &Parts,
    marker: &TokenStream,
    params: &TokenStream,
    generics: &Generics,
) -> TokenStream {
    if always || parts.lends || parts.calls_parameters {
        quote! {
            const INLINE: ::core::option::Option<&'static ::gpuvm::__private::Source> =
                ::core::option::Option::Some(<#marker as ::gpuvm::__private::RoutineSource>::SOURCE);
        }
    } else if generics.type_params().next().is_some() {
        quote! {
            const INLINE: ::core::option::Option<&'static ::gpuvm::__private::Source> =
                ::gpuvm::__private::inline_if_opaque::<#marker>(#params::PARAMS);
        }
    } else {
        TokenStream::new()
    }
}

/// The encoded routine of the type that stands for it.
pub fn encoding(parts: &Parts, marker: &TokenStream) -> TokenStream {
    if !parts.calls_parameters && !parts.is_opaque {
        let [first, second, third, fourth] = capacity(&parts.lowered);
        quote!(::gpuvm::__private::Encoding::<#marker, #first, #second, #third, #fourth>::ROUTINE)
    } else {
        quote!(::gpuvm::__private::never_linked())
    }
}

/// Room for the encoder's shortest lists at each attempt; there is room for sixteen times as many instructions. Of the routines of gpuvm's tests one in
/// thirty needs a second attempt, which costs as much as the first. Where there are closures, the code of what they are given to is written here.
fn capacity(lowered: &Lowered) -> [usize; 4] {
    let first = lowered.nodes.len().div_ceil(8) + 8 + 9 * lowered.closures;
    [first, first * 4, first * 16, first * 64]
}

/// Puts the guard at the start of a body, behind the items, which have to come first for clippy.
pub fn begin(block: &mut Block, guard: TokenStream) {
    if !guard.is_empty() {
        let items = block.stmts.iter().take_while(|stmt| matches!(stmt, Stmt::Item(_)));
        block
            .stmts
            .insert(items.count(), Stmt::Expr(Expr::Verbatim(guard), None));
    }
}

/// The statement that counts the depth of calls in the native copy, as the machine does for routines that call others.
pub fn guard(calls: Calls, span: Span, routine: TokenStream, generics: &Generics) -> TokenStream {
    let line = span.start().line as u32;
    let enter = quote!(::gpuvm::__private::enter(::core::file!(), #line));
    let is_generic = generics.type_params().next().is_some();
    match calls {
        Calls::Never => TokenStream::new(),
        // Whether a method or operator is a routine, only its facts say; in generic code they cannot be asked.
        Calls::Maybe if !is_generic => {
            quote!(let __depth = const { ::gpuvm::__private::calls::<#routine>() }.then(|| #enter);)
        }
        _ => quote!(let __depth = #enter;),
    }
}
