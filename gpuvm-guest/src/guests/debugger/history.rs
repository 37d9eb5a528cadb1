//! What a guest has been under a debugger: moments to go on from again, and the answers that it got.

use std::collections::BTreeMap;

use super::super::State;
use super::Moment;
use crate::system::{Heap, Streams};

/// Instructions between two moments that are kept, at first.
const INTERVAL: u64 = 1 << 20;
/// When there are more, every other one goes.
const MOST: usize = 32;

/// Moments, by the instructions that the guest had retired.
#[derive(Debug)]
pub struct History {
    first: Moment,
    later: BTreeMap<u64, Kept>,
    interval: u64,
    answers: BTreeMap<u64, Answered>,
}

#[derive(Debug)]
struct Kept {
    moment: Moment,
    /// Whether the debugger has changed something here: the guest does not come to this by itself.
    is_changed: bool,
}

/// What the answer to a system call has made of a guest.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Edits of its memory.
    pub edits: Vec<u32>,
    pub streams: Streams,
    pub heap: Heap,
    pub state: State,
}

impl Answered {
    pub fn apply(&self, to: &mut Moment, shared: &[u32]) {
        to.guest.streams.clone_from(&self.streams);
        to.guest.heap = self.heap;
        to.guest.state = self.state;
        if !self.edits.is_empty() && to.edit(shared, &self.edits) {
            to.guest.state = self.state.refused();
        }
        // Its registers have the answer at once, and not only with its next instruction.
        to.run(shared, 0, u64::MAX);
    }
}

impl History {
    /// Begins at a moment.
    pub fn new(now: &Moment) -> History {
        History {
            first: now.clone(),
            later: BTreeMap::new(),
            interval: INTERVAL,
            answers: BTreeMap::new(),
        }
    }

    /// The moment at which it began.
    pub fn first(&self) -> &Moment {
        &self.first
    }

    /// The last moment that is kept up to where the guest had retired so many instructions.
    pub fn at(&self, retired: u64) -> &Moment {
        let kept = self.later.range(..=retired).next_back();
        kept.map_or(&self.first, |(_, kept)| &kept.moment)
    }

    /// Keeps a moment if the last one is long ago.
    pub fn see(&mut self, now: &Moment) {
        if now.guest.retired - self.at(now.guest.retired).guest.retired < self.interval {
            return;
        }
        self.keep(now, false);
        if self.later.len() > MOST {
            let mut odd = false;
            self.later.retain(|_, kept| {
                odd = !odd;
                kept.is_changed || odd
            });
            self.interval *= 2;
        }
    }

    /// Where the debugger has next changed something, after so many instructions.
    pub fn next_change(&self, retired: u64) -> Option<u64> {
        let mut later = self.later.range(retired.saturating_add(1)..);
        later.find(|(_, kept)| kept.is_changed).map(|(retired, _)| *retired)
    }

    /// What it has made of the guest, if it has changed something there.
    pub fn changed_at(&self, retired: u64) -> Option<&Moment> {
        let kept = self.later.get(&retired).filter(|kept| kept.is_changed);
        kept.map(|kept| &kept.moment)
    }

    /// The debugger has changed something: what came after is no more.
    pub fn change(&mut self, now: &Moment) {
        let after = now.guest.retired.saturating_add(1);
        drop(self.later.split_off(&after));
        drop(self.answers.split_off(&after));
        self.keep(now, true);
    }

    fn keep(&mut self, now: &Moment, is_changed: bool) {
        let moment = now.clone();
        self.later.insert(now.guest.retired, Kept { moment, is_changed });
    }

    /// Notes the answer to a system call, behind which the guest had retired so many instructions.
    pub fn note(&mut self, retired: u64, answered: Answered) {
        self.answers.insert(retired, answered);
    }

    /// Answers as it was answered before, if it was.
    pub fn repeat_answer(&self, now: &mut Moment, shared: &[u32]) -> bool {
        let answered = self.answers.get(&now.guest.retired);
        if let Some(answered) = answered {
            answered.apply(now, shared);
        }
        answered.is_some()
    }
}
