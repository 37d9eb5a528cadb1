//! `#[routine]` on an `impl` block or a `trait`. Each method's code hangs on the type itself, so that `Self` means in its shadow what it means
//! in the block; the impls of `Method` and `Operation` lead callers there.

use gpuvm_nodes::name_hash;
use gpuvm_nodes::node::Operator;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, ImplItem, ImplItemFn, ItemImpl, ItemTrait, PathArguments, TraitItem, Type, TypePath};

use crate::emit;
use crate::native;
use crate::primitive::Known;
use crate::report::Report;
use crate::routine::{Parts, operators_of_trait, vm_generics};

/// `#[routine] impl Type { … }` and `#[routine] impl Trait for Type { … }`
pub fn implementation(block: &ItemImpl, mut report: Report) -> TokenStream {
    if let Some(token) = &block.modifiers.polarity {
        report.negative_impl(token);
    }
    if let Some(token) = &block.unsafety {
        report.unsafe_code(token);
    }
    if let Some(lifetime) = block.generics.lifetimes().next() {
        report.lifetime(lifetime);
    }
    let of = Block::of(block);
    if of.is_machine && of.operators.is_empty() {
        report.machine_type(&block.self_ty);
    }
    let methods: Vec<Method> = block
        .items
        .iter()
        .filter_map(|item| match item {
            ImplItem::Fn(function) if of.has_routine(function) => Some(Method::of(&of, function, &mut report)),
            _ => None,
        })
        .collect();
    if !report.is_empty() {
        let errors = report.into_tokens();
        let stand_ins = methods.iter().map(|method| method.stand_in(&of));
        return quote!(#block #(#stand_ins)* #errors);
    }
    let mut native = block.clone();
    for item in &mut native.items {
        let ImplItem::Fn(function) = item else {
            continue;
        };
        native::redirect(&mut function.block);
        let Some(method) = methods.iter().find(|method| function.sig.ident == method.name) else {
            continue;
        };
        let (hash, right) = (method.hash, &of.right);
        let routine = quote!(::gpuvm::__private::MethodOf<Self, #right, #hash>);
        let guard = emit::guard(
            method.parts.lowered.calls,
            function.sig.ident.span(),
            routine,
            &of.generics,
        );
        let statements = &function.block.stmts;
        function.block = syn::parse_quote!({ #guard #(#statements)* });
    }
    let methods = methods.iter().map(|method| method.tokens(&of));
    quote!(#native #(#methods)*)
}

/// `#[routine] trait Trait { … }`: whoever implements it has its methods as routines, so generic routines may call them.
pub fn definition(definition: &ItemTrait, mut report: Report) -> TokenStream {
    let mut definition = definition.clone();
    if let Some(param) = definition
        .generics
        .params
        .iter()
        .find(|param| !matches!(param, GenericParam::Lifetime(_)))
    {
        report.generic_trait(param);
    }
    for item in &definition.items {
        let TraitItem::Fn(function) = item else {
            continue;
        };
        if let Some(body) = &function.default {
            report.default_body(body);
        }
        if function
            .sig
            .generics
            .params
            .iter()
            .any(|param| !matches!(param, GenericParam::Lifetime(_)))
        {
            report.generic_method(&function.sig.generics);
        }
        let hash = name_hash(&crate::plain_name(&function.sig.ident));
        definition
            .supertraits
            .push(syn::parse_quote!(::gpuvm::__private::Method<#hash>));
        definition.colon_token.get_or_insert_with(Default::default);
    }
    let errors = report.into_tokens();
    quote!(#definition #errors)
}

/// What all methods of an `impl` block share.
struct Block<'b> {
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
}

impl<'b> Block<'b> {
    fn of(block: &'b ItemImpl) -> Block<'b> {
        let inner = without_references(&block.self_ty);
        let last = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let trait_name = last.map(|last| last.ident.to_string()).unwrap_or_default();
        let operators = operators_of_trait(&trait_name);
        let right = match last.map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) if !operators.is_empty() => match arguments.args.first() {
                Some(syn::GenericArgument::Type(Type::Path(ty))) if ty.path.is_ident("Self") => inner.clone(),
                Some(syn::GenericArgument::Type(ty)) => without_references(ty),
                _ => inner.clone(),
            },
            _ if operators.is_empty() || matches!(trait_name.as_str(), "Neg" | "Not") => {
                syn::parse_quote!(())
            }
            _ => inner.clone(),
        };
        Block {
            block,
            generics: vm_generics(&block.generics),
            type_name: match &inner {
                Type::Path(path) => path
                    .path
                    .segments
                    .last()
                    .map(|last| last.ident.to_string())
                    .unwrap_or_default(),
                other => other.to_token_stream().to_string(),
            },
            is_machine: Known::of(&inner) != Known::Unknown,
            inner,
            trait_name,
            operators,
            right,
        }
    }

    /// Whether a method becomes a routine. Of a comparison's trait only the operators do.
    fn has_routine(&self, function: &ImplItemFn) -> bool {
        self.trait_name != "PartialOrd" || self.operators.iter().any(|(name, _)| function.sig.ident == name)
    }
}

/// One method of the block.
struct Method {
    name: String,
    /// Of its name and its trait, under which its code is kept.
    hash: u32,
    parts: Parts,
    /// By which its callees are known.
    alias: String,
    line: proc_macro2::Span,
}

impl Method {
    fn of(of: &Block<'_>, function: &ImplItemFn, report: &mut Report) -> Method {
        if function
            .sig
            .generics
            .params
            .iter()
            .any(|param| !matches!(param, GenericParam::Lifetime(_)))
        {
            report.generic_method(&function.sig.generics);
        }
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
            name_hash(&format!("{path}::{name}"))
        };
        let line = function.sig.ident.span();
        // Aliases of different blocks' callees must not meet.
        let alias = format!(
            "{name}_{:08x}",
            name_hash(&format!("{hash}{}", of.block.self_ty.to_token_stream()))
        );
        function.sig.ident = syn::Ident::new(&alias, line);
        Method {
            parts: Parts::of(&function.sig, &function.block, true, report),
            name,
            hash,
            alias,
            line,
        }
    }

    fn tokens(&self, of: &Block<'_>) -> TokenStream {
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (own, inner, right, hash) = (&of.block.self_ty, &of.inner, &of.right, self.hash);
        let params = emit::params(&self.parts);
        let result = emit::result(&self.parts);
        let source = emit::source(
            &format!("{}::{}", of.type_name, self.name),
            self.line,
            false,
            &self.parts,
        );
        let (first, second) = emit::capacity(&self.parts.lowered);
        let call = quote!(::core::option::Option::Some(<#own as ::gpuvm::__private::MethodBody<#hash, #right>>::CALL));
        let method = self.method(of, &call);
        let callees = emit::callees(&self.alias, &self.parts.lowered, &[]);
        let operators = of
            .operators
            .iter()
            .filter(|(name, _)| self.name == *name)
            .map(|(_, operator)| {
                let number = *operator as u8;
                quote! {
                    #[automatically_derived]
                    impl #implementation ::gpuvm::__private::Operation<#number, #right> for #inner #clause {
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
                fn routine() -> &'static ::gpuvm::__private::Routine {
                    ::gpuvm::__private::Encoding::<::gpuvm::__private::MethodOf<Self, #right, #hash>, #first, #second>::ROUTINE
                }
            }
            #method
            #(#operators)*
            #callees
        }
    }

    /// What a call by name finds. The machine's own types have all names already.
    fn method(&self, of: &Block<'_>, call: &TokenStream) -> TokenStream {
        if of.is_machine || !of.operators.is_empty() && of.trait_name != "PartialEq" {
            return TokenStream::new();
        }
        let (implementation, _, clause) = of.generics.split_for_impl();
        let (inner, hash) = (&of.inner, name_hash(&self.name));
        quote! {
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::Method<#hash> for #inner #clause {
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> = #call;
            }
        }
    }

    /// Beside errors of the block: callers show none of their own.
    fn stand_in(&self, of: &Block<'_>) -> TokenStream {
        self.method(of, &quote!(::core::option::Option::None))
    }
}

fn without_references(ty: &Type) -> Type {
    match ty {
        Type::Reference(reference) => without_references(&reference.elem),
        Type::Paren(inner) => without_references(&inner.elem),
        Type::Group(inner) => without_references(&inner.elem),
        other => other.clone(),
    }
}

/// Writes `Self::Output` in full, since the code goes to another `impl`.
struct Qualify<'p> {
    path: &'p syn::Path,
    types: Vec<String>,
}

impl VisitMut for Qualify<'_> {
    fn visit_type_path_mut(&mut self, node: &mut TypePath) {
        visit_mut::visit_type_path_mut(self, node);
        let mut names = node.path.segments.iter();
        if let (None, Some(first), Some(second), None) = (&node.qself, names.next(), names.next(), names.next())
            && first.ident == "Self"
            && self.types.iter().any(|name| second.ident == name)
        {
            let (path, second) = (self.path, second.clone());
            *node = syn::parse_quote!(<Self as #path>::#second);
        }
    }
}
