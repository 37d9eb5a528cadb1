//! What was sent to an engine and was not waited for yet.

use gpuvm_engine::Sequence;

use super::data::Data;
use super::prepared::Prepared;
use super::repeat::Gate;
use crate::leg::Course;
use crate::store::Lease;

/// Launches in a row, and what they need until they have ended.
#[derive(Default)]
pub(super) struct UnderWay<'p> {
    pub sequence: Option<Box<dyn Sequence>>,
    pub sent: Vec<Sent<'p>>,
    /// The gate at which the loop that runs has ended. What was sent after it did not run, and nothing is sent until it is reopened.
    pub closed: Option<Gate>,
    /// Leases on the plan's buffers. Columns need none, as nobody else knows them.
    pub leases: Vec<Lease>,
    /// Words that are written by what was sent.
    pub written: u64,
}

/// A launch in the sequence.
pub(super) struct Sent<'p> {
    pub origin: Origin<'p>,
    pub course: Course,
    pub gate: Option<Gate>,
}

/// Which step of a plan or of a body a launch is of, and the columns that it would take to run the step's nodes one by one.
pub(super) struct Origin<'p> {
    pub prepared: &'p Prepared,
    pub step: usize,
    /// The part of the run's profile that the launch is.
    pub part: Option<usize>,
    pub columns: Vec<(usize, Data)>,
}

impl UnderWay<'_> {
    /// Launches on an engine that has such sequences, or none.
    pub fn new(sequence: Option<Box<dyn Sequence>>) -> Self {
        UnderWay {
            sequence,
            ..UnderWay::default()
        }
    }

    /// Whether launches can be added.
    pub fn is_possible(&self) -> bool {
        self.sequence.is_some()
    }

    /// Whether a loop has ended at a gate.
    pub fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Ends a loop at a gate.
    pub fn close(&mut self, gate: Gate) {
        self.closed = Some(gate);
    }

    /// Goes on after a loop that has ended at a gate.
    pub fn reopen(&mut self) -> Option<Gate> {
        self.closed.take()
    }

    /// Whether a loop may have ended since somebody has looked.
    pub fn has_gates(&self) -> bool {
        self.sent.iter().any(|sent| sent.gate.is_some())
    }
}
