//! A batch: messages grouped by actor, each actor's in the order in which they were accepted.

/// The messages of one actor in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The actor.
    pub actor: u32,
    /// Its first message.
    pub first: u32,
    /// One past its last.
    pub end: u32,
}

/// Messages grouped by actor.
#[derive(Debug, Default)]
pub struct Batch {
    /// One entry for each actor that has messages, ascending.
    pub mail: Vec<Mail>,
    /// The words of the messages, as the mail counts them.
    pub words: Vec<u32>,
    /// Of each message in the order of acceptance, where it is now.
    pub places: Vec<u32>,
}

/// Groups messages. It keeps its counts between batches: they are as many as there are actors.
#[derive(Debug)]
pub struct Grouper {
    counts: Vec<u32>,
    /// Words of a message.
    size: usize,
}

/// Where there are fewer messages for so many actors, looking at all actors costs more than sorting.
const ACTORS_PER_MESSAGE: usize = 16;

impl Grouper {
    /// Groups messages of so many words to so many actors.
    pub fn new(actors: u32, size: usize) -> Grouper {
        Grouper {
            counts: vec![0; actors as usize],
            size,
        }
    }

    /// Groups messages, given the actor of each, all below the number of actors.
    pub fn group(&mut self, to: &[u32], words: &[u32]) -> Batch {
        let mut batch = Batch::default();
        match to.len() * ACTORS_PER_MESSAGE < self.counts.len() {
            true => sort(to, &mut batch),
            false => self.count(to, &mut batch),
        }
        batch.words = vec![0; words.len()];
        if self.size > 0 {
            for (words, &place) in words.chunks_exact(self.size).zip(&batch.places) {
                batch.words[place as usize * self.size..][..self.size].copy_from_slice(words);
            }
        }
        batch
    }

    fn count(&mut self, to: &[u32], batch: &mut Batch) {
        to.iter().for_each(|&actor| self.counts[actor as usize] += 1);
        let mut first = 0;
        for (actor, count) in (0..).zip(&mut self.counts) {
            if *count > 0 {
                let end = first + *count;
                batch.mail.push(Mail { actor, first, end });
                *count = first;
                first = end;
            }
        }
        let mut place = |&actor: &u32| {
            let next = &mut self.counts[actor as usize];
            *next += 1;
            *next - 1
        };
        batch.places = to.iter().map(&mut place).collect();
        batch.mail.iter().for_each(|mail| self.counts[mail.actor as usize] = 0);
    }
}

fn sort(to: &[u32], batch: &mut Batch) {
    let mut order: Vec<u32> = (0..to.len() as u32).collect();
    order.sort_by_key(|&at| to[at as usize]);
    batch.places = vec![0; to.len()];
    for (place, &at) in (0..).zip(&order) {
        batch.places[at as usize] = place;
        let actor = to[at as usize];
        match batch.mail.last_mut().filter(|mail| mail.actor == actor) {
            Some(mail) => mail.end = place + 1,
            None => batch.mail.push(Mail {
                actor,
                first: place,
                end: place + 1,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where each message goes by plain Rust: after all of lower actors, and those to its own before it.
    fn expected(to: &[u32]) -> Vec<u32> {
        let before = |(at, &actor): (usize, &u32)| {
            let lower = to.iter().filter(|&&other| other < actor).count();
            (lower + to[..at].iter().filter(|&&other| other == actor).count()) as u32
        };
        to.iter().enumerate().map(before).collect()
    }

    proptest! {
        #[test]
        fn groups_keep_their_order(to in prop::collection::vec(0..40u32, 1..60), many in any::<bool>()) {
            let mut grouper = Grouper::new(if many { 4000 } else { 40 }, 2);
            let words: Vec<u32> = (0..to.len() as u32).flat_map(|at| [at, at * 7]).collect();
            // Counts are as they were after a batch.
            for _ in 0..2 {
                let batch = grouper.group(&to, &words);
                prop_assert_eq!(&batch.places, &expected(&to));
                for (at, &place) in batch.places.iter().enumerate() {
                    prop_assert_eq!(&batch.words[place as usize * 2..][..2], &words[at * 2..][..2]);
                    let mail = batch.mail.iter().find(|mail| (mail.first..mail.end).contains(&place));
                    prop_assert_eq!(mail.map(|mail| mail.actor), Some(to[at]));
                }
                prop_assert!(batch.mail.is_sorted_by(|a, b| a.actor < b.actor && a.end == b.first));
            }
        }
    }

    #[test]
    fn messages_without_words_are_grouped_too() {
        let batch = Grouper::new(3, 0).group(&[2, 0, 2], &[]);
        assert_eq!(batch.places, [1, 0, 2]);
        assert!(batch.words.is_empty());
    }
}
