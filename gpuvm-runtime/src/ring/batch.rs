//! A batch: messages grouped by actor, each actor's in the order in which they were accepted.
//!
//! They are counted by actor, each actor gets a range of places, and each message goes to the next of its actor's. What is random in this are
//! reads and writes of the counts and of the words, so the time goes into waiting for caches. Large batches are shared out over threads
//! (`batch/shares.rs`), each with actors of its own, which come to the same places.

mod entries;
mod shares;

use std::ops::Range;
use std::sync::Arc;

use rayon::ThreadPool;

pub(super) use self::entries::gathered;
use self::shares::Kept;
use crate::native::pool;

/// The messages of one actor in a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// What of a batch neighbouring actors have.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchPart<'b> {
    /// Their mail, as the batch counts messages.
    pub mail: &'b [Mail],
    /// Their first message.
    pub first: u32,
    /// How many there are.
    pub messages: u32,
    /// The words of these.
    pub words: &'b [u32],
}

impl Batch {
    /// All of it.
    pub fn whole(&self) -> BatchPart<'_> {
        BatchPart {
            mail: &self.mail,
            first: 0,
            messages: self.places.len() as u32,
            words: &self.words,
        }
    }

    /// What each of these has, which are actors that follow each other, of messages of so many words.
    pub fn parts<'a>(&self, size: usize, actors: impl Iterator<Item = &'a Range<u32>>) -> Vec<BatchPart<'_>> {
        let mut rest = &self.mail[..];
        let part = |actors: &Range<u32>| {
            let (mail, behind) = rest.split_at(rest.partition_point(|mail| mail.actor < actors.end));
            rest = behind;
            let (Some(first), Some(last)) = (mail.first(), mail.last()) else {
                return BatchPart::default();
            };
            BatchPart {
                mail,
                first: first.first,
                messages: last.end - first.first,
                words: &self.words[first.first as usize * size..last.end as usize * size],
            }
        };
        actors.map(part).collect()
    }
}

impl BatchPart<'_> {
    /// It as a batch of its own.
    pub fn to_batch(self) -> Batch {
        let mail = self.mail.iter().map(|mail| Mail {
            first: mail.first - self.first,
            end: mail.end - self.first,
            ..*mail
        });
        Batch {
            mail: mail.collect(),
            words: self.words.to_vec(),
            places: (0..self.messages).collect(),
        }
    }
}

/// Groups messages. It keeps its counts between batches: they are as many as there are actors.
#[derive(Debug)]
pub struct Grouper {
    counts: Vec<u32>,
    /// Words of a message.
    size: usize,
    kept: Kept,
    /// A batch whose memory the next one may have.
    spare: Batch,
}

/// Where there are fewer messages for so many actors, looking at all actors costs more than sorting.
const ACTORS_PER_MESSAGE: usize = 16;
/// Messages and actors that are worth another thread.
const PER_THREAD: usize = 1 << 15;
/// With fewer threads what each does for itself comes to more than they save.
const FEWEST_THREADS: usize = 4;

impl Grouper {
    /// Groups messages of so many words to so many actors.
    pub fn new(actors: u32, size: usize) -> Grouper {
        Grouper {
            counts: vec![0; actors as usize],
            size,
            kept: Kept::default(),
            spare: Batch::default(),
        }
    }

    /// Groups messages, given the actor of each, all below the number of actors.
    pub fn group(&mut self, to: &[u32], words: &[u32]) -> Batch {
        let mut batch = std::mem::take(&mut self.spare);
        batch.words.resize(words.len(), 0);
        if to.len() * ACTORS_PER_MESSAGE < self.counts.len() {
            self.sort(to, words, &mut batch);
        } else if let Some((pool, threads)) = threads((to.len() + self.counts.len()) / PER_THREAD) {
            self.share_out((&pool, threads), to, words, &mut batch);
        } else {
            self.count(to, words, &mut batch);
        }
        batch
    }

    /// Takes a batch back that nobody needs any more, whose memory would go back to the system: to get as much from there for the next one
    /// can take as long as grouping does.
    pub fn reuse(&mut self, batch: Batch) {
        self.spare = batch;
    }

    /// Groups messages on this thread.
    fn count(&mut self, to: &[u32], words: &[u32], batch: &mut Batch) {
        let Batch { mail, places, .. } = batch;
        let mut all = Neighbours {
            first: 0,
            counts: &mut self.counts,
        };
        mail.resize(all.count(to.iter().copied()), Mail::default());
        all.lay_out(0, mail);
        places.clear();
        all.place(to.iter().copied(), places);
        self.scatter(words, batch);
    }

    /// Groups messages without a look at actors that have none.
    fn sort(&self, to: &[u32], words: &[u32], batch: &mut Batch) {
        let mut order: Vec<u32> = (0..to.len() as u32).collect();
        order.sort_by_key(|&at| to[at as usize]);
        let Batch { mail, places, .. } = batch;
        mail.clear();
        places.resize(to.len(), 0);
        for (place, &at) in (0..).zip(&order) {
            places[at as usize] = place;
            let actor = to[at as usize];
            match mail.last_mut().filter(|mail| mail.actor == actor) {
                Some(mail) => mail.end = place + 1,
                None => mail.push(Mail {
                    actor,
                    first: place,
                    end: place + 1,
                }),
            }
        }
        self.scatter(words, batch);
    }

    /// Brings the words of messages to their places.
    fn scatter(&self, words: &[u32], batch: &mut Batch) {
        let ways = (0..).zip(batch.places.iter().copied());
        entries::copy(ways, words, &mut batch.words, self.size);
    }
}

/// The threads of native launches, if this work is for several and they are free, and how many of them it is for.
fn threads(most: usize) -> Option<(Arc<ThreadPool>, usize)> {
    if most < FEWEST_THREADS {
        return None;
    }
    let pool = pool::free()?;
    let threads = most.min(pool.current_num_threads());
    (threads >= FEWEST_THREADS).then_some((pool, threads))
}

/// Neighbouring actors: how many messages each has, and once they are laid out where its next one goes.
struct Neighbours<'g> {
    /// The first of them.
    first: u32,
    counts: &'g mut [u32],
}

impl Neighbours<'_> {
    /// Counts messages, given the actor of each. Gives how many of the actors have any.
    fn count(&mut self, to: impl Iterator<Item = u32>) -> usize {
        self.counts.fill(0);
        to.for_each(|actor| self.counts[(actor - self.first) as usize] += 1);
        self.counts.iter().filter(|&&count| count > 0).count()
    }

    /// Gives each actor as many places as it has messages, from this one on, and takes down its mail, for which there is room.
    fn lay_out(&mut self, mut first: u32, mail: &mut [Mail]) {
        let mut next = 0;
        for (actor, count) in (self.first..).zip(&mut *self.counts) {
            let end = first + *count;
            // Without mail too, for the next actor to overwrite: a processor that guesses who has mail is too often wrong.
            if let Some(mail) = mail.get_mut(next) {
                *mail = Mail { actor, first, end };
            }
            next += usize::from(*count > 0);
            *count = first;
            first = end;
        }
    }

    /// Gives each message its place.
    fn place(&mut self, to: impl Iterator<Item = u32>, places: &mut Vec<u32>) {
        places.extend(to.map(|actor| {
            let next = &mut self.counts[(actor - self.first) as usize];
            *next += 1;
            *next - 1
        }));
    }
}

#[cfg(test)]
mod tests;
