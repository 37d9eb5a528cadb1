//! What is found behind the user's own `Deref` and `DerefMut`: methods, elements, fields, coercions; and methods of traits on slices and texts.

use std::ops::{Deref, DerefMut};

use gpuvm::prelude::*;

cases! {
    by_methods, by_index, changed_behind, fields_behind, whole, of_generic_types, of_borrowing_types, own_before_behind, traits_behind, on_slices,
    on_texts, trapping_behind, coerced,
}

const MOST: usize = 6;

#[derive(VmType, Clone, Copy, Debug)]
struct Polygon {
    points: [(i32, i32); MOST],
    count: usize,
}

#[routine]
impl Deref for Polygon {
    type Target = [(i32, i32)];
    fn deref(&self) -> &[(i32, i32)] {
        &self.points[..self.count]
    }
}

#[routine]
impl DerefMut for Polygon {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.points[..self.count]
    }
}

#[routine]
impl Polygon {
    fn of(seed: u32, count: u32) -> Polygon {
        let mut points = [(0, 0); MOST];
        let mut state = seed;
        for point in &mut points {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *point = ((state >> 20) as i32 % 100, (state >> 10) as i32 % 100);
        }
        Polygon {
            points,
            count: count as usize % (MOST + 1),
        }
    }

    fn edges(&self) -> impl Iterator<Item = ((i32, i32), (i32, i32))> + '_ {
        let next = self.iter().cycle().skip(1);
        self.iter().copied().zip(next.copied())
    }

    fn area(&self) -> i32 {
        self.edges().map(|((a, b), (c, d))| a * d - b * c).sum()
    }

    fn is_large(&self) -> bool {
        self.len() > 3 && !self.is_empty()
    }
}

#[routine]
fn by_methods(seed: u32, count: u32) -> (u32, i32, i32, bool, Option<(i32, i32)>, Option<i32>) {
    let polygon = Polygon::of(seed, count);
    let borrowed = &polygon;
    let mut sum = 0;
    for p in polygon.iter() {
        sum += p.0 - p.1;
    }
    let most = borrowed.iter().map(|&(x, _)| x).max();
    let found = borrowed.contains(&(1, 2)) || borrowed.starts_with(&[(0, 0)]);
    let first = polygon.first().copied().or(borrowed.get(3).copied());
    (
        polygon.len() as u32,
        sum,
        polygon.area(),
        found || polygon.is_large(),
        first,
        most,
    )
}

#[routine]
fn by_index(seed: u32, count: u32, at: u32) -> (i32, usize) {
    let polygon = Polygon::of(seed, count);
    let at = at as usize % 4;
    let part = &polygon[at..];
    let [a, .., b] = part else { return (polygon[at].0, 0) };
    (polygon[at].0 * 1000 + a.1 + b.0, polygon[1..].len())
}

#[routine]
fn changed_behind(seed: u32, count: u32) -> (Polygon, i32) {
    let mut polygon = Polygon::of(seed, count);
    polygon.sort_unstable_by_key(|p| p.1);
    polygon.reverse();
    if polygon.len() > 2 {
        polygon[1] = (7, 8);
        polygon[0].0 += 3;
        polygon.swap(0, 2);
    }
    for p in polygon.iter_mut() {
        p.1 += 1;
    }
    for (i, p) in polygon.iter_mut().enumerate() {
        p.0 += i as i32;
    }
    if let Some(last) = polygon.last_mut() {
        *last = (last.1, last.0);
    }
    let other = &mut polygon;
    let half = other.len() / 2;
    other.rotate_left(half);
    (polygon, polygon.iter().map(|p| p.0).sum())
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Gauge {
    level: i32,
    limit: u32,
}

#[routine]
impl Gauge {
    fn raise(&mut self, by: i32) -> i32 {
        self.level = self.level.wrapping_add(by);
        self.level
    }

    fn above(self, other: i32) -> bool {
        self.level > other
    }
}

/// Counts how often it was asked to be changed.
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Guarded {
    gauge: Gauge,
    changes: u32,
}

#[routine]
impl Deref for Guarded {
    type Target = Gauge;
    fn deref(&self) -> &Gauge {
        &self.gauge
    }
}

#[routine]
impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut Gauge {
        self.changes += 1;
        &mut self.gauge
    }
}

#[routine]
fn fields_behind(level: i32, limit: u32) -> (Guarded, i32, bool, u32) {
    let mut guarded = Guarded {
        gauge: Gauge { level, limit },
        changes: 0,
    };
    let before = guarded.level;
    guarded.limit = guarded.limit.wrapping_add(9);
    guarded.level ^= 5;
    guarded.raise(3);
    let borrowed = &mut guarded;
    borrowed.raise(limit as i32);
    borrowed.level = borrowed.level.wrapping_mul(3);
    let above = guarded.above(12);
    let limit = guarded.limit;
    (guarded, before, above, limit)
}

#[routine]
fn whole(level: i32, limit: u32) -> (Guarded, Gauge, bool) {
    let mut guarded = Guarded::default();
    *guarded = Gauge { level, limit };
    let copy = *guarded;
    let inner: &mut Gauge = &mut guarded;
    inner.level = 4;
    let same = *guarded == copy;
    let explicit = guarded.deref().limit == Deref::deref(&guarded).limit;
    (guarded, copy, same && explicit)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Stack<T, const N: usize> {
    items: [T; N],
    used: usize,
}

#[routine]
impl<T: Copy, const N: usize> Deref for Stack<T, N> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.items[..self.used]
    }
}

#[routine]
impl<T: Copy, const N: usize> DerefMut for Stack<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.used]
    }
}

#[routine]
impl<T: Copy, const N: usize> Stack<T, N> {
    fn new(fill: T) -> Self {
        Stack {
            items: [fill; N],
            used: 0,
        }
    }

    fn push(&mut self, item: T) -> bool {
        if self.used == N {
            return false;
        }
        self.used += 1;
        let last = self.len() - 1;
        self[last] = item;
        true
    }
}

#[routine]
fn biggest<T: Copy + PartialOrd, const N: usize>(stack: &Stack<T, N>) -> Option<T> {
    let mut best = *stack.first()?;
    for &item in stack.iter() {
        if item > best {
            best = item;
        }
    }
    Some(best)
}

#[routine]
fn of_generic_types(a: i32, b: u32, c: u8) -> (Option<i32>, usize, u32, bool) {
    let mut numbers = Stack::<i32, 4>::new(0);
    let mut bytes: Stack<u8, 3> = Stack::new(1);
    for i in 0..b % 6 {
        numbers.push(a.wrapping_mul(i as i32 + 1));
        bytes.push(c.wrapping_add(i as u8));
    }
    let sum = bytes.iter().map(|&x| u32::from(x)).sum::<u32>();
    let sorted = numbers.is_sorted();
    numbers.sort_unstable();
    (biggest(&numbers), numbers.len() + bytes.len(), sum, sorted)
}

#[derive(VmType, Clone, Copy)]
struct View<'a> {
    bytes: &'a [u8],
    from: usize,
}

#[routine]
impl Deref for View<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.from..]
    }
}

#[routine]
fn of_borrowing_types(bytes: [u8; 8], from: u32) -> (usize, u8, Option<usize>, u32) {
    let view = View {
        bytes: &bytes,
        from: from as usize % 9,
    };
    let odd = view.iter().position(|b| b % 2 == 1);
    let sum = view.iter().fold(0, |sum, &b| sum * 3 % 1001 + u32::from(b));
    (view.len(), view.last().map_or(0, |b| *b), odd, sum)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Loud(Gauge);

#[routine]
impl Deref for Loud {
    type Target = Gauge;
    fn deref(&self) -> &Gauge {
        &self.0
    }
}

#[routine]
impl DerefMut for Loud {
    fn deref_mut(&mut self) -> &mut Gauge {
        &mut self.0
    }
}

#[routine]
impl Loud {
    fn raise(&mut self, by: i32) -> i32 {
        self.0.raise(by).wrapping_mul(-2)
    }

    fn len(&self) -> u32 {
        self.limit % 7
    }
}

#[routine]
fn own_before_behind(level: i32, limit: u32) -> (i32, i32, u32, bool) {
    let mut loud = Loud(Gauge { level, limit });
    let own = loud.raise(1);
    let behind = loud.deref_mut().raise(1);
    (own, behind, loud.len(), loud.above(3))
}

#[routine]
trait Stats {
    fn mean(&self) -> u32;

    fn twice(&self) -> u32 {
        self.mean() * 2
    }

    fn above<F: Fn(u32) -> bool>(&self, test: F) -> bool;
}

#[routine]
impl Stats for [u32] {
    fn mean(&self) -> u32 {
        let sum = self.iter().fold(0u32, |sum, x| sum.wrapping_add(*x % 1000));
        sum / self.len().max(1) as u32
    }

    fn above<F: Fn(u32) -> bool>(&self, test: F) -> bool {
        self.iter().any(|&x| test(x))
    }
}

#[routine]
impl Stats for Gauge {
    fn mean(&self) -> u32 {
        self.limit % 100
    }

    fn above<F: Fn(u32) -> bool>(&self, test: F) -> bool {
        test(self.limit)
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Samples([u32; 3]);

#[routine]
impl Deref for Samples {
    type Target = [u32];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

#[routine]
fn traits_behind(a: u32, b: u32) -> (u32, u32, u32, bool) {
    let samples = Samples([a, b, 3]);
    let guarded = Guarded {
        gauge: Gauge { level: 1, limit: a },
        changes: 2,
    };
    let over = b % 1000;
    (
        samples.mean(),
        guarded.mean(),
        samples.twice() + guarded.twice(),
        samples.above(|x| x > over),
    )
}

#[routine]
fn on_slices(a: u32, b: u32, c: u32) -> (u32, u32, u32, bool, u32) {
    let list = [a, b, c, 4];
    let borrowed = &list;
    let part = &list[1..];
    (
        list.mean(),
        borrowed.twice(),
        part.mean(),
        list.above(|x| x == c),
        [1u32, 2].mean(),
    )
}

#[routine]
trait Shout {
    fn loud(&self) -> u32;
}

#[routine]
impl Shout for str {
    fn loud(&self) -> u32 {
        self.bytes().filter(u8::is_ascii_uppercase).count() as u32
    }
}

#[derive(VmType, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
}

#[routine]
impl<'a> Deref for Word<'a> {
    type Target = str;
    fn deref(&self) -> &str {
        self.text
    }
}

#[routine]
fn on_texts(pick: u32) -> (u32, u32, usize, bool) {
    let text = ["plain", "Word", "LOUD", ""][pick as usize % 4];
    let word = Word { text };
    (
        text.loud(),
        word.loud(),
        word.len(),
        word.starts_with('W') || word.contains("in"),
    )
}

#[routine]
fn nothing_there(x: u32) -> usize {
    if x % 3 == 0 {
        panic!("argument {x}");
    }
    x as usize % 2
}

#[routine]
fn trapping_behind(seed: u32, count: u32) -> (i32, i32) {
    let mut polygon = Polygon::of(seed, count);
    polygon.count += count as usize % 3;
    // What is behind is found before the argument is evaluated.
    let first = polygon.get(nothing_there(seed)).map_or(0, |p| p.0);
    (first, polygon[nothing_there(seed / 3)].1)
}

#[routine]
fn total_of_points(points: &[(i32, i32)]) -> i32 {
    points.iter().map(|p| p.0 + p.1).sum()
}

#[routine]
fn clear_points(points: &mut [(i32, i32)]) {
    points.fill((1, 1));
}

#[routine]
fn coerced(seed: u32, count: u32) -> (i32, i32, i32) {
    let mut polygon = Polygon::of(seed, count);
    let before = total_of_points(&polygon);
    let slice: &[(i32, i32)] = &polygon;
    let again = total_of_points(slice) + total_of_points(&*polygon);
    clear_points(&mut polygon);
    (before, again, total_of_points(&polygon))
}
