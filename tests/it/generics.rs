//! Type parameters and const generics on routines and on types, made concrete at the call.

use std::ops::{Add, Mul};

use gpuvm::prelude::*;

cases! {
    generic_identity, generic_arithmetic, const_generic_power, const_generic_array, generic_pair, generic_method, two_instances,
    generic_recursion, where_clause, const_and_type, turbofish, generic_slice,
    methods_that_ask_more, methods_that_ask_of_their_own,
}

#[routine]
fn choose<T: VmType>(first: bool, a: T, b: T) -> T {
    if first { a } else { b }
}

#[routine]
fn generic_identity(a: u32, b: f32, c: bool) -> (u32, f32, bool) {
    (choose(c, a, a / 2), choose(!c, b, 1.5), choose(a % 2 == 0, c, true))
}

#[routine]
fn square<T: VmType + Mul<Output = T>>(x: T) -> T {
    x * x
}

#[routine]
fn generic_arithmetic(a: i32, b: f32, c: u64) -> (i32, f32, u64) {
    (square(a % 1000), square(b), square(c % 1000))
}

#[routine]
fn power<const N: u32>(x: u32) -> u32 {
    let mut y = 1u32;
    for _ in 0..N {
        y = y.wrapping_mul(x);
    }
    y
}

#[routine]
fn const_generic_power(x: u32) -> (u32, u32, u32) {
    (power::<0>(x), power::<3>(x), power::<11>(x))
}

#[routine]
fn sum_all<const N: usize>(values: [u32; N]) -> u32 {
    let mut sum = 0u32;
    for i in 0..N {
        sum = sum.wrapping_add(values[i]);
    }
    sum
}

#[routine]
fn const_generic_array(a: u32, b: u32) -> u32 {
    sum_all([a, b]).wrapping_mul(sum_all([1, a, 3, b, 5]))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Both<A, B> {
    left: A,
    right: B,
}

#[routine]
fn flipped<A: VmType, B: VmType>(both: Both<A, B>) -> Both<B, A> {
    Both {
        left: both.right,
        right: both.left,
    }
}

#[routine]
fn generic_pair(a: u32, b: f32) -> (f32, u32) {
    let both = flipped(Both { left: a, right: b });
    let again = flipped(flipped(both));
    (again.left, both.right)
}

#[routine]
impl<A: VmType, B: VmType> Both<A, B> {
    fn first(&self) -> A {
        self.left
    }

    fn with_right(self, right: B) -> Self {
        Both { right, ..self }
    }
}

#[routine]
fn generic_method(a: u64, b: bool) -> (u64, bool) {
    let both = Both { left: a, right: b }.with_right(!b);
    (both.first(), both.right)
}

#[routine]
fn twice<T: VmType + Add<Output = T>>(x: T, times: u32) -> T {
    let mut y = x;
    for _ in 0..times % 4 {
        y = y + x;
    }
    y
}

#[routine]
fn two_instances(a: f32, b: u32, n: u32) -> (f32, u32) {
    (twice(a, n), twice(b % 1000, n))
}

#[routine]
fn halves<const STEP: u32>(n: u32) -> u32 {
    if n < STEP { n } else { 1 + halves::<STEP>(n / 2) }
}

#[routine]
fn generic_recursion(n: u32) -> u32 {
    halves::<2>(n) * 100 + halves::<50>(n)
}

#[routine]
fn largest<T>(a: T, b: T, c: T) -> T
where
    T: VmType + PartialOrd,
{
    let ab = if a > b { a } else { b };
    if ab > c { ab } else { c }
}

#[routine]
fn where_clause(a: i32, b: i32, c: f32) -> (i32, f32) {
    (largest(a, b, 5), largest(c, 1.0, -1.0))
}

#[routine]
fn nth<T: VmType, const N: usize>(values: [T; N], i: u32) -> T {
    values[i as usize % N]
}

#[routine]
fn const_and_type(a: f32, i: u32) -> (f32, bool) {
    (nth([a, 1.0, 2.0], i), nth([true, false, a > 1.0, true, false], i))
}

#[routine]
fn turbofish(a: u32) -> (u32, i64) {
    (choose::<u32>(a > 5, 1, 2), choose::<i64>(a < 5, -1, 1 << 40))
}

#[routine]
fn count_equal<T: VmType + PartialEq>(values: &[T], wanted: T) -> u32 {
    let mut n = 0;
    for v in values {
        if *v == wanted {
            n += 1;
        }
    }
    n
}

#[routine]
fn generic_slice(a: u32, b: u64) -> (u32, u32) {
    (
        count_equal(&[a % 3, 1, 2, 1], 1),
        count_equal(&[b, 0, u64::MAX], u64::MAX),
    )
}

#[derive(VmType, Clone, Copy, Debug)]
struct Samples<T, const N: usize> {
    values: [T; N],
    used: usize,
}

#[routine]
impl<T: Copy, const N: usize> Samples<T, N> {
    fn new(values: [T; N]) -> Self {
        Samples { values, used: N }
    }

    fn total(&self) -> T
    where
        T: std::ops::Add<Output = T> + Default,
    {
        self.values[..self.used]
            .iter()
            .fold(T::default(), |sum, &value| sum + value)
    }

    fn largest(&self) -> Option<T>
    where
        T: PartialOrd,
    {
        let mut best = *self.values.first()?;
        for &value in &self.values[1..self.used] {
            if value > best {
                best = value;
            }
        }
        Some(best)
    }

    fn spread(&self) -> Option<T>
    where
        T: PartialOrd + std::ops::Sub<Output = T>,
    {
        Some(self.largest()? - self.smallest())
    }

    fn smallest(&self) -> T
    where
        T: PartialOrd,
    {
        self.values
            .iter()
            .copied()
            .reduce(|a, b| if b < a { b } else { a })
            .unwrap_or(self.values[0])
    }

    fn kept(mut self, used: usize) -> Self {
        self.used = used.clamp(1, N);
        self
    }
}

#[routine]
fn methods_that_ask_more(a: u32, b: u32, c: f32, n: u32) -> (u32, Option<u32>, Option<f32>, f32) {
    let integers = Samples::new([a % 1000, b % 1000, 7]).kept(n as usize);
    let floats = Samples::new([c, 1.5]);
    (integers.total(), integers.largest(), floats.spread(), floats.total())
}

#[routine]
trait As<Z> {
    fn cast(self) -> Z;
}

#[routine]
impl As<u32> for f32 {
    fn cast(self) -> u32 {
        self as u32
    }
}

#[routine]
impl As<f32> for f32 {
    fn cast(self) -> f32 {
        -self
    }
}

#[routine]
impl As<f32> for u32 {
    fn cast(self) -> f32 {
        self as f32
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Point<T> {
    x: T,
    y: T,
}

/// Methods whose own parameters stand in what they ask of the block's.
#[routine]
impl<T: Copy> Point<T> {
    fn to<Z>(self) -> Point<Z>
    where
        T: As<Z>,
    {
        Point {
            x: self.x.cast(),
            y: self.y.cast(),
        }
    }

    fn first<Z: Copy>(&self) -> (Z, Z)
    where
        T: As<Z> + As<f32>,
    {
        let x: Z = self.x.cast();
        (x, self.y.cast())
    }

    fn with<Z>(self, f: impl Fn(Z) -> Z) -> Z
    where
        T: As<Z>,
    {
        f(self.y.cast())
    }
}

#[routine]
fn methods_that_ask_of_their_own(a: u32, b: f32) -> (Point<u32>, f32, (u32, u32), (f32, f32), u32) {
    let point = Point { x: b, y: 2.5 };
    let whole: Point<u32> = point.to();
    let back = whole.to::<f32>();
    (whole, back.x, point.first(), point.first(), point.with(|y: u32| y ^ a))
}
