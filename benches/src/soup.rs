//! Program soup: a thousand different routines, each launched once. What counts is the time until all results are there, with
//! everything that has to be linked or compiled on the way. And a few of them, batch after batch, with what is compiled meanwhile.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use gpuvm::{BatchDone, Engine, Settings};
use gpuvm_soup::{Recipe, SOUP};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::peers::wgsl::{Checks, Gpu, Job};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::timing::once;

/// VMs of each routine.
const VMS: u32 = 1024;

/// Routines that come again in each batch, and VMs of each.
const AGAIN: usize = 8;
const VMS_AGAIN: u32 = 1 << 18;
/// How long batches are run until they should be compiled.
const PATIENCE: Duration = Duration::from_secs(60);

/// One contestant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Served {
    /// Its name.
    pub contestant: String,
    /// How many different routines.
    pub routines: usize,
    /// Seconds until all results were there.
    pub seconds: Option<f64>,
    /// Why there is no figure.
    pub problem: Option<Problem>,
}

/// The arguments of every routine.
pub struct Inputs {
    /// The first parameter's column.
    pub first: Vec<u32>,
    /// The second parameter's column.
    pub second: Vec<u32>,
}

impl Inputs {
    /// Some words.
    pub fn new(vms: u32) -> Inputs {
        let words = |factor: u32| (0..vms).map(|i| i.wrapping_mul(factor)).collect();
        Inputs {
            first: words(0x9e37_79b9),
            second: words(0x85eb_ca6b),
        }
    }

    /// Both columns as bytes.
    pub fn columns(&self) -> [&[u8]; 2] {
        [bytemuck::cast_slice(&self.first), bytemuck::cast_slice(&self.second)]
    }

    /// What the native function gives.
    pub fn judge(&self, recipe: &Recipe) -> Vec<u32> {
        let pairs = self.first.iter().zip(&self.second);
        pairs.map(|(a, b)| (recipe.native)(*a, *b)).collect()
    }

    /// What gpuvm gives.
    ///
    /// # Errors
    ///
    /// When the launch fails.
    pub fn launch(&self, runtime: &gpuvm::Runtime, engine: Engine, recipe: &Recipe) -> Result<Vec<u32>> {
        let launch = runtime.launch(recipe.id)?.args((&self.first, &self.second));
        Ok(launch.engine(engine).run()?.output()?)
    }

    /// A shader's job.
    pub fn job<'a>(&self, recipe: &'a Recipe, uniform: &'a [u32; 4], columns: &'a [&'a [u8]; 2]) -> Job<'a> {
        Job {
            source: recipe.wgsl,
            uniform: bytemuck::bytes_of(uniform),
            inputs: columns,
            output: columns[0].len(),
            groups: [uniform[0].div_ceil(64), 1],
        }
    }
}

/// Lets every contestant cook.
///
/// # Errors
///
/// When no device can be opened.
pub fn run(stage: &Stage) -> Result<Vec<Served>> {
    let recipes = &SOUP[..stage.pick(40, SOUP.len())];
    eprintln!("soup: {} routines", recipes.len());
    let inputs = Inputs::new(VMS);
    let judges: Vec<_> = recipes.par_iter().map(|recipe| inputs.judge(recipe)).collect();
    let mut soup = Soup {
        recipes,
        judges,
        served: Vec::new(),
    };
    for parallel in [false, true] {
        for engine in [Engine::Native, Engine::Interpreter, Engine::Auto, Engine::Specialized] {
            // A runtime of its own has linked and compiled nothing yet; one launch of something else warms the device up.
            let runtime = stage.runtime(Settings::default())?;
            let warm = || runtime.launch("lcg")?.args((&inputs.first, 10u32)).engine(engine).run();
            let name = format!("gpuvm {engine}");
            match warm() {
                Ok(_) => soup.serve(&name, parallel, |recipe| inputs.launch(&runtime, engine, recipe)),
                Err(error) => soup.push(&name, parallel, Err(error.into())),
            }
        }
        let gpu = Gpu::open(&stage.gpu.about().name)?;
        let (uniform, columns) = ([VMS, 0, 0, 0], inputs.columns());
        soup.serve("WGSL", parallel, |recipe| {
            gpu.prepare(inputs.job(recipe, &uniform, &columns), Checks::On)?
                .launch()
        });
    }
    soup.batch(stage, &inputs)?;
    let mut again = Soup {
        recipes: &recipes[..AGAIN],
        judges: Vec::new(),
        served: Vec::new(),
    };
    again.batches(stage)?;
    soup.served.extend(again.served);
    Ok(soup.served)
}

struct Soup<'a> {
    recipes: &'a [Recipe],
    judges: Vec<Vec<u32>>,
    served: Vec<Served>,
}

impl Soup<'_> {
    /// All of them as one batch, which links on all threads by itself.
    fn batch(&mut self, stage: &Stage, inputs: &Inputs) -> Result<()> {
        let runtime = stage.runtime(Settings::default())?;
        let ids: Vec<&str> = self.recipes.iter().map(|recipe| recipe.id).collect();
        // Of something else, for the device to be warm.
        let warm = runtime.batch(["lcg"])?.args((&inputs.first, 10u32));
        warm.run()?;
        let result = once(|| -> Result<Vec<Vec<u32>>> {
            let done = runtime.batch(&ids)?.args((&inputs.first, &inputs.second)).run()?;
            Ok((0..ids.len())
                .map(|number| done.output(number))
                .collect::<gpuvm::Result<_>>()?)
        });
        let checked = self.judged(result);
        self.push("gpuvm batch", false, checked);
        Ok(())
    }

    /// All of them in each of many batches, interpreted and as they are compiled meanwhile.
    fn batches(&mut self, stage: &Stage) -> Result<()> {
        let inputs = Inputs::new(stage.pick(1 << 10, VMS_AGAIN));
        self.judges = self.recipes.par_iter().map(|recipe| inputs.judge(recipe)).collect();
        let ids: Vec<&str> = self.recipes.iter().map(|recipe| recipe.id).collect();
        let vms = inputs.first.len();
        for engine in [Engine::Interpreter, Engine::Auto] {
            let runtime = stage.runtime(Settings::default())?;
            let run = || -> Result<BatchDone> {
                Ok(runtime
                    .batch(&ids)?
                    .args((&inputs.first, &inputs.second))
                    .engine(engine)
                    .run()?)
            };
            let measured = (|| -> Result<_> {
                let begin = Instant::now();
                let mut ran = run()?;
                let engine_of = |done: &BatchDone| done.stats().map(|stats| stats.engine);
                while engine == Engine::Auto && engine_of(&ran) != Some(Engine::Specialized) {
                    ensure!(
                        begin.elapsed() < PATIENCE,
                        "not compiled, {:?}",
                        ran.stats().and_then(|stats| stats.left_to_interpreter)
                    );
                    if stage.pick(true, false) {
                        break;
                    }
                    ran = run()?;
                }
                let (seconds, done) = stage.timing.warm(run)?;
                let all = (0..ids.len()).map(|number| Ok(done.output(number)?));
                Ok((seconds, all.collect::<Result<_>>()?))
            })();
            let checked = self.judged(measured);
            self.push(
                &format!("gpuvm batch of {vms} VMs each, again ({engine})"),
                false,
                checked,
            );
        }
        Ok(())
    }

    fn serve(&mut self, name: &str, parallel: bool, cook: impl Fn(&Recipe) -> Result<Vec<u32>> + Sync) {
        let result = once(|| match parallel {
            true => self.recipes.par_iter().map(&cook).collect::<Result<Vec<_>>>(),
            false => self.recipes.iter().map(&cook).collect(),
        });
        let checked = self.judged(result);
        self.push(name, parallel, checked);
    }

    /// The seconds, if all results are right.
    fn judged(&self, result: Result<(f64, Vec<Vec<u32>>)>) -> Result<f64> {
        let (seconds, all) = result?;
        for (judge, found) in self.judges.iter().zip(&all) {
            Agreement::check(judge, found, Tolerance::Exact)?;
        }
        Ok(seconds)
    }

    fn push(&mut self, name: &str, parallel: bool, seconds: Result<f64>) {
        let contestant = match parallel {
            true => format!("{name}, all threads"),
            false => name.to_string(),
        };
        eprintln!("  {contestant}: {seconds:?} s");
        self.served.push(Served {
            contestant,
            routines: self.recipes.len(),
            problem: seconds.as_ref().err().map(Problem::of),
            seconds: seconds.ok(),
        });
    }
}
