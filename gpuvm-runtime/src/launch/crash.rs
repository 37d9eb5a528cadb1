//! Snapshots of launches in which a VM has trapped, for a debugger to open later and elsewhere.

use std::path::{Path, PathBuf};

use gpuvm_core::program::Status;

use crate::dumps::Dumps;
use crate::error::Result;
use crate::execution::Execution;

/// Those of all launches, if the environment wants them.
static DUMPS: Dumps = Dumps::of("GPUVM_CRASH");

/// Where a launch's snapshot goes if the environment wants one.
pub(super) fn from_environment(routine: &str) -> Option<PathBuf> {
    DUMPS.next(routine, "gpuvm")
}

impl Execution<'_> {
    /// Writes a snapshot of an execution in which a VM has trapped.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::File`].
    pub(super) fn save_trapped(&mut self, path: &Path) -> Result<()> {
        // An engine may keep no more of the first one than what its report says.
        let first = self.leg.as_ref().and_then(|leg| leg.first_trapped());
        if let Some(vm) = first {
            let detached = self.detach(vm)?;
            if detached.vm().status() == Status::Trapped {
                self.attach(&detached)?;
            }
        }
        self.snapshot()?.write(path)
    }
}
