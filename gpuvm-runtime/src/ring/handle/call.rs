//! Calls: a message is sent, and who sent it waits for its answer.

use std::time::Duration;

use gpuvm_core::types::RingMessage;

use super::super::callers::Caller;
use super::super::rest::block_on;
use super::super::shared::Taken;
use super::super::shared_pump::SharedPump;
use super::KernelHandle;
use super::send::words_of;
use super::wait::{until, within};
use crate::error::{Result, RingError};

impl KernelHandle {
    /// Sends an actor a message and waits for the answer to it, at most
    /// [`RuntimeConfig::call_timeout`](super::super::RuntimeConfig::call_timeout).
    ///
    /// # Errors
    ///
    /// As [`KernelHandle::call_within`].
    pub async fn call<A: RingMessage>(&self, actor: u32, request: impl RingMessage) -> Result<A> {
        self.call_within(actor, request, self.shared().config.call_timeout)
            .await
    }

    /// Sends an actor a message and waits so long for the answer to it. However many calls there are at a time, each gets its own answer.
    ///
    /// # Errors
    ///
    /// [`RingError::Timeout`], after which an answer becomes a dead letter; [`RingError::Trapped`] with where and why;
    /// [`RingError::NoAnswer`]; [`RingError::State`] if the kernel is not active; and as [`KernelHandle::send`].
    pub async fn call_within<M: RingMessage, A: RingMessage>(
        &self,
        actor: u32,
        request: M,
        timeout: Duration,
    ) -> Result<A> {
        self.call_with(actor, request, timeout, None).await
    }

    /// The same, helping the pump if that is given.
    async fn call_with<M: RingMessage, A: RingMessage>(
        &self,
        actor: u32,
        request: M,
        timeout: Duration,
        helped: Option<&SharedPump>,
    ) -> Result<A> {
        self.check_message::<M>()?;
        self.check_answer::<A>()?;
        self.check_sizes(&request)?;
        let shared = self.shared();
        let (reply, answer) = oneshot::async_channel();
        let mut caller = Some(Caller::new(reply, words_of(&request), timeout));
        let mut accept = || match shared.accept_call(actor, &mut caller, helped.is_some()) {
            Taken::Yes => Some(Ok(())),
            Taken::Full => None,
            Taken::No(error) => Some(Err(error)),
        };
        match accept() {
            Some(taken) => taken?,
            // Who waits for room is not among those whom the kernel tells that it takes too long.
            None => {
                let _sender = shared.wait_for_room();
                match within(timeout, until(&shared.room, accept)).await {
                    Some(taken) => taken?,
                    None => return Err(self.timeout("a call", timeout)),
                }
            }
        }
        if let Some(pump) = helped {
            pump.help();
        }
        // The kernel answers every call before it ends.
        let words = answer.await;
        let words = words.unwrap_or_else(|_| Err(RingError::Closed { kernel: shared.name() }))?;
        Ok(A::read_words(&words))
    }

    /// [`KernelHandle::call`], on a thread that may block.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn blocking_call<A: RingMessage>(&self, actor: u32, request: impl RingMessage) -> Result<A> {
        self.blocking_call_within(actor, request, self.shared().config.call_timeout)
    }

    /// [`KernelHandle::call_within`], on a thread that may block.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn blocking_call_within<M: RingMessage, A: RingMessage>(
        &self,
        actor: u32,
        request: M,
        timeout: Duration,
    ) -> Result<A> {
        let call = self.call_with(actor, request, timeout, Some(&self.owner.pump));
        block_on(call, &self.shared().patience)
    }
}
