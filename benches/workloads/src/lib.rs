//! What gpuvm's benchmarks run: each workload's routines, its inputs and the native function. The benchmarks have the same written for others
//! beside it, and measure; the suite has each of them checked, and that a kernel with a launch's parameters folded in is none the worse for it.

pub mod automaton;
pub mod collatz;
pub mod lcg;
pub mod mandelbrot;
pub mod nbody;
pub mod option;
pub mod parting;
pub mod sha256;

use std::fmt;
use std::str::FromStr;

use gpuvm::{Engine, Launch, Result, Runtime, VmType};

/// How large a workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// For a moment on a software rasteriser: to see that everything works.
    Small,
    /// What the documented figures are measured with.
    Full,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pick("small", "full"))
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Size, String> {
        let mut sizes = [Size::Small, Size::Full].into_iter();
        let found = sizes.find(|size| size.to_string() == name);
        found.ok_or_else(|| format!("there are `small` and `full`, and no `{name}`"))
    }
}

impl Size {
    /// The first for a small workload, the second for a full one.
    pub fn pick<T>(self, small: T, full: T) -> T {
        match self {
            Size::Small => small,
            Size::Full => full,
        }
    }
}

/// A workload with its inputs.
pub trait Workload: Sync {
    /// What one VM gives.
    type Output: VmType + PartialEq + Send;

    /// The routine that returns it.
    const RETURNING: &'static str;

    /// How much there is of it, for a person.
    fn amount(&self) -> String;

    /// What the native function gives, over all threads.
    fn native(&self) -> Vec<Self::Output>;

    /// Gives a launch of [`RETURNING`](Workload::RETURNING) its arguments.
    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l>;

    /// The same arguments, each as it is for all VMs.
    fn arguments(&self) -> Vec<Argument>;
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A value for each VM.
    Column,
    /// One value for all, of these words.
    Value(Vec<u32>),
    /// A slice of so many elements that all VMs read.
    Slice(usize),
}

/// What the check of a workload needs to know of it, whatever it gives.
pub struct Check {
    /// The routine's id.
    pub routine: &'static str,
    /// The arguments of a launch of full size.
    pub arguments: fn() -> Vec<Argument>,
    /// Launches it in its small size. Whether all bits are the native function's.
    pub is_equal: fn(&Runtime, Engine) -> Result<bool>,
}

/// All of them.
pub const ALL: [Check; 8] = [
    Check::of::<automaton::Automata>(),
    Check::of::<collatz::Starts>(),
    Check::of::<lcg::Generators>(),
    Check::of::<mandelbrot::Picture>(),
    Check::of::<nbody::Galaxy>(),
    Check::of::<option::Market>(),
    Check::of::<parting::Parting>(),
    Check::of::<sha256::Messages>(),
];

impl Check {
    const fn of<W: Workload + From<Size>>() -> Check {
        Check {
            routine: W::RETURNING,
            arguments: || W::from(Size::Full).arguments(),
            is_equal: |runtime, engine| {
                let workload = W::from(Size::Small);
                let launch = workload.launched(runtime.launch(W::RETURNING)?).engine(engine);
                let found = launch.run()?.output::<Vec<W::Output>>()?;
                Ok(found == workload.native())
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_gives_what_the_native_functions_do() {
        let engines = [
            Engine::Native,
            Engine::Reference,
            Engine::Interpreter,
            Engine::Epoch,
            Engine::Specialized,
        ];
        for Check { routine, is_equal, .. } in ALL {
            for engine in engines {
                let equal = is_equal(gpuvm_tests::runtime(), engine);
                assert!(equal.unwrap(), "`{routine}` on the {engine} engine");
            }
        }
    }
}
