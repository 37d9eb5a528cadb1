//! Answers that nobody has called for, until somebody receives them.

use std::collections::VecDeque;

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
        let size = stretch.words.len() / stretch.from.len();
        let end = stretch.from.len().min(stretch.taken.saturating_add(most));
        for at in stretch.taken..end {
            see(stretch.from[at], &stretch.words[at * size..(at + 1) * size]);
        }
        let count = end - stretch.taken;
        stretch.taken = end;
        if end == stretch.from.len() {
            self.stretches.pop_front();
        }
        self.len -= count;
        count
    }
}
