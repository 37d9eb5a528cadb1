//! `#[cfg(…)]` inside of a routine. rustc takes what is configured out of a function only when its attributes have been expanded, and a macro cannot ask
//! what is configured. So the item is written twice, under the first predicate in it and under the opposite, with that predicate decided in each. rustc
//! keeps one of the two, whose attribute meets the next predicate.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, Item, Meta, Stmt, Token};

use crate::args::Role;

/// The item under the first predicate inside of it and under the opposite, each with the attribute again; `None` where there is none.
pub fn decide(role: Role, args: &TokenStream, item: &Item) -> Option<TokenStream> {
    let mut first = Configure::new(None);
    first.item(&mut item.clone());
    let predicate = first.predicate?;
    let attribute = role.attribute(args);
    let under = |holds: bool| {
        let mut item = item.clone();
        Configure::new(Some((predicate.to_string(), holds))).item(&mut item);
        item
    };
    let (with, without) = (under(true), under(false));
    Some(quote! {
        #[cfg(#predicate)]
        #attribute
        #with
        #[cfg(not(#predicate))]
        #attribute
        #without
    })
}

/// Looks for a predicate, or decides one.
struct Configure {
    decided: Option<(String, bool)>,
    predicate: Option<TokenStream>,
}

impl Configure {
    fn new(decided: Option<(String, bool)>) -> Configure {
        Configure {
            decided,
            predicate: None,
        }
    }

    /// What is inside of an item; its own attributes are rustc's.
    fn item(&mut self, item: &mut Item) {
        match item {
            Item::Fn(item) => self.visit_item_fn_mut(item),
            Item::Impl(item) => self.visit_item_impl_mut(item),
            Item::Trait(item) => self.visit_item_trait_mut(item),
            _ => {}
        }
    }

    /// Whether what these attributes are of stays; those that are decided go.
    fn keeps(&mut self, attributes: &mut Vec<Attribute>) -> bool {
        let mut kept = Vec::with_capacity(attributes.len());
        for attribute in std::mem::take(attributes) {
            let Some((predicate, then)) = conditional(&attribute) else {
                kept.push(attribute);
                continue;
            };
            match &self.decided {
                Some((decided, holds)) if *decided == predicate.to_string() => match (then, holds) {
                    (Some(then), true) => kept.extend(then),
                    (None, false) => return false,
                    _ => {}
                },
                _ => {
                    self.predicate.get_or_insert(predicate);
                    kept.push(attribute);
                }
            }
        }
        *attributes = kept;
        true
    }

    fn keeps_expr(&mut self, expr: &mut Expr) -> bool {
        attributes_of(expr).is_none_or(|attributes| self.keeps(attributes))
    }

    fn retain<T: Clone, P: Clone + Default>(
        &mut self,
        list: &mut Punctuated<T, P>,
        keeps: impl Fn(&mut Self, &mut T) -> bool,
    ) {
        let (before, trailing) = (list.len(), list.trailing_punct());
        let mut kept: Punctuated<T, P> = Punctuated::new();
        for mut element in list.iter().cloned() {
            if keeps(self, &mut element) {
                kept.push(element);
            }
        }
        // `(a, b)` without `b` is still a tuple, as rustc has it.
        if !kept.is_empty() && (trailing || kept.len() < before) {
            kept.push_punct(P::default());
        }
        *list = kept;
    }
}

impl VisitMut for Configure {
    fn visit_block_mut(&mut self, node: &mut syn::Block) {
        node.stmts.retain_mut(|statement| match statement {
            Stmt::Local(local) => self.keeps(&mut local.attrs),
            Stmt::Macro(node) => self.keeps(&mut node.attrs),
            Stmt::Expr(expr, _) => self.keeps_expr(expr),
            // rustc's.
            Stmt::Item(_) => true,
        });
        visit_mut::visit_block_mut(self, node);
    }

    fn visit_expr_match_mut(&mut self, node: &mut syn::ExprMatch) {
        node.arms.retain_mut(|arm| self.keeps(&mut arm.attrs));
        visit_mut::visit_expr_match_mut(self, node);
    }

    fn visit_expr_struct_mut(&mut self, node: &mut syn::ExprStruct) {
        self.retain(&mut node.fields, |this, field| this.keeps(&mut field.attrs));
        visit_mut::visit_expr_struct_mut(self, node);
    }

    fn visit_pat_struct_mut(&mut self, node: &mut syn::PatStruct) {
        self.retain(&mut node.fields, |this, field| this.keeps(&mut field.attrs));
        visit_mut::visit_pat_struct_mut(self, node);
    }

    fn visit_expr_array_mut(&mut self, node: &mut syn::ExprArray) {
        self.retain(&mut node.elems, Self::keeps_expr);
        visit_mut::visit_expr_array_mut(self, node);
    }

    fn visit_expr_tuple_mut(&mut self, node: &mut syn::ExprTuple) {
        self.retain(&mut node.elems, Self::keeps_expr);
        visit_mut::visit_expr_tuple_mut(self, node);
    }

    fn visit_expr_call_mut(&mut self, node: &mut syn::ExprCall) {
        self.retain(&mut node.args, Self::keeps_expr);
        visit_mut::visit_expr_call_mut(self, node);
    }

    fn visit_expr_method_call_mut(&mut self, node: &mut syn::ExprMethodCall) {
        self.retain(&mut node.args, Self::keeps_expr);
        visit_mut::visit_expr_method_call_mut(self, node);
    }

    fn visit_signature_mut(&mut self, node: &mut syn::Signature) {
        self.retain(&mut node.inputs, |this, input| match input {
            syn::FnArg::Receiver(receiver) => this.keeps(&mut receiver.attrs),
            syn::FnArg::Typed(typed) => this.keeps(&mut typed.attrs),
        });
        visit_mut::visit_signature_mut(self, node);
    }

    fn visit_item_impl_mut(&mut self, node: &mut syn::ItemImpl) {
        node.items.retain_mut(|item| match item {
            syn::ImplItem::Const(item) => self.keeps(&mut item.attrs),
            syn::ImplItem::Fn(item) => self.keeps(&mut item.attrs),
            syn::ImplItem::Type(item) => self.keeps(&mut item.attrs),
            syn::ImplItem::Macro(item) => self.keeps(&mut item.attrs),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, node);
    }

    fn visit_item_trait_mut(&mut self, node: &mut syn::ItemTrait) {
        node.items.retain_mut(|item| match item {
            syn::TraitItem::Const(item) => self.keeps(&mut item.attrs),
            syn::TraitItem::Fn(item) => self.keeps(&mut item.attrs),
            syn::TraitItem::Type(item) => self.keeps(&mut item.attrs),
            syn::TraitItem::Macro(item) => self.keeps(&mut item.attrs),
            _ => true,
        });
        visit_mut::visit_item_trait_mut(self, node);
    }

    // Items of a body are rustc's to configure, and have attributes of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The predicate of a `cfg` or `cfg_attr`, and the attributes that stand under the latter.
fn conditional(attribute: &Attribute) -> Option<(TokenStream, Option<Vec<Attribute>>)> {
    let Meta::List(list) = &attribute.meta else {
        return None;
    };
    if attribute.path().is_ident("cfg") {
        return Some((list.tokens.clone(), None));
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    let metas = list
        .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .ok()?;
    let mut metas = metas.into_iter();
    let predicate = metas.next()?;
    let then = metas.map(|meta| Attribute {
        meta,
        ..attribute.clone()
    });
    Some((quote!(#predicate), Some(then.collect())))
}

/// The attributes before an expression. Those before a statement are of the first operand that is in it.
fn attributes_of(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    macro_rules! attributes {
        ($($variant:ident)*) => {
            match expr {
                Expr::Assign(node) => attributes_of(&mut node.left),
                Expr::Binary(node) => attributes_of(&mut node.left),
                Expr::Cast(node) => attributes_of(&mut node.expr),
                $(Expr::$variant(node) => Some(&mut node.attrs),)*
                _ => None,
            }
        };
    }
    attributes!(
        Array Block Break Call Closure Const Continue Field ForLoop Group If Index Lit Loop Macro Match MethodCall Paren Path Range Reference
        Repeat Return Struct Try Tuple Unary Unsafe While
    )
}
