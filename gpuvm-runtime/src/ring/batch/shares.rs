//! Grouping over threads. First each thread deals out a stretch of the messages to shares of neighbouring actors. Then it takes shares, and
//! brings the messages of one to their places as one thread alone would do with all; no two of them write to the same memory. At last it
//! tells its stretch where the messages are. Every stretch of a share is kept in order, so it makes no difference how many threads there were.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Batch, Grouper, Mail, Neighbours, entries};

/// Shares for each thread, so that one with busier actors than others does not hold up all.
const SHARES_PER_THREAD: usize = 4;

/// What is kept between batches for its memory.
#[derive(Debug, Default)]
pub struct Kept {
    stretches: Vec<Stretch>,
    /// The places of the messages of each share.
    places: Vec<Vec<u32>>,
}

/// Messages that were accepted one after the other, dealt out to the shares.
#[derive(Debug, Default)]
struct Stretch {
    /// How many were accepted before.
    start: u32,
    by_share: Vec<Vec<Message>>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    /// How many were accepted before it.
    at: u32,
    /// To whom it is.
    actor: u32,
}

/// Neighbouring actors, and what is theirs.
struct Share<'g> {
    /// How many shares are before it.
    number: usize,
    neighbours: Neighbours<'g>,
    /// How many of them have messages.
    busy: usize,
    /// Of each of their messages, where it goes.
    places: &'g mut Vec<u32>,
}

/// Where a share's messages go.
struct Room<'b> {
    /// The first place.
    first: u32,
    mail: &'b mut [Mail],
    words: &'b mut [u32],
}

impl Grouper {
    /// Groups messages over so many threads of a pool.
    pub(super) fn share_out(
        &mut self,
        (pool, threads): (&ThreadPool, usize),
        to: &[u32],
        words: &[u32],
        batch: &mut Batch,
    ) {
        let Grouper { counts, size, kept, .. } = self;
        let size = *size;
        let grain = to.len().div_ceil(threads);
        kept.stretches.resize_with(to.len().div_ceil(grain), Stretch::default);
        // A power of two, so that whose a message is takes no division.
        let actors = counts.len().div_ceil(threads * SHARES_PER_THREAD).next_power_of_two();
        kept.places.resize_with(counts.len().div_ceil(actors), Vec::new);
        let stretches = &mut kept.stretches;
        let mut shares = shares(counts.chunks_mut(actors), &mut kept.places);
        batch.places.resize(to.len(), 0);
        pool.install(|| {
            let starts = (0..to.len() as u32).into_par_iter().step_by(grain);
            let dealt = stretches.par_iter_mut().zip(to.par_chunks(grain)).zip(starts);
            dealt.for_each(|((stretch, to), start)| stretch.deal(start, to, (actors, shares.len())));
            shares.par_iter_mut().for_each(|share| share.count(stretches));
            let placed = rooms(&shares, stretches, size, batch);
            let placed = shares.par_iter_mut().zip(placed);
            placed.for_each(|(share, room)| share.place(stretches, room, words, size));
            let told = batch.places.par_chunks_mut(grain).enumerate();
            told.for_each(|(stretch, places)| shares.iter().for_each(|share| share.tell(stretches, stretch, places)));
        });
    }
}

/// Shares of actors, given the counts of those in each.
fn shares<'g>(counts: impl Iterator<Item = &'g mut [u32]>, places: &'g mut [Vec<u32>]) -> Vec<Share<'g>> {
    let mut first = 0;
    let share = |(number, (counts, places)): (usize, (&'g mut [u32], &'g mut Vec<u32>))| {
        let neighbours = Neighbours { first, counts };
        first += neighbours.counts.len() as u32;
        Share {
            number,
            neighbours,
            busy: 0,
            places,
        }
    };
    counts.zip(places).enumerate().map(share).collect()
}

/// The room for each share in a batch.
fn rooms<'b>(shares: &[Share<'_>], stretches: &[Stretch], size: usize, batch: &'b mut Batch) -> Vec<Room<'b>> {
    let busy = shares.iter().map(|share| share.busy).sum();
    batch.mail.resize(busy, Mail::default());
    let (mut mail, mut words, mut first) = (&mut batch.mail[..], &mut batch.words[..], 0);
    let room = |share: &Share<'_>| {
        let messages: usize = runs(stretches, share.number).map(<[Message]>::len).sum();
        let room = Room {
            first,
            mail: mail.split_off_mut(..share.busy).unwrap_or_default(),
            words: words.split_off_mut(..messages * size).unwrap_or_default(),
        };
        first += messages as u32;
        room
    };
    shares.iter().map(room).collect()
}

impl Stretch {
    /// Deals messages out, of which so many were accepted before, to so many shares of so many actors each.
    fn deal(&mut self, start: u32, to: &[u32], (actors, shares): (usize, usize)) {
        self.start = start;
        self.by_share.resize_with(shares, Vec::new);
        self.by_share.iter_mut().for_each(Vec::clear);
        let shift = actors.trailing_zeros();
        for (at, &actor) in (start..).zip(to) {
            self.by_share[(actor >> shift) as usize].push(Message { at, actor });
        }
    }
}

impl Share<'_> {
    /// Counts its messages.
    fn count(&mut self, stretches: &[Stretch]) {
        let messages = runs(stretches, self.number).flatten();
        self.busy = self.neighbours.count(messages.map(|message| message.actor));
    }

    /// Brings its messages to their places.
    fn place(&mut self, stretches: &[Stretch], room: Room<'_>, words: &[u32], size: usize) {
        self.neighbours.lay_out(room.first, room.mail);
        self.places.clear();
        for run in runs(stretches, self.number) {
            let before = self.places.len();
            self.neighbours
                .place(run.iter().map(|message| message.actor), self.places);
            let ways = run.iter().zip(&self.places[before..]);
            let ways = ways.map(|(message, place)| (message.at, place - room.first));
            entries::copy(ways, words, room.words, size);
        }
    }

    /// Tells the places of its messages in one of the stretches.
    fn tell(&self, stretches: &[Stretch], stretch: usize, places: &mut [u32]) {
        let before: usize = runs(&stretches[..stretch], self.number).map(<[Message]>::len).sum();
        let start = stretches[stretch].start;
        for (message, &place) in stretches[stretch].by_share[self.number]
            .iter()
            .zip(&self.places[before..])
        {
            places[(message.at - start) as usize] = place;
        }
    }
}

/// The messages of a share, stretch by stretch.
fn runs(stretches: &[Stretch], share: usize) -> impl Iterator<Item = &[Message]> {
    stretches.iter().map(move |stretch| &stretch.by_share[share][..])
}
