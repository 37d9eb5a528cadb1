//! The kernels that have been compiled, by what is in the program and what it was specialised for.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gpuvm_core::program::{Program, ProgramId};
use gpuvm_engine::{Error, Result};

use super::kernel::{Passes, Readiness, SpecializedKernel, Work};
use super::options::Options;
use crate::compilers::Compilers;
use crate::gpu::Gpu;
use crate::library::Library;

/// Kernels that are kept; of more the one that was used longest ago is forgotten.
const KEPT: usize = 1024;

/// What makes two kernels the same: the programs of a kernel's [`Work`], and what they were specialised for.
type Key = (ProgramId, Option<ProgramId>, Option<Passes>, Options);

/// The kernels of a device.
#[derive(Debug)]
pub struct Cache {
    gpu: Arc<Gpu>,
    known: Mutex<Known>,
    /// Told when a kernel is ready, or is not going to be.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    identities: Library<ProgramId>,
    kernels: HashMap<Key, Entry>,
    /// Counts the uses.
    now: u64,
}

#[derive(Debug)]
enum Entry {
    /// Some thread is at it.
    Making,
    /// Here it is, and when it was last used.
    Ready(Arc<SpecializedKernel>, u64),
    /// The device has refused it, for this reason.
    Refused(String),
}

impl Cache {
    /// An empty cache.
    pub fn new(gpu: Arc<Gpu>) -> Arc<Cache> {
        Arc::new(Cache {
            gpu,
            known: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A kernel if it is there; if not, another thread begins to compile it.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device has refused it.
    pub fn request(
        self: &Arc<Self>,
        work: &Work,
        options: &Options,
        compilers: &Compilers,
    ) -> Result<Option<Arc<SpecializedKernel>>> {
        let mut known = self.known();
        let key = known.key(work, options)?;
        if let Some(found) = known.find(&key) {
            return found;
        }
        known.kernels.insert(key.clone(), Entry::Making);
        drop(known);
        let (cache, work, noted) = (self.clone(), work.clone(), key.clone());
        let compile = move || {
            // Whoever asks again hears of a failure.
            let _ = cache.make(&work, key, Readiness::Whole);
        };
        compilers.spawn(compile).inspect_err(|_| {
            self.known().kernels.remove(&noted);
        })?;
        Ok(None)
    }

    /// A kernel, compiled if it is new.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn wait(&self, work: &Work, options: &Options) -> Result<Arc<SpecializedKernel>> {
        let mut known = self.known();
        let key = known.key(work, options)?;
        loop {
            match known.find(&key) {
                None => break,
                Some(Ok(None)) => known = self.changed.wait(known).unwrap_or_else(PoisonError::into_inner),
                Some(Ok(Some(kernel))) => return Ok(kernel),
                Some(Err(error)) => return Err(error),
            }
        }
        known.kernels.insert(key.clone(), Entry::Making);
        drop(known);
        self.make(work, key, Readiness::Starts)
    }

    /// Compiles a kernel that is noted as being made, and notes what came of it.
    fn make(&self, work: &Work, key: Key, readiness: Readiness) -> Result<Arc<SpecializedKernel>> {
        let cleanup = Cleanup { cache: self, key: &key };
        let made = SpecializedKernel::new(&self.gpu, work, &key.3, readiness).map(Arc::new);
        std::mem::forget(cleanup);
        let mut known = self.known();
        known.now += 1;
        let now = known.now;
        let entry = match &made {
            Ok(kernel) => Some(Entry::Ready(kernel.clone(), now)),
            Err(Error::Device { reason }) => Some(Entry::Refused(reason.clone())),
            // Memory may come back, a lost device does not.
            Err(_) => None,
        };
        match entry {
            Some(entry) => _ = known.kernels.insert(key, entry),
            None => _ = known.kernels.remove(&key),
        }
        known.forget_old();
        drop(known);
        self.changed.notify_all();
        made
    }
}

/// Takes back the note that a kernel is being made if its maker panics, so that nobody waits for it.
struct Cleanup<'a> {
    cache: &'a Cache,
    key: &'a Key,
}

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        self.cache.known().kernels.remove(self.key);
        self.cache.changed.notify_all();
    }
}

impl Known {
    /// What a kernel is kept under.
    fn key(&self, work: &Work, options: &Options) -> Result<Key> {
        let identity = |program: &Arc<Program>| self.identities.get(program, || Ok(program.identity()));
        let then = work.then.as_ref().map(identity).transpose()?;
        let program = *identity(&work.program)?;
        Ok((program, then.map(|then| *then), work.tiles, options.clone()))
    }

    /// What is known of a kernel; within, `None` if it is being made.
    fn find(&mut self, key: &Key) -> Option<Result<Option<Arc<SpecializedKernel>>>> {
        self.now += 1;
        Some(match self.kernels.get_mut(key)? {
            Entry::Making => Ok(None),
            Entry::Ready(kernel, used) => {
                *used = self.now;
                Ok(Some(kernel.clone()))
            }
            Entry::Refused(reason) => Err(Error::Device { reason: reason.clone() }),
        })
    }

    fn forget_old(&mut self) {
        while self.kernels.len() > KEPT {
            let ready = self.kernels.iter().filter_map(|(key, entry)| match entry {
                Entry::Ready(_, used) => Some((*used, key)),
                Entry::Refused(_) => Some((0, key)),
                Entry::Making => None,
            });
            let Some(oldest) = ready.min_by_key(|(used, _)| *used).map(|(_, key)| key.clone()) else {
                return;
            };
            self.kernels.remove(&oldest);
        }
    }
}
