//! `#[ring_kernel]`: which functions can handle messages, and how one is registered as a handler.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, GenericParam, LitInt, ReturnType, Signature, Type};

use crate::args::Args;
use crate::context;
use crate::emit::Marker;
use crate::report::Report;
use crate::routine::Parts;

/// The most messages that an actor sends, and that it forwards, while it handles one, where the attribute does not say.
pub const SENDS: u32 = 4;

/// Refuses what is no `fn(state: &mut S, message: M) -> A`, with a context or without.
pub fn check(args: &Args, signature: &Signature, report: &mut Report) {
    let generic = |param: &&GenericParam| !matches!(param, GenericParam::Lifetime(_));
    if let Some(param) = signature.generics.params.iter().find(generic) {
        report.ring_kernel_generics(param);
    }
    let types: Vec<&Type> = signature.inputs.iter().filter_map(type_of).collect();
    if let Some(state) = types.first().filter(|ty| behind(ty).is_none()) {
        report.ring_kernel_state(state);
    }
    match types.get(1) {
        Some(message @ Type::Reference(_)) => report.borrowed_message(message),
        Some(_) => {}
        None => report.no_message(signature.paren_token.span.join()),
    }
    let context = context::name(signature);
    if let Some(more) = signature.inputs.get(if context.is_some() { 3 } else { 2 }) {
        report.third_parameter(more);
    }
    if let (Some(sends), None) = (&args.sends, context) {
        report.sends_without_context(sends);
    }
    if let (Some(forwards), None) = (&args.forwards, context::linked(signature)) {
        report.forwards_without_link(forwards);
    }
    match (&args.replies, context) {
        (Some(replies), None) => report.replies_without_context(replies),
        (Some(replies), Some(_)) if returned(signature).is_none() => report.replies_without_answer(replies),
        _ => {}
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let Type::Never(_) = **ty
    {
        report.no_return(ty);
    }
}

/// What a ring kernel returns, if it is anything.
pub fn returned(signature: &Signature) -> Option<&Type> {
    match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => match &**ty {
            Type::Tuple(tuple) if tuple.elems.is_empty() => None,
            ty => Some(ty),
        },
    }
}

fn type_of(input: &FnArg) -> Option<&Type> {
    match input {
        FnArg::Typed(typed) => Some(&typed.ty),
        FnArg::Receiver(_) => None,
    }
}

/// The type of the value that a parameter of this type changes in place, if it does.
fn behind(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Paren(ty) => behind(&ty.elem),
        Type::Group(ty) => behind(&ty.elem),
        Type::Reference(reference) if reference.mutability.is_some() => match &*reference.elem {
            Type::Slice(_) | Type::Reference(_) => None,
            ty => Some(ty),
        },
        _ => None,
    }
}

/// The name of the type that is registered as a ring kernel's handler.
pub fn handler_name(function: &Ident) -> Ident {
    quote::format_ident!(
        "__GpuvmHandler_{}",
        crate::plain_name(function),
        span = Span::call_site()
    )
}

/// The types of the parameters and of the result. Those that the user wrote are the handler's, which asks for them, so that it is told once what they lack.
pub fn signature(parts: &Parts, handler: &Ident) -> (TokenStream, TokenStream) {
    let handler = quote!(<#handler as ::gpuvm::__private::Handler>::SIGNATURE);
    let around = parts
        .parameters
        .iter()
        .skip(2)
        .map(|room| crate::emit::reference(&room.ty));
    (quote!(&[#handler[0], #handler[1], #(#around),*]), quote!(#handler[2]))
}

impl Marker<'_> {
    /// The registration as the handler of a ring kernel. What is registered is a type of its own, because the function may be more public
    /// than its state and messages.
    pub fn handler(&self, args: &Args) -> TokenStream {
        let [state, message, around @ ..] = &self.parts.parameters[..] else {
            return TokenStream::new();
        };
        let Some(state) = behind(&state.ty) else {
            return TokenStream::new();
        };
        let (message, answer) = (&message.ty, &self.parts.result);
        let name = &self.function.sig.ident;
        let attributes = self.attributes();
        let id = args.id_of(name);
        let line = name.span().start().line as u32;
        let sizes = sizes(&handler_name(name), [state, message, answer]);
        let unique = unique(args, name);
        let sends = match around {
            [] => quote!(0),
            _ => args.sends().to_token_stream(),
        };
        let mut rooms = around
            .iter()
            .skip(context::PARAMETERS)
            .filter_map(|room| behind(&room.ty));
        let (replies, reply_room) = room(args.replies.clone(), &mut rooms);
        let linked = context::linked(&self.function.sig);
        let (forwards, forward_room) = room(linked.map(|_| args.forwards()), &mut rooms);
        let linked = linked.map_or(quote!(()), |linked| quote!(#linked));
        let context = (!around.is_empty()).then(|| quote!(, ctx));
        let handler = handler_name(name);
        quote! {
            #(#attributes)*
            #unique
            #(#attributes)*
            #[doc(hidden)]
            struct #handler;
            #(#attributes)*
            const _: () = {
                impl ::gpuvm::__private::Handler for #handler {
                    type State = #state;
                    type Message = #message;
                    type Answer = #answer;
                    type Linked = #linked;
                    type Replies = #reply_room;
                    type Forwards = #forward_room;
                    const SENDS: u32 = #sends;
                    const REPLIES: u32 = #replies;
                    const FORWARDS: u32 = #forwards;
                    fn handle(state: &mut #state, message: #message, ctx: &mut ::gpuvm::__private::Ring<#linked>) -> #answer {
                        #name(state, message #context)
                    }
                }
                ::gpuvm::__private::inventory::submit! {
                    ::gpuvm::__private::RingEntry::of::<#handler>(
                        #id,
                        ::core::file!(),
                        #line,
                        <#name as ::gpuvm::__private::RoutineType>::routine,
                    )
                }
                #sizes
            };
        }
    }
}

/// How many of something a handler makes of a message at most, and the type of the room for them, the next of these if there are any.
fn room<'t>(most: Option<LitInt>, rooms: &mut impl Iterator<Item = &'t Type>) -> (TokenStream, TokenStream) {
    match most.and_then(|most| Some((most, rooms.next()?))) {
        Some((most, room)) => (quote!(#most), quote!(#room)),
        None => (quote!(0), quote!(())),
    }
}

/// Checks of how large the types are, each on its type. They ask the handler for it, so that what is no type of the machine shows no errors
/// here as well.
fn sizes(handler: &Ident, types: [&Type; 3]) -> TokenStream {
    let message = "a message has at most 64 KiB; send it in parts";
    let rules = [
        (
            "MAX_STATE_BYTES",
            "an actor's state has at most 64 KiB; spread it over more actors",
        ),
        ("MAX_MESSAGE_BYTES", message),
        ("MAX_MESSAGE_BYTES", message),
    ];
    let checks = types.iter().zip(rules).enumerate().map(|(i, (ty, (most, text)))| {
        let span = crate::shadow::at(ty);
        let most = Ident::new(most, Span::call_site());
        quote_spanned! {span=>
            ::core::assert!(
                <#handler as ::gpuvm::__private::Handler>::WORDS[#i] <= ::gpuvm::__private::#most / 4,
                #text
            );
        }
    });
    checks.collect()
}

/// An item that two ring kernels of one id in a module have both, for rustc to say so. Ids that make no name are left to the registry.
fn unique(args: &Args, name: &Ident) -> TokenStream {
    let span = args.id.as_ref().map_or(name.span(), |id| id.span());
    let Ok(mut item) = syn::parse_str::<Ident>(&format!("ring_kernel_id_{}", args.id_of(name))) else {
        return TokenStream::new();
    };
    let span = Span::call_site().located_at(span);
    item.set_span(span);
    quote_spanned! {span=>
        #[doc(hidden)]
        const #item: () = ();
    }
}
