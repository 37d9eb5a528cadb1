//! Packages of Debian and Ubuntu, for who may install them.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether packages can be installed here without a question.
pub fn is_allowed() -> bool {
    root_prefix().is_some()
}

/// Installs packages, with what apt knows of them now.
///
/// # Errors
///
/// What of it could not be done.
pub fn install(packages: &[&str]) -> Result<(), String> {
    let prefix = root_prefix().ok_or("apt is not here, or asks for a password")?;
    apt(prefix, &["update"])?;
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(packages);
    apt(prefix, &install)
}

/// What to put before apt to be root: nothing for root, sudo where it asks for no password, `None` where neither is to be had.
fn root_prefix() -> Option<&'static [&'static str]> {
    if !Path::new("/usr/bin/apt-get").exists() {
        return None;
    }
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout.trim_ascii() == b"0" {
        return Some(&[]);
    }
    let sudo = Command::new("sudo")
        .args(["-n", "true"])
        .stderr(Stdio::null())
        .status()
        .ok()?;
    sudo.success().then_some(&["sudo", "-n"])
}

fn apt(prefix: &[&str], arguments: &[&str]) -> Result<(), String> {
    let mut line = prefix.to_vec();
    line.push("apt-get");
    line.extend(arguments);
    let status = Command::new(line[0])
        .args(&line[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("`{}` does not start: {error}", line.join(" ")))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed", line.join(" ")))
    }
}
