//! The threads of the native engine, with stacks deep enough for the recursion that the settings allow, and how the VMs of a
//! launch are shared out among them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::parts::Parts;
use crate::error::{Error, Result};

/// Bytes of stack that every thread has at least.
const STACK: usize = 64 << 20;
/// Bytes of stack for each level of recursion, far more than a function in a dev build uses.
pub(super) const STACK_PER_LEVEL: usize = 32 << 10;
/// Bytes at the stack's end that are kept for the frame that is entered last and for what it calls.
const STACK_KEPT: usize = 4 << 20;
/// Pieces of work for each thread, so that threads whose VMs end early find more to do.
const PIECES_PER_THREAD: usize = 16;
/// The most VMs in a piece.
const LARGEST_PIECE: usize = 4096;

/// The process's threads, by the bytes of stack that each has and how many there are, if that was said.
static POOLS: Mutex<Pools> = Mutex::new(BTreeMap::new());
type Pools = BTreeMap<(usize, Option<usize>), Arc<ThreadPool>>;
/// How many calls of [`each`] are at work.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// The process's threads for a recursion limit, so many or as many as the CPU has, started at the first use.
pub(crate) fn get(recursion_limit: u32, threads: Option<usize>) -> Result<Arc<ThreadPool>> {
    let stack = stack(recursion_limit);
    let mut pools = pools();
    if let Some(pool) = pools.get(&(stack, threads)) {
        return Ok(Arc::clone(pool));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or_default())
        .stack_size(stack)
        .thread_name(|index| format!("gpuvm-native-{index}"))
        .build()
        .map_err(|error| Error::Threads {
            reason: error.to_string(),
        })?;
    let pool = Arc::new(pool);
    pools.insert((stack, threads), Arc::clone(&pool));
    Ok(pool)
}

/// Threads for work that needs no deep stack: those which some launch has started, or the usual ones. `None` while a launch is at work, for
/// whose end such work would wait, on a thread of rayon's, which would begin something else while it waits, or if threads cannot be started.
pub(crate) fn free() -> Option<Arc<ThreadPool>> {
    if AT_WORK.load(Ordering::Relaxed) > 0 || rayon::current_thread_index().is_some() {
        return None;
    }
    let started = pools().values().next().cloned();
    started.or_else(|| get(0, None).ok())
}

fn pools() -> MutexGuard<'static, Pools> {
    POOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of stack that a thread needs for a recursion limit.
pub(crate) fn stack(recursion_limit: u32) -> usize {
    (recursion_limit as usize)
        .saturating_mul(STACK_PER_LEVEL)
        .max(STACK)
        .next_power_of_two()
}

/// Bytes that the frames of a VM's calls may take of such a stack.
pub(super) fn depth_of_frames(recursion_limit: u32) -> usize {
    stack(recursion_limit) - STACK_KEPT
}

/// How many VMs a piece of work has.
pub(crate) fn grain(vms: usize, threads: usize) -> usize {
    (vms / (threads * PIECES_PER_THREAD).max(1)).clamp(1, LARGEST_PIECE)
}

/// A piece of work, until a thread takes it.
pub(super) type Piece<P> = Mutex<Option<(Range<usize>, P)>>;

/// The work in pieces of at most `grain` VMs.
pub(super) fn pieces<P: Parts>(vms: usize, parts: P, grain: usize) -> Vec<Piece<P>> {
    let mut pieces = Vec::with_capacity(vms.div_ceil(grain));
    let (mut start, mut rest) = (0, parts);
    while start < vms {
        let end = vms.min(start + grain);
        let (first, others) = rest.split_at(end - start);
        pieces.push(Mutex::new(Some((start..end, first))));
        (start, rest) = (end, others);
    }
    pieces
}

/// Takes a piece of work.
pub(super) fn take<P>(piece: &Piece<P>) -> Option<(Range<usize>, P)> {
    piece.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Calls `work` for each number below `count`, in parallel. Not generic, so that rayon is compiled once and not for each routine of a program.
pub(crate) fn each(pool: &ThreadPool, count: usize, work: &(dyn Fn(usize) + Sync)) {
    /// Also if `work` panics.
    struct AtWork;
    impl Drop for AtWork {
        fn drop(&mut self) {
            AT_WORK.fetch_sub(1, Ordering::Relaxed);
        }
    }
    AT_WORK.fetch_add(1, Ordering::Relaxed);
    let _at_work = AtWork;
    let all = || pool.install(|| (0..count).into_par_iter().for_each(work));
    // A thread of another pool of rayon's would take up more of that pool's work while it waits, each piece of which may launch something and wait as well, until
    // its stack is full. A thread that is none of rayon's only waits.
    if rayon::current_thread_index().is_none() || pool.current_thread_index().is_some() {
        return all();
    }
    std::thread::scope(|scope| {
        let waiting = std::thread::Builder::new().name("gpuvm-native-wait".to_string());
        match waiting.spawn_scoped(scope, all) {
            Ok(waiting) => waiting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => all(),
        }
    });
}

/// What `work` gives for each number below `count`, in order, computed in parallel.
pub(crate) fn map<T: Send>(pool: &ThreadPool, count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let places: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    each(pool, count, &|number| {
        let done = work(number);
        *places[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    });
    let all = places.into_iter();
    all.filter_map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_waits_takes_up_no_other_work() {
        thread_local! {
            static DEPTH: Cell<u32> = const { Cell::new(0) };
        }
        let pool = get(0, Some(2)).expect("threads can be started");
        let users = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let done = AtomicUsize::new(0);
        users.expect("threads can be started").install(|| {
            (0..200).into_par_iter().for_each(|_| {
                DEPTH.set(DEPTH.get() + 1);
                assert_eq!(DEPTH.get(), 1, "a launch was begun while another one was waited for");
                each(&pool, 3, &|_| {
                    std::thread::sleep(Duration::from_micros(100));
                    done.fetch_add(1, Ordering::Relaxed);
                });
                DEPTH.set(DEPTH.get() - 1);
            });
        });
        assert_eq!(done.into_inner(), 600);
    }

    #[test]
    fn no_threads_are_free_while_a_launch_is_at_work() {
        let pool = get(0, None).expect("threads can be started");
        each(&pool, 4, &|_| assert!(free().is_none()));
    }
}
