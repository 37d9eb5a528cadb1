//! Methods and functions that the user's types and traits have under names of std's: rustc finds the nearest one, and so do routines.

use gpuvm::prelude::*;
use std::ops::{Deref, DerefMut};

cases! {
    of_numbers, of_references_to_numbers, of_arrays_and_slices, behind_derefs, functions_of_its_own, in_constant_functions,
}

#[derive(Clone, Copy, Debug, PartialEq, VmType)]
struct Sample {
    x: f64,
    n: u32,
}

#[routine]
trait Ring: Copy {
    fn sqrt(self) -> Self {
        self
    }

    fn pow(self, n: u32) -> Self;

    fn len(&self) -> u32 {
        77
    }

    fn abs(self) -> Self {
        self
    }

    fn count_ones(self) -> u32;
}

#[routine]
impl Ring for f64 {
    fn pow(self, n: u32) -> Self {
        let mut product = 1.0;
        for _ in 0..n {
            product *= self;
        }
        product
    }

    fn count_ones(self) -> u32 {
        5
    }
}

#[routine]
impl Ring for u32 {
    fn pow(self, _: u32) -> Self {
        7
    }

    fn count_ones(self) -> u32 {
        55
    }

    fn sqrt(self) -> Self {
        3
    }
}

#[routine]
impl Ring for Sample {
    fn pow(self, n: u32) -> Self {
        Sample {
            x: self.x.pow(n),
            n: self.n.pow(n % 3),
        }
    }

    fn count_ones(self) -> u32 {
        self.n.count_ones()
    }
}

#[routine]
fn of_a_ring<T: Ring>(of: (T, u32)) -> (T, u32) {
    (of.0.sqrt().pow(2), of.0.len() + of.0.count_ones() + of.1.count_ones())
}

#[routine]
fn of_numbers(x: f64, n: u32) -> ((f64, f64, f64, u32, u32), (f64, u32), (u32, u32), (Sample, u32), usize) {
    let sample = Sample { x, n: n % 1000 };
    let samples = [sample, sample];
    let list = [n, 3];
    let own = (
        sample.x.sqrt(),
        sample.x.pow(2),
        samples[0].x.abs(),
        samples[1].n.pow(2),
        sample.n.count_ones() + sample.x.count_ones() + sample.x.len() + sample.len(),
    );
    (
        own,
        of_a_ring((sample.x, 3)),
        of_a_ring((sample.n, 3)),
        of_a_ring((sample, 3)),
        list[..].len(),
    )
}

mod by_reference {
    use gpuvm::prelude::*;

    #[routine]
    pub trait Signed {
        fn to_degrees(&self) -> Self;

        fn fract(&self) -> f32 {
            0.25
        }

        fn leading_zeros(&mut self) -> u32;
    }

    #[routine]
    impl Signed for f32 {
        fn to_degrees(&self) -> f32 {
            33.0
        }

        fn leading_zeros(&mut self) -> u32 {
            *self += 1.0;
            200
        }
    }

    #[routine]
    impl Signed for u32 {
        fn to_degrees(&self) -> u32 {
            34
        }

        fn leading_zeros(&mut self) -> u32 {
            100
        }
    }
}

#[derive(Clone, Copy, Debug, VmType)]
struct Readings {
    at: [f32; 3],
    n: u32,
}

#[routine]
fn of_references_to_numbers(x: f32, y: f32, n: u32) -> ((f32, f32, f32, f32), (u32, u32, u32, u32)) {
    use by_reference::Signed;

    let mut readings = Readings { at: [x, y, -2.5], n };
    let first = &readings.at[0];
    let mut sum = 0.0;
    for at in &readings.at {
        sum += at.to_degrees() + at.fract();
    }
    let floats = (first.to_degrees(), readings.at[1].to_degrees(), sum, (*first).fract());
    let zeros = readings.at[1].leading_zeros();
    let changed = &mut readings.n;
    let of_changed = changed.leading_zeros();
    let shared = &readings.n;
    (
        floats,
        (
            zeros,
            of_changed,
            shared.leading_zeros(),
            readings.n.leading_zeros() + shared.to_degrees(),
        ),
    )
}

mod on_lists {
    use gpuvm::prelude::*;

    #[routine]
    pub trait Vector: Copy {
        fn dot(&self, other: &Self) -> f32;

        fn len(&self) -> f32 {
            self.dot(self).sqrt()
        }

        fn fill(&mut self, x: f32);

        fn reverse(self) -> Self;

        fn contains(&self, x: f32) -> bool;

        fn get(&self, i: usize) -> f32;

        fn is_empty(&self) -> bool;
    }

    #[routine]
    impl<const N: usize> Vector for [f32; N] {
        fn dot(&self, other: &Self) -> f32 {
            let mut sum = 0.0;
            for i in 0..N {
                sum += self[i] * other[i];
            }
            sum
        }

        fn fill(&mut self, x: f32) {
            for y in self.iter_mut() {
                *y += x;
            }
        }

        fn reverse(self) -> Self {
            let mut reversed = self;
            for i in 0..N {
                reversed[N - 1 - i] = self[i] * 2.0;
            }
            reversed
        }

        fn contains(&self, x: f32) -> bool {
            self.iter().any(|y| *y - x < 1.5)
        }

        fn get(&self, i: usize) -> f32 {
            self[i % N]
        }

        fn is_empty(&self) -> bool {
            true
        }
    }

    #[routine]
    pub trait Texts {
        fn first(&self) -> f32;

        fn last(&self) -> f32 {
            5.0
        }

        fn total(&self) -> f32;
    }

    #[routine]
    impl Texts for [f32] {
        fn first(&self) -> f32 {
            17.0
        }

        fn total(&self) -> f32 {
            self.iter().sum()
        }
    }
}

#[routine]
fn of_arrays_and_slices(
    x: f32,
    y: f32,
    i: u32,
) -> ((f32, f32, f32), [f32; 3], (bool, bool, bool), (usize, f32, f32, f32)) {
    use on_lists::{Texts, Vector};

    let mut v = [x, y, -2.0];
    let readings = Readings { at: v, n: i };
    v.fill(0.5);
    let borrowed = &v;
    let slice = &readings.at[..];
    (
        (v.len(), readings.at.len() + borrowed.len(), borrowed.get(i as usize)),
        v.reverse(),
        (v.contains(1.0), readings.at.is_empty(), slice.is_empty()),
        (
            slice.len(),
            *slice.first().unwrap(),
            *slice.last().unwrap(),
            slice.total(),
        ),
    )
}

#[derive(Clone, Copy, Debug, VmType)]
struct Guard {
    list: [u32; 4],
}

#[routine]
impl Deref for Guard {
    type Target = [u32; 4];

    fn deref(&self) -> &[u32; 4] {
        &self.list
    }
}

#[routine]
impl DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut [u32; 4] {
        &mut self.list
    }
}

#[routine]
fn behind_derefs(x: u32, y: u32) -> (Guard, usize, u32, bool) {
    let mut guard = Guard { list: [x, y, 3, 4] };
    guard.swap(0, 3);
    guard.reverse();
    (guard, guard.len(), *guard.first().unwrap(), guard.contains(&y))
}

#[derive(Clone, Copy, Debug, PartialEq, VmType)]
struct Fixed(i32);

#[routine]
impl Fixed {
    fn default() -> Fixed {
        Fixed(42)
    }

    fn from(x: i32) -> Self {
        Fixed(x.wrapping_shl(4))
    }

    fn try_from(x: i32) -> Option<Self> {
        if x > 0 { Some(Self::from(x)) } else { None }
    }

    fn from_iter(list: impl Iterator<Item = i32>) -> Self {
        let mut sum = Self::default();
        for x in list {
            sum.0 = sum.0.wrapping_add(x);
        }
        sum
    }

    const fn max(self, other: Fixed) -> Fixed {
        if self.0 > other.0 { self } else { other }
    }

    const fn signum(self) -> Fixed {
        Fixed(3)
    }

    const fn relu(self) -> Fixed {
        self.max(Fixed(0))
    }

    const fn both(self, other: Fixed) -> Fixed {
        other.max(self.relu().signum())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, VmType)]
struct Converted(i32);

#[routine]
impl From<i32> for Converted {
    fn from(x: i32) -> Self {
        Converted(x.wrapping_add(1))
    }
}

#[routine]
fn functions_of_its_own(x: i32) -> ([Fixed; 3], Option<Fixed>, Converted, Converted) {
    (
        [
            Fixed::default(),
            Fixed::from(x),
            Fixed::from_iter([x, 2, x].into_iter()),
        ],
        Fixed::try_from(x),
        Converted::from(x),
        Converted::default(),
    )
}

#[routine]
fn in_constant_functions(x: i32) -> [Fixed; 3] {
    const MOST: Fixed = Fixed(5).both(Fixed(9));
    [Fixed(x).relu(), Fixed(x).both(Fixed(1)), MOST]
}
