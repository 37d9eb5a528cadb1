//! What a user holds of a ring kernel.

use std::sync::Arc;
use std::time::Duration;

use event_listener::Event;
use futures_core::Stream;
use futures_lite::future::{block_on, or};
use futures_timer::Delay;
use gpuvm_core::types::{RingMessage, VmType};

use super::error::{RingError, TrySendError};
use super::letters::DeadLetter;
use super::life::Life;
use super::metrics::{Metrics, Status};
use super::options::Terminate;
use super::outputs::Outputs;
use super::shared::{Shared, Taken};
use crate::engine::Engine;
use crate::error::{Error, Result};

/// A ring kernel that was launched. Clones are handles of the same kernel; it is terminated when the last of them is dropped.
///
/// The asynchronous functions need no particular executor, and each has a twin that blocks.
#[derive(Clone)]
pub struct KernelHandle {
    owner: Arc<Owner>,
}

/// Terminates the kernel when no handle is left.
struct Owner {
    shared: Arc<Shared>,
    engine: Engine,
}

/// Messages that are turned to words at a time.
const CHUNK: usize = 4096;

impl KernelHandle {
    pub(super) fn new(shared: Arc<Shared>, engine: Engine) -> KernelHandle {
        KernelHandle {
            owner: Arc::new(Owner { shared, engine }),
        }
    }

    pub(super) fn shared(&self) -> &Shared {
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

    /// Lets the actors handle messages, for the first time or again.
    ///
    /// # Errors
    ///
    /// [`RingError::State`] if they do already, or the kernel is over.
    pub async fn activate(&self) -> Result<()> {
        let shared = self.shared();
        let mut state = shared.lock();
        if !matches!(state.life, Life::Launched | Life::Deactivated) {
            return Err(shared.wrong_state("activate", "launched or deactivated", &state).into());
        }
        state.life = Life::Active;
        state.counts.begin.get_or_insert_with(std::time::Instant::now);
        tracing::info!(kernel = shared.entry.id, "ring kernel activated");
        shared.wake(state);
        Ok(())
    }

    /// Lets the actors rest. When this returns none of them is at work; messages are taken and kept.
    ///
    /// # Errors
    ///
    /// [`RingError::State`] if the kernel is not active.
    pub async fn deactivate(&self) -> Result<()> {
        let shared = self.shared();
        {
            let mut state = shared.lock();
            if state.life != Life::Active {
                return Err(shared.wrong_state("deactivate", "active", &state).into());
            }
            state.life = Life::Deactivated;
        }
        until(&shared.changed, || (shared.lock().in_flight == 0).then_some(())).await;
        tracing::info!(kernel = shared.entry.id, "ring kernel deactivated");
        Ok(())
    }

    /// Ends the kernel: it takes no more messages, handles those that it has, and gives everything back that it has of the device. Answers
    /// can still be received.
    ///
    /// # Errors
    ///
    /// [`RingError::State`] if it was terminated before; [`RingError::Timeout`] if it takes longer than
    /// [`RuntimeConfig::termination_timeout`](super::RuntimeConfig::termination_timeout): what was not handled by then becomes dead letters.
    pub async fn terminate(&self) -> Result<()> {
        self.terminate_with(Terminate::Drain).await
    }

    /// As [`KernelHandle::terminate`], or without handling what waits. On an engine that runs programs what is being handled is given up too;
    /// a native handler runs to its end.
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
                    return Ok(());
                }
                _ => {}
            }
        }
        shared.begin_to_end(how);
        let over = until(&shared.changed, || shared.lock().life.is_over().then_some(()));
        let timeout = shared.config.termination_timeout;
        match within(timeout, over).await {
            Some(()) => Ok(()),
            None => {
                shared.begin_to_end(Terminate::Now);
                Err(self.timeout("terminating", timeout))
            }
        }
    }

    /// Sends an actor a message, and waits for room if there is none. A message is handled in the end, or becomes a dead letter; those of
    /// one sender to one actor are handled in the order in which they were sent.
    ///
    /// # Errors
    ///
    /// [`RingError`], if the kernel is over or does not understand the message, or the actor does not exist or has stopped.
    pub async fn send<M: RingMessage>(&self, actor: u32, message: M) -> Result<()> {
        self.check_message::<M>()?;
        let words = words_of(&message);
        self.accept("send", &[actor], &words).await.1?;
        Ok(())
    }

    /// Sends an actor a message if there is room for it.
    ///
    /// # Errors
    ///
    /// [`TrySendError`] with the message.
    pub fn try_send<M: RingMessage>(&self, actor: u32, message: M) -> Result<(), TrySendError<M>> {
        if let Err(error) = self.check_message::<M>() {
            return Err(TrySendError::Refused { message, error });
        }
        match self.shared().accept("try_send", &[actor], &words_of(&message)).1 {
            Taken::Yes => Ok(()),
            Taken::Full => Err(TrySendError::Full(message)),
            Taken::No(error) => Err(TrySendError::Refused { message, error }),
        }
    }

    /// Sends many messages, each with its actor's number, and waits for room as often as there is none. How many there were.
    ///
    /// # Errors
    ///
    /// [`RingError::Interrupted`], with how many were taken, and as [`KernelHandle::send`].
    pub async fn send_all<M: RingMessage>(&self, messages: impl IntoIterator<Item = (u32, M)>) -> Result<usize> {
        self.check_message::<M>()?;
        let size = M::TYPE.words as usize;
        let mut messages = messages.into_iter().peekable();
        let (mut to, mut words, mut sent) = (Vec::new(), Vec::new(), 0);
        while messages.peek().is_some() {
            to.clear();
            words.clear();
            for (actor, message) in messages.by_ref().take(CHUNK) {
                to.push(actor);
                let at = words.len();
                words.resize(at + size, 0);
                message.write_words(&mut words[at..]);
            }
            let (taken, result) = self.accept("send_all", &to, &words).await;
            sent += taken;
            result.map_err(|error| RingError::Interrupted {
                sent,
                error: Box::new(error),
            })?;
        }
        Ok(sent)
    }

    /// Sends an actor a message that came as bytes: words of 32 bits, the lowest byte first.
    ///
    /// # Errors
    ///
    /// [`RingError::MessageType`] if `id` is not the [`RingMessage::ID`] of what actors understand, [`RingError::Undecodable`] if the bytes are no
    /// such message, and as [`KernelHandle::send`].
    pub async fn send_bytes(&self, actor: u32, id: u64, bytes: &[u8]) -> Result<()> {
        let kind = self.shared().entry.message;
        if id != kind.id {
            return Err(self.wrong_message(format!("type {id:#018x}")).into());
        }
        let undecodable = |reason: String| RingError::Undecodable {
            expected: kind.name.to_string(),
            reason,
        };
        let (whole, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            let length = format!("{} bytes are no whole number of words", bytes.len());
            return Err(undecodable(length).into());
        }
        let words: Vec<u32> = whole.iter().map(|word| u32::from_le_bytes(*word)).collect();
        kind.ty
            .check_words(&words)
            .map_err(|reason| undecodable(reason.to_string()))?;
        self.accept("send_bytes", &[actor], &words).await.1?;
        Ok(())
    }

    /// Waits so long for the next answer to a message that was sent.
    ///
    /// # Errors
    ///
    /// [`RingError::Timeout`]; [`RingError::AnswerType`] if actors answer with another type; [`RingError::State`] if the kernel is over and all
    /// answers were received.
    pub async fn receive<A: RingMessage>(&self, timeout: Duration) -> Result<A> {
        self.receive_from(timeout).await.map(|(_, answer)| answer)
    }

    /// As [`KernelHandle::receive`], with the number of the actor that answers.
    ///
    /// # Errors
    ///
    /// As [`KernelHandle::receive`].
    pub async fn receive_from<A: RingMessage>(&self, timeout: Duration) -> Result<(u32, A)> {
        self.check_answer::<A>()?;
        let answered = until(&self.shared().answered, || self.take().transpose());
        match within(timeout, answered).await {
            Some(answer) => answer,
            None => Err(self.timeout("receiving", timeout)),
        }
    }

    /// Waits until every message is handled, those too that actors have sent each other meanwhile.
    ///
    /// # Errors
    ///
    /// [`RingError::State`] if messages wait and the actors rest.
    pub async fn settle(&self) -> Result<()> {
        let shared = self.shared();
        let settled = until(&shared.changed, || {
            let state = shared.lock();
            if state.is_settled() {
                return Some(Ok(()));
            }
            let rests = matches!(state.life, Life::Launched | Life::Deactivated) && state.in_flight == 0;
            rests.then(|| Err(shared.wrong_state("settle", "active", &state).into()))
        });
        settled.await
    }

    /// The next answer, if there is one now.
    ///
    /// # Errors
    ///
    /// As [`KernelHandle::receive`].
    pub fn try_receive<A: RingMessage>(&self) -> Result<Option<A>> {
        self.check_answer::<A>()?;
        Ok(self.take()?.map(|(_, answer)| answer))
    }

    /// Waits so long for answers, and appends all that have come together to `answers`. How many there were.
    ///
    /// # Errors
    ///
    /// As [`KernelHandle::receive`].
    pub async fn receive_many<A: RingMessage>(&self, answers: &mut Vec<(u32, A)>, timeout: Duration) -> Result<usize> {
        self.check_answer::<A>()?;
        let shared = self.shared();
        let answered = until(&shared.answered, || self.take_by(Outputs::take_together).transpose());
        let Some(taken) = within(timeout, answered).await else {
            return Err(self.timeout("receiving", timeout));
        };
        let taken = taken?;
        answers.extend(taken.iter().map(|(actor, words)| (actor, A::read_words(words))));
        Ok(taken.len())
    }

    /// The answers, as they come; it ends with the kernel.
    pub fn stream<A: RingMessage>(&self) -> impl Stream<Item = Result<A>> + Send + Unpin + 'static {
        let next = async |kernel: KernelHandle| {
            let answered = until(&kernel.shared().answered, || kernel.take().transpose());
            match answered.await {
                Ok((_, answer)) => Some((Ok(answer), kernel)),
                Err(_) => None,
            }
        };
        Box::pin(futures_lite::stream::unfold(self.clone(), move |kernel| async move {
            match kernel.check_answer::<A>() {
                Ok(()) => next(kernel).await,
                Err(error) => Some((Err(error.into()), kernel)),
            }
        }))
    }

    /// The oldest dead letter: a message that was accepted and not handled, or an answer that found nobody.
    pub fn dead_letter(&self) -> Option<DeadLetter> {
        self.shared().lock().dead.pop_front()
    }

    /// How the kernel stands.
    ///
    /// # Errors
    ///
    /// None: it can be asked at any time.
    pub async fn status(&self) -> Result<Status> {
        let shared = self.shared();
        let state = shared.lock();
        Ok(Status {
            kernel: shared.name(),
            life: state.life,
            reason: state.reason.clone(),
            actors: shared.actors,
            stopped_actors: state.stopped.len() as u32,
            engine: self.owner.engine,
        })
    }

    /// What the kernel has done so far.
    ///
    /// # Errors
    ///
    /// None: it can be asked at any time.
    pub async fn metrics(&self) -> Result<Metrics> {
        Ok(self.shared().lock().metrics())
    }

    /// Accepts all messages, as soon as there is room. How many were taken.
    async fn accept(&self, call: &'static str, to: &[u32], words: &[u32]) -> (usize, Result<(), RingError>) {
        let shared = self.shared();
        let size = shared.entry.message.ty.words as usize;
        let mut sent = 0;
        let ended = until(&shared.room, || {
            let (taken, ended) = shared.accept(call, &to[sent..], &words[sent * size..]);
            sent += taken;
            match ended {
                Taken::Yes => Some(Ok(())),
                Taken::Full => None,
                Taken::No(error) => Some(Err(error)),
            }
        })
        .await;
        (sent, ended)
    }

    /// The next answer.
    fn take<A: RingMessage>(&self) -> Result<Option<(u32, A)>> {
        let mut found = None;
        let mut see = |actor, words: &[u32]| found = Some((actor, A::read_words(words)));
        self.take_by(|outputs| outputs.take(&mut see).then_some(()))?;
        Ok(found)
    }

    /// Takes of what can be received, if there is anything. The pump may go on if there was too much.
    fn take_by<T>(&self, take: impl FnOnce(&mut Outputs) -> Option<T>) -> Result<Option<T>> {
        let shared = self.shared();
        let mut state = shared.lock();
        let taken = take(&mut state.outputs);
        if taken.is_none() && state.life.is_over() {
            return Err(shared
                .wrong_state("receive", "launched, active or deactivated", &state)
                .into());
        }
        if state.may_run(shared) && !state.letters.is_empty() {
            shared.wake(state);
        }
        Ok(taken)
    }

    pub(super) fn check_message<M: RingMessage>(&self) -> Result<(), RingError> {
        match M::ID == self.shared().entry.message.id {
            true => Ok(()),
            false => Err(self.wrong_message(M::TYPE.to_string())),
        }
    }

    fn wrong_message(&self, found: String) -> RingError {
        RingError::MessageType {
            kernel: self.shared().name(),
            expected: self.shared().entry.message.name.to_string(),
            found,
        }
    }

    pub(super) fn check_answer<A: RingMessage>(&self) -> Result<(), RingError> {
        let answer = self.shared().entry.answer;
        match answer {
            Some(kind) if kind.id == A::ID => Ok(()),
            _ => Err(RingError::AnswerType {
                kernel: self.shared().name(),
                expected: answer.map_or("nothing".to_string(), |kind| format!("`{}`", kind.name)),
                found: A::TYPE.to_string(),
            }),
        }
    }

    pub(super) fn timeout(&self, what: &'static str, after: Duration) -> Error {
        let shared = self.shared();
        shared.timeout(what, after, &shared.lock()).into()
    }
}

/// The same functions for threads that may block.
macro_rules! blocking {
    ($($blocking:ident of $name:ident $(<$($ty:ident),+>)? ($($arg:ident: $arg_ty:ty),*) -> $result:ty;)*) => {
        impl KernelHandle {$(
            #[doc = concat!("[`KernelHandle::", stringify!($name), "`], on a thread that may block.")]
            ///
            /// # Errors
            ///
            /// The same.
            pub fn $blocking $(<$($ty: RingMessage),+>)? (&self, $($arg: $arg_ty),*) -> Result<$result> {
                block_on(self.$name($($arg),*))
            }
        )*}
    };
}
blocking! {
    blocking_activate of activate() -> ();
    blocking_deactivate of deactivate() -> ();
    blocking_terminate of terminate() -> ();
    blocking_terminate_with of terminate_with(how: Terminate) -> ();
    blocking_send of send<M>(actor: u32, message: M) -> ();
    blocking_send_all of send_all<M>(messages: impl IntoIterator<Item = (u32, M)>) -> usize;
    blocking_send_bytes of send_bytes(actor: u32, id: u64, bytes: &[u8]) -> ();
    blocking_receive of receive<A>(timeout: Duration) -> A;
    blocking_receive_from of receive_from<A>(timeout: Duration) -> (u32, A);
    blocking_receive_many of receive_many<A>(answers: &mut Vec<(u32, A)>, timeout: Duration) -> usize;
    blocking_settle of settle() -> ();
    blocking_status of status() -> Status;
    blocking_metrics of metrics() -> Metrics;
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.begin_to_end(Terminate::Drain);
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

/// The words of a message.
pub(super) fn words_of<M: VmType>(message: &M) -> Vec<u32> {
    let mut words = vec![0; M::TYPE.words as usize];
    message.write_words(&mut words);
    words
}

/// Waits until an attempt succeeds, which is made anew after each notice of the event.
pub(super) async fn until<T>(event: &Event, mut attempt: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(done) = attempt() {
            return done;
        }
        let listener = event.listen();
        if let Some(done) = attempt() {
            return done;
        }
        listener.await;
    }
}

/// The end of a future, if it comes in time.
pub(super) async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let late = async {
        Delay::new(time).await;
        None
    };
    or(async { Some(future.await) }, late).await
}
