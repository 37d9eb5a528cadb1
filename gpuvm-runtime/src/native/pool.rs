//! The threads of the native engine, with stacks deep enough for the recursion that the settings allow, and how the VMs of a
//! launch are shared out among them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use super::parts::Parts;
use crate::error::{Error, Result};

/// Bytes of stack that every thread has at least.
const STACK: usize = 64 << 20;
/// Bytes of stack for each level of recursion, far more than a function in a dev build uses.
const STACK_PER_LEVEL: usize = 32 << 10;
/// Pieces of work for each thread, so that threads whose VMs end early find more to do.
const PIECES_PER_THREAD: usize = 16;
/// The most VMs in a piece.
const LARGEST_PIECE: usize = 4096;

/// The process's threads for a recursion limit, started at the first use.
pub(super) fn get(recursion_limit: u32) -> Result<Arc<ThreadPool>> {
    static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let stack = (recursion_limit as usize)
        .saturating_mul(STACK_PER_LEVEL)
        .max(STACK)
        .next_power_of_two();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&stack) {
        return Ok(Arc::clone(pool));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(stack)
        .thread_name(|index| format!("gpuvm-native-{index}"))
        .build()
        .map_err(|error| Error::Threads {
            reason: error.to_string(),
        })?;
    let pool = Arc::new(pool);
    pools.insert(stack, Arc::clone(&pool));
    Ok(pool)
}

/// How many VMs a piece of work has.
pub(super) fn grain(vms: usize, threads: usize) -> usize {
    (vms / (threads * PIECES_PER_THREAD).max(1)).clamp(1, LARGEST_PIECE)
}

/// Runs `work` on pieces of at most `grain` VMs, in parallel.
pub(super) fn split<P: Parts>(
    range: Range<usize>,
    parts: P,
    grain: usize,
    work: &(impl Fn(Range<usize>, P) + Sync),
) {
    if range.len() <= grain {
        return work(range, parts);
    }
    let half = range.len() / 2;
    let middle = range.start + half;
    let (first, rest) = parts.split_at(half);
    rayon::join(
        || split(range.start..middle, first, grain, work),
        || split(middle..range.end, rest, grain, work),
    );
}
