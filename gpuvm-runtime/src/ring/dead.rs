//! Dead letters, until somebody takes them: the last ones, as many as the configuration says and as memory has room for.

use std::collections::VecDeque;

use super::letters::DeadLetter;

/// Dead letters in the order in which they came about.
#[derive(Default)]
pub(super) struct Dead {
    letters: VecDeque<DeadLetter>,
    /// Words of all.
    words: usize,
}

/// The words that are kept: 256 MiB of them. Messages may have 64 KiB each.
const MOST_WORDS: usize = 1 << 26;

impl Dead {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// The last ones, at most so many, the oldest of them first.
    pub fn last(&self, most: usize) -> Vec<DeadLetter> {
        let passed = self.len().saturating_sub(most);
        self.letters.iter().skip(passed).cloned().collect()
    }

    /// Takes the oldest.
    pub fn take(&mut self) -> Option<DeadLetter> {
        let letter = self.letters.pop_front()?;
        self.words -= letter.words.len();
        Some(letter)
    }

    /// Adds one, and forgets the oldest if there are more than so many then.
    pub fn push(&mut self, letter: DeadLetter, most: usize) {
        self.words += letter.words.len();
        self.letters.push_back(letter);
        while self.len() > most || self.words > MOST_WORDS {
            drop(self.take());
        }
    }

    /// How many of letters of so many words each are forgotten before the last of them comes.
    pub fn forgotten(letters: usize, words: usize, most: usize) -> usize {
        letters.saturating_sub(most.min(MOST_WORDS / words.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use gpuvm_core::types::Value;

    use super::super::handler::Kind;
    use super::super::letters::DeadReason;
    use super::*;

    fn letter(actor: u32, words: usize) -> DeadLetter {
        let kind = Kind {
            name: "u32",
            id: 0,
            ty: <u32 as Value>::TYPE,
        };
        DeadLetter {
            actor,
            kind,
            words: vec![0; words],
            reason: DeadReason::Undeliverable,
        }
    }

    #[test]
    fn the_last_are_kept_as_far_as_there_is_room() {
        let left = |dead: &mut Dead| {
            std::iter::from_fn(|| dead.take())
                .map(|letter| letter.actor)
                .collect::<Vec<_>>()
        };
        let mut dead = Dead::default();
        (0..9).for_each(|actor| dead.push(letter(actor, 1), 4));
        assert_eq!(left(&mut dead), [5, 6, 7, 8]);
        let half = MOST_WORDS / 2;
        (0..5).for_each(|actor| dead.push(letter(actor, half), 4));
        assert_eq!((dead.len(), dead.words), (2, MOST_WORDS));
        assert_eq!(left(&mut dead), [3, 4]);
        assert_eq!(dead.words, 0);
        dead.push(letter(0, 1), 0);
        assert_eq!(dead.len(), 0);
        assert_eq!(
            [(9, 1, 4), (5, half, 4), (3, 0, 4)].map(|(n, size, most)| Dead::forgotten(n, size, most)),
            [5, 3, 0]
        );
    }
}
