//! Methods with parameters of their own, of types and of traits; iterators as parameters; and what iterators are made into by the user's `Sum`,
//! `Product` and `FromIterator`.

use std::iter::{Product, Sum};
use std::ops::{RangeFrom, RangeInclusive};

use gpuvm::prelude::*;

cases! {
    given_const, given_type, given_iterators, given_references, given_own_iterator, given_by_ref, given_both_ends, given_to_iterate,
    given_with_closure, given_key, given_result, given_chain, given_on, given_without_receiver, given_in_generic_type, given_to_functions,
    given_of_trait, given_of_generic_trait, given_by_type, given_item_of_trait, given_const_of_trait, given_trap, given_in_turn, bounded_by_conversions,
    tried_by_bounds,
    sums_of_own_types, products, sums_of_references, sums_by_ref, collections, own_iterables, range_constants, lending_recursion,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Mixer {
    seed: u32,
}

#[routine]
trait Mark {
    fn mark(&self) -> u32;

    fn first() -> Self;
}

#[routine]
impl Mark for Byte {
    fn mark(&self) -> u32 {
        u32::from(self.0) * 3
    }

    fn first() -> Self {
        Byte(7)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Byte(u8);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Tone {
    High(u32),
    Low,
}

#[routine]
impl Mark for Tone {
    fn mark(&self) -> u32 {
        match self {
            Tone::High(by) => by % 100,
            Tone::Low => 1,
        }
    }

    fn first() -> Self {
        Tone::Low
    }
}

/// Every other number below an end.
#[derive(VmType, Clone, Copy, Debug)]
struct Evens {
    at: u32,
    end: u32,
}

#[routine]
impl Iterator for Evens {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at += 2;
        Some(at)
    }
}

#[routine]
impl Mixer {
    fn shifted<const BY: u32>(&self, x: u32) -> u32 {
        const { assert!(BY < 32) };
        (x ^ self.seed) >> BY
    }

    fn pair<const N: usize, const UP: bool>(&self, xs: [u32; N]) -> (usize, u32) {
        let x = if UP { xs[N - 1] } else { xs[0] };
        (N, x.wrapping_add(self.seed))
    }

    fn weigh<M: Mark + Copy>(&self, marked: M, count: u32) -> u32 {
        let mut sum = self.seed % 1000;
        for _ in 0..count % 4 {
            sum += marked.mark();
        }
        sum
    }

    fn total(&self, numbers: impl Iterator<Item = u32>) -> u32 {
        let mut sum = self.seed;
        for number in numbers {
            sum = sum.wrapping_mul(31).wrapping_add(number);
        }
        sum
    }

    fn of_references<'a, I>(&self, numbers: I) -> u32
    where
        I: Iterator<Item = &'a u32> + Clone,
    {
        let least = numbers.clone().copied().min().unwrap_or(self.seed);
        numbers.map(|x| x ^ least).fold(0u32, |a, b| a.wrapping_add(b))
    }

    fn take_some(&mut self, numbers: &mut impl Iterator<Item = u32>, count: u32) -> u32 {
        let mut taken = 0;
        while taken < count {
            let Some(number) = numbers.next() else { break };
            self.seed ^= number;
            taken += 1;
        }
        taken
    }

    fn ends(&self, mut numbers: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator) -> (usize, Option<u32>, u32) {
        let last = numbers.next_back();
        let left = numbers.len();
        let rest = numbers.rev().zip(1..).map(|(x, by)| x.wrapping_mul(by));
        (left, last, rest.fold(self.seed, u32::wrapping_add))
    }

    fn over(&self, numbers: impl IntoIterator<Item = u32>) -> u32 {
        let mut sum = 0u32;
        for x in numbers {
            sum = sum.wrapping_add(x ^ self.seed);
        }
        sum
    }

    fn over_pairs<A: IntoIterator<Item = u32>, B: IntoIterator<Item = u32>>(&self, a: A, b: B) -> u32 {
        a.into_iter()
            .zip(b)
            .fold(self.seed, |sum, (x, y)| sum.wrapping_add(x.wrapping_mul(y)))
    }

    fn filtered<I: Iterator<Item = u32>>(&self, numbers: I, mut keep: impl FnMut(u32) -> bool) -> u32 {
        numbers
            .filter(|&x| keep(x))
            .take(3)
            .fold(self.seed, |a, b| a.wrapping_add(b))
    }

    /// The one of two with the least key.
    fn least_by<K: PartialOrd + Copy>(&self, a: u32, b: u32, key: impl Fn(u32) -> K) -> u32 {
        if key(b) < key(a) { b } else { a ^ self.seed }
    }

    fn first_of<M: Mark>(&self) -> M {
        M::first()
    }

    fn push<const TIMES: u32>(&mut self, x: u32) -> &mut Self {
        for _ in 0..TIMES {
            self.seed = self.seed.rotate_left(5) ^ x;
        }
        self
    }

    fn passed_on<I: Iterator<Item = u32>>(&self, numbers: I) -> u32 {
        self.total(numbers.map(|x| x / 2)) ^ Self::count(0..self.seed % 9)
    }

    fn count<I: Iterator>(numbers: I) -> u32
    where
        I: Iterator<Item = u32>,
    {
        numbers.count() as u32
    }

    /// Recursion that lends what it was lent.
    fn spread(&mut self, left: u32) -> &mut Self {
        if left == 0 {
            self
        } else {
            self.spread(left - 1).push::<1>(left)
        }
    }
}

#[routine]
fn given_const(a: u32, list: [u32; 8]) -> (u32, u32, (usize, u32), (usize, u32)) {
    let mixer = Mixer { seed: list[0] };
    let [x, y, z, ..] = list;
    (
        mixer.shifted::<3>(a),
        mixer.shifted::<{ 32 - 1 }>(a),
        mixer.pair::<3, true>([x, y, z]),
        mixer.pair::<_, false>([y, z]),
    )
}

#[routine]
fn given_type(a: u32, b: u32) -> (u32, u32, u32) {
    let mixer = Mixer { seed: b };
    let tone = if a % 2 == 0 { Tone::High(b) } else { Tone::Low };
    (
        mixer.weigh(Byte(a as u8), b),
        mixer.weigh(tone, a),
        mixer.weigh::<Tone>(Tone::Low, 3),
    )
}

#[routine]
fn given_iterators(a: u32, list: [u32; 8]) -> (u32, u32, u32, u32) {
    let mixer = Mixer { seed: a };
    let mut seen = 0;
    (
        mixer.total(0..a % 20),
        mixer.total(list.iter().copied().filter(|x| x % 3 == a % 3)),
        mixer.total(list.into_iter().inspect(|x| seen += x % 5).skip(1).step_by(2)),
        mixer.total(std::iter::empty()) ^ seen,
    )
}

#[routine]
fn given_references(a: u32, list: [u32; 8]) -> (u32, u32) {
    let mixer = Mixer { seed: a };
    let part = &list[..(a % 9) as usize];
    (
        mixer.of_references(part.iter()),
        mixer.of_references(list.iter().rev().take(3)),
    )
}

#[routine]
fn given_own_iterator(a: u32, b: u32) -> (u32, u32) {
    let mixer = Mixer { seed: a };
    let evens = Evens { at: b % 5, end: a % 30 };
    (mixer.total(evens), mixer.total(evens.map(|x| x * x).chain(evens)))
}

#[routine]
fn given_by_ref(a: u32, list: [u32; 8]) -> (u32, u32, Option<u32>, u32) {
    let mut mixer = Mixer { seed: a };
    let mut numbers = list.into_iter().map(|x| x / 3);
    let first = mixer.take_some(&mut numbers, a % 4);
    let second = mixer.take_some(&mut numbers, a % 7);
    let next = numbers.next();
    (first, second, next, mixer.total(numbers.by_ref()))
}

#[routine]
fn given_both_ends(a: u32, list: [u32; 8]) -> ((usize, Option<u32>, u32), (usize, Option<u32>, u32)) {
    let mixer = Mixer { seed: a };
    (
        mixer.ends(list[..(a % 9) as usize].iter().copied()),
        mixer.ends(list.into_iter().enumerate().map(|(i, x)| x.rotate_left(i as u32))),
    )
}

#[routine]
fn given_to_iterate(a: u32, list: [u32; 8]) -> (u32, u32, u32, u32) {
    let mixer = Mixer { seed: a };
    (
        mixer.over(list),
        mixer.over(Some(a).filter(|x| x % 2 == 0)),
        mixer.over_pairs(list, (0..a % 7).rev()),
        mixer.over_pairs(list.iter().copied(), [a, 2, 3]),
    )
}

#[routine]
fn given_with_closure(a: u32, list: [u32; 8]) -> (u32, u32) {
    let mixer = Mixer { seed: a };
    let mut asked = 0;
    let kept = mixer.filtered(list.into_iter(), |x| {
        asked += 1;
        x % 4 != a % 4
    });
    (kept, asked)
}

#[routine]
fn given_key(a: u32, b: u32) -> (u32, u32, u32) {
    let mixer = Mixer { seed: a ^ b };
    (
        mixer.least_by(a, b, |x| x % 16),
        mixer.least_by(a, b, |x| (x as f32).sqrt()),
        mixer.least_by(a, b, |x| (x % 2, b.wrapping_sub(x))),
    )
}

#[routine]
fn given_result(a: u32) -> (u32, u32) {
    let mixer = Mixer { seed: a };
    let tone: Tone = mixer.first_of();
    (tone.mark(), mixer.first_of::<Byte>().mark() ^ a)
}

#[routine]
fn given_chain(a: u32, b: u32) -> u32 {
    let mut mixer = Mixer { seed: a };
    mixer.push::<1>(b).push::<3>(a).push::<0>(7);
    mixer.push::<2>(mixer.seed).seed
}

#[routine]
fn given_on(a: u32, list: [u32; 8]) -> u32 {
    Mixer { seed: a }.passed_on(list.into_iter())
}

#[routine]
fn given_without_receiver(a: u32, b: u32) -> (u32, u32) {
    (
        Mixer::count(0..a % 50),
        Mixer::count(Evens { at: 0, end: b % 50 }.filter(|x| x % 3 == 0)),
    )
}

/// Generic itself.
#[derive(VmType, Clone, Copy, Debug)]
struct Ring<T, const N: usize> {
    slots: [T; N],
    at: usize,
}

#[routine]
impl<T: Copy + PartialEq, const N: usize> Ring<T, N> {
    fn filled_with(start: T, values: impl Iterator<Item = T>) -> Self {
        let mut ring = Self {
            slots: [start; N],
            at: 0,
        };
        ring.extend_by(values);
        ring
    }

    fn extend_by<I: Iterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.slots[self.at] = value;
            self.at = (self.at + 1) % N;
        }
    }

    fn held<const M: usize>(&self, values: &[T; M]) -> [bool; M] {
        values.map(|value| self.slots.contains(&value))
    }
}

#[routine]
fn given_in_generic_type(a: u32, list: [u32; 8]) -> ([u32; 3], usize, [bool; 2]) {
    let mut ring: Ring<u32, 3> = Ring::filled_with(a, list.iter().copied().take((a % 6) as usize));
    ring.extend_by((0..a % 4).map(|x| x * 10));
    let bytes = Ring::<u8, 2>::filled_with(1, Evens { at: 0, end: a % 9 }.map(|x| x as u8));
    (ring.slots, ring.at, bytes.held(&[1, 4]))
}

#[routine]
fn total_of(numbers: impl Iterator<Item = u32>) -> u32 {
    numbers.fold(0, u32::wrapping_add)
}

#[routine]
fn greatest_of<'a, I: IntoIterator<Item = &'a u32>>(numbers: I) -> Option<u32> {
    let mut greatest = None;
    for &number in numbers {
        greatest = greatest.max(Some(number));
    }
    greatest
}

#[routine]
fn given_to_functions(a: u32, list: [u32; 8]) -> (u32, Option<u32>, Option<u32>, u32) {
    (
        total_of(list.iter().copied().take_while(|x| *x != a)),
        greatest_of(&list),
        greatest_of(&list[..(a % 3) as usize]),
        total_of(Evens {
            at: a % 2,
            end: a % 100,
        }),
    )
}

#[routine]
trait Digest {
    const START: u32;

    fn take_in(&mut self, x: u32);

    /// Every type has its own.
    fn digest(&self, numbers: impl DoubleEndedIterator<Item = u32>) -> u32;

    fn of(numbers: impl Iterator<Item = u32> + Clone) -> u32;

    /// All types share this one.
    fn feed<I: Iterator<Item = u32>>(&mut self, numbers: I, mut each: impl FnMut(u32) -> u32) -> u32 {
        let mut count = Self::START;
        for number in numbers {
            self.take_in(each(number));
            count += 1;
        }
        count
    }

    fn doubly(&mut self, list: &[u32]) -> u32 {
        self.feed(list.iter().copied(), |x| x / 2) + Self::of(list.iter().map(|x| x % 10))
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Xor(u32);

#[derive(VmType, Clone, Copy, Debug)]
struct Rolled {
    at: u32,
    turns: u32,
}

#[routine]
impl Digest for Xor {
    const START: u32 = 0;

    fn take_in(&mut self, x: u32) {
        self.0 ^= x;
    }

    fn digest(&self, numbers: impl DoubleEndedIterator<Item = u32>) -> u32 {
        numbers.rev().fold(self.0, |a, b| a ^ b.rotate_left(a % 7))
    }

    fn of(numbers: impl Iterator<Item = u32> + Clone) -> u32 {
        numbers.clone().count() as u32 + numbers.last().unwrap_or(0)
    }
}

#[routine]
impl Digest for Rolled {
    const START: u32 = 100;

    fn take_in(&mut self, x: u32) {
        self.at = self.at.rotate_left(3).wrapping_add(x);
        self.turns += 1;
    }

    fn digest(&self, mut numbers: impl DoubleEndedIterator<Item = u32>) -> u32 {
        numbers.next_back().unwrap_or(self.at).wrapping_add(self.turns)
    }

    fn of(numbers: impl Iterator<Item = u32> + Clone) -> u32 {
        numbers.map(|x| x + 1).max().unwrap_or(Self::START)
    }
}

#[routine]
fn given_of_trait(a: u32, list: [u32; 8]) -> (u32, u32, u32, u32) {
    let mut xor = Xor(a);
    let mut rolled = Rolled { at: a, turns: 0 };
    let part = &list[..(a % 9) as usize];
    let fed = xor.feed(part.iter().copied(), |x| x ^ 5);
    (
        xor.digest(list.into_iter()).wrapping_add(fed),
        rolled.doubly(part),
        rolled.digest(part.iter().copied()),
        Xor::of(0..a % 6) + Rolled::of(part.iter().map(|x| x % 8)),
    )
}

#[routine]
fn all_of<D: Digest + Copy>(digest: D, list: &[u32], by: u32) -> (u32, u32, u32) {
    let mut digest = digest;
    let fed = digest.feed(list.iter().map(|x| x.wrapping_mul(by)), |x| x >> 1);
    (
        fed,
        digest.digest(list.iter().copied().chain(0..3)),
        D::of((0..by % 5).rev()),
    )
}

#[routine]
fn given_by_type(a: u32, list: [u32; 8]) -> ((u32, u32, u32), (u32, u32, u32)) {
    let part = &list[(a % 8) as usize..];
    (all_of(Xor(a), part, a), all_of(Rolled { at: a, turns: 1 }, part, a))
}

#[routine]
trait Store<K> {
    fn put(&mut self, key: K) -> bool;

    fn put_all(&mut self, keys: impl Iterator<Item = K>) -> u32
    where
        Self: Sized,
    {
        keys.map(|key| u32::from(self.put(key))).sum()
    }
}

#[routine]
impl<T: Copy + PartialEq, const N: usize> Store<T> for Ring<T, N> {
    fn put(&mut self, key: T) -> bool {
        let held = self.slots.contains(&key);
        if !held {
            self.slots[self.at] = key;
            self.at = (self.at + 1) % N;
        }
        !held
    }
}

#[routine]
fn put_in<S: Store<u32>>(store: &mut S, list: &[u32]) -> u32 {
    store.put_all(list.iter().map(|x| x % 5)) + store.put_all(0..3)
}

#[routine]
fn given_of_generic_trait(a: u32, list: [u32; 8]) -> (u32, u32, [u32; 4]) {
    let mut ring = Ring { slots: [a; 4], at: 0 };
    let first = ring.put_all(list.into_iter().map(|x| x % 7));
    (first, put_in(&mut ring, &list), ring.slots)
}

#[routine]
trait Parser {
    type Symbol: VmType;

    fn parse(&self, symbols: impl Iterator<Item = Self::Symbol>) -> u32;
}

#[routine]
impl Parser for Xor {
    type Symbol = Tone;

    fn parse(&self, symbols: impl Iterator<Item = Tone>) -> u32 {
        symbols.map(|symbol| symbol.mark()).sum::<u32>() ^ self.0
    }
}

#[routine]
fn given_item_of_trait(a: u32, list: [u32; 8]) -> u32 {
    Xor(a).parse(list.iter().map(|&x| if x % 2 == 0 { Tone::High(x) } else { Tone::Low }))
}

#[routine]
trait Widths {
    fn low<const BITS: u32>(&self) -> u32;

    fn low_two<const A: u32, const B: u32>(&self) -> (u32, u32) {
        (self.low::<A>(), self.low::<B>())
    }
}

#[routine]
impl Widths for Xor {
    fn low<const BITS: u32>(&self) -> u32 {
        self.0 & ((1 << BITS) - 1)
    }
}

#[routine]
fn given_const_of_trait(a: u32) -> (u32, (u32, u32)) {
    (Xor(a).low::<4>(), Xor(a).low_two::<1, 31>())
}

/// Overflow inside, in some VMs.
#[routine]
fn given_trap(a: u32, b: u32) -> u32 {
    let mixer = Mixer { seed: a };
    let evens = Evens { at: b % 10, end: 10 };
    let mut budget = 8;
    mixer.filtered(evens, |x| {
        budget -= x;
        x > a % 4
    })
}

/// Each VM as often as it will.
#[routine]
fn given_in_turn(a: u32, list: [u32; 8]) -> (u32, u32) {
    let mut mixer = Mixer { seed: a };
    let mut turns = 0;
    while mixer.seed % 11 != 3 && turns < 30 {
        mixer.seed = mixer.total(list.iter().copied().take((mixer.seed % 9) as usize)) >> 1;
        turns += 1;
    }
    (mixer.seed, turns)
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Point {
    x: f32,
    y: i32,
}

#[routine]
impl Sum for Point {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::default(), |a, b| Point {
            x: a.x + b.x,
            y: a.y.wrapping_add(b.y),
        })
    }
}

#[routine]
impl<'a> Sum<&'a Point> for Point {
    fn sum<I: Iterator<Item = &'a Point>>(points: I) -> Self {
        points.copied().sum()
    }
}

#[routine]
impl Product<u32> for Point {
    fn product<I: Iterator<Item = u32>>(mut numbers: I) -> Self {
        let mut point = Point { x: 1.0, y: 1 };
        while let Some(number) = numbers.next() {
            point.x *= (number % 16) as f32;
            point.y = point.y.wrapping_mul(number as i32);
        }
        point
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Few<T, const N: usize> {
    items: [Option<T>; N],
    left_out: u32,
}

#[routine]
impl<T: Copy, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = Few {
            items: [None; N],
            left_out: 0,
        };
        let mut at = 0;
        for item in items {
            if at < N {
                few.items[at] = Some(item);
                at += 1;
            } else {
                few.left_out += 1;
            }
        }
        few
    }
}

#[routine]
fn point(x: u32) -> Point {
    Point {
        x: (x % 1000) as f32,
        y: x as i32,
    }
}

#[routine]
fn sums_of_own_types(a: u32, list: [u32; 8]) -> (Point, Point) {
    let all = list.iter().map(|&x| point(x)).sum();
    (all, (0..a % 10).filter(|x| x % 3 != 0).map(point).sum::<Point>())
}

#[routine]
fn products(a: u32, list: [u32; 8]) -> (Point, u32) {
    let product: Point = list.into_iter().take((a % 9) as usize).product();
    (product, (1..a % 8).product())
}

#[routine]
fn sums_of_references(a: u32, list: [u32; 8]) -> Point {
    let points = list.map(point);
    points[(a % 9).min(8) as usize..].iter().sum()
}

#[routine]
fn sums_by_ref(a: u32, list: [u32; 8]) -> (Point, Option<u32>) {
    let mut numbers = list.into_iter();
    let sum = numbers.by_ref().take((a % 8) as usize).map(point).sum();
    (sum, numbers.next())
}

#[routine]
fn collections(a: u32, list: [u32; 8]) -> (Few<u32, 3>, Few<(usize, u8), 6>) {
    let few = list.iter().copied().filter(|x| x % 2 == a % 2).collect();
    (
        few,
        list.iter()
            .map(|x| *x as u8)
            .enumerate()
            .skip((a % 8) as usize)
            .collect::<Few<_, 6>>(),
    )
}

#[routine]
impl<'a, const N: usize> IntoIterator for &'a Ring<u32, N> {
    type Item = &'a u32;
    type IntoIter = std::slice::Iter<'a, u32>;

    fn into_iter(self) -> std::slice::Iter<'a, u32> {
        self.slots.iter()
    }
}

#[routine]
impl<const N: usize> IntoIterator for Ring<u32, N> {
    type Item = u32;
    type IntoIter = std::array::IntoIter<u32, N>;

    fn into_iter(self) -> std::array::IntoIter<u32, N> {
        self.slots.into_iter()
    }
}

#[routine]
fn own_iterables(a: u32, list: [u32; 8]) -> (u32, u32, u32, u32) {
    let ring = Ring { slots: list, at: 0 };
    let mut sum = 0u32;
    for x in &ring {
        sum = sum.wrapping_mul(3).wrapping_add(*x);
    }
    let mut product = 1u32;
    for x in ring {
        product = product.wrapping_mul(x | 1);
    }
    let zipped = list.iter().zip(&ring).filter(|(x, y)| x == y).count() as u32;
    (
        sum,
        product,
        zipped,
        greatest_of(&ring).unwrap_or(a) ^ Mixer { seed: a }.over(ring),
    )
}

const SMALL: RangeInclusive<u32> = 3..=40;
const LARGE: RangeFrom<u32> = 1000..;

#[routine]
fn range_constants(a: u32) -> (bool, bool, u32, Option<u32>) {
    (
        SMALL.contains(&(a % 50)),
        LARGE.contains(&a),
        SMALL.map(|x| x * x).sum(),
        LARGE.skip((a % 5) as usize).next(),
    )
}

#[routine]
fn lending_recursion(a: u32, b: u32) -> u32 {
    let mut mixer = Mixer { seed: a };
    mixer.spread(b % 6).push::<1>(a).seed
}

/// Methods of a trait whose own parameters are bounded by std's traits, with a body and without.
#[routine]
trait Counter: Copy {
    fn count(self) -> u32;

    fn with<T: Into<u32>>(self, more: T) -> u32 {
        self.count().wrapping_add(more.into())
    }

    fn with_any(&self, more: impl Into<u32>) -> u32 {
        self.count() ^ more.into()
    }

    fn with_from<T>(&self, more: T) -> u32
    where
        u32: From<T>,
    {
        self.count().wrapping_mul(u32::from(more))
    }

    fn with_sum<T: std::ops::Add<Output = T> + Into<u32>>(&self, a: T, b: T) -> u32 {
        self.count().wrapping_add((a + b).into())
    }

    fn with_own<T>(&self, more: T) -> u32
    where
        T: Into<u32>;

    fn with_tried<T: TryInto<u8>>(&self, more: T) -> u8 {
        more.try_into().unwrap_or(7)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Counted(u32);

#[routine]
impl Counter for Counted {
    fn count(self) -> u32 {
        self.0
    }

    fn with_own<T>(&self, more: T) -> u32
    where
        T: Into<u32>,
    {
        more.into().rotate_left(self.0 % 32)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Even(u32);

#[routine]
impl TryFrom<Even> for u8 {
    type Error = Counted;

    fn try_from(even: Even) -> Result<u8, Counted> {
        if even.0 > 255 {
            Err(Counted(even.0))
        } else {
            Ok(even.0 as u8)
        }
    }
}

#[routine]
fn narrowed<T: TryInto<u8>>(value: T) -> Option<u8> {
    match value.try_into() {
        Ok(value) => Some(value),
        Err(_) => None,
    }
}

#[routine]
fn widened<T>(value: T) -> Result<u64, u32>
where
    u64: TryFrom<T>,
{
    u64::try_from(value).map_err(|_| 3)
}

#[routine]
fn bounded_by_conversions(a: u32, b: u8) -> ([u32; 5], Option<u8>, [u8; 2]) {
    let counted = Counted(a);
    (
        [
            counted.with(b),
            counted.with_any(b as u16),
            counted.with_from(b),
            counted.with_sum(b / 2, b / 3),
            counted.with_own(b),
        ],
        narrowed(a),
        [counted.with_tried(a), counted.with_tried(Even(a))],
    )
}

#[routine]
fn tried_by_bounds(a: u32, b: i64) -> (Option<u8>, Result<u64, u32>, Option<u8>) {
    (narrowed(Even(a % 300)), widened(b), narrowed(b))
}
