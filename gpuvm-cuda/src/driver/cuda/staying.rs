//! The kernels that stay in a context. Much of what the driver is asked for, such as to load a kernel or to take memory of the host, waits
//! until nothing runs in the context any more; so they leave before it, and are launched again when it is done.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gpuvm_ptx::mailbox;

use super::super::pinned::Pinned;

/// The kernels that stay.
#[derive(Debug, Default)]
pub struct Staying {
    mailboxes: Mutex<Vec<Arc<Pinned>>>,
    /// Held to write by who needs that no such kernel runs, and to read while one is launched.
    way: RwLock<()>,
}

/// The most of them. Streams share eight ways to the GPU, unless the environment says otherwise, and whoever shares that of a kernel that stays
/// waits for it.
const MOST: usize = 4;

impl Staying {
    /// Takes in a kernel, by its mailbox; false if there are as many as there may be.
    pub fn add(&self, mailbox: &Arc<Pinned>) -> bool {
        let mut mailboxes = self.mailboxes();
        let has_room = mailboxes.len() < MOST;
        if has_room {
            mailboxes.push(mailbox.clone());
        }
        has_room
    }

    /// Forgets a kernel.
    pub fn remove(&self, mailbox: &Arc<Pinned>) {
        let known = {
            let mut mailboxes = self.mailboxes();
            let at = mailboxes.iter().position(|known| Arc::ptr_eq(known, mailbox));
            at.map(|at| mailboxes.swap_remove(at))
        };
        // Not with the lock: memory of the host may be given back.
        drop(known);
    }

    /// Has all of them leave, and none launched as long as the guard is there. They leave within microseconds, unless they are at work.
    pub fn leave(&self) -> RwLockWriteGuard<'_, ()> {
        let alone = self.way.write().unwrap_or_else(PoisonError::into_inner);
        for mailbox in self.mailboxes().iter() {
            mailbox.word(mailbox::HURRY).store(1, Ordering::Release);
        }
        alone
    }

    /// Lets one of them be launched as long as the guard is there.
    pub fn enter(&self, mailbox: &Pinned) -> RwLockReadGuard<'_, ()> {
        let way = self.way.read().unwrap_or_else(PoisonError::into_inner);
        mailbox.word(mailbox::HURRY).store(0, Ordering::Release);
        way
    }

    fn mailboxes(&self) -> MutexGuard<'_, Vec<Arc<Pinned>>> {
        self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
