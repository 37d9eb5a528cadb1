//! What the shadow asks of conversions: `into`, `try_into`, `from`, and those of `?`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Type};

use super::{Ends, at, slot_at, take};

/// Fills the slots of a `?`. Its operand becomes one whose error the function returns as it is: what is wrong with the user's, rustc says of that.
pub fn question(expr: &mut Expr, convert: u64, result: u64) {
    let Expr::Try(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.question_token);
    let (convert, result) = (slot_at(convert, span), slot_at(result, span));
    let (ends, inner) = (Ends::of(&node.expr), take(&mut node.expr));
    *node.expr = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match (#inner,) { __v => {
            use ::gpuvm::__private::{AskNoQuestion as _, AskOtherQuestion as _, AskQuestion as _};
            ((&&::gpuvm::__private::questioned(&__v.0, &__result)).__gpuvm_ask(#convert, #result),)
        } }
    }));
    *expr = Expr::Try(node);
}

/// A function of a type's that makes a value of it, where the type may be none of the machine's.
#[derive(Clone)]
pub enum Constructs {
    /// It is asked of the value whether it is.
    Asked,
    /// It is asked of what a `Result` holds.
    Opened,
    /// It is asked of the type that is written where the value goes.
    As(Box<Type>),
}

impl Constructs {
    /// What comes of a call: where its type is none of the machine's rustc says so, and of the value it knows nothing more to say.
    pub(super) fn made(&self, call: &TokenStream, span: Span) -> TokenStream {
        match self {
            Constructs::Asked => {
                quote_spanned!(span=> (match #call { __c => ::gpuvm::__private::constructed(__c) }))
            }
            Constructs::Opened => quote_spanned! {span=>
                (match #call { __c => (&::gpuvm::__private::opened(__c)).__gpuvm_made() })
            },
            Constructs::As(ty) => quote_spanned!(span=> (match #call { _ => ::gpuvm::__private::any::<#ty>() })),
        }
    }
}

/// Fills the slots of `value.into()` and `Type::from(value)`. `constructs`: whether what it makes has to be asked first whether it is of the machine.
pub fn convert(expr: &mut Expr, constructs: Option<&Constructs>, convert: u64, result: u64) {
    let ends = Ends::of(expr);
    let mut call = take(expr);
    let (value, span, is_method) = match &mut call {
        Expr::MethodCall(node) => (Some(&mut *node.receiver), at(&node.method), true),
        Expr::Call(node) => (node.args.first_mut(), at(&node.func), false),
        _ => return,
    };
    let Some(value) = value else { return };
    let given = Expr::Verbatim(Ends::of(value).entry_of("__a"));
    let value = std::mem::replace(value, given);
    if let Some(constructs) = constructs {
        call = Expr::Verbatim(constructs.made(&call.to_token_stream(), span));
    }
    let (convert, result) = (slot_at(convert, span), slot_at(result, span));
    if is_method {
        // As of [`generic_method`]: what is expected of the result is expected of the call, so that it is known whether rustc takes it.
        *expr = Expr::Verbatim(quote_spanned! {span=>
            (match (#value,) { __a => {
                let __r = ::core::marker::PhantomData;
                ::gpuvm::__private::known_as(::gpuvm::__private::known_as(#call, &__r), {
                    use ::gpuvm::__private::{LinkConverted as _, LinkUnconverted as _};
                    let __v = (::gpuvm::__private::any_of(&__r),);
                    (&&::gpuvm::__private::converted(&__a.0, &__v.0)).__gpuvm_link(#convert, #result);
                    &__r
                })
            } })
        });
        return;
    }
    *expr = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match (#value,) { __a => {
            let __v = (#call,);
            ::gpuvm::__private::convert(&__a.0, &__v.0, #convert, #result);
            __v
        } }
    }));
}

/// Fills the slot of `value.try_into()` and `Type::try_from(value)`.
pub fn try_convert(expr: &mut Expr, number: u64) {
    let mut call = take(expr);
    let (value, span, is_method) = match &mut call {
        Expr::MethodCall(node) => (Some(&mut *node.receiver), at(&node.method), true),
        Expr::Call(node) => (node.args.first_mut(), at(&node.func), false),
        _ => return,
    };
    let Some(value) = value else { return };
    // A method is called on a reference to what has no size, `list[1..4].try_into()`.
    let (own, of, bound) = match is_method {
        true => (
            quote_spanned!(span=> (*__a)),
            quote_spanned!(span=> &),
            quote_spanned!(span=> { use ::gpuvm::__private::ByValue as _; (*__a).__gpuvm_by_value(&__d); }),
        ),
        false => (
            quote_spanned!(span=> __a),
            TokenStream::new(),
            quote_spanned!(span=> ::gpuvm::__private::is_of(&__a, &__d);),
        ),
    };
    let value = std::mem::replace(value, Expr::Verbatim(own));
    let slot = slot_at(number, span);
    // The error's type is named by whoever uses it; that the result is a `Result` is said here.
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match #of (#value) { __a => {
            let __d = ::core::marker::PhantomData;
            #bound
            let __v = #call;
            ::gpuvm::__private::try_convert(&::gpuvm::__private::any_of(&__d), &__v, #slot);
            __v
        } })
    });
}
