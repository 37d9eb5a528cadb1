//! The columns of a launch whose VMs run in several places at once: read by all, written by each at the places of its own VMs.

use std::ops::Range;
use std::sync::{OnceLock, PoisonError, RwLock};

use gpuvm_core::program::Mode;
use gpuvm_core::types::Type;

use crate::vector::{Column, ColumnMut, Vector, write_pieces};
use crate::view::{Seen, View};

/// All columns.
pub(crate) struct Columns<'v>(Vec<Shared<'v>>);

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

/// A column that is locked for as long as entries go in or out.
struct Locked<'v> {
    len: usize,
    column: RwLock<&'v mut (dyn ColumnMut + 'v)>,
}

/// The entries that some VMs write, at their places in a column without the others. They go into the column when all of the VMs are over.
pub(crate) struct Own {
    entries: Box<dyn Vector>,
    first: usize,
    len: usize,
}

impl<'v> Columns<'v> {
    /// The columns, of which no two VMs write the same words.
    pub(crate) fn new(params: Vec<Seen<'v>>) -> Columns<'v> {
        let shared = params.into_iter().filter_map(|Seen { mode, view, .. }| {
            let data = match view {
                View::Read { column, uniform } => Data::Read { column, uniform },
                View::Write(column) => Data::Write(Locked {
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

    /// What VMs of a range out of so many write, one for each column that is written.
    pub(crate) fn own(&self, range: &Range<u32>, vms: u32) -> Vec<Option<Own>> {
        let own = |shared: &Shared<'_>| match &shared.data {
            Data::Write(locked) => Some(locked.own(range, vms)),
            Data::Read { .. } => None,
        };
        self.0.iter().map(own).collect()
    }

    /// How a launch sees them.
    pub(crate) fn seen<'s>(&'s self, own: &'s mut [Option<Own>]) -> Vec<Seen<'s>> {
        let seen = |(shared, own): (&'s Shared<'v>, &'s mut Option<Own>)| {
            let view = match (&shared.data, own) {
                (Data::Read { column, uniform }, _) => View::Read {
                    column: *column,
                    uniform: *uniform,
                },
                (Data::Write(_), Some(own)) => View::Write(own),
                (Data::Write(_), None) => return None,
            };
            Some(Seen {
                mode: shared.mode,
                view,
                copy_of: None,
            })
        };
        self.0.iter().zip(own).filter_map(seen).collect()
    }

    /// What the native engine sees of them for the VMs of a range out of so many: of what each VM sees its own, copies of their parts.
    pub(crate) fn parts(&self, range: &Range<u32>, vms: u32) -> Vec<Part<'_>> {
        let part = |shared| Part::of(shared, range, vms);
        self.0.iter().map(part).collect()
    }

    /// Puts back what VMs have written.
    pub(crate) fn put_back(&self, written: impl IntoIterator<Item = Option<Own>>) {
        for (shared, own) in self.0.iter().zip(written) {
            if let (Data::Write(locked), Some(own)) = (&shared.data, own) {
                let mut column = locked.column.write().unwrap_or_else(PoisonError::into_inner);
                column.copy_part(own.first, &*own.entries);
            }
        }
    }

    /// The words of what VMs of a range out of so many have written, one column after the other.
    pub(crate) fn written(&self, range: &Range<u32>, vms: u32) -> Vec<u32> {
        let mut words = Vec::new();
        for own in self.own(range, vms).into_iter().flatten() {
            own.append_words(&mut words);
        }
        words
    }

    /// Puts what VMs of a range out of so many have written in its place, the words of one column after the other's.
    pub(crate) fn put_words(&self, range: &Range<u32>, vms: u32, words: &[u32]) {
        let mut rest = words;
        for shared in &self.0 {
            if let Data::Write(locked) = &shared.data {
                let mut column = locked.column.write().unwrap_or_else(PoisonError::into_inner);
                let entries = entries_of(range, vms, locked.len);
                let (own, behind) = rest.split_at(entries.len() * column.element().words as usize);
                column.read_words(entries, own);
                rest = behind;
            }
        }
    }
}

impl Own {
    /// Appends the words of the entries.
    pub(crate) fn append_words(&self, words: &mut Vec<u32>) {
        let first = words.len();
        let count = self.entries.len();
        words.resize(first + count * self.entries.element().words as usize, 0);
        write_pieces(&*self.entries, 0..count, &mut words[first..]);
    }
}

/// The entries of VMs of a range out of so many, in a column of so many entries.
fn entries_of(range: &Range<u32>, vms: u32, len: usize) -> Range<usize> {
    let each = len / vms as usize;
    range.start as usize * each..range.end as usize * each
}

impl Locked<'_> {
    fn own(&self, range: &Range<u32>, vms: u32) -> Own {
        let own = entries_of(range, vms, self.len);
        let column = self.column.read().unwrap_or_else(PoisonError::into_inner);
        Own {
            first: own.start,
            len: self.len,
            entries: column.part(own),
        }
    }
}

impl Own {
    fn within(&self, range: Range<usize>) -> Range<usize> {
        range.start - self.first..range.end - self.first
    }
}

impl Column for Own {
    fn element(&self) -> &'static Type {
        self.entries.element()
    }

    fn len(&self) -> usize {
        self.len
    }

    fn write_words(&self, range: Range<usize>, words: &mut [u32]) {
        self.entries.write_words(self.within(range), words);
    }

    fn misfit(&self) -> Option<usize> {
        self.entries.misfit()
    }

    fn part(&self, range: Range<usize>) -> Box<dyn Vector> {
        self.entries.part(self.within(range))
    }

    fn as_vector(&self) -> Option<&dyn Vector> {
        None
    }
}

impl ColumnMut for Own {
    fn read_words(&mut self, range: Range<usize>, words: &[u32]) {
        self.entries.read_words(self.within(range), words);
    }

    fn copy_part(&mut self, first: usize, vector: &dyn Vector) {
        self.entries.copy_part(first - self.first, vector);
    }

    fn as_vector_mut(&mut self) -> Option<&mut dyn Vector> {
        None
    }
}

/// A column as some VMs see it natively.
pub(crate) struct Part<'c> {
    mode: Mode,
    uniform: bool,
    data: Lent<'c>,
}

enum Lent<'c> {
    /// All entries.
    Whole(&'c dyn Column),
    /// Those of the VMs, to read.
    Read(Box<dyn Vector>),
    /// Those of the VMs, to write.
    Own(Own),
}

impl<'c> Part<'c> {
    fn of(shared: &'c Shared<'_>, range: &Range<u32>, vms: u32) -> Part<'c> {
        let (data, uniform) = match &shared.data {
            Data::Read { column, uniform } => {
                let whole = *uniform || shared.mode == Mode::Slice || shared.mode == Mode::Value && column.len() == 1;
                let data = match (whole, column.as_vector()) {
                    (true, Some(_)) => Lent::Whole(*column),
                    (true, None) => Lent::Whole(&**shared.vector.get_or_init(|| column.to_vector())),
                    (false, _) => Lent::Read(column.part(entries_of(range, vms, column.len()))),
                };
                (data, *uniform)
            }
            Data::Write(locked) => (Lent::Own(locked.own(range, vms)), false),
        };
        Part {
            mode: shared.mode,
            uniform,
            data,
        }
    }

    /// As the native engine takes it.
    pub(crate) fn seen(&mut self) -> Seen<'_> {
        let uniform = self.uniform;
        let view = match &mut self.data {
            Lent::Own(own) => View::Write(&mut *own.entries),
            Lent::Read(entries) => View::Read {
                column: &**entries,
                uniform,
            },
            Lent::Whole(column) => View::Read {
                column: *column,
                uniform,
            },
        };
        Seen {
            mode: self.mode,
            view,
            copy_of: None,
        }
    }

    /// What VMs have written.
    pub(crate) fn into_own(self) -> Option<Own> {
        match self.data {
            Lent::Own(own) => Some(own),
            Lent::Read(_) | Lent::Whole(_) => None,
        }
    }
}
