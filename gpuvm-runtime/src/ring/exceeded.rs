//! Limits of a kernel's attribute that its actors have exceeded, and the bound on what they have under way. Then the kernel is wrong and not a
//! message, so whoever waits for it to be done with all messages is told.

use crate::error::RingError;

/// What was exceeded so far.
#[derive(Default)]
pub(super) struct Exceeded {
    /// What happened first.
    first: Option<RingError>,
    times: u64,
    /// Of how many times somebody was told who waited for the kernel to settle.
    told: u64,
}

impl Exceeded {
    /// So many times more. Whether it was for the first time.
    pub fn note(&mut self, error: &RingError, times: usize) -> bool {
        self.times += times as u64;
        self.first.is_none() && self.first.replace(error.clone()).is_none()
    }

    /// For one who ends the kernel.
    pub fn all(&self) -> Result<(), RingError> {
        match &self.first {
            None => Ok(()),
            Some(first) => Err(RingError::Exceeded {
                times: self.times,
                first: Box::new(first.clone()),
            }),
        }
    }

    /// For one who waits until it has settled: what nobody was told of.
    pub fn news(&mut self) -> Result<(), RingError> {
        match std::mem::replace(&mut self.told, self.times) == self.times {
            true => Ok(()),
            false => self.all(),
        }
    }
}
