//! One workload's contest: every contestant runs it, is compared with the judge, and is timed.

use anyhow::{Context as _, Result};
use bytemuck::Pod;
use cubecl::prelude::Client;
use cubecl::server::Handle;
use gpuvm::{Buffer, Engine, Runtime, VmType};
use gpuvm_workloads::Workload;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::peers::cube;
use crate::peers::cuda::{self, Kernel};
use crate::peers::wgsl::{Checks, Job, Waiting};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::timing::{Pace, median_if_any, once};

/// The contestant that all others are compared with.
pub const BASELINE: &str = "WGSL";

/// What came of one contestant. Times are seconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub contestant: String,
    /// Of a launch: inputs uploaded, run, results read back.
    pub launch: Option<Pace>,
    /// Of a run on data that is on the device before and stays there, where the host asks again and again whether it is done, if it may.
    pub resident: Option<Pace>,
    /// Of the same where the host sleeps until it is done, if it may choose.
    pub asleep: Option<f64>,
    /// Of the device for the same.
    pub device: Option<f64>,
    /// How near its results came to the judge's.
    pub agreement: Option<String>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// What came of one workload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Its name.
    pub workload: String,
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

/// What runs on data that is on the device.
struct Resident<'r, T> {
    /// Runs it, and waits for its end.
    run: &'r mut dyn FnMut() -> Result<()>,
    /// The same where the host sleeps, if that is not what it does anyway.
    asleep: Option<&'r mut dyn FnMut() -> Result<()>>,
    /// The same, with the seconds of the device if they are known.
    device: &'r mut dyn FnMut() -> Result<Option<f64>>,
    /// Reads what it leaves.
    fetch: &'r mut dyn FnMut() -> Result<Vec<T>>,
}

/// A contest that is going on; `T` is an entry of the results.
pub struct Contest<'s, T> {
    stage: &'s Stage,
    judge: Vec<T>,
    tolerance: Tolerance,
    outcome: Outcome,
}

impl<'s, T: Pod> Contest<'s, T> {
    /// Begins that of a workload, with rayon's threads on the CPU and the native function as the judge. A contestant whose floats may differ has
    /// `tolerance`.
    pub fn of<W: Workload<Output = T>>(stage: &'s Stage, workload: &W, tolerance: Tolerance) -> Self {
        let judge = workload.native();
        let mut contest = Contest::new(stage, W::RETURNING, workload.amount(), judge, tolerance);
        contest.rayon(|| workload.native());
        contest
    }

    /// Begins a contest. `judge` is what the native Rust function gives; a contestant whose floats may differ has `tolerance`.
    pub fn new(stage: &'s Stage, workload: &str, amount: String, judge: Vec<T>, tolerance: Tolerance) -> Self {
        eprintln!("{workload}: {amount}");
        Contest {
            stage,
            judge,
            tolerance,
            outcome: Outcome {
                workload: workload.to_string(),
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
                Ok(prepared) => {
                    let resident = Resident {
                        run: &mut || prepared.resident(Waiting::Asking),
                        asleep: Some(&mut || prepared.resident(Waiting::Asleep)),
                        device: &mut || prepared.on_the_device(),
                        fetch: &mut || prepared.fetch(),
                    };
                    self.enter(name, self.tolerance, || prepared.launch(), Some(resident));
                }
                Err(error) => self.push(name, Err(error)),
            }
        }
    }

    /// CubeCL. `launch` gets the inputs and the output. How its host waits is CubeCL's own affair.
    pub fn cube(&mut self, inputs: &[&[u8]], launch: impl Fn(&Client, &[Handle], &Handle)) {
        let size = size_of_val(self.judge.as_slice());
        let prepared = cube::Prepared::new(&self.stage.cube, inputs, size, launch);
        let resident = Resident {
            run: &mut || prepared.resident(),
            asleep: None,
            device: &mut || prepared.on_the_device().map(Some),
            fetch: &mut || prepared.fetch(),
        };
        self.enter("CubeCL", self.tolerance, || prepared.launch(), Some(resident));
    }

    /// Hand-written CUDA, which measures itself. Its host asks.
    pub fn cuda(&mut self) {
        let Some(cuda) = &self.stage.cuda else {
            return;
        };
        let kernels = match cuda.of_workload(&self.outcome.workload, self.stage.size) {
            Ok(kernels) => kernels,
            Err(error) => return self.push("CUDA", Err(error)),
        };
        let judge = cuda::checksum(bytemuck::cast_slice(&self.judge));
        for Kernel { contestant, row } in kernels {
            if !self.stage.has(contestant) {
                continue;
            }
            let entry = row.judged(judge).map(|agreement| Entry {
                launch: cuda::seconds(row.launch_ms).map(Pace::steady),
                resident: cuda::seconds(row.wall_ms).map(Pace::steady),
                device: cuda::seconds(row.device_ms),
                agreement: Some(agreement),
                ..Entry::default()
            });
            self.push(contestant, entry);
        }
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
        let device = || {
            let launch = leaving(runtime.launch(routines.leaving)?).engine(engine);
            Ok(launch.run()?.stats().device_time.map(|time| time.as_secs_f64()))
        };
        let resident = Resident {
            run: &mut || device().map(drop),
            asleep: None,
            device: &mut || device(),
            fetch: &mut || Ok(left.read()?),
        };
        self.enter(name, tolerance, launch, Some(resident));
    }

    /// Times a contestant and compares what it gives.
    fn enter(
        &mut self,
        name: &str,
        tolerance: Tolerance,
        launch: impl Fn() -> Result<Vec<T>>,
        resident: Option<Resident<'_, T>>,
    ) {
        if !self.stage.has(name) {
            return;
        }
        let timing = self.stage.timing;
        let measure = || {
            let check = |found: &[T]| {
                let (judge, found) = (bytemuck::cast_slice(&self.judge), bytemuck::cast_slice(found));
                Agreement::check(judge, found, tolerance)
            };
            let (pace, results) = timing.paced(|| once(&launch))?;
            let mut entry = Entry {
                launch: Some(pace),
                agreement: Some(check(&results)?.to_string()),
                ..Entry::default()
            };
            if let Some(Resident {
                run,
                asleep,
                device,
                fetch,
            }) = resident
            {
                entry.resident = Some(timing.paced(|| once(&mut *run))?.0);
                let mut seconds = Vec::new();
                for _ in 0..timing.repeats.max(1) {
                    seconds.extend(device()?);
                }
                entry.device = median_if_any(&mut seconds);
                entry.asleep = asleep
                    .map(|run| timing.warm(run))
                    .transpose()?
                    .map(|(seconds, ())| seconds);
                check(&fetch()?).context("with data on the device")?;
            }
            Ok(entry)
        };
        let entry = measure();
        self.push(name, entry);
    }

    fn push(&mut self, name: &str, entry: Result<Entry>) {
        let mut entry = entry.unwrap_or_else(|error| {
            eprintln!("  {name}: {error:#}");
            Entry {
                problem: Some(Problem::of(&error)),
                ..Entry::default()
            }
        });
        if let (Some(launch), Some(agreement)) = (entry.launch, &entry.agreement) {
            eprintln!("  {name}: {:.3} ms, {agreement}", launch.steady * 1e3);
        }
        entry.contestant = name.to_string();
        self.outcome.entries.push(entry);
    }

    /// What came of it.
    pub fn finish(self) -> Outcome {
        self.outcome
    }
}
