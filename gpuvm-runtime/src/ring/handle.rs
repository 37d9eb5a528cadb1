//! What a user holds of a ring kernel: its life, and what it tells of itself.

mod ask;
mod blocking;
mod call;
mod owner;
mod receive;
mod send;
mod wait;

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Program;
use gpuvm_core::routine::Level;
use gpuvm_core::settings::Settings;
use gpuvm_engine::Engine;

use self::owner::Owner;
use self::wait::{until, within};
use super::letters::DeadLetter;
use super::link::Carrier;
use super::metrics::{Metrics, Status};
use super::options::Terminate;
use super::profile::Profiled;
use super::shared::Shared;
use super::shared_pump::SharedPump;
use super::thread::PumpThread;
use crate::error::{Error, Life, Result};
use crate::logs::Logs;
use crate::profile::Profile;
use crate::recorder;

/// A ring kernel that was launched. Clones are handles of the same kernel. When the last of them is dropped it is terminated as by
/// [`KernelHandle::blocking_terminate`], and nothing of it is at work any more, unless a native handler does not end: after two seconds without
/// an end of any, it is left alone with a warning, and what waits is lost. Who must not be kept waiting by that terminates the kernel before.
///
/// The asynchronous functions need no particular executor, and each has a twin that blocks.
#[derive(Clone)]
pub struct KernelHandle {
    owner: Arc<Owner>,
}

impl KernelHandle {
    pub(super) fn new(
        (shared, pump, thread): (Arc<Shared>, Arc<SharedPump>, PumpThread),
        engine: Engine,
        program: Arc<Program>,
        settings: Settings,
    ) -> KernelHandle {
        KernelHandle {
            owner: Arc::new(Owner {
                shared,
                pump,
                thread,
                engine,
                program,
                settings,
            }),
        }
    }

    fn shared(&self) -> &Shared {
        &self.owner.shared
    }

    /// The kernel's id.
    pub fn id(&self) -> &str {
        self.shared().entry.id
    }

    /// How many actors it has.
    pub fn actors(&self) -> u32 {
        self.shared().actors
    }

    /// Lets the actors forward messages to those of another kernel, by [`Ring::forward`](super::Ring::forward), while they are not active.
    ///
    /// What is forwarded waits in the other kernel's queue. What actors forward in rounds does not leave the device if both kernels are on one:
    /// [`Metrics::from_linked`] counts that. While that is full this kernel's actors rest, unless the kernels are linked in a
    /// circle; then what exceeds its queue's capacity and [`RingOptions::sent_capacity`](super::RingOptions::sent_capacity) together becomes dead
    /// letters here. What the other kernel does not take, because it is over, becomes a dead letter here; what is for an actor that it does
    /// not have becomes one there. A link does not keep the other kernel from being terminated when its last handle is dropped.
    ///
    /// # Errors
    ///
    /// [`RingError::State`](super::RingError::State) if the kernel is active or over; [`RingError::Link`](super::RingError::Link) if the
    /// other one's actors do not understand what this one's forward, or it is linked already.
    pub fn link(&self, other: &KernelHandle) -> Result<()> {
        Ok(self.owner.shared.link(&other.owner.shared)?)
    }

    /// Lets the actors forward messages to actors elsewhere that are like them, while they are not active: `carrier` takes them, and who brings them calls
    /// [`take_carried`](KernelHandle::take_carried) there. `gpuvm-mpi` links the kernels of ranks so.
    ///
    /// # Errors
    ///
    /// As [`link`](KernelHandle::link).
    pub fn link_elsewhere(&self, carrier: Arc<dyn Carrier>) -> Result<()> {
        Ok(self.owner.shared.link_elsewhere(carrier)?)
    }

    /// Takes messages for these actors that actors elsewhere have forwarded, the words of one after the other's, up to a time stamp of theirs.
    /// What is for an actor that there is not becomes a dead letter.
    ///
    /// # Errors
    ///
    /// [`RingError::State`](super::RingError::State) if the kernel is over.
    pub fn take_carried(&self, to: Vec<u32>, words: Vec<u32>, stamp: u64) -> Result<()> {
        Ok(self.owner.shared.take_carried(to, words, stamp)?)
    }

    /// Lets the actors handle messages, for the first time or again.
    ///
    /// # Errors
    ///
    /// [`RingError::State`](super::RingError::State) if they do already, or the kernel is over.
    pub async fn activate(&self) -> Result<()> {
        let shared = self.shared();
        let mut state = shared.lock();
        if !matches!(state.life, Life::Launched | Life::Deactivated) {
            return Err(shared.wrong_state("activate", "launched or deactivated", &state).into());
        }
        state.life = Life::Active;
        state.counts.begin.get_or_insert_with(std::time::Instant::now);
        tracing::info!(kernel = shared.entry.id, "ring kernel activated");
        recorder::say(Level::Info, shared.entry.id, "activated");
        shared.wake(state);
        Ok(())
    }

    /// Lets the actors rest. When this returns none of them is at work; messages are taken and kept.
    ///
    /// # Errors
    ///
    /// [`RingError::State`](super::RingError::State) if the kernel is not active.
    pub async fn deactivate(&self) -> Result<()> {
        let shared = self.shared();
        {
            let mut state = shared.lock();
            if state.life != Life::Active {
                return Err(shared.wrong_state("deactivate", "active", &state).into());
            }
            state.life = Life::Deactivated;
            // Its pump may rest in the middle of rounds.
            shared.wake(state);
        }
        until(&shared.changed, || (shared.lock().in_flight == 0).then_some(())).await;
        tracing::info!(kernel = shared.entry.id, "ring kernel deactivated");
        recorder::say(Level::Info, shared.entry.id, "deactivated");
        Ok(())
    }

    /// Ends the kernel: it takes no more messages, handles those that it has, and gives everything back that it has of the device. Answers
    /// can still be received.
    ///
    /// # Errors
    ///
    /// [`RingError::State`](super::RingError::State) if it was terminated before; [`RingError::Timeout`](super::RingError::Timeout) if it takes longer than
    /// [`RuntimeConfig::termination_timeout`](super::RuntimeConfig::termination_timeout): what was not handled by then becomes dead letters;
    /// [`RingError::Exceeded`](super::RingError::Exceeded) if it is over and its actors have ever exceeded a limit of its attribute, or
    /// [`RingOptions::sent_capacity`](super::RingOptions::sent_capacity).
    pub async fn terminate(&self) -> Result<()> {
        self.terminate_with(Terminate::Drain).await
    }

    /// As [`KernelHandle::terminate`], or without handling what waits. On an engine that runs programs what is being handled is given up too;
    /// a native handler runs to the end of its message.
    ///
    /// # Errors
    ///
    /// As [`KernelHandle::terminate`].
    pub async fn terminate_with(&self, how: Terminate) -> Result<()> {
        let shared = self.shared();
        {
            let mut state = shared.lock();
            match state.life {
                Life::Terminated => {
                    return Err(shared
                        .wrong_state("terminate", "launched, active or deactivated", &state)
                        .into());
                }
                Life::Failed => {
                    // There is nothing left to end.
                    state.life = Life::Terminated;
                    let exceeded = state.exceeded.all();
                    drop(state);
                    tracing::info!(kernel = shared.entry.id, "ring kernel terminated");
                    recorder::say(Level::Info, shared.entry.id, "terminated");
                    return Ok(exceeded?);
                }
                _ => {}
            }
        }
        shared.begin_to_end(how);
        let over = until(&shared.changed, || shared.lock().life.is_over().then_some(()));
        let timeout = shared.config.termination_timeout;
        match within(timeout, over).await {
            Some(()) => Ok(shared.lock().exceeded.all()?),
            None => {
                shared.begin_to_end(Terminate::Now);
                Err(self.timeout("terminating", timeout))
            }
        }
    }

    /// Waits until every message is handled, those too that actors have sent each other meanwhile.
    ///
    /// # Errors
    ///
    /// [`RingError::State`](super::RingError::State) if messages wait and the actors rest;
    /// [`RingError::Exceeded`](super::RingError::Exceeded) if all are handled and actors have exceeded a limit of its attribute, such as
    /// `#[ring_kernel(sends = …)]`, or [`RingOptions::sent_capacity`](super::RingOptions::sent_capacity), since somebody waited for this the
    /// last time.
    pub async fn settle(&self) -> Result<()> {
        let shared = self.shared();
        let settled = until(&shared.changed, || {
            let mut state = shared.lock();
            if state.is_settled() {
                return Some(state.exceeded.news().map_err(Error::from));
            }
            let rests = matches!(state.life, Life::Launched | Life::Deactivated) && state.in_flight == 0;
            rests.then(|| Err(shared.wrong_state("settle", "active", &state).into()))
        });
        settled.await
    }

    /// What actors have printed since this was asked last, at most 10,000 lines of it. It has been told already, see
    /// [`Done::logs`](crate::Done::logs).
    pub fn take_logs(&self) -> Logs {
        std::mem::take(&mut self.shared().lock().logs)
    }

    /// The oldest dead letter: a message that was accepted and not handled, or an answer that found nobody.
    pub fn dead_letter(&self) -> Option<DeadLetter> {
        self.shared().lock().dead.take()
    }

    /// How the kernel stands.
    ///
    /// # Errors
    ///
    /// None: it can be asked at any time.
    pub async fn status(&self) -> Result<Status> {
        Ok(self.shared().status(self.owner.engine))
    }

    /// What the kernel has done so far.
    ///
    /// # Errors
    ///
    /// None: it can be asked at any time.
    pub async fn metrics(&self) -> Result<Metrics> {
        Ok(self.shared().lock().metrics())
    }

    /// Where its instructions have gone so far, if it was launched with [`RingOptions::profile`](super::RingOptions::profile). Its timeline has batches, rounds and the waits of the kernel's
    /// pump, the last 4096 of each.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] if there can be no thread to wait for what is being counted on.
    pub async fn profile(&self) -> Result<Option<Profile>> {
        let shared = Arc::clone(&self.owner.shared);
        match shared.profile.get().is_some() {
            false => Ok(None),
            true => {
                let profile = move |_: &_, _| shared.profile.get().map(Profiled::profile);
                crate::background::run(profile, None, Default::default()).await
            }
        }
    }

    fn timeout(&self, what: &'static str, after: Duration) -> Error {
        let shared = self.shared();
        shared.timeout(what, after, &shared.lock()).into()
    }
}

impl std::fmt::Debug for KernelHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KernelHandle")
            .field("id", &self.id())
            .field("actors", &self.actors())
            .field("engine", &self.owner.engine)
            .finish_non_exhaustive()
    }
}
