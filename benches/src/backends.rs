//! The same launches through every back end that reaches a GPU, one beside the other: what the device takes, and what the host does besides.
//! With CUDA they are of the same GPU.

use anyhow::{Result, ensure};
use gpuvm::{Backend, Done, Engine, RingOptions, Runtime, Settings, default};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::ring::{Account, Balance, Deposit, LONG};
use crate::stage::{Stage, backends};
use crate::timing::{median_if_any, once};
use gpuvm_workloads::automaton::automaton;
use gpuvm_workloads::collatz::collatz;
use gpuvm_workloads::lcg::lcg;
use gpuvm_workloads::parting::parting;
use gpuvm_workloads::sha256::sha256;

/// What one back end needs for a launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// The back end's name.
    pub backend: String,
    /// Seconds from the call to the results.
    pub launch: Option<f64>,
    /// Seconds of those that the device says it worked.
    pub device: Option<f64>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// One launch through all of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// What was launched.
    pub what: String,
    /// VM-instructions that it retires, as the interpreter counts them.
    pub instructions: Option<u64>,
    /// One for each back end.
    pub figures: Vec<Figure>,
}

/// The launches that are compared: results as words, and what the launch says of itself.
type Launched = Result<(Vec<u32>, Done)>;

/// Launches on an engine.
type Run = dyn Fn(&Runtime, Engine) -> Launched;

/// A launch on an engine.
struct Case {
    name: String,
    engine: Engine,
    /// Whether loops over linear code may become powers of matrices.
    raise: bool,
    judge: Vec<u32>,
    run: Box<Run>,
}

/// Calls, one after the other, whose median counts.
const CALLS: usize = 5_000;

/// Measures.
///
/// # Errors
///
/// When no device can be opened, or the figures cannot be written to their file.
pub fn run(stage: &Stage) -> Result<Vec<Comparison>> {
    let runtimes = backends(&Settings::default());
    // Stepping is what is to be measured of the generator, which would be a power of its matrix.
    let loops = backends(&Settings {
        raise: false,
        ..Settings::default()
    });
    let compare = |case: Case| {
        let runtimes = if case.raise { &runtimes } else { &loops };
        case.compare(stage, runtimes)
    };
    let mut comparisons = Vec::new();
    for case in cases(stage) {
        comparisons.push(compare(case));
        stage.keep(|report| report.backends = Some(comparisons.clone()))?;
    }
    comparisons.push(calls(stage, &runtimes));
    Ok(comparisons)
}

fn cases(stage: &Stage) -> Vec<Case> {
    let seeds = |count: u32| -> Vec<u32> { (0..count).map(|i| i.wrapping_mul(0x9e37_79b9) | 1).collect() };
    let mut cases = Vec::new();
    for (engine, vms, steps) in [
        (Engine::Interpreter, stage.pick(1000, 1_000_000), stage.pick(100, 2000)),
        (Engine::Specialized, stage.pick(1000, 1_000_000), stage.pick(100, 8000)),
        (Engine::Epoch, stage.pick(1000, 100_000), stage.pick(100, 1000)),
        // Where the host's part is nearly all of it.
        (Engine::Interpreter, 64, 1),
        (Engine::Specialized, 64, 1),
    ] {
        let seeds = seeds(vms);
        cases.push(Case {
            name: format!("LCG loop, {vms} VMs, {steps} turns"),
            engine,
            raise: false,
            judge: seeds.par_iter().map(|&seed| lcg(seed, steps)).collect(),
            run: Box::new(move |runtime, engine| {
                let done = runtime.launch("lcg")?.args((&seeds, steps)).engine(engine).run()?;
                Ok((done.output()?, done))
            }),
        });
    }
    let width: u32 = stage.pick(64, 2048);
    for engine in [Engine::Interpreter, Engine::Specialized] {
        let (count, scale, limit) = ((width * width) as usize, 3.0 / width as f32, 1000u32);
        cases.push(Case {
            name: format!("Mandelbrot, {width} x {width}"),
            engine,
            raise: true,
            judge: Vec::new(),
            run: Box::new(move |runtime, engine| {
                let launch = runtime.launch("mandelbrot")?.args((width, scale, limit)).vms(count);
                let done = launch.engine(engine).run()?;
                Ok((done.output()?, done))
            }),
        });
        let automata = seeds(stage.pick(1 << 10, 1 << 20));
        let steps: u32 = stage.pick(100, 1000);
        cases.push(Case {
            name: format!("automaton, {} VMs, {steps} steps", automata.len()),
            engine,
            raise: true,
            judge: automata.par_iter().map(|&seed| automaton(seed, steps)).collect(),
            run: Box::new(move |runtime, engine| {
                let done = runtime
                    .launch("automaton")?
                    .args((&automata, steps))
                    .engine(engine)
                    .run()?;
                Ok((done.output()?, done))
            }),
        });
        let starts = seeds(stage.pick(1 << 10, 1 << 20))
            .iter()
            .map(|start| start >> 8 | 1)
            .collect::<Vec<u32>>();
        cases.push(Case {
            name: format!("Collatz, {} VMs", starts.len()),
            engine,
            raise: true,
            judge: starts.par_iter().map(|&start| collatz(start)).collect(),
            run: Box::new({
                let starts = starts.clone();
                move |runtime, engine| {
                    let done = runtime.launch("collatz")?.args((&starts,)).engine(engine).run()?;
                    Ok((done.output()?, done))
                }
            }),
        });
        let judge = starts.par_iter().map(|&start| parting(start, steps)).collect();
        cases.push(Case {
            name: format!(
                "loops of different lengths and one of {steps} turns, {} VMs",
                starts.len()
            ),
            engine,
            raise: true,
            judge,
            run: Box::new(move |runtime, engine| {
                let done = runtime.launch("parting")?.args((&starts, steps)).engine(engine).run()?;
                Ok((done.output()?, done))
            }),
        });
        let messages: Vec<[u32; 8]> = seeds(stage.pick(1 << 10, 1_000_000))
            .iter()
            .map(|&seed| [seed; 8])
            .collect();
        cases.push(Case {
            name: format!("SHA-256, {} messages", messages.len()),
            engine,
            raise: true,
            judge: messages.par_iter().flat_map_iter(|&message| sha256(message)).collect(),
            run: Box::new(move |runtime, engine| {
                let done = runtime.launch("sha256")?.args((&messages,)).engine(engine).run()?;
                Ok((done.output::<Vec<[u32; 8]>>()?.into_flattened(), done))
            }),
        });
    }
    cases
}

impl Case {
    /// Runs it through every back end.
    fn compare(self, stage: &Stage, runtimes: &[(Backend, Runtime)]) -> Comparison {
        let what = format!("{} ({})", self.name, self.engine);
        eprintln!("{what}");
        let mut comparison = Comparison {
            what,
            instructions: None,
            figures: Vec::new(),
        };
        let mut judge = self.judge.clone();
        for (backend, runtime) in runtimes {
            let measured = self.measure(stage, runtime, &mut judge);
            if let Ok((_, _, Some(instructions))) = &measured {
                comparison.instructions = Some(*instructions);
            }
            let measured = measured.map(|(launch, device, _)| (launch, device));
            comparison.figures.push(Figure::new(*backend, measured));
        }
        comparison
    }

    /// Seconds of a launch and of the device, and what was retired. Without a judge's results the first back end's are those of the native
    /// engine.
    fn measure(
        &self,
        stage: &Stage,
        runtime: &Runtime,
        judge: &mut Vec<u32>,
    ) -> Result<(f64, Option<f64>, Option<u64>)> {
        if judge.is_empty() {
            *judge = (self.run)(runtime, Engine::Native)?.0;
        }
        let mut devices = Vec::new();
        let (seconds, (found, done)) = stage.timing.warm(|| {
            let (found, done) = (self.run)(runtime, self.engine)?;
            devices.extend(done.stats().device_time.map(|time| time.as_secs_f64()));
            Ok((found, done))
        })?;
        ensure!(found == *judge, "the results differ from the native function's");
        let device = median_if_any(&mut devices);
        Ok((seconds, device, done.stats().instructions()))
    }
}

/// How long a call of an actor takes while nothing else happens.
fn calls(stage: &Stage, runtimes: &[(Backend, Runtime)]) -> Comparison {
    let measure = |runtime: &Runtime| -> Result<f64> {
        let options = RingOptions {
            actors: 1024,
            engine: Engine::Specialized,
            ..default()
        };
        let kernel = runtime.blocking_launch_ring("ledger", options)?;
        kernel.blocking_activate()?;
        let mut account = Account::default();
        let times = stage.timing.spread(stage.pick(CALLS / 10, CALLS), || {
            let deposit = Deposit { cents: 1 };
            let (seconds, balance) = once(|| Ok(kernel.blocking_call_within::<Deposit, Balance>(7, deposit, LONG)?))?;
            ensure!(
                balance == crate::ring::ledger(&mut account, deposit),
                "a call's balance differs"
            );
            Ok(seconds)
        })?;
        Ok(times.median)
    };
    let figures = runtimes.iter();
    Comparison {
        what: "ring call by itself (specialized)".to_string(),
        instructions: None,
        figures: figures
            .map(|(backend, runtime)| Figure::new(*backend, measure(runtime).map(|call| (call, None))))
            .collect(),
    }
}

impl Figure {
    fn new(backend: Backend, measured: Result<(f64, Option<f64>)>) -> Figure {
        let mut figure = Figure {
            backend: format!("{backend:?}"),
            launch: None,
            device: None,
            problem: None,
        };
        match measured {
            Ok((launch, device)) => (figure.launch, figure.device) = (Some(launch), device),
            Err(error) => figure.problem = Some(Problem::of(&error)),
        }
        eprintln!(
            "  {backend:?}: {:?} s, {:?} s on the device",
            figure.launch, figure.device
        );
        figure
    }
}
