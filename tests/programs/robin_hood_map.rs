//! A hash map in an array: open addressing by Robin Hood's rule, entries, iterators, and hashers of one's choice.

use core::hash::{Hash, Hasher};
use core::mem;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug)]
pub struct Fnv(u64);

#[routine]
impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

#[routine]
impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 ^= u64::from(*byte);
            self.0 = self.0.wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Slot<K, V> {
    key: K,
    value: V,
    distance: u8,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

#[derive(VmType, Clone, Copy, Debug)]
pub struct Map<K, V, H, const N: usize> {
    slots: [Option<Slot<K, V>>; N],
    len: usize,
    hasher: core::marker::PhantomData<H>,
}

#[routine]
impl<K: Eq + Hash, V, H: Hasher + Default, const N: usize> Map<K, V, H, N> {
    const MASK: usize = {
        assert!(N.is_power_of_two());
        N - 1
    };

    pub fn new() -> Self {
        Self {
            slots: [const { None }; N],
            len: 0,
            hasher: core::marker::PhantomData,
        }
    }

    fn home(key: &K) -> usize {
        let mut hasher = H::default();
        key.hash(&mut hasher);
        hasher.finish() as usize & Self::MASK
    }

    fn find(&self, key: &K) -> Option<usize> {
        let mut at = Self::home(key);
        for distance in 0.. {
            match &self.slots[at] {
                Some(slot) if slot.distance < distance => return None,
                Some(slot) if slot.key == *key => return Some(at),
                Some(_) if (distance as usize) < N - 1 => at = (at + 1) & Self::MASK,
                _ => return None,
            }
        }
        unreachable!()
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        let at = self.find(key)?;
        self.slots[at].as_ref().map(|slot| &slot.value)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key)?;
        self.slots[at].as_mut().map(|slot| &mut slot.value)
    }

    pub fn insert(&mut self, key: K, value: V) -> Result<Option<V>, Full> {
        if let Some(old) = self.get_mut(&key) {
            return Ok(Some(mem::replace(old, value)));
        }
        if self.len == N {
            return Err(Full);
        }
        let mut at = Self::home(&key);
        let mut carried = Slot {
            key,
            value,
            distance: 0,
        };
        while let Some(slot) = &mut self.slots[at] {
            // Who is farther from home stays.
            if slot.distance < carried.distance {
                mem::swap(slot, &mut carried);
            }
            carried.distance += 1;
            at = (at + 1) & Self::MASK;
        }
        self.slots[at] = Some(carried);
        self.len += 1;
        Ok(None)
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let mut at = self.find(key)?;
        let removed = self.slots[at].take()?;
        self.len -= 1;
        // The others move up.
        loop {
            let next = (at + 1) & Self::MASK;
            match self.slots[next].take() {
                Some(mut slot) if slot.distance > 0 => {
                    slot.distance -= 1;
                    self.slots[at] = Some(slot);
                    at = next;
                }
                other => {
                    self.slots[next] = other;
                    return Some(removed.value);
                }
            }
        }
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V, H, N> {
        match self.find(&key) {
            Some(at) => Entry::Occupied { map: self, at },
            None => Entry::Vacant { map: self, key },
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.slots.iter().flatten().map(|Slot { key, value, .. }| (key, value))
    }

    pub fn longest_way(&self) -> u8 {
        self.slots.iter().flatten().map(|slot| slot.distance).max().unwrap_or(0)
    }
}

#[derive(VmType)]
pub enum Entry<'a, K, V, H, const N: usize> {
    Occupied { map: &'a mut Map<K, V, H, N>, at: usize },
    Vacant { map: &'a mut Map<K, V, H, N>, key: K },
}

#[routine]
impl<'a, K: Eq + Hash + Copy, V: Default, H: Hasher + Default, const N: usize> Entry<'a, K, V, H, N> {
    pub fn or_default(self) -> Result<&'a mut V, Full> {
        match self {
            Entry::Occupied { map, at } => Ok(&mut map.slots[at].as_mut().unwrap().value),
            Entry::Vacant { map, key } => {
                map.insert(key, V::default())?;
                map.get_mut(&key).ok_or(Full)
            }
        }
    }

    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Entry::Occupied { map, at } = &mut self
            && let Some(slot) = &mut map.slots[*at]
        {
            change(&mut slot.value);
        }
        self
    }
}

#[routine]
impl<K: Eq + Hash, V, H: Hasher + Default, const N: usize> Extend<(K, V)> for Map<K, V, H, N> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
        for (key, value) in items {
            let _ = self.insert(key, value);
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub distinct: u32,
    pub most: (u8, u32),
    pub longest_way: u8,
}

/// How often the bytes of a text occur.
#[routine]
pub fn byte_counts(text: &[u8]) -> Result<Counted, Full> {
    let mut counts = Map::<u8, u32, Fnv, 16>::new();
    for &byte in text {
        *counts.entry(byte).or_default()? += 1;
    }
    let most = counts
        .iter()
        .max_by_key(|&(&byte, &count)| (count, byte))
        .map(|(b, c)| (*b, *c));
    Ok(Counted {
        distinct: counts.len as u32,
        most: most.unwrap_or_default(),
        longest_way: counts.longest_way(),
    })
}

/// Pairs of numbers that come to a sum, and what is left of them when those that were found are taken out.
#[routine]
pub fn pairs_of_sum(numbers: &[i32], sum: i32) -> (u32, u32) {
    let mut seen: Map<i32, u8, Fnv, 32> = Map::new();
    let mut pairs = 0;
    for &number in numbers {
        let partner = sum - number;
        if seen.get(&partner).is_some_and(|&count| count > 0) {
            pairs += 1;
            if let Some(1) = seen.get(&partner) {
                seen.remove(&partner);
            } else {
                seen.entry(partner).and_modify(|count| *count -= 1);
            }
        } else if let Ok(count) = seen.entry(number).or_default() {
            *count += 1;
        }
    }
    (pairs, seen.iter().map(|(_, &count)| u32::from(count)).sum())
}

/// Two maps as one, by keys that are tuples.
#[routine]
pub fn merged(a: [(u8, u8); 4], b: [(u8, u8); 4]) -> ([u32; 2], Option<u32>) {
    let mut map = Map::<(u8, bool), u32, Fnv, 16>::new();
    map.extend(a.map(|(key, value)| ((key, false), value.into())));
    map.extend(
        b.iter()
            .map(|&(key, value)| ((key, key % 2 == 0), u32::from(value) * 100)),
    );
    let sum = map
        .iter()
        .map(|(&(key, even), &value)| u32::from(key) * value + u32::from(even))
        .sum();
    ([map.len as u32, sum], map.remove(&a[0].0.into_key()))
}

#[routine]
trait IntoKey {
    fn into_key(self) -> (u8, bool);
}

#[routine]
impl IntoKey for u8 {
    fn into_key(self) -> (u8, bool) {
        (self, false)
    }
}

pub fn known() {
    let counted = byte_counts(b"mississippi").unwrap();
    assert_eq!((counted.distinct, counted.most), (4, (b's', 4)));
    assert_eq!(byte_counts(b"the quick brown fox jumps"), Err(Full));
    assert_eq!(pairs_of_sum(&[1, 9, 5, 5, 3, 7, 7, 4], 10), (3, 2));
    assert_eq!(
        merged([(1, 1), (2, 2), (3, 3), (1, 4)], [(1, 5), (2, 6), (8, 7), (9, 8)]),
        (
            [6, 1 * 500 + 2 * 2 + 3 * 3 + 2 * 600 + 1 + 8 * 700 + 1 + 9 * 800],
            Some(500)
        )
    );
}
