//! What is recorded for the jobs of a sequence: one dispatch for each, or for two that are joined.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpuvm_engine::{Job, Result};
use gpuvm_shaders::layout::signal;

use super::super::clock::Clock;
use super::super::frame_room::FrameRoom;
use super::super::gpu::Gpu;
use super::super::kernel::Kernel;
use super::super::memory::{WORD, bind_parts, part_of, size, words_of};
use super::super::pool::Lease;
use super::super::states::States;
use super::super::stepper::{Batch, Shared, Stepper};
use super::arena::Arena;
use super::buffers::{
    ATOMICS_AT, UNIFORM_STRIDE, append_slots, atomics_in_place, fetch_atomics, return_atomics, window,
};
use super::groups;
use super::launch::{Launch, fields};

/// A job of the sequence.
pub struct Added {
    /// The job.
    pub job: Job,
    /// What runs it.
    pub stepper: Arc<dyn Stepper>,
    /// What its VMs leave, by whichever of the two kernels runs it.
    pub states: States,
    /// What runs the job before and this one, if they are joined.
    pub joined: Option<Arc<dyn Stepper>>,
    /// Its own arena.
    pub arena: Arena,
    /// What its arena starts with.
    pub words: Vec<u32>,
    /// The room for frames that each VM has.
    pub room: FrameRoom,
    /// Instructions of each VM.
    pub cycles: u32,
    /// Iterations inside of them.
    pub inner_cycles: u32,
}

/// A job, or two that are joined, in one dispatch.
struct Dispatch<'a> {
    first: &'a Added,
    jobs: usize,
    /// What runs them.
    stepper: &'a Arc<dyn Stepper>,
}

/// The buffers of all jobs of a submission, and how many words of them are bound.
pub struct SequenceBuffers<'b> {
    /// A uniform a job, and from a byte on the slots.
    pub inputs: &'b Lease,
    pub slots: (u64, u64),
    /// The signal, and so many words of atomics.
    pub cells: (&'b Lease, u64),
    pub states: (&'b Lease, u64),
    pub frames: (&'b Lease, u64),
    /// What sets frames to 0, if a job has any: a command would do so after a job has stopped, too.
    pub clear: Option<Arc<Kernel>>,
}

impl SequenceBuffers<'_> {
    /// Records jobs. Those that need more than dispatches are alone in their passes. `zeros` is how many words of the frames are 0 as long as no job
    /// stops.
    pub fn record(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (arena, arena_words): (&wgpu::Buffer, u64),
        added: &[Added],
        clock: Option<&Clock>,
        zeros: &mut u64,
    ) {
        let (slots_at, slot_words) = self.slots;
        let (cells, atomic_words) = self.cells;
        let shared = |place: AtomicsPlace| {
            Shared::new([
                words_of(self.inputs, u64::from(UNIFORM_STRIDE) / WORD),
                part_of(self.inputs, slots_at, slot_words),
                words_of(arena, arena_words),
                match place {
                    None => part_of(cells, ATOMICS_AT * WORD, atomic_words),
                    Some([start, words]) => part_of(arena, u64::from(start) * WORD, words.into()),
                },
                words_of(self.states.0, self.states.1),
                words_of(self.frames.0, self.frames.1),
                words_of(cells, signal::WORDS as u64),
            ])
        };
        let places = added.iter().map(|added| atomics_place(&added.job));
        let shared: BTreeMap<AtomicsPlace, Shared<'_>> = places.map(|place| (place, shared(place))).collect();
        let stretches = added.chunk_by(|a, b| !a.is_alone() && !b.is_alone());
        let mut done = 0;
        for stretch in stretches {
            let (first, last) = (done == 0, done + stretch.len() == added.len());
            let job = &stretch[0].job;
            let is_brought = atomics_in_place(job).is_none();
            if is_brought {
                fetch_atomics(job, encoder, arena, cells);
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: clock.and_then(|clock| clock.around(first, last)),
            });
            let dispatches: Vec<Dispatch<'_>> = stretch
                .chunk_by(|_, next| next.joined.is_some())
                .map(Dispatch::new)
                .collect();
            for alike in dispatches.chunk_by(Dispatch::is_like) {
                let first = &alike[0].first.job;
                if has_frames(first)
                    && let Some(clear) = &self.clear
                {
                    let words = frame_words(alike[0].first);
                    if *zeros < words {
                        self.clear_frames(gpu, &mut pass, clear, words);
                        *zeros = words;
                    }
                    if !alike[0].stepper.spares_frames() {
                        *zeros = 0;
                    }
                }
                let mut kernels = alike[0].stepper.bind(gpu, &shared[&atomics_place(first)], first.vms);
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
            if is_brought {
                return_atomics(job, encoder, arena, cells);
            }
        }
    }

    /// Records that so many words of the frames are set to 0.
    fn clear_frames(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, clear: &Kernel, words: u64) {
        let words = size(words) / WORD;
        let parts = [
            words_of(self.frames.0, words),
            words_of(self.cells.0, signal::WORDS as u64),
        ];
        let group = bind_parts(&gpu.device, &clear.layouts[0], parts);
        let [x, y] = groups(gpu, words / 4, clear.workgroup);
        pass.set_pipeline(&clear.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(x, y, 1);
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
        let (own, others) = (&self.first.job, &other.first.job);
        Arc::ptr_eq(self.stepper, other.stepper)
            && own.vms == others.vms
            && !has_frames(own)
            && atomics_place(own) == atomics_place(others)
    }
}

impl Added {
    /// Whether its pass is its own.
    pub fn is_alone(&self) -> bool {
        is_alone(&self.job)
    }
}

/// Whether a job needs more than dispatches.
pub fn is_alone(job: &Job) -> bool {
    !job.atomic_regions.is_empty() && atomics_in_place(job).is_none()
}

/// Whether a job needs nothing but its dispatch, and memory.
pub fn is_plain(job: &Job) -> bool {
    job.atomic_regions.is_empty() && !has_frames(job)
}

/// Whether the frames of a job's VMs have memory, which has to be 0 when they start.
pub fn has_frames(job: &Job) -> bool {
    job.program.frame_memory() > 0
}

/// Where a job's dispatch has its atomics: from a word of the arena's buffer on, and how many, or among the cells.
type AtomicsPlace = Option<[u32; 2]>;

fn atomics_place(job: &Job) -> AtomicsPlace {
    atomics_in_place(job).map(|region| [region.start, region.words])
}

/// Words of the frames of a job's VMs.
pub fn frame_words(added: &Added) -> u64 {
    u64::from(added.room.all_words()) * u64::from(added.job.vms)
}

/// The uniforms of jobs, and then all their slots. So many jobs of the sequence were before.
pub fn inputs(added: &[Added], before: usize) -> Result<Vec<u32>> {
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
                room: added.room,
                window: window(&added.job, &added.arena),
                atomic_words: added.job.atomic_words() as u32,
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
