//! Columns of words: what a restored launch has in place of the caller's typed columns, which were in another process.

use std::any::Any;
use std::ops::Range;

use gpuvm_core::types::Type;

use crate::vector::{Column, ColumnMut, Vector};

/// Entries of a type that is known by its description alone, as their words.
#[derive(Debug)]
pub(crate) struct WordColumn {
    pub element: &'static Type,
    pub entries: usize,
    pub words: Vec<u32>,
}

impl WordColumn {
    fn range(&self, entries: Range<usize>) -> Range<usize> {
        let size = self.element.words as usize;
        entries.start * size..entries.end * size
    }
}

impl Column for WordColumn {
    fn element(&self) -> &'static Type {
        self.element
    }

    fn len(&self) -> usize {
        self.entries
    }

    fn write_words(&self, range: Range<usize>, words: &mut [u32]) {
        words.copy_from_slice(&self.words[self.range(range)]);
    }

    fn misfit(&self) -> Option<usize> {
        None
    }

    fn part(&self, range: Range<usize>) -> Box<dyn Vector> {
        Box::new(WordColumn {
            element: self.element,
            entries: range.len(),
            words: self.words[self.range(range)].to_vec(),
        })
    }

    fn as_vector(&self) -> Option<&dyn Vector> {
        Some(self)
    }
}

impl ColumnMut for WordColumn {
    fn read_words(&mut self, range: Range<usize>, words: &[u32]) {
        let range = self.range(range);
        self.words[range].copy_from_slice(words);
    }

    fn copy_part(&mut self, first: usize, vector: &dyn Vector) {
        let any: &dyn Any = vector;
        let range = self.range(first..first + vector.len());
        if let Some(from) = any.downcast_ref::<WordColumn>()
            && let Some(to) = self.words.get_mut(range)
            && to.len() == from.words.len()
        {
            to.copy_from_slice(&from.words);
        }
    }

    fn as_vector_mut(&mut self) -> Option<&mut dyn Vector> {
        Some(self)
    }
}

impl Vector for WordColumn {}
