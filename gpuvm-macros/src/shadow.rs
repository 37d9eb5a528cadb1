//! The shadow of a body: the user's code with *slots* in it, which rustc type-checks and nobody runs. These helpers wrap one
//! expression each. Every wrap stands in parentheses, so that it may take any expression's place, and carries the user's spans, so
//! that rustc's messages point at the user's code.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Type};

/// The name of a slot's variable.
pub fn slot(number: u64) -> Ident {
    Ident::new(&format!("__t{number}"), Span::mixed_site())
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
    let slot = slot(number);
    let span = at(expr);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { __v => { ::gpuvm::__private::bind(&__v, &#slot); __v } })
    });
}

/// Fills a slot with the type of a place that is named, beside the code.
pub fn bind_place(place: TokenStream, span: Span, number: u64) -> TokenStream {
    let slot = slot(number);
    quote_spanned!(span=> ::gpuvm::__private::bind(&#place, &#slot);)
}

/// Fills a slot with the type of a cast.
pub fn name_type(expr: &mut Expr, ty: &Type, number: u64) {
    let slot = slot(number);
    let span = at(ty);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({ ::gpuvm::__private::name_type::<#ty>(&#slot); #inner })
    });
}

/// Fills a slot with the meaning of a binary operator.
pub fn binary(expr: &mut Expr, operator: u8, number: u64) {
    let slot = slot(number);
    let Expr::Binary(node) = take(expr) else { return };
    let span = at(&node.op);
    let (left, op, right) = (node.left, node.op, node.right);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#left, #right) { (__a, __b) => {
            ::gpuvm::__private::operator::<#operator, _, _>(&__a, &__b, &#slot);
            __a #op __b
        } })
    });
}

/// Fills a slot with the meaning of an assigning operator.
pub fn assign_operator(expr: &mut Expr, operator: u8, number: u64) {
    let slot = slot(number);
    let Expr::Binary(node) = take(expr) else { return };
    let span = at(&node.op);
    let (left, op, right) = (node.left, node.op, node.right);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#right) { __b => {
            ::gpuvm::__private::operator::<#operator, _, _>(&#left, &__b, &#slot);
            #left #op __b
        } })
    });
}

/// Fills a slot with the meaning of a unary operator.
pub fn unary(expr: &mut Expr, operator: u8, number: u64) {
    let slot = slot(number);
    let Expr::Unary(node) = take(expr) else { return };
    let span = at(&node.op);
    let (op, inner) = (node.op, node.expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { __a => { ::gpuvm::__private::unary::<#operator, _>(&__a, &#slot); #op __a } })
    });
}

/// Fills a slot with the routine that a path names, and calls it.
pub fn call(expr: &mut Expr, marker: TokenStream, number: u64) {
    let slot = slot(number);
    let Expr::Call(node) = take(expr) else { return };
    let span = at(&node.func);
    let (func, args) = (node.func, node.args);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match #func { __f => { ::gpuvm::__private::link(#marker::__vm(__f), &#slot); __f(#args) } })
    });
}

/// Fills a slot with a method of the receiver. A place is named twice rather than moved.
pub fn method(expr: &mut Expr, hash: u32, place: bool, number: u64) {
    let slot = slot(number);
    let Expr::MethodCall(node) = take(expr) else { return };
    let span = at(&node.method);
    let (receiver, method, args) = (node.receiver, node.method, node.args);
    let call = |receiver: TokenStream| {
        quote_spanned! {span=>
            { ::gpuvm::__private::method::<#hash, _>(&#receiver, &#slot); #receiver.#method(#args) }
        }
    };
    *expr = Expr::Verbatim(if place {
        let call = call(quote!(#receiver));
        quote!((#call))
    } else {
        let call = call(quote_spanned!(span=> __r));
        quote_spanned!(span=> (match (#receiver) { mut __r => #call }))
    });
}

/// Fills a slot with an associated function of a type.
pub fn associated(expr: &mut Expr, ty: TokenStream, hash: u32, number: u64) {
    let slot = slot(number);
    let span = at(expr);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({ ::gpuvm::__private::associated::<#hash, #ty>(&#slot); #inner })
    });
}

/// `return` as the shadow has it: checked against the result type, without leaving the closure.
pub fn returned(value: Option<Box<Expr>>, result: &Type, span: Span) -> Expr {
    let value = value.map_or_else(|| quote!(()), |value| quote!(#value));
    Expr::Verbatim(quote_spanned!(span=> ({ let __r: #result = #value; loop {} })))
}

/// `?` as the shadow has it.
pub fn tried(expr: &mut Expr) {
    let span = at(expr);
    let Expr::Try(node) = take(expr) else { return };
    let inner = node.expr;
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { ::core::option::Option::Some(__v) => __v, ::core::option::Option::None => loop {} })
    });
}

/// The closure: slots, their tree as the closure's result, and after it, dead but type-checked, the body.
pub fn closure(slots: u64, parameters: &TokenStream, result: &Type, body: &TokenStream, extras: &[TokenStream]) -> TokenStream {
    let names: Vec<Ident> = (0..slots).map(slot).collect();
    let tree = tree(&names, depth(slots));
    quote! {
        || {
            #(let #names = ::core::marker::PhantomData;)*
            return #tree;
            #parameters
            let __result: #result = #body;
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
