//! `write!` and `writeln!`: the pieces of the text and its values, each written as std writes it. The macro becomes a block of calls, which is lowered as
//! any expression is; the first of them that fails is what the block gives.

use gpuvm_nodes::node::Node;
use gpuvm_nodes::{Align, FormatSpec, Style, name_hash};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Lit, LitStr, PathArguments, PathSegment, Token};

use super::format::{Pieces, Shown};
use super::macros::{Source, literal_text, respan, sources};
use super::{Calls, Lowering, Want};
use crate::file::{imports, text_around};
use crate::primitive::Known;
use crate::shadow;

/// What is written, in order.
enum Part {
    /// A piece of the text.
    Text(String),
    /// A value, by its variable, with its width and precision.
    Value {
        variable: Ident,
        format: FormatSpec,
        width: Option<Ident>,
        precision: Option<Ident>,
    },
}

impl Lowering<'_> {
    pub(super) fn write(
        &mut self,
        expr: &mut Expr,
        name: &str,
        arguments: Punctuated<Expr, Token![,]>,
        span: Span,
    ) -> Known {
        let Some(written) = self.written(name, arguments, span) else {
            *expr = Expr::Verbatim(quote_spanned!(span=> (::gpuvm::__private::any::<::core::fmt::Result>())));
            self.stream.node(Node::Never);
            return Known::Unknown;
        };
        *expr = written;
        self.expr(expr, Want::Free)
    }

    /// The block; `None` where the macro's arguments are refused, which is told.
    fn written(&mut self, name: &str, arguments: Punctuated<Expr, Token![,]>, span: Span) -> Option<Expr> {
        let mut arguments = arguments.into_iter();
        let to = arguments.next()?;
        let end = if name == "writeln" { "\n" } else { "" };
        let text = match arguments.next() {
            Some(text) => literal_text(&text).ok_or(text),
            None => Ok(LitStr::new("", span)),
        };
        let text = match text {
            Ok(text) => text,
            Err(text) => {
                self.report.format_text(&text);
                return None;
            }
        };
        let Some(Pieces { mut pieces, values }) = Pieces::parse(&text.value()) else {
            // rustc says so of the function itself.
            return None;
        };
        pieces.last_mut()?.push_str(end);
        let mut positional: Vec<Expr> = arguments.collect();
        let (places, variables) = {
            let positional: Vec<&mut Expr> = positional.iter_mut().collect();
            let sources = sources(&values, &positional)?;
            let mut variables: Vec<String> = Vec::new();
            let places: Vec<usize> = sources
                .iter()
                .map(|source| match source {
                    Source::Argument(place) => *place,
                    Source::Variable(name) => {
                        let known = variables.iter().position(|known| known == name);
                        positional.len()
                            + known.unwrap_or_else(|| {
                                variables.push((*name).to_owned());
                                variables.len() - 1
                            })
                    }
                })
                .collect();
            (places, variables)
        };
        let mut shown: Vec<Expr> = positional
            .into_iter()
            .map(|argument| match argument {
                Expr::Assign(assign) => *assign.right,
                value => value,
            })
            .collect();
        for name in variables {
            let mut variable = syn::parse_str::<Expr>(&name).ok()?;
            respan(&mut variable, text.span());
            shown.push(variable);
        }
        let parts = parts(pieces, &values, &places, &shown, span);
        let used = |place: &usize| {
            let own = variable(*place, span);
            parts.iter().any(|part| match part {
                Part::Text(_) => false,
                Part::Value {
                    variable,
                    width,
                    precision,
                    ..
                } => *variable == own || width.as_ref() == Some(&own) || precision.as_ref() == Some(&own),
            })
        };
        let lets = (0..shown.len()).filter(used).map(|place| {
            let (variable, value) = (variable(place, span), &shown[place]);
            quote_spanned!(span=> let #variable = &(#value);)
        });
        let lets: Vec<TokenStream> = lets.collect();
        let (sink, error) = (
            Ident::new("__gpuvm_sink", Span::mixed_site().located_at(span)),
            Ident::new("__gpuvm_error", Span::mixed_site().located_at(span)),
        );
        let label = syn::Lifetime::new("'__gpuvm_text", Span::mixed_site().located_at(span));
        let steps = parts.iter().map(|part| step(part, &sink, span));
        let ok = quote_spanned!(span=> ::core::result::Result::Ok(()));
        let tokens = match parts.is_empty() {
            true => quote_spanned!(span=> { let _ = ::gpuvm::__private::intrinsics::sink(&mut #to); #ok }),
            false => quote_spanned! {span=> {
                let #sink = ::gpuvm::__private::intrinsics::sink(&mut #to);
                #(#lets)*
                #label: {
                    #(
                        if let ::core::result::Result::Err(#error) = #steps {
                            break #label ::core::result::Result::Err(#error);
                        }
                    )*
                    #ok
                }
            }},
        };
        syn::parse2(tokens).ok()
    }

    /// `self.x.fmt(f)` in a `fmt` of the user's: the value is written as `f` says.
    pub(super) fn shown_by_method(&self, call: &ExprMethodCall) -> Option<Expr> {
        let (Some(formatter), None) = (call.args.first(), call.args.get(1)) else {
            return None;
        };
        if call.method != "fmt" || call.turbofish.is_some() || !self.shows() {
            return None;
        }
        // Which trait's it is, the file's imports tell, as it is rustc's to say where there are several.
        let text = text_around(call.method.span()).unwrap_or_default();
        let style = STYLES.iter().find(|(name, _)| imports(&text, name, &["fmt"]));
        let style = style.map_or(Style::Display, |(_, style)| *style);
        Some(shown(style, &call.receiver, formatter, call.method.span()))
    }

    /// `fmt::Display::fmt(&self.x, f)`, likewise.
    pub(super) fn shown_by_trait(&self, func: &ExprPath, call: &ExprCall) -> Option<Expr> {
        let (Some(value), Some(formatter), None) = (call.args.first(), call.args.get(1), call.args.get(2)) else {
            return None;
        };
        let mut names = func.path.segments.iter().rev().map(|segment| &segment.ident);
        let (method, of) = (names.next()?, names.next()?);
        let (_, style) = STYLES.iter().find(|(name, _)| of == name)?;
        (method == "fmt" && self.shows()).then(|| shown(*style, value, formatter, method.span()))
    }

    /// Whether the routine is a `fmt`, which is given a `Formatter`.
    fn shows(&self) -> bool {
        self.about
            .parameters
            .iter()
            .any(|name| name == crate::implementation::SINK)
    }

    /// What `write!` is made of: what is written to, a piece of text, a value.
    pub(super) fn writing(&mut self, expr: &mut Expr, name: &str, last: &PathSegment) -> Option<Known> {
        let Expr::Call(ExprCall { args, .. }) = &mut *expr else {
            return None;
        };
        let count = args.len() as u64;
        self.operands(args.iter_mut());
        let slot = self.new_slot();
        self.stream.line(shadow::at(&*expr));
        self.stream.node(Node::Call).number(slot).number(count);
        self.may_call(Calls::Maybe);
        match (name, &last.arguments) {
            ("sink", _) => shadow::sink(expr, slot),
            ("text", _) => shadow::text(expr, name_hash("write_str"), slot),
            (_, PathArguments::AngleBracketed(style)) => shadow::formatted(expr, style.args.first()?, slot),
            _ => return None,
        }
        Some(Known::Unknown)
    }
}

/// The traits of `fmt`, with what each shows.
const STYLES: [(&str, Style); 8] = [
    ("Display", Style::Display),
    ("Debug", Style::Debug),
    ("LowerHex", Style::LowerHex),
    ("UpperHex", Style::UpperHex),
    ("Binary", Style::Binary),
    ("Octal", Style::Octal),
    ("LowerExp", Style::LowerExp),
    ("UpperExp", Style::UpperExp),
];

/// The call that writes a value as a formatter says that is there.
fn shown(style: Style, value: &Expr, formatter: &Expr, span: Span) -> Expr {
    let (span, style) = (Span::mixed_site().located_at(span), style as u8);
    syn::parse_quote_spanned!(span=> ::gpuvm::__private::intrinsics::formatted::<#style>(&(#value), #formatter))
}

/// The variable of a value.
fn variable(place: usize, span: Span) -> Ident {
    Ident::new(&format!("__gpuvm_value_{place}"), Span::mixed_site().located_at(span))
}

/// What is written, without what is empty; a literal that `{}` shows is a part of the text around it, as it is to rustc.
fn parts(pieces: Vec<String>, values: &[Shown], places: &[usize], shown: &[Expr], span: Span) -> Vec<Part> {
    let mut parts = vec![];
    let mut text = String::new();
    let (mut width, mut precision) = (None, None);
    let mut values = values.iter().zip(places);
    for piece in pieces {
        text.push_str(&piece);
        let Some((value, place)) = values.next() else { break };
        match value.format.as_str() {
            "$" => width = Some(variable(*place, span)),
            ".$" => precision = Some(variable(*place, span)),
            format => {
                let format = FormatSpec::parse(format).unwrap_or(FormatSpec::DISPLAY);
                let (width, precision) = (width.take(), precision.take());
                let is_plain = format == FormatSpec::DISPLAY && width.is_none() && precision.is_none();
                if let Some(literal) = literal(&shown[*place]).filter(|_| is_plain) {
                    text.push_str(&literal);
                    continue;
                }
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Value {
                    variable: variable(*place, span),
                    format,
                    width,
                    precision,
                });
            }
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// What a literal is in a text.
fn literal(expr: &Expr) -> Option<String> {
    let Expr::Lit(node) = expr else { return None };
    match &node.lit {
        Lit::Str(text) => Some(text.value()),
        Lit::Int(number) => Some(number.base10_digits().to_owned()),
        _ => None,
    }
}

/// The call that writes a part.
fn step(part: &Part, sink: &Ident, span: Span) -> TokenStream {
    match part {
        Part::Text(text) => quote_spanned!(span=> ::gpuvm::__private::intrinsics::text(#sink, #text)),
        Part::Value {
            variable,
            format,
            width,
            precision,
        } => {
            let align = match format.align {
                None => 0,
                Some(Align::Left) => 1,
                Some(Align::Centre) => 2,
                Some(Align::Right) => 3,
            };
            let (lower, upper) = (
                format.style == Style::DebugLowerHex,
                format.style == Style::DebugUpperHex,
            );
            let flags = u32::from(format.plus)
                | u32::from(format.alternate) << 1
                | u32::from(format.zero) << 2
                | u32::from(lower) << 3
                | align << 4
                | u32::from(upper) << 6;
            let style = match format.style.is_debug() {
                true => Style::Debug,
                false => format.style,
            };
            // What `#` asks for, the lines of what is inside of the value know as well.
            let sink = match format.alternate && matches!(style, Style::Display | Style::Debug) {
                true => quote_spanned! {span=>
                    &mut ::gpuvm::__private::Padded {
                        sink: #sink,
                        depth: 0u32,
                        is_at_start: false,
                    }
                },
                false => quote_spanned!(span=> #sink),
            };
            let (style, fill) = (style as u8, format.fill);
            let width = match width {
                Some(width) => quote_spanned!(span=> *#width as u32),
                None => {
                    let width = format.width.unwrap_or(0) as u32;
                    quote_spanned!(span=> #width)
                }
            };
            let precision = match precision {
                Some(precision) => quote_spanned!(span=> (*#precision as u32).wrapping_add(1u32)),
                None => {
                    let precision = format.precision.map_or(0, |precision| precision as u32 + 1);
                    quote_spanned!(span=> #precision)
                }
            };
            quote_spanned! {span=>
                ::gpuvm::__private::intrinsics::formatted::<#style>(#variable, &mut ::gpuvm::__private::Formatter {
                    sink: #sink,
                    flags: #flags,
                    fill: #fill,
                    width: #width,
                    precision: #precision,
                })
            }
        }
    }
}
