//! What the bounds of a type parameter promise. Where they do not promise what is done with a value of it, rustc says so of the user's function and
//! tells which bound to write; the shadow's bounds are others, and so would be what is said of it.

use gpuvm_nodes::method::method_number;
use gpuvm_nodes::node::Operator;
use proc_macro2::Ident;
use syn::{Expr, Generics, Type, TypeParamBound, UnOp, WherePredicate};

use super::Lowering;
use crate::routine::{implied, methods_promised, operators_of_trait};

/// Traits of std that promise no operator and no method of a number's.
const OTHERS: [&str; 11] = [
    "Clone", "Copy", "Debug", "Default", "Display", "Hash", "Send", "Sized", "Sync", "Unpin", "VmType",
];

/// A type parameter whose bounds are all std's.
pub struct Promise {
    name: Ident,
    operators: Vec<Operator>,
    /// The methods of numbers.
    methods: Vec<&'static str>,
}

/// The type parameters whose bounds say all that they can: none where a bound of another type may say more.
pub fn promises(generics: &Generics) -> Vec<Promise> {
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut bounds: Vec<(Ident, Vec<&TypeParamBound>)> = generics
        .type_params()
        .map(|param| (param.ident.clone(), param.bounds.iter().collect()))
        .collect();
    for predicate in predicates {
        let WherePredicate::Type(predicate) = predicate else {
            continue;
        };
        let of = bounds.iter_mut().find(|(name, _)| is_name(&predicate.bounded_ty, name));
        match of {
            Some((_, bounds)) => bounds.extend(&predicate.bounds),
            None => return Vec::new(),
        }
    }
    bounds
        .into_iter()
        .filter_map(|(name, bounds)| promise(name, &bounds))
        .collect()
}

fn is_name(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

fn promise(name: Ident, bounds: &[&TypeParamBound]) -> Option<Promise> {
    let (mut operators, mut methods) = (Vec::new(), Vec::new());
    for bound in bounds {
        let name = match bound {
            TypeParamBound::Trait(bound) => bound.path.segments.last()?.ident.to_string(),
            TypeParamBound::Lifetime(_) => continue,
            _ => return None,
        };
        let promised = implied(&name).into_iter().flat_map(operators_of_trait);
        let before = operators.len();
        for (method, operator) in promised {
            operators.push(*operator);
            methods.push(*method);
        }
        methods.extend(methods_promised(&name));
        if operators.len() == before && !OTHERS.contains(&&*name) {
            return None;
        }
    }
    Some(Promise {
        name,
        operators,
        methods,
    })
}

/// A type that a type parameter is in.
#[derive(Clone, Copy)]
pub struct Parameter {
    /// Its place among the promises.
    place: usize,
    /// How many lists are around it.
    lists: u8,
}

impl Lowering<'_> {
    /// The type parameter that a type is, refers to, or is a list of.
    pub(super) fn parameter_of(&self, ty: &Type) -> Option<Parameter> {
        let list = |of: Parameter| Parameter {
            lists: of.lists + 1,
            ..of
        };
        match ty {
            Type::Reference(ty) => self.parameter_of(&ty.elem),
            Type::Slice(ty) => self.parameter_of(&ty.elem).map(list),
            Type::Array(ty) => self.parameter_of(&ty.elem).map(list),
            ty => {
                let place = self.promises.iter().position(|promise| is_name(ty, &promise.name))?;
                Some(Parameter { place, lists: 0 })
            }
        }
    }

    /// The type parameter that an expression plainly has a value of.
    pub(super) fn parameter(&self, expr: &Expr) -> Option<Parameter> {
        match expr {
            Expr::Paren(node) => self.parameter(&node.expr),
            Expr::Group(node) => self.parameter(&node.expr),
            Expr::Unary(node) if matches!(node.op, UnOp::Deref(_)) => self.parameter(&node.expr),
            Expr::Index(node) if !matches!(&*node.index, Expr::Range(_)) => {
                let of = self.parameter(&node.expr)?;
                let lists = of.lists.checked_sub(1)?;
                Some(Parameter { lists, ..of })
            }
            Expr::Path(node) => {
                let local = self.find(node.path.get_ident()?)?;
                self.locals[local as usize].parameter
            }
            _ => None,
        }
    }

    /// What is promised of an expression that plainly is of a type parameter.
    fn promise(&self, expr: &Expr) -> Option<&Promise> {
        let of = self.parameter(expr).filter(|of| of.lists == 0)?;
        self.promises.get(of.place)
    }

    /// Whether the operands of an operator are of a type parameter that has none.
    pub(super) fn lacks_operator(&self, left: &Expr, right: Option<&Expr>, operator: Operator) -> bool {
        match (self.promise(left), right) {
            (Some(promise), _) => !promise.operators.contains(&operator),
            (None, Some(right)) => matches!(left, Expr::Lit(_)) && self.promise(right).is_some(),
            (None, None) => false,
        }
    }

    /// Whether a method is one of numbers that the receiver's type parameter does not have.
    pub(super) fn lacks_method(&self, receiver: &Expr, method: &str) -> bool {
        let promise = self.promise(receiver);
        promise.is_some_and(|promise| {
            method != "clone" && method_number(method).is_some() && !promise.methods.contains(&method)
        })
    }
}
