//! Programs that were asked for of late.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpuvm_core::program::Program;

/// Linked programs by what tells them apart: those that were asked for last, and those before them.
pub(crate) struct Remembered<K> {
    last: BTreeMap<K, Arc<Program>>,
    before: BTreeMap<K, Arc<Program>>,
}

/// Programs that were asked for last are as many at most; then they become those before, which are forgotten.
const MOST_REMEMBERED: usize = 1 << 14;

impl<K> Default for Remembered<K> {
    fn default() -> Self {
        Remembered {
            last: BTreeMap::new(),
            before: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Remembered<K> {
    /// A program that is remembered, as one that was asked for last.
    pub fn get(&mut self, key: &K) -> Option<Arc<Program>> {
        if let Some(program) = self.last.get(key) {
            return Some(Arc::clone(program));
        }
        let (key, program) = self.before.remove_entry(key)?;
        Some(self.keep(key, program))
    }

    /// Remembers a program, unless there is one already.
    pub fn keep(&mut self, key: K, program: Arc<Program>) -> Arc<Program> {
        if self.last.len() >= MOST_REMEMBERED {
            self.before = std::mem::take(&mut self.last);
        }
        Arc::clone(self.last.entry(key).or_insert(program))
    }
}
