//! `Cell` and `OnceCell`, which several closures and references may change, and `Duration`.

use std::cell::{Cell, OnceCell};
use std::time::Duration;

use gpuvm::prelude::*;

cases! {
    shared_by_closures, lent_cells, taken_and_swapped, arrays_of_cells, set_once, made_durations, calculated_durations, durations_of_floats, compared_durations,
    shown_durations,
}

#[routine]
fn shared_by_closures(x: u32) -> (u32, u32) {
    let count = Cell::new(x % 100);
    let bump = |by: u32| count.set(count.get() + by);
    let twice = |by: u32| {
        bump(by);
        bump(by * 2);
    };
    bump(2);
    twice(x % 7);
    for i in [1, 2, 3] {
        bump(i);
    }
    count.update(|c| c * 2);
    let old = count.replace(7);
    (old, count.get())
}

#[routine]
fn tally(hits: &Cell<u32>, n: u32) {
    if n % 2 == 0 {
        hits.set(hits.get() + 1);
    }
}

#[routine]
fn lent_cells(x: u32) -> (u32, u32) {
    let hits = Cell::new(0);
    for i in 0..x % 9 {
        tally(&hits, i);
    }
    let seen = hits.get();
    (0..x % 5).for_each(|i| tally(&hits, i * 2));
    (seen, hits.into_inner())
}

#[routine]
fn taken_and_swapped(x: u32) -> (u32, u32, Option<u32>, Option<u32>, (u8, char)) {
    let (first, second) = (Cell::new(x), Cell::new(40));
    first.swap(&second);
    let option = Cell::new(Some(x));
    let taken = option.take();
    let pair = Cell::new((1u8, 'a'));
    pair.set((pair.get().0 + 1, 'b'));
    (
        first.get(),
        second.take() ^ second.get(),
        taken,
        option.get(),
        pair.get(),
    )
}

#[routine]
fn arrays_of_cells(x: u32) -> [u32; 3] {
    let cells = [Cell::new(x % 1000), Cell::new(2), Cell::new(3)];
    cells[1].set(x % 50);
    for cell in &cells {
        cell.set(cell.get() * 2);
    }
    let mut own = Cell::new(4);
    *own.get_mut() += x % 10;
    [cells[0].get(), cells[1].get() + cells[2].get(), own.get()]
}

#[routine]
fn set_once(x: u32) -> (u32, u32, Result<(), u32>, Option<u32>, Option<u32>) {
    let calls = Cell::new(0u32);
    let cell: OnceCell<u32> = OnceCell::new();
    let value = || {
        *cell.get_or_init(|| {
            calls.set(calls.get() + 1);
            x / 3
        })
    };
    let sum = if x % 3 > 0 { value() / 2 + value() / 2 } else { 0 };
    let before = cell.get().copied();
    let set = cell.set(4);
    let mut other = OnceCell::from(x);
    (sum, calls.get(), set, before.or(cell.into_inner()), other.take())
}

#[routine]
fn made_durations(x: u64, y: u32) -> (Duration, Duration, u128, u32, u128) {
    let (a, b) = (Duration::from_nanos(x), Duration::from_micros(x >> 3));
    assert!(!a.is_zero() || x == 0);
    let (c, d) = (Duration::from_millis(x >> 7), Duration::from_secs(x >> 20));
    (
        a,
        Duration::new(x, y),
        b.as_micros() + c.as_millis(),
        c.subsec_millis() + d.subsec_nanos(),
        d.as_nanos(),
    )
}

#[routine]
fn calculated_durations(x: u64, y: u64, by: u32) -> (Duration, Option<Duration>, Duration, Duration, Duration) {
    let (mut a, b) = (Duration::new(x >> 2, 999_999_999), Duration::from_micros(y));
    a += b;
    let most = a.saturating_mul(by);
    (
        a - b,
        b.checked_sub(a),
        a.abs_diff(b) + b * 3,
        most.max(Duration::MAX / 2),
        a / by,
    )
}

#[routine]
fn durations_of_floats(x: f64, y: u32) -> (Duration, f64, f32, f64) {
    let a = Duration::from_secs_f64(x);
    let b = Duration::from_micros(u64::from(y));
    (
        a,
        b.as_secs_f64() + a.as_secs_f64(),
        b.as_secs_f32(),
        b.mul_f64(1.5).div_duration_f64(Duration::from_secs(7)),
    )
}

#[routine]
fn compared_durations(x: u64, y: u64) -> (bool, bool, Duration, Duration) {
    let (a, b) = (Duration::from_nanos(x), Duration::from_nanos(y));
    (a < b, a == Duration::ZERO, a.min(b), Duration::default().max(b))
}

#[routine]
fn shown_durations(x: u32) -> u32 {
    assert!(x % 4 != 3, "{:?}", Duration::from_micros(u64::from(x)));
    x
}
