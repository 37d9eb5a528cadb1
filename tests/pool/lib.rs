//! What tests share that is slow to make and waits for whoever has it: devices. lavapipe compiles and runs all that is launched on a device on one
//! thread, so tests that share a device wait for each other, whatever the number of cores. With a few devices they don't.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many of a kind a test binary has at most. Each device has the interpreters' kernels compiled anew.
const MOST: usize = 4;

/// All of a kind that a test binary has. They stay until it ends.
#[derive(Debug)]
pub struct Pool<T: 'static> {
    made: Mutex<Vec<Shared<T>>>,
}

/// One of them, and how many leases there are of it.
#[derive(Debug)]
struct Shared<T: 'static> {
    value: &'static T,
    leases: usize,
}

/// Somebody's hold on one of them. In a `thread_local!` it is a test's, because each test has a thread of its own.
#[derive(Debug)]
pub struct Lease<T: 'static> {
    pool: &'static Pool<T>,
    place: usize,
    value: &'static T,
}

impl<T> Pool<T> {
    /// One that has none yet.
    pub const fn new() -> Pool<T> {
        Pool {
            made: Mutex::new(Vec::new()),
        }
    }

    /// One that nobody else has, made if need be, or where there are as many as there may be, the one that fewest have.
    pub fn lease(&'static self, make: impl FnOnce() -> T) -> Lease<T> {
        let mut made = self.made();
        let least = (0..made.len()).min_by_key(|&place| made[place].leases);
        let place = match least {
            Some(place) if made[place].leases == 0 || made.len() == MOST => place,
            _ => {
                let value = Box::leak(Box::new(make()));
                made.push(Shared { value, leases: 0 });
                made.len() - 1
            }
        };
        made[place].leases += 1;
        Lease {
            pool: self,
            place,
            value: made[place].value,
        }
    }

    /// What they are is the same whoever has failed to make another.
    fn made(&self) -> MutexGuard<'_, Vec<Shared<T>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool::new()
    }
}

impl<T> Lease<T> {
    /// What is held. It stays when the hold on it has ended, but others may have it then.
    pub fn value(&self) -> &'static T {
        self.value
    }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        self.pool.made()[self.place].leases -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_shares_while_there_may_be_more() {
        static POOL: Pool<usize> = Pool::new();
        let lease = |number| POOL.lease(|| number);
        let values = |leases: &[Lease<usize>]| leases.iter().map(|lease| *lease.value()).collect::<Vec<_>>();
        let mut leases: Vec<_> = (0..MOST).map(lease).collect();
        assert_eq!(values(&leases), [0, 1, 2, 3]);
        drop(leases.remove(1));
        // It is there already, and the others are had.
        leases.extend([lease(7), lease(8), lease(9)]);
        assert_eq!(values(&leases), [0, 2, 3, 1, 0, 1]);
    }
}
