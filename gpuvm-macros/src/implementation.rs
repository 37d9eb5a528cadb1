//! `#[routine]` on an `impl` block. Each method's code hangs on the type itself, so that `Self` means in its shadow what it means
//! in the block; the impls of `Method` and `Operation` lead callers there.

use gpuvm_nodes::node::Operator;
use gpuvm_nodes::{method, name_hash};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{GenericParam, ImplItem, ImplItemFn, ItemImpl, PathArguments, Type};

use crate::args::Args;
use crate::comparison;
use crate::emit;
use crate::generic::{Twins, forever, own_name, own_type, routine_name};
use crate::given;
use crate::lower::twin_name;
use crate::native;
use crate::opaque;
use crate::primitive::Known;
use crate::report::Report;
use crate::rewrite::{Forever, Qualify, with_named_lifetimes};
use crate::routine::{Parts, holds_references, impl_generics, operators_of_trait, vm_generics};

/// `#[routine] impl Type { … }` and `#[routine] impl Trait for Type { … }`
pub fn implementation(args: &Args, block: &ItemImpl, mut report: Report) -> TokenStream {
    if let Some(token) = &block.modifiers.polarity {
        report.negative_impl(token);
    }
    if let Some(token) = &block.unsafety {
        report.unsafe_code(token);
    }
    let named = with_named_lifetimes(block);
    let of = Block::of(args, &named);
    if of.is_machine && of.operators.is_empty() && of.trait_name != "From" {
        report.machine_type(&block.self_ty);
    }
    let methods: Vec<Method> = named
        .items
        .iter()
        .filter_map(|item| match item {
            ImplItem::Fn(function) => Some(Method::of(&of, function, &mut report)),
            _ => None,
        })
        .collect();
    if !report.is_empty() {
        let errors = report.into_tokens();
        let stand_ins = methods.iter().map(|method| {
            let (stand_in, twin) = (method.stand_in(&of), method.twin(&of));
            quote!(#stand_in #twin)
        });
        return quote!(#block #(#stand_ins)* #errors);
    }
    let mut native = block.clone();
    if of.may_promise(args) {
        of.promise(&mut native.generics);
    }
    for item in &mut native.items {
        let ImplItem::Fn(function) = item else {
            continue;
        };
        if !args.library {
            native::redirect(&mut function.block, function.sig.constness.is_some());
        }
        if block.trait_.is_none() {
            opaque::promise(&mut function.sig, &mut function.attrs, &block.generics);
        }
        let Some(method) = methods.iter().find(|method| function.sig.ident == method.name) else {
            continue;
        };
        let (hash, right) = (method.hash, &method.right);
        let routine = quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>);
        if args.library || function.sig.constness.is_some() {
            continue;
        }
        let guard = emit::guard(
            method.parts.lowered.calls,
            function.sig.ident.span(),
            routine,
            &method.generics,
        );
        emit::begin(&mut function.block, guard);
    }
    let native = of.with_provided(args, native, &methods);
    let methods = methods.iter().map(|method| method.tokens(&of));
    quote!(#native #(#methods)*)
}

/// Traits of std, which ask for no routine; of the first ones there are macros as well, that derive them.
const STD_TRAITS: [&str; 24] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "AsMut",
    "AsRef",
    "Deref",
    "DerefMut",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "From",
    "FromIterator",
    "IntoIterator",
    "Iterator",
    "Product",
    "Sum",
    "TryFrom",
    "Display",
];

/// What all methods of an `impl` block share.
struct Block<'b> {
    args: &'b Args,
    block: &'b ItemImpl,
    generics: syn::Generics,
    /// The type without references, where callers look.
    inner: Type,
    /// The type's name, for messages.
    type_name: String,
    /// Empty for an inherent `impl`.
    trait_name: String,
    operators: &'static [(&'static str, Operator)],
    /// The right operand's type, `()` where there is none.
    right: Type,
    /// Whether the type is the machine's own.
    is_machine: bool,
    /// Whether the type has arguments that are types.
    is_generic: bool,
    /// Whether a comparison of the block is one of values of the type, so that what it derives asks the block.
    is_compared: bool,
}

impl<'b> Block<'b> {
    fn of(args: &'b Args, block: &'b ItemImpl) -> Block<'b> {
        let inner = without_references(&block.self_ty);
        let last = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let trait_name = last.map(|last| last.ident.to_string()).unwrap_or_default();
        let operators = operators_of_trait(&trait_name);
        let is_machine = Known::of(&inner) != Known::Unknown;
        // Of a conversion into a number, the user's type is the one that is converted.
        let has_right = !operators.is_empty() || is_machine && trait_name == "From";
        let right = match last.map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) if has_right => match arguments.args.first() {
                Some(syn::GenericArgument::Type(Type::Path(ty))) if ty.path.is_ident("Self") => inner.clone(),
                Some(syn::GenericArgument::Type(ty)) => without_references(ty),
                _ => inner.clone(),
            },
            _ if operators.is_empty() || matches!(trait_name.as_str(), "Neg" | "Not") => {
                syn::parse_quote!(())
            }
            _ => inner.clone(),
        };
        let is_generic = has_type_arguments(&inner, &block.generics);
        let is_own = right.to_token_stream().to_string() == inner.to_token_stream().to_string();
        Block {
            is_generic,
            is_machine,
            is_compared: (is_own || trait_name == "Ord") && !is_generic && !is_machine,
            args,
            block,
            generics: with_lifetimes(impl_generics(args.library, &block.generics), &block.generics),
            type_name: match &inner {
                Type::Path(path) => path
                    .path
                    .segments
                    .last()
                    .map(|last| last.ident.to_string())
                    .unwrap_or_default(),
                other => other.to_token_stream().to_string(),
            },
            inner,
            trait_name,
            operators,
            right,
        }
    }

    /// Whether the trait may be a `#[routine]` one.
    fn may_promise(&self, args: &Args) -> bool {
        let is_std = !self.operators.is_empty() || STD_TRAITS.contains(&self.trait_name.as_str());
        self.block.trait_.is_some() && !args.library && !is_std
    }

    /// A `#[routine]` trait asks of the type that its methods are routines, which they are for type parameters that are values of the machine.
    fn promise(&self, generics: &mut syn::Generics) {
        for param in generics.type_params_mut() {
            if let Some(promised) = self
                .generics
                .type_params()
                .find(|promised| promised.ident == param.ident)
            {
                param.bounds = promised.bounds.clone();
            }
        }
        if let Some(clause) = &self.generics.where_clause {
            let predicates = clause.predicates.iter().cloned();
            generics.make_where_clause().predicates.extend(predicates);
        }
    }

    /// The block itself, and the methods that its trait provides and it does not write, if the trait is a `#[routine]` one: then there is a macro
    /// of its name.
    fn with_provided(&self, args: &Args, mut native: ItemImpl, methods: &[Method]) -> TokenStream {
        let Some((path, _)) = &self.block.trait_ else {
            return native.into_token_stream();
        };
        if !self.may_promise(args) {
            return native.into_token_stream();
        }
        let mut plain = path.clone();
        let last = plain.segments.last_mut();
        let arguments = match last.map(|last| std::mem::take(&mut last.arguments)) {
            Some(PathArguments::AngleBracketed(arguments)) => arguments.args,
            _ => Default::default(),
        };
        let arguments = arguments
            .into_iter()
            .filter(|argument| !matches!(argument, syn::GenericArgument::Lifetime(_)));
        let erased = forever(&self.inner);
        let written: Vec<syn::Ident> = methods
            .iter()
            .map(|method| syn::Ident::new(&method.name, method.line))
            .collect();
        let (implementation, _, clause) = self.generics.split_for_impl();
        let inner = &self.inner;
        let own = methods.iter().filter_map(|method| method.routine_of_trait(self));
        native.items.extend(own.map(ImplItem::Verbatim));
        // Only where something of the block asks the macro does it stand where the macro is.
        let asks = methods.iter().any(|method| !method.own.params.is_empty());
        let (outside, inside) = if asks {
            (None, Some(native))
        } else {
            (Some(native), None)
        };
        quote! {
            #outside
            const _: () = {
                use ::gpuvm::__private::nothing_provided as __gpuvm_provided;
                const _: () = {
                    use #plain as __gpuvm_provided;
                    #inside
                    const _: () = {
                        __gpuvm_provided! {
                            [#(#written)*] { [::gpuvm::__private] [#implementation] [#inner] [#clause] [#erased #(, #arguments)*] }
                        }
                    };
                };
            };
        }
    }

    /// A type that the block says, without lifetimes.
    fn associated_type(&self, name: &str) -> Option<Type> {
        self.block.items.iter().find_map(|item| match item {
            ImplItem::Type(item) if item.ident == name => Some(forever(&item.ty)),
            _ => None,
        })
    }

    /// Whether it is of one of std's traits that compare.
    fn is_comparison(&self) -> bool {
        matches!(self.trait_name.as_str(), "PartialEq" | "PartialOrd" | "Ord")
    }
}

/// One method of the block.
struct Method {
    name: String,
    /// Of its name and its trait, under which its code is kept.
    hash: u32,
    parts: Parts,
    /// By which the type of its own parameters is known.
    alias: String,
    line: proc_macro2::Span,
    /// As the function has them.
    lifetimes: Vec<syn::LifetimeParam>,
    output: syn::ReturnType,
    /// The method's own type and const parameters.
    own: syn::Generics,
    /// The block's generics, and after them the method's own.
    generics: syn::Generics,
    /// What is known beside the type where the method's code is: the right operand's type, or the method's own parameters.
    right: Type,
}

impl Method {
    fn of(of: &Block<'_>, function: &ImplItemFn, report: &mut Report) -> Method {
        let mut function = function.clone();
        if let Some((path, _)) = &of.block.trait_ {
            let types = of.block.items.iter().filter_map(|item| match item {
                ImplItem::Type(item) => Some(item.ident.to_string()),
                _ => None,
            });
            Qualify {
                path,
                types: types.collect(),
            }
            .visit_impl_item_fn_mut(&mut function);
        }
        let name = crate::plain_name(&function.sig.ident);
        let path = of
            .block
            .trait_
            .as_ref()
            .map(|(path, _)| path.to_token_stream().to_string())
            .unwrap_or_default();
        let hash = if path.is_empty() {
            name_hash(&name)
        } else {
            name_hash(&format!("{}::{name}", std_trait(&path)))
        };
        let line = function.sig.ident.span();
        // Those of different blocks must not meet.
        let alias = format!(
            "{name}_{:08x}",
            name_hash(&format!("{hash}{}", of.block.self_ty.to_token_stream()))
        );
        let parts = Parts::of(&function.sig, &function.block, Some(&name), report);
        let mut own = match parts.generics.params.iter().all(is_lifetime) {
            true => syn::Generics::default(),
            false => vm_generics(of.args.library, &parts.generics),
        };
        // Facts are of values that live for ever, those in what the block borrows, too.
        Forever.visit_generics_mut(&mut own);
        let (mut generics, mut right) = (of.generics.clone(), of.right.clone());
        if !own.params.is_empty() {
            let is_std = !of.operators.is_empty() || STD_TRAITS.contains(&of.trait_name.as_str());
            if !is_std && function.sig.receiver().is_some() && method::is_std(&name, true) {
                report.generic_method(syn::Ident::new(&name, line));
            }
            let name = own_name(&alias);
            let names = own.params.iter().map(given::name);
            right = syn::parse_quote!(#name<#(#names),*>);
            generics.params.extend(own.params.iter().cloned());
            let predicates = own.where_clause.iter().flat_map(|clause| &clause.predicates).cloned();
            generics.make_where_clause().predicates.extend(predicates);
        }
        Method {
            own,
            generics,
            right,
            parts,
            name,
            hash,
            alias,
            line,
            lifetimes: function.sig.generics.lifetimes().cloned().collect(),
            output: function.sig.output.clone(),
        }
    }

    fn tokens(&self, of: &Block<'_>) -> TokenStream {
        let (implementation, _, clause) = self.generics.split_for_impl();
        let (own, inner, right, hash) = (&of.block.self_ty, &of.inner, &self.right, self.hash);
        let params = emit::params(&self.parts);
        let result = emit::result(&self.parts);
        let source = emit::source(
            &format!("{}::{}", of.type_name, self.name),
            self.line,
            of.args,
            &self.parts,
        );
        let call = quote!(::core::option::Option::Some(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::CALL));
        let is_generic = !self.own.params.is_empty();
        let method = if is_generic {
            self.own_tokens(of)
        } else {
            self.method(of, &call)
        };
        let routine = emit::encoding(&self.parts, &quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>));
        let marker = quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>);
        let inline = emit::inline(
            of.args.inline,
            &self.parts,
            &marker,
            &quote!(<Self as ::gpuvm::__private::MethodBody<#hash, #right>>),
            &self.generics,
        );
        let traits = self.traits(of);
        let twin = if is_generic { TokenStream::new() } else { self.twin(of) };
        let operators = of
            .operators
            .iter()
            .filter(|(name, _)| self.name == *name && !(of.is_comparison() && of.is_compared))
            .map(|(_, operator)| {
                let number = *operator as u8;
                quote! {
                    #[automatically_derived]
                    #[diagnostic::do_not_recommend]
                    impl #implementation ::gpuvm::__private::Operation<#number, #right> for #inner #clause {
                        type Slot = ::gpuvm::__private::OperatorSlot<#number, Self, #right>;
                        const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
                    }
                }
            });
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::MethodBody<#hash, #right> for #own #clause {
                const PARAMS: &'static [::gpuvm::__private::TypeRef] = #params;
                const RESULT: ::gpuvm::__private::TypeRef = #result;
                #source
                #inline
                fn routine() -> &'static ::gpuvm::__private::Routine {
                    #routine
                }
            }
            #method
            #traits
            #twin
            #(#operators)*
        }
    }

    /// What finds a method with parameters of its own.
    fn own_tokens(&self, of: &Block<'_>) -> TokenStream {
        let own_type = own_type(&self.alias, &self.own);
        let gathers = self.gathers(of);
        if of.block.trait_.is_some() {
            return quote!(#own_type #gathers);
        }
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, erased, hash) = (&of.block.self_ty, forever(&of.block.self_ty), self.hash);
        let right = given::routine_of(&own_name(&self.alias).to_token_stream(), &self.own);
        let twins = Twins {
            name: &self.name,
            parts: &self.parts,
            own: &self.own,
            lifetimes: &self.lifetimes,
            output: &self.output,
            routine: &quote!(::gpuvm::__private::MethodOf<#erased, #right, #hash>),
        };
        let twins = twins.tokens(&quote!(pub), None);
        quote! {
            #own_type
            #[automatically_derived]
            impl #implementation #own #clause {
                #twins
            }
        }
    }

    /// What tells a `#[routine]` trait the routine of a method with parameters of its own.
    fn routine_of_trait(&self, of: &Block<'_>) -> Option<TokenStream> {
        if self.own.params.is_empty() {
            return None;
        }
        let (own, erased, hash) = (&self.own.params, forever(&of.block.self_ty), self.hash);
        let (name, clause, right) = (routine_name(&self.name), &self.own.where_clause, &self.right);
        let method = syn::Ident::new(&self.name, self.line);
        Some(quote! {
            __gpuvm_provided! {
                @own #method { type #name<#own> = ::gpuvm::__private::MethodOf<#erased, #right, #hash> #clause; }
            }
        })
    }

    /// What finds the routine where it makes one value of many items: an iterator's `sum`, `product` or `collect`.
    fn gathers(&self, of: &Block<'_>) -> TokenStream {
        let method = match (of.trait_name.as_str(), self.name.as_str()) {
            ("Sum", "sum") => "sum",
            ("Product", "product") => "product",
            ("FromIterator", "from_iter") => "collect",
            _ => return TokenStream::new(),
        };
        let Some(GenericParam::Type(iterator)) = self.own.params.first() else {
            return TokenStream::new();
        };
        let last = of.block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let item = match last.map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
                Some(syn::GenericArgument::Type(ty)) => forever(ty),
                _ => of.inner.clone(),
            },
            _ => of.inner.clone(),
        };
        let (name, wrapper) = (own_name(&self.alias), given::wrapper(&iterator.ident, &self.own));
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, erased, hash, number) = (
            &of.block.self_ty,
            forever(&of.block.self_ty),
            self.hash,
            name_hash(method),
        );
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::Gathers<#number, #item> for #own #clause {
                type Routine<__I: ::gpuvm::__private::Sequence<Item = #item>> =
                    ::gpuvm::__private::MethodOf<#erased, #name<::gpuvm::__private::#wrapper<&'static mut __I>>, #hash>;
            }
        }
    }

    /// The function beside an associated function of a type with parameters: it is given the function and tells which type that is of.
    fn twin(&self, of: &Block<'_>) -> TokenStream {
        let has_parameters = of
            .block
            .generics
            .params
            .iter()
            .any(|param| !matches!(param, GenericParam::Lifetime(_)));
        let first = self.parts.parameters.first();
        let receiver = first
            .filter(|first| matches!(&first.pattern, syn::Pat::Ident(name) if name.ident == "__self"))
            .map(|first| &first.ty);
        // What a method lends of one of several references, its own type cannot say.
        let is_unclear = receiver.is_some() && holds_references(&self.parts.result);
        if !has_parameters || of.block.trait_.is_some() || is_unclear || self.parts.is_opaque {
            return TokenStream::new();
        }
        let (implementation, _, clause) = of.block.generics.split_for_impl();
        let (own, twin, output) = (&of.block.self_ty, twin_name(&self.name), &self.output);
        let (lifetimes, callables, named) = (&self.lifetimes, &self.parts.callables, &self.parts.named);
        let inputs = receiver.into_iter().chain(named);
        quote! {
            #[automatically_derived]
            impl #implementation #own #clause {
                #[doc(hidden)]
                pub fn #twin<#(#lifetimes,)* #(#callables),*>(&self, _: fn(#(#inputs),*) #output) -> ::core::marker::PhantomData<Self> {
                    ::core::marker::PhantomData
                }
            }
        }
    }

    /// What finds the routine where it is a method of one of std's traits that routines know.
    fn traits(&self, of: &Block<'_>) -> TokenStream {
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, inner, right, hash) = (&of.block.self_ty, &of.inner, &of.right, self.hash);
        let call = quote!(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::CALL);
        match (of.trait_name.as_str(), self.name.as_str()) {
            ("From" | "", "from") => {
                let Some(argument) = self.parts.parameters.first() else {
                    return TokenStream::new();
                };
                let argument = &argument.ty;
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Convert<#argument> for #inner #clause {
                        type Slot = ::gpuvm::__private::ConvertSlot<#argument, Self>;
                        const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(#call);
                    }
                }
            }
            ("TryFrom" | "", "try_from") => {
                let Some(argument) = self.parts.parameters.first() else {
                    return TokenStream::new();
                };
                let argument = &argument.ty;
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::TryConvert<#argument> for #inner #clause {
                        type Slot = ::gpuvm::__private::TryConvertSlot<#argument, Self>;
                        const CALL: ::gpuvm::__private::CallFact = #call;
                    }
                }
            }
            ("IntoIterator", "into_iter") => {
                let Some(iterator) = of.associated_type("IntoIter") else {
                    return TokenStream::new();
                };
                let erased = forever(&of.block.self_ty);
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Iterable for #erased #clause {
                        type Iterator = <#iterator as ::gpuvm::__private::Value>::Erased;
                        type IntoSlot = ::gpuvm::__private::IntoSlot<Self>;
                        type NextSlot = ::gpuvm::__private::NextSlot<Self>;
                        const INTO: ::core::option::Option<::gpuvm::__private::CallFact> = ::core::option::Option::Some(#call);
                        const NEXT: ::gpuvm::__private::CallFact =
                            <<#iterator as ::gpuvm::__private::Value>::Erased as ::gpuvm::__private::Next>::NEXT;
                    }
                }
            }
            ("Iterator", "next") => {
                let methods = self.iterator_methods(of);
                quote! {
                #methods
                #[automatically_derived]
                impl #implementation ::gpuvm::__private::Next for #inner #clause {
                    type IntoSlot = ::gpuvm::__private::IntoSlot<Self>;
                        type NextSlot = ::gpuvm::__private::NextSlot<Self>;
                        const NEXT: ::gpuvm::__private::CallFact = #call;
                }
                }
            }
            _ => TokenStream::new(),
        }
    }

    /// std's methods of iterators, for one of the user's.
    fn iterator_methods(&self, of: &Block<'_>) -> TokenStream {
        use gpuvm_nodes::method::{OF_ITERATORS, OF_ITERATORS_GENERIC};
        // gpuvm's own share theirs.
        if of.args.inline {
            return TokenStream::new();
        }
        let inner = &of.inner;
        // Iterators that borrow share the methods of the one that borrows for ever.
        let mut erased = inner.clone();
        Forever.visit_type_mut(&mut erased);
        let shared = quote!(::gpuvm::__private::AnIterator<#erased>);
        let (implementation, _, clause) = of.generics.split_for_impl();
        let plain = OF_ITERATORS.iter().map(|name| {
            let hash = name_hash(name);
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                    type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                        <#shared as ::gpuvm::__private::Method<#hash>>::CALL;
                }
            }
        });
        let generic = OF_ITERATORS_GENERIC.iter().map(|name| {
            let hash = name_hash(name);
            let mut generics = of.generics.clone();
            generics.params.push(syn::parse_quote!(__A));
            generics.params.push(syn::parse_quote!(__R: ?::core::marker::Sized));
            generics
                .make_where_clause()
                .predicates
                .push(syn::parse_quote!(#shared: ::gpuvm::__private::GenericMethod<#hash, __A, __R>));
            let (implementation, _, clause) = generics.split_for_impl();
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #implementation ::gpuvm::__private::GenericMethod<#hash, __A, __R> for #inner #clause {
                    type Slot = ::gpuvm::__private::GenericSlot<#hash, Self, __A, __R>;
                    const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                        <#shared as ::gpuvm::__private::GenericMethod<#hash, __A, __R>>::CALL;
                }
            }
        });
        let advance = name_hash("advance");
        quote! {
            #(#plain)*
            #(#generic)*
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::Method<#advance> for #inner #clause {
                type Slot = ::gpuvm::__private::MethodSlot<#advance, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                    ::core::option::Option::Some(::gpuvm::__private::CallFact::of::<::gpuvm::__private::advance_by_next<#erased>>());
            }
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::Advance for #inner #clause {
                fn advance(&mut self, _: usize) -> bool {
                    ::core::unreachable!()
                }
            }
        }
    }

    /// The constants that tell a type's derived comparisons of this method.
    fn comparison(&self, of: &Block<'_>, call: &TokenStream) -> TokenStream {
        let (own, right, hash) = (&of.block.self_ty, &of.right, self.hash);
        let (implementation, _, clause) = of.block.generics.split_for_impl();
        let ordering = comparison::ORDER.iter().any(|(name, _)| self.name == *name);
        let (name, ty, value) = match comparison::comparison(&of.trait_name, &self.name) {
            Some(name) => (
                vec![name],
                quote!(::gpuvm::__private::Comparison),
                quote!(::core::option::Option::Some(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::routine)),
            ),
            None => {
                let operator = (of.trait_name == "PartialOrd" && ordering).then(|| comparison::operator(&self.name));
                (
                    [comparison::method(&self.name)].into_iter().chain(operator).collect(),
                    quote!(::core::option::Option<::gpuvm::__private::CallFact>),
                    call.clone(),
                )
            }
        };
        quote! {
            #[automatically_derived]
            impl #implementation #own #clause {
                #(#[doc(hidden)] pub const #name: #ty = #value;)*
            }
        }
    }

    /// What a call by name finds. The machine's own types have all names already.
    fn method(&self, of: &Block<'_>, call: &TokenStream) -> TokenStream {
        if of.is_comparison() && !of.is_compared && !of.is_generic {
            return TokenStream::new();
        }
        if !of.is_generic && comparison::METHODS.contains(&&*self.name) && !of.is_machine {
            return self.comparison(of, call);
        }
        if of.is_machine || !of.operators.is_empty() && !of.is_comparison() {
            return TokenStream::new();
        }
        let inner = &of.inner;
        if matches!(of.trait_name.as_str(), "From" | "TryFrom") {
            return TokenStream::new();
        }
        let hash = name_hash(&self.name);
        let (implementation, _, clause) = of.generics.split_for_impl();
        // References to a type may become other iterators than the type: those are found by loops and by what takes one.
        if of.trait_name == "IntoIterator" && matches!(*of.block.self_ty, Type::Reference(_)) {
            return TokenStream::new();
        }
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                type Slot = ::gpuvm::__private::MethodSlot<#hash, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
            }
        }
    }

    /// Beside errors of the block: callers show none of their own.
    fn stand_in(&self, of: &Block<'_>) -> TokenStream {
        if !of.is_generic && comparison::METHODS.contains(&&*self.name) {
            return TokenStream::new();
        }
        self.method(of, &quote!(::core::option::Option::None))
    }
}

/// The generics with the lifetimes that they had, which a type of the user's may need.
fn with_lifetimes(mut generics: syn::Generics, before: &syn::Generics) -> syn::Generics {
    let lifetimes = before
        .params
        .iter()
        .filter(|param| matches!(param, GenericParam::Lifetime(_)));
    let params: Vec<GenericParam> = lifetimes.cloned().chain(std::mem::take(&mut generics.params)).collect();
    generics.params = params.into_iter().collect();
    generics
}

/// Whether a type has arguments that are types, for all that can be seen.
fn has_type_arguments(ty: &Type, generics: &syn::Generics) -> bool {
    let Type::Path(path) = ty else { return true };
    let is_type = |argument: &syn::GenericArgument| match argument {
        syn::GenericArgument::Const(_) => false,
        syn::GenericArgument::Type(Type::Path(ty)) => {
            !generics.const_params().any(|param| ty.path.is_ident(&param.ident))
        }
        _ => true,
    };
    path.path.segments.iter().any(|segment| match &segment.arguments {
        PathArguments::None => false,
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().any(is_type),
        PathArguments::Parenthesized(_) => true,
    })
}

fn without_references(ty: &Type) -> Type {
    match ty {
        Type::Reference(reference) => without_references(&reference.elem),
        Type::Paren(inner) => without_references(&inner.elem),
        Type::Group(inner) => without_references(&inner.elem),
        other => other.clone(),
    }
}

fn is_lifetime(param: &GenericParam) -> bool {
    matches!(param, GenericParam::Lifetime(_))
}

/// The path of a trait, without what leads to it where gpuvm's own std looks for it.
fn std_trait(path: &str) -> &str {
    match path.rsplit(' ').next() {
        Some(last @ ("Iterator" | "DoubleEndedIterator" | "ExactSizeIterator")) => last,
        _ => path,
    }
}
