//! What plans refuse.

use gpuvm::Handle;
use gpuvm::prelude::*;

use crate::harness::runtime;

#[routine]
fn plan_both(a: &[u32], b: &mut u32) {
    *b = a.len() as u32;
}

#[routine]
fn plan_halt(a: u32, b: u32) -> u32 {
    if a == b {
        vm::halt();
    }
    a
}

#[routine]
fn plan_id(a: u32, b: u32) -> u32 {
    a ^ b ^ vm::id()
}

#[test]
fn what_does_not_fit_is_told_by_node_and_parameter() -> gpuvm::Result<()> {
    let (words, floats) = ([1u32, 2, 3], [1.0f32, 2.0]);
    let (first, second) = (runtime().buffer(&[0u32; 3])?, runtime().buffer(&[0u32; 3])?);
    let mut plan = runtime().plan();
    let (w, f) = (plan.input(&words), plan.input(&floats));
    let short = plan.input(&words[..2]);
    let other = runtime().plan().input(&words);
    let text = |result: gpuvm::Result<Handle>| result.unwrap_err().to_string();
    assert_eq!(
        text(plan.map("plan_step", (f,))),
        "argument `x` of map `plan_step` (node 3) is a column of `f32`, input 1, and a column of `u32` or one `u32` for all VMs is needed"
    );
    assert_eq!(
        text(plan.map("plan_step", (1.5f32,))),
        "argument `x` of map `plan_step` (node 3) is one `f32`, and a column of `u32` or one `u32` for all VMs is needed"
    );
    assert_eq!(
        text(plan.map("plan_step", (w, w))),
        "map `plan_step` (node 3) takes 1 argument (x) and was given 2"
    );
    assert_eq!(
        text(plan.map("plan_mix", (w, short))),
        "argument `b` of map `plan_mix` (node 3) has 2 entries, and there are 3 VMs (`a` has as many entries)"
    );
    assert_eq!(
        text(plan.map("plan_step", (1u32,))),
        "how many VMs map `plan_step` (node 3) has is not known: no argument is a column with an entry a VM; use `plan.generate(id, n, args)`"
    );
    assert_eq!(
        text(plan.map("plan_step", (other,))),
        "argument `x` of map `plan_step` (node 3) is a handle of another plan; a plan knows only what its own methods gave"
    );
    assert_eq!(
        text(plan.map("plan_write", (w, 1u32))),
        "argument `me` of map `plan_write` (node 3) is a column of `u32`, input 0, and a buffer or zeros of `u32` is needed"
    );
    assert_eq!(
        text(plan.reduce("plan_step", w)),
        "reduce `plan_step` (node 3) needs a routine `fn(u32, u32) -> u32`, and `plan_step` is `fn(u32) -> u32`"
    );
    assert_eq!(
        text(plan.reduce("plan_halt", w)),
        "reduce `plan_halt` (node 3) needs a routine `fn(u32, u32) -> u32`, and `plan_halt` halts its VM"
    );
    assert_eq!(
        text(plan.scan("plan_id", w)),
        "scan `plan_id` (node 3) needs a routine `fn(u32, u32) -> u32`, and `plan_id` asks for `vm::id()` or `vm::count()`"
    );
    assert_eq!(
        text(plan.filter("plan_positive", w)),
        "filter `plan_positive` (node 3) needs a routine `fn(u32) -> bool`, and `plan_positive` is `fn(f32) -> bool`"
    );
    assert_eq!(
        text(plan.zip((w, f))),
        "argument `1` of zip (node 3) has 2 entries, and there are 3 VMs (`0` has as many entries)"
    );
    assert_eq!(
        text(plan.map("plan_stepp", (w,))),
        "no routine has the id `plan_stepp`; did you mean `plan_step`?"
    );
    let stated = plan.iterate(2, [w], |_, _| Ok([short]));
    assert_eq!(
        stated.unwrap_err().to_string(),
        "state 0 of `iterate` begins as 3 entries of `u32`, and its body made 2 entries of `u32` of it; a state keeps its type and length"
    );
    let step = plan.map("plan_step", (w,))?;
    let done = plan.run()?;
    assert_eq!(
        done.get::<f32>(step).unwrap_err().to_string(),
        "map `plan_step` (node 3) gives `Vec<u32>`, and was asked for as `Vec<f32>`"
    );
    assert_eq!(
        done.get::<u32>(w).unwrap_err().to_string(),
        "input 0 is not among the plan's outputs; name it with `plan.output(handle)` before the run"
    );
    assert_eq!(
        done.get::<u32>(other).unwrap_err().to_string(),
        "argument `handle` of `get` is a handle of another plan; a plan knows only what its own methods gave"
    );

    plan.output(other);
    assert_eq!(
        plan.run().unwrap_err().to_string(),
        "argument `column` of `output` is a handle of another plan; a plan knows only what its own methods gave"
    );

    let mut plan = runtime().plan();
    plan.map("plan_write", (&first, 1u32))?;
    assert_eq!(
        text(plan.map("plan_write", (&first, 2u32))),
        "map `plan_write` (node 1) and map `plan_write` (node 2) both write buffer 0; let one of them write another buffer, or return a column"
    );

    let mut plan = runtime().plan();
    let (a, b) = (plan.buffer(&first), plan.buffer(&second));
    plan.map("plan_both", (a, b))?;
    plan.map("plan_both", (b, a))?;
    let cycle = "map `plan_both` (node 2) and map `plan_both` (node 3) wait for each other in a circle: who reads a buffer sees it as its \
                 writer has left it; carry what goes round in a buffer of its own";
    assert!(
        plan.run().unwrap_err().to_string().ends_with(&cycle[58..]),
        "{:?}",
        plan.run()
    );
    assert!(plan.explain().to_string().contains("wait for each other in a circle"));
    Ok(())
}
