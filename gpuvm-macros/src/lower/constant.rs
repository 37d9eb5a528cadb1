//! The user's constants. Their words are fetched by a function when the program is linked, their type is asked of rustc.

use gpuvm_nodes::node::Node;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath};

use super::Lowering;
use crate::namesake_modules::has_function;
use crate::namesakes::{defines_capital, is_lowercase_type};
use crate::primitive::Known;
use crate::shadow;

impl Lowering<'_> {
    /// Pushes the value of the constant that a path names.
    pub(super) fn constant(&mut self, path: &impl ToTokens) -> Known {
        let path = path.to_token_stream();
        let span = shadow::at(&path);
        let items = self.items_of_blocks();
        let slot = self.new_slot();
        let bind = shadow::bind_place(quote!((#path)), span, slot);
        self.extras.push(quote!({ #items #bind }));
        let words = quote_spanned!(span=> ::gpuvm::__private::constant_words(&(#path)));
        let number = self.fetched(span, &words);
        self.stream.node(Node::Constant).number(number).number(slot);
        Known::Unknown
    }

    /// The number of a constant whose words are these.
    fn fetched(&mut self, span: Span, words: &TokenStream) -> u64 {
        let items = self.items_of_blocks();
        self.constants.push(quote_spanned!(span=> || { #items #words }));
        self.constants.len() as u64 - 1
    }

    /// Items of blocks inside of the body, which have to be there, too, where a constant is fetched.
    pub(super) fn items_of_blocks(&self) -> TokenStream {
        self.inner_items().cloned().collect()
    }

    fn inner_items(&self) -> impl Iterator<Item = &TokenStream> {
        self.scopes.iter().skip(super::BODY).flat_map(|scope| &scope.items)
    }

    /// The number of what a path names if that is a constant, and no constructor.
    pub(super) fn named_constant(&mut self, path: &ExprPath) -> u64 {
        let span = shadow::at(path);
        let words = quote_spanned!(span=> ::gpuvm::__private::NamedWords::words(&(#path)));
        self.fetched(span, &words)
    }

    /// The same, where its use tells its type.
    pub(super) fn named_inferred(&mut self, path: &ExprPath) -> u64 {
        let span = shadow::at(path);
        self.inferred
            .push(quote_spanned!(span=> (|| ::gpuvm::__private::WordsOf::named(&(#path)))));
        self.inferred.len() as u64 - 1
    }

    /// Whether the arguments of the type that a constant's path hangs on are left out, so that only the use of the constant may tell them. An item of
    /// a block is not the same where the constant is fetched, so what it tells would not be of use.
    pub(super) fn infers(&self, path: &ExprPath) -> bool {
        let of = path.path.segments.iter().rev().nth(1);
        of.is_some_and(|of| is_type(&of.ident)) && self.leaves_arguments_out(path) && self.has_no_items()
    }

    /// Whether no block around has items that a constant might need where it is fetched.
    pub(super) fn has_no_items(&self) -> bool {
        self.inner_items().next().is_none()
    }

    /// Pushes the value of a constant whose type rustc infers from what is done with it.
    pub(super) fn inferred_constant(&mut self, expr: &mut Expr) -> Known {
        let span = shadow::at(&*expr);
        let slot = self.new_slot();
        let number = self.inferred.len();
        self.inferred
            .push(quote_spanned!(span=> (|| ::gpuvm::__private::WordsOf::value(&(#expr)))));
        self.stream
            .node(Node::InferredConstant)
            .number(number as u64)
            .number(slot);
        shadow::bind_constant(expr, number, slot);
        Known::Unknown
    }

    /// `T::default()`, a constant whatever it is made of. Which type it is, only rustc knows: `T` may be `Default` itself.
    pub(super) fn default_value(&mut self, expr: &mut Expr) -> Known {
        let slot = self.new_slot();
        self.stream.node(Node::Default).number(slot);
        shadow::default(expr, slot);
        Known::Unknown
    }

    /// Pushes whether the user's crate is compiled with a configuration.
    pub(super) fn configuration(&mut self, predicate: &TokenStream) -> Known {
        let value = quote_spanned!(predicate.span()=> ::core::cfg!(#predicate));
        self.constant(&value);
        Known::BOOL
    }
}

/// What the case of a path's last name says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Case {
    /// `NAME`: a constant.
    Screaming,
    /// `Name`: a type, or a variant.
    Camel,
    /// `name`: a variable, or a function.
    Snake,
}

/// Whether what a path hangs on is a type: by its case, or because the crate has a type of that name.
pub(crate) fn is_type(name: &Ident) -> bool {
    case(name) != Case::Snake || is_lowercase_type(name)
}

/// Whether what is called by a path with this name at its end is a constructor: by its case, unless the crate has a function of that name, or because the crate has a
/// type of that name, and no function beside it.
pub(crate) fn is_constructor(name: &Ident) -> bool {
    let text = crate::plain_name(name);
    match case(name) {
        Case::Snake => is_lowercase_type(name) && !has_function(name.span(), &text),
        _ => !defines_capital(name.span(), &text),
    }
}

/// The convention by which names are told apart, as rustc's own lints have it.
pub(crate) fn case(name: &Ident) -> Case {
    let text = name.to_string();
    let text = text.trim_start_matches("r#").trim_start_matches('_');
    match text.chars().next() {
        Some(first) if first.is_uppercase() => {
            if text.chars().any(char::is_lowercase) {
                Case::Camel
            } else {
                Case::Screaming
            }
        }
        _ => Case::Snake,
    }
}
