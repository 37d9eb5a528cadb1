//! What the host sees of buffers: the memory of those that are mapped, and of what is about to be written to one.
#![allow(unsafe_code)]

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use wgpu::WriteOnly;
use wgpu::custom::{BufferMappedRangeInterface, QueueWriteBufferInterface};

use crate::driver::pinned::Pinned;

/// What the host has of a mapped buffer.
#[derive(Debug)]
pub struct MappedRange {
    part: NonNull<[u8]>,
    _block: Option<Arc<Pinned>>,
}

// SAFETY: wgpu gives out parts that are written only once at a time; the block stays as long as this.
unsafe impl Send for MappedRange {}
// SAFETY: as above.
unsafe impl Sync for MappedRange {}

impl MappedRange {
    /// Bytes of a block.
    pub fn new(block: &Arc<Pinned>, range: Range<u64>) -> MappedRange {
        MappedRange {
            part: block.part(range.start as usize, (range.end - range.start) as usize),
            _block: Some(block.clone()),
        }
    }

    /// No bytes.
    pub fn empty() -> MappedRange {
        MappedRange {
            part: NonNull::slice_from_raw_parts(NonNull::dangling(), 0),
            _block: None,
        }
    }
}

impl BufferMappedRangeInterface for MappedRange {
    fn len(&self) -> usize {
        self.part.len()
    }

    unsafe fn read_slice(&self) -> &[u8] {
        // SAFETY: the buffer is mapped, so the device does not write it; wgpu sees to it that nobody else does.
        unsafe { self.part.as_ref() }
    }

    unsafe fn write_slice(&mut self) -> WriteOnly<'_, [u8]> {
        // SAFETY: the buffer is mapped, so the device does not have it; wgpu sees to it that nobody else does.
        unsafe { WriteOnly::new(self.part) }
    }
}

/// Bytes that are about to be written to a buffer.
#[derive(Debug)]
pub struct Staging {
    /// Where they are.
    pub block: Arc<Pinned>,
    bytes: usize,
}

impl Staging {
    /// So many zeros: who writes them need not write all.
    pub fn new(block: Arc<Pinned>, bytes: usize) -> Staging {
        block.clear(0, bytes);
        Staging { block, bytes }
    }
}

impl QueueWriteBufferInterface for Staging {
    fn len(&self) -> usize {
        self.bytes
    }

    unsafe fn write_slice(&mut self) -> WriteOnly<'_, [u8]> {
        // SAFETY: nobody else has the block until it is sent.
        unsafe { WriteOnly::new(self.block.part(0, self.bytes)) }
    }
}
