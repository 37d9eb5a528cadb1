//! What the shadow asks of methods.

use gpuvm_nodes::node::Operator;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Type};

use super::path::{fallback_name, import_fallback};
use super::place::{linked_behind, steps};
use super::{Ends, at, slot_at, spanned, take};
use crate::lower::asking_name;
use crate::{namesakes, native};

/// A method's receiver. Its name is one of the user's code, or rustc would blame the attribute for what the receiver lacks.
fn received(method: &Ident) -> Ident {
    Ident::new("__gpuvm_receiver", method.span())
}

/// A type by way of the trait that the machine's types have. Where it is none of these, rustc says so here, and takes what is of this type for
/// something unknown of which there is no more to say.
pub fn asked_of_value(ty: &syn::TypePath) -> Type {
    let span = crate::launch::at(ty);
    Type::Verbatim(quote_spanned!(span=> <#ty as ::gpuvm::__private::Value>::Erased))
}

/// What a method is called on.
#[derive(Clone)]
pub struct On {
    /// Whether it is a place.
    pub place: bool,
    /// Behind how many `Deref`s of the user's the method may be, each behind the one before; behind one, it may be of the slice that an array is.
    pub seeks: usize,
    /// The type parameter, or `Self`, that it is a value of, or a reference to, where that may be a reference itself: what is beside a method of its traits is looked up on
    /// it, and else on what is behind all references.
    pub of: Option<Ident>,
}

/// What the function beside a method is looked up on.
fn looked_up_on(of: Option<&Ident>, receiver: &TokenStream, span: Span) -> TokenStream {
    match of {
        Some(ty) => quote_spanned!(span=> ::gpuvm::__private::beside::<#ty, _>(::gpuvm::__private::any(), &__v.0)),
        None => quote_spanned!(span=> ::gpuvm::__private::inner(&#receiver, &__v.0)),
    }
}

/// Fills a slot with a method of the receiver. A place is named twice rather than moved. `twin`: the function beside it where the method may be of a
/// trait of the user's, though std has one of that name.
pub fn method(expr: &mut Expr, hash: u32, on: On, elsewhere: bool, twin: Option<&Ident>, number: u64) {
    let On { place, seeks, of: ty } = on;
    let ends = Ends::of(expr);
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = receiver(&node, place);
    let known = twin.map(|_| known_arguments(&mut node, span));
    let declared = known.iter().flatten();
    let call = |node: &syn::ExprMethodCall| match (twin, &known) {
        (Some(twin), Some(known)) => {
            let takes = native::taken_by_traits(&node.method);
            let [floats, integers] = takes.map(|takes| spanned(Literal::u8_suffixed(takes as u8), span));
            let named = quote_spanned!(span=> named_as_std::<#hash, #floats, #integers, _, _>(__s, __m));
            let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought::<#hash, _>(#of));
            // What is behind a `Deref` by that name is std's, or known as that.
            let link = |receiver: &TokenStream, slot: &Ident| {
                link_named_as_std(twin, ty.as_ref(), receiver, known, &named, slot, span)
            };
            let link = linked_behind(seeks, (&receiver, &slot), sought, link, span);
            quote_spanned! {span=>
                #(let #declared = ::core::marker::PhantomData;)*
                match (#node,) { __v => {
                    match &#receiver { __s => #link };
                    __v
                } }
            }
        }
        // Behind several, what is found is asked for where it is.
        _ if seeks > 1 => {
            let function = or_unknown("method", elsewhere, span);
            let link = quote_spanned!(span=> ::gpuvm::__private::#function::<#hash, _, _>(__s, __v, __k));
            let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought::<#hash, _>(&#of));
            let steps = steps(seeks, &receiver, sought, span);
            let asked = asked(&link, elsewhere, span);
            quote_spanned! {span=>
                match (#node,) { __v => {
                    let __k = #slot;
                    #steps
                    #asked
                } }
            }
        }
        _ if seeks == 1 => {
            let link = or_unknown("__gpuvm_method", elsewhere, span);
            let link =
                quote_spanned!(span=> (&&&&::gpuvm::__private::sought::<#hash, _>(&#receiver)).#link(__v, #slot));
            let asked = asked(&link, elsewhere, span);
            quote_spanned! {span=>
                match (#node,) { __v => {
                    use ::gpuvm::__private::{MethodBehind as _, MethodBehindMut as _, MethodHere as _, MethodNowhere as _};
                    #asked
                } }
            }
        }
        _ => {
            let function = or_unknown("method", elsewhere, span);
            let link = quote_spanned!(span=> ::gpuvm::__private::#function::<#hash, _, _>(&#receiver, __v, #slot));
            let asked = asked(&link, elsewhere, span);
            quote_spanned!(span=> match (#node,) { __v => { #asked } })
        }
    };
    *expr = Expr::Verbatim(ends.entry(called_on(node, place, &receiver, span, call)));
}

/// Fills a slot with a method that lends a part of its receiver, which part its result tells.
pub fn lending(expr: &mut Expr, hash: u32, place: bool, number: u64) {
    let ends = Ends::of(expr);
    let Expr::MethodCall(node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = receiver(&node, place);
    let call = |node: &syn::ExprMethodCall| {
        quote_spanned! {span=>
            match (#node,) { __v => {
                use ::gpuvm::__private::{LinkLent as _, LinkUnlent as _};
                (&&::gpuvm::__private::lent::<#hash, _, _>(&#receiver, &__v.0)).__gpuvm_link(&__v.0, #slot);
                __v
            } }
        }
    };
    *expr = Expr::Verbatim(ends.entry(called_on(node, place, &receiver, span, call)));
}

/// The function that asks a question. `elsewhere`: where the answer is no, nothing is known of the value that it was asked of, and the function gives one.
fn or_unknown(function: &str, elsewhere: bool, span: Span) -> Ident {
    match elsewhere {
        false => Ident::new(function, span),
        true => Ident::new(&format!("{function}_or_unknown"), span),
    }
}

/// A question by such a function, and the value, which is `__v`.
fn asked(question: &TokenStream, elsewhere: bool, span: Span) -> TokenStream {
    match elsewhere {
        false => quote_spanned!(span=> #question; __v),
        true => question.clone(),
    }
}

/// What a method is called on, as it is named twice: a place, or the entry of the variable that [`called_on`] makes.
fn receiver(node: &syn::ExprMethodCall, place: bool) -> TokenStream {
    match place {
        true => node.receiver.to_token_stream(),
        false => Ends::of(&node.receiver).entry(received(&node.method).to_token_stream()),
    }
}

/// A call with its receiver in a variable, unless that is a place.
fn called_on(
    mut node: syn::ExprMethodCall,
    place: bool,
    receiver: &TokenStream,
    span: Span,
    call: impl FnOnce(&syn::ExprMethodCall) -> TokenStream,
) -> TokenStream {
    if place {
        native::as_native(&mut node);
        let call = call(&node);
        quote_spanned!(span=> { #call })
    } else {
        let variable = received(&node.method);
        let value = std::mem::replace(&mut *node.receiver, Expr::Verbatim(receiver.clone()));
        native::as_native(&mut node);
        let call = call(&node);
        quote_spanned!(span=> match (#value,) { mut #variable => { #call } })
    }
}

/// What the function beside one of the user's is looked up on: the type of `value` is unknown where that of `of`, what the user's gives, is, as it is of
/// a name that several have, and rustc says it once.
pub(super) fn known_with(value: &TokenStream, of: &TokenStream, span: Span) -> TokenStream {
    quote_spanned!(span=> [#value][&#of as *const _ as usize])
}

/// Tells a variable for each argument of its type, or of what a closure results in.
fn known_arguments(node: &mut syn::ExprMethodCall, span: Span) -> Vec<Ident> {
    let known: Vec<Ident> = (0..node.args.len())
        .map(|i| Ident::new(&format!("__d{i}"), span))
        .collect();
    for (argument, known) in node.args.iter_mut().zip(&known) {
        match closure_in(argument) {
            // rustc infers a closure's parameters only where it is an argument itself.
            Some(closure) => {
                let body = take(&mut closure.body);
                *closure.body = Expr::Verbatim(quote_spanned! {span=>
                    (match (#body) { __v => { ::gpuvm::__private::is_of(&__v, &#known); __v } })
                });
            }
            None => {
                let value = take(argument);
                *argument = Expr::Verbatim(quote_spanned!(span=> ::gpuvm::__private::known_as(#value, &#known)));
            }
        }
    }
    known
}

/// What the function beside a method tells, `asked`, for the type that rustc finds the method of: where a reference has a method of that name in its own way, that
/// may be the reference.
fn looked_for(asked: TokenStream, twin: &Ident, receiver: &TokenStream, span: Span) -> TokenStream {
    let name = twin.to_string();
    if !namesakes::is_apart(span, name.strip_prefix(&asking_name("").to_string()).unwrap_or(&name)) {
        return asked;
    }
    // As many references as a receiver may plainly have.
    let steps = (0..4).map(|_| quote_spanned!(span=> let __l = (&&&&&&__l).__gpuvm_look();));
    quote_spanned! {span=> {
        use ::gpuvm::__private::{
            LookAtReferred as _, LookAtValue as _, LookBehind as _, LookByMut as _, LookByMutAsValue as _, LookByRef as _,
            LookByRefAsValue as _, LookNoFurther as _, LookSettled as _,
        };
        let __l = ::gpuvm::__private::looking(#asked, &#receiver);
        #(#steps)*
        __l.__gpuvm_found()
    }}
}

/// Fills a slot with a method that std has a name of. `named` asks for it, of `__m`: what the function beside a method of a trait of the user's tells,
/// or the receiver's type where there is none.
fn link_named_as_std(
    twin: &Ident,
    ty: Option<&Ident>,
    receiver: &TokenStream,
    known: &[Ident],
    named: &TokenStream,
    slot: &Ident,
    span: Span,
) -> TokenStream {
    let fallback = import_fallback(Some(&fallback_name(twin)));
    let of = known_with(&looked_up_on(ty, receiver, span), &quote_spanned!(span=> __v.0), span);
    let asked = looked_for(
        quote_spanned!(span=> #of.#twin(&(#(#known,)* __r,))),
        twin,
        receiver,
        span,
    );
    quote_spanned! {span=> {
        use ::gpuvm::__private::{LinkNamedAsStd as _, LinkOfTrait as _};
        #fallback
        let __r = ::core::marker::PhantomData;
        ::gpuvm::__private::is_of(&__v.0, &__r);
        let __m = #asked;
        (&&&&::gpuvm::__private::#named).link(&__v.0, #slot)
    }}
}

/// What a method of the user's may be by its name.
#[derive(Clone, Copy)]
pub enum MayBe {
    /// An operator, whose trait has a method of this name.
    Operator(Operator),
    /// The routine that calls it, with what it is given as closures.
    Itself(Given),
}

/// What a routine that calls itself gives as closures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given {
    /// Those that it was given.
    Same,
    /// Another one.
    Another,
    /// A copy of what one has captured.
    Copied,
}

impl Given {
    /// The type that stands for it.
    fn marker(self) -> Ident {
        Ident::new(&format!("{self:?}"), Span::mixed_site())
    }
}

/// Fills a slot with a method of the receiver that may have parameters of its own: the function beside it is told the types of its arguments, of
/// what a closure results in, and of its result.
/// `other`: what else it may be.
pub fn asked_method(
    expr: &mut Expr,
    twin: &Ident,
    hash: u32,
    on: On,
    elsewhere: bool,
    other: Option<MayBe>,
    number: u64,
) {
    let On { place, seeks, of: ty } = on;
    let ends = Ends::of(expr);
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = receiver(&node, place);
    // Of an operand that is named, rustc says the same here if it stands here as it is.
    let named = node
        .args
        .first()
        .filter(|operand| matches!(other, Some(MayBe::Operator(_))) && is_named(operand))
        .cloned();
    let known = match &named {
        Some(_) => vec![Ident::new("__d0", span)],
        None => known_arguments(&mut node, span),
    };
    let named = named.map(|operand| quote_spanned!(span=> ::gpuvm::__private::is_of(&#operand, &__d0);));
    let turbofish = node.turbofish.clone();
    let fallback = fallback_name(twin);
    let fallback = import_fallback(turbofish.is_none().then_some(&fallback));
    // Of std's own traits that are generic, the function is one of a trait, too.
    let of_std = match node.method.to_string().as_str() {
        "extend" => quote!(
            use ::gpuvm::__private::Extends as _;
        ),
        "hash" => quote!(
            use ::gpuvm::__private::Hashes as _;
        ),
        _ => TokenStream::new(),
    };
    let link_method = or_unknown("link_method", elsewhere, span);
    let (answer, value) = match elsewhere {
        false => (TokenStream::new(), quote_spanned!(span=> __v)),
        true => (
            quote_spanned!(span=> let __m =),
            quote_spanned!(span=> (::gpuvm::__private::any_of(&__m),)),
        ),
    };
    let of = known_with(
        &looked_up_on(ty.as_ref(), &receiver, span),
        &quote_spanned!(span=> __v.0),
        span,
    );
    let asked = quote_spanned!(span=> #of.#twin #turbofish (&(#(#known,)* __d,)));
    // Behind a `Deref` it is what is found there; what is found here is looked for from the receiver on all the same.
    let looked = |asked: TokenStream| looked_for(asked, twin, &receiver, span);
    let link = match other {
        Some(MayBe::Itself(given)) => {
            let given = given.marker();
            quote_spanned! {span=>
                use ::gpuvm::__private::{LinkNotOwn as _, LinkOwn as _};
                (&::gpuvm::__private::own_or_other::<#hash, ::gpuvm::__private::#given, Self, _, _>(#asked, #of))
                    .__gpuvm_link(&__v.0, #slot)
            }
        }
        None if seeks > 0 => {
            let found = known_with(&quote_spanned!(span=> __s), &quote_spanned!(span=> __v.0), span);
            let found = quote_spanned!(span=> #found.#twin(&(#(#known,)* __d,)));
            let last = looked(found.clone());
            let sought = |of: &TokenStream| {
                let asked = match of.to_string() == "__s" {
                    true => &found,
                    false => &asked,
                };
                quote_spanned!(span=> ::gpuvm::__private::sought_beside::<#hash, _, _>(&#asked, #of))
            };
            let steps = steps(seeks, &of, sought, span);
            quote_spanned! {span=>
                let __k = #slot;
                #steps
                ::gpuvm::__private::#link_method::<#hash, _, _>(#last, &__v.0, __k)
            }
        }
        None => {
            let asked = looked(asked);
            quote_spanned!(span=> ::gpuvm::__private::#link_method::<#hash, _, _>(#asked, &__v.0, #slot))
        }
        Some(MayBe::Operator(operator)) => {
            let operator = spanned(Literal::u8_suffixed(operator as u8), span);
            let asked = looked(asked);
            quote_spanned! {span=>
                use ::gpuvm::__private::{LinkMistaken as _, LinkNamed as _, LinkOperator as _, LinkUnnamed as _};
                let __m = #asked;
                match &#receiver { __s =>
                    (&&&&&&::gpuvm::__private::by_method::<#hash, #operator, _, _, _>(__m, __s, &__d0)).__gpuvm_link(&__v.0, #slot)
                }
            }
        }
    };
    let call = |node: &syn::ExprMethodCall| {
        quote_spanned! {span=>
            #(let #known = ::core::marker::PhantomData;)*
            match (#node,) { __v => {
                let __d = ::core::marker::PhantomData;
                ::gpuvm::__private::is_of(&__v.0, &__d);
                #named
                #answer { #fallback #of_std #link };
                #value
            } }
        }
    };
    *expr = Expr::Verbatim(ends.entry(called_on(node, place, &receiver, span, call)));
}

/// Whether an expression is a name, or refers to one.
fn is_named(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Reference(node) => is_named(&node.expr),
        _ => false,
    }
}

/// The closure that an argument is.
fn closure_in(argument: &mut Expr) -> Option<&mut syn::ExprClosure> {
    match argument {
        Expr::Closure(closure) => Some(closure),
        Expr::Reference(node) => closure_in(&mut node.expr),
        Expr::Paren(node) => closure_in(&mut node.expr),
        Expr::Group(node) => closure_in(&mut node.expr),
        _ => None,
    }
}

/// What decides, beside the receiver, which routine a method is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decides {
    /// The result's type.
    Result,
    /// The first argument's type, too.
    Argument,
    /// The last argument's type, too.
    Last,
    /// What the closure results in, too.
    Closure,
}

/// Fills a slot with a method that depends on more than its receiver. `twin`: as of [`method`]. `hinted`: what is expected of the result is expected of
/// the call, so that `fold(0, …)` is of the type that the function returns.
pub fn generic_method(
    expr: &mut Expr,
    hash: u32,
    on: On,
    decides: Decides,
    hinted: bool,
    twin: Option<&Ident>,
    number: u64,
) {
    let On { place, seeks, of: ty } = on;
    let ends = Ends::of(expr);
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let known = twin.map(|_| known_arguments(&mut node, span));
    // A method of the user's may have no argument where std's of that name has one.
    let is_decided = decides != Decides::Result && !node.args.is_empty();
    let decider = is_decided.then(|| quote_spanned!(span=> let __d = ::core::marker::PhantomData;));
    let decided = match is_decided {
        true => quote_spanned!(span=> &__d),
        false => quote_spanned!(span=> &::core::marker::PhantomData::<()>),
    };
    let argument = decider_of(&mut node, decides, span);
    let bounded = is_bounded(&node) && (argument.is_some() || node.args.is_empty());
    let receiver = receiver(&node, place);
    let declared = known.iter().flatten();
    // A result that is written is known.
    let is_written = node.turbofish.is_some() && !is_bounded(&node);
    let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought_generic::<#hash, _, _, _>(#of, #decided, &__v.0));
    // What is asked of the result, which is `__v`, a tuple of one; it is the last of it.
    let link = match (twin, &known) {
        (Some(twin), Some(known)) => {
            let named = quote_spanned!(span=> generic_named_as_std::<#hash, _, _, _, _>(__s, #decided, &__v.0, __m));
            // What is behind a `Deref` by that name is std's, or known as that.
            let link = |receiver: &TokenStream, slot: &Ident| {
                link_named_as_std(twin, ty.as_ref(), receiver, known, &named, slot, span)
            };
            let link = linked_behind(seeks, (&receiver, &slot), sought, link, span);
            quote_spanned!(span=> match &#receiver { __s => #link } __v)
        }
        _ if bounded => {
            let given = argument
                .as_ref()
                .map_or_else(|| quote!(()), |_| quote_spanned!(span=> __a.0));
            let link = |_: &TokenStream, slot: &Ident| {
                quote_spanned! {span=> {
                    use ::gpuvm::__private::{LinkNoMethod as _, LinkOther as _, LinkRefused as _, LinkTaken as _};
                    (&&&&::gpuvm::__private::taken::<#hash, _, _, _>(__s, &#given, &__v.0)).__gpuvm_link(#decided, #slot)
                }}
            };
            let link = linked_behind(seeks, (&receiver, &slot), sought, link, span);
            quote_spanned!(span=> match &#receiver { __s => #link } __v)
        }
        _ if seeks > 1 => {
            let function = or_unknown("generic_method", is_written, span);
            let link = |here: &TokenStream, slot: &Ident| {
                let link = quote_spanned! {span=>
                    ::gpuvm::__private::#function::<#hash, _, _, _>(#here, #decided, __v, #slot)
                };
                asked(&link, is_written, span)
            };
            let link = linked_behind(seeks, (&receiver, &slot), sought, link, span);
            quote_spanned!(span=> match &#receiver { __s => #link })
        }
        _ if seeks == 1 => {
            let link = or_unknown("__gpuvm_generic", is_written, span);
            let sought = sought(&quote_spanned!(span=> &#receiver));
            let asked = asked(
                &quote_spanned!(span=> (&&&&#sought).#link(__v, #slot)),
                is_written,
                span,
            );
            quote_spanned! {span=>
                use ::gpuvm::__private::{GenericBehind as _, GenericBehindMut as _, GenericHere as _, GenericNowhere as _};
                #asked
            }
        }
        _ => {
            let function = or_unknown("generic_method", is_written, span);
            let link = quote_spanned! {span=>
                ::gpuvm::__private::#function::<#hash, _, _, _>(&#receiver, #decided, __v, #slot)
            };
            asked(&link, is_written, span)
        }
    };
    let call = |node: &syn::ExprMethodCall| {
        let known = quote_spanned! {span=>
            #(let #declared = ::core::marker::PhantomData;)*
            #decider
            #argument
        };
        match hinted {
            false => quote_spanned!(span=> #known match (#node,) { __v => { #link } }),
            true => quote_spanned! {span=>
                #known
                let __r = ::core::marker::PhantomData;
                ::gpuvm::__private::known_as(::gpuvm::__private::known_as(#node, &__r), {
                    let __v = (::gpuvm::__private::any_of(&__r),);
                    match { #link } { _ => &__r }
                })
            },
        }
    };
    let call = called_on(node, place, &receiver, span, call);
    *expr = Expr::Verbatim(match hinted {
        false => ends.entry(call),
        // What is expected of an entry is not expected of the tuple.
        true => quote_spanned!(span=> (#call)),
    });
}

/// Whether std's method of this name has bounds that tell more than its routine does, see `taken`.
fn is_bounded(node: &syn::ExprMethodCall) -> bool {
    let name = node.method.to_string();
    match name.as_str() {
        "sum" | "product" => node.args.is_empty(),
        "get" | "get_mut" => node.args.len() == 1,
        name => !node.args.is_empty() && gpuvm_nodes::method::BY_PATTERN.contains(&name),
    }
}

/// Tells `__d` what decides, beside the receiver, which routine a method is. Gives the statement for an argument, which has to stand before the call.
fn decider_of(node: &mut syn::ExprMethodCall, decides: Decides, span: Span) -> Option<TokenStream> {
    let argument = match decides {
        Decides::Result => None,
        Decides::Argument => node.args.first_mut(),
        Decides::Last => node.args.last_mut(),
        Decides::Closure => {
            match node.args.last_mut() {
                Some(Expr::Closure(closure)) => {
                    let body = take(&mut closure.body);
                    *closure.body = Expr::Verbatim(quote_spanned! {span=>
                        (match (#body) { __v => { ::gpuvm::__private::type_of(&__v, &__d); __v } })
                    });
                }
                Some(named) => {
                    let value = take(named);
                    *named = Expr::Verbatim(quote_spanned! {span=>
                        (match (#value) { __v => { ::gpuvm::__private::result_of_named(&__v, &__d); __v } })
                    });
                }
                None => {}
            }
            None
        }
    }?;
    let given = Expr::Verbatim(Ends::of(argument).entry_of("__a"));
    let value = std::mem::replace(argument, given);
    Some(quote_spanned!(span=> let __a = (#value,); ::gpuvm::__private::type_of(&__a.0, &__d);))
}
