//! Snapshots of ring kernels: the actors' states, what waits for them and what waits to be received, as plain words that any engine can
//! go on from.

mod bytes;
#[cfg(test)]
mod tests;

use gpuvm_core::program::{Program, ProgramId};
use gpuvm_core::settings::Settings;
use gpuvm_core::types::{Type, VmType};

use super::handle::KernelHandle;
use super::handler::{Entry, Kind};
use super::options::RingOptions;
use super::question::Question;
use crate::error::{Error, Result, RingError};
use crate::runtime::Runtime;

/// A ring kernel at rest: every actor's state, the messages that wait in their order, the answers that nobody has received, and which actors
/// have stopped. It goes on with the same answers in another process, on another engine, on another device, see
/// [`Runtime::restore_ring`].
///
/// Three things stay behind with the kernel that it was taken of: calls, because their callers wait there; dead letters, because they can
/// be taken from there; and metrics.
///
/// With the feature `serde` it can be serialised; [`to_bytes`](RingSnapshot::to_bytes) gives the same without.
#[derive(Clone, Debug, PartialEq)]
pub struct RingSnapshot {
    /// The kernel's id.
    kernel: String,
    identity: Identity,
    /// What it was launched with; the engine is left open.
    options: RingOptions,
    kept: Kept,
}

/// What tells a kernel from what it was before its source changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Identity {
    /// The identity of its program.
    pub program: ProgramId,
    /// What that was linked with.
    pub settings: Settings,
    /// The number of the type of its messages.
    pub message: u64,
    /// The number of the type of its answers.
    pub answer: Option<u64>,
}

/// What changes while a kernel runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Kept {
    /// The last stamp of its clock.
    pub stamp: u64,
    /// The words of all states.
    pub states: Vec<u32>,
    /// The actors that have stopped, ascending.
    pub stopped: Vec<u32>,
    /// The messages that wait.
    pub waiting: Messages,
    /// How many of them actors have sent; they come first.
    pub sent: usize,
    /// See [`Queue::before_others`](super::queue::Queue::before_others).
    pub before_others: Option<usize>,
    /// The answers that nobody has received.
    pub unreceived: Messages,
}

/// Messages to actors, or answers of actors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Messages {
    /// The actor of each.
    pub actors: Vec<u32>,
    /// The words of each, one after the other.
    pub words: Vec<u32>,
}

impl RingSnapshot {
    /// The id of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// How many actors it has.
    pub fn actors(&self) -> u32 {
        self.options.actors
    }

    /// How many messages wait to be handled.
    pub fn waiting(&self) -> usize {
        self.kept.waiting.actors.len()
    }

    /// How many answers wait to be received.
    pub fn unreceived(&self) -> usize {
        self.kept.unreceived.actors.len()
    }

    /// What the kernel was launched with, but for its engine, which is [`Engine::Auto`](crate::Engine::Auto).
    pub fn options(&self) -> RingOptions {
        self.options.clone()
    }

    /// What is kept, if the kernel of this binary is the one that it was taken of and everything fits it.
    fn checked(mut self, runtime: &Runtime, entry: &'static Entry) -> Result<Kept> {
        // Whatever the runtime links with now: states and messages have nothing to do with it.
        let program = runtime.link_ring_with(entry, &self.identity.settings)?;
        let here = Identity::of(entry, &program, &self.identity.settings);
        self.identity.check(&here, entry.id)?;
        self.kept.check(entry, self.options.actors)?;
        Ok(self.kept)
    }
}

impl KernelHandle {
    /// The whole kernel, to go on from later or elsewhere. The kernel itself can go on too.
    ///
    /// # Errors
    ///
    /// [`RingError::State`] if the kernel is not launched or deactivated; or when the device fails.
    pub async fn snapshot(&self) -> Result<RingSnapshot> {
        let kept = self.ask("snapshot", Question::Kernel).await?;
        Ok(RingSnapshot {
            kernel: self.id().to_string(),
            identity: self.identity(),
            options: self.options(),
            kept,
        })
    }

    /// An actor's state. What an actor that trapped has left is not the same on every engine.
    ///
    /// # Errors
    ///
    /// [`RingError::StateType`] if actors have states of another type; [`RingError::NoSuchActor`]; [`RingError::State`] if the kernel is not
    /// launched or deactivated; or when the device fails.
    pub async fn state<S: VmType>(&self, actor: u32) -> Result<S> {
        let ty = self.check_state(S::TYPE, actor)?;
        let words = self.ask("state", |answer| Question::State(actor, answer)).await?;
        ty.check_words(&words).map_err(|reason| RingError::Undecodable {
            expected: ty.name.to_string(),
            reason: reason.to_string(),
        })?;
        Ok(S::read_words(&words))
    }
}

impl Runtime {
    /// Launches the ring kernel that a snapshot was taken of, deactivated, with everything that the snapshot has. The options may be others
    /// than the kernel had, but for the number of actors: `RingOptions { engine: Engine::Native, ..snapshot.options() }`.
    ///
    /// # Errors
    ///
    /// As [`Runtime::launch_ring`]; [`Error::OtherProgram`] if the ring kernel of this binary is another than the one that the snapshot was
    /// taken of; [`Error::BadSnapshot`] if it contradicts itself.
    pub async fn restore_ring(&self, snapshot: &RingSnapshot, options: RingOptions) -> Result<KernelHandle> {
        let (runtime, snapshot) = (self.clone(), snapshot.clone());
        crate::background::run(
            move |_, _| restore(&runtime, snapshot, &options),
            None,
            Default::default(),
        )
        .await?
    }

    /// [`Runtime::restore_ring`], on a thread that may block.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn blocking_restore_ring(&self, snapshot: &RingSnapshot, options: RingOptions) -> Result<KernelHandle> {
        restore(self, snapshot.clone(), &options)
    }
}

fn restore(runtime: &Runtime, snapshot: RingSnapshot, options: &RingOptions) -> Result<KernelHandle> {
    let entry = super::registry::find(&snapshot.kernel)?;
    if options.actors != snapshot.actors() {
        let RingOptions { actors, .. } = options;
        return Err(RingError::Options {
            what: format!("{actors} actors; the snapshot has {}", snapshot.actors()),
            kernel: snapshot.kernel,
        }
        .into());
    }
    let kept = snapshot.checked(runtime, entry)?;
    super::start(runtime, entry, options, Some(kept))
}

impl Identity {
    /// The identity of a kernel, given its program and what that was linked with.
    pub fn of(entry: &Entry, program: &Program, settings: &Settings) -> Identity {
        Identity {
            program: program.identity(),
            settings: settings.clone(),
            message: entry.message.id,
            answer: entry.answer.map(|kind| kind.id),
        }
    }

    /// Refuses a kernel that is another here than it was.
    fn check(&self, here: &Identity, kernel: &str) -> Result<()> {
        let differs = if self.message != here.message {
            "takes messages of another type here".to_string()
        } else if self.answer != here.answer {
            "gives answers of another type here".to_string()
        } else if self.program != here.program {
            format!("was {}, and is {} here", self.program, here.program)
        } else {
            return Ok(());
        };
        Err(Error::OtherProgram {
            reason: format!("ring kernel `{kernel}` {differs}"),
        })
    }
}

impl Kept {
    /// Refuses what no kernel of so many actors has.
    fn check(&mut self, entry: &Entry, actors: u32) -> Result<()> {
        let bad = |reason: String| Err(Error::BadSnapshot { reason });
        if self.stamp > u64::MAX / 2 {
            return bad("its clock is far in the future".to_string());
        }
        if !self.stopped.is_sorted_by(|a, b| a < b) || self.stopped.last().is_some_and(|last| *last >= actors) {
            return bad("actors that it does not have have stopped".to_string());
        }
        self.check_states(entry.state, &(entry.initial)(), actors)?;
        if self.sent > self.waiting.actors.len() {
            return bad("actors have sent more than there is".to_string());
        }
        let understood = self.waiting.check(Some(entry.message), actors);
        let fits = understood.and_then(|()| self.unreceived.check(entry.answer, actors));
        fits.or_else(bad)
    }

    /// Refuses states that are none. An actor that trapped has left whatever it was about to write, and needs it no more.
    fn check_states(&mut self, ty: &Type, initial: &[u32], actors: u32) -> Result<()> {
        let bad = |reason: String| Err(Error::BadSnapshot { reason });
        let size = ty.words as usize;
        if self.states.len() as u64 != u64::from(actors) * size as u64 {
            return bad("it has not one state an actor".to_string());
        }
        if size == 0 {
            return Ok(());
        }
        for (actor, words) in (0..).zip(self.states.chunks_exact_mut(size)) {
            match ty.check_words(words) {
                Err(_) if self.stopped.binary_search(&actor).is_ok() => words.copy_from_slice(initial),
                Err(reason) => return bad(format!("the state of actor {actor} is impossible: {reason}")),
                Ok(()) => {}
            }
        }
        Ok(())
    }
}

impl Messages {
    /// Adds a message.
    pub fn push(&mut self, actor: u32, words: &[u32]) {
        self.actors.push(actor);
        self.words.extend_from_slice(words);
    }

    /// Refuses what is no message of a kind to or from so many actors.
    fn check(&self, kind: Option<Kind>, actors: u32) -> Result<(), String> {
        let Messages { actors: named, words } = self;
        let Some(Kind { name, ty, .. }) = kind else {
            let nothing = named.is_empty() && words.is_empty();
            return nothing
                .then_some(())
                .ok_or("it has answers, and its actors give none".to_string());
        };
        if let Some(actor) = named.iter().find(|actor| **actor >= actors) {
            return Err(format!("it has a message of actor {actor}, and {actors} actors"));
        }
        let size = ty.words as usize;
        if words.len() != named.len() * size {
            return Err(format!("it has not one `{name}` a message"));
        }
        let mut each = words.chunks_exact(size.max(1));
        let wrong = each.find_map(|words| ty.check_words(words).err());
        wrong.map_or(Ok(()), |reason| Err(format!("it has an impossible message: {reason}")))
    }
}
