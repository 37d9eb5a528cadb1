//! Entries of a few words each that change places: messages when they are grouped, and answers on their way back.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::threads;

/// Words that are worth another thread.
const WORDS_PER_THREAD: usize = 1 << 16;

/// Copies entries of so many words, given of each the place from which and to which.
pub fn copy(ways: impl Iterator<Item = (u32, u32)>, words: &[u32], to: &mut [u32], size: usize) {
    /// Entries whose size the compiler knows are moved in registers, which counts for a message or answer of a few words.
    fn short<const SIZE: usize>(ways: impl Iterator<Item = (u32, u32)>, words: &[u32], to: &mut [u32]) {
        let (words, to) = (words.as_chunks::<SIZE>().0, to.as_chunks_mut::<SIZE>().0);
        ways.for_each(|(from, at)| to[at as usize] = words[from as usize]);
    }
    match size {
        0 => {}
        1 => short::<1>(ways, words, to),
        2 => short::<2>(ways, words, to),
        3 => short::<3>(ways, words, to),
        4 => short::<4>(ways, words, to),
        _ => ways.for_each(|(from, at)| {
            let (from, at) = (from as usize * size, at as usize * size);
            to[at..at + size].copy_from_slice(&words[from..from + size]);
        }),
    }
}

/// The entries of so many words at these places, one after the other.
pub fn gathered(words: &[u32], places: &[u32], size: usize) -> Vec<u32> {
    let threads = threads(places.len() * size / WORDS_PER_THREAD);
    gathered_over(threads.as_ref().map(|(pool, _)| &**pool), words, places, size)
}

/// The same over the threads of a pool, or on this one.
pub(super) fn gathered_over(pool: Option<&ThreadPool>, words: &[u32], places: &[u32], size: usize) -> Vec<u32> {
    fn short<const SIZE: usize>(pool: Option<&ThreadPool>, words: &[u32], places: &[u32]) -> Vec<u32> {
        let (words, _) = words.as_chunks::<SIZE>();
        let entry = |&place: &u32| words[place as usize];
        let all: Vec<[u32; SIZE]> = match pool {
            Some(pool) => pool.install(|| places.par_iter().map(entry).collect()),
            None => places.iter().map(entry).collect(),
        };
        all.into_flattened()
    }
    match size {
        0 => Vec::new(),
        1 => short::<1>(pool, words, places),
        2 => short::<2>(pool, words, places),
        3 => short::<3>(pool, words, places),
        4 => short::<4>(pool, words, places),
        _ => {
            let mut all = vec![0; places.len() * size];
            let copy = |(to, &place): (&mut [u32], &u32)| to.copy_from_slice(&words[place as usize * size..][..size]);
            match pool {
                Some(pool) => pool.install(|| all.par_chunks_exact_mut(size).zip(places).for_each(copy)),
                None => all.chunks_exact_mut(size).zip(places).for_each(copy),
            }
            all
        }
    }
}
