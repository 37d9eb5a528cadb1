//! Results of type `impl Iterator` and `impl Fn`. Whoever calls such a routine has its code walked in place, so the encoder knows what it results in;
//! rustc knows of an opaque type what its bounds say, so an iterator's get one more: that it is one that routines know.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, Generics, Ident, ImplItem, ImplItemFn, ItemImpl, Lifetime, Pat, PatType, PathArguments,
    ReturnType, Signature, Stmt, Token, Type, TypeImplTrait, TypeParamBound,
};

use crate::promised::{ask, of_iterators, together};
use crate::{callable, given};

/// The result of a function, if it is opaque.
fn result(signature: &Signature) -> Option<&TypeImplTrait> {
    let ReturnType::Type(_, ty) = &signature.output else {
        return None;
    };
    match &**ty {
        Type::ImplTrait(ty) => Some(ty),
        _ => None,
    }
}

/// Whether a function's result is an opaque iterator, or something opaque that is called.
pub fn is_opaque(signature: &Signature) -> bool {
    let Some(ty) = result(signature) else { return false };
    let is_called =
        |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if callable::is_callable(&bound.path));
    !promises(&ty.bounds).is_empty() || ty.bounds.iter().any(is_called)
}

/// Writes the types of a closure's parameters where it is what a function returns, because what an opaque type is bounded by is not said again.
pub fn name_parameters(signature: &Signature, block: &mut Block) {
    let Some(ty) = result(signature) else { return };
    let types = ty.bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) if callable::is_callable(&bound.path) => {
            match &bound.path.segments.last()?.arguments {
                PathArguments::Parenthesized(arguments) => Some(
                    arguments
                        .inputs
                        .iter()
                        .map(|input| input.ty.clone())
                        .collect::<Vec<Type>>(),
                ),
                _ => None,
            }
        }
        _ => None,
    });
    let Some(types) = types else { return };
    if let Some(Stmt::Expr(tail, None)) = block.stmts.last_mut() {
        name_in(tail, &types);
    }
    Returned(&types).visit_block_mut(block);
}

fn name_in(value: &mut Expr, types: &[Type]) {
    match value {
        Expr::Closure(closure) => {
            for (input, ty) in closure.inputs.iter_mut().zip(types) {
                if !matches!(input, Pat::Type(_)) {
                    *input = Pat::Type(PatType {
                        attrs: Vec::new(),
                        pat: Box::new(input.clone()),
                        colon_token: Default::default(),
                        ty: Box::new(ty.clone()),
                    });
                }
            }
        }
        Expr::Paren(node) => name_in(&mut node.expr, types),
        Expr::Group(node) => name_in(&mut node.expr, types),
        Expr::Block(node) => {
            if let Some(Stmt::Expr(tail, None)) = node.block.stmts.last_mut() {
                name_in(tail, types);
            }
        }
        _ => {}
    }
}

/// What `return` gives.
struct Returned<'t>(&'t [Type]);

impl VisitMut for Returned<'_> {
    fn visit_expr_return_mut(&mut self, node: &mut syn::ExprReturn) {
        if let Some(value) = &mut node.expr {
            name_in(value, self.0);
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Adds to an opaque iterator's bounds what callers that are routines have to know of it, and to those of the type parameters that it may be made of
/// what this takes. `around`: those of the `impl` block.
pub fn promise(signature: &mut Signature, attributes: &mut Vec<Attribute>, around: &Generics) {
    if !is_iterator(signature) {
        return;
    }
    let declared = together(&signature.generics, around);
    let plain = of_iterators(&declared, signature.ident.span());
    Known.visit_signature_mut(signature);
    // They have the user's own bounds as their supertraits.
    attributes.push(syn::parse_quote!(#[allow(clippy::implied_bounds_in_impls)]));
    ask(&mut signature.generics, attributes, plain);
}

/// Adds to a method's bounds what it takes to call another one of the same `impl` block that results in an opaque iterator.
pub fn promise_of_caller(signature: &mut Signature, attributes: &mut Vec<Attribute>, around: &Generics) {
    let declared = together(&signature.generics, around);
    let plain = of_iterators(&declared, signature.ident.span());
    ask(&mut signature.generics, attributes, plain);
}

/// The methods of an `impl` block that call one which results in an opaque iterator, or may: that have its name in them, or that of such a method.
pub fn callers(block: &ItemImpl) -> Vec<&Ident> {
    let methods = || {
        block.items.iter().filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function),
            _ => None,
        })
    };
    let (opaque, mut others): (Vec<_>, Vec<_>) = methods().partition(|function| is_iterator(&function.sig));
    let mut called: Vec<&Ident> = opaque.iter().map(|function| &function.sig.ident).collect();
    let mut callers = Vec::new();
    let mut next = 0;
    while let Some(&name) = called.get(next) {
        let (calling, rest) = others
            .into_iter()
            .partition(|function| given::mentions(&function.block, name));
        others = rest;
        let found = Vec::<&ImplItemFn>::into_iter(calling).map(|function| &function.sig.ident);
        callers.extend(found.clone());
        called.extend(found);
        next += 1;
    }
    callers
}

/// Whether a function's result is an opaque iterator.
fn is_iterator(signature: &Signature) -> bool {
    result(signature).is_some_and(|ty| !promises(&ty.bounds).is_empty())
}

/// Adds to the bounds of iterators that routines know them.
struct Known;

impl VisitMut for Known {
    fn visit_type_impl_trait_mut(&mut self, node: &mut TypeImplTrait) {
        node.bounds.extend(promises(&node.bounds));
        visit_mut::visit_type_impl_trait_mut(self, node);
    }

    fn visit_type_param_mut(&mut self, node: &mut syn::TypeParam) {
        node.bounds.extend(promises(&node.bounds));
        visit_mut::visit_type_param_mut(self, node);
    }

    fn visit_predicate_type_mut(&mut self, node: &mut syn::PredicateType) {
        node.bounds.extend(promises(&node.bounds));
        visit_mut::visit_predicate_type_mut(self, node);
    }
}

/// The type of a function as whoever asks for its routine has it, `fn(A) -> B`. What is opaque is a type parameter, and may depend on lifetimes:
/// so each of them has a name, and the function is that of one choice of them.
pub struct Pointer {
    /// The lifetimes that the function's own signature leaves out.
    pub lifetimes: Vec<Lifetime>,
    /// The type that is opaque.
    pub hidden: Option<TokenStream>,
    /// The parameters' types.
    pub inputs: Vec<Type>,
    /// The result.
    pub output: TokenStream,
}

impl Pointer {
    /// Of a function with these parameters and this result.
    pub fn of<'t>(is_opaque: bool, inputs: impl Iterator<Item = &'t Type>, output: &ReturnType) -> Pointer {
        let mut inputs: Vec<Type> = inputs.cloned().collect();
        if !is_opaque {
            return Pointer {
                lifetimes: Vec::new(),
                hidden: None,
                inputs,
                output: output.to_token_stream(),
            };
        }
        let mut names = Names(Vec::new());
        inputs.iter_mut().for_each(|ty| names.visit_type_mut(ty));
        Pointer {
            lifetimes: names.0,
            hidden: Some(quote!(__R)),
            inputs,
            output: quote!(-> __R),
        }
    }
}

/// Names lifetimes that are left out.
struct Names(Vec<Lifetime>);

impl Names {
    fn name(&mut self) -> Lifetime {
        let name = Lifetime::new(&format!("'__l{}", self.0.len()), Span::mixed_site());
        self.0.push(name.clone());
        name
    }
}

impl VisitMut for Names {
    fn visit_type_reference_mut(&mut self, node: &mut syn::TypeReference) {
        if node.lifetime.is_none() {
            node.lifetime = Some(self.name());
        }
        visit_mut::visit_type_reference_mut(self, node);
    }

    fn visit_lifetime_mut(&mut self, node: &mut Lifetime) {
        if node.ident == "_" {
            *node = self.name();
        }
    }
}

/// What each of the bounds promises.
fn promises(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Vec<TypeParamBound> {
    let promise = |bound: &TypeParamBound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let name = &bound.path.segments.last()?.ident;
        Some(match name.to_string().as_str() {
            "Iterator" => syn::parse_quote!(::gpuvm::__private::KnownIterator),
            "DoubleEndedIterator" => syn::parse_quote!(::gpuvm::__private::KnownDoubleEnded),
            "ExactSizeIterator" => syn::parse_quote!(::gpuvm::__private::KnownExactSize),
            _ => return None,
        })
    };
    bounds.iter().filter_map(promise).collect()
}
