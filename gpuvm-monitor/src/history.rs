//! What happened each second, for the last ten minutes.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant, SystemTime};

use gpuvm_runtime::activity::Activity;

/// Time between two samples.
pub(crate) const PERIOD: Duration = Duration::from_secs(1);
/// Samples are kept as many at most.
const MOST: usize = 600;

/// A second.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// When it ended.
    pub at: SystemTime,
    /// Launches and plans that ended, a second.
    pub launches: f64,
    /// VMs that stopped, a second.
    pub vms: f64,
    /// Instructions retired, a second, where engines count them.
    pub instructions: f64,
    /// Messages that actors have handled, a second.
    pub messages: f64,
    /// Bytes that runtimes have of devices' memory.
    pub memory: u64,
    /// Messages handled a second by each ring kernel.
    pub kernels: BTreeMap<u64, f64>,
}

/// What has been counted until a moment.
#[derive(Clone, Debug, Default)]
struct Counts {
    launches: u64,
    vms: u64,
    instructions: u64,
    /// Messages that each ring kernel has handled.
    kernels: BTreeMap<u64, u64>,
}

impl Counts {
    fn of(activity: &Activity) -> Counts {
        let kernels = activity.kernels.iter();
        Counts {
            launches: activity.totals.launches + activity.totals.plans,
            vms: activity.totals.vms,
            instructions: activity.totals.instructions,
            kernels: kernels
                .map(|kernel| (kernel.number, kernel.metrics.processed))
                .collect(),
        }
    }
}

/// The samples, the oldest first.
#[derive(Debug)]
pub(crate) struct History {
    samples: VecDeque<Sample>,
    last: Counts,
    then: Instant,
}

impl History {
    /// None yet.
    pub fn new() -> History {
        History {
            samples: VecDeque::new(),
            last: Counts::of(&Activity::now()),
            then: Instant::now(),
        }
    }

    /// The samples, the oldest first.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter()
    }

    /// The last one.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.back()
    }

    /// Takes one.
    pub fn take(&mut self, activity: &Activity) {
        let time = self.then.elapsed();
        self.then = Instant::now();
        let memory = activity.runtimes.iter().map(|runtime| runtime.memory.bytes()).sum();
        self.add(Counts::of(activity), time, memory);
    }

    fn add(&mut self, now: Counts, time: Duration, memory: u64) {
        let seconds = time.as_secs_f64().max(1e-9);
        // A launch that is dropped takes its instructions back.
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        let of_kernel = |(number, handled): (&u64, &u64)| {
            let before = self.last.kernels.get(number).copied().unwrap_or_default();
            (*number, rate(*handled, before))
        };
        let kernels: BTreeMap<u64, f64> = now.kernels.iter().map(of_kernel).collect();
        if self.samples.len() >= MOST {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample {
            at: SystemTime::now(),
            launches: rate(now.launches, self.last.launches),
            vms: rate(now.vms, self.last.vms),
            instructions: rate(now.instructions, self.last.instructions),
            messages: kernels.values().sum(),
            memory,
            kernels,
        });
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_differences_by_time() {
        let mut history = History {
            samples: VecDeque::new(),
            last: Counts::default(),
            then: Instant::now(),
        };
        let counts = |vms, kernels: &[(u64, u64)]| Counts {
            launches: 2,
            vms,
            instructions: 4 * vms,
            kernels: kernels.iter().copied().collect(),
        };
        history.add(counts(100, &[(0, 10)]), Duration::from_secs(2), 7);
        history.add(counts(90, &[(0, 30), (1, 5)]), Duration::from_millis(500), 8);
        let samples: Vec<&Sample> = history.samples().collect();
        assert_eq!(
            (
                samples[0].launches,
                samples[0].vms,
                samples[0].instructions,
                samples[0].messages
            ),
            (1.0, 50.0, 200.0, 5.0)
        );
        assert_eq!(
            (samples[1].launches, samples[1].vms, samples[1].messages),
            (0.0, 0.0, 50.0)
        );
        assert_eq!(samples[1].kernels, BTreeMap::from([(0, 40.0), (1, 10.0)]));
        assert_eq!((samples[0].memory, history.last().unwrap().memory), (7, 8));
        for _ in 0..2 * MOST {
            history.add(Counts::default(), PERIOD, 0);
        }
        assert_eq!(history.samples().count(), MOST);
    }
}
