//! Adding nodes that fold, filter and zip columns to a plan.

use gpuvm_core::types::{Type, TypeRef, Value};

use super::Plan;
use super::add::{Parameter, uses};
use super::keys::{self, Keys};
use super::node::{Kind, Length, Nature, Node, Operand, Read, Sight, Use};
use crate::entry::Entry;
use crate::error::{PlanError, Result};
use crate::handle::Handle;
use crate::types::tuple;

impl<'a> Plan<'a> {
    pub(super) fn add_operator(
        &mut self,
        entry: impl Into<Entry>,
        column: Handle,
        kind: fn(Use) -> Kind<'a>,
        length: fn(Length) -> Length,
    ) -> Result<Handle> {
        let of = uses(entry)?;
        let label = kind(of.clone()).label(self.nodes.len());
        let from = self.column(&label, column)?;
        let Node {
            element, length: has, ..
        } = self.nodes[from];
        check_operator(&label, &of, element)?;
        Ok(self.push(kind(of), own(&[from]), element, length(has)))
    }

    pub(super) fn add_filter(&mut self, entry: impl Into<Entry>, column: Handle) -> Result<Handle> {
        let of = uses(entry)?;
        let label = Kind::Filter(of.clone()).label(self.nodes.len());
        let from = self.column(&label, column)?;
        let Node { element, length, .. } = self.nodes[from];
        let expected = || format!("a routine `fn({element}) -> bool`");
        check_pure(&label, &of, &expected())?;
        let value = |ty: &TypeRef| ty.refs == 0 && ty.ty.same(element);
        let says = of.routine.result.refs == 0 && of.routine.result.ty.same(bool::TYPE);
        if of.routine.params.len() != 1 || !of.routine.params.iter().all(value) || !says {
            return Err(unfit(&label, &of, expected(), signature(&of)).into());
        }
        let length = Length::Kept {
            filter: self.nodes.len(),
            most: length.most(),
        };
        Ok(self.push(Kind::Filter(of), own(&[from]), element, length))
    }

    pub(super) fn add_sort(&mut self, entry: Option<Entry>, column: Handle) -> Result<Handle> {
        let of = entry.map(uses).transpose()?;
        let label = Kind::Sort(of.clone()).label(self.nodes.len());
        let from = self.keyed(&label, "`sort_by_key` sorts others", of.as_ref(), column)?;
        let Node { element, length, .. } = self.nodes[from];
        Ok(self.push(Kind::Sort(of), own(&[from]), element, length))
    }

    /// The node of a column whose entries a routine gives keys of, or that are keys themselves. Otherwise `others` tells what to do.
    pub(super) fn keyed(&self, label: &str, others: &str, of: Option<&Use>, column: Handle) -> Result<usize> {
        let from = self.column(label, column)?;
        let element = self.nodes[from].element;
        match of {
            None if Keys::of(element).is_none() => Err(PlanError::Argument {
                node: label.to_string(),
                parameter: "column".to_string(),
                expected: format!("a column of integers of up to 64 bits, floats, `bool`s or `char`s ({others})"),
                found: self.column_of(&self.nodes[from]),
            }
            .into()),
            None => Ok(from),
            Some(of) => {
                let expected = format!("a routine `fn({element}) -> K`, where `K` is {}", keys::EXPECTED);
                check_pure(label, of, &expected)?;
                let value = |ty: &TypeRef| ty.refs == 0 && ty.ty.same(element);
                if of.routine.params.len() != 1 || !of.routine.params.iter().all(value) || !is_key(of.routine.result) {
                    return Err(unfit(label, of, expected, signature(of)).into());
                }
                Ok(from)
            }
        }
    }

    pub(super) fn add_zip(&mut self, columns: &[Handle]) -> Result<Handle> {
        let label = Kind::Zip.label(self.nodes.len());
        let nodes: Result<Vec<usize>, PlanError> = columns.iter().map(|handle| self.column(&label, *handle)).collect();
        let nodes = nodes?;
        let Some(&first) = nodes.first() else {
            return Err(PlanError::NoVms { node: label }.into());
        };
        let length = self.nodes[first].length;
        for (index, &node) in nodes.iter().enumerate() {
            if self.nodes[node].length != length {
                return Err(PlanError::Length {
                    node: label,
                    parameter: index.to_string(),
                    expected: self.entries(length),
                    found: self.entries(self.nodes[node].length),
                    decided_by: "`0` has as many entries".to_string(),
                }
                .into());
            }
        }
        let parts: Vec<&'static Type> = nodes.iter().map(|node| self.nodes[*node].element).collect();
        Ok(self.push(Kind::Zip, own(&nodes), tuple(&parts), length))
    }

    /// The node of a handle that a node works on.
    pub(super) fn column(&self, label: &str, handle: Handle) -> Result<usize, PlanError> {
        let name = "column".to_string();
        self.own(&Parameter { node: label, name }, handle)
    }

    /// How many entries of which type a node gives, for people.
    pub(super) fn column_of(&self, node: &Node<'_>) -> String {
        let entries = self.entries(node.length);
        let word = if entries == "1" { "entry" } else { "entries" };
        format!("{entries} {word} of `{}`", node.element)
    }

    /// Whether what `iterate` has made of a state can take its place.
    pub(super) fn check_state(&self, index: usize, before: Handle, after: Handle) -> Result<()> {
        let known = |handle: Handle| self.known(handle).and_then(|node| self.nodes.get(node));
        let show = |handle| match known(handle) {
            Some(node) => self.column_of(node),
            None => "a handle of another plan".to_string(),
        };
        match (known(before), known(after)) {
            (Some(a), Some(b)) if a.element.same(b.element) && a.length == b.length => Ok(()),
            _ => Err(PlanError::State {
                index,
                expected: show(before),
                found: show(after),
            }
            .into()),
        }
    }
}

/// Refuses a routine that does not fold entries of a type.
pub(super) fn check_operator(label: &str, of: &Use, element: &Type) -> Result<(), PlanError> {
    let expected = || format!("a routine `fn({element}, {element}) -> {element}`");
    check_pure(label, of, &expected())?;
    let value = |ty: &TypeRef| ty.refs == 0 && ty.ty.same(element);
    if of.routine.params.len() != 2 || !of.routine.params.iter().all(value) || !value(&of.routine.result) {
        return Err(unfit(label, of, expected(), signature(of)));
    }
    match of.nature.asks_identity {
        true => {
            let found = "asks for `vm::id()` or `vm::count()`";
            Err(unfit(label, of, expected(), found.to_string()))
        }
        false => Ok(()),
    }
}

/// Whether a routine's result can be compared as a key.
fn is_key(result: TypeRef) -> bool {
    result.refs == 0 && Keys::of(result.ty).is_some()
}

/// Operands of which each VM sees its own entries.
pub(super) fn own(nodes: &[usize]) -> Vec<Operand> {
    let own = |&node| Operand::Node(Read { node, mode: Sight::Own });
    nodes.iter().map(own).collect()
}

/// Refuses a routine that does more to its VM than to compute.
fn check_pure(label: &str, of: &Use, expected: &str) -> Result<(), PlanError> {
    let does = match of.nature {
        Nature { halts: true, .. } => "halts its VM",
        Nature { yields: true, .. } => "yields",
        _ => return Ok(()),
    };
    Err(unfit(label, of, expected.to_string(), does.to_string()))
}

fn unfit(label: &str, of: &Use, expected: String, found: String) -> PlanError {
    PlanError::Routine {
        node: label.to_string(),
        routine: of.entry.id().to_string(),
        expected,
        found,
    }
}

/// What a routine is.
fn signature(of: &Use) -> String {
    format!("is `{}`", of.routine.signature())
}
