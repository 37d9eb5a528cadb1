//! How much of the host's memory is left for this process.

use std::fs::read_to_string;
use std::path::{Component, Path, PathBuf};

/// One of Linux's two ways to bound the memory of groups of processes.
struct Hierarchy {
    /// What `/proc/self/cgroup` calls it.
    controller: &'static str,
    /// Where its groups are.
    mount: &'static str,
    /// The file with a group's limit, in bytes.
    limit: &'static str,
    /// The file with what a group has taken, in bytes, copies of files on disk included.
    taken: &'static str,
    /// The lines of `memory.stat` with the bytes of such copies, which are dropped when there is need.
    copies: [&'static str; 2],
}

const HIERARCHIES: [Hierarchy; 2] = [
    Hierarchy {
        controller: "",
        mount: "sys/fs/cgroup",
        limit: "memory.max",
        taken: "memory.current",
        copies: ["inactive_file", "active_file"],
    },
    Hierarchy {
        controller: "memory",
        mount: "sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        taken: "memory.usage_in_bytes",
        copies: ["total_inactive_file", "total_active_file"],
    },
];

/// Bytes that this process can still take, swap included, where the system tells, which is on Linux: what the host has left, or the process's
/// control groups, whatever is less. `root` is where the system's files are.
pub fn bytes(root: &Path) -> Option<u64> {
    let host = read_to_string(root.join("proc/meminfo")).ok()?;
    let of_host = |key| Some(number(&host, key)?.saturating_mul(1024));
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let of_groups = HIERARCHIES
        .iter()
        .filter_map(|hierarchy| hierarchy.left(root, hierarchy.group(&groups)?));
    let memory = of_groups.chain(of_host("MemAvailable:")).min()?;
    Some(memory.saturating_add(of_host("SwapFree:").unwrap_or(0)))
}

impl Hierarchy {
    /// The group that the process is in, from the lines of `/proc/self/cgroup`.
    fn group<'g>(&self, groups: &'g str) -> Option<&'g Path> {
        groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let mut controllers = parts.next()?.split(',');
            let path = parts.next()?;
            controllers.any(|each| each == self.controller).then(|| Path::new(path))
        })
    }

    /// The least that the group and those around it have left. Inside of a container only some of these can be seen.
    fn left(&self, root: &Path, group: &Path) -> Option<u64> {
        let mount = root.join(self.mount);
        let names = group.components().filter(|part| matches!(part, Component::Normal(_)));
        let own = names.collect::<PathBuf>();
        let around = own.ancestors().map(|group| mount.join(group));
        around.filter_map(|group| self.left_of(&group)).min()
    }

    /// What one group has left, if it has a limit.
    fn left_of(&self, group: &Path) -> Option<u64> {
        let read = |file: &str| read_to_string(group.join(file)).ok();
        let bytes = |file: &str| read(file)?.trim().parse::<u64>().ok();
        let limit = bytes(self.limit)?;
        let statistics = read("memory.stat").unwrap_or_default();
        let copies: u64 = self.copies.iter().filter_map(|key| number(&statistics, key)).sum();
        Some(limit.saturating_sub(bytes(self.taken)?.saturating_sub(copies)))
    }
}

/// The number behind a key, which begins a line.
fn number(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == key).then(|| words.next()?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, remove_dir_all, write};

    use super::*;

    /// What is left where the system's files are these.
    fn left(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = std::env::temp_dir().join(format!("gpuvm-room-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(path, text).unwrap();
        }
        let left = bytes(&root);
        let _ = remove_dir_all(&root);
        left
    }

    const HOST: (&str, &str) = (
        "proc/meminfo",
        "MemTotal:  9000 kB\nMemFree:  1 kB\nMemAvailable:  8000 kB\nSwapFree:  10 kB\n",
    );

    #[test]
    fn a_system_that_does_not_tell_is_not_asked() {
        assert_eq!(left("nothing", &[]), None);
        assert_eq!(left("old", &[("proc/meminfo", "MemTotal: 9000 kB\n")]), None);
    }

    #[test]
    fn a_host_without_groups_has_what_is_available_and_swap() {
        assert_eq!(left("host", &[HOST]), Some(8010 * 1024));
    }

    #[test]
    fn the_tightest_group_counts() {
        let files = [
            HOST,
            ("proc/self/cgroup", "0::/outer/inner\n"),
            ("sys/fs/cgroup/outer/memory.max", "1000000\n"),
            ("sys/fs/cgroup/outer/memory.current", "900000\n"),
            (
                "sys/fs/cgroup/outer/memory.stat",
                "anon 5\ninactive_file 200000\nactive_file 50000\n",
            ),
            ("sys/fs/cgroup/outer/inner/memory.max", "max\n"),
            ("sys/fs/cgroup/outer/inner/memory.current", "800000\n"),
        ];
        assert_eq!(left("second", &files), Some(350_000 + 10 * 1024));
    }

    #[test]
    fn a_container_sees_its_group_as_the_top() {
        let files = [
            HOST,
            (
                "proc/self/cgroup",
                "5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n0::/\n",
            ),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "3500000\n"),
            ("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 600000\n"),
        ];
        assert_eq!(left("first", &files), Some(100_000 + 10 * 1024));
        let unlimited = [
            HOST,
            ("proc/self/cgroup", "4:memory:/../1\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n"),
        ];
        assert_eq!(left("unlimited", &unlimited), Some(8010 * 1024));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_host_tells() {
        assert!(bytes(Path::new("/")).is_some_and(|bytes| bytes > 0));
    }
}
