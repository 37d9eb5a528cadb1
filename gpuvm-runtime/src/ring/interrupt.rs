//! When rounds end because messages wait. To take these in costs what bringing everybody's mail back from the device does, so whoever sends
//! many has to have paused, or to have sent for long; who calls is not kept waiting.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::shared::Shared;

/// What has been seen of the messages that wait while rounds go on.
#[derive(Default)]
pub(super) struct Interrupt {
    /// How many messages there were at the last look.
    waiting: Cell<usize>,
    /// When the first of them was seen.
    since: Cell<Option<Instant>>,
}

/// The longest that messages wait for whoever sends more of them.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

impl Interrupt {
    /// Whether somebody wants the pump now.
    pub fn is_due(&self, shared: &Shared) -> bool {
        let state = shared.lock();
        let waiting = state.letters.len();
        if waiting == 0 || state.letters.has_calls() || state.has_news(shared) {
            return state.has_work(shared);
        }
        let since = self.since.get().unwrap_or_else(Instant::now);
        self.since.set(Some(since));
        self.waiting.replace(waiting) == waiting || since.elapsed() > LONGEST_WAIT
    }
}
