//! Why there is no program.

/// Why a routine or a kernel cannot be linked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The routine's data is damaged or hand-made wrongly.
    #[error("routine `{routine}` is not valid: {what}")]
    Invalid {
        /// The routine.
        routine: String,
        /// The first thing that is wrong.
        what: String,
    },
    /// The function is too large for the machine.
    #[error("routine `{routine}` cannot become a program: {why}")]
    Refused {
        /// The routine.
        routine: String,
        /// What it has too much of, and what to do.
        why: &'static str,
    },
    /// More than the machine can address.
    #[error("routine `{routine}` needs {found} {what}, and at most {most} are possible")]
    TooLarge {
        /// The routine.
        routine: String,
        /// Of what there are too many.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many are possible.
        most: u64,
    },
    /// The parts of a kernel do not fit together.
    #[error("kernel `{kernel}` is not possible: {what}")]
    Kernel {
        /// The kernel.
        kernel: String,
        /// The first thing that does not fit.
        what: String,
    },
}
