//! Typed columns with their element type erased: what arguments, buffers and results are made of. The native engine gets
//! the typed vector back through [`Any`], the other engines read and write words.

use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_core::types::{Type, VmType};
use gpuvm_engine::least_piece;
use rayon::prelude::*;

/// Entries of one type that can be read.
pub(crate) trait Column: Send + Sync {
    /// The type of the entries.
    fn element(&self) -> &'static Type;

    /// How many entries there are.
    fn len(&self) -> usize;

    /// Writes the words of the entries in `range` to `words`, which has exactly as many.
    fn write_words(&self, range: Range<usize>, words: &mut [u32]);

    /// The first entry that its words cannot hold, which may be one of a type that [narrows](Type::narrows).
    fn misfit(&self) -> Option<usize>;

    /// A copy of the entries in `range`.
    fn part(&self, range: Range<usize>) -> Box<dyn Vector>;

    /// A copy of all entries.
    fn to_vector(&self) -> Box<dyn Vector> {
        self.part(0..self.len())
    }

    /// The vector itself where there is one behind it, so that no copy is needed.
    fn as_vector(&self) -> Option<&dyn Vector>;
}

/// Entries of one type that can be changed in place.
pub(crate) trait ColumnMut: Column {
    /// Replaces the entries in `range` by what `words`, which has exactly as many as they need, says.
    fn read_words(&mut self, range: Range<usize>, words: &[u32]);

    /// Replaces the entries from `first` on by those of a vector of the same type, which does not reach beyond the end; anything else is left alone.
    fn copy_part(&mut self, first: usize, vector: &dyn Vector);

    /// Replaces all entries by those of a vector of the same type and length; anything else is left alone.
    fn copy_from(&mut self, vector: &dyn Vector) {
        if vector.len() == self.len() {
            self.copy_part(0, vector);
        }
    }

    /// The vector itself where there is one behind it.
    fn as_vector_mut(&mut self) -> Option<&mut dyn Vector>;
}

/// A `Vec<T>` whose `T` is not known here.
pub(crate) trait Vector: Any + ColumnMut {}

impl<T: VmType> Vector for Vec<T> {}

impl std::fmt::Debug for dyn Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}; {}]", self.element(), self.len())
    }
}

/// The entries of a vector, if they are of type `T`.
pub(crate) fn entries<T: VmType>(vector: &dyn Vector) -> Option<&[T]> {
    let any: &dyn Any = vector;
    any.downcast_ref::<Vec<T>>().map(Vec::as_slice)
}

/// The entries of a vector to change, if they are of type `T`.
pub(crate) fn entries_mut<T: VmType>(vector: &mut dyn Vector) -> Option<&mut [T]> {
    let any: &mut dyn Any = vector;
    any.downcast_mut::<Vec<T>>().map(Vec::as_mut_slice)
}

/// Entries that one thread moves at a time; what is less than two such pieces is not worth a second thread.
const PIECE: usize = 1 << 16;
/// Fewer entries are made by one thread.
pub(crate) const FEW: usize = 1 << 14;

/// Calls `work` for each piece of `len` entries, over several threads if there are many.
pub(crate) fn each_piece(len: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if len < 2 * PIECE {
        return work(0..len);
    }
    let pieces = (0..len.div_ceil(PIECE)).into_par_iter();
    let pieces = pieces.with_min_len(least_piece(1));
    pieces.for_each(|piece| work(piece * PIECE..len.min((piece + 1) * PIECE)));
}

/// Writes the words of the entries in `range` to `words`, over several threads if there are many.
pub(crate) fn write_pieces(column: &dyn Column, range: Range<usize>, words: &mut [u32]) {
    let size = column.element().words as usize;
    if size == 0 || range.len() < 2 * PIECE {
        return column.write_words(range, words);
    }
    words
        .par_chunks_mut(PIECE * size)
        .enumerate()
        .with_min_len(least_piece(1))
        .for_each(|(piece, words)| {
            let first = range.start + piece * PIECE;
            column.write_words(first..first + words.len() / size, words);
        });
}

/// Writes the words of `entries`, one after the other.
pub(crate) fn write_entries<T: VmType>(entries: &[T], words: &mut [u32]) {
    let size = T::TYPE.words as usize;
    if size > 0 {
        for (entry, words) in entries.iter().zip(words.chunks_exact_mut(size)) {
            entry.write_words(words);
        }
    }
}

/// The first entry that its words cannot hold. Where no entry can be one none is looked at.
fn first_misfit<T: VmType>(entries: &[T]) -> Option<usize> {
    if !T::TYPE.narrows() {
        return None;
    }
    let first = AtomicUsize::new(usize::MAX);
    each_piece(entries.len(), &|range| {
        let start = range.start;
        if let Some(at) = entries[range].iter().position(|entry| !entry.fits_words()) {
            first.fetch_min(start + at, Ordering::Relaxed);
        }
    });
    Some(first.into_inner()).filter(|first| *first < entries.len())
}

/// Replaces `entries` by what `words` says, over several threads if there are many. Little of it depends on `T`, because it is
/// compiled in the user's crate for every type of column.
fn read_entries<T: VmType>(entries: &mut [T], words: &[u32]) {
    let size = T::TYPE.words as usize;
    if size == 0 {
        return;
    }
    let read = |entries: &mut [T], words: &[u32]| {
        for (entry, words) in entries.iter_mut().zip(words.chunks_exact(size)) {
            *entry = T::read_words(words);
        }
    };
    if entries.len() < 2 * PIECE {
        return read(entries, words);
    }
    let len = entries.len();
    let pieces: Vec<_> = entries.chunks_mut(PIECE).map(Mutex::new).collect();
    each_piece(len, &|range| {
        let mut piece = pieces[range.start / PIECE]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        read(&mut piece, &words[range.start * size..range.end * size]);
    });
}

/// The `len` entries that `words` says, over several threads if there are many: memory that is new to the process is dear. Collected
/// into a vector that is there, because rayon's `collect` is compiled a second time for iterators that do not know their length.
pub(crate) fn read_all<T: VmType>(len: usize, words: &[u32]) -> Vec<T> {
    match T::TYPE.words as usize {
        size if size == 0 || len < FEW => {
            let Some(first) = words.get(..size).filter(|_| len > 0) else {
                return Vec::new();
            };
            let mut entries = vec![T::read_words(first); len];
            read_entries(&mut entries, words);
            entries
        }
        size => {
            let mut entries = Vec::new();
            let chunks = words.par_chunks_exact(size).with_min_len(least_piece(FEW / 2));
            chunks.map(T::read_words).collect_into_vec(&mut entries);
            entries
        }
    }
}

/// The `len` entries that words in several pieces say, none of which has a part of an entry.
pub(crate) fn read_pieces<T: VmType>(len: usize, pieces: &[&[u32]]) -> Vec<T> {
    let size = T::TYPE.words as usize;
    if let [words] = pieces {
        return read_all(len, words);
    }
    if size == 0 {
        return read_all(len, &[]);
    }
    let mut end = 0;
    let start = |words: &&[u32]| {
        let start = end;
        end += words.len() / size;
        start
    };
    let starts: Vec<usize> = pieces.iter().map(start).collect();
    let mut entries = Vec::new();
    let read = |place: &mut usize, index: usize| {
        let is_there = |place: usize| index.wrapping_sub(starts[place]) < pieces[place].len() / size;
        if !is_there(*place) {
            *place = starts.partition_point(|start| *start <= index) - 1;
        }
        T::read_words(&pieces[*place][(index - starts[*place]) * size..][..size])
    };
    let indices = (0..len).into_par_iter().with_min_len(least_piece(FEW / 2));
    indices.map_init(|| 0, read).collect_into_vec(&mut entries);
    entries
}

macro_rules! column {
    ($(($($lifetime:lifetime)?) $ty:ty, $vector:expr;)*) => {$(
        impl<$($lifetime,)? T: VmType> Column for $ty {
            fn element(&self) -> &'static Type {
                T::TYPE
            }

            fn len(&self) -> usize {
                <[T]>::len(self)
            }

            fn write_words(&self, range: Range<usize>, words: &mut [u32]) {
                write_entries(&self[range], words);
            }

            fn misfit(&self) -> Option<usize> {
                first_misfit::<T>(self)
            }

            fn part(&self, range: Range<usize>) -> Box<dyn Vector> {
                Box::new(self[range].to_vec())
            }

            fn as_vector(&self) -> Option<&dyn Vector> {
                let vector: fn(&Self) -> Option<&dyn Vector> = $vector;
                vector(self)
            }
        }
    )*};
}
column! {
    () Vec<T>, |column| Some(column);
    ('a) &'a Vec<T>, |column| Some(*column);
    ('a) &'a mut Vec<T>, |column| Some(*column);
    ('a) &'a [T], |_| None;
    ('a) &'a mut [T], |_| None;
}

macro_rules! column_mut {
    ($(($($lifetime:lifetime)?) $ty:ty, $vector:expr;)*) => {$(
        impl<$($lifetime,)? T: VmType> ColumnMut for $ty {
            fn read_words(&mut self, range: Range<usize>, words: &[u32]) {
                read_entries(&mut self[range], words);
            }

            fn copy_part(&mut self, first: usize, vector: &dyn Vector) {
                if let Some(from) = entries::<T>(vector)
                    && let Some(to) = self.get_mut(first..first + from.len())
                {
                    to.copy_from_slice(from);
                }
            }

            fn as_vector_mut(&mut self) -> Option<&mut dyn Vector> {
                let vector: fn(&mut Self) -> Option<&mut dyn Vector> = $vector;
                vector(self)
            }
        }
    )*};
}
column_mut! {
    () Vec<T>, |column| Some(column);
    ('a) &'a mut Vec<T>, |column| Some(*column);
    ('a) &'a mut [T], |_| None;
}

macro_rules! column_behind {
    ($(($($lifetime:lifetime)?) $ty:ty, $vector:expr;)*) => {$(
        impl$(<$lifetime>)? Column for $ty {
            fn element(&self) -> &'static Type {
                (**self).element()
            }

            fn len(&self) -> usize {
                (**self).len()
            }

            fn write_words(&self, range: Range<usize>, words: &mut [u32]) {
                (**self).write_words(range, words);
            }

            fn misfit(&self) -> Option<usize> {
                (**self).misfit()
            }

            fn part(&self, range: Range<usize>) -> Box<dyn Vector> {
                (**self).part(range)
            }

            fn as_vector(&self) -> Option<&dyn Vector> {
                let vector: fn(&Self) -> Option<&dyn Vector> = $vector;
                vector(self)
            }
        }
    )*};
}
column_behind! {
    ('a) &'a (dyn Column + 'a), |column| (**column).as_vector();
    () Arc<dyn Vector>, |vector| Some(&**vector);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_in_and_out() {
        let mut column: Box<dyn Vector> = Box::new(vec![(1u64, true), (2 << 40, false)]);
        let mut words = [9; 3];
        column.write_words(1..2, &mut words);
        assert_eq!(words, [0, 512, 0]);
        column.read_words(0..1, &[7, 0, 1]);
        assert_eq!(
            entries::<(u64, bool)>(&*column),
            Some(&[(7, true), (2 << 40, false)][..])
        );
        assert_eq!(entries::<u32>(&*column), None);
    }

    #[test]
    fn slices_are_copied_and_written_back() {
        let mut data = [1u32, 2, 3];
        let mut column = &mut data[..];
        assert!(column.as_vector().is_none());
        let mut copy = column.to_vector();
        if let Some(entries) = entries_mut::<u32>(&mut *copy) {
            entries[1] = 20;
        }
        column.copy_from(&*copy);
        column.copy_from(&vec![1u32]);
        assert_eq!(data, [1, 20, 3]);
    }

    #[test]
    fn the_first_entry_that_does_not_fit_is_found() {
        let large = 1usize << 40;
        assert_eq!(Column::misfit(&vec![1, 2, large, 3, large]), Some(2));
        assert_eq!(Column::misfit(&vec![(1u32, Some(large)), (1, None)]), Some(0));
        assert_eq!(Column::misfit(&vec![1usize, 2]), None);
        assert_eq!(Column::misfit(&vec![u64::MAX; 3]), None);
        let mut many = vec![0usize; 3 * PIECE];
        (many[2 * PIECE + 5], many[PIECE - 1]) = (large, large);
        assert_eq!(Column::misfit(&&many[..]), Some(PIECE - 1));
        assert_eq!(Column::misfit(&&many[PIECE..]), Some(PIECE + 5));
    }

    #[test]
    fn pieces_are_read_as_the_whole_is() {
        let words: Vec<u32> = (0..100_000).map(|word: u32| word.wrapping_mul(0x9e37_79b9)).collect();
        let whole = read_all::<(u32, u32)>(50_000, &words);
        for cuts in [vec![0, 2, 2, 60_000, 100_000], vec![50_000], vec![]] {
            let starts = std::iter::once(0).chain(cuts.iter().copied());
            let ends = cuts.iter().copied().chain([words.len()]);
            let pieces: Vec<&[u32]> = starts.zip(ends).map(|(start, end)| &words[start..end]).collect();
            assert_eq!(read_pieces::<(u32, u32)>(50_000, &pieces), whole);
        }
        assert_eq!(read_pieces::<()>(3, &[&[], &[]]), read_all::<()>(3, &[]));
    }

    #[test]
    fn entries_without_words_are_no_trouble() {
        let mut column = vec![(); 4];
        column.write_words(0..4, &mut []);
        column.read_words(0..4, &[]);
        assert_eq!(Column::len(&column), 4);
    }
}
