//! Traps of plans.

use gpuvm::prelude::*;
use gpuvm::{Error, Handle, Plan};

use crate::harness::{ENGINES, runtime};

#[routine]
fn plan_divide(a: u32, b: u32) -> u32 {
    a / b
}

#[routine]
fn plan_checked(a: u32, b: u32) -> u32 {
    assert!(b != 1_000_005, "too much");
    a ^ b
}

#[routine]
fn plan_not_seven(x: u32) -> bool {
    assert!(x != 7, "seven");
    true
}

#[test]
fn traps_are_told_alike_fused_or_not() -> gpuvm::Result<()> {
    let (all, by) = (
        (0..600).collect::<Vec<u32>>(),
        (0..600u32).map(|i| i % 37).collect::<Vec<u32>>(),
    );
    let mut told = Vec::new();
    for engine in ENGINES {
        for fuse in [false, true] {
            let trap = |build: &dyn Fn(&mut Plan<'_>) -> gpuvm::Result<Handle>| {
                let mut plan = runtime().plan();
                plan.engine(engine).fuse(fuse);
                let last = build(&mut plan)?;
                plan.output(last);
                match plan.run() {
                    Err(Error::Trap(report)) => Ok::<_, Error>(report.to_string()),
                    other => panic!("no trap on {engine}: {other:?}"),
                }
            };
            told.push([
                trap(&|plan| {
                    let (a, b) = (plan.input(all.clone()), plan.input(by.clone()));
                    let a = plan.map("plan_step", (a,))?;
                    let quotient = plan.map("plan_divide", (a, b))?;
                    plan.map("plan_step", (quotient,))
                })?,
                trap(&|plan| {
                    let (a, b) = (plan.input(all.clone()), plan.input(by.clone()));
                    let quotient = plan.map("plan_divide", (a, b))?;
                    plan.reduce("plan_add", quotient)
                })?,
                trap(&|plan| {
                    let a = plan.input((1_000_000..1_000_500).collect::<Vec<u32>>());
                    plan.scan("plan_checked", a)
                })?,
                trap(&|plan| {
                    let a = plan.input(all.clone());
                    plan.filter("plan_not_seven", a)
                })?,
            ]);
        }
    }
    assert!(
        told[0][0].starts_with("VM 0 of `plan_divide` trapped at ") && told[0][0].contains("traps.rs:"),
        "{}",
        told[0][0]
    );
    assert!(
        told[0][0].ends_with("attempt to divide by zero (and 16 more VMs trapped)"),
        "{}",
        told[0][0]
    );
    assert!(told[0][3].starts_with("VM 7 of `plan_not_seven`"), "{}", told[0][3]);
    assert!(
        told[0][2].contains("of `plan_checked` trapped") && told[0][2].contains("too much"),
        "{}",
        told[0][2]
    );
    told.iter().for_each(|other| assert_eq!(*other, told[0]));
    Ok(())
}
