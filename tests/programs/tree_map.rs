//! A map in a binary search tree of an arena, of any keys and values: entries, a search by reference, iterators by type and by `impl Iterator`.

use std::cmp::Ordering;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug)]
struct Node<K, V> {
    key: K,
    value: V,
    left: Option<u8>,
    right: Option<u8>,
}
#[derive(VmType, Clone, Copy, Debug)]
struct TreeMap<K, V, const N: usize> {
    nodes: [Option<Node<K, V>>; N],
    root: Option<u8>,
    len: u8,
}
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;
#[routine]
impl<K: Ord + Copy, V: Copy, const N: usize> Default for TreeMap<K, V, N> {
    fn default() -> Self {
        TreeMap {
            nodes: [None; N],
            root: None,
            len: 0,
        }
    }
}
#[derive(VmType)]
enum Entry<'a, K, V, const N: usize> {
    Occupied(&'a mut V),
    Vacant(&'a mut TreeMap<K, V, N>, K),
}
#[routine]
impl<'a, K: Ord + Copy, V: Copy, const N: usize> Entry<'a, K, V, N> {
    fn or_insert(self, value: V) -> Result<&'a mut V, Full> {
        match self {
            Entry::Occupied(v) => Ok(v),
            Entry::Vacant(map, key) => {
                map.insert(key, value)?;
                map.get_mut(&key).ok_or(Full)
            }
        }
    }
    fn and_modify(self, f: impl FnOnce(&mut V)) -> Self {
        match self {
            Entry::Occupied(v) => {
                f(v);
                Entry::Occupied(v)
            }
            vacant => vacant,
        }
    }
}
#[routine]
impl<K: Ord + Copy, V: Copy, const N: usize> TreeMap<K, V, N> {
    fn find(&self, key: &K) -> Result<u8, (Option<u8>, Ordering)> {
        let (mut at, mut last) = (self.root, (None, Ordering::Equal));
        while let Some(i) = at {
            let node = self.nodes[i as usize].as_ref().unwrap();
            match key.cmp(&node.key) {
                Ordering::Equal => return Ok(i),
                Ordering::Less => {
                    last = (Some(i), Ordering::Less);
                    at = node.left;
                }
                Ordering::Greater => {
                    last = (Some(i), Ordering::Greater);
                    at = node.right;
                }
            }
        }
        Err(last)
    }
    fn insert(&mut self, key: K, value: V) -> Result<Option<V>, Full> {
        match self.find(&key) {
            Ok(i) => Ok(self.nodes[i as usize]
                .as_mut()
                .map(|n| std::mem::replace(&mut n.value, value))),
            Err((parent, side)) => {
                let slot = self.nodes.get_mut(self.len as usize).ok_or(Full)?;
                *slot = Some(Node {
                    key,
                    value,
                    left: None,
                    right: None,
                });
                let new = Some(self.len);
                self.len += 1;
                match parent.map(|p| self.nodes[p as usize].as_mut().unwrap()) {
                    None => self.root = new,
                    Some(p) if side == Ordering::Less => p.left = new,
                    Some(p) => p.right = new,
                }
                Ok(None)
            }
        }
    }
    fn get(&self, key: &K) -> Option<&V> {
        self.find(key)
            .ok()
            .and_then(|i| self.nodes[i as usize].as_ref())
            .map(|n| &n.value)
    }
    fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let i = self.find(key).ok()?;
        self.nodes[i as usize].as_mut().map(|n| &mut n.value)
    }
    fn entry(&mut self, key: K) -> Entry<'_, K, V, N> {
        match self.find(&key) {
            Ok(i) => Entry::Occupied(&mut self.nodes[i as usize].as_mut().unwrap().value),
            Err(_) => Entry::Vacant(self, key),
        }
    }
    fn iter(&self) -> Iter<'_, K, V, N> {
        let mut it = Iter {
            map: self,
            stack: [0; 16],
            depth: 0,
        };
        it.descend(self.root);
        it
    }
    fn range(&self, low: K, high: K) -> impl Iterator<Item = (K, V)> + '_ {
        self.iter()
            .filter(move |(k, _)| **k >= low && **k < high)
            .map(|(k, v)| (*k, *v))
    }
    fn sum_between(&self, low: K, high: K, f: impl Fn(K, V) -> u32) -> u32 {
        self.iter()
            .filter(|(k, _)| **k >= low && **k < high)
            .map(|(k, v)| f(*k, *v))
            .sum()
    }
}
#[derive(VmType, Clone, Copy)]
struct Iter<'a, K, V, const N: usize> {
    map: &'a TreeMap<K, V, N>,
    stack: [u8; 16],
    depth: usize,
}
#[routine]
impl<'a, K: Ord + Copy, V: Copy, const N: usize> Iter<'a, K, V, N> {
    fn descend(&mut self, mut at: Option<u8>) {
        while let Some(i) = at {
            self.stack[self.depth] = i;
            self.depth += 1;
            at = self.map.nodes[i as usize].and_then(|n| n.left);
        }
    }
}
#[routine]
impl<'a, K: Ord + Copy, V: Copy, const N: usize> Iterator for Iter<'a, K, V, N> {
    type Item = (&'a K, &'a V);
    fn next(&mut self) -> Option<Self::Item> {
        self.depth = self.depth.checked_sub(1)?;
        let node = self.map.nodes[self.stack[self.depth] as usize].as_ref()?;
        self.descend(node.right);
        Some((&node.key, &node.value))
    }
}
#[routine]
impl<'a, K: Ord + Copy, V: Copy, const N: usize> IntoIterator for &'a TreeMap<K, V, N> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V, N>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
#[routine]
fn count_letters(text: &[u8]) -> Result<TreeMap<u8, u32, 8>, Full> {
    let mut m = TreeMap::default();
    for &b in text {
        *m.entry(b).and_modify(|c| *c += 10).or_insert(0)? += 1;
    }
    Ok(m)
}
#[routine]
fn middle<K: Ord + Copy, V: Copy + Into<u32>, const N: usize>(m: &TreeMap<K, V, N>, low: K, high: K) -> u32 {
    m.range(low, high).map(|(_, v)| v.into()).max().unwrap_or(77)
}
#[routine]
pub fn letters_and_numbers(a: u32) -> (Result<u32, Full>, u32, Option<(u8, u32)>, Option<u32>) {
    let mut text = *b"abracadabra";
    for (i, b) in text.iter_mut().enumerate() {
        if (a >> i) & 1 == 1 {
            *b += (a % 9) as u8;
        }
    }
    let counted = count_letters(&text);
    let sum = counted.map(|m| {
        let mut s = 0;
        for (k, v) in &m {
            s = s * 7 % 10007 + *k as u32 * v;
        }
        s
    });
    let mut m = TreeMap::<i32, u32, 5>::default();
    let mut refused = 0;
    for i in 0..9u32 {
        if m.insert((a.rotate_left(i * 5) % 7) as i32 - 3, i).is_err() {
            refused += 1;
        }
    }
    (
        sum,
        m.sum_between(-2, 2, |k, v| (k + 3) as u32 * 10 + v)
            + m.range(-1, 3).map(|(k, v)| (k + 3) as u32 * v).sum::<u32>()
            + middle(&m, 0, 2)
            + refused * 1000,
        counted
            .ok()
            .and_then(|m| m.iter().max_by_key(|(_, v)| **v).map(|(k, v)| (*k, *v))),
        m.get(&0).copied(),
    )
}

pub fn known() {
    let counted = count_letters(b"abracadabra").unwrap();
    let letters: Vec<(u8, u32)> = counted.iter().map(|(k, v)| (*k, *v)).collect();
    assert_eq!(letters, [(b'a', 45), (b'b', 12), (b'c', 1), (b'd', 1), (b'r', 12)]);
    assert_eq!(count_letters(b"abcdefghi").unwrap_err(), Full);
    let mut map = TreeMap::<&str, u32, 4>::default();
    assert_eq!(
        (map.insert("two", 2), map.insert("one", 1), map.insert("two", 22)),
        (Ok(None), Ok(None), Ok(Some(2)))
    );
    assert_eq!((map.get(&"two"), map.get(&"three")), (Some(&22), None));
    assert_eq!(middle(&map, "a", "t"), 1);
}
