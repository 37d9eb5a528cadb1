//! What an engine has made of the programs that it has seen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gpuvm_core::program::Program;

use gpuvm_engine::Result;

/// What was made of programs, by their addresses.
#[derive(Debug)]
pub struct Library<T>(Mutex<HashMap<usize, Entry<T>>>);

#[derive(Debug)]
struct Entry<T> {
    /// Where it came from. As long as this pointer lives, the address is no other program's.
    program: Weak<Program>,
    made: Arc<T>,
}

impl<T> Default for Library<T> {
    fn default() -> Library<T> {
        Library(Mutex::default())
    }
}

impl<T> Library<T> {
    /// What was made of the program, or is made now. What was made of programs that are gone is let go of.
    ///
    /// # Errors
    ///
    /// What making it fails with.
    pub fn get(&self, program: &Arc<Program>, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = Arc::as_ptr(program) as usize;
        if let Some(known) = entries.get(&key) {
            return Ok(known.made.clone());
        }
        let made = Arc::new(make()?);
        entries.retain(|_, known| known.program.strong_count() > 0);
        let entry = Entry {
            program: Arc::downgrade(program),
            made: made.clone(),
        };
        entries.insert(key, entry);
        Ok(made)
    }
}
