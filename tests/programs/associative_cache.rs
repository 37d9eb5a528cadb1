//! A cache of the most recent entries over arrays, with any key and any store behind it.

use core::borrow::Borrow;
use core::ops::{Deref, DerefMut};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Entry<K, V> {
    key: K,
    value: V,
    used: u32,
}

#[derive(VmType, Clone, Copy, Debug)]
pub struct Cache<K, V, const N: usize> {
    entries: [Option<Entry<K, V>>; N],
    clock: u32,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    hits: u32,
    misses: u32,
    evictions: u32,
}

#[routine]
impl<K, V, const N: usize> Cache<K, V, N>
where
    K: PartialEq + Copy,
    V: Copy,
{
    pub fn new() -> Self {
        Cache {
            entries: [None; N],
            clock: 0,
        }
    }

    pub fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        self.get_mut(key).map(|value| &*value)
    }

    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        self.clock += 1;
        let clock = self.clock;
        let entry = self
            .entries
            .iter_mut()
            .flatten()
            .find(|entry| entry.key.borrow() == key)?;
        entry.used = clock;
        Some(&mut entry.value)
    }

    /// Puts an entry in, and gives back the one that had to go.
    pub fn insert(&mut self, key: K, value: V) -> Option<(K, V)> {
        self.clock += 1;
        let slot = self
            .entries
            .iter_mut()
            .min_by_key(|slot| slot.as_ref().map_or(0, |entry| entry.used))
            .expect("there are entries");
        let old = slot.replace(Entry {
            key,
            value,
            used: self.clock,
        });
        old.map(|Entry { key, value, .. }| (key, value))
    }

    pub fn keys(&self) -> impl Iterator<Item = K> + '_ {
        self.entries.iter().flatten().map(|entry| entry.key)
    }
}

#[routine]
impl<K: PartialEq + Copy, V: Copy, const N: usize> Default for Cache<K, V, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// A cache that counts what becomes of its questions.
#[derive(VmType, Clone, Copy, Default)]
pub struct Counted<C> {
    cache: C,
    stats: Stats,
}

#[routine]
impl<C> Deref for Counted<C> {
    type Target = C;
    fn deref(&self) -> &C {
        &self.cache
    }
}

#[routine]
impl<C> DerefMut for Counted<C> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.cache
    }
}

#[routine]
impl<K: PartialEq + Copy, V: Copy, const N: usize> Counted<Cache<K, V, N>> {
    fn get_or_insert_with<F: FnOnce(&K) -> V>(&mut self, key: K, make: F) -> V {
        if let Some(value) = self.cache.get(&key).copied() {
            self.stats.hits += 1;
            return value;
        }
        self.stats.misses += 1;
        let value = make(&key);
        if self.insert(key, value).is_some() {
            self.stats.evictions += 1;
        }
        value
    }
}

#[routine]
fn collatz(mut n: u32) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[routine]
pub fn cached_collatz(questions: &[u32]) -> (u32, Stats) {
    let mut cache = Counted::<Cache<u32, u32, 4>>::default();
    let total = questions
        .iter()
        .map(|&n| cache.get_or_insert_with(n, |n| collatz(*n)))
        .sum();
    (total, cache.stats)
}

#[routine]
pub fn recent_words(text: &[u8]) -> [u32; 3] {
    let text = str::from_utf8(text).unwrap_or_default();
    let mut seen = Counted {
        cache: Cache::<&str, u32, 3>::new(),
        stats: Stats::default(),
    };
    for word in text.split_whitespace() {
        match seen.get_mut(word) {
            Some(count) => *count += 1,
            None => {
                seen.insert(word, 1);
            }
        }
    }
    let the = seen.get("the").copied().unwrap_or(0);
    [
        the,
        seen.keys().count() as u32,
        seen.keys().map(|word| word.len() as u32).max().unwrap_or(0),
    ]
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        assert_eq!(
            cached_collatz(&[6, 7, 6, 27, 1, 2, 6]),
            (
                8 + 16 + 8 + 111 + 1 + 8,
                Stats {
                    hits: 2,
                    misses: 5,
                    evictions: 1
                }
            )
        );
        assert_eq!(recent_words(b"the cat the dog the mouse"), [3, 3, 5]);
    }
}
