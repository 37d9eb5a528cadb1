//! A map over sorted arrays with an entry interface, views by range, and a ring that keeps the last few values.

use core::cmp::Ordering;
use core::fmt::Debug;
use core::ops::{Bound, Index, IndexMut, RangeBounds};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct SortedMap<K, V, const N: usize> {
    keys: [K; N],
    values: [V; N],
    len: usize,
}

/// A place for a key, which may be taken.
pub enum Entry<'a, K, V, const N: usize> {
    Occupied {
        value: &'a mut V,
    },
    Vacant {
        map: &'a mut SortedMap<K, V, N>,
        key: K,
        at: usize,
    },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full<K>(K);

#[routine]
impl<K, V, const N: usize> SortedMap<K, V, N>
where
    K: Ord + Copy + Default,
    V: Copy + Default,
{
    pub fn new() -> Self {
        SortedMap {
            keys: [K::default(); N],
            values: [V::default(); N],
            len: 0,
        }
    }

    pub const fn capacity(&self) -> usize {
        N
    }

    pub fn is_full(&self) -> bool {
        self.len == self.capacity()
    }

    fn search(&self, key: &K) -> Result<usize, usize> {
        self.keys[..self.len].binary_search(key)
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        self.search(key).ok().map(|at| &self.values[at])
    }

    pub fn insert(&mut self, key: K, value: V) -> Result<Option<V>, Full<K>> {
        match self.search(&key) {
            Ok(at) => Ok(Some(core::mem::replace(&mut self.values[at], value))),
            Err(_) if self.is_full() => Err(Full(key)),
            Err(at) => {
                self.keys.copy_within(at..self.len, at + 1);
                self.values[at..=self.len].rotate_right(1);
                self.keys[at] = key;
                self.values[at] = value;
                self.len += 1;
                Ok(None)
            }
        }
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.search(key).ok()?;
        self.len -= 1;
        self.keys[at..=self.len].rotate_left(1);
        self.values[at..=self.len].rotate_left(1);
        Some(core::mem::take(&mut self.values[self.len]))
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.keys[..self.len].iter().zip(&self.values[..self.len])
    }

    pub fn range<R: RangeBounds<K>>(&self, range: R) -> impl Iterator<Item = (K, V)> + '_ {
        let keys = &self.keys[..self.len];
        let start = match range.start_bound() {
            Bound::Included(key) => keys.partition_point(|k| k < key),
            Bound::Excluded(key) => keys.partition_point(|k| k <= key),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(key) => keys.partition_point(|k| k.cmp(key) != Ordering::Greater),
            Bound::Excluded(key) => keys.partition_point(|k| k.cmp(key) == Ordering::Less),
            Bound::Unbounded => self.len,
        };
        (start..end).map(|at| (self.keys[at], self.values[at]))
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let mut kept = 0;
        for at in 0..self.len {
            if keep(&self.keys[at], &mut self.values[at]) {
                self.keys.swap(kept, at);
                self.values.swap(kept, at);
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Both together; where both have a key, `merge` says what becomes of it.
    pub fn union(&self, other: &Self, merge: impl Fn(V, V) -> V) -> Result<Self, Full<K>> {
        let mut all = *self;
        for (key, value) in other.iter() {
            let value = self.get(key).map_or(*value, |own| merge(*own, *value));
            all.insert(*key, value)?;
        }
        Ok(all)
    }
}

#[routine]
impl<K: Ord + Copy + Default, V: Copy + Default, const N: usize> Index<&K> for SortedMap<K, V, N> {
    type Output = V;
    fn index(&self, key: &K) -> &V {
        self.get(key).expect("no such key")
    }
}

#[routine]
impl<K: Ord + Copy + Default, V: Copy + Default, const N: usize> IndexMut<&K> for SortedMap<K, V, N> {
    fn index_mut(&mut self, key: &K) -> &mut V {
        let at = self.search(key).unwrap_or_else(|_| panic!("no such key"));
        &mut self.values[at]
    }
}

#[routine]
impl<K: Ord + Copy + Default, V: Copy + Default, const N: usize> FromIterator<(K, V)> for SortedMap<K, V, N> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

#[routine]
impl<K: Ord + Copy + Default, V: Copy + Default, const N: usize> Extend<(K, V)> for SortedMap<K, V, N> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        pairs.into_iter().for_each(|(key, value)| {
            let _ = self.insert(key, value);
        });
    }
}

/// The last `N` values.
#[derive(VmType, Clone, Copy, Debug)]
struct Recent<T, const N: usize> {
    values: [Option<T>; N],
    next: usize,
}

#[routine]
impl<T: Copy, const N: usize> Recent<T, N> {
    const NONE: Self = Recent {
        values: [None; N],
        next: 0,
    };

    fn push(&mut self, value: T) -> Option<T> {
        let old = self.values[self.next].replace(value);
        self.next = (self.next + 1) % N;
        old
    }

    fn oldest_first<'a>(&'a self) -> impl Iterator<Item = &'a T> + use<'a, T, N> {
        let (newer, older) = self.values.split_at(self.next);
        older.iter().chain(newer).flatten()
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    distinct: u32,
    most: (u8, u32),
    letters: u32,
    dropped: Option<u8>,
    last: [u8; 3],
}

#[routine]
pub fn letter_counts(text: &[u8]) -> Result<Counts, Full<u8>> {
    let mut map = SortedMap::<u8, u32, 12>::new();
    let mut recent = Recent::<u8, 3>::NONE;
    let mut dropped = None;
    for byte in text.iter().map(u8::to_ascii_lowercase) {
        match map.get(&byte) {
            Some(_) => map[&byte] += 1,
            None => {
                map.insert(byte, 1)?;
            }
        }
        dropped = recent.push(byte).or(dropped);
    }
    let letters = map.range(b'a'..=b'z').map(|(_, n)| n).sum();
    let most = map
        .iter()
        .rev()
        .max_by_key(|(_, n)| **n)
        .map_or((0, 0), |(k, n)| (*k, *n));
    let mut last = [0; 3];
    last.iter_mut()
        .zip(recent.oldest_first())
        .for_each(|(to, from)| *to = *from);
    Ok(Counts {
        distinct: map.len as u32,
        most,
        letters,
        dropped,
        last,
    })
}

#[routine]
pub fn merged_maps(left: [(i8, i16); 4], right: [(i8, i16); 4], from: i8) -> (Option<[i16; 3]>, u32, Option<i16>) {
    let left: SortedMap<_, _, 6> = left.into_iter().collect();
    let right = SortedMap::from_iter(right);
    let Ok(mut all) = left.union(&right, i16::wrapping_add) else {
        return (None, 0, None);
    };
    all.retain(|key, value| {
        *value = value.saturating_mul(2);
        *key >= 0 || *value > 0
    });
    let first = {
        let mut high = all
            .range((Bound::Excluded(from), Bound::Unbounded))
            .map(|(_, value)| value);
        [high.next(), high.next(), high.next()].map(|value| value.unwrap_or(-1))
    };
    let count = all.iter().len() as u32;
    (Some(first), count, all.remove(&0))
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let counts = Counts {
            distinct: 6,
            most: (b'l', 3),
            letters: 8,
            dropped: Some(b' '),
            last: *b"loa",
        };
        assert_eq!(letter_counts(b"Hello loa"), Ok(counts));
        assert_eq!(letter_counts(b"abcdefghijklm"), Err(Full(b'm')));
        let (first, count, zero) =
            merged_maps([(3, 1), (0, 5), (-1, -4), (9, 9)], [(0, 6), (3, 2), (4, 4), (-2, 1)], 0);
        assert_eq!((first, count, zero), (Some([6, 8, 18]), 5, Some(22)));
        assert_eq!(
            merged_maps([(1, 1), (2, 2), (3, 3), (4, 4)], [(5, 1), (6, 1), (7, 1), (8, 1)], 0),
            (None, 0, None)
        );
    }
}
