//! What a breakpoint costs that no VM ever meets: the same launch left alone, and in a debugger's session with a condition in its innermost loop.

use anyhow::{Result, ensure};
use gpuvm::{Engine, Execution};
use gpuvm_debug::{Expression, Session, Stop, Wanted};
use gpuvm_workloads::Workload;
use gpuvm_workloads::collatz::Starts;
use gpuvm_workloads::mandelbrot::Picture;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::problem::Problem;
use crate::stage::Stage;

/// One program on one engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Watched {
    /// The routine and its engine.
    pub what: String,
    /// Seconds for each of [`WAYS`].
    pub seconds: Vec<f64>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// What is compared.
pub const WAYS: [&str; 3] = [
    "left alone",
    "a breakpoint behind the loop, with a condition",
    "one in the loop",
];

/// A source with two lines of a routine, and a condition that holds nowhere.
struct Place {
    file: &'static str,
    text: &'static str,
    /// Behind the loop, and in it.
    lines: [&'static str; 2],
    condition: &'static str,
}

const COLLATZ: Place = Place {
    file: "collatz.rs",
    text: include_str!("../workloads/src/collatz.rs"),
    lines: ["    steps\n", "        steps += 1;"],
    condition: "n > 4_294_967_290 && steps == 3",
};

const MANDELBROT: Place = Place {
    file: "mandelbrot.rs",
    text: include_str!("../workloads/src/mandelbrot.rs"),
    lines: ["    n\n", "        n += 1;"],
    condition: "n > 10_000 && n % 3 == 1",
};

/// Measures.
///
/// # Errors
///
/// Never yet; what an engine fails with is in its row.
pub fn run(stage: &Stage) -> Result<Vec<Watched>> {
    let mut rows = watched(stage, &Starts::from(stage.size), &COLLATZ);
    rows.extend(watched(stage, &Picture::from(stage.size), &MANDELBROT));
    Ok(rows)
}

fn watched<W: Workload<Output = u32>>(stage: &Stage, workload: &W, place: &Place) -> Vec<Watched> {
    eprintln!("breakpoints: {}, {}", W::RETURNING, workload.amount());
    let judge = workload.native();
    let time = |engine: Engine, line: Option<&str>| -> Result<f64> {
        let (seconds, results) = stage.timing.warm(|| {
            let launch = workload.launched(stage.runtime.launch(W::RETURNING)?);
            let mut execution = launch.engine(engine).start()?;
            match line {
                Some(line) => pass(&mut execution, place, line)?,
                None => _ = execution.run_to_end()?,
            }
            Ok(execution.finish()?.output::<Vec<u32>>()?)
        })?;
        Agreement::check(&judge, &results, Tolerance::Exact)?;
        Ok(seconds)
    };
    let row = |engine: Engine| {
        let lines = [None, Some(place.lines[0]), Some(place.lines[1])];
        let seconds: Result<Vec<f64>> = lines.into_iter().map(|line| time(engine, line)).collect();
        eprintln!("  {engine}: {seconds:?} s");
        Watched {
            what: format!("{}, {engine}", W::RETURNING),
            problem: seconds.as_ref().err().map(Problem::of),
            seconds: seconds.unwrap_or_default(),
        }
    };
    [Engine::Interpreter, Engine::Specialized].map(row).into()
}

/// Runs it in a session in which no VM stops.
fn pass(execution: &mut Execution<'_>, place: &Place, line: &str) -> Result<()> {
    let before = place.text.split(line).next().unwrap_or_default();
    let wanted = Wanted::at(before.lines().count() as u32 + 1).when(Expression::parse(place.condition)?);
    let mut session = Session::new(execution);
    session.set_breakpoints(place.file, vec![wanted]);
    let stop = session.resume(&mut || false)?;
    ensure!(stop == Stop::End, "it has stopped: {stop:?}");
    Ok(session.end()?)
}
