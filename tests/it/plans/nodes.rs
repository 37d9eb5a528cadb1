//! What nodes there can be: any number, of every kind of parameter, VMs that yield or halt, and columns without entries.

use gpuvm::Handle;
use gpuvm::prelude::*;

use super::{plan_add, plan_compose, plan_mix, plan_step};
use crate::harness::{ENGINES, runtime};

#[test]
fn chains_and_fans_of_a_thousand() -> gpuvm::Result<()> {
    let start: Vec<u32> = (0..100).collect();
    let stepped = |mut x: u32, times: u32| {
        (0..times).for_each(|_| x = plan_step(x));
        x
    };
    for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let first = plan.input(&start);
        let [last] = plan.iterate(1000, [first], |plan, [x]| Ok([plan.map("plan_step", (x,))?]))?;
        let fan: Vec<Handle> = (0..1000u32)
            .map(|k| plan.map("plan_mix", (first, k)))
            .collect::<Result<_, _>>()?;
        let mut sum = fan[0];
        for other in &fan[1..] {
            sum = plan.map("plan_add", (sum, *other))?;
        }
        let unused = plan.map("plan_at", (last,))?;
        plan.output(last).output(sum);
        let done = plan.run()?;
        let expected: Vec<u32> = start.iter().map(|x| stepped(*x, 1000)).collect();
        assert_eq!(done.get::<u32>(last)?, expected, "{engine}");
        let mixed = |x: &u32| (0..1000).fold(0, |sum, k| plan_add(sum, plan_mix(*x, k)));
        assert_eq!(
            done.get::<u32>(sum)?,
            start.iter().map(mixed).collect::<Vec<u32>>(),
            "{engine}"
        );
        let error = done.get::<u32>(unused).unwrap_err().to_string();
        assert!(error.contains("is not among the plan's outputs"), "{error}");
    }
    Ok(())
}

#[routine]
fn plan_yield(x: u32) -> u32 {
    vm::yield_now();
    x ^ 5
}

#[routine]
fn plan_maybe_halt(x: u32) -> u32 {
    if x % 3 == 0 {
        vm::halt();
    }
    x
}

#[test]
fn vms_that_yield_or_halt_are_steps_of_their_own() -> gpuvm::Result<()> {
    let all: Vec<u32> = (1..200).collect();
    for engine in [&ENGINES[..], &[Engine::Auto]].concat() {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let input = plan.input(&all);
        let first = plan.map("plan_step", (input,))?;
        let yielded = plan.map("plan_yield", (first,))?;
        let halted = plan.map("plan_maybe_halt", (yielded,))?;
        let last = plan.map("plan_step", (halted,))?;
        plan.output(last);
        let expected = all
            .iter()
            .map(|x| plan_step(*x) ^ 5)
            .map(|x| plan_step(if x % 3 == 0 { 0 } else { x }));
        assert_eq!(
            plan.run()?.get::<u32>(last)?,
            expected.collect::<Vec<u32>>(),
            "{engine}"
        );
    }
    Ok(())
}

#[routine]
fn plan_spread(x: u32, out: &mut [u32]) -> u32 {
    for i in 0..out.len() {
        out[i] = x + i as u32;
    }
    vm::id()
}

#[routine]
fn plan_index() -> u32 {
    vm::id() * vm::count()
}

#[test]
fn every_kind_of_parameter_is_there() -> gpuvm::Result<()> {
    for engine in ENGINES {
        let (bins, wide) = (runtime().buffer(&[0u32; 10])?, runtime().buffer(&[0u32; 600])?);
        let mut plan = runtime().plan();
        plan.engine(engine);
        let index = plan.generate("plan_index", 300, ())?;
        let counted = plan.buffer(&bins);
        plan.map("plan_count", (index, counted))?;
        let ids = plan.map("plan_spread", (index, &wide))?;
        let sum = plan.reduce("plan_add", counted)?;
        let shifted = plan.map("plan_mix", (ids, sum))?;
        let pairs = plan.zip([index, ids])?;
        let composed = plan.scan("plan_compose", pairs)?;
        let all = plan.reduce("plan_compose", pairs)?;
        let done = plan.run()?;
        let expected: Vec<u32> = (0..300).map(|id| id * 300).collect();
        assert_eq!(done.get::<u32>(index)?, expected, "{engine}");
        assert_eq!(bins.read()?, [300, 0, 0, 0, 0, 0, 0, 0, 0, 0], "{engine}");
        let spread: Vec<u32> = expected.iter().flat_map(|x| [*x, x + 1]).collect();
        assert_eq!(wide.read()?, spread, "{engine}");
        assert_eq!(done.get::<u32>(sum)?, [300], "{engine}");
        assert_eq!(
            done.get::<u32>(shifted)?,
            (0..300).map(|id| plan_mix(id, 300)).collect::<Vec<u32>>(),
            "{engine}"
        );
        let pairs: Vec<(u32, u32)> = expected.iter().copied().zip(0..).collect();
        let mut prefixes = pairs.clone();
        (1..300).for_each(|i| prefixes[i] = plan_compose(prefixes[i - 1], pairs[i]));
        assert_eq!(done.get::<(u32, u32)>(composed)?, prefixes, "{engine}");
        assert_eq!(done.get::<(u32, u32)>(all)?.len(), 1, "{engine}");

        let mut plan = runtime().plan();
        plan.engine(engine);
        let odd = plan.input(&[1u32; 7]);
        assert_eq!(
            plan.map("plan_spread", (odd, &wide)).unwrap_err().to_string(),
            "argument `out` of map `plan_spread` (node 2) has 600 entries, which 7 VMs cannot share evenly; a multiple of 7 is needed"
        );
    }
    Ok(())
}

#[test]
fn empty_columns_are_no_trouble() -> gpuvm::Result<()> {
    let all: Vec<u32> = (0..300).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let input = plan.input(&all);
        let none = plan.filter("plan_never", input)?;
        let stepped = plan.map("plan_step", (none,))?;
        let picked = plan.map("plan_pick", (input, none))?;
        let scanned = plan.scan("plan_add", stepped)?;
        let folded = plan.reduce("plan_add", stepped)?;
        let again = plan.filter("plan_odd", scanned)?;
        let zipped = plan.zip((none, stepped))?;
        let done = plan.run()?;
        for handle in [none, stepped, scanned, folded, again] {
            assert_eq!(done.get::<u32>(handle)?, [], "{engine}");
        }
        assert_eq!(done.get::<(u32, u32)>(zipped)?, [], "{engine}");
        assert_eq!(done.get::<u32>(picked)?, all, "{engine}");
        let mixed = plan.map("plan_mix", (input, folded))?;
        plan.output(mixed);
        assert_eq!(
            plan.run().unwrap_err().to_string(),
            format!(
                "argument `b` of map `plan_mix` (node 8) has no value: reduce `plan_add` (node 5) was given no entries"
            )
        );
    }
    Ok(())
}
