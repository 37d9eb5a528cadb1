//! Records where gdb stops in native code that is stepped through, and with which values, for `gpuvm-debug`'s tests to compare sessions with. It is kept, so
//! that the tests need no gdb, and to be made anew when `constructs.rs` changes, which the tests notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the programs are, how they are stepped through, and what comes of it.
const FOLDER: &str = "gpuvm-debug/tests/it/natively";

/// What the programs are called with.
const SEEDS: [u32; 3] = [3, 10, 26];

/// Makes the record.
///
/// # Errors
///
/// If rustc or gdb is missing or fails.
pub fn record() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER);
    let source = read(&folder.join("constructs.rs"))?;
    let made = std::env::temp_dir().join(format!("gpuvm-native-stops-{}", std::process::id()));
    fs::create_dir_all(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    let recorded = record_in(&made, &folder, &source);
    // What is left there is in nobody's way.
    let _ = fs::remove_dir_all(&made);
    let path = folder.join("stops.txt");
    write(
        &path,
        &format!(
            "# {:x}, of rustc and gdb, by `cargo xtask native-stops`\n{}",
            hash(&source),
            recorded?
        ),
    )?;
    eprintln!("{}", path.display());
    Ok(())
}

fn record_in(made: &Path, folder: &Path, source: &str) -> Result<String, String> {
    let programs: Vec<&str> = source.lines().filter_map(program).collect();
    let calls = programs
        .iter()
        .map(|name| format!("std::hint::black_box({name}(seed));"));
    let calls: Vec<String> = calls.collect();
    let main = format!(
        "include!(\"constructs.rs\");\nfn main() {{ for seed in {SEEDS:?} {{\n{}\n}} }}\n",
        calls.join("\n")
    );
    write(&made.join("constructs.rs"), &plain(source))?;
    write(&made.join("natively.rs"), &main)?;
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args([
        "--edition",
        "2024",
        "--crate-name",
        "natively",
        "-g",
        "-C",
        "opt-level=0",
    ]);
    rustc.args(["-C", "overflow-checks=on", "-A", "warnings", "natively.rs"]);
    run(rustc.current_dir(made))?;
    let stops = made.join("stops.txt");
    let mut gdb = Command::new("gdb");
    gdb.args(["--batch", "-nx", "-x"])
        .arg(folder.join("stops.py"))
        .arg("natively");
    gdb.env("STOPS", &stops).env("PROGRAMS", programs.join(","));
    run(gdb.current_dir(made))?;
    read(&stops)
}

/// The name of a program that begins in this line.
fn program(line: &str) -> Option<&str> {
    line.strip_prefix("pub fn ")?.strip_suffix("(seed: u32) -> u32 {")
}

/// The source as rustc takes it without gpuvm, line by line.
fn plain(source: &str) -> String {
    let line = |line: &str| match line {
        line if line.starts_with("#[routine]") || line.starts_with("//!") || line.starts_with("use ") => String::new(),
        line => line.replace(", VmType", ""),
    };
    source.lines().map(|text| line(text) + "\n").collect()
}

/// Tells one source from another: FNV-1a, of 64 bits.
fn hash(source: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    source
        .bytes()
        .filter(|byte| *byte != b'\r')
        .fold(0xcbf2_9ce4_8422_2325, step)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn read(path: &PathBuf) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
