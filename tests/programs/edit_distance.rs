//! Distances between sequences: Levenshtein, the longest common subsequence with its text, and Hamming, generically.

use core::{cmp, mem};

use gpuvm::prelude::*;

const MOST: usize = 48;

#[routine]
fn levenshtein<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: [usize; MOST + 1] = core::array::from_fn(|i| i);
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            let substituted = diagonal + usize::from(x != y);
            row[j + 1] = substituted.min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[routine]
fn clipped<T>(items: &[T]) -> &[T] {
    items.split_at_checked(MOST).map_or(items, |(head, _)| head)
}

/// The edit distance of the first 48 bytes of each.
#[routine]
pub fn edit_distance(a: &[u8], b: &[u8]) -> u32 {
    levenshtein(clipped(a), clipped(b)) as u32
}

/// The edit distance of two readings of a sensor.
#[routine]
pub fn edit_distance_of_samples(a: [i16; 8], b: [i16; 8], len: u32) -> u32 {
    let len = cmp::min(len as usize, a.len());
    levenshtein(&a[..len], &b) as u32
}

/// The longest common subsequence, written to `out` as far as there is room; its length.
#[routine]
pub fn common_subsequence(a: &[u8], b: &[u8], out: &mut [u8]) -> u32 {
    let (a, b) = (clipped(a), clipped(b));
    let mut lengths = [[0u8; MOST + 1]; MOST + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            lengths[i + 1][j + 1] = if x == y {
                lengths[i][j] + 1
            } else {
                cmp::max(lengths[i][j + 1], lengths[i + 1][j])
            };
        }
    }
    let (mut i, mut j) = (a.len(), b.len());
    while i > 0 && j > 0 {
        if a[i - 1] == b[j - 1] {
            let place = usize::from(lengths[i][j]) - 1;
            if let Some(slot) = out.get_mut(place) {
                *slot = a[i - 1];
            }
            i -= 1;
            j -= 1;
        } else if lengths[i - 1][j] >= lengths[i][j - 1] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    u32::from(lengths[a.len()][b.len()])
}

/// The bits that differ, and the place of the first byte that does; `None` as the length.
#[routine]
pub fn hamming(a: &[u8], b: &[u8]) -> [u32; 2] {
    let bits = a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum();
    let first = a
        .iter()
        .zip(b)
        .position(|(x, y)| x != y)
        .unwrap_or(a.len().min(b.len()));
    [bits, first as u32]
}

/// Which word of `words`, apart by spaces, is nearest to `typed`: its place and its distance.
#[routine]
pub fn nearest_word(words: &[u8], typed: &[u8]) -> [u32; 2] {
    words
        .split(|&b| b == b' ')
        .enumerate()
        .map(|(at, word)| [at as u32, edit_distance(word, typed)])
        .min_by_key(|&[at, distance]| (distance, at))
        .unwrap_or([u32::MAX; 2])
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance(b"kitten", b"sitting"), 3);
        assert_eq!(edit_distance(b"", b"abc"), 3);
        assert_eq!(
            edit_distance_of_samples([1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7], 8),
            2
        );
        assert_eq!(hamming(b"karolin", b"kathrin"), [9, 2]);
        assert_eq!(nearest_word(b"red green blue", b"gren"), [1, 1]);
    }

    #[test]
    fn subsequence() {
        let mut out = [b'.'; 8];
        assert_eq!(common_subsequence(b"AGGTAB", b"GXTXAYB", &mut out), 4);
        assert_eq!(&out, b"GTAB....");
    }
}
