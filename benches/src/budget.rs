//! What being able to stop costs: the same long launch in each dispatch mode, without a budget and with one that it does not use up.

use std::time::Duration;

use anyhow::Result;
use gpuvm::{Budget, Dispatch, Engine};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::problem::Problem;
use crate::stage::Stage;
use gpuvm_workloads::lcg::lcg;

/// One engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bounded {
    /// Its name.
    pub engine: String,
    /// Seconds for each of [`WAYS`].
    pub seconds: Vec<f64>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// A way to launch: what it is called, the dispatch mode, the budget.
type Way = (&'static str, Dispatch, fn() -> Budget);

/// The ways that are compared, the one without any bound first.
pub const WAYS: [Way; 5] = [
    ("mega", Dispatch::Mega, Budget::unlimited),
    ("continuous (default)", Dispatch::Continuous, Budget::unlimited),
    ("standard", Dispatch::Standard, Budget::unlimited),
    ("continuous, cycles bound", Dispatch::Continuous, many_cycles),
    ("continuous, time bound", Dispatch::Continuous, much_time),
];

fn many_cycles() -> Budget {
    Budget::cycles(1 << 40)
}

fn much_time() -> Budget {
    Budget::time(Duration::from_secs(3600))
}

/// Measures.
///
/// # Errors
///
/// Never yet; what an engine fails with is in its row.
pub fn run(stage: &Stage) -> Result<Vec<Bounded>> {
    let (vms, steps): (u32, u32) = stage.pick((1000, 1000), (1_000_000, 100_000));
    eprintln!("budget: {vms} VMs, {steps} steps");
    let seeds: Vec<u32> = (0..vms).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let judge: Vec<u32> = seeds.par_iter().map(|seed| lcg(*seed, steps)).collect();
    let time = |engine, (_, dispatch, budget): Way| {
        let (seconds, results) = stage.timing.warm(|| {
            let launch = stage.loops.launch("lcg")?.args((&seeds, steps));
            let done = launch.engine(engine).dispatch(dispatch).budget(budget()).run()?;
            Ok(done.output::<Vec<u32>>()?)
        })?;
        Agreement::check(&judge, &results, Tolerance::Exact)?;
        Ok(seconds)
    };
    let bounded = |engine: Engine| {
        let seconds: Result<Vec<f64>> = WAYS.iter().map(|way| time(engine, *way)).collect();
        eprintln!("  {engine}: {seconds:?} s");
        Bounded {
            engine: engine.to_string(),
            problem: seconds.as_ref().err().map(Problem::of),
            seconds: seconds.unwrap_or_default(),
        }
    };
    Ok([Engine::Interpreter, Engine::Specialized].map(bounded).into())
}
