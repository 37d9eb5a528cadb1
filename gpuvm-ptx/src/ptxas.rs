//! NVIDIA's assembler, where it is installed: it tells whether PTX is right, and what it costs, without a GPU.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The assembler that tests use: what the variable `PTXAS` of the environment names, or else a `ptxas` among the programs of `PATH`. If there
/// is none, that is printed, once.
pub fn for_tests() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let found = find();
        if found.is_none() {
            eprintln!("PTX is not assembled: there is no ptxas in PATH, nor named by the variable PTXAS");
        }
        found
    });
    found.as_deref()
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PTXAS").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let name = format!("ptxas{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

/// Assembles PTX for an architecture, like `sm_90`. Gives what the assembler says of the registers and memory that the kernel takes.
///
/// # Errors
///
/// What the assembler says if it refuses the text, or why it cannot be run.
pub fn assemble(ptxas: &Path, text: &str, architecture: &str) -> Result<String, String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("gpuvm-{}-{number}.ptx", std::process::id()));
    let cubin = file.with_extension("cubin");
    std::fs::write(&file, text).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let ran = Command::new(ptxas)
        .args(["-v", "-arch", architecture, "-o"])
        .arg(&cubin)
        .arg(&file)
        .output();
    // Nobody needs them any more, and the system clears the folder of what cannot be removed.
    let _ = (std::fs::remove_file(&file), std::fs::remove_file(&cubin));
    let output = ran.map_err(|error| format!("`{}`: {error}", ptxas.display()))?;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let said = said.concat();
    if output.status.success() { Ok(said) } else { Err(said) }
}
