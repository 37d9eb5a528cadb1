//! Waiting for what other ranks do, without a core of its own for it: this CPU's engines have all of them.

use std::time::{Duration, Instant};

/// So often one looks before one lets others run, so that what is under way already takes no longer.
const LOOKS: u32 = 2000;
/// So often one lets others run before one sleeps.
const TURNS: u32 = 200;
const LONG: u32 = LOOKS + TURNS;
/// So long one sleeps.
const NAP: Duration = Duration::from_micros(50);

/// How long one has waited for something.
pub(crate) struct Patience {
    looks: u32,
    since: Instant,
}

impl Patience {
    pub fn new() -> Patience {
        Patience {
            looks: 0,
            since: Instant::now(),
        }
    }

    /// Waits a little, longer after many times.
    pub fn wait(&mut self) {
        if self.looks < LOOKS {
            std::hint::spin_loop();
        } else if self.looks < LONG {
            std::thread::yield_now();
        } else {
            std::thread::sleep(NAP);
        }
        self.looks = self.looks.saturating_add(1);
    }

    /// Whether it takes so long that one asks why.
    pub fn is_long(&self) -> bool {
        self.looks > LONG
    }

    /// For how long one has waited.
    pub fn waited(&self) -> Duration {
        self.since.elapsed()
    }
}
