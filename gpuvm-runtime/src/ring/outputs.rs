//! Answers that nobody has called for, until somebody receives them.

use std::collections::VecDeque;
use std::ops::Range;

/// Answers in the order of their messages' acceptance.
#[derive(Default)]
pub(super) struct Outputs {
    stretches: VecDeque<Stretch>,
    len: usize,
}

/// Answers that came together.
struct Stretch {
    from: Vec<u32>,
    words: Vec<u32>,
    /// How many of them were received.
    taken: usize,
}

impl Outputs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Gives all of them with their actors to `see`, and keeps them.
    pub fn each(&self, see: &mut dyn FnMut(u32, &[u32])) {
        for stretch in &self.stretches {
            stretch.each(stretch.taken..stretch.from.len(), see);
        }
    }

    /// Adds answers: the actor of each, and the words of all.
    pub fn push(&mut self, from: Vec<u32>, words: Vec<u32>) {
        if !from.is_empty() {
            self.len += from.len();
            self.stretches.push_back(Stretch { from, words, taken: 0 });
        }
    }

    /// Takes the next answers, at most so many of those that came together, and gives each with its actor to `see`. How many there were.
    pub fn take(&mut self, most: usize, see: &mut dyn FnMut(u32, &[u32])) -> usize {
        let Some(stretch) = self.stretches.front_mut() else {
            return 0;
        };
        let end = stretch.from.len().min(stretch.taken.saturating_add(most));
        stretch.each(stretch.taken..end, see);
        let count = end - stretch.taken;
        stretch.taken = end;
        if end == stretch.from.len() {
            self.stretches.pop_front();
        }
        self.len -= count;
        count
    }
}

impl Stretch {
    /// Gives some of them with their actors to `see`.
    fn each(&self, range: Range<usize>, see: &mut dyn FnMut(u32, &[u32])) {
        let size = self.words.len() / self.from.len();
        for at in range {
            see(self.from[at], &self.words[at * size..(at + 1) * size]);
        }
    }
}
