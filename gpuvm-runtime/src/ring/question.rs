//! What handles ask of the pump, which alone has the actors' states. It answers between two batches, so what it tells belongs together.

use super::clock::Clock;
use super::runner::Runner;
use super::shared::Shared;
use super::snapshot::{Kept, Messages};
use crate::error::Result;

/// Where an answer goes to.
pub(super) type Answer<T> = oneshot::Sender<Result<T>>;

/// A question to the pump.
pub(super) enum Question {
    /// Everything that a snapshot keeps.
    Kernel(Answer<Kept>),
    /// The words of an actor's state.
    State(u32, Answer<Vec<u32>>),
}

impl Question {
    /// Answers it, if whoever has asked still waits.
    pub fn answer(self, shared: &Shared, runner: &mut dyn Runner, clock: &Clock) {
        match self {
            Question::Kernel(answer) => drop(answer.send(kept(shared, runner, clock))),
            Question::State(actor, answer) => drop(answer.send(runner.states(actor..actor + 1))),
        }
    }
}

/// The kernel as it is. Messages may be sent meanwhile, but only the pump lets actors handle them.
fn kept(shared: &Shared, runner: &mut dyn Runner, clock: &Clock) -> Result<Kept> {
    let states = runner.states(0..shared.actors)?;
    let state = shared.lock_opened()?;
    let mut unreceived = Messages::default();
    for (actor, words) in state.outputs.iter() {
        unreceived.push(actor, words);
    }
    Ok(Kept {
        stamp: clock.stamp(),
        states,
        stopped: state.stopped.iter().copied().collect(),
        waiting: state.letters.sent(),
        sent: state.letters.sent_len(),
        before_others: state.letters.before_others(),
        unreceived,
    })
}
