//! What all handles of a kernel share, and what happens when the last of them is dropped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::program::Program;
use gpuvm_core::settings::Settings;
use gpuvm_engine::Engine;

use super::super::activity;
use super::super::options::Terminate;
use super::super::shared::Shared;
use super::super::shared_pump::SharedPump;
use super::super::thread::PumpThread;
use crate::unheard;

/// How long is waited for what an engine gives up: it looks whether it is to do so more often than that, natively between two messages.
const GIVING_UP: Duration = Duration::from_secs(1);

/// How long an engine may take without an end of any handler before it is told of, and before the native engine's, which cannot be stopped, is
/// left alone.
const STUCK: Duration = Duration::from_secs(2);

/// Terminates the kernel when no handle is left.
pub(super) struct Owner {
    pub shared: Arc<Shared>,
    pub pump: Arc<SharedPump>,
    pub thread: PumpThread,
    pub engine: Engine,
    /// What each VM of it does, on whatever it runs.
    pub program: Arc<Program>,
    /// What that was linked with.
    pub settings: Settings,
}

impl Owner {
    /// Waits until everything is handled, as long as that may take.
    fn drain(&mut self) -> Drained {
        let begin = Instant::now();
        let timeout = self.shared.config.termination_timeout;
        let mut is_told = false;
        loop {
            let before = self.shared.lock().progress();
            let left = timeout.saturating_sub(begin.elapsed());
            if self.thread.wait(left.min(STUCK)) {
                return Drained::All;
            }
            if begin.elapsed() >= timeout {
                return Drained::NotInTime;
            }
            if self.shared.lock().progress() != before {
                continue;
            }
            if self.engine == Engine::Native {
                return Drained::Stuck;
            }
            if !std::mem::replace(&mut is_told, true) {
                self.warn(
                    "was dropped, and waits for handlers that have not ended for 2s; a `termination_timeout` bounds it",
                );
            }
        }
    }

    fn warn(&self, what: &str) {
        let kernel = self.shared.entry.id;
        let warning = format!("ring kernel `{kernel}` {what}");
        tracing::warn!(kernel, "{warning}");
        unheard::print(&warning);
    }
}

/// What has become of messages that a kernel had when it was dropped.
#[derive(PartialEq)]
enum Drained {
    All,
    /// Others are still being handled, one after the other.
    NotInTime,
    /// A native handler does not end.
    Stuck,
}

impl Drop for Owner {
    fn drop(&mut self) {
        activity::forget(&self.shared);
        self.shared.begin_to_end(Terminate::Drain);
        let drained = self.drain();
        if drained == Drained::All {
            return;
        }
        self.shared.begin_to_end(Terminate::Now);
        let most = match drained {
            // Nobody can stop a thread, so there is nothing to wait for.
            Drained::Stuck => Duration::ZERO,
            _ => GIVING_UP,
        };
        if !self.thread.wait(most) && self.engine == Engine::Native {
            self.warn("was dropped and its handler does not end, so it is left alone and what waits is lost");
        }
    }
}
