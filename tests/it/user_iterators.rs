//! Iterator code of one's own: adaptors over any iterator, with methods and `size_hint`, traits that give all iterators more methods, and routines that take any of these.

use std::iter::Peekable;

use gpuvm::prelude::*;

cases! {
    paired, without_repeats, merged, hinted, separated, more_methods, given_closures, of_all_iterators, passed_on, nested_adaptors, of_bytes,
    with_two_ends, of_exact_size,
}

/// Items two by two; the last one alone is left out.
#[derive(VmType, Clone)]
struct Pairs<I> {
    inner: I,
}

#[routine]
impl<I: Iterator> Iterator for Pairs<I> {
    type Item = (I::Item, I::Item);

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.inner.next()?;
        Some((first, self.inner.next()?))
    }
}

#[routine]
impl<I: Iterator> Pairs<I> {
    fn new(inner: I) -> Self {
        Pairs { inner }
    }

    fn second(mut self) -> Option<(I::Item, I::Item)> {
        self.leave_out();
        self.next()
    }

    fn leave_out(&mut self) {
        self.next();
    }
}

/// Leaves out what equals the item before it.
#[derive(VmType, Clone)]
struct Dedup<I: Iterator> {
    inner: I,
    last: Option<I::Item>,
}

#[routine]
impl<I> Iterator for Dedup<I>
where
    I: Iterator,
    I::Item: PartialEq + Copy,
{
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        loop {
            let item = self.inner.next()?;
            if self.last != Some(item) {
                self.last = Some(item);
                return Some(item);
            }
        }
    }
}

/// Two sorted iterators as one.
#[derive(VmType)]
struct Merge<A: Iterator, B: Iterator> {
    left: Peekable<A>,
    right: Peekable<B>,
}

#[routine]
impl<T: Ord, A: Iterator<Item = T>, B: Iterator<Item = T>> Iterator for Merge<A, B> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match (self.left.peek(), self.right.peek()) {
            (Some(a), Some(b)) if b < a => self.right.next(),
            (Some(_), _) => self.left.next(),
            (None, _) => self.right.next(),
        }
    }
}

/// The sums of all beginnings.
#[derive(VmType, Clone, Copy)]
struct Running<I> {
    inner: I,
    sum: u32,
}

#[routine]
impl<I: Iterator<Item = u32>> Iterator for Running<I> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.sum = self.sum.wrapping_add(self.inner.next()?);
        Some(self.sum)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

/// Something in between.
#[derive(VmType)]
struct Separated<I: Iterator> {
    inner: Peekable<I>,
    separator: I::Item,
    is_next: bool,
}

#[routine]
impl<I: Iterator<Item: Clone>> Iterator for Separated<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.is_next && self.inner.peek().is_some() {
            self.is_next = false;
            return Some(self.separator.clone());
        }
        self.is_next = true;
        self.inner.next()
    }
}

#[routine]
trait IteratorExt: Iterator {
    fn pairs(self) -> Pairs<Self>
    where
        Self: Sized,
    {
        Pairs { inner: self }
    }

    fn dedup(self) -> Dedup<Self>
    where
        Self: Sized,
        Self::Item: PartialEq + Copy,
    {
        Dedup {
            inner: self,
            last: None,
        }
    }

    fn merge<J: IntoIterator<Item = Self::Item>>(self, other: J) -> Merge<Self, J::IntoIter>
    where
        Self: Sized,
        Self::Item: Ord,
    {
        Merge {
            left: self.peekable(),
            right: other.into_iter().peekable(),
        }
    }

    fn running(self) -> Running<Self>
    where
        Self: Sized + Iterator<Item = u32>,
    {
        Running { inner: self, sum: 0 }
    }

    fn separated_by(self, separator: Self::Item) -> Separated<Self>
    where
        Self: Sized,
        Self::Item: Clone,
    {
        Separated {
            inner: self.peekable(),
            separator,
            is_next: false,
        }
    }

    fn mixed(self) -> u32
    where
        Self: Sized + Iterator<Item = u32>,
    {
        let mut mixed = 17u32;
        for item in self {
            mixed = mixed.wrapping_mul(31) ^ item;
        }
        mixed
    }

    fn extremes(mut self) -> Option<(Self::Item, Self::Item)>
    where
        Self: Sized,
        Self::Item: PartialOrd + Copy,
    {
        let first = self.next()?;
        Some(self.fold((first, first), |(least, most), x| {
            (if x < least { x } else { least }, if x > most { x } else { most })
        }))
    }

    fn count_where(&mut self, accept: impl Fn(&Self::Item) -> bool) -> usize {
        let mut count = 0;
        while let Some(item) = self.next() {
            if accept(&item) {
                count += 1;
            }
        }
        count
    }
}

impl<I: Iterator> IteratorExt for I {}

/// A trait whose methods its `impl` for all iterators writes.
#[routine]
trait Total {
    fn total(self, start: u32) -> u32;
}

#[routine]
impl<I: Iterator<Item = u32>> Total for I {
    fn total(self, start: u32) -> u32 {
        self.fold(start, |sum, x| sum.wrapping_add(x))
    }
}

#[routine]
fn fill(out: &mut [u32], items: impl IntoIterator<Item = u32>) -> usize {
    let mut written = 0;
    for (slot, item) in out.iter_mut().zip(items) {
        *slot = item;
        written += 1;
    }
    written
}

#[routine]
fn paired(values: [u32; 8], count: u8) -> ([u32; 4], Option<(u32, u32)>, usize) {
    let part = &values[..usize::from(count % 9)];
    let mut out = [0; 4];
    for (slot, (a, b)) in out.iter_mut().zip(Pairs::new(part.iter())) {
        *slot = a ^ b.rotate_left(7);
    }
    let second = Pairs {
        inner: part.iter().copied(),
    }
    .second();
    (
        out,
        second,
        Pairs::new(part.iter().map(|x| x / 2)).filter(|(a, b)| a < b).count(),
    )
}

#[routine]
fn without_repeats(values: [u8; 8]) -> ([u32; 8], usize, Option<u8>) {
    let mut out = [0; 8];
    let small = values.iter().map(|x| x % 3);
    let count = fill(&mut out, small.clone().dedup().map(u32::from));
    (out, count, values.iter().copied().dedup().last())
}

#[routine]
fn merged(a: [u32; 4], b: [u32; 5]) -> ([u32; 9], bool) {
    let (mut a, mut b) = (a, b);
    a.sort_unstable();
    b.sort_unstable();
    let mut out = [0; 9];
    fill(&mut out, a.iter().copied().merge(b.iter().copied()));
    (out, a.into_iter().merge(b).is_sorted())
}

#[routine]
fn hinted(values: [u32; 6], count: u8) -> ((usize, Option<usize>), (usize, Option<usize>), u32) {
    let part = &values[..usize::from(count % 7)];
    let sums = part.iter().copied().running();
    let mut odd = part.iter().copied().filter(|x| x % 2 == 1).running();
    odd.next();
    (sums.size_hint(), odd.size_hint(), sums.mixed())
}

#[routine]
fn separated(values: [u32; 4], count: u8) -> ([u32; 8], usize) {
    let mut out = [0; 8];
    let count = fill(
        &mut out,
        values.into_iter().take(usize::from(count % 5)).separated_by(1000),
    );
    (out, count)
}

#[routine]
fn more_methods(values: [i32; 7], n: u8) -> (u32, Option<(i32, i32)>, Option<(u8, u8)>, u32) {
    let mixed = values.iter().map(|x| *x as u32).mixed();
    let range = (0..n % 20).map(|x| x.wrapping_mul(37)).extremes();
    let pairs = (0..u32::from(n % 10)).pairs().map(|(a, b)| a * 16 + b).mixed();
    (mixed, values.iter().copied().extremes(), range, pairs)
}

#[routine]
fn given_closures(values: [u32; 8], limit: u32) -> (usize, usize, Option<u32>) {
    let mut iter = values.iter();
    iter.next();
    let large = iter.by_ref().take(4).count_where(|x| **x > limit);
    let rest = iter.count_where(|x| **x <= limit);
    let mut even = values.iter().copied().filter(|x| x % 2 == 0);
    even.count_where(|_| false);
    (large, rest, even.next())
}

#[routine]
fn of_all_iterators(values: [u32; 5], n: u8) -> [u32; 4] {
    [
        values.iter().copied().total(1),
        (0..u32::from(n)).total(2),
        values.into_iter().pairs().map(|(a, b)| a & b).total(3),
        std::iter::successors(Some(u32::from(n)), |x| x.checked_sub(50)).total(4),
    ]
}

/// Gives an adaptor of its own on.
#[routine]
fn halves(items: impl Iterator<Item = u32>) -> u32 {
    items.running().map(|x| x / 2).mixed()
}

#[routine]
fn passed_on(values: [u32; 6], n: u8) -> [u32; 3] {
    let mut out = [0; 3];
    fill(&mut out, values.into_iter().running().running());
    [
        halves(values.iter().copied()) ^ out[2],
        halves((0..u32::from(n)).running()),
        halves(values.into_iter().dedup()),
    ]
}

#[routine]
fn nested_adaptors(values: [u8; 12]) -> (usize, u32) {
    let pairs = values.iter().map(|x| x % 4).dedup().pairs();
    let count = pairs.clone().pairs().count();
    let sum = pairs
        .pairs()
        .map(|((a, b), (c, d))| u32::from(a) + 4 * u32::from(b) + 16 * u32::from(c) + 64 * u32::from(d));
    (count, sum.running().last().unwrap_or(7))
}

/// A reader of bytes, an iterator itself, and words of what it reads.
#[derive(VmType)]
struct Words<'a, I> {
    bytes: I,
    separators: &'a [u8],
}

#[routine]
impl<I: Iterator<Item = u8>> Iterator for Words<'_, I> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let first = self.bytes.find(|byte| !self.separators.contains(byte))?;
        let mut word = u32::from(first);
        while let Some(byte) = self.bytes.next() {
            if self.separators.contains(&byte) {
                break;
            }
            word = word.wrapping_mul(31).wrapping_add(u32::from(byte));
        }
        Some(word)
    }
}

#[routine]
fn of_bytes(text: [u8; 10]) -> ([u32; 4], usize) {
    let separators = [0, 1, b' '];
    let mut out = [0; 4];
    fill(
        &mut out,
        Words {
            bytes: text.iter().copied(),
            separators: &separators,
        },
    );
    let odd = Words {
        bytes: text.iter().map(|byte| byte | 1),
        separators: &separators,
    };
    (out, odd.dedup().count())
}

/// What becomes an iterator with two ends, or with a length.
#[routine]
fn last_of<I: IntoIterator<Item = u32>>(list: I) -> u32
where
    I::IntoIter: DoubleEndedIterator,
{
    list.into_iter().rev().step_by(2).next().unwrap_or(7)
}

#[routine]
fn counted<I>(list: I) -> usize
where
    I: IntoIterator,
    <I as IntoIterator>::IntoIter: ExactSizeIterator,
{
    list.into_iter().len()
}

#[routine]
fn both<'a, I>(list: I) -> u32
where
    I: IntoIterator<Item = &'a u32>,
    I::IntoIter: ExactSizeIterator + DoubleEndedIterator + Clone,
{
    let mut list = list.into_iter();
    let all = list.clone().len() as u32;
    list.next_back().copied().unwrap_or(1) ^ list.len() as u32 ^ all << 4
}

#[routine]
fn backwards(list: impl IntoIterator<Item = u32, IntoIter: DoubleEndedIterator>) -> u32 {
    list.into_iter().rfold(0, |a: u32, b| a.rotate_left(3) ^ b)
}

#[routine]
fn with_two_ends(a: u32, list: [u32; 5]) -> ([u32; 4], usize) {
    let n = a % 6;
    let ends = [
        last_of(0..n),
        both(&list[..n as usize]),
        both(&list),
        backwards(list.into_iter().filter(|x| x % 2 == a % 2)),
    ];
    (ends, counted(list.iter().map(|x| x ^ 1)) + counted([a]))
}

#[derive(VmType, Clone, Copy)]
struct Countdown {
    left: u32,
}

#[routine]
impl Iterator for Countdown {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.left as usize;
        // Of seven it does not know.
        (left, (left != 7).then_some(left))
    }
}

/// Its `len` is that of std.
#[routine]
impl ExactSizeIterator for Countdown {}

#[routine]
fn around_one<I: ExactSizeIterator<Item = u32>>(mut items: I) -> usize {
    let before = items.len();
    items.next();
    before * 10 + items.len()
}

#[routine]
fn of_exact_size(a: u32) -> (usize, usize, usize) {
    let countdown = Countdown { left: a % 9 };
    (
        countdown.len(),
        around_one(Countdown { left: 3 }),
        countdown.enumerate().len(),
    )
}
