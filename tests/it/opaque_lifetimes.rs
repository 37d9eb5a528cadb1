//! Routines that return `impl Iterator` and leave lifetimes out, as users do.

use gpuvm::prelude::*;

cases! { borrows_a_slice, borrows_of_several, generic_over_what_is_borrowed, borrows_of_self, given_and_given_back }

#[routine]
fn evens(xs: &[u32]) -> impl Iterator<Item = u32> + '_ {
    xs.iter().copied().filter(|x| x % 2 == 0)
}

#[routine]
fn odds(xs: &[u32]) -> impl Iterator<Item = u32> {
    xs.iter().copied().filter(|x| x % 2 == 1)
}

#[routine]
fn large(xs: &[u32]) -> impl Iterator<Item = &u32> {
    xs.iter().filter(|x| **x > 1 << 30)
}

#[routine]
fn named<'a>(xs: &'a [u32]) -> impl Iterator<Item = &'a u32> + 'a {
    xs.iter().skip(1)
}

#[routine]
fn borrows_a_slice(list: [u32; 6]) -> (u32, u32, u32, Option<u32>) {
    let mut sum = 0u32;
    for x in evens(&list) {
        sum = sum.wrapping_mul(31) ^ x;
    }
    (
        sum,
        odds(&list[1..]).fold(0, |h: u32, x| h.wrapping_mul(5) ^ x),
        large(&list).count() as u32,
        named(&list).copied().max(),
    )
}

#[routine]
fn mixed(xs: &[u32], ys: &[u32; 3]) -> impl Iterator<Item = u32> {
    xs.iter().zip(ys).map(|(a, b)| a ^ b)
}

#[routine]
fn every_other(xs: &mut [u32]) -> impl Iterator<Item = &mut u32> {
    xs.iter_mut().step_by(2)
}

#[routine]
fn indexed(xs: &[u32]) -> impl ExactSizeIterator<Item = (usize, &u32)> {
    xs.iter().enumerate()
}

#[routine]
fn mapped(xs: &[u32], f: impl Fn(u32) -> u32) -> impl Iterator<Item = u32> {
    xs.iter().map(move |x| f(*x))
}

#[routine]
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_ascii_alphabetic())
}

#[routine]
fn borrows_of_several(a: u32, list: [u32; 4]) -> (u32, [u32; 4], usize, u32, usize) {
    let mut ys = list;
    for y in every_other(&mut ys) {
        *y ^= a;
    }
    let indices: usize = indexed(&list).filter(|(_, x)| **x > a).map(|(i, _)| i).sum();
    (
        mixed(&list, &[a, 2, 3]).fold(0, |h, x| h ^ x),
        ys,
        indices + indexed(&list).len(),
        mapped(&list, |x| x % 7 + a % 3).sum(),
        letters("a1c_5r").count(),
    )
}

#[routine]
fn first<T: Copy>(xs: &[T], n: usize) -> impl DoubleEndedIterator<Item = T> {
    xs.iter().copied().take(n)
}

#[derive(VmType, Clone, Copy)]
struct Bag<T: VmType> {
    items: [T; 4],
    count: u32,
}

#[routine]
impl<T: VmType> Bag<T> {
    fn iter(&self) -> impl Iterator<Item = T> {
        self.items[..self.count as usize].iter().copied()
    }

    fn beside<'a, U: Copy>(&self, others: &'a [U]) -> impl Iterator<Item = (T, &'a U)> {
        self.items.iter().copied().zip(others)
    }
}

#[routine]
fn generic_over_what_is_borrowed(a: u32, list: [u32; 4]) -> (u32, Option<u32>, u32, u32) {
    let bag = Bag {
        items: list,
        count: a % 5,
    };
    let mut hash = 0u32;
    for x in bag.iter() {
        hash = hash.wrapping_mul(31) ^ x;
    }
    (
        hash,
        first(&list, (a % 5) as usize).rev().next(),
        first(&[a, 2, 3], 2).fold(1, |h, x| h ^ x),
        bag.beside(&[true, false])
            .map(|(x, &y)| if y { x % 9 } else { 1 })
            .sum(),
    )
}

#[derive(VmType, Clone, Copy)]
struct Reader<'a> {
    words: &'a [u32],
    at: usize,
}

#[routine]
impl<'a> Reader<'a> {
    fn rest(&self) -> impl Iterator<Item = &'a u32> + use<'a> {
        self.words[self.at..].iter()
    }

    fn read(&self) -> impl Iterator<Item = u32> {
        self.words[..self.at].iter().copied()
    }
}

#[routine]
fn skipping(reader: Reader<'_>) -> impl Iterator<Item = u32> {
    reader.words.iter().copied().skip(reader.at)
}

#[routine]
fn borrows_of_self(a: u32, list: [u32; 5]) -> (Option<u32>, Option<u32>, usize) {
    let reader = Reader {
        words: &list,
        at: (a % 6) as usize,
    };
    (
        reader.rest().copied().min(),
        reader.read().max(),
        skipping(reader).count(),
    )
}

#[routine]
fn above(xs: impl Iterator<Item = u32>, n: u32) -> impl Iterator<Item = u32> {
    xs.filter(move |x| *x > n)
}

#[routine]
fn backwards<I: DoubleEndedIterator<Item = u32>>(xs: I) -> impl DoubleEndedIterator<Item = u32> {
    xs.rev()
}

#[routine]
fn given_and_given_back(a: u32, list: [u32; 4]) -> (usize, Option<u32>) {
    (
        above(list.iter().map(|x| x ^ 5), a).count(),
        backwards(list.iter().copied()).map(|x| x ^ 2).next(),
    )
}
