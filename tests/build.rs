//! Writes the generated parts of the suite: a routine for each primitive operation, large programs, and random routines from a
//! fixed seed. Tells the suite which of its two packages it is built for.

use std::path::Path;
use std::{env, fs, io};

/// The seed of the first random routine; the following ones count up from it.
const SEED: u64 = 1_000;

/// How many random routines the suite has. `cargo xtask fuzz` runs others.
const ROUTINES: usize = 100;
/// The longest of them, in bytes: the longest fifth takes as long to compile as all others.
const LONGEST: usize = 5_000;
/// How many of them it has where overflow wraps, which is a matter of few instructions.
const WRAPPING_ROUTINES: usize = 20;

fn main() -> io::Result<()> {
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR for build scripts"))?;
    let out = Path::new(&out);
    fs::write(out.join("operations.rs"), gpuvm_generator::operations())?;
    fs::write(out.join("large.rs"), gpuvm_generator::large())?;
    let wraps = env::var_os("CARGO_PKG_NAME").is_some_and(|name| name == "gpuvm-wrapping-tests");
    let routines = if wraps { WRAPPING_ROUTINES } else { ROUTINES };
    fs::write(
        out.join("random.rs"),
        gpuvm_generator::random_modules(SEED, routines, LONGEST),
    )?;
    println!("cargo::rustc-check-cfg=cfg(wrapping)");
    if wraps {
        println!("cargo::rustc-cfg=wrapping");
    }
    // What is written follows from this script and the generator alone, and cargo looks at those by itself.
    println!("cargo::rerun-if-changed=Cargo.toml");
    Ok(())
}
