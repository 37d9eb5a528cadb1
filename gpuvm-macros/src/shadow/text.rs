//! What the shadow asks of what is printed.

use gpuvm_nodes::Style;
use proc_macro2::Ident;
use quote::{ToTokens, quote_spanned};
use syn::Expr;

use super::{at, slot_at, take};

/// Asks whether a value can be shown by `{}`.
pub fn shown(expr: &mut Expr) {
    let span = at(expr);
    let method = Ident::new("shown", span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (*match &(#inner) { __v => {
            {
                use ::gpuvm::__private::ShownOrRefused as _;
                ::gpuvm::__private::in_text(__v).#method();
            }
            __v
        } })
    });
}

/// Asks that a value is a width or a precision.
pub fn count(expr: &mut Expr) {
    let span = at(expr);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned!(span=> (*::gpuvm::__private::count(&(#inner)))));
}

/// Fills a slot with what finds where a text is written to.
pub fn sink(expr: &mut Expr, number: u64) {
    let Expr::Call(node) = take(expr) else { return };
    let span = at(&node.func);
    let (slot, to) = (slot_at(number, span), &node.args);
    *expr = Expr::Verbatim(quote_spanned!(span=> (::gpuvm::__private::sink_of(&#to, #slot))));
}

/// Fills a slot with what writes a text.
pub fn text(expr: &mut Expr, hash: u32, number: u64) {
    let Expr::Call(node) = take(expr) else { return };
    let span = at(&node.func);
    let (slot, sink) = (slot_at(number, span), node.args.first());
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match ::gpuvm::__private::any::<::core::fmt::Result>() { __v => {
            ::gpuvm::__private::method::<#hash, _, _>(&#sink, (__v,), #slot);
            __v
        } })
    });
}

/// Fills a slot with what shows a value in a text.
pub fn formatted(expr: &mut Expr, style: &syn::GenericArgument, number: u64) {
    let Expr::Call(node) = take(expr) else { return };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let (value, formatter) = (node.args.get(0), node.args.get(1));
    let number = style.to_token_stream().to_string();
    let is = |style: Style| number == format!("{}u8", style as u8);
    let function = match () {
        _ if is(Style::Display) => quote_spanned!(span=> displayed),
        _ if is(Style::Debug) || number.contains("DEBUG") => quote_spanned!(span=> debugged),
        _ => quote_spanned!(span=> formatted::<#style, _, _>),
    };
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (::gpuvm::__private::#function(#value, #formatter, #slot))
    });
}
