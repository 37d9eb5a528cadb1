//! Sending: messages become words, are checked, and wait for room.

use gpuvm_core::types::{RingMessage, VmType};

use super::super::shared::Taken;
use super::KernelHandle;
use super::wait::until;
use crate::error::{Result, RingError, TrySendError};

/// Messages that are turned to words at a time, and the words that these may have.
const CHUNK: usize = 4096;
const CHUNK_WORDS: usize = 1 << 16;

impl KernelHandle {
    /// Sends an actor a message, and waits for room if there is none. A message is handled in the end, or becomes a dead letter; those of
    /// one sender to one actor are handled in the order in which they were sent.
    ///
    /// There may never be room, if nobody receives the answers or activates the kernel. When this has waited for a second `tracing` is told so,
    /// once; [`Status::full`](super::super::Status::full) says what is full.
    ///
    /// # Errors
    ///
    /// [`RingError`], if the kernel is over or does not understand the message, or the actor does not exist or has stopped.
    pub async fn send<M: RingMessage>(&self, actor: u32, message: M) -> Result<()> {
        self.check_message::<M>()?;
        self.check_sizes(&message)?;
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
        if let Err(error) = self.check_message::<M>().and_then(|()| self.check_sizes(&message)) {
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
        let chunk = (CHUNK_WORDS / size.max(1)).clamp(1, CHUNK);
        let most = messages.size_hint().1.map_or(chunk, |most| most.clamp(1, chunk));
        let (mut to, mut words, mut sent) = (Vec::with_capacity(most), vec![0; most * size], 0);
        while messages.peek().is_some() {
            to.clear();
            let mut refused = Ok(());
            for (actor, message) in messages.by_ref().take(most) {
                refused = self.check_sizes(&message);
                if refused.is_err() {
                    break;
                }
                message.write_words(&mut words[to.len() * size..][..size]);
                to.push(actor);
            }
            let (taken, result) = self.accept("send_all", &to, &words[..to.len() * size]).await;
            sent += taken;
            result.and(refused).map_err(|error| RingError::Interrupted {
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

    /// Accepts all messages, as soon as there is room. How many were taken.
    async fn accept(&self, call: &'static str, to: &[u32], words: &[u32]) -> (usize, Result<(), RingError>) {
        let shared = self.shared();
        let size = shared.entry.message.ty.words as usize;
        let mut sent = 0;
        let mut attempt = || {
            let (taken, ended) = shared.accept(call, &to[sent..], &words[sent * size..]);
            sent += taken;
            match ended {
                Taken::Yes => Some(Ok(())),
                Taken::Full => None,
                Taken::No(error) => Some(Err(error)),
            }
        };
        let ended = match attempt() {
            Some(ended) => ended,
            None => {
                let _sender = shared.wait_for_room();
                until(&shared.room, attempt).await
            }
        };
        (sent, ended)
    }

    pub(super) fn check_message<M: RingMessage>(&self) -> Result<(), RingError> {
        match M::ID == self.shared().entry.message.id {
            true => Ok(()),
            false => Err(self.wrong_message(M::TYPE.to_string())),
        }
    }

    /// Refuses a message that its words cannot hold.
    pub(super) fn check_sizes<M: RingMessage>(&self, message: &M) -> Result<(), RingError> {
        match message.fits_words() {
            true => Ok(()),
            false => Err(RingError::SizeTooLarge {
                kernel: self.shared().name(),
            }),
        }
    }

    fn wrong_message(&self, found: String) -> RingError {
        RingError::MessageType {
            kernel: self.shared().name(),
            expected: self.shared().entry.message.name.to_string(),
            found,
        }
    }
}

/// The words of a message.
pub fn words_of<M: VmType>(message: &M) -> Vec<u32> {
    let mut words = vec![0; M::TYPE.words as usize];
    message.write_words(&mut words);
    words
}
