//! Symbolic regression by genetic programming: what law do the orbits of planets follow? A population of formulas, each a program of its own that did
//! not exist before, is measured against a thousand noisy observations, and the better ones have children. After some generations one of them is
//! Kepler's third law, `period = sqrt(a * a * a / m)`.
//!
//! A generation is one batch: every formula over every observation, folded to one error a formula, without a compiler in between.
//!
//! `cargo run --release --example evolve [-- --population 100000 --generations 40 --output evolve.png]`

mod draw;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm::{DeviceKind, Routine};
use gpuvm_examples::write;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use tree::{Rng, Tree};

#[routine]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

/// Finds Kepler's third law in noisy observations.
#[derive(Parser)]
struct Options {
    /// Formulas of a generation; without it 100,000 on a GPU and 2,000 on a CPU.
    #[arg(long)]
    population: Option<usize>,
    /// Generations at most.
    #[arg(long, default_value_t = 40)]
    generations: usize,
    /// How many observations.
    #[arg(long, default_value_t = 1000)]
    observations: usize,
    /// Where the random numbers begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to draw the formula and how it fits.
    #[arg(long, default_value = "target/evolve.png")]
    output: PathBuf,
}

/// Planets of stars.
struct Observations {
    /// Half the major axis, in astronomical units.
    axis: Vec<f32>,
    /// The star's mass, in suns.
    mass: Vec<f32>,
    /// The period in years, measured to ten per cent.
    period: Vec<f32>,
}

/// How far a measured period is off, at most.
const NOISE: f32 = 0.1;

impl Observations {
    fn new(count: usize, rng: &mut Rng) -> Observations {
        let axis: Vec<f32> = (0..count).map(|_| 0.3 + 29.7 * rng.share() * rng.share()).collect();
        let mass: Vec<f32> = (0..count).map(|_| 0.2 + 3.8 * rng.share()).collect();
        let planets = axis.iter().zip(&mass);
        let period = planets.map(|(a, m)| (a * a * a / m).sqrt() * (1.0 + NOISE * (2.0 * rng.share() - 1.0)));
        Observations {
            period: period.collect(),
            axis,
            mass,
        }
    }
}

fn main() -> ExitCode {
    gpuvm_examples::exit(evolve(&Options::parse()))
}

fn evolve(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::new()?;
    println!("{}", runtime.device());
    let population = options.population.unwrap_or(match runtime.device().kind {
        DeviceKind::Cpu => 2_000,
        _ => 100_000,
    });
    let mut rng = Rng(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let planets = Observations::new(options.observations.max(1), &mut rng);
    let mut trees: Vec<Tree> = (0..population.max(2)).map(|_| Tree::random(&mut rng, 4)).collect();

    let style = ProgressStyle::with_template("{pos}/{len} generations {wide_msg}")?;
    let bar = ProgressBar::new(options.generations as u64).with_style(style);
    let (begin, mut nodes) = (Instant::now(), 0_u64);
    let mut best: Option<(f32, Tree)> = None;
    let mut generations = 0;
    while generations < options.generations {
        generations += 1;
        let errors = measure(&runtime, &trees, &planets)?;
        nodes += trees.iter().map(|tree| tree.0.len() as u64).sum::<u64>() * planets.axis.len() as u64;
        let fitness: Vec<f32> = trees
            .iter()
            .zip(&errors)
            .map(|(tree, error)| fitness_of(*error, tree))
            .collect();
        let first = (0..trees.len())
            .min_by(|a, b| fitness[*a].total_cmp(&fitness[*b]))
            .unwrap_or(0);
        if best
            .as_ref()
            .is_none_or(|(error, tree)| fitness[first] < fitness_of(*error, tree))
        {
            best = Some((errors[first], trees[first].clone()));
        }
        bar.inc(1);
        if let Some((error, tree)) = &best {
            bar.set_message(format!("off by {:.2} %: {tree}", 100.0 * error.sqrt()));
            // No formula comes nearer than the noise lets it.
            if *error < NOISE * NOISE / 2.9 {
                break;
            }
        }
        trees = children(&trees, &fitness, &best, &mut rng);
    }
    bar.finish_and_clear();
    let Some((error, tree)) = best else {
        return Err("there were no generations".into());
    };
    let seconds = begin.elapsed().as_secs_f64();
    println!("period = {tree}");
    println!(
        "off by {:.2} % on average, where observations are off by {:.2} %; {generations} generations of {population} formulas in {seconds:.1} s, {:.2} G nodes/s",
        100.0 * error.sqrt(),
        100.0 * NOISE / 3f32.sqrt(),
        nodes as f64 / seconds / 1e9
    );
    write(
        &draw::picture(&tree, &planets.axis, &planets.mass, &planets.period),
        &options.output,
    )
}

/// How good a formula is, the less the better: of two that are as far off the shorter one is better.
fn fitness_of(error: f32, tree: &Tree) -> f32 {
    error * (1.0 + 0.02 * tree.0.len() as f32)
}

/// The mean error of each formula.
fn measure(runtime: &Runtime, trees: &[Tree], planets: &Observations) -> gpuvm::Result<Vec<f32>> {
    let routines: Vec<Routine> = trees.par_iter().map(Tree::routine).collect::<gpuvm::Result<_>>()?;
    let args = (&planets.axis, &planets.mass, &planets.period);
    let sums: Vec<f32> = runtime.batch(&routines)?.args(args).fold("add")?.run()?.all()?;
    let count = planets.axis.len() as f32;
    Ok(sums.into_iter().map(|sum| sum / count).collect())
}

/// The next generation: the best, and children of winners of small tournaments.
fn children(trees: &[Tree], fitness: &[f32], best: &Option<(f32, Tree)>, rng: &mut Rng) -> Vec<Tree> {
    let winner = |rng: &mut Rng| {
        let all = (0..5).map(|_| rng.below(trees.len()));
        let winner = all.min_by(|a, b| fitness[*a].total_cmp(&fitness[*b]));
        &trees[winner.unwrap_or(0)]
    };
    let mut next: Vec<Tree> = best.iter().map(|(_, tree)| tree.clone()).collect();
    while next.len() < trees.len() {
        let parent = winner(rng);
        next.push(match rng.below(10) {
            0 => Tree::random(rng, 4),
            1 | 2 => parent.mutated(rng),
            _ => parent.crossed(winner(rng), rng),
        });
    }
    next
}
