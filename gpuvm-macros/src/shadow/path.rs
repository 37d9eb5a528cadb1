//! What the shadow asks of functions that a path names, and of what is associated with a type.

use gpuvm_nodes::node::Operator;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use super::conversion::Constructs;
use super::method::known_with;
use super::{Ends, ask, at, slot_at, spanned, take};

/// The type beside a function that a path names.
pub struct Callee {
    /// Its path.
    pub path: TokenStream,
    /// Where it may not be there.
    pub module: Option<Module>,
}

/// The module that the type beside a function is looked for in.
pub struct Module {
    /// Its path.
    pub path: TokenStream,
    /// The function's name.
    pub name: Ident,
    /// Whether it is one of std's by its path.
    pub is_std: bool,
}

impl From<TokenStream> for Callee {
    fn from(path: TokenStream) -> Callee {
        Callee { path, module: None }
    }
}

impl Callee {
    /// Whether its path is one of std's.
    fn is_std(&self) -> bool {
        self.module.as_ref().is_some_and(|module| module.is_std)
    }

    /// The type that stands for a function's routine; where std has a `namesake`, the function has to be that or a routine.
    fn marker(&self, function: &Ident, namesake: Option<TokenStream>, span: Span) -> TokenStream {
        let path = &self.path;
        match (&self.module, namesake) {
            (Some(Module { is_std: true, .. }), _) => quote_spanned! {span=> {
                match #function { __c => match ::gpuvm::__private::of_std(__c) { _ => () } }
                ::core::marker::PhantomData::<::gpuvm::__private::NotARoutine>
            }},
            // What a glob finds goes before what a block around it has.
            (Some(Module { path: module, name, .. }), _) => quote_spanned! {span=> {
                use ::gpuvm::__private::Unseen as #name;
                {
                    use #module::*;
                    #path::__vm(::gpuvm::__private::seen(#name, #function))
                }
            }},
            (None, Some(namesake)) => quote_spanned!(span=> #path::__vm_std(#function, #namesake)),
            // Not an argument by itself, or rustc would say the same of the function and of the argument.
            (None, None) => quote_spanned!(span=> #path::__vm(::gpuvm::__private::itself(#function))),
        }
    }
}

/// Fills a slot with the routine that a path names, and calls it. What calls it has the user's spans, so that rustc's messages on arguments are
/// those of the function itself, and are shown once.
pub fn call(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>, number: u64) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let function = Ident::new("__gpuvm_callee", node.func.span());
    let (ends, path) = (Ends::of(&node.func), node.func.to_token_stream());
    if callee.is_std() && namesake.is_none() {
        // What it is given is nobody's business.
        *expr = Expr::Verbatim(quote_spanned! {span=>
            (match #path { #function => {
                ::gpuvm::__private::link(::core::marker::PhantomData::<::gpuvm::__private::NotARoutine>, #slot);
                match (#function,) { (__c,) => ::gpuvm::__private::of_std(__c) }
            } })
        });
        return;
    }
    let marker = callee.marker(&function, namesake, span);
    *node.func = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match #path { #function => ::gpuvm::__private::called(#marker, #function, #slot) }
    }));
    *expr = Expr::Call(node);
}

/// Calls the routine that `Self` stands for by its path.
pub fn call_own(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let function = Ident::new("__gpuvm_callee", node.func.span());
    let (ends, path) = (Ends::of(&node.func), take(&mut node.func));
    let marker = callee.marker(&function, namesake, span);
    *node.func = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match #path { #function => { ::gpuvm::__private::is_own::<Self>(#marker); (#function,) } }
    }));
    *expr = Expr::Call(node);
}

/// The same, where an argument is a closure: rustc infers its parameters only if the function is called without a detour by a variable.
pub fn call_with_closure(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>, number: u64) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let marker = callee.marker(&Ident::new("__f", span), namesake, span);
    let function = take(&mut node.func);
    *node.func = Expr::Verbatim(quote_spanned!(span=> ::gpuvm::__private::known_as(#function, &__f)));
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({
            let __f = ::core::marker::PhantomData;
            match #node { __v => {
                match ::gpuvm::__private::any_of(&__f) { __f => ::gpuvm::__private::link(#marker, #slot) }
                __v
            } }
        })
    });
}

/// Fills a slot with the routine that a path names.
pub fn function(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let marker = callee.marker(&Ident::new("__f", span), namesake, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match #inner { __f => { ::gpuvm::__private::link(#marker, #slot); __f } })
    });
}

/// Fills a slot with an associated function of a type.
pub fn associated(expr: &mut Expr, ty: TokenStream, hash: u32, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let (ends, inner) = (Ends::of(expr), take(expr));
    let hash = spanned(Literal::u32_suffixed(hash), span);
    *expr = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        { ::gpuvm::__private::associated::<#hash, #ty>(#slot); (#inner,) }
    }));
}

/// The same of a method that depends on its result as well.
pub fn generic_associated(expr: &mut Expr, ty: TokenStream, hash: u32, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let function = quote_spanned!(span=> generic_associated::<#hash, #ty, _>);
    ask(expr, span, &function, &slot.into_token_stream());
}

/// The module of what is found where nothing of the user's stands beside a function.
pub fn fallback_name(twin: &Ident) -> Ident {
    quote::format_ident!("__Gpuvm{twin}", span = Span::call_site())
}

pub(super) fn import_fallback(module: Option<&Ident>) -> Option<TokenStream> {
    module.map(|module| quote!(use #module::Of as _;))
}

/// An associated function whose type's arguments may be left out: `twin` beside it has the type as its result.
pub struct Inferred {
    /// A value of the type.
    pub any: TokenStream,
    /// The function beside it, with its arguments.
    pub twin: TokenStream,
    /// The same where the path begins with a trait.
    pub of_trait: Option<OfTrait>,
    /// The module of what is found where there is none.
    pub fallback: Option<Ident>,
    /// Of the function's name.
    pub hash: u32,
    /// The operator whose trait's method has this name.
    pub operator: Option<Operator>,
}

/// A function beside a trait's method, by the trait's path.
pub struct OfTrait {
    /// The trait's path. A `#[routine]` trait has a macro of its name, which tells it from a type.
    pub path: syn::Path,
    /// The function's path.
    pub twin: TokenStream,
}

impl Inferred {
    /// Fills a slot with the function that `function` is.
    fn link(&self, function: &Ident, known: &Ident, slot: &Ident, span: Span) -> TokenStream {
        let of_type = self.link_of_type(function, known, slot, span);
        let Some(OfTrait { path, twin }) = &self.of_trait else {
            return of_type;
        };
        let hash = spanned(Literal::u32_suffixed(self.hash), span);
        quote_spanned! {span=> {
            use ::gpuvm::__private::nothing_provided as __gpuvm_provided;
            {
                #[allow(unused_imports)]
                use #path as __gpuvm_provided;
                {
                    // What the path leads to is known before the macro, in a block that has an item of its own, is.
                    const _: () = ();
                    __gpuvm_provided! {
                        @trait { ::gpuvm::__private::link_method::<#hash, _, _>(#twin(::gpuvm::__private::any(), #function), &#known, #slot); }
                        { #of_type }
                    }
                }
            }
        }}
    }

    fn link_of_type(&self, function: &Ident, known: &Ident, slot: &Ident, span: Span) -> TokenStream {
        let fallback = import_fallback(self.fallback.as_ref());
        let any = &self.any;
        let twin = &self.twin;
        let of = known_with(
            &quote_spanned!(span=> ::gpuvm::__private::beside(#any, &#function)),
            &function.to_token_stream(),
            span,
        );
        let twin = quote_spanned!(span=> #of.#twin);
        let hash = spanned(Literal::u32_suffixed(self.hash), span);
        let Some(operator) = self.operator else {
            return quote_spanned! {span=> {
                use ::gpuvm::__private::{AnyOf as _, TwinOfCell as _, TwinOfNew as _};
                #fallback
                ::gpuvm::__private::link_method::<#hash, _, _>(#twin(#function), &#known, #slot);
            }};
        };
        let number = spanned(Literal::u8_suffixed(operator as u8), span);
        let named = match operator {
            Operator::Neg | Operator::Not => quote_spanned!(span=> unary_by_name),
            _ => quote_spanned!(span=> binary_by_name),
        };
        quote_spanned! {span=> {
            use ::gpuvm::__private::{AnyOf as _, LinkMethod as _, LinkBinary as _, LinkUnary as _};
            #fallback
            (&::gpuvm::__private::#named::<#hash, #number, _, _>(#twin(#function), #function)).link(#slot)
        }}
    }
}

/// Fills a slot with the associated function that is called.
pub fn call_associated(
    expr: &mut Expr,
    function: &Inferred,
    with_closure: bool,
    constructs: Option<&Constructs>,
    number: u64,
) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let callee = Ident::new("__f", span);
    let link = function.link(&callee, &callee, &slot, span);
    let (ends, path) = (Ends::of(&node.func), take(&mut node.func));
    if let Some(constructs) = constructs {
        let value = Ident::new("__v", span);
        let link = function.link(&callee, &value, &slot, span);
        *node.func = Expr::Verbatim(quote!(#callee));
        let made = constructs.made(&node.to_token_stream(), span);
        *expr = Expr::Verbatim(match constructs {
            Constructs::Opened => quote_spanned! {span=>
                (match #path { #callee => {
                    use ::gpuvm::__private::MakesOther as _;
                    let #value = (&::gpuvm::__private::opened(#node)).__gpuvm_held();
                    #link;
                    #made
                } })
            },
            _ => quote_spanned!(span=> (match #path { #callee => match #made { #value => { #link; #value } } })),
        });
    } else if with_closure {
        // As in `call_with_closure`.
        *node.func = Expr::Verbatim(quote_spanned!(span=> ::gpuvm::__private::known_as(#path, &#callee)));
        *expr = Expr::Verbatim(quote_spanned! {span=>
            ({
                let #callee = ::core::marker::PhantomData;
                match #node { __v => {
                    match ::gpuvm::__private::any_of(&#callee) { #callee => #link }
                    __v
                } }
            })
        });
    } else {
        *node.func =
            Expr::Verbatim(ends.entry(quote_spanned!(span=> match #path { #callee => { #link; (#callee,) } })));
        *expr = Expr::Call(node);
    }
}

/// Fills a slot with the associated function that a path names.
pub fn associated_function(expr: &mut Expr, function: &Inferred, number: u64) {
    let span = at(expr);
    let callee = Ident::new("__f", span);
    let link = function.link(&callee, &callee, &slot_at(number, span), span);
    let path = take(expr);
    *expr = Expr::Verbatim(quote_spanned!(span=> (match #path { #callee => { #link; #callee } })));
}
