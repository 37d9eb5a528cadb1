//! The buffers of a session, and what is written to them before it begins.

use std::sync::Arc;

use gpuvm_core::program::Mode;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Copy, Job, Region, Result, Source};
use gpuvm_shaders::layout::signal;

use super::super::frame_room::FrameRoom;
use super::super::gpu::Gpu;
use super::super::memory::{WORD, part_of, size, words_of};
use super::super::pool::{Kind, Lease};
use super::super::states::States;
use super::super::stepper::{BINDINGS, Shared};
use super::super::transfer::{Staged, upload};
use super::arena::Arena;

/// Bytes from one uniform to the next; no device asks for more.
pub const UNIFORM_STRIDE: u32 = 256;
/// Uniforms before those of the copies: one for the first dispatch of a submission, one for the others.
pub const LAUNCHES: u32 = 2;
/// An arena that starts with more words is uploaded when the session is made, else with the first submission.
const MANY_WORDS: usize = 1 << 18;
/// So many zeros at the end of an arena are sooner uploaded with the words before them than cleared by a command of their own.
const FEW_ZEROS: usize = 1 << 8;

/// Where the cells have the atomics: a multiple of what any device asks of a binding's place.
pub const ATOMICS_AT: u64 = 64;
const _: () = assert!(signal::WORDS as u64 <= ATOMICS_AT);

/// The buffers of a session.
#[derive(Debug)]
pub struct Buffers {
    /// The uniforms, then the parameters' slots.
    pub inputs: Lease,
    pub arena: Arena,
    /// The signal, and from [`ATOMICS_AT`] on the atomics: one copy brings both.
    pub cells: Lease,
    /// The states, and what VMs leave there.
    states: (Arc<Lease>, States),
    pub frames: Arc<Lease>,
    vms: u32,
    /// The room for frames that each VM has.
    pub room: FrameRoom,
    pub atomic_words: u64,
    /// The parameters' slots, with places in the arena's buffer.
    slots: Vec<u32>,
    /// The words of the arena's buffer that the VMs may touch: where they start, and how many.
    pub window: [u32; 2],
    /// What the arena starts with, if that is little: it comes with the first submission.
    little: Vec<u32>,
    /// What is to be cleared at the end of the arena in place of being uploaded.
    zeros: u64,
}

impl Buffers {
    /// Takes buffers for a job whose VMs leave such states, with so much room for the frames of each.
    ///
    /// # Errors
    ///
    /// When the device fails or has no memory left.
    pub fn new(gpu: &Gpu, job: &Job, arena: &dyn Source, (states, room): (States, FrameRoom)) -> Result<Buffers> {
        let beside = match uses_heap(job) {
            true => Some(Arena::in_heap(gpu, job)?),
            false => None,
        };
        let (own, states, frames) = gpu.allocating(|_| {
            let storage = |words: u64| Arc::new(gpu.pool.take(Kind::Storage, size(words)));
            let own = beside.clone().unwrap_or_else(|| Arena::own(gpu, job));
            let frame_words = u64::from(room.all_words()) * u64::from(job.vms);
            let kept = (storage(states.words(gpu, job.vms)), states);
            (own, kept, storage(frame_words))
        })?;
        let mut buffers = Buffers::begun(gpu, job, own, (states, (frames, room)))?;
        buffers.zeros = (job.arena_words - arena.filled()) as u64;
        if arena.filled() > MANY_WORDS {
            let held = buffers.arena.hold();
            let start = u64::from(buffers.arena.start());
            upload(gpu, held.buffer()?.0, start, arena, 0..arena.filled())?;
        } else {
            buffers.little.resize(arena.filled(), 0);
            arena.write(0..arena.filled(), &mut buffers.little);
            if buffers.zeros <= FEW_ZEROS as u64 {
                buffers.little.resize(job.arena_words, 0);
                buffers.zeros = 0;
            }
        }
        Ok(buffers)
    }

    /// Takes what else a job needs that has an arena, states and frames, which stay as they are.
    ///
    /// # Errors
    ///
    /// As [`Buffers::new`].
    pub fn begun(
        gpu: &Gpu,
        job: &Job,
        arena: Arena,
        (states, (frames, room)): ((Arc<Lease>, States), (Arc<Lease>, FrameRoom)),
    ) -> Result<Buffers> {
        let params_at = u64::from(UNIFORM_STRIDE) * uniforms(job);
        let (inputs, cells) = gpu.allocating(|_| {
            let input_bytes = params_at + size(job.slots.len() as u64 * 4);
            let cell_bytes = ATOMICS_AT * WORD + size(job.atomic_words() as u64);
            (
                gpu.pool.take_as_left(Kind::Input, input_bytes),
                gpu.pool.take(Kind::Storage, cell_bytes),
            )
        })?;
        let mut slots = Vec::new();
        append_slots(job, &arena, &mut slots);
        Ok(Buffers {
            inputs,
            cells,
            states,
            frames,
            vms: job.vms,
            room,
            atomic_words: job.atomic_words() as u64,
            slots,
            window: window(job, &arena),
            little: Vec::new(),
            zeros: 0,
            arena,
        })
    }

    /// Records what has to happen before the first submission: uploads of uniforms, slots, the signal, and what is small.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn stage(&self, gpu: &Gpu, job: &Job, uniforms: &[u32], signal: &[u32]) -> Result<Staged> {
        let mut inputs = uniforms.to_vec();
        inputs.extend(&self.slots);
        if inputs == self.inputs.written {
            inputs.clear();
        }
        let mut cells = signal.to_vec();
        cells.resize(ATOMICS_AT as usize, 0);
        cells.extend(&job.atomics);
        Staged::new(gpu, &[&inputs, &cells, &self.little])
    }

    /// Records the copies of what was staged.
    pub fn record_staged(&self, staged: &Staged, encoder: &mut wgpu::CommandEncoder, arena: &wgpu::Buffer, job: &Job) {
        staged.record(encoder, 0, &self.inputs, 0);
        staged.record(encoder, 1, &self.cells, 0);
        let start = u64::from(self.arena.start());
        staged.record(encoder, 2, arena, start * WORD);
        if self.zeros > 0 {
            let at = start + self.arena.words - self.zeros;
            encoder.clear_buffer(arena, at * WORD, Some(self.zeros * WORD));
        }
        fetch_atomics(job, encoder, arena, &self.cells);
    }

    /// The bindings that all engines share; `launch` has so many fields.
    pub fn shared<'a>(
        &'a self,
        gpu: &Gpu,
        job: &Job,
        fields: usize,
        (arena, words): (&'a wgpu::Buffer, u64),
    ) -> Shared<'a> {
        let params_at = u64::from(UNIFORM_STRIDE) * uniforms(job);
        let bindings: [_; BINDINGS] = [
            words_of(&self.inputs, fields as u64),
            part_of(&self.inputs, params_at, self.slots.len() as u64),
            words_of(arena, words),
            part_of(&self.cells, ATOMICS_AT * WORD, self.atomic_words),
            words_of(&self.states.0, self.states.1.words(gpu, self.vms)),
            words_of(&self.frames, u64::from(self.room.all_words()) * u64::from(self.vms)),
            words_of(&self.cells, signal::WORDS as u64),
        ];
        Shared::new(bindings)
    }
}

impl Buffers {
    /// Takes note of the uniforms that the inputs have now; the slots never change.
    pub fn note(&mut self, uniforms: &[u32]) {
        let written = &mut self.inputs.written;
        written.clear();
        written.extend(uniforms);
        written.extend(&self.slots);
    }

    /// The buffer of states, and what VMs leave there.
    pub fn states(&self) -> (&Lease, States) {
        (&self.states.0, self.states.1)
    }

    /// Makes room for what VMs leave that start now. Whether the buffer is to be bound anew.
    ///
    /// # Errors
    ///
    /// When the device has no memory left.
    pub fn expect(&mut self, gpu: &Gpu, states: States) -> Result<bool> {
        if self.states.1 == states {
            return Ok(false);
        }
        let bytes = size(states.words(gpu, self.vms));
        if self.states.0.size() < bytes {
            self.states.0 = Arc::new(gpu.allocating(|_| gpu.pool.take(Kind::Storage, bytes))?);
        }
        self.states.1 = states;
        Ok(true)
    }

    /// Whether the inputs begin with these uniforms.
    pub fn has(&self, uniforms: &[u32]) -> bool {
        self.inputs.written.starts_with(uniforms)
    }
}

/// Whether data that stays on the device takes part in a job.
pub fn uses_heap(job: &Job) -> bool {
    let copied = |copy: &Copy| copy.from.region.is_some() || copy.to.region.is_some();
    job.slots.iter().any(|slot| slot.region.is_some())
        || job.copies.iter().any(copied)
        || !job.atomic_regions.is_empty()
}

/// How many uniforms a job has: those of launches, and one for each copy, or one where there is none to copy.
pub fn uniforms(job: &Job) -> u64 {
    u64::from(LAUNCHES) + job.copies.len().max(1) as u64
}

/// Writes words to a buffer, from the given byte on, before everything that is submitted from now on.
pub fn write(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, words: &[u32]) {
    if !words.is_empty() {
        gpu.queue.write_buffer(buffer, offset, bytemuck::cast_slice(words));
    }
}

/// The region that has all atomics of a job, if one does: it can be bound where it lies.
pub fn atomics_in_place(job: &Job) -> Option<&Region> {
    match &job.atomic_regions[..] {
        [(0, region)] if region.words as usize == job.atomic_words() && region.words > 0 => Some(region),
        _ => None,
    }
}

/// Records that the atomics of a job come to the cells from where they stay.
pub fn fetch_atomics(job: &Job, encoder: &mut wgpu::CommandEncoder, arena: &wgpu::Buffer, cells: &wgpu::Buffer) {
    for (stay, at, bytes) in atomic_copies(job) {
        encoder.copy_buffer_to_buffer(arena, stay, cells, at, bytes);
    }
}

/// Records that they go back there.
pub fn return_atomics(job: &Job, encoder: &mut wgpu::CommandEncoder, arena: &wgpu::Buffer, cells: &wgpu::Buffer) {
    for (stay, at, bytes) in atomic_copies(job) {
        encoder.copy_buffer_to_buffer(cells, at, arena, stay, bytes);
    }
}

/// Where atomics stay in the arena's buffer, where they are in the cells, and how many bytes.
fn atomic_copies(job: &Job) -> impl Iterator<Item = (u64, u64, u64)> {
    let copy = |(at, region): &(usize, Region)| {
        let at = ATOMICS_AT + *at as u64;
        (
            u64::from(region.start) * WORD,
            at * WORD,
            u64::from(region.words) * WORD,
        )
    };
    job.atomic_regions.iter().map(copy)
}

/// Appends the parameter slots as words, with places in the arena's buffer.
pub fn append_slots(job: &Job, arena: &Arena, to: &mut Vec<u32>) {
    let types = job.program.params.iter().map(Some).chain([None]);
    let is_atomic = |ty: &TypeRef| Mode::of(*ty).is_some_and(|(mode, _)| mode == Mode::Atomic);
    for (slot, ty) in job.slots.iter().zip(types) {
        let origin = match &slot.region {
            Some(region) => region.start,
            None if ty.is_some_and(is_atomic) => 0,
            None => arena.start(),
        };
        let place = &slot.place;
        to.extend([
            place.base.wrapping_add(origin),
            place.stride,
            place.length,
            place.reserved,
        ]);
    }
}

/// The smallest span of the arena's buffer that has the job's own arena and all regions of its slots.
pub fn window(job: &Job, arena: &Arena) -> [u32; 2] {
    let regions = job.slots.iter().filter_map(|slot| slot.region.as_ref());
    let span = |start: u32, words: u64| (u64::from(start), u64::from(start) + words);
    let regions = regions.map(|region| span(region.start, region.words.into()));
    let own = span(arena.start(), arena.words);
    let spans = regions.chain((arena.words > 0).then_some(own));
    let around = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
    let (start, end) = spans.reduce(around).unwrap_or(own);
    [start as u32, (end - start) as u32]
}
