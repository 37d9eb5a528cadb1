//! What the handles of a buffer share: one copy of the data on the host and one on a device, of which at least one is current, and who
//! is using them.
//!
//! A launch holds a [`Lease`] on each of its buffers, to read or to write, and asks it for the data where the engine needs it. Data
//! moves only when it is asked for on the side where it is not current.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gpuvm_core::types::{Type, VmType};

use crate::content::Content;
use crate::engine::{DeviceMemory, Region, Words};
use crate::error::{Error, Result};
use crate::vector::{Vector, entries, read_all};

/// What all handles of a buffer share.
pub(crate) struct Store {
    pub(crate) element: &'static Type,
    pub(crate) len: usize,
    /// Makes the typed vector of words that come from a device.
    make: Make,
    state: Mutex<State>,
    released: Condvar,
}

/// Makes a vector of so many entries of one type out of their words.
pub(crate) type Make = fn(usize, &[u32]) -> Arc<dyn Vector>;

/// Makes a `Vec<T>`.
pub(crate) fn make<T: VmType>(len: usize, words: &[u32]) -> Arc<dyn Vector> {
    Arc::new(read_all::<T>(len, words))
}

/// The copies of the data and the leases on it.
struct State {
    /// The data on the host, if that is current. A launch that writes it there takes it out.
    host: Option<Arc<dyn Vector>>,
    /// The room on a device.
    device: Option<Resident>,
    /// Leases to read.
    readers: usize,
    /// Whether there is a lease to write.
    writer: bool,
    /// Leases of executions, which end when the user says so.
    executions: usize,
}

/// Room in a device's memory.
struct Resident {
    memory: Arc<dyn DeviceMemory>,
    region: Region,
    current: bool,
}

impl Store {
    /// A store of the vector that `make` makes the like of.
    pub(crate) fn new(data: Arc<dyn Vector>, make: Make) -> Store {
        Store {
            element: data.element(),
            len: data.len(),
            make,
            state: Mutex::new(State {
                host: Some(data),
                device: None,
                readers: 0,
                writer: false,
                executions: 0,
            }),
            released: Condvar::new(),
        }
    }

    /// The state. A panic elsewhere while it was locked leaves plain values behind, so a poisoned lock is no trouble.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state when nobody has a lease that excludes reading, or writing.
    ///
    /// # Errors
    ///
    /// [`Error::BufferInUse`] instead of a wait for an execution, which the waiting thread itself may have to end.
    fn available(&self, write: bool) -> Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        while state.writer || write && state.readers > 0 {
            if state.executions > 0 {
                return Err(Error::BufferInUse {
                    element: self.element.to_string(),
                    length: self.len,
                });
            }
            state = self.released.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(state)
    }

    /// Brings the data to the host.
    fn to_host(&self, state: &mut State) -> Result<Arc<dyn Vector>> {
        if let Some(host) = &state.host {
            return Ok(Arc::clone(host));
        }
        let words = match &state.device {
            Some(Resident { memory, region, .. }) => memory.read(region)?,
            None => Words::default(),
        };
        let host = (self.make)(self.len, &words);
        state.host = Some(Arc::clone(&host));
        Ok(host)
    }

    /// The data, on the host.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::BufferInUse`].
    pub(crate) fn read(&self) -> Result<Arc<dyn Vector>> {
        self.to_host(&mut *self.available(false)?)
    }

    /// Replaces the data by a vector of the same type and length.
    ///
    /// # Errors
    ///
    /// [`Error::BufferInUse`].
    pub(crate) fn write(&self, data: Arc<dyn Vector>) -> Result<()> {
        let mut state = self.available(true)?;
        state.host = Some(data);
        if let Some(device) = &mut state.device {
            device.current = false;
        }
        Ok(())
    }
}

/// The right to use a buffer's data for the time of a launch.
pub(crate) struct Lease {
    store: Arc<Store>,
    write: bool,
    execution: bool,
    /// The data, if it is used on the host.
    host: Option<Arc<dyn Vector>>,
}

impl Lease {
    /// Waits for the right.
    ///
    /// # Errors
    ///
    /// [`Error::BufferInUse`] if an execution has it.
    pub(crate) fn take(store: &Arc<Store>, write: bool, execution: bool) -> Result<Lease> {
        let mut state = store.available(write)?;
        match write {
            true => state.writer = true,
            false => state.readers += 1,
        }
        state.executions += usize::from(execution);
        drop(state);
        Ok(Lease {
            store: Arc::clone(store),
            write,
            execution,
            host: None,
        })
    }

    /// Whether it is a lease on this store.
    pub(crate) fn is_on(&self, store: &Arc<Store>) -> bool {
        Arc::ptr_eq(&self.store, store)
    }

    /// Whether it is a lease to write.
    pub(crate) fn writes(&self) -> bool {
        self.write
    }

    /// Uses the data on the host.
    ///
    /// # Errors
    ///
    /// When the device on which it is fails.
    pub(crate) fn use_on_host(&mut self) -> Result<()> {
        let mut state = self.store.lock();
        self.host = Some(self.store.to_host(&mut state)?);
        if self.write {
            state.host = None;
            if let Some(device) = &mut state.device {
                device.current = false;
            }
        }
        Ok(())
    }

    /// Uses the data in this memory; `None` if that has no room for it.
    ///
    /// # Errors
    ///
    /// When a device fails.
    pub(crate) fn use_on_device(&mut self, memory: &Arc<dyn DeviceMemory>) -> Result<Option<Region>> {
        let words = self.store.len as u64 * u64::from(self.store.element.words);
        if words == 0 {
            return Ok(None);
        }
        let mut state = self.store.lock();
        let here = |device: &Resident| Arc::ptr_eq(&device.memory, memory);
        if !state.device.as_ref().is_some_and(here) {
            let region = match memory.allocate(words) {
                Ok(region) => region,
                Err(Error::OutOfMemory { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            self.store.to_host(&mut state)?;
            let memory = Arc::clone(memory);
            state.device = Some(Resident {
                memory,
                region,
                current: false,
            });
        }
        let State {
            device: Some(device),
            host,
            ..
        } = &mut *state
        else {
            return Ok(None);
        };
        if let (false, Some(host)) = (device.current, &host) {
            memory.write(&device.region, &Content::of(&**host))?;
            device.current = true;
        }
        if self.write {
            *host = None;
        }
        Ok(Some(device.region.clone()))
    }

    /// A vector of the same type and length, with anything in it.
    pub(crate) fn blank(&self) -> Box<dyn Vector> {
        let words = vec![0; self.store.len * self.store.element.words as usize];
        (self.store.make)(self.store.len, &words).to_vector()
    }

    /// The data that is used on the host.
    pub(crate) fn host(&self) -> Option<&dyn Vector> {
        self.host.as_deref()
    }

    /// The data that is used on the host, to change.
    pub(crate) fn host_mut(&mut self) -> Option<&mut dyn Vector> {
        let host = self.host.as_mut()?;
        if Arc::get_mut(host).is_none() {
            // A `read` that has just cloned the handle still copies from it.
            let mut words = vec![0; self.store.len * self.store.element.words as usize];
            host.write_words(0..self.store.len, &mut words);
            *host = (self.store.make)(self.store.len, &words);
        }
        Arc::get_mut(host)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.store.lock();
        match self.write {
            true => {
                state.writer = false;
                if let Some(host) = self.host.take() {
                    state.host = Some(host);
                }
            }
            false => state.readers -= 1,
        }
        state.executions -= usize::from(self.execution);
        drop(state);
        self.store.released.notify_all();
    }
}

/// The entries of a vector as a vector of their own.
pub(crate) fn copied<T: VmType>(vector: &dyn Vector) -> Vec<T> {
    entries::<T>(vector).map(<[T]>::to_vec).unwrap_or_default()
}
