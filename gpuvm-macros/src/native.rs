//! The native copy of a body: std's float functions whose result std leaves open are replaced by gpuvm's own, which give the same bits on
//! every engine. Methods are redirected through a wrapper that knows `f32` and lets every other type's own methods through.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, LitFloat, Macro};

use crate::lower::MacroArguments;

/// The methods that are redirected: of f32, where std leaves precision, the sign of zero or the handling of NaN open; of integers, where a
/// panic would name a place inside std.
pub const OPEN: [&str; 44] = [
    "sin",
    "cos",
    "tan",
    "sin_cos",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "ln_1p",
    "log",
    "log2",
    "log10",
    "powf",
    "powi",
    "hypot",
    "cbrt",
    "min",
    "max",
    "clamp",
    "to_bits",
    "copysign",
    "signum",
    "is_sign_negative",
    "is_sign_positive",
    "abs",
    "pow",
    "isqrt",
    "ilog2",
    "div_euclid",
    "rem_euclid",
    "wrapping_div",
    "wrapping_rem",
    "div_ceil",
    "next_power_of_two",
];

/// Redirects the calls in a body.
pub fn redirect(block: &mut Block) {
    Redirect { found: false }.visit_block_mut(block);
}

struct Redirect {
    found: bool,
}

impl VisitMut for Redirect {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::MethodCall(node) if is_open(&node.method) && node.turbofish.is_none() => {
                let receiver = &node.receiver;
                let span = node.method.span();
                *node.receiver = Expr::Verbatim(
                    quote_spanned!(span=> ::gpuvm::__private::M(&#receiver, ::core::cfg!(debug_assertions))),
                );
                self.found = true;
            }
            Expr::Call(node) => {
                let Some((of, name)) = function_of_primitive(&node.func) else {
                    return;
                };
                let mut args = node.args.iter();
                if let Some(receiver) = args.next() {
                    let span = name.span();
                    *expr = Expr::Verbatim(quote_spanned! {span=>
                        ::gpuvm::__private::M::<#of>(&#receiver, ::core::cfg!(debug_assertions)).#name(#(#args),*)
                    });
                    self.found = true;
                }
            }
            _ => {}
        }
    }

    /// All floats are f32, also where rustc would take a literal for f64.
    fn visit_lit_float_mut(&mut self, literal: &mut LitFloat) {
        if literal.suffix().is_empty() {
            let digits = literal.base10_digits();
            let zero = if digits.ends_with('.') { "0" } else { "" };
            *literal = LitFloat::new(&format!("{digits}{zero}f32"), literal.span());
            self.found = true;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        // Macros that cannot be parsed are refused elsewhere.
        let Ok(arguments) = MacroArguments::of(mac) else {
            return;
        };
        let mut inside = Redirect { found: false };
        match arguments {
            MacroArguments::Expressions(mut arguments) => {
                let is_assert = mac
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.ident == "assert" || last.ident == "debug_assert");
                let bare = is_assert && arguments.len() == 1;
                let text = arguments.first().map(ToTokens::to_token_stream).unwrap_or_default();
                for argument in &mut arguments {
                    inside.visit_expr_mut(argument);
                }
                if inside.found || bare {
                    // The message of the assertion shows the condition as the user wrote it, and as the VM's trap does.
                    let message: TokenStream = if bare {
                        quote!(, "{}", ::core::concat!("assertion failed: ", ::core::stringify!(#text)))
                    } else {
                        TokenStream::new()
                    };
                    mac.tokens = quote_spanned!(mac.tokens.span()=> #arguments #message);
                }
            }
            MacroArguments::Matches(mut matches) => {
                inside.visit_expr_mut(&mut matches.value);
                inside.visit_pat_mut(&mut matches.pattern);
                if let Some(guard) = &mut matches.guard {
                    inside.visit_expr_mut(guard);
                }
                if inside.found {
                    let (value, pattern) = (&matches.value, &matches.pattern);
                    let guard = matches.guard.as_ref().map(|guard| quote!(if #guard));
                    mac.tokens = quote!(#value, #pattern #guard);
                }
            }
            MacroArguments::Other => {}
        }
        self.found |= inside.found;
    }

    // Items of the body are their own affair.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn is_open(name: &syn::Ident) -> bool {
    OPEN.iter().any(|open| name == open)
}

/// The primitive and the method that a path such as `f32::sin` names.
fn function_of_primitive(func: &Expr) -> Option<(syn::Ident, syn::Ident)> {
    let Expr::Path(path) = func else { return None };
    let mut segments = path.path.segments.iter().rev();
    let (name, of) = (segments.next()?, segments.next()?);
    let is_primitive = path.qself.is_none() && crate::primitive::kind_of_name(&of.ident.to_string()).is_some();
    (is_primitive && is_open(&name.ident)).then(|| (of.ident.clone(), name.ident.clone()))
}
