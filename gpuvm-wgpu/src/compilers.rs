//! Threads that compile while launches run.

use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use gpuvm_engine::{Error, Result};

/// The threads that compile. When it is dropped they are waited for: a process that ends while its driver compiles may crash.
#[derive(Debug, Default)]
pub struct Compilers(Mutex<Vec<JoinHandle<()>>>);

impl Compilers {
    /// Begins to compile on a thread of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if there is no thread to be had.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = std::thread::Builder::new().name("gpuvm compile".to_string());
        let thread = thread.spawn(work).map_err(|error| Error::Device {
            reason: format!("no thread to compile a kernel: {error}"),
        })?;
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread);
        Ok(())
    }
}

impl Drop for Compilers {
    fn drop(&mut self) {
        let threads = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // What it panicked with it has said.
            let _ = thread.join();
        }
    }
}
