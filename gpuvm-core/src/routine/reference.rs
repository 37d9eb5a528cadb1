//! Who has a routine: the binary, for as long as the process lives, or all that share one made at run time.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;

use super::{Callee, Routine};
use crate::build::{BuildError, table};
use crate::library::Library;
use crate::link::collect::calls;
use crate::program::ProgramId;
use crate::types::TypeRef;

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
    /// One of these with tables in place of some of what it calls.
    Tabled(Arc<Tabled>),
}

/// A routine that was made at run time, with its identity.
#[derive(Debug)]
pub struct Made {
    routine: Routine,
    id: RoutineId,
}

/// A routine with tables in place of some of what it calls, and of what that calls.
#[derive(Debug)]
pub struct Tabled {
    /// The routine.
    pub(crate) routine: RoutineRef,
    /// The tables, by their identities.
    pub(crate) tables: Vec<Table>,
    id: RoutineId,
}

/// A routine that stands for another one.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The other one.
    pub of: RoutineRef,
    /// The one that is called for it, and alone calls it.
    pub routine: RoutineRef,
}

impl Table {
    /// The tables that there are where more are added: of two for the same routine it is the later one.
    pub fn added(known: &[Table], more: &[Table]) -> Vec<Table> {
        let is_kept = |known: &&Table| !more.iter().any(|table| table.of.is(&known.of));
        let mut all: Vec<Table> = known.iter().filter(is_kept).chain(more).cloned().collect();
        all.sort_by_key(|table| table.routine.key());
        all
    }
}

impl RoutineRef {
    /// Shares a routine that was made at run time.
    pub fn new(routine: Routine) -> RoutineRef {
        let id = RoutineId::of(&routine);
        RoutineRef::Made(Arc::new(Made { routine, id }))
    }

    /// The callee that it is among those that a routine holds, each once.
    pub(crate) fn hold(&self, held: &mut Vec<RoutineRef>) -> Callee {
        let known = held.iter().position(|held| held.key() == self.key());
        let number = known.unwrap_or_else(|| {
            held.push(self.clone());
            held.len() - 1
        });
        Callee::Held(number as u32)
    }

    /// The routine with a table in place of another one that it calls, or that is called by what it calls: a call of `of` goes to the entry of the number
    /// that is its first argument, with the other arguments, and to `of` itself where there is no such entry.
    ///
    /// # Errors
    ///
    /// When `of` has no number as its first parameter, an entry is not a function of the parameters behind it, or nothing calls `of`; with the caller's place.
    #[track_caller]
    pub fn with_table(
        &self,
        of: &RoutineRef,
        entries: &[RoutineRef],
        library: Library,
    ) -> Result<RoutineRef, BuildError> {
        let table = Table {
            of: of.clone(),
            routine: RoutineRef::new(table(of, entries)?),
        };
        if !calls(self, of, library) {
            let place = Location::caller();
            return Err(BuildError {
                routine: self.name.to_string(),
                file: place.file().to_string(),
                line: place.line(),
                what: format!("it is given a table for `{}`, which it does not call", of.name),
            });
        }
        Ok(RoutineRef::tabled(self, &[table]))
    }

    /// A routine with tables.
    pub(crate) fn tabled(routine: &RoutineRef, more: &[Table]) -> RoutineRef {
        let (routine, known) = match routine {
            RoutineRef::Tabled(tabled) => (&tabled.routine, &*tabled.tables),
            routine => (routine, &[][..]),
        };
        let mut tabled = Tabled {
            routine: routine.clone(),
            tables: Table::added(known, more),
            id: RoutineId(ProgramId::of(&[])),
        };
        tabled.id = RoutineId(ProgramId::of(&tabled.record()));
        RoutineRef::Tabled(Arc::new(tabled))
    }

    /// What no other routine has that is there at the same time.
    pub fn key(&self) -> RoutineKey {
        match self {
            RoutineRef::Binary { routine, .. } => RoutineKey::Address(std::ptr::from_ref(*routine).addr()),
            RoutineRef::Made(made) => RoutineKey::Content(made.id),
            RoutineRef::Tabled(tabled) => RoutineKey::Content(tabled.id),
        }
    }

    /// The identity of one that was made at run time.
    pub fn id(&self) -> Option<RoutineId> {
        match self {
            RoutineRef::Binary { .. } => None,
            RoutineRef::Made(made) => Some(made.id),
            RoutineRef::Tabled(tabled) => Some(tabled.id),
        }
    }

    /// Whether both are the same routine of the source. One of the binary may lie in several places of it.
    pub fn is(&self, other: &RoutineRef) -> bool {
        let same_types = |ours: &[TypeRef], theirs: &[TypeRef]| {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| ours.same(*theirs))
        };
        match (self, other) {
            (RoutineRef::Binary { routine: ours, .. }, RoutineRef::Binary { routine: theirs, .. }) => {
                (&ours.name, &ours.file, ours.line) == (&theirs.name, &theirs.file, theirs.line)
                    && same_types(&ours.params, &theirs.params)
                    && ours.result.same(theirs.result)
            }
            _ => self.key() == other.key(),
        }
    }

    /// The id of the one of the binary that it is, if need be with tables.
    pub fn of_binary(&self) -> Option<&'static str> {
        match self {
            RoutineRef::Binary { id, .. } => Some(*id).filter(|id| !id.is_empty()),
            RoutineRef::Made(_) => None,
            RoutineRef::Tabled(tabled) => tabled.routine.of_binary(),
        }
    }

    /// What is called in place of something else by it and by what it calls.
    pub fn tables(&self) -> impl Iterator<Item = &RoutineRef> {
        let tabled = match self {
            RoutineRef::Tabled(tabled) => &*tabled.tables,
            RoutineRef::Binary { .. } | RoutineRef::Made(_) => &[],
        };
        tabled.iter().map(|table| &table.routine)
    }
}

impl Deref for RoutineRef {
    type Target = Routine;

    fn deref(&self) -> &Routine {
        match self {
            RoutineRef::Binary { routine, .. } => routine,
            RoutineRef::Made(made) => &made.routine,
            RoutineRef::Tabled(tabled) => &tabled.routine,
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
