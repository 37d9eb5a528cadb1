//! Patterns: tests that go to a label, and bindings. A pattern consumes the operand on the stack.

use std::collections::HashMap;

use gpuvm_nodes::node::{Node, Operator};
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, LitByte, Pat, PatIdent, PatSlice, RangeLimits};

use super::constant::{Case, case};
use super::expr::{member_name, variant_name, write_variant};
use super::{Lowering, Want};
use crate::primitive::Known;

impl Lowering<'_> {
    /// A pattern that always matches.
    pub(super) fn irrefutable(&mut self, pattern: &Pat, known: &Known) {
        self.bound = HashMap::new();
        self.pattern(pattern, known, None);
    }

    /// A pattern; goes to `fails` unless it matches.
    pub(super) fn refutable(&mut self, pattern: &Pat, known: &Known, fails: u64) {
        self.bound = HashMap::new();
        self.pattern(pattern, known, Some(fails));
    }

    fn pattern(&mut self, pattern: &Pat, known: &Known, fails: Option<u64>) {
        match pattern {
            Pat::Wild(_) | Pat::Rest(_) => {
                self.stream.node(Node::Pop);
            }
            Pat::Paren(node) => self.pattern(&node.pat, known, fails),
            Pat::Type(node) => {
                self.check_type(&mut node.ty.clone());
                self.pattern(&node.pat, &Known::of(&node.ty), fails);
            }
            Pat::Ident(node) => self.name(node, known, fails),
            // The bytes one by one, which is an array's or a slice's, as what it is matched with.
            Pat::Lit(node) if matches!(&node.lit, Lit::ByteStr(_)) => {
                let Lit::ByteStr(bytes) = &node.lit else { return };
                let bytes = bytes.value().into_iter().map(|byte| LitByte::new(byte, bytes.span()));
                self.pattern(&syn::parse_quote!([#(#bytes),*]), known, fails);
            }
            Pat::Lit(node) => self.test(&mut Expr::Lit(node.clone()), Operator::Eq, known, fails, true),
            Pat::Path(node) => {
                let last = node.path.segments.last();
                if last.is_some_and(|last| case(&last.ident) == Case::Screaming) {
                    self.test(&mut Expr::Path(node.clone()), Operator::Eq, known, fails, true);
                } else {
                    self.variant(&variant_name(&node.path), fails);
                    self.stream.node(Node::Pop);
                }
            }
            Pat::Range(node) => {
                if let Some(start) = &node.start {
                    self.test(&mut start.clone(), Operator::Ge, known, fails, node.end.is_none());
                }
                if let Some(end) = &node.end {
                    let below = match node.limits {
                        RangeLimits::HalfOpen(_) => Operator::Lt,
                        RangeLimits::Closed(_) => Operator::Le,
                    };
                    self.test(&mut end.clone(), below, known, fails, true);
                }
            }
            Pat::Reference(node) => {
                let inner = match known {
                    Known::Reference(inner) => (**inner).clone(),
                    _ => Known::Unknown,
                };
                self.stream.node(Node::PatternDeref);
                self.pattern(&node.pat, &inner, fails);
                self.stream.node(Node::Pop);
            }
            Pat::Tuple(node) => {
                let fields = match known.inner() {
                    Known::Tuple(fields) => fields.clone(),
                    _ => Vec::new(),
                };
                for (i, element) in positions(&node.elems) {
                    self.stream.node(Node::PatternField).hash(&i.to_string());
                    let known_field = usize::try_from(i).ok().and_then(|i| fields.get(i)).cloned();
                    self.pattern(element, &behind(known, known_field.unwrap_or(Known::Unknown)), fails);
                }
                self.stream.node(Node::Pop);
            }
            Pat::TupleStruct(node) => {
                self.check_path(&node.path);
                let name = variant_name(&node.path);
                self.variant(&name, fails);
                let payload = match known.inner() {
                    Known::Optional(inner) => (**inner).clone(),
                    _ => Known::Unknown,
                };
                for (i, element) in positions(&node.elems) {
                    write_variant(self.stream.node(Node::PatternPayload), &name).hash(&i.to_string());
                    self.pattern(element, &behind(known, payload.clone()), fails);
                }
                self.stream.node(Node::Pop);
            }
            Pat::Struct(node) => {
                self.check_path(&node.path);
                let name = variant_name(&node.path);
                self.variant(&name, fails);
                for field in &node.fields {
                    write_variant(self.stream.node(Node::PatternPayload), &name).hash(&member_name(&field.member));
                    self.pattern(&field.pat, &Known::Unknown, fails);
                }
                self.stream.node(Node::Pop);
            }
            Pat::Slice(node) => self.slice(node, known, fails),
            Pat::Or(node) => {
                let matches = self.new_label();
                let count = node.cases.len();
                for (i, case) in node.cases.iter().enumerate() {
                    self.stream.node(Node::Duplicate);
                    if i + 1 == count {
                        self.pattern(case, known, fails);
                    } else {
                        let next = self.new_label();
                        self.pattern(case, known, Some(next));
                        self.jump(matches);
                        self.label(next);
                    }
                }
                self.label(matches);
                self.stream.node(Node::Pop);
            }
            Pat::Const(node) => self.refuse_pattern(node, |this, node| this.report.const_block(node.const_token)),
            Pat::Macro(node) => self.refuse_pattern(node, |this, node| this.report.unknown_macro(&node.mac.path)),
            other => self.refuse_pattern(other, |this, other| this.report.unknown_pattern(other)),
        }
    }

    fn refuse_pattern<P>(&mut self, pattern: &P, refuse: impl FnOnce(&mut Self, &P)) {
        refuse(self, pattern);
        self.stream.node(Node::Pop);
    }

    /// A name: a binding, a constant or a variant without fields, as its case says.
    fn name(&mut self, node: &PatIdent, known: &Known, fails: Option<u64>) {
        // A constant would have to be refuted.
        let binds = is_binding(node) || fails.is_none() && case(&node.ident) == Case::Screaming;
        if !binds {
            if case(&node.ident) == Case::Screaming {
                let mut path = syn::parse_quote!(placeholder);
                if let Expr::Path(path) = &mut path {
                    path.path = node.ident.clone().into();
                }
                return self.test(&mut path, Operator::Eq, known, fails, true);
            }
            self.variant(&variant_name(&node.ident.clone().into()), fails);
            self.stream.node(Node::Pop);
            return;
        }
        if let Some((_, inner)) = &node.subpat {
            self.stream.node(Node::Duplicate);
            self.pattern(inner, known, fails);
        }
        let by_reference = node.by_ref.is_some();
        let known = if by_reference {
            Known::Reference(Box::new(known.clone()))
        } else {
            super::expr::typed(known.clone())
        };
        let text = node.ident.to_string();
        let local = match self.bound.get(&text) {
            Some(local) => *local,
            None => {
                let local = self.declare(&node.ident, known, node.mutability.is_some());
                self.bound.insert(text, local);
                local
            }
        };
        if by_reference {
            self.stream
                .node(Node::BindRef)
                .number(local)
                .number(u64::from(node.mutability.is_some()));
        } else {
            self.stream.node(Node::Bind).number(local);
        }
    }

    /// Goes to `fails` unless the operand, which stays, is that variant. A struct always is.
    fn variant(&mut self, name: &Option<String>, fails: Option<u64>) {
        if let (Some(name), Some(fails)) = (name, fails) {
            self.stream.node(Node::PatternVariant).hash(name).number(fails);
        }
    }

    /// Goes to `fails` unless the operand compares so with a literal or constant; `last`: nothing else needs the operand.
    fn test(&mut self, with: &mut Expr, operator: Operator, known: &Known, fails: Option<u64>, last: bool) {
        if let Some(fails) = fails {
            self.stream.node(Node::PatternValue);
            match &*with {
                // What stands in a pattern has no shadow in which rustc could infer its type.
                Expr::Path(path) if self.infers(path) => self.constant(&path.clone()),
                _ => self.expr(with, Want::of(known)),
            };
            self.stream.node(Node::Binary).number(operator as u64);
            self.stream.node(Node::JumpUnless).number(fails);
        }
        if last {
            self.stream.node(Node::Pop);
        }
    }

    fn slice(&mut self, node: &PatSlice, known: &Known, fails: Option<u64>) {
        let element = match known.inner() {
            Known::List(element) => (**element).clone(),
            _ => Known::Unknown,
        };
        let count = node.elems.len();
        let rest = node.elems.iter().position(is_rest);
        let least = if rest.is_some() { count - 1 } else { count };
        if let Some(fails) = fails {
            let exact = u64::from(rest.is_none());
            self.stream
                .node(Node::PatternLength)
                .number(least as u64)
                .number(exact)
                .number(fails);
        }
        for (i, pattern) in node.elems.iter().enumerate() {
            if rest == Some(i) {
                if let Pat::Ident(name) = pattern {
                    let back = count - 1 - i;
                    self.stream.node(Node::PatternRest).number(i as u64).number(back as u64);
                    let whole = Known::List(Box::new(element.clone()));
                    let mut plain_name = name.clone();
                    plain_name.subpat = None;
                    self.name(&plain_name, &behind(known, whole), fails);
                }
                continue;
            }
            let from_end = rest.is_some_and(|rest| i > rest);
            let index = if from_end { count - i } else { i };
            self.stream
                .node(Node::PatternElement)
                .number(index as u64)
                .number(u64::from(from_end));
            self.pattern(pattern, &behind(known, element.clone()), fails);
        }
        self.stream.node(Node::Pop);
    }
}

/// The sub-patterns of a tuple with the index of what they match; behind a `..`, counted from the end, where -1 is the last.
fn positions(elements: &Punctuated<Pat, syn::Token![,]>) -> Vec<(isize, &Pat)> {
    let rest = elements.iter().position(|element| matches!(element, Pat::Rest(_)));
    let index = |i: usize| match rest {
        Some(rest) if i > rest => i as isize - elements.len() as isize,
        _ => i as isize,
    };
    let patterns = elements.iter().enumerate().filter(|(i, _)| rest != Some(*i));
    patterns.map(|(i, element)| (index(i), element)).collect()
}

/// What is known of a part of something: through a reference, bindings become references.
fn behind(whole: &Known, part: Known) -> Known {
    match (whole, &part) {
        (_, Known::Unknown) => Known::Unknown,
        (Known::Reference(_), _) => Known::Reference(Box::new(part)),
        // Whether there is a reference is not known.
        (Known::Unknown, _) => Known::Unknown,
        _ => part,
    }
}

/// Whether a name in a pattern binds, rather than naming a constant or variant.
pub(super) fn is_binding(node: &PatIdent) -> bool {
    node.by_ref.is_some() || node.mutability.is_some() || node.subpat.is_some() || case(&node.ident) == Case::Snake
}

fn is_rest(pattern: &Pat) -> bool {
    match pattern {
        Pat::Rest(_) => true,
        Pat::Ident(node) => {
            matches!(&node.subpat, Some((_, inner)) if matches!(**inner, Pat::Rest(_)))
        }
        _ => false,
    }
}
