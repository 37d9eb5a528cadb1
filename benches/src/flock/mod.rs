//! A flock: the steps of the example of that name as a plan, against the same algorithm written by hand for rayon.
//!
//! Every run begins with the same swarm and makes the same number of steps; the data is where the contestant works before, and stays there.

#[path = "../../../examples/flock/boids.rs"]
mod boids;
mod by_hand;

use anyhow::Result;
use gpuvm::{Engine, Handle, Plan, routine};
use gpuvm_workloads::Size;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::peers::cuda::Cuda;
use crate::problem::Problem;
use crate::stage::Stage;
use boids::{Boid, side_for, step, swarm};

/// The contestant that all others are compared with.
pub const BASELINE: &str = "rayon";

/// What came of one contestant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Flown {
    /// Its name.
    pub contestant: String,
    /// Seconds for a step.
    pub step: Option<f64>,
    /// Seconds of the device for a step.
    pub device: Option<f64>,
    /// How near its boids came to rayon's.
    pub agreement: Option<String>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// One flock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Flight {
    /// How many boids.
    pub boids: usize,
    /// Steps of a run.
    pub steps: usize,
    /// Every contestant, rayon first.
    pub entries: Vec<Flown>,
}

impl Flight {
    /// How many times as fast as rayon a contestant was.
    pub fn speed(&self, of: &Flown) -> Option<f64> {
        let baseline = self.entries.iter().find(|entry| entry.contestant == BASELINE)?;
        Some(baseline.step? / of.step?)
    }
}

/// Leaves a boid in a buffer.
#[routine]
fn flock_leave(boid: Boid, left: &mut Boid) {
    *left = boid;
}

/// Measures.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Vec<Flight>> {
    let sizes: &[usize] = stage.pick(&[1000], &[10_000, 100_000, 1_000_000]);
    let mut flights = sizes
        .iter()
        .map(|&boids| fly(stage, boids))
        .collect::<Result<Vec<_>>>()?;
    if let Some(cuda) = &stage.cuda {
        by_hand(cuda, stage.size, &mut flights)?;
    }
    Ok(flights)
}

/// Adds hand-written CUDA, which makes the same steps of flocks of its own and says so of each by `20 steps of 10000 boids`.
fn by_hand(cuda: &Cuda, size: Size, flights: &mut [Flight]) -> Result<()> {
    for row in cuda.run("flock", size)? {
        let [steps, boids] = row.numbers()[..] else {
            continue;
        };
        if let Some(flight) = flights.iter_mut().find(|flight| flight.boids == boids) {
            let step = |seconds: f64| seconds / steps as f64;
            let times = row.times();
            let flown =
                times.map(|(wall, device)| (step(wall), device.map(step), "those of its own judge".to_string()));
            flight.entries.push(Flown::new("CUDA".to_string(), flown));
        }
    }
    Ok(())
}

fn fly(stage: &Stage, boids: usize) -> Result<Flight> {
    let (steps, side) = (stage.pick(2, 20), side_for(boids));
    eprintln!("flock: {boids} boids, {steps} steps");
    let start = swarm(boids, side);
    let mut world = by_hand::World::new(side);
    let (seconds, judge) = stage.timing.warm(|| {
        let mut flock = start.clone();
        (0..steps).for_each(|_| world.step(&mut flock));
        Ok(flock)
    })?;
    let judge = words(judge);
    let agreement = Agreement::check(&judge, &judge, Tolerance::Exact)?;
    let mut entries = vec![Flown::new(
        BASELINE.to_string(),
        Ok((seconds / steps as f64, None, agreement.to_string())),
    )];
    for engine in [Engine::Native, Engine::Specialized] {
        let by_plan = || {
            let runtime = &stage.runtime;
            let (here, there) = (runtime.buffer(&start)?, runtime.buffer(&start)?);
            let mut plan = runtime.plan();
            plan.engine(engine);
            let flock = plan.buffer(&here);
            let last = iterate(&mut plan, flock, steps, boids, side)?;
            let left = plan.map("flock_leave", (last, &there))?;
            plan.output(left);
            let (seconds, done) = stage.timing.warm(|| Ok(plan.run()?))?;
            eprintln!("  {}", done.stats());
            let agreement = Agreement::check(&judge, &words(there.read()?), Tolerance::Exact)?;
            let device = done.stats().device_time.map(|time| time.as_secs_f64() / steps as f64);
            Ok((seconds / steps as f64, device, agreement.to_string()))
        };
        entries.push(Flown::new(format!("gpuvm {engine}"), by_plan()));
    }
    Ok(Flight { boids, steps, entries })
}

/// Adds so many steps to a plan.
fn iterate(plan: &mut Plan<'_>, flock: Handle, steps: usize, boids: usize, side: u32) -> gpuvm::Result<Handle> {
    let [last] = plan.iterate(steps, [flock], |plan, [flock]| Ok([step(plan, flock, boids, side)?]))?;
    Ok(last)
}

/// The words of all boids in an order that does not depend on where each of them stands.
fn words(flock: Vec<Boid>) -> Vec<u32> {
    let mut all: Vec<[i32; 4]> = flock.into_iter().map(|Boid { x, y, vx, vy }| [x, y, vx, vy]).collect();
    all.sort_unstable();
    all.into_iter().flatten().map(|word| word as u32).collect()
}

impl Flown {
    fn new(contestant: String, measured: Result<(f64, Option<f64>, String)>) -> Flown {
        let mut flown = Flown {
            contestant,
            step: None,
            device: None,
            agreement: None,
            problem: None,
        };
        match measured {
            Ok((step, device, agreement)) => {
                (flown.step, flown.device, flown.agreement) = (Some(step), device, Some(agreement));
            }
            Err(error) => flown.problem = Some(Problem::of(&error)),
        }
        eprintln!("  {}: {:?} s a step", flown.contestant, flown.step);
        flown
    }
}
