//! std's traits as users implement and ask for them: `FromStr`, `Extend`, `Hasher`, `IntoIterator`, and bounds on associated types.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul};
use std::str::FromStr;

use gpuvm::prelude::*;

cases! {
    parsed_types, parsed_generics, parsed_by_bound, parse_errors, extended, extended_twice, extended_by_bound, added_items, greatest_item, less_than,
    items_of_bound, hashed_by_hand, iterated, associated_output, hashed, hashed_lists, hashed_by_words, hashed_generic,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Time {
    minutes: u32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum BadTime {
    NoColon,
    Number,
    Range(u32),
}

#[routine]
impl FromStr for Time {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (hours, minutes) = text.split_once(':').ok_or(BadTime::NoColon)?;
        let hours: u32 = hours.trim().parse().map_err(|_| BadTime::Number)?;
        let minutes = minutes.parse::<u32>().map_err(|_| BadTime::Number)?;
        if minutes > 59 {
            return Err(BadTime::Range(minutes));
        }
        Ok(Time {
            minutes: hours * 60 + minutes,
        })
    }
}

const TEXTS: [&str; 8] = ["12:30", " 7:05", "", "1200", "a:10", "10:x", "3:75", "0:00"];

#[routine]
fn parsed_types(a: u32) -> (Result<Time, BadTime>, Option<u32>, bool) {
    let text = TEXTS[a as usize % 8];
    let time: Result<Time, _> = text.parse();
    let same = Time::from_str(text) == time && <Time as FromStr>::from_str(text) == time;
    (text.parse::<Time>(), time.ok().map(|time| time.minutes), same)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Pair<T> {
    left: T,
    right: T,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum BadPair<E> {
    Comma,
    Part(E),
}

#[routine]
impl<T: FromStr> FromStr for Pair<T>
where
    T::Err: VmType,
{
    type Err = BadPair<T::Err>;

    fn from_str(text: &str) -> Result<Self, BadPair<T::Err>> {
        let (left, right) = text.split_once(',').ok_or(BadPair::Comma)?;
        Ok(Pair {
            left: left.parse().map_err(BadPair::Part)?,
            right: right.parse().map_err(BadPair::Part)?,
        })
    }
}

const PAIRS: [&str; 6] = ["12:30,7:05", "1:00", "3:75,1:00", "1,2", "0:01,", "23:59,0:00"];

#[routine]
fn parsed_generics(a: u32) -> (Result<Pair<Time>, BadPair<BadTime>>, Option<Pair<Time>>) {
    let text = PAIRS[a as usize % 6];
    (text.parse(), text.parse::<Pair<Time>>().ok())
}

#[routine]
fn sum_of<T: FromStr + Add<Output = T> + Default + Copy>(text: &str) -> Result<T, T::Err> {
    let mut sum = T::default();
    for part in text.split('+') {
        sum = sum + part.trim().parse()?;
    }
    Ok(sum)
}

#[routine]
fn first_of<T>(text: &str) -> Option<T>
where
    T: FromStr,
{
    T::from_str(text.split(' ').next()?).ok()
}

#[routine]
fn parsed_by_bound(a: u32) -> (Option<u32>, Option<i64>, Option<Time>, Option<bool>, Option<char>) {
    let text = ["1 + 2+3", "-4+ 1", "7:30 x", "true that", "x", "9999999999+1"][a as usize % 6];
    (
        sum_of(text).ok(),
        sum_of::<i64>(text).ok(),
        first_of(text),
        first_of(text),
        first_of::<char>(text),
    )
}

/// One that cannot be parsed panics.
#[routine]
fn parse_errors(a: u32) -> u32 {
    let time: Time = TEXTS[a as usize % 8].parse().unwrap();
    time.minutes
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Stack {
    items: [u32; 4],
    len: u32,
    lost: u32,
}

#[routine]
impl Stack {
    fn push(&mut self, item: u32) {
        if (self.len as usize) < self.items.len() {
            self.items[self.len as usize] = item;
            self.len += 1;
        } else {
            self.lost += 1;
        }
    }
}

#[routine]
impl Extend<u32> for Stack {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}

#[routine]
impl<'a> Extend<&'a u32> for Stack {
    fn extend<I: IntoIterator<Item = &'a u32>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

#[routine]
impl Extend<(u32, bool)> for Stack {
    fn extend<T>(&mut self, iter: T)
    where
        T: IntoIterator<Item = (u32, bool)>,
    {
        for (item, wanted) in iter {
            if wanted {
                self.push(item);
            }
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Last<T> {
    value: Option<T>,
    count: u32,
}

#[routine]
impl<T: Copy> Extend<T> for Last<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.value = Some(item);
            self.count += 1;
        }
    }
}

#[routine]
fn extended(a: u32, list: [u32; 8]) -> (Stack, Last<u8>) {
    let mut stack = Stack::default();
    stack.extend(0..a % 3);
    stack.extend(list.into_iter().filter(|x| x % 2 == a % 2));
    stack.extend(Some(a));
    let mut last = Last { value: None, count: 0 };
    last.extend(list.iter().map(|x| *x as u8).take(a as usize % 9));
    last.extend([7, a as u8]);
    (stack, last)
}

#[routine]
fn extended_twice(a: u32, list: [u32; 8]) -> (Stack, Stack) {
    let (mut some, mut all) = (Stack::default(), Stack::default());
    some.extend(list.iter().map(|&x| (x, x % 3 == a % 3)));
    all.extend(&list[..a as usize % 4]);
    all.extend(list.iter().rev());
    Extend::extend(&mut some, [(a, true)]);
    (some, all)
}

#[routine]
fn fill<E: Extend<u32>>(to: &mut E, from: u32) {
    to.extend(from..from + 2);
    to.extend([from; 1]);
}

#[routine]
fn extended_by_bound(a: u32) -> (Stack, Last<u32>) {
    let (mut stack, mut last) = (
        Stack::default(),
        Last {
            value: None,
            count: a % 2,
        },
    );
    fill(&mut stack, a % 100);
    fill(&mut last, a % 50);
    (stack, last)
}

#[routine]
fn total<I>(items: I) -> I::Item
where
    I: Iterator,
    I::Item: Add<Output = I::Item> + Default,
{
    let mut sum = I::Item::default();
    for item in items {
        sum = sum + item;
    }
    sum
}

#[routine]
fn added_items(a: u32, list: [u32; 8]) -> (u32, u64) {
    (total((0..a % 100).skip(2)), total(list.iter().map(|x| u64::from(*x))))
}

#[routine]
fn greatest<I: Iterator>(mut items: I) -> Option<I::Item>
where
    I::Item: PartialOrd + Copy,
{
    let mut best = items.next()?;
    for item in items {
        if item > best {
            best = item;
        }
    }
    Some(best)
}

#[routine]
fn ranked(mut items: impl Iterator<Item: Ord>) -> Ordering {
    match (items.next(), items.next()) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

#[routine]
fn greatest_item(a: u32, list: [u32; 8], x: f32) -> (Option<u32>, Option<u32>, Option<f32>, Ordering) {
    let part = &list[a as usize % 9..];
    (
        greatest(part.iter().copied()),
        greatest(part.iter()).copied(),
        greatest([x, 1.5, -x].into_iter()),
        ranked(part.iter()),
    )
}

#[routine]
fn count_of<I>(items: I, limit: I::Item) -> (u32, u32)
where
    I: IntoIterator,
    I::Item: PartialEq<i32> + PartialOrd,
{
    let (mut threes, mut below) = (0, 0);
    for item in items {
        if item == 3 {
            threes += 1;
        }
        if item < limit {
            below += 1;
        }
    }
    (threes, below)
}

#[routine]
fn less_than(a: u32, list: [u32; 8]) -> (u32, u32) {
    count_of(list.map(|x| (x % 7) as i32), (a % 7) as i32)
}

#[routine]
fn scaled(items: impl Iterator<Item: Mul<u32, Output = u32> + Copy>, by: u32) -> u32 {
    items.map(|item| item * by).fold(0, u32::wrapping_add)
}

#[routine]
fn items_of_bound(a: u32, list: [u32; 8]) -> u32 {
    scaled(list.into_iter().map(|x| x % 1000), a % 1000)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Fnv(u64);

#[routine]
impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

#[routine]
fn hashed_by_hand(a: u32, list: [u32; 8]) -> (u64, u64) {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    hasher.write(&a.to_le_bytes());
    let first = hasher.finish();
    for x in list {
        hasher.write(&x.to_be_bytes()[..1 + x as usize % 4]);
    }
    (first, hasher.finish())
}

#[routine]
impl<'a> IntoIterator for &'a Stack {
    type Item = &'a u32;
    type IntoIter = std::iter::Take<std::slice::Iter<'a, u32>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter().take(self.len as usize)
    }
}

#[routine]
fn iterated(a: u32, list: [u32; 8]) -> (u32, u32) {
    let mut stack = Stack::default();
    stack.extend(&list[a as usize % 9..]);
    let mut sum = 0u32;
    for x in &stack {
        sum = sum.wrapping_mul(5) ^ x;
    }
    (sum, list.iter().zip(&stack).filter(|(x, y)| x == y).count() as u32)
}

#[routine]
fn square_and_add<T>(x: T, y: <T as Mul>::Output) -> bool
where
    T: Mul + Copy,
    <T as Mul>::Output: PartialOrd,
{
    x * x < y
}

#[routine]
fn associated_output(a: u32, x: f32) -> (bool, bool) {
    (square_and_add(a % 1000, 5000), square_and_add(x, x))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    id: u32,
    place: (i16, u8),
    kind: Kind,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Nothing,
    Number(i64),
    Named { letter: char, flag: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VmType)]
#[repr(u8)]
enum Small {
    A = 3,
    B,
}

#[derive(VmType, Hash, Clone, Copy, Debug, PartialEq, Eq)]
struct Grid<T, const N: usize> {
    cells: [T; N],
    width: usize,
}

/// Compares by a part, and so hashes by it.
#[derive(VmType, Clone, Copy, Debug)]
struct Loose {
    id: u32,
    noise: f32,
}

#[routine]
impl Hash for Loose {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
        state.write_u8(1);
    }
}

#[routine]
fn fnv<T: Hash>(value: &T) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    value.hash(&mut hasher);
    hasher.finish()
}

#[routine]
fn key(a: u32, b: u32) -> Key {
    Key {
        id: a,
        place: (b as i16, b as u8),
        kind: match b % 3 {
            0 => Kind::Nothing,
            1 => Kind::Number(-i64::from(a)),
            _ => Kind::Named {
                letter: char::from(b'a' + (a % 26) as u8),
                flag: a % 2 == 0,
            },
        },
    }
}

#[routine]
fn hashed(a: u32, b: u32) -> (u64, u64, u64, u64) {
    let key = key(a, b);
    let mut hasher = Fnv(1);
    key.hash(&mut hasher);
    let small = if a % 2 == 0 { Small::A } else { Small::B };
    small.hash(&mut hasher);
    (-1i8).hash(&mut hasher);
    Hash::hash(&Some(b), &mut hasher);
    let first = hasher.finish();
    "text".hash(&mut hasher);
    (a, b as i64, a as usize, -3isize).hash(&mut hasher);
    hasher.write_i32(-(b as i32 % 1000));
    (first, hasher.finish(), fnv(&key), fnv(&Loose { id: a, noise: 0.5 }))
}

#[routine]
fn hashed_lists(a: u32, list: [u32; 8]) -> (u64, u64, u64) {
    let mut hasher = Fnv(2);
    list.hash(&mut hasher);
    let bytes = list.map(|x| x as u8);
    bytes[..a as usize % 9].hash(&mut hasher);
    let first = hasher.finish();
    [key(a, list[0]), key(list[1], 1)].hash(&mut hasher);
    let keys = list.map(|x| key(x, a));
    keys[a as usize % 8..].hash(&mut hasher);
    let grid = Grid {
        cells: [a as i16, 5, -1],
        width: 3,
    };
    (first, hasher.finish(), fnv(&grid))
}

/// Takes words as they are.
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Words {
    sum: u64,
    calls: u32,
}

#[routine]
impl Hasher for Words {
    fn finish(&self) -> u64 {
        self.sum ^ u64::from(self.calls)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.sum = self.sum.rotate_left(5) ^ u64::from(word);
        self.calls += 1;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u32(word as u32);
    }
}

#[routine]
fn hashed_by_words(a: u32, b: u32) -> (u64, u64) {
    let mut words = Words::default();
    key(a, b).hash(&mut words);
    let first = words.finish();
    (a as i32).hash(&mut words);
    (b as usize % 100, 7isize, b as u16).hash(&mut words);
    [a, b].hash(&mut words);
    (first, words.finish())
}

#[routine]
fn combined<H: Hasher, T: Hash>(mut state: H, values: &[T]) -> u64 {
    for value in values {
        value.hash(&mut state);
    }
    state.write_u64(values.len() as u64);
    state.finish()
}

#[routine]
fn hashed_generic(a: u32, list: [u32; 8]) -> (u64, u64) {
    let keys = [key(a, list[0]), key(list[1], a)];
    (
        combined(Fnv(3), &list[..a as usize % 9]),
        combined(Words::default(), &keys),
    )
}
