//! What the shadow asks of places: elements, fields, and what is behind a `Deref`.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use super::{Ends, at, slot_at, spanned, standing_for, take};

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
            let steps = steps(levels, base, sought, span);
            quote_spanned!(span=> { let __k = #slot; #steps #asked })
        }
    }
}

/// What `link` asks of a receiver and the slot that it fills, or of what is `sought` behind as many `Deref`s of the receiver `__s` as `levels`.
pub(super) fn linked_behind(
    levels: usize,
    (receiver, slot): (&TokenStream, &Ident),
    sought: impl Fn(&TokenStream) -> TokenStream,
    link: impl FnOnce(&TokenStream, &Ident) -> TokenStream,
    span: Span,
) -> TokenStream {
    if levels == 0 {
        return link(receiver, slot);
    }
    let (here, found) = (quote_spanned!(span=> __s), Ident::new("__k", span));
    let (steps, link) = (steps(levels, &here, sought, span), link(&here, &found));
    quote_spanned!(span=> { let __k = #slot; #steps #link })
}

/// The steps to where method lookup finds what is `sought`, each behind a `Deref` of what the one before led to, by the way `__w`: `__s` is where they end,
/// `__k` the slot of what is found there. The slot is `__k` before them.
pub(super) fn steps(
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
    ask_first(base, &OF_HOST, &quote_spanned!(span=> __gpuvm_field::<#hash>()), span);
}

/// Asks that a value that `*` stands before has no such `Deref`.
pub fn no_host_deref(value: &mut Expr) {
    let span = at(&*value);
    ask_first(value, &OF_HOST, &quote_spanned!(span=> __gpuvm_deref()), span);
}

/// Asks that what a `const fn` calls a method of is no float.
pub fn no_float(receiver: &mut Expr, span: Span) {
    let asked = quote_spanned!(span=> __gpuvm_by_name());
    ask_first(receiver, &["AskOfFloat", "AskOfNoFloat"], &asked, span);
}

/// The traits whose methods tell a `Deref` that is no routine.
const OF_HOST: [&str; 4] = ["AskDerefOfHost", "AskDerefOfOther", "AskOfHost", "AskOfOther"];

/// Asks something of a value by these traits before it is what it was; a place stays one.
fn ask_first(value: &mut Expr, traits: &[&str], asked: &TokenStream, span: Span) {
    let traits = traits.iter().map(|name| Ident::new(name, span));
    let inner = take(value);
    *value = Expr::Verbatim(quote_spanned! {span=>
        (*match &#inner { __s => {
            use ::gpuvm::__private::{#(#traits as _),*};
            (&&::gpuvm::__private::may_lead(__s)).#asked;
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
