//! Genetic programming: populations of expression trees that did not exist before, each over all cases, folded to one error a tree. What counts is the
//! number of *node evaluations* a second, nodes of all trees times cases, as Langdon ("A SIMD interpreter for genetic programming on GPU graphics cards",
//! 2008) and those after him count; all from the trees to the errors is in it: building, linking, running, and reading the errors.

use std::time::Instant;

use anyhow::Result;
use gpuvm::build::{Body, Value};
use gpuvm::{Engine, Routine, Runtime, Settings, build, routine};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::problem::Problem;
use crate::stage::Stage;

/// Nodes of a tree.
const NODES: usize = 31;
/// The most lanes that a batch folds a tree's cases in.
const LANES: usize = 256;
/// Trees of a population that are compared with what they are worth natively.
const JUDGED: usize = 8;

/// A population of some size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bred {
    /// The engine.
    pub engine: String,
    /// Trees of a generation.
    pub trees: usize,
    /// Cases that each is measured by.
    pub cases: usize,
    /// Seconds of a generation, in the median.
    pub seconds: Option<f64>,
    /// Seconds of it on the device.
    pub on_device: Option<f64>,
    /// Node evaluations of it.
    pub evaluations: f64,
    /// Why there is no figure.
    pub problem: Option<Problem>,
}

#[routine]
fn add_errors(a: f32, b: f32) -> f32 {
    a + b
}

/// A tree of `+ - * min` over two variables and constants.
enum Tree {
    X,
    Y,
    Constant(f32),
    Both(u32, Box<[Tree; 2]>),
}

/// Random numbers (Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % end
    }
}

impl Tree {
    /// One of exactly so many nodes, an odd number.
    fn random(random: &mut Random, nodes: usize) -> Tree {
        if nodes < 3 {
            return match random.below(3) {
                0 => Tree::X,
                1 => Tree::Y,
                _ => Tree::Constant(random.below(1000) as f32 / 250.0 - 2.0),
            };
        }
        let left = 1 + 2 * random.below((nodes - 1) / 2);
        let op = random.below(4) as u32;
        let branches = [left, nodes - 1 - left].map(|nodes| Tree::random(random, nodes));
        Tree::Both(op, Box::new(branches))
    }

    fn error(&self) -> gpuvm::Result<Routine> {
        build("error", |f| {
            let [x, y, wanted] = ["x", "y", "wanted"].map(|name| f.param::<f32>(name));
            let off = self.built(f, x, y) - wanted;
            f.ret(off * off);
        })
    }

    fn built<'b>(&self, f: &'b Body, x: Value<'b, f32>, y: Value<'b, f32>) -> Value<'b, f32> {
        match self {
            Tree::X => x,
            Tree::Y => y,
            Tree::Constant(value) => f.constant(*value),
            Tree::Both(op, branches) => {
                let [a, b] = [&branches[0], &branches[1]].map(|branch| branch.built(f, x, y));
                match op {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    _ => a.min(b),
                }
            }
        }
    }

    fn value(&self, x: f32, y: f32) -> f32 {
        match self {
            Tree::X => x,
            Tree::Y => y,
            Tree::Constant(value) => *value,
            Tree::Both(op, branches) => {
                let [a, b] = [&branches[0], &branches[1]].map(|branch| branch.value(x, y));
                match op {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    _ if a < b || b.is_nan() || a == b && a.is_sign_negative() => a,
                    _ => b,
                }
            }
        }
    }
}

/// The cases: points, and what is wanted there.
struct Cases {
    x: Vec<f32>,
    y: Vec<f32>,
    wanted: Vec<f32>,
}

impl Cases {
    fn new(count: usize, random: &mut Random) -> Cases {
        let mut column = || -> Vec<f32> { (0..count).map(|_| random.below(2000) as f32 / 500.0 - 2.0).collect() };
        let (x, y) = (column(), column());
        let wanted = x.iter().zip(&y).map(|(x, y)| x * x - 0.5 * y).collect();
        Cases { x, y, wanted }
    }

    /// The error of a tree, folded in the order that batches have.
    fn judge(&self, tree: &Tree) -> f32 {
        let errors: Vec<f32> = (0..self.x.len())
            .map(|case| {
                let off = tree.value(self.x[case], self.y[case]) - self.wanted[case];
                off * off
            })
            .collect();
        let lanes = (0..errors.len().min(LANES)).map(|lane| {
            let own = errors.iter().skip(lane).step_by(LANES).copied();
            own.reduce(|a, b| a + b).unwrap_or_default()
        });
        lanes.reduce(|a, b| a + b).unwrap_or_default()
    }
}

/// Breeds populations of several sizes, each generation anew.
///
/// # Errors
///
/// When no device can be opened.
pub fn run(stage: &Stage) -> Result<Vec<Bred>> {
    let sizes = stage.pick(
        &[(20, 100)][..],
        &[
            (1_000, 1_000),
            (10_000, 1_000),
            (10_000, 30_000),
            (10_000, 1_000_000),
            (2_000, 1_000_000),
        ],
    );
    let runtime = stage.runtime(Settings::default())?;
    let mut bred = Vec::new();
    for &(trees, cases) in sizes {
        bred.push(breed(stage, &runtime, Engine::Auto, (trees, cases)));
    }
    // The CPU's threads take minutes for what a device does in a second.
    if let Some(&(trees, cases)) = sizes.first() {
        bred.push(breed(stage, &runtime, Engine::Native, (trees, cases)));
    }
    Ok(bred)
}

fn breed(stage: &Stage, runtime: &Runtime, engine: Engine, (trees, cases): (usize, usize)) -> Bred {
    let mut random = Random(0x1234_5678_8765_4321);
    let columns = Cases::new(cases, &mut random);
    let mut devices = Vec::new();
    let mut generation = || -> Result<(f64, ())> {
        let population: Vec<Tree> = (0..trees).map(|_| Tree::random(&mut random, NODES)).collect();
        let begin = Instant::now();
        let routines: Vec<Routine> = population.par_iter().map(Tree::error).collect::<gpuvm::Result<_>>()?;
        let batch = runtime
            .batch(&routines)?
            .args((&columns.x, &columns.y, &columns.wanted));
        let done = batch.fold("add_errors")?.engine(engine).run()?;
        let errors: Vec<f32> = done.all()?;
        let seconds = begin.elapsed().as_secs_f64();
        devices.extend(
            done.stats()
                .and_then(|stats| stats.device_time)
                .map(|time| time.as_secs_f64()),
        );
        // NaNs have one pattern.
        let bits = |error: f32| {
            if error.is_nan() {
                f32::NAN.to_bits()
            } else {
                error.to_bits()
            }
        };
        let judged: Vec<u32> = population
            .iter()
            .take(JUDGED)
            .map(|tree| bits(columns.judge(tree)))
            .collect();
        let found: Vec<u32> = errors.iter().take(JUDGED).map(|error| bits(*error)).collect();
        Agreement::check(&judged, &found, Tolerance::Exact)?;
        Ok((seconds, ()))
    };
    let seconds = stage.timing.warm_by(&mut generation).map(|(seconds, ())| seconds);
    devices.sort_by(f64::total_cmp);
    eprintln!("genetic: {trees} trees x {cases} cases, {engine}: {seconds:?} s");
    Bred {
        engine: engine.to_string(),
        trees,
        cases,
        on_device: devices.get(devices.len() / 2).copied(),
        evaluations: (trees * NODES) as f64 * cases as f64,
        problem: seconds.as_ref().err().map(Problem::of),
        seconds: seconds.ok(),
    }
}
