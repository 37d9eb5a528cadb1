//! Memory that stays flat: kernels that come and go leave nothing behind, and busy ones do not grow. They are tests of this package because
//! memory and threads are the whole process's.

use std::process::Command;
use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm_soak::Process;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u64,
}

#[ring_kernel]
fn purse(cents: &mut u64, deposit: Deposit) -> Deposit {
    *cents += deposit.cents;
    Deposit { cents: *cents }
}

/// So many kernels of an engine have come and gone before anything is measured.
const WARM: u64 = 100;
/// Bytes that may be resident more than before, in one of so many rounds: what is left behind grows in each of them, while what the allocator keeps for a
/// thread that compiles, which differs between runs, comes once.
const GROWTH: u64 = 8 << 20;
const ROUNDS: usize = 4;
const LONG: Duration = Duration::from_secs(60);
/// Every engine, with how many kernels come and go on it.
const ENGINES: [(Engine, u64); 5] = [
    (Engine::Native, 1000),
    (Engine::Reference, 50),
    (Engine::Interpreter, 50),
    (Engine::Epoch, 50),
    (Engine::Specialized, 50),
];

/// A kernel comes, works and goes, by being terminated or by nobody having it any more.
fn come_and_go(runtime: &Runtime, engine: Engine, turn: u64) {
    let options = RingOptions {
        actors: 1000,
        engine,
        ..default()
    };
    let kernel = runtime.blocking_launch_ring("purse", options).unwrap();
    kernel.blocking_activate().unwrap();
    kernel
        .blocking_send_all((0..10).map(|i| (i * 99, Deposit { cents: turn })))
        .unwrap();
    for _ in 0..10 {
        assert_eq!(
            kernel.blocking_receive::<Deposit>(LONG).unwrap().cents,
            turn,
            "{engine}"
        );
    }
    if turn.is_multiple_of(2) {
        kernel.blocking_terminate().unwrap();
    }
    drop(kernel);
    assert_eq!(runtime.memory().data, 0, "{engine}");
}

/// Waits until the system has seen the last kernel's thread end.
fn settle() {
    let pumps = || {
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
        names.filter(|name| name.starts_with("gpuvm-ring")).count()
    };
    let begin = Instant::now();
    while pumps() > 0 {
        assert!(begin.elapsed() < LONG, "{} pumps", pumps());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn kernels_that_come_and_go_leave_nothing_behind() {
    let runtime = Runtime::builder().backend(gpuvm_tests::gpu_backend()).build().unwrap();
    for (engine, turns) in ENGINES {
        // The first ones compile programs, start threads that stay, and fill pools.
        (0..turns.min(WARM)).for_each(|turn| come_and_go(&runtime, engine, turn));
        settle();
        let device = runtime.memory().bytes();
        let mut growth = Vec::new();
        while growth.last().is_none_or(|&bytes| bytes >= GROWTH) {
            assert!(growth.len() < ROUNDS, "{engine}: grew by {growth:?} bytes");
            let before = Process::now();
            (0..turns).for_each(|turn| come_and_go(&runtime, engine, turn));
            settle();
            let after = Process::now();
            assert!(after.threads <= before.threads, "{engine}: {before:?}, then {after:?}");
            growth.push(after.resident.saturating_sub(before.resident));
        }
        assert!(
            runtime.memory().bytes() <= device,
            "{engine}: {device} bytes grew to {:?}",
            runtime.memory()
        );
    }
}

/// In a process of its own, as `cargo xtask soak` does it.
#[test]
fn five_seconds_of_everything_are_flat() {
    // On a machine that is busy with something else, programs are still being compiled after seconds.
    let arguments = "--minutes 0.083 --every 0.25 --throughput 0.1 --growth 64";
    let soak = Command::new(env!("CARGO_BIN_EXE_gpuvm-soak"))
        .args(arguments.split(' '))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&soak.stdout);
    assert!(soak.status.success(), "{told}{}", String::from_utf8_lossy(&soak.stderr));
    assert!(told.ends_with("memory flat, throughput steady\n"), "{told}");
}
