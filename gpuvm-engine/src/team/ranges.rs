//! Which words of a column are somewhere.

use std::ops::Range;

/// Words, as ranges that are ascending, apart and not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<Range<u64>>);

impl Ranges {
    /// Adds words.
    pub fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|known| known.end < range.start);
        let last = self.0.partition_point(|known| known.start <= range.end);
        let touched = &self.0[first..last];
        let start = touched
            .first()
            .map_or(range.start, |known| known.start.min(range.start));
        let end = touched.last().map_or(range.end, |known| known.end.max(range.end));
        self.0.splice(first..last, std::iter::once(start..end));
    }

    /// Takes words out.
    pub fn remove(&mut self, range: &Range<u64>) {
        if range.is_empty() {
            return;
        }
        let apart = |known: &Range<u64>| {
            [
                known.start..known.end.min(range.start),
                known.start.max(range.end)..known.end,
            ]
        };
        self.0 = self
            .0
            .iter()
            .flat_map(apart)
            .filter(|known| !known.is_empty())
            .collect();
    }

    /// Those of a range that are here.
    pub fn within(&self, range: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let first = self.0.partition_point(|known| known.end <= range.start);
        let cut = |known: &Range<u64>| known.start.max(range.start)..known.end.min(range.end);
        self.0[first..].iter().map(cut).take_while(|known| !known.is_empty())
    }

    /// Those of a range that are not.
    pub fn missing(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Ranges::default();
        missing.insert(range.clone());
        for known in self.within(range) {
            missing.remove(&known);
        }
        missing.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sets_of_words() {
        // Against one bit a word.
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let (mut ranges, mut bits) = (Ranges::default(), [false; 40]);
        for _ in 0..2000 {
            let start = next(40);
            let range = start..start + next(41 - start);
            let insert = next(2) == 0;
            match insert {
                true => ranges.insert(range.clone()),
                false => ranges.remove(&range),
            }
            bits[range.start as usize..range.end as usize].fill(insert);
            let of = |all: Vec<Range<u64>>| all.into_iter().flatten().collect::<Vec<u64>>();
            let expected = |wanted: bool, within: Range<u64>| -> Vec<u64> {
                within.filter(|word| bits[*word as usize] == wanted).collect()
            };
            let start = next(40);
            let look = start..start + next(41 - start);
            assert_eq!(of(ranges.within(&look).collect()), expected(true, look.clone()));
            assert_eq!(of(ranges.missing(&look)), expected(false, look));
            assert!(
                ranges.0.windows(2).all(|pair| pair[0].end < pair[1].start),
                "{ranges:?}"
            );
        }
    }
}
