//! Budgets: how far a launch may run before it has to give the word back.

use std::fmt;
use std::time::Duration;

/// How much a launch may run: instructions of each VM, time, both (whichever is used up first), or no bound.
///
/// ```
/// use std::time::Duration;
/// use gpuvm_runtime::Budget;
///
/// let budget = Budget::cycles(1_000_000).and_time(Duration::from_secs(2));
/// assert_eq!(budget.to_string(), "1000000 instructions of each VM and 2s");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub(crate) cycles: Option<u64>,
    pub(crate) time: Option<Duration>,
}

impl Budget {
    /// At most this many instructions of each VM between two signals, and of each step. Engines that do not count every
    /// instruction may let a VM go on to the end of its basic block.
    pub fn cycles(cycles: u64) -> Budget {
        Budget {
            cycles: Some(cycles),
            time: None,
        }
    }

    /// At most this much time. A submission that is under way is not broken off, so it may take some milliseconds more.
    pub fn time(time: Duration) -> Budget {
        Budget {
            cycles: None,
            time: Some(time),
        }
    }

    /// No bound.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// This budget, and at most so much time.
    pub fn and_time(self, time: Duration) -> Budget {
        Budget {
            time: Some(time),
            ..self
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.cycles, self.time) {
            (None, None) => f.write_str("no bound"),
            (Some(cycles), None) => write!(f, "{cycles} instructions of each VM"),
            (None, Some(time)) => write!(f, "{time:?}"),
            (Some(cycles), Some(time)) => write!(f, "{cycles} instructions of each VM and {time:?}"),
        }
    }
}
