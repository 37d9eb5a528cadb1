//! A hundred thousand boids on one plan. Each steers by those it sees: away from near ones, along with them, towards them (Reynolds,
//! "Flocks, herds, and schools: a distributed behavioral model", 1987). Whom it sees is found by a grid that is built anew in every
//! turn, by sorting the boids by cell (Green, "Particle simulation using CUDA", 2010): `count` how many are in each cell, which gives
//! each a number in it; `add` up to where each cell begins; `scatter` the boids' numbers to their places; `gather` the boids in that
//! order, so that those of three cells side by side lie together; `steer` by the boids of nine cells.
//!
//! The order in a cell is anybody's, so what boids see is summed in integers: the flock is the same to the last bit on every engine.
//!
//! `cargo run --release --example flock [-- --agents 100000 --steps 400 --engine native --output flock.png]`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm::{Handle, Plan};
use gpuvm_examples::{Choice, write};
use image::{Rgb, RgbImage};
use indicatif::ProgressBar;

/// How far a boid sees, which is the side of a cell: 2¹⁴ units of length.
const CELL_BITS: u32 = 14;
const SIGHT: i32 = 1 << CELL_BITS;
/// Nearer than this is too near.
const NEAR: i32 = SIGHT / 4;
/// How much boids go towards others, along with them, and away from near ones; and how much the middle draws those far from it.
const TOWARDS: f32 = 0.003;
const ALONG: f32 = 0.12;
const AWAY: f32 = 0.002;
const HOME: f32 = 60.0;
/// Speeds in units a step.
const SLOWEST: f32 = 400.0;
const FASTEST: f32 = 800.0;
/// Pixels of the picture's sides.
const PIXELS: u32 = 1440;
/// Steps of a run of the plan.
const STEPS: usize = 10;

#[derive(VmType, Clone, Copy)]
struct Boid {
    x: i32,
    y: i32,
    vx: i32,
    vy: i32,
}

/// The cell of a boid. Around the `side` × `side` cells is a border of empty ones.
#[routine(callee)]
fn cell_of(boid: Boid, side: u32) -> u32 {
    let (column, row) = ((boid.x >> CELL_BITS) as u32, (boid.y >> CELL_BITS) as u32);
    (row + 1) * (side + 2) + column + 1
}

/// Counts a boid, one further than its cell so that the sums say where cells begin. Gives its number in the cell.
#[routine]
fn count(boid: Boid, side: u32, bins: &[AtomicU32]) -> u32 {
    bins[cell_of(boid, side) as usize + 1].fetch_add(1, Ordering::Relaxed)
}

#[routine]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

#[routine]
fn scatter(boid: Boid, number: u32, side: u32, starts: &[u32], order: &[AtomicU32]) {
    let place = starts[cell_of(boid, side) as usize] + number;
    order[place as usize].store(vm::id(), Ordering::Relaxed);
}

#[routine]
fn gather(number: u32, boids: &[Boid]) -> Boid {
    boids[number as usize]
}

/// A boid one step later.
#[routine]
fn steer(me: Boid, side: u32, boids: &[Boid], starts: &[u32]) -> Boid {
    let (mut seen, mut x, mut y, mut vx, mut vy) = (0i32, 0i32, 0i32, 0i32, 0i32);
    let (mut away_x, mut away_y) = (0i32, 0i32);
    let cell = cell_of(me, side);
    for row in 0..3u32 {
        let first = cell + row * (side + 2) - (side + 2) - 1;
        for other in &boids[starts[first as usize] as usize..starts[first as usize + 3] as usize] {
            let (dx, dy) = (other.x - me.x, other.y - me.y);
            let distance = dx * dx + dy * dy;
            // Without a branch, as most boids of the nine cells are worth a look.
            let sees = (distance < SIGHT * SIGHT) as i32;
            seen += sees;
            x += sees * dx;
            y += sees * dy;
            vx += sees * other.vx;
            vy += sees * other.vy;
            let push = ((NEAR * NEAR - distance) >> 20).max(0);
            away_x -= push * dx;
            away_y -= push * dy;
        }
    }
    // It has seen itself at least.
    let share = 1.0 / seen as f32;
    let (old_x, old_y) = (me.vx as f32, me.vy as f32);
    let (home_x, home_y) = homewards(me, side);
    let vx = old_x + TOWARDS * share * x as f32 + ALONG * (share * vx as f32 - old_x) + AWAY * away_x as f32 + home_x;
    let vy = old_y + TOWARDS * share * y as f32 + ALONG * (share * vy as f32 - old_y) + AWAY * away_y as f32 + home_y;
    let speed = vx.hypot(vy).max(1.0);
    let scale = speed.clamp(SLOWEST, FASTEST) / speed;
    let (vx, vy) = ((scale * vx) as i32, (scale * vy) as i32);
    let last = side as i32 * SIGHT - 1;
    let (x, y) = ((me.x + vx).clamp(0, last), (me.y + vy).clamp(0, last));
    Boid { x, y, vx, vy }
}

/// What draws a boid to the middle, if it is far from it.
#[routine(callee)]
fn homewards(me: Boid, side: u32) -> (f32, f32) {
    let half = side as i32 * SIGHT / 2;
    let (x, y) = ((half - me.x) as f32, (half - me.y) as f32);
    let distance = x.hypot(y).max(1.0);
    let pull = HOME * (distance / half as f32 - 0.6).max(0.0) / distance;
    (pull * x, pull * y)
}

/// Adds the nodes of one step to a plan.
fn step(plan: &mut Plan<'_>, boids: Handle, agents: usize, side: u32) -> gpuvm::Result<Handle> {
    let cells = (side + 2) as usize * (side + 2) as usize;
    let (bins, order) = (plan.zeros::<u32>(cells + 1), plan.zeros::<u32>(agents));
    let number = plan.map("count", (boids, side, bins))?;
    let starts = plan.scan("add", bins)?;
    plan.map("scatter", (boids, number, side, starts, order))?;
    let sorted = plan.map("gather", (order, boids))?;
    plan.map("steer", (sorted, side, sorted, starts))
}

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
    let side = (options.agents as f32 / 8.0).sqrt().ceil() as u32;
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

/// Boids in a disc, each with its own way around the middle.
fn swarm(agents: usize, side: u32) -> Vec<Boid> {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let half = (side as i32 * SIGHT / 2) as f32;
    let boid = |_| loop {
        let (x, y) = (random(), random());
        if x * x + y * y < 1.0 {
            let place = |at: f32| (half + 0.95 * half * at) as i32;
            let (vx, vy) = ((FASTEST * (random() - y)) as i32, (FASTEST * (random() + x)) as i32);
            break Boid {
                x: place(x),
                y: place(y),
                vx,
                vy,
            };
        }
    };
    (0..agents).map(boid).collect()
}

/// Each boid as a glow with a tail, in the colour of its direction.
fn picture(boids: &[Boid], side: u32) -> RgbImage {
    const TAIL: u32 = 28;
    let scale = PIXELS as f32 / (side as i32 * SIGHT) as f32;
    let mut light = vec![[0f32; 3]; (PIXELS * PIXELS) as usize];
    for boid in boids {
        let (vx, vy) = (boid.vx as f32, boid.vy as f32);
        let direction = vy.atan2(vx);
        let colour = [0.0, 2.1, 4.2].map(|shift: f32| 0.5 + 0.5 * (direction + shift).cos());
        for back in 0..TAIL {
            let place = |at: i32, v: f32| ((at as f32 - 0.5 * back as f32 * v) * scale) as u32;
            let (x, y) = (place(boid.x, vx), place(boid.y, vy));
            if x < PIXELS && y < PIXELS {
                let pixel = &mut light[(y * PIXELS + x) as usize];
                let fade = 0.4 * (1.0 - back as f32 / TAIL as f32);
                (0..3).for_each(|part| pixel[part] += fade * colour[part]);
            }
        }
    }
    RgbImage::from_fn(PIXELS, PIXELS, |x, y| {
        let light = light[(y * PIXELS + x) as usize];
        let night = [6.0, 8.0, 16.0];
        Rgb([0, 1, 2].map(|part| (255.0 - (255.0 - night[part]) * (-light[part]).exp()) as u8))
    })
}
