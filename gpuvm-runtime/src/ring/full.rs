//! What is full when a kernel takes no more messages, and who is told of it: somebody who waits for room may wait for ever, because nobody takes
//! the answers, or the actors never began.

use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use super::shared::{Shared, State};
use crate::alarm::Alarm;
use crate::counted::counted;
use crate::error::Life;
use crate::unheard;

/// What keeps a ring kernel from taking messages, or an active one's actors from handling them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Full {
    /// The queue is full, and the actors rest: the kernel was never activated, or was deactivated.
    Resting {
        /// The kernel's state.
        life: Life,
        /// Messages that wait.
        queued: usize,
    },
    /// The queue is full, and the actors are at work.
    Queue {
        /// Messages that wait or are being handled.
        queued: usize,
    },
    /// As many answers wait to be received as there may, so the actors rest.
    Answers {
        /// How many there are.
        unreceived: usize,
    },
    /// The kernel that this one forwards to is full, so the actors rest.
    Linked,
}

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let messages = |queued: &usize| counted(*queued, "message");
        match self {
            Full::Resting {
                life: Life::Launched,
                queued,
            } => write!(
                f,
                "its queue is full with {}, and it was never activated: call `activate`",
                messages(queued)
            ),
            Full::Resting { life, queued } => write!(
                f,
                "its queue is full with {}, and it is {life}: call `activate`",
                messages(queued)
            ),
            Full::Queue { queued } => {
                write!(
                    f,
                    "its queue is full with {}, which its actors handle",
                    messages(queued)
                )
            }
            Full::Answers { unreceived } => write!(
                f,
                "{} that nobody has received fill it, so its actors rest: call `receive`, or launch it with `Answers::Discard`",
                counted(*unreceived, "answer")
            ),
            Full::Linked => f.write_str("the kernel that it is linked to is full, so its actors rest"),
        }
    }
}

/// Those who wait for room.
pub(super) struct Waiting {
    senders: usize,
    /// Since when nobody's message was taken while somebody waited.
    since: Instant,
    /// It is told once.
    is_told: bool,
    alarm: Option<Alarm>,
    bell: Waker,
}

/// After so long it is told.
const LONG: Duration = Duration::from_secs(1);

/// What the alarm rings.
struct Bell(Weak<Shared>);

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        if let Some(shared) = self.0.upgrade() {
            shared.tell_full();
        }
    }
}

impl Waiting {
    /// Nobody. The kernel is told when the alarm rings.
    pub fn new(kernel: Weak<Shared>) -> Waiting {
        Waiting {
            senders: 0,
            since: Instant::now(),
            is_told: false,
            alarm: None,
            bell: Arc::new(Bell(kernel)).into(),
        }
    }

    /// There was room.
    pub fn note_taken(&mut self) {
        if self.senders > 0 {
            self.since = Instant::now();
        }
    }

    fn set_alarm(&mut self) {
        if !self.is_told {
            Alarm::set(&mut self.alarm, self.since + LONG, &self.bell);
        }
    }
}

/// One who waits for room, until it is dropped.
pub(super) struct Sender<'s>(&'s Shared);

impl Drop for Sender<'_> {
    fn drop(&mut self) {
        self.0.lock().waiting.senders -= 1;
    }
}

impl Shared {
    /// Somebody waits for room.
    pub fn wait_for_room(&self) -> Sender<'_> {
        let mut state = self.lock();
        let waiting = &mut state.waiting;
        if waiting.senders == 0 {
            waiting.since = Instant::now();
        }
        waiting.senders += 1;
        waiting.set_alarm();
        Sender(self)
    }

    /// What is full.
    pub fn full(&self, state: &State) -> Option<Full> {
        let queued = state.letters.len() + state.in_flight;
        let is_full = queued >= self.capacity;
        let unreceived = state.outputs.len();
        match state.life {
            Life::Active if unreceived >= self.capacity => Some(Full::Answers { unreceived }),
            Life::Active if self.is_held_up() => Some(Full::Linked),
            Life::Active if is_full => Some(Full::Queue { queued }),
            life @ (Life::Launched | Life::Deactivated) if is_full => Some(Full::Resting { life, queued }),
            _ => None,
        }
    }

    /// Tells that somebody has waited for long, if somebody has.
    fn tell_full(&self) {
        let mut state = self.lock();
        state.waiting.alarm = None;
        if state.waiting.senders == 0 || state.waiting.is_told {
            return;
        }
        let full = self.full(&state).filter(|_| state.waiting.since.elapsed() >= LONG);
        let Some(full) = full else {
            // Whoever waits looks again before long, or is not woken because somebody else was.
            let now = Instant::now();
            if state.waiting.since + LONG <= now {
                state.waiting.since = now;
            }
            return state.waiting.set_alarm();
        };
        state.waiting.is_told = true;
        drop(state);
        let kernel = self.entry.id;
        let warning = format!("who sends ring kernel `{kernel}` a message has waited for {LONG:?}: {full}");
        tracing::warn!(kernel, "{warning}");
        unheard::print(&warning);
    }
}
