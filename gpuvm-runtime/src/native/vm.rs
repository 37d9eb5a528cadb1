//! What a routine may ask about the VM that runs it, and tell it. Inside a `#[routine]` these are instructions; here is what they do
//! when the function runs natively.

use super::context;

/// This VM's number in its launch; 0 outside of one.
#[inline]
pub fn id() -> u32 {
    context::vm_id()
}

/// How many VMs the launch has; 1 outside of one.
#[inline]
pub fn count() -> u32 {
    context::vm_count()
}

/// Lets other VMs go first, on engines where VMs take turns. Natively a VM runs to its end, so this does nothing.
#[inline]
pub fn yield_now() {}

/// Ends this VM, without a result.
///
/// # Panics
///
/// Outside of a launch, where there is no VM to end.
pub fn halt() -> ! {
    context::halt()
}
