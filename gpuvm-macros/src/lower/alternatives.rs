//! Alternatives of a pattern under a guard. The guard is asked for each alternative that matches, so where several may, an arm is lowered as
//! several arms.

use syn::punctuated::Punctuated;
use syn::{Arm, Pat};

use super::expr::variant_name;
use super::pattern::is_binding;

/// The arms that an arm is lowered as.
pub(super) fn arms(arm: Arm) -> Vec<Arm> {
    let Pat::Guard(guarded) = &arm.pat else {
        return vec![arm];
    };
    if !alternatives_overlap(&guarded.pat) {
        return vec![arm];
    }
    alternatives(&guarded.pat)
        .into_iter()
        .map(|pattern| {
            let mut guarded = guarded.clone();
            *guarded.pat = pattern;
            let mut arm = arm.clone();
            arm.pat = Pat::Guard(guarded);
            arm
        })
        .collect()
}

/// Whether two alternatives of a pattern that binds names may both match: then a guard is asked for each of them.
pub(super) fn alternatives_overlap(pattern: &Pat) -> bool {
    match pattern {
        Pat::Paren(node) => alternatives_overlap(&node.pat),
        Pat::Or(node) if node.cases.iter().any(binds) => {
            let heads: Vec<Option<String>> = node.cases.iter().map(head).collect();
            let overlap = heads
                .iter()
                .enumerate()
                .any(|(i, head)| head.is_none() || heads[..i].contains(head));
            overlap || node.cases.iter().any(alternatives_overlap)
        }
        Pat::Or(_) => false,
        other => binds(other) && has_alternatives(other),
    }
}

/// The patterns without alternatives that a pattern stands for, in the order in which they are tried: the leftmost changes last.
pub(super) fn alternatives(pattern: &Pat) -> Vec<Pat> {
    match pattern {
        Pat::Or(node) => node.cases.iter().flat_map(alternatives).collect(),
        Pat::Paren(node) => alternatives(&node.pat),
        Pat::Reference(node) => with_part(node, |node| &mut *node.pat, Pat::Reference),
        Pat::Ident(node) if node.subpat.is_some() => {
            let inner = node.subpat.iter().flat_map(|(_, inner)| alternatives(inner));
            inner
                .map(|inner| {
                    let mut node = node.clone();
                    if let Some((_, subpattern)) = &mut node.subpat {
                        **subpattern = inner;
                    }
                    Pat::Ident(node)
                })
                .collect()
        }
        Pat::Tuple(node) => with_parts(&node.elems, |elems| {
            let mut node = node.clone();
            node.elems = elems;
            Pat::Tuple(node)
        }),
        Pat::TupleStruct(node) => with_parts(&node.elems, |elems| {
            let mut node = node.clone();
            node.elems = elems;
            Pat::TupleStruct(node)
        }),
        Pat::Slice(node) => with_parts(&node.elems, |elems| {
            let mut node = node.clone();
            node.elems = elems;
            Pat::Slice(node)
        }),
        Pat::Struct(node) => {
            let parts: Punctuated<Pat, syn::Token![,]> = node.fields.iter().map(|field| (*field.pat).clone()).collect();
            with_parts(&parts, |parts| {
                let mut node = node.clone();
                for (field, part) in node.fields.iter_mut().zip(parts) {
                    *field.pat = part;
                }
                Pat::Struct(node)
            })
        }
        other => vec![other.clone()],
    }
}

/// A pattern with each alternative of its one part.
fn with_part<N: Clone>(node: &N, part: impl Fn(&mut N) -> &mut Pat, pattern: impl Fn(N) -> Pat) -> Vec<Pat> {
    let mut node = node.clone();
    let inner = alternatives(part(&mut node));
    inner
        .into_iter()
        .map(|inner| {
            let mut node = node.clone();
            *part(&mut node) = inner;
            pattern(node)
        })
        .collect()
}

/// A pattern with all combinations of its parts' alternatives.
fn with_parts(
    parts: &Punctuated<Pat, syn::Token![,]>,
    pattern: impl Fn(Punctuated<Pat, syn::Token![,]>) -> Pat,
) -> Vec<Pat> {
    let mut combinations = vec![Punctuated::new()];
    for part in parts {
        let choices = alternatives(part);
        combinations = combinations
            .iter()
            .flat_map(|before: &Punctuated<Pat, syn::Token![,]>| {
                choices.iter().map(|choice| {
                    let mut parts = before.clone();
                    parts.push(choice.clone());
                    parts
                })
            })
            .collect();
    }
    combinations.into_iter().map(pattern).collect()
}

fn has_alternatives(pattern: &Pat) -> bool {
    match pattern {
        Pat::Or(node) => node.cases.iter().any(binds),
        Pat::Paren(node) => has_alternatives(&node.pat),
        Pat::Reference(node) => has_alternatives(&node.pat),
        Pat::Tuple(node) => node.elems.iter().any(has_alternatives),
        Pat::TupleStruct(node) => node.elems.iter().any(has_alternatives),
        Pat::Slice(node) => node.elems.iter().any(has_alternatives),
        Pat::Struct(node) => node.fields.iter().any(|field| has_alternatives(&field.pat)),
        Pat::Ident(node) => node.subpat.as_ref().is_some_and(|(_, inner)| has_alternatives(inner)),
        _ => false,
    }
}

fn binds(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(node) => is_binding(node),
        Pat::Or(node) => node.cases.iter().any(binds),
        Pat::Paren(node) => binds(&node.pat),
        Pat::Reference(node) => binds(&node.pat),
        Pat::Tuple(node) => node.elems.iter().any(binds),
        Pat::TupleStruct(node) => node.elems.iter().any(binds),
        Pat::Slice(node) => node.elems.iter().any(binds),
        Pat::Struct(node) => node.fields.iter().any(|field| binds(&field.pat)),
        _ => false,
    }
}

/// The variant that a pattern is about.
fn head(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Paren(node) => head(&node.pat),
        Pat::Reference(node) => head(&node.pat),
        Pat::TupleStruct(node) => variant_name(&node.path),
        Pat::Struct(node) => variant_name(&node.path),
        Pat::Path(node) => variant_name(&node.path),
        _ => None,
    }
}
