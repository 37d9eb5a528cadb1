//! How a routine is launched: its registration under its id, and `name::launch` with arguments that rustc checks.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Generics, Pat, Type};

use crate::args::Args;
use crate::emit::Marker;
use crate::namesake_modules::has_function;
use crate::routine::{Parts, erase_lifetimes};

impl Marker<'_> {
    /// The registration and the typed `launch`, where every parameter can be given by a launch.
    pub fn launch(&self, args: &Args) -> TokenStream {
        let Some(modes) = modes(self.parts, self.generics) else {
            return TokenStream::new();
        };
        let exclusive = modes.iter().filter(|mode| mode.is_exclusive()).count();
        let name = &self.function.sig.ident;
        // Always with the same span, so that a name that is taken is told once.
        let marker = crate::emit::generated(name);
        let attributes = self.attributes();
        if exclusive > 8 || modes.len() > 12 {
            return too_many(&marker, &attributes, modes.len());
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
            let (method, ty, span) = (mode.method(), mode.ty(), at(mode.element()));
            let fetched = quote_spanned!(span=> let #local = __cx.#method::<#ty>(#i)?;);
            // What rustc says of the type is then what it says of the signature, and it says nothing more at the same place.
            match mode.reference() {
                Some(asked) => quote!(let _: ::gpuvm::__private::TypeRef = #asked; #fetched),
                None => fetched,
            }
        });
        let exclusive: Vec<&Ident> = modes
            .iter()
            .zip(&locals)
            .filter(|(mode, _)| mode.is_exclusive())
            .map(|(_, local)| local)
            .collect();
        let given = modes.iter().zip(&locals).map(|(mode, local)| match mode {
            Mode::Value(_) => copied(mode, local),
            Mode::Shared(_) => {
                let copied = copied(mode, local);
                quote!(&#copied)
            }
            _ => quote!(#local),
        });
        let call = if self.parts.never {
            quote!({ #name(#(#given),*); })
        } else {
            quote!(#name(#(#given),*))
        };
        let result = Mode::Value(self.parts.result.clone());
        let asked = result.reference().filter(|_| !self.parts.never);
        let asked = asked.map(|asked| quote!(let _: ::gpuvm::__private::TypeRef = #asked;));
        let span = at(&self.parts.result);
        // Of what never returns, rustc would not know the result.
        let unit = self.parts.never.then(|| quote!(::<_, ()>));
        let run = quote_spanned!(span=> __cx.run #unit ((#(#exclusive,)*), |__index, (#(#exclusive,)*)| #call));
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
        let launch = quote! {
            fn launch<'__a>(
                runtime: &::gpuvm::__private::Runtime,
                #(#arguments: #bounds),*
            ) -> ::gpuvm::__private::Result<::gpuvm::__private::Done> {
                ::gpuvm::__private::launch(runtime, #id, (#(#arguments,)*))
            }
        };
        let documented = quote! {
            #[doc = #doc]
            ///
            /// # Errors
            ///
            /// Those of `Launch::run`.
            #[allow(clippy::impl_trait_in_params)]
        };
        let in_module = (self.is_in_namesake() && !has_function(name.span(), "launch")).then(|| {
            let visibility = &self.function.vis;
            quote! {
                #(#attributes)*
                #documented
                #visibility #launch
            }
        });
        quote! {
            #(#attributes)*
            impl #marker {
                #documented
                pub #launch
            }
            #in_module
            #(#attributes)*
            ::gpuvm::__private::inventory::submit! {
                ::gpuvm::__private::Registration {
                    id: #id,
                    file: ::core::file!(),
                    line: #line,
                    params: &[#(#names),*],
                    routine: <#marker as ::gpuvm::__private::RoutineType>::routine,
                    native: |__cx| {
                        #(#fetched)*
                        #asked
                        #run
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

/// A span for generated tokens that points at the user's code, in which names mean what they do in the rest of what is generated here.
pub fn at(tokens: &impl Spanned) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// A VM's value of a column.
fn copied(mode: &Mode, column: &Ident) -> TokenStream {
    let (ty, span) = (mode.ty(), at(mode.element()));
    let copied = quote_spanned!(span=> (<#ty as ::gpuvm::__private::Plain>::WORDS.copied));
    quote!(#copied(#column.get(__index)))
}

/// How a launch gives each parameter of a routine, if it can. A column has no references in it.
fn modes(parts: &Parts, generics: &Generics) -> Option<Vec<Mode>> {
    let modes = parts.parameters.iter().map(|parameter| Mode::of(&parameter.ty));
    let modes: Vec<Mode> = modes.collect::<Option<_>>()?;
    let stays = |ty: &Type| {
        crate::borrowed::borrows(ty)
            || crate::cells::holds_cells(ty)
            || crate::kept::stays_inside(ty)
            || crate::lower::holds_elsewhere(ty)
    };
    let is_launched = !modes.iter().any(|mode| stays(mode.element()))
        && !stays(&parts.result)
        && !parts.is_opaque
        && !parts.calls_parameters
        && generics.params.is_empty();
    is_launched.then_some(modes)
}

/// The types of the parameters and of the result of what a launch can run, which have to be values outside, too. `None` for any other routine.
pub fn signature(parts: &Parts, generics: &Generics) -> Option<(TokenStream, TokenStream)> {
    let modes = modes(parts, generics)?;
    let references: Vec<TokenStream> = modes
        .iter()
        .zip(&parts.parameters)
        .map(|(mode, parameter)| {
            mode.reference()
                .unwrap_or_else(|| crate::emit::reference(&parameter.ty))
        })
        .collect();
    let result = match Mode::Value(parts.result.clone()).reference() {
        Some(result) if !parts.never => result,
        _ => crate::emit::result(parts),
    };
    Some((quote!(&[#(#references),*]), result))
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
                    Type::Path(path) if path.path.is_ident("str") => None,
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

    /// The parameter's type, asked of the type of its entries.
    fn reference(&self) -> Option<TokenStream> {
        let name = match self {
            Mode::Value(_) => "VALUE",
            Mode::Shared(_) => "SHARED",
            Mode::Record(_) => "RECORD",
            Mode::Slice(_) => "SLICE",
            Mode::Chunk(_) => "CHUNK",
            Mode::Atomic(_) => return None,
        };
        let (ty, span) = (self.ty(), at(self.element()));
        let name = Ident::new(name, span);
        Some(quote_spanned!(span=> <#ty as ::gpuvm::__private::Plain>::#name))
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
        let kind = match self {
            Mode::Value(_) | Mode::Shared(_) => "Column",
            Mode::Record(_) => "Record",
            Mode::Slice(_) => "Slice",
            Mode::Chunk(_) => "Chunk",
            Mode::Atomic(_) => return quote!(impl ::gpuvm::__private::AtomicArg<'__a, #ty>),
        };
        // Whether a type of another file has lifetimes that are left out nobody can see.
        match crate::primitive::Known::of(self.element()) {
            crate::primitive::Known::Unknown if !crate::borrowed::is_defined_without_lifetimes(self.element()) => {
                let of = quote::format_ident!("{kind}Of");
                quote!(impl ::gpuvm::__private::#of<'__a, fn(#ty)>)
            }
            _ => {
                let argument = quote::format_ident!("{kind}Arg");
                quote!(impl ::gpuvm::__private::#argument<'__a, #ty>)
            }
        }
    }
}
