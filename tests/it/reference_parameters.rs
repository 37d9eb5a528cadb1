//! Type parameters that are references, that hold some, or that may have no size; `AsRef`, `AsMut`, `Borrow` and `BorrowMut`; methods with parameters of their own and a
//! name of std's.

use std::borrow::{Borrow, BorrowMut};
use std::cmp::Ordering;

use gpuvm::prelude::*;

cases! {
    largest_reference, cloned_references, compared_references, texts_looked_up, keys_that_borrow, lent_parts, lent_mutably, borrowed_keys, wrapped_readers,
    grids_named_as_std, sums_of_generic_types, texts_by_path,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Point {
    x: i32,
    y: i32,
}

#[routine]
fn largest<T: PartialOrd + Copy>(items: &[T]) -> T {
    let mut best = items[0];
    for &item in items {
        if item > best {
            best = item;
        }
    }
    best
}

#[routine]
fn largest_reference(values: [u32; 4], points: [i32; 4]) -> (u32, i32, u32) {
    let references = [&values[0], &values[1], &values[3]];
    let [a, b, c, d] = points;
    let points = [Point { x: a, y: b }, Point { x: c, y: d }];
    (
        *largest(&references),
        largest(&[&points[0], &points[1]]).y,
        **largest(&[&references[1], &references[2]]),
    )
}

#[routine]
fn twice<T: Clone>(x: &T) -> (T, T) {
    (x.clone(), x.clone())
}

#[routine]
fn cloned_references(values: [u32; 3], flag: bool) -> (u32, i32, usize) {
    let (a, b) = twice(&&values[usize::from(flag)]);
    let point = Point {
        x: values[2] as i32,
        y: 3,
    };
    let (p, q) = twice(&&point);
    let (s, _) = twice(&if flag { "ab" } else { "c" });
    (a ^ b.rotate_left(3), p.x ^ q.y, s.len())
}

#[routine]
fn pick<T: Ord>(a: T, b: T) -> T {
    match a.cmp(&b) {
        Ordering::Less => b,
        _ => a,
    }
}

#[routine]
fn same<T: PartialEq>(a: &T, b: &T) -> bool {
    a == b && !(*a != *b)
}

#[routine]
fn compared_references(a: u32, b: u32, bytes: [u8; 4]) -> (u32, usize, bool, bool) {
    let (left, right) = bytes.split_at(2);
    let text = if a % 2 == 0 { "a" } else { "b" };
    (
        *pick(&a, &b),
        pick(left, right)[0].into(),
        same(&left, &right),
        same(&text, &&"abc"[..1]),
    )
}

#[derive(VmType, Clone, Copy)]
struct Map<K, V, const N: usize> {
    slots: [Option<(K, V)>; N],
    len: usize,
}

#[routine]
impl<K: PartialEq + Copy, V: Copy, const N: usize> Map<K, V, N> {
    const fn new() -> Self {
        Self {
            slots: [None; N],
            len: 0,
        }
    }

    fn put(&mut self, key: K, value: V) -> Option<V> {
        for slot in self.slots.iter_mut().flatten() {
            if slot.0 == key {
                return Some(std::mem::replace(&mut slot.1, value));
            }
        }
        let slot = self.slots.get_mut(self.len)?;
        *slot = Some((key, value));
        self.len += 1;
        None
    }

    /// Named as std's of slices, with a parameter of its own.
    fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        self.slots
            .iter()
            .flatten()
            .find(|(known, _)| known.borrow() == key)
            .map(|(_, value)| value)
    }

    fn keys(&self) -> impl Iterator<Item = K> + '_ {
        self.slots.iter().flatten().map(|(key, _)| *key)
    }
}

#[routine]
fn texts_looked_up(text: [u8; 8]) -> (Option<u32>, Option<u32>, usize, usize) {
    let text = text.map(|byte| b'a' + byte % 3);
    let text = std::str::from_utf8(&text).unwrap_or("?");
    let mut counts = Map::<&str, u32, 4>::new();
    for i in (0..8).step_by(2) {
        let word = &text[i..i + 2];
        let old = counts.get(word).copied().unwrap_or(0);
        counts.put(word, old + 1);
    }
    let longest = counts.keys().max().map_or(0, |key| key.as_bytes()[0].into());
    (
        counts.get("aa").copied(),
        counts.get(&text[..2]).copied(),
        counts.keys().count(),
        longest,
    )
}

/// A name of at most four bytes.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    bytes: [u8; 4],
    len: usize,
}

#[routine]
impl Name {
    fn of(bytes: [u8; 4], len: u8) -> Name {
        Name {
            bytes,
            len: usize::from(len % 5),
        }
    }
}

#[routine]
impl AsRef<[u8]> for Name {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

#[routine]
impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

#[routine]
fn has<K: Borrow<Q>, Q: PartialEq + ?Sized>(keys: &[K], key: &Q) -> bool {
    keys.iter().any(|known| known.borrow() == key)
}

#[routine]
fn keys_that_borrow(a: [u8; 4], b: [u8; 4], len: u8, n: u32) -> [bool; 5] {
    let names = [Name::of(a, len), Name::of(b, 4)];
    [
        has(&names, &b[..]),
        has(&names, &names[0]),
        has(&["ab", "cd"], if n % 2 == 0 { "cd" } else { "dc" }),
        has(&[n, 7, 9], &7),
        has(&[a, b], &[1u8, 2, 3, 4]),
    ]
}

#[routine]
fn sum(bytes: impl AsRef<[u8]>) -> u32 {
    bytes.as_ref().iter().map(|&byte| u32::from(byte)).sum()
}

#[routine]
fn sum_of<T: AsRef<[u8]> + ?Sized>(bytes: &T) -> u32 {
    bytes.as_ref().iter().map(|&byte| u32::from(byte)).sum()
}

#[routine]
fn letters<S>(items: &[S]) -> usize
where
    S: AsRef<str>,
{
    items.iter().map(|item| item.as_ref().len()).sum()
}

#[routine]
fn lent_parts(bytes: [u8; 4], len: u8) -> [u32; 6] {
    let name = Name::of(bytes, len);
    let text = "größer".get(..usize::from(len % 8)).unwrap_or("-");
    [
        sum(bytes) + sum(&bytes[1..]) + sum("ab") + sum(name) + sum(&name),
        sum_of(&bytes) + sum_of(&bytes[..2]),
        sum_of(&name),
        sum_of(text),
        letters(&[text, "x"]) as u32,
        letters(&[&text, &"yz"]) as u32,
    ]
}

#[routine]
fn bump<T>(mut values: T) -> u32
where
    T: AsMut<[u32]>,
{
    for value in values.as_mut() {
        *value = value.wrapping_add(1);
    }
    values.as_mut()[0]
}

#[routine]
fn clear<B: BorrowMut<[u32]>>(mut values: B) {
    values.borrow_mut().fill(0);
}

#[routine]
fn lent_mutably(values: [u32; 4], n: u8) -> ([u32; 4], u32, u32) {
    let mut changed = values;
    let first = bump(&mut changed);
    let copied = bump(values);
    clear(&mut changed[usize::from(n % 5)..]);
    (changed, first, copied)
}

#[routine]
fn borrowed_keys(values: [u8; 6], wanted: u8) -> (Option<usize>, u32) {
    let mut map = Map::<&[u8], usize, 3>::new();
    for (i, pair) in values.chunks(2).enumerate() {
        map.put(pair, i);
    }
    (
        map.get(&[wanted % 4, 1][..]).copied(),
        map.keys().map(|key| u32::from(key[0])).sum(),
    )
}

#[routine]
trait Read {
    fn read(&mut self) -> Option<u8>;

    fn both(&mut self) -> Option<(u8, u8)> {
        Some((self.read()?, self.read()?))
    }
}

#[derive(VmType)]
struct Bytes<'a> {
    bytes: &'a [u8],
}

#[routine]
impl Read for Bytes<'_> {
    fn read(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }
}

/// A reader of any reader's, which counts.
#[derive(VmType)]
struct Counted<R> {
    inner: R,
    count: u32,
}

#[routine]
impl<R: Read> Read for Counted<R> {
    fn read(&mut self) -> Option<u8> {
        let byte = self.inner.read()?;
        self.count += u32::from(byte % 2);
        Some(byte)
    }
}

#[routine]
fn drained<R: Read>(mut reader: R) -> u32 {
    let mut mixed = 1u32;
    while let Some(byte) = reader.read() {
        mixed = mixed.wrapping_mul(31).wrapping_add(u32::from(byte));
    }
    mixed
}

#[routine]
fn wrapped_readers(bytes: [u8; 7]) -> (Option<(u8, u8)>, u32, u32, u32) {
    let mut reader = Counted {
        inner: Bytes { bytes: &bytes },
        count: 0,
    };
    let both = reader.both();
    let once = reader.count;
    let twice = drained(Counted {
        inner: reader,
        count: 0,
    });
    (both, once, twice, drained(Bytes { bytes: &bytes[3..] }))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Grid<T, const N: usize>([[T; N]; N]);

#[routine]
impl<T: Copy + Default, const N: usize> Grid<T, N> {
    fn map<U: Copy + Default>(&self, f: impl Fn(T) -> U) -> Grid<U, N> {
        let mut mapped = Grid([[U::default(); N]; N]);
        for (row, from) in mapped.0.iter_mut().zip(&self.0) {
            for (slot, value) in row.iter_mut().zip(from) {
                *slot = f(*value);
            }
        }
        mapped
    }

    fn fold<B>(&self, start: B, f: impl Fn(B, T) -> B) -> B {
        self.0.iter().flatten().fold(start, |folded, value| f(folded, *value))
    }

    fn contains<Q>(&self, item: &Q) -> bool
    where
        T: PartialEq<Q>,
    {
        self.0.iter().flatten().any(|value| value == item)
    }
}

#[routine]
fn grids_named_as_std(values: [[u16; 2]; 2]) -> (Grid<u32, 2>, bool, u64, bool) {
    let grid = Grid(values);
    let wide = grid.map(|x| u32::from(x) * 3);
    let small = grid.map(|x| x % 7 == 0);
    (
        wide,
        small.contains(&true),
        wide.fold(0, |sum, x| sum * 2 + u64::from(x)),
        grid.contains(&300),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Fixed<const F: u32>(i32);

#[routine]
impl<const F: u32> std::ops::Add for Fixed<F> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

#[routine]
impl<const F: u32> std::iter::Sum for Fixed<F> {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self(1 << F), |a, b| a + b)
    }
}

#[routine]
fn sums_of_generic_types(values: [i32; 4]) -> (Fixed<8>, Fixed<3>) {
    (
        values.iter().map(|x| Fixed(*x)).sum(),
        values.map(Fixed).into_iter().skip(2).sum(),
    )
}

/// `str` is a type here, and no module.
#[routine]
fn texts_by_path(bytes: [u8; 4]) -> (Option<usize>, bool) {
    let text = str::from_utf8(&bytes);
    (
        text.ok().map(|text| text.chars().count()),
        str::from_utf8(&bytes[..2]).is_ok(),
    )
}
