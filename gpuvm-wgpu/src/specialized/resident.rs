//! A specialised program whose kernel stays on the device: small jobs of it are requests, each of them one dispatch's work. What they need
//! comes with the request, and what they leave with the answer. A job of which that is not the end goes on as a session does.

use std::sync::Arc;

use gpuvm_core::program::{Mode, Program};
use gpuvm_core::specialise::KnownParams;
use gpuvm_engine::{Error, Finished, Job, Ran, Region, ResidentKernel, Result, Source, Words};
use gpuvm_shaders::layout::{WORKGROUP, row, signal};

use super::emit::Start;
use super::engine::{Prepared, Specialized};
use super::kernel::{Shader, content_of, data_group, layouts, path};
use crate::cuda;
use crate::frame_room::FrameRoom;
use crate::gpu::Gpu;
use crate::memory::{WORD, part_of, size, words_of};
use crate::pipeline::{self, Maker};
use crate::pool::{Kind, Lease};
use crate::session::arena::Arena;
use crate::session::buffers::{ATOMICS_AT, UNIFORM_STRIDE, append_slots, window};
use crate::session::launch::{Field, Launch, fields};
use crate::session::{Begun, Session, budget};
use crate::states::States;
use crate::stepper::{BINDINGS, Scheduler, Shared, Stepper};

/// A program whose kernel stays.
pub struct Staying {
    specialized: Specialized,
    program: Arc<Program>,
    /// What goes on with jobs that a request does not end.
    stepper: Arc<Prepared>,
    fields: Vec<Field>,
    pipeline: wgpu::ComputePipeline,
    layouts: Vec<wgpu::BindGroupLayout>,
    data: Option<wgpu::BindGroup>,
    /// The uniform, and from [`UNIFORM_STRIDE`] on the slots.
    inputs: Lease,
    /// What of these is known to be there.
    written: Vec<u32>,
    /// What is bound where the signal is, which the workgroup has for its own, and in place of atomics.
    cells: Lease,
    states: Arc<Lease>,
    frames: Arc<Lease>,
    /// Room for a job's own arena.
    region: Region,
    /// The kernel, and which of the memory's buffers it is bound to.
    kernel: Option<(cuda::Resident, u64)>,
}

/// VMs of a job. One workgroup does them all, a few in turn.
const MOST_VMS: u32 = 1024;
/// Words of a job's own arena.
const MOST_WORDS: u32 = 1 << 14;
/// Words of the frames of a job's VMs.
const MOST_FRAMES: u64 = 1 << 14;
/// Words of the uniform, with those up to the slots.
const UNIFORM: usize = UNIFORM_STRIDE as usize / WORD as usize;
/// The most slots of a job.
const MOST_SLOTS: usize = 32;
/// The signal, and copies of the uniform and the slots: all that each VM looks at before its own data.
pub const OWN: cuda::Own = cuda::Own {
    answered: Some(bound(BINDINGS as u32 - 1, signal::WORDS)),
    copied: [Some(bound(0, UNIFORM)), Some(bound(1, 4 * MOST_SLOTS))],
};

const fn bound(binding: u32, words: usize) -> cuda::Words {
    cuda::Words {
        group: 0,
        binding,
        words: words as u32,
    }
}

impl Staying {
    /// The kernel of a program. It is launched with its first job.
    ///
    /// # Errors
    ///
    /// [`Error::NotResident`] if there can be none; otherwise when the device fails.
    pub fn new(specialized: &Specialized, program: &Arc<Program>) -> Result<Staying> {
        let gpu = &**specialized.gpu();
        let refused = |reason: &str| Error::NotResident {
            routine: program.name.clone(),
            reason: reason.to_string(),
        };
        if gpu.resident.is_none() {
            return Err(refused("only devices of CUDA's have such kernels"));
        }
        let has_atomics = program
            .params
            .iter()
            .any(|param| Mode::of(*param).is_some_and(|(mode, _)| mode == Mode::Atomic));
        if has_atomics {
            return Err(refused("it has atomics, or prints"));
        }
        if program.params.len() >= MOST_SLOTS {
            return Err(refused("it has too many parameters"));
        }
        if specialized.excess(program, false)?.is_some() {
            return Err(refused("the device's compiler would take too long over it"));
        }
        let options = specialized.options(program, KnownParams::default());
        let general = specialized.kernel(program, &options)?;
        let layouts = layouts(gpu, program, &options, false)?;
        let shader = Shader::new(program, &options, Start::Fresh)?;
        let path = path(gpu, &options);
        let maker = Maker::new(gpu, &layouts, || content_of(path, &shader));
        let pipeline = maker.pipeline(&shader.unchecked(pipeline::Start::Request), path)?;
        maker.keep();
        let slot_words = 4 * (program.params.len() as u64 + 1);
        let vms = u64::from(MOST_VMS);
        let take = |kind, words| gpu.allocating(|_| gpu.pool.take(kind, size(words)));
        let region = gpu.heap.reserve(gpu, MOST_WORDS.into())?;
        let mut staying = Staying {
            specialized: specialized.clone(),
            program: program.clone(),
            fields: fields(&general.uniform)?,
            stepper: Arc::new(Prepared::new(general)),
            pipeline,
            data: data_group(gpu, program, &layouts)?,
            layouts,
            inputs: take(Kind::Input, UNIFORM as u64 + slot_words)?,
            written: Vec::new(),
            cells: take(Kind::Storage, ATOMICS_AT + 4)?,
            states: Arc::new(take(Kind::Storage, row::COUNT as u64 * vms)?),
            frames: Arc::new(take(Kind::Storage, MOST_FRAMES)?),
            region,
            kernel: None,
        };
        let current = gpu.heap.current();
        staying.kernel = Some((staying.bound(gpu, current.buffer()?)?, current.generation));
        Ok(staying)
    }

    /// The kernel bound to a buffer of the memory in which data stays, after all that was to be done with it.
    fn bound(&self, gpu: &Gpu, (arena, words): (&wgpu::Buffer, u64)) -> Result<cuda::Resident> {
        let slots_at = u64::from(UNIFORM_STRIDE);
        let shared = Shared::new([
            words_of(&self.inputs, self.fields.len() as u64),
            part_of(&self.inputs, slots_at, 4 * (self.program.params.len() as u64 + 1)),
            words_of(arena, words),
            part_of(&self.cells, ATOMICS_AT * WORD, 4),
            words_of(&self.states, row::COUNT as u64 * u64::from(MOST_VMS)),
            words_of(&self.frames, MOST_FRAMES),
            words_of(&self.cells, signal::WORDS as u64),
        ]);
        let group = gpu.guarded(|_| shared.group(gpu, &self.layouts[0]))?;
        gpu.wait()?;
        let groups: Vec<&wgpu::BindGroup> = std::iter::once(&group).chain(&self.data).collect();
        let answer = signal::WORDS.next_multiple_of(4) + MOST_WORDS as usize + 4;
        let room = cuda::Room {
            request: answer + UNIFORM + 4 * (self.program.params.len() + 1),
            answer,
        };
        cuda::Resident::new(&self.pipeline, &groups, room).map_err(|reason| Error::NotResident {
            routine: self.program.name.clone(),
            reason,
        })
    }
}

impl ResidentKernel for Staying {
    fn takes(&self, job: &Job) -> bool {
        let frames = u64::from(self.program.frame_memory()) * u64::from(job.vms);
        let is_small = job.vms <= MOST_VMS && job.arena_words <= MOST_WORDS as usize && frames <= MOST_FRAMES;
        let is_plain = job.steps == 1 && job.copies.is_empty() && job.atomic_words() == 0;
        is_small && is_plain && job.changed.len() <= 1 && Arc::ptr_eq(&job.program, &self.program)
    }

    fn run(&mut self, job: Job, source: &dyn Source) -> Result<Ran> {
        let gpu = self.specialized.gpu().clone();
        let heap = gpu.heap.clone();
        // The memory's buffer stays as long as this is held, and so until the answer is here.
        let current = heap.current();
        let memory = current.buffer()?;
        // One that is bound to what was the buffer before leaves first.
        let kept = self.kernel.take().filter(|kernel| kernel.1 == current.generation);
        let (mut kernel, generation) = match kept {
            Some(kernel) => kernel,
            None => (self.bound(&gpu, memory)?, current.generation),
        };
        let region = Region {
            words: job.arena_words as u32,
            ..self.region.clone()
        };
        let arena = Arena::at(&heap, region);
        let (cycles, inner_cycles) = budget(&gpu, &*self.stepper, &job);
        let launch = Launch {
            job: &job,
            cycles,
            inner_cycles,
            resume: false,
            fresh: true,
            room: FrameRoom::whole(&self.program),
            window: window(&job, &arena),
            atomic_words: 0,
            first_slot: 0,
            turn: 0,
        };
        let mut inputs = Vec::with_capacity(UNIFORM + 64);
        launch.append(&self.fields, &mut inputs);
        inputs.resize(UNIFORM, 0);
        append_slots(&job, &arena, &mut inputs);
        let filled = source.filled();
        let mut words = vec![0; filled];
        source.write(0..filled, &mut words);
        let (start, rounded) = (u64::from(arena.start()), filled.next_multiple_of(4));
        let span = |buffer, start, words| cuda::Span { buffer, start, words };
        let some = |buffer, start, words| (words > 0).then_some(cuda::Span { buffer, start, words });
        let changed = job.changed.first().cloned().unwrap_or_default();
        // An answer begins at a multiple of four words.
        let before = changed.start % 4;
        let frame_words = self.program.frame_memory() as usize * job.vms as usize;
        let work = cuda::Work {
            groups: job.vms.div_ceil(WORKGROUP),
            put: [
                (self.written != inputs).then(|| (span(&self.inputs, 0, inputs.len()), &inputs[..])),
                (filled > 0).then(|| (span(memory.0, start, filled), &words[..])),
            ],
            clear: [
                some(
                    memory.0,
                    start + rounded as u64,
                    job.arena_words.saturating_sub(rounded),
                ),
                some(&self.frames, 0, frame_words),
            ],
            get: some(
                memory.0,
                start + (changed.start - before) as u64,
                changed.len() + before,
            ),
        };
        let mut answer = Vec::with_capacity(signal::WORDS + changed.len() + before);
        kernel.serve(&work, &mut answer).map_err(|reason| gpu.failure(reason))?;
        self.written = inputs;
        self.kernel = Some((kernel, generation));
        let mut found = [0; signal::WORDS];
        found.copy_from_slice(&answer[..signal::WORDS]);
        let has_halted = found[signal::STOPPED] == job.vms
            && found[signal::YIELDED..=signal::TRAPPED] == [0, 0]
            && found[signal::BLOCKED] == 0;
        if has_halted {
            let end = answer.len();
            return Ok(Ran::Halted(Finished {
                changed: Words::from(answer).part(end - changed.len()..end),
                ..Finished::default()
            }));
        }
        drop(current);
        self.settle()?;
        let schedule = self
            .specialized
            .schedule_with(&self.program, self.stepper.kernel.clone())?;
        let begun = Begun {
            arena,
            states: (self.states.clone(), States::Rows),
            frames: self.frames.clone(),
            room: FrameRoom::whole(&self.program),
            signal: found,
            cycles: cycles.into(),
        };
        let stepper: Arc<dyn Stepper> = self.stepper.clone();
        let session = Session::begun(&gpu, (Box::new(schedule), stepper), job, begun)?;
        Ok(Ran::Stands(Box::new(session)))
    }
    fn settle(&mut self) -> Result<()> {
        match &mut self.kernel {
            Some((kernel, _)) => kernel.settle().map_err(|reason| self.specialized.gpu().failure(reason)),
            None => Ok(()),
        }
    }
}
