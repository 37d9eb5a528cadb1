//! What memory starts with, in the columns that have it: they write their words where the engine wants them.

use std::ops::Range;

use gpuvm_engine::Source;

use crate::vector::Column;

/// Parts one after the other, with zeros between them and after the last.
#[derive(Default)]
pub(crate) struct Content<'a> {
    parts: Vec<Part<'a>>,
    words: usize,
}

/// Some of the words.
struct Part<'a> {
    range: Range<usize>,
    origin: Origin<'a>,
}

enum Origin<'a> {
    Words(&'a [u32]),
    /// The entries of a column from the given one on.
    Column(&'a dyn Column, usize),
}

impl<'a> Content<'a> {
    /// All entries of a column.
    pub(crate) fn of(column: &'a dyn Column) -> Content<'a> {
        let mut content = Content::default();
        content.push_entries(0, column, 0..column.len());
        content
    }

    /// Adds entries of a column, to start at the given word, which is not before the end of the last part.
    pub(crate) fn push_entries(&mut self, start: usize, column: &'a dyn Column, entries: Range<usize>) {
        let words = entries.len() * column.element().words as usize;
        self.push(start, words, Origin::Column(column, entries.start));
    }

    /// Adds words.
    pub(crate) fn push_words(&mut self, start: usize, words: &'a [u32]) {
        self.push(start, words.len(), Origin::Words(words));
    }

    fn push(&mut self, start: usize, words: usize, origin: Origin<'a>) {
        if words > 0 {
            let range = start..start + words;
            self.words = range.end;
            self.parts.push(Part { range, origin });
        }
    }

    /// Adds zeros until there are so many words.
    pub(crate) fn extend_to(&mut self, words: usize) {
        self.words = words;
    }
}

impl Source for Content<'_> {
    fn words(&self) -> usize {
        self.words
    }

    fn filled(&self) -> usize {
        self.parts.last().map_or(0, |part| part.range.end)
    }

    fn write(&self, range: Range<usize>, words: &mut [u32]) {
        let mut done = range.start;
        let first = self.parts.partition_point(|part| part.range.end <= range.start);
        for part in self.parts[first..]
            .iter()
            .take_while(|part| part.range.start < range.end)
        {
            let (start, end) = (part.range.start.max(range.start), part.range.end.min(range.end));
            words[done - range.start..start - range.start].fill(0);
            let within = start - part.range.start..end - part.range.start;
            part.origin
                .write(within, &mut words[start - range.start..end - range.start]);
            done = end;
        }
        words[done - range.start..].fill(0);
    }
}

impl Origin<'_> {
    /// Writes a range of its words, which may begin and end within an entry.
    fn write(&self, range: Range<usize>, words: &mut [u32]) {
        let (column, first) = match self {
            Origin::Words(all) => return words.copy_from_slice(&all[range]),
            Origin::Column(column, first) => (column, *first),
        };
        let size = column.element().words as usize;
        let whole = range.start.next_multiple_of(size)..range.end / size * size;
        let part_of_entry = |range: Range<usize>, words: &mut [u32]| {
            let (entry, at) = (range.start / size, range.start % size);
            let mut all = vec![0; size];
            column.write_words(first + entry..first + entry + 1, &mut all);
            words.copy_from_slice(&all[at..at + range.len()]);
        };
        if whole.start > whole.end {
            return part_of_entry(range, words);
        }
        let (head, rest) = words.split_at_mut(whole.start - range.start);
        let (middle, tail) = rest.split_at_mut(whole.len());
        if !head.is_empty() {
            part_of_entry(range.start..whole.start, head);
        }
        column.write_words(first + whole.start / size..first + whole.end / size, middle);
        if !tail.is_empty() {
            part_of_entry(whole.end..range.end, tail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_is_cut_out_of_the_whole() {
        let (records, words) = (vec![[1u32, 2, 3], [4, 5, 6], [7, 8, 9]], [10, 11]);
        let mut content = Content::default();
        content.push_entries(1, &records, 1..3);
        content.push_words(9, &words);
        content.extend_to(13);
        let whole = [0, 4, 5, 6, 7, 8, 9, 0, 0, 10, 11, 0, 0];
        assert_eq!((content.words(), content.filled()), (13, 11));
        for start in 0..=whole.len() {
            for end in start..=whole.len() {
                let mut found = vec![77; end - start];
                content.write(start..end, &mut found);
                assert_eq!(found, whole[start..end], "{start}..{end}");
            }
        }
    }
}
