//! Statistics of a large column that never leaves the device: ten million heights, made, measured and counted by one plan. A tree of
//! partial summaries gives mean, deviation and extremes; a histogram is drawn with the normal curve of that mean and deviation.
//!
//! `cargo run --release --example statistics [-- --samples 10000000 --output histogram.png]`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm_examples::{spinner, write};
use image::{Rgb, RgbImage};

/// Bins of the histogram, one a column of the picture, from `LOWEST` centimetres on.
const BINS: u32 = 900;
const LOWEST: f32 = 130.0;
const WIDTH: f32 = 0.1;

/// What is known of some samples.
#[derive(VmType, Clone, Copy, Debug)]
struct Summary {
    count: u32,
    mean: f32,
    /// The sum of squared differences from the mean.
    squares: f32,
    least: f32,
    most: f32,
}

/// Random bits of a number (O'Neill, PCG-RXS-M-XS-32).
#[routine(callee)]
fn hash(number: u32) -> u32 {
    let state = number.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// The height of somebody in centimetres: normal around 170 by Box and Muller.
#[routine]
fn height(seed: u32) -> f32 {
    let number = vm::id().wrapping_mul(2).wrapping_add(seed);
    let u = ((hash(number) >> 8) as f32 + 1.0) / 16777216.0;
    let v = (hash(number.wrapping_add(1)) >> 8) as f32 / 16777216.0;
    170.0 + 9.0 * (-2.0 * u.ln()).sqrt() * (std::f32::consts::TAU * v).cos()
}

#[routine]
fn single(x: f32) -> Summary {
    Summary {
        count: 1,
        mean: x,
        squares: 0.0,
        least: x,
        most: x,
    }
}

/// The summary of the samples of two (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
/// variances", 1979).
#[routine]
fn merge(a: Summary, b: Summary) -> Summary {
    let count = a.count + b.count;
    let share = b.count as f32 / count as f32;
    let apart = b.mean - a.mean;
    Summary {
        count,
        mean: a.mean + apart * share,
        squares: a.squares + b.squares + apart * apart * share * a.count as f32,
        least: a.least.min(b.least),
        most: a.most.max(b.most),
    }
}

#[routine]
fn tally(x: f32, bins: &[AtomicU32]) {
    let bin = ((x - LOWEST) / WIDTH) as usize;
    if x >= LOWEST && bin < bins.len() {
        bins[bin].fetch_add(1, Ordering::Relaxed);
    }
}

/// Summarises a large column on the device and draws its histogram.
#[derive(Parser)]
struct Options {
    /// How many samples.
    #[arg(long, default_value_t = 10_000_000)]
    samples: usize,
    /// Where the random numbers begin.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Where to write the histogram.
    #[arg(long, default_value = "target/histogram.png")]
    output: PathBuf,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(draw(&Options::parse()))
}

fn draw(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::new()?;
    println!("{}", runtime.device());
    let bins = runtime.buffer(&vec![0u32; BINS as usize])?;

    let mut plan = runtime.plan();
    let heights = plan.generate("height", options.samples, (options.seed,))?;
    let singles = plan.map("single", (heights,))?;
    let summary = plan.reduce("merge", singles)?;
    let histogram = plan.buffer(&bins);
    let tallied = plan.map("tally", (heights, histogram))?;
    plan.output(summary).output(tallied);
    println!("{}", plan.explain());

    let spinner = spinner("measuring");
    let done = plan.run()?;
    spinner.finish_and_clear();
    println!("{}", done.stats());
    let [summary] = done.get::<Summary>(summary)?[..] else {
        return Err("there are no samples to summarise".into());
    };
    let deviation = (summary.squares / summary.count as f32).sqrt();
    println!(
        "{} heights: mean {:.3} cm, deviation {deviation:.3}, from {:.1} to {:.1}",
        summary.count, summary.mean, summary.least, summary.most
    );

    write(&picture(&bins.read()?, summary, deviation), &options.output)
}

/// The histogram as bars, and the normal curve in red.
fn picture(bins: &[u32], summary: Summary, deviation: f32) -> RgbImage {
    const HEIGHT: u32 = 420;
    let density = |bin: u32| {
        let off = (LOWEST + (bin as f32 + 0.5) * WIDTH - summary.mean) / deviation;
        summary.count as f32 * WIDTH / deviation * (-0.5 * off * off).exp() / std::f32::consts::TAU.sqrt()
    };
    let most = bins.iter().copied().max().unwrap_or(0).max(1) as f32 * 1.05;
    let row = |count: f32| HEIGHT - 1 - ((count / most * (HEIGHT - 1) as f32) as u32).min(HEIGHT - 1);
    RgbImage::from_fn(BINS, HEIGHT, |column, y| {
        let curve = row(density(column));
        match y {
            _ if y.abs_diff(curve) <= 1 => Rgb([200, 40, 40]),
            _ if y >= row(bins[column as usize] as f32) => Rgb([110, 140, 180]),
            _ => Rgb([250, 248, 240]),
        }
    })
}
