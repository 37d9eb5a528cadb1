//! Traps that tell all: the call stack of the VM that trapped, with arguments and variables.

use gpuvm::prelude::*;
use gpuvm::program::Status;
use gpuvm::{Error, Snapshot, TrapReport};

use crate::harness::{ENGINES, pausing, runtime};

#[routine]
fn share(total: u32, among: u32) -> u32 {
    let least = total / 7;
    let part = total / among;
    part + least
}

#[routine]
fn descend(level: u32, seed: u32) -> u32 {
    let half = seed / 2;
    if level == 0 {
        return share(100, half % 3);
    }
    let below = descend(level - 1, half + level);
    below + half
}

#[routine]
fn trapping_deep(seed: u32) -> u32 {
    let first = seed + 1;
    let got = descend(3, first);
    got * first
}

fn trap(engine: Engine, seeds: &[u32]) -> TrapReport {
    let launch = runtime().launch("trapping_deep").unwrap().args((seeds,)).engine(engine);
    let Err(Error::Trap(report)) = launch.run() else {
        panic!("{engine} traps")
    };
    *report
}

/// The line of a text in this file.
fn line(text: &str) -> u32 {
    let found = include_str!("stacks.rs").lines().position(|line| line.contains(text));
    found.map_or(0, |index| index as u32 + 1)
}

#[test]
fn a_trap_tells_the_stack() {
    let seeds = [3, 40, 41, 42, 43, 60, 61, 62, 63, 80, 90, 100];
    for engine in ENGINES {
        let report = trap(engine, &seeds);
        assert_eq!((report.vm, report.count), (1, 2), "{engine}");
        let routines: Vec<&str> = report.stack.iter().map(|frame| frame.routine.as_str()).collect();
        let calls = ["share", "descend", "descend", "descend", "descend", "trapping_deep"];
        assert_eq!(routines, calls, "{engine}");
        let lines: Vec<u32> = report.stack.iter().map(|frame| frame.line).collect();
        let deeper = line("let below = descend");
        let at = [
            line("let part = total / among;"),
            line("return share(100"),
            deeper,
            deeper,
            deeper,
            line("let got = descend"),
        ];
        assert_eq!(lines, at, "{engine}");
        let among = report.stack[0]
            .arguments
            .iter()
            .find(|argument| argument.name == "among");
        assert_eq!(among.map(|argument| argument.value.as_str()), Some("0"), "{engine}");
        let text = format!("{:?}", Error::Trap(Box::new(report)));
        let (first, stack) = text.split_once('\n').unwrap();
        let place = format!("tests/it/stacks.rs:{}", at[0]);
        assert_eq!(
            first,
            format!("VM 1 of `trapping_deep` trapped at {place}: attempt to divide by zero (and 1 more VM trapped)")
        );
        assert!(stack.starts_with("  in share(total = "), "{engine}: {text}");
    }
}

#[routine]
fn trapping_in_place(place: &mut u32, by: u32) {
    *place += 7 / by;
}

#[test]
fn natively_a_trap_of_what_was_changed_tells_where_and_no_more() {
    let mut places = [1u32, 2];
    let launch = runtime()
        .launch("trapping_in_place")
        .unwrap()
        .args((&mut places, &[1u32, 0]))
        .engine(Engine::Native);
    let Err(Error::Trap(report)) = launch.run() else {
        panic!("it traps")
    };
    assert_eq!((report.vm, report.stack.len()), (1, 0));
}

#[routine]
fn divided(by: u32) -> u32 {
    100 / by
}

#[test]
fn a_snapshot_of_a_trap_says_who_has_halted() {
    for engine in pausing() {
        // What these leave lies where the next ones' states are going to be, and says the opposite: the first and the last have trapped.
        trap(engine, &[40, 3, 40]);
        let path = std::env::temp_dir().join(format!("gpuvm-halted-{}-{engine}.gpuvm", std::process::id()));
        let launch = runtime().launch("divided").unwrap().args((&[1u32, 0, 3],));
        let Err(Error::Trap(report)) = launch.engine(engine).snapshot_on_trap(&path).run() else {
            panic!("{engine} traps")
        };
        assert_eq!((report.vm, report.count), (1, 1), "{engine}");
        let snapshot = Snapshot::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut execution = runtime().restore_on(&snapshot, Engine::Reference).unwrap();
        let statuses = [0, 1, 2].map(|vm| execution.vm(vm).unwrap().status);
        assert_eq!(statuses, [Status::Halted, Status::Trapped, Status::Halted], "{engine}");
    }
}

#[test]
fn a_trap_leaves_a_snapshot_that_is_looked_at_elsewhere() {
    let folder = std::env::temp_dir().join(format!("gpuvm-crash-{}", std::process::id()));
    let seeds = [3_u32, 40, 41];
    for engine in ENGINES {
        let path = folder.join("deeper").join(format!("{engine}.gpuvm"));
        let launch = runtime()
            .launch("trapping_deep")
            .unwrap()
            .args((&seeds,))
            .engine(engine);
        let Err(Error::Trap(report)) = launch.snapshot_on_trap(&path).run() else {
            panic!("{engine} traps")
        };
        assert_eq!(report.snapshot, Some(Ok(path.clone())), "{engine}");
        assert!(
            report
                .to_string()
                .ends_with(&format!("its snapshot is {}", path.display()))
        );
        let snapshot = Snapshot::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        let mut execution = runtime().restore_on(&snapshot, Engine::Reference).unwrap();
        assert_eq!(execution.vm(1).unwrap().stack, report.stack, "{engine}");
        assert_eq!(report.stack.len(), 6, "{engine}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let nowhere = std::env::current_exe().unwrap().join("below a file");
    let launch = runtime()
        .launch("trapping_deep")
        .unwrap()
        .args((&seeds,))
        .snapshot_on_trap(&nowhere);
    let Err(Error::Trap(report)) = launch.run() else {
        panic!("it traps")
    };
    assert!(
        report.to_string().contains("; its snapshot could not be written: "),
        "{report}"
    );
}
