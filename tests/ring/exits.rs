//! A process that ends while its driver is at work, with kernels being compiled and actors being served, ends with its own exit code.

use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use gpuvm::prelude::*;

use super::{Deposit, actors};

/// In the child process: how it is to end.
const ENDING: &str = "GPUVM_RING_ENDING";

/// So many launches in a row that some thread is at work for sure.
#[routine]
fn drift(x: u32, turns: u32) -> u32 {
    let mut x = x;
    for turn in 0..turns {
        x = x.rotate_left(turn & 7) ^ turn.wrapping_mul(0x9e37_79b1);
    }
    x
}

/// A program that the driver has not seen, so that it compiles.
#[routine]
fn blend(x: u32) -> u32 {
    let mut values = [x; 12];
    for (at, value) in values.iter_mut().enumerate() {
        *value = value.rotate_left(at as u32) ^ 12;
    }
    values
        .iter()
        .fold(0u32, |sum, &value| sum.wrapping_mul(31).wrapping_add(value))
}

#[test]
fn exits_keep_their_code() {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Ok(ending) = std::env::var(ENDING) {
        return end(RUNTIME.get_or_init(open), &ending);
    }
    let endings = [
        ("exit", Some(7)),
        ("terminated", Some(7)),
        ("panic", Some(101)),
        ("return", Some(0)),
    ];
    for (ending, code) in endings.into_iter().cycle().take(2 * endings.len()) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["exits::exits_keep_their_code", "--exact", "--nocapture"])
            .env(ENDING, ending)
            // Compiled kernels of other runs would leave nothing to compile.
            .env("GPUVM_CACHE_DIR", "")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "`{ending}` hangs");
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), code, "`{ending}`: {status}");
    }
}

fn open() -> Runtime {
    Runtime::builder().backend(gpuvm_tests::gpu_backend()).build().unwrap()
}

/// Ends this process while other threads launch, compile and serve actors.
fn end(runtime: &'static Runtime, how: &str) {
    let kernel = runtime.blocking_launch_ring("ledger", actors(1000)).unwrap();
    kernel.blocking_activate().unwrap();
    let served = kernel.clone();
    std::thread::spawn(move || {
        for at in 0.. {
            // Until it is terminated.
            if served.blocking_send(at % 1000, Deposit { cents: 1 }).is_err() {
                return;
            }
        }
    });
    std::thread::spawn(|| {
        loop {
            let launch = runtime.launch("drift").unwrap().args((3u32, 100_000u32)).vms(10_000);
            launch.run().unwrap();
        }
    });
    std::thread::spawn(|| {
        let launch = runtime.launch("blend").unwrap().args((5u32,)).vms(64);
        launch.engine(Engine::Specialized).run().unwrap();
    });
    // Long enough for all of them to be at it.
    std::thread::sleep(Duration::from_millis(60));
    match how {
        "terminated" => {
            pollster::block_on(kernel.terminate()).unwrap();
            std::process::exit(7);
        }
        "exit" => std::process::exit(7),
        "panic" => panic!("as a user's program may"),
        // The runtime is never dropped.
        _ => {}
    }
}
