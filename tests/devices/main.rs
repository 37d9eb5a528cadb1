//! Runtimes on several devices, unequal ones: launches give the bits of one device whoever ran which VMs, and whoever was lost on the way.

mod flaky;
mod footprints;
mod plans;
mod ranks;
mod rings;
mod verbs;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Backend, Budget, Device, Devices, Error, Share, Spreading};
use gpuvm_engine::Opened;
use gpuvm_tests::gpu;
use pollster::block_on;
use proptest::prelude::*;

use flaky::{Fuse, flaky};

/// So often a device that lasts can be advanced.
const LASTS: i64 = i64::MAX;

fn cpu(threads: usize) -> Opened {
    Opened {
        device: Device::cpu_threads(threads),
        engines: Vec::new(),
    }
}

fn fuse(advances: i64) -> Fuse {
    Arc::new(AtomicI64::new(advances))
}

/// A GPU, one thread and two threads: whatever launch can be is spread.
fn three() -> Runtime {
    on(vec![gpu(), cpu(1), cpu(2)])
}

fn on(devices: Vec<Opened>) -> Runtime {
    Runtime::builder().spreading(Spreading::Always).on(devices).unwrap()
}

/// Two GPUs that may be lost.
fn two_gpus(first: &Fuse, second: &Fuse) -> Runtime {
    on(vec![flaky(gpu(), first), flaky(gpu(), second)])
}

fn done_by(shares: &[Share]) -> Vec<u64> {
    shares.iter().map(|share| share.vms).collect()
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Walker {
    at: (i32, i32),
    steps: u64,
}

/// Everything that VMs can see of columns, and VMs that take unequally long.
#[routine]
fn walk(seed: u32, me: &mut Walker, out: &mut [u32], table: &[u32], bias: i32) -> (u32, f32) {
    let mut state = seed ^ vm::id();
    let turns = seed % 37;
    for turn in 0..turns {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let by = table[(state >> 8) as usize % table.len()];
        match state >> 30 {
            0 => me.at.0 = me.at.0.wrapping_add(bias),
            1 => me.at.0 = me.at.0.wrapping_sub(1),
            2 => me.at.1 = me.at.1.wrapping_add(by as i32),
            _ => me.at.1 = me.at.1.wrapping_sub(bias),
        }
        out[(turn & 1) as usize] ^= state;
    }
    me.steps += turns as u64;
    (state ^ vm::count(), (state >> 9) as f32 * 0.25)
}

/// What a launch of walkers gives: their results, themselves, and what they wrote.
type Walked = (Vec<(u32, f32)>, Vec<Walker>, Vec<u32>);

fn walkers(vms: usize) -> (Vec<u32>, Vec<Walker>, Vec<u32>) {
    let seeds = (0..vms as u32).map(|vm| vm.wrapping_mul(2_654_435_761)).collect();
    let walker = |vm: usize| Walker {
        at: (vm as i32, -(vm as i32)),
        steps: vm as u64,
    };
    (seeds, (0..vms).map(walker).collect(), vec![7; 2 * vms])
}

const TABLE: [u32; 5] = [3, 1, 4, 1, 5];

fn walked(runtime: &Runtime, engine: Engine, vms: usize) -> (Walked, Vec<Share>) {
    let (seeds, mut me, mut out) = walkers(vms);
    let launch = runtime.launch("walk").unwrap();
    let launch = launch.args((&seeds, &mut me, &mut out, &TABLE[..], -3));
    let done = launch.engine(engine).run().unwrap();
    assert_eq!(done.stats().vms, vms as u64);
    let results = done.output().unwrap();
    ((results, me, out), done.stats().shares.clone())
}

fn alone() -> Runtime {
    Runtime::builder().backend(Backend::Cpu).build().unwrap()
}

#[test]
fn every_vm_runs_once_wherever_that_is() {
    let (runtime, alone) = (three(), alone());
    for vms in [1, 2, 3, 64, 1000, 20_000] {
        let expected = walked(&alone, Engine::Native, vms).0;
        // Who is how fast is known from the second one on.
        for turn in 0..3 {
            let (found, shares) = walked(&runtime, Engine::Auto, vms);
            assert_eq!(found, expected, "{vms} VMs, turn {turn}");
            match vms {
                1 => assert!(shares.is_empty()),
                _ => assert_eq!(done_by(&shares).iter().sum::<u64>(), vms as u64, "{shares:?}"),
            }
        }
    }
}

#[test]
fn engines_that_are_named_run_where_they_are() {
    let alone = alone();
    let expected = walked(&alone, Engine::Native, 3000).0;
    let runtime = on(vec![gpu(), cpu(1), gpu(), cpu(2)]);
    for (engine, members) in [
        (Engine::Native, 2),
        (Engine::Reference, 2),
        (Engine::Interpreter, 2),
        (Engine::Epoch, 2),
        (Engine::Specialized, 2),
        (Engine::Auto, 4),
    ] {
        let (found, shares) = walked(&runtime, engine, 3000);
        assert_eq!(found, expected, "{engine}");
        assert_eq!(shares.len(), members, "{engine}: {shares:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn losses_change_no_bits(vms in 2..4000usize, first in 0..6i64, second in 0..6i64, engine in 0..3usize) {
        let engine = [Engine::Auto, Engine::Interpreter, Engine::Specialized][engine];
        let expected = walked(&alone(), Engine::Native, vms).0;
        let (first, second) = (fuse(first), fuse(second));
        // One that lasts: as many runs of any of them as it takes.
        let runtime = on(vec![flaky(gpu(), &first), flaky(gpu(), &second), flaky(gpu(), &fuse(LASTS))]);
        for _ in 0..2 {
            let (found, _) = walked(&runtime, engine, vms);
            prop_assert_eq!(&found, &expected);
        }
    }
}

#[test]
fn a_device_that_is_lost_is_told_and_not_asked_again() {
    let expected = walked(&alone(), Engine::Native, 2000).0;
    let (bad, good) = (fuse(1), fuse(LASTS));
    let runtime = two_gpus(&good, &bad);
    let (found, shares) = walked(&runtime, Engine::Interpreter, 2000);
    assert_eq!(found, expected);
    assert_eq!(done_by(&shares).iter().sum::<u64>(), 2000);
    let why = shares[1].lost.as_deref().unwrap();
    assert_eq!(why, "the device was lost: its fuse has burnt");
    assert!(shares[1].to_string().ends_with(", lost"), "{}", shares[1]);
    assert!(shares[0].lost.is_none());
    // One is left, and nothing is spread any more.
    let (found, shares) = walked(&runtime, Engine::Interpreter, 2000);
    assert_eq!((found, shares.len()), (expected, 0));
}

#[test]
fn where_all_are_lost_the_launch_is_an_error() {
    let runtime = two_gpus(&fuse(1), &fuse(1));
    let (seeds, mut me, mut out) = walkers(50_000);
    let launch = runtime.launch("walk").unwrap();
    let launch = launch
        .args((&seeds, &mut me, &mut out, &TABLE[..], 1))
        .engine(Engine::Interpreter);
    let error = launch.run().unwrap_err();
    assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
}

#[routine]
fn inverse(x: u32) -> u32 {
    if x == 7 {
        vm::halt();
    }
    1000 / x
}

#[test]
fn the_trap_of_the_lowest_vm_is_told_and_all_are_counted() {
    let xs: Vec<u32> = (0..5000)
        .map(|vm| if vm % 1000 == 399 { 0 } else { vm % 11 + 1 })
        .collect();
    for all in [false, true] {
        let launch = |runtime: &Runtime| runtime.launch("inverse").unwrap().args((&xs,)).all_traps(all).run();
        let trap = |runtime: &Runtime| match launch(runtime) {
            Err(Error::Trap(report)) => {
                let results: Vec<u32> = report.done().output().unwrap();
                (
                    report.vm,
                    report.count,
                    report.vms.clone(),
                    report.line,
                    report.message.clone(),
                    results,
                )
            }
            other => panic!("no trap: {other:?}"),
        };
        let expected = trap(&alone());
        let told: &[u32] = if all { &[399, 1399, 2399, 3399, 4399] } else { &[399] };
        assert_eq!((expected.0, expected.1, &*expected.2), (399, 5, told));
        assert_eq!(trap(&three()), expected);
        assert_eq!(trap(&on(vec![cpu(1), cpu(2)])), expected);
    }
}

#[routine]
fn jostle(me: &mut u32, all: &[u32]) -> u32 {
    let next = all[(vm::id() as usize + 1) % all.len()];
    *me = me.wrapping_mul(31) ^ next;
    next
}

#[test]
fn steps_see_what_all_have_left() {
    let run = |runtime: &Runtime| {
        let start: Vec<u32> = (0..777).collect();
        let buffer = runtime.buffer(&start).unwrap();
        let launch = runtime.launch("jostle").unwrap().args((&buffer, &buffer));
        let done = launch.steps(5).run().unwrap();
        assert_eq!(done.stats().steps, 5);
        (
            buffer.read().unwrap(),
            done.output::<Vec<u32>>().unwrap(),
            done.stats().shares.len(),
        )
    };
    let (buffer, results, _) = run(&alone());
    assert_eq!(run(&three()), (buffer, results, 3));
}

#[test]
fn zeros_are_zeros_on_all() {
    let run = |runtime: &Runtime| {
        let buffer = runtime.zeros::<u32>(777);
        let launch = runtime.launch("jostle").unwrap().args((&buffer, &buffer));
        let done = launch.steps(2).run().unwrap();
        let results: Vec<u32> = done.output().unwrap();
        (buffer.read().unwrap(), results)
    };
    assert_eq!(run(&alone()), (vec![0; 777], vec![0; 777]));
    assert_eq!(run(&three()), run(&alone()));
}

#[routine]
fn countdown(x: u32) -> u32 {
    assert!(x > 2, "too small");
    let mut left = x;
    while left > 0 {
        left -= 1;
    }
    x
}

#[test]
fn a_trap_ends_the_steps_of_all() {
    let run = |runtime: &Runtime| {
        let mut me: Vec<u32> = (0..3000u32).map(|vm| vm % 50 + 10).collect();
        let error = runtime
            .launch("wear")
            .unwrap()
            .args((&mut me,))
            .steps(20)
            .run()
            .unwrap_err();
        let Error::Trap(report) = error else { panic!("{error}") };
        (me, report.vm, report.count, report.done().stats().steps)
    };
    assert_eq!(run(&three()), run(&alone()));
}

#[routine]
fn wear(me: &mut u32) {
    assert!(*me > 0, "worn out");
    *me -= 2 - (*me & 1);
}

#[routine]
fn tick(cells: &[AtomicU32], by: u32) -> u32 {
    cells[0].fetch_add(by, Ordering::Relaxed);
    by
}

#[routine]
fn greet(x: u32) -> u32 {
    if x == 3 {
        println!("hello from {x}");
    }
    x + 1
}

#[routine]
fn wonder(x: u32) -> u32 {
    vm::ask::<u32, u32>(x) + 1
}

#[test]
fn what_cannot_be_spread_is_on_the_first_device() {
    let runtime = three();
    let (cells, ones) = ([AtomicU32::new(0)], vec![1u32; 500]);
    let done = runtime.launch("tick").unwrap().args((&cells, &ones)).run().unwrap();
    assert!(done.stats().shares.is_empty());
    assert_eq!(&done.stats().device, runtime.device());
    assert_eq!(cells[0].load(Ordering::Relaxed), 500);
    let xs: Vec<u32> = (0..10).collect();
    let done = runtime.launch("greet").unwrap().args((&xs,)).run().unwrap();
    assert_eq!(done.logs().len(), 1);
    assert!(done.stats().shares.is_empty());
    let launch = runtime.launch("wonder").unwrap().args((&xs,));
    let done = launch.answer(|_, x: u32| x * 2).run().unwrap();
    assert_eq!(done.output::<Vec<u32>>().unwrap()[4], 9);
    let launch = runtime.launch("countdown").unwrap().args((&[50u32; 100],));
    assert!(
        launch
            .budget(Budget::cycles(1 << 20))
            .run()
            .unwrap()
            .stats()
            .shares
            .is_empty()
    );
    let mut execution = runtime
        .launch("countdown")
        .unwrap()
        .args((&[50u32; 100],))
        .start()
        .unwrap();
    execution.run_to_end().unwrap();
    assert_eq!(execution.finish().unwrap().output::<Vec<u32>>().unwrap(), [50; 100]);
}

#[routine(relaxed)]
fn loose(x: f32) -> f32 {
    x.sin() * 2.0
}

#[test]
fn relaxed_floats_stay_with_devices_of_one_kind() {
    let xs: Vec<f32> = (0..2000).map(|x| x as f32).collect();
    let shares = |devices: Vec<Opened>| {
        let done = on(devices).launch("loose").unwrap().args((&xs,)).run().unwrap();
        let results: Vec<f32> = done.output().unwrap();
        (results, done.stats().shares.len())
    };
    let (alone, none) = shares(vec![gpu(), cpu(1)]);
    let (both, two) = shares(vec![gpu(), cpu(1), gpu()]);
    assert_eq!((none, two), (0, 2));
    assert!(both.iter().zip(&alone).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn short_launches_are_not_spread_unless_asked_for() {
    let xs = vec![100u32; 256];
    let shares = |runtime: &Runtime| {
        let done = runtime.launch("countdown").unwrap().args((&xs,)).run().unwrap();
        done.stats().shares.len()
    };
    let auto = Runtime::builder().on(vec![cpu(1), cpu(2)]).unwrap();
    let two = || vec![cpu(1), cpu(2)];
    assert_eq!(shares(&auto), 2, "nobody knows it yet");
    // Threads that begin are slow, and what was seen last counts half.
    assert!((0..30).any(|_| shares(&auto) == 0), "it is done at once");
    assert_eq!(
        shares(&Runtime::builder().spreading(Spreading::Never).on(two()).unwrap()),
        0
    );
    assert_eq!(shares(&on(two())), 2);
}

#[test]
fn progress_is_told_of_all() {
    let runtime = three();
    let (mut last, mut told) = (0, 0);
    let xs: Vec<u32> = (3..4003).collect();
    let launch = runtime.launch("countdown").unwrap().args((&xs,));
    let done = launch
        .progress(|progress| {
            assert!(progress.stopped <= progress.vms);
            last = progress.stopped;
            told += 1;
        })
        .run()
        .unwrap();
    assert!(told > 0);
    assert_eq!(last, 4000);
    assert_eq!(done.output::<Vec<u32>>().unwrap(), xs);
    let text = done.stats().to_string();
    assert!(
        text.contains("this CPU (1 thread): ") && text.contains("; this CPU (2 threads): "),
        "{text}"
    );
}

#[test]
fn a_future_runs_on_all() {
    let runtime = three();
    let xs: Vec<u32> = (3..2003).collect();
    let done = block_on(runtime.launch("countdown").unwrap().args((&xs,)).run_async()).unwrap();
    assert_eq!(done.output::<Vec<u32>>().unwrap(), xs);
    assert_eq!(done.stats().shares.len(), 3);
}

#[test]
fn routines_that_are_built_run_on_all() {
    let routine = gpuvm::build("triple", |f| {
        let x = f.param::<u32>("x");
        f.ret(x * 3);
    });
    let routine = routine.unwrap();
    let xs: Vec<u32> = (0..3000).collect();
    let done = three().launch(&routine).unwrap().args((&xs,)).run().unwrap();
    let expected: Vec<u32> = xs.iter().map(|x| x * 3).collect();
    assert_eq!(done.output::<Vec<u32>>().unwrap(), expected);
    assert_eq!(done.stats().shares.len(), 3);
}

#[test]
fn a_runtime_on_all_devices_opens() {
    let all = Runtime::builder().devices(Devices::All).build().unwrap();
    let named = std::env::var("GPUVM_BACKEND").unwrap_or_default();
    let has_cpu = all.own_devices().any(|device| device.backend == Backend::Cpu);
    assert_eq!(has_cpu, !matches!(&*named, "cuda" | "wgpu"));
    let list = [Device::cpu_threads(1), Device::cpu_threads(2)];
    let two = Runtime::builder().devices(list.clone()).build().unwrap();
    assert_eq!(two.own_devices().cloned().collect::<Vec<_>>(), list);
}
