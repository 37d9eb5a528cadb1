//! Buffers in plans: who reads one sees what is written to it.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;

use super::{plan_mix, plan_odd, plan_pick, plan_step};
use crate::harness::{ENGINES, runtime};

#[routine]
fn plan_write(me: &mut u32, add: u32) {
    *me = me.wrapping_add(add);
}

#[routine]
fn plan_write_both(me: &mut u32, all: &[u32]) -> u32 {
    *me = me.wrapping_mul(2);
    all[(vm::id() as usize + 1) % all.len()]
}

#[test]
fn readers_of_a_buffer_come_after_its_writer() -> gpuvm::Result<()> {
    for engine in ENGINES {
        let buffer = runtime().buffer(&[1u32, 2, 3])?;
        let mut plan = runtime().plan();
        plan.engine(engine);
        let handle = plan.buffer(&buffer);
        let read = plan.map("plan_step", (handle,))?;
        let written = plan.map("plan_write", (&buffer, 10u32))?;
        plan.output(read);
        let done = plan.run()?;
        assert_eq!(done.get::<u32>(read)?, [11, 12, 13].map(plan_step), "{engine}");
        assert_eq!(buffer.read()?, [11, 12, 13], "{engine}");
        assert_eq!(done.get::<u32>(handle)?, [11, 12, 13], "{engine}");
        plan.run()?;
        assert_eq!(buffer.read()?, [21, 22, 23], "{engine}");

        let mut plan = runtime().plan();
        plan.engine(engine);
        let handle = plan.buffer(&buffer);
        let neighbours = plan.map("plan_write_both", (handle, handle))?;
        assert_eq!(plan.run()?.get::<u32>(neighbours)?, [22, 23, 21], "{engine}");
        assert_eq!(buffer.read()?, [42, 44, 46], "{engine}");
    }
    Ok(())
}

#[routine]
fn plan_count(x: u32, bins: &[AtomicU32]) {
    bins[x as usize % bins.len()].fetch_add(1, Ordering::Relaxed);
}

#[test]
fn a_plan_that_runs_again_sees_what_is_there_by_then() -> gpuvm::Result<()> {
    for engine in ENGINES {
        let (words, bins) = (runtime().buffer(&[0u32; 50])?, runtime().buffer(&[0u32; 7])?);
        let mut plan = runtime().plan();
        plan.engine(engine).fuse(false).fold(false);
        let column = plan.buffer(&words);
        let odd = plan.filter("plan_odd", column)?;
        let mixed = plan.map("plan_mix", (column, 9u32))?;
        let picked = plan.map("plan_pick", (mixed, odd))?;
        let counted = plan.buffer(&bins);
        plan.map("plan_count", (picked, counted))?;
        plan.output(picked);
        let mut counts = [0u32; 7];
        // The filter keeps 25 entries, 25 others, none, and 24.
        for now in
            [|i| i, |i| 3 * i, |i| 2 * i, |i| i / 2].map(|of: fn(u32) -> u32| (0..50).map(of).collect::<Vec<u32>>())
        {
            words.write(&now)?;
            let odd: Vec<u32> = now.iter().copied().filter(|x| plan_odd(*x)).collect();
            let picked_now: Vec<u32> = now.iter().map(|x| plan_pick(plan_mix(*x, 9), &odd)).collect();
            picked_now.iter().for_each(|x| counts[*x as usize % 7] += 1);
            assert_eq!(plan.run()?.get::<u32>(picked)?, picked_now, "{engine}");
            assert_eq!(bins.read()?, counts, "{engine}");
        }
    }
    Ok(())
}
