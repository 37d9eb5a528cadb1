//! The code of a method of one of the user's traits. It is in a hidden trait of its own, which the method's type implements, so that `Self` means there
//! what it means in the user's code; a type beside it stands for the routine. Both are the user's crate's, whatever the method's type is.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{GenericParam, Generics, Type, Visibility, WhereClause};

use crate::args::Args;
use crate::emit;
use crate::routine::Parts;

/// A method's code, and what stands for its routine.
pub struct Code<'c> {
    /// The attribute's arguments.
    pub args: &'c Args,
    /// The method.
    pub parts: &'c Parts,
    /// The method's name, for people.
    pub title: &'c str,
    /// The place of the method's name.
    pub line: Span,
    /// Who can see it.
    pub visibility: &'c Visibility,
    /// The hidden trait.
    pub home: Home<'c>,
    /// The type that stands for the routine.
    pub marker: &'c Ident,
    /// Its generics.
    pub generics: &'c Generics,
}

/// The hidden trait that has the code.
pub struct Home<'c> {
    /// Its name.
    pub name: &'c Ident,
    /// Its generics, as it declares them.
    pub generics: &'c Generics,
    /// What it asks of a type, if the code is the same for all types: then it is in the trait itself.
    pub of_all: Option<(TokenStream, Option<&'c WhereClause>)>,
    /// The generics of its `impl`.
    pub of: &'c Generics,
    /// What it is for.
    pub ty: &'c Type,
    /// The same without lifetimes.
    pub erased: &'c Type,
}

impl Code<'_> {
    /// The items.
    pub fn tokens(&self) -> TokenStream {
        let (visibility, marker, parts, home) = (self.visibility, self.marker, self.parts, self.home.name);
        let (implementation, arguments, clause) = self.generics.split_for_impl();
        let (declared, named, _) = self.home.generics.split_for_impl();
        let (of, _, of_clause) = self.home.of.split_for_impl();
        let (ty, erased) = (self.home.ty, self.home.erased);
        let mut any = self.generics.clone();
        any.params.push(syn::parse_quote!(const __NAME: u32));
        let (any, _, _) = any.split_for_impl();
        // What a trait is implemented for may have no size.
        let bare = self.generics.params.iter().map(|param| {
            let is_sized = matches!(param, GenericParam::Type(param) if !emit::is_unsized(param));
            let (param, unsized_type) = (emit::bare(param), self.home.of_all.is_some() && is_sized);
            let unsized_type = unsized_type.then(|| quote!(: ?::core::marker::Sized));
            quote!(#param #unsized_type)
        });
        let types = self.generics.type_params().map(|param| &param.ident);
        let (params, result) = (emit::params(parts), emit::result(parts));
        let source = emit::source_value(self.title, self.line, self.args, parts);
        let inline = emit::inline(
            self.args.inline,
            parts,
            &quote!(Self),
            &quote!(<Self as ::gpuvm::__private::RoutineType>),
            self.generics,
        );
        let routine = emit::encoding(parts, &quote!(Self));
        let code = quote! {
            const __GPUVM_PARAMS: &'static [::gpuvm::__private::TypeRef] = #params;
            const __GPUVM_RESULT: ::gpuvm::__private::TypeRef = #result;
            const __GPUVM_SOURCE: &'static ::gpuvm::__private::Source = #source;
        };
        let definition = match &self.home.of_all {
            Some((asked, clause)) => quote! {
                #visibility trait #home #declared: #asked #clause { #code }
                #[automatically_derived]
                impl #of #home #named for #ty #of_clause {}
            },
            None => quote! {
                #visibility trait #home #declared {
                    const __GPUVM_PARAMS: &'static [::gpuvm::__private::TypeRef];
                    const __GPUVM_RESULT: ::gpuvm::__private::TypeRef;
                    const __GPUVM_SOURCE: &'static ::gpuvm::__private::Source;
                }
                // rustc looks at the user's own code, of which this is a copy in which closures are only types.
                #[allow(const_item_interior_mutations, non_snake_case, unused_assignments, unused_variables)]
                #[automatically_derived]
                impl #of #home #named for #ty #of_clause { #code }
            },
        };
        quote! {
            #[doc(hidden)]
            #[allow(const_item_interior_mutations, non_snake_case, unused_assignments, unused_variables)]
            #definition
            #[doc(hidden)]
            #visibility struct #marker<#(#bare),*> {
                __types: ::core::marker::PhantomData<fn(#(::core::marker::PhantomData<#types>),*)>,
            }
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RoutineSource for #marker #arguments #clause {
                const SOURCE: &'static ::gpuvm::__private::Source = <#erased as #home #named>::__GPUVM_SOURCE;
            }
            #[automatically_derived]
            impl #implementation ::gpuvm::__private::RoutineType for #marker #arguments #clause {
                const PARAMS: &'static [::gpuvm::__private::TypeRef] = <#erased as #home #named>::__GPUVM_PARAMS;
                const RESULT: ::gpuvm::__private::TypeRef = <#erased as #home #named>::__GPUVM_RESULT;
                #inline
                fn routine() -> &'static ::gpuvm::__private::Routine {
                    #routine
                }
            }
            // What has found the method need not look for it by its name.
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #any ::gpuvm::__private::Method<__NAME> for #marker #arguments #clause {
                type Slot = ::gpuvm::__private::MethodSlot<__NAME, Self>;
                const CALL: ::core::option::Option<::gpuvm::__private::CallFact> =
                    ::core::option::Option::Some(::gpuvm::__private::CallFact::of::<Self>());
            }
        }
    }
}
