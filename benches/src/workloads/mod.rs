//! The workloads. Each file has one, written for every contestant: a routine, WGSL as an expert would write it by hand, a CubeCL kernel,
//! and plain Rust for rayon.

pub mod automaton;
pub mod collatz;
pub mod lcg;
pub mod mandelbrot;
pub mod nbody;
pub mod option;
pub mod sha256;

use anyhow::Result;

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
