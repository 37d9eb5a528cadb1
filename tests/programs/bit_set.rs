//! Sets of small numbers, a bit each.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, RangeBounds, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Set<const W: usize> {
    words: [u64; W],
}

#[routine]
impl<const W: usize> Set<W> {
    pub const EMPTY: Self = Self { words: [0; W] };
    pub const CAPACITY: usize = W * 64;

    pub fn full() -> Self {
        !Self::EMPTY
    }

    pub fn insert(&mut self, item: usize) -> bool {
        let new = !self.contains(item);
        self.words[item / 64] |= 1 << (item % 64);
        new
    }

    pub fn remove(&mut self, item: usize) -> bool {
        let old = self.contains(item);
        self.words[item / 64] &= !(1 << (item % 64));
        old
    }

    pub fn contains(&self, item: usize) -> bool {
        self.words
            .get(item / 64)
            .is_some_and(|word| word >> (item % 64) & 1 != 0)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words == [0; W]
    }

    pub fn iter(&self) -> Iter<'_, W> {
        Iter {
            words: &self.words,
            at: 0,
            rest: self.words[0],
        }
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    pub fn insert_range(&mut self, range: impl RangeBounds<usize>) {
        for item in 0..Self::CAPACITY {
            if range.contains(&item) {
                self.insert(item);
            }
        }
    }

    pub fn retain<F>(&mut self, mut keep: F)
    where
        F: FnMut(usize) -> bool,
    {
        for item in 0..Self::CAPACITY {
            if self.contains(item) && !keep(item) {
                self.remove(item);
            }
        }
    }

    fn zip_with(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut words = [0; W];
        for (word, (a, b)) in words.iter_mut().zip(self.words.into_iter().zip(other.words)) {
            *word = f(a, b);
        }
        Self { words }
    }
}

#[derive(VmType, Clone)]
pub struct Iter<'a, const W: usize> {
    words: &'a [u64; W],
    at: usize,
    rest: u64,
}

#[routine]
impl<const W: usize> Iterator for Iter<'_, W> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.at += 1;
            self.rest = *self.words.get(self.at)?;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(self.at * 64 + bit)
    }
}

impl<const W: usize> FusedIterator for Iter<'_, W> {}

#[routine]
impl<'a, const W: usize> IntoIterator for &'a Set<W> {
    type Item = usize;
    type IntoIter = Iter<'a, W>;

    fn into_iter(self) -> Iter<'a, W> {
        self.iter()
    }
}

#[routine]
impl<const W: usize> FromIterator<usize> for Set<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(items: I) -> Self {
        let mut set = Self::EMPTY;
        set.extend(items);
        set
    }
}

#[routine]
impl<const W: usize> Extend<usize> for Set<W> {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, items: I) {
        items.into_iter().for_each(|item| {
            self.insert(item);
        });
    }
}

macro_rules! set_operator {
    ($Op:ident, $op:ident, $f:expr) => {
        #[routine]
        impl<const W: usize> $Op for Set<W> {
            type Output = Self;
            fn $op(self, other: Self) -> Self {
                self.zip_with(other, $f)
            }
        }

        #[routine]
        impl<'a, const W: usize> $Op<&'a Set<W>> for &Set<W> {
            type Output = Set<W>;
            fn $op(self, other: &'a Set<W>) -> Set<W> {
                self.zip_with(*other, $f)
            }
        }
    };
}

set_operator!(BitAnd, bitand, |a, b| a & b);
set_operator!(BitOr, bitor, |a, b| a | b);
set_operator!(BitXor, bitxor, |a, b| a ^ b);
set_operator!(Sub, sub, |a, b| a & !b);

#[routine]
impl<const W: usize> BitOrAssign<usize> for Set<W> {
    fn bitor_assign(&mut self, item: usize) {
        self.insert(item);
    }
}

#[routine]
impl<const W: usize> Not for Set<W> {
    type Output = Self;
    fn not(self) -> Self {
        Self {
            words: self.words.map(|word| !word),
        }
    }
}

#[routine]
impl<const W: usize> fmt::Display for Set<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, item) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        f.write_str("}")
    }
}

/// How many numbers below 128 are left after all multiples have gone, and their sum.
#[routine]
pub fn sieve(limit: u32) -> [u32; 2] {
    let mut set = Set::<2>::EMPTY;
    set.insert_range(2..=limit as usize);
    for p in 2..12 {
        if set.contains(p) {
            set.retain(|n| n == p || n % p != 0);
        }
    }
    [set.len() as u32, set.iter().sum::<usize>() as u32]
}

#[routine]
pub fn set_algebra(a: &[u8], b: &[u8]) -> [u32; 6] {
    let a: Set<4> = a.iter().map(|&byte| usize::from(byte)).collect();
    let mut b = b.iter().copied().map(usize::from).collect::<Set<4>>();
    b |= 7;
    let (union, both, one) = (&a | &b, &a & &b, a ^ b);
    let mut last = 0;
    for item in &union {
        last = item as u32;
    }
    let pairs = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| x * y))
        .filter(|n| n % 2 == 1)
        .count();
    [
        union.len() as u32,
        both.len() as u32,
        (one - both).iter().max().unwrap_or_default() as u32,
        last,
        pairs as u32,
        u32::from(both.is_subset(&a))
            + 2 * u32::from((&a - &union).is_empty())
            + 4 * u32::from(Set::<4>::full().len() == 256),
    ]
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        assert_eq!(sieve(30), [10, 129]);
        assert_eq!(set_algebra(b"abc", b"bcd"), [5, 2, 100, 100, 4, 7]);
    }
}
