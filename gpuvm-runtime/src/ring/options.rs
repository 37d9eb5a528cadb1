//! What a ring kernel is launched with.

use gpuvm_engine::Engine;

/// How a ring kernel is launched. With `RingOptions { actors: 1024, ..default() }` the rest is as it is for most kernels; what all kernels of a runtime
/// have in common is in [`RuntimeConfig`](crate::RuntimeConfig).
#[derive(Clone, Debug, PartialEq)]
pub struct RingOptions {
    /// How many actors there are, each with a state of its own; at least 1.
    pub actors: u32,
    /// Who sends a message from outside waits while so many wait to be handled or are being handled, of all actors together and whoever has
    /// sent them; as many answers may wait to be received. 0 is
    /// [`RuntimeConfig::queue_capacity`](crate::RuntimeConfig::queue_capacity).
    pub queue_capacity: usize,
    /// The most messages that actors have sent each other and that wait to be handled, of all actors together. When they would be more,
    /// the last that were sent become dead letters with [`RingError::Overflow`](super::RingError::Overflow), which
    /// [`KernelHandle::settle`](super::KernelHandle::settle) tells too: the same ones on every engine.
    ///
    /// Before it comes to that mail is held up that may make it more: actors handle at most so many messages at a time that what they may send
    /// fills the bound, by `#[ring_kernel(sends = …)]`, and hosts' messages wait for room. In memory there are at most twice as many for a moment.
    /// What a kernel in a circle of linked ones forwards to this one is lost likewise where it would have to wait for itself, when this many
    /// beside [`queue_capacity`](RingOptions::queue_capacity) wait.
    ///
    /// 0 is what memory has room for: 2²² as far as these have 128 MiB, and what comes of a full queue as far as that has 256 MiB.
    pub sent_capacity: usize,
    /// What runs the actors. [`Engine::Auto`] is the GPU, or this CPU where there is none.
    pub engine: Engine,
    /// What becomes of an actor that traps.
    pub restart: Restart,
    /// Whether answers to messages that were sent, not called, are to be received. If nobody will, `Answers::Discard` keeps them from filling the
    /// queue, which would hold up the actors.
    pub answers: Answers,
    /// Whether the kernel stays on the device between messages. Few messages at a time, as those of calls, are answered in a fraction of the time
    /// then; many at a time, and what actors send each other, go by launches as ever. Answers are the same.
    pub resident: Resident,
    /// Whether to find out where its instructions go: [`KernelHandle::profile`](super::KernelHandle::profile) has them by source line, routine, stack and actor, as
    /// [`Launch::profile`](crate::Launch::profile) of a launch. With the environment variable `GPUVM_PROFILE` naming a folder, every kernel leaves its profile there when it is over.
    ///
    /// The first batch of messages is sampled, and later ones 100 ms or a hundredth of the kernel's age apart, whichever is longer: up to 1024 actors with up to 64 messages each are run once
    /// more on threads of this CPU, within 2¹⁹ instructions. Before that their states are read, when nothing is under way, which holds batches up for a moment. Of what actors send each other
    /// without the host, only what it begins with is sampled.
    pub profile: bool,
}

impl Default for RingOptions {
    fn default() -> RingOptions {
        RingOptions {
            actors: 1,
            queue_capacity: 0,
            sent_capacity: 0,
            engine: Engine::Auto,
            restart: Restart::default(),
            answers: Answers::default(),
            resident: Resident::default(),
            profile: false,
        }
    }
}

/// Whether a kernel stays on the device, where it is one workgroup of 64 invocations that waits for messages. It leaves after 50 ms without
/// any, and four times a second anyway, so that nothing waits for it for long, and is back with the next message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Resident {
    /// Where it can: on a GPU through CUDA, if the handler prints nothing and no more than three other kernels of the process stay there.
    #[default]
    Auto,
    /// It does, or launching it is an error that says why it cannot.
    Always,
    /// It does not, and each batch of messages is a launch.
    Never,
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
