//! How much the host lets a device do before it looks again.

use std::time::Duration;

/// How much one dispatch and one submission may do.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Instructions of a VM in one dispatch.
    pub cycles: u32,
    /// Iterations of loops inside of its instructions.
    pub inner_cycles: u32,
    /// Dispatches in one submission.
    pub dispatches: u32,
}

/// No dispatch runs more instructions of a VM than this.
const MOST_CYCLES: u32 = 32_768;
/// The same for lavapipe, which silently ends a shader after 65,535 iterations of all its loops together, where each of the up to
/// eight VMs that share a vector may add its own inner iterations.
const MOST_CYCLES_SOFTWARE: u32 = 16_384;
/// What such a VM may add; the largest single instruction comes on top.
const INNER_CYCLES_SOFTWARE: u32 = 2_500;
/// Dispatches in one submission at most.
const MOST_DISPATCHES: u32 = 16;
/// A submission of less is made longer, one of more than four times that shorter: far below the two seconds of drivers' watchdogs, far
/// above the cost of a submission.
const PLEASANT: Duration = Duration::from_millis(20);

impl Pace {
    /// Short, because nothing is known yet.
    pub fn start(software: bool) -> Pace {
        let inner_cycles = if software { INNER_CYCLES_SOFTWARE } else { 1 << 20 };
        Pace {
            cycles: 4096,
            inner_cycles,
            dispatches: 1,
        }
    }

    /// Makes the next submission longer or shorter, given how long the last one took.
    pub fn adapt(&mut self, took: Duration, software: bool) {
        let most = if software { MOST_CYCLES_SOFTWARE } else { MOST_CYCLES };
        if took < PLEASANT {
            if self.cycles < most {
                self.cycles = (self.cycles * 2).min(most);
            } else {
                self.dispatches = (self.dispatches * 2).min(MOST_DISPATCHES);
            }
        } else if took > 4 * PLEASANT {
            if self.dispatches > 1 {
                self.dispatches /= 2;
            } else {
                self.cycles = (self.cycles / 2).max(64);
            }
        }
    }
}
