//! Asking the pump: what a kernel has while its actors rest.

use gpuvm_core::types::Type;
use gpuvm_engine::Engine;

use super::super::options::{Resident, RingOptions};
use super::super::question::{Answer, Question};
use super::super::snapshot::Identity;
use super::{KernelHandle, Owner};
use crate::error::{Life, Result, RingError};

impl KernelHandle {
    /// Asks the pump while the actors rest, and waits for what it answers.
    pub(in super::super) async fn ask<T>(
        &self,
        call: &'static str,
        question: impl FnOnce(Answer<T>) -> Question,
    ) -> Result<T> {
        const NEEDED: &str = "launched or deactivated";
        let shared = self.shared();
        let (answer, answered) = oneshot::async_channel();
        {
            let mut state = shared.lock();
            if !matches!(state.life, Life::Launched | Life::Deactivated) {
                return Err(shared.wrong_state(call, NEEDED, &state).into());
            }
            state.questions.push(question(answer));
            shared.wake(state);
        }
        // The pump answers every question before it ends, but when it fails.
        let failed = || Err(shared.wrong_state(call, NEEDED, &shared.lock()).into());
        answered.await.unwrap_or_else(|_| failed())
    }

    /// The type of the actors' states, if there is such an actor and `found` is that type.
    pub(in super::super) fn check_state(&self, found: &Type, actor: u32) -> Result<&'static Type, RingError> {
        let shared = self.shared();
        let expected = shared.entry.state;
        if actor >= shared.actors {
            return Err(shared.no_such_actor(actor));
        }
        match expected.same(found) {
            true => Ok(expected),
            false => Err(RingError::StateType {
                kernel: shared.name(),
                expected: expected.to_string(),
                found: found.to_string(),
            }),
        }
    }

    /// What tells the kernel from others.
    pub(in super::super) fn identity(&self) -> Identity {
        let Owner {
            shared,
            program,
            settings,
            ..
        } = &*self.owner;
        Identity::of(shared.entry, program, settings)
    }

    /// What it was launched with, whatever the engine.
    pub(in super::super) fn options(&self) -> RingOptions {
        let shared = self.shared();
        RingOptions {
            actors: shared.actors,
            queue_capacity: shared.capacity,
            sent_capacity: shared.bound.most,
            engine: Engine::Auto,
            restart: shared.restart,
            answers: shared.answers,
            resident: Resident::default(),
            profile: false,
        }
    }
}
