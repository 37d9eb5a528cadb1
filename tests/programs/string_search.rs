//! Searching in bytes: Knuth-Morris-Pratt, Boyer-Moore-Horspool and Rabin-Karp behind one trait, and Z values.

use gpuvm::prelude::*;

#[routine]
trait Searcher<'p>: Sized {
    fn new(pattern: &'p [u8]) -> Self;

    /// The first place at or after `from` where the pattern is.
    fn find_at(&self, text: &[u8], from: usize) -> Option<usize>;

    fn matches<'s, 't>(&'s self, text: &'t [u8]) -> Matches<'s, 't, Self> {
        Matches {
            searcher: self,
            text,
            from: 0,
        }
    }
}

/// All places, overlapping ones too.
#[derive(VmType, Clone, Copy)]
struct Matches<'s, 't, S> {
    searcher: &'s S,
    text: &'t [u8],
    from: usize,
}

#[routine]
impl<'p, S: Searcher<'p>> Iterator for Matches<'_, '_, S> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let at = self.searcher.find_at(self.text, self.from)?;
        self.from = at + 1;
        Some(at)
    }
}

const LONGEST: usize = 32;

#[derive(VmType, Clone, Copy)]
struct KnuthMorrisPratt<'p> {
    pattern: &'p [u8],
    /// The length of the longest proper border of each prefix.
    borders: [u8; LONGEST],
}

#[routine]
impl<'p> Searcher<'p> for KnuthMorrisPratt<'p> {
    fn new(pattern: &'p [u8]) -> Self {
        let mut borders = [0; LONGEST];
        let mut border = 0usize;
        for (i, &byte) in pattern.iter().enumerate().skip(1) {
            while border > 0 && pattern[border] != byte {
                border = usize::from(borders[border - 1]);
            }
            border += usize::from(pattern[border] == byte);
            borders[i] = border as u8;
        }
        Self { pattern, borders }
    }

    fn find_at(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut matched = 0;
        for (at, byte) in text.iter().enumerate().skip(from) {
            while matched > 0 && self.pattern.get(matched) != Some(byte) {
                matched = usize::from(self.borders[matched - 1]);
            }
            if self.pattern[matched] == *byte {
                matched += 1;
            }
            if matched == self.pattern.len() {
                return Some(at + 1 - matched);
            }
        }
        None
    }
}

#[derive(VmType, Clone, Copy)]
struct Horspool<'p> {
    pattern: &'p [u8],
    shifts: [u8; 256],
}

#[routine]
impl<'p> Searcher<'p> for Horspool<'p> {
    fn new(pattern: &'p [u8]) -> Self {
        let mut shifts = [pattern.len() as u8; 256];
        if let [front @ .., _] = pattern {
            for (i, &byte) in front.iter().enumerate() {
                shifts[usize::from(byte)] = (front.len() - i) as u8;
            }
        }
        Self { pattern, shifts }
    }

    fn find_at(&self, text: &[u8], mut from: usize) -> Option<usize> {
        loop {
            let window = text.get(from..from + self.pattern.len())?;
            if window == self.pattern {
                return Some(from);
            }
            from += usize::from(self.shifts[usize::from(*window.last()?)]);
        }
    }
}

#[derive(VmType, Clone, Copy)]
struct RabinKarp<'p> {
    pattern: &'p [u8],
    hash: u32,
    top: u32,
}

#[routine]
impl RabinKarp<'_> {
    const BASE: u32 = 257;

    fn hash(bytes: &[u8]) -> u32 {
        bytes
            .iter()
            .fold(0, |hash: u32, &b| hash.wrapping_mul(Self::BASE).wrapping_add(b.into()))
    }
}

#[routine]
impl<'p> Searcher<'p> for RabinKarp<'p> {
    fn new(pattern: &'p [u8]) -> Self {
        let top = Self::BASE.wrapping_pow(pattern.len() as u32 - 1);
        Self {
            pattern,
            hash: Self::hash(pattern),
            top,
        }
    }

    fn find_at(&self, text: &[u8], from: usize) -> Option<usize> {
        let len = self.pattern.len();
        let text = text.get(from..).filter(|text| text.len() >= len)?;
        let first = Self::hash(&text[..len]);
        let rolled = text.iter().zip(&text[len..]).scan(first, |hash, (&old, &new)| {
            *hash = hash
                .wrapping_sub(u32::from(old).wrapping_mul(self.top))
                .wrapping_mul(Self::BASE)
                .wrapping_add(new.into());
            Some(*hash)
        });
        core::iter::once(first)
            .chain(rolled)
            .zip(text.windows(len))
            .position(|(hash, window)| hash == self.hash && window == self.pattern)
            .map(|at| from + at)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrences {
    pub count: u32,
    /// Both are `u32::MAX` where there is none.
    pub first: u32,
    pub last: u32,
}

#[routine]
fn occurrences<'p, S: Searcher<'p>>(pattern: &'p [u8], text: &[u8]) -> Occurrences {
    let none = Occurrences {
        count: 0,
        first: u32::MAX,
        last: u32::MAX,
    };
    S::new(pattern)
        .matches(text)
        .map(|at| at as u32)
        .fold(none, |found, at| Occurrences {
            count: found.count + 1,
            first: found.first.min(at),
            last: at,
        })
}

/// Where `pattern`, of 1 to 32 bytes, is in `text`, by each of the three methods.
#[routine]
pub fn find_pattern(text: &[u8], pattern: &[u8]) -> [Occurrences; 3] {
    if pattern.is_empty() || pattern.len() > LONGEST {
        return [Occurrences {
            count: 0,
            first: u32::MAX,
            last: u32::MAX,
        }; 3];
    }
    [
        occurrences::<KnuthMorrisPratt>(pattern, text),
        occurrences::<Horspool>(pattern, text),
        occurrences::<RabinKarp>(pattern, text),
    ]
}

/// The shortest string that `text` is a repetition of, as its length, by Z values; of the first 64 bytes.
#[routine]
pub fn smallest_period(text: &[u8]) -> u32 {
    let text = &text[..text.len().min(64)];
    let mut z = [0usize; 64];
    let (mut left, mut right) = (0, 0);
    for i in 1..text.len() {
        let known = if i < right { z[i - left].min(right - i) } else { 0 };
        z[i] = known
            + text[i + known..]
                .iter()
                .zip(&text[known..])
                .take_while(|(a, b)| a == b)
                .count();
        if i + z[i] > right {
            (left, right) = (i, i + z[i]);
        }
    }
    let len = text.len();
    (1..len)
        .find(|&period| len.is_multiple_of(period) && z[period] == len - period)
        .unwrap_or(len) as u32
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn finds() {
        let cases: [(&[u8], &[u8], [u32; 3]); 5] = [
            (b"abracadabra", b"abra", [2, 0, 7]),
            (b"aaaaaa", b"aaa", [4, 0, 3]),
            (b"the cat sat", b"sat", [1, 8, 8]),
            (b"xyz", b"xyzz", [0, u32::MAX, u32::MAX]),
            (b"xyz", b"", [0, u32::MAX, u32::MAX]),
        ];
        for (text, pattern, [count, first, last]) in cases {
            assert_eq!(find_pattern(text, pattern), [Occurrences { count, first, last }; 3]);
        }
    }

    #[test]
    fn periods() {
        assert_eq!(smallest_period(b"abcabcabc"), 3);
        assert_eq!(smallest_period(b"abcab"), 5);
        assert_eq!(smallest_period(b"aaaa"), 1);
        assert_eq!(smallest_period(b""), 0);
    }
}
