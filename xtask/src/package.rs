//! `cargo xtask package`: packs the crates that are published and uses them as crates.io would give them to a user, in a workspace outside of the
//! repository. The facade depends on all of them, so its doc tests, the README's programs among them, build each from what was packed.

use std::fmt::Write as _;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::copies::{Published, published, top};

/// All published crates have the version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Packs, builds and runs. What failed to build stays where it is, to be looked at.
pub fn run() -> Result<(), String> {
    // What is a workspace of its own needs more than Rust.
    let crates: Vec<Published> = published()?.into_iter().filter(|each| !each.is_apart).collect();
    let folder = std::env::temp_dir().join(format!("gpuvm-package-{}", std::process::id()));
    pack(&crates, &folder)?;
    unpack(&crates, &folder)?;
    test(&folder)?;
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    eprintln!(
        "{} crates are packed, and the README's programs run with them",
        crates.len()
    );
    Ok(())
}

/// Makes the `.crate` files.
fn pack(crates: &[Published], folder: &Path) -> Result<(), String> {
    // What they say of themselves is a test of this crate's.
    let mut command = crate::cargo_command(&["package", "--no-verify", "--no-metadata", "--allow-dirty"]);
    for Published { name, .. } in crates {
        command.args(["--package", name]);
    }
    command.arg("--target-dir").arg(folder).current_dir(top());
    finish(command)
}

/// Makes a workspace of them in which they find each other.
fn unpack(crates: &[Published], folder: &Path) -> Result<(), String> {
    let mut members = String::new();
    let mut patches = String::new();
    let mut profiles = profiles_of_others()?;
    for Published { name, .. } in crates {
        let packed = format!("{name}-{VERSION}");
        let mut command = Command::new("tar");
        // With the time of now: all files in a `.crate` have the same one, so cargo would take what it has built of another one of that name.
        command
            .arg("-xmzf")
            .arg(format!("package/{packed}.crate"))
            .current_dir(folder);
        finish(command)?;
        // Writing to a string cannot fail.
        let _ = write!(members, "{packed:?}, ");
        let _ = writeln!(patches, "{name} = {{ path = {packed:?} }}");
        // The README's programs are short.
        let _ = writeln!(profiles, "[profile.dev.package.{name}]\nopt-level = 0\ndebug = false");
    }
    let manifest =
        format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}\n{profiles}");
    let path = folder.join("Cargo.toml");
    std::fs::write(&path, manifest).map_err(|error| format!("{}: {error}", path.display()))?;
    let lock = top().join("Cargo.lock");
    std::fs::copy(&lock, folder.join("Cargo.lock")).map_err(|error| format!("{}: {error}", lock.display()))?;
    Ok(())
}

/// How the repository's own workspace has the crates of others built: they are the same here, and not built again.
fn profiles_of_others() -> Result<String, String> {
    let path = top().join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut profiles = String::new();
    let mut is_kept = false;
    for line in text.lines() {
        if line.starts_with('[') {
            let of = line.strip_prefix("[profile.dev.package.");
            is_kept = line == "[profile.dev]" || of.is_some_and(|name| !name.starts_with("gpuvm"));
        }
        if is_kept {
            // Writing to a string cannot fail.
            let _ = writeln!(profiles, "{line}");
        }
    }
    Ok(profiles)
}

/// Builds the facade with all that it depends on, and runs its doc tests.
fn test(folder: &Path) -> Result<(), String> {
    let mut command = crate::cargo_command(&["test", "--doc", "--package", "gpuvm"]);
    // As a user's compiler sees them.
    command.env_remove("RUSTC_WORKSPACE_WRAPPER");
    command.arg("--target-dir").arg(target()).current_dir(folder);
    finish(command)
}

/// Where the repository's own workspace is built.
fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let named = named.and_then(|folder| std::path::absolute(folder).ok());
    named.unwrap_or_else(|| top().join("target"))
}

/// Runs a command to its end. A person sees what it does; in a pipe it is silent unless it fails.
fn finish(mut command: Command) -> Result<(), String> {
    if stderr().is_terminal() {
        return crate::finish(command);
    }
    let output = command
        .output()
        .map_err(|error| format!("{command:?} does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    eprint!("{}", String::from_utf8_lossy(&output.stdout));
    Err(format!("{command:?} failed"))
}
