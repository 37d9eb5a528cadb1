//! Files that launches leave in a folder that an environment variable names: snapshots of traps, and profiles.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A kind of such files.
pub(crate) struct Dumps {
    /// The environment variable.
    variable: &'static str,
    folder: OnceLock<Option<PathBuf>>,
    left: AtomicU32,
}

impl Dumps {
    /// Those whose folder a variable names.
    pub(crate) const fn of(variable: &'static str) -> Dumps {
        Dumps {
            variable,
            folder: OnceLock::new(),
            left: AtomicU32::new(0),
        }
    }

    /// The folder, if launches are to leave them. What the variable says first counts for the whole process.
    pub(crate) fn folder(&self) -> Option<&PathBuf> {
        let set = || std::env::var_os(self.variable).filter(|folder| !folder.is_empty());
        self.folder.get_or_init(|| set().map(PathBuf::from)).as_ref()
    }

    /// Where the next one of a routine goes, `routine-process-number` in the folder, with this behind the point.
    pub(crate) fn next(&self, routine: &str, extension: &str) -> Option<PathBuf> {
        let folder = self.folder()?;
        let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
        let routine: String = routine.chars().map(plain).collect();
        let number = self.left.fetch_add(1, Ordering::Relaxed) + 1;
        Some(folder.join(format!("{routine}-{}-{number}.{extension}", std::process::id())))
    }
}
