//! Tells the benchmarks which commit they are built from, for their tables.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=../.git/logs/HEAD");
    // What is measured is gpuvm, so whether that was changed counts as much as the sources here.
    let own = ["src", "workloads", "soup", "Cargo.toml"].map(PathBuf::from);
    let beside = std::fs::read_dir("..").into_iter().flatten().flatten();
    let measured = beside.map(|entry| entry.path()).filter(|path| is_measured(path));
    for path in own.into_iter().chain(measured) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=8", "HEAD"]).unwrap_or_else(|| "unknown".to_string());
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    println!(
        "cargo::rustc-env=BUILT_FROM={commit}{}",
        if is_changed { "+" } else { "" }
    );
}

/// Whether something beside this folder is of gpuvm's crates, or of the examples whose steps are measured.
fn is_measured(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("gpuvm") || ["shaders", "examples"].contains(&name)
}
