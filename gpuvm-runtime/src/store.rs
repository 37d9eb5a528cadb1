//! What the handles of a buffer share: one copy of the data on the host and one on a device, of which at least one is current, and who
//! is using them.
//!
//! A launch holds a [`Lease`] on each of its buffers, to read or to write, and asks it for the data where the engine needs it. Data
//! moves only when it is asked for on the side where it is not current.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gpuvm_core::types::{Type, VmType};
use gpuvm_engine::{DeviceMemory, Region};

use crate::content::Content;
use crate::error::{Error, Result};
use crate::vector::{Column, Vector, entries, read_all};
use crate::words::WordColumn;

/// What all handles of a buffer share.
pub(crate) struct Store {
    pub(crate) element: &'static Type,
    pub(crate) len: usize,
    /// Makes the typed vector of words that come from a device.
    make: Make,
    state: Mutex<State>,
    released: Condvar,
}

/// Makes a vector of so many entries of the type out of their words.
pub(crate) type Make = fn(&'static Type, usize, &[u32]) -> Arc<dyn Vector>;

/// Makes a `Vec<T>`.
pub(crate) fn make<T: VmType>(_: &'static Type, len: usize, words: &[u32]) -> Arc<dyn Vector> {
    Arc::new(read_all::<T>(len, words))
}

/// Makes a column of words, where no Rust type is known.
pub(crate) fn make_words(element: &'static Type, entries: usize, words: &[u32]) -> Arc<dyn Vector> {
    let words = words.to_vec();
    Arc::new(WordColumn {
        element,
        entries,
        words,
    })
}

/// The copies of the data and the leases on it.
#[derive(Default)]
struct State {
    /// The data on the host, if that is current. A launch that writes it there takes it out.
    host: Option<Arc<dyn Vector>>,
    /// The room on a device.
    device: Option<Resident>,
    /// Whether all words are 0, if the data is nowhere yet. Otherwise they may be anything then.
    zeros: bool,
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

impl State {
    /// Whether somebody has a lease that excludes reading, or writing.
    fn excludes(&self, write: bool) -> bool {
        self.writer || write && self.readers > 0
    }
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
                ..State::default()
            }),
            released: Condvar::new(),
        }
    }

    /// A store of so many entries that are written before they are read: it begins as zeros, or as whatever a device's memory holds.
    pub(crate) fn blank(element: &'static Type, len: usize) -> Store {
        Store {
            element,
            len,
            make: make_words,
            state: Mutex::default(),
            released: Condvar::new(),
        }
    }

    /// A store of so many entries whose words are all 0, made where they are used first.
    pub(crate) fn zeros(element: &'static Type, len: usize, make: Make) -> Store {
        Store {
            make,
            state: Mutex::new(State {
                zeros: true,
                ..State::default()
            }),
            ..Store::blank(element, len)
        }
    }

    /// A store of the first entries of this one, which it takes the room in a device's memory from.
    pub(crate) fn take_first(&self, len: usize) -> Store {
        let first = Store {
            make: self.make,
            ..Store::blank(self.element, len)
        };
        let device = self.lock().device.take().filter(|_| first.words() > 0);
        first.lock().device = device.map(|mut device| {
            device.region.words = first.words() as u32;
            device
        });
        first
    }

    /// Brings a column to a device's memory, of which the store then has the only copy; false if there is no room.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::BufferInUse`].
    pub(crate) fn bring(&self, column: &dyn Column, memory: &Arc<dyn DeviceMemory>) -> Result<bool> {
        let mut state = self.available(true)?;
        if self.words() == 0 || !self.reserve(&mut state, memory)? {
            return Ok(false);
        }
        if let Some(device) = &mut state.device {
            memory.write(&device.region, &Content::of(column))?;
            device.current = true;
        }
        state.zeros = false;
        Ok(true)
    }

    /// Gives the room in this memory with the data, to read or to write; `None` if it has none. For whoever has a lease, or has told
    /// nobody else of the store.
    ///
    /// # Errors
    ///
    /// When a device fails.
    pub(crate) fn use_on_device(&self, memory: &Arc<dyn DeviceMemory>, write: bool) -> Result<Option<Region>> {
        if self.words() == 0 {
            return Ok(None);
        }
        let mut state = self.lock();
        if !self.reserve(&mut state, memory)? {
            return Ok(None);
        }
        let State {
            device: Some(device),
            host,
            zeros,
            ..
        } = &mut *state
        else {
            return Ok(None);
        };
        match &host {
            Some(host) if !device.current => memory.write(&device.region, &Content::of(&**host))?,
            None if !device.current && *zeros => memory.clear(&device.region)?,
            _ => {}
        }
        device.current = true;
        *zeros = false;
        if write {
            *host = None;
        }
        Ok(Some(device.region.clone()))
    }

    /// Whether the data is in a device's memory alone.
    pub(crate) fn is_away(&self) -> bool {
        let state = self.lock();
        state.host.is_none() && state.device.is_some()
    }

    /// The first entry on the host that its words cannot hold.
    pub(crate) fn misfit(&self) -> Option<usize> {
        if !self.element.narrows() {
            return None;
        }
        let host = self.lock().host.clone();
        host?.misfit()
    }

    /// Bytes of all its entries.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.words()
    }

    /// Words of all its entries.
    fn words(&self) -> u64 {
        self.len as u64 * u64::from(self.element.words)
    }

    /// Sees to room in a device's memory, whose content is anything if it is new; false if there is none.
    fn reserve(&self, state: &mut State, memory: &Arc<dyn DeviceMemory>) -> Result<bool> {
        let here = |device: &Resident| Arc::ptr_eq(&device.memory, memory);
        if state.device.as_ref().is_some_and(here) {
            return Ok(true);
        }
        let region = match memory.allocate(self.words()) {
            Ok(region) => region,
            Err(gpuvm_engine::Error::OutOfMemory { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if state.device.is_some() {
            self.to_host(state)?;
        }
        state.device = Some(Resident {
            memory: Arc::clone(memory),
            region,
            current: false,
        });
        Ok(true)
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
        while state.excludes(write) {
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
        let host = match &state.device {
            Some(Resident { memory, region, .. }) => (self.make)(self.element, self.len, &memory.read(region)?),
            None => (self.make)(self.element, self.len, &vec![0; self.words() as usize]),
        };
        state.host = Some(Arc::clone(&host));
        state.zeros = false;
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
        state.zeros = false;
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
        let state = store.available(write)?;
        Ok(Lease::note(store, state, write, execution))
    }

    /// The right, if nobody has one that excludes it.
    pub(crate) fn try_take(store: &Arc<Store>, write: bool) -> Option<Lease> {
        let state = store.lock();
        (!state.excludes(write)).then(|| Lease::note(store, state, write, false))
    }

    /// Notes a lease that nothing excludes.
    fn note(store: &Arc<Store>, mut state: MutexGuard<'_, State>, write: bool, execution: bool) -> Lease {
        match write {
            true => state.writer = true,
            false => state.readers += 1,
        }
        state.executions += usize::from(execution);
        Lease {
            store: Arc::clone(store),
            write,
            execution,
            host: None,
        }
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
        self.store.use_on_device(memory, self.write)
    }

    /// A vector of the same type and length, with anything in it.
    pub(crate) fn blank(&self) -> Box<dyn Vector> {
        let words = vec![0; self.store.len * self.store.element.words as usize];
        (self.store.make)(self.store.element, self.store.len, &words).to_vector()
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
            *host = (self.store.make)(self.store.element, self.store.len, &words);
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
