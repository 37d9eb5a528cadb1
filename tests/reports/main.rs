//! What a plan says of itself: to a person, to a program and as a picture.

mod trace;

use gpuvm::Plan;
use gpuvm::prelude::*;
use serde_json::{Value, json};

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

#[routine]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

#[routine]
fn step(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

#[routine]
fn mix(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(7)).wrapping_sub(b)
}

#[routine]
fn odd(x: u32) -> bool {
    x.count_ones() % 2 == 1
}

#[routine]
fn sum(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[routine]
fn count(me: &mut u32, add: u32) {
    *me = me.wrapping_add(add);
}

#[routine]
fn pick(x: u32, all: &[u32]) -> u32 {
    x ^ all.len() as u32
}

fn runtime() -> gpuvm::Result<Runtime> {
    Runtime::builder().backend(Backend::Cpu).build()
}

/// The program of the page on the public surface.
fn example<'a>(runtime: &Runtime, pixels: &'a [(f32, f32, f32)]) -> gpuvm::Result<Plan<'a>> {
    let mut plan = runtime.plan();
    plan.engine(Engine::Reference);
    let image = plan.input(pixels);
    let gray = plan.map("grayscale", (image,))?;
    let edges = plan.map("edges", (image,))?;
    let mixed = plan.map("combine", (gray, edges))?;
    let total = plan.reduce("add", mixed)?;
    plan.output(mixed).output(total);
    Ok(plan)
}

/// A plan with something of everything: a chain, equal nodes, one that nobody needs, a filter and a buffer that is written.
fn everything<'a>(runtime: &Runtime, words: &'a [u32]) -> gpuvm::Result<Plan<'a>> {
    let mut plan = runtime.plan();
    plan.engine(Engine::Reference);
    let (words, counts) = (plan.input(words), plan.buffer(&runtime.buffer(&[0u32; 16])?));
    let stepped = plan.map("step", (words,))?;
    let again = plan.map("step", (words,))?;
    let mixed = plan.map("mix", (stepped, again))?;
    let odd = plan.filter("odd", mixed)?;
    let sum = plan.reduce("sum", odd)?;
    plan.map("count", (counts, sum))?;
    plan.map("mix", (words, 3u32))?;
    let picked = plan.map("pick", (words, counts))?;
    plan.output(picked);
    Ok(plan)
}

#[test]
fn a_person_reads_it() -> gpuvm::Result<()> {
    let pixels = [(0.0, 0.5, 1.0); 1000];
    let runtime = runtime()?;
    let plan = example(&runtime, &pixels)?;
    insta::assert_snapshot!(plan.explain(), @"
    5 nodes in 3 phases and 2 steps on the reference engine
    input 0: 1000 entries of `(f32, f32, f32)`, 11.7 KiB
    phase 0: map `grayscale` (node 1), map `edges` (node 2)
    phase 1: map `combine` (node 3)
    phase 2: reduce `add` (node 4)
    step 0: map `grayscale` (node 1), map `edges` (node 2), map `combine` (node 3), fused; 21 instructions, 66 % linear, at most 21 epochs
    step 1: reduce `add` (node 4); 116 instructions, 49 % linear, as many epochs as the data makes it
    column of map `combine` (node 3): 1000 entries of `f32`, 3.9 KiB, from step 0 to the end
    column of reduce `add` (node 4): 1 entry of `f32`, 4 bytes, from step 1 to the end
    columns take 3.9 KiB at a time, and would take 3.9 KiB if none used another's memory again
    matrices: 43 sparse, 0 dense, 1.5 KiB against 15.0 KiB all dense; 51 % of instructions are linear
    ");
    let words = [1; 256];
    let text = everything(&runtime, &words)?.explain().to_string();
    for line in [
        "buffer 1: 16 entries of `u32`, 64 bytes, written by map `count` (node 7)",
        "column of filter `odd` (node 5): at most 256 entries of `u32`, 1.0 KiB, from step 0 to step 1",
        "column of map `pick` (node 9): 256 entries of `u32`, 1.0 KiB, from step 3 to the end, \
         and can lie where that of filter `odd` (node 5) lay",
        "map `step` (node 3) is map `step` (node 2)",
        "left out, as no output needs it: map `mix` (node 8)",
    ] {
        assert!(text.lines().any(|found| found == line), "no `{line}` in\n{text}");
    }
    Ok(())
}

#[test]
fn a_program_reads_it() -> gpuvm::Result<()> {
    let (words, runtime) = ([1; 256], runtime()?);
    let plan = everything(&runtime, &words)?;
    let report: Value = serde_json::from_str(&plan.explain_json()?).expect("JSON");
    assert_eq!(report["engine"], "reference");
    assert_eq!(
        report["nodes"][5],
        json!({
            "label": "filter `odd` (node 5)",
            "scope": null,
            "kind": "filter",
            "routine": "odd",
            "element": "u32",
            "entries": 256,
            "entries_known": false,
            "bytes": 1024,
            "phase": 2,
            "step": 0,
            "kept": false,
            "same_as": null,
            "reads": [{ "node": 4, "sight": "own" }],
        })
    );
    assert_eq!(report["nodes"][3]["same_as"], 2);
    assert_eq!(report["nodes"][7]["reads"][0], json!({ "node": 1, "sight": "record" }));
    assert_eq!(report["phases"], json!([[2], [4], [5], [6], [7], [9]]));
    assert_eq!(report["steps"][0]["members"], json!([2, 4, 5]));
    assert_eq!(report["steps"][0]["kernels"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        report["columns"][0],
        json!({ "node": 5, "bytes": 1024, "from_step": 0, "free_from_step": 2, "can_replace": null })
    );
    assert_eq!(report["columns"][3]["free_from_step"], Value::Null);
    for kernel in report["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|step| step["kernels"].as_array())
        .flatten()
    {
        let sum: u64 = kernel["instructions_by_class"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_u64)
            .sum();
        assert_eq!(kernel["instructions"], sum, "{kernel:#}");
    }
    Ok(())
}

#[test]
fn the_picture_in_the_documentation_is_current() -> gpuvm::Result<()> {
    let pixels = [(0.0, 0.5, 1.0); 1000];
    let runtime = runtime()?;
    let plan = example(&runtime, &pixels)?;
    let picture = plan.explain_svg()?;
    let file = std::env::temp_dir().join("plan.svg");
    if picture != include_str!("../../docs/plan.svg") {
        std::fs::write(&file, picture).expect("a folder for temporary files");
        panic!("docs/plan.svg is out of date; the current one is {}", file.display());
    }
    Ok(())
}

#[test]
fn a_picture_has_every_node_and_every_way() -> gpuvm::Result<()> {
    let (words, runtime) = ([1; 256], runtime()?);
    let plan = everything(&runtime, &words)?;
    let picture = plan.explain_svg()?;
    let count = |what: &str| picture.matches(what).count();
    assert_eq!(count("<g><title>"), 10, "{picture}");
    assert_eq!(
        [
            r#""given""#,
            r#""node""#,
            r#"rect class="idle""#,
            r#""kept""#,
            r#""frame""#
        ]
        .map(count),
        [2, 5, 2, 1, 1],
        "{picture}"
    );
    // One for each node that another one reads, and one more in the legend for each look but the plain one.
    let arrows = [
        r#""arrow""#,
        r#""arrow uniform""#,
        r#""arrow whole""#,
        r#""arrow both""#,
        r#""arrow same""#,
    ];
    assert_eq!(arrows.map(count), [6, 2, 2, 2, 2], "{picture}");
    Ok(())
}

#[test]
fn a_plan_without_nodes_has_reports() -> gpuvm::Result<()> {
    let runtime = runtime()?;
    let plan = runtime.plan();
    assert_eq!(plan.report()?.nodes.len(), 0);
    assert!(
        plan.explain()
            .to_string()
            .starts_with("0 nodes in 0 phases and 0 steps"),
        "{}",
        plan.explain()
    );
    let size = r#"width="24" height="24" viewBox="-12 -12 24 24""#;
    assert!(plan.explain_svg()?.contains(size), "{}", plan.explain_svg()?);
    Ok(())
}
