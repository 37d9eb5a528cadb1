//! How much the host lets a device do before it looks again.

use std::time::Duration;

use super::stepper::Reach;
use crate::engine::Dispatch;

/// How long the device should be at one submission, and how much it seems to get done in that time.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    target: Duration,
    /// Instructions of each VM in one submission.
    cycles: f64,
}

/// How long a submission takes unless somebody wishes otherwise: a desktop stays usable.
const PLEASANT: Duration = Duration::from_millis(5);
/// In mega dispatches: half of what drivers' watchdogs allow.
const LONG: Duration = Duration::from_secs(1);
/// The same where the host's CPU plays the device.
const LONG_SOFTWARE: Duration = Duration::from_millis(250);
/// Instructions a second, of all VMs together, that even a slow device gets done.
const SPEED: f64 = 5e10;
/// The same for the host's CPU.
const SPEED_SOFTWARE: f64 = 2e7;
/// The first submission has at least and at most so many instructions of each VM.
const FIRST: [f64; 2] = [256.0, 65_536.0];
/// A submission is at most so many times as long as the one before.
const GROWTH: f64 = 4.0;

impl Pace {
    /// A guess, because nothing is known yet: for so many VMs whose longest instruction has so many inner iterations.
    pub fn start(software: bool, vms: u32, inner: u32) -> Pace {
        let speed = if software { SPEED_SOFTWARE } else { SPEED };
        let weight = 1.0 + f64::from(inner) / 16.0;
        let cycles = speed * PLEASANT.as_secs_f64() / f64::from(vms);
        Pace {
            target: PLEASANT,
            cycles: cycles.clamp(FIRST[0], FIRST[1]) / weight,
        }
    }

    /// Sets how long a submission should be.
    pub fn aim(&mut self, dispatch: Dispatch, slice: Option<Duration>, software: bool) {
        self.target = match dispatch {
            Dispatch::Mega if software => LONG_SOFTWARE,
            Dispatch::Mega => LONG,
            Dispatch::Standard | Dispatch::Continuous => slice.unwrap_or(PLEASANT).max(Duration::from_micros(10)),
        };
    }

    /// Dispatches of the next submission, and instructions of each VM in one of them, which together are at most `left`.
    pub fn next(&self, reach: &Reach, left: u64) -> (u32, u32) {
        let cycles = (self.cycles.max(1.0) as u64).min(left).max(1);
        let each = cycles.min(reach.cycles.into());
        let dispatches = (cycles / each).min(reach.dispatches.into());
        (dispatches as u32, each as u32)
    }

    /// Makes the next submission longer or shorter, given how long it took to run so many instructions of each VM.
    pub fn adapt(&mut self, took: Duration, cycles: u64) {
        let wanted = self.target.as_secs_f64() / took.as_secs_f64().max(1e-6);
        let cycles = cycles as f64 * wanted.clamp(1.0 / GROWTH, GROWTH);
        self.cycles = cycles.clamp(1.0, 1e9);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Reach = Reach {
        cycles: 16_384,
        dispatches: 16,
        inner: 0,
    };

    #[test]
    fn submissions_come_to_take_as_long_as_they_should() {
        let mut pace = Pace::start(true, 1000, 0);
        let mut took = Duration::ZERO;
        for _ in 0..20 {
            let (dispatches, each) = pace.next(&REACH, u64::MAX);
            let cycles = u64::from(dispatches) * u64::from(each);
            took = Duration::from_micros(cycles);
            pace.adapt(took, cycles);
        }
        assert!(took.abs_diff(PLEASANT) < PLEASANT / 20, "{took:?}");
    }

    #[test]
    fn a_limit_is_never_passed() {
        let mut pace = Pace::start(false, 1, 0);
        pace.adapt(Duration::from_micros(1), 1_000_000);
        for left in [1, 2, 5, 16_383, 16_384, 16_385, 40_000, 1 << 40] {
            let (dispatches, each) = pace.next(&REACH, left);
            let cycles = u64::from(dispatches) * u64::from(each);
            assert!(
                cycles > 0 && cycles <= left && each <= REACH.cycles,
                "{left}: {dispatches} of {each}"
            );
        }
    }
}
