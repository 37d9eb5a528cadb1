//! The device memory in which buffers stay between launches: parts of one large storage buffer, which every launch that uses such a
//! part has as its arena.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::Duration;

use gpuvm_engine::{DeviceMemory, Error, MemoryUse, Region, Result, Select, Selection, Sort, Source, Words};

use super::cuda;
use super::free_list::FreeList;
use super::gpu::Gpu;
use super::memory::{Readback, WORD, size, zeros};
use super::pool::Kind;
use super::select;
use super::sort::Sorting;
use super::transfer::upload;

/// The memory. It grows as it is needed, up to what one binding can have.
#[derive(Debug)]
pub struct Heap {
    /// Which words are free. Whoever locks both locks this one first.
    free: Mutex<Free>,
    /// The buffer that has them. Whoever submits work on it holds the lock from looking until after the submission; when the buffer
    /// is exchanged, the words are copied on the device, after all that was submitted on the old one.
    current: RwLock<Current>,
    /// The most words.
    most: u64,
    /// Regions start at multiples of so many words, so that each can be bound by itself.
    alignment: u64,
}

/// What no region has.
#[derive(Debug, Default)]
struct Free {
    list: FreeList,
    /// The block that small regions are parts of.
    block: Block,
}

/// Words for small regions, one after the other. They are free again when none of these is left.
#[derive(Debug, Default)]
struct Block {
    guard: Weak<Guard>,
    /// The words that are left.
    next: u64,
    end: u64,
}

/// The buffer at the moment.
#[derive(Debug, Default)]
pub struct Current {
    buffer: Option<wgpu::Buffer>,
    /// Words that it has.
    words: u64,
    /// How many times it was exchanged.
    pub generation: u64,
}

/// Frees a region when nobody has it any more.
#[derive(Debug)]
struct Guard {
    heap: Arc<Heap>,
    start: u64,
    words: u64,
}

/// Regions start at multiples of so many words at least.
const LEAST_ALIGNMENT: u64 = 4;
/// A region of at most so many words is small.
const SMALL: u64 = 256;
/// Words of the block that small regions are parts of.
const BLOCK: u64 = 16 * SMALL;
/// So many words are copied at a time from one region to another.
const MOST_COPIED: u64 = 1 << 26;
/// The first buffer has at least so many words.
const FIRST_WORDS: u64 = 1 << 18;

impl Heap {
    /// The memory of a device, empty at first.
    pub fn new(limits: &wgpu::Limits) -> Arc<Heap> {
        let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let alignment = u64::from(limits.min_storage_buffer_offset_alignment) / WORD;
        let alignment = alignment.max(LEAST_ALIGNMENT);
        let most = (bytes / WORD).min(u32::MAX.into()) / alignment * alignment;
        Arc::new(Heap {
            alignment,
            free: Mutex::default(),
            current: RwLock::default(),
            most,
        })
    }

    /// The buffer, which is not exchanged as long as this is held.
    pub fn current(&self) -> RwLockReadGuard<'_, Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words that no region has, in one piece, growth included.
    pub fn room(&self) -> u64 {
        self.lock_free().list.room(self.most)
    }

    /// Words that regions have, and words in all.
    pub fn words(&self) -> (u64, u64) {
        let used = self.lock_free().list.used();
        (used, self.current().words)
    }

    /// Room for that many words.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if there is no such room.
    pub fn reserve(self: &Arc<Heap>, gpu: &Gpu, words: u64) -> Result<Region> {
        let rounded = words.max(1).next_multiple_of(self.alignment);
        let mut free = self.lock_free();
        if rounded > SMALL {
            let guard = self.take(gpu, &mut free.list, rounded)?;
            return Ok(region(guard.start, words, guard));
        }
        if let Some((start, guard)) = free.block.take(rounded) {
            return Ok(region(start, words, guard));
        }
        let guard = match self.take(gpu, &mut free.list, BLOCK) {
            // Where there is no room for a block, there may be enough for this.
            Err(Error::OutOfMemory { .. }) => self.take(gpu, &mut free.list, rounded)?,
            guard => guard?,
        };
        free.block = Block {
            guard: Arc::downgrade(&guard),
            next: guard.start + rounded,
            end: guard.start + guard.words,
        };
        Ok(region(guard.start, words, guard))
    }

    /// Takes so many words, of a larger buffer if need be.
    fn take(self: &Arc<Heap>, gpu: &Gpu, free: &mut FreeList, words: u64) -> Result<Arc<Guard>> {
        let start = match free.take(words) {
            Some(start) => start,
            None => {
                self.grow(gpu, free, words)?;
                free.take(words).ok_or_else(|| self.too_small(words))?
            }
        };
        Ok(Arc::new(Guard {
            heap: self.clone(),
            start,
            words,
        }))
    }

    /// Exchanges the buffer for one that has room for so many words more at its end.
    fn grow(&self, gpu: &Gpu, free: &mut FreeList, words: u64) -> Result<()> {
        let needed = free.end_of_used().saturating_add(words);
        if needed > self.most {
            return Err(self.too_small(words));
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let target = needed.max(current.words * 2).max(FIRST_WORDS).min(self.most);
        // Where there is not enough memory for twice as much, what is needed may still fit.
        let buffer = larger(gpu, &current, target).or_else(|error| match error {
            Error::OutOfMemory { .. } if needed < target => larger(gpu, &current, needed),
            error => Err(error),
        })?;
        let words = if buffer.size() == size(target) { target } else { needed };
        free.extend(words);
        *current = Current {
            buffer: Some(buffer),
            words,
            generation: current.generation + 1,
        };
        Ok(())
    }

    fn too_small(&self, words: u64) -> Error {
        Error::OutOfMemory {
            reason: format!(
                "{words} words more do not fit in the {} words that the device can bind at once",
                self.most
            ),
        }
    }

    fn lock_free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Block {
    /// Takes so many of the words that are left, unless nobody has any of the others and they are free already.
    fn take(&mut self, words: u64) -> Option<(u64, Arc<Guard>)> {
        let start = self.next;
        if start + words > self.end {
            return None;
        }
        // Not to be dropped here: the last one would lock the words that are free.
        let guard = self.guard.upgrade()?;
        self.next += words;
        Some((start, guard))
    }
}

/// A region. Words are counted in less than 32 bits.
fn region(start: u64, words: u64, guard: Arc<Guard>) -> Region {
    Region {
        start: start as u32,
        words: words as u32,
        guard,
    }
}

/// A buffer of so many words that begins with the words of the current one.
fn larger(gpu: &Gpu, current: &Current, words: u64) -> Result<wgpu::Buffer> {
    gpu.allocating(|device| {
        let buffer = zeros(device, "heap", words);
        if let Some(old) = &current.buffer {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(old, 0, &buffer, 0, size(current.words));
            gpu.queue.submit([encoder.finish()]);
        }
        buffer
    })
}

impl Current {
    /// The buffer and its words.
    ///
    /// # Errors
    ///
    /// If no region was ever reserved.
    pub fn buffer(&self) -> Result<(&wgpu::Buffer, u64)> {
        match &self.buffer {
            Some(buffer) => Ok((buffer, self.words)),
            None => Err(Error::Device {
                reason: "the region is not one of this device".to_string(),
            }),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.heap.lock_free().list.put(self.start, self.words);
    }
}

/// The memory as the rest of the runtime sees it: one for all engines of a device, so that a buffer that one of them has brought there
/// is there for the others.
impl DeviceMemory for Gpu {
    fn allocate(&self, words: u64) -> Result<Region> {
        self.heap.reserve(self, words)
    }

    fn write(&self, region: &Region, words: &dyn Source) -> Result<()> {
        let current = self.heap.current();
        let (buffer, _) = current.buffer()?;
        let range = 0..words.words().min(region.words as usize);
        upload(self, buffer, region.start.into(), words, range)
    }

    fn clear(&self, region: &Region) -> Result<()> {
        let current = self.heap.current();
        let (buffer, _) = current.buffer()?;
        let [start, bytes] = [region.start, region.words].map(|words| u64::from(words) * WORD);
        if bytes == 0 {
            return Ok(());
        }
        self.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.clear_buffer(buffer, start, Some(bytes));
            self.queue.submit([encoder.finish()]);
        })
    }

    /// By way of another buffer: one cannot be copied to itself.
    fn copy(&self, from: &Region, to: &Region) -> Result<()> {
        let current = self.heap.current();
        let (buffer, _) = current.buffer()?;
        let words = u64::from(from.words.min(to.words));
        let way = self.pool.take(Kind::Storage, size(words.min(MOST_COPIED)));
        self.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for first in (0..words).step_by(MOST_COPIED as usize) {
                let bytes = MOST_COPIED.min(words - first) * WORD;
                let [source, target] = [from, to].map(|region| (u64::from(region.start) + first) * WORD);
                encoder.copy_buffer_to_buffer(buffer, source, &way, 0, bytes);
                encoder.copy_buffer_to_buffer(&way, 0, buffer, target, bytes);
            }
            self.queue.submit([encoder.finish()]);
        })
    }

    fn copy_from(&self, other: &dyn DeviceMemory, from: &Region, to: &Region) -> Result<bool> {
        let Some(other) = other.as_any().and_then(|other| other.downcast_ref::<Gpu>()) else {
            return Ok(false);
        };
        let (source, target) = (other.heap.current(), self.heap.current());
        let at = |region: &Region| u64::from(region.start) * WORD;
        let bytes = u64::from(from.words.min(to.words)) * WORD;
        let copied = cuda::copy_between((source.buffer()?.0, at(from)), (target.buffer()?.0, at(to)), bytes);
        copied.map_err(|reason| Error::Device { reason })
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn sort(&self, sort: &Sort) -> Result<Option<Duration>> {
        match sort.count {
            0 => Ok(None),
            _ => Sorting::new(self, sort)?.run(),
        }
    }

    fn select(self: Arc<Self>, selected: &Select) -> Result<Box<dyn Selection>> {
        select::send(self, selected)
    }

    fn in_use(&self) -> MemoryUse {
        let (used, words) = self.heap.words();
        let (lent, idle) = self.pool.bytes();
        MemoryUse::new(used * WORD, lent, words.saturating_sub(used) * WORD + idle)
    }

    fn read(&self, region: &Region) -> Result<Words> {
        let current = self.heap.current();
        let (buffer, _) = current.buffer()?;
        let range = region.start as usize..(region.start + region.words) as usize;
        let readback = self.allocating(|_| Readback::new(self, region.words.into()))?;
        let submission = self.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            readback.record(&mut encoder, buffer, Some(range), 0);
            self.queue.submit([encoder.finish()])
        })?;
        drop(current);
        readback.keep(self, &submission)
    }
}
