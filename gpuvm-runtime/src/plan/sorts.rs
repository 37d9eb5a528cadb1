//! Sorting columns: a kernel makes the keys, and the engine's memory sorts the entries by them, or the host does.

use std::sync::Arc;

use gpuvm_core::types::Type;
use gpuvm_engine::{Error as Failure, Sort, Tally};

use super::data::{Data, empty, words};
use super::fuse::Step;
use super::kernel::{Column, Sketch};
use super::keys::{Keys, order};
use super::node::Use;
use super::program::{At, blank};
use super::run::Run;
use crate::error::Result;
use crate::store::Store;

impl Run<'_, '_> {
    /// The kernel that makes a sort's keys, and what entries it sorts if they are not there.
    pub fn keys_sketch(&self, step: &Step, keys: Keys) -> Sketch {
        let mut writer = self.writer(step, false);
        for node in self.stored_beside(step) {
            writer.store(node, Column::Of(node));
        }
        writer.store_key(step.root, keys);
        writer.each()
    }

    /// Runs a step that sorts.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap).
    pub fn sort(&mut self, step: &Step, at: At<'_>) -> Result<()> {
        let of = self.operand(step.root, 0).node;
        let (element, length) = (self.nodes[step.root].element, self.length(of));
        let Some(keys) = Keys::of_sort(self.nodes, step.root).filter(|_| length > 0) else {
            self.columns[step.root] = Some(empty(element));
            return Ok(());
        };
        let mut columns = self.columns_of(&self.stored_beside(step), length);
        let numbers = blank(keys.ty, length);
        columns.put(Column::Keys, numbers.clone());
        let kernel = self.kernel(|runner| runner.keys_sketch(step, keys))?;
        self.launch(at, &kernel, length, &columns)?;
        self.keep(columns);
        let entries = self.data(of);
        let sorted = match self.sort_there(at, keys, [&numbers, &entries], element)? {
            Some(sorted) => sorted,
            // They are numbers already.
            None => self.sort_here(Keys::of(keys.ty).unwrap_or(keys), &numbers, &entries, element)?,
        };
        self.columns[step.root] = Some(sorted);
        Ok(())
    }

    /// Sorts entries in the engine's memory; `None` if it has none, or no room.
    fn sort_there(
        &mut self,
        at: At<'_>,
        keys: Keys,
        columns: [&Data; 2],
        element: &'static Type,
    ) -> Result<Option<Data>> {
        let (Some(memory), [Data::Store(numbers), Data::Store(entries)]) = (at.executor.memory(), columns) else {
            return Ok(None);
        };
        // Whoever traps does so before anything comes of it.
        self.settle()?;
        let sorted = Arc::new(Store::blank(element, entries.len));
        if self.under_way.is_closed() {
            return Ok(Some(Data::Store(sorted)));
        }
        let begin = self.log.now();
        let Some([keys_at, entries_at, sorted_at]) = self.regions([numbers, entries], &sorted, &memory)? else {
            return Ok(None);
        };
        let sort = Sort {
            count: entries.len as u32,
            keys: keys_at,
            key_words: keys.ty.words,
            bits: keys.bits,
            entries: entries_at,
            entry_words: element.words,
            sorted: sorted_at,
        };
        let device_time = match memory.sort(&sort) {
            Err(Failure::OutOfMemory { .. }) => return Ok(None),
            sorted => sorted?,
        };
        let tally = Tally {
            batches: 1,
            device_time,
            ..Tally::default()
        };
        self.add(&tally, 1);
        self.log.transfer(begin, || "sort".to_string(), sorted.bytes());
        Ok(Some(Data::Store(sorted)))
    }

    /// Sorts entries on the host by a column of keys.
    fn sort_here(&mut self, keys: Keys, column: &Data, entries: &Data, element: &'static Type) -> Result<Data> {
        let length = self.entries(entries);
        let (scalars, all) = (self.words(column)?, self.words(entries)?);
        let (each, size) = (scalars.len() / length.max(1), element.words as usize);
        let numbers: Vec<u64> = scalars
            .chunks_exact(each.max(1))
            .map(|words| keys.number(words))
            .collect();
        let sorted = order(&numbers)
            .into_iter()
            .flat_map(|entry| &all[entry as usize * size..][..size]);
        Ok(words(element, length, sorted.copied().collect()))
    }

    /// Runs a node that sorts natively.
    ///
    /// # Errors
    ///
    /// As [`Run::native`].
    pub fn native_sort(&mut self, node: usize, of: Option<&Use>) -> Result<Data> {
        let from = self.operand(node, 0).node;
        let (element, length) = (self.nodes[node].element, self.length(from));
        let Some(keys) = Keys::of_sort(self.nodes, node).filter(|_| length > 0) else {
            return Ok(empty(element));
        };
        let entries = self.data(from);
        let column = match of {
            Some(of) => self.native_map(node, of, length)?,
            None => entries.clone(),
        };
        self.sort_here(keys, &column, &entries, element)
    }
}
