//! Std's macros that a routine may call: traps with their texts, `matches!`, `cfg!`; those that print are in [`print`](super::print). Their texts are those of rustc's own panics.

use gpuvm_nodes::node::{Node, Operator};
use gpuvm_nodes::{Kind, Level, is_count};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprMacro, LitStr, Pat, Token};

use super::alternatives::alternatives_overlap;
use super::format::{Pieces, Shown, ValueName};
use super::{Calls, Lowering, Want, literal};
use crate::primitive::Known;
use crate::shadow;

/// The arguments of a macro that a routine may call, parsed.
pub enum MacroArguments {
    /// Expressions, separated by commas.
    Expressions(Punctuated<Expr, Token![,]>),
    /// `matches!`
    Matches(Box<Matches>),
    /// Anything else.
    Other,
}

impl MacroArguments {
    /// Parses the arguments by the macro's name.
    pub fn of(mac: &syn::Macro) -> syn::Result<MacroArguments> {
        let name = mac
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        match name.as_str() {
            "panic" | "unreachable" | "todo" | "unimplemented" | "assert" | "assert_eq" | "assert_ne"
            | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" | "print" | "println" | "eprint" | "eprintln"
            | "dbg" | "log" | "write" | "writeln" => mac
                .parse_body_with(Punctuated::parse_terminated)
                .map(MacroArguments::Expressions),
            "matches" => mac
                .parse_body()
                .map(|matches| MacroArguments::Matches(Box::new(matches))),
            _ => Ok(MacroArguments::Other),
        }
    }
}

/// `matches!(value, pattern if guard)`
pub struct Matches {
    /// The value.
    pub value: Expr,
    /// What it is matched with.
    pub pattern: Pat,
    /// What else has to hold.
    pub guard: Option<Expr>,
}

impl ToTokens for Matches {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Matches { value, pattern, guard } = self;
        let guard = guard.as_ref().map(|guard| quote!(if #guard));
        tokens.extend(quote!(#value, #pattern #guard));
    }
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Matches { value, pattern, guard })
    }
}

/// std's macros that are constants: texts, bytes and numbers.
const CONSTANTS: [&str; 9] = [
    "column",
    "concat",
    "env",
    "file",
    "include_bytes",
    "include_str",
    "line",
    "module_path",
    "stringify",
];

impl Lowering<'_> {
    pub(super) fn macro_call(&mut self, expr: &mut Expr, _: Want) -> Known {
        let span = shadow::at(expr);
        let Expr::Macro(ExprMacro { mac, .. }) = &*expr else {
            return Known::Unknown;
        };
        let name = mac
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        let arguments = match MacroArguments::of(mac) {
            Ok(arguments) => arguments,
            Err(error) => {
                self.report.push(error);
                return self.never();
            }
        };
        match (name.as_str(), arguments) {
            ("matches", _) => {
                let (no, end) = (self.new_label(), self.new_label());
                let join = self.new_join();
                self.scoped(|this| this.matches(expr, no));
                self.stream.node(Node::Bool).number(1).node(Node::JoinSet).number(join);
                self.jump(end);
                self.label(no);
                self.stream.node(Node::Bool).number(0).node(Node::JoinSet).number(join);
                self.label(end);
                self.stream.node(Node::JoinGet).number(join);
                Known::BOOL
            }
            ("cfg", _) => {
                let predicate = mac.tokens.clone();
                self.configuration(&predicate)
            }
            ("panic" | "unreachable" | "todo" | "unimplemented", MacroArguments::Expressions(mut arguments)) => {
                let (alone, before) = match name.as_str() {
                    "panic" => ("explicit panic", ""),
                    "unreachable" => (
                        "internal error: entered unreachable code",
                        "internal error: entered unreachable code: ",
                    ),
                    "todo" => ("not yet implemented", "not yet implemented: "),
                    _ => ("not implemented", "not implemented: "),
                };
                let values = self.text(arguments.iter_mut().collect(), alone, before, span);
                *expr = Expr::Verbatim(quote_spanned!(span=> ({ #(let _ = &(#values);)* ::core::panic!() })));
                self.never()
            }
            ("dbg", MacroArguments::Expressions(arguments)) => self.debug(expr, arguments, span),
            ("write" | "writeln", MacroArguments::Expressions(arguments)) => self.write(expr, &name, arguments, span),
            ("print" | "println" | "eprint" | "eprintln" | "log", MacroArguments::Expressions(arguments)) => {
                *expr = self.print(&name, arguments, span);
                Known::Unit
            }
            (_, MacroArguments::Expressions(mut arguments)) => {
                let arguments: Vec<&mut Expr> = arguments.iter_mut().collect();
                let end = self.new_label();
                if name.starts_with("debug_") {
                    self.configuration(&quote!(debug_assertions));
                    self.stream.node(Node::JumpUnless).number(end);
                }
                *expr = match name.trim_start_matches("debug_") {
                    "assert" => self.assert(arguments, end, span),
                    "assert_eq" => self.assert_equal(arguments, Operator::Eq, end, span),
                    _ => self.assert_equal(arguments, Operator::Ne, end, span),
                };
                self.label(end);
                self.stream.node(Node::Unit);
                Known::Unit
            }
            // rustc says the same only once.
            ("compile_error", _) => self.never(),
            (name, MacroArguments::Other) if CONSTANTS.contains(&name) => self.constant(&mac.clone()),
            _ => {
                let path = mac.path.clone();
                self.report.unknown_macro(&path);
                self.never()
            }
        }
    }

    /// `matches!(value, pattern if guard)` as a condition.
    pub(super) fn matches(&mut self, expr: &mut Expr, no: u64) {
        let Expr::Macro(node) = &*expr else { return };
        let (mut value, pattern, mut guard) = match MacroArguments::of(&node.mac) {
            Ok(MacroArguments::Matches(matches)) => (matches.value, matches.pattern, matches.guard),
            Ok(_) => return,
            Err(error) => return self.report.push(error),
        };
        let span = shadow::at(expr);
        if guard.is_some() && alternatives_overlap(&pattern) {
            *expr = syn::parse_quote_spanned!(span=> (match #value { #pattern if #guard => true, _ => false }));
            return self.condition(expr, no);
        }
        let known = self.expr(&mut value, Want::Free);
        self.refutable(&pattern, &known, no);
        if let Some(guard) = &mut guard {
            self.condition(guard, no);
        }
        let guard = guard.map(|guard| quote!(if #guard));
        *expr = Expr::Verbatim(quote_spanned!(span=> (match (#value) { #pattern #guard => true, _ => false })));
    }

    /// `assert!(condition, text…)`
    fn assert(&mut self, arguments: Vec<&mut Expr>, end: u64, span: proc_macro2::Span) -> Expr {
        let mut arguments = arguments.into_iter();
        let Some(condition) = arguments.next() else {
            self.report.at(span, "`assert!` takes a condition");
            return Expr::Verbatim(TokenStream::new());
        };
        let failed = quote!(::core::concat!("assertion failed: ", ::core::stringify!(#condition)));
        let wrong = self.new_label();
        self.scoped(|this| this.condition(condition, wrong));
        self.jump(end);
        self.label(wrong);
        let texts: Vec<&mut Expr> = arguments.collect();
        let values = if texts.is_empty() {
            self.stream.line(span);
            self.panic(&[failed], &[]);
            Vec::new()
        } else {
            self.text(texts, "", "", span)
        };
        Expr::Verbatim(quote_spanned!(span=> (if #condition {} else { #(let _ = &(#values);)* })))
    }

    /// `assert_eq!(left, right, text)`
    fn assert_equal(
        &mut self,
        arguments: Vec<&mut Expr>,
        operator: Operator,
        end: u64,
        span: proc_macro2::Span,
    ) -> Expr {
        let mut arguments = arguments.into_iter();
        let (Some(left), Some(right)) = (arguments.next(), arguments.next()) else {
            self.report.at(span, "`assert_eq!` and `assert_ne!` take two values");
            return Expr::Verbatim(TokenStream::new());
        };
        let texts: Vec<&mut Expr> = arguments.collect();
        let known = self.expr(left, super::Want::Decided);
        let (a, b) = (self.hidden(known.clone()), self.hidden(Known::Unknown));
        let untyped = matches!(known, Known::Literal | Known::FloatLiteral);
        if untyped {
            self.stream.node(Node::Pop);
            *left = left.clone();
        } else {
            self.stream.node(Node::Bind).number(a);
        }
        let other = self.expr(right, Want::Free);
        self.stream.node(Node::Bind).number(b);
        if untyped {
            // The literal is named again, now beside something that has a type.
            let mut again = left.clone();
            self.expr(&mut again, Want::of(&other));
            self.stream.node(Node::Bind).number(a);
        }
        self.push_local(a);
        self.push_local(b);
        let mut compare = quote!();
        if self.evidence && !(known.is_primitive() || other.is_primitive()) {
            let slot = self.new_slot();
            let name = shadow::slot(slot);
            let function = shadow::operator_function("compare", operator, span);
            self.stream.node(Node::BinaryAs).number(operator as u64).number(slot);
            self.may_call(Calls::Maybe);
            compare = quote_spanned!(span=> ::gpuvm::__private::#function(__a, __b, ((),), #name););
        } else {
            self.stream.node(Node::Binary).number(operator as u64);
        }
        self.stream.node(Node::JumpIf).number(end);
        let sign = if operator == Operator::Eq { "==" } else { "!=" };
        let head = format!("assertion `left {sign} right` failed");
        let (mut pieces, mut formats, values) = match texts.is_empty() {
            true => (vec![head], Vec::new(), Vec::new()),
            false => {
                let Some(text) = self.formatted(texts) else {
                    return Expr::Verbatim(TokenStream::new());
                };
                let mut pieces = text.pieces;
                pieces[0].insert_str(0, &format!("{head}: "));
                (pieces, text.formats, text.values)
            }
        };
        if let Some(last) = pieces.last_mut() {
            last.push_str("\n  left: ");
        }
        pieces.extend(["\n right: ", ""].map(str::to_owned));
        formats.extend(["?", "?"].map(str::to_owned));
        self.push_local(a);
        self.push_local(b);
        self.stream.line(span);
        self.panic(&literals(&pieces), &formats);
        let check = if operator == Operator::Eq {
            quote!(==)
        } else {
            quote!(!=)
        };
        Expr::Verbatim(quote_spanned!(span=> (match (&(#left), &(#right)) { (__a, __b) => {
            #compare
            if *__a #check *__b {} else { #(let _ = &(#values);)* }
        } })))
    }

    /// A trap with the text of `panic!`'s arguments. Gives the values in it.
    fn text(&mut self, arguments: Vec<&mut Expr>, alone: &str, before: &str, span: proc_macro2::Span) -> Vec<Expr> {
        if arguments.is_empty() {
            self.stream.line(span);
            self.fixed_panic(alone);
            return Vec::new();
        }
        let Some(mut text) = self.formatted(arguments) else {
            return Vec::new();
        };
        text.pieces[0].insert_str(0, before);
        self.stream.line(span);
        self.panic(&text.pieces(), &text.formats);
        text.values
    }

    /// What a text and the values behind it come to, whose nodes are written. `None` where it is refused.
    pub(super) fn formatted(&mut self, mut arguments: Vec<&mut Expr>) -> Option<Text> {
        let first = arguments.first()?;
        let Some(text) = literal_text(first) else {
            self.report.format_text(&**first);
            return None;
        };
        let Some(Pieces { pieces, values: shown }) = Pieces::parse(&text.value()) else {
            self.report.format_placeholder(&text);
            return None;
        };
        let mut positional: Vec<&mut Expr> = arguments.drain(..).skip(1).collect();
        let Some(sources) = sources(&shown, &positional) else {
            self.report.format_arguments(&text);
            return None;
        };
        let places = || sources.iter().filter_map(Source::place);
        if (0..positional.len()).any(|argument| places().all(|place| place != argument)) {
            self.report.format_arguments(&text);
            return None;
        }
        // Each argument is evaluated once, in the order in which they stand.
        let in_order = places().eq(0..positional.len());
        let mut values: Vec<Expr> = positional
            .iter_mut()
            .map(|argument| match &mut **argument {
                Expr::Assign(assign) => (*assign.right).clone(),
                value => value.clone(),
            })
            .collect();
        // Of a literal any type will do, but that of a width has to be said.
        let mut untyped: Vec<bool> = values.iter().map(literal::is_untyped).collect();
        let count = |place: usize| {
            let mut uses = sources
                .iter()
                .zip(&shown)
                .filter(|(source, _)| source.place() == Some(place));
            uses.all(|(_, shown)| is_count(&shown.format))
        };
        let kept: Vec<(u64, Known)> = match in_order {
            true => Vec::new(),
            false => {
                let evaluated = values.iter_mut().enumerate();
                let kept = evaluated.map(|(place, value)| {
                    let known = self.expr(value, wanted(count(place)));
                    let local = self.hidden(known.clone());
                    self.stream.node(Node::Bind).number(local);
                    (local, known)
                });
                kept.collect()
            }
        };
        for (source, shown) in sources.iter().zip(&shown) {
            let is_count = is_count(&shown.format);
            let (value, known) = match source {
                Source::Variable(name) => {
                    let Ok(mut variable) = syn::parse_str::<Expr>(name) else {
                        self.report.format_placeholder(&text);
                        return None;
                    };
                    respan(&mut variable, text.span());
                    let known = self.expr(&mut variable, wanted(is_count));
                    values.push(variable);
                    untyped.push(false);
                    (values.last_mut()?, known)
                }
                Source::Argument(place) => {
                    let known = match kept.get(*place) {
                        Some((local, known)) => {
                            self.push_local(*local);
                            known.clone()
                        }
                        None => self.expr(&mut values[*place], wanted(is_count)),
                    };
                    let known = if untyped[*place] { Known::Literal } else { known };
                    (&mut values[*place], known)
                }
            };
            // Where its type is plain, rustc has checked it in the function itself.
            if is_count && known.kind().is_none() {
                shadow::count(value);
            } else if !is_count && !shown.format.contains('?') {
                shadow::shown(value);
            }
        }
        Some(Text {
            pieces,
            formats: shown.into_iter().map(|value| value.format).collect(),
            values,
        })
    }

    /// A trap with a fixed text.
    pub(super) fn fixed_panic(&mut self, text: &str) {
        self.panic(&[quote!(#text)], &[]);
    }

    fn panic(&mut self, pieces: &[TokenStream], formats: &[String]) {
        let message = self.message(pieces, formats, Level::Error);
        self.stream
            .node(Node::Panic)
            .number(message)
            .number(formats.len() as u64);
    }

    /// The number of a text.
    pub(super) fn message(&mut self, pieces: &[TokenStream], formats: &[String], level: Level) -> u64 {
        let level = quote::format_ident!("{level:?}");
        self.messages.push(quote!(::gpuvm::__private::Message {
            pieces: &[#(#pieces),*],
            formats: &[#(#formats),*],
            level: ::gpuvm::__private::Level::#level,
        }));
        self.messages.len() as u64 - 1
    }
}

/// A format string and what is shown in it.
pub(super) struct Text {
    /// The text around the values.
    pub(super) pieces: Vec<String>,
    /// How each value is shown.
    pub(super) formats: Vec<String>,
    /// The values, as the shadow has them.
    pub(super) values: Vec<Expr>,
}

impl Text {
    /// The pieces as literals.
    pub(super) fn pieces(&self) -> Vec<TokenStream> {
        literals(&self.pieces)
    }
}

fn literals(pieces: &[String]) -> Vec<TokenStream> {
    pieces.iter().map(|piece| quote!(#piece)).collect()
}

/// Where a value in a text comes from.
pub(super) enum Source<'t> {
    /// The argument in that place.
    Argument(usize),
    /// The variable of that name.
    Variable(&'t str),
}

impl Source<'_> {
    fn place(&self) -> Option<usize> {
        match self {
            Source::Argument(place) => Some(*place),
            Source::Variable(_) => None,
        }
    }
}

/// Where the values in a text come from. `None` if one has no argument.
pub(super) fn sources<'t>(shown: &'t [Shown], arguments: &[&mut Expr]) -> Option<Vec<Source<'t>>> {
    let is_named = |argument: &Expr, name: &str| matches!(argument, Expr::Assign(assign) if matches!(&*assign.left, Expr::Path(path) if path.path.is_ident(name)));
    let mut next = 0;
    let source = |value: &'t Shown| {
        let place = match &value.name {
            ValueName::Next => {
                next += 1;
                next - 1
            }
            ValueName::Position(place) => *place,
            ValueName::Variable(name) => match arguments.iter().position(|argument| is_named(argument, name)) {
                Some(place) => place,
                None => return Some(Source::Variable(name)),
            },
        };
        (place < arguments.len()).then_some(Source::Argument(place))
    };
    shown.iter().map(source).collect()
}

/// What a value in a text is to be: a width and a precision are `usize`.
fn wanted(is_count: bool) -> Want {
    match is_count {
        true => Want::Kind(Kind::Usize),
        false => Want::Free,
    }
}

/// The text of a literal.
pub(super) fn literal_text(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(node) => match &node.lit {
            syn::Lit::Str(text) => Some(text.clone()),
            _ => None,
        },
        Expr::Group(node) => literal_text(&node.expr),
        _ => None,
    }
}

/// Gives the variable of `{name}` the span of the text that it stands in.
pub(super) fn respan(expr: &mut Expr, span: proc_macro2::Span) {
    if let Expr::Path(node) = expr {
        for segment in &mut node.path.segments {
            segment.ident.set_span(span);
        }
    }
}
