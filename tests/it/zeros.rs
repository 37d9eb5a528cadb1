//! The columns of a plan's own that its nodes write: zeros at the beginning of each run, what their writer has left for all who read them.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Handle, Plan};

use crate::harness::{ENGINES, runtime};

#[routine]
fn zeros_count(key: u32, bins: &[AtomicU32]) {
    bins[key as usize].fetch_add(1, Ordering::Relaxed);
}

#[routine]
fn zeros_add(a: u32, b: u32) -> u32 {
    a + b
}

/// The place of a key among all: what is before its bin, and the next place in it.
#[routine]
fn zeros_place(key: u32, ends: &[u32], taken: &[AtomicU32]) -> u32 {
    let first = if key == 0 { 0 } else { ends[key as usize - 1] };
    first + taken[key as usize].fetch_add(1, Ordering::Relaxed)
}

#[routine]
fn zeros_put(key: u32, place: u32, sorted: &[AtomicU32]) {
    sorted[place as usize].store(key, Ordering::Relaxed);
}

/// Sorts keys below 16 by counting.
fn sort(plan: &mut Plan<'_>, keys: Handle, length: usize) -> gpuvm::Result<Handle> {
    let (bins, taken, sorted) = (plan.zeros::<u32>(16), plan.zeros::<u32>(16), plan.zeros::<u32>(length));
    plan.map("zeros_count", (keys, bins))?;
    let ends = plan.scan("zeros_add", bins)?;
    let places = plan.map("zeros_place", (keys, ends, taken))?;
    plan.map("zeros_put", (keys, places, sorted))?;
    Ok(sorted)
}

#[routine]
fn zeros_next(key: u32) -> u32 {
    (key * 7 + 3) % 16
}

#[test]
fn sorting_by_counting_starts_anew_in_each_turn_and_run() -> gpuvm::Result<()> {
    let keys: Vec<u32> = (0..700u32).map(|i| i.wrapping_mul(2_654_435_769) >> 28).collect();
    let mut expected = keys.clone();
    for _ in 0..2 {
        expected = expected.into_iter().map(zeros_next).collect();
        expected.sort_unstable();
    }
    let optimised = ENGINES.map(|engine| (engine, true));
    for (engine, on) in optimised.into_iter().chain([(Engine::Reference, false)]) {
        let mut plan = runtime().plan();
        plan.engine(engine).fuse(on).share(on).fold(on).reuse(on);
        let input = plan.input(&keys);
        let [sorted] = plan.iterate(2, [input], |plan, [keys]| {
            let next = plan.map("zeros_next", (keys,))?;
            Ok([sort(plan, next, 700)?])
        })?;
        plan.output(sorted);
        for run in 0..2 {
            assert_eq!(plan.run()?.get::<u32>(sorted)?, expected, "{engine}, {on}, run {run}");
        }
    }
    Ok(())
}

#[routine]
fn zeros_record(me: &mut (u32, f32), x: u32) -> f32 {
    me.0 += x;
    me.1 -= 0.5;
    me.1
}

#[routine]
fn zeros_chunk(x: u32, out: &mut [u32]) {
    for i in 1..out.len() {
        out[i] = out[i - 1] + x;
    }
}

#[routine]
fn zeros_both(me: &mut u32, before: &[u32]) {
    *me = 1 + before[vm::id() as usize];
}

#[routine]
fn zeros_sum(a: u32, pair: (u32, f32), none: u32, all: &[u32]) -> u32 {
    a + pair.0 + none + all.len() as u32
}

#[test]
fn zeros_are_records_chunks_and_columns() -> gpuvm::Result<()> {
    let all = [5u32, 6, 7];
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let input = plan.input(&all);
        let (pairs, wide, both) = (plan.zeros::<(u32, f32)>(3), plan.zeros::<u32>(12), plan.zeros::<u32>(3));
        let (untouched, nothing) = (plan.zeros::<u32>(3), plan.zeros::<Option<u32>>(0));
        // Added before the writers, it comes after them all the same.
        let sum = plan.map("zeros_sum", (both, pairs, untouched, wide))?;
        let halves = plan.map("zeros_record", (pairs, input))?;
        plan.map("zeros_chunk", (input, wide))?;
        plan.map("zeros_both", (both, both))?;
        let done = plan.run()?;
        assert_eq!(done.get::<(u32, f32)>(pairs)?, all.map(|x| (x, -0.5)), "{engine}");
        assert_eq!(done.get::<f32>(halves)?, [-0.5; 3], "{engine}");
        assert_eq!(
            done.get::<u32>(wide)?,
            [0, 5, 10, 15, 0, 6, 12, 18, 0, 7, 14, 21],
            "{engine}"
        );
        assert_eq!(done.get::<u32>(both)?, [1; 3], "{engine}");
        assert_eq!(done.get::<u32>(sum)?, [18, 19, 20], "{engine}");
        assert_eq!(done.get::<u32>(untouched)?, [0; 3], "{engine}");
        assert_eq!(done.get::<Option<u32>>(nothing)?, [], "{engine}");
    }
    Ok(())
}

#[test]
fn a_plan_says_when_its_zeros_are_there() -> gpuvm::Result<()> {
    let keys = [1u32, 2, 3, 3];
    let mut plan = runtime().plan();
    plan.engine(Engine::Reference);
    let input = plan.input(&keys);
    let sorted = sort(&mut plan, input, 4)?;
    let unused = plan.zeros::<u32>(16);
    plan.map("zeros_count", (input, unused))?;
    plan.output(sorted);
    let text = plan.explain().to_string();
    for line in [
        "column of zeros 1: 16 entries of `u32`, 64 bytes, from step 0 to step 1",
        "column of zeros 2: 16 entries of `u32`, 64 bytes, from step 2 to step 2",
        "column of zeros 3: 4 entries of `u32`, 16 bytes, from step 3 to the end",
        "left out, as no output needs it: map `zeros_count` (node 9)",
    ] {
        assert!(
            text.lines().any(|found| found.starts_with(line)),
            "no `{line}` in\n{text}"
        );
    }
    let graph = plan.explain_dot()?;
    for line in [
        "  n1 [label=\"zeros 1\\n16 × u32\", shape=cylinder];",
        "  n3 [label=\"zeros 3\\n4 × u32\", shape=cylinder, peripheries=2];",
        "  n1 -> n4 [label=\"atomic\", dir=both];",
    ] {
        assert!(graph.lines().any(|found| found == line), "no `{line}` in\n{graph}");
    }
    let done = plan.run()?;
    assert_eq!(done.get::<u32>(sorted)?, [1, 2, 3, 3]);
    assert_eq!(
        done.get::<u32>(unused).unwrap_err().to_string(),
        "zeros 8 is not among the plan's outputs; name it with `plan.output(handle)` before the run"
    );
    assert_eq!(
        plan.map("zeros_count", (input, unused)).unwrap_err().to_string(),
        "map `zeros_count` (node 9) and map `zeros_count` (node 10) both write zeros 8; let one of them write another buffer, or return a \
         column"
    );
    Ok(())
}
