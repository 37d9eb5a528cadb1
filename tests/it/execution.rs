//! Launches under control: signals, a look at VMs, breakpoints.

use gpuvm::Error;
use gpuvm::prelude::*;

use crate::harness::{pausing, runtime};

/// Steps until the Collatz sequence of `start` reaches 1.
#[routine]
pub fn collatz_steps(start: u32) -> u32 {
    let mut n = start;
    let mut steps = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
        steps += 1;
    }
    steps
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
        assert_eq!((view.status, view.vm), (gpuvm::program::Status::Trapped, 4), "{engine}");
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
