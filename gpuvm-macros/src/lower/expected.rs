//! Types that are written where a value goes: of a `let`, and of what the function returns. A tuple, a list or a constructor there has that type, so
//! that nothing has to be put around it, and what rustc expects of its parts is what it expects in the user's function.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, GenericArgument, Path, PathArguments, Type};

use super::Lowering;
use super::call::is_named;
use crate::shadow;

/// A type that is written of the expression that is lowered next.
#[derive(Clone)]
pub(super) struct Expected {
    /// The type.
    pub(super) ty: Type,
    /// Whether it can be named everywhere in the shadow, as a function's result can; the type of a `let` can be named beside that.
    pub(super) everywhere: bool,
}

impl Expected {
    /// What is expected of a value whose type is written, if all of that is.
    pub(super) fn of(ty: &Type, everywhere: bool) -> Option<Expected> {
        let is_whole = !matches!(ty, Type::ImplTrait(_) | Type::Never(_)) && !has_placeholder(ty.to_token_stream());
        is_whole.then(|| Expected {
            ty: ty.clone(),
            everywhere,
        })
    }

    fn part(&self, ty: &Type) -> Option<Expected> {
        Expected::of(ty, self.everywhere)
    }

    fn inner(&self) -> &Type {
        let mut ty = &self.ty;
        while let Type::Group(syn::TypeGroup { elem, .. }) | Type::Paren(syn::TypeParen { elem, .. }) = ty {
            ty = elem;
        }
        ty
    }

    /// Of the entries of a tuple of so many.
    pub(super) fn entries(&self, count: usize) -> Vec<Option<Expected>> {
        match self.inner() {
            Type::Tuple(tuple) if tuple.elems.len() == count => tuple.elems.iter().map(|ty| self.part(ty)).collect(),
            _ => vec![None; count],
        }
    }

    /// Of each element of a list.
    pub(super) fn element(&self) -> Option<Expected> {
        match self.inner() {
            Type::Array(list) => self.part(&list.elem),
            _ => None,
        }
    }

    /// Of what a variant of `Option` or `Result` is made of.
    pub(super) fn content(&self, constructor: &Path) -> Option<Expected> {
        let Type::Path(ty) = self.inner() else { return None };
        let last = ty.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        let place = match (last.ident.to_string().as_str(), arguments.args.len()) {
            ("Option", 1) if is_named(Some(constructor), "Some") => 0,
            ("Result", 2) if is_named(Some(constructor), "Ok") => 0,
            ("Result", 2) if is_named(Some(constructor), "Err") => 1,
            _ => return None,
        };
        match arguments.args.get(place)? {
            GenericArgument::Type(ty) => self.part(ty),
            _ => None,
        }
    }
}

/// Whether a `_` is in a type.
fn has_placeholder(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_placeholder(group.stream()),
        TokenTree::Ident(name) => name == "_",
        _ => false,
    })
}

impl Lowering<'_> {
    /// Fills a slot with the type of a value that is made here: by the type that is written of it, or else by asking of the value.
    pub(super) fn made(&mut self, expr: &mut Expr, expected: Option<Expected>, slot: u64) {
        match expected {
            None => shadow::bind(expr, slot),
            Some(expected) => self.written_slot(&expected, slot),
        }
    }

    /// Fills a slot with a type that is written.
    pub(super) fn written_slot(&mut self, expected: &Expected, slot: u64) {
        let named = shadow::written(&expected.ty, slot);
        match expected.everywhere {
            true => self.extras.push(named),
            false => self.after.extend(named),
        }
    }
}
