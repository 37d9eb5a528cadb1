//! `cargo xtask fuzz`: makes up routines that the suite does not have, builds them as a crate of its own under `target/`, and compares
//! every engine with the native functions. A seed names a routine for ever, so a failure is reported as a seed to run again.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

/// Compares random routines on every engine.
#[derive(clap::Args)]
pub struct Fuzz {
    /// How many routines to make up.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// The seed of the first routine; the others count up from it. Taken from the clock if not given.
    #[arg(long)]
    seed: Option<u64>,
    /// Builds with optimisations, where overflow wraps.
    #[arg(long)]
    release: bool,
}

impl Fuzz {
    /// Makes the crate below `root`, runs it, and says which seeds failed.
    ///
    /// # Errors
    ///
    /// If the crate cannot be written or does not build, or if an engine differs.
    pub fn run(&self, root: &Path) -> Result<(), Box<dyn Error>> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        };
        println!("{} routines from seed {seed} on", self.count);
        let folder = root.join("target").join("fuzz");
        write_crate(root, &folder, &gpuvm_generator::random_modules(seed, self.count))?;
        let mut cargo = Command::new(env!("CARGO"));
        cargo.arg("test").current_dir(&folder).stderr(Stdio::inherit());
        if self.release {
            cargo.arg("--release");
        }
        let output = cargo.output()?;
        let report = String::from_utf8_lossy(&output.stdout);
        let failed: Vec<u64> = report.lines().filter_map(failed_case).map(|case| seed + case).collect();
        if output.status.success() {
            println!("all engines agree");
            return Ok(());
        }
        println!("{report}");
        match failed.as_slice() {
            [] => Err("the routines do not build, or the run broke off".into()),
            [first, ..] => Err(format!("{} routines differ: seeds {failed:?}; run the first again with --seed {first} --count 1", failed.len()).into()),
        }
    }
}

/// The number of the routine in a line like `test routines::m17::cases::random_17 ... FAILED`.
fn failed_case(line: &str) -> Option<u64> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    name.rsplit_once("random_")?.1.parse().ok()
}

/// Writes a crate that has the routines and borrows the suite's harness.
fn write_crate(root: &Path, folder: &Path, routines: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let gpuvm = root.join("gpuvm");
    let manifest = format!(
        "[package]\nname = \"gpuvm-fuzz\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautotests = false\n\n\
         [lib]\npath = \"lib.rs\"\ntest = false\n\n[[test]]\nname = \"fuzz\"\npath = \"main.rs\"\n\n\
         [dependencies]\ngpuvm = {{ path = {gpuvm:?} }}\n\n\
         [profile.dev]\nopt-level = 1\n\n[profile.dev.package.gpuvm-fuzz]\nopt-level = 0\n\n[workspace]\n"
    );
    let harness: String = ["oracle", "sample", "harness"]
        .map(|module| format!("#[macro_use]\n#[path = {:?}]\nmod {module};\n", root.join("tests").join("it").join(module).with_extension("rs")))
        .concat();
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("lib.rs"), "")?;
    fs::write(folder.join("routines.rs"), routines)?;
    fs::write(folder.join("main.rs"), format!("#![allow(warnings, arithmetic_overflow, unconditional_panic)]\n{harness}\nmod routines;\n"))?;
    // The same versions of every dependency as the checkout's.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_failed_routine_is_read() {
        assert_eq!(failed_case("test routines::m17::cases::random_17 ... FAILED"), Some(17));
        assert_eq!(failed_case("test routines::m17::cases::random_17 ... ok"), None);
    }
}
