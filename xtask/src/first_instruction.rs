//! `cargo xtask first-instruction`: how long whoever launches a program waits until it begins, for each routine of `tests/programs` on each engine of the
//! device at hand. The tests launch each twice and tell both times; the first launch has all that is compiled, so the difference is what is waited for.
//! Nobody else should be busy on the machine meanwhile.

use std::process::Stdio;

/// What tells drivers and gpuvm to keep no compiled code on disk, so that what is called a first launch is one.
const COLD: [(&str, &str); 4] = [
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    ("__GL_SHADER_DISK_CACHE", "0"),
    ("CUDA_CACHE_DISABLE", "1"),
    ("GPUVM_CACHE_DIR", ""),
];

/// Seconds that a launch may take to its first instruction on a device that the CPU plays, and on others.
const MOST: [f64; 2] = [10.0, 2.0];

/// What to show.
#[derive(clap::Args)]
pub struct Options {
    /// How many of the longest waits of each engine.
    #[arg(long, default_value_t = 10)]
    rows: usize,
    /// Only programs in whose name this is.
    #[arg(default_value = "")]
    program: String,
}

/// A routine's first launch on an engine, in seconds.
#[derive(Clone, Debug, PartialEq)]
struct Launch {
    routine: String,
    engine: String,
    first: f64,
    again: f64,
    /// What its compiler would have taken by estimate, if it was left to the interpreter.
    estimate: String,
    kind: String,
    device: String,
}

impl Launch {
    /// What a test tells of it.
    fn read(line: &str) -> Option<Launch> {
        // The name of a test may stand before it.
        let (_, told) = line.split_once("launched\t")?;
        let [routine, engine, first, again, estimate, kind, device] = told.split('\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        Some(Launch {
            routine: routine.to_string(),
            engine: engine.to_string(),
            first: first.parse().ok()?,
            again: again.parse().ok()?,
            estimate: estimate.to_string(),
            kind: kind.to_string(),
            device: device.to_string(),
        })
    }

    fn waited(&self) -> f64 {
        (self.first - self.again).max(0.0)
    }
}

/// Launches, prints a table for each engine and fails if one took too long.
pub fn run(options: &Options) -> Result<(), String> {
    // The features of the whole workspace, with which everything else is built already.
    let mut command = crate::cargo_command(&["test", "--workspace", "--test", "programs", "--"]);
    command
        .args(["--test-threads", "1", "--nocapture", &options.program])
        .envs(COLD)
        .env("GPUVM_FIRST_INSTRUCTION", "1")
        .env("RUST_BACKTRACE", "0")
        .stderr(Stdio::inherit());
    crate::adapter::ensure_for(&mut command)?;
    let output = command
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    let told = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("{told}\nthe programs do not run"));
    }
    let launches: Vec<Launch> = told.lines().filter_map(Launch::read).collect();
    let mut engines: Vec<&str> = launches.iter().map(|launch| &*launch.engine).collect();
    engines.sort_unstable();
    engines.dedup();
    let mut slow = 0;
    for engine in engines {
        let longest = longest_of(&launches, engine);
        let Some(first) = longest.first() else { continue };
        println!("{engine} engine, {}, {} routines", first.device, longest.len());
        println!(
            "{:<28} {:>10} {:>10} {:>10} {:>10}",
            "seconds", "to begin", "first", "again", "estimate"
        );
        for launch in longest.iter().take(options.rows) {
            println!(
                "{:<28} {:>10.2} {:>10.2} {:>10.2} {:>10}",
                launch.routine,
                launch.waited(),
                launch.first,
                launch.again,
                launch.estimate
            );
        }
        println!();
        slow += longest.iter().filter(|launch| launch.waited() > most(launch)).count();
    }
    match slow {
        0 => Ok(()),
        slow => Err(format!("{slow} launches take too long to their first instruction")),
    }
}

/// The longest wait for each routine on an engine, the longest of all first.
fn longest_of<'l>(launches: &'l [Launch], engine: &str) -> Vec<&'l Launch> {
    let mut longest: Vec<&Launch> = launches.iter().filter(|launch| launch.engine == engine).collect();
    longest.sort_by(|a, b| b.waited().total_cmp(&a.waited()));
    let mut seen = std::collections::HashSet::new();
    longest.retain(|launch| seen.insert(&launch.routine));
    longest
}

fn most(launch: &Launch) -> f64 {
    MOST[usize::from(launch.kind != "Software")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wait_for_a_routine_counts() {
        let told = "test fft ... launched\tfft\tspecialized\t2.500\t0.500\t-\tSoftware\tllvmpipe\n\
                    launched\tfft\tspecialized\t0.600\t0.700\t-\tSoftware\tllvmpipe\n\
                    launched\tfft\tepoch\t9.000\t0.700\t-\tSoftware\tllvmpipe\n\
                    launched\tlife\tspecialized\t3.000\t0.700\t6.1\tSoftware\tllvmpipe\nok\n";
        let launches: Vec<Launch> = told.lines().filter_map(Launch::read).collect();
        let longest = longest_of(&launches, "specialized");
        let waits: Vec<(&str, f64)> = longest
            .iter()
            .map(|launch| (&*launch.routine, launch.waited()))
            .collect();
        assert_eq!(waits, [("life", 2.3), ("fft", 2.0)]);
        assert_eq!(most(longest[0]), 10.0);
    }
}
