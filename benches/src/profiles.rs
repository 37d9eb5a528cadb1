//! What a profile costs: the same launch left alone, and profiled, where it is short and where it takes seconds.

use anyhow::Result;
use gpuvm::{Engine, Launch};
use gpuvm_workloads::Workload;
use gpuvm_workloads::collatz::Starts;

use crate::agreement::{Agreement, Tolerance};
use crate::breakpoints::Watched;
use crate::problem::Problem;
use crate::stage::Stage;

/// What is compared.
pub const WAYS: [&str; 2] = ["left alone", "profiled"];

/// Measures.
///
/// # Errors
///
/// Never yet; what an engine fails with is in its row.
pub fn run(stage: &Stage) -> Result<Vec<Watched>> {
    let starts = Starts::from(stage.size);
    let mut rows = Vec::new();
    let (vms, steps): (u32, [u32; 2]) = stage.pick((1000, [1000; 2]), (1_000_000, [300_000, 6_000_000]));
    let seeds: Vec<u32> = (0..vms).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    for (engine, steps) in [Engine::Interpreter, Engine::Specialized].into_iter().zip(steps) {
        let short = || Ok(starts.launched(stage.runtime.launch(Starts::RETURNING)?));
        rows.push(row(
            stage,
            &format!("{}, {}", Starts::RETURNING, starts.amount()),
            engine,
            short,
        ));
        let long = || Ok(stage.loops.launch("lcg")?.args((&seeds, steps)));
        rows.push(row(stage, &format!("lcg, {vms} VMs of {steps} turns"), engine, long));
    }
    Ok(rows)
}

fn row<'l>(stage: &Stage, what: &str, engine: Engine, launch: impl Fn() -> Result<Launch<'l>>) -> Watched {
    let time = |profile: bool| {
        stage.timing.warm(|| {
            let done = launch()?.engine(engine).profile(profile).run()?;
            Ok(done.output::<Vec<u32>>()?)
        })
    };
    let seconds = || -> Result<Vec<f64>> {
        let (alone, expected) = time(false)?;
        let (profiled, results) = time(true)?;
        Agreement::check(&expected, &results, Tolerance::Exact)?;
        Ok(vec![alone, profiled])
    };
    let seconds = seconds();
    eprintln!("profile: {what}, {engine}: {seconds:?} s");
    Watched {
        what: format!("{what}, {engine}"),
        problem: seconds.as_ref().err().map(Problem::of),
        seconds: seconds.unwrap_or_default(),
    }
}
