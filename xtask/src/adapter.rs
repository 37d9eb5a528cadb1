//! Makes sure that the tests find a device: a Vulkan adapter, be it a GPU's driver or Mesa's lavapipe, or CUDA where there is none. Where there is neither,
//! lavapipe is installed through apt, if that is allowed.

use std::path::Path;
use std::process::Command;

use crate::apt;

/// Where Vulkan loaders look for drivers on Linux.
const DRIVER_FOLDERS: [&str; 4] = [
    "/usr/share/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/usr/local/etc/vulkan/icd.d",
];

/// What the tests need from Debian or Ubuntu: the loader and Mesa's drivers, lavapipe among them.
const PACKAGES: [&str; 2] = ["libvulkan1", "mesa-vulkan-drivers"];

/// The environment variable by which the tests know their back end.
const BACKEND: &str = "GPUVM_BACKEND";

/// Finds a device for the tests that a command runs, or installs one.
///
/// # Errors
///
/// One line that says what to install.
pub fn ensure_for(command: &mut Command) -> Result<(), String> {
    let is_cuda = std::env::var_os(BACKEND).is_some_and(|backend| backend == "cuda");
    if !cfg!(target_os = "linux") || is_cuda || is_there() {
        return Ok(());
    }
    if has_cuda() {
        eprintln!("no Vulkan adapter found: the tests run on CUDA");
        command.env(BACKEND, "cuda");
        return Ok(());
    }
    let packages = PACKAGES.join(" ");
    let advice = format!("the tests need a Vulkan adapter: install one with `apt-get install {packages}`");
    if !apt::is_allowed() {
        return Err(advice);
    }
    eprintln!("no Vulkan adapter found: installing {packages} through apt");
    apt::install(&PACKAGES).map_err(|error| format!("{advice} ({error})"))?;
    if is_there() { Ok(()) } else { Err(advice) }
}

/// Whether a loader and at least one driver are installed.
fn is_there() -> bool {
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let driver = DRIVER_FOLDERS.iter().any(|folder| {
        std::fs::read_dir(folder).is_ok_and(|entries| {
            entries
                .flatten()
                .any(|entry| entry.path().extension().is_some_and(|e| e == "json"))
        })
    });
    (named || driver) && has_library("libvulkan.so.1")
}

/// Whether there is an NVIDIA GPU with its driver.
fn has_cuda() -> bool {
    let device = ["/dev/nvidiactl", "/dev/dxg"]
        .iter()
        .any(|path| Path::new(path).exists());
    device && has_library("libcuda.so.1")
}

/// Whether the dynamic linker knows a library.
fn has_library(name: &str) -> bool {
    let cache = ["/sbin/ldconfig", "/usr/sbin/ldconfig"]
        .into_iter()
        .find(|path| Path::new(path).exists());
    let Some(ldconfig) = cache else { return true };
    Command::new(ldconfig)
        .arg("-p")
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(name))
}
