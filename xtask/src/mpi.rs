//! Runs the tests of `gpuvm-mpi`, a workspace of its own, with each MPI that is here or can be had through apt: MPICH and Open MPI.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{adapter, apt, cargo_command, finish};

/// An MPI as Debian has it beside others.
struct Mpi {
    name: &'static str,
    packages: [&'static str; 2],
    /// What compiles, and what starts programs.
    compiler: &'static str,
    starter: &'static str,
}

const ALL: [Mpi; 2] = [
    Mpi {
        name: "MPICH",
        packages: ["mpich", "libmpich-dev"],
        compiler: "mpicc.mpich",
        starter: "mpirun.mpich",
    },
    Mpi {
        name: "Open MPI",
        packages: ["openmpi-bin", "libopenmpi-dev"],
        compiler: "mpicc.openmpi",
        starter: "mpirun.openmpi",
    },
];

/// What rsmpi's bindings are made with.
const CLANG: &str = "libclang-dev";

impl Mpi {
    fn is_there(&self) -> bool {
        [self.compiler, self.starter].into_iter().all(is_in_path)
    }

    fn test(&self) -> Result<(), String> {
        // Cargo does not see that the compiler is another one.
        let mut clean = cargo_command(&["clean", "--quiet", "--package", "mpi-sys"]);
        finish(self.in_its_workspace(&mut clean))?;
        let mut test = cargo_command(&["test", "--workspace", "--no-fail-fast"]);
        adapter::ensure_for(&mut test)?;
        test.env("RUST_BACKTRACE", "0");
        eprintln!("$ cd gpuvm-mpi; MPICC={} cargo test --workspace", self.compiler);
        finish(self.in_its_workspace(&mut test))
    }

    /// What third parties' crates are built for elsewhere is not built again.
    fn in_its_workspace<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        command
            .current_dir(root.join("gpuvm-mpi"))
            .env("CARGO_TARGET_DIR", target);
        command.env("MPICC", self.compiler).env("MPIRUN", self.starter)
    }
}

/// Runs them with each that there is. Where there is none, and none can be had, it says that they have not run: gpuvm needs no MPI.
///
/// # Errors
///
/// If one fails.
pub fn test() -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let missing: Vec<&Mpi> = ALL.iter().filter(|mpi| !mpi.is_there()).collect();
    if !missing.is_empty() && apt::is_allowed() {
        let mut packages: Vec<&str> = missing.iter().flat_map(|mpi| mpi.packages).collect();
        packages.push(CLANG);
        eprintln!("installing {} through apt", packages.join(" "));
        if let Err(error) = apt::install(&packages) {
            eprintln!("they cannot be had: {error}");
        }
    }
    let mut tested = Ok(());
    for mpi in &ALL {
        match mpi.is_there() {
            true => tested = tested.and(mpi.test()),
            false => eprintln!(
                "NOT RUN: the tests of gpuvm-mpi with {}, which is not here; `apt-get install {} {CLANG}` brings it",
                mpi.name,
                mpi.packages.join(" ")
            ),
        }
    }
    tested
}

fn is_in_path(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).exists())
}
