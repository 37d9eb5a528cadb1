//! Who waits for answers: a queue in the order in which their messages were accepted, and one alarm for all of them. Most calls are
//! answered sooner than a timer could be set for them, so none is: the alarm rings when the first of those who wait may be overdue, and
//! is left as it is when they are answered.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use super::shared::Shared;
use crate::alarm::Alarm;
use crate::error::RingError;

/// The words of an answer, or why there is none.
pub(super) type Answer = Result<Vec<u32>, RingError>;
/// Where an answer goes to.
pub(super) type Reply = oneshot::Sender<Answer>;

/// One who waits for an answer.
pub(super) struct Caller {
    /// None any more if he was told that it took too long.
    reply: Option<Reply>,
    /// The words of his message, and then room for those of the answer.
    pub words: Vec<u32>,
    /// Since when he waits.
    pub since: Instant,
    /// How long he waits.
    timeout: Duration,
}

impl Caller {
    /// One who waits so long from now on for the answer to a message of these words.
    pub fn new(reply: Reply, words: Vec<u32>, timeout: Duration) -> Caller {
        Caller {
            reply: Some(reply),
            words,
            since: Instant::now(),
            timeout,
        }
    }

    /// Gives him the words of the answer. If he waits no more they come back.
    pub fn answer(mut self, words: &[u32]) -> Result<(), Vec<u32>> {
        let mut own = std::mem::take(&mut self.words);
        own.clear();
        own.extend_from_slice(words);
        self.tell(Ok(own)).map_err(Result::unwrap_or_default)
    }

    /// Tells him why there is no answer. He may be gone.
    pub fn refuse(self, error: RingError) {
        let _ = self.tell(Err(error));
    }

    /// Until when he waits, unless that is further away than a clock counts.
    fn deadline(&self) -> Option<Instant> {
        self.since.checked_add(self.timeout)
    }

    fn tell(self, answer: Answer) -> Result<(), Answer> {
        match self.reply {
            Some(reply) => reply.send(answer).map_err(oneshot::SendError::into_inner),
            None => Err(answer),
        }
    }

    fn is_overdue(&self, now: Instant) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= now)
    }
}

/// All who wait for answers of a kernel.
pub(super) struct Callers {
    queue: VecDeque<Caller>,
    alarm: Option<Alarm>,
    bell: Waker,
}

/// What the alarm rings.
struct Bell(Weak<Shared>);

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        if let Some(shared) = self.0.upgrade() {
            shared.tell_overdue();
        }
    }
}

impl Callers {
    /// Nobody. The kernel is told when the alarm rings.
    pub fn new(kernel: Weak<Shared>) -> Callers {
        Callers {
            queue: VecDeque::new(),
            alarm: None,
            bell: Arc::new(Bell(kernel)).into(),
        }
    }

    /// One more.
    pub fn push(&mut self, caller: Caller) {
        if let Some(deadline) = caller.deadline() {
            Alarm::set(&mut self.alarm, deadline, &self.bell);
        }
        self.queue.push_back(caller);
    }

    /// Takes those who have waited longest out of the queue, so many of them.
    pub fn take(&mut self, count: usize) -> Vec<Caller> {
        self.queue.drain(..count.min(self.queue.len())).collect()
    }

    /// Tells those who came last, so many of them, that there will be no answer.
    pub fn refuse_last(&mut self, count: usize, error: &RingError) {
        let first = self.queue.len().saturating_sub(count);
        self.queue
            .drain(first..)
            .for_each(|caller| caller.refuse(error.clone()));
    }

    /// Where to tell those that they have waited too long who have, and how long that was. The alarm has rung, and is set again for those
    /// who are left.
    pub fn take_overdue(&mut self, now: Instant) -> Vec<(Reply, Duration)> {
        self.alarm = None;
        let overdue = self.queue.iter_mut().filter(|caller| caller.is_overdue(now));
        let overdue = overdue.filter_map(|caller| Some((caller.reply.take()?, caller.timeout)));
        let overdue = overdue.collect();
        let waiting = self.queue.iter().filter(|caller| caller.reply.is_some());
        if let Some(next) = waiting.filter_map(Caller::deadline).min() {
            Alarm::set(&mut self.alarm, next, &self.bell);
        }
        overdue
    }
}
