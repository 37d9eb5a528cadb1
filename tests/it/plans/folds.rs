//! Columns that are folded, scanned and filtered, in an order that is the same on every engine.

use gpuvm::prelude::*;

use super::{add_two, folded_in_order, plan_compose, plan_fold, plan_odd};
use crate::harness::runtime;

#[test]
fn long_columns_are_folded_and_scanned_in_order() -> gpuvm::Result<()> {
    let all: Vec<f32> = (0..270_001).map(|i| ((i * 7919) % 1013) as f32 * 0.37).collect();
    let words: Vec<u32> = (0..70_000).collect();
    let mut sums = words.clone();
    (1..sums.len()).for_each(|i| sums[i] = sums[i].wrapping_add(sums[i - 1]));
    for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let (floats, ints) = (plan.input(&all), plan.input(&words));
        let total = plan.reduce("add", floats)?;
        let scanned = plan.scan("plan_add", ints)?;
        let odd = plan.filter("plan_odd", scanned)?;
        let done = plan.run()?;
        assert_eq!(done.get::<f32>(total)?, [folded_in_order(&all, add_two)], "{engine}");
        assert_eq!(done.get::<u32>(scanned)?, sums, "{engine}");
        let kept: Vec<u32> = sums.iter().copied().filter(|x| plan_odd(*x)).collect();
        assert_eq!(done.get::<u32>(odd)?, kept, "{engine}");
    }
    Ok(())
}

/// Takes so long for some that their lanes are stopped on the way.
#[routine]
fn plan_dawdle(x: u32) -> u32 {
    let mut y = x;
    let turns = if x % 1000 == 77 { 80_000 } else { x % 3 };
    for turn in 0..turns {
        y = y.wrapping_mul(y) ^ turn;
    }
    y
}

#[test]
fn neighbours_are_folded_when_all_their_lanes_have_ended() -> gpuvm::Result<()> {
    let pairs: Vec<(u32, u32)> = (0..300).map(|k| (k | 1, k)).collect();
    // Of as many entries, one VM, one workgroup and several of them take part.
    let columns = [64, 65, 5000].map(|entries| (0..entries).collect::<Vec<u32>>());
    for engine in [
        Engine::Native,
        Engine::Reference,
        Engine::Interpreter,
        Engine::Specialized,
    ] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let column = plan.input(&pairs);
        let composed = plan.reduce("plan_compose", column)?;
        let mut folded = Vec::new();
        for column in &columns {
            let words = plan.input(column);
            let slow = plan.map("plan_dawdle", (words,))?;
            folded.push(plan.reduce("plan_fold", slow)?);
        }
        plan.output(composed);
        folded.iter().for_each(|folded| _ = plan.output(*folded));
        let done = plan.run()?;
        let expected = folded_in_order(&pairs, plan_compose);
        assert_eq!(done.get::<(u32, u32)>(composed)?, [expected], "{engine}");
        for (column, folded) in columns.iter().zip(folded) {
            let slow: Vec<u32> = column.iter().map(|x| plan_dawdle(*x)).collect();
            let expected = folded_in_order(&slow, plan_fold);
            assert_eq!(
                done.get::<u32>(folded)?,
                [expected],
                "{engine}, {} entries",
                column.len()
            );
        }
    }
    Ok(())
}

#[routine]
fn plan_slowly_odd(x: u32) -> bool {
    plan_dawdle(x) % 2 == 1
}

#[routine]
fn plan_slow_key(x: u32) -> u32 {
    plan_dawdle(x) / 8
}

/// What has been sent behind a launch that did not end in its one dispatch is done once more.
#[test]
fn entries_are_kept_when_all_flags_and_keys_are_there() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..3000).map(|x| x / 2).collect();
    let odd: Vec<u32> = words.iter().copied().filter(|x| plan_slowly_odd(*x)).collect();
    let mut fewer = words.clone();
    fewer.dedup_by_key(|x| plan_slow_key(*x));
    for engine in [
        Engine::Native,
        Engine::Reference,
        Engine::Interpreter,
        Engine::Specialized,
    ] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let column = plan.input(&words);
        let kept = plan.filter("plan_slowly_odd", column)?;
        let deduped = plan.dedup_by_key("plan_slow_key", column)?;
        let folded = plan.reduce("plan_fold", kept)?;
        plan.output(kept).output(deduped).output(folded);
        let done = plan.run()?;
        assert_eq!(done.get::<u32>(kept)?, odd, "{engine}");
        assert_eq!(done.get::<u32>(deduped)?, fewer, "{engine}");
        assert_eq!(done.get::<u32>(folded)?, [folded_in_order(&odd, plan_fold)], "{engine}");
    }
    Ok(())
}
