//! What a ring kernel is launched with.

use gpuvm_engine::Engine;

/// How a ring kernel is launched. With `RingOptions { actors: 1024, ..default() }` the rest is as it is for most kernels; what all kernels of a runtime
/// have in common is in [`RuntimeConfig`](crate::RuntimeConfig).
#[derive(Clone, Debug, PartialEq)]
pub struct RingOptions {
    /// How many actors there are, each with a state of its own; at least 1.
    pub actors: u32,
    /// The most messages that wait to be handled or are being handled, of all actors together; as many answers may wait to be received.
    /// 0 is [`RuntimeConfig::queue_capacity`](crate::RuntimeConfig::queue_capacity).
    pub queue_capacity: usize,
    /// What runs the actors. [`Engine::Auto`] is the GPU, or this CPU where there is none.
    pub engine: Engine,
    /// What becomes of an actor that traps.
    pub restart: Restart,
    /// Whether answers to messages that were sent, not called, are to be received. If nobody will, `Answers::Discard` keeps them from filling the
    /// queue, which would hold up the actors.
    pub answers: Answers,
}

impl Default for RingOptions {
    fn default() -> RingOptions {
        RingOptions {
            actors: 1,
            queue_capacity: 0,
            engine: Engine::Auto,
            restart: Restart::default(),
            answers: Answers::default(),
        }
    }
}

/// What becomes of an actor that traps. The message at which it trapped is a dead letter in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restart {
    /// It stops: its other messages are dead letters, and it takes no new ones.
    #[default]
    Stop,
    /// It goes on with its next message, with a fresh state.
    Fresh,
    /// The whole kernel fails.
    FailKernel,
}

/// What becomes of answers that nobody has called for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Answers {
    /// They wait to be received. When the queue is full of them, the actors wait too.
    #[default]
    Keep,
    /// They are dropped.
    Discard,
}

/// How a kernel is terminated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Terminate {
    /// Its actors handle what was sent before.
    #[default]
    Drain,
    /// What was sent and is not being handled becomes dead letters.
    Now,
}
