//! Launches that may run so far and no further.

use std::time::{Duration, Instant};

use gpuvm::Error;
use gpuvm::prelude::*;

use crate::execution::collatz_steps;
use crate::harness::{pausing, runtime};

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
        for (budget, by_time) in [
            (Budget::cycles(5_000), false),
            (Budget::time(Duration::from_millis(500)), true),
        ] {
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
            let told = format!("{} of 10 VMs had not stopped", report.running);
            assert!(report.to_string().contains(&told), "{report}");
            assert_eq!(report.vms, 10, "{engine}");
            if by_time && report.running == 10 {
                // On a busy machine that time was too short for a single step.
                continue;
            }
            assert_eq!(report.running, 3, "{engine}");
            assert_eq!(
                report.done().output::<Vec<u32>>().unwrap(),
                [0, 0, 0, 3, 4, 5, 6, 7, 8, 9],
                "{engine}: those that are done have results"
            );
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
