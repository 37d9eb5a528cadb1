//! What can go wrong on a device.

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a device cannot be opened, or did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such device.
    #[error("no device: {reason}")]
    NoAdapter {
        /// What was looked for and what is there.
        reason: String,
    },
    /// The device has no atomics of 64 bits, which the program has.
    #[error("`{routine}` uses `{atomic}`, and `{device}` has no atomics of 64 bits")]
    NoAtomics64 {
        /// The routine.
        routine: String,
        /// The type of its atomics.
        atomic: &'static str,
        /// The type that every device has.
        narrow: &'static str,
        /// The device's name.
        device: String,
    },
    /// No kernel of the program can stay on the device.
    #[error("no kernel of `{routine}` stays on the device: {reason}")]
    NotResident {
        /// The routine.
        routine: String,
        /// Why not.
        reason: String,
    },
    /// The device was lost while it worked.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// What the driver says.
        reason: String,
    },
    /// The device, or the host, has not enough memory.
    #[error("the device is out of memory: {reason}")]
    OutOfMemory {
        /// What did not fit.
        reason: String,
    },
    /// The device or its driver refused the work.
    #[error("the device failed: {reason}")]
    Device {
        /// What it says.
        reason: String,
    },
}

impl Error {
    /// The same where it is too late to do without memory that there is not, because some of the work has been done.
    pub fn after_begin(self) -> Error {
        match self {
            Error::OutOfMemory { reason } => Error::Device { reason },
            other => other,
        }
    }
}
