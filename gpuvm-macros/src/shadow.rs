//! The shadow of a body: the user's code with *slots* in it, which rustc type-checks and nobody runs. These helpers wrap one
//! expression each. Every wrap stands in parentheses, so that it may take any expression's place, and carries the user's spans, so
//! that rustc's messages point at the user's code.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Type};

/// The name of a slot's variable.
pub fn slot(number: u64) -> Ident {
    Ident::new(&format!("__t{number}"), Span::mixed_site())
}

/// The same where a slot is filled: rustc blames the whole argument, which has to lie within the user's code.
fn slot_at(number: u64, span: Span) -> Ident {
    let mut slot = slot(number);
    slot.set_span(span);
    slot
}

/// A span for generated tokens that points at the user's code.
pub fn at(tokens: &impl Spanned) -> Span {
    Span::mixed_site().located_at(tokens.span())
}

/// Takes an expression out, to put a wrap around it.
pub fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Verbatim(TokenStream::new()))
}

/// Fills a slot with the type of the expression's value.
pub fn bind(expr: &mut Expr, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { __v => { ::gpuvm::__private::bind(&__v, &#slot); __v } })
    });
}

/// Fills a slot with the type of a place that is named, beside the code.
pub fn bind_place(place: TokenStream, span: Span, number: u64) -> TokenStream {
    let slot = slot_at(number, span);
    quote_spanned!(span=> ::gpuvm::__private::bind(&#place, &#slot);)
}

/// Fills a slot with the type of a cast.
pub fn name_type(expr: &mut Expr, ty: &Type, number: u64) {
    let span = at(ty);
    let slot = slot_at(number, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({ ::gpuvm::__private::name_type::<#ty>(&#slot); #inner })
    });
}

/// Fills a slot with the meaning of a binary operator.
pub fn binary(expr: &mut Expr, operator: u8, number: u64) {
    let Expr::Binary(node) = take(expr) else {
        return;
    };
    let span = at(&node.op);
    let slot = slot_at(number, span);
    let (left, op, right) = (node.left, node.op, node.right);
    let operator = spanned(Literal::u8_suffixed(operator), span);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#left, #right) { (__a, __b) => {
            ::gpuvm::__private::operator::<#operator, _, _>(&__a, &__b, &#slot);
            __a #op __b
        } })
    });
}

/// Fills a slot with the meaning of an assigning operator.
pub fn assign_operator(expr: &mut Expr, operator: u8, number: u64) {
    let Expr::Binary(node) = take(expr) else {
        return;
    };
    let span = at(&node.op);
    let slot = slot_at(number, span);
    let (left, op, right) = (node.left, node.op, node.right);
    let operator = spanned(Literal::u8_suffixed(operator), span);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#right) { __b => {
            match &#left { __a => ::gpuvm::__private::operator::<#operator, _, _>(__a, &__b, &#slot) }
            #left #op __b
        } })
    });
}

/// Fills a slot with the meaning of a unary operator.
pub fn unary(expr: &mut Expr, operator: u8, number: u64) {
    let Expr::Unary(node) = take(expr) else {
        return;
    };
    let span = at(&node.op);
    let slot = slot_at(number, span);
    let (op, inner) = (node.op, node.expr);
    let operator = spanned(Literal::u8_suffixed(operator), span);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { __a => { ::gpuvm::__private::unary::<#operator, _>(&__a, &#slot); #op __a } })
    });
}

/// Fills a slot with the routine that a path names, and calls it. What calls it has the user's spans, so that rustc's messages on arguments are
/// those of the function itself, and are shown once.
pub fn call(expr: &mut Expr, callee: TokenStream, number: u64) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let function = Ident::new("__gpuvm_callee", node.func.span());
    *node.func = Expr::Verbatim(quote!(#function));
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match #callee { #function => {
            ::gpuvm::__private::link(#callee::__vm(#function), &#slot);
            #node
        } })
    });
}

/// Fills a slot with a method of the receiver. A place is named twice rather than moved.
pub fn method(expr: &mut Expr, hash: u32, place: bool, number: u64) {
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = if place {
        node.receiver.to_token_stream()
    } else {
        quote_spanned!(span=> __r)
    };
    let fill = quote_spanned! {span=>
        match &#receiver { __s => ::gpuvm::__private::method::<#hash, _>(__s, &#slot) }
    };
    *expr = Expr::Verbatim(if place {
        quote_spanned!(span=> ({ #fill #node }))
    } else {
        let value = std::mem::replace(&mut *node.receiver, Expr::Verbatim(receiver));
        quote_spanned!(span=> (match (#value) { mut __r => { #fill #node } }))
    });
}

/// Fills a slot with an associated function of a type.
pub fn associated(expr: &mut Expr, ty: TokenStream, hash: u32, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let inner = take(expr);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({ ::gpuvm::__private::associated::<#hash, #ty>(&#slot); #inner })
    });
}

/// A number that belongs to the user's code.
fn spanned(mut literal: Literal, span: Span) -> Literal {
    literal.set_span(span);
    literal
}

/// The closure: slots, their tree as the closure's result, and after it, dead but type-checked, the body. The body is a closure of its own, so
/// that `return` and `?` mean in it what they mean in the function, and is dead there, too, so that only one copy of it is borrow-checked.
pub fn closure(
    slots: u64,
    parameters: &TokenStream,
    result: &Type,
    body: &TokenStream,
    extras: &[TokenStream],
) -> TokenStream {
    let names: Vec<Ident> = (0..slots).map(slot).collect();
    let tree = tree(&names, depth(slots));
    quote! {
        || {
            #(let #names = ::core::marker::PhantomData;)*
            return #tree;
            #parameters
            let __body = || -> #result {
                return ::gpuvm::__private::any();
                #body
            };
            #(#extras)*
            loop {}
        }
    }
}

/// Levels of the tree that holds so many slots.
pub fn depth(slots: u64) -> u32 {
    let mut depth = 0;
    while slots > 1 << (3 * depth) {
        depth += 1;
    }
    depth
}

fn tree(names: &[Ident], depth: u32) -> TokenStream {
    match (names, depth) {
        ([], _) => quote!(()),
        ([name], 0) => quote!(#name),
        _ => {
            let width = 1usize << (3 * depth.saturating_sub(1));
            let parts = (0..8).map(|i| {
                let start = (i * width).min(names.len());
                let end = ((i + 1) * width).min(names.len());
                tree(&names[start..end], depth.saturating_sub(1))
            });
            quote!((#(#parts),*))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_puts_every_slot_at_one_depth() {
        for slots in [0, 1, 2, 8, 9, 64, 65, 513] {
            let names: Vec<Ident> = (0..slots).map(slot).collect();
            let text = tree(&names, depth(slots)).to_string();
            assert_eq!(text.matches("__t").count() as u64, slots);
        }
        assert_eq!(depth(8), 1);
        assert_eq!(depth(9), 2);
    }
}
