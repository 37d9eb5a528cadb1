//! Profiles of plans: a launch is sampled when all that it reads is there.

use std::time::Instant;

use gpuvm_engine::Engine;

use super::fuse::Step;
use super::kernel::Source;
use super::log::labels;
use super::node::Use;
use super::prepared::{Linked, Prepared};
use super::report::Report;
use super::run::Run;
use super::trace::Trace;
use crate::bind::Bound;
use crate::error::Result;
use crate::launch::profile::{Subject, named_by, unsampled};
use crate::leg::Course;
use crate::logs::LogLimit;
use crate::profile::{PlanProfiling, Profile, Sampled, WORDS};
use crate::view::{Held, Seen};

/// The profile of a run on its way. One that is off costs nothing.
#[derive(Default)]
pub(super) struct Profiled(Option<Box<Record>>);

/// What is known so far.
struct Record {
    profiling: PlanProfiling,
    /// The numbers and names of the steps that are loops and run, the outermost first.
    loops: Vec<(usize, String)>,
    /// The launch that is next: which part of the profile it is, and whether it is to be sampled.
    next: Option<(usize, bool)>,
}

impl Profiled {
    /// One that is on.
    pub fn new(plan: &Prepared) -> Profiled {
        Profiled(Some(Box::new(Record {
            profiling: PlanProfiling::start(weights(plan)),
            loops: Vec::new(),
            next: None,
        })))
    }

    /// The part of the profile that the next launch is.
    pub fn part(&self) -> Option<usize> {
        self.0.as_ref()?.next.map(|(part, _)| part)
    }

    /// Counts a launch of a part that has ended.
    pub fn ended(&mut self, part: Option<usize>, vms: u32) {
        if let (Some(record), Some(part)) = (&mut self.0, part) {
            record.profiling.ended(part, vms);
        }
    }

    /// Forgets which launch is next.
    pub fn clear(&mut self) {
        if let Some(record) = &mut self.0 {
            record.next = None;
        }
    }

    /// The part of the next launch, if it is to be sampled and was not yet.
    fn take_due(&mut self) -> Option<usize> {
        let (part, is_due) = self.0.as_deref_mut()?.next.as_mut()?;
        std::mem::take(is_due).then_some(*part)
    }

    fn add(&mut self, part: usize, sampled: Sampled) {
        if let Some(record) = &mut self.0 {
            record.profiling.add(part, sampled);
        }
    }
}

/// How many steps there are in each of a plan's, itself and the bodies of loops counted.
fn weights(plan: &Prepared) -> Vec<u64> {
    let body = |step: &Step| plan.bodies.get(&step.root).map(weights).unwrap_or_default();
    let steps = plan.order.steps.iter();
    steps.map(|step| 1 + body(step).iter().sum::<u64>()).collect()
}

impl<'p> Run<'p, '_> {
    /// Says that the next launch of the step which runs begins. Kernels that tell of a native function's trap are none of the plan's.
    pub fn profile_launch(&mut self) {
        if self.engine != Engine::Native {
            self.profile_next(self.turn.launch);
        }
    }

    /// Says that a launch of the step which runs begins, and a number that it has in common with those which are like it.
    pub fn profile_next(&mut self, number: usize) {
        let (order, nodes, turn) = (self.order, self.nodes, self.turn.step);
        let Some(record) = &mut self.profiled.0 else { return };
        // Steps that are made to tell of a trap are none of the plan's.
        record.next = order.steps.get(turn).map(|step| {
            let outer = record.loops.iter().map(|(number, _)| *number);
            let numbers = outer.chain([turn]).collect();
            record.profiling.begin(numbers, number, || {
                let outer = record.loops.iter().map(|(_, name)| name.clone());
                outer.chain([labels(nodes, &step.members)]).collect()
            })
        });
    }

    /// Begins a loop, the step which runs.
    pub fn profile_loop(&mut self, step: &Step) {
        let (nodes, number) = (self.nodes, self.turn.step);
        if let Some(record) = &mut self.profiled.0 {
            let name = labels(nodes, &step.members[..1]);
            record.loops.push((number, name));
        }
    }

    /// Ends the innermost loop.
    pub fn profile_loop_ended(&mut self) {
        if let Some(record) = &mut self.profiled.0 {
            record.loops.pop();
        }
    }

    /// Samples the next launch if it is wanted: waits for those before, and copies what some of its VMs see. Gives its parameters back.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap) of a launch before.
    pub fn sampled(&mut self, course: &Course, kernel: &Linked, params: Vec<Bound<'p>>) -> Result<Vec<Bound<'p>>> {
        let Some(part) = self.profiled.take_due() else {
            return Ok(params);
        };
        self.settle()?;
        if self.under_way.is_closed() {
            return Ok(params);
        }
        let begin = Instant::now();
        let memory = course.executor.memory();
        let mut held = Held::new(params, memory.as_ref(), false)?;
        held.refresh()?;
        let sources = &kernel.sketch.sources;
        let name = |index: usize| match sources.get(index)? {
            Source::Node(node, parameter, _) => Some(self.parameter(*node, *parameter)),
            _ => None,
        };
        let subject = Subject {
            program: &course.program,
            name: &name,
            vms: course.vms,
            steps: 1,
            words: WORDS,
        };
        let mut sampled = subject.sampled(held.views(), memory.as_ref());
        if kernel.tiles.is_some() {
            let note = "elements go through tiles, and what is done with these there is not counted";
            sampled.notes.push(note.to_string());
        }
        let params = held.params;
        self.profiled.add(part, sampled);
        self.leave_out(begin);
        Ok(params)
    }

    /// Samples the next call of a routine's function for so many VMs if it is wanted.
    pub fn sampled_call(&mut self, of: &Use, params: &mut [Seen<'_>], vms: u32) {
        let Some(part) = self.profiled.take_due() else {
            return;
        };
        let begin = Instant::now();
        let sampled = match self.runtime.link_with(&of.entry, self.runtime.settings()) {
            Ok(program) => {
                let subject = Subject {
                    program: &program,
                    name: &named_by(&of.entry),
                    vms,
                    steps: 1,
                    words: WORDS,
                };
                let params = params.iter_mut().map(Seen::reborrow).collect();
                subject.sampled_natively(params, LogLimit::default())
            }
            Err(error) => unsampled(&error),
        };
        self.profiled.add(part, sampled);
        self.leave_out(begin);
    }

    /// Stops all clocks for as long as it took since then.
    fn leave_out(&mut self, since: Instant) {
        let time = since.elapsed();
        self.begin += time;
        self.log.leave_out(time);
    }

    /// The profile of a run that is over, of which this was noted.
    pub fn profile(&mut self, plan: &'p Prepared, trace: Option<&Trace>, is_early: bool) -> Option<Box<Profile>> {
        let record = self.profiled.0.take()?;
        let stats = self.launch_stats(self.vms);
        let timeline = trace.map(Trace::timeline).unwrap_or_default();
        let plan = Run::new(self.runtime, self.nodes, plan, self.engine, self.options, self.answers);
        let graph = Report::of(&plan).ok().map(|report| report.to_inline_svg());
        Some(record.profiling.finish(&stats, timeline, graph, is_early))
    }
}
