//! What a plan is given has to fit its words, before it runs.

use super::node::{Backing, Kind, Node, Operand};
use super::run::Run;
use crate::error::{Error, Result};
use crate::vector::Column;

impl Run<'_, '_> {
    /// Looks at all inputs, buffers and values of a plan.
    ///
    /// # Errors
    ///
    /// [`Error::SizeTooLarge`].
    pub fn check_sizes(&self) -> Result<()> {
        for (number, node) in self.nodes.iter().enumerate() {
            let misfit = match &node.kind {
                Kind::Input(column) => column.misfit(),
                Kind::Buffer {
                    backing: Backing::Given(store),
                    ..
                } => store.misfit(),
                _ => None,
            };
            if let Some(index) = misfit {
                return Err(Error::SizeTooLarge {
                    holder: node.kind.label(number),
                    index: Some(index),
                });
            }
            check_values(number, node)?;
        }
        Ok(())
    }
}

/// The same of the values that a node's routine is given for all VMs.
fn check_values(number: usize, node: &Node<'_>) -> Result<()> {
    let Kind::Map(of) = &node.kind else {
        return Ok(());
    };
    let is_large = |operand: &Operand| match operand {
        Operand::Value(value) => value.misfit().is_some(),
        Operand::Node(_) => false,
    };
    match node.operands.iter().position(is_large) {
        None => Ok(()),
        Some(index) => Err(Error::SizeTooLarge {
            holder: format!("argument `{}` of {}", of.entry.name(index), node.kind.label(number)),
            index: None,
        }),
    }
}
