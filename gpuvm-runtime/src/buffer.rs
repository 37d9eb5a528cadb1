//! Buffers: data that stays with the runtime between launches, behind a handle that is cheap to clone.

use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gpuvm_core::types::{Type, VmType};

use crate::error::{Error, Result};
use crate::vector::{Vector, entries, entries_mut};

/// A column of `T` that belongs to a [`Runtime`](crate::Runtime). A clone is another handle to the same data.
///
/// A launch that uses a buffer locks it from its beginning to its end; reading and writing wait for that.
pub struct Buffer<T> {
    store: Arc<Store>,
    entries: PhantomData<fn() -> T>,
}

/// What all handles of a buffer share.
pub(crate) struct Store {
    pub(crate) element: &'static Type,
    pub(crate) len: usize,
    data: RwLock<Box<dyn Vector>>,
}

impl<T: VmType> Buffer<T> {
    pub(crate) fn new(data: &[T]) -> Buffer<T> {
        let store = Store {
            element: T::TYPE,
            len: data.len(),
            data: RwLock::new(Box::new(data.to_vec())),
        };
        Buffer {
            store: Arc::new(store),
            entries: PhantomData,
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

    /// A copy of its entries.
    ///
    /// # Errors
    ///
    /// When the device fails to give the data.
    pub fn read(&self) -> Result<Vec<T>> {
        Ok(entries::<T>(&**self.store.read())
            .map(<[T]>::to_vec)
            .unwrap_or_default())
    }

    /// Replaces its entries.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] if `data` has another length, or when the device fails to take the data.
    pub fn write(&self, data: &[T]) -> Result<()> {
        if data.len() != self.len() {
            return Err(Error::BufferLength {
                expected: self.len(),
                found: data.len(),
            });
        }
        if let Some(entries) = entries_mut::<T>(&mut **self.store.write()) {
            entries.copy_from_slice(data);
        }
        Ok(())
    }
}

impl Store {
    /// The data to read. A panic elsewhere while it was locked leaves plain values behind, so a poisoned lock is no trouble.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Box<dyn Vector>> {
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The data to change.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Box<dyn Vector>> {
        self.data.write().unwrap_or_else(PoisonError::into_inner)
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
            "a buffer of 1 entries cannot take 2; write the same number or make a new buffer"
        );
    }
}
