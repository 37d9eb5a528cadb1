//! `&[AtomicU64]` and `&[AtomicI64]`: as `atomics` has it of 32 bits, with values whose two words have to change together. The device of
//! these tests has to have atomics of 64 bits, as lavapipe has.

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use gpuvm::prelude::*;

use crate::harness::{ENGINES, pausing, runtime};

/// What counts up both words, and at times carries from one to the other.
const STEP: u64 = 0x1_0000_0000 + 0x7fff_fff1;

#[routine]
fn long_histogram(bins: &[AtomicU64], value: u64) -> bool {
    // No other VM's words are mixed with this one's: what is there is a multiple of the step.
    let old = bins[(value % 16) as usize].fetch_add(STEP, Ordering::Relaxed);
    old % STEP == 0
}

#[routine]
fn long_extremes(cells: &[AtomicI64], value: i64) {
    cells[0].fetch_min(value, Ordering::Relaxed);
    cells[1].fetch_max(value, Ordering::Relaxed);
}

#[routine]
fn long_unsigned_extremes(cells: &[AtomicU64], value: u64) {
    cells[0].fetch_min(value, Ordering::Relaxed);
    cells[1].fetch_max(value, Ordering::Relaxed);
}

#[routine]
fn long_bit_sets(cells: &[AtomicU64], value: u64) {
    cells[0].fetch_or(1 << (value % 64), Ordering::Relaxed);
    cells[1].fetch_and(!(1 << (value % 40)), Ordering::Relaxed);
    cells[2].fetch_xor(value, Ordering::Relaxed);
}

/// All that a cell of one's own can do, in one number a step.
#[routine]
fn long_alone(cells: &[AtomicU64], value: u64) -> [u64; 12] {
    let cell = &cells[vm::id() as usize];
    let exchanged = |result: Result<u64, u64>| match result {
        Ok(old) => old,
        Err(now) => !now,
    };
    [
        cell.load(Ordering::Relaxed),
        cell.swap(value, Ordering::AcqRel),
        cell.fetch_add(u64::MAX, Ordering::Relaxed),
        cell.fetch_sub(value, Ordering::Relaxed),
        cell.fetch_and(0xffff_0000_ffff, Ordering::Relaxed),
        cell.fetch_or(value << 31, Ordering::Relaxed),
        cell.fetch_xor(u64::MAX, Ordering::Relaxed),
        cell.fetch_min(value, Ordering::Relaxed),
        cell.fetch_max(1 << 63, Ordering::Relaxed),
        exchanged(cell.compare_exchange(1 << 63, value, Ordering::AcqRel, Ordering::Relaxed)),
        exchanged(cell.compare_exchange(value, value + 1, Ordering::SeqCst, Ordering::Relaxed)),
        {
            cell.store(value ^ 5, Ordering::Release);
            cell.load(Ordering::Acquire)
        },
    ]
}

/// Signed, where the words' order and the numbers' differ.
#[routine]
fn long_signed_alone(cells: &[AtomicI64], value: i64) -> (i64, i64, i64, i64, Result<i64, i64>) {
    let cell = &cells[vm::id() as usize];
    (
        cell.fetch_max(value, Ordering::Relaxed),
        cell.fetch_min(-value, Ordering::Relaxed),
        cell.fetch_add(value, Ordering::Relaxed),
        cell.fetch_sub(i64::MIN, Ordering::Relaxed),
        cell.compare_exchange(value, -1, Ordering::Relaxed, Ordering::Relaxed),
    )
}

#[routine]
fn long_bump(cell: &AtomicU64, by: u64) -> u64 {
    cell.fetch_add(by, Ordering::Relaxed);
    by / 2
}

#[routine]
fn long_atomics_in_calls(bins: &[AtomicU64], value: u64) -> u64 {
    let mut sum = 0;
    for i in 0..value % 4 {
        sum += long_bump(&bins[i as usize], value);
    }
    sum
}

#[routine]
fn long_update(cells: &[AtomicU64], value: u64) -> u64 {
    let cell = &cells[(value % 4) as usize];
    let raised = cell.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |old| {
        (old < 1 << 40).then_some(old + STEP)
    });
    match raised {
        Ok(old) => old % STEP,
        Err(old) => old,
    }
}

#[routine]
fn long_weak_maximum(cells: &[AtomicI64], value: i64) {
    let mut seen = cells[0].load(Ordering::Relaxed);
    while value > seen {
        match cells[0].compare_exchange_weak(seen, value, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => break,
            Err(now) => seen = now,
        }
    }
}

/// More numbers than a VM has words stay alive around an exchange, which needs seven words itself.
#[routine]
#[allow(clippy::many_single_char_names)]
fn long_under_pressure(cells: &[AtomicU64], value: u64) -> (u64, u64) {
    let cell = &cells[vm::id() as usize];
    let a = value.wrapping_mul(0x9e3779b97f4a7c15) ^ 0;
    let b = value.wrapping_mul(0x9e3779b97f4a7c17) ^ 1;
    let c = value.wrapping_mul(0x9e3779b97f4a7c19) ^ 2;
    let d = value.wrapping_mul(0x9e3779b97f4a7c1b) ^ 3;
    let e = value.wrapping_mul(0x9e3779b97f4a7c1d) ^ 4;
    let f = value.wrapping_mul(0x9e3779b97f4a7c1f) ^ 5;
    let g = value.wrapping_mul(0x9e3779b97f4a7c21) ^ 6;
    let h = value.wrapping_mul(0x9e3779b97f4a7c23) ^ 7;
    let i = value.wrapping_mul(0x9e3779b97f4a7c25) ^ 8;
    let j = value.wrapping_mul(0x9e3779b97f4a7c27) ^ 9;
    let k = value.wrapping_mul(0x9e3779b97f4a7c29) ^ 10;
    let l = value.wrapping_mul(0x9e3779b97f4a7c2b) ^ 11;
    let m = value.wrapping_mul(0x9e3779b97f4a7c2d) ^ 12;
    let n = value.wrapping_mul(0x9e3779b97f4a7c2f) ^ 13;
    let o = value.wrapping_mul(0x9e3779b97f4a7c31) ^ 14;
    let p = value.wrapping_mul(0x9e3779b97f4a7c33) ^ 15;
    let found = match cell.compare_exchange(a, p, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(old) => old,
        Err(now) => cell.swap(now ^ b, Ordering::Relaxed) ^ c,
    };
    (
        found,
        a.rotate_left(1)
            ^ b.rotate_left(2)
            ^ c.rotate_left(3)
            ^ d.rotate_left(4)
            ^ e.rotate_left(5)
            ^ f.rotate_left(6)
            ^ g.rotate_left(7)
            ^ h.rotate_left(8)
            ^ i.rotate_left(9)
            ^ j.rotate_left(10)
            ^ k.rotate_left(11)
            ^ l.rotate_left(12)
            ^ m.rotate_left(13)
            ^ n.rotate_left(14)
            ^ o.rotate_left(15)
            ^ p.rotate_left(16),
    )
}

/// The ways to a cell beside an index: loops, parts of the slice, ends of it, references that are chosen.
#[routine]
fn long_ways(cells: &[AtomicU64], value: u64) -> u64 {
    let mut odd = 0;
    for (i, cell) in cells.iter().enumerate() {
        if (value >> i) % 2 == 1 {
            cell.fetch_add(STEP, Ordering::Relaxed);
            odd += 1;
        }
    }
    let inner = &cells[1..cells.len() - 1];
    let cell = if value % 2 == 0 {
        &inner[0]
    } else {
        &inner[inner.len() - 1]
    };
    long_bump(cell, value % 1000);
    if let Some(last) = cells.last() {
        last.update(Ordering::Relaxed, Ordering::Relaxed, |old| old ^ value);
    }
    let first = &cells[0];
    let refused = first.try_update(Ordering::Relaxed, Ordering::Relaxed, |old| {
        (old % STEP != 0).then_some(0)
    });
    odd + u64::from(refused.is_ok())
}

#[routine]
fn long_bounds(bins: &[AtomicU64], i: u32) {
    bins[i as usize].fetch_add(STEP, Ordering::Relaxed);
}

/// Atomics of both widths, those of 64 bits behind an odd number of words.
#[routine]
fn long_beside_short(counts: &[AtomicU32], sums: &[AtomicU64], value: u64) -> u64 {
    let at = counts[(value % 3) as usize].fetch_add(1, Ordering::Relaxed);
    sums[(value % 3) as usize].fetch_add(value, Ordering::Relaxed);
    u64::from(at.min(0))
}

#[routine]
fn long_with_pauses(cells: &[AtomicU64], value: u64) -> u64 {
    cells[0].fetch_add(value, Ordering::Relaxed);
    vm::yield_now();
    cells[0].load(Ordering::Relaxed)
}

fn values() -> Vec<u64> {
    (0..1500u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i)
        .collect()
}

fn longs<const N: usize>(values: [u64; N]) -> [AtomicU64; N] {
    values.map(AtomicU64::new)
}

#[test]
fn both_words_change_together() {
    let values = values();
    let mut expected = [0u64; 16];
    for v in &values {
        let bin = &mut expected[(v % 16) as usize];
        *bin = bin.wrapping_add(STEP);
    }
    for engine in ENGINES {
        let bins: Vec<AtomicU64> = (0..16).map(|_| AtomicU64::new(0)).collect();
        let launch = runtime().launch("long_histogram").unwrap().args((&bins[..], &values));
        let whole: Vec<bool> = launch.engine(engine).run().unwrap().output().unwrap();
        assert!(whole.iter().all(|whole| *whole), "{engine:?}");
        let bins: Vec<u64> = bins.into_iter().map(AtomicU64::into_inner).collect();
        assert_eq!(bins, expected, "{engine:?}");
    }
}

#[test]
fn a_buffer_of_longs_is_one_of_atomics() {
    let values = values();
    for engine in ENGINES {
        let bins = runtime().buffer(&[0u64; 16]).unwrap();
        for _ in 0..2 {
            let launch = runtime().launch("long_histogram").unwrap().args((&bins, &values));
            launch.engine(engine).run().unwrap();
        }
        assert_eq!(bins.read().unwrap().iter().sum::<u64>(), 3000 * STEP, "{engine:?}");
    }
}

#[test]
fn counting_wraps_around() {
    for engine in ENGINES {
        let cells = longs([u64::MAX - 7 * STEP + 1; 16]);
        let values = [3u64; 100];
        let launch = runtime().launch("long_histogram").unwrap().args((&cells, &values));
        launch.engine(engine).run().unwrap();
        assert_eq!(cells[3].load(Ordering::Relaxed), 93 * STEP, "{engine:?}");
    }
}

#[test]
fn extremes_are_signed_or_not() {
    let values = values();
    let signed: Vec<i64> = values.iter().map(|&v| v as i64 >> (v % 40)).collect();
    for engine in ENGINES {
        let cells = [AtomicI64::new(i64::MAX), AtomicI64::new(i64::MIN)];
        let launch = runtime().launch("long_extremes").unwrap().args((&cells, &signed));
        launch.engine(engine).run().unwrap();
        let expected = [*signed.iter().min().unwrap(), *signed.iter().max().unwrap()];
        assert_eq!(cells.map(AtomicI64::into_inner), expected, "{engine:?}");
        let cells = longs([u64::MAX, 0]);
        let launch = runtime()
            .launch("long_unsigned_extremes")
            .unwrap()
            .args((&cells, &values));
        launch.engine(engine).run().unwrap();
        let expected = [*values.iter().min().unwrap(), *values.iter().max().unwrap()];
        assert_eq!(cells.map(AtomicU64::into_inner), expected, "{engine:?}");
    }
}

#[test]
fn bits_of_both_words() {
    let values = values();
    let or = values.iter().fold(0, |bits, v| bits | 1 << (v % 64));
    let and = values.iter().fold(u64::MAX, |bits, v| bits & !(1 << (v % 40)));
    let xor = values.iter().fold(5, |bits, v| bits ^ v);
    for engine in ENGINES {
        let cells = longs([0, u64::MAX, 5]);
        let launch = runtime().launch("long_bit_sets").unwrap().args((&cells, &values));
        launch.engine(engine).run().unwrap();
        assert_eq!(cells.map(AtomicU64::into_inner), [or, and, xor], "{engine:?}");
    }
}

#[test]
fn every_method_of_a_cell_of_ones_own() {
    let values: Vec<u64> = values().iter().map(|v| v >> (v % 50)).collect();
    let cells = |index: usize| AtomicU64::new((index as u64) << 33 | 7);
    let found = |engine: Engine| {
        let cells: Vec<AtomicU64> = (0..values.len()).map(cells).collect();
        let launch = runtime().launch("long_alone").unwrap().args((&cells, &values));
        let steps: Vec<[u64; 12]> = launch.engine(engine).run().unwrap().output().unwrap();
        (
            steps,
            cells.into_iter().map(AtomicU64::into_inner).collect::<Vec<u64>>(),
        )
    };
    let expected = found(Engine::Native);
    for engine in pausing() {
        assert!(found(engine) == expected, "{engine:?}");
    }
}

#[test]
fn an_exchange_is_right_where_words_are_scarce() {
    let values = values();
    let found = |engine: Engine| {
        // Every other exchange succeeds.
        let first = |(i, v): (usize, &u64)| v.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i as u64 % 2);
        let cells: Vec<AtomicU64> = values.iter().enumerate().map(first).map(AtomicU64::new).collect();
        let launch = runtime().launch("long_under_pressure").unwrap().args((&cells, &values));
        let pairs: Vec<(u64, u64)> = launch.engine(engine).run().unwrap().output().unwrap();
        (
            pairs,
            cells.into_iter().map(AtomicU64::into_inner).collect::<Vec<u64>>(),
        )
    };
    let expected = found(Engine::Native);
    for engine in pausing() {
        assert!(found(engine) == expected, "{engine:?}");
    }
}

#[test]
fn every_method_of_a_signed_cell() {
    let values: Vec<i64> = values().iter().map(|v| (*v as i64) >> (1 + v % 40)).collect();
    let found = |engine: Engine| {
        let cells: Vec<AtomicI64> = values.iter().map(|v| AtomicI64::new(v.rotate_left(32) >> 3)).collect();
        let launch = runtime().launch("long_signed_alone").unwrap().args((&cells, &values));
        let done = launch.engine(engine).run().unwrap();
        let steps: Vec<(i64, i64, i64, i64, Result<i64, i64>)> = done.output().unwrap();
        (
            steps,
            cells.into_iter().map(AtomicI64::into_inner).collect::<Vec<i64>>(),
        )
    };
    let expected = found(Engine::Native);
    for engine in pausing() {
        assert!(found(engine) == expected, "{engine:?}");
    }
}

#[test]
fn long_atomics_pass_through_calls() {
    let values: Vec<u64> = (0..200).map(|i| i << 30 | i).collect();
    let mut expected = [0u64; 4];
    for v in &values {
        for bin in &mut expected[..(v % 4) as usize] {
            *bin += v;
        }
    }
    for engine in ENGINES {
        let bins = longs([0; 4]);
        let launch = runtime()
            .launch("long_atomics_in_calls")
            .unwrap()
            .args((&bins, &values));
        let sums: Vec<u64> = launch.engine(engine).run().unwrap().output().unwrap();
        let right = |(sum, v): (&u64, &u64)| *sum == v % 4 * (v / 2);
        assert!(sums.iter().zip(&values).all(right), "{engine:?}");
        assert_eq!(bins.map(AtomicU64::into_inner), expected, "{engine:?}");
    }
}

#[test]
fn every_way_leads_to_a_cell() {
    // Nothing is added to the last cell, whose bits would depend on the order.
    let values: Vec<u64> = values().iter().map(|v| v >> 7 & !(1 << 4)).collect();
    let count = |i: usize| STEP * values.iter().filter(|v| (*v >> i) % 2 == 1).count() as u64;
    let of = |odd: u64| values.iter().filter(|v| *v % 2 == odd).map(|v| v % 1000).sum::<u64>();
    let xor = values.iter().fold(0, |bits, v| bits ^ v);
    for engine in ENGINES {
        let cells: Vec<AtomicU64> = (0..5).map(|_| AtomicU64::new(0)).collect();
        let launch = runtime().launch("long_ways").unwrap().args((&cells, &values));
        let odd: Vec<u64> = launch.engine(engine).run().unwrap().output().unwrap();
        let right = |(odd, v): (&u64, &u64)| *odd == u64::from((v & 0xf).count_ones());
        assert!(odd.iter().zip(&values).all(right), "{engine:?}");
        let cells: Vec<u64> = cells.into_iter().map(AtomicU64::into_inner).collect();
        let expected = [count(0), count(1) + of(0), count(2), count(3) + of(1), xor];
        assert_eq!(cells, expected, "{engine:?}");
    }
}

#[test]
fn closures_update_longs() {
    let values = values();
    let of = |of: u64| values.iter().filter(|value| *value % 4 == of).count() as u64;
    // The number of steps that take a cell to where there are no more.
    let most = (1u64 << 40).div_ceil(STEP);
    let expected = [0, 1, 2, 3].map(|cell| STEP * of(cell).min(most));
    for engine in ENGINES {
        let cells = longs([0; 4]);
        let launch = runtime().launch("long_update").unwrap().args((&cells, &values));
        let found: Vec<u64> = launch.engine(engine).run().unwrap().output().unwrap();
        assert_eq!(cells.map(AtomicU64::into_inner), expected, "{engine:?}");
        let refused = found.iter().filter(|found| **found != 0).count() as u64;
        let expected = (0..4).map(|cell| of(cell).saturating_sub(most)).sum::<u64>();
        assert_eq!(refused, expected, "{engine:?}");
    }
}

#[test]
fn a_weak_exchange_of_longs_comes_to_the_maximum() {
    let values: Vec<i64> = values().iter().map(|value| *value as i64).collect();
    for engine in ENGINES {
        let cells = [AtomicI64::new(i64::MIN)];
        let launch = runtime().launch("long_weak_maximum").unwrap().args((&cells, &values));
        launch.engine(engine).run().unwrap();
        let [found] = cells.map(AtomicI64::into_inner);
        assert_eq!(Some(&found), values.iter().max(), "{engine:?}");
    }
}

#[test]
fn index_past_the_longs_traps() {
    let at: Vec<u32> = (0..20).collect();
    for engine in ENGINES {
        let bins: Vec<AtomicU64> = (0..16).map(|_| AtomicU64::new(0)).collect();
        let launch = runtime().launch("long_bounds").unwrap().args((&bins, &at));
        let gpuvm::Error::Trap(report) = launch.engine(engine).run().unwrap_err() else {
            panic!("{engine:?} has not trapped")
        };
        assert_eq!((report.vm, report.count), (16, 4), "{engine:?}");
        assert_eq!(
            report.message, "index out of bounds: the len is 16 but the index is 16",
            "{engine:?}"
        );
        assert!(bins.iter().all(|bin| bin.load(Ordering::Relaxed) == STEP), "{engine:?}");
    }
}

#[test]
fn atomics_of_both_widths_are_neighbours() {
    let values: Vec<u64> = values().iter().map(|v| v >> 20).collect();
    let of = |of: u64| values.iter().filter(move |value| *value % 3 == of);
    let counts_expected = [0, 1, 2].map(|cell| of(cell).count() as u32);
    let sums_expected = [0, 1, 2].map(|cell| of(cell).sum::<u64>());
    for engine in ENGINES {
        let counts = [const { AtomicU32::new(0) }; 3];
        let sums = longs([0; 3]);
        let launch = runtime().launch("long_beside_short").unwrap();
        launch.args((&counts, &sums, &values)).engine(engine).run().unwrap();
        assert_eq!(counts.map(AtomicU32::into_inner), counts_expected, "{engine:?}");
        assert_eq!(sums.map(AtomicU64::into_inner), sums_expected, "{engine:?}");
        // In buffers that stay on the device, and in one that does beside one that does not.
        let (counts, sums) = (
            runtime().buffer(&[0u32; 3]).unwrap(),
            runtime().buffer(&[0u64; 3]).unwrap(),
        );
        let launch = runtime().launch("long_beside_short").unwrap();
        launch.args((&counts, &sums, &values)).engine(engine).run().unwrap();
        let lent = [const { AtomicU32::new(0) }; 3];
        let launch = runtime().launch("long_beside_short").unwrap();
        launch.args((&lent, &sums, &values)).engine(engine).run().unwrap();
        assert_eq!(counts.read().unwrap(), counts_expected, "{engine:?}");
        assert_eq!(lent.map(AtomicU32::into_inner), counts_expected, "{engine:?}");
        assert_eq!(sums.read().unwrap(), sums_expected.map(|sum| 2 * sum), "{engine:?}");
    }
}

#[test]
fn longs_are_saved_and_restored() {
    let values = [1u64 << 33, 1 << 31, 5];
    for engine in pausing() {
        let cells = longs([u64::MAX]);
        let launch = runtime().launch("long_with_pauses").unwrap().args((&cells, &values));
        let mut execution = launch.engine(engine).start().unwrap();
        execution.advance(gpuvm::Budget::unlimited()).unwrap();
        let snapshot = execution.snapshot().unwrap();
        drop(execution);
        let mut execution = runtime().restore_on(&snapshot, engine).unwrap();
        while execution.advance(gpuvm::Budget::unlimited()).unwrap() != gpuvm::Signal::Halt {}
        let sum = values.iter().sum::<u64>() - 1;
        assert_eq!(execution.column::<u64>("cells").unwrap(), [sum], "{engine:?}");
        assert_eq!(
            execution.finish().unwrap().output::<Vec<u64>>().unwrap(),
            [sum; 3],
            "{engine:?}"
        );
    }
}

#[test]
fn longs_take_part_in_plans() {
    let values = values();
    let few: Vec<u64> = values.iter().map(|v| v >> 20).collect();
    for engine in ENGINES {
        let bins = runtime().buffer(&[0u64; 16]).unwrap();
        let mut plan = runtime().plan();
        plan.engine(engine);
        let bins_of_plan = plan.buffer(&bins);
        let input = plan.input(&values);
        plan.map("long_histogram", (bins_of_plan, input)).unwrap();
        plan.run().unwrap();
        plan.run().unwrap();
        assert_eq!(bins.read().unwrap().iter().sum::<u64>(), 3000 * STEP, "{engine:?}");
        // Behind an odd number of words, which stay on the device as they do.
        let counts = runtime().buffer(&[0u32; 3]).unwrap();
        let mut plan = runtime().plan();
        plan.engine(engine);
        let (counts_of_plan, sums, input) = (plan.buffer(&counts), plan.zeros::<u64>(3), plan.input(&few));
        plan.map("long_beside_short", (counts_of_plan, sums, input)).unwrap();
        plan.output(sums);
        for runs in 1..3 {
            let sums = plan.run().unwrap().get::<u64>(sums).unwrap();
            assert_eq!(sums.iter().sum::<u64>(), few.iter().sum::<u64>(), "{engine:?}");
            assert_eq!(counts.read().unwrap().iter().sum::<u32>(), 1500 * runs, "{engine:?}");
        }
    }
}

#[test]
fn a_launch_of_longs_in_the_background() {
    let values = values();
    let cells = [AtomicI64::new(7), AtomicI64::new(-9)];
    let launch = runtime().launch("long_extremes").unwrap();
    let signed: Vec<i64> = values.iter().map(|v| *v as i64).collect();
    pollster::block_on(launch.args((&cells, &signed)).run_async()).unwrap();
    let expected = [*signed.iter().min().unwrap(), *signed.iter().max().unwrap()];
    assert_eq!(cells.map(AtomicI64::into_inner), expected);
}
