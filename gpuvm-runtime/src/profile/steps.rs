//! The profile of a plan: samples of its launches, counted one after the other within one budget of instructions, and put together under its steps.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::gather::{Gathered, Sums};
use super::sample::{Counted, MOST, Sample, Sampled, VmCost};
use super::{PLAN, Profile, StepCost, Timeline, part};
use crate::stats::Stats;

/// Samples that wait for the thread that counts, each with copies of what its VMs see.
const WAITING: usize = 2;

/// The profile of a plan on its way.
pub(crate) struct PlanProfiling {
    parts: Vec<Part>,
    known: HashMap<(Vec<usize>, usize), usize>,
    counting: Result<Counting, String>,
    notes: Vec<String>,
}

/// The thread that counts.
struct Counting {
    samples: SyncSender<Order>,
    thread: JoinHandle<Result<Vec<(usize, Counted)>, String>>,
}

/// A sample of a launch of a part.
struct Order {
    part: usize,
    /// The plan's step that the part is of.
    step: usize,
    sample: Sample,
}

/// Launches that are alike: those of one kernel of a step.
struct Part {
    /// The numbers and the names of the step and of those that it is in, the outermost first.
    steps: Vec<(usize, String)>,
    /// Launches that have begun.
    begun: u64,
    /// VMs of those that have ended.
    vms: u64,
}

impl PlanProfiling {
    /// Starts the thread, given how many steps there are in each of the plan's, itself counted.
    pub(crate) fn start(weights: Vec<u64>) -> PlanProfiling {
        let (samples, received) = sync_channel(WAITING);
        let thread = thread::Builder::new().name("gpuvm-profile".to_string());
        let thread = thread.spawn(move || count_all(&received, &weights));
        PlanProfiling {
            parts: Vec::new(),
            known: HashMap::new(),
            counting: thread
                .map(|thread| Counting { samples, thread })
                .map_err(|error| error.to_string()),
            notes: Vec::new(),
        }
    }

    /// The part that a launch belongs to, and whether a sample of it is wanted: of the first one, the second, and then of one after twice as many as before.
    /// The part is known by the step, after the numbers of those that it is in, and a number in that.
    pub(crate) fn begin(
        &mut self,
        steps: Vec<usize>,
        number: usize,
        names: impl FnOnce() -> Vec<String>,
    ) -> (usize, bool) {
        let next = self.parts.len();
        let numbers = steps.clone();
        let part = *self.known.entry((steps, number)).or_insert(next);
        if part == next {
            self.parts.push(Part {
                steps: numbers.into_iter().zip(names()).collect(),
                begun: 0,
                vms: 0,
            });
        }
        let begun = &mut self.parts[part].begun;
        let is_wanted = *begun == 0 || begun.is_power_of_two();
        *begun += 1;
        (part, is_wanted)
    }

    /// Takes the sample of a launch of a part.
    pub(crate) fn add(&mut self, part: usize, sampled: Sampled) {
        let Some(of) = self.parts.get(part) else { return };
        let (Some((step, _)), Some((_, name))) = (of.steps.first(), of.steps.last()) else {
            return;
        };
        let mut notes = sampled.notes;
        match (sampled.sample, &self.counting) {
            (Ok(sample), Ok(counting)) => {
                let step = *step;
                // It takes them until the end, or has panicked, which the end tells.
                let _ = counting.samples.send(Order { part, step, sample });
            }
            (Err(reason), _) => notes.push(format!("a launch was not counted: {reason}")),
            (_, Err(_)) => {}
        }
        for note in notes {
            let note = format!("{name}: {note}");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Counts a launch of a part that has ended.
    pub(crate) fn ended(&mut self, part: usize, vms: u32) {
        if let Some(part) = self.parts.get_mut(part) {
            part.vms += u64::from(vms);
        }
    }

    /// The profile of a plan that has cost so much, looks like this, and may have been ended early.
    pub(crate) fn finish(
        self,
        stats: &Stats,
        timeline: Timeline,
        graph: Option<String>,
        is_early: bool,
    ) -> Box<Profile> {
        let PlanProfiling {
            parts, counting, notes, ..
        } = self;
        let joined = counting.and_then(|Counting { samples, thread }| {
            drop(samples);
            let joined = thread.join();
            joined.unwrap_or_else(|_| Err("counting has panicked".to_string()))
        });
        let counted = joined.map(|samples| put_together(&parts, &samples));
        let (counted, steps, reason) = match counted {
            Ok((counted, steps)) => (counted, steps, None),
            Err(reason) => (Counted::default(), Vec::new(), Some(reason)),
        };
        let mut profile = Profile::of(PLAN, stats, counted, reason);
        profile.notes = notes;
        profile.steps = steps;
        profile.timeline = timeline;
        profile.graph = graph;
        profile.conclude(is_early);
        profile.leave();
        Box::new(profile)
    }
}

/// Counts samples as they come. Each of the plan's steps has an equal share of the budget for each step in it, and what it leaves goes to those behind. No launch
/// gets all of it, so that there is some for the next ones.
fn count_all(samples: &Receiver<Order>, weights: &[u64]) -> Result<Vec<(usize, Counted)>, String> {
    let (mut rest, mut current, mut share) = (MOST, None, 0);
    let mut needed: HashMap<usize, u64> = HashMap::new();
    let mut all = Vec::new();
    for Order { part, step, mut sample } in samples.iter() {
        let weight = weights.get(step).copied().unwrap_or(1).max(1);
        if current != Some(step) {
            current = Some(step);
            rest += share;
            let ahead: u64 = weights.iter().skip(step).sum();
            share = (u128::from(rest) * u128::from(weight) / u128::from(ahead.max(weight))) as u64;
            rest -= share;
        }
        sample.most = share / (2 * weight);
        // One that is cut off sooner than those before would only make them less true.
        let before = needed.get(&part).copied();
        if before.is_some_and(|before| sample.most < before) {
            continue;
        }
        let counted = sample.count()?;
        let ran = counted.instructions();
        share = share.saturating_sub(ran);
        let needed = needed.entry(part).or_default();
        *needed = ran.max(*needed);
        all.push((part, counted));
    }
    Ok(all)
}

/// What the samples of all parts came to, each part's as if all its VMs were like those of its samples.
fn put_together(parts: &[Part], samples: &[(usize, Counted)]) -> (Counted, Vec<StepCost>) {
    let mut gathered = Gathered::default();
    let plan = gathered.file(PLAN);
    let mut vms = Vec::new();
    let mut steps: BTreeMap<Vec<usize>, StepCost> = BTreeMap::new();
    // What a loop sent in vain did not run.
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.vms > 0) {
        let path: Vec<usize> = part.steps.iter().map(|(number, _)| *number).collect();
        let names: Vec<&str> = part.steps.iter().map(|(_, name)| &**name).collect();
        let step = steps.entry(path).or_insert_with(|| StepCost {
            name: names.join(": "),
            instructions: 0,
            share: 0.0,
            vms: 0,
            sampled: 0,
        });
        step.vms += part.vms;
        let mut within = 0;
        for (number, name) in &part.steps {
            within = gathered.child(within, (plan, *number as u32), name);
        }
        let (mut sums, mut sampled) = (Sums::default(), 0);
        for (_, counted) in samples.iter().filter(|(of, _)| *of == number) {
            sampled += counted.vms.len() as u64;
            gathered.sum(counted, within, &mut sums);
            vms.extend(counted.vms.iter().map(|cost| (number, *cost)));
        }
        step.sampled += sampled;
        step.instructions += gathered.add(sums, |sum| scaled(sum, part.vms.max(sampled), sampled));
    }
    let instructions: u64 = steps.values().map(|step| step.instructions).sum();
    steps
        .values_mut()
        .for_each(|step| step.share = self::part(step.instructions, instructions));
    let index_of: Vec<Option<usize>> = parts
        .iter()
        .map(|part| {
            let path = part.steps.iter().map(|(number, _)| number);
            steps.keys().position(|known| known.iter().eq(path.clone()))
        })
        .collect();
    let vms = vms.into_iter().map(|(part, cost)| VmCost {
        step: index_of[part],
        ..cost
    });
    let counted = gathered.finish(vms.collect(), Some(plan));
    (counted, steps.into_values().collect())
}

/// What a sum over so many VMs would be over all of them, to the nearest whole number.
fn scaled(sum: u64, all: u64, of: u64) -> u64 {
    let of = u128::from(of.max(1));
    u64::try_from((u128::from(sum) * u128::from(all) + of / 2) / of).unwrap_or(u64::MAX)
}
