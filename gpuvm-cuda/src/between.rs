//! Copies from one GPU to another one, without the host.

use std::sync::Arc;

use crate::buffer::{Buffer, CudaBuffer};
use crate::driver::Result;
use crate::shared::Shared;

/// Copies bytes of a buffer to one of another device of CUDA's, each from a place on, after all that was submitted to either, and before all that will be; whether the GPUs can.
///
/// # Errors
///
/// What the driver says.
pub fn copy_between(
    (from, from_at): (&wgpu::Buffer, u64),
    (to, to_at): (&wgpu::Buffer, u64),
    bytes: u64,
) -> std::result::Result<bool, String> {
    let (Some(CudaBuffer(from)), Some(CudaBuffer(to))) = (from.as_custom(), to.as_custom()) else {
        return Ok(false);
    };
    let fits = |buffer: &Buffer, at: u64| at.checked_add(bytes).is_some_and(|end| end <= buffer.size);
    let are_same = Arc::ptr_eq(from.shared(), to.shared());
    if are_same || !fits(from, from_at) || !fits(to, to_at) || from.shadow.is_some() || to.shadow.is_some() {
        return Ok(false);
    }
    copy((from, from_at), (to, to_at), bytes).map_err(|error| {
        to.shared().fail("a copy from another GPU", &error);
        error.to_string()
    })
}

/// Tells a device's stream something, in order with all else that it is told.
fn tell<T>(shared: &Shared, what: impl FnOnce(&Shared) -> Result<T>) -> Result<T> {
    let _sending = shared.sending();
    let _entered = shared.driver.enter()?;
    what(shared)
}

fn copy((from, from_at): (&Buffer, u64), (to, to_at): (&Buffer, u64), bytes: u64) -> Result<bool> {
    let [source, target] = [from.shared(), to.shared()];
    let number = target.driver.number();
    let begun = tell(source, |source| {
        if !source.driver.open_to(number)? {
            return Ok(None);
        }
        from.prepare(false)?;
        source.driver.mark().map(Some)
    })?;
    let Some(begun) = begun else { return Ok(false) };
    let copied = tell(target, |target| {
        to.prepare(bytes == to.size)?;
        target.driver.wait_for(begun)?;
        target
            .driver
            .copy(from.address() + from_at, to.address() + to_at, bytes)?;
        target.driver.mark()
    });
    let ended = copied.and_then(|copied| {
        let waited = tell(source, |source| source.driver.wait_for(copied));
        target.driver.forget(copied);
        waited
    });
    source.driver.forget(begun);
    ended.map(|()| true)
}
