//! A plan of every verb, for several devices here and for ranks in `gpuvm-mpi`.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::Handle;
use gpuvm::prelude::*;

#[routine]
fn shake(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(vm::id()) ^ vm::count()
}

#[routine]
fn neighbours(all: &[u32]) -> f32 {
    let id = vm::id() as usize;
    let (left, right) = (all[(id + all.len() - 1) % all.len()], all[(id + 1) % all.len()]);
    (left as f32) * 0.5 + (right as f32) * 0.25
}

#[routine]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

#[routine]
fn sum(a: u32, b: u32) -> u32 {
    a.wrapping_mul(3).wrapping_add(b)
}

#[routine]
fn is_odd(x: u32) -> bool {
    x % 2 == 1
}

#[routine]
fn count_bits(x: u32, bins: &[AtomicU32]) {
    bins[x.count_ones() as usize].fetch_add(1, Ordering::Relaxed);
}

#[routine]
fn below(x: f32, limit: u32) -> bool {
    x < limit as f32
}

#[routine]
fn both(a: bool, b: bool) -> bool {
    a && b
}

#[routine]
fn cool(x: f32) -> f32 {
    x * 0.25
}

/// Every verb of plans, on columns that others have left in parts.
pub fn verbs(runtime: &Runtime, column: &[u32]) -> gpuvm::Result<Vec<Vec<u32>>> {
    let mut plan = runtime.plan();
    let given = plan.input(column);
    let shaken = plan.map("shake", (given,))?;
    let near = plan.generate("neighbours", column.len(), (shaken,))?;
    let total = plan.reduce("add", near)?;
    let folded = plan.reduce("sum", shaken)?;
    let scanned = plan.scan("sum", shaken)?;
    let scanned_floats = plan.scan("add", near)?;
    let odd = plan.filter("is_odd", shaken)?;
    let again = plan.map("shake", (odd,))?;
    let sorted = plan.sort(scanned)?;
    let bins = plan.zeros::<u32>(33);
    plan.map("count_bits", (sorted, bins))?;
    let ([cooled], turns) = plan.iterate_until(40, [near], |plan, [now]| {
        let next = plan.map("cool", (now,))?;
        let small = plan.map("below", (next, 1000u32))?;
        Ok(([next], plan.reduce("both", small)?))
    })?;
    let words: [Handle; 8] = [shaken, folded, scanned, odd, again, sorted, bins, turns];
    let floats = [near, total, scanned_floats, cooled];
    for handle in words.into_iter().chain(floats) {
        plan.output(handle);
    }
    let done = plan.run()?;
    let mut all = Vec::new();
    for handle in words {
        all.push(done.get::<u32>(handle)?);
    }
    for handle in floats {
        all.push(done.get::<f32>(handle)?.into_iter().map(f32::to_bits).collect());
    }
    Ok(all)
}

pub fn column(len: usize, seed: u32) -> Vec<u32> {
    (0..len as u32)
        .map(|entry| entry.wrapping_mul(2_654_435_761) ^ seed)
        .collect()
}
