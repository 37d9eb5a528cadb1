//! Jobs in a row: many in one submission, and the host looks only when it has to. The kernels themselves see to it that nothing runs
//! after a job that did not end: a VM that stops without halting notes its job's number, and jobs of other numbers do not start.
//!
//! A job that needs of the one before only what each workgroup has left, and surely ends, is joined to it: one dispatch runs both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Program;

use super::super::clock::{self, Clock};
use super::super::gpu::Gpu;
use super::super::memory::{Readback, WORD, part_of, size, words_of};
use super::super::pace::Pace;
use super::super::pool::{Kind, Lease};
use super::super::source::{WORKGROUP, row, signal};
use super::super::stepper::{Batch, Planner, Shared, Stepper};
use super::super::transfer::Staged;
use super::advance::{INNER_CYCLES_SOFTWARE, retired};
use super::arena::Arena;
use super::buffers::{ATOMICS_AT, UNIFORM_STRIDE, append_slots, fetch_atomics, is_resident, return_atomics, window};
use super::launch::{Launch, fields};
use super::{Begun, Session};
use crate::engine::{Engine, Job, Limit, Row, Sequence, Source, Tally};
use crate::error::Result;

/// Jobs of one submission. What a submission costs the host is little then for each, and the device need not wait long for the first.
const MOST_JOBS: usize = 64;
/// A job's own arena may have so many words.
const MOST_WORDS: usize = 1 << 12;
/// Words that the states of a job's VMs may take.
const MOST_STATES: u64 = 1 << 26;

/// A row of jobs on an engine.
pub struct Jobs<P> {
    planner: P,
    /// Those that were not submitted yet.
    added: Vec<Added>,
    /// Those that were.
    submitted: Vec<Submission>,
    /// Programs' own kernels, by their addresses: jobs in a row are often of few programs, and keep them.
    kernels: BTreeMap<usize, Arc<dyn Stepper>>,
    /// The same of two programs whose jobs are joined, where they can be.
    joined: BTreeMap<[usize; 2], Option<Arc<dyn Stepper>>>,
    clocks: Vec<Clock>,
    /// The signal, and from [`ATOMICS_AT`] on the atomics of the job that runs.
    cells: Option<Arc<Lease>>,
    states: Option<Arc<Lease>>,
    frames: Option<Arc<Lease>>,
}

/// A job of the row.
struct Added {
    job: Job,
    stepper: Arc<dyn Stepper>,
    /// What runs the job before and this one, if they are joined.
    joined: Option<Arc<dyn Stepper>>,
    arena: Arena,
    /// What its arena starts with.
    words: Vec<u32>,
    cycles: u32,
    inner_cycles: u32,
}

/// Jobs that are under way, and where they leave the states of their VMs.
struct Submission {
    jobs: Vec<Added>,
    states: Arc<Lease>,
    frames: Arc<Lease>,
}

/// A job, or two that are joined, in one dispatch.
struct Dispatch<'a> {
    first: &'a Added,
    jobs: usize,
    /// What runs them.
    stepper: &'a Arc<dyn Stepper>,
}

/// What is bound for all jobs of a submission: buffers, and how many words of them.
struct Bound<'b> {
    /// A uniform a job, and from a byte on the slots.
    inputs: &'b Lease,
    slots: (u64, u64),
    /// The signal, and so many words of atomics.
    cells: (&'b Lease, u64),
    states: (&'b Lease, u64),
    frames: (&'b Lease, u64),
}

impl<P> Jobs<P> {
    /// An empty row.
    pub fn new(planner: P) -> Jobs<P> {
        Jobs {
            planner,
            added: Vec::new(),
            submitted: Vec::new(),
            kernels: BTreeMap::new(),
            joined: BTreeMap::new(),
            clocks: Vec::new(),
            cells: None,
            states: None,
            frames: None,
        }
    }
}

impl<P: Planner> Sequence for Jobs<P> {
    fn push(&mut self, job: Job, arena: &dyn Source) -> Result<bool> {
        let single = job.steps == 1 && job.copies.is_empty() && job.changed.is_empty();
        let atomics: u64 = job
            .atomic_regions
            .iter()
            .map(|(_, region)| u64::from(region.words))
            .sum();
        let stays = is_resident(&job) && atomics == job.atomics.len() as u64 && job.arena_words <= MOST_WORDS;
        if !single || !stays {
            return Ok(false);
        }
        let stepper = self.stepper(&job.program)?;
        let gpu = &**self.planner.gpu();
        let most = MOST_STATES.min(gpu.limits.max_storage_buffer_binding_size / WORD);
        if state_words(&*stepper, &job) > most {
            return Ok(false);
        }
        let mut words = vec![0; job.arena_words];
        let filled = arena.filled();
        arena.write(0..filled, &mut words[..filled]);
        let (cycles, inner_cycles) = budget(gpu, &*stepper, &job);
        let arena = Arena::in_heap(gpu, &job)?;
        let joined = self.joined(&job, &*stepper)?;
        self.added.push(Added {
            joined,
            arena,
            job,
            stepper,
            words,
            cycles,
            inner_cycles,
        });
        if self.added.len() >= MOST_JOBS {
            self.submit(None)?;
        }
        Ok(true)
    }

    fn wait(&mut self) -> Result<Row> {
        if self.submitted.is_empty() && self.added.is_empty() {
            return Ok(Row::default());
        }
        let gpu = self.planner.gpu().clone();
        // The signal, then for each submission two readings of the clock.
        let words = ATOMICS_AT + ((self.clocks.len() + 1) * clock::WORDS) as u64;
        let readback = gpu.allocating(|_| Readback::new(&gpu, words))?;
        let submission = self.submit(Some(&readback))?;
        readback.wait(&gpu, &submission, None)?;
        let clocks = std::mem::take(&mut self.clocks);
        let (found, spent) = readback.view(&gpu, |words| {
            let mut found = [0; signal::WORDS];
            found.copy_from_slice(&words[..signal::WORDS]);
            let readings = words[ATOMICS_AT as usize..].chunks_exact(clock::WORDS);
            let spent: Duration = clocks.iter().zip(readings).map(|(clock, at)| clock.between(at)).sum();
            (found, spent)
        })?;
        let submissions = std::mem::take(&mut self.submitted);
        (self.cells, self.states, self.frames) = (None, None, None);
        self.kernels.clear();
        self.joined.clear();
        self.end(&gpu, submissions, &found, (!clocks.is_empty()).then_some(spent))
    }
}

impl<P: Planner> Jobs<P> {
    /// What a program's jobs begin with. The interpreter may yet be followed by something better.
    fn stepper(&mut self, program: &Arc<Program>) -> Result<Arc<dyn Stepper>> {
        let key = Arc::as_ptr(program).addr();
        if let Some(known) = self.kernels.get(&key) {
            return Ok(known.clone());
        }
        let stepper = self.planner.stepper(program)?;
        if stepper.engine() == Engine::Specialized {
            self.kernels.insert(key, stepper.clone());
        }
        Ok(stepper)
    }

    /// What runs a job together with the one that was added last, if it can be joined to that.
    fn joined(&mut self, job: &Job, stepper: &dyn Stepper) -> Result<Option<Arc<dyn Stepper>>> {
        let (Some(before), Some(WORKGROUP)) = (self.added.last(), job.neighbours) else {
            return Ok(None);
        };
        let follows = before.job.vms.div_ceil(WORKGROUP) == job.vms;
        let specialized = [&*before.stepper, stepper].map(Stepper::engine) == [Engine::Specialized; 2];
        let alike = before.job.program.relaxed == job.program.relaxed && !before.is_alone() && !is_alone(job);
        if !follows || before.joined.is_some() || !specialized || !alike || stepper.writes_states() {
            return Ok(None);
        }
        let programs = [&before.job.program, &job.program];
        let key = programs.map(|program| Arc::as_ptr(program).addr());
        if let Some(known) = self.joined.get(&key) {
            return Ok(known.clone());
        }
        let joined = self.planner.joined(programs[0], programs[1])?;
        self.joined.insert(key, joined.clone());
        Ok(joined)
    }

    /// Submits what was added. The last submission has a readback: for the signal, and for what the clocks say.
    fn submit(&mut self, last: Option<&Readback>) -> Result<wgpu::SubmissionIndex> {
        let gpu = self.planner.gpu().clone();
        let added = std::mem::replace(&mut self.added, Vec::with_capacity(MOST_JOBS));
        let before: usize = self.submitted.iter().map(|submission| submission.jobs.len()).sum();
        let inputs = inputs(&added, before)?;
        let slots_at = added.len() as u64 * u64::from(UNIFORM_STRIDE);
        let starts = added.iter().filter(|added| !added.words.is_empty());
        let parts: Vec<&[u32]> = std::iter::once(&*inputs)
            .chain(starts.clone().map(|added| &*added.words))
            .collect();
        let staged = Staged::new(&gpu, &parts)?;
        let most = |words: fn(&Added) -> u64| added.iter().map(words).max().unwrap_or_default();
        let state_words = most(|added| state_words(&*added.stepper, &added.job));
        let frame_words = most(|added| u64::from(added.job.program.frame_memory()) * u64::from(added.job.vms));
        // No binding is empty.
        let atomic_words = most(|added| added.job.atomics.len() as u64).max(4);
        let cells_before = self.cells.clone();
        let (input, clock) =
            gpu.allocating(|_| (gpu.pool.take(Kind::Input, size(inputs.len() as u64)), Clock::take(&gpu)))?;
        let states = enough(&gpu, &mut self.states, state_words)?;
        let frames = enough(&gpu, &mut self.frames, frame_words)?;
        let cells = enough(&gpu, &mut self.cells, ATOMICS_AT + atomic_words)?;
        let bound = Bound {
            inputs: &input,
            slots: (slots_at, inputs.len() as u64 - slots_at / WORD),
            cells: (&cells, atomic_words),
            states: (&states, state_words),
            frames: (&frames, frame_words),
        };
        // From here to the submission nobody exchanges the arena's buffer.
        let current = gpu.heap.current();
        let (arena, arena_words) = current.buffer()?;
        let clocks = &mut self.clocks;
        let submission = gpu.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            match &cells_before {
                None => encoder.clear_buffer(&cells, 0, Some(ATOMICS_AT * WORD)),
                Some(before) if !Arc::ptr_eq(before, &cells) => {
                    encoder.copy_buffer_to_buffer(before, 0, &cells, 0, ATOMICS_AT * WORD);
                }
                Some(_) => {}
            }
            staged.record(&mut encoder, 0, &input, 0);
            for (added, part) in starts.zip(1..) {
                staged.record(&mut encoder, part, arena, u64::from(added.arena.start()) * WORD);
            }
            bound.record(&gpu, &mut encoder, (arena, arena_words), &added, clock.as_ref());
            let clock = clock.filter(|_| !added.is_empty());
            clocks.extend(clock);
            if let Some(readback) = last {
                readback.record(&mut encoder, &cells, Some(0..signal::WORDS), 0);
                let mut at = ATOMICS_AT;
                for clock in clocks.iter() {
                    let readings = clock.resolve(&mut encoder);
                    at = readback.record(&mut encoder, readings, Some(0..clock::WORDS), at);
                }
            }
            gpu.queue.submit([encoder.finish()])
        })?;
        self.submitted.push(Submission {
            jobs: added,
            states,
            frames,
        });
        Ok(submission)
    }

    /// What a row has come to, given its signal.
    fn end(
        &mut self,
        gpu: &Arc<Gpu>,
        submissions: Vec<Submission>,
        found: &[u32; signal::WORDS],
        device_time: Option<Duration>,
    ) -> Result<Row> {
        let jobs = || submissions.iter().flat_map(|submission| &submission.jobs);
        let stopped = (found[signal::ENDED] as usize).checked_sub(1);
        let ended = stopped.unwrap_or_else(|| jobs().count());
        let counted = jobs().take(ended + 1).all(|job| job.stepper.counts_instructions());
        let vms = |counts: fn(&Added) -> bool| {
            let counting = jobs().take(ended).filter(|job| counts(job));
            counting.map(|job| job.job.vms).fold(0, u32::wrapping_add)
        };
        let halted = vms(|_| true);
        // Those of joined jobs do not count themselves.
        let signalled = vms(|job| job.joined.is_none());
        let mut row = Row {
            tally: Tally {
                halted,
                retired: counted.then(|| retired(found)),
                batches: ended as u64,
                device_time,
                engine: jobs().last().map_or(Engine::Auto, |job| job.stepper.engine()),
                ..Tally::default()
            },
            stopped: None,
        };
        if stopped.is_none() {
            return Ok(row);
        }
        let mut left = submissions.into_iter().flat_map(Submission::into_jobs).skip(ended);
        if let Some((added, states, frames)) = left.next() {
            self.added.extend(left.map(|(later, ..)| later));
            if let Some(first) = self.added.first_mut() {
                first.joined = None;
            }
            let mut signal = *found;
            signal[signal::STOPPED] = found[signal::STOPPED].wrapping_sub(signalled);
            signal[signal::ENDED] = 0;
            signal[signal::RETIRED..signal::ENDED].fill(0);
            let begun = Begun {
                states,
                frames,
                signal,
                cycles: added.cycles.into(),
            };
            let arena = &*added.words;
            let plan = self.planner.plan(&added.job, &arena)?;
            let session = Session::begun(gpu, (plan, added.stepper), added.job, &arena, begun)?;
            row.stopped = Some((ended, Box::new(session)));
        }
        Ok(row)
    }
}

impl Bound<'_> {
    /// Records jobs. Those that need more than dispatches are alone in their passes.
    fn record(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (arena, arena_words): (&wgpu::Buffer, u64),
        added: &[Added],
        clock: Option<&Clock>,
    ) {
        let (slots_at, slot_words) = self.slots;
        let (cells, atomic_words) = self.cells;
        let shared = Shared::new([
            words_of(self.inputs, u64::from(UNIFORM_STRIDE) / WORD),
            part_of(self.inputs, slots_at, slot_words),
            words_of(arena, arena_words),
            part_of(cells, ATOMICS_AT * WORD, atomic_words),
            words_of(self.states.0, self.states.1),
            words_of(self.frames.0, self.frames.1),
            words_of(cells, signal::WORDS as u64),
        ]);
        let stretches = added.chunk_by(|a, b| !a.is_alone() && !b.is_alone());
        let mut done = 0;
        for stretch in stretches {
            let (first, last) = (done == 0, done + stretch.len() == added.len());
            let job = &stretch[0].job;
            if job.program.frame_memory() > 0 {
                encoder.clear_buffer(self.frames.0, 0, None);
            }
            fetch_atomics(job, encoder, arena, cells);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: clock.and_then(|clock| clock.around(first, last)),
            });
            let dispatches: Vec<Dispatch<'_>> = stretch
                .chunk_by(|_, next| next.joined.is_some())
                .map(Dispatch::new)
                .collect();
            for alike in dispatches.chunk_by(Dispatch::is_like) {
                let mut kernels = alike[0].stepper.bind(gpu, &shared, alike[0].first.job.vms);
                for dispatch in alike {
                    let at = done as u32 * UNIFORM_STRIDE;
                    let batch = Batch {
                        dispatches: 1,
                        cycles: dispatch.first.cycles,
                        fresh: true,
                        first: at,
                        then: at + (dispatch.jobs as u32 - 1) * UNIFORM_STRIDE,
                    };
                    kernels.record(&mut pass, &batch);
                    done += dispatch.jobs;
                }
            }
            drop(pass);
            return_atomics(job, encoder, arena, cells);
        }
    }
}

impl<'a> Dispatch<'a> {
    /// That of a job and those that are joined to it.
    fn new(jobs: &'a [Added]) -> Dispatch<'a> {
        let (first, last) = (&jobs[0], &jobs[jobs.len() - 1]);
        Dispatch {
            first,
            jobs: jobs.len(),
            stepper: last.joined.as_ref().unwrap_or(&first.stepper),
        }
    }

    /// Whether the same kernels serve both, bound once.
    fn is_like(&self, other: &Dispatch<'_>) -> bool {
        Arc::ptr_eq(self.stepper, other.stepper) && self.first.job.vms == other.first.job.vms
    }
}

impl Submission {
    /// Its jobs, each with where it leaves states and frames.
    fn into_jobs(self) -> impl Iterator<Item = (Added, Arc<Lease>, Arc<Lease>)> {
        let Submission { jobs, states, frames } = self;
        jobs.into_iter().map(move |job| (job, states.clone(), frames.clone()))
    }
}

impl Added {
    /// Whether its pass is its own.
    fn is_alone(&self) -> bool {
        is_alone(&self.job)
    }
}

/// Whether a job needs more than a dispatch.
fn is_alone(job: &Job) -> bool {
    job.program.frame_memory() > 0 || !job.atomic_regions.is_empty()
}

/// The uniforms of jobs, and then all their slots. So many jobs of the row were before.
fn inputs(added: &[Added], before: usize) -> Result<Vec<u32>> {
    let stride = (u64::from(UNIFORM_STRIDE) / WORD) as usize;
    let mut words = Vec::with_capacity(added.len() * (stride + 32));
    let mut slots = Vec::new();
    let mut number = 0;
    for alike in added.chunk_by(|a, b| Arc::ptr_eq(&a.stepper, &b.stepper)) {
        let fields = fields(alike[0].stepper.launch_fields())?;
        for added in alike {
            number += 1;
            let launch = Launch {
                job: &added.job,
                cycles: added.cycles,
                inner_cycles: added.inner_cycles,
                resume: false,
                fresh: true,
                window: window(&added.job, &added.arena),
                atomic_words: added.job.atomics.len() as u32,
                first_slot: slots.len() as u32 / 4,
                turn: (before + number) as u32,
            };
            launch.append(&fields, &mut words);
            words.resize(number * stride, 0);
            append_slots(&added.job, &added.arena, &mut slots);
        }
    }
    words.extend(slots);
    Ok(words)
}

/// Instructions of each VM in its one dispatch, and iterations inside of them.
fn budget(gpu: &Gpu, stepper: &dyn Stepper, job: &Job) -> (u32, u32) {
    let inner = if gpu.software { INNER_CYCLES_SOFTWARE } else { u32::MAX };
    if stepper.ends_at_once() {
        return (job.program.code.len() as u32, inner);
    }
    let reach = stepper.reach();
    let mut pace = Pace::start(gpu.software, job.vms, reach.inner, stepper.experience());
    pace.aim(&Limit::default(), gpu.software, None);
    (pace.next(&reach, u64::MAX).1, inner)
}

/// Words of the states that a job may leave.
fn state_words(stepper: &dyn Stepper, job: &Job) -> u64 {
    match stepper.writes_states() {
        true => row::COUNT as u64 * u64::from(job.vms),
        false => 0,
    }
}

/// A buffer of at least so many words: the one that is there, or a new one in its place.
fn enough(gpu: &Gpu, lease: &mut Option<Arc<Lease>>, words: u64) -> Result<Arc<Lease>> {
    if let Some(lease) = lease
        && lease.size() >= size(words)
    {
        return Ok(lease.clone());
    }
    let new = Arc::new(gpu.allocating(|_| gpu.pool.take(Kind::Storage, size(words)))?);
    Ok(lease.insert(new).clone())
}
