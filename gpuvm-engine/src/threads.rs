//! Sharing work out among threads.

/// The least entries of a piece of work that is shared out among rayon's threads, given how many it would be. On a thread that is one of rayon's itself, all of it is one
/// piece: such a thread takes up whatever else its pool has to do while it waits for others, be it a launch that wants what this one holds.
pub fn least_piece(entries: usize) -> usize {
    match rayon::current_thread_index() {
        None => entries,
        Some(_) => usize::MAX,
    }
}

/// What two pieces of work give, done at the same time or, on a thread that is one of rayon's, one after the other, as [`least_piece`] says.
pub fn join<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    match rayon::current_thread_index() {
        None => rayon::join(one, other),
        Some(_) => (one(), other()),
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn a_thread_of_a_pool_works_alone() {
        assert_eq!(least_piece(7), 7);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.expect("threads can be started").install(|| {
            let own = std::thread::current().id();
            let pieces = (0..100_000).into_par_iter().with_min_len(least_piece(1));
            pieces.for_each(|_| assert_eq!(std::thread::current().id(), own));
            let mut words = vec![0u32; 100_000];
            let chunks = words.par_chunks_mut(7).enumerate().with_min_len(least_piece(1));
            chunks.for_each(|_| assert_eq!(std::thread::current().id(), own));
        });
    }
}
