//! Data that stays between launches, and steps in a row.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::Error;
use gpuvm::prelude::*;

use crate::harness::{ENGINES, pausing, runtime};

/// Each cell becomes what its neighbours were when the step began.
#[routine]
fn rule(me: &mut u32, all: &[u32]) -> u32 {
    let n = all.len();
    let i = vm::id() as usize;
    let (left, right) = (all[(i + n - 1) % n], all[(i + 1) % n]);
    *me = left.wrapping_mul(3) ^ right.wrapping_add(*me);
    *me >> 3
}

/// The cells and the results after so many steps, by plain Rust.
fn ruled(mut cells: Vec<u32>, steps: u32) -> (Vec<u32>, Vec<u32>) {
    for _ in 0..steps {
        let all = cells.clone();
        let n = all.len();
        for (i, me) in cells.iter_mut().enumerate() {
            *me = all[(i + n - 1) % n].wrapping_mul(3) ^ all[(i + 1) % n].wrapping_add(*me);
        }
    }
    let results = cells.iter().map(|cell| cell >> 3).collect();
    (cells, results)
}

fn cells(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

#[test]
fn steps_read_a_buffer_as_it_was_when_the_step_began() {
    for engine in ENGINES {
        for steps in [1, 2, 7] {
            let buffer = runtime().buffer(&cells(1000)).unwrap();
            let launch = runtime().launch("rule").unwrap().args((&buffer, &buffer));
            let done = launch.engine(engine).steps(steps).run().unwrap();
            let (wanted, results) = ruled(cells(1000), steps);
            assert_eq!(buffer.read().unwrap(), wanted, "{engine} {steps}");
            assert_eq!(done.output::<Vec<u32>>().unwrap(), results, "{engine} {steps}");
            assert_eq!(done.stats().steps, steps, "{engine}");
        }
    }
}

#[test]
fn zeros_are_zeros_wherever_they_are_used_first() {
    for engine in ENGINES {
        // What was there before is not what a new buffer has.
        let before = runtime().buffer(&cells(1000)).unwrap();
        let launch = runtime().launch("rule").unwrap().args((&before, &before));
        launch.engine(engine).run().unwrap();
        drop(before);
        let buffer = runtime().zeros::<u32>(1000);
        let launch = runtime().launch("rule").unwrap().args((&buffer, &buffer));
        launch.engine(engine).steps(2).run().unwrap();
        assert_eq!(buffer.read().unwrap(), ruled(vec![0; 1000], 2).0, "{engine}");
        let parts = runtime().zeros::<(u32, [f32; 2])>(70);
        let launch = runtime().launch("add_to_parts").unwrap().args((&parts, 1.5f32));
        launch.engine(engine).run().unwrap();
        let wanted: Vec<(u32, [f32; 2])> = (0..70).map(|vm| (vm + 1, [1.5, 0.0])).collect();
        assert_eq!(parts.read().unwrap(), wanted, "{engine}");
    }
    let empty = runtime().zeros::<u64>(0);
    assert_eq!(empty.read().unwrap(), Vec::<u64>::new());
    let written = runtime().zeros::<u32>(4);
    written.write(&[1, 2, 3, 4]).unwrap();
    let launch = runtime().launch("rule").unwrap().args((&written, &written));
    launch.run().unwrap();
    assert_eq!(written.read().unwrap(), ruled(vec![1, 2, 3, 4], 1).0);
}

#[routine]
fn add_to_parts(part: &mut (u32, [f32; 2]), more: f32) {
    part.0 += vm::id() + 1;
    part.1[0] += more;
}

#[test]
fn steps_of_several_jobs_are_steps_of_all_vms() {
    let buffer = runtime().buffer(&cells(70_000)).unwrap();
    let launch = runtime().launch("rule").unwrap().args((&buffer, &buffer));
    let done = launch.engine(Engine::Reference).steps(3).run().unwrap();
    assert_eq!((done.stats().batches, done.stats().steps), (6, 3));
    assert_eq!(buffer.read().unwrap(), ruled(cells(70_000), 3).0);
}

#[test]
fn steps_can_be_saved_in_the_middle() {
    let (wanted, results) = ruled(cells(300), 9);
    for from in pausing() {
        for cycles in [1, 40, 150] {
            let buffer = runtime().buffer(&cells(300)).unwrap();
            let launch = runtime().launch("rule").unwrap().args((&buffer, &buffer));
            let mut execution = launch.engine(from).steps(9).start().unwrap();
            execution.advance(Budget::cycles(cycles)).unwrap();
            let snapshot = execution.snapshot().unwrap();
            assert!(matches!(buffer.read(), Err(Error::BufferInUse { .. })));
            execution.run_to_end().unwrap();
            execution.finish().unwrap();
            assert_eq!(buffer.read().unwrap(), wanted, "{from}");
            for to in pausing() {
                let mut execution = runtime().restore_on(&snapshot, to).unwrap();
                assert_eq!(execution.run_to_end().unwrap(), Signal::Halt);
                let done = execution.finish().unwrap();
                assert_eq!(
                    done.column::<u32>("me").unwrap(),
                    wanted,
                    "{from} to {to} after {cycles}"
                );
                assert_eq!(
                    done.output::<Vec<u32>>().unwrap(),
                    results,
                    "{from} to {to} after {cycles}"
                );
                assert_eq!(done.stats().steps, 9);
            }
        }
    }
}

#[routine]
fn trap_in_step(me: &mut u32) -> u32 {
    *me += 1;
    assert!(*me % 8 != 0, "eight");
    *me
}

#[test]
fn a_trap_ends_the_row() {
    for engine in ENGINES {
        let mut me: Vec<u32> = (0..6).collect();
        let launch = runtime().launch("trap_in_step").unwrap().args((&mut me,));
        let Err(Error::Trap(report)) = launch.engine(engine).steps(9).run() else {
            panic!("{engine} traps")
        };
        assert_eq!((report.vm, report.count), (5, 1), "{engine}");
        assert_eq!(
            report.done().output::<Vec<u32>>().unwrap(),
            [3, 4, 5, 6, 7, 0],
            "{engine}"
        );
        assert_eq!(report.done().stats().steps, 2, "{engine}");
        assert_eq!(me, [3, 4, 5, 6, 7, 8], "{engine}");
    }
}

#[routine]
fn tally(x: u32, bins: &[AtomicU32]) {
    bins[x as usize % bins.len()].fetch_add(x, Ordering::Relaxed);
}

#[test]
fn a_buffer_goes_from_engine_to_engine() {
    let x = runtime().buffer(&(0..500u32).collect::<Vec<_>>()).unwrap();
    let bins = runtime().buffer(&[0u32; 3]).unwrap();
    let mut wanted = [0u32; 3];
    for turn in 0..3 {
        for engine in ENGINES {
            runtime()
                .launch("tally")
                .unwrap()
                .args((&x, &bins))
                .engine(engine)
                .run()
                .unwrap();
            (0..500).for_each(|x| wanted[x as usize % 3] += x);
            if turn == 1 {
                assert_eq!(bins.read().unwrap(), wanted, "{engine}");
            }
        }
    }
    bins.write(&[5, 6, 7]).unwrap();
    for engine in ENGINES {
        runtime()
            .launch("tally")
            .unwrap()
            .args((&x, &bins))
            .engine(engine)
            .run()
            .unwrap();
    }
    let times = ENGINES.len() as u32;
    let once = |bin: u32| (0..500).filter(|x| x % 3 == bin).sum::<u32>();
    assert_eq!(bins.read().unwrap(), [0, 1, 2].map(|bin| 5 + bin + times * once(bin)));
}

#[test]
fn launches_from_several_threads_share_a_buffer() {
    let x: Vec<u32> = (0..100).collect();
    let runtime = runtime();
    let bins = runtime.buffer(&[0u32; 7]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (x, bins) = (&x, bins.clone());
            scope.spawn(move || {
                for turn in 0..5 {
                    let engine = ENGINES[(thread + turn) % ENGINES.len()];
                    runtime
                        .launch("tally")
                        .unwrap()
                        .args((x, &bins))
                        .engine(engine)
                        .run()
                        .unwrap();
                }
            });
        }
    });
    let sum: u32 = bins.read().unwrap().iter().sum();
    assert_eq!(sum, 20 * 4950);
}
