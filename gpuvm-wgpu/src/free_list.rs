//! Which words of a memory are free: best fit, and neighbours that are free become one.

use std::collections::{BTreeMap, BTreeSet};

/// The free spans of a memory that may grow at its end.
#[derive(Clone, Debug, Default)]
pub struct FreeList {
    /// Lengths by start.
    by_start: BTreeMap<u64, u64>,
    /// Lengths with starts, the shortest first.
    by_length: BTreeSet<(u64, u64)>,
    /// Words in all.
    end: u64,
}

impl FreeList {
    /// Takes so many words from the shortest span that has them, and gives their start.
    pub fn take(&mut self, words: u64) -> Option<u64> {
        let &(length, start) = self.by_length.range((words, 0)..).next()?;
        self.remove(start, length);
        if length > words {
            self.insert(start + words, length - words);
        }
        Some(start)
    }

    /// Gives words back.
    pub fn put(&mut self, start: u64, words: u64) {
        let (mut start, mut words) = (start, words);
        if let Some((&before, &length)) = self.by_start.range(..start).next_back()
            && before + length == start
        {
            self.remove(before, length);
            (start, words) = (before, length + words);
        }
        if let Some(&length) = self.by_start.get(&(start + words)) {
            self.remove(start + words, length);
            words += length;
        }
        self.insert(start, words);
    }

    /// Lets the memory have so many words in all.
    pub fn extend(&mut self, end: u64) {
        if end > self.end {
            let start = std::mem::replace(&mut self.end, end);
            self.put(start, end - start);
        }
    }

    /// How many words are not free.
    pub fn used(&self) -> u64 {
        self.end - self.by_start.values().sum::<u64>()
    }

    /// Where the last word that is not free ends.
    pub fn end_of_used(&self) -> u64 {
        match self.by_start.last_key_value() {
            Some((&start, &length)) if start + length == self.end => start,
            _ => self.end,
        }
    }

    /// The longest span that there would be in a memory of `most` words.
    pub fn room(&self, most: u64) -> u64 {
        let longest = self.by_length.last().map_or(0, |&(length, _)| length);
        longest.max(most.saturating_sub(self.end_of_used()))
    }

    fn insert(&mut self, start: u64, length: u64) {
        self.by_start.insert(start, length);
        self.by_length.insert((length, start));
    }

    fn remove(&mut self, start: u64, length: u64) {
        self.by_start.remove(&start);
        self.by_length.remove(&(length, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_apart_and_come_together_again() {
        let mut random = crate::tests::Random(99);
        let mut list = FreeList::default();
        let mut used: Vec<(u64, u64)> = Vec::new();
        for round in 0..5000 {
            if random.below(5) < 3 {
                let scale = random.below(10);
                let words = 1 + u64::from(random.below(1 << scale));
                let start = list.take(words).unwrap_or_else(|| {
                    list.extend((list.end * 2).max(list.end_of_used() + words));
                    list.take(words).unwrap()
                });
                assert!(start + words <= list.end);
                let apart = used
                    .iter()
                    .all(|&(other, length)| other + length <= start || start + words <= other);
                assert!(apart, "round {round}: {start} + {words}");
                used.push((start, words));
            } else if !used.is_empty() {
                let (start, words) = used.swap_remove(random.below(used.len() as u32) as usize);
                list.put(start, words);
            }
            let taken: u64 = used.iter().map(|(_, words)| words).sum();
            assert_eq!(list.used(), taken);
            assert_eq!(list.by_start.len(), list.by_length.len());
        }
        for (start, words) in used {
            list.put(start, words);
        }
        assert_eq!(list.by_start.len(), 1);
        assert_eq!((list.end_of_used(), list.room(0)), (0, list.end));
    }

    #[test]
    fn the_shortest_span_that_fits_is_taken() {
        let mut list = FreeList::default();
        list.extend(100);
        let parts: Vec<_> = [10, 1, 5, 1, 20, 1].map(|words| list.take(words).unwrap()).to_vec();
        for at in [0, 2, 4] {
            list.put(parts[at], [10, 1, 5, 1, 20, 1][at]);
        }
        assert_eq!(list.take(5), Some(parts[2]));
        assert_eq!(list.take(6), Some(parts[0]));
        assert_eq!(list.room(1000), 1000 - 38);
    }
}
