//! What the runs of a plan have in common: the order of its steps, and their kernels, each linked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_core::program::Program;

use super::kernel::Sketch;
use super::order::Order;
use crate::error::Result;

/// A plan that is ready to run.
pub(super) struct Prepared {
    pub order: Order,
    kernels: Mutex<HashMap<Turn, Arc<Linked>>>,
}

/// A launch of a run. What is launched follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Turn {
    pub step: usize,
    /// Entries that the step works on.
    pub entries: usize,
    /// Launches of the step before.
    pub launch: usize,
}

/// A kernel, and the program that it has become.
pub(super) struct Linked {
    pub sketch: Sketch,
    pub program: Arc<Program>,
    /// The most instructions that a VM retires, if its program tells.
    pub longest: Option<u64>,
}

/// Kernels to keep. Behind a filter there may be another one for each number of entries.
const MOST_KERNELS: usize = 1 << 14;

impl Prepared {
    /// A plan of which no kernel is linked yet.
    pub fn new(order: Order) -> Prepared {
        Prepared {
            order,
            kernels: Mutex::default(),
        }
    }

    /// The kernel of a launch, made when it is first asked for.
    ///
    /// # Errors
    ///
    /// What making it fails with.
    pub fn kernel(&self, turn: Turn, make: impl FnOnce() -> Result<Linked>) -> Result<Arc<Linked>> {
        if turn.step >= self.order.steps.len() {
            return Ok(Arc::new(make()?));
        }
        let kernels = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kernels().get(&turn) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        let mut kernels = kernels();
        if kernels.len() >= MOST_KERNELS {
            kernels.clear();
        }
        Ok(Arc::clone(kernels.entry(turn).or_insert(made)))
    }
}
