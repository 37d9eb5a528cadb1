//! How long a user waits: from a launch to its results on a warm device, for routines of ten lines that the device has never seen, and
//! for the same launch again.

use anyhow::Result;
use gpuvm::{Backend, Engine, Settings};
use gpuvm_soup::{Recipe, SOUP};
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::peers::wgsl::{Checks, Gpu};
use crate::problem::Problem;
use crate::soup::Inputs;
use crate::stage::{Stage, backends, runtime_through};
use crate::timing::{median, once};

/// VMs of a launch.
const VMS: u32 = 1000;
/// Lines of a routine.
const LINES: u32 = 10;
/// Launches of the same routine after the first.
const AGAIN: usize = 20;

/// One contestant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Its name.
    pub contestant: String,
    /// Median seconds of a routine's first launch, linking and compilation counted.
    pub first: Option<f64>,
    /// The longest of them.
    pub longest: Option<f64>,
    /// Median seconds of launching it again.
    pub again: Option<f64>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// Measures.
///
/// # Errors
///
/// When no device can be opened.
pub fn run(stage: &Stage) -> Result<Vec<Wait>> {
    let engines = [Engine::Native, Engine::Interpreter, Engine::Specialized, Engine::Auto];
    let mut contestants: Vec<_> = engines.map(|engine| (Backend::Wgpu, engine)).into();
    for (backend, _) in backends(&Settings::default()) {
        if backend != Backend::Wgpu {
            contestants.extend(engines[1..].iter().map(|engine| (backend, *engine)));
        }
    }
    // Every contestant gets routines of its own, so that no cache below gpuvm can have seen them.
    let short: Vec<&Recipe> = SOUP.iter().filter(|recipe| recipe.lines == LINES).collect();
    let mut hands = short.chunks(short.len() / (contestants.len() + 1));
    let mut hand = || hands.next().unwrap_or_default();
    eprintln!("latency: routines of {LINES} lines, {VMS} VMs");
    let inputs = Inputs::new(VMS);
    let mut waits = Vec::new();
    for (backend, engine) in contestants {
        let runtime = runtime_through(backend, Settings::default())?;
        let recipes = hand();
        let wait = || {
            runtime
                .launch("lcg")?
                .args((&inputs.first, 10u32))
                .engine(engine)
                .run()?;
            measure(&inputs, recipes, |recipe| {
                Ok(|| inputs.launch(&runtime, engine, recipe))
            })
        };
        let through = if backend == Backend::Wgpu { "" } else { ", CUDA" };
        waits.push(Wait::new(format!("gpuvm {engine}{through}"), wait()));
    }
    let gpu = Gpu::open(&stage.gpu.about().name)?;
    let uniform = [VMS, 0, 0, 0];
    let columns = inputs.columns();
    let warm = short.last().map(|recipe| {
        gpu.prepare(inputs.job(recipe, &uniform, &columns), Checks::On)?
            .launch::<u32>()
    });
    let wait = warm.transpose().and_then(|_| {
        measure(&inputs, hand(), |recipe| {
            let prepared = gpu.prepare(inputs.job(recipe, &uniform, &columns), Checks::On)?;
            Ok(move || prepared.launch())
        })
    });
    waits.push(Wait::new("WGSL".to_string(), wait));
    Ok(waits)
}

/// First launches' median and longest, and the median of launching again. `prepare` belongs to the first launch.
fn measure<F: FnMut() -> Result<Vec<u32>>>(
    inputs: &Inputs,
    recipes: &[&'static Recipe],
    prepare: impl Fn(&'static Recipe) -> Result<F>,
) -> Result<[f64; 3]> {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for recipe in recipes {
        let (seconds, (found, mut launch)) = once(|| {
            let mut launch = prepare(recipe)?;
            Ok((launch()?, launch))
        })?;
        Agreement::check(&inputs.judge(recipe), &found, Tolerance::Exact)?;
        first.push(seconds);
        for _ in 0..AGAIN {
            again.push(once(&mut launch)?.0);
        }
    }
    let longest = first.iter().copied().fold(0.0, f64::max);
    Ok([median(&mut first), longest, median(&mut again)])
}

impl Wait {
    fn new(contestant: String, measured: Result<[f64; 3]>) -> Wait {
        let mut wait = Wait {
            contestant,
            first: None,
            longest: None,
            again: None,
            problem: None,
        };
        match measured {
            Ok([first, longest, again]) => {
                (wait.first, wait.longest, wait.again) = (Some(first), Some(longest), Some(again));
            }
            Err(error) => wait.problem = Some(Problem::of(&error)),
        }
        eprintln!("  {}: {:?} s", wait.contestant, wait.first);
        wait
    }
}
