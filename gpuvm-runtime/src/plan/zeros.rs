//! The plan's own buffers, made when a step is the first to use them.

use std::sync::Arc;

use gpuvm_engine::{Engine, Execute, room};

use super::data::Data;
use super::kernel::{Column, fill};
use super::node::{Backing, Node};
use super::program::{At, Columns, blank};
use super::run::Run;
use crate::error::Result;
use crate::store::Store;

impl Backing {
    /// The store of a buffer of such a node: the caller's, or new zeros.
    pub fn store(&self, node: &Node<'_>) -> Arc<Store> {
        match self {
            Backing::Given(store) => Arc::clone(store),
            Backing::Zeros(make) => Arc::new(Store::zeros(node.element, node.length.most(), *make)),
        }
    }
}

impl Run<'_, '_> {
    /// Makes zeros. In an engine's memory a kernel does, so that they come in order with all other launches and nothing is copied.
    ///
    /// # Errors
    ///
    /// When the device fails, or the host has no room for them.
    pub fn zeros(&mut self, node: usize) -> Result<()> {
        let executor = match self.engine {
            Engine::Native => None,
            engine => Some(self.runtime.executor(engine)?),
        };
        let executor = executor.filter(|executor| executor.memory().is_some() && self.nodes[node].words() > 0);
        self.columns[node] = Some(match executor {
            Some(executor) => self.filled(node, &executor)?,
            None => {
                let Node { element, length, .. } = self.nodes[node];
                room::check(length.most(), 4 * element.words as usize, || {
                    format!("{} zeros of `{element}`", length.most())
                })?;
                self.data(node)
            }
        });
        Ok(())
    }

    /// Zeros in an engine's memory.
    fn filled(&mut self, node: usize, executor: &Arc<dyn Execute>) -> Result<Data> {
        let begin = self.log.now();
        let Node {
            ref kind,
            element,
            length,
            ..
        } = self.nodes[node];
        let column = blank(element, length.most());
        let at = At {
            engine: self.engine,
            executor,
            root: node,
        };
        let columns = Columns::from([(Column::To, column.clone())]);
        let kernel = self.kernel(|_| fill(element))?;
        self.launch(at, &kernel, length.most(), &columns)?;
        self.log
            .transfer(begin, || kind.label(node), 4 * self.nodes[node].words());
        Ok(column)
    }
}
