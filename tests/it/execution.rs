//! Launches under control: signals, budgets, a look at VMs, breakpoints, snapshots that go on elsewhere.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::{Error, Settings, Snapshot};

use crate::harness::{pausing, runtime, runtime_with};

/// Steps until the Collatz sequence of `start` reaches 1.
#[routine]
fn collatz_steps(start: u32) -> u32 {
    let mut n = start;
    let mut steps = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
        steps += 1;
    }
    steps
}

fn starts() -> Vec<u32> {
    (1..200).map(|i| i * 7 % 1009 + 1).collect()
}

#[test]
fn any_budget_leads_to_the_same_end() {
    let starts = starts();
    let wanted: Vec<u32> = starts.iter().map(|n| collatz_steps(*n)).collect();
    for engine in pausing() {
        for cycles in [7, 100, 1001] {
            let launch = runtime()
                .launch("collatz_steps")
                .unwrap()
                .args((&starts,))
                .engine(engine);
            let mut execution = launch.start().unwrap();
            let mut checkpoints = 0;
            loop {
                match execution.advance(Budget::cycles(cycles)).unwrap() {
                    Signal::Checkpoint => checkpoints += 1,
                    signal => break assert_eq!(signal, Signal::Halt),
                }
            }
            assert!(
                checkpoints >= 700 / cycles,
                "{engine}: {checkpoints} checkpoints of {cycles}"
            );
            assert_eq!(execution.advance(Budget::unlimited()).unwrap(), Signal::Halt);
            let done = execution.finish().unwrap();
            assert_eq!(done.output::<Vec<u32>>().unwrap(), wanted, "{engine} by {cycles}");
        }
    }
}

#[test]
fn a_started_launch_leaves_its_arguments_alone_until_it_is_finished() {
    for engine in pausing() {
        let mut me = vec![1u32; 5];
        let mut execution = runtime()
            .launch("count_up")
            .unwrap()
            .args((&mut me, 1000u32))
            .engine(engine)
            .start()
            .unwrap();
        execution.advance(Budget::cycles(50)).unwrap();
        drop(execution);
        assert_eq!(me, [1; 5]);
        let mut execution = runtime()
            .launch("count_up")
            .unwrap()
            .args((&mut me, 1000u32))
            .engine(engine)
            .start()
            .unwrap();
        assert_eq!(execution.run_to_end().unwrap(), Signal::Halt);
        execution.finish().unwrap();
        assert_eq!(me, [count_up_alone(1, 1000); 5]);
    }
}

/// Not linear, so that no matrix power takes the loop away.
#[routine]
fn count_up(me: &mut u32, turns: u32) {
    for i in 0..turns {
        *me = me.wrapping_mul(*me | 1).wrapping_add(i);
    }
}

fn count_up_alone(mut me: u32, turns: u32) -> u32 {
    count_up(&mut me, turns);
    me
}

#[routine]
fn never(start: u32) -> u32 {
    let mut x = start;
    while start < 3 {
        x = x.wrapping_mul(x).wrapping_add(1);
    }
    x
}

#[test]
fn a_vm_that_never_halts_is_stopped_by_a_budget() {
    let x: Vec<u32> = (0..10).collect();
    for engine in pausing() {
        for budget in [Budget::cycles(5_000), Budget::time(Duration::from_millis(500))] {
            let begin = Instant::now();
            let launch = runtime()
                .launch("never")
                .unwrap()
                .args((&x,))
                .engine(engine)
                .budget(budget);
            let Err(Error::Budget(report)) = launch.run() else {
                panic!("{engine} stops at {budget}")
            };
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "{engine}: {:?}",
                begin.elapsed()
            );
            assert_eq!((report.vms, report.running), (10, 3), "{engine}");
            assert_eq!(
                report.done().output::<Vec<u32>>().unwrap(),
                [0, 0, 0, 3, 4, 5, 6, 7, 8, 9],
                "{engine}: those that are done have results"
            );
            assert!(report.to_string().contains("3 of 10 VMs had not stopped"), "{report}");
        }
    }
}

#[test]
fn the_native_engine_takes_no_budget() {
    let launch = || {
        runtime()
            .launch("never")
            .unwrap()
            .args((&[9u32, 8],))
            .engine(Engine::Native)
    };
    let budget = launch().budget(Budget::cycles(1)).run().unwrap_err();
    let start = launch().start().unwrap_err();
    for error in [budget, start] {
        assert!(
            matches!(
                error,
                Error::EngineUnavailable {
                    engine: Engine::Native,
                    ..
                }
            ),
            "{error}"
        );
    }
    let cpu = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let done = cpu
        .launch("never")
        .unwrap()
        .args((&[9u32, 8],))
        .budget(Budget::cycles(1000))
        .run()
        .unwrap();
    assert_eq!(done.stats().engine, Engine::Reference);
    let done = cpu.launch("turns").unwrap().vms(3).run().unwrap();
    assert_eq!(done.stats().engine, Engine::Reference, "a routine that yields");
}

#[routine]
fn turns() -> u32 {
    let mut x = vm::id();
    for _ in 0..3 {
        vm::yield_now();
        x = x * 10 + 1;
    }
    x
}

#[test]
fn yielding_is_a_signal() {
    for engine in pausing() {
        let mut execution = runtime()
            .launch("turns")
            .unwrap()
            .vms(300)
            .engine(engine)
            .start()
            .unwrap();
        let signals: Vec<Signal> = (0..5)
            .map(|_| execution.advance(Budget::unlimited()).unwrap())
            .collect();
        assert_eq!(
            signals,
            [Signal::Yield, Signal::Yield, Signal::Yield, Signal::Halt, Signal::Halt],
            "{engine}"
        );
        let wanted: Vec<u32> = (0..300).map(|id| id * 1000 + 111).collect();
        assert_eq!(execution.finish().unwrap().output::<Vec<u32>>().unwrap(), wanted);
    }
}

#[routine]
fn divide_or_trap(x: u32, y: u32) -> u32 {
    let mut z = 0;
    for i in 0..50 {
        z += (x * i) / y;
    }
    z
}

#[test]
fn traps_are_a_signal_and_an_error_at_the_end() {
    let y: Vec<u32> = (0..20).map(|i| i % 4).collect();
    for engine in pausing() {
        let mut execution = runtime()
            .launch("divide_or_trap")
            .unwrap()
            .args((5u32, &y))
            .engine(engine)
            .start()
            .unwrap();
        assert_eq!(execution.run_to_end().unwrap(), Signal::Trap);
        let view = execution.vm(4).unwrap();
        assert_eq!(
            (view.status, view.vm),
            (gpuvm::core::program::Status::Trapped, 4),
            "{engine}"
        );
        let Err(Error::Trap(report)) = execution.finish() else {
            panic!("{engine} traps")
        };
        assert_eq!(
            (report.vm, report.count, report.message.as_str()),
            (0, 5, "attempt to divide by zero")
        );
        assert_eq!(report.done().output::<Vec<u32>>().unwrap()[5], divide_or_trap(5, 1));
    }
}

#[test]
fn all_vms_may_trap() {
    for engine in pausing() {
        let Err(Error::Trap(report)) = runtime()
            .launch("divide_or_trap")
            .unwrap()
            .args((&[1u32; 3000], 0u32))
            .engine(engine)
            .run()
        else {
            panic!("{engine} traps")
        };
        assert_eq!((report.vm, report.count), (0, 3000), "{engine}");
        assert_eq!(report.done().output::<Vec<u32>>().unwrap(), [0; 3000]);
    }
}

#[test]
fn a_vm_can_be_looked_at_and_stepped() {
    for engine in [Engine::Reference, Engine::Interpreter] {
        let mut me = [3u32, 4];
        let mut execution = runtime()
            .launch("count_up")
            .unwrap()
            .args((&mut me, 10u32))
            .engine(engine)
            .start()
            .unwrap();
        assert_eq!(execution.vm(1).unwrap().ip, 0);
        let mut lines = Vec::new();
        while execution.step().unwrap() == Signal::Checkpoint {
            let view = execution.vm(1).unwrap();
            assert!(
                view.file.ends_with("execution.rs") && view.routine == "count_up",
                "{view}"
            );
            lines.push(view.line);
        }
        let of_loop = lines
            .iter()
            .filter(|line| lines[0] <= **line && **line <= lines[0] + 4)
            .count();
        assert!(of_loop > 30, "{engine}: {lines:?}");
        let error = execution.vm(2).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`count_up` runs on 2 VMs, numbered from 0, and VM 2 was asked for"
        );
    }
}

/// The line of the loop's body in `count_up`, which a breakpoint names.
fn line_of(text: &str) -> u32 {
    let source = include_str!("execution.rs");
    source
        .lines()
        .position(|line| line.contains(text))
        .map_or(0, |index| index as u32 + 1)
}

#[test]
fn vms_stop_in_front_of_a_line() {
    let line = line_of("*me = me.wrapping_mul(*me | 1)");
    for engine in pausing().into_iter().filter(|engine| *engine != Engine::Specialized) {
        let mut me = [3u32, 4, 5];
        let mut execution = runtime()
            .launch("count_up")
            .unwrap()
            .args((&mut me, 5u32))
            .engine(engine)
            .start()
            .unwrap();
        execution.break_at(&format!("execution.rs:{line}")).unwrap();
        for _ in 0..3 {
            assert_eq!(
                execution.advance(Budget::unlimited()).unwrap(),
                Signal::Breakpoint,
                "{engine}"
            );
            let view = execution.vm(2).unwrap();
            assert!(view.to_string().contains(", turns = 5"), "{view}");
            assert_eq!(
                (view.line, view.variable("turns")),
                (line, Some("5")),
                "{engine}: {view}"
            );
        }
        let error = execution.break_at("execution.rs:1").unwrap_err().to_string();
        assert!(
            error.contains("no code comes from `execution.rs:1`; the nearest lines with code are"),
            "{error}"
        );
        let error = execution.break_at("other.rs:1").unwrap_err().to_string();
        assert!(error.contains("execution.rs"), "{error}");
        assert!(matches!(execution.break_at("execution.rs"), Err(Error::NoCode { .. })));
        execution.clear(&format!("execution.rs:{line}")).unwrap();
        assert_eq!(
            execution.advance(Budget::unlimited()).unwrap(),
            Signal::Halt,
            "{engine}"
        );
        execution.finish().unwrap();
        assert_eq!(me, [3, 4, 5].map(|x| count_up_alone(x, 5)));
    }
}

/// Everything at once: a record, a shared slice, chunks, atomics, a uniform, a call and a result, in a loop of its own length.
#[routine]
fn everything(x: u32, me: &mut (u32, f32), all: &[u32], out: &mut [u32], bins: &[AtomicU32], scale: f32) -> f32 {
    for i in 0..20 + x % 50 {
        me.0 = mixed(me.0, all[(me.0 as usize + i as usize) % all.len()]);
        me.1 = me.1 * scale + i as f32;
        out[i as usize % 2] ^= me.0;
        bins[me.0 as usize % bins.len()].fetch_add(i, Ordering::Relaxed);
    }
    me.1
}

#[routine]
fn mixed(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b | 1) ^ (a >> 7)
}

/// What one launch of `everything` works on.
#[derive(Clone, Debug, PartialEq)]
struct World {
    x: Vec<u32>,
    me: Vec<(u32, f32)>,
    all: Vec<u32>,
    out: Vec<u32>,
    bins: Vec<u32>,
    results: Vec<f32>,
}

fn world(vms: u32) -> World {
    World {
        x: (0..vms).map(|i| i * 977 % 331).collect(),
        me: (0..vms).map(|i| (i * 7919, i as f32)).collect(),
        all: (0..97).map(|i| i * i).collect(),
        out: vec![0; 2 * vms as usize],
        bins: vec![0; 5],
        results: Vec::new(),
    }
}

/// The world as a launch leaves it.
fn ran(runtime: &Runtime, engine: Engine, vms: u32) -> World {
    let mut world = world(vms);
    let bins: Vec<AtomicU32> = world.bins.iter().map(|bin| AtomicU32::new(*bin)).collect();
    let args = (&world.x, &mut world.me, &world.all, &mut world.out, &bins, 0.5f32);
    let done = runtime
        .launch("everything")
        .unwrap()
        .args(args)
        .engine(engine)
        .run()
        .unwrap();
    world.results = done.output().unwrap();
    world.bins = bins.into_iter().map(AtomicU32::into_inner).collect();
    world
}

/// A snapshot of the world's launch after so many cycles.
fn snapshot(runtime: &Runtime, engine: Engine, vms: u32, cycles: u64) -> Snapshot {
    let mut world = world(vms);
    let bins: Vec<AtomicU32> = world.bins.iter().map(|bin| AtomicU32::new(*bin)).collect();
    let args = (&world.x, &mut world.me, &world.all, &mut world.out, &bins, 0.5f32);
    let mut execution = runtime
        .launch("everything")
        .unwrap()
        .args(args)
        .engine(engine)
        .start()
        .unwrap();
    if cycles > 0 {
        execution.advance(Budget::cycles(cycles)).unwrap();
    }
    let snapshot = execution.snapshot().unwrap();
    assert_eq!(snapshot, Snapshot::from_bytes(&snapshot.to_bytes()).unwrap());
    snapshot
}

/// The world as a restored launch leaves it.
fn restored(runtime: &Runtime, engine: Engine, snapshot: &Snapshot) -> World {
    let mut execution = runtime.restore_on(snapshot, engine).unwrap();
    execution.run_to_end().unwrap();
    let halfway: Vec<u32> = execution.column("out").unwrap();
    let done = execution.finish().unwrap();
    let untouched = world(snapshot.vms());
    let ended = World {
        me: done.column("me").unwrap(),
        out: done.column("out").unwrap(),
        bins: done.column("bins").unwrap(),
        results: done.output().unwrap(),
        ..untouched
    };
    assert_eq!(ended.out, halfway);
    assert!(matches!(done.column::<u32>("x"), Err(Error::NoSuchColumn { .. })));
    assert!(matches!(done.column::<u32>("me"), Err(Error::OutputType { .. })));
    ended
}

#[test]
fn a_snapshot_goes_on_on_another_engine() {
    let wanted = ran(runtime(), Engine::Native, 50);
    for from in pausing() {
        for cycles in [0, 1, 100, 333, 1_000_000] {
            let snapshot = snapshot(runtime(), from, 50, cycles);
            for to in pausing() {
                assert_eq!(
                    restored(runtime(), to, &snapshot),
                    wanted,
                    "{from} to {to} after {cycles}"
                );
            }
        }
    }
}

#[test]
fn a_snapshot_brings_its_settings_along() {
    let plain = runtime_with(Settings {
        inline: None,
        fuse: false,
        ..Settings::default()
    });
    let wanted = ran(runtime(), Engine::Native, 20);
    let snapshot = snapshot(&plain, Engine::Reference, 20, 200);
    for to in pausing() {
        assert_eq!(restored(runtime(), to, &snapshot), wanted, "{to}");
    }
}

#[test]
fn launches_of_several_jobs_can_be_saved() {
    // The reference engine takes 65,536 VMs at a time.
    let starts: Vec<u32> = (0..70_000).map(|i| i % 7 + 1).collect();
    let wanted: Vec<u32> = starts.iter().map(|n| collatz_steps(*n)).collect();
    let launch = runtime().launch("collatz_steps").unwrap().args((&starts,));
    let mut execution = launch.engine(Engine::Reference).start().unwrap();
    execution.advance(Budget::cycles(15)).unwrap();
    assert!(execution.vm(69_999).unwrap().ip > 0, "both jobs go on");
    let snapshot = execution.snapshot().unwrap();
    let bytes = snapshot.to_bytes();
    let data = 70_000 * (128 + 4 + 4);
    assert!(bytes.len() < data + 16_384, "{} bytes for {data} of data", bytes.len());
    for to in pausing() {
        let mut execution = runtime().restore_on(&snapshot, to).unwrap();
        execution.run_to_end().unwrap();
        assert_eq!(
            execution.finish().unwrap().output::<Vec<u32>>().unwrap(),
            wanted,
            "{to}"
        );
    }
}

#[test]
fn every_instruction_is_a_place_to_go_on_from() {
    let starts: Vec<u32> = (1..8).collect();
    let wanted: Vec<u32> = starts.iter().map(|n| collatz_steps(*n)).collect();
    for (cycles, from) in (0..40).flat_map(|cycles| pausing().into_iter().map(move |from| (cycles, from))) {
        let launch = runtime().launch("collatz_steps").unwrap().args((&starts,));
        let mut execution = launch.engine(from).start().unwrap();
        execution.advance(Budget::cycles(cycles)).unwrap();
        let snapshot = execution.snapshot().unwrap();
        for to in pausing() {
            let mut execution = runtime().restore_on(&snapshot, to).unwrap();
            execution.run_to_end().unwrap();
            let ended = execution.finish().unwrap().output::<Vec<u32>>().unwrap();
            assert_eq!(ended, wanted, "{from} to {to} after {cycles}");
        }
    }
}

#[test]
fn a_snapshot_of_something_else_is_refused() {
    let mut bytes = snapshot(runtime(), Engine::Reference, 4, 10).to_bytes();
    let error = Snapshot::from_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error, Error::BadSnapshot { .. }), "{error}");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let error = Snapshot::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
    let other = snapshot(
        &runtime_with(Settings {
            recursion_limit: 3,
            ..Settings::default()
        }),
        Engine::Reference,
        4,
        10,
    );
    assert!(runtime().restore(&other).is_ok(), "settings travel with the snapshot");
}

/// In the child process: runs until it is killed, and leaves snapshots behind.
const CHILD: &str = "GPUVM_SNAPSHOT_CHILD";

#[test]
fn a_killed_process_is_carried_on_by_another() {
    if let Ok(path) = std::env::var(CHILD) {
        return child(&path);
    }
    let path = std::env::temp_dir().join(format!("gpuvm-snapshot-{}", std::process::id()));
    let test = "execution::a_killed_process_is_carried_on_by_another";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, &path)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let bytes = loop {
        std::thread::sleep(Duration::from_millis(10));
        if let Ok(bytes) = std::fs::read(&path) {
            break bytes;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the child saves something");
        assert!(
            child.try_wait().unwrap().is_none(),
            "the child works until it is killed"
        );
    };
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(&path).unwrap();
    let snapshot = Snapshot::from_bytes(&bytes).unwrap();
    let wanted: Vec<u32> = (0..64).map(|start| endless_alone(start, 40_000)).collect();
    for to in pausing() {
        let mut execution = runtime().restore_on(&snapshot, to).unwrap();
        assert_eq!(execution.run_to_end().unwrap(), Signal::Halt, "{to}");
        assert_eq!(execution.finish().unwrap().column::<u32>("me").unwrap(), wanted, "{to}");
    }
}

#[routine]
fn endless(me: &mut u32, turns: u32) {
    for i in 0..turns {
        *me = me.wrapping_mul(*me | 1) ^ i;
    }
}

fn endless_alone(mut me: u32, turns: u32) -> u32 {
    endless(&mut me, turns);
    me
}

/// Saves after the twentieth turn, and goes on as if nothing would happen.
fn child(path: &str) {
    let mut me: Vec<u32> = (0..64).collect();
    let launch = runtime().launch("endless").unwrap().args((&mut me, 40_000u32));
    let mut execution = launch.engine(Engine::Reference).start().unwrap();
    for turn in 0.. {
        execution.advance(Budget::time(Duration::from_millis(5))).unwrap();
        if turn == 20 {
            let unfinished = format!("{path}.part");
            std::fs::write(&unfinished, execution.snapshot().unwrap().to_bytes()).unwrap();
            std::fs::rename(unfinished, path).unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
