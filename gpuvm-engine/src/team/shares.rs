//! How much of each job each device of a team has: as much as it is fast, as far as jobs have shown.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};

/// Jobs that take no longer show how long it takes to begin one.
const TELLING: Duration = Duration::from_millis(2);
/// Shares change if one is off by so much: what is cut elsewhere has to move.
const OFF: f64 = 0.08;
/// Parts of a job begin and end at multiples of a power of two, so that jobs over the same column that have 16 or 64 entries a VM find their entries
/// where those were made. Of the VMs it is this part at most.
const GRAIN: u32 = 256;

/// The devices' shares.
#[derive(Debug)]
pub(super) struct Shares {
    shares: Mutex<Vec<f64>>,
    /// Whether each device is lost. Then it has no share.
    lost: Vec<AtomicBool>,
    /// VMs that are worth a device of their own.
    least: u32,
}

impl Shares {
    /// Equal ones for so many devices. A job of fewer than `least` VMs for each is on the first.
    pub fn new(members: usize, least: u32) -> Shares {
        Shares {
            shares: Mutex::new(vec![1.0 / members as f64; members]),
            lost: (0..members).map(|_| AtomicBool::new(false)).collect(),
            least,
        }
    }

    /// Whether a device is lost.
    pub fn is_lost(&self, member: usize) -> bool {
        self.lost[member].load(Ordering::Relaxed)
    }

    /// Notes that a device is lost. The others have its share.
    pub fn lose(&self, member: usize) {
        if self.lost[member].swap(true, Ordering::Relaxed) {
            return;
        }
        let mut shares = self.lock();
        shares[member] = 0.0;
        let left: f64 = shares.iter().sum();
        if left > 0.0 {
            shares.iter_mut().for_each(|share| *share /= left);
        }
    }

    /// What a device has done, which is lost if that is because it was.
    pub fn of<T>(&self, member: usize, done: Result<T>) -> Result<T> {
        if let Err(Error::DeviceLost { .. }) = done {
            self.lose(member);
        }
        done
    }

    /// The first device that is not lost.
    pub fn first(&self) -> usize {
        (0..self.lost.len())
            .find(|member| !self.is_lost(*member))
            .unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<f64>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The parts of so many VMs, or words, that the devices have; all of them are with the first if there are fewer than so many for each.
    pub fn cut(&self, all: u32, least: u32) -> Vec<Range<u32>> {
        let shares = self.lock();
        let able = shares.iter().filter(|share| **share > 0.0).count() as u32;
        let last = shares.iter().rposition(|share| *share > 0.0).unwrap_or_default();
        if u64::from(all) < u64::from(least) * u64::from(able) || all < able {
            let first = self.first();
            let part = |member| match member {
                _ if member < first => 0..0,
                _ if member == first => 0..all,
                _ => all..all,
            };
            return (0..shares.len()).map(part).collect();
        }
        let grain = (all / GRAIN).checked_ilog2().map_or(1, |log| 1u32 << log);
        let mut sum = 0.0;
        let mut start = 0;
        let part = |(member, share): (usize, &f64)| {
            sum += share;
            let grains = (f64::from(all) * sum / f64::from(grain)).round() as u32;
            let end = match member >= last {
                true => all,
                false => grains.saturating_mul(grain).clamp(start, all),
            };
            let part = start..end;
            start = end;
            part
        };
        shares.iter().enumerate().map(part).collect()
    }

    /// The parts of so many VMs.
    pub fn of_job(&self, vms: u32) -> Vec<Range<u32>> {
        self.cut(vms, self.least)
    }

    /// Takes in how long each device was at its part of a job.
    pub fn see(&self, parts: &[(usize, Duration)]) {
        if parts.len() < 2 || parts.iter().any(|(vms, time)| *vms == 0 || *time < TELLING) {
            return;
        }
        let mut shares = self.lock();
        // Where a device is lost, or has had nothing, the others' parts are not told apart.
        if parts.len() != shares.len() {
            return;
        }
        let rate = |(vms, time): &(usize, Duration)| *vms as f64 / time.as_secs_f64();
        let together: f64 = parts.iter().map(rate).sum();
        let fair: Vec<f64> = parts.iter().map(|part| rate(part) / together).collect();
        let off = shares.iter().zip(&fair).any(|(share, fair)| (share - fair).abs() > OFF);
        if off {
            for (share, fair) in shares.iter_mut().zip(fair) {
                *share = (*share + fair) / 2.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_of_it() {
        for members in 1..5 {
            let shares = Shares::new(members, 1);
            for all in [1, 2, 3, 5, 100, 1 << 20, 1_000_003, u32::MAX] {
                let parts = shares.of_job(all);
                assert_eq!(parts.len(), members);
                assert_eq!((parts[0].start, parts[members - 1].end), (0, all));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start), "{parts:?}");
                let longest = parts.iter().map(ExactSizeIterator::len).max().unwrap_or_default();
                if all > 1000 {
                    assert!(longest as f64 <= f64::from(all) / members as f64 * 1.02, "{parts:?}");
                }
            }
        }
    }

    #[test]
    fn few_are_with_the_first() {
        let shares = Shares::new(2, 1000);
        assert_eq!(shares.of_job(1999), [0..1999, 1999..1999]);
        assert_eq!(shares.of_job(2000), [0..1000, 1000..2000]);
    }

    #[test]
    fn chunks_are_where_their_entries_are() {
        let shares = Shares::new(3, 1);
        for chunk in [16, 64] {
            let (entries, chunks) = (shares.of_job(1 << 24), shares.of_job((1 << 24) / chunk));
            for (entries, chunks) in entries.iter().zip(chunks) {
                assert_eq!(*entries, chunks.start * chunk..chunks.end * chunk);
            }
        }
    }

    #[test]
    fn who_is_lost_has_nothing() {
        let shares = Shares::new(3, 10);
        shares.lose(0);
        assert_eq!(shares.of_job(100), [0..0, 0..50, 50..100]);
        assert_eq!(shares.of_job(19), [0..0, 0..19, 19..19]);
        shares.lose(2);
        shares.lose(2);
        assert_eq!(shares.of_job(100), [0..0, 0..100, 100..100]);
        assert_eq!(shares.first(), 1);
        let done: Result<()> = shares.of(1, Err(Error::DeviceLost { reason: String::new() }));
        assert!(done.is_err() && shares.is_lost(1));
    }

    #[test]
    fn who_is_faster_gets_more() {
        let shares = Shares::new(2, 1);
        for _ in 0..20 {
            let parts = shares.of_job(1 << 20);
            let time = |member: usize, speed: f64| {
                let vms = parts[member].len();
                (vms, Duration::from_secs_f64(vms as f64 / speed))
            };
            shares.see(&[time(0, 3e6), time(1, 1e6)]);
        }
        let first = shares.of_job(1 << 20)[0].len() as f64 / f64::from(1 << 20);
        assert!((0.67..0.83).contains(&first), "{first}");
        // What is short tells nothing.
        shares.see(&[(1, Duration::from_millis(1)), (1000, Duration::from_millis(1))]);
        assert_eq!(shares.of_job(1 << 20)[0].len() as f64 / f64::from(1 << 20), first);
    }
}
