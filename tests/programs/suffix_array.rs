//! Suffix arrays by prefix doubling, common prefixes (Kasai et al.), the Burrows-Wheeler transform and back, and move-to-front.

use gpuvm::prelude::*;

const MOST: usize = 64;

#[derive(VmType, Clone, Copy, Debug)]
struct SuffixArray {
    order: [usize; MOST],
    rank: [usize; MOST],
    length: usize,
}

#[routine]
impl SuffixArray {
    fn new(text: &[u8]) -> SuffixArray {
        let length = text.len().min(MOST);
        let mut order = core::array::from_fn(|i| i);
        let mut rank = [0; MOST];
        for (rank, &byte) in rank.iter_mut().zip(text) {
            *rank = usize::from(byte) + 1;
        }
        let mut width = 1;
        loop {
            let key = |i: usize| (rank[i], if i + width < length { rank[i + width] } else { 0 });
            order[..length].sort_unstable_by_key(|&i| key(i));
            let mut next = [0; MOST];
            let mut classes = 0;
            for (at, &i) in order[..length].iter().enumerate() {
                if at == 0 || key(order[at - 1]) != key(i) {
                    classes += 1;
                }
                next[i] = classes;
            }
            rank = next;
            if classes >= length || width >= length {
                break;
            }
            width *= 2;
        }
        SuffixArray { order, rank, length }
    }

    /// The suffixes' places, in order.
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.order[..self.length].iter().copied()
    }

    /// How many bytes each suffix has in common with the one before it.
    fn common_prefixes(&self, text: &[u8]) -> [usize; MOST] {
        let mut common = [0; MOST];
        let mut height = 0usize;
        for i in 0..self.length {
            let place = self.rank[i] - 1;
            if place == 0 {
                height = 0;
                continue;
            }
            let j = self.order[place - 1];
            height += text[i + height..self.length]
                .iter()
                .zip(&text[j + height..self.length])
                .take_while(|(a, b)| a == b)
                .count();
            common[place] = height;
            height = height.saturating_sub(1);
        }
        common
    }

    /// The places in the order of those suffixes that begin with a pattern.
    fn find(&self, text: &[u8], pattern: &[u8]) -> core::ops::Range<usize> {
        let suffixes = &self.order[..self.length];
        let prefix = |i: usize| &text[i..self.length.min(i + pattern.len())];
        let start = suffixes.partition_point(|&i| prefix(i) < pattern);
        let count = suffixes[start..].partition_point(|&i| prefix(i) == pattern);
        start..start + count
    }
}

/// The longest text that is there twice: where, and how long it is.
#[routine]
pub fn longest_repeat(text: &[u8]) -> [u32; 2] {
    let suffixes = SuffixArray::new(text);
    let common = suffixes.common_prefixes(text);
    let longest = suffixes
        .iter()
        .zip(common)
        .max_by(|(i, a), (j, b)| a.cmp(b).then_with(|| j.cmp(i)));
    longest.map_or([0; 2], |(at, length)| [at as u32, length as u32])
}

/// How often a pattern is there, and where first.
#[routine]
pub fn occurrences(text: &[u8], pattern: &[u8]) -> [i32; 2] {
    let suffixes = SuffixArray::new(text);
    let found = suffixes.find(text, pattern);
    let first = suffixes.order[found.clone()].iter().min();
    [found.len() as i32, first.map_or(-1, |&at| at as i32)]
}

#[routine]
fn transform(text: &[u8], out: &mut [u8]) -> Option<usize> {
    let suffixes = SuffixArray::new(text);
    let mut primary = None;
    // The suffix of nothing is the first of all.
    out[0] = *text.last()?;
    for (row, start) in suffixes.iter().enumerate() {
        out[row + 1] = match start.checked_sub(1) {
            Some(before) => text[before],
            None => {
                primary = Some(row + 1);
                0
            }
        };
    }
    primary
}

#[routine]
fn restore(last: &[u8], primary: usize, out: &mut [u8]) {
    let mut starts = [0u16; 257];
    for (_, &byte) in last.iter().enumerate().filter(|(row, _)| *row != primary) {
        starts[usize::from(byte) + 1] += 1;
    }
    starts[0] = 1;
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut before = [0u16; MOST + 1];
    for (row, &byte) in last.iter().enumerate() {
        if row != primary {
            let start = &mut starts[byte as usize];
            before[row] = *start;
            *start += 1;
        }
    }
    let mut row = 0;
    for slot in out.iter_mut().rev() {
        *slot = last[row];
        row = before[row].into();
    }
}

#[derive(VmType, Clone, Copy)]
struct MoveToFront {
    letters: [u8; 256],
}

#[routine]
impl MoveToFront {
    fn new() -> Self {
        Self {
            letters: core::array::from_fn(|i| i as u8),
        }
    }

    fn put(&mut self, letter: u8) -> u8 {
        let at = self.letters.iter().position(|&known| known == letter).unwrap();
        self.letters[..=at].rotate_right(1);
        at as u8
    }

    fn take(&mut self, at: u8) -> u8 {
        self.letters[..=usize::from(at)].rotate_right(1);
        self.letters[0]
    }
}

/// Transforms a text, moves to front and back, and restores it; the transform's small numbers are counted.
#[routine]
pub fn block_sort(text: &[u8], out: &mut [u8]) -> i32 {
    let length = text.len();
    if length == 0 || length > MOST || out.len() < length {
        return -1;
    }
    let mut buffer = [0; MOST + 1];
    let Some(primary) = transform(text, &mut buffer) else {
        return -2;
    };
    let rows = &mut buffer[..=length];
    let mut front = MoveToFront::new();
    rows.iter_mut().for_each(|byte| *byte = front.put(*byte));
    let small = rows.iter().filter(|&&at| at < 4).count();
    let mut front = MoveToFront::new();
    for byte in &mut *rows {
        *byte = front.take(*byte);
    }
    restore(rows, primary, &mut out[..length]);
    small as i32
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn repeats() {
        assert_eq!(longest_repeat(b"banana"), [1, 3]);
        assert_eq!(longest_repeat(b"abc"), [0, 0]);
        assert_eq!(occurrences(b"mississippi", b"issi"), [2, 1]);
        assert_eq!(occurrences(b"mississippi", b"x"), [0, -1]);
    }

    #[test]
    fn round_trip() {
        let text = b"she sells sea shells by the sea shore";
        let mut out = [0; 37];
        assert!(block_sort(text, &mut out) > 10);
        assert_eq!(&out, text);
        assert_eq!(block_sort(b"", &mut out), -1);
    }
}
