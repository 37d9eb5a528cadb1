//! What a run writes down as it goes, if somebody wants to know: when what happened, and what each step has cost.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use gpuvm_engine::Tally;

use super::fuse::Step;
use super::node::Node;
use super::run::Run;
use super::stats::{StepStats, added, plural};
use super::trace::{Bar, Trace, Track};
use crate::error::Result;
use crate::json::{Json, ToJson, fields};
use crate::tally::continued;

/// A run's log. One that is off writes nothing, and costs nothing.
#[derive(Default)]
pub(super) struct Log(Option<Box<Record>>);

/// What was written down.
struct Record {
    begin: Instant,
    trace: Trace,
    steps: Vec<StepStats>,
    step: Open,
}

/// What the step that runs has cost so far.
#[derive(Default)]
struct Open {
    begin: Duration,
    tally: Tally,
    launches: u64,
    /// The most instructions that its launches retire.
    estimated: Option<u64>,
}

/// What there is to say of a launch.
pub(super) struct Launched {
    pub step: usize,
    pub vms: u64,
    /// The most instructions that it retires, if its program tells.
    pub estimated_instructions: Option<u64>,
}

impl Log {
    pub fn new(on: bool) -> Log {
        let record = || Record {
            begin: Instant::now(),
            trace: Trace::default(),
            steps: Vec::new(),
            step: Open::default(),
        };
        Log(on.then(|| Box::new(record())))
    }

    /// The time since the run has begun, for a bar that begins; `None` if the log is off.
    pub fn now(&self) -> Option<Duration> {
        self.0.as_ref().map(|record| record.begin.elapsed())
    }

    /// Notes a launch that was sent off, or is over.
    pub fn launch(&mut self, begin: Option<Duration>, name: &str, launched: &Launched) {
        let (Some(record), Some(begin)) = (&mut self.0, begin) else {
            return;
        };
        record.step.estimated = added(record.step.estimated, launched.estimated_instructions);
        record.bar(Track::Launches, name.to_string(), begin, launched.json());
    }

    /// Notes that bytes were moved or cleared.
    pub fn transfer(&mut self, begin: Option<Duration>, name: impl FnOnce() -> String, bytes: u64) {
        if let (Some(record), Some(begin)) = (&mut self.0, begin) {
            let args = Json::Object(vec![("bytes", bytes.json())]);
            record.bar(Track::Transfers, name(), begin, args);
        }
    }

    /// Notes what launches have cost that are over now. The device's own clock tells how long they took but not when, so their bar ends
    /// here, where the host has seen them end.
    pub fn add(&mut self, tally: &Tally, launches: u64) {
        let Some(record) = &mut self.0 else { return };
        record.step.tally = continued(&record.step.tally, tally);
        record.step.launches += launches;
        if let Some(time) = tally.device_time {
            let before = record.trace.last(Track::Device).map(|bar| bar.end());
            let begin = record.begin.elapsed().saturating_sub(time);
            record.trace.bars.push(Bar {
                track: Track::Device,
                name: plural(launches, "launch", "launches"),
                begin: begin.max(before.unwrap_or_default()),
                time,
                args: Json::Object(vec![("launches", launches.json())]),
            });
        }
    }

    /// Stops the clock for so long.
    pub fn leave_out(&mut self, time: Duration) {
        if let Some(record) = &mut self.0 {
            record.begin += time;
        }
    }

    fn begin_step(&mut self) {
        if let Some(record) = &mut self.0 {
            record.step = Open {
                begin: record.begin.elapsed(),
                estimated: Some(0),
                ..Open::default()
            };
        }
    }

    /// What was written down.
    pub fn into_parts(self) -> (Option<Trace>, Vec<StepStats>) {
        match self.0 {
            Some(record) => (Some(record.trace), record.steps),
            None => (None, Vec::new()),
        }
    }
}

impl Run<'_, '_> {
    /// Begins a step. Those of a loop's body are a part of the loop's.
    pub fn begin_step(&mut self) {
        if self.order.graph.scope.is_none() {
            self.log.begin_step();
        }
    }

    /// Ends a step. If that is noted, it is waited for, so that what it has cost is its own.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap).
    pub fn end_step(&mut self, number: usize, step: &Step) -> Result<()> {
        if self.log.0.is_none() || self.order.graph.scope.is_some() {
            return Ok(());
        }
        self.settle()?;
        self.count_all()?;
        let (name, least_bytes) = (labels(self.nodes, &step.members), self.least_bytes(step));
        let phase = self.order.graph.levels[step.root].unwrap_or_default();
        if let Some(record) = &mut self.log.0 {
            let open = std::mem::take(&mut record.step);
            let stats = StepStats {
                members: step.members.clone(),
                name,
                launches: open.launches,
                submissions: open.tally.batches,
                estimated_instructions: open.estimated,
                retired: open.tally.retired,
                least_bytes,
                host_time: record.begin.elapsed().saturating_sub(open.begin),
                device_time: open.tally.device_time,
            };
            record.step(number, phase, open.begin, stats);
        }
        Ok(())
    }

    /// Bytes of the columns that a step reads and of those that it gives, each once.
    fn least_bytes(&self, step: &Step) -> u64 {
        let members = step.members.iter();
        let reads = members.flat_map(|member| self.order.graph.reads(self.nodes, *member));
        let read = reads.map(|read| read.node).filter(|node| !step.members.contains(node));
        let columns: BTreeSet<usize> = read.chain(step.stored.iter().copied()).collect();
        let bytes = |node: usize| 4 * self.length(node) as u64 * u64::from(self.nodes[node].element.words);
        columns.into_iter().map(bytes).sum()
    }
}

/// What nodes are called.
pub(super) fn labels(nodes: &[Node<'_>], members: &[usize]) -> String {
    let labels: Vec<String> = members.iter().map(|node| nodes[*node].kind.label(*node)).collect();
    labels.join(", ")
}

impl Record {
    fn bar(&mut self, track: Track, name: String, begin: Duration, args: Json) {
        let time = self.begin.elapsed().saturating_sub(begin);
        self.trace.bars.push(Bar {
            track,
            name,
            begin,
            time,
            args,
        });
    }

    /// Notes a step that is over. The steps of a phase follow each other, so each makes the phase longer.
    fn step(&mut self, number: usize, phase: usize, begin: Duration, stats: StepStats) {
        let args = Json::Object(vec![("step", number.json()), ("stats", stats.json())]);
        self.bar(Track::Steps, stats.name.clone(), begin, args);
        self.steps.push(stats);
        let (end, name) = (self.begin.elapsed(), format!("phase {phase}"));
        match self.trace.last(Track::Phases) {
            Some(bar) if bar.name == name => bar.time = end.saturating_sub(bar.begin),
            _ => self.bar(Track::Phases, name, begin, Json::Object(vec![("phase", phase.json())])),
        }
    }
}

impl ToJson for Launched {
    fn json(&self) -> Json {
        fields!(self; step, vms, estimated_instructions)
    }
}
