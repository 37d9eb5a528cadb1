//! How much of each job each device of a team has: as much as it is fast, as far as jobs have shown.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gpuvm_core::program::Program;

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
    /// Whether every job is cut that can be, or none, if it is not those that are worth it.
    cuts: Option<bool>,
    /// Which work is worth it, as far as that is known.
    judgements: Mutex<HashMap<Work, Judgement>>,
}

/// What is known of work.
#[derive(Debug, Default)]
struct Judgement {
    worth: Worth,
    /// The launch that is on its way: how many of its jobs are over, and how long they took.
    jobs: u32,
    time: Duration,
}

impl Judgement {
    /// Takes in a job of a launch that is so many jobs. Gives how long the launch took when that was its last.
    fn launch(&mut self, jobs: u32, time: Duration) -> Option<Duration> {
        self.jobs += 1;
        self.time += time;
        if self.jobs < jobs {
            return None;
        }
        self.jobs = 0;
        Some(std::mem::take(&mut self.time))
    }
}

/// Whether work is worth several devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worth {
    /// One device has done it so often, and took this at best. The first times programs are being compiled.
    Alone { runs: u32, best: Duration },
    /// It was tried so often and for so long, and took one device that long and several this.
    Tried {
        runs: u32,
        spent: Duration,
        alone: Duration,
        together: Duration,
    },
    /// It is or it is not. That stays, so that its columns need not move to and fro.
    Known(bool),
}

impl Default for Worth {
    fn default() -> Worth {
        Worth::Alone {
            runs: 0,
            best: Duration::MAX,
        }
    }
}

/// So often one device does work before several try it.
const ALONE: u32 = 6;
/// So often work is tried on several devices: the first time its columns move to where they are needed from then on.
const TRIES: u32 = 3;
/// For so long at most, if other devices have not compiled it by then.
const TRIED_FOR: Duration = Duration::from_secs(1);

/// A program, and how many VMs its launch has, which may be several jobs: if one of these is worth several devices all are, or its columns would move to and fro. Programs are told apart by where they are, so whoever remembers work keeps its program: ranks have them elsewhere each.
#[derive(Clone)]
pub(super) struct Work {
    program: Arc<Program>,
    vms: u32,
}

impl Work {
    fn key(&self) -> (usize, u32) {
        (Arc::as_ptr(&self.program).addr(), self.vms)
    }
}

impl PartialEq for Work {
    fn eq(&self, other: &Work) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Work {}

impl Hash for Work {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key().hash(hasher);
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {} VMs", self.program.name, self.vms)
    }
}

/// A job that one device is done with sooner is on one: beginning it on several takes a part of that.
const WORTH: Duration = Duration::from_micros(500);
/// So much work is remembered.
const MOST_REMEMBERED: usize = 1 << 12;

pub(super) fn work(program: &Arc<Program>, vms: u32) -> Work {
    Work {
        program: Arc::clone(program),
        vms,
    }
}

impl Shares {
    /// Equal ones for so many devices, of jobs that are worth it, or if `cuts` says so of all or none.
    pub fn new(members: usize, cuts: Option<bool>) -> Shares {
        Shares {
            shares: Mutex::new(vec![1.0 / members as f64; members]),
            lost: (0..members).map(|_| AtomicBool::new(false)).collect(),
            cuts,
            judgements: Mutex::default(),
        }
    }

    /// How many devices there are.
    pub fn members(&self) -> usize {
        self.lost.len()
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

    /// The first device that is not lost.
    pub fn first(&self) -> usize {
        (0..self.lost.len())
            .find(|member| !self.is_lost(*member))
            .unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<f64>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The parts of so many VMs, or words, that the devices have.
    pub fn cut(&self, all: u32) -> Vec<Range<u32>> {
        let shares = self.lock();
        let able = shares.iter().filter(|share| **share > 0.0).count() as u32;
        let last = shares.iter().rposition(|share| *share > 0.0).unwrap_or_default();
        if all < able {
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

    /// Whether a job is worth several devices. Of work that nobody knows yet one finds out.
    pub fn is_worth_it(&self, program: &Arc<Program>, vms: u32) -> bool {
        let found = || self.judgements().get(&work(program, vms)).map(|found| found.worth);
        let is_known = || matches!(found(), Some(Worth::Tried { .. } | Worth::Known(true)));
        self.cuts.unwrap_or_else(is_known)
    }

    /// Whether nobody knows yet if a job is worth several devices.
    pub fn is_open(&self, program: &Arc<Program>, vms: u32) -> bool {
        let known = || self.judgements().get(&work(program, vms)).map(|found| found.worth);
        self.cuts.is_none() && !matches!(known(), Some(Worth::Known(_) | Worth::Alone { runs: ALONE.., .. }))
    }

    /// Takes in how long one device was at a job, of a launch that is so many jobs.
    pub fn see_alone(&self, (program, vms): (&Arc<Program>, u32), jobs: u32, time: Duration) {
        let mut judgements = self.judgements();
        if judgements.len() >= MOST_REMEMBERED {
            judgements.clear();
        }
        let judgement = judgements.entry(work(program, vms)).or_default();
        if let Worth::Alone { runs, best } = judgement.worth
            && let Some(time) = judgement.launch(jobs, time)
        {
            let (runs, best) = (runs + 1, best.min(time));
            judgement.worth = match runs >= ALONE && best >= WORTH {
                true => Worth::Tried {
                    runs: 0,
                    spent: Duration::ZERO,
                    alone: best,
                    together: Duration::MAX,
                },
                false => Worth::Alone { runs, best },
            };
        }
    }

    /// Notes that what several devices have left of some work had to move to one, which takes longer than they have saved.
    pub fn see_moved(&self, work: Work) {
        self.judgements().entry(work).or_default().worth = Worth::Known(false);
    }

    /// Takes in how long several devices were at a job, with what had to move before, of a launch that is so many jobs, and whether all of them ran it
    /// as they are going to.
    pub fn see_together(&self, (program, vms): (&Arc<Program>, u32), jobs: u32, (time, is_settled): (Duration, bool)) {
        if let Some(judgement) = self.judgements().get_mut(&work(program, vms))
            && let Worth::Tried {
                runs,
                spent,
                alone,
                together,
            } = judgement.worth
            && let Some(time) = judgement.launch(jobs, time)
        {
            let spent = spent.saturating_add(time);
            let (runs, together) = (runs + u32::from(is_settled), together.min(time));
            judgement.worth = match runs < TRIES && spent < TRIED_FOR {
                true => Worth::Tried {
                    runs,
                    spent,
                    alone,
                    together,
                },
                false => Worth::Known(together < alone),
            };
        }
    }

    fn judgements(&self) -> MutexGuard<'_, HashMap<Work, Judgement>> {
        self.judgements.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in how long each device was at its part of a job.
    pub fn see(&self, parts: &[(usize, Duration)]) {
        let longest = parts.iter().map(|(_, time)| *time).max().unwrap_or_default();
        if parts.len() < 2 || parts.iter().any(|(vms, _)| *vms == 0) || longest < TELLING {
            return;
        }
        let mut shares = self.lock();
        // Where a device is lost, or has had nothing, the others' parts are not told apart.
        if parts.len() != shares.len() {
            return;
        }
        // Who was done sooner than can be told is at least so fast.
        let rate = |(vms, time): &(usize, Duration)| *vms as f64 / (*time).max(TELLING).as_secs_f64();
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
    use gpuvm_core::assembly::assemble;

    use super::*;

    #[test]
    fn parts_are_all_of_it() {
        for members in 1..5 {
            let shares = Shares::new(members, Some(true));
            for all in [1, 2, 3, 5, 100, 1 << 20, 1_000_003, u32::MAX] {
                let parts = shares.cut(all);
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
        let shares = Shares::new(3, Some(true));
        assert_eq!(shares.cut(2), [0..2, 2..2, 2..2]);
        assert_eq!(shares.cut(3), [0..1, 1..2, 2..3]);
    }

    #[test]
    fn chunks_are_where_their_entries_are() {
        let shares = Shares::new(3, Some(true));
        for chunk in [16, 64] {
            let (entries, chunks) = (shares.cut(1 << 24), shares.cut((1 << 24) / chunk));
            for (entries, chunks) in entries.iter().zip(chunks) {
                assert_eq!(*entries, chunks.start * chunk..chunks.end * chunk);
            }
        }
    }

    #[test]
    fn who_is_lost_has_nothing() {
        let shares = Shares::new(3, Some(true));
        shares.lose(0);
        assert_eq!(shares.cut(100), [0..0, 0..50, 50..100]);
        assert_eq!(shares.cut(1), [0..0, 0..1, 1..1]);
        shares.lose(2);
        shares.lose(2);
        assert_eq!(shares.cut(100), [0..0, 0..100, 100..100]);
        assert_eq!(shares.first(), 1);
    }

    #[test]
    fn work_is_tried_until_all_devices_have_compiled_it() {
        let shares = Shares::new(2, None);
        let program = Arc::new(assemble("code\nhalt").unwrap());
        let millis = Duration::from_millis;
        for (vms, later, is_worth_it) in [(9, 6, true), (8, 30, false)] {
            let work = (&program, vms);
            (0..ALONE).for_each(|_| shares.see_alone(work, 1, millis(10)));
            (0..2 * TRIES).for_each(|_| shares.see_together(work, 1, (millis(100), false)));
            assert!(shares.is_worth_it(&program, vms) && shares.is_open(&program, vms));
            (0..TRIES).for_each(|_| shares.see_together(work, 1, (millis(later), true)));
            assert_eq!(shares.is_worth_it(&program, vms), is_worth_it);
            assert!(!shares.is_open(&program, vms));
        }
    }

    #[test]
    fn who_is_faster_gets_more() {
        let shares = Shares::new(2, Some(true));
        for _ in 0..20 {
            let parts = shares.cut(1 << 20);
            let time = |member: usize, speed: f64| {
                let vms = parts[member].len();
                (vms, Duration::from_secs_f64(vms as f64 / speed))
            };
            shares.see(&[time(0, 3e6), time(1, 1e6)]);
        }
        let first = shares.cut(1 << 20)[0].len() as f64 / f64::from(1 << 20);
        assert!((0.67..0.83).contains(&first), "{first}");
        // What is short tells nothing.
        shares.see(&[(1, Duration::from_millis(1)), (1000, Duration::from_millis(1))]);
        assert_eq!(shares.cut(1 << 20)[0].len() as f64 / f64::from(1 << 20), first);
    }

    #[test]
    fn who_had_little_gets_its_share_back() {
        let shares = Shares::new(2, Some(true));
        let vms = |member: usize| shares.cut(1 << 20)[member].len();
        // Once the second device took very long.
        shares.see(&[(vms(0), TELLING), (vms(1), 100 * TELLING)]);
        assert!(vms(1) < 3 << 17);
        for _ in 0..20 {
            let time = |member| {
                (
                    vms(member),
                    (TELLING * 3 / 2).mul_f64(vms(member) as f64 / f64::from(1 << 19)),
                )
            };
            shares.see(&[time(0), time(1)]);
        }
        assert!(vms(1) as f64 > (0.5 - OFF) * f64::from(1 << 20), "{}", vms(1));
    }
}
