//! Warnings of what may keep a program waiting for ever. Who sits before one that does nothing has to see them, so they are printed
//! where no `tracing` subscriber was ever set.

use gpuvm_core::routine::Level;

use crate::recorder;

/// Prints what `tracing` has been told, if nobody can have heard it.
pub(crate) fn print(warning: &str) {
    recorder::say(Level::Warn, "gpuvm", warning);
    if !tracing::dispatcher::has_been_set() {
        eprintln!("gpuvm: {warning}");
    }
}
