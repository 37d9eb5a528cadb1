//! The columns of a launch whose VMs run in several places at once: read by all, written by each at the places of its own VMs.

use std::ops::Range;
use std::sync::{OnceLock, PoisonError, RwLock};

use gpuvm_core::program::Mode;
use gpuvm_core::types::Type;

use crate::vector::{Column, ColumnMut, Vector};
use crate::view::{Seen, View};

/// All columns.
pub(super) struct Columns<'v>(Vec<Shared<'v>>);

/// One column.
struct Shared<'v> {
    mode: Mode,
    data: Data<'v>,
    /// What VMs see whole, in a vector for the native engine, once somebody has needed that.
    vector: OnceLock<Box<dyn Vector>>,
}

enum Data<'v> {
    Read {
        column: &'v (dyn Column + 'v),
        uniform: bool,
    },
    Write(Locked<'v>),
}

/// A column that is locked for as long as words go in or out.
struct Locked<'v> {
    element: &'static Type,
    len: usize,
    column: RwLock<&'v mut (dyn ColumnMut + 'v)>,
}

/// A handle to a locked column.
pub(super) struct Door<'l, 'v>(&'l Locked<'v>);

impl<'v> Columns<'v> {
    /// The columns, of which no two VMs write the same words.
    pub(super) fn new(params: Vec<Seen<'v>>) -> Columns<'v> {
        let shared = params.into_iter().filter_map(|Seen { mode, view, .. }| {
            let data = match view {
                View::Read { column, uniform } => Data::Read { column, uniform },
                View::Write(column) => Data::Write(Locked {
                    element: column.element(),
                    len: column.len(),
                    column: RwLock::new(column),
                }),
                View::Atomics(_) | View::Device { .. } => return None,
            };
            Some(Shared {
                mode,
                data,
                vector: OnceLock::new(),
            })
        });
        Columns(shared.collect())
    }

    /// A door for each column that is written.
    pub(super) fn doors(&self) -> Vec<Option<Door<'_, 'v>>> {
        let door = |shared| match shared {
            &Shared {
                data: Data::Write(ref locked),
                ..
            } => Some(Door(locked)),
            _ => None,
        };
        self.0.iter().map(door).collect()
    }

    /// How a launch sees them through its doors.
    pub(super) fn seen<'s>(&'s self, doors: &'s mut [Option<Door<'s, 'v>>]) -> Vec<Seen<'s>> {
        let seen = |(shared, door): (&'s Shared<'v>, &'s mut Option<Door<'s, 'v>>)| {
            let view = match (&shared.data, door) {
                (Data::Read { column, uniform }, _) => View::Read {
                    column: *column,
                    uniform: *uniform,
                },
                (Data::Write(_), Some(door)) => View::Write(door),
                (Data::Write(_), None) => return None,
            };
            Some(Seen {
                mode: shared.mode,
                view,
                copy_of: None,
            })
        };
        self.0.iter().zip(doors).filter_map(seen).collect()
    }

    /// What the native engine sees of them for the VMs of a range out of so many: of what each VM sees its own, copies of their parts.
    pub(super) fn parts(&self, range: &Range<u32>, vms: u32) -> Vec<Part<'_>> {
        let part = |shared| Part::of(shared, range, vms);
        self.0.iter().map(part).collect()
    }

    /// Puts back what was changed in parts.
    pub(super) fn put_back(&self, parts: Vec<Part<'_>>) {
        for (shared, part) in self.0.iter().zip(parts) {
            if let (Data::Write(locked), Lent::Own(vector), Some(first)) = (&shared.data, &part.data, part.first) {
                locked.write(|column| column.copy_part(first, &**vector));
            }
        }
    }
}

impl<'v> Locked<'v> {
    fn read<T>(&self, read: impl FnOnce(&(dyn ColumnMut + 'v)) -> T) -> T {
        read(&**self.column.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, write: impl FnOnce(&mut (dyn ColumnMut + 'v)) -> T) -> T {
        write(&mut **self.column.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Column for Door<'_, '_> {
    fn element(&self) -> &'static Type {
        self.0.element
    }

    fn len(&self) -> usize {
        self.0.len
    }

    fn write_words(&self, range: Range<usize>, words: &mut [u32]) {
        self.0.read(|column| column.write_words(range, words));
    }

    fn misfit(&self) -> Option<usize> {
        self.0.read(|column| column.misfit())
    }

    fn part(&self, range: Range<usize>) -> Box<dyn Vector> {
        self.0.read(|column| column.part(range))
    }

    fn as_vector(&self) -> Option<&dyn Vector> {
        None
    }
}

impl ColumnMut for Door<'_, '_> {
    fn read_words(&mut self, range: Range<usize>, words: &[u32]) {
        self.0.write(|column| column.read_words(range, words));
    }

    fn copy_part(&mut self, first: usize, vector: &dyn Vector) {
        self.0.write(|column| column.copy_part(first, vector));
    }

    fn as_vector_mut(&mut self) -> Option<&mut dyn Vector> {
        None
    }
}

/// A column as some VMs see it natively.
pub(super) struct Part<'c> {
    mode: Mode,
    uniform: bool,
    data: Lent<'c>,
    /// The entry with which it begins, if it goes back.
    first: Option<usize>,
}

enum Lent<'c> {
    Whole(&'c dyn Column),
    Own(Box<dyn Vector>),
}

impl<'c> Part<'c> {
    fn of(shared: &'c Shared<'_>, range: &Range<u32>, vms: u32) -> Part<'c> {
        let entries = |len: usize| {
            let each = len / vms as usize;
            range.start as usize * each..range.end as usize * each
        };
        let (data, uniform, first) = match &shared.data {
            Data::Read { column, uniform } => {
                let whole = *uniform || shared.mode == Mode::Slice || shared.mode == Mode::Value && column.len() == 1;
                match (whole, column.as_vector()) {
                    (true, Some(_)) => (Lent::Whole(*column), *uniform, None),
                    (true, None) => {
                        let vector = shared.vector.get_or_init(|| column.to_vector());
                        (Lent::Whole(&**vector), *uniform, None)
                    }
                    (false, _) => (Lent::Own(column.part(entries(column.len()))), false, None),
                }
            }
            Data::Write(locked) => {
                let own = entries(locked.len);
                let first = own.start;
                (Lent::Own(locked.read(|column| column.part(own))), false, Some(first))
            }
        };
        Part {
            mode: shared.mode,
            uniform,
            data,
            first,
        }
    }

    /// As the native engine takes it.
    pub(super) fn seen(&mut self) -> Seen<'_> {
        let view = match (&mut self.data, self.first) {
            (Lent::Own(vector), Some(_)) => View::Write(&mut **vector),
            (Lent::Own(vector), None) => View::Read {
                column: &**vector,
                uniform: self.uniform,
            },
            (Lent::Whole(column), _) => View::Read {
                column: *column,
                uniform: self.uniform,
            },
        };
        Seen {
            mode: self.mode,
            view,
            copy_of: None,
        }
    }
}
