//! Where a job's arena lies: in a buffer of its own, or, where data that stays on the device takes part, in the memory that has it.

use std::sync::{Arc, RwLockReadGuard};

use gpuvm_engine::{Job, Region, Result, Span};

use super::super::gpu::Gpu;
use super::super::heap::{Current, Heap};
use super::super::memory::size;
use super::super::pool::{Kind, Lease};

/// A job's arena.
#[derive(Clone, Debug)]
pub struct Arena {
    backing: Backing,
    /// Words of the job's own arena.
    pub words: u64,
}

#[derive(Clone, Debug)]
enum Backing {
    Own(Arc<Lease>),
    Heap {
        heap: Arc<Heap>,
        /// Where the job's own arena is; none if it is empty.
        staged: Option<Region>,
    },
}

/// The buffer of an arena, which stays the same as long as this is held.
pub enum Held<'a> {
    /// A buffer of its own, and the words of it.
    Own(&'a wgpu::Buffer, u64),
    /// The memory for data that stays.
    Heap(RwLockReadGuard<'a, Current>),
}

impl Arena {
    /// Room for a job's arena. To be called within [`Gpu::allocating`].
    pub fn own(gpu: &Gpu, job: &Job) -> Arena {
        let words = job.arena_words as u64;
        Arena {
            backing: Backing::Own(Arc::new(gpu.pool.take(Kind::Storage, size(words)))),
            words,
        }
    }

    /// A region of the memory for data that stays, as a job's arena.
    pub fn at(heap: &Arc<Heap>, region: Region) -> Arena {
        Arena {
            words: region.words.into(),
            backing: Backing::Heap {
                heap: heap.clone(),
                staged: Some(region),
            },
        }
    }

    /// Room beside the data that stays.
    ///
    /// # Errors
    ///
    /// When there is no such room.
    pub fn in_heap(gpu: &Gpu, job: &Job) -> Result<Arena> {
        let words = job.arena_words as u64;
        let heap = gpu.heap.clone();
        let staged = match words {
            0 => None,
            _ => Some(heap.reserve(gpu, words)?),
        };
        Ok(Arena {
            backing: Backing::Heap { heap, staged },
            words,
        })
    }

    /// Where the job's own arena starts in the buffer.
    pub fn start(&self) -> u32 {
        match &self.backing {
            Backing::Heap {
                staged: Some(region), ..
            } => region.start,
            _ => 0,
        }
    }

    /// Where a span starts in the buffer.
    pub fn start_of(&self, span: &Span) -> u32 {
        let origin = span.region.as_ref().map_or_else(|| self.start(), |region| region.start);
        origin.wrapping_add(span.start)
    }

    /// Holds on to the buffer. Whoever submits work on it has to hold it until after the submission.
    pub fn hold(&self) -> Held<'_> {
        match &self.backing {
            Backing::Own(lease) => Held::Own(lease, self.words),
            Backing::Heap { heap, .. } => Held::Heap(heap.current()),
        }
    }
}

impl Held<'_> {
    /// The buffer and its words.
    ///
    /// # Errors
    ///
    /// If a region is not of this device.
    pub fn buffer(&self) -> Result<(&wgpu::Buffer, u64)> {
        match self {
            Held::Own(buffer, words) => Ok((buffer, *words)),
            Held::Heap(current) => current.buffer(),
        }
    }

    /// Changes when the buffer is exchanged for another.
    pub fn generation(&self) -> u64 {
        match self {
            Held::Own(..) => 0,
            Held::Heap(current) => current.generation,
        }
    }
}
