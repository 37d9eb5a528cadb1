//! `println!` and its kin, `dbg!` and `gpuvm::log!`: a text goes to the launch's log. In the native copy they become gpuvm's own macros, which
//! hand the text to the launch.

use gpuvm_nodes::Level;
use gpuvm_nodes::node::Node;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Macro, Token};

use super::{Lowering, MacroArguments, Want};
use crate::primitive::Known;

/// The arguments of a macro.
type Arguments = Punctuated<Expr, Token![,]>;

/// The level at which a macro prints, and whether it ends the line. For `log!` its first argument says it, which is taken off.
fn level(name: &str, arguments: &mut Arguments) -> Option<(Level, bool)> {
    Some(match name {
        "print" => (Level::Info, false),
        "println" => (Level::Info, true),
        "eprint" => (Level::Warn, false),
        "eprintln" => (Level::Warn, true),
        "dbg" => (Level::Debug, true),
        "log" => {
            let rest = arguments.iter().skip(1).cloned().collect();
            let first = std::mem::replace(arguments, rest).into_iter().next()?;
            let Expr::Path(path) = first else { return None };
            let name = path.path.segments.last()?.ident.to_string();
            let level = Level::ALL.into_iter().find(|level| format!("{level:?}") == name);
            (level?, true)
        }
        _ => return None,
    })
}

impl Lowering<'_> {
    /// A macro that prints. Gives what the shadow has of it.
    pub(super) fn print(&mut self, name: &str, mut arguments: Arguments, span: Span) -> Expr {
        let place = arguments.first().map_or(span, Spanned::span);
        let Some((level, ends)) = level(name, &mut arguments) else {
            self.report.at(
                place,
                "`log!` begins with a level: `Level::Error`, `Warn`, `Info`, `Debug` or `Trace`",
            );
            return Expr::Verbatim(quote!(()));
        };
        let end = if ends { "\n" } else { "" };
        let mut values = Vec::new();
        let (mut pieces, mut formats) = (vec![quote!(#end)], Vec::new());
        if !arguments.is_empty() {
            let Some(mut text) = self.formatted(arguments.iter_mut().collect()) else {
                return Expr::Verbatim(quote!(()));
            };
            if let Some(last) = text.pieces.last_mut() {
                last.push_str(end);
            }
            pieces = text.pieces();
            (formats, values) = (text.formats, text.values);
        }
        self.printed(&pieces, &formats, level, span);
        self.stream.node(Node::Unit);
        Expr::Verbatim(quote_spanned!(span=> ({ #(let _ = &(#values);)* })))
    }

    /// `dbg!(value)`, and a tuple of such for `dbg!(a, b)`.
    pub(super) fn debug(&mut self, expr: &mut Expr, mut arguments: Arguments, span: Span) -> Known {
        let value = match arguments.len() {
            1 => arguments.iter_mut().next(),
            _ => None,
        };
        let Some(value) = value else {
            let all = arguments.iter();
            *expr = syn::parse_quote_spanned!(span=> (#(dbg!(#all)),*));
            return self.expr(expr, Want::Free);
        };
        let text = value.to_token_stream();
        let known = self.expr(value, Want::Decided);
        let local = self.hidden(known.clone());
        self.stream.node(Node::Bind).number(local);
        self.push_local(local);
        let pieces = [quote!(::core::concat!(::core::stringify!(#text), " = ")), quote!("\n")];
        self.printed(&pieces, &["#?".to_owned()], Level::Debug, span);
        self.push_local(local);
        *expr = value.clone();
        known
    }

    fn printed(&mut self, pieces: &[TokenStream], formats: &[String], level: Level, span: Span) {
        self.stream.line(span);
        let message = self.message(pieces, formats, level);
        self.stream
            .node(Node::Print)
            .number(message)
            .number(formats.len() as u64);
    }
}

/// A macro of std's that prints becomes gpuvm's own, in the native copy of a body. Gives whether it is one.
pub fn redirect(mac: &mut Macro) -> bool {
    let Some(name) = mac.path.segments.last().map(|segment| segment.ident.to_string()) else {
        return false;
    };
    let printing = ["print", "println", "eprint", "eprintln", "dbg"].contains(&name.as_str());
    let Some(MacroArguments::Expressions(mut arguments)) = MacroArguments::of(mac).ok().filter(|_| printing) else {
        return false;
    };
    let Some((level, ends)) = level(&name, &mut arguments) else {
        return false;
    };
    let span = mac.path.span();
    let (line, level) = (span.start().line as u32, format_ident!("{level:?}"));
    let sink = match name.as_str() {
        "print" | "println" => quote!(Out),
        _ => quote!(Err),
    };
    let own = if name == "dbg" { "debug_macro" } else { "print_macro" };
    let own = syn::Ident::new(own, span);
    mac.path = syn::parse_quote_spanned!(span=> ::gpuvm::__private::#own);
    mac.tokens = quote_spanned!(span=> #sink, #level, #ends, #line, #arguments);
    true
}
