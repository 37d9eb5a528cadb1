//! Warnings of what may keep a program waiting for ever. Who sits before one that does nothing has to see them, so they are printed
//! where no `tracing` subscriber was ever set.

/// Prints what `tracing` has been told, if nobody can have heard it.
pub(crate) fn print(warning: &str) {
    if !tracing::dispatcher::has_been_set() {
        eprintln!("gpuvm: {warning}");
    }
}
