//! Who has a routine: the binary, for as long as the process lives, or all that share one made at run time.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;
use std::sync::Arc;

use super::Routine;
use crate::program::ProgramId;

/// A routine that is there for as long as anybody needs it: one of the binary, or one that was made at run time and is shared.
#[derive(Clone, Debug)]
pub enum RoutineRef {
    /// One of the binary.
    Binary {
        /// The routine.
        routine: &'static Routine,
        /// What it is launched by; nothing if it cannot be, as a method.
        id: &'static str,
    },
    /// One made at run time.
    Made(Arc<Made>),
}

/// A routine that was made at run time, with its identity.
#[derive(Debug)]
pub struct Made {
    routine: Routine,
    id: RoutineId,
}

impl RoutineRef {
    /// Shares a routine that was made at run time.
    pub fn new(routine: Routine) -> RoutineRef {
        let id = RoutineId::of(&routine);
        RoutineRef::Made(Arc::new(Made { routine, id }))
    }

    /// What no other routine has that is there at the same time.
    pub fn key(&self) -> RoutineKey {
        match self {
            RoutineRef::Binary { routine, .. } => RoutineKey::Address(std::ptr::from_ref(*routine).addr()),
            RoutineRef::Made(made) => RoutineKey::Content(made.id),
        }
    }

    /// The identity of one that was made at run time.
    pub fn id(&self) -> Option<RoutineId> {
        match self {
            RoutineRef::Binary { .. } => None,
            RoutineRef::Made(made) => Some(made.id),
        }
    }
}

impl Deref for RoutineRef {
    type Target = Routine;

    fn deref(&self) -> &Routine {
        match self {
            RoutineRef::Binary { routine, .. } => routine,
            RoutineRef::Made(made) => &made.routine,
        }
    }
}

impl From<&'static Routine> for RoutineRef {
    fn from(routine: &'static Routine) -> RoutineRef {
        RoutineRef::Binary { routine, id: "" }
    }
}

/// What tells routines apart in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoutineKey {
    /// Of one of the binary: where it lies.
    Address(usize),
    /// Of one made at run time: equal ones are the same.
    Content(RoutineId),
}

/// A hash of all that a routine made at run time consists of, and of all that it calls, the same on every machine and in every process. As a
/// [`ProgramId`], it finds mix-ups and damage, and is no defence against somebody who wants a collision.
///
/// It is shown as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineId(ProgramId);

impl RoutineId {
    /// The identity of a routine.
    pub fn of(routine: &Routine) -> RoutineId {
        RoutineId(ProgramId::of(&routine.record()))
    }

    /// The bytes, in the order in which they are shown.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_bytes()
    }
}

impl RoutineId {
    /// The same as two numbers.
    pub fn to_words(self) -> [u64; 2] {
        let number = u128::from_be_bytes(self.to_bytes());
        [(number >> 64) as u64, number as u64]
    }
}

impl Display for RoutineId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl Debug for RoutineId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "RoutineId({self})")
    }
}
