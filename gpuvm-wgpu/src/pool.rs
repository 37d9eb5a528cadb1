//! Buffers that are used again: making one costs a driver more than a small launch does, and the GPU works in order, so a buffer
//! can go to its next user as soon as the last use of it is submitted.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::exit;

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Kernels read and write it.
    Storage,
    /// Kernels write it, and it sizes dispatches.
    Sizes,
    /// Kernels read it, as a uniform or as storage.
    Input,
    /// The host writes it and the device copies from it.
    Upload,
    /// The device copies to it and the host reads it.
    Readback,
}

impl Kind {
    fn usage(self) -> wgpu::BufferUsages {
        use wgpu::BufferUsages as Usage;
        match self {
            Kind::Storage => Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
            Kind::Sizes => Usage::STORAGE | Usage::INDIRECT,
            Kind::Input => Usage::UNIFORM | Usage::STORAGE | Usage::COPY_DST,
            Kind::Upload => Usage::MAP_WRITE | Usage::COPY_SRC,
            Kind::Readback => Usage::MAP_READ | Usage::COPY_DST,
        }
    }
}

/// The buffers of a device that nobody uses at the moment.
#[derive(Debug)]
pub struct Pool {
    device: wgpu::Device,
    /// The most bytes to keep.
    bound: u64,
    /// The most bytes of a buffer.
    largest: u64,
    shelves: Mutex<Shelves>,
}

#[derive(Debug, Default)]
struct Shelves {
    /// By what they are for and their bytes, in the order in which they came back.
    idle: HashMap<(Kind, u64), VecDeque<Idle>>,
    bytes: u64,
    /// Bytes of the buffers that somebody uses.
    lent: u64,
    /// How many buffers have come back so far.
    returned: u64,
    /// Buffers that were made so far, for tests.
    #[cfg(test)]
    made: u64,
}

#[derive(Debug)]
struct Idle {
    buffer: wgpu::Buffer,
    written: Vec<u32>,
    /// How many had come back when it did.
    since: u64,
}

impl Pool {
    /// A pool that keeps at most so many bytes.
    pub fn new(device: wgpu::Device, bound: u64) -> Arc<Pool> {
        Arc::new(Pool {
            largest: device.limits().max_buffer_size,
            device,
            bound,
            shelves: Mutex::default(),
        })
    }

    /// A buffer of at least so many bytes, whose content is anything. [`Kind::Upload`] buffers are mapped.
    pub fn take(self: &Arc<Pool>, kind: Kind, bytes: u64) -> Lease {
        let mut lease = self.take_as_left(kind, bytes);
        lease.written.clear();
        lease
    }

    /// As [`Pool::take`], for one who keeps [`Lease::written`] true.
    pub fn take_as_left(self: &Arc<Pool>, kind: Kind, bytes: u64) -> Lease {
        let class = size_class(bytes).min(self.largest).max(bytes);
        let idle = {
            let mut shelves = self.shelves();
            let found = shelves.idle.get_mut(&(kind, class)).and_then(VecDeque::pop_back);
            shelves.bytes -= found.as_ref().map_or(0, |idle| idle.buffer.size());
            found
        };
        let idle = idle.unwrap_or_else(|| {
            #[cfg(test)]
            {
                self.shelves().made += 1;
            }
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: class,
                usage: kind.usage(),
                mapped_at_creation: kind == Kind::Upload,
            });
            Idle {
                buffer,
                written: Vec::new(),
                since: 0,
            }
        });
        self.shelves().lent += idle.buffer.size();
        Lease {
            buffer: idle.buffer,
            written: idle.written,
            kind,
            mapped: AtomicBool::new(kind == Kind::Upload),
            pool: self.clone(),
        }
    }

    /// Bytes of the buffers that somebody uses, and of those that nobody uses.
    pub fn bytes(&self) -> (u64, u64) {
        let shelves = self.shelves();
        (shelves.lent, shelves.bytes)
    }

    /// The most bytes of buffers that nobody uses.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// Lets go of everything that is idle.
    pub fn clear(&self) {
        let mut shelves = self.shelves();
        shelves.idle.clear();
        shelves.bytes = 0;
    }

    /// How many buffers it has made so far.
    #[cfg(test)]
    pub fn made(&self) -> u64 {
        self.shelves().made
    }

    /// Takes a buffer back, and lets go of those that nobody has used for longest if there are too many.
    fn put(&self, kind: Kind, buffer: wgpu::Buffer, written: Vec<u32>) {
        let bytes = buffer.size();
        let mut dropped = Vec::new();
        let mut shelves = self.shelves();
        shelves.lent -= bytes;
        if bytes > self.bound {
            return;
        }
        shelves.returned += 1;
        let since = shelves.returned;
        shelves.bytes += bytes;
        let shelf = shelves.idle.entry((kind, bytes)).or_default();
        shelf.push_back(Idle { buffer, written, since });
        while shelves.bytes > self.bound {
            let Some(idle) = shelves.take_oldest() else {
                break;
            };
            dropped.push(idle);
        }
        // A driver may take its time over it, and nobody has to wait for that.
        drop(shelves);
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelves {
    /// Takes the buffer that has been idle for longest.
    fn take_oldest(&mut self) -> Option<Idle> {
        let shelves = self.idle.values_mut();
        let oldest = shelves.min_by_key(|shelf| shelf.front().map_or(u64::MAX, |idle| idle.since))?;
        let idle = oldest.pop_front()?;
        self.bytes -= idle.buffer.size();
        Some(idle)
    }
}

/// A buffer of a [`Pool`], which gets it back when this is dropped.
#[derive(Debug)]
pub struct Lease {
    buffer: wgpu::Buffer,
    kind: Kind,
    /// The words that it begins with, as far as they are known. Whoever has taken it by [`Pool::take_as_left`] has to keep this
    /// true, and a launch like the one before need not write what that wrote.
    pub written: Vec<u32>,
    /// Whether it is mapped, or about to be.
    mapped: AtomicBool,
    pool: Arc<Pool>,
}

impl Lease {
    /// Lets the host at the bytes of a [`Kind::Readback`] buffer as soon as all that was submitted has ended.
    pub fn map(&self, done: impl FnOnce(Result<(), wgpu::BufferAsyncError>) + Send + 'static) {
        self.mapped.store(true, Ordering::Relaxed);
        self.buffer.map_async(wgpu::MapMode::Read, .., done);
    }

    /// Lets the device at a buffer that the host has had.
    pub fn unmap(&self) {
        if self.mapped.swap(false, Ordering::Relaxed) {
            self.buffer.unmap();
        }
    }
}

impl Deref for Lease {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let _inside = exit::enter();
        self.unmap();
        let (pool, kind, buffer) = (self.pool.clone(), self.kind, self.buffer.clone());
        match kind {
            Kind::Storage | Kind::Sizes | Kind::Input | Kind::Readback => {
                pool.put(kind, buffer, std::mem::take(&mut self.written));
            }
            // It can be written again when the device has copied from it, which some later wait will notice.
            Kind::Upload => {
                let mapped = buffer.clone();
                buffer.map_async(wgpu::MapMode::Write, .., move |result| match result {
                    Ok(()) => pool.put(kind, mapped, Vec::new()),
                    Err(_) => pool.shelves().lent -= mapped.size(),
                });
            }
        }
    }
}

/// Sizes with four steps from one power of two to the next, so that at most a fifth of a buffer is wasted.
fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (bytes.next_power_of_two() / 8).max(64);
    bytes.next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_waste_little() {
        assert_eq!(size_class(0), 256);
        assert_eq!(size_class(257), 320);
        for bytes in (1..100_000).step_by(37) {
            let class = size_class(bytes);
            assert!(class >= bytes && class.is_multiple_of(64), "{bytes}: {class}");
            assert!(bytes < 256 || class - bytes <= bytes / 4, "{bytes}: {class}");
            assert_eq!(size_class(class), class);
        }
    }
}
