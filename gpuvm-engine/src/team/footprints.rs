//! What is known of what VMs read, so that it is found out once for steps that are the same.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_core::program::Program;

use super::cut::{Cut, Footprint, Known};
use crate::Source;

/// So much is remembered.
const MOST_REMEMBERED: usize = 1 << 10;

/// The footprints of VMs of jobs, by what they depend on.
#[derive(Default)]
pub(super) struct Footprints(Mutex<HashMap<Known, Remembered>>);

/// What is remembered.
struct Remembered {
    /// Its program, which stays where it is for that.
    _program: Arc<Program>,
    footprint: Option<Footprint>,
}

impl Footprints {
    /// What VMs of a part read of slices that all see, if that can be told.
    pub fn of(&self, cut: &Cut, part: &Range<u32>, source: &dyn Source) -> Option<Footprint> {
        let known = cut.known(part, source)?;
        let remembered = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Remembered { footprint, .. }) = remembered().get(&known) {
            return footprint.clone();
        }
        let footprint = cut.footprint(&known);
        let mut all = remembered();
        if all.len() >= MOST_REMEMBERED {
            all.clear();
        }
        let program = cut.program();
        let remembered = Remembered {
            _program: program,
            footprint: footprint.clone(),
        };
        all.insert(known, remembered);
        footprint
    }
}
