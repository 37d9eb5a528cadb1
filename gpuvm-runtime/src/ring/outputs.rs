//! Answers that nobody has called for, until somebody receives them.

use std::collections::VecDeque;

/// Answers in the order of their messages' acceptance.
#[derive(Default)]
pub(super) struct Outputs {
    stretches: VecDeque<Stretch>,
    len: usize,
}

/// Answers that came together, of which some are left.
pub(super) struct Stretch {
    from: Vec<u32>,
    words: Vec<u32>,
    /// How many of them were received.
    taken: usize,
}

impl Stretch {
    /// How many are left.
    pub fn len(&self) -> usize {
        self.from.len() - self.taken
    }

    /// All that are left, each with its actor.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let size = self.words.len() / self.from.len();
        let words = (self.taken..).map(move |at| &self.words[at * size..][..size]);
        self.from[self.taken..].iter().copied().zip(words)
    }
}

impl Outputs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// All of them, each with its actor.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.stretches.iter().flat_map(Stretch::iter)
    }

    /// Adds answers: the actor of each, and the words of all.
    pub fn push(&mut self, from: Vec<u32>, words: Vec<u32>) {
        if !from.is_empty() {
            self.len += from.len();
            self.stretches.push_back(Stretch { from, words, taken: 0 });
        }
    }

    /// Takes the next answer, and gives it with its actor to `see`. Whether there was one.
    pub fn take(&mut self, see: &mut dyn FnMut(u32, &[u32])) -> bool {
        let Some(stretch) = self.stretches.front_mut() else {
            return false;
        };
        stretch.iter().take(1).for_each(|(actor, words)| see(actor, words));
        stretch.taken += 1;
        self.len -= 1;
        if stretch.len() == 0 {
            self.stretches.pop_front();
        }
        true
    }

    /// Takes the next answers that came together.
    pub fn take_together(&mut self) -> Option<Stretch> {
        let stretch = self.stretches.pop_front()?;
        self.len -= stretch.len();
        Some(stretch)
    }
}
