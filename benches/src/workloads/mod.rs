//! The workloads. Each file has one, written for every contestant: a routine, WGSL as an expert would write it by hand, a CubeCL kernel,
//! and plain Rust for rayon.

pub mod automaton;
pub mod collatz;
pub mod lcg;
pub mod mandelbrot;
pub mod nbody;
pub mod option;
pub mod sha256;

use anyhow::{Context as _, Result, ensure};

use crate::contest::Outcome;
use crate::stage::Stage;

/// A workload's name and its contest.
pub type Workload = (&'static str, fn(&Stage) -> Result<Outcome>);

/// All of them.
pub const ALL: [Workload; 7] = [
    ("mandelbrot", mandelbrot::run),
    ("collatz", collatz::run),
    ("lcg", lcg::run),
    ("nbody", nbody::run),
    ("option", option::run),
    ("sha256", sha256::run),
    ("automaton", automaton::run),
];

/// Runs them, or only those of the names given.
///
/// # Errors
///
/// When a name is not known, or a contest cannot be set up.
pub fn run(stage: &Stage, only: &[String]) -> Result<Vec<Outcome>> {
    for name in only {
        ensure!(
            ALL.iter().any(|(known, _)| known == name),
            "there is no workload `{name}`"
        );
    }
    let wanted = ALL
        .iter()
        .filter(|(name, _)| only.is_empty() || only.iter().any(|known| known == name));
    let mut outcomes = Vec::new();
    for (name, run) in wanted {
        outcomes.push(run(stage).context(*name)?);
        stage.keep(|report| report.peers = Some(outcomes.clone()))?;
    }
    Ok(outcomes)
}
