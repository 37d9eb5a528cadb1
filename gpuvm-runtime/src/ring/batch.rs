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
        batch.words = scattered(words, &batch.places, self.size);
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

/// Entries of so many words, each brought to its place.
fn scattered(words: &[u32], places: &[u32], size: usize) -> Vec<u32> {
    /// Entries whose size the compiler knows are moved in registers, which counts for a message or answer of a few words.
    fn short<const SIZE: usize>(words: &[u32], places: &[u32], all: &mut [u32]) {
        let (all, _) = all.as_chunks_mut::<SIZE>();
        for (words, &place) in words.as_chunks().0.iter().zip(places) {
            all[place as usize] = *words;
        }
    }
    let mut all = vec![0; words.len()];
    match size {
        0 => {}
        1 => short::<1>(words, places, &mut all),
        2 => short::<2>(words, places, &mut all),
        3 => short::<3>(words, places, &mut all),
        4 => short::<4>(words, places, &mut all),
        _ => {
            for (words, &place) in words.chunks_exact(size).zip(places) {
                all[place as usize * size..][..size].copy_from_slice(words);
            }
        }
    }
    all
}

/// The entries of so many words at these places, one after the other: what undoes [`scattered`].
pub(super) fn gathered(words: &[u32], places: &[u32], size: usize) -> Vec<u32> {
    fn short<const SIZE: usize>(words: &[u32], places: &[u32]) -> Vec<u32> {
        let (words, _) = words.as_chunks::<SIZE>();
        let all: Vec<[u32; SIZE]> = places.iter().map(|&place| words[place as usize]).collect();
        all.into_flattened()
    }
    match size {
        0 => Vec::new(),
        1 => short::<1>(words, places),
        2 => short::<2>(words, places),
        3 => short::<3>(words, places),
        4 => short::<4>(words, places),
        _ => {
            let mut all = Vec::with_capacity(places.len() * size);
            let entries = places.iter().map(|&place| &words[place as usize * size..][..size]);
            entries.for_each(|words| all.extend_from_slice(words));
            all
        }
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
        fn groups_keep_their_order(
            to in prop::collection::vec(0..40u32, 1..60),
            many in any::<bool>(),
            size in 0..7usize,
        ) {
            let mut grouper = Grouper::new(if many { 4000 } else { 40 }, size);
            let words: Vec<u32> = (0..(to.len() * size) as u32).map(|at| at * 7 + 1).collect();
            // Counts are as they were after a batch.
            for _ in 0..2 {
                let batch = grouper.group(&to, &words);
                prop_assert_eq!(&batch.places, &expected(&to));
                for (at, &place) in batch.places.iter().enumerate() {
                    prop_assert_eq!(&batch.words[place as usize * size..][..size], &words[at * size..][..size]);
                    let mail = batch.mail.iter().find(|mail| (mail.first..mail.end).contains(&place));
                    prop_assert_eq!(mail.map(|mail| mail.actor), Some(to[at]));
                }
                prop_assert!(batch.mail.is_sorted_by(|a, b| a.actor < b.actor && a.end == b.first));
                prop_assert_eq!(&gathered(&batch.words, &batch.places, size), &words);
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
