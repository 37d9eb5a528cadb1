//! Batches against what grouping means, however they are made.

use std::sync::LazyLock;

use proptest::prelude::*;
use rayon::ThreadPool;

use super::entries::gathered_over;
use super::*;

/// Threads, also where there is one processor.
static POOL: LazyLock<ThreadPool> = LazyLock::new(|| {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3);
    pool.build().expect("threads can be started")
});

/// Where each message goes by plain Rust: after all of lower actors, and those to its own before it.
fn expected(to: &[u32]) -> Vec<u32> {
    let before = |(at, &actor): (usize, &u32)| {
        let lower = to.iter().filter(|&&other| other < actor).count();
        (lower + to[..at].iter().filter(|&&other| other == actor).count()) as u32
    };
    to.iter().enumerate().map(before).collect()
}

/// A way to group.
#[derive(Clone, Copy, Debug)]
enum Way {
    Sort,
    Count,
    /// For so many threads, whether or not the pool has them.
    ShareOut(usize),
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![Just(Way::Sort), Just(Way::Count), (1..7usize).prop_map(Way::ShareOut),]
}

impl Way {
    fn group(self, grouper: &mut Grouper, to: &[u32], words: &[u32]) -> Batch {
        let mut batch = std::mem::take(&mut grouper.spare);
        batch.words.resize(words.len(), 0);
        match self {
            Way::Sort => grouper.sort(to, words, &mut batch),
            Way::Count => grouper.count(to, words, &mut batch),
            Way::ShareOut(threads) => grouper.share_out((&POOL, threads), to, words, &mut batch),
        }
        batch
    }
}

/// Words of messages that differ.
fn words(messages: usize, size: usize) -> Vec<u32> {
    (0..(messages * size) as u32).map(|at| at * 7 + 1).collect()
}

proptest! {
    #[test]
    fn groups_keep_their_order(
        batches in prop::collection::vec((prop::option::of(way()), prop::collection::vec(0..40u32, 1..60)), 1..5),
        many in any::<bool>(),
        size in 0..7usize,
    ) {
        let mut grouper = Grouper::new(if many { 4000 } else { 40 }, size);
        // Nothing is left of a batch, whichever way it was made and whether its memory is used again.
        for (number, (way, to)) in batches.iter().enumerate() {
            let words = words(to.len(), size);
            let batch = match way {
                Some(way) => way.group(&mut grouper, to, &words),
                None => grouper.group(to, &words),
            };
            prop_assert_eq!(&batch.places, &expected(to));
            prop_assert_eq!(batch.words.len(), words.len());
            for (at, &place) in batch.places.iter().enumerate() {
                prop_assert_eq!(&batch.words[place as usize * size..][..size], &words[at * size..][..size]);
                let mail = batch.mail.iter().find(|mail| (mail.first..mail.end).contains(&place));
                prop_assert_eq!(mail.map(|mail| mail.actor), Some(to[at]));
            }
            prop_assert!(batch.mail.is_sorted_by(|a, b| a.actor < b.actor && a.end == b.first));
            for pool in [None, Some(&*POOL)] {
                prop_assert_eq!(&gathered_over(pool, &batch.words, &batch.places, size), &words);
            }
            if number % 2 == 0 {
                grouper.reuse(batch);
            }
        }
    }
}

#[test]
fn many_messages_are_grouped_alike_by_any_number_of_threads() {
    let actors = 3000;
    // Most are to few.
    let to: Vec<u32> = (0..40_000_u32)
        .map(|at| at.wrapping_mul(2_654_435_761) >> 16)
        .map(|random| if random % 4 == 0 { random % actors } else { random % 5 })
        .collect();
    let words = words(to.len(), 2);
    let mut grouper = Grouper::new(actors, 2);
    let one = Way::Count.group(&mut grouper, &to, &words);
    for threads in [1, 2, 3, 16] {
        let several = Way::ShareOut(threads).group(&mut grouper, &to, &words);
        assert_eq!(several.mail, one.mail, "{threads} threads");
        assert_eq!(several.places, one.places, "{threads} threads");
        assert_eq!(several.words, one.words, "{threads} threads");
    }
}

#[test]
fn messages_without_words_are_grouped_too() {
    let batch = Grouper::new(3, 0).group(&[2, 0, 2], &[]);
    assert_eq!(batch.places, [1, 0, 2]);
    assert!(batch.words.is_empty());
}

#[test]
fn mail_goes_to_who_has_its_actor() {
    let mail = [(1, 0, 2), (4, 2, 3), (9, 5, 6)].map(|(actor, first, end)| Mail { actor, first, end });
    let batch = Batch {
        mail: mail.to_vec(),
        words: (0..12).collect(),
        places: (0..6).collect(),
    };
    let parts = batch.parts(2, [0..1, 1..5, 5..7, 7..20].iter());
    let found: Vec<(u32, u32, &[u32])> = parts
        .iter()
        .map(|part| (part.first, part.messages, part.words))
        .collect();
    let none: &[u32] = &[];
    assert_eq!(
        found,
        [
            (0, 0, none),
            (0, 3, &batch.words[..6]),
            (0, 0, none),
            (5, 1, &batch.words[10..])
        ]
    );
    let own = parts[3].to_batch();
    let mail = [Mail {
        actor: 9,
        first: 0,
        end: 1,
    }];
    assert_eq!((own.mail, own.places), (mail.to_vec(), vec![0]));
}
