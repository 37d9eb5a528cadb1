//! Dispatch modes, asynchronous launches, progress, and launches at the edges of what there is.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use gpuvm::prelude::*;

use crate::harness::{ENGINES, pausing, runtime};

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
fn all_kinds(x: u32, me: &mut u32, out: &mut [u32], bins: &[AtomicU32]) -> u32 {
    *me += x;
    out[0] = *me;
    bins[0].fetch_add(x, std::sync::atomic::Ordering::Relaxed);
    bins[1].fetch_max(x, std::sync::atomic::Ordering::Relaxed);
    x + 1
}

#[test]
fn a_launch_can_be_awaited() {
    for engine in ENGINES {
        let (x, mut me, mut out) = (vec![1u32, 2, 3], vec![10u32; 3], [0u32; 3]);
        let (bins, mut told) = ([const { AtomicU32::new(0) }; 2], 0);
        let launch = runtime()
            .launch("all_kinds")
            .unwrap()
            .args((&x, &mut me, &mut out, &bins))
            .engine(engine);
        let done = pollster::block_on(launch.progress(|_| told += 1).run_async()).unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), [2, 3, 4], "{engine}");
        assert_eq!((me.as_slice(), out), (&[11, 12, 13][..], [11, 12, 13]), "{engine}");
        assert_eq!(bins.map(AtomicU32::into_inner), [6, 3], "{engine}");
        assert!(told > 0, "{engine}");
    }
}

#[test]
fn an_awaited_launch_tells_its_errors_and_can_be_dropped() {
    let wrong = runtime().launch("squares").unwrap().args((1u32,)).run_async();
    assert!(matches!(
        pollster::block_on(wrong),
        Err(gpuvm::Error::ArgumentCount { .. })
    ));
    for engine in pausing() {
        let launch = runtime()
            .launch("squares")
            .unwrap()
            .args((1u32, &[u32::MAX; 3]))
            .engine(engine);
        let mut future = Box::pin(launch.run_async());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_pending(), "{engine}");
        drop(future);
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
