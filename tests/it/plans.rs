//! Programs of phases: the same bits with every optimisation on or off, in any combination, on every engine; and what is refused.
//! Here are the routines that several files name.

mod buffers;
mod dedups;
mod explained;
mod folds;
mod groups;
mod nodes;
mod random;
mod refusals;
mod sorts;
mod tiles;
mod traps;

use gpuvm::Plan;
use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

/// What a plan's first trap is told as, which has to be the same on every engine.
fn told_of_trap<'a>(write: impl Fn(&mut Plan<'a>) -> gpuvm::Result<()>) -> gpuvm::Result<String> {
    let mut told = Vec::new();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        write(&mut plan)?;
        match plan.run() {
            Err(gpuvm::Error::Trap(report)) => told.push(report.to_string()),
            other => panic!("no trap on {engine}: {other:?}"),
        }
    }
    assert!(told.iter().all(|text| *text == told[0]), "{told:?}");
    Ok(told.swap_remove(0))
}

#[routine]
fn plan_step(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

#[routine]
fn plan_mix(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(7)).wrapping_sub(b)
}

#[routine]
fn plan_at(x: u32) -> u32 {
    x ^ vm::id().wrapping_mul(vm::count())
}

#[routine]
fn plan_pick(x: u32, all: &[u32]) -> u32 {
    if all.is_empty() {
        x
    } else {
        all[x as usize % all.len()] ^ all.len() as u32
    }
}

#[routine]
fn plan_add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// Neither commutative nor associative, so that every change of order tells.
#[routine]
fn plan_fold(a: u32, b: u32) -> u32 {
    a.rotate_left(5).wrapping_mul(3) ^ b
}

#[routine]
fn plan_odd(x: u32) -> bool {
    x.count_ones() % 2 == 1
}

#[routine]
fn plan_positive(x: f32) -> bool {
    x > 0.0
}

#[routine]
fn plan_never(x: u32) -> bool {
    x == 1 && x == 2
}

#[routine]
fn plan_compose(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.wrapping_mul(b.0), a.1.wrapping_mul(b.0).wrapping_add(b.1))
}

/// The routine of the page on the public surface.
#[routine(id = "add")]
fn add_two(a: f32, b: f32) -> f32 {
    a + b
}

/// The order of `Plan::reduce`.
fn folded_in_order<T: Copy>(all: &[T], op: fn(T, T) -> T) -> T {
    let lanes = [1, 1 << 6, 1 << 12].into_iter().find(|lanes| all.len() <= 64 * lanes);
    let lanes = lanes.unwrap_or(1 << 16);
    let lane = |lane: usize| all[lane..].iter().step_by(lanes).copied().reduce(op);
    let folded: Vec<T> = (0..lanes).filter_map(lane).collect();
    match folded[..] {
        [last] => last,
        _ => {
            let neighbours = folded.chunks(64).filter_map(|chunk| chunk.iter().copied().reduce(op));
            folded_in_order(&neighbours.collect::<Vec<T>>(), op)
        }
    }
}

/// The order of `Plan::scan`.
fn scanned_in_order<T: Copy>(all: &[T], op: fn(T, T) -> T) -> Vec<T> {
    let chunks: Vec<T> = all
        .chunks(16)
        .filter_map(|chunk| chunk.iter().copied().reduce(op))
        .collect();
    let before = match chunks.len() {
        0 | 1 => chunks,
        _ => scanned_in_order(&chunks, op),
    };
    let mut scanned = Vec::with_capacity(all.len());
    for (number, chunk) in all.chunks(16).enumerate() {
        let mut value = number.checked_sub(1).map(|before_it| before[before_it]);
        for &entry in chunk {
            let next = value.map_or(entry, |value| op(value, entry));
            scanned.push(next);
            value = Some(next);
        }
    }
    scanned
}
