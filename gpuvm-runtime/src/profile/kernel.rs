//! The profile of a ring kernel: samples of its batches, more of them at first and ever fewer later, so that a kernel may stay for days.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::gather::{Gathered, Sums};
use super::sample::{Counted, Sampled, VmCost};
use super::timeline::{Bar, Row};
use super::{Profile, Timeline};
use crate::stats::Stats;

/// Samples are so far apart, and not closer than a hundredth of the time that the kernel has been there.
const APART: Duration = Duration::from_millis(100);
const PART_APART: u32 = 100;
/// Instructions of VMs that a sample may run: some thousandths of a second.
pub(crate) const MOST_OF_BATCH: u64 = 1 << 19;
/// Messages of an actor in a batch that a sample has at most: the first.
pub(crate) const MESSAGES: u32 = 64;
/// VMs that are told one by one: the first.
const VMS: usize = 1 << 16;
/// Bars of a row that are kept: the last.
const BARS: usize = 1 << 12;

/// What a kernel's pump does for a time.
#[derive(Clone, Copy)]
pub(crate) enum Doing {
    /// It sees to a batch.
    Batch,
    /// It lets actors go round.
    Rounds,
    /// It waits for something to do.
    Waiting,
}

/// Names of what it does, in that order.
const ROWS: [&str; 3] = ["batches", "rounds", "waits"];

/// The profile of a ring kernel so far.
pub(crate) struct KernelProfiling {
    /// What is known of its stats when it is launched.
    stats: Stats,
    begin: Instant,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    gathered: Gathered,
    vms: Vec<VmCost>,
    /// VMs that were sampled and are not told one by one.
    untold: u64,
    counting: Vec<Counting>,
    /// When the next sample is due, from the beginning on.
    next: Duration,
    samples: u64,
    /// Whether a batch has come to its end since the last sample.
    has_ended: bool,
    batches: u64,
    all_vms: u64,
    notes: Vec<String>,
    /// Why a sample was not counted.
    reason: Option<String>,
    rows: [VecDeque<Bar>; 3],
}

/// A sample that is being counted.
struct Counting {
    thread: JoinHandle<Result<Counted, String>>,
    /// The actor of each VM.
    actors: Vec<u32>,
}

impl KernelProfiling {
    /// That of a kernel which is launched, given what its stats have of engine and device.
    pub(crate) fn new(stats: Stats) -> KernelProfiling {
        KernelProfiling {
            stats,
            begin: Instant::now(),
            record: Mutex::default(),
        }
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next batch is to be sampled: the first one, and others when it is time and the samples before are counted.
    pub(crate) fn is_due(&self) -> bool {
        let record = self.record();
        let is_counted = |counting: &Counting| counting.thread.is_finished();
        self.begin.elapsed() >= record.next && record.counting.iter().all(is_counted)
    }

    /// Whether the next batch is to wait until nothing is under way, because it is to be sampled. Where none comes to its end none waits.
    pub(crate) fn holds_up(&self) -> bool {
        self.is_due() && self.record().has_ended
    }

    /// Takes the sample of a batch, with the actor of each of its VMs.
    pub(crate) fn add(&self, Sampled { sample, notes }: Sampled, actors: Vec<u32>) {
        let counted = self.record().take();
        let counted: Vec<_> = counted.into_iter().map(Counting::join).collect();
        let started = sample.and_then(super::ProfileSample::start);
        let mut record = self.record();
        counted.into_iter().for_each(|counted| record.gather(counted));
        let elapsed = self.begin.elapsed();
        record.next = elapsed + APART.max(elapsed / PART_APART);
        record.has_ended = false;
        match started {
            Ok(thread) => {
                record.samples += 1;
                record.counting.push(Counting { thread, actors });
            }
            Err(reason) => record.reason = Some(reason),
        }
        for note in notes {
            if !record.notes.contains(&note) {
                record.notes.push(note);
            }
        }
    }

    /// Counts a batch of so many VMs.
    pub(crate) fn count(&self, batches: u64, vms: u64) {
        let mut record = self.record();
        record.has_ended = true;
        record.batches += batches;
        record.all_vms += vms;
    }

    /// Takes down what the pump has done since then. What overlaps with what it did of that kind before begins when that ended.
    pub(crate) fn did(&self, doing: Doing, since: Instant, name: String) {
        let begin = since.saturating_duration_since(self.begin);
        let end = self.begin.elapsed();
        let mut record = self.record();
        let row = &mut record.rows[doing as usize];
        let before = row.back().map(|bar| bar.begin + bar.time);
        let begin = begin.max(before.unwrap_or_default());
        if row.len() == BARS {
            row.pop_front();
        }
        row.push_back(Bar {
            name,
            begin,
            time: end.saturating_sub(begin),
        });
    }

    /// The profile so far, when all samples so far are counted.
    pub(crate) fn profile(&self, kernel: &str) -> Profile {
        let counting = self.record().take();
        let counted: Vec<_> = counting.into_iter().map(Counting::join).collect();
        let mut record = self.record();
        counted.into_iter().for_each(|counted| record.gather(counted));
        let stats = Stats {
            vms: record.all_vms,
            batches: record.batches,
            submissions: record.batches,
            host_time: self.begin.elapsed(),
            ..self.stats.clone()
        };
        let reason = match record.samples {
            0 => Some(
                record
                    .reason
                    .clone()
                    .unwrap_or_else(|| "no messages were handled".to_string()),
            ),
            _ => None,
        };
        let counted = record.gathered.clone().finish(record.vms.clone(), None);
        let mut profile = Profile::of(kernel, &stats, counted, reason);
        profile.notes.clone_from(&record.notes);
        profile.notes.push(format!(
            "{} of {} batches were sampled, of each actor's messages in one at most the first {MESSAGES}",
            record.samples, record.batches
        ));
        if let Some(reason) = record.reason.as_ref().filter(|_| record.samples > 0) {
            profile.notes.push(format!("a batch was not counted: {reason}"));
        }
        if record.untold > 0 {
            let note = format!(
                "{} more VMs were sampled, which are told in all numbers but their own",
                record.untold
            );
            profile.notes.push(note);
        }
        let rows = ROWS.into_iter().zip(&record.rows).map(|(name, bars)| Row {
            name,
            bars: bars.iter().cloned().collect(),
        });
        profile.timeline = Timeline::of_last(rows.collect(), BARS);
        profile.conclude(false);
        profile
    }

    /// Leaves the profile where the environment wants it, if it does.
    pub(crate) fn leave(&self, kernel: &str) {
        if super::is_asked_for() {
            self.profile(kernel).leave();
        }
    }
}

impl Record {
    /// The samples that are being counted.
    fn take(&mut self) -> Vec<Counting> {
        std::mem::take(&mut self.counting)
    }

    /// Adds a sample that was counted.
    fn gather(&mut self, counted: Result<(Counted, Vec<u32>), String>) {
        let (counted, actors) = match counted {
            Ok(counted) => counted,
            Err(reason) => {
                self.reason = Some(reason);
                return;
            }
        };
        let mut sums = Sums::default();
        self.gathered.sum(&counted, 0, &mut sums);
        self.gathered.add(sums, |sum| sum);
        let vms = counted.vms.iter().zip(actors);
        let vms = vms.map(|(cost, vm)| VmCost { vm, ..*cost });
        let room = VMS.saturating_sub(self.vms.len());
        self.untold += counted.vms.len().saturating_sub(room) as u64;
        self.vms.extend(vms.take(room));
    }
}

impl Counting {
    /// Waits for it.
    fn join(self) -> Result<(Counted, Vec<u32>), String> {
        let joined = self.thread.join();
        let counted = joined.unwrap_or_else(|_| Err("counting has panicked".to_string()))?;
        Ok((counted, self.actors))
    }
}

#[cfg(test)]
mod tests {
    use gpuvm_engine::{Device, Engine, FloatMode};

    use super::*;

    fn profiling() -> KernelProfiling {
        KernelProfiling::new(Stats::of_nothing(Engine::Native, Device::cpu(), FloatMode::Exact))
    }

    #[test]
    fn a_kernel_that_stays_keeps_the_last_bars() {
        let profiling = profiling();
        for number in 0..BARS + 10 {
            profiling.did(Doing::Batch, Instant::now(), number.to_string());
        }
        profiling.did(Doing::Waiting, Instant::now(), "waiting".to_string());
        let timeline = profiling.profile("stays").timeline;
        let names: Vec<_> = timeline.rows.iter().map(|row| (row.name, row.bars.len())).collect();
        assert_eq!(names, [("batches", BARS), ("waits", 1)]);
        assert_eq!(timeline.rows[0].bars[0].name, "10");
        assert!(timeline.from > Duration::ZERO);
    }

    #[test]
    fn bars_of_a_row_do_not_overlap() {
        let profiling = profiling();
        let begin = Instant::now();
        profiling.did(Doing::Batch, begin, "first".to_string());
        profiling.did(Doing::Batch, begin, "second".to_string());
        let timeline = profiling.profile("two").timeline;
        let [first, second] = &timeline.rows[0].bars[..] else {
            panic!("two bars")
        };
        assert_eq!(first.begin + first.time, second.begin);
    }
}
