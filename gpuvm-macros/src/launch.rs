//! How a routine is launched: its registration under its id, and `name::launch` with arguments that rustc checks.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Pat, Type};

use crate::args::Args;
use crate::emit::Marker;
use crate::routine::erase_lifetimes;

impl Marker<'_> {
    /// The registration and the typed `launch`, where every parameter can be given by a launch.
    pub fn launch(&self, args: &Args) -> TokenStream {
        let Some(modes) = self
            .parts
            .parameters
            .iter()
            .map(|parameter| Mode::of(&parameter.ty))
            .collect::<Option<Vec<_>>>()
        else {
            return TokenStream::new();
        };
        // A column has no references in it.
        if modes
            .iter()
            .any(|mode| crate::routine::holds_references(mode.element()))
        {
            return TokenStream::new();
        }
        let exclusive = modes.iter().filter(|mode| mode.is_exclusive()).count();
        let lends = crate::routine::holds_references(&self.parts.result);
        if lends || self.parts.is_opaque || self.parts.calls_parameters || !self.generics.params.is_empty() {
            return TokenStream::new();
        }
        let name = &self.function.sig.ident;
        let attributes = self.attributes();
        if exclusive > 8 || modes.len() > 12 {
            return too_many(name, &attributes, modes.len());
        }
        let id = args.id_of(name);
        let line = name.span().start().line as u32;
        let names: Vec<String> = self
            .parts
            .parameters
            .iter()
            .enumerate()
            .map(|(i, parameter)| match &parameter.pattern {
                Pat::Ident(pattern) => crate::plain_name(&pattern.ident),
                _ => format!("parameter {i}"),
            })
            .collect();
        let locals: Vec<Ident> = (0..modes.len())
            .map(|i| Ident::new(&format!("__p{i}"), Span::mixed_site()))
            .collect();
        let fetched = modes.iter().zip(&locals).enumerate().map(|(i, (mode, local))| {
            let (method, ty) = (mode.method(), mode.ty());
            quote!(let #local = __cx.#method::<#ty>(#i)?;)
        });
        let exclusive: Vec<&Ident> = modes
            .iter()
            .zip(&locals)
            .filter(|(mode, _)| mode.is_exclusive())
            .map(|(_, local)| local)
            .collect();
        let given = modes.iter().zip(&locals).map(|(mode, local)| match mode {
            Mode::Value(_) => quote!(#local.get(__vm)),
            Mode::Shared(_) => quote!(&#local.get(__vm)),
            _ => quote!(#local),
        });
        let call = if self.parts.never {
            quote!({ #name(#(#given),*); })
        } else {
            quote!(#name(#(#given),*))
        };
        let bounds = modes.iter().map(Mode::argument);
        let arguments: Vec<Ident> = names
            .iter()
            .zip(&locals)
            .map(|(name, local)| {
                let usable = syn::parse_str::<Ident>(name).is_ok() && name != "runtime" && name != "self";
                if usable {
                    Ident::new(name, Span::mixed_site())
                } else {
                    local.clone()
                }
            })
            .collect();
        let doc = format!("Launches the routine `{id}`: one argument for each parameter, checked by rustc.");
        quote! {
            #(#attributes)*
            impl #name {
                #[doc = #doc]
                ///
                /// # Errors
                ///
                /// Those of `Launch::run`.
                pub fn launch<'__a>(
                    runtime: &::gpuvm::__private::Runtime,
                    #(#arguments: #bounds),*
                ) -> ::gpuvm::__private::Result<::gpuvm::__private::Done> {
                    runtime.launch(#id)?.args((#(::gpuvm::__private::IntoArg::into_arg(#arguments),)*)).run()
                }
            }
            #(#attributes)*
            ::gpuvm::__private::inventory::submit! {
                ::gpuvm::__private::Entry {
                    id: #id,
                    file: ::core::file!(),
                    line: #line,
                    params: &[#(#names),*],
                    routine: <#name as ::gpuvm::__private::RoutineType>::routine,
                    native: |__cx| {
                        #(#fetched)*
                        __cx.run((#(#exclusive,)*), |__vm, (#(#exclusive,)*)| #call)
                    },
                }
            }
        }
    }
}

/// A `launch` that says why there is none, where it is called.
fn too_many(name: &Ident, attributes: &[&Attribute], parameters: usize) -> TokenStream {
    let others = (1..parameters).map(|_| quote!(_: impl ::core::marker::Sized));
    quote! {
        #(#attributes)*
        impl #name {
            #[doc(hidden)]
            #[allow(dead_code, clippy::too_many_arguments)]
            pub fn launch(
                _: &::gpuvm::__private::Runtime,
                _: impl ::gpuvm::__private::FewerParameters,
                #(#others),*
            ) -> ::gpuvm::__private::Result<::gpuvm::__private::Done> {
                ::core::unreachable!()
            }
        }
    }
}

/// How a launch gives a parameter.
enum Mode {
    Value(Type),
    Shared(Type),
    Record(Type),
    Slice(Type),
    Chunk(Type),
    Atomic(Type),
}

impl Mode {
    /// The mode of a parameter's type; `None` for what no launch can give.
    fn of(ty: &Type) -> Option<Mode> {
        match ty {
            Type::Paren(ty) => Mode::of(&ty.elem),
            Type::Group(ty) => Mode::of(&ty.elem),
            Type::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                match &*reference.elem {
                    Type::Reference(_) => None,
                    Type::Slice(slice) => {
                        let element = (*slice.elem).clone();
                        let is_atomic = crate::primitive::Known::of(&element) == crate::primitive::Known::Atomic;
                        match (is_atomic, mutable) {
                            (true, false) => Some(Mode::Atomic(element)),
                            (true, true) => None,
                            (false, true) => Some(Mode::Chunk(element)),
                            (false, false) => Some(Mode::Slice(element)),
                        }
                    }
                    inner if crate::primitive::Known::of(inner) == crate::primitive::Known::Atomic => None,
                    inner if mutable => Some(Mode::Record(inner.clone())),
                    inner => Some(Mode::Shared(inner.clone())),
                }
            }
            ty => Some(Mode::Value(ty.clone())),
        }
    }

    fn is_exclusive(&self) -> bool {
        matches!(self, Mode::Record(_) | Mode::Chunk(_))
    }

    fn method(&self) -> Ident {
        let name = match self {
            Mode::Value(_) | Mode::Shared(_) => "column",
            Mode::Record(_) => "records",
            Mode::Slice(_) => "slice",
            Mode::Chunk(_) => "chunks",
            Mode::Atomic(_) => "atomics",
        };
        Ident::new(name, Span::mixed_site())
    }

    fn element(&self) -> &Type {
        let (Mode::Value(ty)
        | Mode::Shared(ty)
        | Mode::Record(ty)
        | Mode::Slice(ty)
        | Mode::Chunk(ty)
        | Mode::Atomic(ty)) = self;
        ty
    }

    fn ty(&self) -> TokenStream {
        let mut ty = self.element().clone();
        erase_lifetimes(&mut ty);
        ty.to_token_stream()
    }

    fn argument(&self) -> TokenStream {
        let ty = self.ty();
        match self {
            Mode::Value(_) | Mode::Shared(_) => {
                quote!(impl ::gpuvm::__private::ColumnArg<'__a, #ty>)
            }
            Mode::Record(_) => quote!(impl ::gpuvm::__private::RecordArg<'__a, #ty>),
            Mode::Slice(_) => quote!(impl ::gpuvm::__private::SliceArg<'__a, #ty>),
            Mode::Chunk(_) => quote!(impl ::gpuvm::__private::ChunkArg<'__a, #ty>),
            Mode::Atomic(_) => quote!(impl ::gpuvm::__private::AtomicArg<'__a, #ty>),
        }
    }
}
