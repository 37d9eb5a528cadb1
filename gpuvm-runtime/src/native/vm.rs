//! What a routine may ask about the VM that runs it, and tell it. Inside a `#[routine]` these are instructions; here is what they do
//! when the function runs natively.

use gpuvm_core::types::VmType;

use super::{ask, context};

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

/// Asks the host, and waits for the answer: whoever launched the VMs says by [`Launch::answer`](crate::launch::Launch::answer) or
/// [`Launch::answer_all`](crate::launch::Launch::answer_all) who answers, or takes the questions from the
/// [`Execution`](crate::execution::Execution::questions). Other VMs go on meanwhile. Natively the answer is there at once.
///
/// # Panics
///
/// Outside of a launch and of [`answering`], where nobody answers.
#[track_caller]
pub fn ask<Q: VmType, A: VmType>(question: Q) -> A {
    ask::ask(question)
}

/// Calls `run`, and `answer` with [`id`] and question where that asks: for routines that are called as the functions they are, outside of a launch.
///
/// ```
/// use gpuvm_runtime::native::vm;
///
/// fn doubled(x: u32) -> u32 {
///     let y: u32 = vm::ask(x);
///     2 * y
/// }
///
/// assert_eq!(vm::answering(|_vm, x: u32| x + 1, || doubled(20)), 42);
/// ```
pub fn answering<Q: VmType, A: VmType, R>(answer: impl FnMut(u32, Q) -> A + Send, run: impl FnOnce() -> R) -> R {
    ask::answering(answer, run)
}
