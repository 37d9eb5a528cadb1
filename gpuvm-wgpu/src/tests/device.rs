//! Devices of the tests' own: lost ones, small ones, and what is left on them.

use std::time::{Duration, Instant};

use gpuvm_engine::Error;

use super::control::{countdown, sums, with_finish};
use super::*;
use crate::gpu::Gpu;
use crate::interpreter::Interpreter;
use crate::parts::Uses;
use crate::pool::{Kind, Pool};
use crate::stepper::Stepper as _;

/// Opens the best device once more, as `change` makes it.
fn opened(change: impl FnOnce(&mut Gpu)) -> (Arc<Gpu>, Interpreter) {
    let mut gpu = Gpu::open(adapter(), 0).unwrap();
    change(&mut gpu);
    let gpu = Arc::new(gpu);
    (gpu.clone(), Interpreter::new(gpu))
}

fn counting() -> Batch {
    job(with_finish(countdown(3, 100)), &[], 0, 1, 1000)
}

#[test]
fn a_lost_device_is_an_error_and_the_next_one_works() {
    let (gpu, engine) = opened(|_| {});
    let few = Limit {
        cycles: Some(50),
        ..Limit::default()
    };
    let mut running = counting().start(&engine).unwrap();
    assert_eq!(running.advance(&few, &mut |_| {}).unwrap().running, 1000);
    let mut another = counting().start(&engine).unwrap();
    gpu.device.destroy();
    let lost = |error: Error| assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
    lost(running.advance(&few, &mut |_| {}).unwrap_err());
    lost(running.image().unwrap_err());
    lost(running.vm(0).unwrap_err());
    lost(running.finish().unwrap_err());
    lost(another.advance(&few, &mut |_| {}).unwrap_err());
    lost(engine.memory().unwrap().allocate(10).unwrap_err());
    lost(counting().start(&engine).map(|_| ()).unwrap_err());
    let (_, engine) = opened(|_| {});
    check(&engine, counting());
}

#[test]
fn an_interpreter_with_more_parts_serves_until_there_is_one_with_fewer() {
    let calling = || job(sums(100), &[], 0, 1, 40);
    let parts = |batch: Batch| Uses::of(&batch.job.program).with_breaks();
    assert!(parts(calling()).serves(parts(counting())) && parts(calling()) != parts(counting()));
    let (_, engine) = opened(|gpu| gpu.software = false);
    check(&engine, calling());
    // Both of them, whichever it is.
    let begin = Instant::now();
    while engine.compiled() < 2 {
        check(&engine, counting());
        assert!(begin.elapsed() < Duration::from_secs(120), "it is not compiled");
    }
    check(&engine, counting());
}

#[test]
fn where_compiling_takes_long_one_interpreter_serves_until_a_program_has_run_for_long() {
    let counting = || job(with_finish(countdown(1, 1)), &[], 0, 1, 10);
    let (_, engine) = opened(|gpu| gpu.software = true);
    check(&engine, job(sums(100), &[], 0, 1, 40));
    check(&engine, counting());
    assert_eq!(engine.compiled(), 1);
    let long = counting();
    let loaded = engine.load(&long.job.program).unwrap();
    loaded.experience().note_spent(Duration::from_secs(60));
    check(&engine, long);
    assert_eq!(engine.compiled(), 2);
}

#[test]
fn more_workgroups_than_one_dimension_has_go_in_two() {
    let (_, engine) = opened(|gpu| gpu.limits.max_compute_workgroups_per_dimension = 3);
    // 16 workgroups: 3 columns and 6 rows, of which the last is not full.
    check(&engine, counting());
    let (program, demand) = (Arc::new(with_finish(countdown(1, 1))), Demand::default());
    assert_eq!(engine.capacity(&program, &demand), 9 * 64);
}

#[test]
fn frames_that_no_buffer_holds_are_an_error_that_says_how_deep_they_are() {
    // Room for 1,000 words a VM, where it takes 4,800 for 100 calls.
    let (_, engine) = opened(|gpu| gpu.limits.max_storage_buffer_binding_size = 40 * 1000 * 4);
    let start = |vms| job(sums(100), &[], 0, 1, vms).start(&engine).unwrap();
    let mut running = start(40);
    let error = running.advance(&Limit::default(), &mut |_| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the device is out of memory: a buffer of the device has no room for the frames of 40 VMs of `test`, 1012 words each, 20 calls deep: \
         `.depth(n)` of the launch bounds how deep they go, and fewer VMs at a time take less"
    );
    // Those that go on as deep as that have room.
    let most = running.most_at_a_time().unwrap();
    assert!((5..=20).contains(&most), "{most}");
    let mut fewer = start(5);
    assert_eq!(fewer.advance(&Limit::default(), &mut |_| {}).unwrap().halted, 5);
    assert_eq!(fewer.most_at_a_time(), None);
}

#[test]
fn a_warm_launch_makes_no_buffers() {
    let (gpu, engine) = opened(|_| {});
    let batch = counting();
    let run = || {
        let mut running = batch.clone().start(&engine).unwrap();
        running.advance(&Limit::default(), &mut |_| {}).unwrap();
        running.finish().unwrap();
    };
    (0..3).for_each(|_| run());
    let made = gpu.pool.made();
    (0..10).for_each(|_| run());
    assert_eq!(gpu.pool.made(), made);
}

#[test]
fn buffers_that_were_idle_longest_make_room() {
    let (gpu, _) = opened(|_| {});
    let pool = Pool::new(gpu.device.clone(), 10 << 10);
    let use_one = |kib: u64| drop(pool.take(Kind::Storage, kib << 10));
    for (kib, made) in [
        (4, 1),
        (5, 2),
        (4, 2),
        (2, 3),
        (4, 3),
        (5, 4),
        (2, 5),
        (16, 6),
        (2, 6),
        (16, 7),
    ] {
        use_one(kib);
        assert_eq!(pool.made(), made, "{kib} KiB");
        assert!(pool.bytes().1 <= 10 << 10);
    }
}

#[test]
fn a_launch_that_ends_at_once_is_one_submission() {
    let (_, engine) = opened(|_| {});
    let code = vec![op(Op::VmId, [10, 0, 0, 0])];
    let mut running = job(with_finish(code), &[], 0, 1, 5000).start(&engine).unwrap();
    let mut looks = 0;
    let tally = running.advance(&Limit::default(), &mut |_| looks += 1).unwrap();
    assert_eq!((looks, tally.batches, tally.halted), (1, 1, 5000));
}

#[test]
fn small_regions_are_apart_and_their_blocks_come_back_whole() {
    let (gpu, _) = opened(|_| {});
    let room = gpu.heap.room();
    let reserve = |words: u32| gpu.heap.reserve(&gpu, words.into()).unwrap();
    let mut regions: Vec<_> = (1..300).map(reserve).collect();
    assert!(gpu.heap.room() < room);
    let mut kept = 0..;
    regions.retain(|_| kept.next().is_some_and(|number| number % 3 > 0));
    regions.extend((1..300).rev().map(reserve));
    regions.sort_by_key(|region| region.start);
    for pair in regions.windows(2) {
        assert!(pair[0].start + pair[0].words <= pair[1].start, "{pair:?}");
    }
    drop(regions);
    assert_eq!(gpu.heap.room(), room);
}
