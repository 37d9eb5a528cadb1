//! The columns of a plan that runs: where their data is, and their words.

use std::sync::Arc;

use gpuvm_core::types::Type;
use gpuvm_engine::Execute;

use super::node::Kind;
use super::run::Run;
use crate::arg::Argument;
use crate::error::Result;
use crate::store::Store;
use crate::vector::{Column, Vector, write_pieces};
use crate::words::WordColumn;

/// The data of a column.
#[derive(Clone)]
pub(super) enum Data {
    /// The caller's, at this node.
    Given(usize),
    /// In a store, which an engine that runs programs writes.
    Store(Arc<Store>),
    /// On the host.
    Host(Arc<dyn Vector>),
}

impl<'p> Run<'p, '_> {
    /// What a node has given.
    pub fn data(&self, node: usize) -> Data {
        match (&self.columns[node], &self.nodes[node].kind) {
            (Some(data), _) => data.clone(),
            (None, Kind::Buffer { backing, .. }) => Data::Store(backing.store(&self.nodes[node])),
            (None, _) => Data::Given(node),
        }
    }

    /// How many entries a column has.
    pub fn entries(&self, data: &Data) -> usize {
        match data {
            Data::Given(node) => self.given(*node).map_or(0, Column::len),
            Data::Store(store) => store.len,
            Data::Host(vector) => vector.len(),
        }
    }

    fn given(&self, node: usize) -> Option<&'p (dyn Column + 'p)> {
        match &self.nodes[node].kind {
            Kind::Input(column) => Some(&**column),
            _ => None,
        }
    }

    /// A column as an argument of a launch.
    pub fn argument(&self, data: &Data) -> Argument<'p> {
        match data {
            Data::Store(store) => Argument::Buffer(Arc::clone(store)),
            Data::Host(vector) => Argument::Read(Box::new(Arc::clone(vector))),
            Data::Given(node) => match self.given(*node) {
                Some(column) => Argument::Read(Box::new(column)),
                None => Argument::Read(Box::new(Vec::<()>::new())),
            },
        }
    }

    /// The words of a column when all that was sent is done. Where a loop turns out to be over, they are zeros, which lead to nothing.
    pub fn words(&mut self, data: &Data) -> Result<Vec<u32>> {
        self.settle()?;
        match self.under_way.is_closed() {
            true => Ok(vec![0; self.word_count(data)]),
            false => {
                let away = match data {
                    Data::Store(store) => Some(store).filter(|store| store.is_away()),
                    _ => None,
                };
                let begin = self.log.now();
                let words = self.words_of(data)?;
                if let Some(store) = away {
                    self.log.transfer(begin, || "to the host".to_string(), store.bytes());
                }
                Ok(words)
            }
        }
    }

    fn word_count(&self, data: &Data) -> usize {
        let element = match data {
            Data::Given(node) => self.nodes[*node].element,
            Data::Store(store) => store.element,
            Data::Host(vector) => vector.element(),
        };
        self.entries(data) * element.words as usize
    }

    /// The words of a column that is there.
    pub fn words_of(&self, data: &Data) -> Result<Vec<u32>> {
        let all = |column: &dyn Column| {
            let mut words = vec![0; column.len() * column.element().words as usize];
            write_pieces(column, 0..column.len(), &mut words);
            words
        };
        Ok(match data {
            Data::Given(node) => self.given(*node).map(all).unwrap_or_default(),
            Data::Store(store) => all(&*store.read()?),
            Data::Host(vector) => all(&**vector),
        })
    }

    /// What a node has given, for whoever asks when the plan is done.
    pub fn taken(&self, node: usize) -> Data {
        match self.data(node) {
            Data::Given(node) => match self.given(node) {
                Some(column) => Data::Host(column.to_vector().into()),
                None => empty(self.nodes[node].element),
            },
            data => data,
        }
    }

    /// Brings an input that several launches read to the engine's memory, once.
    pub fn bring(&mut self, node: usize, executor: &Arc<dyn Execute>) -> Result<()> {
        let (None, Some(column), Some(memory)) = (&self.columns[node], self.given(node), executor.memory()) else {
            return Ok(());
        };
        let begin = self.log.now();
        let (store, nodes) = (Store::blank(column.element(), column.len()), self.nodes);
        if store.bring(column, &memory)? {
            self.log.transfer(begin, || nodes[node].kind.label(node), store.bytes());
            self.columns[node] = Some(Data::Store(Arc::new(store)));
        }
        Ok(())
    }
}

/// A column without entries.
pub(super) fn empty(element: &'static Type) -> Data {
    words(element, 0, Vec::new())
}

/// A column of words.
pub(super) fn words(element: &'static Type, entries: usize, words: Vec<u32>) -> Data {
    Data::Host(Arc::new(WordColumn {
        element,
        entries,
        words,
    }))
}
