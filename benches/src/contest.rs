//! One workload's contest: every contestant runs it, is compared with the judge, and is timed.

use anyhow::{Context as _, Result};
use bytemuck::Pod;
use cubecl::prelude::Client;
use cubecl::server::Handle;
use gpuvm::{Buffer, Engine, Runtime, VmType};
use serde::Serialize;

use crate::agreement::{Agreement, Tolerance};
use crate::peers::cube;
use crate::peers::wgsl::{Checks, Job};
use crate::problem::Problem;
use crate::stage::Stage;

/// The contestant that all others are compared with.
pub const BASELINE: &str = "WGSL";

/// What came of one contestant.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    pub contestant: String,
    /// Seconds for a launch: inputs uploaded, run, results read back.
    pub launch: Option<f64>,
    /// Seconds for a run on data that is on the device before and stays there.
    pub resident: Option<f64>,
    /// How near its results came to the judge's.
    pub agreement: Option<Agreement>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// What came of one workload.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its name.
    pub workload: &'static str,
    /// How much of it, for a person.
    pub amount: String,
    /// Every contestant.
    pub entries: Vec<Entry>,
}

impl Outcome {
    /// The entry of that name.
    pub fn entry(&self, contestant: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.contestant == contestant)
    }
}

/// The routines of one workload.
pub struct Routines {
    /// The one that returns its results.
    pub returning: &'static str,
    /// The one that leaves them in a buffer, its last parameter.
    pub leaving: &'static str,
}

/// What runs on data that is on the device, and what reads the results that this leaves.
type Resident<'r, T> = (&'r mut dyn FnMut() -> Result<()>, &'r mut dyn FnMut() -> Result<Vec<T>>);

/// A contest that is going on; `T` is an entry of the results.
pub struct Contest<'s, T> {
    stage: &'s Stage,
    judge: Vec<T>,
    tolerance: Tolerance,
    outcome: Outcome,
}

impl<'s, T: Pod> Contest<'s, T> {
    /// Begins a contest. `judge` is what the native Rust function gives; a contestant whose floats may differ has `tolerance`.
    pub fn new(stage: &'s Stage, workload: &'static str, amount: String, judge: Vec<T>, tolerance: Tolerance) -> Self {
        eprintln!("{workload}: {amount}");
        Contest {
            stage,
            judge,
            tolerance,
            outcome: Outcome {
                workload,
                amount,
                entries: Vec::new(),
            },
        }
    }

    /// Rayon on the CPU: nothing to upload or read back.
    pub fn rayon(&mut self, run: impl Fn() -> Vec<T>) {
        self.enter("rayon", self.tolerance, || Ok(run()), None);
    }

    /// Hand-written WGSL, with wgpu's checks and without.
    pub fn wgsl(&mut self, job: Job<'_>) {
        for (name, checks) in [(BASELINE, Checks::On), ("WGSL unchecked", Checks::Off)] {
            match self.stage.gpu.prepare(job, checks) {
                Ok(prepared) => self.enter(
                    name,
                    self.tolerance,
                    || prepared.launch(),
                    Some((&mut || prepared.resident(), &mut || prepared.fetch())),
                ),
                Err(error) => self.push(name, Err(error)),
            }
        }
    }

    /// CubeCL. `launch` gets the inputs and the output.
    pub fn cube(&mut self, inputs: &[&[u8]], launch: impl Fn(&Client, &[Handle], &Handle)) {
        let size = size_of_val(self.judge.as_slice());
        let prepared = cube::Prepared::new(&self.stage.cube, inputs, size, launch);
        self.enter(
            "CubeCL",
            self.tolerance,
            || prepared.launch(),
            Some((&mut || prepared.resident(), &mut || prepared.fetch())),
        );
    }

    /// gpuvm with its exact floats on the engines that matter here: bit for bit the judge.
    pub fn gpuvm<'l>(
        &mut self,
        runtime: &Runtime,
        routines: &Routines,
        returning: impl Fn(gpuvm::Launch<'l>) -> gpuvm::Launch<'l>,
        leaving: impl Fn(gpuvm::Launch<'l>) -> gpuvm::Launch<'l>,
        left: &Buffer<T>,
    ) where
        T: VmType,
    {
        for engine in [Engine::Native, Engine::Interpreter, Engine::Specialized] {
            let name = format!("gpuvm {engine}");
            self.engine(
                &name,
                engine,
                Tolerance::Exact,
                (runtime, routines),
                &returning,
                &leaving,
                left,
            );
        }
    }

    /// gpuvm's fastest engine with routines whose floats may differ.
    pub fn gpuvm_relaxed<'l>(
        &mut self,
        runtime: &Runtime,
        routines: &Routines,
        returning: impl Fn(gpuvm::Launch<'l>) -> gpuvm::Launch<'l>,
        leaving: impl Fn(gpuvm::Launch<'l>) -> gpuvm::Launch<'l>,
        left: &Buffer<T>,
    ) where
        T: VmType,
    {
        let (name, engine) = ("gpuvm specialized relaxed", Engine::Specialized);
        self.engine(
            name,
            engine,
            self.tolerance,
            (runtime, routines),
            &returning,
            &leaving,
            left,
        );
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "private, and both callers above are shorter for it"
    )]
    fn engine<'l>(
        &mut self,
        name: &str,
        engine: Engine,
        tolerance: Tolerance,
        (runtime, routines): (&Runtime, &Routines),
        returning: &dyn Fn(gpuvm::Launch<'l>) -> gpuvm::Launch<'l>,
        leaving: &dyn Fn(gpuvm::Launch<'l>) -> gpuvm::Launch<'l>,
        left: &Buffer<T>,
    ) where
        T: VmType,
    {
        let launch = || {
            let done = returning(runtime.launch(routines.returning)?).engine(engine).run()?;
            Ok(done.output::<Vec<T>>()?)
        };
        let mut resident = || {
            leaving(runtime.launch(routines.leaving)?).engine(engine).run()?;
            Ok(())
        };
        let mut fetch = || Ok(left.read()?);
        self.enter(name, tolerance, launch, Some((&mut resident, &mut fetch)));
    }

    /// Times a contestant and compares what it gives.
    fn enter(
        &mut self,
        name: &str,
        tolerance: Tolerance,
        launch: impl Fn() -> Result<Vec<T>>,
        resident: Option<Resident<'_, T>>,
    ) {
        let figures = || {
            let check = |found: &[T]| {
                Agreement::check(
                    bytemuck::cast_slice(&self.judge),
                    bytemuck::cast_slice(found),
                    tolerance,
                )
            };
            let (seconds, results) = self.stage.timing.warm(&launch)?;
            let agreement = check(&results)?;
            let Some((run, fetch)) = resident else {
                return Ok((seconds, None, agreement));
            };
            let (resident, ()) = self.stage.timing.warm(run)?;
            check(&fetch()?).context("with data on the device")?;
            Ok((seconds, Some(resident), agreement))
        };
        let figures = figures();
        self.push(name, figures);
    }

    fn push(&mut self, name: &str, figures: Result<(f64, Option<f64>, Agreement)>) {
        let mut entry = Entry {
            contestant: name.to_string(),
            launch: None,
            resident: None,
            agreement: None,
            problem: None,
        };
        match figures {
            Ok((launch, resident, agreement)) => {
                eprintln!("  {name}: {:.3} ms, {agreement}", launch * 1e3);
                entry.launch = Some(launch);
                entry.resident = resident;
                entry.agreement = Some(agreement);
            }
            Err(error) => {
                eprintln!("  {name}: {error:#}");
                entry.problem = Some(Problem::of(&error));
            }
        }
        self.outcome.entries.push(entry);
    }

    /// What came of it.
    pub fn finish(self) -> Outcome {
        self.outcome
    }
}
