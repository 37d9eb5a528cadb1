//! What is counted: instructions, issues, sectors, by line, stack and VM.

use gpuvm::prelude::*;
use gpuvm::{Error, Launch};

use crate::{ENGINES, at, counted, done, profile, runtime};

const FILE: &str = include_str!("counts.rs");

fn launch(id: &str) -> Launch<'static> {
    runtime().launch(id).unwrap()
}

#[routine]
fn straight(x: u32, y: u32) -> u32 {
    (x ^ y).wrapping_mul(0x9e37_79b1).count_ones()
}

#[test]
fn a_straight_line_is_run_once_by_each_vm() {
    let code = runtime().program("straight").unwrap().code.len() as u64;
    for vms in [1, 31, 32, 33, 1000, 1024] {
        let x: Vec<u32> = (0..vms).collect();
        let profile = profile(launch("straight").args((&x, 7u32)));
        let vms = u64::from(vms);
        assert_eq!(profile.vms().len() as u64, vms);
        assert!(
            profile
                .vms()
                .iter()
                .all(|cost| cost.instructions == code && !cost.is_cut)
        );
        assert_eq!(
            (profile.instructions(), profile.issues()),
            (vms * code, vms.div_ceil(32) * code)
        );
        assert_eq!(profile.spread(), Some((code, code, code)));
        let lanes = 32 * vms.div_ceil(32);
        assert_eq!(profile.occupancy(), vms as f64 / lanes as f64);
        assert!(profile.notes().is_empty());
    }
}

#[test]
fn of_more_vms_a_sample_is_counted() {
    let x: Vec<u32> = (0..100_000).collect();
    let profile = profile(launch("straight").args((&x, 7u32)));
    let vms: Vec<u32> = profile.vms().iter().map(|cost| cost.vm).collect();
    assert_eq!((vms.len(), vms[0], profile.cut()), (1024, 0, 0));
    // Whole warps, evenly over all.
    for (number, warp) in vms.chunks(32).enumerate() {
        assert_eq!(warp[0] as usize, 32 * (number * 3125 / 32));
        assert!(warp.iter().zip(warp[0]..).all(|(vm, expected)| *vm == expected));
    }
    assert_eq!(profile.stats().vms, 100_000);
}

#[routine]
fn looping(n: u32) -> u32 {
    let mut sum = 0u32;
    let mut i = 0;
    while i < n {
        sum = sum.rotate_left(3) ^ i;
        i += 1;
    }
    sum
}

#[test]
fn a_loop_costs_each_vm_its_turns() {
    let n: Vec<u32> = (1..=96).collect();
    let profile = profile(launch("looping").args((&n,)));
    let cost = |vm: usize| profile.vms()[vm].instructions;
    let turn = cost(1) - cost(0);
    assert!(turn > 2);
    for vm in 0..96 {
        assert_eq!(cost(vm), cost(0) + vm as u64 * turn);
    }
    let (instructions, issues, _) = at(&profile, FILE, "sum.rotate_left(3) ^ i");
    let turns: u64 = (1..=96).sum();
    assert_eq!(instructions % turns, 0);
    // A warp turns as often as the VM that turns most.
    assert_eq!(issues, instructions / turns * (32 + 64 + 96));
    let dearest = profile.vms_by_cost();
    assert_eq!((dearest[0].vm, dearest[95].vm), (95, 0));
    assert_eq!(profile.spread(), Some((cost(0), cost(48), cost(95))));
}

#[routine]
fn divergent(x: u32, out: &mut u32) {
    if x % 2 == 1 {
        *out = x.wrapping_mul(7) ^ 5;
    } else {
        *out = x.wrapping_mul(9).rotate_left(x);
    }
}

#[test]
fn two_ways_leave_half_a_warp_to_each() {
    let (x, mut out) = ((0..64).collect::<Vec<u32>>(), [0u32; 64]);
    let split = profile(launch_divergent(&x, &mut out));
    for text in ["x.wrapping_mul(7) ^ 5", "x.wrapping_mul(9).rotate_left"] {
        let (instructions, issues, _) = at(&split, FILE, text);
        assert!(issues > 0);
        assert_eq!(instructions, 16 * issues, "{text}");
    }
    let alike = profile(launch_divergent(&[4; 64], &mut out));
    assert_eq!(alike.occupancy(), 1.0);
}

fn launch_divergent<'a>(x: &'a [u32], out: &'a mut [u32]) -> Launch<'a> {
    runtime().launch("divergent").unwrap().args((x, out))
}

#[routine]
fn coalesced(x: &mut u32) {
    let read = *x;
    let scaled = read.wrapping_mul(3);
    *x = scaled;
}

#[routine]
fn strided(own: &mut [u32]) {
    let read = own[1];
    let scaled = read.wrapping_mul(3);
    own[0] = scaled;
}

#[routine]
fn same(all: &[u32]) -> u32 {
    all[3]
}

#[test]
fn sectors_are_what_a_warp_touches() {
    let mut x = [1u32; 32];
    let near = profile(runtime().launch("coalesced").unwrap().args((&mut x,)));
    assert_eq!(near.sectors(), 8);
    assert_eq!(at(&near, FILE, "let read = *x").2, 4);
    assert_eq!(at(&near, FILE, "*x = scaled").2, 4);
    let mut own = [1u32; 32 * 8];
    let far = profile(runtime().launch("strided").unwrap().args((&mut own,)).vms(32));
    assert_eq!(far.sectors(), 64);
    assert_eq!(at(&far, FILE, "let read = own[1]").2, 32);
    assert_eq!(at(&far, FILE, "own[0] = scaled").2, 32);
    let all = [1u32; 9];
    let shared = profile(runtime().launch("same").unwrap().args((&all,)).vms(32));
    // One is read by all, and four are what they return.
    assert_eq!(shared.sectors(), 5);
}

#[routine]
fn outer(x: u32, deep: u32) -> u32 {
    let inside = inlined(x);
    inside ^ descend(deep, x)
}

#[routine]
fn inlined(x: u32) -> u32 {
    x.wrapping_mul(11).rotate_left(x)
}

#[routine]
fn descend(level: u32, x: u32) -> u32 {
    if level == 0 {
        return x;
    }
    descend(level - 1, inlined(x)) ^ level
}

#[test]
fn stacks_have_calls_and_inlined_ones() {
    let profile = profile(runtime().launch("outer").unwrap().args((&[1u32, 2, 3], 2u32)));
    let stacks: Vec<Vec<&str>> = profile
        .stacks()
        .map(|stack| stack.frames.iter().map(|frame| frame.routine).collect())
        .collect();
    for expected in [
        &["outer"][..],
        &["outer", "inlined"],
        &["outer", "descend"],
        &["outer", "descend", "inlined"],
        &["outer", "descend", "descend"],
        &["outer", "descend", "descend", "inlined"],
        &["outer", "descend", "descend", "descend"],
    ] {
        assert!(
            stacks.iter().any(|stack| stack == expected),
            "{expected:?} of {stacks:?}"
        );
    }
    assert!(stacks.iter().all(|stack| stack.len() <= 4), "{stacks:?}");
    let sum: u64 = profile.stacks().map(|stack| stack.instructions).sum();
    assert_eq!(sum, profile.instructions());
    let cost = |name: &str| profile.routines().iter().find(|cost| cost.routine == name).unwrap();
    assert_eq!(cost("outer").total, profile.instructions());
    assert_eq!(cost("inlined").total, cost("inlined").instructions);
    assert!(cost("descend").total > cost("descend").instructions);
    let own: u64 = profile.routines().iter().map(|cost| cost.instructions).sum();
    assert_eq!(own, profile.instructions());
    let line = |text: &str| FILE.lines().position(|line| line.contains(text)).unwrap() as u32 + 1;
    let calls = profile.stacks().filter(|stack| stack.frames.len() == 4);
    for stack in calls {
        let lines: Vec<u32> = stack.frames.iter().map(|frame| frame.line).take(2).collect();
        assert_eq!(
            lines,
            [line("inside ^ descend(deep"), line("descend(level - 1, inlined(x))")]
        );
    }
}

#[routine]
fn trapping(x: u32) -> u32 {
    let part = 100 / x;
    let mut sum = 0u32;
    for i in 0..part {
        sum = sum.rotate_left(1) ^ i;
    }
    sum
}

#[test]
fn a_vm_that_traps_costs_what_it_ran() {
    let x = [0u32, 1, 2, 0];
    for engine in ENGINES {
        let launch = runtime().launch("trapping").unwrap().args((&x,)).engine(engine);
        let Err(Error::Trap(report)) = launch.profile(true).run() else {
            panic!("{engine} traps")
        };
        let profile = report.done().profile().unwrap();
        let costs: Vec<u64> = profile.vms().iter().map(|cost| cost.instructions).collect();
        assert!(0 < costs[0] && costs[0] < costs[2] && costs[2] < costs[1], "{costs:?}");
        assert_eq!((costs[3], profile.cut()), (costs[0], 0));
    }
}

/// Launches of all kinds, with their columns.
fn every(check: &dyn Fn(&str, &dyn Fn() -> Launch<'static>)) {
    let runtime = runtime();
    let column: &'static [u32] = Vec::leak((0..700).map(|i| i * 7919 % 61).collect());
    check("straight", &|| runtime.launch("straight").unwrap().args((column, 7u32)));
    check("looping", &|| runtime.launch("looping").unwrap().args((column,)));
    check("outer", &|| runtime.launch("outer").unwrap().args((column, column)));
    check("trapping", &|| runtime.launch("trapping").unwrap().args((column,)));
    let buffer = || -> &'static Buffer<u32> { Box::leak(Box::new(runtime.buffer(column).unwrap())) };
    let (read, written) = (buffer(), buffer());
    check("divergent", &|| {
        runtime.launch("divergent").unwrap().args((column, written))
    });
    check("looping of a buffer", &|| {
        runtime.launch("looping").unwrap().args((read,))
    });
}

#[test]
fn all_engines_have_the_same_profile() {
    every(&|name, launch| {
        let expected = counted(&profile(launch().engine(Engine::Reference)));
        for engine in ENGINES {
            let done = done(launch().engine(engine));
            let profile = done.profile().unwrap();
            assert_eq!(profile.stats(), done.stats());
            assert_eq!(profile.stats().engine, engine, "{name}");
            assert_eq!(counted(profile), expected, "{name} on {engine}");
        }
        let mut execution = launch().profile(true).start().unwrap();
        execution.run_to_end().unwrap();
        let done = match execution.finish() {
            Err(Error::Trap(report)) => report.into_done(),
            other => other.unwrap(),
        };
        assert_eq!(counted(done.profile().unwrap()), expected, "{name}, started");
    });
}

#[test]
fn the_interpreters_retire_as_many() {
    every(&|name, launch| {
        for engine in [Engine::Reference, Engine::Interpreter] {
            let done = done(launch().engine(engine));
            let profile = done.profile().unwrap();
            assert_eq!(
                Some(profile.instructions()),
                done.stats().instructions(),
                "{name} on {engine}"
            );
        }
    });
}

#[test]
fn results_are_what_they_are_without() {
    let column: Vec<u32> = (0..5000).collect();
    for engine in ENGINES {
        let launch = || runtime().launch("looping").unwrap().args((&column,)).engine(engine);
        let (plain, profiled) = (launch().run().unwrap(), launch().profile(true).run().unwrap());
        assert_eq!(
            plain.output::<Vec<u32>>().unwrap(),
            profiled.output::<Vec<u32>>().unwrap()
        );
        assert!(plain.profile().is_none());
    }
}

#[test]
fn what_takes_long_is_cut() {
    // One warp's turns are more than a sample may run.
    let n: Vec<u32> = (0..64).map(|vm| if vm < 32 { 5 } else { 1 << 20 }).collect();
    let first = profile(launch("looping").args((&n,)).engine(Engine::Native));
    assert_eq!(first.cut(), 32);
    assert!(first.instructions() <= 1 << 24);
    assert!(first.instructions() > (1 << 24) - 64);
    let note = "32 of 64 sampled VMs were cut off before their end, and count as far as they came";
    assert_eq!(first.notes(), [note]);
    let second = profile(launch("looping").args((&n,)).engine(Engine::Native));
    assert_eq!(counted(&first), counted(&second));
}
