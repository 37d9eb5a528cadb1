//! Why a guest has stopped, as data.

use std::fmt;

use crate::routines::event;

/// Why a guest has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has ended by itself.
    Exited(i32),
    /// It waits for the answer to a system call.
    Syscall {
        /// The call's number.
        number: u64,
        /// Its arguments.
        arguments: [u64; 6],
        /// The address behind it.
        pc: u64,
    },
    /// It has done what its machine does not do. What the instruction at `pc` would have changed is as before.
    Fault {
        /// What.
        kind: FaultKind,
        /// The address that it was about.
        address: u64,
        /// The instruction's address.
        pc: u64,
    },
    /// Its budget is spent.
    OutOfBudget {
        /// The address of its next instruction.
        pc: u64,
    },
    /// It stands at a breakpoint.
    Breakpoint {
        /// The breakpoint's address.
        pc: u64,
    },
}

/// What a guest has done that its machine does not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// An instruction that there is not.
    Undefined,
    /// A load from where it may not.
    Load,
    /// A store to where it may not.
    Store,
    /// A jump to where nothing may be executed.
    Fetch,
    /// An atomic access, or an instruction, at an address that is not a multiple of its size.
    Misaligned,
    /// A store for which it has no private page left.
    OutOfPages,
}

impl FaultKind {
    pub(crate) fn of(kind: u32) -> FaultKind {
        match kind {
            event::LOAD => FaultKind::Load,
            event::STORE => FaultKind::Store,
            event::FETCH => FaultKind::Fetch,
            event::MISALIGNED => FaultKind::Misaligned,
            event::NO_PAGE => FaultKind::OutOfPages,
            _ => FaultKind::Undefined,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Undefined => "undefined instruction",
            FaultKind::Load => "load from where it has no memory",
            FaultKind::Store => "store to where it has no memory that it may change",
            FaultKind::Fetch => "jump to where it has no instructions",
            FaultKind::Misaligned => "access that is not aligned",
            FaultKind::OutOfPages => "store for which it has no private page left",
        })
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Exited(code) => write!(f, "exited with {code}"),
            Stop::Syscall { number, pc, .. } => write!(f, "waits for system call {number} before {pc:#x}"),
            Stop::Fault { kind, address, pc } => write!(f, "{kind}, of {address:#x} at {pc:#x}"),
            Stop::OutOfBudget { pc } => write!(f, "out of its budget at {pc:#x}"),
            Stop::Breakpoint { pc } => write!(f, "breakpoint at {pc:#x}"),
        }
    }
}
