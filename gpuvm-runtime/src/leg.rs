//! A leg of a launch: all VMs through one step, or through several where one job can make them. Where the device does not hold all
//! VMs at once, a leg has several parts, each a job of its own.

mod asking;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use gpuvm_core::interp::{Vm, header};
use gpuvm_core::isa::space;
use gpuvm_core::program::{Mode, ParamSlot, Program, Status, TrapRecord};
use gpuvm_engine::{Demand, Engine, Execute, Image, Limit, Memory, Reach, Running, Source, Tally, Words, room};

use crate::content::Content;
use crate::detached::{DetachedVm, Surroundings};
use crate::error::{Error, Result};
use crate::marshal::{Cut, Layout};
use crate::tally::sum;
use crate::trap::Trap;
use crate::view::{Seen, View};

/// What the legs of one launch have in common.
pub(crate) struct Course {
    pub executor: Arc<dyn Execute>,
    pub engine: Engine,
    pub program: Arc<Program>,
    /// VMs of the launch.
    pub vms: u32,
    /// Those of them that run here. The others are another course's affair.
    pub range: Range<u32>,
    /// What its jobs are told of [what VMs touch](gpuvm_engine::Job::reach).
    pub reach: Arc<[Option<Reach>]>,
    /// Whether every part is kept until the leg is closed, so that it can be looked at and saved; else a part that is over makes room.
    pub keep: bool,
    /// Whether VMs may have to stop after a number of instructions.
    pub counts: bool,
    /// Whether all VMs that trap are told, and not the first alone.
    pub all_traps: bool,
}

impl Course {
    /// Whether nobody asks after any VM but the first that traps, wherever it stands.
    fn only_first_trap(&self) -> bool {
        !self.keep && !self.counts && !self.all_traps
    }
}

/// Where the VMs of a leg begin.
#[derive(Clone, Copy)]
pub(crate) enum Entrance<'i> {
    /// At the program's entry.
    Program,
    /// In the middle of a step.
    Image {
        /// The state of all VMs.
        image: &'i Arc<Image>,
        /// How many VMs a job had. It has to be as many again, because VMs hold addresses in the job's arena.
        batch: u32,
    },
}

/// All VMs on their way.
pub(crate) struct Leg {
    pub layout: Layout,
    pub parts: Vec<Part>,
    /// Steps that each part makes.
    pub steps: u32,
    /// Whether all parts run at the same time. Else each waits for the one before: it needs the atomics that that leaves, or its room.
    together: bool,
    /// Whether VMs may begin again: they change nothing but their jobs' own memory, and are not looked at.
    restarts: bool,
    /// Whether VMs began in the middle of a step.
    is_resumed: bool,
    /// The part whose turn it is.
    turn: usize,
}

/// The first VM of a part that has trapped.
pub(crate) struct Trapped {
    record: TrapRecord,
    /// Where it stands, if that is known.
    vm: Option<Vm>,
    /// All that have, if somebody asks.
    all: Vec<u32>,
}

impl Trapped {
    /// What it means.
    fn told(self, program: &Program) -> Trap {
        Trap::at(program, &self.record, self.vm.as_ref()).among(self.all)
    }
}

/// A range of the VMs, and its job.
pub(crate) struct Part {
    pub range: Range<u32>,
    pub stage: Stage,
    /// How it stood when it was advanced last.
    pub tally: Tally,
}

/// How far a part is.
pub(crate) enum Stage {
    /// It has not begun; with the state to begin with, if that is not the entry.
    Waiting(Option<Arc<Image>>),
    /// It is on the engine.
    Started(Box<dyn Running>),
    /// It was over and has made room.
    Closed(Option<Box<Trapped>>),
}

impl Part {
    /// The state of its VMs.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn image(&mut self, program: &Program) -> Result<Image> {
        let range = &self.range;
        Ok(match &mut self.stage {
            Stage::Started(running) => running.image()?,
            Stage::Waiting(Some(image)) => image.part(program, 0..image.vms()),
            Stage::Waiting(None) | Stage::Closed(_) => {
                Image::fresh(program, range.start, range.end - range.start, Status::Running)
            }
        })
    }

    /// How it stands, also before it has begun.
    pub(crate) fn standing(&self) -> Tally {
        match self.stage {
            Stage::Waiting(_) => Tally {
                running: self.range.end - self.range.start,
                ..Tally::default()
            },
            _ => self.tally.clone(),
        }
    }
}

impl Leg {
    /// Cuts the VMs to parts of a size that the engine bears. `steps` are the steps that are left; the leg makes all of them if one
    /// job can, else one; so does a leg that begins in the middle of a step.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if not even one VM fits, or not as many as there have to be; [`Error::OutOfMemory`] if the host has no room for what
    /// all of them return.
    pub(crate) fn new(
        course: &Course,
        params: &[Seen<'_>],
        steps: u32,
        entrance: Entrance<'_>,
        routine: &str,
    ) -> Result<Leg> {
        let Course {
            program, vms, range, ..
        } = course;
        let own = range.len() as u32;
        room::for_results(range.len(), 4 * program.result_words() as usize, routine)?;
        let layout = |repeated| Layout::new(params, program.result_words(), *vms, repeated);
        let addressable = |layout: &Layout| {
            let demand = layout.demand();
            demand.vms_within(u64::from(u32::MAX).saturating_sub(demand.atomic_words))
        };
        let changes = |param: &Seen<'_>| {
            let read = matches!(param.mode, Mode::Value | Mode::Slice);
            !read && matches!(param.view, View::Device { .. })
        };
        let begins = matches!(entrance, Entrance::Program);
        let alone = begins && !course.keep && !params.iter().any(changes);
        let (image, batch) = match entrance {
            Entrance::Program => (None, None),
            Entrance::Image { image, batch } => (Some(image), Some(batch)),
        };
        let fits = |layout: &Layout| {
            let demand = Demand {
                restarts: alone && !layout.is_handed_on(),
                vms: batch.unwrap_or(own),
                only_first_trap: course.only_first_trap(),
                ..layout.demand()
            };
            let capacity = course.executor.capacity(program, &demand);
            capacity.min(addressable(layout)).min(own)
        };
        let several = steps > 1 && image.is_none() && Layout::repeatable(params) && course.executor.runs_ahead();
        let repeated = several.then(|| layout(true)).filter(|layout| fits(layout) == own);
        let steps = if repeated.is_some() { steps } else { 1 };
        let layout = repeated.unwrap_or_else(|| layout(false));
        let most = match (batch, course.engine) {
            // It prefers few at a time, and takes as many as there are.
            (Some(_), Engine::Reference) => addressable(&layout),
            _ => fits(&layout),
        };
        let batch = batch.unwrap_or(most);
        if batch == 0 || batch > most {
            let demand = layout.demand();
            return Err(Error::TooLarge {
                routine: routine.to_string(),
                words: demand.shared_words + demand.words_per_vm * u64::from(batch.max(1)) + demand.atomic_words,
                vms: batch.max(1).into(),
                engine: course.engine,
            });
        }
        let parts = range.clone().step_by(batch as usize).map(|first| {
            let range = first..first + batch.min(range.end - first);
            let image = image.map(|image| match range.len() == image.vms() {
                true => image.clone(),
                false => Arc::new(image.part(program, range.start as usize..range.end as usize)),
            });
            Part {
                range,
                stage: Stage::Waiting(image),
                tally: Tally::default(),
            }
        });
        let restarts = alone && !layout.is_handed_on();
        Ok(Leg {
            together: course.keep && !layout.is_handed_on(),
            restarts,
            parts: parts.collect(),
            layout,
            steps,
            is_resumed: !begins,
            turn: 0,
        })
    }

    /// A leg of one part that something else has begun, all of whose columns are in the engine's memory.
    pub(crate) fn begun(course: &Course, running: Box<dyn Running>) -> Leg {
        let part = Part {
            range: course.range.clone(),
            stage: Stage::Started(running),
            tally: Tally {
                running: course.range.len() as u32,
                ..Tally::default()
            },
        };
        Leg {
            layout: Layout::new(&[], course.program.result_words(), course.vms, false),
            parts: vec![part],
            steps: 1,
            together: false,
            restarts: false,
            is_resumed: true,
            turn: 0,
        }
    }

    /// Lets every part that is not over go on within the limit, and gives whether there was time for all. `watch` gets the tally of all.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn round(
        &mut self,
        course: &Course,
        params: &mut [Seen<'_>],
        results: &mut Words,
        limit: &Limit,
        watch: &mut dyn FnMut(&Tally),
    ) -> Result<bool> {
        let begin = Instant::now();
        let (count, all) = (self.parts.len(), limit.time);
        let out_of_time = || all.is_some_and(|time| begin.elapsed() >= time);
        // VMs in front of breakpoints go past them in every part, however little time there is: whoever has seen them there does not expect to
        // see them there again.
        let passes = !limit.breakpoints.is_empty() && !limit.stays;
        for _ in 0..count {
            let index = self.turn % count;
            if self.is_over(index) {
                self.turn += 1;
                continue;
            }
            if let Stage::Waiting(_) = self.parts[index].stage {
                let running = self.beginning(index).begin(course, params, results)?;
                self.parts[index].stage = Stage::Started(running);
            }
            let limit = Limit {
                time: limit.time.map(|time| time.saturating_sub(begin.elapsed())),
                ..limit.clone()
            };
            match self.run(course, params, index, results, &limit, watch) {
                Err(Error::OutOfMemory { .. }) if self.cut(index) => return Ok(true),
                other => other?,
            }
            let over = self.is_over(index);
            if over && !course.keep {
                self.close_part(course, index, params, results)?;
            } else if over && !self.together && index + 1 < count {
                let Stage::Started(running) = &mut self.parts[index].stage else {
                    continue;
                };
                let atomics = running.memory()?.atomics;
                self.layout.keep_atomics(atomics);
            }
            if over || self.together {
                self.turn += 1;
            }
            if out_of_time() && !passes || !over && !self.together {
                break;
            }
        }
        Ok(!out_of_time())
    }

    /// Lets one part go on. While it runs, the next one is taken to the engine, unless that needs what this one leaves.
    fn run(
        &mut self,
        course: &Course,
        params: &[Seen<'_>],
        index: usize,
        results: &[u32],
        limit: &Limit,
        watch: &mut dyn FnMut(&Tally),
    ) -> Result<()> {
        let others: Vec<Tally> = (0..self.parts.len())
            .filter(|other| *other != index)
            .map(|other| self.parts[other].standing())
            .collect();
        let mut watch = |tally: &Tally| watch(&sum(others.iter().chain([tally])));
        // The part is taken out for the time, so that the others can be looked at.
        let taken = std::mem::replace(&mut self.parts[index].stage, Stage::Closed(None));
        let Stage::Started(mut running) = taken else {
            self.parts[index].stage = taken;
            return Ok(());
        };
        let next = index + 1;
        let early = !self.layout.is_handed_on()
            && course.executor.runs_ahead()
            && self
                .parts
                .get(next)
                .is_some_and(|part| matches!(part.stage, Stage::Waiting(_)));
        let (advanced, started) = if early {
            let beginning = self.beginning(next);
            std::thread::scope(|scope| {
                let started = scope.spawn(|| beginning.begin(course, params, results));
                let advanced = running.advance(limit, &mut watch);
                let started = started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                (advanced, Some(started))
            })
        } else {
            (running.advance(limit, &mut watch), None)
        };
        self.parts[index].stage = Stage::Started(running);
        self.parts[index].tally = advanced?;
        match started {
            Some(Ok(running)) => {
                self.parts[next].tally = Tally {
                    running: self.parts[next].range.len() as u32,
                    ..Tally::default()
                };
                self.parts[next].stage = Stage::Started(running);
            }
            // There is room for one at a time; the next one's turn comes when this one has made room.
            None | Some(Err(Error::OutOfMemory { .. })) => {}
            Some(Err(error)) => return Err(error),
        }
        Ok(())
    }

    /// Makes smaller parts of one that has had no room on the way, for their VMs to begin again, and of those that have not begun. Whether that can
    /// be.
    fn cut(&mut self, index: usize) -> bool {
        let Stage::Started(running) = &self.parts[index].stage else {
            return false;
        };
        let Some(most) = running.most_at_a_time() else {
            return false;
        };
        if self.parts[index].range.len() < 2 || !self.restarts {
            return false;
        }
        self.parts[index].stage = Stage::Waiting(None);
        for part in std::mem::take(&mut self.parts) {
            if !matches!(part.stage, Stage::Waiting(_)) {
                self.parts.push(part);
                continue;
            }
            let end = part.range.end;
            self.parts.extend(part.range.step_by(most as usize).map(|first| Part {
                range: first..end.min(first.saturating_add(most)),
                stage: Stage::Waiting(None),
                tally: Tally::default(),
            }));
        }
        true
    }

    /// What it takes to begin a part.
    fn beginning(&self, part: usize) -> Beginning<'_> {
        let Part { range, stage, .. } = &self.parts[part];
        Beginning {
            layout: &self.layout,
            range: range.clone(),
            steps: self.steps,
            image: match stage {
                Stage::Waiting(image) => image.as_deref(),
                _ => None,
            },
        }
    }

    /// Whether all VMs of a part have stopped for good.
    fn is_over(&self, part: usize) -> bool {
        let Part { stage, tally, .. } = &self.parts[part];
        match stage {
            Stage::Waiting(_) => false,
            Stage::Closed(_) => true,
            Stage::Started(_) => {
                let live = tally.running + tally.yielded + tally.blocked;
                live == 0 && (self.steps == 1 || tally.trapped > 0 || tally.steps >= self.steps)
            }
        }
    }

    /// Whether all VMs have stopped for good.
    pub(crate) fn all_over(&self) -> bool {
        (0..self.parts.len()).all(|part| self.is_over(part))
    }

    /// The parts' tallies together.
    pub(crate) fn tally(&self) -> Tally {
        let tallies: Vec<Tally> = self.parts.iter().map(Part::standing).collect();
        sum(&tallies)
    }

    fn close_part(
        &mut self,
        course: &Course,
        index: usize,
        params: &mut [Seen<'_>],
        results: &mut Words,
    ) -> Result<()> {
        if !matches!(self.parts[index].stage, Stage::Started(_)) {
            return Ok(());
        }
        let stage = std::mem::replace(&mut self.parts[index].stage, Stage::Closed(None));
        if let Stage::Started(mut running) = stage {
            let vm = match running.first_trapped() {
                None => None,
                Some(place) if running.keeps_trapped() => Some(running.vm(place)?),
                Some(place) => {
                    let vm = self.parts[index].range.start + place;
                    self.replayed(course, params, vm).map(|detached| detached.vm().clone())
                }
            };
            let mut finished = running.finish()?;
            let trap = finished.first_trap.map(|record| {
                Box::new(Trapped {
                    record,
                    vm: vm.filter(|vm| vm.trap == Some(record)),
                    all: std::mem::take(&mut finished.trapped),
                })
            });
            let range = self.parts[index].range.clone();
            self.layout.take(range, finished, params, results, &course.range);
            self.parts[index].stage = Stage::Closed(trap);
        }
        Ok(())
    }

    /// Gives what the VMs have left to the arguments and to `results`, and the trap of the lowest VM id.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn close(
        &mut self,
        course: &Course,
        params: &mut [Seen<'_>],
        results: &mut Words,
    ) -> Result<Option<Trap>> {
        for part in 0..self.parts.len() {
            self.close_part(course, part, params, results)?;
        }
        let words = course.program.result_words() as usize * course.range.len();
        if results.len() < words {
            let mut all = std::mem::take(results).into_vec();
            all.resize(words, 0);
            *results = all.into();
        }
        self.layout.finish(params);
        let traps = self.parts.iter_mut().filter_map(|part| match &mut part.stage {
            Stage::Closed(trap) => trap.take(),
            _ => None,
        });
        Ok(Trap::first_of(traps.map(|trap| trap.told(&course.program))))
    }

    /// One VM by itself, with the memory that it sees as it is now.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn detach(
        &mut self,
        course: &Course,
        params: &[Seen<'_>],
        results: &[u32],
        vm: u32,
    ) -> Result<Option<DetachedVm>> {
        let Some(index) = self.parts.iter().position(|part| part.range.contains(&vm)) else {
            return Ok(None);
        };
        if let Stage::Waiting(_) = self.parts[index].stage {
            let running = self.beginning(index).begin(course, params, results)?;
            let part = &mut self.parts[index];
            part.tally.running = part.range.len() as u32;
            part.stage = Stage::Started(running);
        }
        let Part { range, stage, .. } = &mut self.parts[index];
        let Stage::Started(running) = stage else {
            return Ok(None);
        };
        let Memory { arena, atomics } = running.memory()?;
        let surroundings = Surroundings {
            arena,
            atomics,
            slots: running.slots().iter().map(|slot| slot.place).collect(),
            vm_count: course.vms,
        };
        let state = running.vm(vm - range.start)?;
        if state.status() == Status::Trapped
            && !running.keeps_trapped()
            && let Some(replayed) = self.replayed(course, params, vm)
        {
            return Ok(Some(replayed));
        }
        Ok(Some(DetachedVm::new(course.program.clone(), state, surroundings)))
    }

    /// Puts a VM back in the place of the one with its number, and what it has written.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn attach(&mut self, detached: &DetachedVm) -> Result<()> {
        let vm = detached.vm().state[header::VM_ID];
        let part = self.parts.iter_mut().find(|part| part.range.contains(&vm));
        let Some(Part {
            range,
            stage: Stage::Started(running),
            tally,
        }) = part
        else {
            return Ok(());
        };
        for (space, first, words) in detached.written() {
            match space {
                space::ARENA => running.write_arena(first as usize, &words)?,
                _ => running.write_atomics(first as usize, &words)?,
            }
        }
        let index = vm - range.start;
        let before = running.vm(index)?.status();
        running.replace(index, detached.vm())?;
        // The engine counts again with the next advance.
        *count_of(tally, before) -= 1;
        *count_of(tally, detached.vm().status()) += 1;
        tally.at_breakpoint = 0;
        Ok(())
    }

    /// A VM at the entry, with the memory that it saw there; `None` if that is not known any more, or if what it reads depends on others.
    pub(crate) fn history(&self, course: &Course, params: &[Seen<'_>], vm: u32) -> Option<DetachedVm> {
        let part = self.parts.iter().find(|part| part.range.contains(&vm))?;
        let repeated = self.steps > 1 && part.tally.steps > 0;
        let elsewhere = params.iter().any(|param| matches!(param.view, View::Device { .. }));
        if self.is_resumed || repeated || elsewhere || course.vms > 1 && self.layout.is_handed_on() {
            return None;
        }
        Some(at_entry(
            (&course.program, course.vms),
            &self.layout,
            params,
            part.range.clone(),
            vm,
        ))
    }

    /// A VM that has trapped, run once more to where it did, for an engine that keeps no more than what it has recorded. `None` if that takes long, or nobody
    /// can tell what it began with.
    fn replayed(&self, course: &Course, params: &[Seen<'_>], vm: u32) -> Option<DetachedVm> {
        let mut history = self.history(course, params, vm)?;
        history.go_to(REPLAYED);
        history.vm().trap.is_some().then_some(history)
    }

    /// The first VM that has trapped.
    pub(crate) fn first_trapped(&self) -> Option<u32> {
        self.parts.iter().find_map(|part| match &part.stage {
            Stage::Started(running) => Some(part.range.start + running.first_trapped()?),
            _ => None,
        })
    }

    /// The state of one VM, and which of its words have their values, as bits.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub(crate) fn vm(&mut self, course: &Course, params: &[Seen<'_>], vm: u32) -> Result<(Vm, u32)> {
        let program = &course.program;
        let part = self.parts.iter_mut().find(|part| part.range.contains(&vm));
        if let Some(Part {
            range,
            stage: Stage::Started(running),
            ..
        }) = part
        {
            let state = running.vm(vm - range.start)?;
            let is_whole = state.status() != Status::Trapped || running.keeps_trapped();
            let kept = running.kept(&state);
            let replayed = if is_whole {
                None
            } else {
                self.replayed(course, params, vm)
            };
            return Ok(replayed.map_or((state, kept), |replayed| (replayed.vm().clone(), u32::MAX)));
        }
        for part in &mut self.parts {
            let Some(index) = vm.checked_sub(part.range.start).filter(|_| part.range.contains(&vm)) else {
                continue;
            };
            if let Stage::Waiting(Some(image)) = &part.stage
                && let Some(vm) = image.vm(program, index as usize)
            {
                return Ok((vm, u32::MAX));
            }
        }
        Ok((Vm::new(program, vm), u32::MAX))
    }
}

/// Instructions of a VM that are run once more to tell of its trap: some tenths of a second.
pub(crate) const REPLAYED: u64 = 1 << 23;

/// How many of the VMs that a tally counts stand like this.
fn count_of(tally: &mut Tally, status: Status) -> &mut u32 {
    match status {
        Status::Running => &mut tally.running,
        Status::Blocked => &mut tally.blocked,
        Status::Yielded => &mut tally.yielded,
        Status::Halted => &mut tally.halted,
        Status::Trapped => &mut tally.trapped,
    }
}

/// A VM at the entry by itself, in the memory that a job of such VMs begins with.
pub(crate) fn at_entry(
    (program, vms): (&Arc<Program>, u32),
    layout: &Layout,
    params: &[Seen<'_>],
    range: Range<u32>,
    vm: u32,
) -> DetachedVm {
    let (slots, content) = memory_at_entry((program, vms), layout, params, range);
    let mut arena = vec![0; content.words()];
    content.write(0..content.words(), &mut arena);
    let surroundings = Surroundings {
        arena,
        atomics: layout.atomics(),
        slots,
        vm_count: vms,
    };
    DetachedVm::new(program.clone(), Vm::new(program, vm), surroundings)
}

/// What a job of some VMs begins with: where their parameters lie, the result's slot last, and what is in its arena.
pub(crate) fn memory_at_entry<'p>(
    (program, vms): (&'p Arc<Program>, u32),
    layout: &Layout,
    params: &'p [Seen<'_>],
    range: Range<u32>,
) -> (Vec<ParamSlot>, Content<'p>) {
    let cut = Cut {
        program,
        range,
        vm_count: vms,
        steps: 1,
        results: &[],
    };
    let (job, content) = layout.job(params, &cut);
    (job.slots.iter().map(|slot| slot.place).collect(), content)
}

/// A part that is about to begin.
struct Beginning<'l> {
    layout: &'l Layout,
    range: Range<u32>,
    steps: u32,
    image: Option<&'l Image>,
}

impl Beginning<'_> {
    /// Takes the part's job to the engine. `results` are those of the course.
    fn begin(&self, course: &Course, params: &[Seen<'_>], results: &[u32]) -> Result<Box<dyn Running>> {
        let each = course.program.result_words() as usize;
        let first = (self.range.start - course.range.start) as usize;
        let results = results.get(each * first..each * (first + self.range.len()));
        let cut = Cut {
            program: &course.program,
            range: self.range.clone(),
            vm_count: course.vms,
            steps: self.steps,
            results: results.unwrap_or_default(),
        };
        let (mut job, arena) = self.layout.job(params, &cut);
        job.atomics = self.layout.atomics();
        job.is_looked_at = course.keep || course.all_traps;
        job.only_first_trap = course.only_first_trap();
        job.all_traps = course.all_traps;
        job.reach = Arc::clone(&course.reach);
        if self.range.start > course.range.start {
            // The first part has made the copies, as it was before any VM of the step has written.
            job.copies.clear();
        }
        let Some(image) = self.image else {
            return Ok(course.executor.start(job, &arena)?);
        };
        job.copies.clear();
        let mut running = course.executor.start(job, &arena)?;
        running.restore(image)?;
        Ok(running)
    }
}
