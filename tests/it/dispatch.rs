//! Dispatch modes, progress, and launches at the edges of what there is.

use std::time::Duration;

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

const MODES: [Dispatch; 3] = [Dispatch::Standard, Dispatch::Continuous, Dispatch::Mega];

#[routine]
fn squares(start: u32, turns: u32) -> u32 {
    let mut x = start;
    for i in 0..turns {
        x = x.wrapping_mul(x).wrapping_add(i);
    }
    x
}

#[test]
fn every_mode_of_dispatch_gives_the_same() {
    let start: Vec<u32> = (0..300).collect();
    let turns: Vec<u32> = (0..300).map(|i| i * i % 3000).collect();
    let wanted: Vec<u32> = start.iter().zip(&turns).map(|(x, n)| squares(*x, *n)).collect();
    for engine in ENGINES {
        for mode in MODES {
            let launch = runtime()
                .launch("squares")
                .unwrap()
                .args((&start, &turns))
                .engine(engine);
            let done = launch.dispatch(mode).slice(Duration::from_millis(1)).run().unwrap();
            assert_eq!(done.output::<Vec<u32>>().unwrap(), wanted, "{engine} {mode:?}");
            let stats = done.stats();
            assert_eq!(stats.dispatch, mode);
            assert!(
                stats.longest_submission <= stats.device_time,
                "{engine} {mode:?}: {stats:?}"
            );
        }
    }
}

#[test]
fn progress_is_told() {
    let turns: Vec<u32> = (0..50).map(|i| 100 * i).collect();
    for engine in ENGINES {
        let mut told = Vec::new();
        let launch = runtime().launch("squares").unwrap().args((7u32, &turns)).engine(engine);
        launch.steps(2).progress(|p| told.push(*p)).run().unwrap();
        let last = told.last().unwrap();
        assert_eq!(
            (last.vms, last.stopped, last.all_steps),
            (50, 50, 2),
            "{engine}: {last}"
        );
        assert!(
            told.windows(2)
                .all(|p| p[0].steps <= p[1].steps && p[0].elapsed <= p[1].elapsed),
            "{engine}"
        );
        assert!(last.to_string().starts_with("50 of 50 VMs"), "{last}");
    }
}

#[routine]
fn nothing() {}

#[test]
fn the_smallest_program_on_one_vm() {
    let program = runtime().program("nothing").unwrap();
    assert_eq!(program.code.len(), 1, "{}", program.disassemble());
    for engine in ENGINES {
        for vms in [1, 100_000] {
            let done = runtime()
                .launch("nothing")
                .unwrap()
                .vms(vms)
                .engine(engine)
                .run()
                .unwrap();
            assert_eq!(done.output::<Vec<()>>().unwrap().len(), vms, "{engine}");
        }
    }
}

#[routine]
fn id_squared() -> u32 {
    vm::id().wrapping_mul(vm::id())
}

#[test]
fn as_many_as_2_to_the_24_vms() {
    const VMS: usize = 1 << 24;
    for engine in ENGINES
        .into_iter()
        .filter(|engine| !matches!(engine, Engine::Reference | Engine::Epoch))
    {
        let done = runtime()
            .launch("id_squared")
            .unwrap()
            .vms(VMS)
            .engine(engine)
            .run()
            .unwrap();
        let results: Vec<u32> = done.output().unwrap();
        assert_eq!(results.len(), VMS, "{engine}");
        assert!(
            (0u32..).zip(&results).all(|(id, x)| *x == id.wrapping_mul(id)),
            "{engine}"
        );
    }
}
