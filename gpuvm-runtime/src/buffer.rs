//! Buffers: data that stays with the runtime between launches, behind a handle that is cheap to clone.

use std::marker::PhantomData;
use std::sync::Arc;

use gpuvm_core::types::VmType;

use crate::error::{Error, Result};
use crate::store::{Store, copied, make};
use crate::vector::Column;

/// A column of `T` that belongs to a [`Runtime`](crate::Runtime). A clone is another handle to the same data.
///
/// The data stays where it was used last: launches on a GPU find it in the GPU's memory, and it comes back to the host when
/// [`read`](Buffer::read) or a launch on the CPU asks for it. Where a GPU has no room for it, it is copied in and out.
///
/// A launch that uses a buffer locks it from its beginning to its end; reading and writing wait for that. An
/// [`Execution`](crate::Execution) ends when you say so, and until then whatever conflicts with it is [`Error::BufferInUse`].
///
/// ```
/// use gpuvm_runtime::{Backend, Runtime};
///
/// let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
/// let buffer = runtime.buffer(&[1.0f32, 2.0])?;
/// buffer.write(&[3.0, 4.0])?;
/// assert_eq!(buffer.read()?, [3.0, 4.0]);
/// # Ok::<(), gpuvm_runtime::Error>(())
/// ```
pub struct Buffer<T> {
    store: Arc<Store>,
    entries: PhantomData<fn() -> T>,
}

impl<T: VmType> Buffer<T> {
    pub(crate) fn new(data: &[T]) -> Buffer<T> {
        Buffer {
            store: Arc::new(Store::new(Arc::new(data.to_vec()), make::<T>)),
            entries: PhantomData,
        }
    }

    pub(crate) fn zeros(len: usize) -> Buffer<T> {
        Buffer {
            store: Arc::new(Store::zeros(T::TYPE, len, make::<T>)),
            entries: PhantomData,
        }
    }

    /// Fails if an entry does not fit its words.
    pub(crate) fn check_sizes(data: &[T]) -> Result<()> {
        match data.misfit() {
            None => Ok(()),
            Some(index) => Err(Error::SizeTooLarge {
                holder: "the data for a buffer".to_string(),
                index: Some(index),
            }),
        }
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.store.len
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A copy of its entries, brought back from the device where launches have left them there.
    ///
    /// # Errors
    ///
    /// When the device fails to give the data, or [`Error::BufferInUse`].
    pub fn read(&self) -> Result<Vec<T>> {
        Ok(copied(&*self.store.read()?))
    }

    /// Replaces its entries. A device gets them with the next launch that runs there.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] if `data` has another length, [`Error::SizeTooLarge`], or [`Error::BufferInUse`].
    pub fn write(&self, data: &[T]) -> Result<()> {
        if data.len() != self.len() {
            return Err(Error::BufferLength {
                expected: self.len(),
                found: data.len(),
            });
        }
        Buffer::check_sizes(data)?;
        self.store.write(Arc::new(data.to_vec()))
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Buffer {
            store: Arc::clone(&self.store),
            entries: PhantomData,
        }
    }
}

impl<T> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer<{}>({} entries)", self.store.element, self.store.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_data() {
        let buffer = Buffer::new(&[1.5f32, 2.5]);
        let other = buffer.clone();
        other.write(&[3.0, 4.0]).unwrap();
        assert_eq!(buffer.read().unwrap(), [3.0, 4.0]);
        assert_eq!(format!("{buffer:?}"), "Buffer<f32>(2 entries)");
    }

    #[test]
    fn the_length_is_fixed() {
        let error = Buffer::new(&[1u32]).write(&[1, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a buffer of 1 entry cannot take 2; write the same number or make a new buffer"
        );
    }
}
