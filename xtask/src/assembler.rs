//! Brings NVIDIA's assembler, with which the tests of `gpuvm-ptx` look at what they translate: from the Python index, into `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The package that has it, in the version that the tests know.
const PACKAGE: &str = "nvidia-cuda-nvcc==13.5.37";
/// Where it is, beneath where the package was unpacked.
const PTXAS: &str = "nvidia/cu13/bin/ptxas";

/// The assembler, if it is there or can be had.
pub fn ensure() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PTXAS") {
        return Some(named.into());
    }
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/ptxas"));
    let ptxas = folder.join(PTXAS);
    if !ptxas.exists() {
        eprintln!("installing {PACKAGE} into target/ptxas");
        let installed = Command::new("python3")
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--disable-pip-version-check",
                "--target",
            ])
            .arg(folder)
            .arg(PACKAGE)
            .output();
        if !installed.is_ok_and(|output| output.status.success()) {
            eprintln!("it cannot be had here: what gpuvm-ptx writes is not assembled");
        }
    }
    ptxas.exists().then_some(ptxas)
}
