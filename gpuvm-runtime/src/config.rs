//! What the ring kernels of a runtime have in common.

use std::time::Duration;

/// What the ring kernels of a runtime have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeConfig {
    /// The most messages that wait, for a kernel that does not say so itself.
    pub queue_capacity: usize,
    /// How long a call waits for its answer.
    pub call_timeout: Duration,
    /// How long terminating waits for what was sent before.
    pub termination_timeout: Duration,
    /// The most dead letters that are kept until somebody takes them; the oldest go first. They have at most 256 MiB.
    pub dead_letters: usize,
    /// Whether latencies are measured.
    pub telemetry: bool,
}

impl Default for RuntimeConfig {
    fn default() -> RuntimeConfig {
        RuntimeConfig {
            queue_capacity: 4096,
            call_timeout: Duration::from_secs(5),
            termination_timeout: Duration::from_secs(10),
            dead_letters: 1 << 16,
            telemetry: true,
        }
    }
}
