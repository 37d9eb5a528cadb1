//! Links: the actors of one kernel forward messages to those of another one, without any user's thread.
//!
//! What is forwarded is handed over after the batch, also where the other kernel's queue is full; its senders' actors then rest until there
//! is room, as they do while too many answers wait. Kernels that are linked in a circle do not: each would wait for the next one's room.
//! They are like the actors of one kernel, who may have so much under way among themselves: what is forwarded beyond that becomes dead
//! letters. So it does if the kernel that forwards it is ending, as that waits for nobody either.
//!
//! Where both kernels have their states in the same memory, rounds of the one hand over parcels (`device/parcel.rs`): columns of the other one,
//! in which its actors find their mail. They wait in the queue with everything else, and count there as the messages that they are. What the
//! host handles of the senders, or does not find dense enough, goes its way by the host in the same order. A parcel is opened, which brings
//! its messages to the host, if its actors cannot begin with it as it is: because one of them has stopped, because they send each other
//! messages that come first, or because the kernel is kept in a snapshot or over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

use super::context::Sent;
use super::device::{Depot, Parcel};
use super::letters::Letters;
use super::shared::{Shared, State};
use crate::error::{Error, Life, RingError};

/// Takes what a kernel's actors forward to actors that are elsewhere: in another process, say.
pub trait Carrier: Send + Sync {
    /// Takes messages for these actors, the words of one after the other's, in the order in which they were forwarded, up to a time stamp of the kernel's.
    fn carry(&self, to: &[u32], words: &[u32], stamp: u64);
}

/// Where a kernel's actors forward to.
enum Target {
    /// Another kernel, by its name. It is not kept from ending.
    Kernel(String, Weak<Shared>),
    Elsewhere(Arc<dyn Carrier>),
}

/// A kernel's place among linked ones.
#[derive(Default)]
pub(super) struct Links {
    to: OnceLock<Target>,
    /// The kernels whose actors may rest because this one is full.
    from: Mutex<Vec<Weak<Shared>>>,
    /// Whether more was forwarded than there is room for.
    is_full: AtomicBool,
    /// Where those kernels may bring what they forward, if they have the same device's memory.
    depot: OnceLock<Weak<Depot>>,
}

impl Shared {
    /// Links the kernel to another one, whose actors understand what its actors forward.
    pub fn link(self: &Arc<Self>, other: &Arc<Shared>) -> Result<(), RingError> {
        let state = self.lock();
        if !matches!(state.life, Life::Launched | Life::Deactivated) {
            return Err(self.wrong_state("link", "launched or deactivated", &state));
        }
        let unfit = |what| RingError::Link {
            kernel: self.name(),
            other: other.name(),
            what,
        };
        let understood = &other.entry.message;
        match self.entry.linked {
            None => {
                let what = format!(
                    "its actors forward nothing; give them `ctx: &mut Ring<{}>`",
                    understood.name
                );
                return Err(unfit(what));
            }
            Some(kind) if kind.id != understood.id => {
                let (ours, theirs) = (kind.name, understood.name);
                return Err(unfit(format!(
                    "its actors forward `{ours}`, and theirs understand `{theirs}`"
                )));
            }
            Some(_) => {}
        }
        let link = Target::Kernel(other.name(), Arc::downgrade(other));
        if self.links.to.set(link).is_err() {
            return Err(unfit("it is linked already".to_string()));
        }
        drop(state);
        other.links.from().push(Arc::downgrade(self));
        Ok(())
    }

    /// Links the kernel to actors elsewhere that are like its own.
    pub fn link_elsewhere(&self, carrier: Arc<dyn Carrier>) -> Result<(), RingError> {
        let state = self.lock();
        if !matches!(state.life, Life::Launched | Life::Deactivated) {
            return Err(self.wrong_state("link", "launched or deactivated", &state));
        }
        let own = &self.entry.message;
        let what = match self.entry.linked {
            Some(kind) if kind.id == own.id => match self.links.to.set(Target::Elsewhere(carrier)) {
                Ok(()) => return Ok(()),
                Err(_) => "it is linked already".to_string(),
            },
            Some(kind) => format!("its actors forward `{}`, and understand `{}`", kind.name, own.name),
            None => format!("its actors forward nothing; give them `ctx: &mut Ring<{}>`", own.name),
        };
        Err(RingError::Link {
            kernel: self.name(),
            other: "its like elsewhere".to_string(),
            what,
        })
    }

    /// Takes what actors elsewhere have forwarded to these.
    pub fn take_carried(&self, to: Vec<u32>, words: Vec<u32>, stamp: u64) -> Result<(), RingError> {
        self.accept_forwarded(&mut Sent { to, words }, stamp, true)
    }

    /// Hands over what actors have forwarded up to a time stamp. What the other kernel does not take becomes dead letters here.
    pub fn forward(&self, mut sent: Sent, stamp: u64) {
        let Some(kind) = self.entry.linked.filter(|_| !sent.to.is_empty()) else {
            return;
        };
        let refused = match self.links.to.get() {
            None => Err(RingError::NotLinked { kernel: self.name() }),
            Some(Target::Elsewhere(carrier)) => {
                carrier.carry(&sent.to, &sent.words, stamp);
                return;
            }
            Some(Target::Kernel(kernel, other)) => match other.upgrade() {
                Some(other) => {
                    let waits = self.waits_for(&other);
                    other.accept_forwarded(&mut sent, stamp, waits)
                }
                None => Err(RingError::Closed { kernel: kernel.clone() }),
            },
        };
        let lost = (&sent.to[..], &sent.words[..]);
        match refused {
            Ok(()) => {}
            Err(error @ RingError::Overflow { .. }) => self.overflow(&mut self.lock(), kind, lost, error),
            Err(error) => self.bury_each(&mut self.lock(), kind, lost, &error),
        }
    }

    /// Whether actors rest when the linked kernel is full.
    fn waits_for(&self, other: &Arc<Shared>) -> bool {
        let is_active = self.lock().life == Life::Active;
        is_active && !Arc::clone(other).leads_to(self)
    }

    /// Hands over a parcel likewise. The host does not see it unless the other kernel does not take it.
    pub fn hand_over(&self, parcel: Parcel, stamp: u64) -> Result<(), Error> {
        let refused = match self.links.next() {
            Some(other) => {
                let waits = self.waits_for(&other);
                other.accept_parcel(parcel, stamp, waits)
            }
            None => Err(parcel),
        };
        if let Err(parcel) = refused {
            let Letters { to, words, .. } = parcel.open()?;
            self.forward(Sent { to, words }, stamp);
        }
        Ok(())
    }

    /// Takes a parcel likewise. Gives it back if it takes no messages, or not as many.
    fn accept_parcel(&self, parcel: Parcel, stamp: u64, waits: bool) -> Result<(), Parcel> {
        let mut state = self.lock();
        if !state.life.takes_messages() || !waits && parcel.len() > self.room_for_forwarded(&state) {
            return Err(parcel);
        }
        state.seen = state.seen.max(stamp);
        state.take_in_parcel(parcel);
        self.note_room(&state);
        if state.life == Life::Active {
            self.wake(state);
        }
        Ok(())
    }

    /// Says where linked kernels may bring what they forward.
    pub fn open_depot(&self, depot: &Arc<Depot>) {
        // Nobody has said so before.
        let _ = self.links.depot.set(Arc::downgrade(depot));
    }

    /// Where this kernel may bring what its actors forward.
    pub fn linked_depot(&self) -> Option<Arc<Depot>> {
        self.links.next()?.links.depot.get()?.upgrade()
    }

    /// Lets the pump, which is this thread, rest while the linked kernel is full.
    pub fn wait_for_linked(&self) {
        let mut state = self.lock();
        while state.life == Life::Active && self.is_held_up() {
            state = self.rest(state);
        }
    }

    /// Takes what another kernel's actors have forwarded up to a time stamp of theirs, whether there is room or not if they rest until there is.
    /// What it does not take is left.
    fn accept_forwarded(&self, sent: &mut Sent, stamp: u64, waits: bool) -> Result<(), RingError> {
        let mut state = self.lock();
        if !state.life.takes_messages() {
            return Err(self.wrong_state("forward", "launched, active or deactivated", &state));
        }
        state.seen = state.seen.max(stamp);
        let size = self.entry.message.ty.words as usize;
        let room = if waits {
            usize::MAX
        } else {
            self.room_for_forwarded(&state)
        };
        let all = sent.to.len().min(room);
        let lost = Sent {
            to: sent.to.split_off(all),
            words: sent.words.split_off(all * size),
        };
        let letters = self.deliverable(&mut state, std::mem::replace(sent, lost));
        state.counts.accepted += (all - letters.len()) as u64;
        if !letters.is_empty() {
            state.take_in(&letters.to, &letters.words, Instant::now);
            self.note_room(&state);
        }
        if state.life == Life::Active {
            self.wake(state);
        }
        match sent.to.is_empty() {
            true => Ok(()),
            false => Err(self.bound.error(self.name())),
        }
    }

    /// How much is taken of those who do not rest until there is room.
    fn room_for_forwarded(&self, state: &State) -> usize {
        let most = self.capacity.saturating_add(self.bound.most);
        most.saturating_sub(state.letters.len() + state.in_flight)
    }

    /// Takes down whether there is room for what is forwarded.
    pub fn note_room(&self, state: &State) {
        let is_full = state.letters.len() + state.in_flight >= self.capacity && !state.life.is_over();
        self.links.is_full.store(is_full, Ordering::Release);
    }

    /// Lets actors of other kernels go on that rest because this one was full.
    pub fn wake_linked(&self) {
        if self.links.is_full.load(Ordering::Acquire) {
            return;
        }
        let kernels: Vec<_> = self.links.from().iter().filter_map(Weak::upgrade).collect();
        for kernel in kernels {
            kernel.wake(kernel.lock());
        }
    }

    /// Whether the actors rest because the linked kernel is full.
    pub fn is_held_up(&self) -> bool {
        let Some(other) = self.links.next() else {
            return false;
        };
        other.links.is_full.load(Ordering::Acquire) && !other.leads_to(self)
    }

    /// Whether what this kernel's actors forward may come to another one's in the end.
    fn leads_to(self: Arc<Self>, other: &Shared) -> bool {
        let mut seen = Vec::new();
        let mut at = Some(self);
        while let Some(kernel) = at.take_if(|kernel| !seen.iter().any(|seen| Arc::ptr_eq(seen, kernel))) {
            if std::ptr::eq(&*kernel, other) {
                return true;
            }
            at = kernel.links.next();
            seen.push(kernel);
        }
        false
    }
}

impl Links {
    fn next(&self) -> Option<Arc<Shared>> {
        match self.to.get()? {
            Target::Kernel(_, kernel) => kernel.upgrade(),
            Target::Elsewhere(_) => None,
        }
    }

    fn from(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Shared>>> {
        self.from.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
