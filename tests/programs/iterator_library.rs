//! A small library of iterator adaptors.

use core::iter::Peekable;

use gpuvm::prelude::*;

/// Items two by two; the last one alone is left out.
#[derive(VmType, Clone)]
pub struct Pairs<I> {
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

/// Leaves out what equals the item before it.
#[derive(VmType, Clone)]
pub struct Dedup<I: Iterator> {
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
pub struct Merge<A: Iterator, B: Iterator> {
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
#[derive(VmType)]
pub struct Running<I> {
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

/// The same item, a few times.
#[derive(VmType)]
struct Intersperse<I: Iterator> {
    inner: Peekable<I>,
    separator: I::Item,
    separated: bool,
}

#[routine]
impl<I: Iterator> Iterator for Intersperse<I>
where
    I::Item: Clone,
{
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.separated && self.inner.peek().is_some() {
            self.separated = false;
            return Some(self.separator.clone());
        }
        self.separated = true;
        self.inner.next()
    }
}

#[routine]
pub trait IteratorExt: Iterator {
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

    fn separated_by(self, separator: Self::Item) -> Intersperse<Self>
    where
        Self: Sized,
        Self::Item: Clone,
    {
        Intersperse {
            inner: self.peekable(),
            separator,
            separated: false,
        }
    }

    fn min_and_max(mut self) -> Option<(Self::Item, Self::Item)>
    where
        Self: Sized,
        Self::Item: PartialOrd + Copy,
    {
        let first = self.next()?;
        Some(self.fold((first, first), |(min, max), x| {
            (if x < min { x } else { min }, if x > max { x } else { max })
        }))
    }

    fn count_where(&mut self, accept: impl Fn(&Self::Item) -> bool) -> usize {
        let mut count = 0;
        for item in self {
            if accept(&item) {
                count += 1;
            }
        }
        count
    }
}

impl<I: Iterator> IteratorExt for I {}

#[routine]
fn fill(out: &mut [u32], items: impl IntoIterator<Item = u32>) -> u32 {
    let mut written = 0;
    for (slot, item) in out.iter_mut().zip(items) {
        *slot = item;
        written += 1;
    }
    written
}

#[routine]
pub fn sorted_union(a: &[u32], b: &[u32], out: &mut [u32]) -> u32 {
    fill(out, a.iter().copied().merge(b.iter().copied()).dedup())
}

#[routine]
pub fn pair_products(values: [u32; 8], n: u32) -> [u32; 3] {
    let even = |x: &u32| x % 2 == 0;
    let products = values.iter().take(n as usize).copied().pairs().map(|(a, b)| a * b);
    let (min, max) = products.clone().min_and_max().unwrap_or((0, 0));
    let mut counted = products;
    [min, max, counted.count_where(even) as u32]
}

#[routine]
pub fn separated_sums(values: &[u8], out: &mut [u32]) -> u32 {
    let sums = values.iter().map(|&x| u32::from(x)).running();
    let hint = sums.size_hint().0 as u32;
    fill(out, sums.separated_by(1000)) + 100 * hint
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let mut out = [0; 8];
        assert_eq!(sorted_union(&[1, 3, 3, 7], &[2, 3, 8], &mut out), 5);
        assert_eq!(out, [1, 2, 3, 7, 8, 0, 0, 0]);
        assert_eq!(pair_products([1, 2, 3, 4, 5, 6, 7, 9], 8), [2, 63, 3]);
        assert_eq!(separated_sums(&[1, 2, 3], &mut out), 305);
        assert_eq!(out, [1, 1000, 3, 1000, 6, 0, 0, 0]);
    }
}
