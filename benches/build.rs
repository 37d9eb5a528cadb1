//! Tells the benchmarks which commit they are built from, for their tables.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=../.git/logs/HEAD");
    println!("cargo::rerun-if-changed=src");
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
