//! What it takes to come again to where actors are: their states as they were a while ago, and what they have been given since.

use std::sync::Arc;
use std::time::Duration;

use super::super::context::Sent;
use super::super::handler;
use super::shares::Own;

/// States, and what has changed them since.
#[derive(Default)]
pub struct Replay {
    states: Vec<u32>,
    entries: Vec<Entry>,
    /// Words of these.
    words: usize,
    /// How long actors were at them.
    time: Duration,
    /// How long it took to get the states.
    took: Duration,
}

/// What changes states.
pub enum Entry {
    /// Messages that were handled at a time of the kernel's clock, as each device had them.
    Batch(Vec<Option<Own>>, u64),
    /// So many rounds on messages, which have begun at a time of the kernel's clock, and the actors that had stopped then.
    Rounds {
        sent: Arc<Sent>,
        stopped: Vec<u32>,
        now: u64,
        count: u64,
    },
    /// Actors that have got their first state again.
    Reset(Vec<u32>),
}

/// So many words are kept, or as many as there are of states.
const WORDS: usize = 1 << 20;
/// Actors are brought to where they were in about so long, or in as long as getting the states takes twenty times, so that this costs a twentieth at most.
const LONGEST: Duration = Duration::from_secs(1);
const TIMES: u32 = 20;

impl Replay {
    /// That of actors in their first state.
    pub fn of(entry: &handler::Entry, actors: u32) -> Replay {
        Replay {
            states: (entry.initial)().repeat(actors as usize),
            ..Replay::default()
        }
    }

    /// The states from which it begins.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// What has come since, in its order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Takes in what has changed states, for so long.
    pub fn push(&mut self, entry: Entry, time: Duration) {
        self.words += match &entry {
            Entry::Batch(all, _) => {
                let batches = all.iter().flatten().map(|own| &own.batch);
                let words = batches.map(|batch| batch.words.len() + 3 * batch.mail.len() + batch.places.len());
                words.sum()
            }
            Entry::Rounds { sent, stopped, .. } => sent.to.len() + sent.words.len() + stopped.len(),
            Entry::Reset(actors) => actors.len(),
        };
        self.time += time;
        self.entries.push(entry);
    }

    /// Whether it is time to begin at other states.
    pub fn is_due(&self) -> bool {
        self.words > WORDS.max(self.states.len()) || self.time > LONGEST.max(self.took * TIMES)
    }

    /// Begins at these states, which took so long to get.
    pub fn begin_at(&mut self, states: Vec<u32>, took: Duration) {
        *self = Replay {
            states,
            took,
            ..Replay::default()
        };
    }
}
