//! A cache that drops the least recently used, linked through an array, beside FIFO and CLOCK to compare.

use core::num::NonZeroU8;

use gpuvm::prelude::*;

#[routine]
trait Cache<K> {
    fn with_capacity(capacity: usize) -> Self;

    /// Whether `key` is there; it is afterwards.
    fn touch(&mut self, key: K) -> bool;

    fn hits(&mut self, keys: impl Iterator<Item = K>) -> u32
    where
        Self: Sized,
    {
        keys.map(|key| u32::from(self.touch(key))).sum()
    }
}

/// The index of a node plus one, so that `Option` takes no more room.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Link(NonZeroU8);

#[routine]
impl Link {
    fn new(index: usize) -> Self {
        Self(NonZeroU8::new(index as u8 + 1).expect("an index is below 255"))
    }

    fn index(self) -> usize {
        usize::from(self.0.get() - 1)
    }
}

#[derive(VmType, Clone, Copy, Default)]
struct Node<K> {
    key: K,
    newer: Option<Link>,
    older: Option<Link>,
}

#[derive(VmType, Clone, Copy)]
struct Lru<K, const N: usize> {
    nodes: [Node<K>; N],
    len: usize,
    capacity: usize,
    newest: Option<Link>,
    oldest: Option<Link>,
}

#[routine]
impl<K: Copy + Default + PartialEq, const N: usize> Lru<K, N> {
    fn unlink(&mut self, link: Link) {
        let Node { newer, older, .. } = self.nodes[link.index()];
        match newer {
            Some(newer) => self.nodes[newer.index()].older = older,
            None => self.newest = older,
        }
        match older {
            Some(older) => self.nodes[older.index()].newer = newer,
            None => self.oldest = newer,
        }
    }

    fn push_newest(&mut self, link: Link) {
        let older = self.newest.replace(link);
        let node = &mut self.nodes[link.index()];
        (node.newer, node.older) = (None, older);
        match older {
            Some(older) => self.nodes[older.index()].newer = Some(link),
            None => self.oldest = Some(link),
        }
    }

    fn iter(&self) -> Iter<'_, K, N> {
        Iter {
            cache: self,
            at: self.newest,
        }
    }
}

#[routine]
impl<K: Copy + Default + PartialEq, const N: usize> Cache<K> for Lru<K, N> {
    fn with_capacity(capacity: usize) -> Self {
        let capacity = capacity.clamp(1, N);
        Self {
            nodes: [Node::default(); N],
            len: 0,
            capacity,
            newest: None,
            oldest: None,
        }
    }

    fn touch(&mut self, key: K) -> bool {
        let known = self.nodes[..self.len].iter().position(|node| node.key == key);
        let link = if let Some(index) = known {
            let link = Link::new(index);
            self.unlink(link);
            link
        } else if self.len < self.capacity {
            self.len += 1;
            Link::new(self.len - 1)
        } else {
            let oldest = self.oldest.expect("a full cache has an oldest");
            self.unlink(oldest);
            oldest
        };
        self.nodes[link.index()].key = key;
        self.push_newest(link);
        known.is_some()
    }
}

/// The keys, the newest first.
#[derive(VmType, Clone, Copy)]
struct Iter<'a, K, const N: usize> {
    cache: &'a Lru<K, N>,
    at: Option<Link>,
}

#[routine]
impl<K: Copy, const N: usize> Iterator for Iter<'_, K, N> {
    type Item = K;

    fn next(&mut self) -> Option<K> {
        let node = &self.cache.nodes[self.at?.index()];
        self.at = node.older;
        Some(node.key)
    }
}

#[routine]
impl<'a, K: Copy + Default + PartialEq, const N: usize> IntoIterator for &'a Lru<K, N> {
    type Item = K;
    type IntoIter = Iter<'a, K, N>;

    fn into_iter(self) -> Iter<'a, K, N> {
        self.iter()
    }
}

/// A ring whose hand passes over what was used since it last came by; `SECOND_CHANCE` off it is a plain FIFO.
#[derive(VmType, Clone, Copy)]
struct Clock<K, const N: usize, const SECOND_CHANCE: bool> {
    slots: [Option<(K, bool)>; N],
    hand: usize,
    capacity: usize,
}

#[routine]
impl<K: Copy + PartialEq, const N: usize, const SECOND_CHANCE: bool> Cache<K> for Clock<K, N, SECOND_CHANCE> {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            slots: [None; N],
            hand: 0,
            capacity: capacity.clamp(1, N),
        }
    }

    fn touch(&mut self, key: K) -> bool {
        if let Some((_, used)) = self.slots.iter_mut().flatten().find(|(known, _)| *known == key) {
            *used = SECOND_CHANCE;
            return true;
        }
        while let Some((_, used @ true)) = &mut self.slots[self.hand] {
            *used = false;
            self.hand = (self.hand + 1) % self.capacity;
        }
        self.slots[self.hand] = Some((key, false));
        self.hand = (self.hand + 1) % self.capacity;
        false
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitCounts {
    pub lru: u32,
    pub clock: u32,
    pub fifo: u32,
}

/// How often a page asked for is there, by three ways to choose which one goes.
#[routine]
pub fn cache_hits(pages: &[u16], capacity: u32) -> HitCounts {
    #[routine]
    fn hits<C: Cache<u16>>(pages: &[u16], capacity: u32) -> u32 {
        C::with_capacity(capacity as usize).hits(pages.iter().copied())
    }
    HitCounts {
        lru: hits::<Lru<_, 16>>(pages, capacity),
        clock: hits::<Clock<_, 16, true>>(pages, capacity),
        fifo: hits::<Clock<_, 16, false>>(pages, capacity),
    }
}

/// The letters that a cache of eight has after `text`, the newest first, then zeros.
#[routine]
pub fn recent_letters(text: &[u8]) -> [u8; 8] {
    let mut cache = Lru::<u8, 8>::with_capacity(8);
    for byte in text
        .iter()
        .filter(|b| b.is_ascii_alphabetic())
        .map(u8::to_ascii_uppercase)
    {
        cache.touch(byte);
    }
    let mut letters = [0; 8];
    for (slot, key) in letters.iter_mut().zip(&cache) {
        *slot = key;
    }
    letters
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn hits() {
        // Belady's string: FIFO has nine faults with three frames and ten with four.
        let pages = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5];
        assert_eq!(cache_hits(&pages, 3).fifo, 12 - 9);
        assert_eq!(cache_hits(&pages, 4).fifo, 12 - 10);
        assert_eq!(cache_hits(&pages, 3).lru, 12 - 10);
        assert_eq!(cache_hits(&pages, 4).lru, 12 - 8);
        assert_eq!(
            cache_hits(&pages, 16),
            HitCounts {
                lru: 7,
                clock: 7,
                fifo: 7
            }
        );
    }

    #[test]
    fn recent() {
        assert_eq!(&recent_letters(b"a cab!"), b"BAC\0\0\0\0\0");
        assert_eq!(&recent_letters(b"the quick brown fox"), b"XOFNWRBK");
    }
}
