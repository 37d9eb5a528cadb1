//! Results of type `impl Iterator` and `impl Fn`. Whoever calls such a routine has its code walked in place, so the encoder knows what it results in;
//! rustc knows of an opaque type what its bounds say, so an iterator's get one more: that it is one that routines know.

use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Pat, PatType, PathArguments, ReturnType, Signature, Stmt, Type, TypeImplTrait, TypeParamBound};

use crate::callable::is_callable;

/// Whether a function's result is an opaque iterator, or something opaque that is called.
pub fn is_opaque(signature: &Signature) -> bool {
    let ReturnType::Type(_, ty) = &signature.output else {
        return false;
    };
    let Type::ImplTrait(ty) = &**ty else { return false };
    let is_called = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if is_callable(&bound.path));
    promises(ty).next().is_some() || ty.bounds.iter().any(is_called)
}

/// Writes the types of a closure's parameters where it is what a function returns, because what an opaque type is bounded by is not said again.
pub fn name_parameters(signature: &Signature, block: &mut Block) {
    let ReturnType::Type(_, ty) = &signature.output else {
        return;
    };
    let Type::ImplTrait(ty) = &**ty else { return };
    let types = ty.bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) if is_callable(&bound.path) => match &bound.path.segments.last()?.arguments {
            PathArguments::Parenthesized(arguments) => Some(
                arguments
                    .inputs
                    .iter()
                    .map(|input| input.ty.clone())
                    .collect::<Vec<Type>>(),
            ),
            _ => None,
        },
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

/// Adds to an opaque iterator's bounds what callers that are routines have to know of it.
pub fn promise(signature: &mut Signature) {
    if let ReturnType::Type(_, ty) = &mut signature.output
        && let Type::ImplTrait(ty) = &mut **ty
    {
        let promises: Vec<TypeParamBound> = promises(ty).collect();
        ty.bounds.extend(promises);
    }
}

/// What each of the bounds promises.
fn promises(ty: &TypeImplTrait) -> impl Iterator<Item = TypeParamBound> {
    ty.bounds.iter().filter_map(|bound| {
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
    })
}
