//! What the system knows of this process.

/// This process at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Bytes of its memory that are resident.
    pub resident: u64,
    /// Its threads.
    pub threads: u64,
}

impl Process {
    /// As it is now; all 0 where the system does not tell, which is everywhere but on Linux.
    pub fn now() -> Process {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        };
        Process {
            resident: field("VmRSS:").map_or(0, |kilobytes: u64| kilobytes << 10),
            threads: field("Threads:").unwrap_or(0),
        }
    }
}
