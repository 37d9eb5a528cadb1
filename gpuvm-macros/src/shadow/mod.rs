//! The shadow of a body: the user's code with *slots* in it, which rustc type-checks and nobody runs. These helpers wrap one
//! expression each. Every wrap stands in parentheses, so that it may take any expression's place, and carries the user's spans, so
//! that rustc's messages point at the user's code.

mod operators;

use gpuvm_nodes::Style;
use gpuvm_nodes::node::Operator;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Type};

use crate::lower::asking_name;
use crate::{namesakes, native};
pub use operators::{assign_operator, binary, operator_function, unary};

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

/// A method's receiver. Its name is one of the user's code, or rustc would blame the attribute for what the receiver lacks.
fn received(method: &Ident) -> Ident {
    Ident::new("__gpuvm_receiver", method.span())
}

/// A type by way of the trait that the machine's types have. Where it is none of these, rustc says so here, and takes what is of this type for
/// something unknown of which there is no more to say.
pub fn asked_of_value(ty: &syn::TypePath) -> Type {
    let span = crate::launch::at(ty);
    Type::Verbatim(quote_spanned!(span=> <#ty as ::gpuvm::__private::Value>::Erased))
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

/// Fills a slot with the meaning of an index. A place is named twice rather than borrowed.
/// `changes`: whether the element is assigned to or borrowed to be. `seeks`: behind how many `Deref`s of the user's it may be.
pub fn index(node: &mut syn::ExprIndex, changes: bool, seeks: usize, number: u64) {
    let span = at(&node.index);
    let slot = slot_at(number, span);
    let (base, ends, index) = (&node.expr, Ends::of(&node.index), take(&mut node.index));
    let link = link_index(&quote_spanned!(span=> &#base), changes, seeks, &slot, span);
    *node.index = Expr::Verbatim(ends.entry(quote_spanned!(span=> match (#index,) { __i => { #link; __i } })));
}

/// The same of what is no place, and of a range, whose bounds are known only where the element is.
pub fn index_as_whole(expr: &mut Expr, changes: bool, seeks: usize, number: u64) {
    let Expr::Index(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.index);
    let slot = slot_at(number, span);
    let base = standing_for(quote!(*__s), node.expr.span());
    let base = std::mem::replace(&mut *node.expr, Expr::Verbatim(base));
    let index = Expr::Verbatim(Ends::of(&node.index).entry_of("__i"));
    let index = std::mem::replace(&mut *node.index, index);
    let link = link_index(&quote_spanned!(span=> __s), changes, seeks, &slot, span);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (*match (&#base, (#index,)) { (__s, __i) => match &#node { __e => {
            #link;
            __e
        } } })
    });
}

/// Fills a slot with the index operator of `base`, a reference, by `__i`, a tuple of one.
fn link_index(base: &TokenStream, changes: bool, seeks: usize, slot: &Ident, span: Span) -> TokenStream {
    let function = |name: &str, name_mut: &str| Ident::new(if changes { name_mut } else { name }, span);
    let sought = |of: &TokenStream| {
        let function = function("sought_index", "sought_index_mut");
        quote_spanned!(span=> ::gpuvm::__private::#function(#of, &__i.0))
    };
    let of_itself = |base: &TokenStream, slot: &Ident| {
        let function = function("index", "index_mut");
        quote_spanned!(span=> ::gpuvm::__private::#function(__i, #base, #slot))
    };
    match seeks {
        0 => of_itself(base, slot),
        1 => {
            let sought = sought(base);
            quote_spanned! {span=> {
                use ::gpuvm::__private::{IndexBehind as _, IndexBehindMut as _, IndexHere as _, IndexNowhere as _};
                (&&&&#sought).__gpuvm_index(__i, #slot)
            }}
        }
        levels => {
            let asked = of_itself(&quote_spanned!(span=> __s), &Ident::new("__k", span));
            let seeking = seeking(levels, base, sought, &asked, span);
            quote_spanned!(span=> { let __k = #slot; #seeking })
        }
    }
}

/// More that is asked of `__s`, which is where method lookup finds what is `sought`; the way there is `__w`.
fn seeking(
    levels: usize,
    receiver: &TokenStream,
    sought: impl Fn(&TokenStream) -> TokenStream,
    asked: &TokenStream,
    span: Span,
) -> TokenStream {
    let steps = steps(levels, receiver, sought, span);
    quote_spanned!(span=> { #steps #asked })
}

/// The steps to it, each behind a `Deref` of what the one before led to: `__s` is where they end, `__k` the slot of what is found there. The slot is `__k` before them.
fn steps(
    levels: usize,
    receiver: &TokenStream,
    sought: impl Fn(&TokenStream) -> TokenStream,
    span: Span,
) -> TokenStream {
    let here = quote_spanned!(span=> __s);
    let step = |i: usize| {
        let sought = sought(if i == 0 { receiver } else { &here });
        quote_spanned! {span=>
            let (__w, __s) = {
                use ::gpuvm::__private::{
                    SeekBehind as _, SeekBehindMut as _, SeekHere as _, SeekInSlice as _, SeekNowhere as _,
                };
                (&&&&&#sought).__gpuvm_way()
            };
            let __k = ::gpuvm::__private::led(&__w, __k);
        }
    };
    (0..levels).map(step).collect()
}

/// Fills a slot with what leads from a value to what is behind it, `levels` times. A place stays one.
pub fn leads(expr: &mut Expr, levels: usize, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let step = quote_spanned! {span=>
        let (__k, __l) = {
            use ::gpuvm::__private::{LeadsMut as _, LeadsNowhere as _, LeadsOn as _};
            (&&&::gpuvm::__private::may_lead(__l)).__gpuvm_leads(__k)
        };
    };
    let steps = (0..levels).map(|_| &step);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (*match &#inner { __s => {
            let (__k, __l) = (#slot, __s);
            #(#steps)*
            ::gpuvm::__private::leads_no_further(__k);
            __s
        } })
    });
}

/// Asks that a field of a value is its own, where the value's type has a `Deref` that is no routine.
pub fn own_field(base: &mut Expr, hash: u32, member: &impl Spanned) {
    let span = at(member);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    ask_of_host(base, &quote_spanned!(span=> __gpuvm_field::<#hash>()), span);
}

/// Asks that a value that `*` stands before has no such `Deref`.
pub fn no_host_deref(value: &mut Expr) {
    let span = at(&*value);
    ask_of_host(value, &quote_spanned!(span=> __gpuvm_deref()), span);
}

fn ask_of_host(value: &mut Expr, asked: &TokenStream, span: Span) {
    let inner = take(value);
    *value = Expr::Verbatim(quote_spanned! {span=>
        (*match &#inner { __s => {
            use ::gpuvm::__private::{AskDerefOfHost as _, AskDerefOfOther as _, AskOfHost as _, AskOfOther as _};
            (&&::gpuvm::__private::may_lead(__s)).#asked;
            __s
        } })
    });
}

/// Asks that what a `const fn` calls a method of is no float.
pub fn no_float(receiver: &mut Expr, span: Span) {
    let inner = take(receiver);
    *receiver = Expr::Verbatim(quote_spanned! {span=>
        (*match &#inner { __s => {
            use ::gpuvm::__private::{AskOfFloat as _, AskOfNoFloat as _};
            (&&::gpuvm::__private::may_lead(__s)).__gpuvm_by_name();
            __s
        } })
    });
}

/// Asks that a reference to a variable is one to it where it is expected to be, and not to what such a `Deref` leads to.
pub fn lent(expr: &mut Expr) {
    let Expr::Reference(node) = &*expr else { return };
    let span = at(&node.expr);
    let (of, inner) = (node.expr.clone(), take(expr));
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({
            use ::gpuvm::__private::{AskOfHost as _, AskOfOther as _};
            (&&::gpuvm::__private::may_lead(&#of)).__gpuvm_lent(#inner)
        })
    });
}

/// The type beside a function that a path names.
pub struct Callee {
    /// Its path.
    pub path: TokenStream,
    /// Where it may not be there.
    pub module: Option<Module>,
}

/// The module that the type beside a function is looked for in.
pub struct Module {
    /// Its path.
    pub path: TokenStream,
    /// The function's name.
    pub name: Ident,
    /// Whether it is one of std's by its path.
    pub is_std: bool,
}

impl From<TokenStream> for Callee {
    fn from(path: TokenStream) -> Callee {
        Callee { path, module: None }
    }
}

impl Callee {
    /// Whether its path is one of std's.
    fn is_std(&self) -> bool {
        self.module.as_ref().is_some_and(|module| module.is_std)
    }

    /// The type that stands for a function's routine; where std has a `namesake`, the function has to be that or a routine.
    fn marker(&self, function: &Ident, namesake: Option<TokenStream>, span: Span) -> TokenStream {
        let path = &self.path;
        match (&self.module, namesake) {
            (Some(Module { is_std: true, .. }), _) => quote_spanned! {span=> {
                match #function { __c => match ::gpuvm::__private::of_std(__c) { _ => () } }
                ::core::marker::PhantomData::<::gpuvm::__private::NotARoutine>
            }},
            // What a glob finds goes before what a block around it has.
            (Some(Module { path: module, name, .. }), _) => quote_spanned! {span=> {
                use ::gpuvm::__private::Unseen as #name;
                {
                    use #module::*;
                    #path::__vm(::gpuvm::__private::seen(#name, #function))
                }
            }},
            (None, Some(namesake)) => quote_spanned!(span=> #path::__vm_std(#function, #namesake)),
            // Not an argument by itself, or rustc would say the same of the function and of the argument.
            (None, None) => quote_spanned!(span=> #path::__vm(::gpuvm::__private::itself(#function))),
        }
    }
}

/// Fills a slot with the routine that a path names, and calls it. What calls it has the user's spans, so that rustc's messages on arguments are
/// those of the function itself, and are shown once.
pub fn call(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>, number: u64) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let function = Ident::new("__gpuvm_callee", node.func.span());
    let (ends, path) = (Ends::of(&node.func), node.func.to_token_stream());
    if callee.is_std() && namesake.is_none() {
        // What it is given is nobody's business.
        *expr = Expr::Verbatim(quote_spanned! {span=>
            (match #path { #function => {
                ::gpuvm::__private::link(::core::marker::PhantomData::<::gpuvm::__private::NotARoutine>, #slot);
                match (#function,) { (__c,) => ::gpuvm::__private::of_std(__c) }
            } })
        });
        return;
    }
    let marker = callee.marker(&function, namesake, span);
    *node.func = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match #path { #function => ::gpuvm::__private::called(#marker, #function, #slot) }
    }));
    *expr = Expr::Call(node);
}

/// Calls the routine that `Self` stands for by its path.
pub fn call_own(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let function = Ident::new("__gpuvm_callee", node.func.span());
    let (ends, path) = (Ends::of(&node.func), take(&mut node.func));
    let marker = callee.marker(&function, namesake, span);
    *node.func = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        match #path { #function => { ::gpuvm::__private::is_own::<Self>(#marker); (#function,) } }
    }));
    *expr = Expr::Call(node);
}

/// The same, where an argument is a closure: rustc infers its parameters only if the function is called without a detour by a variable.
pub fn call_with_closure(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>, number: u64) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let marker = callee.marker(&Ident::new("__f", span), namesake, span);
    let function = take(&mut node.func);
    *node.func = Expr::Verbatim(quote_spanned!(span=> ::gpuvm::__private::known_as(#function, &__f)));
    *expr = Expr::Verbatim(quote_spanned! {span=>
        ({
            let __f = ::core::marker::PhantomData;
            match #node { __v => {
                match ::gpuvm::__private::any_of(&__f) { __f => ::gpuvm::__private::link(#marker, #slot) }
                __v
            } }
        })
    });
}

/// What a method is called on.
#[derive(Clone)]
pub struct On {
    /// Whether it is a place.
    pub place: bool,
    /// Behind how many `Deref`s of the user's the method may be, each behind the one before; behind one, it may be of the slice that an array is.
    pub seeks: usize,
    /// The type parameter, or `Self`, that it is a value of, or a reference to, where that may be a reference itself: what is beside a method of its traits is looked up on
    /// it, and else on what is behind all references.
    pub of: Option<Ident>,
}

/// What the function beside a method is looked up on.
fn looked_up_on(of: Option<&Ident>, receiver: &TokenStream, span: Span) -> TokenStream {
    match of {
        Some(ty) => quote_spanned!(span=> ::gpuvm::__private::beside::<#ty, _>(::gpuvm::__private::any(), &__v.0)),
        None => quote_spanned!(span=> ::gpuvm::__private::inner(&#receiver, &__v.0)),
    }
}

/// Fills a slot with a method of the receiver. A place is named twice rather than moved. `twin`: the function beside it where the method may be of a
/// trait of the user's, though std has one of that name.
pub fn method(expr: &mut Expr, hash: u32, on: On, elsewhere: bool, twin: Option<&Ident>, number: u64) {
    let On { place, seeks, of: ty } = on;
    let ends = Ends::of(expr);
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = receiver(&node, place);
    let known = twin.map(|_| known_arguments(&mut node, span));
    let declared = known.iter().flatten();
    let call = |node: &syn::ExprMethodCall| match (twin, &known) {
        (Some(twin), Some(known)) => {
            let takes = native::taken_by_traits(&node.method);
            let [floats, integers] = takes.map(|takes| spanned(Literal::u8_suffixed(takes as u8), span));
            let named = quote_spanned!(span=> named_as_std::<#hash, #floats, #integers, _, _>(__s, __m));
            let link = match seeks > 0 {
                // What is behind a `Deref` by that name is std's, or known as that.
                true => {
                    let (here, found) = (quote_spanned!(span=> __s), Ident::new("__k", span));
                    let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought::<#hash, _>(#of));
                    let link = link_named_as_std(twin, ty.as_ref(), &here, known, &named, &found, span);
                    let seeking = seeking(seeks, &here, sought, &link, span);
                    quote_spanned!(span=> { let __k = #slot; #seeking })
                }
                false => link_named_as_std(twin, ty.as_ref(), &receiver, known, &named, &slot, span),
            };
            quote_spanned! {span=>
                #(let #declared = ::core::marker::PhantomData;)*
                match (#node,) { __v => {
                    match &#receiver { __s => #link };
                    __v
                } }
            }
        }
        // Behind several, what is found is asked for where it is.
        _ if seeks > 1 => {
            let function = or_unknown("method", elsewhere, span);
            let link = quote_spanned!(span=> ::gpuvm::__private::#function::<#hash, _, _>(__s, __v, __k));
            let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought::<#hash, _>(&#of));
            let steps = steps(seeks, &receiver, sought, span);
            let asked = asked(&link, elsewhere, span);
            quote_spanned! {span=>
                match (#node,) { __v => {
                    let __k = #slot;
                    #steps
                    #asked
                } }
            }
        }
        _ if seeks == 1 => {
            let link = or_unknown("__gpuvm_method", elsewhere, span);
            let link =
                quote_spanned!(span=> (&&&&::gpuvm::__private::sought::<#hash, _>(&#receiver)).#link(__v, #slot));
            let asked = asked(&link, elsewhere, span);
            quote_spanned! {span=>
                match (#node,) { __v => {
                    use ::gpuvm::__private::{MethodBehind as _, MethodBehindMut as _, MethodHere as _, MethodNowhere as _};
                    #asked
                } }
            }
        }
        _ => {
            let function = or_unknown("method", elsewhere, span);
            let link = quote_spanned!(span=> ::gpuvm::__private::#function::<#hash, _, _>(&#receiver, __v, #slot));
            let asked = asked(&link, elsewhere, span);
            quote_spanned!(span=> match (#node,) { __v => { #asked } })
        }
    };
    *expr = Expr::Verbatim(ends.entry(called_on(node, place, &receiver, span, call)));
}

/// Fills a slot with a method that lends a part of its receiver, which part its result tells.
pub fn lending(expr: &mut Expr, hash: u32, place: bool, number: u64) {
    let ends = Ends::of(expr);
    let Expr::MethodCall(node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = receiver(&node, place);
    let call = |node: &syn::ExprMethodCall| {
        quote_spanned! {span=>
            match (#node,) { __v => {
                use ::gpuvm::__private::{LinkLent as _, LinkUnlent as _};
                (&&::gpuvm::__private::lent::<#hash, _, _>(&#receiver, &__v.0)).__gpuvm_link(&__v.0, #slot);
                __v
            } }
        }
    };
    *expr = Expr::Verbatim(ends.entry(called_on(node, place, &receiver, span, call)));
}

/// The function that asks a question. `elsewhere`: where the answer is no, nothing is known of the value that it was asked of, and the function gives one.
fn or_unknown(function: &str, elsewhere: bool, span: Span) -> Ident {
    match elsewhere {
        false => Ident::new(function, span),
        true => Ident::new(&format!("{function}_or_unknown"), span),
    }
}

/// A question by such a function, and the value, which is `__v`.
fn asked(question: &TokenStream, elsewhere: bool, span: Span) -> TokenStream {
    match elsewhere {
        false => quote_spanned!(span=> #question; __v),
        true => question.clone(),
    }
}

/// What a method is called on, as it is named twice: a place, or the entry of the variable that [`called_on`] makes.
fn receiver(node: &syn::ExprMethodCall, place: bool) -> TokenStream {
    match place {
        true => node.receiver.to_token_stream(),
        false => Ends::of(&node.receiver).entry(received(&node.method).to_token_stream()),
    }
}

/// A call with its receiver in a variable, unless that is a place.
fn called_on(
    mut node: syn::ExprMethodCall,
    place: bool,
    receiver: &TokenStream,
    span: Span,
    call: impl FnOnce(&syn::ExprMethodCall) -> TokenStream,
) -> TokenStream {
    if place {
        native::as_native(&mut node);
        let call = call(&node);
        quote_spanned!(span=> { #call })
    } else {
        let variable = received(&node.method);
        let value = std::mem::replace(&mut *node.receiver, Expr::Verbatim(receiver.clone()));
        native::as_native(&mut node);
        let call = call(&node);
        quote_spanned!(span=> match (#value,) { mut #variable => { #call } })
    }
}

/// What the function beside one of the user's is looked up on: the type of `value` is unknown where that of `of`, what the user's gives, is, as it is of
/// a name that several have, and rustc says it once.
fn known_with(value: &TokenStream, of: &TokenStream, span: Span) -> TokenStream {
    quote_spanned!(span=> [#value][&#of as *const _ as usize])
}

/// Tells a variable for each argument of its type, or of what a closure results in.
fn known_arguments(node: &mut syn::ExprMethodCall, span: Span) -> Vec<Ident> {
    let known: Vec<Ident> = (0..node.args.len())
        .map(|i| Ident::new(&format!("__d{i}"), span))
        .collect();
    for (argument, known) in node.args.iter_mut().zip(&known) {
        match closure_in(argument) {
            // rustc infers a closure's parameters only where it is an argument itself.
            Some(closure) => {
                let body = take(&mut closure.body);
                *closure.body = Expr::Verbatim(quote_spanned! {span=>
                    (match (#body) { __v => { ::gpuvm::__private::is_of(&__v, &#known); __v } })
                });
            }
            None => {
                let value = take(argument);
                *argument = Expr::Verbatim(quote_spanned!(span=> ::gpuvm::__private::known_as(#value, &#known)));
            }
        }
    }
    known
}

/// What the function beside a method tells, `asked`, for the type that rustc finds the method of: where a reference has a method of that name in its own way, that
/// may be the reference.
fn looked_for(asked: TokenStream, twin: &Ident, receiver: &TokenStream, span: Span) -> TokenStream {
    let name = twin.to_string();
    if !namesakes::is_apart(span, name.strip_prefix(&asking_name("").to_string()).unwrap_or(&name)) {
        return asked;
    }
    // As many references as a receiver may plainly have.
    let steps = (0..4).map(|_| quote_spanned!(span=> let __l = (&&&&&&__l).__gpuvm_look();));
    quote_spanned! {span=> {
        use ::gpuvm::__private::{
            LookAtReferred as _, LookAtValue as _, LookBehind as _, LookByMut as _, LookByMutAsValue as _, LookByRef as _,
            LookByRefAsValue as _, LookNoFurther as _, LookSettled as _,
        };
        let __l = ::gpuvm::__private::looking(#asked, &#receiver);
        #(#steps)*
        __l.__gpuvm_found()
    }}
}

/// Fills a slot with a method that std has a name of. `named` asks for it, of `__m`: what the function beside a method of a trait of the user's tells,
/// or the receiver's type where there is none.
fn link_named_as_std(
    twin: &Ident,
    ty: Option<&Ident>,
    receiver: &TokenStream,
    known: &[Ident],
    named: &TokenStream,
    slot: &Ident,
    span: Span,
) -> TokenStream {
    let fallback = import_fallback(Some(&fallback_name(twin)));
    let of = known_with(&looked_up_on(ty, receiver, span), &quote_spanned!(span=> __v.0), span);
    let asked = looked_for(
        quote_spanned!(span=> #of.#twin(&(#(#known,)* __r,))),
        twin,
        receiver,
        span,
    );
    quote_spanned! {span=> {
        use ::gpuvm::__private::{LinkNamedAsStd as _, LinkOfTrait as _};
        #fallback
        let __r = ::core::marker::PhantomData;
        ::gpuvm::__private::is_of(&__v.0, &__r);
        let __m = #asked;
        (&&&&::gpuvm::__private::#named).link(&__v.0, #slot)
    }}
}

/// What a method of the user's may be by its name.
#[derive(Clone, Copy)]
pub enum MayBe {
    /// An operator, whose trait has a method of this name.
    Operator(Operator),
    /// The routine that calls it, with what it is given as closures.
    Itself(Given),
}

/// What a routine that calls itself gives as closures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given {
    /// Those that it was given.
    Same,
    /// Another one.
    Another,
    /// A copy of what one has captured.
    Copied,
}

impl Given {
    /// The type that stands for it.
    fn marker(self) -> Ident {
        Ident::new(&format!("{self:?}"), Span::mixed_site())
    }
}

/// Fills a slot with a method of the receiver that may have parameters of its own: the function beside it is told the types of its arguments, of
/// what a closure results in, and of its result.
/// `other`: what else it may be.
pub fn asked_method(
    expr: &mut Expr,
    twin: &Ident,
    hash: u32,
    on: On,
    elsewhere: bool,
    other: Option<MayBe>,
    number: u64,
) {
    let On { place, seeks, of: ty } = on;
    let ends = Ends::of(expr);
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let receiver = receiver(&node, place);
    // Of an operand that is named, rustc says the same here if it stands here as it is.
    let named = node
        .args
        .first()
        .filter(|operand| matches!(other, Some(MayBe::Operator(_))) && is_named(operand))
        .cloned();
    let known = match &named {
        Some(_) => vec![Ident::new("__d0", span)],
        None => known_arguments(&mut node, span),
    };
    let named = named.map(|operand| quote_spanned!(span=> ::gpuvm::__private::is_of(&#operand, &__d0);));
    let turbofish = node.turbofish.clone();
    let fallback = fallback_name(twin);
    let fallback = import_fallback(turbofish.is_none().then_some(&fallback));
    // Of std's own traits that are generic, the function is one of a trait, too.
    let of_std = match node.method.to_string().as_str() {
        "extend" => quote!(
            use ::gpuvm::__private::Extends as _;
        ),
        "hash" => quote!(
            use ::gpuvm::__private::Hashes as _;
        ),
        _ => TokenStream::new(),
    };
    let link_method = or_unknown("link_method", elsewhere, span);
    let (answer, value) = match elsewhere {
        false => (TokenStream::new(), quote_spanned!(span=> __v)),
        true => (
            quote_spanned!(span=> let __m =),
            quote_spanned!(span=> (::gpuvm::__private::any_of(&__m),)),
        ),
    };
    let of = known_with(
        &looked_up_on(ty.as_ref(), &receiver, span),
        &quote_spanned!(span=> __v.0),
        span,
    );
    let asked = quote_spanned!(span=> #of.#twin #turbofish (&(#(#known,)* __d,)));
    // Behind a `Deref` it is what is found there; what is found here is looked for from the receiver on all the same.
    let looked = |asked: TokenStream| looked_for(asked, twin, &receiver, span);
    let link = match other {
        Some(MayBe::Itself(given)) => {
            let given = given.marker();
            quote_spanned! {span=>
                use ::gpuvm::__private::{LinkNotOwn as _, LinkOwn as _};
                (&::gpuvm::__private::own_or_other::<#hash, ::gpuvm::__private::#given, Self, _, _>(#asked, #of))
                    .__gpuvm_link(&__v.0, #slot)
            }
        }
        None if seeks > 0 => {
            let found = known_with(&quote_spanned!(span=> __s), &quote_spanned!(span=> __v.0), span);
            let found = quote_spanned!(span=> #found.#twin(&(#(#known,)* __d,)));
            let last = looked(found.clone());
            let sought = |of: &TokenStream| {
                let asked = match of.to_string() == "__s" {
                    true => &found,
                    false => &asked,
                };
                quote_spanned!(span=> ::gpuvm::__private::sought_beside::<#hash, _, _>(&#asked, #of))
            };
            let steps = steps(seeks, &of, sought, span);
            quote_spanned! {span=>
                let __k = #slot;
                #steps
                ::gpuvm::__private::#link_method::<#hash, _, _>(#last, &__v.0, __k)
            }
        }
        None => {
            let asked = looked(asked);
            quote_spanned!(span=> ::gpuvm::__private::#link_method::<#hash, _, _>(#asked, &__v.0, #slot))
        }
        Some(MayBe::Operator(operator)) => {
            let operator = spanned(Literal::u8_suffixed(operator as u8), span);
            let asked = looked(asked);
            quote_spanned! {span=>
                use ::gpuvm::__private::{LinkMistaken as _, LinkNamed as _, LinkOperator as _, LinkUnnamed as _};
                let __m = #asked;
                match &#receiver { __s =>
                    (&&&&&&::gpuvm::__private::by_method::<#hash, #operator, _, _, _>(__m, __s, &__d0)).__gpuvm_link(&__v.0, #slot)
                }
            }
        }
    };
    let call = |node: &syn::ExprMethodCall| {
        quote_spanned! {span=>
            #(let #known = ::core::marker::PhantomData;)*
            match (#node,) { __v => {
                let __d = ::core::marker::PhantomData;
                ::gpuvm::__private::is_of(&__v.0, &__d);
                #named
                #answer { #fallback #of_std #link };
                #value
            } }
        }
    };
    *expr = Expr::Verbatim(ends.entry(called_on(node, place, &receiver, span, call)));
}

/// Whether an expression is a name, or refers to one.
fn is_named(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Reference(node) => is_named(&node.expr),
        _ => false,
    }
}

/// The closure that an argument is.
fn closure_in(argument: &mut Expr) -> Option<&mut syn::ExprClosure> {
    match argument {
        Expr::Closure(closure) => Some(closure),
        Expr::Reference(node) => closure_in(&mut node.expr),
        Expr::Paren(node) => closure_in(&mut node.expr),
        Expr::Group(node) => closure_in(&mut node.expr),
        _ => None,
    }
}

/// What decides, beside the receiver, which routine a method is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decides {
    /// The result's type.
    Result,
    /// The first argument's type, too.
    Argument,
    /// The last argument's type, too.
    Last,
    /// What the closure results in, too.
    Closure,
}

/// Fills a slot with a method that depends on more than its receiver. `twin`: as of [`method`]. `hinted`: what is expected of the result is expected of
/// the call, so that `fold(0, …)` is of the type that the function returns.
pub fn generic_method(
    expr: &mut Expr,
    hash: u32,
    on: On,
    decides: Decides,
    hinted: bool,
    twin: Option<&Ident>,
    number: u64,
) {
    let On { place, seeks, of: ty } = on;
    let ends = Ends::of(expr);
    let Expr::MethodCall(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.method);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let known = twin.map(|_| known_arguments(&mut node, span));
    // A method of the user's may have no argument where std's of that name has one.
    let is_decided = decides != Decides::Result && !node.args.is_empty();
    let decider = is_decided.then(|| quote_spanned!(span=> let __d = ::core::marker::PhantomData;));
    let decided = match is_decided {
        true => quote_spanned!(span=> &__d),
        false => quote_spanned!(span=> &::core::marker::PhantomData::<()>),
    };
    let argument = decider_of(&mut node, decides, span);
    let bounded = is_bounded(&node) && (argument.is_some() || node.args.is_empty());
    let receiver = receiver(&node, place);
    let declared = known.iter().flatten();
    // A result that is written is known.
    let is_written = node.turbofish.is_some() && !is_bounded(&node);
    // What is asked of the result, which is `__v`, a tuple of one; it is the last of it.
    let link = match (twin, &known) {
        (Some(twin), Some(known)) => {
            let named = quote_spanned!(span=> generic_named_as_std::<#hash, _, _, _, _>(__s, #decided, &__v.0, __m));
            let link = match seeks > 0 {
                // What is behind a `Deref` by that name is std's, or known as that.
                true => {
                    let (here, found) = (quote_spanned!(span=> __s), Ident::new("__k", span));
                    let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought_generic::<#hash, _, _, _>(#of, #decided, &__v.0));
                    let link = link_named_as_std(twin, ty.as_ref(), &here, known, &named, &found, span);
                    let seeking = seeking(seeks, &here, sought, &link, span);
                    quote_spanned!(span=> { let __k = #slot; #seeking })
                }
                false => link_named_as_std(twin, ty.as_ref(), &receiver, known, &named, &slot, span),
            };
            quote_spanned!(span=> match &#receiver { __s => #link } __v)
        }
        _ if bounded => {
            let given = argument
                .as_ref()
                .map_or_else(|| quote!(()), |_| quote_spanned!(span=> __a.0));
            let link = |slot: &TokenStream| {
                quote_spanned! {span=> {
                    use ::gpuvm::__private::{LinkNoMethod as _, LinkOther as _, LinkRefused as _, LinkTaken as _};
                    (&&&&::gpuvm::__private::taken::<#hash, _, _, _>(__s, &#given, &__v.0)).__gpuvm_link(#decided, #slot)
                }}
            };
            let link = match seeks > 0 {
                true => {
                    let here = quote_spanned!(span=> __s);
                    let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought_generic::<#hash, _, _, _>(#of, #decided, &__v.0));
                    let asked = link(&quote_spanned!(span=> __k));
                    let seeking = seeking(seeks, &here, sought, &asked, span);
                    quote_spanned!(span=> { let __k = #slot; #seeking })
                }
                false => link(&slot.to_token_stream()),
            };
            quote_spanned!(span=> match &#receiver { __s => #link } __v)
        }
        _ if seeks > 1 => {
            let here = quote_spanned!(span=> __s);
            let sought = |of: &TokenStream| quote_spanned!(span=> ::gpuvm::__private::sought_generic::<#hash, _, _, _>(#of, #decided, &__v.0));
            let function = or_unknown("generic_method", is_written, span);
            let link = quote_spanned!(span=> ::gpuvm::__private::#function::<#hash, _, _, _>(__s, #decided, __v, __k));
            let asked = asked(&link, is_written, span);
            let seeking = seeking(seeks, &here, sought, &asked, span);
            quote_spanned!(span=> match &#receiver { __s => { let __k = #slot; #seeking } })
        }
        _ if seeks == 1 => {
            let link = or_unknown("__gpuvm_generic", is_written, span);
            let sought = quote_spanned! {span=>
                ::gpuvm::__private::sought_generic::<#hash, _, _, _>(&#receiver, #decided, &__v.0)
            };
            let asked = asked(
                &quote_spanned!(span=> (&&&&#sought).#link(__v, #slot)),
                is_written,
                span,
            );
            quote_spanned! {span=>
                use ::gpuvm::__private::{GenericBehind as _, GenericBehindMut as _, GenericHere as _, GenericNowhere as _};
                #asked
            }
        }
        _ => {
            let function = or_unknown("generic_method", is_written, span);
            let link = quote_spanned! {span=>
                ::gpuvm::__private::#function::<#hash, _, _, _>(&#receiver, #decided, __v, #slot)
            };
            asked(&link, is_written, span)
        }
    };
    let call = |node: &syn::ExprMethodCall| {
        let known = quote_spanned! {span=>
            #(let #declared = ::core::marker::PhantomData;)*
            #decider
            #argument
        };
        match hinted {
            false => quote_spanned!(span=> #known match (#node,) { __v => { #link } }),
            true => quote_spanned! {span=>
                #known
                let __r = ::core::marker::PhantomData;
                ::gpuvm::__private::known_as(::gpuvm::__private::known_as(#node, &__r), {
                    let __v = (::gpuvm::__private::any_of(&__r),);
                    match { #link } { _ => &__r }
                })
            },
        }
    };
    let call = called_on(node, place, &receiver, span, call);
    *expr = Expr::Verbatim(match hinted {
        false => ends.entry(call),
        // What is expected of an entry is not expected of the tuple.
        true => quote_spanned!(span=> (#call)),
    });
}

/// Whether std's method of this name has bounds that tell more than its routine does, see `taken`.
fn is_bounded(node: &syn::ExprMethodCall) -> bool {
    let name = node.method.to_string();
    match name.as_str() {
        "sum" | "product" => node.args.is_empty(),
        "get" | "get_mut" => node.args.len() == 1,
        name => !node.args.is_empty() && gpuvm_nodes::method::BY_PATTERN.contains(&name),
    }
}

/// Tells `__d` what decides, beside the receiver, which routine a method is. Gives the statement for an argument, which has to stand before the call.
fn decider_of(node: &mut syn::ExprMethodCall, decides: Decides, span: Span) -> Option<TokenStream> {
    let argument = match decides {
        Decides::Result => None,
        Decides::Argument => node.args.first_mut(),
        Decides::Last => node.args.last_mut(),
        Decides::Closure => {
            match node.args.last_mut() {
                Some(Expr::Closure(closure)) => {
                    let body = take(&mut closure.body);
                    *closure.body = Expr::Verbatim(quote_spanned! {span=>
                        (match (#body) { __v => { ::gpuvm::__private::type_of(&__v, &__d); __v } })
                    });
                }
                Some(named) => {
                    let value = take(named);
                    *named = Expr::Verbatim(quote_spanned! {span=>
                        (match (#value) { __v => { ::gpuvm::__private::result_of_named(&__v, &__d); __v } })
                    });
                }
                None => {}
            }
            None
        }
    }?;
    let given = Expr::Verbatim(Ends::of(argument).entry_of("__a"));
    let value = std::mem::replace(argument, given);
    Some(quote_spanned!(span=> let __a = (#value,); ::gpuvm::__private::type_of(&__a.0, &__d);))
}

/// Asks whether a value can be shown by `{}`.
pub fn shown(expr: &mut Expr) {
    ask_in_text(expr, "ShownOrRefused", "shown");
}

/// Asks that a value is a width or a precision.
pub fn count(expr: &mut Expr) {
    let span = at(expr);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned!(span=> (*::gpuvm::__private::count(&(#inner)))));
}

/// Asks whether a value has room in a panic's text beside another.
pub fn beside_another(expr: &mut Expr) {
    ask_in_text(expr, "BesideAnother", "beside_another");
}

fn ask_in_text(expr: &mut Expr, question: &str, method: &str) {
    let span = at(expr);
    let (question, method) = (Ident::new(question, span), Ident::new(method, span));
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (*match &(#inner) { __v => {
            {
                use ::gpuvm::__private::#question as _;
                ::gpuvm::__private::in_text(__v).#method();
            }
            __v
        } })
    });
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
    fn made(&self, call: &TokenStream, span: Span) -> TokenStream {
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

/// Fills a slot with the routine that a path names.
pub fn function(expr: &mut Expr, callee: &Callee, namesake: Option<TokenStream>, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let marker = callee.marker(&Ident::new("__f", span), namesake, span);
    let inner = take(expr);
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match #inner { __f => { ::gpuvm::__private::link(#marker, #slot); __f } })
    });
}

/// Fills a slot with an associated function of a type.
pub fn associated(expr: &mut Expr, ty: TokenStream, hash: u32, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let (ends, inner) = (Ends::of(expr), take(expr));
    let hash = spanned(Literal::u32_suffixed(hash), span);
    *expr = Expr::Verbatim(ends.entry(quote_spanned! {span=>
        { ::gpuvm::__private::associated::<#hash, #ty>(#slot); (#inner,) }
    }));
}

/// The same of a method that depends on its result as well.
pub fn generic_associated(expr: &mut Expr, ty: TokenStream, hash: u32, number: u64) {
    let span = at(expr);
    let slot = slot_at(number, span);
    let hash = spanned(Literal::u32_suffixed(hash), span);
    let function = quote_spanned!(span=> generic_associated::<#hash, #ty, _>);
    ask(expr, span, &function, &slot.into_token_stream());
}

/// The module of what is found where nothing of the user's stands beside a function.
pub fn fallback_name(twin: &Ident) -> Ident {
    quote::format_ident!("__Gpuvm{twin}", span = Span::call_site())
}

fn import_fallback(module: Option<&Ident>) -> Option<TokenStream> {
    module.map(|module| quote!(use #module::Of as _;))
}

/// An associated function whose type's arguments may be left out: `twin` beside it has the type as its result.
pub struct Inferred {
    /// A value of the type.
    pub any: TokenStream,
    /// The function beside it, with its arguments.
    pub twin: TokenStream,
    /// The same where the path begins with a trait.
    pub of_trait: Option<OfTrait>,
    /// The module of what is found where there is none.
    pub fallback: Option<Ident>,
    /// Of the function's name.
    pub hash: u32,
    /// The operator whose trait's method has this name.
    pub operator: Option<Operator>,
}

/// A function beside a trait's method, by the trait's path.
pub struct OfTrait {
    /// The trait's path. A `#[routine]` trait has a macro of its name, which tells it from a type.
    pub path: syn::Path,
    /// The function's path.
    pub twin: TokenStream,
}

impl Inferred {
    /// Fills a slot with the function that `function` is.
    fn link(&self, function: &Ident, known: &Ident, slot: &Ident, span: Span) -> TokenStream {
        let of_type = self.link_of_type(function, known, slot, span);
        let Some(OfTrait { path, twin }) = &self.of_trait else {
            return of_type;
        };
        let hash = spanned(Literal::u32_suffixed(self.hash), span);
        quote_spanned! {span=> {
            use ::gpuvm::__private::nothing_provided as __gpuvm_provided;
            {
                #[allow(unused_imports)]
                use #path as __gpuvm_provided;
                {
                    // What the path leads to is known before the macro, in a block that has an item of its own, is.
                    const _: () = ();
                    __gpuvm_provided! {
                        @trait { ::gpuvm::__private::link_method::<#hash, _, _>(#twin(::gpuvm::__private::any(), #function), &#known, #slot); }
                        { #of_type }
                    }
                }
            }
        }}
    }

    fn link_of_type(&self, function: &Ident, known: &Ident, slot: &Ident, span: Span) -> TokenStream {
        let fallback = import_fallback(self.fallback.as_ref());
        let any = &self.any;
        let twin = &self.twin;
        let of = known_with(
            &quote_spanned!(span=> ::gpuvm::__private::beside(#any, &#function)),
            &function.to_token_stream(),
            span,
        );
        let twin = quote_spanned!(span=> #of.#twin);
        let hash = spanned(Literal::u32_suffixed(self.hash), span);
        let Some(operator) = self.operator else {
            return quote_spanned! {span=> {
                use ::gpuvm::__private::{AnyOf as _, TwinOfCell as _, TwinOfNew as _};
                #fallback
                ::gpuvm::__private::link_method::<#hash, _, _>(#twin(#function), &#known, #slot);
            }};
        };
        let number = spanned(Literal::u8_suffixed(operator as u8), span);
        let named = match operator {
            Operator::Neg | Operator::Not => quote_spanned!(span=> unary_by_name),
            _ => quote_spanned!(span=> binary_by_name),
        };
        quote_spanned! {span=> {
            use ::gpuvm::__private::{AnyOf as _, LinkMethod as _, LinkBinary as _, LinkUnary as _};
            #fallback
            (&::gpuvm::__private::#named::<#hash, #number, _, _>(#twin(#function), #function)).link(#slot)
        }}
    }
}

/// Fills a slot with the associated function that is called.
pub fn call_associated(
    expr: &mut Expr,
    function: &Inferred,
    with_closure: bool,
    constructs: Option<&Constructs>,
    number: u64,
) {
    let Expr::Call(mut node) = take(expr) else {
        return;
    };
    let span = at(&node.func);
    let slot = slot_at(number, span);
    let callee = Ident::new("__f", span);
    let link = function.link(&callee, &callee, &slot, span);
    let (ends, path) = (Ends::of(&node.func), take(&mut node.func));
    if let Some(constructs) = constructs {
        let value = Ident::new("__v", span);
        let link = function.link(&callee, &value, &slot, span);
        *node.func = Expr::Verbatim(quote!(#callee));
        let made = constructs.made(&node.to_token_stream(), span);
        *expr = Expr::Verbatim(match constructs {
            Constructs::Opened => quote_spanned! {span=>
                (match #path { #callee => {
                    use ::gpuvm::__private::MakesOther as _;
                    let #value = (&::gpuvm::__private::opened(#node)).__gpuvm_held();
                    #link;
                    #made
                } })
            },
            _ => quote_spanned!(span=> (match #path { #callee => match #made { #value => { #link; #value } } })),
        });
    } else if with_closure {
        // As in `call_with_closure`.
        *node.func = Expr::Verbatim(quote_spanned!(span=> ::gpuvm::__private::known_as(#path, &#callee)));
        *expr = Expr::Verbatim(quote_spanned! {span=>
            ({
                let #callee = ::core::marker::PhantomData;
                match #node { __v => {
                    match ::gpuvm::__private::any_of(&#callee) { #callee => #link }
                    __v
                } }
            })
        });
    } else {
        *node.func =
            Expr::Verbatim(ends.entry(quote_spanned!(span=> match #path { #callee => { #link; (#callee,) } })));
        *expr = Expr::Call(node);
    }
}

/// Fills a slot with the associated function that a path names.
pub fn associated_function(expr: &mut Expr, function: &Inferred, number: u64) {
    let span = at(expr);
    let callee = Ident::new("__f", span);
    let link = function.link(&callee, &callee, &slot_at(number, span), span);
    let path = take(expr);
    *expr = Expr::Verbatim(quote_spanned!(span=> (match #path { #callee => { #link; #callee } })));
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
