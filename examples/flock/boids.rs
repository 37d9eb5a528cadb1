//! Boids, and the plan of a step. Each steers by those it sees: away from near ones, along with them, towards them (Reynolds, "Flocks,
//! herds, and schools: a distributed behavioral model", 1987). Whom it sees is found by a grid that is built anew in every step, by
//! sorting the boids by cell (Green, "Particle simulation using CUDA", 2010): [`count`] how many are in each cell, which gives each boid
//! a number in it; [`add`] up to where each cell begins; [`scatter`] the boids' indices to their places; [`gather`] the boids in that
//! order, so that those of three cells side by side lie together; [`steer`] by the boids of nine cells.
//!
//! The order within a cell is anybody's, so what a boid sees is summed in integers: the flock is the same to the last bit on every engine.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Handle, Plan};

/// A coordinate without these bits is the number of a cell.
pub const CELL_BITS: u32 = 14;
/// How far a boid sees, which is the side of a cell.
pub const SIGHT: i32 = 1 << CELL_BITS;
/// Nearer than this is too near.
pub const NEAR: i32 = SIGHT / 4;
/// How much a boid goes towards others.
pub const TOWARDS: f32 = 0.003;
/// How much it goes along with them.
pub const ALONG: f32 = 0.12;
/// How much it goes away from near ones.
pub const AWAY: f32 = 0.002;
/// How much the middle draws those that are far from it.
pub const HOME: f32 = 60.0;
/// The lowest speed, in units a step.
pub const SLOWEST: f32 = 400.0;
/// The highest.
pub const FASTEST: f32 = 800.0;

#[derive(VmType, Clone, Copy)]
#[allow(missing_docs, reason = "place and speed along two axes")]
pub struct Boid {
    pub x: i32,
    pub y: i32,
    pub vx: i32,
    pub vy: i32,
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
    let speed = length(vx, vy).max(1.0);
    let scale = speed.clamp(SLOWEST, FASTEST) / speed;
    let (vx, vy) = ((scale * vx) as i32, (scale * vy) as i32);
    let last = side as i32 * SIGHT - 1;
    let (x, y) = ((me.x + vx).clamp(0, last), (me.y + vy).clamp(0, last));
    Boid { x, y, vx, vy }
}

/// The length of a vector, by operations that are the same everywhere.
#[routine(callee)]
fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// What draws a boid to the middle, if it is far from it.
#[routine(callee)]
fn homewards(me: Boid, side: u32) -> (f32, f32) {
    let half = side as i32 * SIGHT / 2;
    let (x, y) = ((half - me.x) as f32, (half - me.y) as f32);
    let distance = length(x, y).max(1.0);
    let pull = HOME * (distance / half as f32 - 0.6).max(0.0) / distance;
    (pull * x, pull * y)
}

/// Adds the nodes of one step to a plan.
pub fn step(plan: &mut Plan<'_>, boids: Handle, agents: usize, side: u32) -> gpuvm::Result<Handle> {
    let cells = (side + 2) as usize * (side + 2) as usize;
    let (bins, order) = (plan.zeros::<u32>(cells + 1), plan.zeros::<u32>(agents));
    let number = plan.map("count", (boids, side, bins))?;
    let starts = plan.scan("add", bins)?;
    plan.map("scatter", (boids, number, side, starts, order))?;
    let sorted = plan.map("gather", (order, boids))?;
    plan.map("steer", (sorted, side, sorted, starts))
}

/// How many cells a side the world of so many boids has.
pub fn side_for(agents: usize) -> u32 {
    (agents as f32 / 8.0).sqrt().ceil() as u32
}

/// Boids in a disc, each with its own way around the middle.
pub fn swarm(agents: usize, side: u32) -> Vec<Boid> {
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
