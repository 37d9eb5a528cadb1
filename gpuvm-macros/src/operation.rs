//! The operator of two types, as generated code names it: by the types behind their references, where callers look, and by the types themselves,
//! because `V + V` and `&V + &V` may be two routines.

use gpuvm_nodes::node::Operator;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;
use syn::visit_mut::{self, VisitMut};

use crate::generic::forever;

/// An operator of two types.
pub struct Operation {
    operator: Operator,
    left: Type,
    right: Type,
    /// Whether it is what a bound promises, of types that may be associated ones and so references.
    is_promised: bool,
}

impl Operation {
    /// Of an operator and its operands' types; unary ones have `()` on the right.
    pub fn of(operator: Operator, left: &Type, right: &Type) -> Operation {
        Operation {
            operator,
            left: left.clone(),
            right: right.clone(),
            is_promised: false,
        }
    }

    /// The same as a bound promises it.
    pub fn promised(operator: Operator, left: &Type, right: &Type) -> Operation {
        Operation {
            is_promised: true,
            ..Operation::of(operator, left, right)
        }
    }

    /// The type that has the operator.
    pub fn implementor(&self) -> Type {
        self.behind(&self.left)
    }

    fn behind(&self, ty: &Type) -> Type {
        let of = without_references(ty);
        match self.is_promised && may_refer(&of) {
            true => syn::parse_quote!(<#of as ::gpuvm::__private::Value>::Inner),
            false => of,
        }
    }

    /// The trait.
    pub fn bound(&self) -> TokenStream {
        let (number, operands) = (self.operator as u8, self.operands());
        quote!(::gpuvm::__private::Operation<#number, #operands>)
    }

    /// What fills a slot with it, in an `impl` of the trait.
    pub fn slot(&self) -> TokenStream {
        let (number, operands) = (self.operator as u8, self.operands());
        quote!(::gpuvm::__private::OperatorSlot<#number, Self, #operands>)
    }

    /// The right operand's type, and the forms of both.
    fn operands(&self) -> TokenStream {
        use Operator::{Eq, Ge, Gt, Index, IndexMut, Le, Lt, Ne};
        let right = self.behind(&self.right);
        let compares = matches!(self.operator, Eq | Ne | Lt | Le | Gt | Ge);
        // Of two values and of two references it is the same.
        let is_even = compares && is_reference(&self.left) == is_reference(&self.right);
        // rustc finds what is indexed behind its references.
        let left = match is_even || matches!(self.operator, Index | IndexMut) {
            true => self.implementor(),
            false => self.left.clone(),
        };
        let (mut inner, mut form) = (right.clone(), forever(if is_even { &right } else { &self.right }));
        // To routines a range is the iterator that it becomes.
        let is_range = Ranges.range(&mut inner);
        Ranges.visit_type_mut(&mut inner);
        Ranges.visit_type_mut(&mut form);
        if is_range {
            inner = syn::parse_quote!(::gpuvm::__private::AnIterator<#inner>);
        }
        let left = forever(&left);
        quote!(#inner, #left, #form)
    }
}

/// A type as routines know it: ranges are the iterators that they become.
pub fn with_iterators(mut ty: Type) -> Type {
    Ranges.visit_type_mut(&mut ty);
    ty
}

/// Puts the iterators that they are to routines in the place of ranges.
struct Ranges;

impl Ranges {
    /// Does so with a type itself.
    fn range(&self, ty: &mut Type) -> bool {
        let Type::Path(path) = ty else { return false };
        let Some(last) = path.path.segments.last() else {
            return false;
        };
        let iterator = match last.ident.to_string().as_str() {
            "Range" => quote!(HalfOpen),
            "RangeFrom" => quote!(Open),
            "RangeInclusive" => quote!(Inclusive),
            _ => return false,
        };
        let arguments = match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.clone(),
            _ => return false,
        };
        *ty = syn::parse_quote!(::gpuvm::__private::#iterator #arguments);
        true
    }
}

impl VisitMut for Ranges {
    fn visit_type_mut(&mut self, node: &mut Type) {
        self.range(node);
        visit_mut::visit_type_mut(self, node);
    }
}

/// Whether a type is an associated one, `I::Item`, for all that can be seen.
pub fn is_associated(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_some() || path.path.segments.len() > 1)
}

/// Whether a type may turn out to be a reference: one that is named, but for `Self`, which rustc does not know to be of the machine where a trait says what it is.
pub fn may_refer(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if !path.path.is_ident("Self"))
}

/// Whether a type is a reference.
pub fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Paren(inner) => is_reference(&inner.elem),
        Type::Group(inner) => is_reference(&inner.elem),
        _ => false,
    }
}

/// A type behind its references.
pub fn without_references(ty: &Type) -> Type {
    match ty {
        Type::Reference(reference) => without_references(&reference.elem),
        Type::Paren(inner) => without_references(&inner.elem),
        Type::Group(inner) => without_references(&inner.elem),
        other => other.clone(),
    }
}
