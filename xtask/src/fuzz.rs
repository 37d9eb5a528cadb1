//! `cargo xtask fuzz`: makes up routines that the suite does not have, builds them as a crate of its own under `target/`, and compares
//! every engine with the native functions. A seed names a routine for ever, so a failure is reported as a seed to run again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

/// Which routines to make up.
#[derive(clap::Args)]
pub struct Options {
    /// How many.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// The seed of the first; the others count up from it. Taken from the clock if not given.
    #[arg(long)]
    seed: Option<u64>,
    /// Builds with optimisations, where overflow wraps.
    #[arg(long)]
    release: bool,
    /// Debugs them on every engine, too: breakpoints with and without conditions have to tell the same.
    #[arg(long)]
    sessions: bool,
    /// Makes routines with mistakes instead, and fails if what rustc says of one is not said of its own code.
    #[arg(long, conflicts_with_all = ["release", "sessions"])]
    mistakes: bool,
    /// Alters files of routines instead, as many, and fails if one makes the loader, the linker or a VM panic.
    #[arg(long, conflicts_with_all = ["release", "mistakes", "sessions"])]
    files: bool,
}

/// Makes the crate, runs it, and says which seeds failed.
pub fn run(options: &Options) -> Result<(), String> {
    let clock = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    };
    let (seed, count) = (options.seed.unwrap_or_else(clock), options.count);
    if options.files {
        return files(count);
    }
    println!("{count} routines from seed {seed} on");
    if options.mistakes {
        return mistakes(seed, count);
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join("target").join("fuzz");
    write_crate(&root, &folder, options, seed)?;
    let mut command = crate::cargo_command(&["test", "--no-fail-fast"]);
    command.current_dir(&folder).stderr(Stdio::inherit());
    if options.release {
        command.arg("--release");
    }
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        // The checkout's, where the dependencies are built already.
        command.arg("--target-dir").arg("..");
    }
    let output = command
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if output.status.success() {
        println!("all engines agree");
        return Ok(());
    }
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}");
    let failed: Vec<u64> = report.lines().filter_map(failed_seed).collect();
    match failed.first() {
        Some(first) => Err(format!(
            "the engines differ for seeds {failed:?}; `cargo xtask fuzz --count 1 --seed {first}` repeats the first"
        )),
        None => Err("the routines do not build, or the run broke off".to_string()),
    }
}

/// Runs the test of altered files on as many.
fn files(count: usize) -> Result<(), String> {
    println!("{count} altered files");
    let test = "build::tests::altered_files_never_panic";
    let status = crate::cargo_command(&[
        "test",
        "--release",
        "-p",
        "gpuvm-core",
        "--lib",
        test,
        "--",
        "--exact",
        "--nocapture",
    ])
    .env("GPUVM_ALTERED_FILES", count.to_string())
    .status()
    .map_err(|error| format!("cargo does not start: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("a file was taken that should not have been".to_string()),
    }
}

/// Runs the suite's test of routines with mistakes on others.
fn mistakes(seed: u64, count: usize) -> Result<(), String> {
    let status = crate::cargo_command(&["test", "-p", "gpuvm-ui-tests", "--test", "ui", "fuzz"])
        .env("GPUVM_MISTAKES_SEED", seed.to_string())
        .env("GPUVM_MISTAKES", count.to_string())
        .status()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err("something is said of gpuvm's own code".to_string())
}

/// The seed of the routine in a line like `test routines::m17::cases::random_17 ... FAILED`.
fn failed_seed(line: &str) -> Option<u64> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    name.rsplit_once("random_")?.1.parse().ok()
}

/// Writes a crate that has the routines and borrows the suite's harness, [`TOGETHER`] routines a test binary: rustc takes much longer for one of thousands
/// than for as many in parts.
fn write_crate(root: &Path, folder: &Path, options: &Options, seed: u64) -> Result<(), String> {
    let borrowed = ["oracle", "sample", "harness"]
        .map(|module| format!("#[macro_use]\n#[path = \"../../../tests/it/{module}.rs\"]\nmod {module};\n"))
        .concat();
    let borrowed = borrowed + if options.sessions { SESSIONS } else { "" };
    let count = options.count;
    let main = format!("#![allow(warnings, arithmetic_overflow, unconditional_panic)]\n{borrowed}mod routines;\n");
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"));
    let mut manifest = MANIFEST.replace("# debugger", if options.sessions { DEBUGGER } else { "" });
    for (part, first) in (0..count).step_by(TOGETHER).enumerate() {
        let routines = gpuvm_generator::random_modules(seed + first as u64, TOGETHER.min(count - first), usize::MAX);
        // A folder each: the macros read the files beside a routine's.
        let name = format!("part_{part}");
        fs::create_dir_all(folder.join(&name)).map_err(|error| format!("{name}: {error}"))?;
        put(&format!("{name}/main.rs"), &main)?;
        put(&format!("{name}/routines.rs"), &routines)?;
        manifest.push_str(&format!("\n[[test]]\nname = \"{name}\"\npath = \"{name}/main.rs\"\n"));
    }
    put("Cargo.toml", &manifest)?;
    put("lib.rs", "")?;
    // The same versions of every dependency as the checkout's.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    Ok(())
}

/// How many routines one test binary has.
const TOGETHER: usize = 50;

/// What makes sessions of the routines.
const SESSIONS: &str = r#"
#[macro_use]
#[path = "../../../gpuvm-debug/tests/random/sessions.rs"]
mod sessions;
"#;

/// What sessions need beside what all of them do.
const DEBUGGER: &str = "gpuvm-core = { path = \"../../gpuvm-core\" }\ngpuvm-debug = { path = \"../../gpuvm-debug\" }";

/// What the test binaries are added to.
const MANIFEST: &str = r#"[package]
name = "gpuvm-fuzz"
edition = "2024"
autotests = false

[lib]
path = "lib.rs"
test = false
doctest = false

[dependencies]
gpuvm = { path = "../../gpuvm" }
# What the harness knows of the back end that is tested.
gpuvm-tests = { path = "../../tests" }
# debugger

[profile.dev]
opt-level = 1

[profile.dev.package.gpuvm-fuzz]
opt-level = 0

[workspace]
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_of_a_failed_routine_is_read() {
        assert_eq!(failed_seed("test routines::m17::cases::random_17 ... FAILED"), Some(17));
        assert_eq!(failed_seed("test routines::m17::cases::random_17 ... ok"), None);
    }
}
