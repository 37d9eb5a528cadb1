//! Jobs in a row: many in one submission, and the host looks only when it has to. The kernels themselves see to it that nothing runs
//! after a job that did not end: a VM that stops without halting notes its job's number, and jobs of other numbers do not start.
//!
//! A job that needs of the one before only what each workgroup has left, and surely ends, is joined to it: one dispatch runs both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::program::Program;
use gpuvm_engine::{Engine, Error, Job, Limit, Result, Sequence, SequenceEnd, Source, Tally, Tiles};
use gpuvm_shaders::layout::{WORKGROUP, signal};

use super::super::clock::{self, Clock};
use super::super::gpu::Gpu;
use super::super::memory::{Readback, WORD, size};
use super::super::pace::Pace;
use super::super::pool::{Kind, Lease};
use super::super::source::EntryPoint;
use super::super::states::States;
use super::super::stepper::{Scheduler, Stepper};
use super::super::transfer::Staged;
use super::advance::{INNER_CYCLES_SOFTWARE, retired};
use super::arena::Arena;
use super::buffers::{ATOMICS_AT, UNIFORM_STRIDE, atomics_in_place, uses_heap};
use super::frames::first_room;
use super::record::{Added, SequenceBuffers, frame_words, has_frames, inputs, is_plain};
use super::{Begun, Session};

/// Jobs of one submission. What a submission costs the host is little then for each, and the device need not wait long for the first.
const MOST_JOBS: usize = 64;
/// A job's own arena may have so many words.
const MOST_WORDS: usize = 1 << 12;
/// Words that the states of a job's VMs may take.
const MOST_STATES: u64 = 1 << 26;

/// The addresses of two programs, and whether of the first one's VMs the first trap alone is asked after.
type Pair = ([usize; 2], bool);

/// A sequence of jobs on an engine.
pub struct JobSequence<P> {
    scheduler: P,
    /// Those that were not submitted yet.
    added: Vec<Added>,
    /// Those that were.
    submitted: Vec<Submission>,
    /// Programs' own kernels, by their addresses, the jobs' VMs, and whether of these the first trap alone is asked after: jobs in a row are often of few
    /// programs, and keep them.
    kernels: BTreeMap<(usize, u32, bool), Arc<dyn Stepper>>,
    /// The same of two programs whose jobs are joined, where they can be.
    joined: BTreeMap<Pair, Option<Arc<dyn Stepper>>>,
    /// The same of programs whose elements go through tiles, by their and their operators' addresses, where they can.
    tiled: BTreeMap<[usize; 2], Option<Arc<dyn Stepper>>>,
    clocks: Vec<Clock>,
    /// The signal, and from [`ATOMICS_AT`] on the atomics of the job that runs.
    cells: Option<Arc<Lease>>,
    states: Option<Arc<Lease>>,
    frames: Option<Arc<Lease>>,
    /// How many words of the frames are 0 where the jobs so far are over.
    zero_frames: u64,
}

/// Jobs that are under way, and where they leave the states of their VMs.
struct Submission {
    jobs: Vec<Added>,
    states: Arc<Lease>,
    frames: Arc<Lease>,
}

impl<P> JobSequence<P> {
    /// An empty sequence.
    pub fn new(scheduler: P) -> JobSequence<P> {
        JobSequence {
            scheduler,
            added: Vec::new(),
            submitted: Vec::new(),
            kernels: BTreeMap::new(),
            joined: BTreeMap::new(),
            tiled: BTreeMap::new(),
            clocks: Vec::new(),
            cells: None,
            states: None,
            frames: None,
            zero_frames: 0,
        }
    }
}

impl<P: Scheduler> Sequence for JobSequence<P> {
    fn push(&mut self, job: Job, arena: &dyn Source) -> Result<bool> {
        let single = job.steps == 1 && job.copies.is_empty() && job.changed.is_empty();
        let atomics: u64 = job
            .atomic_regions
            .iter()
            .map(|(_, region)| u64::from(region.words))
            .sum();
        let stays = uses_heap(&job) && atomics == job.atomic_words() as u64 && job.arena_words <= MOST_WORDS;
        if !single || !stays {
            return Ok(false);
        }
        let stepper = match &job.tiles {
            None => Some(self.stepper(&job, arena)?),
            Some(tiles) if is_plain(&job) => self.tiled(&job.program, tiles)?,
            Some(_) => None,
        };
        let Some(stepper) = stepper else {
            return Ok(false);
        };
        let gpu = &**self.scheduler.gpu();
        let most = MOST_STATES.min(gpu.limits.max_storage_buffer_binding_size / WORD);
        let states = stepper.states();
        if states.words(gpu, job.vms) > most {
            return Ok(false);
        }
        let mut words = vec![0; job.arena_words];
        let filled = arena.filled();
        arena.write(0..filled, &mut words[..filled]);
        let (cycles, inner_cycles) = budget(gpu, &*stepper, &job);
        let arena = Arena::in_heap(gpu, &job)?;
        let joined = self.joined(&job, &*stepper, most)?;
        let room = first_room(&job, stepper.experience());
        if let (Some(joined), Some(before)) = (&joined, self.added.last_mut()) {
            before.states = joined.states();
        }
        self.added.push(Added {
            joined,
            states,
            arena,
            job,
            stepper,
            words,
            room,
            cycles,
            inner_cycles,
        });
        if self.added.len() >= MOST_JOBS {
            self.submit(None)?;
        }
        Ok(true)
    }

    fn has_tiles(&self) -> bool {
        self.scheduler.has_tiles()
    }

    fn takes_tiles(&mut self, program: &Arc<Program>, tiles: &Tiles) -> Result<bool> {
        Ok(self.tiled(program, tiles)?.is_some())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.added.is_empty() {
            self.submit(None)?;
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<SequenceEnd> {
        if self.submitted.is_empty() && self.added.is_empty() {
            return Ok(SequenceEnd::default());
        }
        let gpu = self.scheduler.gpu().clone();
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
        self.tiled.clear();
        self.end(&gpu, submissions, &found, (!clocks.is_empty()).then_some(spent))
            .map_err(Error::after_begin)
    }
}

impl<P: Scheduler> JobSequence<P> {
    /// What a job begins with: with its uniforms folded in, if that is there, or what all jobs like this one have. The interpreter may yet be followed by
    /// something better.
    fn stepper(&mut self, job: &Job, arena: &dyn Source) -> Result<Arc<dyn Stepper>> {
        let key = (Arc::as_ptr(&job.program).addr(), job.vms, job.only_first_trap);
        let general = match self.kernels.get(&key) {
            Some(known) => known.clone(),
            None => {
                let stepper = self.scheduler.stepper(job)?;
                if stepper.engine() != Engine::Specialized {
                    return Ok(stepper);
                }
                self.kernels.insert(key, stepper.clone());
                stepper
            }
        };
        Ok(self.scheduler.habitual(job, arena).unwrap_or(general))
    }

    /// What runs jobs of a program whose elements go through tiles, if that can be.
    fn tiled(&mut self, program: &Arc<Program>, tiles: &Tiles) -> Result<Option<Arc<dyn Stepper>>> {
        let op = match tiles {
            Tiles::Scan { op, .. } => Arc::as_ptr(op).addr(),
            Tiles::Marks => 0,
        };
        let key = [Arc::as_ptr(program).addr(), op];
        if let Some(known) = self.tiled.get(&key) {
            return Ok(known.clone());
        }
        let tiled = self.scheduler.tiled(program, tiles)?;
        self.tiled.insert(key, tiled.clone());
        Ok(tiled)
    }

    /// What runs a job together with the one that was added last, if it can be joined to that and the states that they leave are no more words than that.
    fn joined(&mut self, job: &Job, stepper: &dyn Stepper, most_states: u64) -> Result<Option<Arc<dyn Stepper>>> {
        let (Some(before), Some(WORKGROUP)) = (self.added.last(), job.neighbours) else {
            return Ok(None);
        };
        let follows = before.job.vms.div_ceil(WORKGROUP) == job.vms;
        let specialized = [&*before.stepper, stepper].map(Stepper::engine) == [Engine::Specialized; 2];
        let whole = before.job.tiles.is_none() && job.tiles.is_none();
        let alike =
            whole && before.job.program.relaxed == job.program.relaxed && is_plain(&before.job) && is_plain(job);
        if !follows || before.joined.is_some() || !specialized || !alike || stepper.states() != States::Nothing {
            return Ok(None);
        }
        let programs = [&before.job.program, &job.program];
        let addresses = programs.map(|program| Arc::as_ptr(program).addr());
        let key = (addresses, before.job.only_first_trap);
        let joined = match self.joined.get(&key) {
            Some(known) => known.clone(),
            None => {
                let joined = self.scheduler.joined(&before.job, job)?;
                self.joined.insert(key, joined.clone());
                joined
            }
        };
        let (gpu, vms) = (self.scheduler.gpu(), before.job.vms);
        Ok(joined.filter(|joined| joined.states().words(gpu, vms) <= most_states))
    }

    /// Submits what was added. The last submission has a readback: for the signal, and for what the clocks say.
    fn submit(&mut self, last: Option<&Readback>) -> Result<wgpu::SubmissionIndex> {
        let gpu = self.scheduler.gpu().clone();
        let added = std::mem::replace(&mut self.added, Vec::with_capacity(MOST_JOBS));
        let before: usize = self.submitted.iter().map(|submission| submission.jobs.len()).sum();
        let inputs = inputs(&added, before)?;
        let slots_at = added.len() as u64 * u64::from(UNIFORM_STRIDE);
        let starts = added.iter().filter(|added| !added.words.is_empty());
        let parts: Vec<&[u32]> = std::iter::once(&*inputs)
            .chain(starts.clone().map(|added| &*added.words))
            .collect();
        let staged = Staged::new(&gpu, &parts)?;
        let state_words = added.iter().map(|added| added.states.words(&gpu, added.job.vms));
        let state_words = state_words.max().unwrap_or_default();
        let most = |words: fn(&Added) -> u64| added.iter().map(words).max().unwrap_or_default();
        let frame_words = most(frame_words);
        let with_frames = added.iter().any(|added| has_frames(&added.job));
        let clear = with_frames.then(|| gpu.helper(EntryPoint::Clear)).transpose()?;
        // No binding is empty.
        let atomic_words = most(|added| match atomics_in_place(&added.job) {
            Some(_) => 0,
            None => added.job.atomic_words() as u64,
        });
        let atomic_words = atomic_words.max(4);
        let cells_before = self.cells.clone();
        let (input, clock) =
            gpu.allocating(|_| (gpu.pool.take(Kind::Input, size(inputs.len() as u64)), Clock::take(&gpu)))?;
        let states = enough(&gpu, &mut self.states, state_words)?;
        let frames_before = self.frames.clone();
        let frames = enough(&gpu, &mut self.frames, frame_words)?;
        if !frames_before.is_some_and(|before| Arc::ptr_eq(&before, &frames)) {
            self.zero_frames = 0;
        }
        let cells = enough(&gpu, &mut self.cells, ATOMICS_AT + atomic_words)?;
        let buffers = SequenceBuffers {
            inputs: &input,
            slots: (slots_at, inputs.len() as u64 - slots_at / WORD),
            cells: (&cells, atomic_words),
            states: (&states, state_words),
            frames: (&frames, frame_words),
            clear,
        };
        // From here to the submission nobody exchanges the arena's buffer.
        let current = gpu.heap.current();
        let (arena, arena_words) = current.buffer()?;
        let (clocks, zero_frames) = (&mut self.clocks, &mut self.zero_frames);
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
            let arena = (arena, arena_words);
            buffers.record(&gpu, &mut encoder, arena, &added, clock.as_ref(), zero_frames);
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

    /// What a sequence has come to, given its signal.
    fn end(
        &mut self,
        gpu: &Arc<Gpu>,
        submissions: Vec<Submission>,
        found: &[u32; signal::WORDS],
        device_time: Option<Duration>,
    ) -> Result<SequenceEnd> {
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
        let mut end = SequenceEnd {
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
            return Ok(end);
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
            let schedule = self.scheduler.schedule_begun(&added.job, &*added.stepper)?;
            let begun = Begun {
                arena: added.arena,
                states: (states, added.states),
                frames,
                room: added.room,
                signal,
                cycles: added.cycles.into(),
            };
            let session = Session::begun(gpu, (schedule, added.stepper), added.job, begun)?;
            end.stopped = Some((ended, Box::new(session)));
        }
        Ok(end)
    }
}

impl Submission {
    /// Its jobs, each with where it leaves states and frames.
    fn into_jobs(self) -> impl Iterator<Item = (Added, Arc<Lease>, Arc<Lease>)> {
        let Submission { jobs, states, frames } = self;
        jobs.into_iter().map(move |job| (job, states.clone(), frames.clone()))
    }
}

/// Instructions of each VM in its one dispatch, and iterations inside of them.
pub fn budget(gpu: &Gpu, stepper: &dyn Stepper, job: &Job) -> (u32, u32) {
    let inner = if gpu.software { INNER_CYCLES_SOFTWARE } else { u32::MAX };
    if stepper.ends_at_once() {
        return (job.program.code.len() as u32, inner);
    }
    let reach = stepper.reach();
    let mut pace = Pace::start(gpu.software, job.vms, reach.inner, stepper.experience());
    pace.aim(&Limit::default(), gpu.software, None);
    (pace.next(&reach, 1, u64::MAX).1, inner)
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
