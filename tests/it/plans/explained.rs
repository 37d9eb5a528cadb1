//! What plans say of themselves.

use gpuvm::prelude::*;

use super::{add_two, folded_in_order};
use crate::harness::{ENGINES, runtime};

#[routine]
fn grayscale(pixel: (f32, f32, f32)) -> f32 {
    0.299 * pixel.0 + 0.587 * pixel.1 + 0.114 * pixel.2
}

#[routine]
fn edges(pixel: (f32, f32, f32)) -> f32 {
    (pixel.0 - pixel.1).abs() + (pixel.1 - pixel.2).abs()
}

#[routine]
fn combine(gray: f32, edge: f32) -> f32 {
    0.7 * gray + 0.3 * edge
}

#[test]
fn phases_are_as_the_example_says() -> gpuvm::Result<()> {
    let pixels: Vec<(f32, f32, f32)> = (0..1000).map(|i| (i as f32, 0.5 * i as f32, 1.0)).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let image = plan.input(&pixels);
        let gray = plan.map("grayscale", (image,))?;
        let edges_of = plan.map("edges", (image,))?;
        let mixed = plan.map("combine", (gray, edges_of))?;
        let total = plan.reduce("add", mixed)?;
        let done = plan.run()?;
        let out: Vec<f32> = done.get(mixed)?;
        let expected: Vec<f32> = pixels.iter().map(|p| combine(grayscale(*p), edges(*p))).collect();
        assert_eq!(out, expected);
        assert_eq!(done.get::<f32>(total)?, [folded_in_order(&expected, add_two)]);
        let text = plan.explain().to_string();
        let phase = |phase: usize| {
            text.lines()
                .find(|line| line.starts_with(&format!("phase {phase}:")))
                .unwrap_or("")
        };
        assert!(phase(0).contains("grayscale") && phase(0).contains("edges"), "{text}");
        assert!(phase(1).contains("combine") && phase(2).contains("add"), "{text}");
    }
    Ok(())
}

#[test]
fn a_plan_says_what_it_does() -> gpuvm::Result<()> {
    let all = [1u32; 256];
    let mut plan = runtime().plan();
    plan.engine(Engine::Reference);
    let input = plan.input(&all);
    let [stepped] = plan.iterate(3, [input], |plan, [x]| Ok([plan.map("plan_step", (x,))?]))?;
    let a = plan.map("plan_mix", (stepped, 5u32))?;
    let b = plan.map("plan_mix", (stepped, 5u32))?;
    let both = plan.map("plan_add", (a, b))?;
    let sum = plan.scan("plan_fold", both)?;
    let kept = plan.filter("plan_odd", sum)?;
    let unused = plan.map("plan_at", (input,))?;
    plan.output(kept);
    let text = plan.explain().to_string();
    let has = |line: &str| {
        assert!(
            text.lines().any(|found| found.starts_with(line)),
            "no `{line}` in\n{text}"
        )
    };
    has("10 nodes in 7 phases and 2 steps on the reference engine");
    has("phase 3: map `plan_mix` (node 4)");
    has(
        "step 0: map `plan_step` (node 1), map `plan_step` (node 2), map `plan_step` (node 3), map `plan_mix` (node 4), map `plan_add` (node 6), scan `plan_fold` (node 7), fused; ",
    );
    has("step 1: filter `plan_odd` (node 8); ");
    has("column of scan `plan_fold` (node 7): 256 entries of `u32`, 1.0 KiB, from step 0 to step 1");
    has("column of filter `plan_odd` (node 8): at most 256 entries of `u32`, 1.0 KiB, from step 1 to the end");
    has("columns take 3.0 KiB at a time, and would take 3.0 KiB if none used another's memory again");
    has("map `plan_mix` (node 5) is map `plan_mix` (node 4)");
    has("left out, as no output needs it: map `plan_at` (node 9)");
    has("matrices: ");
    let graph = plan.explain_dot()?;
    for part in [
        "n0 [label=\"input 0\\n256 × u32\", shape=ellipse];",
        "  subgraph cluster_1 {\n    label=\"step 1\"; color=gray;\n    n8 [label=\"filter `plan_odd` (node 8)\\nat most 256 × u32\", peripheries=2];\n  }",
        "n4 -> n5 [style=dotted, label=\"the same\"];",
        "n9 [label=\"map `plan_at` (node 9)\\n256 × u32\", style=dotted];",
        "n0 -> n1 [label=\"\"];",
    ] {
        assert!(graph.contains(part), "no `{part}` in\n{graph}");
    }
    plan.fuse(false).share(false);
    let text = plan.explain().to_string();
    assert!(text.contains("8 steps") && !text.contains("fused"), "{text}");
    assert!(
        text.contains("columns take 3.0 KiB at a time, and would take 9.0 KiB"),
        "{text}"
    );
    let done = plan.run()?;
    assert_eq!(done.stats().launches, 10, "{}", done.stats());
    assert!(
        done.stats()
            .to_string()
            .starts_with("7 phases in 10 launches on the reference engine"),
        "{}",
        done.stats()
    );
    Ok(())
}
