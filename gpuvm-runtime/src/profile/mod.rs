//! Where the instructions of a launch, a plan or a ring kernel went. VMs are deterministic, so a device is not asked: a sample of its warps is run once more on this CPU, by the
//! reference interpreter, and counted exactly.

mod calls;
mod flame;
mod folded;
mod gather;
mod html;
mod kernel;
mod pprof;
mod sample;
mod steps;
mod table;
mod timeline;
mod tree;
mod warp;

use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::Duration;

use gpuvm_core::program::SourceLoc;
use gpuvm_engine::FloatMode;

use crate::dumps::Dumps;
use crate::stats::Stats;
use crate::unheard;
use sample::Counted;
pub use sample::VmCost;

pub(crate) use kernel::{Doing, KernelProfiling, MESSAGES, MOST_OF_BATCH};
pub(crate) use sample::{MOST, Sample as ProfileSample, Sampled, WORDS, chosen};
pub(crate) use steps::PlanProfiling;
pub(crate) use timeline::{Bar, Row, Timeline};
pub(crate) use warp::{LANES, WarpData};

/// Where the instructions of a launch went, by source line, by routine, by stack and by VM, see [`Launch::profile`](crate::Launch::profile); or those of a plan, by
/// step as well, see [`Plan::profile`](crate::Plan::profile); or those of a ring kernel so far, see [`RingOptions::profile`](crate::RingOptions::profile).
///
/// Its numbers are those of the VMs that were [sampled](Profile::vms): whole warps, 32 neighbouring VMs each, evenly over the launch. They are what the
/// machine's definition says, so they are the same on all engines; an engine that compiles the program needs fewer instructions of its device's for the same
/// work. How a warp diverges and what it touches of memory is what SIMT hardware would do that runs it in lockstep.
///
/// A plan's numbers are those of samples of its launches, each launch's with what its VMs that were not sampled would add if they were like those that were; only what
/// is said of VMs is said of sampled ones. So the numbers of steps, lines and stacks can be compared with each other, and they are exact where all VMs were sampled.
///
/// A ring kernel's VMs are those of its batches: one for each actor with mail in a batch, which handles all of it, and by whose number it is called. Numbers are those of sampled ones.
///
/// `Display` is a table for a terminal.
#[derive(Clone, Debug)]
pub struct Profile {
    routine: String,
    stats: Stats,
    reason: Option<String>,
    notes: Vec<String>,
    counted: Counted,
    lines: Vec<Line>,
    routines: Vec<RoutineCost>,
    steps: Vec<StepCost>,
    timeline: Timeline,
    /// A plan as a picture, to be put into a page.
    graph: Option<String>,
}

/// What the routine and the file of a plan's steps is called.
const PLAN: &str = "plan";

/// What a source line came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// The source file.
    pub file: String,
    /// The line's number.
    pub line: u32,
    /// The routine that it is part of. A line that several routines are made of, as a generic one's, is there once for each.
    pub routine: String,
    /// Instructions that VMs ran, each VM's counted.
    pub instructions: u64,
    /// Which part of all instructions that is, from 0 to 1.
    pub share: f64,
    /// Instructions that warps ran, each for all of its VMs that were at it.
    pub issues: u64,
    /// Sectors of 32 bytes of columns, slices and results that were touched, each once an issue: an estimate of the transactions of a GPU's memory.
    pub sectors: u64,
}

impl Line {
    /// Which part of a warp's 32 lanes ran the line's instructions on average, from 0 to 1. What is missing is divergence, or a warp that the launch did not fill.
    pub fn occupancy(&self) -> f64 {
        occupancy(self.instructions, self.issues)
    }
}

/// What a routine came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoutineCost {
    /// Its name.
    pub routine: String,
    /// Instructions that VMs ran in it.
    pub instructions: u64,
    /// The same with what it calls.
    pub total: u64,
    /// Which part of all instructions its own are, from 0 to 1.
    pub share: f64,
}

/// What a step of a plan came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepCost {
    /// What messages call the nodes that ran as one, after the loops that they are in.
    pub name: String,
    /// Instructions of all VMs of its launches, if those that were not sampled are like those that were.
    pub instructions: u64,
    /// Which part of all instructions that is, from 0 to 1.
    pub share: f64,
    /// VMs of its launches.
    pub vms: u64,
    /// VMs that were sampled.
    pub sampled: u64,
}

/// The calls that had not returned when instructions ran.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stack<'p> {
    /// The activations, the outermost first, those of inlined calls among them. Of calls that are deeper than 256 in each other only so many are told apart.
    /// In a plan's profile they are in its steps, each a frame with its name for a routine, the file `plan`, and its number for a line; one in a loop has the loop around it.
    pub frames: Vec<StackFrame<'p>>,
    /// Instructions that VMs ran at the innermost one's line.
    pub instructions: u64,
}

/// An activation of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StackFrame<'p> {
    /// The routine.
    pub routine: &'p str,
    /// The source file.
    pub file: &'p str,
    /// The line that it was at: of the instructions, or of the call.
    pub line: u32,
}

/// Something that the device did in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Submission {
    /// When the host knew that it was over, from the call of `run` on.
    pub end: Duration,
    /// How long the device was at it.
    pub time: Duration,
}

/// Which part of the warps that ran instructions ran them.
fn occupancy(instructions: u64, issues: u64) -> f64 {
    part(instructions, issues * u64::from(LANES))
}

/// A part of a whole, 0 of nothing.
fn part(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Profile {
    /// The id of the routine or of the ring kernel that was launched, or `plan`.
    pub fn routine(&self) -> &str {
        &self.routine
    }

    /// What the launch cost: its engine, the device's time, batches and submissions. Of a plan it is what all launches did, of which each is a batch. Of a
    /// ring kernel it is what its pump has seen to, rounds among the batches, and of these their messages among the VMs; host time is that since it was launched.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Why nothing was counted; `None` where something was.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// What there is to know of the numbers: that VMs share memory, of which each is counted as if it were alone, or that some did not come to their end.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The source lines that code of was run, those with the most instructions first.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The routines, those with the most instructions of their own first.
    pub fn routines(&self) -> &[RoutineCost] {
        &self.routines
    }

    /// The steps of a plan that launched anything, in order, those of a loop's body each by itself; nothing of a launch.
    pub fn steps(&self) -> &[StepCost] {
        &self.steps
    }

    /// The stacks, each with another line somewhere.
    pub fn stacks(&self) -> impl Iterator<Item = Stack<'_>> {
        let tree = &self.counted.tree;
        let own = tree.nodes.iter().enumerate().filter(|(_, node)| node.own > 0);
        own.map(|(index, node)| {
            let mut frames: Vec<_> = tree.path(index).map(|node| self.frame(node.at)).collect();
            frames.reverse();
            Stack {
                frames,
                instructions: node.own,
            }
        })
    }

    fn frame(&self, at: SourceLoc) -> StackFrame<'_> {
        StackFrame {
            routine: name(&self.counted.routines, at.routine),
            file: name(&self.counted.files, at.file),
            line: at.line,
        }
    }

    /// The VMs that were sampled, by number.
    pub fn vms(&self) -> &[VmCost] {
        &self.counted.vms
    }

    /// The same, those with the most instructions first.
    pub fn vms_by_cost(&self) -> Vec<VmCost> {
        let mut vms = self.counted.vms.clone();
        vms.sort_by_key(|cost| (std::cmp::Reverse(cost.instructions), cost.vm));
        vms
    }

    /// The fewest instructions of a sampled VM, those of the one in the middle, and the most; `None` if there are none.
    pub fn spread(&self) -> Option<(u64, u64, u64)> {
        let mut costs: Vec<u64> = self.counted.vms.iter().map(|cost| cost.instructions).collect();
        costs.sort_unstable();
        Some((*costs.first()?, costs[costs.len() / 2], *costs.last()?))
    }

    /// Instructions that sampled VMs ran, of a plan those of all VMs as far as samples tell.
    pub fn instructions(&self) -> u64 {
        self.counted.instructions()
    }

    /// Instructions that warps ran, each for all of its VMs that were at it.
    pub fn issues(&self) -> u64 {
        self.lines.iter().map(|line| line.issues).sum()
    }

    /// Sectors of 32 bytes that they touched, see [`Line::sectors`].
    pub fn sectors(&self) -> u64 {
        self.lines.iter().map(|line| line.sectors).sum()
    }

    /// Which part of the warps ran what they ran, from 0 to 1.
    pub fn occupancy(&self) -> f64 {
        occupancy(self.instructions(), self.issues())
    }

    /// How many of the sampled VMs did not come to their end: the sample is limited to 2²⁴ instructions, and what VMs ask is not answered.
    pub fn cut(&self) -> usize {
        self.counted.vms.iter().filter(|cost| cost.is_cut).count()
    }

    /// What the device did in one go, in order, where it tells times: the first 4096.
    pub fn submissions(&self) -> &[Submission] {
        &self.timeline.submissions
    }
}

fn name(names: &[String], index: u32) -> &str {
    names.get(index as usize).map_or("?", String::as_str)
}

impl Profile {
    /// What was counted of something that has cost so much, or why nothing was.
    fn of(routine: &str, stats: &Stats, counted: Counted, reason: Option<String>) -> Profile {
        let all = counted.instructions();
        Profile {
            routine: routine.to_string(),
            stats: stats.clone(),
            reason,
            notes: Vec::new(),
            lines: lines(&counted, all),
            routines: routines(&counted, all),
            steps: Vec::new(),
            counted,
            timeline: Timeline::default(),
            graph: None,
        }
    }

    /// Adds what there is to know in the end.
    fn conclude(&mut self, is_early: bool) {
        let (cut, of) = (self.cut(), self.vms().len());
        if cut > 0 {
            self.notes.push(format!(
                "{cut} of {of} sampled VMs were cut off before their end, and count as far as they came"
            ));
        }
        if self.stats.float_mode == FloatMode::Relaxed {
            let note = "floats are relaxed, so that a VM may go another way on the device";
            self.notes.push(note.to_string());
        }
        if is_early {
            let what = if self.counted.plan.is_some() { "plan" } else { "launch" };
            self.notes.push(format!(
                "the {what} was ended before its VMs were done: counts are of VMs that run on"
            ));
        }
    }
}

/// A profile on its way, beside the launch.
pub(crate) struct Profiling {
    counting: Result<JoinHandle<Result<Counted, String>>, String>,
    notes: Vec<String>,
}

impl Profiling {
    /// Starts counting.
    pub(crate) fn start(Sampled { sample, notes }: Sampled) -> Profiling {
        Profiling {
            counting: sample.and_then(ProfileSample::start),
            notes,
        }
    }

    /// The profile of a launch that has cost so much, and may have been ended early.
    pub(crate) fn finish(
        self,
        routine: &str,
        stats: &Stats,
        submissions: Vec<Submission>,
        is_early: bool,
    ) -> Box<Profile> {
        let joined = self.counting.and_then(|counting| match counting.join() {
            Ok(counted) => counted,
            Err(_) => Err("counting has panicked".to_string()),
        });
        let (counted, reason) = match joined {
            Ok(counted) => (counted, None),
            Err(reason) => (Counted::default(), Some(reason)),
        };
        let mut profile = Profile::of(routine, stats, counted, reason);
        profile.notes = self.notes;
        profile.timeline.submissions = submissions;
        profile.conclude(is_early);
        profile.leave();
        Box::new(profile)
    }
}

/// What each line came to, the most expensive first.
fn lines(counted: &Counted, all: u64) -> Vec<Line> {
    let line = |(at, [instructions, issues, sectors]): &(SourceLoc, [u64; 3])| Line {
        file: name(&counted.files, at.file).to_string(),
        line: at.line,
        routine: name(&counted.routines, at.routine).to_string(),
        instructions: *instructions,
        share: part(*instructions, all),
        issues: *issues,
        sectors: *sectors,
    };
    let mut lines: Vec<Line> = counted.places.iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.instructions));
    lines
}

/// What each routine came to, the most expensive first.
fn routines(counted: &Counted, all: u64) -> Vec<RoutineCost> {
    let mut sums: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (at, [instructions, ..]) in &counted.places {
        sums.entry(at.routine).or_default().0 += instructions;
    }
    for (index, node) in counted.tree.nodes.iter().enumerate().filter(|(_, node)| node.own > 0) {
        let routines = counted
            .tree
            .path(index)
            .filter(|node| Some(node.at.file) != counted.plan);
        // One that calls itself has called what that calls once.
        let mut seen: Vec<u32> = routines.map(|node| node.at.routine).collect();
        seen.sort_unstable();
        seen.dedup();
        for routine in seen {
            sums.entry(routine).or_default().1 += node.own;
        }
    }
    let cost = |(routine, (instructions, total)): (u32, (u64, u64))| RoutineCost {
        routine: name(&counted.routines, routine).to_string(),
        instructions,
        total,
        share: part(instructions, all),
    };
    let mut costs: Vec<RoutineCost> = sums.into_iter().map(cost).collect();
    costs.sort_by_key(|cost| std::cmp::Reverse(cost.instructions));
    costs
}

/// Those of all launches, if the environment wants them.
static DUMPS: Dumps = Dumps::of("GPUVM_PROFILE");

/// Whether the environment wants all launches profiled.
pub(crate) fn is_asked_for() -> bool {
    DUMPS.folder().is_some()
}

impl Profile {
    /// Writes it to a folder if the environment names one: a page, and folded stacks beside it. Nothing fails of that.
    fn leave(&self) {
        let Some(page) = DUMPS.next(&self.routine, "html") else {
            return;
        };
        let written = page
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&page, self.html()))
            .and_then(|()| std::fs::write(page.with_extension("folded"), self.folded()));
        if let Err(error) = written {
            let warning = format!("the profile {} could not be written: {error}", page.display());
            tracing::warn!("{warning}");
            unheard::print(&warning);
        }
    }
}
