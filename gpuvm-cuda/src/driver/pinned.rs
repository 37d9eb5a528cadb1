//! Host memory that the device reaches: what buffers that can be mapped consist of, and what is brought to the device lies in until it is
//! there. To get some takes a driver long, so blocks are kept.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Driver, Result};

/// The blocks of a device that nobody uses at the moment.
#[derive(Debug)]
pub struct HostPool {
    driver: Arc<dyn Driver>,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    blocks: HashMap<usize, Vec<Block>>,
    bytes: usize,
}

/// The start of memory that its holder has for itself.
#[derive(Debug)]
struct Block(NonNull<u8>);

// SAFETY: a block is memory that any thread may use; the type has the address only.
unsafe impl Send for Block {}

/// A block, which goes back to its pool when nobody has it any more.
///
/// Who may write it when is settled by whoever has it: a mapped buffer by wgpu's rules for mapped buffers, and the device not while the
/// host does.
#[derive(Debug)]
pub struct Pinned {
    start: NonNull<u8>,
    bytes: usize,
    pool: Arc<HostPool>,
}

// SAFETY: as for `Block`.
unsafe impl Send for Pinned {}
// SAFETY: who writes when is settled by those who share it, see above; all access is by raw pointers.
unsafe impl Sync for Pinned {}

/// Bytes of idle blocks to keep.
const IDLE_BYTES: usize = 512 << 20;
/// The smallest block.
const LEAST: usize = 4096;

impl HostPool {
    /// An empty pool.
    pub fn new(driver: Arc<dyn Driver>) -> Arc<HostPool> {
        Arc::new(HostPool {
            driver,
            idle: Mutex::default(),
        })
    }

    /// A block of at least so many bytes, which may be anything.
    ///
    /// # Errors
    ///
    /// When the driver has no such memory.
    pub fn take(self: &Arc<HostPool>, bytes: usize) -> Result<Arc<Pinned>> {
        let class = size_class(bytes);
        let found = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let found = idle.blocks.get_mut(&class).and_then(Vec::pop);
            idle.bytes -= if found.is_some() { class } else { 0 };
            found
        };
        let start = match found {
            Some(block) => block.0,
            None => {
                let _entered = self.driver.enter()?;
                self.driver.allocate_host(class).or_else(|_| {
                    // What is idle may be what it lacks.
                    self.clear();
                    self.driver.allocate_host(class)
                })?
            }
        };
        Ok(Arc::new(Pinned {
            start,
            bytes: class,
            pool: self.clone(),
        }))
    }

    /// Lets go of what is idle.
    pub fn clear(&self) {
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        self.free(idle.blocks.into_values().flatten());
    }

    fn put(&self, block: Block, class: usize) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.bytes + class <= IDLE_BYTES {
            idle.bytes += class;
            idle.blocks.entry(class).or_default().push(block);
        } else {
            drop(idle);
            self.free([block]);
        }
    }

    fn free(&self, blocks: impl IntoIterator<Item = Block>) {
        // Where nobody is let in, the memory goes with the process.
        if let Ok(_entered) = self.driver.enter() {
            blocks.into_iter().for_each(|block| self.driver.free_host(block.0));
        }
    }
}

impl Drop for HostPool {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Pinned {
    /// Its address, for the device.
    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Where so many bytes from a place on are.
    pub fn part(&self, at: usize, bytes: usize) -> NonNull<[u8]> {
        assert!(at <= self.bytes && bytes <= self.bytes - at, "a block is kept within");
        // SAFETY: the place is within the block, or at its end.
        NonNull::slice_from_raw_parts(unsafe { self.start.add(at) }, bytes)
    }

    /// The same for 64 bits.
    pub fn long(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8), "64 bits are at a multiple of 8");
        let long = self.part(at, 8).as_ptr().cast::<u64>();
        // SAFETY: as for a word.
        unsafe { AtomicU64::from_ptr(long) }
    }

    /// Writes bytes.
    pub fn write(&self, at: usize, bytes: &[u8]) {
        let to = self.part(at, bytes.len()).as_ptr().cast::<u8>();
        // SAFETY: so many bytes are there, and nobody else has them now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) }
    }

    /// Reads bytes.
    pub fn read(&self, at: usize, bytes: &mut [u8]) {
        let from = self.part(at, bytes.len()).as_ptr().cast::<u8>();
        // SAFETY: so many bytes are there, and nobody writes them now.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Writes words.
    pub fn write_words(&self, at: usize, words: &[u32]) {
        let to = self.part(at, size_of_val(words)).as_ptr().cast::<u8>();
        // SAFETY: so many bytes are there, and nobody else has them now.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast(), to, size_of_val(words)) }
    }

    /// Reads words.
    pub fn read_words(&self, at: usize, words: &mut [u32]) {
        let from = self.part(at, size_of_val(words)).as_ptr().cast::<u8>();
        // SAFETY: so many bytes are there, and nobody writes them now; any of them make words.
        unsafe { std::ptr::copy_nonoverlapping(from, words.as_mut_ptr().cast(), size_of_val(words)) }
    }

    /// Sets bytes to 0.
    pub fn clear(&self, at: usize, bytes: usize) {
        let to = self.part(at, bytes).as_ptr().cast::<u8>();
        // SAFETY: so many bytes are there, and nobody else has them now.
        unsafe { std::ptr::write_bytes(to, 0, bytes) }
    }

    /// The word at a place, a multiple of 4, which the device may write or read at any time.
    pub fn word(&self, at: usize) -> &AtomicU32 {
        assert!(at.is_multiple_of(4), "a word is at a multiple of 4");
        let word = self.part(at, 4).as_ptr().cast::<u32>();
        // SAFETY: the word is within the block, which begins at a multiple of a page, and is used by atomics only.
        unsafe { AtomicU32::from_ptr(word) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.pool.put(Block(self.start), self.bytes);
    }
}

/// Sizes with four steps from one power of two to the next.
fn size_class(bytes: usize) -> usize {
    let bytes = bytes.max(LEAST);
    bytes.next_multiple_of((bytes.next_power_of_two() / 8).max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn blocks_are_used_again() {
        let fake = Fake::new();
        let pool = HostPool::new(fake.clone());
        let block = pool.take(5000).unwrap();
        block.write(4998, &[1, 2]);
        let mut back = [0; 2];
        block.read(4998, &mut back);
        assert_eq!(back, [1, 2]);
        let address = block.address();
        drop(block);
        assert_eq!(pool.take(8000).unwrap().address(), address);
        assert_eq!(fake.host_blocks(), 1);
        drop(pool);
        assert_eq!(fake.host_blocks(), 0);
    }

    #[test]
    fn size_classes_waste_little() {
        for bytes in (1..10_000_000).step_by(4093) {
            let class = size_class(bytes);
            assert!(class >= bytes && size_class(class) == class);
            assert!(bytes < 4 * LEAST || class - bytes <= bytes / 4);
        }
    }
}
