//! What stands after `in`: a range or a list, under the iterators and adapters that routines know.

use syn::{Expr, ExprRange};

/// What stands after `in`.
pub(super) enum Head<'e> {
    Range {
        range: &'e mut ExprRange,
        reversed: bool,
        step: Option<&'e mut Expr>,
    },
    Elements(Elements<'e>),
}

/// The elements that a loop runs over.
pub(super) struct Elements<'e> {
    pub(super) base: &'e mut Expr,
    pub(super) access: Access,
    pub(super) enumerated: bool,
}

/// How a loop sees elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Access {
    /// `for x in list`: by value, unless the list is a reference.
    Value,
    /// `.iter().copied()`
    Copied,
    Cloned,
    /// `for x in &list`, `.iter()`
    Shared,
    /// `for x in &mut list`, `.iter_mut()`
    Mutable,
}

/// Reads the head; `None` where it is neither.
pub(super) fn head(expr: &mut Expr) -> Option<Head<'_>> {
    fn elements(base: &mut Expr, access: Access) -> Option<Head<'_>> {
        Some(Head::Elements(Elements {
            base,
            access,
            enumerated: false,
        }))
    }
    if is_list(expr) {
        return elements(expr, Access::Value);
    }
    match expr {
        Expr::Paren(node) => head(&mut node.expr),
        Expr::Group(node) => head(&mut node.expr),
        Expr::Range(range) => Some(Head::Range {
            range,
            reversed: false,
            step: None,
        }),
        Expr::Reference(node) => {
            let access = if node.mutability.is_some() {
                Access::Mutable
            } else {
                Access::Shared
            };
            elements(&mut node.expr, access)
        }
        Expr::MethodCall(node) => match (node.method.to_string().as_str(), node.args.len()) {
            ("iter", 0) => elements(&mut node.receiver, Access::Shared),
            ("iter_mut", 0) => elements(&mut node.receiver, Access::Mutable),
            ("into_iter", 0) => elements(&mut node.receiver, Access::Value),
            ("rev", 0) => match adapted(&mut node.receiver)? {
                Head::Range {
                    range,
                    reversed: false,
                    step: None,
                } => Some(Head::Range {
                    range,
                    reversed: true,
                    step: None,
                }),
                _ => None,
            },
            ("step_by", 1) => match adapted(&mut node.receiver)? {
                Head::Range {
                    range,
                    reversed,
                    step: None,
                } => Some(Head::Range {
                    range,
                    reversed,
                    step: node.args.first_mut(),
                }),
                _ => None,
            },
            (copies @ ("copied" | "cloned"), 0) => match adapted(&mut node.receiver)? {
                Head::Elements(Elements {
                    base,
                    access: Access::Shared,
                    enumerated: false,
                }) if copies == "copied" => elements(base, Access::Copied),
                Head::Elements(Elements {
                    base,
                    access: Access::Shared,
                    enumerated: false,
                }) => elements(base, Access::Cloned),
                _ => None,
            },
            ("enumerate", 0) => match adapted(&mut node.receiver)? {
                Head::Elements(Elements {
                    base,
                    access,
                    enumerated: false,
                }) => Some(Head::Elements(Elements {
                    base,
                    access,
                    enumerated: true,
                })),
                _ => None,
            },
            _ => None,
        },
        other => elements(other, Access::Value),
    }
}

/// Whether an expression is a list by itself: a part of an array, or what a method gives that is no iterator.
fn is_list(expr: &Expr) -> bool {
    match expr {
        Expr::Reference(node) => {
            matches!(&*node.expr, Expr::Index(index) if matches!(&*index.index, Expr::Range(_)))
        }
        Expr::MethodCall(node) => {
            let method = node.method.to_string();
            !ADAPTERS.contains(&method.as_str()) && !ITERATORS.contains(&method.as_str())
        }
        _ => false,
    }
}

/// The head below an adapter, which has to be an iterator or a range itself.
fn adapted(expr: &mut Expr) -> Option<Head<'_>> {
    match expr {
        Expr::Paren(node) => adapted(&mut node.expr),
        Expr::Group(node) => adapted(&mut node.expr),
        Expr::Range(_) => head(expr),
        Expr::MethodCall(node) if ADAPTERS.contains(&node.method.to_string().as_str()) => head(expr),
        _ => None,
    }
}

const ADAPTERS: [&str; 8] = [
    "iter",
    "iter_mut",
    "into_iter",
    "rev",
    "step_by",
    "copied",
    "cloned",
    "enumerate",
];

/// Iterators that no list is.
const ITERATORS: [&str; 18] = [
    "chunks",
    "chunks_exact",
    "windows",
    "zip",
    "skip",
    "take",
    "map",
    "filter",
    "chain",
    "drain",
    "split",
    "cycle",
    "inspect",
    "flat_map",
    "flatten",
    "scan",
    "skip_while",
    "take_while",
];
