//! `&[AtomicU32]` and `&[AtomicI32]`: shared memory of all VMs, by std's names. The sum of what all VMs do must not depend on
//! their order, so these are written out by hand.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

#[routine]
fn histogram(bins: &[AtomicU32], value: u32) {
    bins[(value % 16) as usize].fetch_add(1, Ordering::Relaxed);
}

#[routine]
fn extremes(cells: &[AtomicI32], value: i32) {
    cells[0].fetch_min(value, Ordering::Relaxed);
    cells[1].fetch_max(value, Ordering::Relaxed);
}

#[routine]
fn unsigned_extremes(cells: &[AtomicU32], value: u32) {
    cells[0].fetch_min(value, Ordering::Relaxed);
    cells[1].fetch_max(value, Ordering::Relaxed);
}

#[routine]
fn bit_sets(cells: &[AtomicU32], value: u32) {
    cells[0].fetch_or(1 << (value % 32), Ordering::Relaxed);
    cells[1].fetch_and(!(1 << (value % 8)), Ordering::Relaxed);
    cells[2].fetch_xor(value, Ordering::Relaxed);
}

#[routine]
fn tickets(counter: &[AtomicU32]) -> u32 {
    counter[0].fetch_add(1, Ordering::SeqCst)
}

#[routine]
fn subtract_and_store(cells: &[AtomicU32], value: u32) -> u32 {
    cells[0].fetch_sub(value, Ordering::Relaxed);
    cells[1 + vm::id() as usize].store(value * 2, Ordering::Relaxed);
    cells[1 + vm::id() as usize].load(Ordering::Relaxed)
}

#[routine]
fn exchange_own(cells: &[AtomicU32], value: u32) -> (u32, bool) {
    let cell = &cells[vm::id() as usize];
    let old = cell.swap(value, Ordering::AcqRel);
    let done = cell.compare_exchange(value, value ^ 1, Ordering::AcqRel, Ordering::Relaxed);
    (old, done.is_ok())
}

#[routine]
fn bump_cell(cell: &AtomicU32, by: u32) -> u32 {
    cell.fetch_add(by, Ordering::Relaxed);
    by / 2
}

#[routine]
fn atomics_in_calls(bins: &[AtomicU32], value: u32) -> u32 {
    let mut sum = 0;
    for i in 0..value % 4 {
        sum += bump_cell(&bins[i as usize], value);
    }
    sum
}

#[routine]
fn atomic_bounds(bins: &[AtomicU32], i: u32) {
    bins[i as usize].fetch_add(1, Ordering::Relaxed);
}

fn values() -> Vec<u32> {
    (0..1500u32).map(|i| i.wrapping_mul(2_654_435_769) >> 7).collect()
}

#[test]
fn add_counts_every_vm() {
    let values = values();
    let mut expected = [0u32; 16];
    for v in &values {
        expected[(v % 16) as usize] += 1;
    }
    for engine in ENGINES {
        let bins: Vec<AtomicU32> = (0..16).map(|_| AtomicU32::new(0)).collect();
        runtime()
            .launch("histogram")
            .unwrap()
            .args((&bins[..], &values))
            .engine(engine)
            .run()
            .unwrap();
        let bins: Vec<u32> = bins.into_iter().map(AtomicU32::into_inner).collect();
        assert_eq!(bins, expected, "{engine:?}");
    }
}

/// Counts in cells that stay on the device, before and behind such as the host has.
#[routine]
fn near_and_far(far: &[AtomicU32], near: &[AtomicU32], other: &[AtomicU32], value: u32) -> u32 {
    far[(value % 70) as usize].fetch_add(1, Ordering::Relaxed);
    near[(value % 3) as usize].fetch_add(value, Ordering::Relaxed);
    other[(value % 5) as usize].fetch_max(value, Ordering::Relaxed);
    if value.is_multiple_of(1000) {
        println!("{value}");
    }
    value
}

#[test]
fn atomics_of_the_host_lie_beside_those_of_buffers() {
    let values: Vec<u32> = (0..5000).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let mut expected = (vec![7u32; 70], [1u32, 2, 3], vec![0u32; 5]);
    for value in values.iter().chain(&values) {
        expected.0[(value % 70) as usize] += 1;
        expected.1[(value % 3) as usize] += value;
        expected.2[(value % 5) as usize] = expected.2[(value % 5) as usize].max(*value);
    }
    for engine in ENGINES {
        let far = runtime().buffer(&[7u32; 70]).unwrap();
        let near = [1, 2, 3].map(AtomicU32::new);
        let other = runtime().zeros::<u32>(5);
        for _ in 0..2 {
            let launch = runtime().launch("near_and_far").unwrap();
            let done = launch
                .args((&far, &near, &other, &values))
                .engine(engine)
                .run()
                .unwrap();
            assert_eq!(done.output::<Vec<u32>>().unwrap(), values, "{engine}");
            let texts = done
                .logs()
                .iter()
                .filter(|line| line.text.parse() == Ok(values[line.vm as usize]));
            assert_eq!(
                texts.count(),
                values.iter().filter(|value| *value % 1000 == 0).count(),
                "{engine}"
            );
        }
        let near = near.map(AtomicU32::into_inner);
        assert_eq!((far.read().unwrap(), near, other.read().unwrap()), expected, "{engine}");
    }
}

#[test]
fn add_to_a_buffer() {
    let values = values();
    for engine in ENGINES {
        let bins = runtime().buffer(&[0u32; 16]).unwrap();
        runtime()
            .launch("histogram")
            .unwrap()
            .args((&bins, &values))
            .engine(engine)
            .run()
            .unwrap();
        runtime()
            .launch("histogram")
            .unwrap()
            .args((&bins, &values))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(bins.read().unwrap().iter().sum::<u32>(), 3000, "{engine:?}");
    }
}

#[test]
fn signed_minimum_and_maximum() {
    let values: Vec<i32> = values().iter().map(|&v| v as i32 - 10_000_000).collect();
    let expected = [*values.iter().min().unwrap(), *values.iter().max().unwrap()];
    for engine in ENGINES {
        let cells = [AtomicI32::new(0), AtomicI32::new(i32::MIN)];
        runtime()
            .launch("extremes")
            .unwrap()
            .args((&cells[..], &values))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(
            cells.map(AtomicI32::into_inner),
            [expected[0].min(0), expected[1]],
            "{engine:?}"
        );
    }
}

#[test]
fn unsigned_minimum_and_maximum() {
    let values: Vec<u32> = values().iter().map(|&v| v ^ 0x8000_0000).collect();
    let expected = [*values.iter().min().unwrap(), *values.iter().max().unwrap()];
    for engine in ENGINES {
        let cells = [AtomicU32::new(u32::MAX), AtomicU32::new(0)];
        runtime()
            .launch("unsigned_extremes")
            .unwrap()
            .args((&cells[..], &values))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(cells.map(AtomicU32::into_inner), expected, "{engine:?}");
    }
}

#[test]
fn or_and_xor() {
    let values = values();
    let or = values.iter().fold(0, |bits, v| bits | 1 << (v % 32));
    let and = values.iter().fold(u32::MAX, |bits, v| bits & !(1 << (v % 8)));
    let xor = values.iter().fold(5, |bits, v| bits ^ v);
    for engine in ENGINES {
        let cells = [AtomicU32::new(0), AtomicU32::new(u32::MAX), AtomicU32::new(5)];
        runtime()
            .launch("bit_sets")
            .unwrap()
            .args((&cells[..], &values))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(cells.map(AtomicU32::into_inner), [or, and, xor], "{engine:?}");
    }
}

#[test]
fn add_returns_the_old_value_once() {
    for engine in ENGINES {
        let counter = [AtomicU32::new(0)];
        let done = runtime()
            .launch("tickets")
            .unwrap()
            .args((&counter[..],))
            .vms(2000)
            .engine(engine)
            .run()
            .unwrap();
        let mut drawn: Vec<u32> = done.output().unwrap();
        drawn.sort_unstable();
        assert!(drawn.iter().copied().eq(0..2000), "{engine:?}");
    }
}

#[test]
fn subtract_store_load() {
    let values: Vec<u32> = (0..1000).collect();
    for engine in ENGINES {
        let cells: Vec<AtomicU32> = (0..1001).map(|_| AtomicU32::new(0)).collect();
        let launch = runtime().launch("subtract_and_store").unwrap();
        let loaded: Vec<u32> = launch
            .args((&cells[..], &values))
            .engine(engine)
            .run()
            .unwrap()
            .output()
            .unwrap();
        assert!(
            loaded.iter().enumerate().all(|(i, v)| *v as usize == i * 2),
            "{engine:?}"
        );
        assert_eq!(
            cells[0].load(Ordering::Relaxed),
            0u32.wrapping_sub(values.iter().sum()),
            "{engine:?}"
        );
    }
}

#[test]
fn swap_and_compare_exchange() {
    let values: Vec<u32> = (0..300).collect();
    for engine in ENGINES {
        let cells: Vec<AtomicU32> = (0..300).map(|i| AtomicU32::new(i + 7)).collect();
        let launch = runtime().launch("exchange_own").unwrap();
        let done = launch.args((&cells[..], &values)).engine(engine).run().unwrap();
        let (old, exchanged): (Vec<u32>, Vec<bool>) = done.output().unwrap();
        assert!(old.iter().enumerate().all(|(i, v)| *v as usize == i + 7), "{engine:?}");
        assert!(exchanged.iter().all(|done| *done), "{engine:?}");
        assert!(
            cells
                .into_iter()
                .enumerate()
                .all(|(i, cell)| cell.into_inner() as usize == i ^ 1),
            "{engine:?}"
        );
    }
}

#[test]
fn atomics_pass_through_calls() {
    let values: Vec<u32> = (0..200).collect();
    let mut expected = [0u32; 4];
    for v in &values {
        for bin in &mut expected[..(v % 4) as usize] {
            *bin += v;
        }
    }
    for engine in ENGINES {
        let bins: Vec<AtomicU32> = (0..4).map(|_| AtomicU32::new(0)).collect();
        let launch = runtime().launch("atomics_in_calls").unwrap();
        let sums: Vec<u32> = launch
            .args((&bins[..], &values))
            .engine(engine)
            .run()
            .unwrap()
            .output()
            .unwrap();
        assert!(
            sums.iter().zip(&values).all(|(sum, v)| *sum == v % 4 * (v / 2)),
            "{engine:?}"
        );
        assert!(bins.into_iter().map(AtomicU32::into_inner).eq(expected), "{engine:?}");
    }
}

#[test]
fn index_past_the_atomics_traps() {
    let at: Vec<u32> = (0..20).collect();
    for engine in ENGINES {
        let bins: Vec<AtomicU32> = (0..16).map(|_| AtomicU32::new(0)).collect();
        let error = runtime()
            .launch("atomic_bounds")
            .unwrap()
            .args((&bins[..], &at))
            .engine(engine)
            .run()
            .unwrap_err();
        let gpuvm::Error::Trap(report) = error else {
            panic!("{engine:?}: {error}")
        };
        assert_eq!((report.vm, report.count), (16, 4), "{engine:?}");
        assert_eq!(
            report.message, "index out of bounds: the len is 16 but the index is 16",
            "{engine:?}"
        );
        assert!(bins.iter().all(|bin| bin.load(Ordering::Relaxed) == 1), "{engine:?}");
    }
}

#[routine]
fn update_to_odd(cells: &[AtomicU32], value: u32) -> u32 {
    let cell = &cells[(value % 4) as usize];
    let raised = cell.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |old| {
        (old < 1000).then_some(old + 2)
    });
    match raised {
        Ok(old) => old % 2,
        Err(old) => 100 + old,
    }
}

#[routine]
fn weak_maximum(cells: &[AtomicI32], value: i32) -> u32 {
    let mut seen = cells[0].load(Ordering::Relaxed);
    let mut tries = 0;
    while value > seen {
        match cells[0].compare_exchange_weak(seen, value, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => break,
            Err(now) => seen = now,
        }
        tries += 1;
    }
    tries.min(0)
}

#[test]
fn cells_are_updated_by_closures() {
    let values = values();
    for engine in ENGINES {
        let cells: [AtomicU32; 4] = [1, 1, 990, 5000].map(AtomicU32::new);
        let launch = runtime().launch("update_to_odd").unwrap().args((&cells, &values));
        let found: Vec<u32> = launch.engine(engine).run().unwrap().output().unwrap();
        let count = |of: u32| values.iter().filter(|value| *value % 4 == of).count() as u32;
        let of = |of: u32| -> Vec<u32> {
            let own = values.iter().zip(&found).filter(|(value, _)| *value % 4 == of);
            own.map(|(_, found)| *found).collect()
        };
        let cells = cells.map(AtomicU32::into_inner);
        assert_eq!(cells, [1 + 2 * count(0), 1 + 2 * count(1), 1000, 5000], "{engine:?}");
        assert!(of(0).iter().all(|found| *found == 1));
        assert_eq!(of(2).iter().filter(|found| **found == 0).count(), 5, "{engine:?}");
        assert!(of(3).iter().all(|found| *found == 5100));
    }
}

#[test]
fn a_weak_exchange_comes_to_the_maximum() {
    let values: Vec<i32> = values().iter().map(|value| *value as i32 - 5_000_000).collect();
    for engine in ENGINES {
        let cells = [AtomicI32::new(i32::MIN)];
        let launch = runtime().launch("weak_maximum").unwrap().args((&cells, &values));
        launch.engine(engine).run().unwrap();
        let [found] = cells.map(AtomicI32::into_inner);
        assert_eq!(Some(&found), values.iter().max(), "{engine:?}");
    }
}
