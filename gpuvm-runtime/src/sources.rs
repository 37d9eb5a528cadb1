//! The source files that reports show lines of, where they are on this machine.

use std::collections::BTreeMap;
use std::fs;

/// Source files that were read.
#[derive(Default)]
pub(crate) struct Sources {
    read: BTreeMap<String, Option<String>>,
}

impl Sources {
    /// A line of a file, if that is here.
    pub(crate) fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let text = self.read.entry(file.to_string()).or_insert_with(|| {
            let directory = std::env::current_dir().ok()?;
            directory
                .ancestors()
                .find_map(|above| fs::read_to_string(above.join(file)).ok())
        });
        let line = text.as_ref()?.lines().nth((line as usize).checked_sub(1)?)?;
        Some(line.trim_end().to_string())
    }
}
