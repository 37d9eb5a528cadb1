//! The context of a ring kernel as its routine has it. Natively a handler is given a `Ring`; on a VM it is given plain parameters: the time, how
//! far what it sends has come, whether it stops, room for messages, and room for replies and for what is forwarded if there is any. Each call
//! of one of the `Ring`'s methods becomes what it does to them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprMethodCall, FnArg, GenericArgument, ItemFn, LitInt, Pat, PathArguments, PathSegment, Signature,
    Type,
};

use crate::args::Args;
use crate::lower::MacroArguments;
use crate::report::Report;
use crate::ring;

/// What a handler panics with that sends too much, on a VM and natively.
const TOO_MANY: &str =
    "an actor sent more messages for one than its ring kernel says; raise `#[ring_kernel(sends = …)]`";

/// What one panics with that replies too often.
const TOO_OFTEN: &str =
    "an actor replied to one message more often than its ring kernel says; raise `#[ring_kernel(replies = …)]`";

/// What one panics with that forwards too much.
const TOO_FAR: &str =
    "an actor forwarded more messages for one than its ring kernel says; raise `#[ring_kernel(forwards = …)]`";

/// How many parameters a routine has for it beside its rooms.
pub const PARAMETERS: usize = 4;

/// The name of the context, if the third parameter is one.
pub fn name(signature: &Signature) -> Option<&Ident> {
    parts(signature).map(|(name, _)| name)
}

/// What the actors of the linked kernel understand, if the context says so.
pub fn linked(signature: &Signature) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &parts(signature)?.1.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The name and the type of the context.
fn parts(signature: &Signature) -> Option<(&Ident, &PathSegment)> {
    let FnArg::Typed(third) = signature.inputs.get(2)? else {
        return None;
    };
    let (Pat::Ident(pattern), Type::Reference(reference)) = (&*third.pat, &*third.ty) else {
        return None;
    };
    let Type::Path(path) = &*reference.elem else {
        return None;
    };
    let ty = path.path.segments.last()?;
    let is_ring = reference.mutability.is_some() && ty.ident == "Ring";
    is_ring.then_some((&pattern.ident, ty))
}

/// The function that a VM runs, where a handler has a context.
pub fn for_vms(args: &Args, function: &ItemFn, report: &mut Report) -> Option<(Signature, Block)> {
    let name = name(&function.sig)?;
    let FnArg::Typed(message) = function.sig.inputs.get(1)? else {
        return None;
    };
    let message = (*message.ty).clone();
    let mut signature = function.sig.clone();
    let mut inputs: Vec<FnArg> = signature.inputs.into_iter().take(2).collect();
    inputs.push(syn::parse_quote!(__now: u64));
    inputs.push(syn::parse_quote!(__sent: &mut u32));
    inputs.push(syn::parse_quote!(__stopped: &mut bool));
    inputs.push(syn::parse_quote!(__letters: &mut [(u32, #message)]));
    let returned = ring::returned(&function.sig);
    let answer = returned.map(|returned| syn::parse_quote!(<#returned as ::gpuvm::__private::Answer>::Message));
    let replies = args.replies.as_ref();
    if let (Some(most), Some(answer)) = (replies, &answer) {
        inputs.push(syn::parse_quote!(__replies: &mut (u32, [#answer; #most])));
    }
    let forwards = args.forwards();
    let linked = linked(&function.sig);
    if let Some(linked) = linked {
        inputs.push(syn::parse_quote!(__forwards: &mut (u32, [(u32, #linked); #forwards])));
    }
    signature.inputs = inputs.into_iter().collect();
    let mut block = (*function.block).clone();
    let mut replace = Replace {
        name,
        message: &message,
        answer: answer.as_ref(),
        replies,
        linked,
        forwards,
        sends: false,
        report,
    };
    replace.visit_block_mut(&mut block);
    if replace.sends {
        let most = args.sends();
        block
            .stmts
            .insert(0, syn::parse_quote!(let __limit: u32 = __sent.wrapping_add(#most);));
    }
    Some((signature, block))
}

/// Replaces calls of the context's methods.
struct Replace<'c> {
    name: &'c Ident,
    message: &'c Type,
    /// The type of a reply, if there can be any.
    answer: Option<&'c Type>,
    /// The most replies to one message, if the attribute says so.
    replies: Option<&'c LitInt>,
    /// What the actors of the linked kernel understand, if the context says so.
    linked: Option<&'c Type>,
    /// The most messages that are forwarded to them for one.
    forwards: LitInt,
    /// Whether it sends anything.
    sends: bool,
    report: &'c mut Report,
}

impl Replace<'_> {
    /// What a call of a method of the context means.
    fn meaning(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        // Traps tell the line that native panics tell.
        let span = Span::call_site().located_at(call.method.span());
        Some(match (call.method.to_string().as_str(), &arguments[..]) {
            ("actor", []) => quote_spanned!(span=> ::gpuvm::__private::vm::id()),
            ("actors", []) => quote_spanned!(span=> ::gpuvm::__private::vm::count()),
            ("now", []) => quote_spanned!(span=> __now),
            ("stop", []) => quote_spanned!(span=> { *__stopped = true; }),
            ("send", [actor, letter]) => {
                self.sends = true;
                let message = self.message;
                quote_spanned! {span=> {
                    let __actor: u32 = #actor;
                    let __message: #message = #letter;
                    if *__sent == __limit {
                        panic!(#TOO_MANY);
                    }
                    __letters[*__sent as usize] = (__actor, __message);
                    *__sent += 1;
                }}
            }
            ("reply", [reply]) => {
                if self.replies.is_none() {
                    self.report.reply_without_replies(&call.method);
                }
                let (Some(most), Some(answer)) = (self.replies, self.answer) else {
                    return Some(quote!({}));
                };
                quote_spanned! {span=> {
                    let __reply: #answer = #reply;
                    if __replies.0 == #most {
                        panic!(#TOO_OFTEN);
                    }
                    __replies.1[__replies.0 as usize] = __reply;
                    __replies.0 += 1;
                }}
            }
            ("forward", [actor, letter]) => {
                let Some(linked) = self.linked else {
                    self.report.forward_without_link(&call.method);
                    return Some(quote!({}));
                };
                let most = &self.forwards;
                quote_spanned! {span=> {
                    let __actor: u32 = #actor;
                    let __message: #linked = #letter;
                    if __forwards.0 == #most {
                        panic!(#TOO_FAR);
                    }
                    __forwards.1[__forwards.0 as usize] = (__actor, __message);
                    __forwards.0 += 1;
                }}
            }
            _ => return None,
        })
    }
}

impl VisitMut for Replace<'_> {
    fn visit_expr_mut(&mut self, node: &mut Expr) {
        if let Expr::MethodCall(call) = node
            && let Expr::Path(receiver) = &*call.receiver
            && receiver.path.is_ident(self.name)
        {
            call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            match self.meaning(call) {
                Some(meaning) => *node = syn::parse_quote!(#meaning),
                None => self.report.context_method(&call.method),
            }
            return;
        }
        if let Expr::Path(path) = node
            && path.path.is_ident(self.name)
        {
            self.report.context_use(path);
            return;
        }
        visit_mut::visit_expr_mut(self, node);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        match MacroArguments::of(mac) {
            Ok(MacroArguments::Expressions(mut arguments)) => {
                arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
                mac.tokens = quote!(#arguments);
            }
            Ok(MacroArguments::Matches(mut matches)) => {
                self.visit_expr_mut(&mut matches.value);
                if let Some(guard) = &mut matches.guard {
                    self.visit_expr_mut(guard);
                }
                mac.tokens = quote!(#matches);
            }
            // What cannot be parsed is refused elsewhere.
            Ok(MacroArguments::Other) | Err(_) => {}
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
