//! The buffers of a session, filled from the job.

use super::super::gpu::Gpu;
use super::super::memory::{part_of, size, words_of};
use super::super::pool::{Kind, Lease};
use super::super::source::{row, signal};
use super::super::stepper::{BINDINGS, Shared};
use crate::engine::Job;
use crate::error::Result;

/// Bytes from one uniform of a dispatch to the next; no device asks for more.
pub const UNIFORM_STRIDE: u32 = 256;
/// Uniforms: one for the first dispatch of a submission, one for the others.
pub const UNIFORMS: u32 = 2;

/// The buffers of a session.
#[derive(Debug)]
pub struct Buffers {
    /// The uniforms, then the parameters' slots.
    pub inputs: Lease,
    pub arena: Lease,
    pub atomics: Lease,
    pub states: Lease,
    pub frames: Lease,
    pub signal: Lease,
    vms: u64,
    params: u64,
    frame_words: u64,
    pub arena_words: u64,
    pub atomic_words: u64,
}

impl Buffers {
    /// Takes buffers for a job and uploads its data.
    ///
    /// # Errors
    ///
    /// When the device fails or has no memory left.
    pub fn new(gpu: &Gpu, job: &Job) -> Result<Buffers> {
        let slots = slot_words(job);
        let vms = u64::from(job.vms);
        let frame_words = u64::from(job.program.frame_memory());
        let storage = |words: u64| gpu.pool.take(Kind::Storage, size(words));
        let uniforms = u64::from(UNIFORMS * UNIFORM_STRIDE);
        gpu.allocating(|_| {
            let buffers = Buffers {
                inputs: gpu.pool.take(Kind::Input, uniforms + size(slots.len() as u64)),
                arena: storage(job.arena.len() as u64),
                atomics: storage(job.atomics.len() as u64),
                states: storage(row::COUNT as u64 * vms),
                frames: storage(frame_words * vms),
                signal: storage(signal::WORDS as u64),
                vms,
                params: slots.len() as u64,
                frame_words,
                arena_words: job.arena.len() as u64,
                atomic_words: job.atomics.len() as u64,
            };
            write(gpu, &buffers.inputs, uniforms, &slots);
            write(gpu, &buffers.arena, 0, &job.arena);
            write(gpu, &buffers.atomics, 0, &job.atomics);
            buffers
        })
    }

    /// The bindings that all engines share; `launch` has so many fields.
    pub fn shared(&self, fields: usize) -> Shared<'_> {
        let bindings: [_; BINDINGS] = [
            words_of(&self.inputs, fields as u64),
            part_of(&self.inputs, u64::from(UNIFORMS * UNIFORM_STRIDE), self.params),
            words_of(&self.arena, self.arena_words),
            words_of(&self.atomics, self.atomic_words),
            words_of(&self.states, row::COUNT as u64 * self.vms),
            words_of(&self.frames, self.frame_words * self.vms),
            words_of(&self.signal, signal::WORDS as u64),
        ];
        Shared {
            bindings,
            vms: self.vms as u32,
        }
    }
}

/// Writes words to a buffer, from the given byte on, before everything that is submitted from now on.
pub fn write(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, words: &[u32]) {
    if !words.is_empty() {
        gpu.queue.write_buffer(buffer, offset, bytemuck::cast_slice(words));
    }
}

/// The parameter slots as words.
fn slot_words(job: &Job) -> Vec<u32> {
    job.slots
        .iter()
        .flat_map(|slot| {
            [
                slot.place.base,
                slot.place.stride,
                slot.place.length,
                slot.place.reserved,
            ]
        })
        .collect()
}
