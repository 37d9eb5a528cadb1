//! `Duration`: made, calculated with and compared, and how many elements an iterator says are left.

use std::time::Duration;

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

cases! {
    made_durations, calculated_durations, durations_of_floats, compared_durations, frames_of_a_clip, elements_left, panics_with_a_duration,
    asserts_of_durations, expects_no_duration,
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

#[routine]
fn panics_with_a_duration(x: u64, y: u32) -> Duration {
    let a = Duration::from_nanos(x);
    let b = Duration::new((x >> 30) % (1 << 34), y % 1_000_000_000);
    match y % 32 {
        1 => panic!("{a:?} is too long"),
        2 => panic!("{:>12.1?}|{}", a, y),
        3 => panic!("{y} of {b:?}"),
        4 => panic!("{:?} and {b:?}", &&a),
        5 => panic!("{b:0$?}|", y as usize % 30),
        6 => panic!("{:?}", Some(b)),
        7 => panic!("{:?}", Duration::MAX),
        8 => panic!("{:?} and {}", b, x as f32),
        _ => a,
    }
}

#[routine]
fn asserts_of_durations(x: u32, y: u32) -> Duration {
    let (a, b) = (Duration::from_millis(x as u64), Duration::from_micros(y as u64));
    assert!(y % 16 != 3, "{:?}", b);
    assert_ne!(a, if y % 16 == 4 { a } else { a + Duration::from_secs(1) });
    assert_eq!(a, if y % 16 == 5 { b } else { a }, "after a while");
    a + b
}

#[routine]
fn at_once(x: u32) -> Result<u32, Duration> {
    if x % 16 == 3 {
        Err(Duration::from_millis(x as u64))
    } else {
        Ok(x)
    }
}

#[routine]
fn expects_no_duration(x: u32) -> u32 {
    if x % 32 == 3 {
        at_once(x).expect("not yet")
    } else {
        at_once(x).unwrap()
    }
}

#[routine]
fn waits(seconds: u64, in_a_pair: bool) -> u64 {
    let long = Duration::from_secs(seconds);
    if in_a_pair {
        panic!("{seconds} is {:?}", (long, 1));
    }
    panic!("{seconds} is {long:?}");
}

/// Beside another value a trap has two words of it, which is enough for 544 years.
#[test]
fn a_long_duration_is_shown_as_far_as_there_is_room() {
    const MOST: u64 = (1 << 34) - 1;
    let said = |engine, seconds: u64, in_a_pair: bool| {
        let seconds = [seconds];
        let launch = runtime().launch("waits").unwrap().args((&seconds, in_a_pair));
        launch.engine(engine).run().unwrap_err().to_string()
    };
    for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Native) {
        let (most, more, pair) = (
            said(engine, MOST, false),
            said(engine, MOST + 1, false),
            said(engine, 3, true),
        );
        assert!(most.ends_with("17179869183 is 17179869183s"), "{engine}: {most}");
        assert!(more.ends_with("17179869184 is …"), "{engine}: {more}");
        assert!(pair.ends_with("3 is (?, ?)"), "{engine}: {pair}");
    }
}
