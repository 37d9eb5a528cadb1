//! Who has the pump: its thread, or for a moment one who waits for an answer. From one thread to another and back is most of what a short
//! call takes, so where the answer will be there at once its caller has the message handled on his own thread, while the pump's rests.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use gpuvm_core::routine::Level;

use super::pump::{Failed, Next, Pump};
use super::shared::{Shared, State};
use crate::error::Life;
use crate::recorder;

/// A pump that has one thread of its own, and is lent to others.
pub(super) struct SharedPump {
    shared: Arc<Shared>,
    /// None any more if the kernel is over. Whoever has this may lock the kernel's state, and not the other way round.
    pump: Mutex<Option<Pump>>,
}

/// Messages that one who helps takes at most: what others have sent in numbers is the thread's.
const MOST_HELPED: usize = 16;

impl SharedPump {
    pub fn new(shared: Arc<Shared>, pump: Pump) -> SharedPump {
        SharedPump {
            shared,
            pump: Mutex::new(Some(pump)),
        }
    }

    /// Runs on this thread, which is the pump's, until the kernel is over.
    pub fn run(&self) {
        let _guard = Guard(&self.shared);
        while self.turn() {}
        if let Some(profiled) = self.shared.profile.get() {
            profiled.leave();
        }
    }

    /// Does what there is to do next, or waits until there is something. Whether the kernel goes on.
    fn turn(&self) -> bool {
        let shared = &*self.shared;
        // One who panicked with the pump has failed the kernel.
        let Ok(mut place) = self.pump.lock() else {
            return false;
        };
        let Some(pump) = &mut *place else {
            return false;
        };
        let done = match pump.next(shared) {
            Next::Rest(state) => {
                drop(place);
                let begin = Instant::now();
                drop(shared.rest(state));
                if let Some(profiled) = shared.profile.get() {
                    profiled.waited(begin);
                }
                return true;
            }
            Next::End => {
                *place = None;
                drop(place);
                shared.lock().life = Life::Terminated;
                tracing::info!(kernel = shared.entry.id, "ring kernel terminated");
                recorder::say(Level::Info, shared.entry.id, "terminated");
                shared.notify_all();
                return false;
            }
            Next::Lot(lot) => pump.handle(lot),
            Next::Oldest => pump.end_oldest(),
            Next::Question(question) => {
                pump.answer(question);
                Ok(())
            }
        };
        if let Err(Failed) = done {
            *place = None;
        }
        place.is_some()
    }

    /// Has a few messages that wait, a caller's among them, handled on this thread if that is soon done and the pump rests. Wakes its thread for
    /// whatever is left.
    pub fn help(&self) {
        if let Some(state) = self.leave_after_helping() {
            self.shared.wake(state);
        }
    }

    /// The kernel's state, if there is something left for the pump's thread.
    fn leave_after_helping(&self) -> Option<MutexGuard<'_, State>> {
        let shared = &*self.shared;
        let mut place = match self.pump.try_lock() {
            Ok(place) => place,
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => return Some(shared.lock()),
        };
        let _guard = Guard(shared);
        let is_left = match &mut *place {
            None => true,
            Some(pump) => match pump.help(MOST_HELPED) {
                Ok(is_left) => is_left,
                Err(Failed) => {
                    *place = None;
                    true
                }
            },
        };
        drop(place);
        let state = shared.lock();
        (is_left || state.has_work(shared)).then_some(state)
    }
}

/// Tells those who wait that the pump has panicked, if it has.
struct Guard<'s>(&'s Shared);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail("its pump panicked, which is an error of gpuvm".to_string());
        }
    }
}

#[cfg(test)]
mod tests;
