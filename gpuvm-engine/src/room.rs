//! Room on the host for what a number of the user's asks for, so that too large a number is an error and not the end of the process.

mod available;

use std::path::Path;

use crate::error::{Error, Result};

/// Less than this is not asked for before it is taken.
const LITTLE: usize = 1 << 26;

/// Fails if the host has no room for so many values of so many bytes each.
///
/// A system may promise memory that it does not have and end the process that uses it, so what it says is left is looked at first.
///
/// The room is given back, for `vec!` to take: that gets zeroed pages, which cost nothing before they are touched, where a reservation that
/// may fail has to be filled.
///
/// # Errors
///
/// [`Error::OutOfMemory`], which says what there is no room for.
pub fn check(values: usize, bytes_each: usize, what: impl FnOnce() -> String) -> Result<()> {
    let bytes = values.checked_mul(bytes_each);
    let can_be_had = |bytes: usize| {
        let left = available::bytes(Path::new("/"));
        left.is_none_or(|left| bytes as u64 <= left) && Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
    };
    if bytes.is_some_and(|bytes| bytes < LITTLE || can_be_had(bytes)) {
        return Ok(());
    }
    let size = bytes.map_or("more bytes than a pointer counts".to_string(), |bytes| {
        format!("{bytes} bytes")
    });
    Err(Error::OutOfMemory {
        reason: format!("{} take {size} of the host's memory", what()),
    })
}

/// Fails if the host has no room for the results of so many VMs.
///
/// # Errors
///
/// [`Error::OutOfMemory`].
pub fn for_results(vms: usize, bytes_each: usize, routine: &str) -> Result<()> {
    check(vms, bytes_each, || format!("the results of {vms} VMs of `{routine}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert!(check(1 << 10, 1 << 10, || unreachable!("there is room")).is_ok());
        assert!(check(1 << 13, 1 << 13, || unreachable!("there is room")).is_ok());
        let told = |values, bytes| check(values, bytes, || "columns".to_string()).unwrap_err().to_string();
        assert_eq!(
            told(1 << 50, 1 << 10),
            "the device is out of memory: columns take 1152921504606846976 bytes of the host's memory"
        );
        assert_eq!(
            told(1 << 50, 1 << 20),
            "the device is out of memory: columns take more bytes than a pointer counts of the host's memory"
        );
    }
}
