//! Buffers: device memory, or host memory that the device reaches where they can be mapped.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use wgpu::custom::{BufferInterface, BufferMapCallback, DispatchBufferMappedRange};
use wgpu::{BufferAsyncError, BufferUsages, MapMode, MapRangeError};

use crate::device::CudaDevice;
use crate::driver::pinned::Pinned;
use crate::driver::{Kind, Result};
use crate::mapped::MappedRange;
use crate::progress::Map;
use crate::shadow::Shadow;
use crate::shared::Shared;

/// A handle to a buffer.
#[derive(Clone, Debug)]
pub struct CudaBuffer(pub Arc<Buffer>);

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    shared: Arc<Shared>,
    /// Its bytes.
    pub size: u64,
    /// What it may be used for.
    pub usage: BufferUsages,
    memory: Memory,
    /// Whether its memory may have anything in it. Looked at with the lock of [`Shared::sending`] held.
    fresh: AtomicBool,
    /// What the host knows of it, if it may be a uniform.
    pub shadow: Option<Mutex<Shadow>>,
    mapping: Mutex<Mapping>,
    /// Whether the host has it, or is about to.
    mapped: AtomicBool,
    /// The last submission that has it, for buffers that can be mapped.
    pub last_use: AtomicU64,
    destroyed: AtomicBool,
}

#[derive(Debug)]
enum Memory {
    /// None: it could not be made, which was told.
    None,
    Device(u64),
    Host(Arc<Pinned>),
}

/// What the host has of a buffer.
#[derive(Debug, Default)]
struct Mapping {
    state: State,
    /// Counts the mappings that were asked for.
    number: u64,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Unmapped,
    /// Asked for.
    Waiting,
    /// The host has this.
    Mapped(Arc<Pinned>),
}

/// Device memory is taken in multiples of so many bytes.
const GRAIN: u64 = 16;

impl Buffer {
    /// Its device's.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// A buffer of zeros, or one without memory if that could not be had.
    pub fn new(shared: &Arc<Shared>, descriptor: &wgpu::BufferDescriptor<'_>) -> Arc<Buffer> {
        let label = descriptor.label.unwrap_or("a buffer");
        let made = Buffer::check(shared, descriptor).and_then(|()| {
            let made = Buffer::make(shared, descriptor).or_else(|error| match error.kind {
                // The driver has waited for all that was submitted, so memory that only that has can be had.
                Kind::OutOfMemory => {
                    shared.settle();
                    Buffer::make(shared, descriptor)
                }
                _ => Err(error),
            });
            made.map_err(|error| {
                shared.fail(&format!("`{label}` of {} bytes", descriptor.size), &error);
                None
            })
        });
        let (memory, state) = made.unwrap_or_else(|reason| {
            if let Some(reason) = reason {
                shared.invalid(format!("`{label}`: {reason}"));
            }
            (Memory::None, State::Unmapped)
        });
        let uniform = descriptor.usage.contains(BufferUsages::UNIFORM) && !matches!(memory, Memory::None);
        Arc::new(Buffer {
            shared: shared.clone(),
            size: descriptor.size,
            usage: descriptor.usage,
            fresh: AtomicBool::new(matches!(memory, Memory::Device(_))),
            shadow: uniform.then(|| Mutex::new(Shadow::new(descriptor.size as usize))),
            memory,
            mapped: AtomicBool::new(matches!(state, State::Mapped(_))),
            mapping: Mutex::new(Mapping {
                state,
                number: descriptor.mapped_at_creation.into(),
            }),
            last_use: AtomicU64::new(0),
            destroyed: AtomicBool::new(false),
        })
    }

    /// What is wrong with what is asked for.
    fn check(shared: &Shared, descriptor: &wgpu::BufferDescriptor<'_>) -> std::result::Result<(), Option<String>> {
        let usage = descriptor.usage;
        let (read, write) = (BufferUsages::MAP_READ, BufferUsages::MAP_WRITE);
        let wrong = |text: &str| Err(Some(text.to_string()));
        if shared.is_lost() {
            return Err(None);
        }
        // The host may trust in what it has written only if nobody else writes it.
        if usage.contains(write) && !(write | BufferUsages::COPY_SRC).contains(usage) {
            return wrong("a buffer that is mapped to be written can be copied from, and nothing else");
        }
        if usage.contains(read) && !(read | BufferUsages::COPY_DST).contains(usage) {
            return wrong("a buffer that is mapped to be read can be copied to, and nothing else");
        }
        if descriptor.mapped_at_creation && !descriptor.size.is_multiple_of(4) {
            return wrong("a buffer that is mapped at its creation has a multiple of 4 bytes");
        }
        if descriptor.size > shared.limits.max_buffer_size {
            shared.scopes.report(wgpu::Error::OutOfMemory {
                source: format!(
                    "{} bytes are more than the {} that a buffer may have",
                    descriptor.size, shared.limits.max_buffer_size
                )
                .into(),
            });
            return Err(None);
        }
        Ok(())
    }

    fn make(shared: &Shared, descriptor: &wgpu::BufferDescriptor<'_>) -> Result<(Memory, State)> {
        let mappable = descriptor
            .usage
            .intersects(BufferUsages::MAP_READ | BufferUsages::MAP_WRITE);
        let zeros = || {
            let block = shared.host.take(descriptor.size as usize)?;
            block.clear(0, descriptor.size as usize);
            Ok(block)
        };
        if mappable {
            let block = zeros()?;
            let state = match descriptor.mapped_at_creation {
                true => State::Mapped(block.clone()),
                false => State::Unmapped,
            };
            return Ok((Memory::Host(block), state));
        }
        let state = match descriptor.mapped_at_creation {
            true => State::Mapped(zeros()?),
            false => State::Unmapped,
        };
        let bytes = descriptor.size.max(1).next_multiple_of(GRAIN);
        let _entered = shared.driver.enter()?;
        Ok((Memory::Device(shared.driver.allocate(bytes)?), state))
    }

    /// Whether it has memory. If not, that was told.
    pub fn is_valid(&self) -> bool {
        !matches!(self.memory, Memory::None)
    }

    /// Where it is; 0 if nowhere.
    pub fn address(&self) -> u64 {
        match &self.memory {
            Memory::None => 0,
            Memory::Device(address) => *address,
            Memory::Host(block) => block.address(),
        }
    }

    /// The host memory that it is, if it is.
    pub fn host(&self) -> Option<&Pinned> {
        match &self.memory {
            Memory::Host(block) => Some(block),
            _ => None,
        }
    }

    /// Whether it belongs to this device.
    pub fn is_of(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    /// Why the device cannot have it now.
    pub fn unusable(&self) -> Option<&'static str> {
        if self.destroyed.load(Ordering::Relaxed) {
            return Some("a buffer has been destroyed");
        }
        self.mapped
            .load(Ordering::Acquire)
            .then_some("a buffer is still mapped")
    }

    /// Sees to it that its memory has zeros, if nothing was written to it yet. `overwritten` if all of it is about to be. To be called with
    /// the lock of [`Shared::sending`] held.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn prepare(&self, overwritten: bool) -> Result<()> {
        if self.fresh.load(Ordering::Relaxed) {
            self.fresh.store(false, Ordering::Relaxed);
            if !overwritten {
                let bytes = self.size.max(1).next_multiple_of(GRAIN);
                return self.shared.driver.clear(self.address(), bytes);
            }
        }
        Ok(())
    }

    /// What the host knows of it.
    pub fn shadow(&self) -> Option<MutexGuard<'_, Shadow>> {
        let shadow = self.shadow.as_ref()?;
        Some(shadow.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets the host have it, if that mapping is still asked for and the device is there.
    pub fn finish_map(&self, number: u64, lost: bool) -> bool {
        let mut mapping = self.mapping();
        if mapping.number != number || !matches!(mapping.state, State::Waiting) {
            return false;
        }
        match &self.memory {
            Memory::Host(block) if !lost => {
                mapping.state = State::Mapped(block.clone());
                true
            }
            _ => {
                mapping.state = State::Unmapped;
                self.mapped.store(false, Ordering::Release);
                false
            }
        }
    }

    /// Brings what the host has written at the buffer's creation to the device.
    fn send(&self, block: Arc<Pinned>) {
        if self.shared.is_lost() {
            return;
        }
        let sent = {
            let mut sending = self.shared.sending();
            let sent = self.shared.driver.enter().and_then(|_entered| {
                self.prepare(true)?;
                let bytes = self.size;
                if let Some(mut shadow) = self.shadow() {
                    shadow.write(0, bytes, |to| block.read(0, to));
                }
                match bytes {
                    0 => Ok(()),
                    _ => self.shared.driver.copy(block.address(), self.address(), bytes),
                }
            });
            sending.keep(block);
            sent
        };
        if let Err(error) = sent {
            self.shared.fail("unmapping a buffer", &error);
        }
    }

    fn mapping(&self) -> MutexGuard<'_, Mapping> {
        self.mapping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Memory::Device(address) = self.memory
            && let Ok(_entered) = self.shared.driver.enter()
        {
            self.shared.driver.free(address);
        }
    }
}

impl BufferInterface for CudaBuffer {
    fn map_async(&self, mode: MapMode, _: Range<u64>, callback: BufferMapCallback) {
        let buffer = &self.0;
        let wanted = match mode {
            MapMode::Read => BufferUsages::MAP_READ,
            MapMode::Write => BufferUsages::MAP_WRITE,
        };
        let mut mapping = buffer.mapping();
        mapping.number += 1;
        let allowed = buffer.usage.contains(wanted) && matches!(mapping.state, State::Unmapped);
        if !allowed || !buffer.is_valid() || buffer.shared.is_lost() || buffer.destroyed.load(Ordering::Relaxed) {
            drop(mapping);
            if !allowed && buffer.is_valid() {
                buffer.shared.invalid(format!(
                    "a buffer of {:?} cannot be mapped so, or is mapped",
                    buffer.usage
                ));
            }
            callback(Err(BufferAsyncError));
            return;
        }
        mapping.state = State::Waiting;
        buffer.mapped.store(true, Ordering::Release);
        let number = mapping.number;
        let map = Map {
            buffer: buffer.clone(),
            number,
            callback,
        };
        buffer
            .shared
            .progress
            .map_after(buffer.last_use.load(Ordering::Acquire), map);
        drop(mapping);
        if buffer.shared.is_lost() {
            // It may have been lost just after it was looked at, and nobody may ask any more.
            buffer.shared.settle();
        }
    }

    fn get_mapped_range(&self, range: Range<u64>) -> std::result::Result<DispatchBufferMappedRange, MapRangeError> {
        let mapping = self.0.mapping();
        let range = match &mapping.state {
            State::Mapped(block) => MappedRange::new(block, range),
            // wgpu itself knows of a buffer that nobody has asked for, and refuses it.
            State::Unmapped if mapping.number == 0 => MappedRange::empty(),
            _ => return Err(not_mapped(&self.0.shared)),
        };
        Ok(DispatchBufferMappedRange::custom(range))
    }

    fn unmap(&self) {
        let buffer = &self.0;
        let mut mapping = buffer.mapping();
        let state = std::mem::take(&mut mapping.state);
        let number = mapping.number;
        drop(mapping);
        match state {
            State::Unmapped => {}
            State::Waiting => {
                buffer.mapped.store(false, Ordering::Release);
                // If it is not there, somebody is just about to tell, and finds that it is not asked for any more.
                if let Some(map) = buffer.shared.progress.take_map(buffer, number) {
                    (map.callback)(Err(BufferAsyncError));
                }
            }
            State::Mapped(block) => {
                if let Memory::Device(_) = buffer.memory {
                    buffer.send(block);
                }
                buffer.mapped.store(false, Ordering::Release);
            }
        }
    }

    fn destroy(&self) {
        // Its memory goes with the last handle: what is recorded may have its address.
        self.0.destroyed.store(true, Ordering::Relaxed);
        self.unmap();
    }
}

/// wgpu's error for a buffer that is not mapped. It cannot be made outside of wgpu, but wgpu makes one for any buffer that is not.
fn not_mapped(shared: &Arc<Shared>) -> MapRangeError {
    static ERROR: OnceLock<MapRangeError> = OnceLock::new();
    let error = || {
        let device = wgpu::Device::from_custom(CudaDevice::new(shared.clone(), None));
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        buffer.get_mapped_range(..).err()
    };
    match ERROR.get() {
        Some(error) => error.clone(),
        None => {
            let made = error().expect("a buffer that was never mapped has no mapped range");
            ERROR.get_or_init(|| made).clone()
        }
    }
}
