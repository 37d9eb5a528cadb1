//! Keeping some of a column's entries: a kernel makes flags or keys, and the engine's memory keeps entries by them, or the host does. In an
//! engine's memory nobody waits for it before somebody has to know how many entries there are.

use std::sync::Arc;

use gpuvm_core::types::{Type, Value};
use gpuvm_engine::{DeviceMemory, Error as Failure, Kept, Rule, Select, Selection, Tally, Tiles};

use super::data::{Data, empty, words};
use super::fuse::Step;
use super::kernel::{Column, Sketch};
use super::keys::Keys;
use super::log::Launched;
use super::node::{Length, Use};
use super::program::{At, blank};
use super::run::Run;
use crate::error::Result;
use crate::store::Store;

/// Entries that are being kept in an engine's memory.
pub(super) struct Keeping {
    memory: Arc<dyn DeviceMemory>,
    select: Select,
    selection: Box<dyn Selection>,
    /// Where they go, with room for all.
    column: Arc<Store>,
    /// How many launches had stopped before it was sent off: if another one has meanwhile, what it looked at was perhaps not there yet.
    stops: u64,
}

impl Run<'_, '_> {
    /// The kernel that asks a filter's routine.
    pub fn filter_sketch(&self, step: &Step) -> Sketch {
        let mut writer = self.writer(step, false);
        for node in self.stored_beside(step) {
            writer.store(node, Column::Of(node));
        }
        writer.store(step.root, Column::Flags);
        writer.each()
    }

    /// Runs a step that filters.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap).
    pub fn filter(&mut self, step: &Step, at: At<'_>) -> Result<()> {
        let of = self.operand(step.root, 0).node;
        let length = self.length(of);
        if let Some((columns, marks)) = self.mark_tiles(step, at, length)? {
            self.keep(columns);
            return self.select(at, Rule::Marked, &marks, of);
        }
        let mut columns = self.columns_of(&self.stored_beside(step), length);
        let flags = blank(bool::TYPE, length);
        columns.put(Column::Flags, flags.clone());
        let kernel = self.kernel(|runner| runner.filter_sketch(step))?;
        self.launch(at, &kernel, length, &columns)?;
        self.keep(columns);
        self.select(at, Rule::Flagged, &flags, of)
    }

    /// The kernel of a step that drops neighbours with equal keys: it makes the keys, and what entries there are if they are not there; `None`
    /// if all is there.
    pub fn dedup_sketch(&self, step: &Step) -> Option<Sketch> {
        let mut writer = self.writer(step, false);
        let beside = self.stored_beside(step);
        for &node in &beside {
            writer.store(node, Column::Of(node));
        }
        let made = self.keys_to_make(step);
        if let Some(keys) = made {
            writer.store_key(step.root, keys);
        }
        (made.is_some() || !beside.is_empty()).then(|| writer.each())
    }

    /// The keys of such a step, unless they are a column that is there.
    fn keys_to_make(&self, step: &Step) -> Option<Keys> {
        let by = self.operand(step.root, 1).node;
        let there = !step.members.contains(&by) || self.stored_beside(step).contains(&by);
        self.keys_of(step.root).filter(|keys| keys.encode.is_some() || !there)
    }

    /// The keys by which a node compares neighbours.
    fn keys_of(&self, node: usize) -> Option<Keys> {
        Keys::of(self.nodes[self.operand(node, 1).node].element)
    }

    /// Runs a step that keeps one of neighbours with equal keys.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap).
    pub fn dedup(&mut self, step: &Step, at: At<'_>, last: bool) -> Result<()> {
        let [of, by] = [0, 1].map(|index| self.operand(step.root, index).node);
        let length = self.length(of);
        let mut columns = self.columns_of(&self.stored_beside(step), length);
        let made = self.keys_to_make(step).map(|keys| blank(keys.ty, length));
        if let Some(made) = &made {
            columns.put(Column::Keys, made.clone());
        }
        if let Some(sketch) = self.dedup_sketch(step) {
            let kernel = self.kernel(|_| sketch)?;
            self.launch(at, &kernel, length, &columns)?;
        }
        self.keep(columns);
        let by = made.unwrap_or_else(|| self.data(by));
        let key_words = self.keys_of(step.root).map_or(0, |keys| keys.ty.words);
        self.select(at, one_of_equal(key_words, last), &by, of)
    }

    /// Keeps entries of a node's column for the node of the step that runs.
    fn select(&mut self, at: At<'_>, rule: Rule, by: &Data, of: usize) -> Result<()> {
        let (entries, element) = (self.data(of), self.nodes[of].element);
        self.keeping.remove(&at.root);
        match self.select_there(at, rule, [by, &entries], element)? {
            Some(keeping) => {
                self.columns[at.root] = Some(Data::Store(Arc::clone(&keeping.column)));
                self.keeping.insert(at.root, keeping);
                // The next turn of a loop may change what it looks at.
                match self.order.graph.scope {
                    Some(_) => self.count(at.root),
                    None => Ok(()),
                }
            }
            None => self.select_here(at.root, rule, by, &entries, element),
        }
    }

    /// Keeps entries in the engine's memory; `None` if it has none, or no room.
    fn select_there(
        &mut self,
        at: At<'_>,
        rule: Rule,
        columns: [&Data; 2],
        element: &'static Type,
    ) -> Result<Option<Keeping>> {
        let (Some(memory), [Data::Store(by), Data::Store(entries)]) = (at.executor.memory(), columns) else {
            return Ok(None);
        };
        let column = Arc::new(Store::blank(element, entries.len));
        let Some([by, entries_at, kept]) = self.regions([by, entries], &column, &memory)? else {
            return Ok(None);
        };
        let select = Select {
            count: entries.len as u32,
            rule,
            by,
            entries: entries_at,
            entry_words: element.words,
            kept,
        };
        if let Some(sequence) = &mut self.under_way.sequence {
            sequence.flush()?;
        }
        let begin = self.log.now();
        let selection = match Arc::clone(&memory).select(&select) {
            Err(Failure::OutOfMemory { .. }) => return Ok(None),
            sent => sent?,
        };
        let launched = Launched {
            step: self.turn.step,
            vms: u64::from(select.count),
            estimated_instructions: Some(0),
        };
        self.log.launch(begin, "select", &launched);
        Ok(Some(Keeping {
            memory,
            select,
            selection,
            column,
            stops: self.stops,
        }))
    }

    /// Keeps entries on the host.
    fn select_here(
        &mut self,
        root: usize,
        rule: Rule,
        by: &Data,
        entries: &Data,
        element: &'static Type,
    ) -> Result<()> {
        let length = self.entries(entries);
        let (by, all) = (self.words(by)?, self.words(entries)?);
        let key = |entry: usize, words: u32| &by[entry * words as usize..][..words as usize];
        let is_kept = |entry: &usize| match rule {
            Rule::Flagged => by[*entry] != 0,
            Rule::Marked => Tiles::is_marked(&by, *entry),
            Rule::First { key_words } => *entry == 0 || key(*entry, key_words) != key(*entry - 1, key_words),
            Rule::Last { key_words } => *entry + 1 == length || key(*entry, key_words) != key(*entry + 1, key_words),
        };
        let kept: Vec<usize> = (0..length).filter(is_kept).collect();
        let size = element.words as usize;
        let picked = kept.iter().flat_map(|entry| &all[entry * size..][..size]);
        self.columns[root] = Some(words(element, kept.len(), picked.copied().collect()));
        self.kept.insert(root, kept.len());
        Ok(())
    }

    /// Finds out how many entries there are of all that a step reads.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap) of a launch before.
    pub fn count_for(&mut self, step: &Step) -> Result<()> {
        if self.keeping.is_empty() {
            return Ok(());
        }
        let (nodes, graph) = (self.nodes, &self.order.graph);
        let reads = step.members.iter().flat_map(|member| graph.reads(nodes, *member));
        let counted = reads.filter_map(|read| match nodes[read.node].length {
            Length::Kept { filter, .. } => Some(graph.same[filter]),
            Length::Known(_) => None,
        });
        for root in counted.collect::<Vec<usize>>() {
            self.count(root)?;
        }
        Ok(())
    }

    /// The same of all columns.
    ///
    /// # Errors
    ///
    /// As [`Run::count_for`].
    pub fn count_all(&mut self) -> Result<()> {
        while let Some((&root, _)) = self.keeping.first_key_value() {
            self.count(root)?;
        }
        Ok(())
    }

    /// Finds out how many entries a node has kept, if that is not known yet.
    fn count(&mut self, root: usize) -> Result<()> {
        let Some(keeping) = self.keeping.remove(&root) else {
            return Ok(());
        };
        // Whoever traps does so before anything comes of it.
        self.settle()?;
        let element = self.nodes[root].element;
        let Keeping {
            memory,
            select,
            mut selection,
            column,
            stops,
        } = keeping;
        if self.under_way.is_closed() {
            self.kept.insert(root, 0);
            self.columns[root] = Some(empty(element));
            return Ok(());
        }
        if stops != self.stops {
            selection.wait()?;
            selection = memory.select(&select)?;
        }
        let begin = self.log.now();
        let Kept { count, device_time } = selection.wait()?;
        self.log.transfer(begin, || "to the host".to_string(), 4);
        let tally = Tally {
            batches: 1,
            device_time,
            ..Tally::default()
        };
        self.add(&tally, 1);
        self.kept.insert(root, count as usize);
        // Unless nobody needs it any more.
        if self.columns[root].is_some() {
            self.columns[root] = Some(Data::Store(Arc::new(column.take_first(count as usize))));
        }
        Ok(())
    }

    /// Runs a node that filters natively.
    ///
    /// # Errors
    ///
    /// As [`Run::native`].
    pub fn native_filter(&mut self, node: usize, of: &Use) -> Result<()> {
        let from = self.operand(node, 0).node;
        let flags = self.native_map(node, of, self.length(from))?;
        self.select_here(node, Rule::Flagged, &flags, &self.data(from), self.nodes[node].element)
    }

    /// Runs a node that keeps one of neighbours with equal keys natively.
    ///
    /// # Errors
    ///
    /// As [`Run::native`].
    pub fn native_dedup(&mut self, node: usize, last: bool) -> Result<()> {
        let [from, by] = [0, 1].map(|index| self.operand(node, index).node);
        let scalars = self.words(&self.data(by))?;
        let size = self.nodes[by].element.words.max(1) as usize;
        let number = |scalar: &[u32]| self.keys_of(node).map_or(0, |keys| keys.number(scalar));
        let numbers = scalars.chunks_exact(size).map(number);
        let numbers: Vec<u32> = numbers.flat_map(|key| [key as u32, (key >> 32) as u32]).collect();
        let by = words(u64::TYPE, numbers.len() / 2, numbers);
        let rule = one_of_equal(u64::TYPE.words, last);
        self.select_here(node, rule, &by, &self.data(from), self.nodes[node].element)
    }
}

/// The rule that keeps the first or the last of neighbours with equal keys.
fn one_of_equal(key_words: u32, last: bool) -> Rule {
    match last {
        false => Rule::First { key_words },
        true => Rule::Last { key_words },
    }
}
