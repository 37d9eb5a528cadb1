//! The shadow of a body: the user's code with *slots* in it, which rustc type-checks and nobody runs. These helpers wrap one
//! expression each. Every wrap stands in parentheses, so that it may take any expression's place, and carries the user's spans, so
//! that rustc's messages point at the user's code.

mod conversion;
mod method;
mod operators;
mod path;
mod place;
mod text;

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Type};

pub use conversion::{Constructs, convert, question, try_convert};
pub use method::{Decides, Given, MayBe, On, asked_method, asked_of_value, generic_method, lending, method};
pub use operators::{assign_operator, binary, operator_function, unary};
pub use path::{
    Callee, Inferred, Module, OfTrait, associated, associated_function, call, call_associated, call_own,
    call_with_closure, fallback_name, function, generic_associated,
};
pub use place::{index, index_as_whole, leads, lent, no_float, no_host_deref, own_field};
pub use text::{count, formatted, shown, sink, text};

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

/// The user's tokens as if the macro had written them, at their place in the user's code.
pub fn ours(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let mut inner = Group::new(group.delimiter(), ours(group.stream()));
                inner.set_span(group.span());
                token = TokenTree::Group(inner);
            }
            let is_crate = matches!(&token, TokenTree::Ident(name) if name == "$crate");
            if !is_crate {
                token.set_span(Span::call_site().located_at(token.span()));
            }
            token
        })
        .collect()
}

/// The function that fetches a constant whose type its use decides.
fn fetcher(number: usize, span: Span) -> Ident {
    let mut name = Ident::new(&format!("__k{number}"), Span::mixed_site());
    name.set_span(span);
    name
}

/// Where an expression of the user's begins and ends: its first and its last token.
#[derive(Clone, Copy)]
pub struct Ends {
    first: Span,
    last: Span,
}

impl Ends {
    pub fn of(expr: &impl ToTokens) -> Ends {
        let mut tokens = expr.to_token_stream().into_iter();
        let first = tokens.next();
        let last = tokens.last().or_else(|| first.clone());
        Ends {
            first: first.map_or_else(Span::call_site, |token| match token {
                TokenTree::Group(group) => group.span_open(),
                token => token.span(),
            }),
            last: last.map_or_else(Span::call_site, |token| match token {
                TokenTree::Group(group) => group.span_close(),
                token => token.span(),
            }),
        }
    }

    /// The entry of a tuple of one, in the place of the user's expression: rustc takes it for what stands there, from the first token to the last, so
    /// that what it says of it is what it says of the user's own function, and is shown once.
    pub fn entry(self, tuple: TokenStream) -> TokenStream {
        let mut group = Group::new(Delimiter::Parenthesis, tuple);
        group.set_span(self.first);
        let mut place = Literal::u8_unsuffixed(0);
        place.set_span(self.last);
        quote_spanned!(self.last=> #group.#place)
    }

    /// The same of a variable that is one.
    fn entry_of(self, variable: &str) -> TokenStream {
        let span = Span::mixed_site().located_at(self.first);
        self.entry(Ident::new(variable, span).into_token_stream())
    }
}

/// Generated tokens in the place of the user's, as of [`Ends::entry`], where it may be of no size: rustc takes them for the first token.
fn standing_for(tokens: TokenStream, user: Span) -> TokenStream {
    let located = Span::mixed_site().located_at(user);
    let tokens = tokens.into_iter().map(|mut token| {
        token.set_span(located);
        token
    });
    let mut group = Group::new(Delimiter::Parenthesis, tokens.collect());
    group.set_span(user);
    group.into_token_stream()
}

/// Fills a slot with a type that is written, by a statement.
pub fn written(ty: &Type, number: u64) -> TokenStream {
    let span = at(ty);
    let slot = slot_at(number, span);
    quote_spanned!(span=> ::gpuvm::__private::name_type::<#ty>(#slot);)
}

/// Takes an expression out, to put a wrap around it.
pub fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Verbatim(TokenStream::new()))
}

/// Asks something of an expression's value: a function of gpuvm's that is given it in a tuple of one, and `others`. The value has to come of the user's
/// expression and of nothing else, so that nothing is known of it where rustc finds that mistaken.
fn ask(expr: &mut Expr, span: Span, function: &TokenStream, others: &TokenStream) {
    let (ends, inner) = (Ends::of(expr), take(expr));
    *expr = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match (#inner,) { __v => { ::gpuvm::__private::#function(__v, #others); __v } }
    }));
}

/// Fills a slot with the type of the expression's value.
pub fn bind(expr: &mut Expr, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    ask(expr, span, &quote_spanned!(span=> bind), &slot.into_token_stream());
}

/// The same where the type that is expected decides, as it does what references in an array become.
pub fn bind_expected(expr: &mut Expr, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned!(span=> (::gpuvm::__private::bound(#inner, #slot))));
}

/// Fills a slot with the type of a constant, and tells it to the function that fetches the constant.
pub fn bind_constant(expr: &mut Expr, constant: usize, number: u64) {
    let span = at(expr);
    let (slot, fetcher) = (slot_at(number, span), fetcher(constant, span));
    let others = quote_spanned!(span=> #fetcher, #slot);
    ask(expr, span, &quote_spanned!(span=> bind_constant), &others);
}

/// Fills a slot with the type of a size, and tells the type of what is measured to the function that fetches it.
pub fn measured(expr: &mut Expr, constant: usize, number: u64) {
    let Expr::Call(node) = take(expr) else { return };
    let span = at(&node.func);
    let (slot, fetcher, value) = (slot_at(number, span), fetcher(constant, span), &node.args);
    *expr = Expr::Verbatim(quote_spanned!(span=> (::gpuvm::__private::measured(#value, #fetcher, #slot))));
}

/// Fills a slot with what a name is that may be a constructor's.
pub fn named(expr: &mut Expr, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { __v => { ::gpuvm::__private::named(&__v, #slot); __v } })
    });
}

/// The same, and tells it to the function that fetches the constant, if it is one.
pub fn named_constant(expr: &mut Expr, constant: usize, number: u64) {
    let span = at(expr);
    let (slot, fetcher) = (slot_at(number, span), fetcher(constant, span));
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match (#inner) { __v => { ::gpuvm::__private::named_constant(&__v, #fetcher, #slot); __v } })
    });
}

/// Makes a list of one value, which is made anew for each element and so need not be `Copy`: in the shadow it is no constant.
pub fn repeated(expr: &mut Expr) {
    let Expr::Repeat(node) = take(expr) else { return };
    let span = at(&node.expr);
    let (value, length) = (&node.expr, &node.len);
    // The value is a block now, and an argument that is one would be told of as having unused braces.
    *expr = Expr::Verbatim(quote_spanned!(span=> (::gpuvm::__private::repeated::<_, { #length }>((#value,).0))));
}

/// Fills a slot with the default of the type that an expression has.
pub fn default(expr: &mut Expr, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    ask(expr, span, &quote_spanned!(span=> default), &slot.into_token_stream());
}

/// Fills a slot with the type of a place that is named, beside the code.
pub fn bind_place(place: TokenStream, span: Span, number: u64) -> TokenStream {
    let slot = slot_at(number, span);
    quote_spanned!(span=> ::gpuvm::__private::bind_place(&#place, #slot);)
}

/// Fills a slot with the type of a cast.
pub fn name_type(expr: &mut Expr, ty: &Type, number: u64) {
    let span = at(ty);
    let slot = slot_at(number, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({ ::gpuvm::__private::name_type::<#ty>(#slot); (#inner) })
    });
}

/// Fills the slots of what a `for` loop runs over.
pub fn iterate(expr: &mut Expr, into: u64, next: u64) {
    let span = at(expr);
    let (into, next) = (slot_at(into, span), slot_at(next, span));
    let others = quote_spanned!(span=> #into, #next);
    ask(expr, span, &quote_spanned!(span=> iterate), &others);
}

/// Fills the slot of what gives its elements to a function, the first argument.
pub fn each(node: &mut syn::ExprCall, number: u64) {
    let slot = slot_at(number, at(&node.func));
    node.func = syn::parse_quote!(::gpuvm::__private::each);
    node.args.push(syn::parse_quote!(#slot));
}

/// Makes a closure's body dead, as the routine's own is: a closure is borrow-checked by itself.
pub fn closure_body(node: &mut syn::ExprClosure) {
    let (ends, inner) = (Ends::of(&node.body), take(&mut node.body));
    // In parentheses: what begins with a block, as `{ … } & 3` does, would begin with a statement.
    let mut body = Group::new(Delimiter::Brace, quote!(::gpuvm::__private::unreached(); (#inner)));
    body.set_span(ends.last);
    *node.body = Expr::Verbatim(body.into_token_stream());
    // Nothing is changed in dead code, and rustc would say so.
    for input in &mut node.inputs {
        Immutable.visit_pat_mut(input);
    }
}

/// Takes `mut` from the names in a pattern.
struct Immutable;

impl VisitMut for Immutable {
    fn visit_pat_ident_mut(&mut self, node: &mut syn::PatIdent) {
        if node.by_ref.is_none() {
            node.mutability = None;
        }
        visit_mut::visit_pat_ident_mut(self, node);
    }
}

/// Tells the `?`s in a closure what the closure results in.
pub fn closure_result(body: &mut Expr) {
    let span = at(body);
    let inner = take(body);
    *body = Expr::Verbatim(quote_spanned! {span=>
        ({ let __result = ::core::marker::PhantomData; match (#inner) { __v => { ::gpuvm::__private::is_of(&__v, &__result); __v } } })
    });
}

/// A number that belongs to the user's code.
fn spanned(mut literal: Literal, span: Span) -> Literal {
    literal.set_span(span);
    literal
}

/// The closure: the tree of its slots is its first parameter, so that `return` and `?` mean in it what they mean in the function. Its body is dead,
/// type-checked but not borrow-checked. What makes it dead is a call that cannot return, of which rustc knows after type checking only: behind a
/// `return` it would warn of code that nothing reaches, and a crate that forbids this could not have routines.
pub fn closure(
    slots: u64,
    inferred: usize,
    parameters: &TokenStream,
    result: &Type,
    body: &TokenStream,
    extras: &[TokenStream],
) -> TokenStream {
    let names: Vec<Ident> = (0..slots).map(slot).collect();
    let tree = tree(&names, depth(slots));
    let returned = quote_spanned!(Span::mixed_site()=> __result);
    // An opaque type cannot be named, nor has `?` a place where one is returned.
    let (arrow, result) = match result {
        Type::ImplTrait(_) => (TokenStream::new(), quote!(())),
        result => (quote!(-> #result), quote!(#result)),
    };
    let (fetch, types) = (0..inferred)
        .rev()
        .fold((quote!(()), quote!(())), |(fetch, types), number| {
            let name = fetcher(number, Span::mixed_site());
            (
                quote!((#name, #fetch)),
                quote!((fn() -> ::gpuvm::__private::WordsOf<_>, #types)),
            )
        });
    quote! {
        |#tree: _, #fetch: #types| #arrow {
            ::gpuvm::__private::unreached();
            #parameters
            let #returned = ::core::marker::PhantomData::<#result>;
            #(#extras)*
            #body
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
