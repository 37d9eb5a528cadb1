//! Maps from words that are emptied at once.

use super::Word;

/// A map from words that is emptied in constant time: for what is known along one block, of very many.
#[derive(Debug)]
pub(crate) struct WordMap<T> {
    /// For each word what it is mapped to, and when that was said.
    values: Vec<(u32, T)>,
    now: u32,
}

impl<T: Copy + Default> WordMap<T> {
    /// An empty map of a function's words, of which there are so many.
    pub fn new(words: u32) -> WordMap<T> {
        WordMap {
            values: vec![(0, T::default()); words as usize],
            now: 1,
        }
    }

    /// What a word is mapped to.
    pub fn get(&self, word: Word) -> Option<T> {
        let found = self.values.get(word as usize);
        found.filter(|(when, _)| *when == self.now).map(|(_, value)| *value)
    }

    /// Whether it is mapped to anything.
    pub fn contains(&self, word: Word) -> bool {
        self.get(word).is_some()
    }

    /// Maps a word to a value.
    pub fn insert(&mut self, word: Word, value: T) {
        let at = word as usize;
        if at >= self.values.len() {
            self.values.resize(at + 1, (0, T::default()));
        }
        self.values[at] = (self.now, value);
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.values.fill((0, T::default()));
            self.now = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_before_it_was_emptied_is_forgotten() {
        let mut map = WordMap::new(4);
        assert_eq!(map.get(2), None);
        map.insert(2, 'a');
        map.insert(9, 'b');
        assert_eq!((map.get(2), map.get(9), map.get(8)), (Some('a'), Some('b'), None));
        map.clear();
        assert!(!map.contains(2) && !map.contains(9));
        map.now = u32::MAX;
        map.insert(3, 'c');
        map.clear();
        assert!((0..10).all(|word| !map.contains(word)));
    }
}
