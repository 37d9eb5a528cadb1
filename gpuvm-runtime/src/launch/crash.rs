//! Snapshots of launches in which a VM has trapped, for a debugger to open later and elsewhere.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_core::program::Status;

use crate::error::Result;
use crate::execution::Execution;

/// The environment variable that names a folder for such snapshots of all launches.
const VARIABLE: &str = "GPUVM_CRASH";

/// Where a launch's snapshot goes if the environment wants one: `routine-process-number.gpuvm` in its folder.
pub(super) fn from_environment(routine: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let set = || {
        std::env::var_os(VARIABLE)
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from)
    };
    let folder = FOLDER.get_or_init(set).as_ref()?;
    let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    let routine: String = routine.chars().map(plain).collect();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    Some(folder.join(format!("{routine}-{}-{number}.gpuvm", std::process::id())))
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
