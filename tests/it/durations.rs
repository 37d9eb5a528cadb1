//! `Duration`: made, calculated with and compared, and how many elements an iterator says are left.

use std::time::Duration;

use gpuvm::prelude::*;

cases! {
    made_durations, calculated_durations, durations_of_floats, compared_durations, frames_of_a_clip, elements_left,
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
fn frames_of_a_clip(length: u32, rate: u32) -> (u32, Duration, u64) {
    const LONGEST: Duration = Duration::from_secs(3600);
    let frame = Duration::from_secs(1) / (rate % 120 + 1);
    let clip = Duration::from_millis(length as u64).min(LONGEST);
    let mut at = Duration::ZERO;
    let mut frames = 0;
    while at < clip && frames < 20 {
        at += frame;
        frames += 1;
    }
    (frames, at, at.as_secs())
}

#[routine]
fn elements_left(list: [u32; 5], x: u32) -> ((usize, Option<usize>), (usize, Option<usize>), usize) {
    let mut iter = list.iter();
    iter.next();
    let range = 0..(x % 100) as usize;
    (iter.size_hint(), range.size_hint(), list[..2].chunks(2).size_hint().0)
}
