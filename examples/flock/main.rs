//! Flies a hundred thousand boids on one plan of several steps, which runs again and again, and draws them: each a glow with a tail, in
//! the colour of its direction. What a step is stands in `boids.rs`.
//!
//! `cargo run --release --example flock [-- --agents 100000 --steps 400 --engine native --output flock.png]`

mod boids;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use gpuvm_examples::{Choice, write};
use image::{Rgb, RgbImage};
use indicatif::ProgressBar;

use boids::{Boid, SIGHT, side_for, step, swarm};

/// Pixels of the picture's sides.
const PIXELS: u32 = 1440;
/// Steps of a run of the plan.
const STEPS: usize = 10;

/// Simulates a flock and draws it.
#[derive(Parser)]
struct Options {
    /// How many boids.
    #[arg(long, default_value_t = 100_000)]
    agents: usize,
    /// How many steps, rounded up to whole runs of the plan.
    #[arg(long, default_value_t = 400)]
    steps: usize,
    /// What runs the plan.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
    /// Where to write the picture.
    #[arg(long, default_value = "target/flock.png")]
    output: PathBuf,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(simulate(&Options::parse()))
}

fn simulate(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = options.engine.runtime()?;
    println!("{}", runtime.device());
    let side = side_for(options.agents);
    let flock = runtime.buffer(&swarm(options.agents, side))?;
    let mut plan = runtime.plan();
    plan.engine(options.engine.into());
    let boids = plan.buffer(&flock);
    let [last] = plan.iterate(STEPS, [boids], |plan, [boids]| {
        Ok([step(plan, boids, options.agents, side)?])
    })?;
    plan.output(last);

    let bar = ProgressBar::new(options.steps as u64);
    let (mut runs, begin) = (0, Instant::now());
    while runs * STEPS < options.steps {
        let done = plan.run()?;
        if runs == 0 {
            bar.suspend(|| println!("{}", done.stats()));
        }
        flock.write(&done.get::<Boid>(last)?)?;
        runs += 1;
        bar.set_position((runs * STEPS) as u64);
    }
    bar.finish_and_clear();
    let each = begin.elapsed() / (runs * STEPS).max(1) as u32;
    println!(
        "{} boids, {} steps, {each:.2?} each, compiling included",
        options.agents,
        runs * STEPS
    );
    write(&picture(&flock.read()?, side), &options.output)
}

/// Each boid as a glow with a tail, in the colour of its direction. Light is summed in integers too, so the picture does not depend on the
/// order of the boids.
fn picture(boids: &[Boid], side: u32) -> RgbImage {
    const TAIL: u32 = 28;
    let scale = PIXELS as f32 / (side as i32 * SIGHT) as f32;
    let mut light = vec![[0u32; 3]; (PIXELS * PIXELS) as usize];
    for boid in boids {
        let (vx, vy) = (boid.vx as f32, boid.vy as f32);
        let direction = vy.atan2(vx);
        let colour = [0.0, 2.1, 4.2].map(|shift: f32| 0.5 + 0.5 * (direction + shift).cos());
        for back in 0..TAIL {
            let place = |at: i32, v: f32| ((at as f32 - 0.5 * back as f32 * v) * scale) as u32;
            let (x, y) = (place(boid.x, vx), place(boid.y, vy));
            if x < PIXELS && y < PIXELS {
                let pixel = &mut light[(y * PIXELS + x) as usize];
                let fade = 100.0 * (1.0 - back as f32 / TAIL as f32);
                (0..3).for_each(|part| pixel[part] += (fade * colour[part]) as u32);
            }
        }
    }
    RgbImage::from_fn(PIXELS, PIXELS, |x, y| {
        let light = light[(y * PIXELS + x) as usize];
        let night = [6.0, 8.0, 16.0];
        Rgb([0, 1, 2].map(|part| (255.0 - (255.0 - night[part]) * (-0.004 * light[part] as f32).exp()) as u8))
    })
}
