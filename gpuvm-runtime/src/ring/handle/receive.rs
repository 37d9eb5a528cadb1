//! Receiving: answers that nobody has called for, one by one, many at once, or as a stream.

use std::time::Duration;

use futures_core::Stream;
use gpuvm_core::types::RingMessage;

use super::super::outputs::Outputs;
use super::KernelHandle;
use super::wait::{until, within};
use crate::error::{Result, RingError};

impl KernelHandle {
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
}
